"""Targets made from ratings: the variance of an effect over raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.labels import HardLabels, SoftLabels
from nbyk.data.ratings import Ratings
from nbyk.data.response_set import responses_and_units
from nbyk.data.units import Units
from nbyk.errors import NbykError
from nbyk.labels.targets import LevelsLike, Ties, as_names, class_names, level_values, numbered, soft_labels
from nbyk.metrics.label_scores import Kind, LabelScore
from nbyk.testing.engine.item_draws import KindCounts
from nbyk.testing.engine.label_scores import label_scorer
from nbyk.testing.shared_units import NO_UNIT, Component, Responses, responses
from nbyk.testing.shared_units.components import unit_component
from nbyk.testing.shared_units.statistic import Changes, blocks_for, centred_changes

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_SAME_SHARE = 1e-9
"""Shares of classes that differ by at most this are tied."""

_ROUNDED = 1e-3
"""Targets may be rounded to three digits."""


@dataclass(frozen=True, eq=False)
class RatedTargets:
    """The ratings behind targets, with their raters.

    Attributes
    ----------
    codes : ndarray of int, shape (N, K)
        The place of each rating among the classes, from 0; −1 for missing.
    classes
        The names of the classes, the levels of the ratings.
    raters
        The rater of each rating.
    smoothing
        Ratings added to every class of every item, for soft labels.
    ties
        The class of hard labels if several classes share the most ratings.
    """

    codes: Ints
    classes: tuple[str, ...]
    raters: Units
    smoothing: float = 0.0
    ties: Ties = "refuse"

    @property
    def n_shared(self) -> int:
        """Number of raters who rated two items or more."""
        return self.raters.n_shared

    def counts(self) -> Floats:
        """Return the number of each item's ratings in each class, shape (N, C)."""
        return np.stack([(self.codes == code).sum(axis=1) for code in range(len(self.classes))], axis=1) * 1.0

    def shares(self, counts: Floats) -> Floats:
        """Return the soft labels, shape (N, C), of items with such numbers of ratings in each class."""
        smoothed = counts + self.smoothing
        shares: Floats = smoothed / smoothed.sum(axis=1, keepdims=True)
        return shares

    def responses(self) -> Responses:
        """Return the ratings as the test for shared units takes them, without the systems."""
        values = np.where(self.codes >= 0, self.codes, np.nan)
        shared = np.append(self.raters.items_of > 1, False)  # the index −1, no rating, is the last
        index = self.raters.index
        assert index is not None
        ids = np.where(shared[index], index, NO_UNIT)
        none = np.zeros((len(values), 1))
        return responses(none, none, gold=values, gold_units=ids)


def rated_targets(
    ratings: Ratings | ArrayLike,
    levels: LevelsLike,
    *,
    smoothing: float = 0.0,
    ties: Ties = "refuse",
) -> RatedTargets:
    """Return ratings in the form that `label_bootstrap` takes with the targets made from them.

    Parameters
    ----------
    ratings, levels, smoothing
        As `soft_labels`. A column of an array is one rater.
    ties
        As `majority_labels`.

    Raises
    ------
    NbykError
        As `soft_labels`.
    """
    soft_labels(ratings, levels, smoothing=smoothing)  # checks them
    ratings = numbered(ratings, levels)
    if isinstance(ratings, Ratings):
        values, raters = ratings.matrix(), ratings.units()
    else:
        values, raters = responses_and_units(ratings, "ratings")
    known = level_values(levels)
    codes = np.abs(np.nan_to_num(values)[:, :, np.newaxis] - known).argmin(axis=2)
    names = class_names(levels) or tuple(as_names(known).tolist())
    return RatedTargets(np.where(np.isnan(values), -1, codes), names, raters, smoothing, ties)


def refuse_other_targets(rated: RatedTargets, labels: HardLabels | SoftLabels) -> None:
    """Raise NbykError if the targets are not those that the ratings give."""
    counts, target = rated.counts(), np.asarray(labels.target)
    if len(counts) != len(target):
        raise NbykError(
            f"found ratings of {len(counts)} items, expected {len(target)} items, as in the targets",
            argument="rated",
        )
    if isinstance(labels, SoftLabels):
        made = rated.shares(counts)
        same_shape = made.shape == target.shape
        other = np.abs(made - target).max(axis=1) > _ROUNDED if same_shape else np.ones(len(target), bool)
    else:
        names = list(map(_name, labels.classes))
        places = [rated.classes.index(name) if name in rated.classes else -1 for name in names]
        found = np.append(counts, np.full((len(counts), 1), -1.0), axis=1)  # the last: no such level
        chosen = found[np.arange(len(target)), np.array(places)[target]]
        other = chosen < counts.max(axis=1)
    if other.any():
        raise NbykError(
            f"item {int(np.flatnonzero(other)[0]) + 1} has another target than its ratings give, and so do "
            f"{int(other.sum())} of {len(target)} items in all; give the ratings that the targets were made "
            f"of, in the same order and with the levels {', '.join(rated.classes)}",
            argument="rated",
        )


