"""Files of scores in every format, and how those of several systems go together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.data.scores import read_score_set, read_scores
from nbyk.errors import NbykError

VALUES = [0.5, -0.25, 3.0, 1e-3]
ITEMS = ("q1", "007", "7", "ü")


def written(folder: Path, name: str) -> Path:
    """Write the values, and the items where the format's name says so, as a file of that name."""
    path = folder / name
    table = pd.DataFrame({"item": ITEMS, "score": VALUES})
    if path.suffix == ".txt":
        path.write_text("".join(f"{value}\n" for value in VALUES) + "\n\n")
    elif path.suffix == ".npy":
        np.save(path, np.array(VALUES))
    elif name.startswith("list."):
        path.write_text(json.dumps(VALUES))
    elif name.startswith("objects."):
        path.write_text(table.to_json(orient="records"))
    elif name.startswith("by_id."):
        path.write_text(json.dumps(dict(zip(ITEMS, VALUES, strict=True))))
    elif name.startswith("columns."):
        path.write_text(json.dumps(table.to_dict(orient="list")))
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    elif path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize(
    ("name", "has_items"),
    [
        ("plain.txt", False),
        ("array.npy", False),
        ("list.json", False),
        ("objects.json", True),
        ("by_id.json", True),
        ("columns.json", True),
        ("table.csv", True),
        ("table.tsv", True),
        ("lines.jsonl", True),
        ("table.parquet", True),
    ],
)
def test_every_format_holds_the_same_scores(name: str, has_items: bool, tmp_path: Path) -> None:
    read = read_scores(written(tmp_path, name))
    np.testing.assert_array_equal(read.values, VALUES)
    assert read.items == (ITEMS if has_items else None)


def test_a_column_without_a_header_loses_no_score(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("0.5\n0.75\n")
    np.testing.assert_array_equal(read_scores(path).values, [0.5, 0.75])
    path.write_text("0.5\n")
    np.testing.assert_array_equal(read_scores(path).values, [0.5])
    path.write_text("\ufeffaccuracy\n0.5\n0.75\n")
    np.testing.assert_array_equal(read_scores(path).values, [0.5, 0.75])


def test_columns_are_found_or_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("run,score,loss\n1,0.5,2\n2,0.75,1\n")
    np.testing.assert_array_equal(read_scores(path).values, [0.5, 0.75])
    assert read_scores(path).items is None
    np.testing.assert_array_equal(read_scores(path, value="loss").values, [2, 1])
    assert read_scores(path, value="loss", item="run").items == ("1", "2")
    path.write_text("item,accuracy\na,1\nb,0\n")
    assert read_scores(path).items == ("a", "b")
    assert read_scores(path, value="accuracy").items == ("a", "b")


def test_scores_are_matched_by_their_ids(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,score\nx,1\ny,2\nz,3\n")
    (tmp_path / "b.json").write_text('{"z": 30, "x": 10, "y": 20}')
    (tmp_path / "c.csv").write_text("item,score\ny,200\nz,300\nw,400\n")
    a, b, c = (str(tmp_path / name) for name in ("a.csv", "b.json", "c.csv"))
    read = read_score_set([a, f"second={b}"])
    assert read.paired
    assert read.items == ("x", "y", "z")
    assert list(read.scores) == ["a", "second"]
    np.testing.assert_array_equal(read.scores["second"], [10, 20, 30])
    dropped = read_score_set([a, b, c], on_missing="drop")
    assert dropped.items == ("y", "z")
    np.testing.assert_array_equal(np.stack(list(dropped.scores.values())), [[2, 3], [20, 30], [200, 300]])
    assert dropped.notes == ("an item was dropped: not every system has a score there",)
    unpaired = read_score_set([a, b], paired=False)
    assert (unpaired.paired, unpaired.items) == (False, None)
    np.testing.assert_array_equal(unpaired.scores["b"], [30, 10, 20])
    with pytest.raises(NbykError, match=r"c\.csv: lacks 1 of .*a\.csv's items \(x\) and has 1"):
        read_score_set([a, c])


def test_scores_without_ids_are_paired_by_their_order_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    (tmp_path / "b.csv").write_text("item,score\nx,10\ny,20\n")
    (tmp_path / "c.txt").write_text("1\n2\n")
    a, b, c = (str(tmp_path / name) for name in ("a.txt", "b.csv", "c.txt"))
    assert not read_score_set([a, c]).paired
    read = read_score_set([a, c], paired=True)
    assert (read.paired, read.items) == (True, None)
    assert read.notes == ("the scores of a and c are the same: are they two files of one system?",)
    (note,) = read_score_set([a, b]).notes
    assert "so nbyk does not pair them" in note
    with pytest.raises(NbykError, match=r"a\.txt: has no ids of items"):
        read_score_set([a, b], paired=True)
