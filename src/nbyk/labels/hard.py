"""Scores of hard labels from confusion counts: many resamples, systems and scores in one compiled pass.

Precision, recall and F1 of a class without predictions, targets or either are 0, as scikit-learn's default
is, and are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.labels.inputs import HardLabels
from nbyk.labels.scores import LabelScore

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_MEASURES = ("accuracy", "precision", "recall", "f1")
_AVERAGES = ("none", "macro", "micro", "weighted", "class")
_ACCURACY, _PRECISION, _RECALL, _F1 = range(4)
_NONE, _MACRO, _MICRO, _WEIGHTED, _CLASS = range(5)


@njit(nogil=True, cache=True)
def _divided(measure: int, hits: int, predicted: int, actual: int) -> tuple[float, int]:
    """Return precision, recall or F1 from its counts, and 1 where there is nothing to divide by."""
    if measure == _PRECISION:
        over, under = hits, predicted
    elif measure == _RECALL:
        over, under = hits, actual
    else:
        over, under = 2 * hits, predicted + actual
    return (over / under, 0) if under > 0 else (0.0, 1)


@njit(nogil=True, cache=True)
def _score(
    measure: int, average: int, label: int, occurring: bool, hits: Ints, predicted: Ints, actual: Ints
) -> tuple[float, int]:
    """Return one score from the counts of the classes, shape (C,) each, and how many classes it lacked."""
    if measure == _ACCURACY:
        return hits.sum() / actual.sum(), 0
    if average == _CLASS:
        return _divided(measure, hits[label], predicted[label], actual[label])
    if average == _MICRO:
        return _divided(measure, hits.sum(), predicted.sum(), actual.sum())
    total = weights = 0.0
    lacking = 0
    for c in range(len(hits)):
        weight = 1 if average == _MACRO else actual[c]
        if weight == 0 or (occurring and predicted[c] + actual[c] == 0):
            continue
        value, lacks = _divided(measure, hits[c], predicted[c], actual[c])
        total += weight * value
        weights += weight
        lacking += lacks
    return total / weights, lacking


@njit(nogil=True, cache=True)
def fill_hard_scores(
    counts: Ints,
    target: Ints,
    predictions: Ints,
    n_classes: int,
    plan: Ints,
    occurring: bool,
    out: Floats,
    lacking: Ints,
) -> None:
    """Score resamples of units.

    Parameters
    ----------
    counts : ndarray of int, shape (R, U)
        How often each resample has each unit.
    target, predictions : ndarray of int, shape (U,) and (U, S)
        The units' classes, below `n_classes`.
    n_classes
        Number of classes C.
    plan : ndarray of int, shape (M, 3)
        Measure, average and class of each score.
    occurring
        Whether a macro average is over the classes that occur in a resample's targets or in the system's
        predictions alone, rather than over all.
    out : ndarray, shape (M, S, R)
        Filled with the scores.
    lacking : ndarray of int, shape (M, S, R)
        Filled with how many classes counted as 0 for want of a divisor.
    """
    n_systems = predictions.shape[1]
    actual = np.empty(n_classes, np.int64)
    predicted = np.empty((n_systems, n_classes), np.int64)
    hits = np.empty((n_systems, n_classes), np.int64)
    for r in range(len(counts)):
        actual[:] = 0
        predicted[:] = 0
        hits[:] = 0
        for u in range(len(target)):
            count = counts[r, u]
            if count == 0:
                continue
            truth = target[u]
            actual[truth] += count
            for s in range(n_systems):
                label = predictions[u, s]
                predicted[s, label] += count
                if label == truth:
                    hits[s, label] += count
        for m in range(len(plan)):
            for s in range(n_systems):
                out[m, s, r], lacking[m, s, r] = _score(
                    plan[m, 0], plan[m, 1], plan[m, 2], occurring, hits[s], predicted[s], actual
                )


class HardUnits:
    """Items of the same target and predictions, each such unit once, and the scores of resamples of them.

    Units are in the order in which they first appear, so that naming classes otherwise, or exchanging the
    systems, draws the same resamples.

    Parameters
    ----------
    labels
        Validated labels.
    scores
        What to score, of hard labels.
    occurring
        Whether macro averages are over the classes that occur, resample by resample and system by system.

    Raises
    ------
    NbykError
        If a score is of a class that there is not.
    """

    def __init__(self, labels: HardLabels, scores: Sequence[LabelScore], *, occurring: bool = False) -> None:
        self._n_classes = len(labels.classes)
        self._occurring = occurring
        names = [str(label) for label in labels.classes]
        for score in scores:
            if score.average == "class" and score.label not in names:
                raise NbykError(f"score {score.name!r}: no such class; the classes are {', '.join(names)}")
        self._plan = np.array(
            [
                (
                    _MEASURES.index(score.measure),
                    _AVERAGES.index(score.average),
                    names.index(score.label) if score.average == "class" else 0,
                )
                for score in scores
            ],
            dtype=np.int64,
        )
        first, self.unit_of = _units(labels)
        self._target = labels.target[first]
        self._predictions = np.ascontiguousarray(labels.predictions[:, first].T)

    def scores(self, counts: Ints) -> tuple[Floats, Ints]:
        """Return scores of resamples, and how many of their classes had nothing to divide by.

        Parameters
        ----------
        counts : ndarray of int, shape (R, U)
            How often each resample has each unit.

        Returns
        -------
        scores, lacking : ndarray, shape (scores, S, R)
        """
        shape = (len(self._plan), self._predictions.shape[1], len(counts))
        out, lacking = np.empty(shape), np.empty(shape, dtype=np.int64)
        fill_hard_scores(
            np.ascontiguousarray(counts, dtype=np.int64),
            self._target,
            self._predictions,
            self._n_classes,
            self._plan,
            self._occurring,
            out,
            lacking,
        )
        return out, lacking


def _units(labels: HardLabels) -> tuple[Ints, Ints]:
    """Return the first item of each unit, in order, and the unit of each item."""
    code: NDArray[Any] = labels.target
    for predicted in labels.predictions:
        code = np.unique(code * len(labels.classes) + predicted, return_inverse=True)[1]
    _, first, unit_of = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[unit_of]
