"""The nulls of tests on means: sums drawn for many pairs of samples, counted against what was observed.

Pairs are swapped at random, scores dealt again to A and B, or scores resampled. If the swaps or deals are few
enough, all are counted and the p-value has no Monte-Carlo error. Otherwise M are drawn, and p =
(1 + count)/(1 + M). Resamples centre on the observed difference δ instead of on zero. So the test counts the
resampled differences that exceed δ by another δ: #{δ* ≥ 2 δ} (Efron and Tibshirani 1994; Berg-Kirkpatrick et
al. 2012 for any metric).

Sums that are equal but for rounding tie, and so do scores: .1 + .2 is .3, and no test may rank them by their
last digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.sums import product
from nbyk.testing.engine.item_draws import Kinds
from nbyk.testing.pvalues import Alternative, PValue, sides_of
from nbyk.testing.scores import kernels
from nbyk.testing.scores.draws import DRAWS, Drawing
from nbyk.testing.scores.facts import PERMUTATION_AND_WELCH
from nbyk.testing.scores.subset_sums import ANY_SIZE, all_sums, count_subsets, is_feasible, n_subsets

_ON_PAPER = 1e-13
"""Numbers closer than this share of the largest score are equal on paper."""

EXACT_UP_TO = 2**30
"""By default, up to this number all permutations are counted: 16 scores of each system, 30 pairs."""

_MOST_KEPT = 2**24


@dataclass(frozen=True)
class NullCounts:
    """How often the null of a test reaches what was observed, for R pairs of samples.

    `counts`, shape (R, 2), are the numbers of null statistics that are at least, and at most, as large as
    observed; ties are in both. They are of `n_draws`, which are all if `exact`; `sums`, shape (1, n_draws),
    has what was drawn of a single pair, or all, if they were requested.
    """

    observed: Floats
    counts: Integers
    n_draws: int
    sums: Floats
    exact: bool = False

    def p_values(self, alternative: Alternative, *, smoothing: bool = True) -> Floats:
        """Return the p-values, shape (R,); two-sided is twice the smaller p-value, at most 1.

        `smoothing` counts the observed statistic as a draw of its own, unless all statistics were counted.
        """
        extra = 1 if smoothing and not self.exact else 0
        at_least, at_most = self.counts.T
        reached = {"greater": at_least, "less": at_most, "two-sided": self.counts.min(axis=1)}[alternative]
        shares = (extra + reached) / (extra + self.n_draws)
        return np.asarray(np.minimum(1.0, sides_of(alternative) * shares))

    def pvalue(self, alternative: Alternative) -> PValue:
        """Return the p-value of the first pair with its Monte-Carlo standard error, as `p_values`."""
        p, sides, error = self.p_values(alternative), sides_of(alternative), 0.0
        if not self.exact:
            one_sided = p[0] / sides
            error = sides * math.sqrt(one_sided * (1.0 - one_sided) / (1 + self.n_draws))
        return PValue(float(p[0]), error, alternative)

    def least_p(self, alternative: Alternative) -> float:
        """Return the least p-value that any scores can give."""
        return min(1.0, sides_of(alternative) / (self.n_draws + (0 if self.exact else 1)))


@dataclass(frozen=True)
class NullSums:
    """A null of sums that a kernel draws, for R pairs of samples; the larger a sum, the better A looks.

    `observed`, shape (R,), are the observed differences of means; `low` and `high` the sum to reach minus,
    and plus, the possible rounding error, so that ties count. `kernel` sums `summed`, shapes
    (R, N), by the random words of `axes`; `differences` takes sums, shape (1, M), to differences of means.
    If the null is all subsets of what is summed, `size` is theirs. `of_kinds` draws counts of a few kinds.
    """

    observed: Floats
    low: Floats
    high: Floats
    kernel: Callable[..., None]
    summed: tuple[Floats, ...]
    axes: Mapping[str, str | int]
    differences: Callable[[Floats], Floats]
    size: int | None = None
    of_kinds: Callable[[Kinds, np.uint64, int, int], Integers] | None = None

    def counted(self, drawing: Drawing, exact_up_to: int = 0, *, keep_null: bool = False) -> NullCounts:
        """Count those that reach the borders: of sums drawn, or of all if there are at most `exact_up_to`."""
        if self.size is not None:
            n = self.summed[0].shape[1]
            n_choices = n_subsets(n, self.size)
            if n_choices <= exact_up_to and is_feasible(n, self.size):
                return self._all(self.summed[0], self.size, n_choices, drawing, keep_null=keep_null)
        counts, kept = self._drawn(drawing, self.summed)
        row_counts = counts.reshape(len(self.observed), -1, 2).sum(axis=1)
        return NullCounts(self.observed, row_counts, drawing.n_draws, kept)

    def reached(self, sums: Floats) -> NullCounts:
        """Count those of the first pair's sums, shape (M,), that reach the borders."""
        counts = np.array([[(sums >= self.low[0]).sum(), (sums <= self.high[0]).sum()]])
        return NullCounts(self.observed, counts, sums.size, sums[None])

    def sums(self, drawing: Drawing, summed: tuple[Floats, ...]) -> Floats:
        """Return the sums drawn of the first pair, shape (M,), with others in place of what is summed."""
        return np.asarray(self._drawn(drawing, summed)[1][0])

    def _drawn(self, drawing: Drawing, summed: tuple[Floats, ...]) -> tuple[Integers, Floats]:
        """Return the counts of each stream of draws, and the sums of a single pair."""
        key = drawing.random_words(**self.axes)
        per_row, rows = drawing.streams_per_row, len(self.observed)
        is_single = rows == 1
        counts = np.empty((rows * per_row, 2), np.int64)
        kept = np.empty((per_row * is_single, DRAWS))
        kinds = None
        if is_single and self.of_kinds is not None:
            kinds = Kinds.of([self.summed[0][0]], only_swapped=self.size == ANY_SIZE)
        draw = self.kernel if kinds is None else partial(self._by_kinds, kinds)

        def fill(first: int, last: int) -> None:
            sums = np.full((last - first, DRAWS), np.nan)
            draw(*summed, key, drawing.n_draws, first, last, sums)
            row = np.arange(first, last) // per_row
            counts[first:last, 0] = (sums >= self.low[row, None]).sum(axis=1)
            counts[first:last, 1] = (sums <= self.high[row, None]).sum(axis=1)
            if is_single:
                kept[first:last] = sums

        drawing.over_streams(fill, rows)
        return counts, kept.reshape(1, -1)[:, : drawing.n_draws]

    def _by_kinds(self, kinds: Kinds, summed: Floats, *others: Any) -> None:
        """Fill what the kernel does, for a single pair, by counts of the kinds."""
        assert self.of_kinds is not None
        key, n_draws, first, last, out = others[-5:]
        for stream in range(first, last):
            start = stream * DRAWS
            drawn = self.of_kinds(kinds, key, start, min(DRAWS, n_draws - start))
            out[stream - first, : len(drawn)] = product(drawn, summed[0, kinds.first])

    def _all(
        self, values: Floats, size: int, n_choices: int, drawing: Drawing, *, keep_null: bool
    ) -> NullCounts:
        if keep_null and n_choices > _MOST_KEPT:
            raise NbykError(
                f"the null has {n_choices} values; expected at most {_MOST_KEPT}: draw from it with "
                "exact_up_to=0, or leave keep_null out",
                argument="keep_null",
            )
        counts = np.empty((len(values), 2), np.int64)

        def fill(first: int, last: int) -> None:
            rows = slice(first, last)
            count_subsets(values[rows], size, self.low[rows], self.high[rows], counts[rows])

        Drawing(1, drawing.seed, drawing.threads, drawing.progress).over_streams(fill, len(values))
        sums = all_sums(values[0], size)[None] if keep_null else np.empty((1, 0))
        return NullCounts(self.observed, counts, n_choices, sums, exact=True)


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


