"""Metrics that compare distributions of values by the 1-Wasserstein (earth mover's) distance.

The distance is ∫ |F − G| of the two distribution functions. It is also ∫ |F⁻¹(u) − G⁻¹(u)| du: for two sorted
samples of equal size the mean absolute difference of their entries. For sizes n and m the quantile functions
step at i / n and j / m, and the sum follows both.
"""

from __future__ import annotations

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit
from nbyk.metrics.sorting import LANES, sort_columns, sort_values


@njit(nogil=True, cache=True)
def wasserstein_sorted(x: Floats, n: int, y: Floats, m: int) -> float:
    """Return the 1-Wasserstein distance of two samples, the first n ≥ 1 and m ≥ 1 entries in order."""
    total = 0.0
    if n == m:
        for i in range(n):
            total += abs(x[i] - y[i])
        return total / n
    i = 0
    j = 0
    reached = 0
    # In steps of 1 / (n m) both samples' breakpoints are whole numbers, so none is missed by rounding.
    while i < n:
        next_x = (i + 1) * m
        next_y = (j + 1) * n
        difference = abs(x[i] - y[j])
        if next_x <= next_y:
            total += difference * (next_x - reached)
            reached = next_x
            i += 1
        else:
            total += difference * (next_y - reached)
            reached = next_y
            j += 1
    return total / n / m


@njit(nogil=True, cache=True)
def _pool(rows: Floats, space: Floats) -> Floats:
    """Return the responses of left-packed rows, in `space` if some are missing."""
    n, width = rows.shape
    incomplete = 0
    for i in range(n):
        incomplete += int(rows[i, width - 1] != rows[i, width - 1])
    if incomplete == 0:
        return rows.reshape(-1)
    size = 0
    for i in range(n):
        for j in range(width):
            response = rows[i, j]
            if response != response:
                break
            space[size] = response
            size += 1
    return space[:size]


@njit(nogil=True, cache=True)
def _sort_items(rows: Floats, start: int, block: Floats, sizes: Integers) -> bool:
    width = rows.shape[1]
    last = len(rows) - 1
    n_ragged = 0
    for lane in range(LANES):
        item = min(start + lane, last)
        sizes[lane] = width
        for j in range(width):
            block[j, lane] = rows[item, j]
        n_ragged += int(rows[item, width - 1] != rows[item, width - 1])
    if n_ragged > 0:
        for lane in range(LANES):
            for j in range(width):
                if block[j, lane] != block[j, lane]:
                    sizes[lane] = j
                    block[j:, lane] = np.inf
                    break
    sort_columns(block)
    return n_ragged > 0


@njit(nogil=True, cache=True)
def emd_aggregated(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between the distributions of item means."""
    n = gold.shape[1]
    ordered, ordered_gold, cells = np.empty(n), np.empty(n), np.empty(n + 2, np.int64)
    for r in range(out.shape[1]):
        sort_values(gold[r], ordered_gold, cells)
        for s in range(out.shape[0]):
            sort_values(systems[s, r], ordered, cells)
            out[s, r] = wasserstein_sorted(ordered, n, ordered_gold, n)


@njit(nogil=True, cache=True)
def emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between all responses pooled."""
    pooled, ordered = np.empty(systems[0, 0].size), np.empty(systems[0, 0].size)
    pooled_gold, ordered_gold = np.empty(gold[0].size), np.empty(gold[0].size)
    cells = np.empty(max(len(pooled), len(pooled_gold)) + 2, np.int64)
    for r in range(out.shape[1]):
        gold_values = _pool(gold[r], pooled_gold)
        m = len(gold_values)
        sort_values(gold_values, ordered_gold[:m], cells)
        for s in range(out.shape[0]):
            values = _pool(systems[s, r], pooled)
            n = len(values)
            sort_values(values, ordered[:n], cells)
            out[s, r] = wasserstein_sorted(ordered, n, ordered_gold, m)


@njit(nogil=True, cache=True)
def mean_of_emds(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the mean over items of the distance between an item's responses."""
    n = gold.shape[1]
    gold_width = gold.shape[2]
    width = systems.shape[3]
    gold_block = np.empty((gold_width, LANES))
    block = np.empty((width, LANES))
    gold_sizes = np.empty(LANES, np.int64)
    sizes = np.empty(LANES, np.int64)
    x = np.empty(width)
    y = np.empty(gold_width)
    distances = np.empty(LANES)
    for r in range(out.shape[1]):
        out[:, r] = 0.0
        for start in range(0, n, LANES):
            lanes = min(LANES, n - start)
            gold_ragged = _sort_items(gold[r], start, gold_block, gold_sizes)
            for s in range(out.shape[0]):
                ragged = _sort_items(systems[s, r], start, block, sizes)
                if ragged or gold_ragged or width != gold_width:
                    for lane in range(lanes):
                        for j in range(width):
                            x[j] = block[j, lane]
                        for j in range(gold_width):
                            y[j] = gold_block[j, lane]
                        distances[lane] = wasserstein_sorted(x, sizes[lane], y, gold_sizes[lane])
                else:
                    distances[:] = 0.0
                    for j in range(width):
                        for lane in range(LANES):
                            distances[lane] += abs(block[j, lane] - gold_block[j, lane])
                    for lane in range(LANES):
                        distances[lane] /= width
                for lane in range(lanes):
                    out[s, r] += distances[lane]
        for s in range(out.shape[0]):
            out[s, r] /= n
