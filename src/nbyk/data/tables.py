"""Reading a file of any supported format into named columns that remember their line or row."""

from __future__ import annotations

import csv
import difflib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nbyk.bounded import MOST_CELLS, refuse_more
from nbyk.data.cells import ArrowCells, picked, read_fields
from nbyk.data.text import reason, shown, some, whole_text
from nbyk.errors import DataPlace

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
LONG_TEXT = 2**23
"""Characters that repay Arrow, which takes a quarter of a second to load."""
_QUOTED = re.compile('^"([^"]*)"$')
_SPARSE = 20
"""Cells of a table of objects, for each that they give, beyond which it is nearly empty."""


@dataclass(frozen=True)
class Unusable:
    """A value that is there and is no score, such as a list; errors show it in these words."""

    words: str

    def __repr__(self) -> str:
        return self.words


NOTHING = Unusable("no value")
"""The cell of a row that does not speak of a column: it is neither a value nor a missing one."""


@dataclass(frozen=True)
class Table:
    """The columns of a file, cell by cell as they were read: text in CSV, any value of JSON or Parquet.

    Attributes
    ----------
    place
        The file, or the name of data that are no file.
    names
        Column names in the file's order; a name may occur twice.
    columns
        One list of cells per name, or a column that becomes a list when asked for; a missing cell is None.
    numbers, unit
        The number, or id, of the unit at which each row begins: "line" (from 1) in a text file, else "row" or
        so.
    files
        The file of each row, if they come from several.
    roles, scores
        The columns of "item", "rater", "value", "cluster" and "task", and those that can hold the value, if a
        maker's reader knows them.
    nameless
        Whether neither rows nor columns have names, as in text, lists and arrays.
    notes, lower, about, models
        What a maker's reader says of the whole file, a sentence each; the scores of which lower ones are
        better; what the file says of its run, and the models that it names.
    chosen_by
        The column that chose these rows of a larger table; "" if they are all.
    levels
        The levels, lowest first, of the columns whose cells are of an ordered type.
    """

    place: DataPlace
    names: tuple[str, ...]
    columns: tuple[Any, ...]
    numbers: Sequence[Any]
    unit: str = "row"
    files: Sequence[Path] | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    scores: tuple[str, ...] = ()
    nameless: bool = False
    notes: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()
    about: str = ""
    models: tuple[str, ...] = ()
    chosen_by: str = ""
    levels: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        if not len(self.numbers):
            raise self.place.error("has no rows; expected at least one rating or score")

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, name in enumerate(self.names):
            places.setdefault(name, []).append(place)
        return places

    @cached_property
    def _lists(self) -> dict[str, Sequence[Any]]:
        return {}

    def __len__(self) -> int:
        return len(self.numbers)

    def at(self, row: int) -> DataPlace:
        """Return the file and the line or row, for an error."""
        place = self.numbers[row] if self.unit == "line" else self.shown(row)
        return replace(self.place, row=place, file=self.files[row] if self.files else self.place.file)

    def shown(self, row: int) -> str:
        """Return a row's line or row in words: "line 12"."""
        return f"{self.unit} {self.numbers[row]}"

    def column(self, name: str, hint: str) -> Sequence[Any]:
        """Return the cells of a column; `hint` is advice for the error if there is none of its name."""
        same = self._places.get(name, [])
        if len(same) == 1:
            if name not in self._lists:
                self._lists[name] = self.cells_in(same[0])
            return self._lists[name]
        if same:
            raise self.place.error(f"{len(same)} columns are named {shown(name)}; rename all but one")
        near = difflib.get_close_matches(name, [each[:60] for each in self.names[:1000]], n=1, cutoff=0.6)
        nearest = f" (nearest: {near[0]!r})" if near else ""
        found_names = some([*filter(None, [self.chosen_by]), *self.names], shown)
        if self.scores:
            found_names += f"; the scores are {some(self.scores, shown)}"
        raise self.place.error(f"no column {name!r}; found {found_names}{nearest}; {hint}")

    def taken(self, rows: Sequence[int], without: str) -> Table:
        """Return some of the rows, without a column."""
        kept = [place for place, name in enumerate(self.names) if name != without]
        return replace(
            self,
            names=tuple(self.names[place] for place in kept),
            columns=tuple(picked(self.cells_in(place), rows) for place in kept),
            numbers=[self.numbers[row] for row in rows],
            files=self.files and [self.files[row] for row in rows],
            chosen_by=without,
        )

    def cells(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yield row and value of each cell of a column that holds something; errors are those of `column`."""
        cells = enumerate(self.column(name, ""))
        return ((row, cell) for row, cell in cells if cell is not None and cell is not NOTHING)

    def cells_in(self, place: int) -> Sequence[Any]:
        """Return the cells of the column in a place."""
        column = self.columns[place]
        if isinstance(column, list | ArrowCells):
            return column
        return as_cells(column.to_pylist, self.names[place], self.place)


def columns_of_objects(
    objects: Iterable[tuple[int, Mapping[str, Any]]], path: str | os.PathLike[str]
) -> tuple[dict[str, list[Any]], list[int]]:
    """Return numbered objects as columns, None where an object lacks a member, and their numbers."""
    columns: dict[str, list[Any]] = {}
    numbers: list[int] = []
    n_given = 0
    for number, content in objects:
        n_given += len(content)
        most = max(MOST_CELLS, _SPARSE * n_given)
        n_cells = (len(columns) + len(content)) * len(numbers)
        refuse_more(path, n_cells, most, "cells, nearly all of them empty")
        for name, cell in content.items():
            column = columns.setdefault(name, [])
            if len(column) < len(numbers):
                column += [None] * (len(numbers) - len(column))
            column.append(cell)
        numbers.append(number)
    if numbers and not columns:
        raise DataPlace(path).error(
            'holds empty objects; expected one for each rating, as in {"item": "a", "value": 1}'
        )
    for column in columns.values():
        column += [None] * (len(numbers) - len(column))
    return columns, numbers


def made_table(
    path: str | os.PathLike[str],
    columns: Mapping[str, Any],
    numbers: Sequence[int] | None = None,
    unit: str = "row",
    files: Sequence[Path] | None = None,
    **known: Any,
) -> Table:
    """Return the table in a file's columns, by name; without numbers, rows are counted from 1."""
    if numbers is None:
        numbers = range(1, max(map(len, columns.values()), default=0) + 1)
    names, cells = tuple(map(str, columns)), tuple(columns.values())
    return Table(DataPlace(path), names, cells, numbers, unit, files, **known)


def as_cells(read: Callable[[], Iterable[Any]], name: str, place: DataPlace) -> list[Any]:
    """Return the cells that a library makes of a column; raise NbykError if Python has no such values."""
    try:
        return list(read())
    except BaseException as error:  # that of polars is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise place.error(
            f"column {name!r}: Python cannot hold its cells ({reason(error)}); write them as text, or leave "
            "the column out"
        ) from None


