"""The kinds of data: numbers, classes, distributions over classes, and scores of runs; told by the cells."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Literal

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.cells import are_distinct
from nbyk.data.columns import Columns, columns_beside, columns_of_values, recognised, run_columns
from nbyk.data.layouts import (
    LARGEST_ID,
    NO_ID,
    Entries,
    Mending,
    as_numbers,
    ids_in,
    is_missing,
    long_cells,
    numbered_within,
    refuse_repeated,
    wide_cells,
    without_duplicates,
    without_empty,
)
from nbyk.data.makers import refuse_other_items
from nbyk.data.ratings import Ratings, ordered_ids
from nbyk.data.scales import Refusal, Scale
from nbyk.data.tables import Table, is_number
from nbyk.data.text import look_alikes, shown, some
from nbyk.errors import DataPlace, NbykError, argument_with
from nbyk.words import listed

Orders = Sequence[Sequence[str]]
"""Classes in their order, lowest first, as columns of the data have them."""

Kind = Literal["numbers", "classes", "distributions", "scores"]
KINDS: tuple[Kind, ...] = ("numbers", "classes", "distributions", "scores")

_OPTIONS: Mapping[Kind, tuple[str, ...]] = {
    "numbers": ("scale", "cluster", "lower_is_better"),
    "classes": ("classes", "cluster"),
    "distributions": ("classes", "cluster"),
    "scores": ("paired", "lower_is_better"),
}
"""The options that mean something for one kind of data alone."""

_SUM_TOLERANCE = 1e-5
"""The sum of a row of probabilities may be off one by this much, or by what its digits round."""

_FEW_OFF = 0.1
"""Rows are probabilities if no larger share of them is off; those that are off are refused."""

_DIGITS = range(1, 6)
"""Numbers of decimals that probabilities may be rounded to; those of one must sum to one."""

LONGEST_LABEL = 1000
"""Characters of the longest label."""

_WHOLE = re.compile(r"[-+−]?\d+")
_NO_LABEL = re.compile(r"[\0\ud800-\udfff]")
"""NUL, and half a character, which no file can hold."""

_FEWEST_OF_COLUMN = 5
"""Labels that show that a column without a class of another is of no rater."""
LOOKED_AT = 1000
"""Cells by which text is told from numbers."""

_FIRST = 20
"""Rows that rule out most tables that hold no distributions."""


def refuse_options(kind: Kind, options: Mapping[str, Any], *, has_gold: bool = False) -> None:
    """Raise NbykError if gold, or an option, was given that means nothing for data of a kind."""
    if has_gold and kind == "scores":
        raise NbykError(
            "found gold beside scores of runs, which need none; leave it out, or give columns of items",
            argument="gold",
        )
    for argument, option in options.items():
        if option is not None and argument not in _OPTIONS[kind]:
            raise NbykError(f"found {option}, and {kind} have none; leave it out", argument=argument)
    if has_gold and options.get("lower_is_better") is not None:
        raise NbykError(
            "metrics that compare with gold say which is better; leave it out", argument="lower_is_better"
        )


class CellKind(ABC):
    """How to read the cells of a table: `expected` is one of them, and `givers` who gave them, in words."""

    name: Kind = "numbers"
    expected = "a finite number"
    fewest_items = 2

    def __init__(self, givers: str = "raters or runs") -> None:
        self.givers = givers

    def cells(self, table: Table, columns: Columns, mending: Mending) -> Entries:
        """Return the cells of a table; the errors are those of `nbyk.data.read_ratings`."""
        if table.nameless:
            if columns.cluster is not None:
                raise table.place.error(
                    f"an array has no column {columns.cluster!r}; write it as a table, or leave the clusters "
                    "out"
                )
            if table.unit == "line" and len(table.names) > 1:
                numbers = some([column[0] for column in table.columns], str)
                raise table.place.error(
                    f"the first line holds numbers alone ({numbers}), expected the columns' names; add a "
                    "header"
                )
            return wide_cells(table, columns, mending)
        named, columns = columns.value != "value", recognised(table, columns)
        item, rater, value = columns.item, columns.rater, columns.value
        systems = {*table.column("system", "")} if table.roles and "system" in table.names else set()
        if len(systems) > 1:
            raise table.place.error(
                f"holds {len(systems)} systems ({some(sorted(map(str, systems)))}), expected one; give the "
                "file alone, or one file for each system"
            )
        if not (table.roles or value in table.names or rater in table.names):
            return wide_cells(table, columns, mending)
        if rater == "rater" and rater not in table.names and item in table.names and value in table.names:
            others = columns_beside(table, columns, value)
            ids = ids_in(table, item)
            # The table has one score per item, unless further columns could be raters' or an item repeats.
            if are_distinct(ids):
                is_named = value == "value" or named or not others
                if not is_named and not (
                    value == "label" and kind_of_cells(table.column(value, "")) == "classes"
                ):
                    raise table.place.error(
                        f"each item is on one row, with the columns {', '.join(table.names)}; say "
                        f"which one holds the scores, as in {argument_with('value', value)}, or which the "
                        "raters with `rater`"
                    )
                columns = replace(columns, rater=None)
            elif not others:
                cells = long_cells(table, replace(columns, rater=None))
                return replace(cells, raters=["1"] * len(cells.items))
        return long_cells(table, columns)

    @abstractmethod
    def numbers(self, cells: Entries) -> Floats:
        """Return the number that stands for each cell."""

    def read(self, table: Table, asked: Columns, mending: Mending) -> tuple[Entries, Floats, list[str]]:
        """Return a table's cells but empty and repeated ones, their numbers, and notes on the others."""
        refuse_other_items([table])
        cells, no_value = without_empty(self.cells(table, asked, mending), mending, self.expected)
        cells, values, averaged = without_duplicates(cells, self.numbers(cells), mending)
        return cells, values, [note for note in (no_value, averaged) if note]


