"""Rows that repeat a rating or hold none: refused with their number, or mended as the user asks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.layouts import Entries, is_missing
from nbyk.data.text import shown
from nbyk.errors import NbykError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mending:
    """How to treat a rater's further ratings of an item, and rows without a rating.

    Attributes
    ----------
    on_duplicates
        "refuse", "first", "last" or "mean".
    on_empty
        "refuse" or "drop".
    """

    on_duplicates: str = "refuse"
    on_empty: str = "refuse"

    def __post_init__(self) -> None:
        for name, known in (
            ("on_duplicates", ("refuse", "first", "last", "mean")),
            ("on_empty", ("refuse", "drop")),
        ):
            if getattr(self, name) not in known:
                raise NbykError(
                    f"found {getattr(self, name)!r}, expected {', '.join(known[:-1])} or {known[-1]}",
                    argument=name,
                )


def without_empty(cells: Entries, mending: Mending, expected: str) -> tuple[Entries, str]:
    """Return the cells that hold something, and in words how many are empty; errors say what was expected."""
    empty = [row for row, cell in enumerate(cells.found) if is_missing(cell)]
    if cells.value is None:
        return cells, _left_out(cells, cells.n_unrated)
    if not empty:
        return cells, ""
    if mending.on_empty == "refuse":
        cell = cells.found[empty[0]]
        what = "no value" if cell is None or (isinstance(cell, str) and not cell.strip()) else shown(cell)
        count = f" ({len(empty)} such rows in all)" if len(empty) > 1 else ""
        raise cells.at(empty[0]).error(
            f"column {cells.column(empty[0])!r}: found {what}, expected "
            f"{expected}{count}; mend it, or leave the row out if the rating is missing, as `on_empty` drop "
            "does"
        )
    gone = set(empty)
    kept = taken(cells, [row for row in range(len(cells.items)) if row not in gone])
    if not kept.items:
        raise cells.table.place.error(f"column {cells.value!r} holds no values; check the column's name")
    return kept, _left_out(cells, len(empty))


def _left_out(cells: Entries, n: int) -> str:
    plural = "row without a value was" if n == 1 else "rows without a value were"
    return f"{cells.table.place}: {n} {plural} left out" if n else ""


def without_duplicates(cells: Entries, values: Floats, mending: Mending) -> tuple[Entries, Floats, str]:
    """Return one rating per item and rater, and in words how many more there were.

    With "refuse" nothing changes: `Ratings.from_columns` refuses further ratings.
    """
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
    of_them = (
        "rating of an item by the same rater was"
        if n_more == 1
        else ("ratings of an item by the same rater were")
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
