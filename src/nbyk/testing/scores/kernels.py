"""Compiled draws from the nulls of tests on means: scores dealt again, signs flipped, scores resampled.

Every kernel takes many pairs of samples (rows) and a range of streams (`nbyk.testing.scores.draws`),
and counts for each stream the draws that reach each border. If `null` has rows, it keeps the draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbyk.arrays import Array
from nbyk.compiled import discard_older_caches, njit
from nbyk.resampling.lanes import (
    DRAWS_AT_ONCE,
    HALVES,
    LANES,
    STATE,
    add_subset_sums,
    fill_subset_table,
    index_below,
    next_row,
    start_replicate,
    subset_table,
)
from nbyk.testing.scores.draws import DRAWS, STREAMS_PER_ROW

_TABLED, _TOGETHER = 512, 64
"""Values whose sums of subsets are tabled at once, in 128 kB, and streams between tables."""

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def start_stream(key: Any, row: int, chunk: int, state: Array) -> None:
    """Fill `state` with the start of stream `chunk` of a row."""
    start_replicate(key, row * STREAMS_PER_ROW + chunk, state)


@njit(nogil=True, cache=True)
def _count(sums: Array, start: int, row: int, low: Array, high: Array, counts: Array, null: Array) -> None:
    """Count a stream's sums, draws of a row from `start` on, that reach each border; keep them in `null`."""
    at_least, at_most = 0, 0
    for draw in range(sums.size):
        at_least += int(sums[draw] >= low[row])
        at_most += int(sums[draw] <= high[row])
        if null.shape[0] > 0:
            null[row, start + draw] = sums[draw]
    counts[0] = at_least
    counts[1] = at_most


@njit(nogil=True, cache=True)
def dealt_sums(
    size: int,
    pool: Array,
    low: Array,
    high: Array,
    key: Any,
    n_draws: int,
    first: int,
    last: int,
    counts: Array,
    null: Array,
) -> None:
    """Count sums of `size` members drawn from each row's pool, shape (R, N), without replacement.

    Of the range of streams, `counts`, shape (streams, 2), is filled with the numbers of sums that are at
    least `low`, and at most `high`, shape (R,) each; `null`, shape (R, M) or (0, 0), with the sums if it has
    rows. The shuffle is Fisher and Yates' and continues from the last draw's order.
    """
    n = pool.shape[1]
    per_row = (n_draws + DRAWS - 1) // DRAWS
    values, sums = np.empty(n), np.empty(DRAWS)
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    for stream in range(first, last):
        r, chunk = stream // per_row, stream % per_row
        values[:] = pool[r]
        start_stream(key, r, chunk, state)
        used = HALVES
        start, end = chunk * DRAWS, min(n_draws, (chunk + 1) * DRAWS)
        for draw in range(start, end):
            total = 0.0
            for i in range(size):
                if used == HALVES:
                    next_row(state, lanes)
                    used = 0
                j = i + index_below(words[used], n - i)
                used += 1
                chosen = values[j]
                values[j] = values[i]
                values[i] = chosen
                total += chosen
            sums[draw - start] = total
        _count(sums[: end - start], start, r, low, high, counts[stream], null)


@njit(nogil=True, cache=True)
def flipped_sums(
    values: Array,
    low: Array,
    high: Array,
    key: Any,
    n_draws: int,
    first: int,
    last: int,
    counts: Array,
    null: Array,
) -> None:
    """Count sums of a random subset of each row's values, each in it by a fair coin; as `dealt_sums`."""
    per_row = (n_draws + DRAWS - 1) // DRAWS
    n = values.shape[1]
    table = subset_table(0)
    sums = np.empty((_TOGETHER, DRAWS))
    states = np.empty((_TOGETHER, STATE), np.uint64)
    lanes = np.empty(LANES, np.uint64)
    stream, filled = first, -1
    while stream < last:
        r, chunk = stream // per_row, stream % per_row
        together = min(_TOGETHER if n > _TABLED else 1, last - stream, per_row - chunk)
        sums[:together] = 0.0
        for i in range(together):
            start_stream(key, r, chunk + i, states[i])
        for drawn in range(0, DRAWS, DRAWS_AT_ONCE):
            for tabled in range(0, n, _TABLED):
                if r != filled or n > _TABLED:
                    part = values[r, tabled : tabled + _TABLED]
                    table = subset_table(part.size)
                    fill_subset_table(part, table)
                    filled = r
                for i in range(together):
                    if (chunk + i) * DRAWS + drawn < n_draws:
                        add_subset_sums(table, states[i], lanes, sums[i, drawn : drawn + DRAWS_AT_ONCE])
        for i in range(together):
            start = (chunk + i) * DRAWS
            _count(sums[i, : n_draws - start], start, r, low, high, counts[stream + i], null)
        stream += together


@njit(nogil=True, cache=True)
def resampled_differences(
    a: Array,
    b: Array,
    low: Array,
    high: Array,
    key: Any,
    n_draws: int,
    first: int,
    last: int,
    counts: Array,
    null: Array,
) -> None:
    """Count differences of sums of n values of a, shape (R, n), and of m of b, shape (R, m), m = 0 included.

    Both are drawn with replacement; as `dealt_sums`.
    """
    n, m = a.shape[1], b.shape[1]
    per_row = (n_draws + DRAWS - 1) // DRAWS
    sums = np.empty(DRAWS)
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    for stream in range(first, last):
        r, chunk = stream // per_row, stream % per_row
        start_stream(key, r, chunk, state)
        used = HALVES
        start, end = chunk * DRAWS, min(n_draws, (chunk + 1) * DRAWS)
        for draw in range(start, end):
            total = 0.0
            for _ in range(n):
                if used == HALVES:
                    next_row(state, lanes)
                    used = 0
                total += a[r, index_below(words[used], n)]
                used += 1
            for _ in range(m):
                if used == HALVES:
                    next_row(state, lanes)
                    used = 0
                total -= b[r, index_below(words[used], m)]
                used += 1
            sums[draw - start] = total
        _count(sums[: end - start], start, r, low, high, counts[stream], null)
