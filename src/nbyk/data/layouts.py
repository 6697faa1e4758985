"""The layouts in which ratings come, long, wide and arrays, as one entry per rating."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.columns import Columns, naming, run_word
from nbyk.data.tables import Table
from nbyk.data.text import shown
from nbyk.errors import DataPlace, NbykError

Floats = NDArray[np.float64]

_NUMBERS = "biuf"

# If a table lacks the columns asked for but has one of these, it is more likely a long table with other names
# than a wide one. Read as a rater, such a column would silently make ratings out of ids.
_PEOPLE = ("rater", "annotator", "coder", "worker", "judge", "user")
_LONG_NAMES = {*_PEOPLE, *(f"{who}_id" for who in _PEOPLE), "item"}
_LONG_NAMES |= {"value", "score", "rating", "label", "response"}

LARGEST_ID = 2.0**53
NO_ID = "a number of so many digits that neighbours are the same; write it as text or as a whole number"
"""Floats beyond `LARGEST_ID` do not hold all whole numbers, so they name nothing."""

SUMMARIES = {"mean", "average", "avg", "total", "sum", "median", "std", "stdev", "overall", "majority"}
"""Names of rows and columns that people, and spreadsheets, put beside the data."""

NO_RATERS = {
    *SUMMARIES,
    *("confidence", "probability", "prob", "logprob", "logprobs", "perplexity", "loss"),
    *("latency", "duration", "time", "cost", "tokens", "n_tokens", "num_tokens", "length", "timestamp"),
}
# The names that pandas gives to the row numbers that it writes beside the data.
_ROW_NUMBERS = {"index", "unnamed: 0", "__index_level_0__"}


@dataclass(frozen=True)
class Entries:
    """Ratings as they were read, one entry per rating, with the places that errors name.

    Attributes
    ----------
    items, raters
        Ids, per rating.
    found
        The cells that should hold numbers.
    rows
        The row of each rating in `table`.
    table
        The table that they were read from.
    value
        The column of the ratings; None in the wide layout, whose columns are the raters.
    columns
        The columns that were recognised.
    raters_known
        Whether equal raters are one rater.
    n_unrated
        Rows of a wide table without a rating, which are left out.
    """

    items: list[str]
    raters: list[str]
    found: Sequence[Any]
    rows: Sequence[int]
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
    if re.fullmatch(r"-?\d+,\d+", text):
        return f" (write {text.replace(',', '.')})"
    return ""


def as_numbers(cells: Sequence[Any]) -> Floats:
    """Return the cells' numbers, NaN where a cell is not a number."""
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
    items, rater, value = _item_ids(table, columns), columns.rater, columns.value
    found = table.column(value, naming(table, columns, "value"))
    rows: Sequence[int] = range(len(items))
    if table.roles:  # a maker's file: a row need not hold every score
        cells = dict(table.cells(value))
        rows, found = list(cells), list(cells.values())
    items = [items[row] for row in rows]
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
        raters = [raters[row] for row in rows]
    return Entries(items, raters, found, rows, table, value, columns, rater is not None)