class NumberKind(CellKind):
    """Numbers on a scale, normalised to [0, 1], or any numbers."""

    def __init__(self, scale: Scale | None = None, givers: str = "raters or runs") -> None:
        super().__init__(givers)
        self.scale = scale

    def numbers(self, cells: Entries) -> Floats:
        """Return the numbers, normalised if they have a scale."""
        values = cells.numbers()
        return values if self.scale is None else self.scale.normalise(values, cells.refuse)


class ClassKind(CellKind):
    """The classes that cells name, by place: those given, or else those of the data read.

    `orders` are those that columns of all data declare.
    """

    name = "classes"
    expected = "a label"

    def __init__(
        self, names: Sequence[str] | None = None, givers: str = "raters", orders: Orders = ()
    ) -> None:
        super().__init__(givers)
        self.orders = orders
        self.given = self.ordered = names is not None
        given = () if names is None else names
        self.names = tuple(class_names(given, lambda _, problem: NbykError(problem, name="classes")))
        if self.given and (len(self.names) < 2 or len(set(self.names)) < len(self.names)):
            raise NbykError(
                f"found {some(self.names) or 'none'}, expected at least two classes, each once",
                argument="classes",
            )
        if missing := next(filter(is_missing, self.names), None):
            raise NbykError(
                f"found {missing}, which means no label in every file; write that class otherwise, here and "
                "in all files",
                argument="classes",
            )

    def cells(self, table: Table, asked: Columns, mending: Mending) -> Entries:
        """Return the labels of a table; people's may be counted, in a row for each item."""
        counts = counts_in(table, asked, self.names) if self.givers == "raters" else None
        if counts is None:
            return super().cells(table, asked, mending)
        if not self.names:
            self.names, self.ordered = in_order(counts)
        roles = recognised(table, asked)
        ids = ids_in(table, roles.item)
        refuse_repeated(table, ids, "; expected one row of counts per item: add them up")
        labels, rows = list[str](), list[int]()
        for row, item in enumerate(ids):
            item_counts = {name: _count(column[row], table.at(row), name) for name, column in counts.items()}
            if not any(item_counts.values()):
                raise table.at(row).error(f"item {item!r} has no label; add one, or delete the row")
            labels += [name for name, count in item_counts.items() for _ in range(count)]
            rows += [row] * sum(item_counts.values())
        items = [ids[row] for row in rows]
        columns = replace(roles, value=", ".join(counts))
        column = roles.value if roles.value in table.names else "counts"
        return Entries(items, numbered_within(items), labels, rows, table, column, columns, False)

    def numbers(self, cells: Entries) -> Floats:
        """Return the place of each label among the classes."""
        labels = class_names(cells.found, cells.refuse)
        self.name_by(labels, cells.table.place)
        place_of = {name: float(place) for place, name in enumerate(self.names)}
        for row, label in enumerate(labels):
            if label not in place_of:
                is_share = label.startswith("0.")
                kind = '; for rows of probabilities say `kind="distributions"`' if is_share else ""
                raise cells.refuse(
                    row,
                    f"found {label!r}, expected one of the classes {listed(self.names)}; mend it, or add it "
                    f"to the classes{kind}",
                )
        return np.array([place_of[label] for label in labels])

    def name_by(self, labels: Iterable[str], place: DataPlace) -> None:
        """Name the classes after labels, unless they have names."""
        if self.names:
            return
        self.names, self.ordered = in_order(labels, self.orders)
        if alike := look_alikes(self.names):
            raise place.error(
                f"the classes {alike[0]} and {alike[1]} look alike; write them alike, or name all "
                "classes with `classes` if they are two"
            )
        if len(self.names) < 2:
            raise place.error(
                f"{some(self.names) or 'none'} is the only class, expected two or more; name them all with "
                "`classes`"
            )