def is_number(cell: str) -> bool:
    """Return whether text is a number, NaN or infinity, or one of Python's `True` and `False`."""
    try:
        float(cell if cell not in ("True", "False") else 1)
    except ValueError:
        return False
    return "_" not in cell


def read_delimited(
    path: str | os.PathLike[str], delimiter: str
) -> tuple[list[str], tuple[Any, ...], Sequence[int]]:
    """Return the header, the columns and the line of each row of a delimited file."""
    text = whole_text(path)
    split = _split(text, delimiter) if len(text) >= LONG_TEXT else None
    return split or _parsed(path, text, delimiter)


def _split(text: str, delimiter: str) -> tuple[list[str], tuple[Any, ...], Sequence[int]] | None:
    """Return the same as `_parsed`, in less room and time, or None for text that only `_parsed` can read."""
    head, _, body = text.partition("\n")
    header = [_QUOTED.sub(r"\1", name) for name in head.removesuffix("\r").split(delimiter)]
    if len(header) == 1 or '"' in "".join(header) or '"' in body or body.count("\r") > body.count("\r\n"):
        return None
    if _has_long_line(body):
        return None
    columns = read_fields(body.encode(), delimiter, len(header))
    if columns is None:
        return None
    n_rows = len(columns[0])
    numbers: Sequence[int] = range(2, n_rows + 2)
    if body.removesuffix("\n").count("\n") + 1 > n_rows:
        lines = enumerate(body.split("\n"), start=2)
        numbers = [number for number, line in lines if line not in ("", "\r")]
    return header, columns, numbers


def _has_long_line(text: str) -> bool:
    """Return whether a line has more characters than a field may have."""
    begins, most = 0, csv.field_size_limit()
    while begins + most < len(text):
        end = text.rfind("\n", begins, begins + most + 1)
        if end < 0:
            return True
        begins = end + 1
    return False


def _parsed(
    path: str | os.PathLike[str], text: str, delimiter: str
) -> tuple[list[str], tuple[list[str], ...], Sequence[int]]:
    """Return the header, the columns and the line on which each row begins."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
    cells: list[str] = []
    numbers: list[int] = []
    header: list[str] | None = None
    begins = 1
    try:
        for row in reader:
            if row and header is None:
                header = row
                for other in "\t;|,":
                    if len(header) == 1 and other in header[0]:
                        raise DataPlace(path).error(
                            f"the header {header[0]!r} is one field, and looks separated by "
                            f"{other!r}; expected {delimiter!r}: save the file with that separator"
                        )
            elif row:
                # Cells of a row that does not fit would end up in other columns.
                if header is not None and len(row) != len(header):
                    raise DataPlace(path, begins).error(
                        f"found {len(row)} fields, expected {len(header)} as in the "
                        "header; mend the line, or get the file again if it was cut off"
                    )
                cells += row
                numbers.append(begins)
            begins = reader.line_num + 1
    except csv.Error as error:
        problem = "a carriage return does not end a line" if "new-line" in str(error) else str(error)
        raise DataPlace(path, begins).error(
            f"cannot be split into fields ({problem}); mend the quotes and line ends, "
            "or get the file again if it was cut off"
        ) from None
    if header is None:
        raise DataPlace(path).error("is empty; expected a header line and one line per rating, item or run")
    return header, tuple(cells[place :: len(header)] for place in range(len(header))), numbers


def said(value: Any) -> str:
    """Return a value that is no score, in words."""
    kinds: dict[type, str] = {list: "the list ", tuple: "the list ", dict: "the object "}
    return kinds.get(type(value), "") + shown(value)
