"""When a resampling test may stop drawing: once its decision at α can hardly change.

A test draws M effects under the null and counts those, c, that are at least as large as the observed effect.
It needs all M draws only near the border. The bounds here compare an early decision with the decision by all
M draws, not with the truth. The draws are exchangeable. So the count among the first m is hypergeometric
given the final count, whatever the null is.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.arrays import Integers
from nbyk.errors import NbykError

ERROR = 1e-6
"""Largest chance, per decision, that an early stop changes the decision of all draws."""

FIRST_LOOK, GROWTH = 64, 1.2
"""Draws before the first look, and the factor by which they grow from look to look."""


@dataclass(frozen=True, eq=False)
class Looks:
    """The numbers of draws at which to look, and the counts of exceedances that decide there.

    Attributes
    ----------
    draws : ndarray of int, shape (L,)
        Numbers of draws m, increasing; the last is M.
    reject_to : ndarray of int, shape (L,)
        Reject the null where the count is at most this; −1 for no count.
    keep_from : ndarray of int, shape (L,)
        Do not reject where the count is at least this. At M every count decides.
    """

    draws: Integers
    reject_to: Integers
    keep_from: Integers


def critical_count(n_resamples: int, alpha: float) -> int:
    """Return the largest count c with (1 + c)/(1 + M) ≤ α: the p-value of `nbyk.p_value`."""
    critical = math.floor(alpha * (1 + n_resamples) * (1.0 + 1e-12)) - 1
    if critical < 0:
        raise NbykError(
            f"found {n_resamples}, of which the smallest p-value is 1/{n_resamples + 1}, above α = "
            f"{alpha:g}; expected at least {math.ceil(1.0 / alpha) - 1}",
            argument="n_resamples",
        )
    return critical


@cache
def looks(
    n_resamples: int,
    critical: int,
    *,
    first: int = FIRST_LOOK,
    growth: float = GROWTH,
    error: float = ERROR,
) -> Looks:
    """Return the looks of a test that rejects if at most `critical` of M draws exceed.

    The number of draws grows from look to look by a factor, rounded up to a multiple of `first`; with `first`
    = M the only look is after all draws. The chance, per decision, of deciding differently from the M draws
    is at most `error`.

    If all M draws would reject, at most C = `critical` of them exceed. The count among the first m is then at
    most a hypergeometric count of C in M. It reaches `keep_from` at any look with a chance of at most
    `error`, which the looks share equally. If they would not reject, at least C + 1 exceed, and the same
    holds for `reject_to`. A count after which the decision cannot change (more than C, or at most C − (M −
    m)) is certain and uses up none of the error.
    """
    draws = schedule(n_resamples, first, growth)
    at = np.array(draws, dtype=np.int64)
    reject_to = np.maximum(-1, critical - (n_resamples - at))
    keep_from = np.full(at.size, critical + 1, dtype=np.int64)
    share = error / max(1, at.size - 1)
    for look, m in enumerate(draws[:-1]):
        most = _quantile_from_below(n_resamples, critical + 1, m, share)
        least = _quantile_from_above(n_resamples, critical, m, share)
        reject_to[look] = max(reject_to[look], most)
        keep_from[look] = min(keep_from[look], least)
    return Looks(at, reject_to, keep_from)


@cache
def certain_looks(draws: tuple[int, ...], alpha: float, *, error: float) -> Looks:
    """Return the counts that settle, at numbers of draws, if the p of infinitely many draws is at most α.

    If that p-value is above α, the count among m draws is at least a binomial of m and α. It falls to
    `reject_to` with a chance of at most `error` / L at each of the L looks. The same holds for `keep_from`. A
    count between the two settles nothing, even at the last look.
    """
    at = np.array(draws, dtype=np.int64)
    share = error / at.size
    reject_to, keep_from = np.empty_like(at), np.empty_like(at)
    for look, m in enumerate(draws):
        critical = math.floor(alpha * (1 + m) * (1.0 + 1e-12)) - 1
        least, most = _rare_counts(m, alpha, share)
        reject_to[look], keep_from[look] = min(least - 1, critical), max(most, critical + 1)
    return Looks(at, reject_to, keep_from)


def schedule(n_resamples: int, first: int = FIRST_LOOK, growth: float = GROWTH) -> list[int]:
    """Return the numbers of draws at which to look; the last is `n_resamples`."""
    draws = []
    m = first
    while m < n_resamples:
        draws.append(m)
        m = max(m + first, math.ceil(m * growth / first) * first)
    return [*draws, n_resamples]


def _quantile_from_below(total: int, marked: int, drawn: int, chance: float) -> int:
    """Return the largest x with P(X ≤ x) ≤ `chance`, X hypergeometric; −1 if there is none."""
    return int((np.cumsum(_chances(total, marked, drawn)) <= chance).sum()) - 1


def _quantile_from_above(total: int, marked: int, drawn: int, chance: float) -> int:
    """Return the least x with P(X ≥ x) ≤ `chance`, X hypergeometric."""
    return int((np.cumsum(_chances(total, marked, drawn)[::-1]) > chance).sum())


def _chances(total: int, marked: int, drawn: int) -> NDArray[np.float64]:
    """Return P(X = x) for x from 0 to the largest, X hypergeometric."""
    # All at once by logarithms; scipy's `hypergeom` takes a hundred times as long, one by one.
    x = np.arange(min(marked, drawn) + 1)
    logs = _log_choose(marked, x) + _log_choose(total - marked, drawn - x) - _log_choose(total, drawn)
    return np.asarray(np.exp(logs))


def _log_choose(n: int, k: ArrayLike) -> NDArray[np.float64]:
    """Return the logarithm of the binomial coefficient, −∞ where k is above n."""
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n + 1, k)))


def _rare_counts(m: int, alpha: float, chance: float) -> tuple[int, int]:
    """Return the least c with P(X ≤ c) above a chance, and that with P(X ≥ c) at most this, X binomial."""
    from scipy.special import bdtr, bdtrc

    least = bisect_right(range(m + 1), chance, key=lambda c: float(bdtr(c, m, alpha)))
    return least, bisect_left(range(m + 1), -chance, key=lambda c: -float(bdtrc(c - 1, m, alpha)))
