"""Columns that stay Arrow's give the same as Python's objects: items, order, responses, notes and errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbyk import bounded, read_ratings, read_systems
from nbyk.data import cells, tables
from nbyk.data.cells import ArrowCells, are_distinct, union
from nbyk.data.ratings import ordered_ids
from nbyk.data.tables import read_delimited
from nbyk.errors import NbykError

IDS: dict[str, Sequence[Any]] = {
    "in order": [f"q{n}" for n in range(30)],
    "shuffled": [f"q{n}" for n in np.random.default_rng(1).permutation(120)],
    "numbers in text": ["a10b2", "a2b10", "a2b9", "a02b9", "b", "a", "10", "9", "009", "x" * 300 + "1"],
    "accents": ["é1", "e\u03012", "Z", "ä", "z10", "z9", "ß"],
    "capitals": ["Q1", "Q2", "Q10", "ROW7"],
    "look alike": ["q1", "Q1", "q01", "q2"],
    "summary": ["q1", "q2", "Mean", "q3"],
    "whole numbers": [7, 100, 20, 3],
    "floats": [7.0, 100.0, 20.0, 3.0],
    "many blocks": [f"i{n % 977}-{n}" for n in range(70_000)],
}
VALUES: dict[str, Sequence[Any]] = {
    "zeros and ones": [0, 1],
    "shares": [0.25, 0.5, 0.125],
    "text": ["0.5", "1"],
}


def write(folder: Path, name: str, columns: dict[str, Sequence[Any]]) -> dict[str, Path]:
    """Write a table as Parquet, whose columns stay Arrow's, and as JSON lines, whose cells are Python's."""
    paths = {suffix: folder / f"{name}{suffix}" for suffix in (".parquet", ".jsonl")}
    pq.write_table(pa.table(columns), paths[".parquet"])
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    paths[".jsonl"].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return paths


def found(files: Sequence[Path], **options: Any) -> dict[str, Any]:
    """Return what is read, or the error, without the files' suffixes and the words for a row."""
    try:
        read = read_systems({path.stem: path for path in files}, **options)
    except NbykError as error:
        said = re.sub(r"(?:\.jsonl:|line )(\d+)", lambda line: f" @{int(line[1]) - 1}", str(error))
        said = re.sub(r"(?:\.parquet, )?row (\d+)", r" @\1", said)
        return {"error": said.replace(files[0].suffix, "")}
    return {
        "items": tuple(read.items),
        "responses": {name: of.tobytes() for name, of in read.responses.items()},
        "units": {name: of.known_by for name, of in read.units.items()},
        "notes": tuple(note.replace(files[0].suffix, "") for note in read.notes),
        "dropped": {place.replace(files[0].suffix, ""): n for place, n in read.dropped.items()},
    }


def cells_of(values: Sequence[Any], n: int) -> list[Any]:
    return [values[row % len(values)] for row in range(n)]


@pytest.mark.parametrize("kind", [None, "scores"])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("ids", IDS)
def test_both_kinds_of_columns_give_the_same(ids: str, values: str, kind: Any, tmp_path: Path) -> None:
    names, n = IDS[ids], len(IDS[ids])
    a = write(tmp_path, "a", {"item": names, "value": cells_of(VALUES[values], n)})
    b = write(tmp_path, "b", {"item": names[::-1], "value": cells_of(VALUES[values], n + 1)[1:]})
    if values == "text":
        b = write(tmp_path, "b", {"item": names, "value": ["0.5"] * n})
    by_arrow, by_python = (found([a[of], b[of]], kind=kind) for of in (".parquet", ".jsonl"))
    assert by_arrow == by_python
    assert by_arrow["items"] == ordered_ids(str(name).removesuffix(".0") for name in names)


@pytest.mark.parametrize("layout", ["wide", "one column of systems", "two raters"])
def test_other_layouts_give_the_same(layout: str, tmp_path: Path) -> None:
    names = list(IDS["shuffled"])
    values = cells_of(VALUES["shares"], 2 * len(names))
    if layout == "wide":
        paths = [write(tmp_path, "t", {"item": names, "a": values[::2], "b": values[1::2]})]
    elif layout == "one column of systems":
        systems = ["a"] * len(names) + ["b"] * len(names)
        paths = [write(tmp_path, "t", {"item": names + names[::-1], "system": systems, "value": values})]
    else:
        raters = ["r1"] * len(names) + ["r2"] * len(names)
        columns = {"item": names + names[::-1], "rater": raters, "value": values}
        paths = [write(tmp_path, name, columns) for name in "ab"]
    by_arrow, by_python = (found([path[of] for path in paths]) for of in (".parquet", ".jsonl"))
    assert by_arrow == by_python
    assert set(by_arrow["responses"]) == {"a", "b"}


FAULTS: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "again": (["q1", "q2", "q1"], [0, 1, 0]),
    "empty id": (["q1", " ", "q3"], [0, 1, 0]),
    "no id": (["q1", None, "q3"], [0, 1, 0]),
    "spaces alone": (["q 1", "q  1", "q3"], [0, 1, 0]),
    "signs that nobody sees": (["q1", "q\u200b1", "q3"], [0, 1, 0]),
    "no value": (["q1", "q2", "q3"], [0.5, None, 1.0]),
    "a word": (["q1", "q2", "q3"], ["0.5", "half", "1"]),
    "no value in text": (["q1", "q2", "q3"], ["0.5", " na", "1"]),
    "off the scale": (["q1", "q2", "q3"], [0, 3, 1]),
    "another item": (["q1", "q2", "q4"], [0, 1, 0]),
    "one item": (["q1"], [0]),
}


