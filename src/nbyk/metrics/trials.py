"""Metrics of repeated trials: a system's score if it tried an item k times, from n ≥ k trials of each.

Each is a mean over items of an unbiased estimator: the mean over all choices of k of an item's n trials. An
item with fewer than k trials has none, NaN.

References
----------
Chen et al. 2021, Evaluating large language models trained on code (pass@k); Yao, Shinn, Razavi and Narasimhan
2024, τ-bench (pass^k).
"""

from __future__ import annotations

import math

import numpy as np

from nbyk.arrays import Floats
from nbyk.compiled import njit

_ROUNDING = 1e-9


ANY, ALL, MOST, BEST = range(4)
"""What is expected of k trials: that any, all or most of them pass, or the best value among them."""


@njit(nogil=True, cache=True)
def trials(systems: Floats, gold: Floats, out: Floats, measure: int, k: int, least: float = 1.0) -> None:
    """Fill `out`, shape (S, R), with means over items of `ANY` or another; a trial passes from `least` on."""
    for s in range(out.shape[0]):
        for r in range(out.shape[1]):
            total = 0.0
            for item in range(systems.shape[2]):
                total += _of_item(systems[s, r, item], int(measure), int(k), least)
            out[s, r] = total / systems.shape[2]


@njit(nogil=True, cache=True)
def _of_item(values: Floats, measure: int, k: int, least: float) -> float:
    if measure == BEST:
        return _best(values, k)
    n = passed = 0
    for value in values:
        if value == value:
            n += 1
            passed += value >= least - _ROUNDING
    if measure == ANY:
        return 1.0 - _all_from(n - passed, n, k)
    return _all_from(passed, n, k) if measure == ALL else _most_from(passed, n, k)


@njit(nogil=True, cache=True)
def _all_from(some: int, n: int, k: int) -> float:
    """Return the chance that k of n trials are all among `some` of them."""
    if n < k:
        return np.nan
    chance = 1.0
    for drawn in range(k):
        chance *= max(some - drawn, 0) / (n - drawn)
    return chance


@njit(nogil=True, cache=True)
def _most_from(passed: int, n: int, k: int) -> float:
    """Return the chance that more than half of k of n trials passed, and half of that of a tie."""
    if n < k:
        return np.nan
    if passed in (0, n):
        return 1.0 if passed else 0.0
    chance = 0.0
    for chosen in range((k + 1) // 2, min(passed, k) + 1):
        if k - chosen <= n - passed:
            ways = _log_choices(passed, chosen) + _log_choices(n - passed, k - chosen) - _log_choices(n, k)
            chance += math.exp(ways) * (0.5 if 2 * chosen == k else 1.0)
    return chance


@njit(nogil=True, cache=True)
def _log_choices(n: int, k: int) -> float:
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)


@njit(nogil=True, cache=True)
def _best(trials: Floats, k: int) -> float:
    values = np.sort(trials[~np.isnan(trials)])
    n = len(values)
    if n < k:
        return np.nan
    if values[0] == values[-1]:
        return float(values[0])
    # The j-th smallest is the best of k with the chance C(j − 1, k − 1) / C(n, k).
    chance, best = k / n, 0.0
    for j in range(n, k - 1, -1):
        best += chance * values[j - 1]
        chance *= (j - k) / max(j - 1, 1)
    return best
