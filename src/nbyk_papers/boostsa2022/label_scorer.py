"""Scores of drawn items by their labels: many systems and scores from one pass over a batch of draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics import Metric, get
from nbyk.metrics.classes import ACCURACY, MACRO, MICRO, ONE_CLASS, ratio
from nbyk.testing.engine.item_draws import ItemDraws, KindCounts, by_first_item
from nbyk_papers.boostsa2022.soft_labels import MEASURES, contributions, score_sums

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = NDArray[Any]


def scores_of(names: Sequence[str], target: Labels) -> tuple[Metric, ...]:
    """Return the scores named, of hard or of soft labels as the targets are."""
    return tuple(get(name, "classes" if target.ndim == 1 else "distributions") for name in names)


def observed_scores(scorer: HardScorer | SoftScorer) -> Floats:
    """Return the scores on the data, shape (scores, S)."""
    return scorer.scores(KindCounts(np.bincount(scorer.kind_of)[np.newaxis]))[:, :, 0]


def label_scorer(
    target: Labels,
    predictions: Labels,
    scores: Sequence[Metric],
    *,
    n_classes: int = 0,
    occurring: bool = False,
) -> HardScorer | SoftScorer:
    """Return the scorer of S systems' labels.

    Parameters
    ----------
    target, predictions : ndarray, shape (N,) and (S, N), or (N, C) and (S, N, C)
        Hard labels, classes from 0, or soft ones, rows of probabilities.
    scores
        The scores to compute.
    n_classes
        Classes of hard labels; by default those up to the largest of the targets.
    occurring
        Whether macro averages of hard labels are over the classes that occur, draw by draw and system by
        system.
    """
    if target.ndim == 1:
        n_classes = n_classes or int(target.max()) + 1
        return HardScorer(target, predictions, n_classes, scores, occurring)
    return SoftScorer(target, predictions, scores)


class HardScorer:
    """Items of the same target and predictions are a kind: every score treats them alike.

    Kinds are in the order of `by_first_item`.
    """

    def __init__(
        self,
        target: Labels,
        predictions: Labels,
        n_classes: int,
        scores: Sequence[Metric],
        occurring: bool,
    ) -> None:
        self._n_classes = n_classes
        self._occurring = occurring
        self._plan = np.array([_plan_of(score) for score in scores], dtype=np.int64)
        first, self.kind_of = _kinds(target, predictions, n_classes)
        self._target = target[first]
        self._predictions = np.ascontiguousarray(predictions[:, first].T)

    def scores(self, draws: ItemDraws) -> Floats:
        """Return scores of a batch, shape (scores, S, 64); those beyond the batch's draws mean nothing."""
        n_systems, n_draws = self._predictions.shape[1], draws.weights.shape[1]
        actual = np.empty((self._n_classes, n_draws), np.int64)
        predicted, hits = np.empty((2, n_systems, *actual.shape), np.int64)
        count_classes(draws.weights, self._target, self._predictions, actual, predicted, hits)
        out = np.empty((len(self._plan), n_systems, n_draws))
        score_classes(actual, predicted, hits, self._plan, self._occurring, out)
        return out


class SoftScorer:
    """Every item is a kind of its own."""

    name = "soft labels"
    kinds = deviations = None

    def __init__(self, target: Labels, predictions: Labels, scores: Sequence[Metric]) -> None:
        self._measures = np.array([MEASURES.index(score.name) for score in scores], dtype=np.int64)
        self._n_systems = len(predictions)
        self.kind_of = np.arange(len(target))
        of_one = (rows / rows.sum(axis=-1, keepdims=True) for rows in (target, predictions))
        self.features = contributions(*of_one)

    def scores(self, draws: ItemDraws) -> Floats:
        """As `HardScorer.scores`; NaN where undefined."""
        sums = draws.sums(self)
        out = np.empty((len(self._measures), self._n_systems, sums.shape[1]))
        score_sums(float(draws.shape[1]), sums, self._measures, out)
        return out