def wide_cells(
    table: Table, columns: Columns, *, guessed: bool, may_repeat: bool, may_be_unrated: bool
) -> Entries:
    """Return the ratings of a table with one row per item and one column per rater.

    Parameters
    ----------
    table
        The table.
    columns
        The columns of items and of clusters, which are no rater's, and that of the ratings in a long table.
    guessed
        Whether the layout was guessed; if so, a table that looks long is refused.
    may_repeat
        Whether an item may be on two rows.
    may_be_unrated
        Whether an item may have no rating; it is left out.
    """
    items = _item_ids(table, columns)
    raters = [name for name in table.names if name not in (columns.item, columns.cluster)]
    if not raters:
        raise table.place.error(
            f"the only column is {columns.item!r}; expected columns rater and value, or one per rater"
        )
    alike = [name for name in raters if name.lower() in _LONG_NAMES]
    if guessed and alike:
        raise table.place.error(
            f"no column {columns.value!r}, yet {alike[0]!r} looks like a column of a long "
            "table; name the columns with `rater` and `value`, or rename it if it holds the ratings of one "
            "rater"
        )
    for position, name in enumerate(table.names):
        if guessed and name.lower() in NO_RATERS and name in raters and len(raters) > 1:
            raise table.place.error(
                f"column {name!r} is of no rater or run by its name; leave it out, or name the column of the "
                "ratings with `value`"
            )
        if guessed and name.lower() in _ROW_NUMBERS:
            raise table.place.error(
                f"column {name!r} looks like row numbers, expected a rater; "
                "delete it, or rename it if it holds the ratings of one rater"
            )
        if not name.strip():
            raise table.place.error(
                f"column {position + 1} has no name; name every rater, or delete the column"
            )
    seen: dict[str, int] = {}
    for row, name in enumerate(items):
        if name in seen and not may_repeat:
            raise table.at(row).error(
                f"item {name!r} is already on {table.rows.shown(seen[name])}; "
                "expected one row per item: merge the rows, or, if the table is long, name its columns with "
                "`rater` and `value`"
            )
        seen[name] = row
    present = [
        (row, name, cell) for name in raters for row, cell in table.cells(name) if not is_missing(cell)
    ]
    present.sort(key=itemgetter(0))
    rated = {row for row, _, _ in present}
    for row, name in enumerate(items):
        if row not in rated and not may_be_unrated:
            raise table.at(row).error(f"item {name!r} has no rating; add one, or delete the row")
    return Entries(
        [items[row] for row, _, _ in present],
        [name for _, name, _ in present],
        [cell for _, _, cell in present],
        [row for row, _, _ in present],
        table,
        None,
        columns,
        n_unrated=len(items) - len(rated),
    )


def nameless_cells(table: Table) -> Entries:
    """Return the cells of an array, text or list, whose items have no ids but the numbers of their rows."""
    array = table.array
    if array is None:
        places = [(row, column) for row in range(len(table)) for column in range(len(table.names))]
        return _nameless(table, places, [table.columns[column][row] for row, column in places])
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
        return _nameless(table, [(row, 0) for row in range(len(matrix))], matrix[:, 0].tolist())
    matrix = matrix.astype(np.float64)
    missing = np.isnan(matrix)
    if missing.all(axis=1).any():
        row = int(np.flatnonzero(missing.all(axis=1))[0])
        raise table.at(row).error("the item has no rating, only NaN; add one, or delete the row")
    rows, columns = np.nonzero(~missing)
    return _nameless(
        table, list(zip(rows.tolist(), columns.tolist(), strict=True)), matrix[rows, columns].tolist()
    )


def _nameless(table: Table, places: Sequence[tuple[int, int]], cells: Sequence[Any]) -> Entries:
    rows = [row for row, _ in places]
    raters = [str(column) for _, column in places]
    # a vector does not tell who gave its ratings
    known = len(set(raters)) > 1
    return Entries(list(map(str, rows)), raters, cells, rows, table, None, raters_known=known)


def _item_ids(table: Table, columns: Columns) -> list[str]:
    return as_ids(table, columns.item, table.column(columns.item, naming(table, columns, "item")))


def as_ids(table: Table, name: str, cells: Sequence[Any]) -> list[str]:
    """Return the cells of an id column as text, dates and such as in a file of text.

    "007" stays "007", and 7 and 7.0 become "7".
    """
    if set(map(type, cells)) == {str} and all(map(str.strip, set(cells))):
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


def is_missing(cell: Any) -> bool:
    """Return whether a cell holds nothing: it is empty, null, NA or NaN."""
    if isinstance(cell, float):
        return cell != cell
    if isinstance(cell, str):
        return cell.strip().lower() in ("", "na", "nan")
    return cell is None or bool(cell != cell)


def numbered_within(items: Sequence[Hashable]) -> list[str]:
    """Return a number for each rating, counted from 1 within its item, as rater ids of unknown raters."""
    counts: dict[Hashable, int] = {}
    if len(set(items)) == len(items):
        return ["1"] * len(items)
    numbers = []
    for name in items:
        counts[name] = counts.get(name, 0) + 1
        numbers.append(str(counts[name]))
    return numbers
