"""The shape of a file that a tool exports: units, which are objects, and the rows in each."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from nbyk.bounded import counted
from nbyk.data.readers.recording import Gathering, Recording, said
from nbyk.errors import NbykError

Path: TypeAlias = str | os.PathLike[str]
Scores: TypeAlias = Sequence[tuple[str, Any]]


class Row(NamedTuple):
    """The scores that one rater, or run, gives to one item, and further columns.

    `lower` names the scores of which the file says that lower ones are better.
    """

    item: Any
    rater: Any
    scores: Scores
    further: Mapping[str, Any] = {}
    lower: Collection[str] = ()


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
    maker, unit
        The file in words, and the maker's word for a unit of it.
    item, rater
        The names of the columns of items, and of raters or runs.
    keys
        Members that the first unit has; no other tool's has all of them.
    within
        The names of members that lead to the list of units, in each of the tool's versions; () if the file is
        the list, or is a unit by itself.
    cluster
        The column of clusters, if the maker declares one.
    is_split
        Whether the file is a table as pandas splits it, into columns and data.
    ends
        A member that only the last unit of a run that ended well has; "" if there is none.
    meant
        The names of members, which are numbers or lists, whose product is the number of units of a whole run.
    about
        Words for what the file says of the run, and the names of members that lead to it, in the first unit
        of a list.
    rows
        Yields the rows of a unit, and words for what is no row, which are counted.
    """

    maker: str
    unit: str
    item: str
    rater: str
    keys: tuple[str, ...]
    within: tuple[tuple[str, ...], ...] = ((),)
    cluster: str | None = None
    is_split: bool = False
    ends: str = ""
    meant: tuple[tuple[str, ...], ...] = ()
    about: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: Rows = lambda unit: iter(())

    def __call__(self, rows: Rows) -> Rows:
        """Register the layout with the rows of a unit."""
        EXPORTS.append(replace(self, rows=rows))
        return rows

    def units(self, content: Any) -> list[Any] | None:
        """Return the units in a file's content; None if another tool wrote it."""
        if self.is_split:
            content = rows_of_split(content)
        for names in self.within:
            node = _member(content, names)
            units = [node] if isinstance(node, Mapping) else node if isinstance(node, list) else []
            if self._are_units(units):
                return units
        return None

    def _are_units(self, node: Any) -> bool:
        is_list = isinstance(node, list) and bool(node) and isinstance(node[0], Mapping)
        return is_list and set(self.keys) <= set(node[0])

    def recording(self, content: Any, path: Path, numbers: Sequence[int] | None = None) -> Recording | None:
        """Return the table that a file's content makes; `numbers` are its lines, if it has some."""
        units = self.units(content)
        if units is None:
            return None
        unit = self.unit if numbers is None else "line"
        gathering = Gathering(self.maker, unit, self.item, self.rater, path)
        whole = content[0] if isinstance(content, list) else content
        for what, names in self.about.items():
            gathering.tell(what, _member(whole, names))
        remarks: Counter[str] = Counter()
        for *above, own in filter(None, self.within):
            for name, others in columns_in(_member(content, above)).items():
                if name != own and self._are_units(others):
                    remarks[f"the {unit}s in {name} were left out"] = len(others)
        for place, content in enumerate(counted(units, path, lambda _: (1, 0, 0))):
            number = place + 1 if numbers is None else numbers[place]
            try:
                for row in self.rows(as_object(content)):
                    if isinstance(row, str):
                        remarks[row] += 1
                    else:
                        item = place if row.item is PLACE else row.item
                        gathering.add(item, row.rater, row.scores, row.further, number=number)
                        gathering.lower.update(row.lower)
            except UnexpectedNodeError as node:
                raise NbykError(
                    f"found {node}; export the file again",
                    file=path,
                    row=number if unit == "line" else f"{unit} {number}",
                ) from None
        words_of = {remark: f"{remark}: {n}" for remark, n in remarks.items()}
        incomplete = [words for remark, words in words_of.items() if isinstance(remark, Incomplete)]
        if self.ends and self.ends not in units[-1]:
            incomplete.append(f"the run did not end: there is no {self.ends}")
        n_meant = math.prod(_number(_member(whole, names)) for names in self.meant)
        if self.meant and n_meant > len(units):
            lacking = n_meant - len(units)
            incomplete.append(f"{lacking} of {n_meant} {self.unit}s that were meant are missing")
        notes = [words for remark, words in words_of.items() if not isinstance(remark, Incomplete)]
        return gathering.recording(self.cluster, notes, incomplete)


def _member(node: Any, names: Sequence[str]) -> Any:
    """Return the member that names lead to; None if there is none."""
    for name in names:
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def _number(node: Any) -> int:
    """Return a whole number, or that of the members of a list; 0 of another node."""
    return len(node) if isinstance(node, list) else node if type(node) is int and node > 0 else 0


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


def columns_in(node: Any) -> Mapping[str, Any]:
    """Return metadata, which are columns if they are an object."""
    return node if isinstance(node, Mapping) else {}


def name_in(named: Any) -> str:
    """Return a name that may be wrapped in an object."""
    name = named.get("name", "") if isinstance(named, Mapping) else named
    return name if isinstance(name, str) else ""


def rows_of_split(content: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that pandas split into columns and data; [] if it is no such table."""
    names, data = (content.get(of) if isinstance(content, Mapping) else None for of in ("columns", "data"))
    if not (isinstance(names, list) and isinstance(data, list) and len(set(map(str, names))) == len(names)):
        return []
    if not all(isinstance(row, list) and len(row) == len(names) for row in data):
        return []
    return [dict(zip(map(str, names), row, strict=True)) for row in data]
