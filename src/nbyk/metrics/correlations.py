"""Correlations of item means: systems of shape (S, R, N), gold of shape (R, N), scores of shape (S, R).

S systems answer the same N items in each of R replicates; each function fills `out` for all of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Booleans, Floats, Integers
from nbyk.compiled import njit

Ranks = NDArray[np.int32]

_ROUNDING = 1e-12
"""Means of equal responses can differ by rounding if items have different K, but by less than this share."""

_CROWDED, _NEAR = 24, 4
"""A bucket with more values is crowded. If one is, so are those with more than four."""

_RANKS_AT_ONCE = 256
"""64 bits hold the summed squares of so many ranks, for up to 190 million items."""


def doubled_ranks(values: Floats) -> Ranks:
    """Return twice the ranks of each row's values, shape (..., n), 1 ≤ n < 2³⁰; ties share their average.

    All ranks of a row with a NaN are 0. Rows are ranked by buckets; where one has too many different values,
    the row is sorted.
    """
    rows = np.ascontiguousarray(values).reshape(-1, values.shape[-1])
    ranks = np.empty(rows.shape, np.int32)
    with np.errstate(over="ignore", invalid="ignore"):
        low, spread = rows.min(axis=1), np.ptp(rows, axis=1)
    left = np.flatnonzero(_by_buckets(rows, low, spread, ranks))
    if len(left):
        _in_order(rows, np.argsort(rows[left], axis=1), left, ranks)
    return ranks.reshape(values.shape)


@njit(nogil=True, cache=True)
def _by_buckets(rows: Floats, low: Floats, spread: Floats, ranks: Ranks) -> Booleans:
    """Fill the doubled ranks of each row; return which rows, shape (R,), are left.

    Values are dealt to as many equally wide buckets. Their places then differ from their ranks by the values
    that they are swapped or tied with, all in the same bucket. Few branches depend on a value.
    """
    n = rows.shape[1]
    is_left = np.empty(len(rows), np.bool_)
    # Unsigned, because numba checks signed indices for negative ones; 32 bits convert fastest from doubles.
    buckets, places, stops = np.empty((3, n), np.uint32)
    # Infinite values beyond either end of a row never count as swapped or tied with one of it.
    placed = np.full(n + 2 * _CROWDED, -np.inf)
    placed[n + _CROWDED :] = np.inf
    here = placed[_CROWDED : _CROWDED + n]
    doubled = np.empty(n, np.int32)
    for r in range(len(rows)):
        scale = (n - 1) / spread[r] if spread[r] > 0.0 else 0.0
        is_left[r] = not 0.0 < scale < np.inf
        if is_left[r]:
            continue
        for i in range(n):
            buckets[i] = np.uint32(np.int32((rows[r, i] - low[r]) * scale))
        stops[:] = 0
        for i in range(n):
            stops[buckets[i]] += np.uint32(1)
        total = fullest = np.uint32(0)
        for b in range(n):
            count = stops[b]
            fullest = max(fullest, count)
            stops[b] = total  # the start of a bucket, which moves to its stop
            total += count
        for i in range(n):
            places[i] = stops[buckets[i]]
            stops[buckets[i]] += np.uint32(1)
            here[places[i]] = rows[r, i]
            doubled[i] = 2 * i + 2
        near = int(fullest) if fullest <= _CROWDED else _NEAR
        for distance in range(1, near):
            earlier = placed[_CROWDED - distance : _CROWDED - distance + n]
            later = placed[_CROWDED + distance : _CROWDED + distance + n]
            for i in range(n):
                gain = int(later[i] < here[i]) + int(later[i] <= here[i])
                loss = int(earlier[i] > here[i]) + int(earlier[i] >= here[i])
                doubled[i] += gain - loss
        if fullest > near:
            start = 0
            for stop in stops:
                if stop > start + near:
                    is_left[r] |= not _by_levels(here[start:stop], start, doubled[start:stop])
                start = int(stop)
        for i in range(n):
            ranks[r, i] = doubled[places[i]]
    return is_left


@njit(nogil=True, cache=True)
def _by_levels(values: Floats, before: int, doubled: Ranks) -> bool:
    """Fill the doubled ranks of a bucket's values, after `before`; return whether their levels are few."""
    doubled[:] = 0
    place = 0
    for _ in range(_CROWDED):
        below = equal = 0
        for i in range(len(values)):
            below += int(values[i] < values[place])
            equal += int(values[i] == values[place])
        level, rank = values[place], np.int32(2 * (before + below) + equal + 1)
        for i in range(len(values)):
            doubled[i] = rank if values[i] == level else doubled[i]
        while doubled[place] > 0:
            place += 1
            if place == len(values):
                return True
    return False


