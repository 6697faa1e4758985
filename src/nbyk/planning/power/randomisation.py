"""Compiled tests on each item's own contribution to an effect: sign flips and the item bootstrap.

An additive effect is the mean of one number d_i per item. Swapping the two systems' rows on an item turns d_i
into −d_i. So the null `swap_items` is Σ ±d_i, and an item bootstrap is a sum of resampled d_i. Neither needs
the responses again. Every set has a random stream of its own (`nbyk.resampling.lanes`). So a test that stops
early has seen the first draws of the full test.
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

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def tolerance(contributions: Array) -> float:
    """Return the largest distance of two sums that tie: that of `p_value`, times N."""
    largest = 0.0
    for i in range(contributions.size):
        largest += abs(contributions[i])
    return max(1e-14 * contributions.size, 1e-10 * largest)


@njit(nogil=True, cache=True)
def decided(count: int, look: int, reject_to: Array, keep_from: Array) -> int:
    """Return 1 to reject, 0 to keep the null, −1 to draw on."""
    if count <= reject_to[look]:
        return 1
    return 0 if count >= keep_from[look] else -1


@njit(nogil=True, cache=True)
def sign_flip_test(
    contributions: Array, key: Any, first: int, draws: Array, reject_to: Array, keep_from: Array, out: Array
) -> None:
    """Decide for each set whether Σ d_i is large among Σ ±d_i.

    Parameters
    ----------
    contributions : ndarray, shape (R, N)
        Contributions of R sets.
    key, first
        The random stream, and the replicate of it that belongs to the first set.
    draws, reject_to, keep_from : ndarray of int, shape (L,)
        The looks: see `nbyk.testing.looks.Looks`.
    out : ndarray of int, shape (R, 2)
        Filled with 1 if the null is rejected (else 0), and the number of draws.
    """
    flipped = np.empty(DRAWS_AT_ONCE)
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    for r in range(contributions.shape[0]):
        # Σ ±d ≥ Σ d if the sum of the flipped ones is at most 0.
        border = 0.5 * tolerance(contributions[r])
        nonzero = contributions[r][contributions[r] != 0.0]  # the others change no sum
        table = subset_table(nonzero.size)
        fill_subset_table(nonzero, table)
        start_replicate(key, first + r, state)
        count, drawn = 0, 0
        for look in range(draws.size):
            while drawn < draws[look]:
                flipped[:] = 0.0
                add_subset_sums(table, state, row, flipped)
                for draw in range(min(DRAWS_AT_ONCE, draws[look] - drawn)):
                    count += int(flipped[draw] <= border)
                drawn += DRAWS_AT_ONCE
            out[r, 0], out[r, 1] = decided(count, look, reject_to, keep_from), draws[look]
            if out[r, 0] >= 0:
                break


@njit(nogil=True, cache=True)
def sign_flip_counts(contributions: Array, out: Array) -> None:
    """Fill `out`, shape (R,), with the number of the 2^N sums Σ ±d_i that are at least Σ d_i."""
    n = contributions.shape[1]
    sums = np.empty(1 << n)
    for r in range(contributions.shape[0]):
        border = 0.5 * tolerance(contributions[r])
        sums[0] = 0.0
        for bit in range(n):
            for subset in range(1 << bit):
                sums[subset | (1 << bit)] = sums[subset] + contributions[r, bit]
        count = 0
        for subset in range(1 << n):
            count += int(sums[subset] <= border)
        out[r] = count


@njit(nogil=True, cache=True)
def shifted_bootstrap_test(
    contributions: Array, key: Any, first: int, draws: Array, reject_to: Array, keep_from: Array, out: Array
) -> None:
    """Decide for each set whether Σ d_i is large among sums of N resampled d_i, less Σ d_i; as above."""
    n = contributions.shape[1]
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    for r in range(contributions.shape[0]):
        of_set = contributions[r]
        border = 2.0 * of_set.sum() - tolerance(of_set)
        start_replicate(key, first + r, state)
        count, drawn = 0, 0
        for look in range(draws.size):
            while drawn < draws[look]:
                total = 0.0
                for start in range(0, n, HALVES):
                    next_row(state, row)
                    for i in range(min(HALVES, n - start)):
                        total += of_set[index_below(words[i], n)]
                count += int(total >= border)
                drawn += 1
            out[r, 0], out[r, 1] = decided(count, look, reject_to, keep_from), drawn
            if out[r, 0] >= 0:
                break
