"""The layouts in which ratings come, long, wide and arrays, as one entry per rating; repeats and gaps."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.cells import ArrowCells, are_distinct, blocks, joined, number_cells, picked
from nbyk.data.columns import (
    LIKE_VALUES,
    Columns,
    columns_beside,
    is_of_ids,
    is_of_no_rater,
    refuse_unnamed,
    run_word,
)
from nbyk.data.ratings import Ratings
from nbyk.data.tables import NOTHING, Table
from nbyk.data.text import shown, some
from nbyk.errors import DataPlace, NbykError, argument_with, check_choice
from nbyk.words import listed, number_of

LARGEST_ID = 2.0**53
NO_ID = "a number of so many digits that neighbours are the same; write it as text or as a whole number"
"""Floats beyond `LARGEST_ID` do not hold all whole numbers, so they name nothing."""


_MIDNIGHT = " 00:00:00"


@dataclass(frozen=True)
class Entries:
    """Ratings as they were read, one entry per rating, with the rows in the table that errors name.

    `value` is the column of the ratings, None in the wide layout, of which `n_unrated` rows are left out.
    `columns` are those that were recognised. Equal raters are one rater if they are known.
    """

    items: Sequence[str]
    raters: Sequence[str]
    found: Sequence[Any]
    rows: Sequence[int] | Integers
    table: Table
    value: str | None
    columns: Columns = field(default_factory=Columns)
    raters_known: bool = True
    n_unrated: int = 0

    @property
    def has_ids(self) -> bool:
        """Whether a column names the items."""
        return self.columns.item in self.table.names

    def at(self, row: int) -> DataPlace:
        """Return the file and the line or row of a rating."""
        return self.table.at(self.rows[row])

    def column(self, row: int) -> str:
        """Return the name of the column of a rating."""
        return self.raters[row] if self.value is None else self.value

    def refuse(self, row: int, problem: str) -> NbykError:
        """Return the error about a rating."""
        named = "" if len(self.table.names) == 1 else f"column {self.column(row)!r}: "
        return self.at(row).error(f"{named}{problem}")

    def ids(self, column: str, hint: str) -> Sequence[str]:
        """Return the id in a further column beside each rating; `hint` is as in `Table.column`."""
        return picked(ids_in(self.table, column, hint), self.rows)

    def taken(self, kept: list[int]) -> Entries:
        """Return some of the ratings, in their order."""
        items, raters, found, rows = (
            picked(cells, kept) for cells in (self.items, self.raters, self.found, self.rows)
        )
        return replace(self, items=items, raters=raters, found=found, rows=rows)

    def ratings(self, values: Floats, clusters: Sequence[str] | None = None, fewest: int = 2) -> Ratings:
        """Return the ratings whose values are these; the errors are those of `Ratings.from_columns`."""
        ratings = Ratings.from_columns(
            self.items,
            self.raters,
            values,
            at=self.at,
            raters_known=self.raters_known,
            clusters=clusters,
            fewest=fewest,
            apart=self._apart,
        )
        place, is_wide = self.table.place, self.value is None
        return replace(ratings, place=place, nameless=not self.has_ids, wide=is_wide)

    def _apart(self, pairs: Integers) -> str:
        """Return in words the unused column that tells ratings of one item and rater apart; "" without one.

        It has few levels, and most ratings come at several of them: else one came twice by mistake.
        """
        counts = np.unique(pairs, return_counts=True)[1]
        if 2 * np.count_nonzero(counts > 1) < len(counts):
            return ""
        used = {*astuple(self.columns), self.value, *self.table.scores}
        for name in self.table.names:
            if name in used or self.table.names.count(name) > 1 or is_of_no_rater(name):
                continue
            cells = [*map(str, picked(self.table.column(name, ""), self.rows))]
            levels = dict.fromkeys(cells)
            if 2 * len(levels) <= len(cells) and are_distinct([*zip(pairs.tolist(), cells, strict=True)]):
                first = next(iter(levels))
                return (
                    f"they differ in column {name!r} ({listed([*levels])}): give the rows of one, such as "
                    f"{first}, in a file of its own"
                )
        return ""

    def numbers(self, way_out: str = "") -> Floats:
        """Return the ratings as numbers."""
        values = as_numbers(self.found)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            found = self.found[row]
            is_number = isinstance(found, str) and re.fullmatch(r"\s*[-+]?[\d.]*,\d+\s*", found)
            point = " with a decimal point and no comma" if is_number else ""
            if isinstance(found, str) and found.strip().lower() in ("true", "false"):
                point = ", 1 for true and 0 for false"
            of_clusters = "; if the column is of clusters, name it as such (`cluster`), or leave it out"
            raise self.refuse(
                row,
                f"found {_in_words(found)}, expected a finite number{point}; "
                f"mend it, or {way_out or 'leave it out if it is missing'}"
                f"{of_clusters if self.value is None and self.raters_known else ''}",
            )
        return values


def as_numbers(cells: Sequence[Any]) -> Floats:
    """Return the cells' numbers, NaN where a cell is not a number."""
    if isinstance(cells, ArrowCells):
        return cells.numbers() if not cells.are_text else np.concatenate([*map(as_numbers, blocks(cells))])
    if set(map(type, cells)) <= {float, int, bool, str} and not any(
        "_" in cell for cell in cells if type(cell) is str
    ):
        try:
            return np.array(list(map(float, cells)), dtype=np.float64)
        except (ValueError, OverflowError):
            pass
    return np.array([_number(cell) for cell in cells], dtype=np.float64)


