"""Randomisation tests of a difference of means: pairs swapped at random, scores dealt again to A and B.

Both are exact under their null. If the swaps or deals are few enough, all are counted and the p-value has no
Monte-Carlo error. Otherwise M are drawn, and p = (1 + count)/(1 + M).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.arrays import as_pairs, as_scores
from nbyk.resampling.effects import Progress
from nbyk.testing.engine.item_draws import Kinds
from nbyk.testing.pvalues import Alternative
from nbyk.testing.scores import kernels
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.nulls import NullSums, result_of_means, rounding
from nbyk.testing.scores.result import SignificanceResult
from nbyk.testing.scores.subset_sums import ANY_SIZE

EXACT_UP_TO = 2**30
"""By default, up to this number all permutations are counted: 16 scores of each system, 30 pairs."""


def approximate_randomisation(
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    seed: Any = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> SignificanceResult:
    """Test the mean difference of paired scores by swapping the systems of each pair with probability ½.

    Parameters
    ----------
    a, b
        Scores of A and B on the same n items or runs, higher is better: lists, arrays, Series or tensors.
    alternative
        "greater" (A is better), "less" or "two-sided" (twice the smaller p, at most 1).
    n_resamples
        Draws M of the null, if it is not enumerated.
    exact_up_to
        All 2ⁿ patterns are counted if there are at most this many; 0 always draws.
    seed, threads
        The numbers depend on the seed, not on the threads.
    keep_null
        Whether the result holds the statistic under the null.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    SignificanceResult
        `statistic` is mean(a) − mean(b).

    Raises
    ------
    NbykError
        If scores are not finite numbers or do not pair, or an argument is out of range.

    Notes
    -----
    Also known as the paired permutation test (Noreen 1989). deep-significance and the tables of Ulmer et al.
    2022 call it the permutation test. It is exact if swapping A and B on an item changes no distribution.
    Sums that are equal but for rounding are ties, and count as at least as extreme.
    """
    drawing = Drawing(n_resamples, seed, threads, progress)
    return result_of_means(
        "approximate_randomisation",
        as_pairs(a, b),
        swaps,
        alternative,
        drawing,
        exact_up_to,
        keep_null=keep_null,
    )


def permutation_test(
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    seed: Any = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> SignificanceResult:
    """Test the difference of the means of two samples by dealing all scores again to A and B.

    Parameters
    ----------
    a, b
        n scores of A and m of B, higher is better, in any order.
    exact_up_to
        All C(n + m, n) deals are counted if there are at most this many; 0 always draws.
    alternative, n_resamples, seed, threads, keep_null, progress
        As for `approximate_randomisation`.

    Returns
    -------
    SignificanceResult
        `statistic` is mean(a) − mean(b).

    Raises
    ------
    NbykError
        If scores are not finite numbers, or an argument is out of range.

    Notes
    -----
    The test is exact if A's and B's scores come from one distribution (Pitman 1937).
    """
    samples = as_scores(a, "a"), as_scores(b, "b")
    drawing = Drawing(n_resamples, seed, threads, progress)
    return result_of_means(
        "permutation", samples, deals, alternative, drawing, exact_up_to, keep_null=keep_null
    )


def swaps(a: Floats, b: Floats) -> NullSums:
    """Return the null of R pairs of samples, shape (R, n) each, in which pairs swap their systems."""
    # Σ ±d = Σ d − 2 × the sum of the swapped ones, which is 0 as observed; −d, so that larger is better.
    negated = b - a
    n = negated.shape[1]
    totals = 0.0 - np.add.reduce(negated, axis=1)
    ties = 0.5 * rounding(negated, np.abs(a) + np.abs(b))
    return NullSums(
        observed=totals / n,
        low=-ties,
        high=ties,
        kernel=kernels.flipped_sums,
        summed=(negated,),
        axes={"purpose": "swapped pairs", "n": n, "size": ANY_SIZE},
        differences=lambda swapped: (totals[:1, None] + 2.0 * swapped) / n,
        size=ANY_SIZE,
        of_kinds=Kinds.swapped,
    )


def deals(a: Floats, b: Floats) -> NullSums:
    """Return the null of R pairs of samples, shapes (R, n) and (R, m), whose scores are all dealt again."""
    # The fewer scores are dealt: A's or, negated so that larger is better, B's.
    n, m = a.shape[1], b.shape[1]
    pool = np.concatenate([a, b], axis=1) if n <= m else -np.concatenate([b, a], axis=1)
    size, others = min(n, m), max(n, m)
    centred = pool - pool.mean(axis=1, keepdims=True)
    totals, dealt = centred.sum(axis=1), centred[:, :size].sum(axis=1)
    ties = rounding(centred, np.abs(pool))
    return NullSums(
        observed=a.mean(axis=1) - b.mean(axis=1),
        low=dealt - ties,
        high=dealt + ties,
        kernel=partial(kernels.dealt_sums, size),
        summed=(centred,),
        axes={"purpose": "dealt scores", "n": n + m, "size": size},
        differences=lambda sums: sums / size - (totals[:1, None] - sums) / others,
        size=size,
    )
