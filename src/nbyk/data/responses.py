"""Responses in arrays, lists and data frames: as systems on the same items, or as a response set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Array, Floats, Integers
from nbyk.data.arrays import (
    array_of,
    as_matrix,
    as_scores,
    check_aligned,
    filled,
    is_of_pandas,
    levels_of,
    names_of_frame,
    refuse_dimensions,
)
from nbyk.data.cells import in_full
from nbyk.data.columns import Columns, refuse_no_rater
from nbyk.data.given import GivenData
from nbyk.data.intake import cells_of, read_all
from nbyk.data.kinds import (
    KINDS,
    ClassKind,
    Kind,
    class_names,
    refuse_options,
    scored_kind,
    sum_to_one,
)
from nbyk.data.layouts import Mending, empty_rows, id_texts, is_missing
from nbyk.data.ratings import Ratings, ordered_ids, rows_of
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import FROM_0_TO_1, Scale
from nbyk.data.systems import Systems, by_name, check_names, common_items
from nbyk.data.tables import Table
from nbyk.data.text import shown
from nbyk.data.units import VECTOR, Units
from nbyk.errors import DataPlace, NbykError, check_choice
from nbyk.words import number_of

ManyResponses = Mapping[str, Any] | Sequence[Any]

_LARGEST = 1e50
"""The fourth power of a number, by which nbyk sees how many items are at work, must be a number too."""


def as_systems(
    gold: Any,
    systems: ManyResponses | None = None,
    *,
    cluster: Any = None,
    kind: str | None = None,
    classes: Sequence[Any] | None = None,
    scale: Scale | None = None,
    scored: Kind | None = None,
    by_cells: bool = False,
    paired: bool = False,
) -> Systems:
    """Return systems, and gold if there is any, from whatever holds their responses.

    Parameters
    ----------
    gold
        Responses of raters, shape (N,) or (N, K) with NaN where one is missing: an array, a list of numbers
        or of lists, which may differ in length, or a data frame or series. None without gold. Or `Systems` or
        a `ResponseSet`, alone.
    systems
        Each system's responses by its name, or one after the other, in the same forms; distributions are
        arrays (N, C), or one such array for each run. Each of two columns or more is one rater or run, by its
        name if a frame has one; those of lists of differing lengths are unknown. If all data are objects of
        pandas, they are matched by their index; if only some are, these must have one index.
    cluster : shape (N,)
        The name of each item's cluster.
    kind, classes, scale
        As for `nbyk.compare`.
    scored
        What the metric scores, "classes" or "distributions"; None if numbers, too.
    by_cells
        Whether systems' rows that sum to one are probabilities, as in files.
    paired
        Whether score i of every system belongs to the same run.

    Raises
    ------
    NbykError
        If there are fewer than two items, their numbers or ids differ, a value does not fit the kind or the
        scale, or an item has no response.
    """
    if isinstance(gold, Systems | ResponseSet):
        held = {"scale": scale, "classes": classes, "systems": systems, "cluster": cluster}
        for argument, given_again in held.items():
            if given_again is not None:
                raise NbykError("the data that were read have theirs; leave it out", argument=argument)
        known_systems = gold if isinstance(gold, Systems) else _systems_of(gold)
        if kind not in (None, known_systems.kind):
            raise NbykError(f"found {kind}, and the data were read as {known_systems.kind}", argument="kind")
        return known_systems
    named = _named(systems)
    if kind == "scores":
        return _scores(gold, named, scale, paired=paired)
    given = [_given(of, name) for name, of in (named if gold is None else {"gold": gold, **named}).items()]
    known = _kind(given, kind, scored, classes, by_cells=by_cells)
    refuse_options(known, {"scale": scale, "classes": classes})
    indexed = [of for of in given if of.items]
    clusters = None if cluster is None else _clusters(cluster, (indexed or given)[0])
    if len(indexed) == len(given):
        given, clusters = _matched(given, clusters)
    else:
        check_aligned(gold, *named.values())
    read = {of.name: of.responses(scale) for of in given} if known == "numbers" else {}
    for of in given:
        if of.n_items != given[0].n_items:
            raise NbykError(
                f"found {number_of(given[0].n_items, 'item')} of {given[0].name} and {of.n_items} of "
                f"{of.name}, expected the same items in all; align them by item first"
            )
    if known != "numbers":
        return replace(_coded(given, known, classes), clusters=clusters)
    gold_matrix, gold_units = read.pop("gold", (None, None))
    matrices = {name: matrix for name, (matrix, _) in read.items()}
    units = {name: behind for name, (_, behind) in read.items()}
    return Systems(matrices, gold_matrix, units, gold_units, (), clusters, scale or FROM_0_TO_1)


def response_set(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    units: Mapping[str, Units] | None = None,
    cluster: Any = None,
) -> ResponseSet:
    """Return the responses of two systems, and gold if there is any, as a `ResponseSet`.

    Parameters
    ----------
    gold, a, b : shape (N, K) or (N,)
        One row per item, in the same order of items; K may differ between the three. NaN marks a missing
        response. A vector counts as one response per item. `gold` is None if people rated the systems'
        outputs; `a` and `b` then hold those ratings. All forms of `nbyk.compare` will do, such as lists,
        frames, and both systems by name, as `a`.
    units
        The raters or runs behind the responses, by "gold", "a" and "b", aligned to matrices whose rows have
        their responses first. By default each column of two or more is one rater or run.
    cluster : array_like, shape (N,), optional
        The name of each item's cluster, such as the text that it asks about.

    Raises
    ------
    NbykError
        If there are fewer than two items, the numbers of items differ, a value is infinite or not a
        number, an item has no response at all or no cluster, or all are in one cluster; or if there are more
        systems, or one.
    """
    if isinstance(gold, ResponseSet) and a is None and b is None and cluster is None:
        return gold
    systems = as_systems(gold, a if b is None else {"A": a, "B": b}, cluster=cluster)
    if len(systems.names) != 2:
        names = ", ".join(systems.names)
        raise NbykError(
            f"found {len(systems.names)} systems ({names}), expected two; take .pair(a, b), or give all to "
            "nbyk.compare"
        )
    data = systems.pair(*systems.names)
    return data if units is None else replace(data, units=units)


def response_matrix(values: ArrayLike, name: str) -> Floats:
    """Return responses, shape (N, K) or (N,), as a matrix with each row's responses first, then NaN.

    NaN or a mask marks a missing response; `name` is that of the matrix in errors, which are those of
    `response_set`.
    """
    return responses_and_units(values, name)[0]


def responses_and_units(values: ArrayLike, name: str) -> tuple[Floats, Units]:
    """Return the result of `response_matrix`, and the matrix's columns as units."""
    return _given(values, name).responses()


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells as somebody gave them, (N,) or (N, K), or (N, C) of each run, and the names that they have.

    `items` are the ids in an index, and `columns` the names of a frame's columns, if each is a text of its
    own, of which those of an ordered type have `levels`; the columns of `ragged` lists, which differ in
    length, are of nobody.
    """

    place: DataPlace
    cells: Array
    items: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    ragged: bool = False
    levels: tuple[tuple[str, ...], ...] = ()
    nameless = False

    @property
    def name(self) -> str:
        """What the data are: "gold", or the system's name."""
        return self.place.name

    @property
    def n_items(self) -> int:
        """The number of items; runs of distributions come first."""
        return int(self.cells.shape[int(self.cells.ndim == 3)])

    @cached_property
    def are_text(self) -> bool:
        """Whether there are cells, and all of them are text."""
        if self.cells.dtype.kind in "biuf":
            return False
        cells = self.cells.ravel().tolist()
        others = (cell for cell in cells if not isinstance(cell, str))
        texts = {cell for cell in cells if isinstance(cell, str)}
        return all(map(is_missing, others)) and not all(map(is_missing, texts))

    @property
    def are_shares(self) -> bool:
        """Whether there is a row of probabilities for each item."""
        is_matrix = (self.cells.ndim, self.cells.dtype.kind) == (2, "f") and self.cells.shape[1] > 1
        return is_matrix and sum_to_one(list(self.cells.T))

    def taken(self, rows: Integers) -> _Cells:
        """Return the cells of some items."""
        items = tuple(self.items[row] for row in rows.tolist())
        return replace(self, cells=self.cells.take(rows, axis=int(self.cells.ndim == 3)), items=items)

    def at(self, item: int) -> DataPlace:
        """Return the place of an item, for errors."""
        return replace(self.place, row=f"item {self.items[item] if self.items else item}")

    def refuse_empty(self, empty: Iterable[int]) -> None:
        """Raise NbykError if an item has no response."""
        for item in empty:
            raise self.at(item).error("there is no response; add one, or drop the item everywhere")

    def as_given(self) -> GivenData:
        """Return a table with a row for each item, and a column of each rater or class, or of each run."""
        shape = self.cells.shape if self.cells.ndim == 3 else (1, len(self.cells), *self.cells.shape[1:], 1)
        runs = self.cells.reshape(shape[:3])
        for cells in runs:
            first = empty_rows(cells[:, 0].tolist()) if cells.shape[1] else range(len(cells))
            self.refuse_empty(row for row in first if all(map(is_missing, cells[row])))
        if self.cells.ndim == 3:
            columns = tuple(run.tolist() for run in runs)
            if self.columns:
                columns = tuple([dict(zip(self.columns, row, strict=True)) for row in run] for run in columns)
            names = tuple(f"run {run}" for run in range(len(runs)))
        else:
            columns = tuple(runs[0].T.tolist())
            # text is no probability of a class whose name is a number
            by_place = (f"{'column ' * self.are_text}{place}" for place in range(len(columns)))
            names = self.columns or tuple(by_place)
        numbers = self.items or range(self.n_items)
        table = Table(self.place, names, columns, numbers, "item", nameless=True, levels=self.levels)
        return GivenData(self.place, table, Columns(rater=None if self.ragged else "rater"))

    def responses(self, scale: Scale | None = None) -> tuple[Floats, Units]:
        """Return numbers as a matrix, each row's responses first, then NaN, and the unit of each.

        With a scale, they become numbers from 0 to 1.
        """
        refuse_no_rater(self.columns, self.place)
        matrix = as_matrix(self.cells, self.place)
        if matrix.dtype.kind in "UO":
            raise self.at(0).error(
                f"found {shown(str(matrix[0, 0]))}, expected a number; choose columns of responses, or read "
                "a table with a row for each response by `nbyk.read_systems`"
            )
        columns = tuple(ordered_ids(self.columns))
        if columns:
            matrix = matrix[:, rows_of(self.columns, columns)]
        columns = columns or tuple(f"column {place}" for place in range(matrix.shape[1]))
        matrix = np.array(matrix, dtype=np.float64, order="C")
        if len(matrix) < 2:
            raise self.place.error("only one item; give at least two, so that nbyk can see how items vary")
        beyond = np.abs(matrix) > _LARGEST
        if beyond.any():
            item, response = map(int, np.argwhere(beyond)[0])
            raise self.at(item).error(
                f"response {response} is {matrix[item, response]}; expected a finite number, of at most "
                f"{_LARGEST:g} in size"
            )
        missing = np.isnan(matrix)
        self.refuse_empty(np.flatnonzero(missing.all(axis=1)).tolist())
        if scale is not None:
            there = np.nonzero(~missing)
            matrix[there] = scale.normalise(
                matrix[there], lambda place, problem: self.at(int(there[0][place])).error(problem)
            )
        if len(columns) == 1:
            return matrix, VECTOR
        if not missing.any():
            index = np.broadcast_to(np.arange(len(columns), dtype=np.int32), matrix.shape)
            return matrix, Units("ids", columns, index)
        rows, places = np.nonzero(~missing)
        items: Any = range(len(matrix))
        return Ratings(items, columns, rows, places, matrix[rows, places], not self.ragged).responses(items)


