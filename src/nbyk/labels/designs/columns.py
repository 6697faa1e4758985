"""Labels of items with their origin: one column of targets, or of one run's predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.alignment import ItemIds, common_items, rows_of
from nbyk.data.kinds import class_name
from nbyk.data.tables import DataRows
from nbyk.data.text import shown
from nbyk.errors import DataPlace
from nbyk.labels.raters import RatedTargets
from nbyk.metrics.label_scores import Kind

Array: TypeAlias = NDArray[Any]


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
    """

    values: Array
    rows: DataRows
    items: Array | None = None
    classes: tuple[str, ...] | None = None
    rated: RatedTargets | None = None

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
        if self.values.dtype.kind == "U" and not np.isin(np.char.lower(self.values), ("", "nan")).any():
            return self
        if self.values.dtype.kind in "iu":
            return replace(self, values=self.values.astype(str))
        cells = [class_name(cell, self.rows.at(row)) for row, cell in enumerate(self.values.tolist())]
        return replace(self, values=np.array(cells, dtype=str))

    @property
    def labels(self) -> Array:
        """The labels to compute with: hard ones as text (`as_text`), soft ones as they are."""
        return self.as_text().values if kind_of(self.values) == "hard" else self.values


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
    wanted = list(common_items([ItemIds(target.place, wanted), ItemIds(column.place, ids)]))
    return column.taken(rows_of(ids, wanted))


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