def in_order(names: Iterable[str], levels: Orders = ()) -> tuple[tuple[str, ...], bool]:
    """Return classes in order, and whether anything says it: levels that the data have, or whole numbers."""
    found = set(names)
    orders = [tuple(name for name in of if name in found) for of in levels]
    if order := next((of for of in orders if len(of) == len(found)), None):
        for of in orders:
            if of != tuple(name for name in order if name in of):
                raise NbykError(
                    f"found them in the order {', '.join(order)}, and in another column {', '.join(of)}; "
                    "expected one order: name them in it, lowest first",
                    argument="classes",
                )
        return order, True
    if all(map(_WHOLE.fullmatch, found)):
        return tuple(sorted(sorted(found), key=lambda name: int(name.replace("−", "-")))), True
    return tuple(ordered_ids(found)), False


def class_names(cells: Iterable[Any], refuse: Refusal) -> list[str]:
    """Return the class in each cell as text; 3 and 3.0 become "3", and True, as Python writes it, "1"."""
    keys = [cell if isinstance(cell, str) else (repr(cell),) for cell in cells]
    first = dict(zip(reversed(keys), reversed([*enumerate(cells)]), strict=True))
    names = {key: _class_name(cell, partial(refuse, row)) for key, (row, cell) in first.items()}
    return [names[key] for key in keys]


def _class_name(cell: Any, refuse: Callable[[str], NbykError]) -> str:
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float) and abs(cell) >= LARGEST_ID:
        raise refuse(f"found {shown(cell)}, {NO_ID}")
    is_whole = isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer())
    name = cell if isinstance(cell, str) else str(int(cell)) if is_whole else ""
    if name.strip().lower() in ("", "nan") or len(name) > LONGEST_LABEL or _NO_LABEL.search(name):
        raise refuse(
            f"found {shown(cell)}, expected a class: text of 1 to {LONGEST_LABEL} characters, or a whole "
            "number; mend it, or leave the item out of all files (for rows of probabilities say "
            '`kind="distributions"`)'
        )
    return {"True": "1", "False": "0"}.get(name, name)


def refuse_strange_columns(given: Sequence[Ratings], as_clusters: Callable[[str], str]) -> None:
    """Raise NbykError if one of several columns has none of the classes of all others: it is of no rater.

    `given` are the places of classes; `as_clusters` says what to do with a column of clusters.
    """
    every = np.bincount(np.concatenate([of.values for of in given]).astype(np.intp))
    for of in given:
        for rater, name in enumerate(of.raters if of.wide and len(of.raters) > 1 else ()):
            own = of.values[of.rater_index == rater].astype(np.intp)
            classes, counts = np.unique(own, return_counts=True)
            if len(own) >= _FEWEST_OF_COLUMN and (every[classes] == counts).all():
                raise of.place.error(
                    f"column {name!r} has none of the classes of all others; leave it out if it is of no "
                    f"rater or run; if it is of one, name all `classes`; if of clusters, {as_clusters(name)}"
                )


