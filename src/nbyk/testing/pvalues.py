"""p-values from draws of an effect under the alternative and under the null, with their Monte-Carlo error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.sums import covariance

Alternative = Literal["greater", "less", "two-sided"]

_FEW_PAIRS = 10.0
"""Below this many expected draws on the wrong side, placements do not estimate their own variance well."""

_RELATIVE_TIE, _ABSOLUTE_TIE = 1e-10, 1e-14
"""Effects no further apart than this, relative to the largest or absolutely, are ties."""


_ROUNDING = 1e-9

DECISION_ERROR = 0.001
"""Largest chance that a settled decision differs from the decision by infinitely many draws."""

MOST_DRAWS = 10**7
"""Most draws of a null or a bootstrap. They are kept in memory, 80 MB each."""


@dataclass(frozen=True)
class ExpectedP:
    """Expected p-value under the alternative, and its Monte-Carlo standard error.

    p is the share of pairs (α, β) of an alternative and a null effect with β ≥ α, in [0, 1]. `flipped` says
    whether the effects were negated because the null's median was larger, so that B looks better.
    """

    p: float
    standard_error: float
    flipped: bool


@dataclass(frozen=True)
class PValue:
    """p-value of one observed effect against draws of the null, and its Monte-Carlo standard error.

    p is (1 + draws at least as extreme) / (1 + draws), in (0, 1]; never zero. A test that enumerates its null
    gives the share of it that is at least as extreme, and its error is 0.
    """

    p: float
    standard_error: float
    alternative: Alternative


def expected_p(alternative: ArrayLike, null: ArrayLike, *, paired: bool = False) -> ExpectedP:
    """Return the papers' p-value: the p-value averaged over draws of the alternative, by sorting.

    Parameters
    ----------
    alternative, null : array_like, shape (M,) and (L,)
        Effects under either hypothesis, positive where A is better.
    paired
        Whether draw j of both come from the same items and gold, so that they are correlated. It changes
        the standard error, not the p-value.

    Returns
    -------
    ExpectedP

    Raises
    ------
    NbykError
        If there are no draws, a draw is not a finite number, or paired draws differ in number.

    Notes
    -----
    With placements P(α) = #{β ≥ α}/L and Q(β) = #{α ≤ β}/M, p is the mean of each. As a two-sample
    U-statistic it has the variance var(P)/M + var(Q)/L (+ 2 cov(P, Q)/M when paired); DeLong et al. 1988. If
    fewer than about ten draws lie on the wrong side, the variance is the larger of this and that of two
    normal samples with the draws' moments. Ties count, as in Wein et al. 2023 (their released code; Algorithm
    2 prints β < α, which is one minus it). The test is one-sided towards the side that the medians point to,
    so p exceeds one half only because of ties or skewness.

    Effects that differ by at most max(1e-14, 1e-10 × the largest effect in size) are ties: effects of
    discrete responses that are equal in exact arithmetic differ by rounding where they were summed in another
    order.
    """
    alpha, beta = _effects(alternative, "alternative"), _effects(null, "null")
    if paired and alpha.size != beta.size:
        raise NbykError(
            f"paired draws: {alpha.size} of the alternative, {beta.size} of the null; expected as many"
        )
    tolerance = tie_tolerance(alpha, beta)
    flipped = bool(np.median(beta) > np.median(alpha) + tolerance)
    if flipped:
        alpha, beta = -alpha, -beta
    beta_sorted, alpha_sorted = np.sort(beta), np.sort(alpha)
    n_at_least = null_at_least(alpha, beta_sorted, tolerance)
    placement = n_at_least / beta.size
    counter_placement = np.searchsorted(alpha_sorted, beta + tolerance, side="right") / alpha.size
    p = int(n_at_least.sum()) / (alpha.size * beta.size)
    variance = _variance(placement) / alpha.size + _variance(counter_placement) / beta.size
    if paired and alpha.size > 1:
        variance += 2.0 * covariance(placement, counter_placement) / alpha.size
    if min(p, 1.0 - p) * min(alpha.size, beta.size) < _FEW_PAIRS:
        variance = max(variance, _binormal_variance(alpha, beta))
    return ExpectedP(p, math.sqrt(max(0.0, variance)), flipped)


def p_value(observed: float, null: ArrayLike, *, alternative: Alternative = "two-sided") -> PValue:
    """Return the p-value of an observed effect: (1 + #{β at least as extreme}) / (1 + M).

    Parameters
    ----------
    observed
        The effect on the data as they are.
    null : array_like, shape (M,)
        Effects under the null.
    alternative
        "greater" (A is better), "less", or "two-sided" (twice the smaller of the two, at most 1).

    Returns
    -------
    PValue

    Raises
    ------
    NbykError
        If there are no draws or a number is not finite.

    Notes
    -----
    `p_value` needs the null drawn at the data's own size (sampler all_items/all); nulls of resampled
    responses or bootstrapped items are for `expected_p`.

    Effects that differ by at most max(1e-14, 1e-10 × the largest effect in size, observed included) are ties
    and count as at least as extreme: effects of discrete responses that are equal in exact arithmetic differ
    by rounding where they were summed in another order, and a test that misses ties rejects too often.
    """
    check_alternative(alternative)
    return p_values(observed, null)[alternative]


def check_alternative(alternative: str) -> None:
    """Raise NbykError if `alternative` is not "two-sided", "greater" or "less"."""
    if alternative not in ("greater", "less", "two-sided"):
        raise NbykError(
            f"found {alternative!r}, expected 'greater', 'less' or 'two-sided'", argument="alternative"
        )


def p_values(observed: float, null: ArrayLike) -> dict[Alternative, PValue]:
    """Return the p-value of each alternative; the parameters and errors are those of `p_value`."""
    return p_of_counts(*null_counts(observed, null))


def p_of_counts(n_greater: int, n_less: int, n_draws: int) -> dict[Alternative, PValue]:
    """Return the p-value of each alternative from what `null_counts` returns."""
    total = 1 + n_draws
    by_alternative: dict[Alternative, PValue] = {}
    least = min(n_greater, n_less)
    sides: tuple[tuple[Alternative, int, float], ...] = (
        ("greater", n_greater, 1.0),
        ("less", n_less, 1.0),
        ("two-sided", least, 2.0),
    )
    for alternative, count, factor in sides:
        p = (1 + count) / total
        error = factor * math.sqrt(p * (1.0 - p) / total)
        by_alternative[alternative] = PValue(min(1.0, factor * p), error, alternative)
    return by_alternative


def p_of_sides(greater: float, less: float) -> dict[Alternative, float]:
    """Return the p-value of each alternative from those of the two sides, where no draws are counted."""
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2.0 * min(greater, less))}


def p_of_signs(n_plus: int, n_minus: int) -> dict[Alternative, float]:
    """Return the exact p-values of the sign test, McNemar's for paired zeros and ones (McNemar 1947)."""
    from scipy.special import bdtr

    n = n_plus + n_minus
    return p_of_sides(float(bdtr(n_minus, n, 0.5)), float(bdtr(n_plus, n, 0.5)))


def null_counts(observed: float, null: ArrayLike) -> tuple[int, int, int]:
    """Return the numbers of null effects at least and at most the observed one (ties in both), and of all.

    The parameters and errors are those of `p_value`.
    """
    beta = _effects(null, "null")
    if not math.isfinite(observed):
        raise NbykError(f"observed effect: found {observed}, expected a finite number")
    tolerance = tie_tolerance(beta, np.array([observed]))
    n_greater = int((beta >= observed - tolerance).sum())
    n_less = int((beta <= observed + tolerance).sum())
    return n_greater, n_less, beta.size


def counts_of_sides(n_greater: int, n_less: int, alternative: Alternative) -> Floats:
    """Return the counts of the alternative's sides: one, or both of a two-sided test."""
    counts = {"greater": (n_greater,), "less": (n_less,), "two-sided": (n_greater, n_less)}[alternative]
    return np.array(counts, dtype=np.float64)


def attained_level(
    observed: float, null: ArrayLike, alpha: float, *, alternative: Alternative = "two-sided"
) -> float:
    """Return the level that ties leave of α: the chance that p ≤ α if all effects are equally likely.

    Under an exact null, the observed effect is equally likely to be any of the M draws or itself. Without
    ties, as many of them have p ≤ α as α allows. With ties, p counts all of a tie as more extreme. The
    parameters and errors are those of `p_value`.
    """
    check_alternative(alternative)
    effects = _effects(np.append(_effects(null, "null"), observed), "effects")
    sides = {"greater": (1.0,), "less": (-1.0,), "two-sided": (1.0, -1.0)}[alternative]
    most = math.floor(alpha / len(sides) * effects.size + 1e-9)
    if most == 0:
        return 0.0
    tolerance = tie_tolerance(effects)
    rejected = 0
    for sign in sides:
        signed = sign * effects
        border = float(np.partition(signed, -most)[-most])
        at_least = int((signed >= border - tolerance).sum())
        rejected += at_least if at_least <= most else int((signed > border + tolerance).sum())
    return rejected / effects.size


def _effects(values: ArrayLike, name: str) -> Floats:
    effects = np.asarray(values, dtype=np.float64).ravel()
    if effects.size == 0:
        raise NbykError(f"{name}: no draws; expected at least one effect")
    if not np.isfinite(effects).all():
        bad = int(np.flatnonzero(~np.isfinite(effects))[0])
        raise NbykError(f"{name}: draw {bad} is {effects[bad]}; expected finite effects")
    return effects


def null_at_least(alternative: Floats, sorted_null: Floats, tolerance: float) -> NDArray[np.int64]:
    """Return for each α the number of β in an ascending sample that are at least α, ties included."""
    return np.asarray(sorted_null.size - np.searchsorted(sorted_null, alternative - tolerance, side="left"))


def tie_tolerance(*effects: Floats) -> float:
    """Return the largest distance of two effects that tie; see the notes of `expected_p`."""
    largest = max(float(np.abs(values).max()) for values in effects)
    return max(_ABSOLUTE_TIE, _RELATIVE_TIE * largest)


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1)) if values.size > 1 else 0.0


