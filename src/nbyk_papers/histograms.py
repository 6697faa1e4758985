"""The published studies' "EMD": a distance between two histograms' counts, taken as values.

The counts of the two histograms are two unordered samples, and their 1-Wasserstein distance is the mean
absolute difference of the sorted counts. It ignores where the bins are and grows with the number of responses
per bin. Use the metrics of `nbyk.metrics.distributional`; these here reproduce the printed numbers. Bin k is
[k / bins, (k + 1) / bins), and the last one is closed. Each edge is rounded once, as in Python's division, so
the counts are those of `numpy.histogram`. Values outside [0, 1] are dropped.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit
from nbyk.metrics.counts import apart

Cells = NDArray[np.int32]
Counts = NDArray[np.uint32]

_FEW_VALUES = 5
_EQUAL_BITS = 4
"""Five values have at most ten pairs of equal values."""
_SHAPES = (_FEW_VALUES + 1) << _EQUAL_BITS

_BLOCK = 64


@njit(inline="always")
def _cell(x: float, bins: int) -> Any:
    """Return the cell of x: 0 below 0 or for NaN, 1 to `bins`, or `bins` + 1 above 1.

    x is compared with the nearest edge only. Loops without branches and tables become vector instructions.
    """
    position = x * bins
    position = position if position > 0.0 else 0.0
    position = position if position < bins else bins + 0.0
    nearest = np.int32(position + 1.5)
    # The last bin is closed.
    return nearest if (x >= (nearest - 1.0) / bins) & (x != 1.0) else np.int32(nearest - 1)


@njit(nogil=True, cache=True)
def _fill_cells(values: Floats, bins: int, cells: Cells) -> None:
    """Fill `cells` with the cell of each value; see `_cell`."""
    for i in range(len(values)):
        cells[i] = _cell(values[i], bins)


@njit(nogil=True, cache=True)
def _count(values: Floats, bins: int, cells: Cells, counts: Counts) -> None:
    """Count `values` into `counts`, shape (bins + 2,), whose inner cells are the bins."""
    _fill_cells(values, bins, cells)
    counts[:] = 0
    for i in range(len(values)):
        # Unsigned, so that numba need not check whether an index counts from the end.
        counts[np.uint64(cells[i])] += np.uint32(1)


@njit(nogil=True, cache=True)
def _sorted_difference(x: Counts, y: Counts, tally: Integers) -> int:
    """Return Σ |sorted x − sorted y| of two histograms' counts, shape (bins,).

    Nothing is sorted: it is also Σ_t |#{x ≥ t} − #{y ≥ t}|. `tally`, shape (> the largest count,), is working
    space, all 0 before and after.
    """
    most = 0
    for bin in range(len(x)):
        tally[x[bin]] += 1
        tally[y[bin]] -= 1
        most = max(most, int(x[bin]), int(y[bin]))
    total = lead = 0
    for count in range(most, 0, -1):
        lead += tally[count]
        total += abs(lead)
        tally[count] = 0
    tally[0] = 0
    return total


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
    most = max(gold[0].size, systems[0, 0].size)
    counts, gold_counts = np.empty(bins + 2, np.uint32), np.empty(bins + 2, np.uint32)
    tally = np.zeros(most + 1, np.int64)
    cells = np.empty(most, np.int32)
    for r in range(out.shape[1]):
        _count(gold[r].reshape(-1), bins, cells, gold_counts)
        for s in range(out.shape[0]):
            _count(systems[s, r].reshape(-1), bins, cells, counts)
            difference = _sorted_difference(counts[1 : bins + 1], gold_counts[1 : bins + 1], tally)
            out[s, r] = difference / bins


@njit(nogil=True, cache=True)
def histogram_mean_of_emds(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Fill `out`, shape (S, R), with the mean over items of the distance between an item's two histograms."""
    if max(systems.shape[3], gold.shape[2]) <= _FEW_VALUES:
        _mean_of_shapes(systems, gold, out, bins)
    else:
        _mean_of_counts(systems, gold, out, bins)


