"""The published studies' "EMD": a distance between two histograms' counts, taken as values.

The counts of the two histograms are two unordered samples, and their 1-Wasserstein distance is the mean
absolute difference of the sorted counts. It ignores where the bins are and grows with the number of responses
per bin. Use the metrics of `nbyk.metrics.distributional`; these here reproduce the printed numbers. Bin k is
[k / bins, (k + 1) / bins), and the last one is closed. Each edge is rounded once, as in Python's division, so
the counts are those of `numpy.histogram`. Values outside [0, 1] are dropped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.sorting import LANES, sort_columns, sort_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]

_PACKED = 8
_BLOCK = 64


@njit(nogil=True, cache=True)
def _cell_edges(bins: int) -> Floats:
    """Return the lower edges of the cells 0 (below), 1 to `bins`, and bins + 1 (above), and an upper end."""
    edges = np.empty(bins + 3)
    edges[0] = -np.inf
    for k in range(bins):
        edges[k + 1] = k / bins
    # The last bin is closed.
    edges[bins + 1] = np.nextafter(1.0, 2.0)
    edges[bins + 2] = np.inf
    return edges


@njit(nogil=True, cache=True)
def _guess_cells(values: Floats, bins: int, cells: Ints) -> None:
    """Fill `cells` with each value's cell, up to rounding; NaN is below.

    Without branches and tables, the loop compiles to vector instructions; `_cell` corrects the rounding.
    """
    for i in range(len(values)):
        x = values[i] * bins
        x = x if x > -1.0 else -1.0
        cells[i] = np.int32((x if x < bins else bins + 0.0) + 1.0)


@njit(nogil=True, cache=True)
def _cell(x: float, guess: int, edges: Floats) -> np.uint64:
    # Unsigned, so that numba need not check whether an index counts from the end.
    cell = np.uint64(guess)
    return cell + np.uint64(x >= edges[cell + np.uint64(1)]) - np.uint64(x < edges[cell])


@njit(nogil=True, cache=True)
def _count(values: Floats, edges: Floats, cells: Ints, counts: Floats) -> None:
    """Count `values` into `counts`, shape (4, bins + 2): four histograms, so that no count waits for another.

    At the end the first one is their sum; its inner cells are the bins.
    """
    _guess_cells(values, len(edges) - 3, cells)
    counts[:] = 0.0
    for i in range(len(values)):
        counts[np.uint64(i) & np.uint64(3), _cell(values[i], cells[i], edges)] += 1.0
    for cell in range(counts.shape[1]):
        counts[0, cell] += counts[1, cell] + counts[2, cell] + counts[3, cell]


@njit(nogil=True, cache=True)
def _mean_difference(x: Floats, y: Floats) -> float:
    total = 0.0
    for b in range(len(x)):
        total += abs(x[b] - y[b])
    return total / len(x)


@njit(nogil=True, cache=True)
def histogram_emd_aggregated(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the distance between the histograms of item means."""
    n_systems, n_replicates, n = systems.shape
    histogram_emd_aggregated_vectorized(
        systems.reshape(n_systems, n_replicates, n, 1), gold.reshape(n_replicates, n, 1), out, bins
    )


