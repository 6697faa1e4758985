"""Metrics that compare distributions of values by the 1-Wasserstein (earth mover's) distance.

The distance is ∫ |F − G| of the two distribution functions. It is also ∫ |F⁻¹(u) − G⁻¹(u)| du: for two sorted
samples of equal size the mean absolute difference of their entries. For sizes n and m the quantile functions
step at i / n and j / m, and the sum follows both.
"""

from __future__ import annotations

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit

LANES = 32


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
def sort_columns(block: Floats) -> None:
    """Sort every column of `block`, shape (n, LANES), in place: one vector instruction compares two rows."""
    flat = block.reshape(-1)
    for end in range(1, len(block)):
        for i in range(end, 0, -1):
            # Unsigned, because numba checks signed indices for negative ones.
            above, below = np.uint64((i - 1) * LANES), np.uint64(i * LANES)
            for lane in range(np.uint64(LANES)):
                upper, lower = flat[above + lane], flat[below + lane]
                flat[above + lane] = upper if upper < lower else lower
                flat[below + lane] = lower if upper < lower else upper


@njit(nogil=True, cache=True)
def _sort_items(rows: Floats, start: int, block: Floats, sizes: Integers) -> bool:
    """Fill `block`, shape (K, LANES), with items' responses in order; return whether some are missing."""
    width = rows.shape[1]
    for lane in range(LANES):
        item = min(start + lane, len(rows) - 1)
        sizes[lane] = 0
        for j in range(width):
            response = rows[item, j]
            sizes[lane] += int(response == response)
            block[j, lane] = response if response == response else np.inf
    sort_columns(block)
    return bool(sizes.min() < width)


def emd_aggregated(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between the distributions of item means."""
    n = gold.shape[1]
    _fill_distances(np.sort(systems), np.full(out.shape, n), np.sort(gold), np.full(len(gold), n), out)


def emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with the distance between all responses pooled."""
    values = np.sort(systems.reshape(*systems.shape[:2], -1))
    gold_values = np.sort(gold.reshape(len(gold), -1))
    sizes, gold_sizes = ((~np.isnan(x)).sum(axis=-1) for x in (values, gold_values))
    _fill_distances(values, sizes, gold_values, gold_sizes, out)


@njit(nogil=True, cache=True)
def _fill_distances(
    systems: Floats, sizes: Integers, gold: Floats, gold_sizes: Integers, out: Floats
) -> None:
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            out[s, r] = wasserstein_sorted(systems[s, r], sizes[s, r], gold[r], gold_sizes[r])


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
