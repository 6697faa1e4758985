"""Small inputs that once failed, after public reports and by attack: each is one case of a kind."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nbyk
from nbyk import read_systems
from nbyk.errors import NbykError


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("column", ["question_id", "sample_id", "item", "id"])
def test_scores_with_ids_of_a_known_name_are_paired_in_any_order(column: str, tmp_path: Path) -> None:
    """Unpaired, p was .833 on such files; paired, the sign of every difference is the same."""
    base = np.random.default_rng(1).normal(size=12)
    order = np.random.default_rng(2).permutation(12)
    a = "".join(f"q{i},{base[i] + 0.01 + i / 1000}\n" for i in range(12))
    b = "".join(f"q{i},{base[i]}\n" for i in order)
    files = [written(tmp_path, f"{name}.csv", f"{column},score\n{of}") for name, of in (("a", a), ("b", b))]
    read = read_systems(files, kind="scores")
    assert read.paired
    assert nbyk.compare(read, test="approximate_randomisation", seed=1).p == pytest.approx(2 / 2**12)


def test_scores_that_differ_by_rounding_alone_are_equal() -> None:
    a, b = [k * 0.1 for k in range(1, 11)], [k / 10 for k in range(1, 11)]
    assert a != b
    assert nbyk.score_test("mann_whitney", a, b).p == nbyk.score_test("mann_whitney", b, b).p == 1
    assert nbyk.aso(a, b).violation_ratio == nbyk.aso(b, b).violation_ratio
    with pytest.raises(NbykError, match="all scores are equal"):
        nbyk.score_test("mann_whitney", [0.1 + 0.2] * 5, [0.3] * 5)


def test_a_missing_value_of_pandas_is_an_empty_cell() -> None:
    values = pd.array([1, 0, None, 1, 0, 1], dtype="Int64")
    frame = pd.DataFrame({"item": list("abcdef"), "value": values})
    other = pd.DataFrame({"item": list("abcdef"), "value": [1, 0, 1, 1, 0, 0]})
    with pytest.raises(NbykError, match="a, row 2: column 'value': found no value"):
        read_systems({"a": frame, "b": other})
    read = read_systems({"a": frame, "b": other}, on_empty="drop", on_missing="drop")
    assert read.items == tuple("abdef")
    assert read.dropped == {"b": 1}


def test_twelve_of_twelve_against_none_has_an_interval_of_its_own(tmp_path: Path) -> None:
    """The exact limit for 12 of 12 is .735."""
    files = [
        written(tmp_path, f"{name}.csv", "item,value\n" + "".join(f"q{i},{of}\n" for i in range(12)))
        for name, of in (("a", 1), ("b", 0))
    ]
    low, high = nbyk.compare(read_systems(files), seed=1).interval
    assert 0.4 < low < 0.8
    assert high == 1


def test_an_id_twice_in_a_file_of_items_and_values_is_named_with_its_rows(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "item,value\nq1,1\nq2,0\nq1,1\n")
    with pytest.raises(NbykError, match=r"a\.csv:4: item 'q1' is already on .*a\.csv:2"):
        read_systems({"a": path, "b": path})


def test_items_that_a_wide_table_leaves_out_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "item,x,y\nq1,1,0\nq2,,\nq3,,1\n")
    (note,) = {of for of in read_systems({"a": path, "b": path}, on_empty="drop").notes if "left out" in of}
    assert note == f"{path}: 1 row without a value was left out"


def test_labels_that_nobody_can_tell_apart_are_named_and_floats_are_no_ids(tmp_path: Path) -> None:
    gold = written(tmp_path, "g.csv", "item,label\na,neg\nb,neg\u200b\nc,pos\nd,Pos\n")
    with pytest.raises(NbykError, match=r"the classes 'neg' and 'neg\\u200b' look alike"):
        read_systems({"a": gold, "b": gold}, gold)
    lines = "".join(f'{{"item": {1.79e18 + i}, "value": 1}}\n' for i in range(8))
    path = written(tmp_path, "a.jsonl", lines)
    with pytest.raises(NbykError, match=r"column 'item': found 1\.79e\+18, a number of so many digits"):
        read_systems({"a": path, "b": path})


def test_what_is_left_out_or_looks_odd_is_said(tmp_path: Path) -> None:
    """Members of JSON, hidden rows, tasks and records without an answer, and rows of means."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    for row in (["item", "value"], ["a", 1], ["b", 0], ["mean", 0.5]):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "hidden.xlsx")
    number = {"from_name": "q", "type": "number", "value": {"number": 1}}
    tasks = [{"id": i, "annotations": [{"completed_by": 1, "result": [number]}] * (i > 0)} for i in range(3)]
    response = {"value": 1, "user_id": "u"}
    records = [{"id": i, "fields": {}, "responses": {"q": [response]} if i else {}} for i in range(3)]
    rows = [{"item": "a", "value": 1}, {"item": "b", "value": 0}]
    said = {
        "hidden.xlsx": "hidden rows and columns of sheet 'Sheet' were read too: 1",
        "tasks.json": "tasks without an annotation were left out: 1",
        "records.json": "records without a response were left out: 1",
        "wrapped.json": "the members 'model' are not used",
    }
    for name, content in {
        "tasks.json": tasks,
        "records.json": records,
        "wrapped.json": {"model": "x", "rows": rows},
    }.items():
        written(tmp_path, name, json.dumps(content))
    for name, note in said.items():
        read = read_systems({"a": tmp_path / name, "b": tmp_path / name})
        assert f"{tmp_path / name}: {note}" in read.notes
        assert (
            "the item 'mean' has the name of a summary; if it is one, leave its row out" in read.notes
        ) == (name == "hidden.xlsx")
    scores = written(tmp_path, "scores.json", json.dumps({"model": "x", "f1": [0.5, 0.25]}))
    assert f"{scores}: the members 'model' are not used" in read_systems({"a": scores, "b": scores}).notes


def test_observations_of_langfuse_are_in_the_cluster_of_their_trace(tmp_path: Path) -> None:
    scores = [
        {"traceId": f"t{i // 2}", "observationId": f"o{i}", "name": "q", "value": i / 4, "source": "EVAL"}
        for i in range(4)
    ]
    path = written(tmp_path, "a.json", json.dumps(scores))
    assert read_systems({"a": path, "b": path}).clusters == ("t0", "t0", "t1", "t1")
