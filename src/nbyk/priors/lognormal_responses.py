"""Lognormal responses: positive numbers without an upper end, such as times or counts, drawn and counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import discard_older_caches, njit
from nbyk.priors.kind import SkewedKind

Floats = NDArray[np.float64]

_LEAST_MEAN = 1e-12

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def lognormal_response(mean: float, sd: float, z: float) -> Any:
    """Return the quantile at Φ(z) of the lognormal with this mean and standard deviation, or 0."""
    if sd <= 0.0 or mean <= 0.0:
        return max(mean, 0.0)
    variance = math.log1p((sd / mean) ** 2)
    return mean * math.exp(math.sqrt(variance) * z - 0.5 * variance)


class LognormalKind(SkewedKind):
    """The exponential of a normal draw, with the item's mean and standard deviation; levels take [0, 1].

    A scale's upper end is only the unit. A fit puts numbers on ten levels, of which the highest is open.
    """

    name = "lognormal"
    high = np.inf
    words = "a lognormal number of them"
    cut = "lognormal"

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        """Return the chances of the cells between edges, those of normal draws of logarithms."""
        mean = np.maximum(mu, _LEAST_MEAN)
        variance = np.log1p((sigma / mean) ** 2)
        return super().cells(np.log(edges), np.log(mean) - 0.5 * variance, np.sqrt(variance))

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the item's mean, or 0 if it is negative."""
        return np.maximum(mu, 0.0)