def _number(cell: Any) -> float:
    """Return the cell's number, NaN if it is not a number."""
    # float() would also read "1_000" and b"1".
    if isinstance(cell, bytes) or (isinstance(cell, str) and "_" in cell):
        return np.nan
    try:
        return float(cell == "True" if cell in ("True", "False") else cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def long_cells(table: Table, columns: Columns) -> Entries:
    """Return the ratings of a table with one row per rating."""
    items, found = _item_ids(table, columns), _column(table, columns, "value")
    rater, value = columns.rater, columns.value
    rows: Sequence[int] = range(len(items))
    if table.roles:  # a maker's file: a row need not hold every score
        rows = [row for row in rows if found[row] is not NOTHING]
        items, found = picked(items, rows), picked(found, rows)
    raters: Sequence[str]
    if rater is None:
        raters = numbered_within(items)
    else:
        hint = (
            "rename one, or name it with `rater`; if the raters are unknown, add a column rater with another "
            "id on each row"
        )
        raters = ids_in(table, rater, hint)
        if word := run_word(rater):
            raters = [name if word in name.lower() else f"{word} {name}" for name in raters]
        if table.roles:
            raters = picked(raters, rows)
    return Entries(items, raters, found, rows, table, value, columns, rater is not None)


def wide_cells(table: Table, columns: Columns, mending: Mending) -> Entries:
    """Return the ratings of a table with a row per item and a column per rater, which need no names."""
    raters = columns_beside(table, columns)
    items: Sequence[str]
    if table.nameless:
        items = as_ids(table, "", number_cells(np.arange(len(table))))
    else:
        items = _item_ids(table, columns)
        _refuse_no_raters(table, columns, raters)
        if mending.on_duplicates == "refuse":
            refuse_repeated(
                table,
                items,
                "; expected one row per item: merge the rows, or, if the table is long, name its columns "
                "with `rater` and `value`",
            )
    cells = [table.column(name, "") for name in raters]
    are_there = np.ones((len(items), len(raters)), dtype=bool)
    for place, column in enumerate(cells):
        are_there[empty_rows(column), place] = False
    rows, givers = np.nonzero(are_there)
    found = picked(joined(cells), givers * len(items) + rows)
    unrated = np.flatnonzero(~are_there.any(axis=1)).tolist()
    if unrated and mending.on_empty == "refuse":
        raise table.at(unrated[0]).error(
            f'item {items[unrated[0]]!r} has no rating; add one, or delete the row, as `on_empty="drop"` does'
        )
    # a single column holds answers, and its name need not be a person's
    known = len(raters) > 1 and not (table.nameless and columns.rater is None)
    names = [raters[giver] for giver in givers.tolist()]
    return Entries(picked(items, rows), names, found, rows, table, None, columns, known, len(unrated))


def _refuse_no_raters(table: Table, columns: Columns, raters: Sequence[str]) -> None:
    """Raise NbykError if a wide table has no rater, or columns that are of none by their names."""
    if not raters:
        raise table.place.error(
            f"no ratings beside {some(table.names)}; expected columns rater and value, or one per rater"
        )
    for name in raters:
        if not name.strip() or is_of_ids(name) or (len(raters) > 1 and is_of_no_rater(name)):
            is_value = name.strip().lower() in LIKE_VALUES
            way_out = f"name the values' column, as in {argument_with('value', name)}, or " * is_value
            raise table.place.error(
                f"column {name!r} is of no rater or run by its name; {way_out}leave it out, rename it if it "
                "holds the ratings of one rater, or, if each row is a rating, name the columns with `rater` "
                "and `value`"
            )


def _item_ids(table: Table, columns: Columns) -> Sequence[str]:
    return as_ids(table, columns.item, _column(table, columns, "item"))


def _column(table: Table, columns: Columns, role: str) -> Sequence[Any]:
    name: str = getattr(columns, role)
    if name not in table.names:
        refuse_unnamed([(table, columns, "")], columns)
    return table.column(name, "")


def _in_words(cell: Any) -> str:
    is_empty = cell is None or (isinstance(cell, str) and not cell.strip())
    return "no value" if is_empty else shown(cell)


def ids_in(table: Table, name: str, hint: str = "") -> Sequence[str]:
    """Return the ids in a column; `hint` is as in `Table.column`."""
    return as_ids(table, name, table.column(name, hint))


def as_ids(table: Table, name: str, cells: Sequence[Any]) -> Sequence[str]:
    """Return the cells of an id column as text: "007" stays, 7 and 7.0 become "7", dates are as in CSV."""
    if isinstance(cells, ArrowCells) and not cells.array.null_count:
        if cells.are_text and all(cells[row].strip() for row in cells.without_digits()):
            return cells
        if cells.are_whole:
            return cells.as_text()
    kinds = set(map(type, cells))
    if kinds == {int} or (kinds == {str} and all(map(str.strip, cells))):
        return [*map(str, cells)]
    ids: list[str] = []
    for row, (cell, text) in enumerate(zip(cells, id_texts(cells), strict=True)):
        if text is None:
            is_wide = isinstance(cell, float) and cell.is_integer()
            wanted = NO_ID if is_wide else "expected an id; use text or whole numbers"
            raise table.at(row).error(f"column {name!r}: found {shown(cell)}, {wanted}")
        if not text.strip():
            raise table.at(row).error(f"column {name!r}: the id is empty; give every row one")
        ids.append(text)
    return ids


def id_texts(cells: Sequence[Any]) -> list[str | None]:
    """Return ids as text, "" of a missing one, None of what is none; days have no time, as in CSV."""
    texts = [_id_text(cell) for cell in cells]
    times = [row for row, cell in enumerate(cells) if isinstance(cell, datetime.datetime)]
    if all(str(texts[row]).endswith(_MIDNIGHT) for row in times):
        for row in times:
            texts[row] = str(texts[row]).removesuffix(_MIDNIGHT)
    return texts


def _id_text(cell: Any) -> str | None:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell)) if abs(cell) < LARGEST_ID else None
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, int | datetime.date | uuid.UUID | decimal.Decimal) and not isinstance(cell, bool):
        return str(cell)
    return None


