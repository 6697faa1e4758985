"""Randomisation tests of a difference of means: pairs swapped at random, scores dealt again to A and B.

Both are exact under their null. If the swaps or deals are few enough, all are counted and the p-value has no
Monte-Carlo error. Otherwise M are drawn, and p = (1 + count)/(1 + M).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.arrays import Floats, as_pairs, as_row_pairs, as_scores
from nbyk.errors import NbykError
from nbyk.testing.pvalues import Alternative, check_alternative
from nbyk.testing.scores import kernels
from nbyk.testing.scores.draws import Drawing, Progress
from nbyk.testing.scores.result import SignificanceResult, p_of_counts, pvalue_of_counts
from nbyk.testing.scores.subset_sums import ANY_SIZE, all_sums, count_subsets, is_feasible, n_subsets

EXACT_UP_TO = 2**30
"""By default, up to this number all permutations are counted: 16 scores of each system, 30 pairs."""

_MOST_KEPT = 2**24

Counts = NDArray[np.int64]


def approximate_randomisation(
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    seed: int = 0,
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
    first, second = as_pairs(a, b)
    setting = _setting_of_flips(first[None], second[None])
    drawing = Drawing(n_resamples, seed, threads, progress)
    found = setting.counted(alternative, drawing, exact_up_to, keep_null=keep_null)
    return found.result("approximate_randomisation", first, second)


def permutation_test(
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    seed: int = 0,
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
    first, second = as_scores(a, "a"), as_scores(b, "b")
    setting = _setting_of_deals(first[None], second[None])
    drawing = Drawing(n_resamples, seed, threads, progress)
    found = setting.counted(alternative, drawing, exact_up_to, keep_null=keep_null)
    return found.result("permutation", first, second)


def approximate_randomisation_p(
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Return the p-values of `approximate_randomisation` for R pairs of samples, each of shape (R, n).

    Row r has random draws of its own, which do not depend on the other rows.
    """
    setting = _setting_of_flips(*as_row_pairs(a, b, paired=True))
    drawing = Drawing(n_resamples, seed, threads, progress)
    return setting.counted(alternative, drawing, exact_up_to).p_values()


