"""Beta responses: drawn by their quantiles in compiled code, and counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from nbyk.compiled import discard_older_caches, njit
from nbyk.priors.kind import SkewedKind

Floats = NDArray[np.float64]

_SMALL = 1e-300
_NEAR = 1e-12
_MOST_TERMS = 2000
_MOST_STEPS = 200
_LEAST_TOTAL = 1e-6
"""Below this a + b, a beta is 0 or 1 but for less than a millionth."""

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _SMALL else _SMALL)
    fraction = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > _SMALL else _SMALL)
            c = 1.0 + term / c
            c = c if abs(c) > _SMALL else _SMALL
            step = d * c
            fraction *= step
        if abs(step - 1.0) < _NEAR:
            break
    return fraction


@njit(nogil=True, cache=True)
def log_share_below(log_x: float, a: float, b: float, log_whole: float) -> float:
    """Return log P(X ≤ x) of a beta X; `log_whole` is that of the beta function B(a, b)."""
    x = math.exp(log_x)
    edge = math.log1p(-x) if x < 1.0 else -math.inf
    log_front = a * log_x + b * edge - log_whole
    if x < (a + 1.0) / (a + b + 2.0):
        return log_front + math.log(_fraction(a, b, x) / a)
    above = math.exp(log_front) * _fraction(b, a, 1.0 - x) / b if x < 1.0 else 0.0
    return math.log1p(-min(above, 1.0 - _NEAR))


@njit(nogil=True, cache=True)
def _log_quantile(log_share: float, a: float, b: float) -> float:
    """Return log x with log P(X ≤ x) = log_share: Newton's method in logarithms, kept between bounds."""
    log_whole = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high = -700.0, 0.0
    at = min((log_share + math.log(a) + log_whole) / a, math.log(a / (a + b)))
    if at <= low:
        return low
    for _ in range(_MOST_STEPS):
        missing = log_share - log_share_below(at, a, b, log_whole)
        if missing > 0.0:
            low = at
        else:
            high = at
        x = math.exp(at)
        slope = a * at + (b - 1.0) * math.log1p(-x) - log_whole - (log_share - missing) if x < 1.0 else 700.0
        step = missing * math.exp(min(max(-slope, -700.0), 700.0))
        after = at + step
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - at) < 1e-11 or high - low < 1e-11:
            return after
        at = after
    return at


@njit(nogil=True, cache=True)
def beta_response(mean: float, sd: float, z: float) -> Any:
    """Return the quantile at Φ(z) of the beta with this mean and standard deviation.

    A mean is put into [0, 1]. If sd² is at least mean (1 − mean), the response is 0 or 1 with this mean.
    """
    mean = min(max(mean, 0.0), 1.0)
    room = mean * (1.0 - mean)
    if sd <= 0.0 or room <= 0.0:
        return mean
    total = room / (sd * sd) - 1.0
    if total < _LEAST_TOTAL:
        return 1.0 if 0.5 * math.erfc(z / math.sqrt(2.0)) <= mean else 0.0
    a, b = mean * total, (1.0 - mean) * total
    below = 0.5 * math.erfc(-z / math.sqrt(2.0))
    log_whole = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    middle = math.exp(log_share_below(math.log(mean), a, b, log_whole))
    if below <= middle:
        return math.exp(_log_quantile(math.log(max(below, _SMALL)), a, b))
    above = 0.5 * math.erfc(z / math.sqrt(2.0))
    return 1.0 - math.exp(_log_quantile(math.log(max(above, _SMALL)), b, a))


class BetaKind(SkewedKind):
    """Beta numbers with the item's mean and standard deviation, skewed near the ends 0 and 1."""

    name = "beta"
    words = "a beta number of them"
    cut = "beta"

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        """Return the chances of the cells between edges, as of `Kind`."""
        mean = np.clip(mu, 1e-12, 1.0 - 1e-12)
        total = np.maximum(mean * (1.0 - mean) / sigma**2 - 1.0, 1e-9)
        below = betainc(mean * total, (1.0 - mean) * total, edges)
        ends = np.zeros((*below.shape[:-1], 1)), np.ones((*below.shape[:-1], 1))
        return np.diff(np.concatenate([ends[0], below, ends[1]], axis=-1), axis=-1)

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the item's mean, put into [0, 1]."""
        return np.clip(mu, 0.0, 1.0)