def _plan_of(score: Metric) -> tuple[int, int, int]:
    """Return a metric's measure, average and class, as `score_classes` takes them."""
    if not score.arguments:
        return ACCURACY, 0, 0
    measure, average, *_ = map(int, score.values)
    return measure, average, int(score.label or 0)


def _kinds(target: Labels, predictions: Labels, n_classes: int) -> tuple[Ints, Ints]:
    """Return the first item of each kind, in order, and the kind of each item."""
    code: NDArray[Any] = target
    for predicted in predictions:
        code = np.unique(code * n_classes + predicted, return_inverse=True)[1]
    return by_first_item(np.unique(code, return_inverse=True)[1])


@njit(nogil=True, cache=True)
def _score(
    measure: int, average: int, label: int, occurring: bool, hits: Ints, predicted: Ints, actual: Ints
) -> float:
    """Return a score from counts of classes, shape (C,) each; a class with divisor 0 counts as 0."""
    if measure == ACCURACY:
        return float(hits.sum() / actual.sum())
    if average == ONE_CLASS:
        return ratio(measure, hits[label], predicted[label], actual[label])
    if average == MICRO:
        return ratio(measure, hits.sum(), predicted.sum(), actual.sum())
    total = weights = 0.0
    for c in range(len(hits)):
        weight = 1 if average == MACRO else actual[c]
        if weight == 0 or (occurring and predicted[c] + actual[c] == 0):
            continue
        total += weight * ratio(measure, hits[c], predicted[c], actual[c])
        weights += weight
    return total / weights


@njit(nogil=True, cache=True)
def count_classes(
    weights: Any, target: Ints, predictions: Ints, actual: Ints, predicted: Ints, hits: Ints
) -> None:
    """Count classes in draws of items, or of kinds of identical items.

    Parameters
    ----------
    weights : ndarray of int, shape (U, 64)
        The number of times that each draw has each kind.
    target, predictions : ndarray of int, shape (U,) and (U, S)
        The kinds' classes.
    actual, predicted, hits : ndarray of int, shape (C, 64), (S, C, 64) and (S, C, 64)
        Filled with the counts of each class's targets, of its predictions and of the right ones among these.
    """
    n_draws = weights.shape[1]
    actual[:] = 0
    predicted[:] = 0
    hits[:] = 0
    for u in range(len(target)):
        truth = target[u]
        of_kind = weights[u]
        for draw in range(n_draws):
            actual[truth, draw] += of_kind[draw]
        for s in range(predictions.shape[1]):
            label = predictions[u, s]
            for draw in range(n_draws):
                predicted[s, label, draw] += of_kind[draw]
            if label == truth:
                for draw in range(n_draws):
                    hits[s, label, draw] += of_kind[draw]


@njit(nogil=True, cache=True)
def score_classes(
    actual: Ints, predicted: Ints, hits: Ints, plan: Ints, occurring: bool, out: Floats
) -> None:
    """Score draws from their counts of classes.

    Parameters
    ----------
    actual, predicted, hits : ndarray of int, shape (C, R), (S, C, R) and (S, C, R)
        As `count_classes` fills them.
    plan : ndarray of int, shape (M, 3)
        Measure, average and class of each score.
    occurring
        Whether a macro average is over only the classes that occur in a draw's targets or in the system's
        predictions, not over all classes.
    out : ndarray, shape (M, S, R)
        Filled with the scores; NaN for a draw of nothing.
    """
    for draw in range(actual.shape[1]):
        for s in range(len(hits)):
            of_hits, of_predicted, of_actual = hits[s, :, draw], predicted[s, :, draw], actual[:, draw]
            for m in range(len(plan)):
                if of_actual.sum() == 0:
                    out[m, s, draw] = np.nan
                    continue
                out[m, s, draw] = _score(
                    plan[m, 0], plan[m, 1], plan[m, 2], occurring, of_hits, of_predicted, of_actual
                )
