"""The layouts in which ratings come, long, wide and arrays, as one entry per rating; repeats and gaps."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.cells import Cells, Indices, are_distinct, blocks, number_cells, text_of_numbers
from nbyk.data.columns import LONG_NAMES, ROW_NUMBERS, Columns, is_of_no_rater, naming, run_word
from nbyk.data.tables import Table
from nbyk.data.text import check_choice, shown
from nbyk.errors import DataPlace, NbykError

Floats = NDArray[np.float64]

_NUMBERS = "biuf"

LARGEST_ID = 2.0**53
NO_ID = "a number of so many digits that neighbours are the same; write it as text or as a whole number"
"""Floats beyond `LARGEST_ID` do not hold all whole numbers, so they name nothing."""


@dataclass(frozen=True)
class Entries:
    """Ratings as they were read, one entry per rating, with the rows in the table that errors name.

    `value` is the column of the ratings, None in the wide layout, of which `n_unrated` rows are left out.
    `columns` are those that were recognised. Equal raters are one rater if they are known.
    """

    items: Sequence[str]
    raters: Sequence[str]
    found: Sequence[Any]
    rows: Sequence[int] | Indices
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
        if self.value is not None:
            return self.value
        return self.table.names[int(self.raters[row])] if self.table.nameless else self.raters[row]

    def numbers(self, noun: str = "value", way_out: str = "") -> Floats:
        """Return the ratings as numbers."""
        array = self.table.array
        if array is not None and array.dtype.kind not in _NUMBERS:
            raise _no_numbers(self.table)
        values = as_numbers(self.found)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            found = self.found[row]
            empty = found is None or (isinstance(found, str) and not found.strip())
            what = f"no {noun}" if empty else shown(found)
            out = "leave the cell empty" if self.value is None else "leave the row out"
            named = "" if len(self.table.names) == 1 else f"column {self.column(row)!r}: "
            raise self.at(row).error(
                f"{named}found {what}, expected a finite number; "
                f"mend it{_as_number(found)}, or {way_out or f'{out} if the rating is missing'}"
            )
        return values


def _no_numbers(table: Table) -> NbykError:
    assert table.array is not None
    return table.place.error(
        f"found an array of {table.array.dtype}, expected numbers; convert it to float64"
    )


def _as_number(found: Any) -> str:
    """Return how to write a cell as a number, in words; "" if that is not known."""
    text = found.strip().lower() if isinstance(found, str) else ""
    if text in ("yes", "no", "true", "false", "correct", "incorrect", "wrong", "right"):
        return " (write 1 for yes, right or true, and 0 for the other)"
    if re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+", text):
        return f" (write {text.replace(',', '')} if the comma separates thousands)"
    if re.search(r"\d\s+-?[\d.]+\s+-?[\d.]+", text):
        return " (several numbers: write one a line, and one file for each system)"
    if re.fullmatch(r"-?\d+,\d+", text):
        return f" (write {text.replace(',', '.')})"
    return ""


def as_numbers(cells: Sequence[Any]) -> Floats:
    """Return the cells' numbers, NaN where a cell is not a number."""
    if isinstance(cells, Cells):
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
    items: Sequence[str] = _item_ids(table, columns)
    rater, value = columns.rater, columns.value
    found = table.column(value, naming(table, columns, "value"))
    rows: Sequence[int] = range(len(items))
    if table.roles:  # a maker's file: a row need not hold every score
        cells = dict(table.cells(value))
        rows, found = list(cells), list(cells.values())
        items = [items[row] for row in rows]
    raters: Sequence[str]
    if rater is None:
        raters = numbered_within(items)
    else:
        hint = (
            "rename one, or name it with `rater`; if the raters are unknown, add a column rater with another "
            "id on each row"
        )
        raters = as_ids(table, rater, table.column(rater, hint))
        if word := run_word(rater):
            raters = [name if word in name.lower() else f"{word} {name}" for name in raters]
        if table.roles:
            raters = [raters[row] for row in rows]
    return Entries(items, raters, found, rows, table, value, columns, rater is not None)


