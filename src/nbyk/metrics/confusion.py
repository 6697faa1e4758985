"""Scores of hard labels from confusion counts: many draws, systems and scores in one compiled pass.

Precision, recall and F1 of a class without predictions, targets or either are 0, as in scikit-learn by
default. Their number is reported.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MEASURES = ("accuracy", "precision", "recall", "f1")
AVERAGES = ("none", "macro", "micro", "weighted", "class")
ACCURACY, PRECISION, RECALL, F1 = range(4)
_NONE, _MACRO, _MICRO, _WEIGHTED, _CLASS = range(5)


@njit(nogil=True, cache=True)
def ratio(measure: int, hits: float, predicted: float, actual: float) -> tuple[float, int]:
    """Return precision, recall or F1 from its counts, and 1 if its divisor is 0 (else 0)."""
    if measure == PRECISION:
        over, under = hits, predicted
    elif measure == RECALL:
        over, under = hits, actual
    else:
        over, under = 2 * hits, predicted + actual
    return (over / under, 0) if under > 0 else (0.0, 1)


@njit(nogil=True, cache=True)
def _score(
    measure: int, average: int, label: int, occurring: bool, hits: Ints, predicted: Ints, actual: Ints
) -> tuple[float, int]:
    """Return a score from counts of classes, shape (C,) each, and the number of classes with divisor 0."""
    if measure == ACCURACY:
        return hits.sum() / actual.sum(), 0
    if average == _CLASS:
        return ratio(measure, hits[label], predicted[label], actual[label])
    if average == _MICRO:
        return ratio(measure, hits.sum(), predicted.sum(), actual.sum())
    total = weights = 0.0
    lacking = 0
    for c in range(len(hits)):
        weight = 1 if average == _MACRO else actual[c]
        if weight == 0 or (occurring and predicted[c] + actual[c] == 0):
            continue
        value, lacks = ratio(measure, hits[c], predicted[c], actual[c])
        total += weight * value
        weights += weight
        lacking += lacks
    return total / weights, lacking


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
    actual: Ints, predicted: Ints, hits: Ints, plan: Ints, occurring: bool, out: Floats, lacking: Ints
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
    lacking : ndarray of int, shape (M, S, R)
        Filled with the number of classes that count as 0 because their divisor is 0.
    """
    for draw in range(actual.shape[1]):
        for s in range(len(hits)):
            of_hits, of_predicted, of_actual = hits[s, :, draw], predicted[s, :, draw], actual[:, draw]
            for m in range(len(plan)):
                if of_actual.sum() == 0:
                    out[m, s, draw], lacking[m, s, draw] = np.nan, 0
                    continue
                out[m, s, draw], lacking[m, s, draw] = _score(
                    plan[m, 0], plan[m, 1], plan[m, 2], occurring, of_hits, of_predicted, of_actual
                )
