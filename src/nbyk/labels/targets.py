"""Labels from raw ratings: soft labels that keep the differences of raters, and hard labels by majority."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.labels import LabelOrigin, number_rows, refuse_cells
from nbyk.data.ratings import Ratings
from nbyk.data.response_set import response_matrix
from nbyk.data.scales import Binary, Levels
from nbyk.errors import NbykError, unknown_name

Floats: TypeAlias = NDArray[np.float64]
Ties: TypeAlias = Literal["refuse", "lowest", "highest"]

_SAME_LEVEL = 1e-9
_LARGEST_COUNT = 2.0**53
"""Floats hold every whole number up to this."""


class Majority(NamedTuple):
    """Hard labels by majority.

    Attributes
    ----------
    labels : ndarray, shape (N,)
        The level that most of an item's ratings have.
    tied : ndarray of bool, shape (N,)
        Whether several levels share the most ratings.
    """

    labels: Floats
    tied: NDArray[np.bool_]


def soft_labels(
    ratings: Ratings | ArrayLike, levels: Levels | Binary | Sequence[float], *, smoothing: float = 0.0
) -> Floats:
    """Return each item's distribution of ratings over the levels of their scale.

    Parameters
    ----------
    ratings : Ratings or array_like, shape (N, K)
        Ratings of items, NaN where missing; for a table, rows are in the order of its items.
    levels
        The levels, in the ratings' own unit; they are the classes, in this order.
    smoothing
        Ratings added to every level of every item; 0 for shares, 1 for Laplace's rule.

    Returns
    -------
    ndarray, shape (N, levels)
        Rows that sum to one.

    Raises
    ------
    NbykError
        If a rating is not one of the levels, an item has no rating, the levels are fewer than two or not
        increasing, or the smoothing is negative or infinite.
    """
    return shares_of_counts(_level_counts(ratings, level_values(levels)), smoothing=smoothing)


def shares_of_counts(counts: ArrayLike, *, smoothing: float = 0.0) -> Floats:
    """Return each item's distribution over the classes, from the counts of people who chose each.

    Parameters
    ----------
    counts : array_like, shape (N, C)
        Whole numbers, 0 or more: the number of ratings of each item (row) in each class (column).
    smoothing
        Ratings added to every class of every item; 0 for shares, 1 for Laplace's rule.

    Returns
    -------
    ndarray, shape (N, C)
        Rows that sum to one.

    Raises
    ------
    NbykError
        If the counts are not such a table, an item has no rating and nothing is added, or the smoothing is
        negative or infinite. The message names the row.
    """
    return shares_of(LabelOrigin("counts"), counts, smoothing)


def shares_of(origin: LabelOrigin, counts: ArrayLike, smoothing: float) -> Floats:
    """Return `shares_of_counts`; errors name the origin of the counts."""
    if not 0.0 <= smoothing < np.inf:
        raise NbykError(f"found {smoothing}; expected a finite number, 0 or more", argument="smoothing")
    rows = number_rows(origin, counts)
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] < 2:
        shape = " × ".join(map(str, rows.shape))
        raise NbykError(
            f"{origin}: found an array of {shape}; expected a row per item, and in it a count of ratings "
            "for each of two or more classes"
        )
    wrong = ~((rows >= 0.0) & (rows < _LARGEST_COUNT) & (rows == np.rint(rows)))
    expected = "a count of ratings: a whole number, 0 or more (rows of probabilities are targets)"
    refuse_cells(origin, rows, wrong, expected)
    empty = rows.sum(axis=1) == 0.0
    if empty.any() and smoothing == 0.0:
        row = int(np.flatnonzero(empty)[0])
        raise NbykError(
            f"{origin}: {origin.place(row)} has no rating; leave the item out everywhere, or add some to "
            "every class by smoothing"
        )
    rows += smoothing
    shares: Floats = rows / rows.sum(axis=1, keepdims=True)
    return shares


def majority_labels(
    ratings: Ratings | ArrayLike, levels: Levels | Binary | Sequence[float], *, ties: Ties = "refuse"
) -> Majority:
    """Return each item's most frequent rating.

    Parameters
    ----------
    ratings, levels
        As `soft_labels`.
    ties
        If several levels share the most ratings: "refuse", or take the "lowest" or the "highest" of them.

    Raises
    ------
    NbykError
        As `soft_labels`, or if items are tied and ties are refused.
    """
    if ties not in get_args(Ties):
        raise unknown_name("way to break ties", str(ties), get_args(Ties))
    scale = level_values(levels)
    counts = _level_counts(ratings, scale)
    most = counts == counts.max(axis=1, keepdims=True)
    tied = most.sum(axis=1) > 1
    if ties == "refuse" and tied.any():
        row = int(np.flatnonzero(tied)[0])
        item = ratings.items[row] if isinstance(ratings, Ratings) else row
        raise NbykError(
            f"majority: {int(tied.sum())} of {len(tied)} items are tied, the first is {item!r}; "
            "choose `ties` lowest or highest, or keep the ratings' variance with soft_labels"
        )
    place = len(scale) - 1 - most[:, ::-1].argmax(axis=1) if ties == "highest" else most.argmax(axis=1)
    return Majority(scale[place], tied)


def level_values(levels: Levels | Binary | Sequence[float]) -> Floats:
    """Return the levels of a scale in the ratings' own unit."""
    if isinstance(levels, Binary):
        return np.array([0.0, 1.0])
    return np.array((levels if isinstance(levels, Levels) else Levels(tuple(levels))).levels)


def _level_counts(ratings: Ratings | ArrayLike, levels: Floats) -> Floats:
    """Return the number of each item's ratings at each level, shape (N, levels)."""
    if isinstance(ratings, Ratings):
        items, values = ratings.item_index, ratings.values
        names: Sequence[str] = ratings.items
    else:
        matrix = response_matrix(ratings, "ratings")
        items, columns = np.nonzero(~np.isnan(matrix))
        values = matrix[items, columns]
        names = [str(row) for row in range(len(matrix))]
    nearest = np.abs(values[:, np.newaxis] - levels).argmin(axis=1)
    off = np.abs(values - levels[nearest]) > _SAME_LEVEL
    if off.any():
        place = int(np.flatnonzero(off)[0])
        shown = ", ".join(f"{level:g}" for level in levels)
        raise NbykError(
            f"ratings: item {names[items[place]]!r} has {values[place]:g}; expected one of the levels "
            f"{shown}: give the levels in the ratings' own unit"
        )
    cells = items * len(levels) + nearest
    return np.bincount(cells, minlength=len(names) * len(levels)).reshape(len(names), -1).astype(np.float64)
