"""Files of scores in every format, and how those of several systems go together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


def read_score_set(files: Any, **options: object) -> Systems:
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


SEEDS = {"a": [0.5, 0.6, 0.7, 0.8], "b": [0.52, 0.61, 0.75, 0.83]}


def frame_of_seeds(layout: str, *, other_order: bool) -> pd.DataFrame:
    """Return `SEEDS` as one table, with a row for each score, or for each seed."""
    if layout == "columns":
        frame = pd.DataFrame({"seed": range(4), **SEEDS})
        return frame.iloc[::-1].reset_index(drop=True) if other_order else frame
    rows = [(name, seed, of) for name, scores in SEEDS.items() for seed, of in enumerate(scores)]
    return pd.DataFrame(rows[:4] + rows[:3:-1] if other_order else rows, columns=["system", "seed", "f1"])


@pytest.mark.parametrize("other_order", [False, True])
@pytest.mark.parametrize("layout", ["rows", "columns", "files"])
def test_runs_are_paired_by_their_seed_and_never_by_the_order_of_rows(
    layout: str, other_order: bool, tmp_path: Path
) -> None:
    frame = frame_of_seeds("rows" if layout == "files" else layout, other_order=other_order)
    given: Any = frame
    if layout == "files":
        given = {name: of[["seed", "f1"]].reset_index(drop=True) for name, of in frame.groupby("system")}
    read = read_score_set(given, paired=True)
    assert (read.paired, read.items) == (True, ("0", "1", "2", "3"))
    assert {name: scores.tolist() for name, scores in read.responses.items()} == SEEDS
    assert not read_score_set(given).paired
    if layout == "rows":
        read = read_score_set(frame.assign(run=[f"r{seed}" for seed in frame["seed"]]), paired=True)
        assert read.items == ("0, r0", "1, r1", "2, r2", "3, r3")
        assert {name: scores.tolist() for name, scores in read.responses.items()} == SEEDS


def test_a_seed_without_a_partner_or_that_comes_twice_is_named() -> None:
    frame = frame_of_seeds("rows", other_order=False)
    lacking = frame.drop(index=7)
    with pytest.raises(NbykError, match=r"^b: lacks 1 of a's items \(3\)"):
        read_score_set(lacking, paired=True)
    assert read_score_set(lacking, paired=True, on_missing="drop").items == ("0", "1", "2")
    for layout in ("rows", "columns"):
        twice = frame_of_seeds(layout, other_order=False)
        twice["seed"] = twice["seed"].replace(3, 2)
        with pytest.raises(NbykError, match="found 2 scores of seed 2"):
            read_systems(twice)


def test_a_summary_and_systems_that_look_alike_are_named_in_scores_too() -> None:
    frame = pd.DataFrame({"seed": ["1", "2", "mean"], "A": [0.5, 0.7, 0.6], "a": [0.4, 0.9, 0.65]})
    summary, alike = read_systems(frame).notes
    assert alike == "the systems 'A' and 'a' look alike, and nbyk tells them apart"
    assert summary.startswith("the run 'mean' has the name of a summary")


@pytest.mark.parametrize("name", ["confidence", "f1", "latency_ms", "annotator_2"])
def test_a_column_of_no_system_by_its_name_is_not_compared_as_one(name: str) -> None:
    frame = pd.DataFrame({"seed": [1, 2], "ours": [0.5, 0.7], name: [0.9, 0.8]})
    with pytest.raises(NbykError, match=f"{name!r} is of none by its name; leave it out"):
        read_systems(frame)


def test_one_of_several_scores_of_runs_is_chosen_by_its_column() -> None:
    frame = pd.DataFrame({"seed": [1, 2, 3], "f1": [0.5, 0.7, 0.6], "acc": [0.8, 0.7, 0.9]})
    given = {"a": frame, "b": frame.assign(acc=0.5)}
    with pytest.raises(NbykError, match='name the column of the scores, as in `value="f1"`'):
        read_systems(given)
    read = read_systems(given, value="acc")
    assert (read.kind, read.responses["a"].tolist()) == ("scores", [0.8, 0.7, 0.9])
    assert read_systems(given, value="acc", item="seed").items == ("1", "2", "3")


def test_scores_without_ids_are_paired_by_their_order_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    (tmp_path / "b.csv").write_text("item,score\nx,10\ny,20\n")
    (tmp_path / "c.txt").write_text("1\n2\n")
    a, b, c = (str(tmp_path / name) for name in ("a.txt", "b.csv", "c.txt"))
    assert not read_score_set([a, c]).paired
    read = read_score_set([a, c], paired=True)
    assert (read.paired, read.items) == (True, ())
    assert read.notes == ("a and c have the same ratings",)
    (note,) = read_score_set([a, b]).notes
    assert "so nbyk does not pair the scores" in note
    with pytest.raises(NbykError, match=r"b\.csv: lacks 2 of .*have no names by which"):
        read_score_set([a, b], paired=True)


def test_plain_numbers_are_responses_to_items_where_other_options_ask_of_items(tmp_path: Path) -> None:
    """The command line says so, and need not read them again."""
    for name, scores in (("a", [0.5, 0.25, 1.0]), ("b", [0.75, 0.5, 0.0])):
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, scores)))
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    assert read_systems(paths).kind == "scores"
    read = read_systems(paths, of_items=True)
    assert (read.kind, read.n_items) == ("numbers", 3)
    assert read_systems(paths, kind="scores", of_items=True).kind == "scores"
