"""Compiled scores of systems whose rows are swapped on items.

Swapping keeps the values and only deals them again, so nothing is sorted. An additive score is its total plus
the gains of the swapped items: a table has the sum of every subset of eight, so a byte of a draw is one sum.
A rank correlation or an earth mover's distance is one scan through both systems' values in their order. There
a draw is a bit of a word per item, and 64 draws are the lanes of the inner loops. B gets every value that A
does not get, so one scan gives both scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64

from nbyk.arrays import Array
from nbyk.compiled import njit
from nbyk.resampling.lanes import fill_subset_table

DRAWS = 64
"""Draws of a batch: the bits of a word."""


@njit(nogil=True, cache=True)
def transpose_coins(words: Array, out: Array) -> None:
    """Turn `words` of 64 items per draw, (64, ⌈N/64⌉), into words of 64 draws per item: `out`, shape (N,).

    References
    ----------
    Warren, Hacker's Delight, 7-3.
    """
    n = out.size
    block = np.empty(DRAWS, np.uint64)
    for column in range(words.shape[1]):
        for draw in range(DRAWS):
            block[draw] = words[draw, column]
        width = 32
        mask = uint64(0x00000000FFFFFFFF)
        while width > 0:
            row = 0
            while row < DRAWS:
                moving = ((block[row] >> uint64(width)) ^ block[row + width]) & mask
                block[row] ^= moving << uint64(width)
                block[row + width] ^= moving
                row = (row + width + 1) & ~width
            width //= 2
            mask ^= mask << uint64(width)
        first = column * DRAWS
        for i in range(min(DRAWS, n - first)):
            out[first + i] = block[i]


@njit(inline="always")
def _byte(word: Any, place: int) -> Any:
    return (word >> uint64(8 * place)) & uint64(255)


@njit(nogil=True, cache=True)
def add_swapped(gains: Array, words: Array, t: Array, out: Array) -> None:
    """Add to `out`, shape (R,), each draw's sum of the `gains`, shape (N,), of the swapped items.

    `words`, shape (R, ⌈N/64⌉), have a bit per item from the lowest up; `t` is room, (8, 256). The sum of a
    draw does not depend on the others.
    """
    for column in range(words.shape[1]):
        fill_subset_table(gains[DRAWS * column : DRAWS * (column + 1)], t)
        for draw in range(words.shape[0]):
            w = words[draw, column]
            low = (t[0, _byte(w, 0)] + t[1, _byte(w, 1)]) + (t[2, _byte(w, 2)] + t[3, _byte(w, 3)])
            high = (t[4, _byte(w, 4)] + t[5, _byte(w, 5)]) + (t[6, _byte(w, 6)] + t[7, _byte(w, 7)])
            out[draw] += low + high


@njit(nogil=True, cache=True)
def rank_products(
    entries: Array, stops: Array, gold_ranks: Array, coins: Array, covariance: Array, ties: Array
) -> None:
    """Fill the covariance of A's and B's ranks with gold's, and the loss of their variance by ties, (2, 64).

    `entries`, shape (2 N,), are both systems' item means in ascending order: twice the item, plus 1 for B's;
    `stops` are the ends of the levels of equal values in it. `gold_ranks`, shape (N,), are 2 R − (N + 1) of
    the items' average ranks R in gold, which sum to 0. `coins`, shape (N,), have a bit per draw: whether rows
    are swapped.

    Notes
    -----
    With G the sum of gold's ranks up to a level, a level of t values adds −t (G before + G after) to Σ 2 R ×
    gold's: no rank is computed, and whole numbers need no rounding. Ties are Σ (t³ − t).
    """
    before, sums = np.zeros(DRAWS, np.int64), np.zeros(DRAWS, np.int64)
    count = np.zeros(DRAWS, np.int64)
    product_a, product_b = np.zeros(DRAWS, np.int64), np.zeros(DRAWS, np.int64)
    ties[:] = 0.0
    both_before = 0
    start = 0
    for stop in stops:
        if stop - start == 1:
            entry = entries[start]
            rank = gold_ranks[entry >> 1]
            word = coins[entry >> 1] if entry & 1 else ~coins[entry >> 1]
            both = 2 * both_before + rank
            for draw in range(DRAWS):
                chosen = -np.int64((word >> uint64(draw)) & uint64(1))
                here = 2 * sums[draw] + rank
                product_a[draw] -= here & chosen
                product_b[draw] -= (both + rank - here) & ~chosen
                sums[draw] += rank & chosen
            both_before += rank
        else:
            both_after = both_before
            for draw in range(DRAWS):
                before[draw] = sums[draw]
                count[draw] = 0
            for place in range(start, stop):
                entry = entries[place]
                rank = gold_ranks[entry >> 1]
                word = coins[entry >> 1] if entry & 1 else ~coins[entry >> 1]
                for draw in range(DRAWS):
                    chosen = -np.int64((word >> uint64(draw)) & uint64(1))
                    count[draw] -= chosen
                    sums[draw] += rank & chosen
                both_after += rank
            size = stop - start
            both = both_before + both_after
            for draw in range(DRAWS):
                t = count[draw]
                u = size - t
                here = before[draw] + sums[draw]
                product_a[draw] -= t * here
                product_b[draw] -= u * (both - here)
                ties[0, draw] += float(t) * (float(t) * float(t) - 1.0)
                ties[1, draw] += float(u) * (float(u) * float(u) - 1.0)
            both_before = both_after
        start = stop
    for draw in range(DRAWS):
        covariance[0, draw] = product_a[draw]
        covariance[1, draw] = product_b[draw]


@njit(nogil=True, cache=True)
def distances(entries: Array, gaps: Array, coins: Array, out: Array) -> None:
    """Fill `out`, shape (2, 64), with N times the earth mover's distances of A and of B from gold.

    `entries`, shape (3 N,), are A's, B's and gold's item means in ascending order: four times the item, plus
    0, 1 or 2; `gaps` lead from each to the next, 0 for the last. `coins` are as for `rank_products`.
    """
    lead = np.zeros(DRAWS, np.int32)
    total_a, total_b = np.zeros(DRAWS), np.zeros(DRAWS)
    both = np.int32(0)
    for place in range(entries.size):
        entry = entries[place]
        if entry & 2:
            both -= np.int32(2)
            for draw in range(DRAWS):
                lead[draw] -= np.int32(1)
        else:
            both += np.int32(1)
            word = coins[entry >> 2] if entry & 1 else ~coins[entry >> 2]
            for draw in range(DRAWS):
                lead[draw] += np.int32((word >> uint64(draw)) & uint64(1))
        gap = gaps[place]
        if gap > 0.0:
            for draw in range(DRAWS):
                total_a[draw] += float(abs(lead[draw])) * gap
                total_b[draw] += float(abs(both - lead[draw])) * gap
    for draw in range(DRAWS):  # compiles in a fraction of the time of an assignment of arrays
        out[0, draw] = total_a[draw]
        out[1, draw] = total_b[draw]