def resampled(a: Floats, b: Floats, *, paired: bool) -> NullSums:
    """Return the resampled differences δ* of R pairs of samples, which are to reach 2 δ."""
    n, m = a.shape[1], b.shape[1]
    if paired:
        parts_a = (a - b) / n
        parts_b = np.empty((len(a), 0))
        ties = rounding(parts_a, (np.abs(a) + np.abs(b)) / n)
    else:
        centre = 0.5 * (a.mean(axis=1, keepdims=True) + b.mean(axis=1, keepdims=True))
        parts_a, parts_b = (a - centre) / n, (b - centre) / m
        ties = rounding(parts_a, np.abs(a) / n) + rounding(parts_b, np.abs(b) / m)
    observed = parts_a.sum(axis=1) - parts_b.sum(axis=1)
    return NullSums(
        observed=observed,
        low=2.0 * observed - ties,
        high=2.0 * observed + ties,
        kernel=kernels.resampled_differences,
        summed=(parts_a, parts_b),
        axes={"purpose": "resampled scores", "n": n, "m": parts_b.shape[1]},
        differences=lambda resampled: resampled - observed[:1, None],
        of_kinds=Kinds.drawn if paired else None,
    )


NULLS: dict[str, Callable[[Floats, Floats], NullSums]] = {
    "approximate_randomisation": swaps,
    "permutation": deals,
    PERMUTATION_AND_WELCH: deals,
    "paired_bootstrap": partial(resampled, paired=True),
    "bootstrap": partial(resampled, paired=False),
}
"""The nulls by test: of R pairs of samples, shapes (R, n) and (R, m)."""


