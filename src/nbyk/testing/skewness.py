"""The inverse Cornish–Fisher step: t of a mean of skewed units, in the tail that is too often reached.

The mean of n units with a long tail on one side looks small whenever the sample has missed that tail, and its
standard error is then small too. So t is too often large towards the other side. The expansion of t's
quantiles in the skewness g of the mean (Hall 1992, The bootstrap and Edgeworth expansion, section 2.6) says
that the quantile q of t becomes q + a(1 + 2q²) there, with a = c |g|/6. The step takes t back to q. Towards
the long tail itself, t is reached too rarely; it stays as it is.
"""

from __future__ import annotations

import math

import numpy as np

from nbyk.arrays import Floats


def skewness_of_mean(values: Floats) -> float:
    """Return the estimated skewness g of the mean of `values`, shape (n,): 0 below three, or if none varies.

    It is k₃/(n² V^1.5), with k₃ the unbiased third cumulant of the values and V their mean's variance.
    """
    n = values.size
    if n < 3:
        return 0.0
    deviations = values - values.mean()
    largest = float(np.abs(deviations).max())
    if largest == 0.0:
        return 0.0
    deviations /= largest  # no power overflows
    variance = float((deviations**2).sum()) / (n - 1)
    third = n * float((deviations * deviations**2).sum()) / ((n - 1) * (n - 2))
    return float(third / (math.sqrt(n) * variance**1.5))


def corrected(t: float, g: float, c: float) -> float:
    """Return t, a mean over its standard error, after the step: of the same sign, at most as far from 0.

    g is the skewness of the mean, and c a factor of at least 1: few units underestimate their own skewness.
    """
    a = _shift(-math.copysign(1.0, t) * g, c)
    size = abs(t)
    if a > 0.0:
        # the same as (√(1 + 8a(|t| − a)) − 1)/(4a), which loses its digits at small a
        root = math.sqrt(max(1.0 + 8.0 * a * (size - a), 0.0))
        size = max(2.0 * (size - a) / (1.0 + root), 0.0)
    return math.copysign(size, t)


def reaches(quantile: float, g: float, c: float) -> tuple[float, float]:
    """Return how far an interval of a mean reaches down and up, in standard errors.

    The values beyond its ends are those that `corrected` takes farther from 0 than `quantile`, at least 0.
    """
    down, up = (a + quantile * (1.0 + 2.0 * a * quantile) for a in (_shift(-g, c), _shift(g, c)))
    return down, up


def _shift(g: float, c: float) -> float:
    return c * max(0.0, g) / 6.0