def _binormal_variance(alpha: Floats, beta: Floats) -> float:
    """Return the exact variance of the U-statistic for two normal samples with the draws' moments."""
    from scipy.special import ndtr, owens_t

    var_alpha, var_beta = _variance(alpha), _variance(beta)
    total = var_alpha + var_beta
    if total == 0.0:
        return 0.0
    d = float(alpha.mean() - beta.mean()) / math.sqrt(total)
    p = float(ndtr(-d))

    def covariance_of_pairs_that_share(shared_variance: float) -> float:
        # P(X < −d, Y < −d) of normals with correlation ρ is Φ(−d) − 2 T(d, √((1 − ρ)/(1 + ρ))): Owen 1956.
        rho = shared_variance / total
        both = p - 2.0 * float(owens_t(d, math.sqrt((1.0 - rho) / (1.0 + rho))))
        return max(0.0, both - p * p)

    m, n = alpha.size, beta.size
    share_alpha = covariance_of_pairs_that_share(var_alpha)
    share_beta = covariance_of_pairs_that_share(var_beta)
    return ((n - 1) * share_alpha + (m - 1) * share_beta + p * (1.0 - p)) / (m * n)


def p_relation(p: float, n_draws: int, alternative: Alternative) -> Literal["=", "≤"]:
    """Return "≤" if p is the least that `n_draws` draws can give, so that it may be less; else "="."""
    least = sides_of(alternative) / (1 + n_draws)
    return "≤" if 0.0 < p <= least * (1.0 + _ROUNDING) else "="


