"""Classification metrics on item means: an item is positive where its mean reaches the threshold.

Systems have shape (S, R, N), gold has shape (R, N), and each function fills `out`, shape (S, R).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.classes import F1, PRECISION, RECALL, ratio
from nbyk.metrics.sorting import double_ranks, rank_space

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def _confusion(system: Floats, gold: Floats, threshold: float) -> tuple[int, int, int]:
    both = 0
    predicted = 0
    actual = 0
    for i in range(len(gold)):
        p = int(system[i] >= threshold)
        g = int(gold[i] >= threshold)
        both += p & g
        predicted += p
        actual += g
    return both, predicted, actual


@njit(nogil=True, cache=True)
def accuracy(systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    """Fill `out` with the fraction of items on which both are positive or neither is."""
    n = gold.shape[1]
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            both, predicted, actual = _confusion(systems[s, r], gold[r], threshold)
            out[s, r] = (n - predicted - actual + 2 * both) / n


@njit(nogil=True, cache=True)
def _fill_ratios(measure: int, systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            both, predicted, actual = _confusion(systems[s, r], gold[r], threshold)
            out[s, r] = ratio(measure, both, predicted, actual)[0]


@njit(nogil=True, cache=True)
def precision(systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    """Fill `out` with the fraction of the system's positives that gold shares; 0 without any."""
    _fill_ratios(PRECISION, systems, gold, out, threshold)


@njit(nogil=True, cache=True)
def recall(systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    """Fill `out` with the fraction of gold's positives that the system shares; 0 without any."""
    _fill_ratios(RECALL, systems, gold, out, threshold)


@njit(nogil=True, cache=True)
def f1(systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    """Fill `out` with the harmonic mean of precision and recall; 0 where nobody has a positive."""
    _fill_ratios(F1, systems, gold, out, threshold)


@njit(nogil=True, cache=True)
def auc(systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    """Fill `out` with P(a positive's mean > a negative's) + ½ P(equal); NaN where gold has one class only."""
    n = gold.shape[1]
    ranks = np.empty(n, np.int32)
    space = rank_space(n)
    for r in range(out.shape[1]):
        positives = 0
        for i in range(n):
            positives += int(gold[r, i] >= threshold)
        pairs = float(positives) * (n - positives)
        for s in range(out.shape[0]):
            if pairs == 0.0 or not double_ranks(systems[s, r], ranks, space):
                out[s, r] = np.nan
                continue
            doubled = np.int64(0)
            for i in range(n):
                doubled += np.int64(ranks[i]) if gold[r, i] >= threshold else np.int64(0)
            out[s, r] = 0.5 * (doubled - positives * (positives + 1)) / pairs