def _given(values: Any, name: str) -> _Cells:
    place = DataPlace(name=name)
    if values is None:
        raise place.error("found no responses; give those of both systems")
    if isinstance(values, str | bytes):
        raise place.error("found text, expected responses; read files with nbyk.read_ratings")
    if isinstance(values, Sequence):
        are_frames = any(hasattr(kind, "columns") for kind in {*map(type, values)})
        every = [_names_of(run) for run in values] if are_frames else [()]
        columns = every[0]
        if any({*of} != {*columns} for of in every):
            raise place.error("the runs have other columns; expected those of the first in each")
        runs = [run[[*columns]] for run in values] if columns else values
        cells, ragged = _cells_of_rows(runs)
        if columns:
            check_aligned(*runs)
        return _Cells(place, cells, _index_of(values[0]) if columns else (), columns, ragged)
    cells = np.atleast_1d(array_of(values, name))
    cells = cells.astype(object) if cells.dtype.kind == "U" else cells
    if type(values) is np.ndarray:  # by far the most common, without names
        return _Cells(place, cells)
    return _Cells(place, cells, _index_of(values), _names_of(values), levels=levels_of(values))


def _names_of(values: Any) -> tuple[str, ...]:
    """Return the names of a frame's columns, if each is a text of its own."""
    columns = names_of_frame(values)
    are_names = all(isinstance(of, str) for of in columns) and len(set(columns)) == len(columns)
    return columns if are_names else ()


