"""Compiled sums over items behind the effects of many sizes of test set at once.

An item has C whole numbers, its units. Several units share a word of 64 bits, so that one addition adds them
all. Word w of an item is u₀ + u₁ 2^b + u₂ 2^2b + …. A sum of such words has the same form if the sums of each
unit stay within ±2^(b−1). Words have shape (W, N). `sizes` are numbers of items in ascending order, the last
at most N; a size's test set is the first items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.resampling.lanes import HALVES, LANES, STATE, next_row, start_replicate

Units = NDArray[np.int32]
Words = NDArray[np.int64]
Sizes = NDArray[np.int64]
Sums = NDArray[np.int64]
Items = NDArray[np.int32]


def units_per_word(units: Units) -> int:
    """Return the number of units that fit a word such that no sum over all items overflows.

    `units` has shape (…, N).
    """
    most = max(int(units.max(initial=0)), -int(units.min(initial=0))) * units.shape[-1]
    return next(n for n in (3, 2, 1) if n == 1 or most < 1 << (64 // n - 1))


@njit(nogil=True, cache=True)
def pack_units(units: Units, per_word: int, out: Words) -> None:
    """Fill `out`, shape (W, N), with the words of units, shape (C, N), `per_word` to a word."""
    bits = int64(64 // per_word)
    out[:] = 0
    for c in range(len(units)):
        word, unit, shift = out[c // per_word], units[c], int64(c % per_word) * bits
        for i in range(len(unit)):
            word[i] += int64(unit[i]) << shift


@njit(nogil=True, cache=True)
def _unpack(word: Any, per_word: int, out: Sums) -> None:
    """Fill `out`, shape (units in the word,), with the sums in the sum of words."""
    bits = int64(64 // per_word)
    rest = int64(64) - bits
    for c in range(len(out)):
        # Take the lowest bits with their sign, and return their borrow to the bits above.
        out[c] = word if per_word == 1 else (word << rest) >> rest
        if per_word > 1:
            word = (word - out[c]) >> bits


@njit(nogil=True, cache=True)
def sum_items(words: Words, per_word: int, sizes: Sizes, out: Sums) -> None:
    """Fill `out`, shape (S, C), with the sums of each unit over the items of each of S sizes."""
    for w in range(len(words)):
        word, first = words[w], w * per_word
        total = int64(0)
        done = 0
        for s in range(len(sizes)):
            for i in range(done, sizes[s]):
                total += word[i]
            done = sizes[s]
            _unpack(total, per_word, out[s, first : first + per_word])


@njit(nogil=True, cache=True)
def draw_items(key: Any, replicate: int, size: int, items: Items) -> None:
    """Fill the first `size` of `items` with items drawn with replacement from a test set of that size.

    A size has its own draws, which do not depend on the other sizes in the call. `items` has room for
    `size`, rounded up to a multiple of `HALVES`.
    """
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    n, low_bits = uint64(size), uint64(0xFFFFFFFF)
    start_replicate(uint64(key) + n, replicate, state)
    for start in range(0, size, HALVES):
        next_row(state, row)
        high, low = items[start : start + LANES], items[start + LANES : start + HALVES]
        for i in range(LANES):
            high[i] = np.int32(((row[i] >> uint64(32)) * n) >> uint64(32))
        for i in range(LANES):
            low[i] = np.int32(((row[i] & low_bits) * n) >> uint64(32))


@njit(nogil=True, cache=True)
def _sum_at(word: Words, items: Items) -> Any:
    total = int64(0)
    for i in range(len(items)):
        if items[i] < 0:
            break  # never: a loop with an exit has no gathers, which are slower than loads
        total += word[items[i]]
    return total


@njit(nogil=True, cache=True)
def sum_bootstrapped_items(
    words: Words, per_word: int, key: Any, replicate: int, sizes: Sizes, out: Sums
) -> None:
    """Fill `out`, as `sum_items`, with sums over the items that `draw_items` draws from each size's set."""
    items = np.empty(sizes.max() + HALVES, np.int32)
    for s in range(len(sizes)):
        draw_items(key, replicate, sizes[s], items)
        for w in range(len(words)):
            total = _sum_at(words[w], items[: sizes[s]])
            _unpack(total, per_word, out[s, w * per_word : (w + 1) * per_word])


@njit(nogil=True, cache=True)
def bootstrapped_items(key: Any, first: int, out: Sizes) -> None:
    """Fill `out`, shape (R, size), with the same items that `sum_bootstrapped_items` draws for a size."""
    items = np.empty(out.shape[1] + HALVES, np.int32)
    for r in range(len(out)):
        draw_items(key, first + r, out.shape[1], items)
        out[r] = items[: out.shape[1]]
