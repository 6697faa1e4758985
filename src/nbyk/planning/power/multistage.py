"""The papers' multistage bootstraps of Likert or binary test sets, compiled: items, then responses.

One draw of its null picks N items with replacement and, for each, K gold responses from the item's gold and K
each for A and B from the item's pool A|B. An item's mean depends only on the sum of its K levels. The exact
distribution of this sum is the K-fold convolution of the item's shares. There is one table per item and role,
and a sum is one look-up for any K (Walker's alias method). An alternative draws from A's and B's own
responses instead of the pool. Tables are made for blocks of items. If there are several blocks, each block
goes through the same random words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.traits import ItemEffect
from nbyk.planning.power.randomisation import decision
from nbyk.resampling.lanes import HALVES, LANES, STATE, index_below, next_row, start_replicate

Array = NDArray[Any]

MAE, MSE, MEAN = int(ItemEffect.MAE), int(ItemEffect.MSE), int(ItemEffect.MEAN)

TABLE_CELLS = 4_000_000
"""Cells of 8 bytes in all tables of a block of items."""

_STAGES = 4
"""Growth of the draws between two passes over the blocks."""

_WORDS_PER_ITEM = 4
_ITEMS_PER_ROW = HALVES // _WORDS_PER_ITEM


@njit(nogil=True, cache=True)
def unit_effect(code: int, gold: int, a: int, b: int) -> int:
    """Return the effect of an item in whole units, positive if A is better."""
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
    """Fill `out`, shape (S,), with Walker's table: 2³² times the chance to stay, and the other place."""
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
    for place in range(n_small):  # left over by rounding
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
def _observed(gold: Array, a: Array, b: Array, code: int) -> int:
    """Return the effect of a set, each shape (L − 1, N), in whole units."""
    effect = 0
    for i in range(gold.shape[1]):
        sum_gold = sum_a = sum_b = 0
        for level in range(gold.shape[0]):
            sum_gold += gold[level, i]
            sum_a += a[level, i]
            sum_b += b[level, i]
        effect += unit_effect(code, sum_gold, sum_a, sum_b)
    return effect


@njit(nogil=True, cache=True)
def _add_effects(
    of_gold: Array, of_a: Array, of_b: Array, start: int, n: int, code: int, state: Array, out: Array
) -> None:
    """Add the contributions of the block's items to D draws of N items to `out`, shape (D,); advance `state`.

    The tables are those of the items from `start` on.
    """
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    whole = len(of_gold) == n
    for draw in range(out.size):
        effect = 0
        for first in range(0, n, _ITEMS_PER_ROW):
            next_row(state, row)
            for place in range(min(_ITEMS_PER_ROW, n - first)):
                word = _WORDS_PER_ITEM * place
                item = index_below(words[word], n) - start
                if whole or 0 <= item < len(of_gold):
                    effect += unit_effect(
                        code,
                        draw_sum(of_gold[item], words[word + 1]),
                        draw_sum(of_a[item], words[word + 2]),
                        draw_sum(of_b[item], words[word + 3]),
                    )
        out[draw] += effect


@njit(nogil=True, cache=True)
def _last_look(look: int, draws: Array, drawn: int, n_blocks: int) -> int:
    """Return the look up to which to draw at once: the next, or a later one if tables are made again."""
    if n_blocks > 1:
        while look + 1 < draws.size and draws[look + 1] <= max(_STAGES * drawn, 512):
            look += 1
    return look


