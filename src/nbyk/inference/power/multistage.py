"""The papers' multistage bootstrap of Likert or binary test sets, compiled: items, then responses.

One draw of its null picks N items with replacement and, for each, K gold responses from the item's gold and
K each for A and B from the item's pool A|B. An item's mean only depends on the sum of its K levels, whose
exact distribution is the K-fold convolution of the item's shares: one table per item and role, from which a
sum is one look-up (Walker's alias method) whatever K is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

from nbyk.inference.power.randomisation import decision
from nbyk.resampling.lanes import LANES, STATE, index_below, next_row, start_replicate

Array = NDArray[Any]

MAE, MSE, WINS, MEAN = 0, 1, 2, 3
"""Codes of the effects of a single item, in whole units of its sums."""

_WORDS_PER_ITEM = 4
_ITEMS_PER_ROW = 2 * LANES // _WORDS_PER_ITEM


@njit(nogil=True, cache=True)
def unit_effect(code: int, gold: int, a: int, b: int) -> int:
    """Return the effect of an item in whole units, positive where A is better."""
    if code == MEAN:
        return a - b
    error_a, error_b = abs(a - gold), abs(b - gold)
    if code == MAE:
        return error_b - error_a
    if code == MSE:
        return error_b * error_b - error_a * error_a
    return int(error_a < error_b) - int(error_b < error_a)


@njit(nogil=True, cache=True)
def _convolve(left: Array, n_left: int, right: Array, n_right: int, out: Array) -> int:
    """Fill `out` with the convolution of two vectors, given by their first cells; return its length."""
    n = n_left + n_right - 1
    out[:n] = 0.0
    for i in range(n_left):
        share = left[i]
        if share != 0.0:
            for j in range(n_right):
                out[i + j] += share * right[j]
    return n


@njit(nogil=True, cache=True)
def _fill_sum_chances(shares: Array, k: int, out: Array, scratch: Array) -> None:
    """Fill `out`, shape (K (L − 1) + 1,), with the chances of the sum of K levels with `shares`, (L,)."""
    out[0] = 1.0
    n = 1
    bit = 1
    while 2 * bit <= k:
        bit *= 2
    while bit > 0:
        n = _convolve(out, n, out, n, scratch)
        if k & bit:
            n = _convolve(scratch, n, shares, shares.size, out)
        else:
            out[:n] = scratch[:n]
        bit //= 2


@njit(nogil=True, cache=True)
def _fill_alias(chances: Array, small: Array, large: Array, out: Array) -> None:
    """Fill `out`, shape (S,), with Walker's table: 2³² times the chance to stay, and where to go if not."""
    n = chances.size
    total = chances.sum()
    n_small = n_large = 0
    for cell in range(n):
        chances[cell] *= n / total
        if chances[cell] < 1.0:
            small[n_small] = cell
            n_small += 1
        else:
            large[n_large] = cell
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        cell, other = small[n_small], large[n_large - 1]
        stay = uint64(min(chances[cell] * 4294967296.0, 4294967295.0))
        out[cell] = (stay << uint64(32)) | uint64(other)
        chances[other] -= 1.0 - chances[cell]
        if chances[other] < 1.0:
            n_large -= 1
            small[n_small] = other
            n_small += 1
    for place in range(n_small):  # what rounding left over
        out[small[place]] = (uint64(4294967295) << uint64(32)) | uint64(small[place])
    for place in range(n_large):
        out[large[place]] = (uint64(4294967295) << uint64(32)) | uint64(large[place])


@njit(nogil=True, cache=True)
def fill_sum_tables(at_least: Array, n_responses: int, k: int, out: Array) -> None:
    """Fill `out`, shape (N, K (L − 1) + 1), with a table per item of the sum of K of its responses.

    `at_least`, shape (L − 1, N), has #{responses ≥ level} of `n_responses`, for each level but the lowest.
    """
    n_levels = at_least.shape[0] + 1
    width = out.shape[1]
    shares = np.empty(n_levels)
    chances, scratch = np.empty(width + n_levels), np.empty(width + n_levels)
    small, large = np.empty(width, np.int64), np.empty(width, np.int64)
    for item in range(out.shape[0]):
        above = n_responses
        for level in range(n_levels - 1):
            shares[level] = (above - at_least[level, item]) / n_responses
            above = at_least[level, item]
        shares[n_levels - 1] = above / n_responses
        _fill_sum_chances(shares, k, chances, scratch)
        _fill_alias(chances[:width], small, large, out[item])


@njit(nogil=True, cache=True)
def draw_sum(table: Array, word: Any) -> Any:
    """Return a sum from its table and 32 random bits; its chance is off by less than 2⁻³¹."""
    product = uint64(word) * uint64(table.size)
    cell = np.int64(product >> uint64(32))
    entry = table[cell]
    if (product & uint64(0xFFFFFFFF)) <= (entry >> uint64(32)):
        return cell
    return np.int64(entry & uint64(0xFFFFFFFF))


@njit(nogil=True, cache=True)
def multistage_test(
    gold: Array,
    a: Array,
    b: Array,
    k: int,
    code: int,
    key: Any,
    first: int,
    draws: Array,
    reject_to: Array,
    keep_from: Array,
    out: Array,
) -> None:
    """Decide for each set whether its effect is large among those of its multistage bootstrap.

    Parameters
    ----------
    gold, a, b : ndarray of int, shape (L − 1, R, N)
        #{responses ≥ level} of K responses, for each level but the lowest.
    k
        Responses per item K.
    code
        The effect of an item: `MAE`, `MSE`, `WINS` or `MEAN`.
    key, first, draws, reject_to, keep_from, out
        As for `nbyk.inference.power.randomisation.sign_flip_test`.
    """
    n_levels, n_sets, n = gold.shape
    width = k * n_levels + 1
    of_gold, of_pool = np.empty((n, width), np.uint64), np.empty((n, width), np.uint64)
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    for r in range(n_sets):
        observed = 0
        for i in range(n):
            sum_gold = sum_a = sum_b = 0
            for level in range(n_levels):
                sum_gold += gold[level, r, i]
                sum_a += a[level, r, i]
                sum_b += b[level, r, i]
            observed += unit_effect(code, sum_gold, sum_a, sum_b)
        fill_sum_tables(gold[:, r], k, k, of_gold)
        fill_sum_tables(a[:, r] + b[:, r], 2 * k, k, of_pool)
        start_replicate(key, first + r, state)
        count, drawn = 0, 0
        for look in range(draws.size):
            while drawn < draws[look]:
                effect = 0
                for start in range(0, n, _ITEMS_PER_ROW):
                    next_row(state, row)
                    for place in range(min(_ITEMS_PER_ROW, n - start)):
                        word = _WORDS_PER_ITEM * place
                        item = index_below(words[word], n)
                        pool = of_pool[item]
                        effect += unit_effect(
                            code,
                            draw_sum(of_gold[item], words[word + 1]),
                            draw_sum(pool, words[word + 2]),
                            draw_sum(pool, words[word + 3]),
                        )
                count += int(effect >= observed)
                drawn += 1
            out[r, 0], out[r, 1] = decision(count, look, reject_to, keep_from), drawn
            if out[r, 0] >= 0:
                break