def refuse_repeated(table: Table, items: Sequence[str], way_out: str) -> None:
    """Raise NbykError if the item of a row comes again."""
    if are_distinct(items):
        return
    first: dict[str, int] = {}
    for row, name in enumerate(items):
        other = first.setdefault(name, row)
        if other != row:
            raise table.at(row).error(f"item {name!r} is already on {table.shown(other)}{way_out}")


def is_missing(cell: Any) -> bool:
    """Return whether a cell holds nothing: it is empty, null, NA or NaN."""
    if isinstance(cell, float):
        return cell != cell
    if isinstance(cell, str):
        return cell.strip().lower() in ("", "na", "nan")
    if isinstance(cell, np.ndarray):
        return False
    return cell is None or cell is NOTHING or type(cell).__name__ == "NAType" or bool(cell != cell)


def numbered_within(items: Sequence[Hashable]) -> list[str]:
    """Return a number for each rating, counted from 1 within its item, as rater ids of unknown raters."""
    counts: dict[Hashable, int] = {}
    if are_distinct(items):
        return ["1"] * len(items)
    numbers = []
    for name in items:
        counts[name] = counts.get(name, 0) + 1
        numbers.append(str(counts[name]))
    return numbers


@dataclass(frozen=True)
class Mending:
    """How to treat a rater's further ratings of an item, and rows without one, as `read_ratings` says."""

    on_duplicates: str = "refuse"
    on_empty: str = "refuse"

    def __post_init__(self) -> None:
        check_choice("on_duplicates", self.on_duplicates, ("refuse", "first", "last", "mean"))
        check_choice("on_empty", self.on_empty, ("refuse", "drop"))


