"""Files that tools export: units, which are objects, the rows in each, and the table that these make."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File
from typing import Any, NamedTuple, TypeAlias

from nbyk.bounded import MOST_CELLS, counted, refuse_more
from nbyk.data.tables import NOTHING, Table, Unusable, columns_of_objects, made_table, said
from nbyk.errors import DataPlace

Path: TypeAlias = str | os.PathLike[str]

HASHES = ("doc_hash", "target_hash", "input_hash")
"""Columns that tell two items under one id apart: lm_eval's own, and one of the input that a maker shows."""


@dataclass(frozen=True)
class _Given:
    """Scores that one rater, or run, gives to one item; others of its row are `lacking`."""

    ids: Mapping[str, Any]
    further: Mapping[str, Any]
    number: int
    file: File | None
    lacking: Any
    scores: dict[str, Any] = field(default_factory=dict)


class Gathering:
    """The scores in a maker's file, as its reader meets them, and sentences on what it holds and lacks.

    Scores of one rater, or run, and item are a row; a second one of the same name is a further row, so that
    it is a duplicate to every reader of the table, as in a table of text.
    """

    def __init__(self, unit: str, item: str, rater: str, path: Path) -> None:
        self._unit, self._ids, self._path = unit, (item, rater), path
        self.notes: list[str] = []
        self._lower = set[str]()
        self._rows: dict[Any, _Given] = {}
        self._counts = Counter[Any]()
        self._about: dict[str, dict[str, None]] = {}

    def tell(self, what: str, value: Any) -> None:
        """Add what the file says of the run, such as its model; a list is several, and null is none."""
        for known in value if isinstance(value, list) else [value]:
            if known is not None:
                self._about.setdefault(what, {})[said(known).strip("'")] = None

    def add(self, row: Row, number: int, file: File | None = None) -> None:
        """Add a row of a unit that has a number in the file."""
        every = {**columns_in(row.further), **hash_of_input(row.input)}
        further = {name: cell for name, cell in every.items() if isinstance(cell, str | int | float)}
        self._lower.update(row.lower)
        key: Any = (row.item, row.rater)
        try:
            hash(key)
        except TypeError:  # no id: errors will name it
            key = (number, file)
        ids = dict(zip(self._ids, (row.item, row.rater), strict=True))
        named: list[tuple[str | None, Any]] = [*row.scores]
        for name, value in named or [(None, None)]:
            place = self._counts[key, name]
            self._counts[key, name] += 1
            empty = _Given(ids, further, number, file, NOTHING if place else None)
            scores = self._rows.setdefault((key, place), empty).scores
            if name is not None:
                usable = value is None or isinstance(value, str | int | float | Unusable)
                scores[name] = value if usable else Unusable(said(value))

    def table(self, cluster: str | None = None) -> Table:
        """Return the table; its value is the only score, and `cluster` its clusters if items share any."""
        rows = [*self._rows.values()]
        names = dict.fromkeys(name for row in rows for name in row.scores)
        refuse_more(self._path, len(names) * len(rows), MOST_CELLS, "cells")
        taken = {*self._ids, *names}
        name_of: dict[str, str] = {}
        for name in dict.fromkeys(name for row in rows for name in row.further):
            own = name
            while own in taken:
                own = f"metadata.{own}"
            name_of[name] = own
            taken.add(own)
        objects = (
            (
                row.number,
                {
                    **row.ids,
                    **dict.fromkeys(names, row.lacking),
                    **row.scores,
                    **{name_of[name]: cell for name, cell in row.further.items()},
                },
            )
            for row in rows
        )
        columns, numbers = columns_of_objects(objects, self._path)
        scores = [
            name
            for name in names
            if any(not (cell is None or isinstance(cell, Unusable | Beside)) for cell in columns[name])
        ]
        if rows and not scores:
            every = ((row, name, cell) for row in rows for name, cell in row.scores.items())
            unusable = ((row, f"{name!r} is {of}") for row, name, of in every if isinstance(of, Unusable))
            row, what = next(unusable, (rows[0], "found no score"))
            raise self.at(row.number, row.file).error(
                f"{what}, expected a number or one label for each {self._unit}; give a file that has them"
            )
        roles = dict(zip(("item", "rater"), self._ids, strict=True))
        roles |= {"value": scores[0]} if len(scores) == 1 else {}
        if cluster in name_of:
            clusters, items = columns[name_of[cluster]], columns[self._ids[0]]
            if len({*clusters} - {None}) < len(set(map(repr, items))):
                roles |= {"cluster": name_of[cluster]}
        about = [f"{what}{'s' * (len(of) > 1)} = {', '.join(of)}" for what, of in self._about.items()]
        return made_table(
            self._path,
            columns,
            numbers,
            self._unit,
            [row.file for row in rows if row.file is not None] or None,
            roles=roles,
            scores=tuple(scores),
            notes=tuple(self.notes),
            lower=frozenset(self._lower),
            about=", ".join(about),
            models=tuple(self._about.get("model", ())),
        )

    def at(self, number: int, file: File | None = None) -> DataPlace:
        """Return the place of a unit, for an error."""
        return DataPlace(file or self._path, number if self._unit == "line" else f"{self._unit} {number}")


