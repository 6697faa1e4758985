"""The items that a test needs, from the mean and spread of one item's contribution: a normal approximation.

An additive effect is the mean of N independent contributions d_i with mean μ and standard deviation s. Sign
flips make it a sum of ±d_i. The test then rejects if the effect passes z_α √((s² + μ²)/N), and its power is
Φ((√N μ − z_α √(s² + μ²))/s). So one pair (μ, s) per K is enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

_MISFIT = 3.0
"""Standard errors off the cubic from which a curve is not smoothed."""
_HIGHEST = 0.999


def quantile(share: float) -> float:
    """Return the standard normal quantile of a share."""
    from scipy.special import ndtri

    return float(ndtri(share))


def clipped_quantile(power: float) -> float:
    """Return the standard normal quantile of a power, of one from .001 to .999: few sets tell no more."""
    return quantile(min(max(power, 1.0 - _HIGHEST), _HIGHEST))


def moved(power: float, by: float) -> float:
    """Return a power whose normal quantile is moved, at most .999."""
    return min(0.5 * math.erfc(-(clipped_quantile(power) + by) / math.sqrt(2.0)), _HIGHEST)


def density(z: float) -> float:
    """Return the standard normal density."""
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


@dataclass(frozen=True)
class PowerCurve:
    """The power at every N for one K: Φ(slope √N − offset).

    A slope of 0 means that no effect was seen; `error` is the slope's standard error, relative to it.
    """

    k_responses: int
    slope: float
    offset: float
    error: float

    def power(self, n_items: float) -> float:
        """Return the power at N items."""
        return 0.5 * math.erfc((self.offset - self.slope * math.sqrt(n_items)) / math.sqrt(2.0))

    def power_error(self, n_items: float) -> float:
        """Return the part of the standard error of `power` that comes from the slope."""
        if not 0.0 < self.slope < math.inf:
            return 0.0
        z = self.slope * math.sqrt(n_items) - self.offset
        return density(z) * (z + self.offset) * self.error

    def moved_through(self, n_items: int, found: int, n_sets: int) -> PowerCurve:
        """Return the curve with the slope changed to give, at N items, the power of simulated sets."""
        share = (found + 1) / (n_sets + 2)
        z = quantile(share)
        rise = max(z + self.offset, 0.05)
        error = math.sqrt(share * (1.0 - share) / n_sets) / (density(z) * rise)
        return PowerCurve(self.k_responses, rise / math.sqrt(n_items), self.offset, error)

    def items_for(self, power: float) -> float:
        """Return the N (not rounded) that reaches the power; infinite without an effect."""
        if self.slope <= 0.0:
            return math.inf
        return (max(0.0, quantile(power) + self.offset) / self.slope) ** 2


@dataclass(frozen=True)
class SeenEffect:
    """The effect of a comparison over its items, for the power of other numbers of them if it is true.

    `signal` is the effect, positive on the side of the alternative, over √N times its standard error. With
    less than the `fewest` items, no data can reject the null. With other `ratings` of an item, the share of
    the variance that is not `of_items` changes.
    """

    signal: float
    fewest: int
    ratings: float = 1.0
    of_items: float = 1.0

    def power(self, n_items: int, k_responses: int, one_sided_alpha: float) -> float:
        """Return the power at N items with K ratings each."""
        if n_items < self.fewest:
            return 0.0
        variance = self.of_items + (1.0 - self.of_items) * self.ratings / k_responses
        signal = self.signal / math.sqrt(variance)
        return PowerCurve(k_responses, signal, -quantile(one_sided_alpha), 0.0).power(n_items)


def curve_from_moments(k: int, mean: float, sd: float, n_items_seen: int, alpha: float) -> PowerCurve:
    """Return the approximate power curve of sign flips from the moments of `n_items_seen` contributions."""
    error = sd / math.sqrt(n_items_seen)
    if mean < 3.0 * error or sd == 0.0:
        slope, error = (math.inf, 0.0) if sd == 0.0 < mean else (0.0, math.inf)
        return PowerCurve(k, slope, -quantile(alpha), error)
    return PowerCurve(k, mean / sd, -quantile(alpha) * math.sqrt(1.0 + (mean / sd) ** 2), error / mean)


def smoothed(curves: Mapping[int, PowerCurve]) -> dict[int, PowerCurve]:
    """Return the curves with slopes smooth in K: a cubic of log K, fitted to the logarithms of the slopes.

    Curves without an effect are left out. Fewer than six curves are not smoothed, and a curve far off the
    cubic stays as it is: between one label and two, accuracy by majority takes a step.
    """
    import numpy as np

    from nbyk.sums import polynomial

    seen = {k: curve for k, curve in curves.items() if 0.0 < curve.slope < math.inf}
    if len(seen) < 6:
        return seen
    log_k = np.log(np.array(list(seen), dtype=np.float64))
    errors = np.array([max(curve.error, 0.01) for curve in seen.values()])
    own = np.log([curve.slope for curve in seen.values()])
    fitted = np.polyval(polynomial(log_k, own, 3, list(1.0 / errors)), log_k)
    slopes = np.exp(np.where(np.abs(fitted - own) > _MISFIT * errors, own, fitted)).tolist()
    return {k: replace(curve, slope=slope) for (k, curve), slope in zip(seen.items(), slopes, strict=True)}
