"""Compiled random words in 32 lanes abreast, restarted for every replicate.

Each lane is a xoshiro256++ generator (Blackman and Vigna 2021) whose state comes from SplitMix64, as its
authors advise, started at a hash of the stream's key and the replicate. A row of 32 words takes a few vector
instructions. A replicate's words do not depend on their number, so the first items of a large test set are
those of a small one. Sums of random subsets, as under sign flips, take a fair coin per number, 64 to a word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.compiled import discard_older_caches, njit

Words = NDArray[np.uint64]

LANES = 32
STATE = 4 * LANES
HALVES = 2 * LANES
"""Number of 32-bit random numbers in a row of words."""


DRAWS_AT_ONCE = 2 * LANES
"""Number of sums that `add_subset_sums` draws."""

_GROUP = 8
_SUBSETS = 1 << _GROUP
_GROUPS_TO_A_WORD = 64 // _GROUP

_GOLDEN = 0x9E3779B97F4A7C15

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def _scrambled(x: Any) -> Any:
    z = (x ^ (x >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@njit(nogil=True, cache=True)
def start_replicate(key: Any, replicate: int, state: Words) -> None:
    """Fill `state`, shape (STATE,), with the state of a replicate's first row of words."""
    x = _scrambled(_scrambled(uint64(key)) + uint64(replicate) * uint64(_GOLDEN))
    for i in range(STATE):
        state[i] = _scrambled(x + uint64(i + 1) * uint64(_GOLDEN))


@njit(nogil=True, cache=True)
def next_row(state: Words, row: Words) -> None:
    """Fill `row`, shape (LANES,), with random words and advance `state`."""
    # Unsigned, so that numba does not check for indices that count from the end.
    first, second, third = uint64(LANES), uint64(2 * LANES), uint64(3 * LANES)
    for lane in range(first):
        s0, s1, s2, s3 = state[lane], state[first + lane], state[second + lane], state[third + lane]
        mixed = s0 + s3
        row[lane] = ((mixed << uint64(23)) | (mixed >> uint64(41))) + s0
        shifted = s1 << uint64(17)
        s2 ^= s0
        s3 ^= s1
        state[first + lane] = s1 ^ s2
        state[lane] = s0 ^ s3
        state[second + lane] = s2 ^ shifted
        state[third + lane] = (s3 << uint64(45)) | (s3 >> uint64(19))


@njit(nogil=True, cache=True)
def index_below(word: Any, count: int) -> Any:
    """Turn 32 random bits into an index below `count`; its chance differs from 1/count by less than 2⁻³²."""
    return np.int64((uint64(word) * uint64(count)) >> uint64(32))


@njit(nogil=True, cache=True)
def fill_words(key: Any, first: int, out: Words) -> None:
    """Fill `out`, shape (R, n), with the words of the replicates from `first` on."""
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    n = out.shape[1]
    for r in range(len(out)):
        start_replicate(key, first + r, state)
        for start in range(0, n, LANES):
            next_row(state, row)
            for i in range(min(LANES, n - start)):
                out[r, start + i] = row[i]


@njit(nogil=True, cache=True)
def fill_next_words(states: Words, out: Words) -> None:
    """Fill `out`, shape (R, n), with the next words of R states, shape (R, STATE); n is a multiple of LANES.

    States that `start_replicate` filled give those of `fill_words`.
    """
    row = np.empty(LANES, np.uint64)
    for r in range(len(out)):
        for start in range(0, out.shape[1], LANES):
            next_row(states[r], row)
            for i in range(LANES):
                out[r, start + i] = row[i]


@njit(nogil=True, cache=True)
def as_uniforms(words: Words, out: Floats) -> None:
    """Turn random words, shape (n,), into uniforms on the open interval (0, 1), in `out` or in place."""
    for i in range(out.size):
        out[i] = (float(words[i] >> uint64(12)) + 0.5) / 4503599627370496.0


@njit(nogil=True, cache=True)
def subset_table(n: int) -> Any:
    """Return an empty table for `fill_subset_table` of n numbers, shape (⌈n/8⌉, 256)."""
    return np.empty(((n + _GROUP - 1) // _GROUP, _SUBSETS))


@njit(nogil=True, cache=True)
def fill_subset_table(values: Any, table: Any) -> None:
    """Fill `table` with the sum of every subset of each group of eight values."""
    n = values.size
    for group in range(table.shape[0]):
        table[group, 0] = 0.0
        for bit in range(_GROUP):
            i = group * _GROUP + bit
            value = values[i] if i < n else 0.0
            for subset in range(1 << bit):
                table[group, subset | (1 << bit)] = table[group, subset] + value


@njit(inline="always")
def _add_rows(table: Any, n_groups: int, state: Any, row: Any, out: Any) -> None:
    """Add the sums of random subsets of `n_groups` groups, at most eight, to `out`, shape (64,)."""
    for start in range(0, DRAWS_AT_ONCE, LANES):
        next_row(state, row)
        for lane in range(LANES):
            word = row[lane]
            total = 0.0
            for group in range(n_groups):
                total += table[group, word & uint64(_SUBSETS - 1)]
                word = word >> uint64(_GROUP)
            out[start + lane] += total


@njit(nogil=True, cache=True)
def add_subset_sums(table: Any, state: Any, row: Any, out: Any) -> None:
    """Add sums of random subsets to `out`, shape (64,): a fair coin per value, 64 values to a word."""
    n_groups = table.shape[0]
    rest = n_groups % _GROUPS_TO_A_WORD
    for first in range(0, n_groups - rest, _GROUPS_TO_A_WORD):
        # With a constant number of groups there is no inner loop: it takes less than half the time.
        _add_rows(table[first : first + _GROUPS_TO_A_WORD], _GROUPS_TO_A_WORD, state, row, out)
    if rest > 0:
        _add_rows(table[n_groups - rest :], rest, state, row, out)
