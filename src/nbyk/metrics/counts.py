"""Additive metrics from counts: by how much A is better than B on each item, in whole units.

The responses of an item are given as #{responses ≥ level} for every level of the scale but the lowest, shape
(L − 1, n) for n items. An item's sum of responses, in steps of the scale, is the sum over its levels. Every
kernel fills `out`, shape (n,), with whole numbers, so that sums over items are exact in any order; an item's
effect is that number times the metric's unit.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.metrics.metric import Metric

Counts = NDArray[np.int32]
Floats = NDArray[np.float64]
Bins = NDArray[np.int64]

_BLOCK = 64
_LEAST_STEP = 1e-6


@dataclass(frozen=True)
class CountsForm:
    """How an additive metric is had from counts on one scale.

    Attributes
    ----------
    kernel
        Compiled function of (gold, a, b, k, bins, out).
    unit
        What one unit of its numbers is on the metric's own scale.
    bins : ndarray, shape (L,)
        The histogram bin of each level, for the metrics that have bins; −1 where it falls outside.
    n_bins
        How many bins there are.
    """

    kernel: Callable[..., Any]
    unit: float
    bins: Bins
    n_bins: int

    def fill(self, gold: Counts, a: Counts, b: Counts, k: int, out: Counts) -> None:
        """Fill `out`, shape (n,), with every item's units; counts of shape (L − 1, n), K responses each."""
        self.kernel(gold, a, b, k, self.bins, self.n_bins, out)


def has_counts_form(metric: Metric) -> bool:
    """Return whether `counts_form` knows the metric."""
    # Whole numbers know no rounding: a tolerance below any step, but not none, is what they have.
    exact_ties = metric.base_name != "wins_mae" or 0.0 < metric.values[0] <= _LEAST_STEP
    return metric.base_name in _KERNELS and exact_ties


def counts_are_shares(metric: Metric) -> bool:
    """Return whether a metric that has counts sees them relative to the number of responses.

    Then gold and systems may have different numbers of responses, once counts are put on a common one.
    """
    return _UNITS[metric.base_name] != "bin"


@cache
def counts_form(metric: Metric, values: tuple[float, ...], k: int) -> CountsForm:
    """Return how a metric is had from counts.

    Parameters
    ----------
    metric
        One for which `has_counts_form` is true.
    values
        The L responses' values in ascending order and equal steps.
    k
        Responses per item.

    Raises
    ------
    NbykError
        If the metric has no such form.
    """
    if not has_counts_form(metric):
        raise NbykError(
            f"metric {metric.name} cannot be had from counts; those that can: {', '.join(_KERNELS)}"
        )
    step = values[1] - values[0]
    n_bins = int(metric.values[0]) if metric.base_name == "histogram_mean_of_emds" else 1
    edges = np.arange(n_bins + 1) / n_bins
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, None, n_bins - 1)
    kernel = getattr(importlib.import_module(__name__), _KERNELS[metric.base_name])
    unit = {"square": (step / k) ** 2, "response": step / k, "item": 1.0, "bin": 1.0 / n_bins}
    return CountsForm(kernel, unit[_UNITS[metric.base_name]], bins.astype(np.int64), n_bins)


_KERNELS = {
    "mae": "absolute_error",
    "mse": "squared_error",
    "wins_mae": "wins",
    "mean": "own_mean",
    "mean_of_emds": "earth_movers",
    "histogram_mean_of_emds": "histogram_earth_movers",
}
_UNITS = {
    "mae": "response",
    "mse": "square",
    "wins_mae": "item",
    "mean": "response",
    "mean_of_emds": "response",
    "histogram_mean_of_emds": "bin",
}


@njit(nogil=True, cache=True)
def sums(counts: Counts, out: Counts) -> None:
    """Fill `out`, shape (n,), with the items' sums of responses in steps of the scale."""
    out[:] = 0
    for level in range(len(counts)):
        of_level = counts[level]
        for i in range(len(out)):
            out[i] += of_level[i]


@njit(nogil=True, cache=True)
def _three_sums(gold: Counts, a: Counts, b: Counts) -> Counts:
    result = np.empty((3, gold.shape[1]), np.int32)
    sums(gold, result[0])
    sums(a, result[1])
    sums(b, result[2])
    return result


