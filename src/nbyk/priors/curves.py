"""Distribution functions that broadcast over the values and over every parameter.

The families call them with one set of parameters and many values; the grid search of a fit calls them with
many sets of parameters and a few values. Nothing is validated here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, betaln, erfcx, log_ndtr, ndtr, ndtri

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

Floats = NDArray[np.float64]

_SQRT_2 = np.sqrt(2.0)
_SQRT_HALF_PI = np.sqrt(np.pi / 2.0)
# Below this the computed normal mass of an interval loses its precision, so other formulas take over.
_TINY_MASS = 1e-200
_LEAST_LOG_SHARE = -40.0
_LOG_OF_SMALL = -25.0
_SPLINE_KNOTS = 4096
_FEW_QUANTILES = 512
"""Up to this number, loading the compiled steps (.1 s and more) takes longer than they save."""


def normal_mass(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return P(a < Z ≤ b) of a standard normal Z for a ≤ b, without cancellation in the upper tail."""
    below, above = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    side = np.where(below > 0, -1.0, 1.0)
    return np.asarray(side * (ndtr(side * above) - ndtr(side * below)) + 0.0)


def log_normal_mass(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return log P(a < Z ≤ b) of a standard normal Z for a ≤ b, correct however far out the interval lies."""
    below, above = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    flip = below > 0
    left, right = log_ndtr(np.where(flip, -above, below)), log_ndtr(np.where(flip, -below, above))
    mass = normal_mass(a, b)
    with np.errstate(divide="ignore"):
        far_out = right + np.log(-np.expm1(left - right))
        return np.asarray(np.where(mass > _TINY_MASS, np.log(mass), far_out))


def folded_normal_cdf(x: ArrayLike, mean: ArrayLike, sd: ArrayLike) -> Floats:
    """Return P(|X| ≤ x) of a normal X."""
    reach, centre, spread = np.maximum(x, 0.0), np.asarray(mean), np.asarray(sd)
    return normal_mass((-reach - centre) / spread, (reach - centre) / spread)


def truncated_normal_cdf(
    x: ArrayLike, mean: ArrayLike, sd: ArrayLike, low: ArrayLike, high: ArrayLike
) -> Floats:
    """Return P(X ≤ x | low ≤ X ≤ high) of a normal X."""
    centre, spread = np.asarray(mean), np.asarray(sd)
    start, end, at = np.asarray(low), np.asarray(high), np.clip(x, low, high)
    a = (start - centre) / spread
    whole = normal_mass(a, (end - centre) / spread)
    with np.errstate(all="ignore"):
        share = normal_mass(a, (at - centre) / spread) / whole
        if np.any(whole <= _TINY_MASS):
            above = _lost(at - start, start - centre, spread) / _lost(end - start, start - centre, spread)
            below = _lost(end - at, centre - end, spread) / _lost(end - start, centre - end, spread)
            share = np.where(whole > _TINY_MASS, share, np.where(a > 0, above, 1.0 - below))
    return np.asarray(np.clip(share, 0.0, 1.0))


def truncated_normal_quantile(u: ArrayLike, mean: float, sd: float, low: float, high: float) -> Floats:
    """Return the x at which `truncated_normal_cdf` reaches u, for u in (0, 1)."""
    a, b = (low - mean) / sd, (high - mean) / sd
    share, whole = np.asarray(u, dtype=np.float64), normal_mass(a, b)
    if whole > _TINY_MASS:
        x = _near_quantile(share, (float(ndtr(a)), float(ndtr(-b)), float(whole)), mean, sd)
    elif a > 0:
        x = low + _far_step(share * _lost(high - low, low - mean, sd), low - mean, sd)
    else:
        x = high - _far_step((1.0 - share) * _lost(high - low, mean - high, sd), mean - high, sd)
    return np.asarray(np.clip(x, low, high))


def _near_quantile(share: Floats, ends: tuple[float, float, float], mean: float, sd: float) -> Floats:
    """Return quantiles of a normal with the chances to the left, to the right and inside of an interval."""
    if share.size > _FEW_QUANTILES:
        from nbyk.priors.tails import from_tail, nearer_tail

        flat = np.ravel(share)
        tail = np.empty(flat.shape)
        nearer_tail(flat, *ends, tail)
        ndtri(tail, out=tail)
        from_tail(flat, *ends, mean, sd, tail)
        return tail.reshape(share.shape)
    left, right, whole = ends
    below, above = left + share * whole, right + (1.0 - share) * whole
    z = ndtri(np.minimum(below, above))
    return np.asarray(mean + sd * np.where(below <= above, z, -z))


def _lost(step: ArrayLike, gap: ArrayLike, sd: ArrayLike) -> Floats:
    """Return P(X ≤ t + step | X > t) of a normal X whose mean lies `gap` > 0 below t.

    Neither side of the ratio is formed, so nothing underflows or cancels however far out t is: with the
    scaled complementary error function the squares drop out of the exponent.
    """
    a, d = np.asarray(gap) / sd, np.asarray(step) / np.asarray(sd)
    return np.asarray(-np.expm1(-d * (a + d / 2.0) + np.log(erfcx((a + d) / _SQRT_2) / erfcx(a / _SQRT_2))))


def _far_step(lost: Floats, gap: float, sd: float) -> Floats:
    """Return the step at which `_lost` reaches `lost`, for a gap of many sds."""
    # The step for a lost share that rounds to 1 would be infinite.
    a, target = gap / sd, np.log1p(-np.minimum(lost, 1.0 - 2.0**-53))
    d = -target / a
    # The tail is all but exponential out there: Newton's method gains several digits a step.
    for _ in range(4):
        z = a + d
        log_kept = -d * (a + d / 2.0) + np.log(erfcx(z / _SQRT_2) / erfcx(a / _SQRT_2))
        d = d + (log_kept - target) * erfcx(z / _SQRT_2) * _SQRT_HALF_PI
    return np.asarray(sd * d)


def triangular_cdf(x: ArrayLike, low: ArrayLike, mode: ArrayLike, high: ArrayLike) -> Floats:
    """Return P(X ≤ x) of a triangular distribution; the mode may sit on an end."""
    start, apex, end = np.asarray(low), np.asarray(mode), np.asarray(high)
    at = np.clip(x, start, end)
    width, rise, fall = end - start, apex - start, end - apex
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = (at - start) ** 2 / (width * rise)
        falling = 1.0 - (end - at) ** 2 / (width * fall)
    return np.asarray(np.where((at < apex) | (fall == 0), np.where(rise == 0, 0.0, rising), falling))


def beta_quantile(u: ArrayLike, a: float, b: float) -> Floats:
    """Return the x at which a beta distribution function reaches u, for u from e⁻⁴⁰ to below 1.

    It is right to 10⁻⁸. From either end, the logarithm of x is a smooth function of the logarithm of u. A
    spline through a few thousand values serves all shares, at a small part of the cost of inverting each.
    """
    share = np.asarray(u, dtype=np.float64, order="C")
    low = share <= 0.5
    log_x = np.where(low, np.log(share), np.log1p(-share))
    if share.size > _FEW_QUANTILES:
        from nbyk.priors.tails import spline

        flat = low.reshape(-1), log_x.reshape(-1)
        spline(_beta_tail(a, b).x, _tail_coefficients(a, b), _tail_coefficients(b, a), *flat)
    else:
        log_x = np.where(low, _beta_tail(a, b)(log_x), _beta_tail(b, a)(log_x))
    x = np.exp(log_x)
    return np.where(low, x, 1.0 - x)


@cache
def _tail_coefficients(a: float, b: float) -> Floats:
    """Return the coefficients of `_beta_tail`, those of each piece together, (pieces, 4)."""
    return np.ascontiguousarray(_beta_tail(a, b).c.T)


@cache
def _beta_tail(a: float, b: float) -> CubicSpline:
    """Return log x as a function of log u for u up to one half; it is constant where x would underflow."""
    from scipy.interpolate import CubicSpline

    log_u = np.linspace(_LEAST_LOG_SHARE, np.log(0.5), _SPLINE_KNOTS)
    least = np.finfo(np.float64).tiny
    # The share up to a small x is x^a / (a B(a, b)); for some shapes scipy's inverse is NaN there.
    log_x = np.maximum((log_u + np.log(a) + betaln(a, b)) / a, np.log(least))
    apart = log_x > _LOG_OF_SMALL
    log_x[apart] = np.log(np.maximum(betaincinv(a, b, np.exp(log_u[apart])), least))
    return CubicSpline(log_u, log_x)