def counts_in(
    table: Table, asked: Columns, classes: Sequence[str] = ()
) -> Mapping[str, Sequence[Any]] | None:
    """Return columns of counts by class, where a cell of None is 0; None of a table of something else.

    Columns are counts if the classes are named after them, or if their rows all have one sum, of 2 or more.
    """
    if table.nameless:
        return None
    roles = recognised(table, asked)
    if roles.item not in table.names or roles.rater in table.names:
        return None
    if roles.value in table.names:
        cells = table.column(roles.value, "")
        if not all(isinstance(cell, dict) and cell and _are_whole(cell.values()) for cell in cells):
            return None
        names = dict.fromkeys(name for cell in cells for name in cell)
        every = dict.fromkeys((*names, *classes))
        return {name: [cell.get(name) for cell in cells] for name in every}
    others = columns_beside(table, roles, classes=classes)
    if classes:
        return {name: table.column(name, "") for name in classes} if {*classes} <= {*others} else None
    columns = {name: table.column(name, "") for name in others}
    cells = [cell for column in columns.values() for cell in column]
    if len(columns) < 2 or not _are_whole(cells):
        return None
    sums = {sum(int(float(cell)) for cell in row) for row in zip(*columns.values(), strict=True)}
    return columns if len(sums) == 1 and sums.pop() > 1 else None


def _are_whole(cells: Iterable[Any]) -> bool:
    """Return whether all cells are whole numbers of 0 or more."""
    return all(is_number(str(cell)) and float(cell) >= 0.0 and float(cell).is_integer() for cell in cells)


def _count(cell: Any, at: DataPlace, name: str) -> int:
    if cell is None:
        return 0
    if not _are_whole([cell]):
        raise at.error(
            f"column {name!r}: found {shown(cell)}, expected how many people chose this class: a whole number"
        )
    return int(float(cell))


class ShareKind(CellKind):
    """Probabilities of classes, which the first data read name, by place among all `rows` that were read."""

    name = "distributions"
    expected = "probabilities"

    def __init__(self, names: Sequence[str] | None = None) -> None:
        super().__init__()
        of_given = ClassKind(names)
        self.names, self.given, self.ordered = of_given.names, of_given.given, of_given.ordered
        self.rows: Floats = np.empty((0, len(self.names)))

    def cells(self, table: Table, asked: Columns, mending: Mending) -> Entries:
        """Return distributions: the value's cells, or an object of the classes' columns for each row."""
        if table.nameless:
            if isinstance(table.columns[0][0], list | dict):  # a column of each run
                return wide_cells(table, asked, mending)
            rows: list[Any] = [list(row) for row in zip(*table.columns, strict=True)]
            if len(table.columns) == 1:
                rows = [_split(cell) if isinstance(cell, str) else cell for (cell,) in rows]
            elif not all(map(str.isdigit, table.names)):
                rows = [dict(zip(table.names, row, strict=True)) for row in rows]
            return wide_cells(replace(table, names=("0",), columns=(rows,)), asked, mending)
        roles = recognised(table, asked)
        roles = roles if roles.rater in table.names else replace(roles, rater=None)
        if roles.value not in table.names:
            classes = columns_beside(table, roles, roles.rater, classes=self.names)
            columns = (table.column(name, "") for name in classes)
            rows = [dict(zip(classes, row, strict=True)) for row in zip(*columns, strict=True)]
            roles = replace(roles, value=", ".join(classes))
            kept = [place for place, name in enumerate(table.names) if name not in classes]
            names, left = ([of[place] for place in kept] for of in (table.names, table.columns))
            table = replace(table, names=(*names, roles.value), columns=(*left, rows))
        return long_cells(table, roles)

    def numbers(self, cells: Entries) -> Floats:
        """Return the place of each distribution in `rows`."""
        rows, names = probabilities(cells.found, cells.at)
        if names is None and self.given and len(self.names) == rows.shape[1]:
            names = self.names
        names = names or tuple(map(str, range(rows.shape[1])))
        if not self.names:
            self.names, self.ordered = in_order(names)
            self.names, self.rows = self.names if self.ordered else names, np.empty((0, len(names)))
        if set(names) != set(self.names):
            unit_rows(rows, cells.at)  # rows that are no probabilities have no classes
            raise cells.table.place.error(
                f"the classes are {', '.join(names)}, elsewhere {', '.join(self.names)}; expected the same"
            )
        rows = rows[:, [names.index(name) for name in self.names]]
        self.rows = np.concatenate([self.rows, unit_rows(rows, cells.at)])
        return np.arange(len(self.rows) - len(rows), len(self.rows), dtype=np.float64)


