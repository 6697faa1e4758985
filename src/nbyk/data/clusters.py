"""Clusters of items, such as questions about one text: which cluster each item is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import DataPlace, NbykError

Integers = NDArray[np.int64]


def numbered_clusters(labels: Any, n_items: int) -> Integers:
    """Return the cluster of each item as a number, from 0 in the order of first appearance, shape (N,).

    Parameters
    ----------
    labels : sequence of str or int, shape (N,)
        The name of each item's cluster.
    n_items
        Number of items N.
    """
    found = np.asarray(labels, dtype=object)
    if found.shape != (n_items,):
        raise NbykError(
            f"found the shape {found.shape}, expected one cluster for each of {n_items} items",
            argument="cluster",
        )
    for row, label in enumerate(found.tolist()):
        if label is None or label != label or (isinstance(label, str) and not label.strip()):
            raise NbykError(
                f"item {row} has no cluster; name one for every item (a name of its own if the item stands "
                "alone)",
                argument="cluster",
            )
    places: dict[Any, int] = {}
    try:
        numbers = [places.setdefault(label, len(places)) for label in found.tolist()]
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
    """Return the cluster of each item, from the clusters of its ratings.

    Parameters
    ----------
    items
        The items' ids.
    item_index : ndarray of int, shape (n_ratings,)
        Which item each rating is of.
    clusters
        The cluster of each rating's row.
    at
        Returns the place of a rating, for errors.
    """
    of_item: list[str | None] = [None] * len(items)
    for row, (item, cluster) in enumerate(zip(item_index.tolist(), clusters, strict=True)):
        if of_item[item] is None:
            of_item[item] = cluster
        elif of_item[item] != cluster:
            raise at(row).error(
                f"item {items[item]!r} is in cluster {cluster!r}, and was in {of_item[item]!r}; "
                "expected one cluster per item: mend it, or give the items ids of their own"
            )
    return tuple(str(cluster) for cluster in of_item)
