"""The null of a test on means: sums drawn for many pairs of samples, counted against what was observed.

Sums that are equal but for rounding tie, and so do scores: .1 + .2 is .3, and no test may rank them by their
last digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.sums import product
from nbyk.testing.engine.item_draws import Kinds
from nbyk.testing.pvalues import Alternative, PValue, check_alternative, sides_of
from nbyk.testing.scores.draws import DRAWS, Drawing
from nbyk.testing.scores.result import SignificanceResult
from nbyk.testing.scores.subset_sums import ANY_SIZE, all_sums, count_subsets, is_feasible, n_subsets

_ON_PAPER = 1e-13
"""Numbers closer than this share of the largest score are equal on paper."""

_MOST_KEPT = 2**24


@dataclass(frozen=True)
class NullCounts:
    """How often the null of a test reaches what was observed, for R pairs of samples.

    `counts`, shape (R, 2), are the numbers of null statistics that are at least, and at most, as large as
    observed; ties are in both. They are of `n_draws`, which are all if `exact`; `null` has those of the first
    pair, if they were requested.
    """

    observed: Floats
    counts: Integers
    n_draws: int
    exact: bool = False
    null: Floats | None = None

    def p_values(self, alternative: Alternative, *, smoothing: bool = True) -> Floats:
        """Return the p-values, shape (R,); two-sided is twice the smaller p-value, at most 1.

        `smoothing` counts the observed statistic as a draw of its own, unless all statistics were counted.
        """
        extra = 1 if smoothing and not self.exact else 0
        at_least, at_most = self.counts.T
        reached = {"greater": at_least, "less": at_most, "two-sided": self.counts.min(axis=1)}[alternative]
        shares = (extra + reached) / (extra + self.n_draws)
        return np.asarray(np.minimum(1.0, sides_of(alternative) * shares))

    def pvalue(self, alternative: Alternative, *, smoothing: bool = True) -> PValue:
        """Return the p-value of the first pair with its Monte-Carlo standard error, as `p_values`."""
        p, sides, error = self.p_values(alternative, smoothing=smoothing), sides_of(alternative), 0.0
        if not self.exact:
            one_sided = self.p_values(alternative)[0] / sides
            error = sides * math.sqrt(one_sided * (1.0 - one_sided) / (1 + self.n_draws))
        return PValue(float(p[0]), error, alternative)

    def least_p(self, alternative: Alternative) -> float:
        """Return the least p-value that any scores can give."""
        return min(1.0, sides_of(alternative) / (self.n_draws + (0 if self.exact else 1)))


@dataclass(frozen=True)
class NullSums:
    """A null of sums that a kernel draws, for R pairs of samples; the larger a sum, the better A looks.

    `observed`, shape (R,), are the observed differences of means; `low` and `high` the sum to reach minus,
    and plus, the possible rounding error, so that ties count. `draw` is the kernel with its values, `axes`
    those of its random words, and `differences` takes sums, shape (1, M), to differences of means. If the
    null is all subsets of a size, `values`, shape (R, N), are those whose subsets are summed.
    """

    observed: Floats
    low: Floats
    high: Floats
    draw: Callable[..., None]
    axes: Mapping[str, str | int]
    differences: Callable[[Floats], Floats]
    values: Floats | None = None
    size: int = ANY_SIZE

    def counted(self, drawing: Drawing, exact_up_to: int = 0, *, keep_null: bool = False) -> NullCounts:
        """Count those that reach the borders: of sums drawn, or of all if there are at most `exact_up_to`."""
        if self.values is not None:
            n = self.values.shape[1]
            n_choices = n_subsets(n, self.size)
            if n_choices <= exact_up_to and is_feasible(n, self.size):
                return self._all(self.values, n_choices, drawing, keep_null=keep_null)
        rows = len(self.observed)
        key = drawing.random_words(**self.axes)
        counts = np.empty((rows * drawing.streams_per_row, 2), np.int64)
        kept = np.empty((1, drawing.n_draws) if keep_null else (0, 0))

        def fill(first: int, last: int) -> None:
            self.draw(self.low, self.high, key, drawing.n_draws, first, last, counts, kept)

        drawing.over_streams(fill, rows)
        null = self.differences(kept)[0] if keep_null else None
        return NullCounts(self.observed, counts.reshape(rows, -1, 2).sum(axis=1), drawing.n_draws, null=null)

    def _all(self, values: Floats, n_choices: int, drawing: Drawing, *, keep_null: bool) -> NullCounts:
        if keep_null and n_choices > _MOST_KEPT:
            raise NbykError(
                f"the null has {n_choices} values; expected at most {_MOST_KEPT}: draw from it with "
                "exact_up_to=0, or leave keep_null out",
                argument="keep_null",
            )
        counts = np.empty((len(values), 2), np.int64)

        def fill(first: int, last: int) -> None:
            rows = slice(first, last)
            count_subsets(values[rows], self.size, self.low[rows], self.high[rows], counts[rows])

        Drawing(1, drawing.seed, drawing.threads, drawing.progress).over_streams(fill, len(values))
        null = self.differences(all_sums(values[0], self.size)[None])[0] if keep_null else None
        return NullCounts(self.observed, counts, n_choices, exact=True, null=null)


def result_of_means(
    test: str,
    samples: tuple[Floats, Floats],
    null_of: Callable[[Floats, Floats], NullSums],
    alternative: Alternative,
    drawing: Drawing,
    exact_up_to: int = 0,
    *,
    keep_null: bool,
    smoothing: bool = True,
) -> SignificanceResult:
    """Return the result of a test of the means of one pair of samples; `null_of` is its null of R pairs."""
    check_alternative(alternative)
    a, b = samples
    counts = null_of(a[None], b[None]).counted(drawing, exact_up_to, keep_null=keep_null)

    def p_of_shift(shift: float, side: Alternative) -> float:
        shifted = null_of(a[None] - shift, b[None]).counted(drawing.quiet(), exact_up_to)
        return shifted.pvalue(side, smoothing=smoothing).p

    return SignificanceResult.of_means(
        test,
        float(counts.observed[0]),
        counts.pvalue(alternative, smoothing=smoothing),
        samples,
        n_resamples=counts.n_draws,
        exact=counts.exact,
        least_p=counts.least_p(alternative),
        null=counts.null,
        p_of_shift=p_of_shift,
    )


def by_kinds(values: Floats, kernel: Callable[..., None], *, swapped: bool) -> Callable[..., None]:
    """Return a `NullSums.draw` of a pair's values, shape (R, N), by counts of few kinds; else the kernel.

    Sums are of the `swapped` items, each by a fair coin, or of N drawn with replacement.
    """
    kinds = Kinds.of([values[0]]) if len(values) == 1 else None
    if kinds is None:
        return kernel
    of_kinds, draw_counts = values[0, kinds.first], kinds.swapped if swapped else kinds.drawn

    def draw(
        low: Floats, high: Floats, key: Any, n_draws: int, first: int, last: int, counts: Any, null: Floats
    ) -> None:
        for stream in range(first, last):
            start = stream * DRAWS
            sums = product(draw_counts(key, start, min(DRAWS, n_draws - start)), of_kinds)
            counts[stream] = (sums >= low).sum(), (sums <= high).sum()
            null[:, start : start + DRAWS] = sums[: null.shape[1]]

    return draw


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
