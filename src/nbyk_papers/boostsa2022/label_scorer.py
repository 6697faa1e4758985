"""Scores of drawn items by their labels: many systems and scores from one pass over a batch of draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.confusion import ACCURACY, AVERAGES, count_classes, score_classes
from nbyk.testing.engine.item_draws import ItemDraws, KindCounts
from nbyk_papers.boostsa2022.labels import HardLabels, SoftLabels
from nbyk_papers.boostsa2022.soft_labels import contributions, score_sums

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class LabelScorer(Protocol):
    """Scores systems on draws of labelled items.

    Attributes
    ----------
    kind_of : ndarray of int, shape (N,)
        The kind of each item: every score treats the items of a kind alike.
    """

    kind_of: Ints

    def scores(self, draws: ItemDraws) -> tuple[Floats, Ints]:
        """Return scores of a batch, NaN where undefined, and the number of classes that lacked a divisor.

        Both have the shape (scores, S, 64); numbers beyond the batch's draws mean nothing.
        """


def observed_scores(scorer: LabelScorer) -> tuple[Floats, Ints]:
    """Return the scores on the data, and the number of classes without a divisor, shape (scores, S)."""
    found, lacking = scorer.scores(KindCounts(np.bincount(scorer.kind_of)[np.newaxis]))
    return found[:, :, 0], lacking[:, :, 0]


def label_scorer(
    labels: HardLabels | SoftLabels, scores: Sequence[Metric], *, occurring: bool = False
) -> LabelScorer:
    """Return the scorer of validated labels.

    Parameters
    ----------
    labels
        The labels.
    scores
        The scores to compute. Each must apply to this kind of labels.
    occurring
        Whether macro averages of hard labels are over the classes that occur, draw by draw and system by
        system.

    Raises
    ------
    NbykError
        If a score is of a class that does not occur.
    """
    if isinstance(labels, HardLabels):
        return _HardScorer(labels, scores, occurring=occurring)
    return _SoftScorer(labels, scores)


class _HardScorer:
    """Items of the same target and predictions are a kind.

    Kinds are in the order in which they first appear, so that other names of the classes, or exchanging the
    systems, give the same draws of items.
    """

    def __init__(self, labels: HardLabels, scores: Sequence[Metric], *, occurring: bool) -> None:
        self._n_classes = len(labels.classes)
        self._occurring = occurring
        names = [str(label) for label in labels.classes]
        for score in scores:
            if score.label and score.label not in names:
                raise NbykError(
                    f"found {score.name!r}, but no such class; the classes are {', '.join(names)}",
                    argument="metric",
                )
        self._plan = np.array([_plan_of(score, names) for score in scores], dtype=np.int64)
        first, self.kind_of = _kinds(labels)
        self._target = labels.target[first]
        self._predictions = np.ascontiguousarray(labels.predictions[:, first].T)

    def scores(self, draws: ItemDraws) -> tuple[Floats, Ints]:
        n_systems, n_draws = self._predictions.shape[1], draws.weights.shape[1]
        actual = np.empty((self._n_classes, n_draws), np.int64)
        predicted, hits = np.empty((2, n_systems, *actual.shape), np.int64)
        count_classes(draws.weights, self._target, self._predictions, actual, predicted, hits)
        out = np.empty((len(self._plan), n_systems, n_draws))
        lacking = np.empty(out.shape, np.int64)
        score_classes(actual, predicted, hits, self._plan, self._occurring, out, lacking)
        return out, lacking


class _SoftScorer:
    """Every item is a kind of its own."""

    name = "soft labels"

    def __init__(self, labels: SoftLabels, scores: Sequence[Metric]) -> None:
        self._measures = np.array([score.values[0] for score in scores], dtype=np.int64)
        self._n_systems = len(labels.predictions)
        self.kind_of = np.arange(labels.n_items)
        self.features = contributions(labels.target, labels.predictions)

    def scores(self, draws: ItemDraws) -> tuple[Floats, Ints]:
        sums = draws.sums(self)
        out = np.empty((len(self._measures), self._n_systems, sums.shape[1]))
        score_sums(float(draws.shape[1]), sums, self._measures, out)
        return out, np.zeros(out.shape, dtype=np.int64)


def _plan_of(score: Metric, names: Sequence[str]) -> tuple[int, int, int]:
    """Return a metric's measure, average and class, as `nbyk.metrics.confusion.score_classes` takes them."""
    if not score.arguments:
        return ACCURACY, AVERAGES.index("none"), 0
    measure, average, *_ = map(int, score.values)
    return measure, 1 + average, names.index(score.label) if score.label else 0


def _kinds(labels: HardLabels) -> tuple[Ints, Ints]:
    """Return the first item of each kind, in order, and the kind of each item."""
    code: NDArray[Any] = labels.target
    for predicted in labels.predictions:
        code = np.unique(code * len(labels.classes) + predicted, return_inverse=True)[1]
    _, first, kind_of = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[kind_of]