@pytest.mark.parametrize(
    "options", [{}, {"on_missing": "drop", "on_empty": "drop", "on_duplicates": "first"}]
)
@pytest.mark.parametrize("fault", FAULTS)
def test_both_kinds_of_columns_refuse_the_same(fault: str, options: Any, tmp_path: Path) -> None:
    names, values = FAULTS[fault]
    good = write(tmp_path, "a", {"item": ["q1", "q2", "q3"], "value": [0, 1, 1]})
    bad = write(tmp_path, "b", {"item": names, "value": values})
    by_arrow, by_python = (found([good[of], bad[of]], **options) for of in (".parquet", ".jsonl"))
    assert by_arrow == by_python
    assert options or "error" in by_arrow


def test_cells_are_a_sequence_of_what_was_written() -> None:
    cells = ArrowCells(pa.array(["a", "b", None]))
    assert cells == ["a", "b", None]
    assert cells == ("a", "b", None)
    assert cells != ["a", "b"]
    assert cells != "ab"
    assert list(cells[1:]) == ["b", None]
    assert cells[-1] is None
    assert hash(cells) == hash(ArrowCells(pa.array(["a", "b", None])))
    assert are_distinct(cells)
    assert not are_distinct(ArrowCells(pa.array(["a", "a"])))
    assert union([ArrowCells(pa.array(["b", "a"])), ArrowCells(pa.array(["c", "a"]))]) == ["b", "a", "c"]
    assert ArrowCells(pa.array([1, None])).numbers().tolist()[0] == 1.0


def test_ratings_of_arrows_columns_equal_those_of_pythons(tmp_path: Path) -> None:
    paths = write(tmp_path, "a", {"item": ["q2", "q1"], "value": [0.5, 1]})
    assert read_ratings(paths[".parquet"]) == read_ratings(paths[".jsonl"])


def test_rows_beyond_memory_are_refused_with_their_number_the_bound_and_a_road(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "a", {"item": ["q1", "q2", "q3"], "a": [0, 1, 1], "b": [1, 1, 0]})[".parquet"]
    monkeypatch.setattr(bounded, "memory", lambda: 2 * 3 * bounded.ROOM)
    with pytest.raises(NbykError) as caught:
        read_systems([path])
    said = "a.parquet: has 3 rows, expected at most 2 of 3 columns in 9e-07 GB of memory; leave out columns"
    assert said in str(caught.value)
    assert str(caught.value).endswith("on a machine with more memory, such as one of a cluster")
    assert bounded.memory.__name__ == "<lambda>"
    monkeypatch.undo()
    assert read_systems([path]).names == ("a", "b")
    assert bounded.memory() > 10**8


TEXTS = {
    "plain": "item,value\nq1,1\nq2,0\n",
    "empty lines": "item,value\nq1,1\n\n\nq2, 0",
    "Windows": "item,value\r\nq1,\r\n\r\nq2,0\r\n",
    "quoted names": '"item",value\nq1,1\nq2,NA\n',
    "quotes": 'item,value\n"q,1",1\nq2,0\n',
    "a short line": "item,value\nq1,1\nq2\n",
    "a long line": "item,value\nq1,1\nq2,0,1\n",
    "no rows": "item,value\n",
    "one column": "value\n1\n0\n",
    "an empty first line": "\nitem,value\nq1,1\nq2,0\n",
    "a stray return": "item,value\nq\r1,1\nq2,0\n",
    "two names": "item,value,value\nq1,1,2\nq2,0,3\n",
    "accents": "item,value\né\u2028,1\nq2,0\n",
    "a long field": f"item,value\nq1,{'1' * 140_000}\nq2,0\n",
}


@pytest.mark.parametrize("text", TEXTS)
def test_long_text_is_split_as_short_text_is(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TEXTS[text], encoding="utf-8", newline="")

    def table() -> Any:
        try:
            read = read_delimited(path, ",")
        except NbykError as error:
            return str(error)
        header, columns, numbers = read
        return header, [list(column) for column in columns], list(numbers)

    short = table()
    monkeypatch.setattr(tables, "LONG_TEXT", 0)
    assert table() == short


@pytest.mark.parametrize("layout", ["wide", "files"])
def test_a_comparison_stays_within_the_room_of_its_cells(layout: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def peak(n: int) -> int:
        ids = [f"q{row}" for row in range(n)]
        tables = {"t": {"item": ids, "a": rng.random(n), "b": rng.random(n)}}
        if layout == "files":
            tables = {name: {"item": ids, "value": rng.random(n)} for name in "ab"}
        paths = [str(tmp_path / f"{name}.parquet") for name in tables]
        for path, table in zip(paths, tables.values(), strict=True):
            pq.write_table(pa.table(table), path)
        code = (
            "import resource, sys\nfrom nbyk.cli import main\n"
            f"sys.argv = ['nbyk', 'compare', *{paths!r}]\n"
            "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert f"{n} items" in run.stdout
        return 1024 * int(run.stdout.split()[-1])

    few, many = 100_000, 500_000
    n_cells = (many - few) * (3 if layout == "wide" else 4)
    assert peak(many) - peak(few) < bounded.ROOM * n_cells


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("shape", [(40,), (40, 1), (40, 3)])
def test_long_arrays_are_read_as_short_ones_are(
    shape: tuple[int, ...], missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.random.default_rng(2).random(shape)
    if missing:
        array.reshape(-1)[[4, 7, 9]] = np.nan

    def ratings() -> Any:
        read = read_ratings(array, on_empty="drop")
        return read, read.matrix().tobytes(), read.raters_known, read.mended

    short = ratings()
    monkeypatch.setattr(cells, "BLOCK", 1)
    assert ratings() == short