@njit(nogil=True, cache=True)
def _in_order(rows: Floats, orders: Integers, which: Integers, ranks: Ranks) -> None:
    """Fill the doubled ranks of some rows from what sorts them; NaN is last in order."""
    n = rows.shape[1]
    for k in range(len(which)):
        values, doubled, order = rows[which[k]], ranks[which[k]], orders[k]
        doubled[:] = 0
        first = 0 if values[order[n - 1]] == values[order[n - 1]] else n
        while first < n:
            last = first
            while last < n and values[order[last]] == values[order[first]]:
                last += 1
            for i in range(first, last):
                doubled[order[i]] = first + last + 1
            first = last


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


@njit(nogil=True, cache=True)
def _count_places(ranks: Ranks, sizes: Integers) -> int:
    """Fill `sizes` with how many values share each place, half a doubled rank; return the untied pairs."""
    n = len(ranks)
    sizes[:] = 0
    for i in range(n):
        sizes[ranks[i] >> 1] += 1
    pairs = n * (n - 1) // 2
    for size in sizes:
        pairs -= size * (size - 1) // 2
    return pairs


@njit(nogil=True, cache=True)
def _lead(ranks: Ranks, gold_ranks: Ranks, order: Integers, counted: Integers, tree: Integers) -> int:
    """Return concordant minus discordant pairs, from doubled ranks; `order` sorts `gold_ranks`.

    `counted` holds how many of the values with a lower gold rank are at each place, and `tree` sums of these
    (Fenwick 1994, A new data structure for cumulative frequency tables).
    """
    n = len(order)
    counted[:] = 0
    tree[:] = 0
    lead = first = 0
    while first < n:
        last = first
        while last < n and gold_ranks[order[last]] == gold_ranks[order[first]]:
            place = np.int64(ranks[order[last]] >> 1)
            lead += counted[place] - first
            below = place - 1
            while below > 0:
                lead += 2 * tree[below]
                below -= below & -below
            last += 1
        for i in range(first, last):
            place = np.int64(ranks[order[i]] >> 1)
            counted[place] += 1
            while place <= n:
                tree[place] += 1
                place += place & -place
        first = last
    return lead


def kendall(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Kendall's τ-b, from whole numbers of pairs; NaN where either is constant."""
    gold_ranks = doubled_ranks(gold)
    _count_pairs(doubled_ranks(systems), gold_ranks, np.argsort(gold_ranks, axis=1), out)


@njit(nogil=True, cache=True)
def _count_pairs(ranks: Ranks, gold_ranks: Ranks, orders: Integers, out: Floats) -> None:
    n = gold_ranks.shape[1]
    sizes, tree = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    for r in range(out.shape[1]):
        gold_pairs = _count_places(gold_ranks[r], sizes) if gold_ranks[r, 0] > 0 else 0
        if gold_pairs == 0:
            out[:, r] = np.nan
            continue
        for s in range(out.shape[0]):
            pairs = _count_places(ranks[s, r], sizes) if ranks[s, r, 0] > 0 else 0
            if pairs == 0:
                out[s, r] = np.nan
            else:
                lead = _lead(ranks[s, r], gold_ranks[r], orders[r], sizes, tree)
                out[s, r] = lead / math.sqrt(float(gold_pairs) * float(pairs))
