"""Labels of items with their origin: one column of targets, or of one run's predictions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.alignment import differing_items
from nbyk.data.rows import DataRows
from nbyk.data.text import shown
from nbyk.errors import DataPlace, NbykError
from nbyk.labels.raters import RatedTargets
from nbyk.metrics.label_scores import Kind

Array: TypeAlias = NDArray[Any]

LONGEST_LABEL = 1000
"""Characters of the longest label."""

_HALF = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """Labels from a file: hard ones of shape (N,), soft ones (N, C).

    Attributes
    ----------
    values : ndarray, shape (N,) or (N, C)
        The labels.
    rows
        Their place, a file or a system and its run, and the line or row of each.
    items : ndarray, shape (N,), or None
        The items' ids; None if only the order identifies them.
    classes
        The classes of the columns of soft labels; None if only the order identifies them.
    rated
        The ratings behind the labels; None if they are not made from ratings.
    recognised
        The columns of ratings, and their roles, in words.
    """

    values: Array
    rows: DataRows
    items: Array | None = None
    classes: tuple[str, ...] | None = None
    rated: RatedTargets | None = None
    recognised: str = ""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def place(self) -> DataPlace:
        """The file, or the system and its run."""
        return self.rows.place

    def taken(self, rows: Array) -> LabelColumn:
        """Return the labels of some rows, in their order."""
        return replace(
            self,
            values=self.values[rows],
            rows=self.rows.taken(rows.tolist()),
            items=None if self.items is None else self.items[rows],
            rated=None,
        )

    def as_text(self) -> LabelColumn:
        """Return hard labels with every label as text; 3 and 3.0 become "3".

        Raises
        ------
        NbykError
            If one is missing, or is neither text nor a whole number.
        """
        if self.values.dtype.kind == "U":
            missing = np.isin(np.char.lower(self.values), ("", "nan"))
            if missing.any():
                raise self._missing(int(np.flatnonzero(missing)[0]))
            return self
        if self.values.dtype.kind in "iu":
            return replace(self, values=self.values.astype(str))
        cells = [self._text(row, cell) for row, cell in enumerate(self.values.tolist())]
        return replace(self, values=np.array(cells, dtype=str))

    @property
    def labels(self) -> Array:
        """The labels to compute with: hard ones as text (`as_text`), soft ones as they are."""
        return self.as_text().values if kind_of(self.values) == "hard" else self.values

    def _text(self, row: int, cell: Any) -> str:
        if cell is None or cell != cell or (isinstance(cell, str) and cell.strip().lower() in ("", "nan")):
            raise self._missing(row)
        if isinstance(cell, str):
            if "\0" in cell:
                raise self.rows.at(row).error(f"found {shown(cell)}; expected a class without NUL")
            return self._short(row, cell.strip())
        if isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer()):
            return self._short(row, str(int(cell)))
        raise self.rows.at(row).error(
            f"found {shown(cell)}; expected a class, text or a whole number (for rows of "
            "probabilities declare the kind soft)"
        )

    def _short(self, row: int, label: str) -> str:
        # An array of text stores all labels with the length of the longest.
        if len(label) > LONGEST_LABEL:
            raise self.rows.at(row).error(
                f"the label has {len(label):,} characters, expected at most {LONGEST_LABEL}; "
                "give its class a short name"
            )
        if _HALF.search(label):
            raise self.rows.at(row).error(f"{label!r} holds half a character; mend it")
        return label

    def _missing(self, row: int) -> NbykError:
        found = str(self.values[row])
        return self.rows.at(row).error(
            f"found {'no label' if found in ('', 'None') else found}, expected one; mend it, "
            "or leave the item out of all files"
        )


def in_order_of(column: LabelColumn, target: LabelColumn) -> LabelColumn:
    """Return predictions, or other targets, with the items and classes in the order of the targets'.

    If one of the two does not name its items or classes, they are taken to be in the other's order.

    Raises
    ------
    NbykError
        If both name their items or classes and these are not the same.
    """
    return _same_items(_same_classes(column, target), target)


def _same_classes(column: LabelColumn, target: LabelColumn) -> LabelColumn:
    if column.classes is None or target.classes is None or column.classes == target.classes:
        return column
    if set(column.classes) != set(target.classes):
        raise column.place.error(
            f"the classes are {', '.join(column.classes)}, those of {target.place} "
            f"{', '.join(target.classes)}; expected the same"
        )
    order = [column.classes.index(name) for name in target.classes]
    return replace(column, values=column.values[:, order], classes=target.classes)


def _same_items(column: LabelColumn, target: LabelColumn) -> LabelColumn:
    if column.items is None or target.items is None:
        return column
    ids, wanted = (as_ids(items) for items in (column.items, target.items))
    if ids == wanted:
        return column
    if set(ids) != set(wanted):
        raise differing_items([(column.place, ids)], target.place, wanted, "; give both the same items")
    row_of = {name: row for row, name in enumerate(ids)}
    return column.taken(np.array([row_of[name] for name in wanted]))


def check_items(items: Sequence[Any], at: Callable[[int], DataPlace]) -> None:
    """Check the ids of items as they were read.

    Parameters
    ----------
    items
        The ids.
    at
        Function that returns the place of a row, given its number from 0.

    Raises
    ------
    NbykError
        If an id is missing, is neither text nor a whole number, or comes twice; 7, 7.0 and "7" are one id.
    """
    seen: set[str] = set()
    for row, item in enumerate(items):
        if item is None or item != item or not str(item).strip():
            raise at(row).error("has no item; name every item, or none")
        is_whole = isinstance(item, int) or (isinstance(item, float) and item.is_integer())
        if isinstance(item, bool) or not (is_whole or isinstance(item, str)):
            raise at(row).error(f"found the item {shown(item)}; expected text or a whole number")
        name = item if isinstance(item, str) else str(int(item))
        if name in seen:
            raise at(row).error(f"item {shown(name)} comes twice; keep one row of each item")
        seen.add(name)


def as_ids(items: Array) -> list[str]:
    """Return ids as text; 7 and 7.0 become "7"."""
    return [
        str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
        for cell in items.tolist()
    ]


def kind_of(values: Array) -> Kind:
    """Return whether labels are hard, shape (N,), or soft, shape (N, C)."""
    return "hard" if values.ndim == 1 else "soft"
