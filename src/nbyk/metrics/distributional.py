"""Metrics that compare distributions of values by the 1-Wasserstein (earth mover's) distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.sorting import LANES, sort_columns
from nbyk.metrics.wasserstein import distance_space, distance_to_gold, keep_gold, wasserstein_sorted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
def _sort_items(rows: Floats, start: int, block: Floats, sizes: Ints) -> bool:
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
    space = distance_space(gold.shape[1], gold.shape[1])
    for r in range(out.shape[1]):
        keep_gold(gold[r], space)
        for s in range(out.shape[0]):
            out[s, r] = distance_to_gold(systems[s, r], gold[r], space)


@njit(nogil=True, cache=True)
def emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between all responses pooled."""
    pooled, pooled_gold = np.empty(systems[0, 0].size), np.empty(gold[0].size)
    space = distance_space(len(pooled), len(pooled_gold))
    for r in range(out.shape[1]):
        gold_values = _pool(gold[r], pooled_gold)
        keep_gold(gold_values, space)
        for s in range(out.shape[0]):
            out[s, r] = distance_to_gold(_pool(systems[s, r], pooled), gold_values, space)


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
