"""What the published studies computed as "EMD": a distance between the counts of two histograms, taken as values.

The counts of the two histograms are two unordered samples, and their 1-Wasserstein distance is the mean absolute
difference of the sorted counts. It ignores where the bins are and grows with the number of responses per bin;
the metrics of `nbyk.metrics.distributional` are the ones to use, these reproduce what was printed. Bin k is
[k / bins, (k + 1) / bins), the last one closed; values outside [0, 1] are dropped.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nbyk.metrics.sorting import LANES, sort_columns, sort_values

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def bin_edges(bins: int) -> Floats:
    """Return the edges k / bins, shape (bins + 1,), each rounded once as Python's division does."""
    edges = np.empty(bins + 1)
    for k in range(bins + 1):
        edges[k] = k / bins
    return edges


@njit(nogil=True, cache=True)
def _bin(x: float, edges: Floats, bins: int) -> int:
    if not (x >= 0.0 and x <= 1.0):
        return -1
    b = min(np.int64(x * bins), bins - 1)
    # The product may round across an edge that the quotient does not; one step mends it.
    if x < edges[b]:
        return b - 1
    if b < bins - 1 and x >= edges[b + 1]:
        return b + 1
    return b


@njit(nogil=True, cache=True)
def add_counts(values: Floats, edges: Floats, counts: Floats) -> None:
    """Add to `counts` how many values fall into each bin, exactly as `numpy.histogram` does with these edges.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Values; NaN and what lies outside [0, 1] is dropped.
    edges : ndarray, shape (bins + 1,)
        From `bin_edges`.
    counts : ndarray, shape (bins,)
        Added to in place.
    """
    bins = len(counts)
    for i in range(len(values)):
        b = _bin(values[i], edges, bins)
        if b >= 0:
            counts[b] += 1.0


@njit(nogil=True, cache=True)
def _mean_difference(x: Floats, y: Floats) -> float:
    total = 0.0
    for b in range(len(x)):
        total += abs(x[b] - y[b])
    return total / len(x)


@njit(nogil=True, cache=True)
def histogram_emd_aggregated(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the distance between the histograms of item means, inputs (S, R, N)."""
    edges = bin_edges(bins)
    counts = np.empty(bins)
    gold_ordered = np.empty(bins)
    ordered = np.empty(bins)
    cells = np.empty(bins + 2, np.int64)
    for r in range(out.shape[1]):
        counts[:] = 0.0
        add_counts(gold[r], edges, counts)
        sort_values(counts, gold_ordered, cells)
        for s in range(out.shape[0]):
            counts[:] = 0.0
            add_counts(systems[s, r], edges, counts)
            sort_values(counts, ordered, cells)
            out[s, r] = _mean_difference(ordered, gold_ordered)


@njit(nogil=True, cache=True)
def histogram_emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the distance between the histograms of all responses pooled."""
    edges = bin_edges(bins)
    counts = np.empty(bins)
    gold_ordered = np.empty(bins)
    ordered = np.empty(bins)
    cells = np.empty(bins + 2, np.int64)
    for r in range(out.shape[1]):
        counts[:] = 0.0
        add_counts(gold[r].reshape(-1), edges, counts)
        sort_values(counts, gold_ordered, cells)
        for s in range(out.shape[0]):
            counts[:] = 0.0
            add_counts(systems[s, r].reshape(-1), edges, counts)
            sort_values(counts, ordered, cells)
            out[s, r] = _mean_difference(ordered, gold_ordered)


@njit(nogil=True, cache=True)
def _sorted_item_counts(rows: Floats, start: int, edges: Floats, block: Floats) -> None:
    bins = len(block)
    block[:] = 0.0
    for lane in range(min(LANES, len(rows) - start)):
        for j in range(rows.shape[1]):
            b = _bin(rows[start + lane, j], edges, bins)
            if b >= 0:
                block[b, lane] += 1.0
    sort_columns(block)


@njit(nogil=True, cache=True)
def histogram_mean_of_emds(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the mean over items of the distance between an item's two histograms."""
    n = gold.shape[1]
    edges = bin_edges(bins)
    gold_block = np.empty((bins, LANES))
    block = np.empty((bins, LANES))
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