def _cells_of_rows(rows: Sequence[Any]) -> tuple[Array, bool]:
    """Return the cells of lists, filled up with None, and whether they differ in length."""
    with suppress(ValueError):
        cells = np.asarray(rows)
        if cells.dtype.kind in "biuf":
            return in_full(cells), False
    if {*map(type, rows)} <= {str, type(None)}:
        return np.array(rows, dtype=object), False
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
    rows = [row if isinstance(row, list | tuple) else [row] for row in rows]
    sizes = np.array([*map(len, rows)])
    there = np.arange(sizes.max()) < sizes[:, np.newaxis]
    flat = np.fromiter(chain.from_iterable(rows), dtype=object, count=int(sizes.sum()))
    are_numbers = {*map(type, flat)} <= {bool, int, float}
    cells = np.full(there.shape, np.nan) if are_numbers else np.full(there.shape, None)
    cells[there] = flat
    return cells, len({*sizes.tolist()}) > 1


def _named(systems: ManyResponses | None) -> dict[str, Any]:
    if systems is None:
        raise NbykError(
            "found no systems; give gold (or None) first, then the responses of A and B, or a mapping from "
            "names",
            argument="a",
        )
    if isinstance(systems, Mapping):
        named = by_name(systems)
    elif _is_of_one(systems):
        raise NbykError(
            "found the numbers of one system, expected two: gold (or None) comes first, as in "
            "nbyk.compare(None, a, b)",
            argument="systems",
        )
    else:
        named = {f"system {index}": responses for index, responses in enumerate(systems)}
    check_names(named, has_gold=True)
    if not named:
        raise NbykError("found 0, expected at least two, or one by itself, with its name", argument="systems")
    return named