def refuse_other_items(tables: Iterable[Table]) -> None:
    """Raise NbykError if makers' tables have different documents, or inputs, under one id."""
    known: dict[tuple[str, str], str] = {}
    for table in (table for table in tables if table.roles):
        for kind in (kind for kind in HASHES if kind in table.names):
            items = table.column(table.roles["item"], "")
            for row, cell in table.cells(kind):
                item, value = str(items[row]), str(cell)
                if (before := known.setdefault((kind, item), value)) != value:
                    raise table.at(row).error(
                        f"item {item!r} has {kind} {value[:8]}, elsewhere {before[:8]}; expected one "
                        "document, or input, under one id: compare runs on one version and split of the "
                        "items, or give the items ids of their own"
                    )


def refuse_models(path: Path, what: str, models: Collection[str]) -> None:
    """Raise NbykError if a folder holds what several models did."""
    if len(models) > 1:
        raise DataPlace(path).error(
            f"holds {what} of {len(models)} models ({', '.join(models)}); expected the runs of one: give "
            "each model's own folder"
        )


def hash_of_input(shown: Any) -> dict[str, str]:
    """Return the column of an item's input, as the maker shows it; none if it shows none."""
    try:
        text = "" if shown is None else json.dumps(shown, sort_keys=True, default=str)
    except RecursionError:
        text = ""
    return {HASHES[-1]: hashlib.sha256(text.encode()).hexdigest()} if text else {}


class Beside(str):
    """Text where the maker does not say which columns are scores: it is one if others of its name are."""


class Row(NamedTuple):
    """The scores that a rater, or run, gives to an item, and an object of further columns, if it is one.

    Low scores are better of those in `lower`.

    An item whose id is its position, or may be, has its `input`, if the file shows it.
    """

    item: Any
    rater: Any
    scores: Sequence[tuple[str, Any]]
    further: Any = None
    lower: Collection[str] = ()
    input: Any = None


class Incomplete(str):
    """Words for what the file lacks, because the run behind it did not end well."""


PLACE = object()
"""The item of a unit that has no id of its own: its place in the file, from 0."""


Rows: TypeAlias = Callable[[Mapping[str, Any]], Iterator[Any]]