def permutation_p(
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Return the p-values of `permutation_test` for R pairs of samples, of shapes (R, n) and (R, m).

    Row r has random draws of its own, which do not depend on the other rows.
    """
    setting = _setting_of_deals(*as_row_pairs(a, b))
    drawing = Drawing(n_resamples, seed, threads, progress)
    return setting.counted(alternative, drawing, exact_up_to).p_values()


@dataclass(frozen=True)
class _Setting:
    """A null of subset sums: the number of choices of `size` values whose sum reaches the observed one.

    Attributes
    ----------
    purpose
        The purpose of the random words.
    values : ndarray, shape (R, N)
        The values whose subsets are summed.
    size
        Members of a subset, or `ANY_SIZE`.
    low, high : ndarray, shape (R,)
        The observed sum minus, and plus, the possible rounding error, so that ties count.
    draw
        The kernel that draws subsets.
    rising
        Whether a larger sum means that A looks better.
    differences
        Function from sums, shape (1, M), to differences of means.
    observed : ndarray, shape (R,)
        The observed differences of means.
    """

    purpose: str
    values: Floats
    size: int
    low: Floats
    high: Floats
    draw: Callable[..., None]
    rising: bool
    differences: Callable[[Floats], Floats]
    observed: Floats

    def counted(
        self, alternative: Alternative, drawing: Drawing, exact_up_to: int, *, keep_null: bool = False
    ) -> _Counted:
        """Count the choices that reach what was observed: all of them, or those drawn."""
        check_alternative(alternative)
        n = self.values.shape[1]
        n_choices = n_subsets(n, self.size)
        exact = n_choices <= exact_up_to and is_feasible(n, self.size)
        null = None
        if exact:
            counts = self._enumerated(drawing)
            if keep_null:
                null = self._enumerated_null(n_choices)
        else:
            kept = np.empty((1, drawing.n_draws) if keep_null else (0, 0))
            counts = self._drawn(drawing, kept)
            null = self.differences(kept)[0] if keep_null else None
        sides = (counts[:, 0], counts[:, 1]) if self.rising else (counts[:, 1], counts[:, 0])
        n_draws = n_choices if exact else drawing.n_draws
        return _Counted(self.observed, *sides, n_draws, alternative, exact, null)

    def _enumerated(self, drawing: Drawing) -> Counts:
        counts = np.empty((len(self.values), 2), np.int64)

        def fill(first: int, last: int) -> None:
            rows = slice(first, last)
            count_subsets(self.values[rows], self.size, self.low[rows], self.high[rows], counts[rows])

        each = Drawing(1, drawing.seed, drawing.threads, drawing.progress)
        each.over_streams(fill, len(self.values))
        return counts

    def _enumerated_null(self, n_draws: int) -> Floats:
        if n_draws > _MOST_KEPT:
            raise NbykError(
                f"the null has {n_draws} values; expected at most {_MOST_KEPT}: draw from it with "
                "exact_up_to=0, or leave keep_null out",
                argument="keep_null",
            )
        null: Floats = self.differences(all_sums(self.values[0], self.size)[None])[0]
        return null

    def _drawn(self, drawing: Drawing, kept: Floats) -> Counts:
        rows, n = self.values.shape
        key = drawing.random_words(purpose=self.purpose, n=n, size=self.size)
        counts = np.empty((rows * drawing.streams_per_row, 2), np.int64)

        def fill(first: int, last: int) -> None:
            self.draw(self.values, self.low, self.high, key, drawing.n_draws, first, last, counts, kept)

        drawing.over_streams(fill, rows)
        return np.asarray(counts.reshape(rows, -1, 2).sum(axis=1))


@dataclass(frozen=True)
class _Counted:
    """Counts of the choices, drawn or all, that are at least and at most as large as observed, shape (R,)."""

    observed: Floats
    at_least: Counts
    at_most: Counts
    n_draws: int
    alternative: Alternative
    exact: bool
    null: Floats | None

    def p_values(self) -> Floats:
        sides = (self.at_least, self.at_most)
        return p_of_counts(*sides, self.n_draws, self.alternative, smoothing=not self.exact)

    def result(self, name: str, a: Floats, b: Floats) -> SignificanceResult:
        sides = (int(self.at_least[0]), int(self.at_most[0]))
        exact, n_draws = self.exact, self.n_draws
        p = pvalue_of_counts(*sides, n_draws, self.alternative, smoothing=not exact, exact=exact)
        difference = float(self.observed[0])
        return SignificanceResult.of_means(
            name, difference, p, (a, b), n_resamples=n_draws, exact=exact, null=self.null
        )


def _setting_of_flips(a: Floats, b: Floats) -> _Setting:
    # Σ ±d = Σ d − 2 × the sum of the flipped ones, which is 0 as observed.
    differences = a - b
    n = differences.shape[1]
    totals = differences.sum(axis=1)
    ties = 0.5 * rounding(differences, np.abs(a) + np.abs(b))
    return _Setting(
        purpose="swapped pairs",
        values=differences,
        size=ANY_SIZE,
        low=-ties,
        high=ties,
        draw=kernels.flipped_sums,
        rising=False,
        differences=lambda flipped: (totals[:1, None] - 2.0 * flipped) / n,
        observed=totals / n,
    )


def _setting_of_deals(a: Floats, b: Floats) -> _Setting:
    n, m = a.shape[1], b.shape[1]
    observed = a.mean(axis=1) - b.mean(axis=1)
    pool = np.concatenate([a, b] if n <= m else [b, a], axis=1)
    size, others = min(n, m), max(n, m)
    centred = pool - pool.mean(axis=1, keepdims=True)
    totals, dealt = centred.sum(axis=1), centred[:, :size].sum(axis=1)
    ties = rounding(centred, np.abs(pool))
    sign = 1.0 if n <= m else -1.0
    return _Setting(
        purpose="dealt scores",
        values=centred,
        size=size,
        low=dealt - ties,
        high=dealt + ties,
        draw=partial(_draw_deals, size),
        rising=n <= m,
        differences=lambda sums: sign * (sums / size - (totals[:1, None] - sums) / others),
        observed=observed,
    )


def _draw_deals(size: int, values: Floats, *arguments: Any) -> None:
    kernels.dealt_sums(values, size, *arguments)


def rounding(values: Floats, sizes: Floats) -> Floats:
    """Return the largest distance of two sums over a row of `values` that tie, shape (R,).

    The values are differences of numbers; `sizes` are the magnitudes of these numbers.
    """
    ties: Floats = (1e-10 * np.abs(values) + 1e-15 * sizes).sum(axis=1)
    return ties