def _sum_tolerance(rows: Floats) -> float:
    """Return how far a sum may be off one: half a unit of the last decimal for each class, if rounded."""
    for digits in _DIGITS:
        scaled = rows * 10.0**digits
        if (np.abs(scaled - np.rint(scaled)) < 1e-6).all():
            return _SUM_TOLERANCE + (0.5 * rows.shape[1] / 10.0**digits if digits > 1 else 0.0)
    return _SUM_TOLERANCE


def unit_rows(rows: Floats, at: Callable[[int], DataPlace]) -> Floats:
    """Return rows of probabilities divided by their sums, which must be one but for rounding."""
    for wrong, expected in (
        (~np.isfinite(rows), "a finite number"),
        (rows < 0.0, "a probability, 0 or more"),
    ):
        if wrong.any():
            row, column = map(int, np.argwhere(wrong)[0])
            raise at(row).error(f"class {column} is {rows[row, column]:g}; expected {expected}")
    sums = rows.sum(axis=1)
    off = np.abs(sums - 1.0) > _sum_tolerance(rows)
    if off.any():
        row, n_off = int(np.flatnonzero(off)[0]), int(off.sum())
        counts = (
            'if these count ratings, divide each row by its sum; if they are classes, say `kind="classes"`'
        )
        whole = (rows == np.rint(rows)).all()
        raise at(row).error(
            f"sums to {sums[row]:.6g}, {abs(sums[row] - 1.0):.3g} "
            f"{'more' if sums[row] > 1.0 else 'less'} than one ({n_off} row{'' if n_off == 1 else 's'} of "
            f"{len(rows)} off); {counts if whole else 'divide each row by its sum if it holds weights'}"
        )
    shares: Floats = rows / sums[:, np.newaxis]
    return shares


def probabilities(
    cells: Sequence[Any], at: Callable[[int], DataPlace]
) -> tuple[Floats, tuple[str, ...] | None]:
    """Return lists, or objects with a number for each class, as rows, and the classes that objects name."""
    first = cells[0]
    classes = tuple(first) if isinstance(first, dict) else None
    known = None if classes is None else set(classes)
    width = len(first) if isinstance(first, list | dict) else 0
    given: list[Any] = []
    for row, cell in enumerate(cells):
        keys = set(cell) if isinstance(cell, dict) else None
        if not isinstance(cell, list | dict) or not cell or len(cell) != width or keys != known:
            raise at(row).error(
                f"found {shown(cell)}; expected a list of probabilities, or an object with one per class, in "
                f'the form of the first, {shown(first)} (for one class per item say `kind="classes"`)'
            )
        given += cell if classes is None else [cell[name] for name in classes]
    rows = as_numbers(given).reshape(-1, width)
    for row, place in np.argwhere(~np.isfinite(rows)).tolist():
        name = place if classes is None else repr(classes[place])
        found = shown(given[row * width + place])
        raise at(row).error(f"class {name}: found {found}, expected a probability: a number from 0 to 1")
    return rows, classes


