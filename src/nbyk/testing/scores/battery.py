"""The tests of scores by name: of one pair of samples, and the p-values of many."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.arrays import as_pairs, as_row_pairs, as_scores
from nbyk.errors import NbykError, check_name
from nbyk.resampling.effects import Progress
from nbyk.testing.pvalues import Alternative, PValue, check_alternative
from nbyk.testing.scores.classical import FORMULAS, clearest
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.facts import FACTS, PERMUTATION_AND_WELCH, TESTS, Facts
from nbyk.testing.scores.means import are_zeros_and_ones
from nbyk.testing.scores.nulls import EXACT_UP_TO, NULLS, equal_on_paper, paired_differences
from nbyk.testing.scores.result import SignificanceResult, result_of_means

_ALL_UP_TO = 2**16
_FAR = 4.0


def score_test(
    test: str,
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    method: str = "auto",
    seed: Any = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> SignificanceResult:
    """Test the scores of two systems, such as those of runs, by a test of a name.

    Parameters
    ----------
    test
        "permutation" deals all scores again to A and B (Pitman 1937); "approximate_randomisation" swaps A and
        B on each pair with probability ½ (Noreen 1989); "bootstrap" and "paired_bootstrap" resample the
        scores, or the pairs; "welch_t" is Welch's t (1947); "permutation_and_welch" takes the larger p of the
        permutation test and Welch's t (of zeros and ones the former's); "wilcoxon" the signed-rank test of
        pairs (1945); "mann_whitney" the test of U (1947). docs/tests.md says what each assumes.
    a, b
        Scores of each system, higher is better: lists, arrays, Series or tensors; two or more for the
        bootstraps and Welch's t. Tests of pairs take as many of both, in the same order.
    alternative
        "greater" (A is better), "less" or "two-sided" (twice the smaller p, at most 1).
    n_resamples
        Draws M of a null that is not enumerated: p = (1 + count)/(1 + M). Tests by a formula draw nothing.
    exact_up_to
        All C(n + m, n) deals, or 2ⁿ swaps, are counted if there are at most this many; 0 always draws.
    method
        Of the rank tests, as in ``scipy.stats``; but "exact" counts all signs or deals, with ties too, and
        so does "auto" of up to 50 pairs, or 8 scores of a system; of more than 4,000 / n scores in all
        with ties, n of the smaller sample, it takes the normal law.
    seed, threads
        The numbers depend on the seed, not on the threads.
    keep_null
        Whether the result holds the differences of means under the null.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    SignificanceResult
        `statistic` is mean(a) − mean(b); t; the sum of the ranks of positive differences, or the smaller sum
        if two-sided; or U, the number of pairs with A's score above B's, where ties count one half.

    Raises
    ------
    NbykError
        If the test is unknown, scores are not finite numbers, too few or do not pair, an argument is out of
        range, or the test is undefined because nothing varies.

    Notes
    -----
    Sums that are equal but for rounding are ties, and count as at least as extreme. The bootstraps are
    liberal on small samples: the variance of resampled means is (n − 1)/n times that of means. At a level of
    .05 they reject equally good systems about .09 of the time with n = 5, and .06 with n = 20.
    """
    facts = _facts(test)
    samples = (
        as_pairs(a, b, least=facts.least_scores)
        if facts.paired
        else (as_scores(a, "a", least=facts.least_scores), as_scores(b, "b", least=facts.least_scores))
    )
    check_alternative(alternative)
    if test in FORMULAS:
        return _by_formula(test, facts, samples, alternative, method)
    drawing = Drawing(n_resamples, seed, threads, progress)
    (first, second), null_of, quiet = samples, NULLS[test], drawing.quiet()
    null = null_of(first[None], second[None])
    counts = null.counted(drawing, exact_up_to, keep_null=keep_null)

    @cache
    def of_one() -> Floats:
        """Return what the sums lose for each unit that is taken from A's scores."""
        return null.sums(quiet, null_of(np.ones_like(first)[None], np.zeros_like(second)[None]).summed)

    def p_of_shift(shift: float, side: Alternative) -> float:
        shifted = null_of(first[None] - shift, second[None])
        if counts.exact:
            return shifted.counted(quiet, exact_up_to).pvalue(side).p
        return shifted.reached(counts.sums[0] - shift * of_one()).pvalue(side).p

    pvalue = counts.pvalue(alternative)
    least = float(_least_by_welch(test, first[None], second[None], alternative)[0])
    if least > pvalue.p:
        is_settled = least > pvalue.p + _FAR * pvalue.standard_error  # whatever more draws would show
        pvalue = PValue(least, 0.0 if is_settled else pvalue.standard_error, alternative)
    return result_of_means(
        test,
        float(counts.observed[0]),
        pvalue,
        samples,
        n_resamples=counts.n_draws,
        exact=counts.exact,
        least_p=counts.least_p(alternative),
        null=null.differences(counts.sums)[0] if keep_null else None,
        p_of_shift=p_of_shift,
    )