@dataclass(frozen=True)
class Export:
    """The layout of a tool's file, known once it decorates the function that yields the rows of a unit.

    Attributes
    ----------
    unit, item, rater, cluster
        A unit of the file in words, and the names of the columns. A `rater` in `RUN_NAMES`, or with
        "trial" in it, is a run of the system; any other is a person.
    keys
        Members that the first unit has; no other tool's has all of them.
    within
        Members that lead to the list of units, in each of the tool's versions; () if the file is the list, or
        a unit.
    begins, ends, status, more, meant
        A member that one unit of a run has; one that a unit of a run that ended well has; the word of the
        status of such a run; members that lead to what a file has if others follow it; and those, numbers or
        lists, whose product is the number of units of a whole run.
    about
        Words for what the file says of the run, and the members that lead to it, in the first unit of a list.
    inputs
        Yields items and the input of each, from the file's content or a file beside it, if rows have none.
    rows
        Yields the rows of a unit, and words for what is no row, which are counted.
    """

    unit: str
    item: str
    rater: str
    keys: tuple[str, ...]
    within: tuple[tuple[str, ...], ...] = ((),)
    cluster: str | None = None
    begins: str = ""
    ends: str = ""
    status: str = ""
    more: tuple[str, ...] = ()
    meant: tuple[tuple[str, ...], ...] = ()
    about: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: Callable[[Any, Path], Iterable[tuple[Any, Any]]] = lambda content, path: ()
    rows: Rows = lambda unit: iter(())

    def __call__(self, rows: Rows) -> Rows:
        """Register the layout with the rows of a unit."""
        EXPORTS.append(replace(self, rows=rows))
        return rows

    def units(self, content: Any) -> list[Any]:
        """Return the units in a file's content; none if another tool wrote it."""
        for names in self.within:
            node = member(content, *names)
            units = [node] if isinstance(node, Mapping) else node
            if self._are_units(units):
                return units
        return []

    def _are_units(self, node: Any) -> bool:
        first = node[0] if isinstance(node, list) and node else None
        return isinstance(first, Mapping) and set(self.keys) <= set(first)

    def table(self, content: Any, path: Path, numbers: Sequence[int] | None = None) -> Table:
        """Return the table that a file's content makes; `numbers` are its lines, if it has some."""
        units = self.units(content)
        unit = self.unit if numbers is None else "line"
        gathering = Gathering(unit, self.item, self.rater, path)
        whole = content[0] if isinstance(content, list) else content
        for what, names in self.about.items():
            gathering.tell(what, member(whole, *names))
        inputs: dict[str, list[Any]] = {}
        for item, shown in self.inputs(content, path):
            if shown is not None:
                inputs.setdefault(str(item), []).append(shown)
        remarks = Counter[str]()
        for *above, _ in filter(None, self.within):
            for name, others in columns_in(member(content, *above)).items():
                if (*above, name) not in self.within and self._are_units(others):
                    remarks[f"the {unit}s in {name} were left out"] = len(others)
        for place, content in enumerate(counted(units, path, lambda _: (1, 0, 0))):
            number = place + 1 if numbers is None else numbers[place]
            try:
                for row in self.rows(as_object(content)):
                    if isinstance(row, str):
                        remarks[row] += 1
                    else:
                        item = place if row.item is PLACE else row.item
                        shown = inputs.get(str(item)) if row.input is None else row.input
                        gathering.add(row._replace(item=item, input=shown), number)
            except UnexpectedNodeError as node:
                raise gathering.at(number).error(f"found {node}; export the file again") from None
        gathering.notes += [type(remark)(f"{remark}: {n}") for remark, n in remarks.items()]
        if self.begins and (n_runs := sum(self.begins in unit for unit in units)) > 1:
            raise DataPlace(path).error(f"holds {n_runs} runs, expected one; give a file of each")
        if self.ends and not any(self.ends in unit for unit in units):
            gathering.notes.append(Incomplete(f"the run did not end: there is no {self.ends}"))
        if self.status and (status := member(whole, "status")) != self.status:
            gathering.notes.append(Incomplete(f"the evaluation ended with the status {said(status)}"))
        if self.more and member(whole, *self.more) is not None:
            gathering.notes.append(Incomplete(f"it is a page of several: there is a {self.more[-1]}"))
        n_meant = math.prod(_number(member(whole, *names)) for names in self.meant)
        if self.meant and n_meant > len(units):
            lacking = n_meant - len(units)
            gathering.notes.append(
                Incomplete(f"{lacking} of {n_meant} {self.unit}s that were meant are missing")
            )
        return gathering.table(self.cluster)


def member(node: Any, *names: str) -> Any:
    """Return the member that names lead to; None if there is none."""
    for name in names:
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def _number(node: Any) -> int:
    """Return a whole number, or that of the members of a list; 1 of another node."""
    return len(node) if isinstance(node, list) else node if type(node) is int and 0 < node < 10**9 else 1


EXPORTS: list[Export] = []
"""The layouts that are known, in their order."""


class UnexpectedNodeError(Exception):
    """A node of a file that is not of the maker's kind, in words."""


def as_object(node: Any) -> Mapping[str, Any]:
    """Return a node that is an object."""
    if isinstance(node, Mapping):
        return node
    raise UnexpectedNodeError(f"{said(node)}, expected an object")


def as_list(node: Any) -> list[Any]:
    """Return a node that is a list."""
    if isinstance(node, list):
        return node
    raise UnexpectedNodeError(f"{said(node)}, expected a list")


def required(node: Mapping[str, Any], *names: str) -> list[Any]:
    """Return members that every unit has."""
    lacking = [name for name in names if name not in node]
    if lacking:
        raise UnexpectedNodeError(f"no member {lacking[0]!r}, expected one")
    return [node[name] for name in names]


def one_of(known: Sequence[Any], node: Any) -> Any:
    """Return a node that is one of the values that the maker writes there."""
    if any(node is value or (isinstance(node, str) and node == value) for value in known):
        return node
    raise UnexpectedNodeError(f"{said(node)}, expected {' or '.join(map(str, known))}")


def objects_in(node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in what may be a list of them."""
    yield from (each for each in (node if isinstance(node, list) else []) if isinstance(each, Mapping))


def columns_in(node: Any) -> Mapping[str, Any]:
    """Return metadata, which are columns if they are an object."""
    return node if isinstance(node, Mapping) else {}


def name_in(named: Any) -> str:
    """Return a name that may be wrapped in an object."""
    name = named.get("name") if isinstance(named, Mapping) else named
    if isinstance(name, str) and name:
        return name
    raise UnexpectedNodeError(f"{said(name)}, expected a name")