def rater_components(
    rated: RatedTargets, labels: HardLabels | SoftLabels, scores: Sequence[LabelScore]
) -> list[Component] | None:
    """Return the variance of each score's effect over raters; None if a score is undefined without a rater.

    Parameters
    ----------
    rated
        The ratings; at least two raters rated two items or more.
    labels
        The targets made from them, and the predictions of A and B.
    scores
        The scores.

    Notes
    -----
    The jackknife of `nbyk.testing.shared_units`: a rater is left out of the targets of all items (for the
    total), and of those of one block of items in turn (for the part within).
    """
    data = rated.responses()
    found = _Targets(rated, labels, scores, data)
    effect = found.effects([])
    numbers = data.source_units["raters"]
    blocks, n_blocks = blocks_for(data.clusters, len(numbers))
    by_block = np.zeros((len(scores), len(numbers), n_blocks))
    totals = np.zeros((len(scores), data.n_units))
    shares = np.zeros((len(numbers), n_blocks))
    for row, unit in enumerate(numbers):
        answered = data.answered[unit]
        of_block = blocks[answered]
        shares[row] = np.bincount(of_block, minlength=n_blocks) / data.n_items
        step = found.step(unit)
        totals[:, unit] = (found.effects([(answered, unit)]) - effect) / step
        for block in np.unique(of_block):
            part = answered[of_block == block]
            by_block[:, row, block] = (found.effects([(part, unit)]) - effect) / step
    if not (np.isfinite(totals).all() and np.isfinite(by_block).all()):
        return None
    parts = []
    for score in range(len(scores)):
        of_units, within = centred_changes(by_block[score], totals[score, numbers], shares)
        none = np.zeros(1)
        parts.append(
            unit_component(
                data, "raters", Changes(float(effect[score]), none, none.astype(int), of_units, within, 1.0)
            )
        )
    return parts


class _Targets:
    """Targets without a rater on some items, and their effects."""

    def __init__(
        self,
        rated: RatedTargets,
        labels: HardLabels | SoftLabels,
        scores: Sequence[LabelScore],
        data: Responses,
    ) -> None:
        self._rated, self._labels, self._scores, self._data = rated, labels, scores, data
        self._kind: Kind = "hard" if isinstance(labels, HardLabels) else "soft"
        self._counts = rated.counts()
        self._sizes = self._counts.sum(axis=1)
        # a level without targets is not a class of hard labels
        self._places = [rated.classes.index(_name(label)) for label in _classes(labels, rated)]
        self._signs = np.array([score.sign for score in scores])
        panel = data.panel_sizes
        # a majority changes in jumps, and leaving out one of many ratings meets few jumps
        self._steps = np.maximum(1.0, 0.5 * (panel - 1.0) / np.sqrt(panel))

    def step(self, unit: int) -> float:
        """Return the factor on the change of an item's shares without a rater: 1, or more for hard labels."""
        return float(self._steps[unit]) if self._kind == "hard" else 1.0

    def effects(self, left_out: Sequence[tuple[Ints, int]]) -> Floats:
        """Return the effect of each score with raters left out of some items."""
        counts, kept = self._counts.copy(), np.ones(len(self._counts), dtype=np.int64)
        for items, unit in left_out:
            rows, columns = np.nonzero(self._data.gold.units[items] == unit)
            rows, codes = items[rows], self._rated.codes[items[rows], columns]
            sizes = self._sizes[rows]
            kept[rows[sizes < 2.0]] = 0
            left = counts[rows]
            left[np.arange(len(rows)), codes] -= 1.0
            if self._kind == "hard":
                whole, share = counts[rows] / sizes[:, None], left / np.maximum(sizes - 1.0, 1.0)[:, None]
                left = whole + self.step(unit) * (share - whole)
                left *= sizes[:, None]
            counts[rows] = np.where(sizes[:, None] < 2.0, counts[rows], left)
        if self._kind == "soft":
            return self._of(self._rated.shares(counts), kept)
        counts = counts[:, self._places]
        most = counts >= counts.max(axis=1, keepdims=True) - _SAME_SHARE
        lowest, highest = most.argmax(axis=1), most.shape[1] - 1 - most[:, ::-1].argmax(axis=1)
        found = self._of(lowest, kept)
        # in a tie, each class is as good
        return found if np.array_equal(lowest, highest) else 0.5 * (found + self._of(highest, kept))

    def _of(self, target: Floats | Ints, kept: Ints) -> Floats:
        labels: HardLabels | SoftLabels = replace(self._labels, target=target)  # type: ignore[arg-type]
        scorer = label_scorer(labels, self._scores)
        counts = np.bincount(scorer.kind_of, weights=kept).astype(np.int64)
        found = scorer.scores(KindCounts(counts[np.newaxis]))[0][:, :, 0]
        split = labels.runs[0]
        effects: Floats = self._signs * (found[:, :split].mean(axis=1) - found[:, split:].mean(axis=1))
        return effects


def _classes(labels: HardLabels | SoftLabels, rated: RatedTargets) -> Sequence[Any]:
    return labels.classes if isinstance(labels, HardLabels) else rated.classes


def _name(label: Any) -> str:
    return label if isinstance(label, str) else f"{label:g}"