def _facts(test: str) -> Facts:
    check_name("test", test, TESTS)
    return FACTS[test]


def _least_by_welch(test: str, a: Floats, b: Floats, alternative: Alternative) -> Floats:
    """Return the least p, shape (R,), of a test that is no surer than Welch's; 0 of other tests.

    It is 0, too, where Welch's is undefined, and of zeros and ones, whose means say how they vary.
    """
    least = np.zeros(len(a))
    if test != PERMUTATION_AND_WELCH or min(a.shape[1], b.shape[1]) < 2:
        return least
    others = ~np.array([are_zeros_and_ones(np.concatenate(pair)) for pair in zip(a, b, strict=True)])
    if others.any():
        least[others] = np.nan_to_num(FORMULAS["welch_t"](a[others], b[others], alternative)[1])
    return least


def _by_formula(
    test: str, facts: Facts, samples: tuple[Floats, Floats], alternative: Alternative, method: str
) -> SignificanceResult:
    """Return the result of a test by a formula.

    The interval holds the shifts of A's scores that a rank test does not reject (Hodges and Lehmann 1963);
    that of Welch's is by t.
    """
    rows = [
        np.concatenate([of[None], more]) for of, more in zip(samples, clearest(test, *samples), strict=True)
    ]
    (statistic, *_), (p, *least) = (of.tolist() for of in FORMULAS[test](*rows, alternative, method))
    if math.isnan(p):
        raise NbykError(f"{test}: {facts.undefined}")

    def p_of_shift(shift: float, side: Alternative) -> float:
        p = float(FORMULAS[test](samples[0][None] - shift, samples[1][None], side, method)[1][0])
        return 1.0 if math.isnan(p) else p  # nothing is left to rank

    return result_of_means(
        test,
        statistic,
        PValue(p, 0.0, alternative),
        samples,
        least_p=min(least, default=0.0),
        p_of_shift=None if test == "welch_t" else p_of_shift,
    )


def p_values(
    test: str,
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    smoothing: bool = True,
    seed: Any = 0,
    threads: int = 1,
) -> Floats:
    """Return the p-values of a test of R pairs of samples, shapes (R, n) and (R, m); NaN if undefined.

    The options are those of `score_test`, but p is count/M without `smoothing`, as in Berg-Kirkpatrick et al.
    2012. Row r has random draws of its own, which do not depend on the other rows.
    """
    facts = _facts(test)
    check_alternative(alternative)
    first, second = as_row_pairs(a, b, paired=facts.paired, least=facts.least_scores)
    if test in FORMULAS:
        return FORMULAS[test](first, second, alternative)[1]
    null, drawing = NULLS[test](first, second), Drawing(n_resamples, seed, threads)
    p = null.counted(drawing, exact_up_to).p_values(alternative, smoothing=smoothing)
    return np.maximum(p, _least_by_welch(test, first, second, alternative))


def null_draws(test: str, a: Floats, b: Floats, *, seed: int = 0) -> tuple[str, Floats, float]:
    """Return the null distribution of a test of two samples: the statistic in words, its values, and theirs.

    Rank tests show the difference of mean ranks, or the mean signed rank, with scores dealt or signs flipped
    as in the test. Welch's shows quantiles of the t distribution.
    """
    from scipy import stats

    statistic = "difference of means"
    if test == "welch_t":
        welch = stats.ttest_ind(a, b, equal_var=False)
        shares = (np.arange(10_000) + 0.5) / 10_000
        return "t", np.asarray(stats.t.ppf(shares, welch.df)), float(welch.statistic)
    if test == "wilcoxon":
        differences = paired_differences(a[None], b[None])[0]
        differences = differences[differences != 0.0]
        a, b = np.sign(differences) * stats.rankdata(np.abs(differences)), np.zeros(len(differences))
        test, statistic = "approximate_randomisation", "mean signed rank of the differences"
    elif test == "mann_whitney":
        ranks = stats.rankdata(np.concatenate(equal_on_paper(a[None], b[None]), axis=1)[0])
        test, a, b, statistic = "permutation", ranks[: len(a)], ranks[len(a) :], "difference of mean ranks"
    result = score_test(test, a, b, exact_up_to=_ALL_UP_TO, seed=seed, keep_null=True)
    assert result.null is not None
    return statistic, result.null, result.statistic
