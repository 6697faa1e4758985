"""Units: the raters or runs behind the responses of gold or of a system, and the items that they share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError

Integers = NDArray[np.int32]
KnownBy = Literal["ids", "columns", "fresh", "vector", "unknown"]


@dataclass(frozen=True, eq=False)
class Units:
    """The unit (rater or run) behind each response of one role: gold, or a system.

    Attributes
    ----------
    known_by
        How the units are known: by "ids" in a file, or by the "columns" of a table or array, each of which is
        one unit. "fresh" units answer one item each, as simulated ones do. The units of a "vector", one
        response per item, and "unknown" ones, such as those of lists that differ in length, cannot be told
        apart.
    names
        The units' names; empty if units are not known by ids or columns.
    index : ndarray of int32, shape (N, K), or None
        The unit of each response, as a place in `names`, in the layout of the response matrix; −1 where a
        response is missing. None if units are not known by ids or columns.
    """

    known_by: KnownBy
    names: tuple[str, ...] = ()
    index: Integers | None = None

    @cached_property
    def items_of(self) -> NDArray[np.int64]:
        """Number of items that each unit answers, shape (names,)."""
        if self.index is None:
            return np.zeros(0, np.int64)
        return np.bincount(self.index[self.index >= 0], minlength=len(self.names))

    @property
    def n_shared(self) -> int:
        """Number of units that answer two items or more."""
        return int((self.items_of > 1).sum())

    @property
    def most_items(self) -> int:
        """Number of items that the busiest unit answers; 0 if units are not known by ids or columns."""
        return int(self.items_of.max(initial=0))

    def taken(self, items: Any, columns: Any = slice(None)) -> Units:
        """Return the units of some items, and of some columns of the response matrix."""
        if self.index is None:
            return self
        index = self.index[items][:, columns]
        there = np.bincount(index[index >= 0], minlength=len(self.names)) > 0
        if there.all():
            return replace(self, index=index)
        places = np.append(np.cumsum(there) - 1, -1).astype(np.int32)  # the index −1, no unit, is the last
        names = tuple(name for name, is_there in zip(self.names, there, strict=True) if is_there)
        return replace(self, names=names, index=places[index])

    def declared(self, as_what: str, argument: str) -> Units:
        """Return the units as declared: "shared" between items, or "fresh" for each item."""
        if as_what == "fresh":
            return FRESH
        if as_what != "shared":
            raise NbykError(f"found {as_what!r}, expected shared or fresh", argument=argument)
        if self.n_shared == 0:
            found = (
                f"each of {len(self.names)} answers one item"
                if self.index is not None
                else "nothing says who gave which response"
            )
            raise NbykError(
                f"found shared, and {found}; give ids that items share, or say fresh", argument=argument
            )
        return self


FRESH = Units("fresh")
VECTOR = Units("vector")
UNKNOWN = Units("unknown")
ALL_FRESH = {"gold": FRESH, "a": FRESH, "b": FRESH}
"""The units of a simulated response set."""


def column_units(missing: NDArray[np.bool_]) -> Units:
    """Return the units of a matrix whose columns are one unit each, once its rows are packed to the left.

    Their names are the columns' numbers, from 0.

    Parameters
    ----------
    missing : ndarray of bool, shape (N, K)
        True where the matrix has no response, before its rows are packed to the left.

    Returns
    -------
    Units
        Those of a "vector" if there is only one column.
    """
    n_columns = missing.shape[1]
    if n_columns < 2:
        return VECTOR
    index = np.broadcast_to(np.arange(n_columns, dtype=np.int32), missing.shape)
    if missing.any():
        order = np.argsort(missing, axis=1, kind="stable")[:, : int((~missing).sum(axis=1).max())]
        index = np.where(np.take_along_axis(missing, order, axis=1), -1, order).astype(np.int32)
    return Units("columns", tuple(map(str, range(n_columns))), index)