def rounding(values: Floats, sizes: Floats) -> Floats:
    """Return the largest distance of two sums over a row of `values` that tie, shape (R,).

    The values are differences of numbers; `sizes` are the magnitudes of these numbers.
    """
    ties: Floats = np.add.reduce(1e-10 * np.abs(values) + 1e-15 * sizes, axis=1)
    return ties


def equal_on_paper(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return R samples of A and B, shapes (R, n) and (R, m), in which scores equal on paper are equal.

    Neighbours in order of all scores of a row that are closer than the rounding of the largest take one
    value, so ties do not depend on the unit of the scores. All others keep theirs, bit for bit.
    """
    pool = np.concatenate([a, b], axis=1)
    merged = _merged(pool, _ON_PAPER * np.abs(pool).max(axis=1, initial=0.0, keepdims=True))
    return merged[:, : a.shape[1]], merged[:, a.shape[1] :]


def near_one(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return R samples of A and B, each row divided by the power of two that makes its largest ½ to 1."""
    exponents = np.frexp(np.maximum(np.abs(a).max(axis=1), np.abs(b).max(axis=1)))[1][:, None]
    return np.ldexp(a, -exponents), np.ldexp(b, -exponents)


def paired_differences(a: Floats, b: Floats) -> Floats:
    """Return a − b, shape (R, n), in which sizes equal on paper are equal, and 0 if that is one of them."""
    differences = a - b
    largest = np.maximum(np.abs(a), np.abs(b)).max(axis=1, initial=0.0, keepdims=True)
    sizes = np.abs(differences)
    sizes[sizes <= _ON_PAPER * largest] = 0.0
    signed: Floats = np.sign(differences) * _merged(sizes, _ON_PAPER * largest)
    return signed


def _merged(values: Floats, tolerance: Floats) -> Floats:
    """Return values in which each takes that of the smallest it is tied to; `tolerance` has shape (R, 1)."""
    order = np.argsort(values, axis=1, kind="stable")
    rising = np.take_along_axis(values, order, axis=1)
    steps = np.diff(rising, axis=1, prepend=rising[:, :1])
    starts = np.where(steps > tolerance, np.arange(rising.shape[1]), 0)
    starts = np.maximum.accumulate(starts, axis=1)
    merged = np.empty_like(rising)
    np.put_along_axis(merged, order, np.take_along_axis(rising, starts, axis=1), axis=1)
    return merged