def wide_cells(table: Table, columns: Columns, mending: Mending) -> Entries:
    """Return the ratings of a table with a row per item and a column per rater, unless it looks long."""
    items = _item_ids(table, columns)
    raters = [name for name in table.names if name not in (columns.item, columns.cluster)]
    if not raters:
        raise table.place.error(
            f"the only column is {columns.item!r}; expected columns rater and value, or one per rater"
        )
    alike = [name for name in raters if name.lower() in LONG_NAMES]
    if alike:
        raise table.place.error(
            f"no column {columns.value!r}, yet {alike[0]!r} looks like a column of a long "
            "table; name the columns with `rater` and `value`, or rename it if it holds the ratings of one "
            "rater"
        )
    for position, name in enumerate(table.names):
        if is_of_no_rater(name) and name in raters and len(raters) > 1:
            raise table.place.error(
                f"column {name!r} is of no rater or run by its name; leave it out, or name the column of the "
                "ratings with `value`"
            )
        if name.lower() in ROW_NUMBERS:
            raise table.place.error(
                f"column {name!r} looks like row numbers, expected a rater; "
                "delete it, or rename it if it holds the ratings of one rater"
            )
        if not name.strip():
            raise table.place.error(
                f"column {position + 1} has no name; name every rater, or delete the column"
            )
    if mending.on_duplicates == "refuse":
        refuse_repeated(
            table,
            items,
            "; expected one row per item: merge the rows, or, if the table is long, name its columns with "
            "`rater` and `value`",
        )
    present = [
        (row, name, cell) for name in raters for row, cell in table.cells(name) if not is_missing(cell)
    ]
    present.sort(key=itemgetter(0))
    rows, givers, found = map(list, zip(*present, strict=True)) if present else ([], [], [])
    rated = set(rows)
    unrated = [row for row in range(len(items)) if row not in rated]
    if unrated and mending.on_empty == "refuse":
        raise table.at(unrated[0]).error(
            f"item {items[unrated[0]]!r} has no rating; add one, or delete the row"
        )
    names = [items[row] for row in rows]
    known = len(raters) > 1  # a single column holds answers, and its name need not be a person's
    return Entries(names, givers, found, rows, table, None, columns, known, len(unrated))


def nameless_cells(table: Table, mending: Mending) -> Entries:
    """Return the cells of an array, text or list, whose items have no ids but the numbers of their rows."""
    array = table.array
    if array is None:
        n_rows, n_columns = len(table), len(table.names)
        cells = [cell for row in zip(*table.columns, strict=True) for cell in row]
        places = np.divmod(np.arange(n_rows * n_columns), n_columns)
        return _nameless(table, mending, *places, cells)
    if array.ndim not in (1, 2):
        raise table.place.error(
            f"found an array of {array.ndim} dimensions, expected two, items × ratings; reshape it"
        )
    if array.size == 0:
        raise table.place.error("the array is empty; expected items × ratings with at least two items")
    matrix = array.reshape(len(array), -1)
    if array.dtype.kind not in _NUMBERS:
        if array.dtype.kind not in "UO" or matrix.shape[1] > 1:
            raise _no_numbers(table)
        rows = np.arange(len(matrix))
        return _nameless(table, mending, rows, np.zeros_like(rows), matrix[:, 0].tolist())
    matrix = matrix.astype(np.float64)
    missing = np.isnan(matrix)
    if missing.all(axis=1).any() and mending.on_empty == "refuse":
        row = int(np.flatnonzero(missing.all(axis=1))[0])
        raise table.at(row).error(
            'the item has no rating, only NaN; add one, or delete the row, as `on_empty="drop"` does'
        )
    rows, columns = np.nonzero(~missing)
    return _nameless(table, mending, rows, columns, number_cells(matrix[rows, columns]))


def _nameless(
    table: Table, mending: Mending, rows: Indices, columns: Indices, cells: Sequence[Any]
) -> Entries:
    if mending.on_empty == "drop" and (empty := _empty_rows(cells)):
        kept = np.delete(np.arange(len(cells)), empty)
        rows, columns, cells = rows[kept], columns[kept], [cells[place] for place in kept.tolist()]
    # a vector does not tell who gave its ratings
    known = len(columns) > 0 and bool((columns != columns[0]).any())
    raters = list(map(list(map(str, range(len(table.names)))).__getitem__, columns.tolist()))
    n_unrated = len(table) - len(np.unique(rows))
    items = text_of_numbers(rows)
    return Entries(items, raters, cells, rows, table, None, raters_known=known, n_unrated=n_unrated)


def _item_ids(table: Table, columns: Columns) -> Sequence[str]:
    return as_ids(table, columns.item, table.column(columns.item, naming(table, columns, "item")))