@njit(nogil=True, cache=True)
def absolute_error(gold: Counts, a: Counts, b: Counts, k: int, bins: Bins, n_bins: int, out: Counts) -> None:
    """Take |b − g| − |a − g| of the items' sums."""
    of_gold, of_a, of_b = _three_sums(gold, a, b)
    for i in range(len(out)):
        out[i] = abs(of_b[i] - of_gold[i]) - abs(of_a[i] - of_gold[i])


@njit(nogil=True, cache=True)
def squared_error(gold: Counts, a: Counts, b: Counts, k: int, bins: Bins, n_bins: int, out: Counts) -> None:
    """Take (b − g)² − (a − g)² of the items' sums."""
    of_gold, of_a, of_b = _three_sums(gold, a, b)
    for i in range(len(out)):
        out[i] = (of_b[i] - of_a[i]) * (of_b[i] + of_a[i] - 2 * of_gold[i])


@njit(nogil=True, cache=True)
def wins(gold: Counts, a: Counts, b: Counts, k: int, bins: Bins, n_bins: int, out: Counts) -> None:
    """Take 1 where A's sum is nearer to gold's, −1 where B's is, else 0."""
    of_gold, of_a, of_b = _three_sums(gold, a, b)
    for i in range(len(out)):
        lead = abs(of_b[i] - of_gold[i]) - abs(of_a[i] - of_gold[i])
        out[i] = np.int32(lead > 0) - np.int32(lead < 0)


@njit(nogil=True, cache=True)
def own_mean(gold: Counts, a: Counts, b: Counts, k: int, bins: Bins, n_bins: int, out: Counts) -> None:
    """Take a − b of the items' sums."""
    _, of_a, of_b = _three_sums(gold, a, b)
    for i in range(len(out)):
        out[i] = of_a[i] - of_b[i]


@njit(nogil=True, cache=True)
def earth_movers(gold: Counts, a: Counts, b: Counts, k: int, bins: Bins, n_bins: int, out: Counts) -> None:
    """Take Σ |B ≥ l − G ≥ l| − Σ |A ≥ l − G ≥ l| over levels l: K times either distance, in steps."""
    out[:] = 0
    for level in range(len(gold)):
        of_gold, of_a, of_b = gold[level], a[level], b[level]
        for i in range(len(out)):
            out[i] += abs(of_b[i] - of_gold[i]) - abs(of_a[i] - of_gold[i])


@njit(nogil=True, cache=True)
def _sorted_histograms(counts: Counts, start: int, k: int, bins: Bins, block: Counts) -> None:
    """Fill `block`, shape (bins, 64), with 64 items' histogram counts in ascending order."""
    width = min(_BLOCK, counts.shape[1] - start)
    block[:] = 0
    for level in range(len(counts) + 1):
        if bins[level] < 0:
            continue
        of_bin = block[bins[level]]
        if level == 0:
            for i in range(width):
                of_bin[i] += k
        else:
            for i in range(width):
                of_bin[i] += counts[level - 1, start + i]
        if level < len(counts):
            for i in range(width):
                of_bin[i] -= counts[level, start + i]
    for round_of_swaps in range(len(block)):
        for upper in range(1 + round_of_swaps % 2, len(block), 2):
            low, high = block[upper - 1], block[upper]
            for i in range(_BLOCK):
                x, y = low[i], high[i]
                low[i] = min(x, y)
                high[i] = max(x, y)


@njit(nogil=True, cache=True)
def histogram_earth_movers(
    gold: Counts, a: Counts, b: Counts, k: int, bins: Bins, n_bins: int, out: Counts
) -> None:
    """Take the same of the sorted counts of the items' histograms; see `nbyk.metrics.histograms`."""
    of_gold = np.empty((n_bins, _BLOCK), np.int32)
    of_a = np.empty((n_bins, _BLOCK), np.int32)
    of_b = np.empty((n_bins, _BLOCK), np.int32)
    total = np.empty(_BLOCK, np.int32)
    for start in range(0, len(out), _BLOCK):
        _sorted_histograms(gold, start, k, bins, of_gold)
        _sorted_histograms(a, start, k, bins, of_a)
        _sorted_histograms(b, start, k, bins, of_b)
        total[:] = 0
        for rank in range(n_bins):
            for i in range(_BLOCK):
                total[i] += abs(of_b[rank, i] - of_gold[rank, i]) - abs(of_a[rank, i] - of_gold[rank, i])
        for i in range(min(_BLOCK, len(out) - start)):
            out[start + i] = total[i]
