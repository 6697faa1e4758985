"""The classical tests by scipy: the statistics and p-values of many pairs of samples.

Scores and differences that are equal on paper tie, where scipy ranks them by their last digits. With ties,
exact p-values of rank tests come from all signs or deals of the ranks, where scipy takes ranks without ties;
and they are the default for few scores, where scipy's is the normal law if any row has a tie.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from nbyk.arrays import Booleans, Floats
from nbyk.errors import NbykError
from nbyk.testing.pvalues import Alternative
from nbyk.testing.scores.nulls import equal_on_paper, near_one, paired_differences
from nbyk.testing.scores.subset_sums import ANY_SIZE, chances_of_sums

_EXACT_PAIRS, _EXACT_SCORES = 50, 8
"""By default p is exact up to so many pairs, or scores of the smaller sample."""
_MOST_COUNTED = 4000
"""With ties, all deals are counted by default up to this product of the smaller sample and of all scores."""

_FEW = 30
"""The least p of more pairs, or scores, is far below any level."""


def welch(a: Floats, b: Floats, alternative: Alternative, _: str = "auto") -> tuple[Floats, Floats]:
    """Return t and p of R pairs of samples, shapes (R, n) and (R, m); NaN if undefined, as below."""
    from scipy import stats

    a, b = near_one(*equal_on_paper(a, b))  # squares of 1e-170 are 0, and so is p
    constant = (np.ptp(a, axis=1) == 0.0) & (np.ptp(b, axis=1) == 0.0)
    return _quietly(lambda: stats.ttest_ind(a, b, axis=1, equal_var=False, alternative=alternative), constant)


def wilcoxon(a: Floats, b: Floats, alternative: Alternative, method: str = "auto") -> tuple[Floats, Floats]:
    """Return the signed-rank sum and p of R pairs of samples; "auto" is exact up to 50 pairs of scores."""
    from scipy import stats

    differences = paired_differences(a, b)
    constant = (differences == 0.0).all(axis=1)
    if method == "auto":
        method = "exact" if differences.shape[1] <= _EXACT_PAIRS else "asymptotic"
    statistic, p = _quietly(
        lambda: stats.wilcoxon(differences, axis=1, alternative=alternative, method=method), constant
    )
    if method == "exact":
        for row in np.flatnonzero(~constant & _has_ties(np.abs(differences), apart_from=0.0)):
            kept = differences[row][differences[row] != 0.0]
            ranks = stats.rankdata(np.abs(kept))
            p[row] = _exact_p(ranks, float(ranks[kept > 0.0].sum()), ANY_SIZE, alternative)
    return statistic, p


def mann_whitney(
    a: Floats, b: Floats, alternative: Alternative, method: str = "auto"
) -> tuple[Floats, Floats]:
    """Return U and p of R pairs of samples; "auto" is exact where either has up to 8 scores."""
    from scipy import stats

    a, b = equal_on_paper(a, b)
    pool = np.concatenate([a, b], axis=1)
    constant, n = np.ptp(pool, axis=1) == 0.0, a.shape[1]
    fewest, is_auto = min(n, b.shape[1]), method == "auto"
    if is_auto:
        method = "exact" if fewest <= _EXACT_SCORES else "asymptotic"
    statistic, p = _quietly(
        lambda: stats.mannwhitneyu(a, b, axis=1, alternative=alternative, method=method), constant
    )
    tied = np.flatnonzero(~constant & _has_ties(pool)) if method == "exact" else ()
    if is_auto and len(tied) and fewest * pool.shape[1] > _MOST_COUNTED:
        by_law = stats.mannwhitneyu(a[tied], b[tied], axis=1, alternative=alternative, method="asymptotic")
        p[tied] = by_law.pvalue
    else:
        for row in tied:
            # the ranks of the smaller sample: B's from the largest score on, which are high if A is better
            is_a_smaller = 2 * n <= pool.shape[1]
            ranks = stats.rankdata(pool[row] if is_a_smaller else -pool[row])
            smaller = ranks[:n] if is_a_smaller else ranks[n:]
            p[row] = _exact_p(ranks, float(smaller.sum()), smaller.size, alternative)
    return statistic, p


FORMULAS: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "welch_t": welch,
    "wilcoxon": wilcoxon,
    "mann_whitney": mann_whitney,
}
"""The tests by name: from samples, an alternative and a method to statistics and p-values."""


def clearest(test: str, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the scores of two pairs of samples that give a rank test its least p; none for other tests."""
    rising, n, m = np.sort(np.concatenate([a, b])), a.size, b.size
    if test == "wilcoxon" and n <= _FEW:
        sizes = np.abs(paired_differences(a[None], b[None]))[0]
        return np.stack([sizes, -sizes]), np.zeros((2, n))
    if test == "mann_whitney" and n + m <= _FEW:
        return np.stack([rising[m:], rising[:n]]), np.stack([rising[:m], rising[n:]])
    return np.empty((0, n)), np.empty((0, m))


def _has_ties(values: Floats, *, apart_from: float = np.nan) -> Booleans:
    """Return whether any two of a row's values are equal, shape (R,); one value does not count."""
    rising = np.sort(values, axis=1)
    return np.asarray(((np.diff(rising, axis=1) == 0.0) & (rising[:, 1:] != apart_from)).any(axis=1))


def _exact_p(ranks: Floats, observed: float, size: int, alternative: Alternative) -> float:
    """Return p of a sum of ranks among the sums of all subsets of a size, or of any."""
    # twice a rank is a whole number, since ties share the mean of theirs
    chances = chances_of_sums(np.rint(2.0 * ranks).astype(np.int64), size)
    at = round(2.0 * observed)
    greater, less = float(chances[at:].sum()), float(chances[: at + 1].sum())
    p = {"greater": greater, "less": less, "two-sided": 2.0 * min(greater, less)}
    return min(1.0, p[alternative])


def _quietly(test: Callable[[], Any], undefined: Any) -> tuple[Floats, Floats]:
    """Return a test's statistics and p-values, without scipy's warnings and NaN where it is undefined."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = test()
        except ValueError as error:
            raise NbykError(f"scipy refused the test: {error}") from error
    p = np.where(undefined, np.nan, np.asarray(result.pvalue, dtype=np.float64))
    return np.asarray(result.statistic, dtype=np.float64), p