@njit(nogil=True, cache=True)
def multistage_test(
    gold: Array,
    a: Array,
    b: Array,
    k: int,
    code: int,
    block: int,
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
        The effect of an item: an `ItemEffect`.
    block
        Items that have tables at a time: `items_per_block`. Decisions do not depend on it.
    key, first, draws, reject_to, keep_from, out
        As for `nbyk.planning.power.randomisation.sign_flip_test`.
    """
    n_levels, n_sets, n = gold.shape
    width = k * n_levels + 1
    block = min(block, n)
    n_blocks = (n + block - 1) // block
    of_gold, of_pool = np.empty((block, width), np.uint64), np.empty((block, width), np.uint64)
    before, state = np.empty(STATE, np.uint64), np.empty(STATE, np.uint64)
    effects = np.empty(draws[-1], np.int64)
    for r in range(n_sets):
        observed = _observed(gold[:, r], a[:, r], b[:, r], code)
        start_replicate(key, first + r, state)
        count, drawn, look = 0, 0, 0
        out[r, 0] = -1
        while out[r, 0] < 0:
            until = _last_look(look, draws, drawn, n_blocks)
            new = effects[drawn : draws[until]]
            new[:] = 0
            before[:] = state
            for start in range(0, n, block):
                stop = min(start + block, n)
                if n_blocks > 1 or drawn == 0:
                    pool = a[:, r, start:stop] + b[:, r, start:stop]
                    fill_sum_tables(gold[:, r, start:stop], k, k, of_gold[: stop - start])
                    fill_sum_tables(pool, 2 * k, k, of_pool[: stop - start])
                state[:] = before
                tables = of_pool[: stop - start]
                _add_effects(of_gold[: stop - start], tables, tables, start, n, code, state, new)
            while look <= until and out[r, 0] < 0:
                for draw in range(drawn, draws[look]):
                    count += int(effects[draw] >= observed)
                drawn = draws[look]
                out[r, 0], out[r, 1] = decision(count, look, reject_to, keep_from), drawn
                look += 1


@njit(nogil=True, cache=True)
def _pairs_at_least(alternative: Array, null: Array) -> int:
    """Return the number of pairs (α, β) with β ≥ α."""
    alternative, null = np.sort(alternative), np.sort(null)
    pairs = below = 0
    for effect in alternative:
        while below < null.size and null[below] < effect:
            below += 1
        pairs += null.size - below
    return pairs


@njit(nogil=True, cache=True)
def expected_p_test(
    gold: Array,
    a: Array,
    b: Array,
    k: int,
    code: int,
    block: int,
    alternative_key: Any,
    null_key: Any,
    first: int,
    draws: Array,
    reject_to: Array,
    keep_from: Array,
    out: Array,
) -> None:
    """Decide for each set whether null effects rarely reach the alternative's, both drawn from the set.

    The alternative draws items, K gold responses from the item's gold and K each from A's and from B's own;
    the null draws items and gold of its own, and K each for A and B from the pool. `reject_to` and
    `keep_from` count pairs of draws with null ≥ alternative (`nbyk.testing.looks.pair_looks`);
    the other parameters are those of `multistage_test`.
    """
    n_levels, n_sets, n = gold.shape
    width = k * n_levels + 1
    block = min(block, n)
    tables = np.empty((4, block, width), np.uint64)
    states, before = np.empty((2, STATE), np.uint64), np.empty((2, STATE), np.uint64)
    effects = np.empty((2, draws[-1]), np.int64)
    for r in range(n_sets):
        start_replicate(alternative_key, first + r, states[0])
        start_replicate(null_key, first + r, states[1])
        drawn = 0
        for look in range(draws.size):
            new = effects[:, drawn : draws[look]]
            new[:] = 0
            before[:] = states
            for start in range(0, n, block):
                stop = min(start + block, n)
                of_gold, of_a = tables[0, : stop - start], tables[1, : stop - start]
                of_b, of_pool = tables[2, : stop - start], tables[3, : stop - start]
                if block < n or drawn == 0:
                    rows_a, rows_b = a[:, r, start:stop], b[:, r, start:stop]
                    fill_sum_tables(gold[:, r, start:stop], k, k, of_gold)
                    fill_sum_tables(rows_a, k, k, of_a)
                    fill_sum_tables(rows_b, k, k, of_b)
                    fill_sum_tables(rows_a + rows_b, 2 * k, k, of_pool)
                states[:] = before
                _add_effects(of_gold, of_a, of_b, start, n, code, states[0], new[0])
                _add_effects(of_gold, of_pool, of_pool, start, n, code, states[1], new[1])
            drawn = draws[look]
            pairs = _pairs_at_least(effects[0, :drawn], effects[1, :drawn])
            out[r, 0], out[r, 1] = decision(pairs, look, reject_to, keep_from), drawn
            if out[r, 0] >= 0:
                break


def items_per_block(n_tables: int, k: int, n_levels: int) -> int:
    """Return the number of items that may have `n_tables` tables each at a time."""
    return max(1, TABLE_CELLS // (n_tables * (k * (n_levels - 1) + 1)))
