"""Correlations of item means: systems of shape (S, R, N), gold of shape (R, N), scores of shape (S, R).

S systems answer the same N items in each of R replicates; each function fills `out` for all of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.compiled import njit
from nbyk.metrics.sorting import doubled_ranks

Counts = NDArray[np.uint32]
Ranks = NDArray[np.int32]
CountSpace = tuple[NDArray[np.uint64], NDArray[np.int16], NDArray[np.int64]]


_ROUNDING = 1e-12
"""Means of equal responses can differ by rounding if items have different K, but by less than this share."""

_RANKS_AT_ONCE = 256
"""64 bits hold the summed squares of so many ranks, for up to 190 million items."""


@njit(nogil=True, cache=True)
def _centre(values: Floats, centred: Floats) -> float:
    """Fill `centred` with values less their mean; return the sum of squares, 0 if all are equal."""
    n = len(values)
    constant = True
    total = 0.0
    for i in range(n):
        total += values[i]
        constant = constant and abs(values[i] - values[0]) <= _ROUNDING * abs(values[0])
    mean = total / n
    squares = 0.0
    for i in range(n):
        centred[i] = values[i] - mean
        squares += centred[i] * centred[i]
    return 0.0 if constant else squares


@njit(nogil=True, cache=True)
def pearson(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Pearson's r; NaN where either is constant."""
    n = gold.shape[1]
    gold_centred = np.empty(n)
    centred = np.empty(n)
    for r in range(out.shape[1]):
        gold_squares = _centre(gold[r], gold_centred)
        for s in range(out.shape[0]):
            squares = _centre(systems[s, r], centred)
            product = 0.0
            for i in range(n):
                product += centred[i] * gold_centred[i]
            scale = math.sqrt(gold_squares) * math.sqrt(squares)
            out[s, r] = min(1.0, max(-1.0, product / scale)) if scale > 0.0 else np.nan


@njit(nogil=True, cache=True)
def _rank_products(ranks: Ranks, gold_ranks: Ranks) -> tuple[float, float]:
    """Return 4n times the variance of doubled ranks, and the covariance: exact to n of 200,000."""
    n = len(ranks)
    middle = np.int32(n + 1)
    variance = covariance = 0.0
    for start in range(0, n, _RANKS_AT_ONCE):
        block, gold_block = ranks[start : start + _RANKS_AT_ONCE], gold_ranks[start : start + _RANKS_AT_ONCE]
        squares = products = np.int64(0)
        for i in range(len(block)):
            rank, gold_rank = np.int64(block[i] - middle), np.int64(gold_block[i] - middle)
            squares += rank * rank
            products += rank * gold_rank
        variance += float(squares)
        covariance += float(products)
    return variance, covariance


