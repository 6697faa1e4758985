"""Compiled steps before and after the normal quantiles, for draws from a truncated normal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit

Floats = NDArray[np.float64]


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