def _is_of_one(systems: Any) -> bool:
    """Return whether these are numbers, or an array with more rows than columns, as one system's are."""
    if not isinstance(systems, Sequence | np.ndarray) or np.ndim(next(iter(systems), [])) == 0:
        return True
    return isinstance(systems, np.ndarray) and systems.ndim == 2 and systems.shape[0] > systems.shape[1]


def _scores(gold: Any, named: Mapping[str, Any], scale: Scale | None, *, paired: bool) -> Systems:
    """Return systems with a score of each run."""
    refuse_options("scores", {"scale": scale}, has_gold=gold is not None)
    if paired:
        check_aligned(*named.values())
    scores = {name: as_scores(of, f"system {name!r}") for name, of in named.items()}
    return Systems(scores, kind="scores", paired=paired)


def _kind(
    given: Sequence[_Cells],
    kind: str | None,
    scored: Kind | None,
    classes: Sequence[Any] | None,
    *,
    by_cells: bool,
) -> Kind:
    """Return the kind that is asked for, or scored, or that of all cells: text is classes."""
    check_choice("kind", kind or "numbers", KINDS)
    if kind is not None:
        return cast("Kind", kind)
    if by_cells and all(of.are_shares for of in given if of.name != "gold"):
        return "distributions"
    in_columns = scored is not None and any(of.cells.ndim > 1 for of in given)
    return scored_kind(
        {"classes" if all(of.are_text for of in given) else "numbers"}, scored, classes, in_columns=in_columns
    )


