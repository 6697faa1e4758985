"""Compiled scores of systems on weighted items, 64 draws abreast: item bootstraps and jackknifes.

A draw of items with replacement is a weight per item, the same for gold and every system. Weighted sums,
ranks and distances are scans through values in one order. No draw changes this order, so nothing is sorted.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from nbyk.arrays import Array
from nbyk.compiled import njit
from nbyk.testing.engine.swaps import DRAWS


@njit(nogil=True, cache=True)
def weighted_sums(features: Array, weights: Array, out: Array) -> None:
    """Fill `out`, shape (F, 64), with sums of `features`, shape (N, F), under `weights`, shape (N, 64)."""
    out[:] = 0.0
    weight = np.empty(DRAWS)
    for item in range(features.shape[0]):
        for draw in range(DRAWS):
            weight[draw] = float(weights[item, draw])
        for feature in range(features.shape[1]):
            value = features[item, feature]
            for draw in range(DRAWS):
                out[feature, draw] += weight[draw] * value


@njit(nogil=True, cache=True)
def signed_sums(deviations: Array, signs: Array, out: Array) -> None:
    """Fill `out`, shape (F, 64), with sums of `deviations`, (N, F), signed by bits of `signs`, (N,)."""
    out[:] = 0.0
    for item in range(deviations.shape[0]):
        word = signs[item]
        for feature in range(deviations.shape[1]):
            value, sums = deviations[item, feature], out[feature]
            for draw in range(DRAWS):
                sums[draw] += value if (word >> uint64(draw)) & uint64(1) else -value


@njit(nogil=True, cache=True)
def weigh_gold_ranks(
    order: Array, stops: Array, weights: Array, sizes: Array, ranks: Array, variance: Array
) -> None:
    """Fill `ranks`, (N, 64), with weight × (2 R − (n + 1)), R the ranks in gold; `variance` with squares.

    `order`, shape (N,), are the items by ascending gold mean, and `stops` the ends of the levels of equal
    values. `weights`, (N, 64) of uint8, say how often each draw has an item, and `sizes`, (64,), how many it
    has.
    """
    count, rank = np.zeros(DRAWS, np.int32), np.empty(DRAWS, np.int32)
    below = (-sizes).astype(np.int32)
    variance[:] = 0.0
    start = 0
    for stop in stops:
        count[:] = 0
        for place in range(start, stop):
            item = order[place]
            for draw in range(DRAWS):
                count[draw] += np.int32(weights[item, draw])
        for draw in range(DRAWS):
            rank[draw] = below[draw] + count[draw]
            below[draw] = rank[draw] + count[draw]
            variance[draw] += float(count[draw]) * float(rank[draw]) * float(rank[draw])
        for place in range(start, stop):
            item = order[place]
            for draw in range(DRAWS):
                ranks[item, draw] = np.int32(weights[item, draw]) * rank[draw]
        start = stop


@njit(nogil=True, cache=True)
def rank_products(
    order: Array,
    stops: Array,
    weights: Array,
    sizes: Array,
    gold_ranks: Array,
    covariance: Array,
    variance: Array,
) -> None:
    """Fill a system's covariance of ranks with gold's, and its variance, shape (64,), in the units of gold's.

    `order` and `stops` are the system's, `gold_ranks` those that `weigh_gold_ranks` filled. All are whole
    numbers.
    """
    count, product = np.empty(DRAWS, np.int32), np.empty(DRAWS)
    below = (-sizes).astype(np.int32)
    covariance[:] = 0.0
    variance[:] = 0.0
    start = 0
    for stop in stops:
        if stop - start == 1:
            item = order[start]
            for draw in range(DRAWS):
                t = np.int32(weights[item, draw])
                rank = float(below[draw] + t)
                below[draw] += np.int32(2) * t
                variance[draw] += float(t) * rank * rank
                covariance[draw] += rank * float(gold_ranks[item, draw])
        else:
            count[:] = 0
            product[:] = 0.0
            for place in range(start, stop):
                item = order[place]
                for draw in range(DRAWS):
                    count[draw] += np.int32(weights[item, draw])
                    product[draw] += float(gold_ranks[item, draw])
            for draw in range(DRAWS):
                rank = float(below[draw] + count[draw])
                below[draw] += np.int32(2) * count[draw]
                variance[draw] += float(count[draw]) * rank * rank
                covariance[draw] += rank * product[draw]
        start = stop


@njit(nogil=True, cache=True)
def distances(entries: Array, gaps: Array, weights: Array, out: Array) -> None:
    """Fill `out`, shape (64,), with n times the earth mover's distance between a system's means and gold's.

    `entries`, shape (2 N,), are both in ascending order, twice the item plus 1 for gold's; `gaps` lead from
    each to the next, 0 for the last.
    """
    lead = np.zeros(DRAWS, np.int32)
    out[:] = 0.0
    for place in range(entries.size):
        item = entries[place] >> 1
        if entries[place] & 1:
            for draw in range(DRAWS):
                lead[draw] -= np.int32(weights[item, draw])
        else:
            for draw in range(DRAWS):
                lead[draw] += np.int32(weights[item, draw])
        gap = gaps[place]
        if gap > 0.0:
            for draw in range(DRAWS):
                out[draw] += float(abs(lead[draw])) * gap