def bounds_of_p(count: ArrayLike, n_draws: int, error: float) -> tuple[Floats, Floats]:
    """Return bounds of the p of infinitely many draws, of which `count` of `n_draws` were as extreme.

    The chance that p lies below the lower bound, and that it lies above the upper one, is at most `error`
    (Clopper and Pearson 1934). `scipy.stats.binomtest` gives the same for one count, and takes milliseconds.
    """
    from scipy.special import betaincinv

    counts = np.asarray(count, dtype=np.float64)
    low = np.where(counts <= 0, 0.0, betaincinv(np.maximum(counts, 1), n_draws - counts + 1, error))
    high = np.where(
        counts >= n_draws, 1.0, betaincinv(counts + 1, np.maximum(n_draws - counts, 1), 1.0 - error)
    )
    return low, high


def bounds_of_drawn_p(p: float, n_draws: int, alternative: Alternative) -> tuple[float, float]:
    """Return bounds of the p of infinitely many draws, which miss it with a chance of `DECISION_ERROR`."""
    if not n_draws:
        return p, p
    sides = sides_of(alternative)
    count = max(0, round(p / sides * (1 + n_draws)) - 1)
    low, high = bounds_of_p(count, n_draws, 0.5 * DECISION_ERROR / sides)
    return min(1.0, sides * float(low)), min(1.0, sides * float(high))


def sides_of(alternative: str) -> float:
    """Return the number of sides that an alternative looks at."""
    return 2.0 if alternative == "two-sided" else 1.0


def side_in_words(alternative: str) -> str:
    """Return an alternative in words for a sentence."""
    return alternative if alternative == "two-sided" else f"one-sided ({alternative})"