def spearman(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Spearman's ρ: Pearson's correlation of average ranks; NaN where either is constant."""
    _correlate_ranks(doubled_ranks(systems), doubled_ranks(gold), out)


@njit(nogil=True, cache=True)
def _correlate_ranks(ranks: Ranks, gold_ranks: Ranks, out: Floats) -> None:
    for r in range(out.shape[1]):
        gold_variance = _rank_products(gold_ranks[r], gold_ranks[r])[0] if gold_ranks[r, 0] > 0 else 0.0
        for s in range(out.shape[0]):
            variance, covariance = _rank_products(ranks[s, r], gold_ranks[r])
            product = gold_variance * variance if ranks[s, r, 0] > 0 else 0.0
            out[s, r] = covariance / math.sqrt(product) if product > 0.0 else np.nan


@njit(inline="always")
def _place(doubled_rank: Any) -> Any:
    return np.uint64(doubled_rank >> np.int32(1))


@njit(nogil=True, cache=True)
def _untied_pairs(ranks: Ranks, sizes: Counts) -> int:
    """Return the number of pairs of doubled ranks that differ; fill `sizes` with how many are equal."""
    n = len(ranks)
    sizes[:] = 0
    for i in range(n):
        sizes[_place(ranks[i])] += np.uint32(1)
    tied = 0
    for size in sizes:
        tied += int(size) * (int(size) - 1) // 2
    return n * (n - 1) // 2 - tied


@njit(nogil=True, cache=True)
def _sort_ranks(ranks: Ranks, sizes: Counts, stops: Counts, order: Counts) -> None:
    """Fill `order` with what sorts doubled ranks, from the sizes of their places; overwrite `stops`."""
    total = np.uint32(0)
    for place in range(len(sizes)):
        stops[place] = total
        total += sizes[place]
    for i in range(len(ranks)):
        place_of_i = _place(ranks[i])
        order[stops[place_of_i]] = i
        stops[place_of_i] += np.uint32(1)


@njit(inline="always")
def _ones(word: Any) -> Any:
    """Return how many bits of a word are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(nogil=True, cache=True)
def _count_space(n: int) -> CountSpace:
    """Return the space of `_count`: a bit a position, and how many are set in earlier words and blocks."""
    words = n // 64 + 1
    blocks = words // 64 + 1
    return np.empty(words, np.uint64), np.empty((blocks, 64), np.int16), np.empty(blocks, np.int64)


@njit(inline="always")
def _count(position: Any, space: CountSpace) -> None:
    """Count a value; no position twice."""
    bits, in_earlier_words, in_earlier_blocks = space
    word = position >> np.uint64(6)
    block = word >> np.uint64(6)
    bits[word] |= np.uint64(1) << (position & np.uint64(63))
    counts = in_earlier_words[block]
    within = np.int16(word & np.uint64(63))
    for later in range(64):  # a constant number, so that it compiles to a few vector instructions
        counts[later] += np.int16(np.int16(later) > within)
    for later in range(np.int64(block) + 1, len(in_earlier_blocks)):
        in_earlier_blocks[later] += 1


@njit(inline="always")
def _counted_below(position: Any, space: CountSpace) -> Any:
    """Return how many values were counted at lower positions."""
    bits, in_earlier_words, in_earlier_blocks = space
    word = position >> np.uint64(6)
    block = word >> np.uint64(6)
    lower = (np.uint64(1) << (position & np.uint64(63))) - np.uint64(1)
    earlier = in_earlier_blocks[block] + np.int64(in_earlier_words[block, word & np.uint64(63)])
    return earlier + _ones(bits[word] & lower)


@njit(inline="always")
def _first_of_tie(doubled_rank: Any, size: Any) -> Any:
    """Return the position, from 0, of the first of `size` values that share an average rank."""
    return np.uint64((np.int64(doubled_rank) - np.int64(size) - np.int64(1)) >> np.int64(1))


@njit(nogil=True, cache=True)
def _lead(
    ranks: Ranks, sizes: Counts, gold_ranks: Ranks, order: Counts, tied: Counts, space: CountSpace
) -> Any:
    """Return concordant minus discordant pairs, from doubled ranks; `order` sorts `gold_ranks`."""
    n = len(order)
    bits, in_earlier_words, in_earlier_blocks = space
    bits[:] = 0
    in_earlier_words[:] = 0
    in_earlier_blocks[:] = 0
    tied[:] = 0
    lead = np.int64(0)
    first = 0
    while first < n:
        last = first
        gold_rank = gold_ranks[order[first]]
        while last < n and gold_ranks[order[last]] == gold_rank:
            rank = ranks[order[last]]
            place = _place(rank)
            # Counted values with a lower rank of the system are concordant, those with a higher discordant.
            below = _counted_below(_first_of_tie(rank, sizes[place]), space)
            lead += 2 * below + np.int64(tied[place]) - first
            last += 1
        for i in range(first, last):
            rank = ranks[order[i]]
            place = _place(rank)
            _count(_first_of_tie(rank, sizes[place]) + np.uint64(tied[place]), space)
            tied[place] += np.uint32(1)
        first = last
    return lead


def kendall(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Kendall's τ-b, from whole numbers of pairs; NaN where either is constant."""
    _count_pairs(doubled_ranks(systems), doubled_ranks(gold), out)


@njit(nogil=True, cache=True)
def _count_pairs(ranks: Ranks, gold_ranks: Ranks, out: Floats) -> None:
    n = gold_ranks.shape[1]
    order = np.empty(n, np.uint32)
    sizes = np.empty(n + 1, np.uint32)
    counts = np.empty(n + 1, np.uint32)
    counted = _count_space(n)
    for r in range(out.shape[1]):
        gold_pairs = _untied_pairs(gold_ranks[r], sizes) if gold_ranks[r, 0] > 0 else 0
        if gold_pairs == 0:
            out[:, r] = np.nan
            continue
        _sort_ranks(gold_ranks[r], sizes, counts, order)
        for s in range(out.shape[0]):
            pairs = _untied_pairs(ranks[s, r], sizes) if ranks[s, r, 0] > 0 else 0
            if pairs == 0:
                out[s, r] = np.nan
            else:
                lead = _lead(ranks[s, r], sizes, gold_ranks[r], order, counts, counted)
                out[s, r] = lead / math.sqrt(float(gold_pairs) * float(pairs))
