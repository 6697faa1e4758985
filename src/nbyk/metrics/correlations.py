"""Correlations of item means: systems of shape (S, R, N), gold of shape (R, N), scores of shape (S, R).

S systems answer the same N items in each of R replicates; each function fills `out` for all of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit

Ranks = NDArray[np.int32]

_ROUNDING = 1e-12
"""Means of equal responses can differ by rounding if items have different K, but by less than this share."""


def doubled_ranks(values: Floats) -> Ranks:
    """Return twice the ranks of each row's values, shape (..., n), 1 ≤ n < 2³⁰; ties share their average.

    All ranks of a row with a NaN are 0.
    """
    rows = np.ascontiguousarray(values).reshape(-1, values.shape[-1])
    ranks = np.empty(rows.shape, np.int32)
    _rank(rows, np.argsort(rows, axis=1), ranks)
    return ranks.reshape(values.shape)


@njit(nogil=True, cache=True)
def _rank(rows: Floats, orders: Integers, ranks: Ranks) -> None:
    """Fill the doubled ranks of rows from what sorts them; NaN is last in order."""
    n = rows.shape[1]
    for r in range(len(rows)):
        values, doubled, order = rows[r], ranks[r], orders[r]
        doubled[:] = 0
        first = 0 if values[order[n - 1]] == values[order[n - 1]] else n
        while first < n:
            last = first
            while last < n and values[order[last]] == values[order[first]]:
                last += 1
            for i in range(first, last):
                doubled[order[i]] = first + last + 1
            first = last


def _correlate(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with the cosines of systems and gold, centred; NaN where either is 0 or NaN."""
    product = np.einsum("srn,srn->sr", systems, systems) * np.einsum("rn,rn->r", gold, gold)
    varies = product > 0.0
    cosines = np.einsum("srn,rn->sr", systems, gold) / np.sqrt(np.where(varies, product, 1.0))
    out[:] = np.where(varies, cosines, np.nan)


def _centred(values: Floats) -> Floats:
    """Return rows less their means, 0 if all values of a row are equal."""
    first = values[..., :1]
    apart = np.maximum(values.max(axis=-1, keepdims=True) - first, first - values.min(axis=-1, keepdims=True))
    means = values.mean(axis=-1, keepdims=True)
    return np.where(apart > _ROUNDING * np.abs(first), values - means, 0.0)


def pearson(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Pearson's r; NaN where either is constant."""
    _correlate(_centred(systems), _centred(gold), out)
    np.clip(out, -1.0, 1.0, out)


def spearman(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with Spearman's ρ: Pearson's correlation of average ranks; NaN where either is constant.

    It is one of whole numbers, and exact, up to 200,000 items.
    """
    ranks, gold_ranks = doubled_ranks(systems).astype(np.float64), doubled_ranks(gold).astype(np.float64)
    for each in (ranks, gold_ranks):
        each[each == 0.0] = np.nan
        each -= gold.shape[1] + 1
    _correlate(ranks, gold_ranks, out)


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
