"""Each test's result on one test set: p-values, and for intervals the level at which they leave out 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nbyk.arrays import Booleans, Floats
from nbyk.testing.intervals import share_below
from nbyk.testing.pvalues import null_counts, tie_tolerance

P_VALUE, TIES_AT_RANDOM, EXPECTED_P = "p_value", "p_value_ties_at_random", "expected_p"
PERCENTILE, BCA = "percentile", "bca"

DEFINITIONS = {
    P_VALUE: "(1 + null effects at least as extreme) / (1 + M), of the null at the data's own size",
    TIES_AT_RANDOM: "the same, but a tie counts as more extreme or not at random",
    EXPECTED_P: "the papers' p, averaged over resampled alternatives",
    PERCENTILE: "0 outside the percentile interval",
    BCA: "0 outside the bias-corrected and accelerated interval",
}
"""Definitions of p-values, and of the intervals' verdicts. A test rejects if p ≤ α; expected p if p < α."""


@dataclass(frozen=True)
class Method:
    """A way to decide, without its metric and level.

    The definition is a key of `DEFINITIONS`. An interval has the null "". The alternative is "two-sided",
    "greater" (A is better), or for expected p "folded": negated, as the papers define it, if B looks better.
    """

    definition: str
    sampler: str
    null: str
    alternative: str
    n_resamples: int

    def rejects(self, p: Floats, alpha: float) -> Booleans:
        """Return whether each p-value rejects at level α; NaN, an undefined one, does not."""
        if self.definition == EXPECTED_P:
            return np.asarray(p < alpha * (1.0 - 1e-12))
        return np.asarray(p <= alpha * (1.0 + 1e-12))


def p_of_null(observed: float, null: Floats) -> tuple[float, float]:
    """Return the two-sided and the one-sided p-value (A is better), NaN where a draw is undefined."""
    if not np.isfinite(null).all():
        return np.nan, np.nan
    n_greater, n_less, n = null_counts(observed, null)
    return min(1.0, 2.0 * (1 + min(n_greater, n_less)) / (1 + n)), (1 + n_greater) / (1 + n)


def p_with_ties_at_random(observed: float, null: Floats, uniform: float) -> tuple[float, float]:
    """Return the same p-values, with the observed effect's rank among its ties drawn by `uniform`.

    Under an exact null every rank from 1 to 1 + M is equally likely, so this p-value is uniform on them. Only
    ties keep the other p-value from its level.
    """
    if not np.isfinite(null).all():
        return np.nan, np.nan
    n_greater, n_less, n = null_counts(observed, null)
    above = n - n_less
    rank = 1 + above + int(uniform * (n_greater - above + 1))
    return min(1.0, 2.0 * min(rank, n + 2 - rank) / (1 + n)), rank / (1 + n)


def expected_p_values(alternative: Floats, null: Floats) -> tuple[float, float]:
    """Return `nbyk.expected_p` of effects, shape (M,) each, and it without negation; NaN if undefined."""
    if not (np.isfinite(alternative).all() and np.isfinite(null).all()):
        return np.nan, np.nan
    alternative, null = np.sort(alternative), np.sort(null)
    tolerance = tie_tolerance(alternative[[0, -1]], null[[0, -1]])
    at_least = null.size - np.searchsorted(null, alternative - tolerance, side="left")
    pairs = alternative.size * null.size
    greater = folded = float(at_least.sum()) / pairs
    if _median(null) > _median(alternative) + tolerance:
        folded = float(np.searchsorted(null, alternative + tolerance, side="right").sum()) / pairs
    return folded, greater


def p_of_intervals(draws: Floats, observed: float, acceleration: float) -> tuple[float, float]:
    """Return the levels α at which the percentile and the BCa interval of level 1 − α begin to leave out 0.

    Of the bootstrapped effects, undefined ones are left out, and NaN returned if none remains. An interval
    ends at the draw of rank α/2 (1 + B), with α/2 of the distribution beyond it, so that on average few draws
    cover no less than many. BCa's ends are inverted in closed form (Efron 1987).
    """
    from scipy.special import ndtr, ndtri

    draws = draws[np.isfinite(draws)]
    if draws.size == 0:
        return np.nan, np.nan
    tolerance = tie_tolerance(draws, np.array([observed]))
    n_low, n_high = int((draws <= tolerance).sum()), int((draws >= -tolerance).sum())
    tails = np.array([1 + n_low, 1 + n_high]) / (1 + draws.size)
    bias = float(ndtri(share_below(draws, observed)))
    # If all draws lie on one side of 0, the rank would be 1 + B of 1 + B: use half a draw less.
    z = ndtri(np.minimum(tails, 1.0 - 0.5 / draws.size)) * np.array([1.0, -1.0]) - bias
    ends = (z / (1.0 + acceleration * z) - bias) * np.array([1.0, -1.0])
    return min(1.0, 2.0 * float(tails.min())), min(1.0, 2.0 * float(ndtr(ends).min()))


def _median(ascending: Floats) -> float:
    middle = ascending.size // 2
    return float(
        ascending[middle] if ascending.size % 2 else 0.5 * (ascending[middle - 1] + ascending[middle])
    )


def random_uniform(seed: int) -> float:
    """Return the uniform that breaks a test set's ties, the same for every metric."""
    return float(np.random.default_rng(np.random.SeedSequence(seed)).random())