def without_empty(cells: Entries, mending: Mending, expected: str) -> tuple[Entries, str]:
    """Return the cells that hold something, and in words how many are empty; errors say what was expected."""
    if cells.value is None:
        return cells, _left_out(cells, cells.n_unrated)
    empty = empty_rows(cells.found)
    if not empty:
        return cells, ""
    if mending.on_empty == "refuse":
        count = f" ({len(empty)} such rows in all)" if len(empty) > 1 else ""
        raise cells.refuse(
            empty[0],
            f"found {_in_words(cells.found[empty[0]])}, expected {expected}{count}; mend it, or leave the "
            'row out if the rating is missing, as `on_empty="drop"` does',
        )
    gone = set(empty)
    kept = cells.taken([row for row in range(len(cells.items)) if row not in gone])
    if not len(kept.items):
        raise cells.table.place.error(f"column {cells.value!r} holds no values; check the column's name")
    return kept, _left_out(cells, len(empty))


def empty_rows(cells: Sequence[Any]) -> list[int]:
    """Return the rows of a column whose cells hold nothing."""
    if isinstance(cells, ArrowCells):
        rows = (
            cells.without_digits() if cells.are_text else np.flatnonzero(np.isnan(cells.numbers())).tolist()
        )
        return [row for row in rows if is_missing(cells[row])]
    if set(map(type, cells)) <= {str, int, float}:
        missing = set(filter(is_missing, set(cells)))  # they repeat
        return [row for row, cell in enumerate(cells) if cell in missing] if missing else []
    return [row for row, cell in enumerate(cells) if is_missing(cell)]


def _left_out(cells: Entries, n: int) -> str:
    were = "was" if n == 1 else "were"
    return f"{cells.table.place}: {number_of(n, 'row')} without a value {were} left out" if n else ""


def without_duplicates(cells: Entries, values: Floats, mending: Mending) -> tuple[Entries, Floats, str]:
    """Return one rating per item and rater, and how many more there were; "refuse" changes nothing here."""
    if mending.on_duplicates == "refuse":
        return cells, values, ""
    rows_of: dict[tuple[str, str], list[int]] = {}
    for row, pair in enumerate(zip(cells.items, cells.raters, strict=True)):
        rows_of.setdefault(pair, []).append(row)
    n_more = len(cells.items) - len(rows_of)
    if not n_more:
        return cells, values, ""
    place = -1 if mending.on_duplicates == "last" else 0
    kept = [rows[place] for rows in rows_of.values()]
    numbers = values[kept]
    if mending.on_duplicates == "mean":
        numbers = np.array([values[rows].mean() for rows in rows_of.values()])
    what = "averaged" if mending.on_duplicates == "mean" else f"left out, the {mending.on_duplicates} kept"
    more = f"{number_of(n_more, 'further rating')} of an item by the same rater"
    were = "was" if n_more == 1 else "were"
    return cells.taken(kept), numbers, f"{cells.table.place}: {more} {were} {what}"
