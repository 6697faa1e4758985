"""A recording, the result of a reader: columns, and which of them hold items, runs or raters, and scores."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from nbyk.bounded import MOST_CELLS, refuse_more
from nbyk.errors import NbykError


@dataclass(frozen=True)
class SparseColumn:
    """The cells of a column that exist, with their rows; `numbers` has one for each row of the table.

    If each line has a key of its own, full columns would take memory and time that grow with the square of
    the number of lines.
    """

    numbers: Sequence[int]
    rows: list[int] = field(default_factory=list)
    cells: list[Any] = field(default_factory=list)

    def add(self, row: int, cell: Any) -> None:
        """Add the cell of a row."""
        self.rows.append(row)
        self.cells.append(cell)

    def taken(self, rows: Sequence[int]) -> SparseColumn:
        """Return the cells of some rows, in their order."""
        place_of = {row: place for place, row in enumerate(rows)}
        column = SparseColumn(rows)
        for row, cell in zip(self.rows, self.cells, strict=True):
            if row in place_of:
                column.add(place_of[row], cell)
        return column

    def to_pylist(self) -> list[Any]:
        """Return the cell of every row, None where the row has none."""
        every: list[Any] = [None] * len(self.numbers)
        for row, cell in zip(self.rows, self.cells, strict=True):
            every[row] = cell
        return every


def columns_of_objects(
    objects: Iterable[tuple[int, Mapping[str, Any]]],
) -> tuple[dict[str, SparseColumn], list[int]]:
    """Return numbered objects as columns, and their numbers."""
    columns: dict[str, SparseColumn] = {}
    numbers: list[int] = []
    for row, (number, content) in enumerate(objects):
        for name, cell in content.items():
            columns.setdefault(name, SparseColumn(numbers)).add(row, cell)
        numbers.append(number)
    return columns, numbers


@dataclass(frozen=True)
class Unusable:
    """A value that is there and is no score, such as a list; errors show it in these words."""

    words: str

    def __repr__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Recording:
    """A maker's file as a table: a row per rating, or per sample and run.

    `columns` are lists of one length, None where a cell is missing, or columns of the cells of some rows;
    `roles` the columns of "item", "rater" and "cluster", and of "value" if only one can hold the scores;
    `unit` is the maker's word for a row, `numbers` and `files` have its place (None counts from 1),
    `notes` are what a reader knows of the whole file, a sentence each, those in `incomplete` that the run
    behind it did not end well, `about` what it says of the run, such as "model = m, seeds = 1, 2", and
    `lower` are the scores of which the file says that lower ones are better.
    """

    maker: str
    columns: Mapping[str, Any]
    roles: Mapping[str, str]
    scores: tuple[str, ...] = ()
    unit: str = "row"
    numbers: Sequence[int] | None = None
    files: Sequence[Path] | None = None
    notes: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()
    incomplete: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True)
class _Row:
    """Scores that one rater, or run, gives to one item; `is_whole` unless it holds second scores alone."""

    ids: tuple[Any, Any]
    further: Mapping[str, Any]
    number: int
    file: Path | None
    is_whole: bool
    scores: dict[str, Any] = field(default_factory=dict)


class Gathering:
    """The scores in a maker's file, as its reader meets them.

    Scores of one rater, or run, and item are a row; a second one of the same name is a further row, so that
    it is a duplicate to every reader of the table, as in a table of text. `maker` and `unit` are those of
    `Recording`, `item` and `rater` the names of columns, and `path` is for errors. Scores are added to
    `lower` if lower ones are better.
    """

    def __init__(self, maker: str, unit: str, item: str, rater: str, path: str | os.PathLike[str]) -> None:
        self._maker, self._unit, self._ids, self._path = maker, unit, (item, rater), path
        self.lower: set[str] = set()
        self._rows: list[_Row] = []
        self._rows_of: dict[Any, list[_Row]] = {}
        self._counts: dict[tuple[Any, str | None], int] = {}
        self._about: dict[str, dict[str, None]] = {}

    def tell(self, what: str, value: Any) -> None:
        """Add what the file says of the run, such as its model; a list is several, and null is none."""
        for known in value if isinstance(value, list) else [value]:
            if known is not None:
                self._about.setdefault(what, {})[said(known).strip("'")] = None

    def add(
        self,
        item: Any,
        rater: Any,
        scores: Iterable[tuple[str, Any]],
        further: Mapping[str, Any] | None = None,
        *,
        number: int,
        file: Path | None = None,
    ) -> None:
        """Add scores of an item by one rater, and metadata; `number` is that of the unit in the file."""
        key: Any = (item, rater)
        try:
            hash(key)
        except TypeError:  # no id: errors will name it
            key = (number, file)
        rows = self._rows_of.setdefault(key, [])
        named: list[tuple[str | None, Any]] = [*scores]
        for name, value in named or [(None, None)]:
            place = self._counts[key, name] = self._counts.get((key, name), -1) + 1
            if place == len(rows):
                row = _Row((item, rater), further or {}, number, file, is_whole=not rows)
                rows.append(row)
                self._rows.append(row)
            if name is not None:
                usable = value is None or isinstance(value, str | int | float | Unusable)
                rows[place].scores[name] = value if usable else Unusable(said(value))

    def recording(
        self, cluster: str | None = None, notes: Iterable[str] = (), incomplete: Iterable[str] = ()
    ) -> Recording:
        """Return the table; its value is the only score, if there is only one.

        `cluster` is the column of clusters that the maker declares, if items share any; `notes` and
        `incomplete` are those of `Recording`.
        """
        names = dict.fromkeys(name for row in self._rows for name in row.scores)
        refuse_more(self._path, len(names) * len(self._rows), MOST_CELLS, "cells")
        taken = {*self._ids, *names}
        numbers = [row.number for row in self._rows]
        files = [row.file for row in self._rows if row.file is not None]
        columns = {name: [row.ids[place] for row in self._rows] for place, name in enumerate(self._ids)}
        cells = {name: SparseColumn(numbers) for name in names}
        further: dict[str, SparseColumn] = {}
        for place, row in enumerate(self._rows):
            for name in names:
                if row.is_whole or name in row.scores:
                    cells[name].add(place, row.scores.get(name))
            for name, cell in row.further.items():
                if isinstance(cell, str | int | float):
                    own = f"metadata.{name}" if name in taken else str(name)
                    further.setdefault(own, SparseColumn(numbers)).add(place, cell)
        scores = [name for name in names if any(map(_is_score, cells[name].cells))]
        if numbers and not scores:
            self._refuse(cells, numbers, files)
        groups = set(further[cluster].cells) if cluster in further else set[Any]()
        is_shared = 1 < len(groups) < len(set(map(repr, columns[self._ids[0]])))
        roles = dict(zip(("item", "rater"), self._ids, strict=True))
        roles |= {"value": scores[0]} if len(scores) == 1 else {}
        roles |= {"cluster": cluster} if cluster and is_shared else {}
        return Recording(
            self._maker,
            columns | cells | further,
            roles,
            tuple(scores),
            self._unit,
            numbers,
            files or None,
            tuple(notes),
            frozenset(self.lower),
            tuple(incomplete),
            ", ".join(f"{what}{'s' * (len(of) > 1)} = {', '.join(of)}" for what, of in self._about.items()),
        )

    def _refuse(self, cells: Mapping[str, SparseColumn], numbers: list[int], files: list[Path]) -> None:
        """Raise NbykError about a file none of whose values is a score."""
        unusable = (
            (f"{name!r} is {cell}", row)
            for name, column in cells.items()
            for row, cell in zip(column.rows, column.cells, strict=True)
            if isinstance(cell, Unusable)
        )
        what, row = next(unusable, ("found no score", 0))
        raise NbykError(
            f"{what}, expected a number or one label for each {self._unit}; give a file that has them",
            file=files[row] if files else self._path,
            row=numbers[row] if self._unit == "line" else f"{self._unit} {numbers[row]}",
        )


def _is_score(cell: Any) -> bool:
    return cell is not None and not isinstance(cell, Unusable)


def said(value: Any) -> str:
    """Return a value that is no score, in words."""
    try:
        text = " ".join(repr(value).split())
    except RecursionError:
        text = "deeply nested"
    kind = (
        "the list " if isinstance(value, list | tuple) else "the object " if isinstance(value, dict) else ""
    )
    return f"{kind}{text if len(text) <= 60 else text[:59] + '…'}"


def message_of(error: Exception) -> str:
    """Return the message of a maker's own reader on one line, cut if long."""
    return " ".join(str(error).split())[:200]


def library(module: str, path: str | os.PathLike[str], what: str) -> ModuleType:
    """Return the maker's own reader."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NbykError(
            f"is {what}, but its reader cannot be imported ({error}); install it: pip install "
            f"{module.partition('.')[0]}",
            file=path,
        ) from None
