"""Additive metrics from counts: by how much A is better than B on each item, in whole units.

The responses of an item are given as #{responses ≥ level} for every level of the scale but the lowest, shape
(L − 1, n) for n items. An item's sum of responses, in steps of the scale, is the sum over its levels. Every
kernel fills `out`, shape (n,), with whole numbers, so that sums over items are exact in any order; an item's
effect is that number times the metric's unit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.metrics.builtin import BUILTIN
from nbyk.metrics.metric import Metric, loaded

Counts = NDArray[np.int32]
Starts = NDArray[np.int64]

_LEAST_STEP = 1e-6


def has_counts_form(metric: Metric) -> bool:
    """Return whether `counts_form` knows the metric."""
    # Counts are whole numbers, without rounding. They need a tolerance above 0 but below any step.
    tolerance = dict(metric.arguments).get("tolerance")
    return metric.counts is not None and (tolerance is None or 0.0 < tolerance <= _LEAST_STEP)


def counts_are_shares(metric: Metric) -> bool:
    """Return whether gold and systems may have different numbers of responses, scaled to a common one."""
    return metric.counts is not None and metric.counts.unit != "bin"


@cache
def counts_form(metric: Metric, values: tuple[float, ...], k: int) -> tuple[Callable[..., None], float]:
    """Return a metric's function of counts of K responses per item to L values in equal steps, and its unit.

    The function fills `out`, shape (n,), with the items' units from the counts of gold, A and B, (L − 1, n)
    each; an item's effect is so many units.
    """
    if metric.counts is None or not has_counts_form(metric):
        fit = ", ".join(row.name for row in BUILTIN if row.counts is not None)
        raise NbykError(f"nbyk cannot compute metric {metric.name} from counts; choose one of {fit}")
    step = values[1] - values[0]
    n_bins = int(metric.values[0]) if metric.counts.unit == "bin" else 1
    edges = np.arange(n_bins + 1) / n_bins
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, None, n_bins - 1)
    used, first = np.unique(bins, return_index=True)
    unit = {"square": (step / k) ** 2, "response": step / k, "item": 1.0, "bin": 1.0 / n_bins}
    # The first level in each bin; a bin without levels is empty in every histogram, so it adds nothing.
    starts = np.append(first[used >= 0], len(values))
    kernel = loaded(metric.counts.kernel)

    def fill(gold: Counts, a: Counts, b: Counts, out: Counts) -> None:
        kernel(gold, a, b, k, starts, out)

    return fill, unit[metric.counts.unit]


@njit(nogil=True, cache=True)
def sums(counts: Counts, out: Counts) -> None:
    """Fill `out`, shape (n,), with the items' sums of responses in steps of the scale."""
    out[:] = 0
    for level in range(len(counts)):
        level_counts = counts[level]
        for i in range(len(out)):
            out[i] += level_counts[i]


@njit(nogil=True, cache=True)
def apart(x: Any, y: Any) -> Any:
    """Return |x − y| in 32 bits; a vector holds twice as many of these as of numba's default of 64 bits."""
    difference = np.int32(x - y)
    return difference if difference >= 0 else np.int32(-difference)


@njit(nogil=True, cache=True)
def _three_sums(gold: Counts, a: Counts, b: Counts) -> Counts:
    result = np.empty((3, gold.shape[1]), np.int32)
    sums(gold, result[0])
    sums(a, result[1])
    sums(b, result[2])
    return result


@njit(nogil=True, cache=True)
def absolute_error(gold: Counts, a: Counts, b: Counts, k: int, starts: Starts, out: Counts) -> None:
    """Fill `out` with |b − g| − |a − g| of the items' sums."""
    gold_sums, a_sums, b_sums = _three_sums(gold, a, b)
    for i in range(len(out)):
        out[i] = np.int32(apart(b_sums[i], gold_sums[i]) - apart(a_sums[i], gold_sums[i]))


@njit(nogil=True, cache=True)
def squared_error(gold: Counts, a: Counts, b: Counts, k: int, starts: Starts, out: Counts) -> None:
    """Fill `out` with (b − g)² − (a − g)² of the items' sums."""
    gold_sums, a_sums, b_sums = _three_sums(gold, a, b)
    for i in range(len(out)):
        out[i] = (b_sums[i] - a_sums[i]) * (b_sums[i] + a_sums[i] - 2 * gold_sums[i])


@njit(nogil=True, cache=True)
def wins(gold: Counts, a: Counts, b: Counts, k: int, starts: Starts, out: Counts) -> None:
    """Fill `out` with 1 where A's sum is nearer to gold's, −1 where B's is, else 0."""
    gold_sums, a_sums, b_sums = _three_sums(gold, a, b)
    for i in range(len(out)):
        lead = np.int32(apart(b_sums[i], gold_sums[i]) - apart(a_sums[i], gold_sums[i]))
        out[i] = np.int32(lead > 0) - np.int32(lead < 0)


@njit(nogil=True, cache=True)
def own_mean(gold: Counts, a: Counts, b: Counts, k: int, starts: Starts, out: Counts) -> None:
    """Fill `out` with a − b of the items' sums."""
    _, a_sums, b_sums = _three_sums(gold, a, b)
    for i in range(len(out)):
        out[i] = a_sums[i] - b_sums[i]


@njit(nogil=True, cache=True)
def earth_movers(gold: Counts, a: Counts, b: Counts, k: int, starts: Starts, out: Counts) -> None:
    """Fill `out` with Σ |B ≥ l − G ≥ l| − Σ |A ≥ l − G ≥ l| over levels l: K times distances, in steps."""
    out[:] = 0
    for level in range(len(gold)):
        gold_level, a_level, b_level = gold[level], a[level], b[level]
        for i in range(len(out)):
            out[i] += np.int32(apart(b_level[i], gold_level[i]) - apart(a_level[i], gold_level[i]))