def scored_kind(
    kinds: Collection[Kind], scored: Kind | None, classes: Sequence[Any] | None, *, in_columns: bool
) -> Kind:
    """Return what a metric scores, if it says so, or else the kind of all cells.

    Metrics of distributions take classes. Numbers of which somebody names the `classes` are these, unless, to
    such a metric, each class has a column.
    """
    if scored == "distributions":
        are_classes = {"classes"} if classes is None or in_columns else {"classes", "numbers"}
        return "classes" if are_classes.issuperset(kinds) else scored
    (kind,) = [scored] if scored is not None else kinds
    return "classes" if kind == "numbers" and classes is not None else kind


def kind_of(table: Table, asked: Columns) -> Kind:
    """Return the kind of a table's cells.

    Lists and objects are distributions, and so are columns whose rows all sum to one, not all whole numbers.
    Cells are classes if more than half are text that is no number. A table of one column, or of one beside
    those of runs, holds scores.
    """
    if table.nameless:
        return _kind_of_nameless(table)
    roles = recognised(table, replace(asked, rater=None))
    if roles.item not in table.names:
        others = set(table.names).difference(run_columns(table))
        holds_runs = len(others) == 1 or (len(others) < len(table.names) and asked.value in others)
        return "scores" if asked.item == "item" and holds_runs else "numbers"
    values = columns_of_values(table, asked)
    per_column = -(-LOOKED_AT // max(len(values), 1))
    cells = [cell for name in values for _, cell in islice(table.cells(name), per_column)]
    kind = kind_of_cells(cells)
    if kind != "numbers" or len(values) < 2:
        return kind
    # a key of one line alone makes no column of a class
    if any(sum(1 for _ in table.cells(name)) < len(table) for name in (values[0], values[-1])):
        return kind
    return "distributions" if sum_to_one([table.column(name, "") for name in values]) else kind


def _kind_of_nameless(table: Table) -> Kind:
    if len(table.columns) > 1:
        every = [cell for column in table.columns for cell in column[:LOOKED_AT]]
        return "distributions" if sum_to_one(table.columns) else kind_of_cells(every)
    cells = table.columns[0]
    texts = all(isinstance(cell, str) for cell in cells)
    split = [_split(cell) for cell in cells] if texts and len(_split(cells[0])) > 1 else []
    if split and len(set(map(len, split))) == 1 and sum_to_one(list(zip(*split, strict=True))):
        return "distributions"
    kind = kind_of_cells(cells[:LOOKED_AT])
    return "scores" if kind == "numbers" else kind  # none says which item or which run it is of


def kind_of_cells(cells: Sequence[Any]) -> Kind:
    """Return the kind of some cells, without regard to other columns; those that are missing do not count."""
    there = [cell for cell in cells if isinstance(cell, list | dict) or not is_missing(cell)]
    if any(isinstance(cell, list | dict) for cell in there):
        return "distributions"
    n_texts = sum(isinstance(cell, str) and not is_number(cell) for cell in there)
    return "classes" if 2 * n_texts > len(there) else "numbers"


def same_kind(columns: Sequence[Sequence[Any]]) -> bool:
    """Return whether columns hold numbers, or classes, all of them, and are no probabilities of classes."""
    kinds = {kind_of_cells(cells[:LOOKED_AT]) for cells in columns}
    return len(kinds) == 1 and "distributions" not in kinds and not sum_to_one(columns)


def sum_to_one(columns: Sequence[Sequence[Any]]) -> bool:
    """Return whether numbers from 0 to 1 sum to one in each row, and are not all whole."""
    for most in (_FIRST, None):
        try:
            rows = np.array([list(column[:most]) for column in columns], dtype=np.float64).T
        except (TypeError, ValueError):
            return False
        if not len(rows) or not ((rows >= 0.0) & (rows <= 1.0)).all():
            return False
        off = np.abs(rows.sum(axis=1) - 1.0) > _sum_tolerance(rows)
        if off.mean() > _FEW_OFF:
            return False
        if len(columns[0]) <= _FIRST:
            break
    return bool((rows != np.rint(rows)).any())


def _split(line: str) -> list[str]:
    return line.replace(",", " ").split()
