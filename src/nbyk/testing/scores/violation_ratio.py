"""The violation ratio: the share of the squared distance of two quantile functions with the wrong sign.

Quantile functions of samples are steps at i/n and j/m. Merged as whole numbers, in units of 1/(nm), the steps
cut (0, 1) into at most n + m − 1 segments. Both functions are constant on each segment, so the integrals are
sums. The segments depend on n and m alone: a bootstrap computes them once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbyk.arrays import Array, Floats, Integers
from nbyk.compiled import njit
from nbyk.resampling.lanes import HALVES, LANES, STATE, index_below, next_row
from nbyk.testing.scores.draws import DRAWS
from nbyk.testing.scores.kernels import start_stream

EQUAL = 0.5
"""The ratio of two equal samples, 0/0: the only value that keeps ratio(a, b) + ratio(b, a) = 1.

Below it, A is almost stochastically larger."""


def segments(n: int, m: int) -> tuple[Integers, Integers, Floats]:
    """Return the pieces of (0, 1) on which the quantile functions of n and m scores are constant, shape (S,).

    They are the place of a segment's value in each sorted sample, and lengths on any scale.
    """
    ends = np.union1d(np.arange(1, n + 1) * m, np.arange(1, m + 1) * n)
    return (ends - 1) // m, (ends - 1) // n, np.diff(ends, prepend=0).astype(np.float64)


@njit(nogil=True, cache=True)
def _ratio(a: Array, b: Array, of_a: Array, of_b: Array, lengths: Array) -> Any:
    """Return the violation ratio of two ascending samples."""
    total, violated = 0.0, 0.0
    for s in range(lengths.size):
        difference = a[of_a[s]] - b[of_b[s]]
        area = lengths[s] * difference * difference
        total += area
        violated += area if difference < 0.0 else 0.0
    return violated / total if total > 0.0 else EQUAL


@njit(nogil=True, cache=True)
def fill_ratios(a: Array, b: Array, of_a: Array, of_b: Array, lengths: Array, out: Array) -> None:
    """Fill `out`, shape (R,), with the ratios of ascending samples, shapes (R, n) and (R, m)."""
    for r in range(out.size):
        out[r] = _ratio(a[r], b[r], of_a, of_b, lengths)


@njit(nogil=True, cache=True)
def _sort_counted(sample: Array, counts: Array, marks: Array, out: Array) -> None:
    """Fill `out` with an ascending sample's values, each as often as drawn; it resets counts and marks to 0.

    marks[c] is the number of values that lie wholly before position c, so their running sum gives the value
    there.
    """
    n = sample.size
    drawn = 0
    for i in range(n):
        drawn += counts[i]
        counts[i] = 0
        marks[drawn] += 1
    i = 0
    for position in range(n):
        i += marks[position]
        marks[position] = 0
        out[position] = sample[i]
    marks[n] = 0


@njit(nogil=True, cache=True)
def resampled_ratios(
    a: Array,
    b: Array,
    of_a: Array,
    of_b: Array,
    lengths: Array,
    key: Any,
    first_row: int,
    n_draws: int,
    first: int,
    last: int,
    out: Array,
) -> None:
    """Fill `out`, shape (R, M), with the ratios of ascending samples resampled with replacement.

    The first sample has the random words of row `first_row`; of the others, the range of streams
    (`nbyk.testing.scores.draws`) says which are filled.
    """
    n, m = a.shape[1], b.shape[1]
    per_row = (n_draws + DRAWS - 1) // DRAWS
    counts_a, counts_b = np.zeros(n, np.int64), np.zeros(m, np.int64)
    marks_a, marks_b = np.zeros(n + 1, np.int64), np.zeros(m + 1, np.int64)
    sample_a, sample_b = np.empty(n), np.empty(m)
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    for stream in range(first, last):
        r, chunk = stream // per_row, stream % per_row
        sorted_a, sorted_b = a[r], b[r]
        start_stream(key, first_row + r, chunk, state)
        used = HALVES
        for draw in range(chunk * DRAWS, min(n_draws, (chunk + 1) * DRAWS)):
            for _ in range(n):
                if used == HALVES:
                    next_row(state, lanes)
                    used = 0
                counts_a[index_below(words[used], n)] += 1
                used += 1
            for _ in range(m):
                if used == HALVES:
                    next_row(state, lanes)
                    used = 0
                counts_b[index_below(words[used], m)] += 1
                used += 1
            _sort_counted(sorted_a, counts_a, marks_a, sample_a)
            _sort_counted(sorted_b, counts_b, marks_b, sample_b)
            out[r, draw] = _ratio(sample_a, sample_b, of_a, of_b, lengths)
