"""Compiled draws from the nulls of tests on means: scores dealt again, signs flipped, scores resampled.

Every kernel takes many pairs of samples (rows) and a range of streams (`nbyk.testing.scores.draws`), and
fills `out`, shape (streams, `DRAWS`), with the draws of each stream; a row's last stream may have fewer.
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
def dealt_sums(size: int, pool: Array, key: Any, n_draws: int, first: int, last: int, out: Array) -> None:
    """Sum `size` members drawn from each row's pool, shape (R, N), without replacement.

    The shuffle is Fisher and Yates' and continues from the last draw's order.
    """
    n = pool.shape[1]
    per_row = (n_draws + DRAWS - 1) // DRAWS
    values = np.empty(n)
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    for stream in range(first, last):
        r, chunk = stream // per_row, stream % per_row
        values[:] = pool[r]
        start_stream(key, r, chunk, state)
        used = HALVES
        for draw in range(min(DRAWS, n_draws - chunk * DRAWS)):
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
            out[stream - first, draw] = total


@njit(nogil=True, cache=True)
def flipped_sums(values: Array, key: Any, n_draws: int, first: int, last: int, out: Array) -> None:
    """Sum a random subset of each row's values, shape (R, N), each in it by a fair coin."""
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
            n_drawn = min(DRAWS, n_draws - (chunk + i) * DRAWS)
            out[stream - first + i, :n_drawn] = sums[i, :n_drawn]
        stream += together


@njit(nogil=True, cache=True)
def resampled_differences(
    a: Array, b: Array, key: Any, n_draws: int, first: int, last: int, out: Array
) -> None:
    """Sum n values of a, shape (R, n), less m of b, shape (R, m), m = 0 included; drawn with replacement."""
    n, m = a.shape[1], b.shape[1]
    per_row = (n_draws + DRAWS - 1) // DRAWS
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    for stream in range(first, last):
        r, chunk = stream // per_row, stream % per_row
        start_stream(key, r, chunk, state)
        used = HALVES
        for draw in range(min(DRAWS, n_draws - chunk * DRAWS)):
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
            out[stream - first, draw] = total