def _index_of(values: Any) -> tuple[str, ...]:
    """Return the labels of an index of pandas; () without one."""
    labels = values.index.tolist() if is_of_pandas(values) else []
    return tuple(text or str(label) for label, text in zip(labels, id_texts(labels), strict=True))


def _clusters(cluster: Any, first: _Cells) -> tuple[Any, ...]:
    """Return the cluster of each item in the order of the first data."""
    names, ids = np.atleast_1d(np.asarray(filled(cluster), dtype=object)), _index_of(cluster)
    if ids and first.items and ids != first.items:
        _check_ids([first, _Cells(DataPlace(name="cluster"), names, ids)])
        names = names[rows_of(ids, first.items)]
    return tuple(names)


def _matched(
    given: list[_Cells], clusters: tuple[Any, ...] | None
) -> tuple[list[_Cells], tuple[Any, ...] | None]:
    """Return data on the same ids in their order, and the clusters of these."""
    _check_ids(given)
    items = ordered_ids(set(given[0].items))
    orders = [np.argsort(rows_of(items, of.items), kind="stable") for of in given]
    if clusters is not None and len(clusters) == len(orders[0]):
        clusters = tuple(clusters[row] for row in orders[0].tolist())
    return [of.taken(rows) for of, rows in zip(given, orders, strict=True)], clusters


def _check_ids(given: Sequence[_Cells]) -> None:
    """Raise NbykError unless all data have the same ids; those that come twice must be in one order."""
    if all(of.items == given[0].items for of in given):
        return
    for of in given:
        twice = [label for label, count in Counter(of.items).items() if count > 1]
        if twice:
            raise of.place.error(f"{twice[0]!r} is twice in the index; expected one row per item")
    common_items(given, way_out="; nbyk.read_systems takes frames, too")


def _coded(given: Sequence[_Cells], kind: Kind, classes: Sequence[Any] | None) -> Systems:
    """Return classes or probabilities, read as tables of them are; gold may be the classes of people."""
    if kind == "distributions":
        width = given[-1].cells.shape[-1]
        rows = [of for of in given if of.cells.ndim > 1 and of.cells.shape[-1] == width and not of.are_text]
        names = next((of.columns for of in rows if of.columns), ())
        given = [replace(of, columns=of.columns or names) if of in rows else of for of in given]
    for of in given:
        refuse_dimensions(of.cells, of.place, 3 if kind == "distributions" else 2)
        if kind == "classes" or not {*names} <= {*of.columns}:
            refuse_no_rater(of.columns, of.place)
    data = {of.name: of.as_given() for of in given}
    cells = cells_of(kind, None, classes, data.values())
    people = data.pop("gold", None)
    if isinstance(cells, ClassKind) and people is None:
        entries = (cells.cells(of.table, of.columns, Mending()) for of in data.values() if of.table)
        labels = chain.from_iterable(class_names(of.found, of.refuse) for of in entries)
        cells.name_by(labels, DataPlace(name="classes"))
    read = read_all(data, people, cells, Mending(), lambda _: "give it as `cluster`")
    return read.matched(common_items(read.every))


def _systems_of(data: ResponseSet) -> Systems:
    """Return the two systems of a response set."""
    names = data.names_of_roles
    responses = dict(zip(data.names, (data.a, data.b), strict=True))
    units = {names[role]: units for role, units in data.units.items()}
    gold_units = units.pop("gold", None)
    return Systems(
        {name: response_matrix(matrix, name) for name, matrix in responses.items()},
        response_matrix(data.gold, "gold") if data.has_gold else None,
        units,
        gold_units if data.has_gold else None,
        clusters=None if data.clusters is None else tuple(data.clusters.tolist()),
        scale=data.scale,
        kind=data.kind,
        categories=data.categories,
    )