def as_ids(table: Table, name: str, cells: Sequence[Any]) -> Sequence[str]:
    """Return the cells of an id column as text: "007" stays, 7 and 7.0 become "7", dates are as in CSV."""
    if isinstance(cells, Cells) and not cells.array.null_count:
        if cells.are_text and all(cells[row].strip() for row in cells.without_digits()):
            return cells
        if cells.are_whole:
            return text_of_numbers(cells.array)
    if set(map(type, cells)) == {str} and all(map(str.strip, cells)):
        return list(cells)
    ids: list[str] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            text = cell
        elif isinstance(cell, float) and cell.is_integer():
            if abs(cell) >= LARGEST_ID:
                raise table.at(row).error(f"column {name!r}: found {shown(cell)}, {NO_ID}")
            text = str(int(cell))
        elif isinstance(cell, datetime.date | uuid.UUID | decimal.Decimal) and cell == cell:
            text = str(cell).removesuffix(" 00:00:00")
        elif isinstance(cell, int) and not isinstance(cell, bool):
            text = str(cell)
        elif cell is None or cell != cell:
            text = ""
        else:
            raise table.at(row).error(
                f"column {name!r}: found {shown(cell)}, expected an id; use text or whole numbers"
            )
        if not text.strip():
            raise table.at(row).error(f"column {name!r}: the id is empty; give every row one")
        ids.append(text)
    return ids


def refuse_repeated(
    table: Table, items: Sequence[str], way_out: str, rows: Sequence[int] | Indices | None = None
) -> None:
    """Raise NbykError if an item comes again; `rows` are those of the items in the table, by default all."""
    if are_distinct(items):
        return
    first: dict[str, int] = {}
    rows = range(len(items)) if rows is None else rows
    for row, name in zip(rows, items, strict=True):
        other = first.setdefault(name, row)
        if other != row:
            raise table.at(row).error(f"item {name!r} is already on {table.shown(other)}{way_out}")


def is_missing(cell: Any) -> bool:
    """Return whether a cell holds nothing: it is empty, null, NA or NaN."""
    if isinstance(cell, float):
        return cell != cell
    if isinstance(cell, str):
        return cell.strip().lower() in ("", "na", "nan")
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)


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
    empty = _empty_rows(cells.found)
    if not empty:
        return cells, ""
    if mending.on_empty == "refuse":
        cell = cells.found[empty[0]]
        what = "no value" if cell is None or (isinstance(cell, str) and not cell.strip()) else shown(cell)
        count = f" ({len(empty)} such rows in all)" if len(empty) > 1 else ""
        raise cells.at(empty[0]).error(
            f"column {cells.column(empty[0])!r}: found {what}, expected "
            f"{expected}{count}; mend it, or leave the row out if the rating is missing, as "
            '`on_empty="drop"` does'
        )
    gone = set(empty)
    kept = taken(cells, [row for row in range(len(cells.items)) if row not in gone])
    if not kept.items:
        raise cells.table.place.error(f"column {cells.value!r} holds no values; check the column's name")
    return kept, _left_out(cells, len(empty))


def _empty_rows(cells: Sequence[Any]) -> list[int]:
    if isinstance(cells, Cells):
        rows = (
            cells.without_digits() if cells.are_text else np.flatnonzero(np.isnan(cells.numbers())).tolist()
        )
        return [row for row in rows if is_missing(cells[row])]
    if set(map(type, cells)) <= {str, int, float}:
        missing = set(filter(is_missing, set(cells)))  # they repeat
        return [row for row, cell in enumerate(cells) if cell in missing] if missing else []
    return [row for row, cell in enumerate(cells) if is_missing(cell)]


def _left_out(cells: Entries, n: int) -> str:
    plural = "row without a value was" if n == 1 else "rows without a value were"
    return f"{cells.table.place}: {n} {plural} left out" if n else ""


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
    of_them = "rating{} of an item by the same rater {}".format(
        *(("", "was") if n_more == 1 else ("s", "were"))
    )
    return taken(cells, kept), numbers, f"{cells.table.place}: {n_more} further {of_them} {what}"


def taken(cells: Entries, kept: list[int]) -> Entries:
    """Return some of the cells, in their order."""
    return replace(
        cells,
        items=[cells.items[row] for row in kept],
        raters=[cells.raters[row] for row in kept],
        found=[cells.found[row] for row in kept],
        rows=[cells.rows[row] for row in kept],
    )
