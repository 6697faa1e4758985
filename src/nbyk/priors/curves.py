"""Normal masses, and quantiles of truncated normals and betas, right in the tails; nothing is validated.

The grid search of a fit calls `truncated_normal_cdf` with many sets of parameters at once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, erfcx, ndtr, ndtri

from nbyk.arrays import Booleans, Floats
from nbyk.compiled import njit

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_SQRT_2 = np.sqrt(2.0)
_SQRT_HALF_PI = np.sqrt(np.pi / 2.0)
# Below this the computed normal mass of an interval loses its precision, so other formulas take over.
_TINY_MASS = 1e-200
_LEAST_LOG_SHARE = -40.0
_LOG_OF_SMALL = -25.0
_SPLINE_KNOTS = 4096


def normal_mass(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return P(a < Z ≤ b) of a standard normal Z for a ≤ b, without cancellation in the upper tail."""
    below, above = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    side = np.where(below > 0, -1.0, 1.0)
    return np.asarray(side * (ndtr(side * above) - ndtr(side * below)) + 0.0)


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
        below, above = ndtr(a) + share * whole, ndtr(-b) + (1.0 - share) * whole
        z = ndtri(np.minimum(below, above))  # in the nearer tail, where it keeps its digits
        x = mean + sd * np.where(below <= above, z, -z)
    elif a > 0:
        x = low + _far_step(share * _lost(high - low, low - mean, sd), low - mean, sd)
    else:
        x = high - _far_step((1.0 - share) * _lost(high - low, mean - high, sd), mean - high, sd)
    return np.asarray(np.clip(x, low, high))


def _lost(step: ArrayLike, gap: ArrayLike, sd: ArrayLike) -> Floats:
    """Return P(X ≤ t + step | X > t) of a normal X whose mean lies `gap` > 0 below t.

    With the scaled complementary error function, nothing underflows or cancels however far out t is.
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


def beta_quantile(u: ArrayLike, a: float, b: float) -> Floats:
    """Return the x at which a beta distribution function reaches u, from e⁻⁴⁰ to below 1, right to 10⁻⁸.

    From either end, log x is a smooth function of log u: a spline through a few thousand values serves all.
    """
    share = np.asarray(u, dtype=np.float64, order="C")
    low = share <= 0.5
    log_x = np.where(low, np.log(share), np.log1p(-share))
    flat = low.reshape(-1), log_x.reshape(-1)
    _spline(_beta_tail(a, b).x, _tail_coefficients(a, b), _tail_coefficients(b, a), *flat)
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


@njit(nogil=True, cache=True)
def _spline(knots: Floats, coefficients: Floats, others: Floats, first: Booleans, x: Floats) -> None:
    """Replace each of `x`, shape (n,), by a cubic spline's value there: the first where `first` is true.

    `knots`, shape (m,), lie evenly. `coefficients` and `others`, each (m − 1, 4), are of the powers of the
    distance to the knot before, highest first. The steps are those of scipy's `CubicSpline`.
    """
    last = len(knots) - 2
    per_step = (len(knots) - 1) / (knots[-1] - knots[0])
    for i in range(len(x)):
        at = min(max(int((x[i] - knots[0]) * per_step), 0), last)
        if x[i] < knots[at] and at > 0:
            at -= 1
        elif at < last and x[i] >= knots[at + 1]:
            at += 1
        step = x[i] - knots[at]
        c = coefficients[at] if first[i] else others[at]
        square = step * step
        x[i] = c[3] + c[2] * step + c[1] * square + c[0] * (square * step)
