"""Correlations of item means: systems of shape (S, R, N), gold of shape (R, N), scores of shape (S, R).

S systems answer the same N items in each of R replicates; each function fills `out` for all of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.sorting import rank_space, rank_values

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


_ROUNDING = 1e-12
"""Means of equal responses can differ by rounding if items have different K, but by less than this share."""


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
def _rank_products(ranks: Floats, gold_ranks: Floats) -> tuple[float, float]:
    """Return n times the variance of `ranks`, and n times their covariance with `gold_ranks`.

    Both are sums of the same kind in the same order. Equal ranks therefore give equal numbers, and ρ is then
    exactly 1.
    """
    n = len(ranks)
    even = n - n % 4
    middle = 0.5 * (n + 1)
    square0 = square1 = square2 = square3 = 0.0
    product0 = product1 = product2 = product3 = 0.0
    for i in range(0, even, 4):
        x0, g0 = ranks[i] - middle, gold_ranks[i] - middle
        x1, g1 = ranks[i + 1] - middle, gold_ranks[i + 1] - middle
        x2, g2 = ranks[i + 2] - middle, gold_ranks[i + 2] - middle
        x3, g3 = ranks[i + 3] - middle, gold_ranks[i + 3] - middle
        square0 += x0 * x0
        square1 += x1 * x1
        square2 += x2 * x2
        square3 += x3 * x3
        product0 += x0 * g0
        product1 += x1 * g1
        product2 += x2 * g2
        product3 += x3 * g3
    for i in range(even, n):
        square0 += (ranks[i] - middle) ** 2
        product0 += (ranks[i] - middle) * (gold_ranks[i] - middle)
    return (square0 + square1) + (square2 + square3), (product0 + product1) + (product2 + product3)


@njit(nogil=True, cache=True)
def spearman(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Spearman's ρ: Pearson's correlation of average ranks; NaN where either is constant."""
    n = gold.shape[1]
    gold_ranks = np.empty(n)
    ranks = np.empty(n)
    space = rank_space(n)
    for r in range(out.shape[1]):
        rank_values(gold[r], gold_ranks, space)
        gold_variance, _ = _rank_products(gold_ranks, gold_ranks)
        for s in range(out.shape[0]):
            rank_values(systems[s, r], ranks, space)
            variance, covariance = _rank_products(ranks, gold_ranks)
            product = gold_variance * variance
            out[s, r] = covariance / math.sqrt(product) if product != 0.0 else np.nan


@njit(nogil=True, cache=True)
def _add(tree: Integers, place: int) -> None:
    """Count one more value at a place, from 1, of a Fenwick tree."""
    while place < len(tree):
        tree[place] += 1
        place += place & -place


@njit(nogil=True, cache=True)
def _up_to(tree: Integers, place: int) -> int:
    """Return the number of values that a Fenwick tree has counted at places from 1 to `place`."""
    total = 0
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total


@njit(nogil=True, cache=True)
def _untied_pairs(ranks: Floats, counts: Integers) -> int:
    """Return the number of pairs of average ranks that differ."""
    n = len(ranks)
    counts[:] = 0
    for i in range(n):
        counts[int(2.0 * ranks[i])] += 1
    pairs = n * (n - 1) // 2
    for place in range(len(counts)):
        pairs -= counts[place] * (counts[place] - 1) // 2
    return pairs


@njit(nogil=True, cache=True)
def _sort_ranks(ranks: Floats, stops: Integers, order: Integers) -> None:
    """Fill `order` with what sorts average ranks, by counting; `stops`, shape (2 n + 1,), is overwritten."""
    stops[:] = 0
    for i in range(len(ranks)):
        stops[int(2.0 * ranks[i])] += 1
    for place in range(1, len(stops)):
        stops[place] += stops[place - 1]
    for i in range(len(ranks)):
        place = int(2.0 * ranks[i])
        stops[place] -= 1
        order[stops[place]] = i


@njit(nogil=True, cache=True)
def _lead(ranks: Floats, gold_ranks: Floats, order: Integers, tree: Integers, counts: Integers) -> int:
    """Return concordant minus discordant pairs; `order` sorts `gold_ranks`.

    A Fenwick tree, and `counts` at each place, count the values with a lower gold rank.
    """
    n = len(order)
    tree[:] = 0
    counts[:] = 0
    lead = 0
    first = 0
    while first < n:
        last = first
        while last < n and gold_ranks[order[last]] == gold_ranks[order[first]]:
            place = int(2.0 * ranks[order[last]])
            # Counted values with a lower rank of the system are concordant, those with a higher discordant.
            lead += 2 * _up_to(tree, place - 1) + counts[place] - first
            last += 1
        for i in range(first, last):
            place = int(2.0 * ranks[order[i]])
            counts[place] += 1
            _add(tree, place)
        first = last
    return lead


@njit(nogil=True, cache=True)
def kendall(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Kendall's τ-b, from whole numbers of pairs; NaN where either is constant."""
    n = gold.shape[1]
    gold_ranks = np.empty(n)
    ranks = np.empty(n)
    order = np.empty(n, np.int64)
    tree = np.empty(2 * n + 1, np.int64)
    counts = np.empty(2 * n + 1, np.int64)
    space = rank_space(n)
    for r in range(out.shape[1]):
        rank_values(gold[r], gold_ranks, space)
        _sort_ranks(gold_ranks, counts, order)
        gold_pairs = _untied_pairs(gold_ranks, tree)
        for s in range(out.shape[0]):
            rank_values(systems[s, r], ranks, space)
            pairs = _untied_pairs(ranks, tree)
            if gold_pairs == 0 or pairs == 0:
                out[s, r] = np.nan
            else:
                lead = _lead(ranks, gold_ranks, order, tree, counts)
                out[s, r] = lead / math.sqrt(float(gold_pairs) * float(pairs))
