"""Metrics that compare distributions by the 1-Wasserstein (earth mover's) distance, on the values themselves.

The distance is ∫ |F⁻¹(u) − G⁻¹(u)| du. For two sorted samples of equal size it is the mean absolute
difference of their entries. For sizes n and m the quantile functions step at i / n and j / m, and the sum
follows both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.sorting import LANES, sort_columns, sort_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(nogil=True, cache=True)
def wasserstein_sorted(x: Floats, n: int, y: Floats, m: int) -> float:
    """Return the 1-Wasserstein distance between two sorted samples.

    Parameters
    ----------
    x, y : ndarray, shape (≥ n,) and (≥ m,)
        Ascending in their first n and m entries; the rest is ignored.
    n, m
        Their sizes, at least 1.
    """
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
def _pool(rows: Floats, pooled: Floats) -> int:
    size = 0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            response = rows[i, j]
            if response != response:
                break
            pooled[size] = response
            size += 1
    return size


@njit(nogil=True, cache=True)
def _sort_items(rows: Floats, start: int, block: Floats, sizes: Ints) -> bool:
    width = rows.shape[1]
    ragged = False
    for lane in range(LANES):
        item = min(start + lane, len(rows) - 1)
        sizes[lane] = width
        for j in range(width):
            response = rows[item, j]
            if response != response:
                sizes[lane] = j
                ragged = True
                for rest in range(j, width):
                    block[rest, lane] = np.inf
                break
            block[j, lane] = response
    sort_columns(block)
    return ragged


@njit(nogil=True, cache=True)
def emd_aggregated(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between the distributions of item means."""
    n = gold.shape[1]
    gold_ordered = np.empty(n)
    ordered = np.empty(n)
    cells = np.empty(n + 2, np.int64)
    for r in range(out.shape[1]):
        sort_values(gold[r], gold_ordered, cells)
        for s in range(out.shape[0]):
            sort_values(systems[s, r], ordered, cells)
            out[s, r] = wasserstein_sorted(ordered, n, gold_ordered, n)


@njit(nogil=True, cache=True)
def emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between all responses pooled."""
    room = gold.shape[1] * max(systems.shape[3], gold.shape[2])
    pooled = np.empty(room)
    gold_ordered = np.empty(room)
    ordered = np.empty(room)
    cells = np.empty(room + 2, np.int64)
    for r in range(out.shape[1]):
        gold_size = _pool(gold[r], pooled)
        sort_values(pooled[:gold_size], gold_ordered[:gold_size], cells)
        for s in range(out.shape[0]):
            size = _pool(systems[s, r], pooled)
            sort_values(pooled[:size], ordered[:size], cells)
            out[s, r] = wasserstein_sorted(ordered, size, gold_ordered, gold_size)


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
