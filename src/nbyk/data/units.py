"""Units: the raters or runs behind responses, and the items that they share; clusters of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Integers
from nbyk.errors import DataPlace, NbykError, check_choice

KnownBy = Literal["ids", "fresh", "vector", "unknown"]


@dataclass(frozen=True, eq=False)
class Units:
    """The unit (rater or run) behind each response of one role: gold, or a system.

    Attributes
    ----------
    known_by
        How the units are known: by "ids" in a table, or by the names or numbers of its columns, each of which
        is one unit. "fresh" units answer one item each, as simulated ones do. The units of a "vector", one
        response per item, and "unknown" ones, such as those of lists that differ in length, cannot be told
        apart.
    names
        The units' names; empty if units are not known by ids.
    index : ndarray of int32, shape (N, K), or None
        The unit of each response, as a place in `names`, in the layout of the response matrix; −1 where a
        response is missing. None if units are not known by ids.
    """

    known_by: KnownBy
    names: tuple[str, ...] = ()
    index: NDArray[np.int32] | None = None

    @cached_property
    def items_of(self) -> Integers:
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
        """Number of items that the busiest unit answers; 0 if units are not known by ids."""
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
        check_choice(argument, as_what, ("shared", "fresh"))
        if as_what == "fresh":
            return FRESH
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


def is_no_name(label: Any) -> bool:
    """Return whether a label names nothing: it is None, NA, NaN or blank."""
    if label is None or type(label).__name__ == "NAType":
        return True
    return not label.strip() if isinstance(label, str) else bool(label != label)


def numbered_clusters(labels: Any, n_items: int) -> Integers:
    """Return the cluster of each item as a number, from 0 in the order of first appearance, shape (N,).

    `labels`, shape (N,), are text or whole numbers, the names of each item's cluster.
    """
    names = np.asarray(labels, dtype=object)
    if names.shape != (n_items,):
        raise NbykError(
            f"found the shape {names.shape}, expected one cluster for each of {n_items} items",
            argument="cluster",
        )
    for row, label in enumerate(names.tolist()):
        if is_no_name(label):
            raise NbykError(
                f"item {row} has no cluster; name one for every item (a name of its own if the item stands "
                "alone)",
                argument="cluster",
            )
    places: dict[Any, int] = {}
    try:
        numbers = [places.setdefault(label, len(places)) for label in names.tolist()]
    except TypeError:
        raise NbykError(
            "found an id that is neither text nor a whole number; give text or whole numbers",
            argument="cluster",
        ) from None
    if len(places) < 2:
        raise NbykError(
            f"all {n_items} items are in one cluster, {next(iter(places))!r}; expected two or more "
            "clusters; leave the clusters out",
            argument="cluster",
        )
    return np.array(numbers, dtype=np.int64)


def clusters_of_items(
    items: Sequence[str], item_index: Integers, clusters: Sequence[str], at: Callable[[int], DataPlace]
) -> tuple[str, ...]:
    """Return the cluster of each item, from those of its ratings; `at` returns the place of one."""
    cluster_of: dict[int, str] = {}
    for row, (item, cluster) in enumerate(zip(item_index.tolist(), clusters, strict=True)):
        if (other := cluster_of.setdefault(item, cluster)) != cluster:
            raise at(row).error(
                f"item {items[item]!r} is in cluster {cluster!r}, and was in {other!r}; "
                "expected one cluster per item: mend it, or give the items ids of their own"
            )
    return tuple(cluster_of[item] for item in range(len(items)))