@njit(nogil=True, cache=True)
def histogram_emd_aggregated_vectorized(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the distance between the histograms of all responses pooled."""
    edges = _cell_edges(bins)
    counts = np.empty((4, bins + 2))
    gold_ordered = np.empty(bins)
    ordered = np.empty(bins)
    scratch = np.empty(bins + 2, np.int64)
    cells = np.empty(max(gold[0].size, systems[0, 0].size), np.int32)
    for r in range(out.shape[1]):
        _count(gold[r].reshape(-1), edges, cells, counts)
        sort_values(counts[0, 1 : bins + 1], gold_ordered, scratch)
        for s in range(out.shape[0]):
            _count(systems[s, r].reshape(-1), edges, cells, counts)
            sort_values(counts[0, 1 : bins + 1], ordered, scratch)
            out[s, r] = _mean_difference(ordered, gold_ordered)


@njit(nogil=True, cache=True)
def histogram_mean_of_emds(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the mean over items of the distance between an item's two histograms."""
    if bins < _PACKED and max(systems.shape[3], gold.shape[2]) < _PACKED:
        _packed_mean_of_emds(systems, gold, out, bins)
    else:
        _sorted_mean_of_emds(systems, gold, out, bins)


@njit(nogil=True, cache=True)
def _levels(rows: Floats, edges: Floats, bytes_of: Floats, counts: Words, levels: Words) -> None:
    """Fill `levels`, a word per row of `rows`, with the numbers of bins that hold at least 1, 2, 3, … values.

    The bins' sorted counts hold nothing more: Σ |sorted x − sorted y| = Σ_t |#{x ≥ t} − #{y ≥ t}|. Byte t − 1
    of the word is #{counts ≥ t}; it grows by one when a count reaches t. A row's counts are bytes of a word
    too, the last one for dropped values. With few bins, a value's bin is the number of inner edges that it
    reaches. Every loop compiles to vector instructions over a block of rows.
    """
    bins = len(edges) - 3
    width = rows.shape[1]
    flat = rows.reshape(-1)
    beyond = float(_PACKED - bins)
    for start in range(0, len(rows), _BLOCK):
        n = min(_BLOCK, len(rows) - start)
        values = flat[start * width : (start + n) * width]
        words = levels[start : start + n]
        for i in range(len(values)):
            x = values[i]
            bytes_of[i] = (0.0 if x >= 0.0 else _PACKED - 1.0) + (beyond if x > 1.0 else 0.0)
        for k in range(1, bins):
            edge = edges[k + 1]
            for i in range(len(values)):
                bytes_of[i] += 1.0 if values[i] >= edge else 0.0
        for i in range(n):
            counts[i] = np.uint64(0)
            words[i] = np.uint64(0)
        for j in range(width):
            for i in range(n):
                shift = np.uint64(8) * np.uint64(np.int64(bytes_of[i * width + j]))
                held = (counts[i] >> shift) & np.uint64(255)
                counts[i] += np.uint64(1) << shift
                words[i] += np.uint64(1) << (np.uint64(8) * held)
        for i in range(n):
            # Dropped values raised levels too, one level for each; subtract them.
            dropped = np.uint64(8) * (counts[i] >> np.uint64(8 * (_PACKED - 1)))
            words[i] -= np.uint64(0x0101010101010101) & ((np.uint64(1) << dropped) - np.uint64(1))


@njit(nogil=True, cache=True)
def _packed_mean_of_emds(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Compute the distances by levels: for fewer than eight bins and responses, a byte each in a word."""
    n = gold.shape[1]
    width = max(systems.shape[3], gold.shape[2])
    edges = _cell_edges(bins)
    bytes_of = np.empty(_BLOCK * width)
    counts = np.empty(_BLOCK, np.uint64)
    gold_levels = np.empty(n, np.uint64)
    levels = np.empty(n, np.uint64)
    for r in range(out.shape[1]):
        _levels(gold[r], edges, bytes_of, counts, gold_levels)
        for s in range(out.shape[0]):
            _levels(systems[s, r], edges, bytes_of, counts, levels)
            total = np.int64(0)
            for t in range(width):
                shift = np.uint64(8 * t)
                for i in range(n):
                    x = np.int64((levels[i] >> shift) & np.uint64(255))
                    y = np.int64((gold_levels[i] >> shift) & np.uint64(255))
                    total += abs(x - y)
            out[s, r] = total / (n * bins)


@njit(nogil=True, cache=True)
def _sorted_item_counts(rows: Floats, start: int, edges: Floats, cells: Ints, block: Floats) -> None:
    """Fill the inner cells of `block`, shape (bins + 2, LANES), with `LANES` items' sorted counts."""
    bins = len(edges) - 3
    block[:] = 0.0
    for lane in range(min(LANES, len(rows) - start)):
        row = rows[start + lane]
        _guess_cells(row, bins, cells)
        for j in range(len(row)):
            block[_cell(row[j], cells[j], edges), lane] += 1.0
    sort_columns(block[1 : bins + 1])


@njit(nogil=True, cache=True)
def _sorted_mean_of_emds(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Compute the distances by sorting each item's counts, `LANES` items abreast."""
    n = gold.shape[1]
    edges = _cell_edges(bins)
    cells = np.empty(max(gold.shape[2], systems.shape[3]), np.int32)
    gold_block = np.empty((bins + 2, LANES))
    block = np.empty((bins + 2, LANES))
    for r in range(out.shape[1]):
        out[:, r] = 0.0
        for start in range(0, n, LANES):
            _sorted_item_counts(gold[r], start, edges, cells, gold_block)
            for s in range(out.shape[0]):
                _sorted_item_counts(systems[s, r], start, edges, cells, block)
                # Counts are whole numbers: their sum is exact in any order.
                total = 0.0
                for b in range(1, bins + 1):
                    for lane in range(LANES):
                        total += abs(block[b, lane] - gold_block[b, lane])
                out[s, r] += total
        for s in range(out.shape[0]):
            out[s, r] /= n * bins
