"""Percentile and BCa intervals from draws of a bootstrap.

References
----------
Efron 1987, Better bootstrap confidence intervals; Efron and Tibshirani 1993, An introduction to the
bootstrap, chapter 14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.testing.pvalues import tie_tolerance

Floats = NDArray[np.float64]
IntervalMethod = Literal["percentile", "bca"]


@dataclass(frozen=True)
class ConfidenceInterval:
    """A confidence interval of an effect.

    Attributes
    ----------
    low, high
        Its ends; NaN if the metric is undefined on every bootstrap draw.
    level
        Nominal coverage, in (0, 1).
    method
        "percentile" or "bca".
    sampler
        The bootstrap of test sets, such as ``bootstrap_items/all``.
    """

    low: float
    high: float
    level: float
    method: IntervalMethod
    sampler: str

    def __contains__(self, effect: float) -> bool:
        return self.low <= effect <= self.high


def check_confidence_level(level: float) -> None:
    """Raise NbykError unless a confidence level lies between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise NbykError(f"found {level}, expected a share, such as 0.95", argument="confidence_level")


def percentile_interval(draws: Floats, level: float) -> tuple[float, float]:
    """Return the central `level` of `draws`, shape (B,)."""
    return _quantiles(draws, 0.5 * (1.0 - level), 0.5 * (1.0 + level))


def bca_interval(draws: Floats, observed: float, acceleration: float, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval.

    Parameters
    ----------
    draws : ndarray, shape (B,)
        Bootstrapped effects.
    observed
        The effect on the data as they are.
    acceleration
        The result of `acceleration`.
    level
        Nominal coverage, in (0, 1).
    """
    from scipy.special import ndtr, ndtri

    bias = float(ndtri(share_below(draws, observed)))
    ends = bias + ndtri(np.array([0.5 * (1.0 - level), 0.5 * (1.0 + level)]))
    low, high = ndtr(bias + ends / (1.0 - acceleration * ends))
    return _quantiles(draws, float(low), float(high))


def share_below(draws: Floats, observed: float) -> float:
    """Return the share of `draws` below the observed effect, ties half; 0 and 1 move in by half a draw."""
    tolerance = tie_tolerance(draws, np.array([observed]))
    below = int((draws < observed - tolerance).sum()) + int((draws <= observed + tolerance).sum())
    share = below / (2 * draws.size)
    return min(max(share, 0.5 / draws.size), 1.0 - 0.5 / draws.size)


def acceleration(left_out: Floats) -> float:
    """Return BCa's acceleration from effects without each item or group of items, shape (groups,).

    It is Σ u³ / (6 (Σ u²)^{3/2}), with u the deviations of the mean from each effect; 0 if nothing varies. In
    groups, the cubes and squares of the items' deviations average out: the estimate is the same with more
    noise.
    """
    if not np.isfinite(left_out).all() or np.ptp(left_out) <= tie_tolerance(left_out):
        return 0.0
    deviations = left_out.mean() - left_out
    deviations /= np.abs(deviations).max()
    return float((deviations**3).sum() / (6.0 * (deviations**2).sum() ** 1.5))


def _quantiles(draws: Floats, low: float, high: float) -> tuple[float, float]:
    ends = np.quantile(draws, [low, high]) + 0.0  # turns −0 into 0
    return float(ends[0]), float(ends[1])
