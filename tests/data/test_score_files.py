"""Files of scores in every format, and how those of several systems go together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.data import Systems, read_systems
from nbyk.data.ratings import ordered_ids
from nbyk.errors import NbykError

VALUES = [0.5, -0.25, 3.0, 1e-3]
ITEMS = ("q1", "007", "7", "ü")


def read_scores(path: Path, **options: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the scores in a file, and the ids of their items, in the order of the ids."""
    read = read_systems({"a": path, "b": path}, kind="scores", **options)
    assert (read.kind, read.paired) == ("scores", bool(read.items))
    np.testing.assert_array_equal(read.responses["a"], read.responses["b"])
    return read.responses["a"], read.items


def read_score_set(files: list[str], **options: object) -> Systems:
    return read_systems(files, kind="scores", **options)


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
    values, items = read_scores(written(tmp_path, name))
    order = sorted(range(len(ITEMS)), key=lambda row: ordered_ids(ITEMS).index(ITEMS[row]))
    np.testing.assert_array_equal(values, [VALUES[row] for row in order] if has_items else VALUES)
    assert items == (ordered_ids(ITEMS) if has_items else ())


def test_a_column_without_a_header_loses_no_score(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("0.5\n0.75\n")
    np.testing.assert_array_equal(read_scores(path)[0], [0.5, 0.75])
    path.write_text("0.5\n")
    np.testing.assert_array_equal(read_scores(path)[0], [0.5])
    path.write_text("\ufeffaccuracy\n0.5\n0.75\n")
    np.testing.assert_array_equal(read_scores(path)[0], [0.5, 0.75])


def test_columns_are_found_or_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("run,score,loss\n1,0.5,2\n2,0.75,1\n")
    np.testing.assert_array_equal(read_scores(path)[0], [0.5, 0.75])
    assert read_scores(path)[1] == ()
    np.testing.assert_array_equal(read_scores(path, value="loss")[0], [2, 1])
    assert read_scores(path, value="loss", item="run")[1] == ("1", "2")
    path.write_text("item,accuracy\na,1\nb,0\n")
    assert read_scores(path)[1] == ("a", "b")
    assert read_scores(path, value="accuracy")[1] == ("a", "b")


def test_scores_are_matched_by_their_ids(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,score\nx,1\ny,2\nz,3\n")
    (tmp_path / "b.json").write_text('{"z": 30, "x": 10, "y": 20}')
    (tmp_path / "c.csv").write_text("item,score\ny,200\nz,300\nw,400\n")
    a, b, c = (str(tmp_path / name) for name in ("a.csv", "b.json", "c.csv"))
    read = read_score_set([a, f"second={b}"])
    assert read.paired
    assert read.items == ("x", "y", "z")
    assert list(read.responses) == ["a", "second"]
    np.testing.assert_array_equal(read.responses["second"], [10, 20, 30])
    dropped = read_score_set([a, b, c], on_missing="drop")
    assert dropped.items == ("y", "z")
    np.testing.assert_array_equal(np.stack(list(dropped.responses.values())), [[2, 3], [20, 30], [200, 300]])
    assert dropped.dropped == {a: 1, b: 1, c: 1}
    unpaired = read_score_set([a, b], paired=False)
    assert (unpaired.paired, unpaired.items) == (False, ())
    np.testing.assert_array_equal(unpaired.responses["b"], [30, 10, 20])
    with pytest.raises(NbykError, match=r"c\.csv: lacks 1 of .*a\.csv's items \(x\) and has 1"):
        read_score_set([a, c])


def test_scores_without_ids_are_paired_by_their_order_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    (tmp_path / "b.csv").write_text("item,score\nx,10\ny,20\n")
    (tmp_path / "c.txt").write_text("1\n2\n")
    a, b, c = (str(tmp_path / name) for name in ("a.txt", "b.csv", "c.txt"))
    assert not read_score_set([a, c]).paired
    read = read_score_set([a, c], paired=True)
    assert (read.paired, read.items) == (True, ())
    assert read.notes == ("the scores of a and c are the same: are they two files of one system?",)
    (note,) = read_score_set([a, b]).notes
    assert "so nbyk does not pair them" in note
    with pytest.raises(NbykError, match=r"a\.txt: has no ids of items"):
        read_score_set([a, b], paired=True)
