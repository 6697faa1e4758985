"""The classical tests, by scipy, with one form of arguments and results.

Scores and differences that are equal on paper tie, where scipy ranks them by their last digits. With ties,
exact p-values of rank tests come from all signs or deals of the ranks, where scipy takes ranks without ties.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Booleans, Floats
from nbyk.data.arrays import as_pairs, as_scores
from nbyk.errors import NbykError
from nbyk.testing.pvalues import Alternative, PValue, check_alternative
from nbyk.testing.scores.nulls import equal_on_paper, paired_differences
from nbyk.testing.scores.result import SignificanceResult
from nbyk.testing.scores.subset_sums import ANY_SIZE, chances_of_sums

_FEW = 30
"""The least p of more pairs, or scores, is far below any level."""


def welch_t_test(a: Any, b: Any, *, alternative: Alternative = "two-sided") -> SignificanceResult:
    """Test the difference of the means of two samples by Welch's t, which allows for unequal variances.

    Parameters
    ----------
    a, b
        Two or more scores of each system, higher is better: lists, arrays, Series or tensors.
    alternative
        "greater" (A is better), "less" or "two-sided".

    Returns
    -------
    SignificanceResult
        `statistic` is t.

    Raises
    ------
    NbykError
        If scores are not finite numbers, or all of A's are equal and so are all of B's.

    Notes
    -----
    Welch 1947, as ``scipy.stats.ttest_ind(equal_var=False)``; Ulmer et al. 2022 call it Student's t.
    """
    first, second = as_scores(a, "a", least=2), as_scores(b, "b", least=2)
    check_alternative(alternative)
    return _result(
        "welch_t",
        welch(first[None], second[None], alternative),
        (first, second),
        alternative,
        "neither sample varies, so that t has no denominator; use permutation_test",
    )


def wilcoxon_test(
    a: Any, b: Any, *, alternative: Alternative = "two-sided", method: str = "auto"
) -> SignificanceResult:
    """Test paired scores by Wilcoxon's signed ranks.

    Parameters
    ----------
    a, b
        Scores of A and B on the same items or runs.
    alternative
        As for `nbyk.welch_t_test`.
    method
        "exact", "approx" or "auto", as in ``scipy.stats.wilcoxon``; but "exact" counts all signs of the ranks
        with ties too. Pairs that tie are left out.

    Returns
    -------
    SignificanceResult
        `statistic` is the sum of the ranks of positive differences, or the smaller sum if two-sided.

    Raises
    ------
    NbykError
        If scores are not finite numbers or do not pair, or all pairs tie.

    Notes
    -----
    Wilcoxon 1945. It holds its level if differences are symmetric around zero.
    """
    first, second = as_pairs(a, b)
    check_alternative(alternative)
    sizes = np.abs(paired_differences(first[None], second[None]))
    clearest = [sizes, -sizes] if sizes.size <= _FEW else []
    return _result(
        "wilcoxon",
        wilcoxon(
            np.concatenate([first[None], *clearest]),
            np.concatenate([second[None], *map(np.zeros_like, clearest)]),
            alternative,
            method,
        ),
        (first, second),
        alternative,
        "all pairs tie, so that there is nothing to rank; the systems' scores are the same",
        partial(wilcoxon, method=method),
    )


def mann_whitney_test(
    a: Any, b: Any, *, alternative: Alternative = "two-sided", method: str = "auto"
) -> SignificanceResult:
    """Test whether scores of A tend to be larger than scores of B by Mann and Whitney's U.

    Parameters
    ----------
    a, b
        Scores of A and B, in any order.
    alternative
        As for `nbyk.welch_t_test`.
    method
        "exact", "asymptotic" or "auto", as in ``scipy.stats.mannwhitneyu``; but "exact" counts all deals of
        the ranks with ties too.

    Returns
    -------
    SignificanceResult
        `statistic` is U: the number of pairs with A's score above B's; ties count one half.

    Raises
    ------
    NbykError
        If scores are not finite numbers, or all of them are equal.

    Notes
    -----
    Mann and Whitney 1947. It holds its level if A's and B's scores come from one distribution.
    """
    first, second = as_scores(a, "a"), as_scores(b, "b")
    check_alternative(alternative)
    rising, n, m = np.sort(np.concatenate([first, second])), first.size, second.size
    few = slice(None) if n + m <= _FEW else slice(1)
    return _result(
        "mann_whitney",
        mann_whitney(
            np.stack([first, rising[m:], rising[:n]][few]),
            np.stack([second, rising[:m], rising[n:]][few]),
            alternative,
            method,
        ),
        (first, second),
        alternative,
        "all scores are equal, so that there is nothing to rank",
        partial(mann_whitney, method=method),
    )


def _result(
    test: str,
    found: tuple[Floats, Floats],
    samples: tuple[Floats, Floats],
    alternative: Alternative,
    undefined: str,
    again: Callable[[Floats, Floats, Alternative], tuple[Floats, Floats]] | None = None,
) -> SignificanceResult:
    """Return the result of the first row of what was found; further rows are the clearest scores.

    The interval holds the shifts of A's scores that `again`, the test itself, does not reject (Hodges and
    Lehmann 1963); without it, it is by t.
    """
    (statistic, *_), (p, *clearest) = (values.tolist() for values in found)
    if np.isnan(p):
        raise NbykError(f"{test}: {undefined}")
    least_p = min(clearest, default=0.0)

    def p_of_shift(shift: float, side: Alternative) -> float:
        assert again is not None
        p = float(again(samples[0][None] - shift, samples[1][None], side)[1][0])
        return 1.0 if math.isnan(p) else p  # nothing is left to rank

    return SignificanceResult.of_means(
        test,
        statistic,
        PValue(p, 0.0, alternative),
        samples,
        least_p=least_p,
        p_of_shift=None if again is None else p_of_shift,
    )


def welch(a: Floats, b: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """Return t and p of R pairs of samples, shapes (R, n) and (R, m); NaN if undefined, as below."""
    from scipy import stats

    a, b = equal_on_paper(a, b)
    constant = (np.ptp(a, axis=1) == 0.0) & (np.ptp(b, axis=1) == 0.0)
    return _quietly(lambda: stats.ttest_ind(a, b, axis=1, equal_var=False, alternative=alternative), constant)


def wilcoxon(a: Floats, b: Floats, alternative: Alternative, method: str = "auto") -> tuple[Floats, Floats]:
    """Return the signed-rank sum and p of R pairs of samples."""
    from scipy import stats

    differences = paired_differences(a, b)
    constant = (differences == 0.0).all(axis=1)
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
    """Return U and p of R pairs of samples."""
    from scipy import stats

    a, b = equal_on_paper(a, b)
    pool = np.concatenate([a, b], axis=1)
    constant = np.ptp(pool, axis=1) == 0.0
    statistic, p = _quietly(
        lambda: stats.mannwhitneyu(a, b, axis=1, alternative=alternative, method=method), constant
    )
    if method == "exact":
        n = a.shape[1]
        for row in np.flatnonzero(~constant & _has_ties(pool)):
            ranks = stats.rankdata(pool[row])
            p[row] = _exact_p(ranks, float(ranks[:n].sum()), n, alternative)
    return statistic, p


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