def _shape_distances() -> Integers:
    """Return the distance between two histograms of five values each, kept or dropped, from their shapes.

    The sorted counts of a histogram's bins are its shape. There are 19, and no two shapes of as many dropped
    values have as many pairs of equal values. A shape's number is made of the two.
    """
    shapes = {}
    for counts in combinations_with_replacement(range(_FEW_VALUES, -1, -1), _FEW_VALUES):
        dropped = _FEW_VALUES - sum(counts)
        if dropped >= 0:
            equal = sum(count * (count - 1) // 2 for count in (*counts, dropped))
            shapes[(dropped << _EQUAL_BITS) + equal] = counts
    distances = np.zeros((_SHAPES, _SHAPES), np.int64)
    for (x, counts_x), (y, counts_y) in product(shapes.items(), repeat=2):
        distances[x, y] = sum(abs(one - other) for one, other in zip(counts_x, counts_y, strict=True))
    return distances


_DISTANCES = _shape_distances()


@njit(nogil=True, cache=True)
def _fill_shapes(rows: Floats, bins: int, cells: Cells, shapes: Cells) -> None:
    """Fill `shapes`, shape (n,), with the number of each row's shape; see `_shape_distances`.

    `cells`, shape (n · 5,), is working space. Loops over five values compile to vector instructions.
    """
    n, width = rows.shape
    _fill_cells(rows.reshape(-1), bins, cells)
    for i in range(n * width):
        cells[i] = cells[i] if cells[i] <= bins else np.int32(0)
    if width < _FEW_VALUES:  # as if the others were dropped
        for i in range(n - 1, -1, -1):
            for j in range(_FEW_VALUES - 1, -1, -1):
                cells[i * _FEW_VALUES + j] = cells[i * width + j] if j < width else 0
    for i in range(n):
        at = np.uint64(_FEW_VALUES) * np.uint64(i)
        v, w, x = cells[at], cells[at + np.uint64(1)], cells[at + np.uint64(2)]
        y, z = cells[at + np.uint64(3)], cells[at + np.uint64(4)]
        # All pairs are written out, because a loop of loops does not compile to vector instructions.
        equal = np.int32(v == w) + np.int32(v == x) + np.int32(v == y) + np.int32(v == z)
        equal += np.int32(w == x) + np.int32(w == y) + np.int32(w == z)
        equal += np.int32(x == y) + np.int32(x == z) + np.int32(y == z)
        dropped = np.int32(v == 0) + np.int32(w == 0) + np.int32(x == 0) + np.int32(y == 0) + np.int32(z == 0)
        shapes[i] = (dropped << np.int32(_EQUAL_BITS)) + equal


@njit(nogil=True, cache=True)
def _mean_of_shapes(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Compute the distances by the shapes of the items' histograms: for up to five responses."""
    n = gold.shape[1]
    cells = np.empty(n * _FEW_VALUES, np.int32)
    gold_shapes = np.empty(n, np.int32)
    shapes = np.empty(n, np.int32)
    for r in range(out.shape[1]):
        _fill_shapes(gold[r], bins, cells, gold_shapes)
        for s in range(out.shape[0]):
            _fill_shapes(systems[s, r], bins, cells, shapes)
            total = np.int64(0)
            for i in range(n):
                total += _DISTANCES[np.uint64(gold_shapes[i]), np.uint64(shapes[i])]
            out[s, r] = total / (n * bins)


@njit(nogil=True, cache=True)
def _mean_of_counts(systems: Floats, gold: Floats, out: Floats, bins: int) -> None:
    """Compute the distances item by item, from the counts of each histogram."""
    most = max(systems.shape[3], gold.shape[2])
    counts, gold_counts = np.empty(bins + 2, np.uint32), np.empty(bins + 2, np.uint32)
    tally, cells = np.zeros(most + 1, np.int64), np.empty(most, np.int32)
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            total = 0
            for i in range(gold.shape[1]):
                _count(gold[r, i], bins, cells[: gold.shape[2]], gold_counts)
                _count(systems[s, r, i], bins, cells[: systems.shape[3]], counts)
                total += _sorted_difference(counts[1 : bins + 1], gold_counts[1 : bins + 1], tally)
            out[s, r] = total / (gold.shape[1] * bins)


@njit(nogil=True, cache=True)
def _sorted_histograms(counts: Cells, start: int, starts: Integers, at_least: Cells, block: Cells) -> None:
    """Fill `block`, shape (bins, 64), with 64 items' histogram counts in ascending order.

    `at_least`, shape (L + 1, 64), has K in its first row and 0 in its last; the rows between are filled.
    """
    width = min(_BLOCK, counts.shape[1] - start)
    for level in range(len(counts)):
        level_counts, at_least_level = counts[level, start : start + width], at_least[level + 1]
        for i in range(width):
            at_least_level[i] = level_counts[i]
    for place in range(len(block)):
        bin_counts, upper, lower = block[place], at_least[starts[place]], at_least[starts[place + 1]]
        for i in range(_BLOCK):
            bin_counts[i] = np.int32(upper[i] - lower[i])
    for round_of_swaps in range(len(block)):
        for place in range(1 + round_of_swaps % 2, len(block), 2):
            low, high = block[place - 1], block[place]
            for i in range(_BLOCK):
                x, y = low[i], high[i]
                low[i] = min(x, y)
                high[i] = max(x, y)


@njit(nogil=True, cache=True)
def histogram_earth_movers(gold: Cells, a: Cells, b: Cells, k: int, starts: Integers, out: Cells) -> None:
    """Fill `out` with what `histogram_mean_of_emds` sums, from counts (`nbyk.metrics.counts`)."""
    n_bins = len(starts) - 1
    at_least = np.zeros((len(gold) + 2, _BLOCK), np.int32)
    at_least[0] = k
    gold_bins = np.empty((n_bins, _BLOCK), np.int32)
    a_bins = np.empty((n_bins, _BLOCK), np.int32)
    b_bins = np.empty((n_bins, _BLOCK), np.int32)
    total = np.empty(_BLOCK, np.int32)
    for start in range(0, len(out), _BLOCK):
        _sorted_histograms(gold, start, starts, at_least, gold_bins)
        _sorted_histograms(a, start, starts, at_least, a_bins)
        _sorted_histograms(b, start, starts, at_least, b_bins)
        total[:] = 0
        for rank in range(n_bins):
            gold_rank, a_rank, b_rank = gold_bins[rank], a_bins[rank], b_bins[rank]
            for i in range(_BLOCK):
                total[i] += np.int32(apart(b_rank[i], gold_rank[i]) - apart(a_rank[i], gold_rank[i]))
        block_out = out[start : start + _BLOCK]
        for i in range(len(block_out)):
            block_out[i] = total[i]
