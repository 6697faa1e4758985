"""Labels from raw ratings: soft labels that keep the differences of raters, and hard labels by majority."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.kinds import refuse_cells
from nbyk.data.labels import number_rows
from nbyk.data.ratings import Ratings
from nbyk.data.response_set import response_matrix
from nbyk.data.scales import Binary, Levels
from nbyk.data.tables import DataRows, named_rows
from nbyk.errors import DataPlace, NbykError, unknown_name

Floats: TypeAlias = NDArray[np.float64]
LevelsLike: TypeAlias = Levels | Binary | Sequence[float] | Sequence[str]
Ties: TypeAlias = Literal["refuse", "lowest", "highest"]

_SAME_LEVEL = 1e-9
_LARGEST_COUNT = 2.0**53
"""Floats hold every whole number up to this."""


class Majority(NamedTuple):
    """Hard labels by majority.

    Attributes
    ----------
    labels : ndarray, shape (N,)
        The level, or the name of the class, that most of an item's ratings have.
    tied : ndarray of bool, shape (N,)
        Whether several levels share the most ratings.
    """

    labels: NDArray[Any]
    tied: NDArray[np.bool_]


def soft_labels(ratings: Ratings | ArrayLike, levels: LevelsLike, *, smoothing: float = 0.0) -> Floats:
    """Return each item's distribution of ratings over the levels of their scale.

    Parameters
    ----------
    ratings : Ratings or array_like, shape (N, K)
        Ratings of items, NaN where missing; for a table, rows are in the order of its items. Ratings may be
        names of classes: text, None where missing.
    levels
        The levels, in the ratings' own unit; they are the classes, in this order. Or the names of the
        classes; the values of a table are then their places (`nbyk.labels.designs.read_class_ratings`).
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
    return shares_of_counts(_level_counts(ratings, levels), smoothing=smoothing)


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
    return shares_of(named_rows("counts"), counts, smoothing)


def shares_of(origin: DataRows, counts: ArrayLike, smoothing: float) -> Floats:
    """Return `shares_of_counts`; errors name the origin of the counts."""
    if not 0.0 <= smoothing < np.inf:
        raise NbykError(f"found {smoothing}; expected a finite number, 0 or more", argument="smoothing")
    rows = number_rows(origin, counts)
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] < 2:
        shape = " × ".join(map(str, rows.shape))
        raise origin.error(
            f"found an array of {shape}; expected a row per item, and in it a count of ratings "
            "for each of two or more classes"
        )
    wrong = ~((rows >= 0.0) & (rows < _LARGEST_COUNT) & (rows == np.rint(rows)))
    expected = "a count of ratings: a whole number, 0 or more (rows of probabilities are targets)"
    refuse_cells(rows, wrong, expected, origin.at)
    empty = rows.sum(axis=1) == 0.0
    if empty.any() and smoothing == 0.0:
        row = int(np.flatnonzero(empty)[0])
        raise origin.at(row).error(
            "has no rating; leave the item out everywhere, or add some to every class by smoothing"
        )
    rows += smoothing
    shares: Floats = rows / rows.sum(axis=1, keepdims=True)
    return shares


def check_ties(ties: str) -> None:
    """Raise NbykError if there is no such way to break ties."""
    if ties not in get_args(Ties):
        raise unknown_name("way to break ties", str(ties), get_args(Ties)).about(argument="ties")


def majority_labels(ratings: Ratings | ArrayLike, levels: LevelsLike, *, ties: Ties = "refuse") -> Majority:
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
    check_ties(ties)
    counts = _level_counts(ratings, levels)
    most = counts == counts.max(axis=1, keepdims=True)
    tied = most.sum(axis=1) > 1
    if ties == "refuse" and tied.any():
        row = int(np.flatnonzero(tied)[0])
        item = ratings.items[row] if isinstance(ratings, Ratings) else row
        raise NbykError(
            f"found {int(tied.sum())} of {len(tied)} items without a single most frequent label, the first "
            f"is {item!r}; choose `ties` lowest or highest"
        )
    last = most.shape[1] - 1
    place = last - most[:, ::-1].argmax(axis=1) if ties == "highest" else most.argmax(axis=1)
    names = class_names(levels)
    return Majority((level_values(levels) if names is None else np.array(names))[place], tied)


def class_names(levels: LevelsLike) -> tuple[str, ...] | None:
    """Return classes that are given by name; None for levels of a scale.

    Raises
    ------
    NbykError
        If there are fewer than two classes, or one of them twice.
    """
    if isinstance(levels, Levels | Binary) or not all(isinstance(level, str) for level in levels):
        return None
    names = tuple(str(level) for level in levels)
    if len(names) < 2 or len(set(names)) < len(names):
        raise NbykError(f"found the classes {', '.join(names) or '(none)'}; expected two or more, each once")
    return names


def level_values(levels: LevelsLike) -> Floats:
    """Return the levels of a scale in the ratings' own unit, or the places of classes."""
    names = class_names(levels)
    if names is not None:
        return np.arange(float(len(names)))
    if isinstance(levels, Binary):
        return np.array([0.0, 1.0])
    scale = levels if isinstance(levels, Levels) else Levels(tuple(levels))  # type: ignore[arg-type]
    return np.array(scale.levels)


def as_names(labels: NDArray[Any]) -> NDArray[np.str_]:
    """Return levels as names of classes: 2.0 becomes "2"; names do not change."""
    return labels if labels.dtype.kind == "U" else np.array([f"{level:g}" for level in labels.tolist()])


def numbered(ratings: Ratings | ArrayLike, levels: LevelsLike) -> Ratings | ArrayLike:
    """Return ratings as numbers: the names of classes become their places, and None becomes NaN.

    Raises
    ------
    NbykError
        If a name is not among the classes.
    """
    names = class_names(levels)
    if names is None or isinstance(ratings, Ratings):
        return ratings
    rows = np.asarray(ratings, dtype=object)
    place_of: dict[Any, float] = {name: float(place) for place, name in enumerate(names)}
    numbers = np.full(rows.shape, np.nan)
    for place, name in np.ndenumerate(rows):
        if name is None or name != name:
            continue
        if str(name) not in place_of:
            raise DataPlace(row=f"item {place[0]}", name="ratings").error(
                f"found {str(name)!r}; expected one of the classes {', '.join(names)}"
            )
        numbers[place] = place_of[str(name)]
    return numbers


def _level_counts(ratings: Ratings | ArrayLike, of: LevelsLike) -> Floats:
    """Return the number of each item's ratings at each level, shape (N, levels)."""
    ratings, levels = numbered(ratings, of), level_values(of)
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
        raise DataPlace(row=f"item {names[items[place]]!r}", name="ratings").error(
            f"found {values[place]:g}; expected one of the levels "
            f"{shown}: give the levels in the ratings' own unit"
        )
    cells = items * len(levels) + nearest
    return np.bincount(cells, minlength=len(names) * len(levels)).reshape(len(names), -1).astype(np.float64)
