"""Tests of whether two Monte-Carlo estimates of a number agree: expected p-values and rejection rates.

For expected p-values both errors are taken at their pooled value. Rates are binomial and have exact limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Booleans, Floats, Integers

_FEW_DRAWS = 10.0


def pooled_variances(
    ours: ArrayLike, our_error: ArrayLike, our_draws: ArrayLike, theirs: ArrayLike, their_draws: float
) -> tuple[Floats, Floats]:
    """Return the variances of two estimates of one expected p-value, if the p-value is their pooled one.

    The variance of a small p-value is about proportional to it, so an estimate that happens to be low has too
    low a variance. Under the hypothesis that both estimate one value, the variance is taken at that value;
    ours is scaled to it. If fewer than ten draws are expected on the wrong side, our variance is unreliable.
    The variance of two normal samples with equal variances is then used if it is larger. All are of shape
    (n,).
    """
    p, error, m, q = (np.asarray(values, dtype=np.float64) for values in (ours, our_error, our_draws, theirs))
    pooled = (m * p + their_draws * q) / (m + their_draws)
    inside = (p > 0.0) & (p < 1.0)
    scale = np.where(inside, pooled * (1.0 - pooled), 1.0) / np.where(inside, p * (1.0 - p), 1.0)
    per_draw = error**2 * scale * m
    few = pooled * np.minimum(m, their_draws) < _FEW_DRAWS
    our_variance = np.where(few, np.maximum(per_draw / m, _binormal_variance(pooled, m)), per_draw / m)
    their_variance = per_draw / their_draws
    floor = _binormal_variance(pooled, np.full_like(m, their_draws))
    return our_variance, np.where(few, np.maximum(their_variance, floor), their_variance)


def chi_square(
    ours: float, our_variance: float, theirs: ArrayLike, their_variance: float
) -> tuple[float, int]:
    """Return χ² and its degrees of freedom for several independent estimates against one of ours.

    Their differences to ours share our error: the covariance is σ²_theirs I + σ²_ours 11ᵀ.
    """
    difference = ours - np.asarray(theirs, dtype=np.float64)
    n = difference.size
    shared = our_variance / (their_variance + n * our_variance)
    chi2 = (float((difference**2).sum()) - shared * float(difference.sum()) ** 2) / their_variance
    return chi2, n


def equal_chance_p(found: ArrayLike, trials: ArrayLike, others_found: ArrayLike, others: ArrayLike) -> Floats:
    """Return exact p-values of two binomial counts with one chance: twice Fisher's smaller, at most 1.

    All are of shape (R,): our successes and their trials, and those of the other experiment.
    """
    from scipy.stats import hypergeom

    x, n, y, m = (np.asarray(values, dtype=np.int64) for values in (found, trials, others_found, others))
    tails = hypergeom.cdf(y, n + m, x + y, m), hypergeom.sf(y - 1, n + m, x + y, m)
    return np.asarray(np.minimum(1.0, 2.0 * np.minimum(*tails)))


def predicted_counts(
    found: ArrayLike, trials: ArrayLike, others: ArrayLike, *, confidence: float
) -> tuple[Integers, Integers]:
    """Return the prediction interval of another experiment's count at the same chance, given our count.

    The exact prediction interval of a binomial count (Thatcher 1964), for `found` of `trials` and another
    experiment's trials `others`, each shape (R,). Given the sum of both counts, the other count is
    hypergeometric, whatever the chance. It is inside if neither of its tails, itself included, is below half
    of 1 − confidence. The interval holds the other count with at least that confidence.
    """
    from scipy.stats import hypergeom

    # Many rows have the same counts.
    rows = np.column_stack([np.asarray(values, dtype=np.int64) for values in (found, trials, others)])
    different, row = np.unique(rows, axis=0, return_inverse=True)
    x, n, m = different.T
    tail = 0.5 * (1.0 - confidence)

    def is_high_enough(y: Integers) -> Booleans:
        return np.asarray(hypergeom.cdf(y, n + m, x + y, m) >= tail)

    def is_too_high(y: Integers) -> Booleans:
        return np.asarray(hypergeom.sf(y - 1, n + m, x + y, m) < tail)

    row = row.reshape(-1)
    return _first_from_zero(is_high_enough, m)[row], (_first_from_zero(is_too_high, m + 1) - 1)[row]


def _first_from_zero(holds: Callable[[Integers], Booleans], last: Integers) -> Integers:
    """Return, by bisection, the least number from 0 on that meets a condition, or `last` if none does."""
    low, high = np.zeros_like(last), last.copy()
    while (low < high).any():
        middle = (low + high) // 2
        is_held = holds(middle)
        low, high = np.where(is_held, low, np.minimum(middle + 1, high)), np.where(is_held, middle, high)
    return low


def _binormal_variance(p: Floats, draws: Any) -> Floats:
    """Return the variance of expected p from M draws each of two normals of one variance, at the value p."""
    from scipy.special import ndtri, owens_t

    d = -ndtri(np.clip(p, 1e-300, 1.0 - 1e-16))
    shared = np.maximum(0.0, p - 2.0 * owens_t(d, 3.0**-0.5) - p**2)
    variance: Floats = (2.0 * (draws - 1.0) * shared + p * (1.0 - p)) / draws**2
    return variance
