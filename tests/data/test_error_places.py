"""The errors of readers: the file and the row are fields, and the text names them once, at its start."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import nbyk
from nbyk.data import read_systems
from nbyk.errors import NbykError

READERS = sorted((Path(nbyk.__file__).parent / "data").rglob("*.py"))
PLACE = re.compile(
    r"path|file|folder|place|address|url|given|origin|where|source|table|^at$|^at\(|\.at\(|^name$|\.label$"
)
"""Expressions that name files, or the places of rows."""


def raised(path: Path) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield every call that makes an NbykError, and its text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func)
            if name in ("NbykError", "UnreachableError") or name.endswith(".error"):
                yield node, node.args[0]


def first_of(text: ast.expr) -> str | None:
    """Return the expression with which a text begins; None if it begins with words."""
    while isinstance(text, ast.BinOp):
        text = text.left
    if isinstance(text, ast.JoinedStr) and isinstance(text.values[0], ast.FormattedValue):
        return ast.unparse(text.values[0].value)
    return None


def test_no_reader_writes_its_place_into_the_text() -> None:
    calls = [(path, *found) for path in READERS for found in raised(path)]
    assert len(calls) > 150
    at_fault = [
        f"{path.name}:{call.lineno}: {first}"
        for path, call, text in calls
        if (first := first_of(text)) is not None and PLACE.search(first)
    ]
    assert at_fault == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('f"{path}: is empty"', True),
        ('f"{path}, line {number}: is empty" + more', True),
        ('f"{table.at(row)}: item {name!r}"', True),
        ('f"{source.label}: item"', True),
        ('f"found {path}"', False),
        ('f"{len(names)} columns"', False),
        ('"is empty"', False),
    ],
)
def test_the_check_above_finds_places(text: str, is_found: bool) -> None:
    first = first_of(ast.parse(text, mode="eval").body)
    assert (first is not None and PLACE.search(first) is not None) == is_found


LONG = "item,rater,value\n"
CLUSTERED = "item,rater,value,of\na,r,1,x\nb,r,1,x\nb,s,1,y\n"
JSON_ROW = '{"item": 1, "rater": 1, "value": "x"}'
BAD: dict[str, tuple[str, str, Callable[[Path], object], int | str | None]] = {
    "a rating": ("r.csv", LONG + "a,r,1\nb,r,x\n", nbyk.read_ratings, 3),
    "a repeated rating": ("r.csv", LONG + "a,r,1\nb,r,1\na,r,1\n", nbyk.read_ratings, 4),
    "two clusters": ("r.csv", CLUSTERED, lambda path: nbyk.read_ratings(path, cluster="of"), 4),
    "a line that is not JSON": ("r.jsonl", '{"item": 1}\n{\n', nbyk.read_ratings, 2),
    "a list of objects": ("r.json", f"[{JSON_ROW}, {{}}]", nbyk.read_ratings, "row 2"),
    "no column": ("r.csv", "item,rater,x\na,r,1\n", nbyk.read_ratings, None),
    "a score": ("s.txt", "1\nx\n", lambda path: read_systems({"a": path, "b": path}, kind="scores"), 2),
}


@pytest.mark.parametrize(("file", "content", "read", "row"), BAD.values(), ids=BAD)
def test_an_error_knows_its_file_and_row(
    tmp_path: Path, file: str, content: str, read: Callable[[Path], object], row: int | str | None
) -> None:
    path = tmp_path / file
    path.write_text(content, encoding="utf-8")
    with pytest.raises(NbykError) as refused:
        read(path)
    error = refused.value
    assert (error.file, error.row) == (str(path), row)
    assert str(error).count(str(path)) == 1
    shown = f":{row}: " if isinstance(row, int) else ": " if row is None else f", {row}: "
    assert str(error).startswith(f"{path}{shown}")


def test_data_that_are_no_file_have_a_name_and_no_file() -> None:
    frame = pd.DataFrame({"item": ["a", "b"], "rater": ["r", "r"], "value": ["1", "x"]})
    with pytest.raises(NbykError) as refused:
        nbyk.read_ratings(frame)
    assert (refused.value.file, refused.value.name, refused.value.row) == (None, "the data frame", "row 1")
    assert str(refused.value).startswith("the data frame, row 1: column 'value': found 'x'")


def test_of_several_data_frames_an_error_names_the_one_at_fault() -> None:
    frame = pd.DataFrame({"item": ["a", "b"], "rater": ["r", "r"], "value": [1, 0]})
    bad = frame.assign(value=["1", "x"])
    for systems, gold, name in (({"A": frame, "B": bad}, None, "B"), ({"A": frame, "B": frame}, bad, "gold")):
        with pytest.raises(NbykError, match=f"^{name}, row 1: column 'value': found 'x'"):
            read_systems(systems, gold)
    rows = pd.concat([frame.assign(system="A"), bad.assign(system="B")])
    with pytest.raises(NbykError, match=r"^the data frame, row 3: column 'value': found 'x'"):
        read_systems(rows, system="system")


def test_systems_that_do_not_go_together_name_the_file_at_fault(tmp_path: Path) -> None:
    for name, items in (("gold", "abc"), ("a", "abc"), ("b", "abd")):
        rows = "".join(f"{item},r,1\n" for item in items)
        (tmp_path / f"{name}.csv").write_text(LONG + rows, encoding="utf-8")
    with pytest.raises(NbykError, match=r"b\.csv: lacks 1 of .*gold\.csv's items \(c\)") as refused:
        read_systems([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "gold.csv")
    assert refused.value.file == str(tmp_path / "b.csv")
    (tmp_path / "b.csv").write_text(LONG + "a,r,1\nb,r,1\nc,r,7\n", encoding="utf-8")
    with pytest.raises(NbykError, match=r"b\.csv: item 'c' is rated 7") as refused:
        read_systems([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert refused.value.file == str(tmp_path / "b.csv")
