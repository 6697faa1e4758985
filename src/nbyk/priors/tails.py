"""Compiled steps of quantiles, for draws from a truncated normal or a beta distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@njit(nogil=True, cache=True)
def nearer_tail(share: Floats, left: float, right: float, whole: float, out: Floats) -> None:
    """Fill `out` with the smaller of the chances to the left and to the right of the quantiles; all (n,)."""
    for i in range(len(share)):
        out[i] = min(left + share[i] * whole, right + (1.0 - share[i]) * whole)


@njit(nogil=True, cache=True)
def from_tail(
    share: Floats, left: float, right: float, whole: float, mean: float, sd: float, tail: Floats
) -> None:
    """Turn the normal quantiles of the nearer tails into those of the distribution, in place; all (n,)."""
    for i in range(len(share)):
        is_left = left + share[i] * whole <= right + (1.0 - share[i]) * whole
        tail[i] = mean + sd * (tail[i] if is_left else -tail[i])


@njit(nogil=True, cache=True)
def spline(knots: Floats, coefficients: Floats, others: Floats, first: Flags, x: Floats) -> None:
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
