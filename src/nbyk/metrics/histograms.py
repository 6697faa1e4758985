"""What the published studies computed as "EMD": a distance between two histograms' counts, taken as values.

The counts of the two histograms are two unordered samples, and their 1-Wasserstein distance is the mean
absolute difference of the sorted counts. It ignores where the bins are and grows with the number of responses
per bin; the metrics of `nbyk.metrics.distributional` are the ones to use, these reproduce what was printed.
Bin k is [k / bins, (k + 1) / bins), the last one closed, each edge rounded once as Python's division does, so
that the counts are `numpy.histogram`'s; values outside [0, 1] are dropped.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nbyk.metrics.sorting import LANES, sort_columns, sort_values

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def _bin_edges(bins: int) -> Floats:
    edges = np.empty(bins + 1)
    for k in range(bins):
        edges[k] = k / bins
    # The last bin is closed: nothing lies beyond it.
    edges[bins] = np.inf
    return edges


@njit(nogil=True, cache=True)
def _bin(x: float, edges: Floats) -> np.uint64:
    # Unsigned, so that numba need not ask whether an index counts from the end.
    bins = len(edges) - 1
    inside = (x >= 0.0) & (x <= 1.0)
    floor = int((x if inside else 0.0) * bins)
    b = np.uint64(min(floor, bins - 1))
    # The product may round across an edge that the quotient does not; one step mends it.
    b += np.uint64(x >= edges[b + np.uint64(1)]) - np.uint64(x < edges[b])
    # Where values are dropped there is a bin for them behind the others, as a branch would cost more.
    return b if inside else np.uint64(bins)


@njit(nogil=True, cache=True)
def _count(values: Floats, edges: Floats, counts: Floats) -> None:
    counts[:] = 0.0
    for i in range(len(values)):
        counts[_bin(values[i], edges)] += 1.0


@njit(nogil=True, cache=True)
def _mean_difference(x: Floats, y: Floats) -> float:
    total = 0.0
    for b in range(len(x)):
        total += abs(x[b] - y[b])
    return total / len(x)


@njit(nogil=True, cache=True)
def histogram_emd_aggregated(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the distance between the histograms of item means."""
    edges = _bin_edges(bins)
    counts = np.empty(bins + 1)
    gold_ordered = np.empty(bins)
    ordered = np.empty(bins)
    cells = np.empty(bins + 2, np.int64)
    for r in range(out.shape[1]):
        _count(gold[r], edges, counts)
        sort_values(counts[:bins], gold_ordered, cells)
        for s in range(out.shape[0]):
            _count(systems[s, r], edges, counts)
            sort_values(counts[:bins], ordered, cells)
            out[s, r] = _mean_difference(ordered, gold_ordered)


@njit(nogil=True, cache=True)
def histogram_emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the distance between the histograms of all responses pooled."""
    edges = _bin_edges(bins)
    counts = np.empty(bins + 1)
    gold_ordered = np.empty(bins)
    ordered = np.empty(bins)
    cells = np.empty(bins + 2, np.int64)
    for r in range(out.shape[1]):
        _count(gold[r].reshape(-1), edges, counts)
        sort_values(counts[:bins], gold_ordered, cells)
        for s in range(out.shape[0]):
            _count(systems[s, r].reshape(-1), edges, counts)
            sort_values(counts[:bins], ordered, cells)
            out[s, r] = _mean_difference(ordered, gold_ordered)


@njit(nogil=True, cache=True)
def _sorted_item_counts(rows: Floats, start: int, edges: Floats, block: Floats) -> None:
    block[:] = 0.0
    lanes = min(LANES, len(rows) - start)
    for j in range(rows.shape[1]):
        for lane in range(lanes):
            block[_bin(rows[start + lane, j], edges), lane] += 1.0
    sort_columns(block[: len(edges) - 1])


@njit(nogil=True, cache=True)
def histogram_mean_of_emds(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the mean over items of the distance between an item's two histograms."""
    n = gold.shape[1]
    edges = _bin_edges(bins)
    gold_block = np.empty((bins + 1, LANES))
    block = np.empty((bins + 1, LANES))
    for r in range(out.shape[1]):
        out[:, r] = 0.0
        for start in range(0, n, LANES):
            _sorted_item_counts(gold[r], start, edges, gold_block)
            for s in range(out.shape[0]):
                _sorted_item_counts(systems[s, r], start, edges, block)
                # Counts are whole numbers: their sum is exact in any order.
                total = 0.0
                for b in range(bins):
                    for lane in range(LANES):
                        total += abs(block[b, lane] - gold_block[b, lane])
                out[s, r] += total
        for s in range(out.shape[0]):
            out[s, r] /= n * bins
