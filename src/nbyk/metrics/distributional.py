"""Metrics that compare distributions of values by the 1-Wasserstein (earth mover's) distance.

Where all responses are redrawn from a few known values, these are sorted once, and not in every replicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.metric import Metric
from nbyk.metrics.sorting import LANES, sort_columns
from nbyk.metrics.wasserstein import distance_space, distance_to_gold, keep_gold, wasserstein_sorted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_KNOWN = 1000
"""Up to this number of values, finding a value is cheaper than sorting."""

_BUCKETS = 16
"""Buckets to a value."""


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


class KnownValues(NamedTuple):
    """Distinct values in rising order, and buckets that tell where to look for each.

    Attributes
    ----------
    values : ndarray, shape (L,)
    starts : ndarray of int, shape (16 L + 1,)
        Bucket b has ``values[starts[b]:starts[b + 1]]``, often none and seldom more than one.
    scale
        A value x is in bucket ``int((x - values[0]) * scale)``.
    """

    values: Floats
    starts: Ints
    scale: float


def known_values(values: Floats) -> KnownValues:
    """Return distinct values in rising order, with their buckets."""
    spread = values[-1] - values[0]
    n_buckets = _BUCKETS * len(values)
    with np.errstate(over="ignore"):
        scale = float((n_buckets - 1) / spread) if spread > 0.0 else 0.0
    scale = scale if np.isfinite(scale) else 0.0
    buckets = ((values - values[0]) * scale).astype(np.int64)
    return KnownValues(values, np.searchsorted(buckets, np.arange(n_buckets + 1)), scale)


@njit(nogil=True, cache=True)
def _count_known(rows: Any, values: Any, starts: Any, scale: float, counts: Any) -> Any:
    """Fill `counts`, shape (L,), with how often left-packed `rows` have each value, and return their sum."""
    counts[:] = 0
    total = 0
    low = values[0]
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            x = rows[i, j]
            if x != x:
                break
            bucket = np.uint64((x - low) * scale)
            first, last = starts[bucket], starts[bucket + np.uint64(1)] - 1
            while first < last:
                middle = (first + last + 1) >> 1
                if values[middle] <= x:
                    first = middle
                else:
                    last = middle - 1
            counts[np.uint64(first)] += 1
            total += 1
    return total


@njit(nogil=True, cache=True)
def emd_of_known_values(systems: Any, gold: Any, out: Any, values: Any, starts: Any, scale: float) -> None:
    """Fill `out`, shape (S, R), as `emd_aggregated_vectorized` does."""
    gold_counts, counts = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    for r in range(out.shape[1]):
        n_gold = _count_known(gold[r], values, starts, scale, gold_counts)
        for s in range(out.shape[0]):
            n = _count_known(systems[s, r], values, starts, scale, counts)
            below = np.int64(0)
            total = 0.0
            for place in range(len(values) - 1):
                # In steps of 1 / (n × n_gold), shares are whole numbers.
                below += counts[place] * n_gold - gold_counts[place] * n
                total += abs(below) * (values[place + 1] - values[place])
            out[s, r] = total / n / n_gold


def for_redrawn(metrics: Sequence[Metric], responses: Sequence[Floats]) -> tuple[Metric, ...]:
    """Return the metrics in the form that is fastest for responses that are redrawn from the given ones."""
    if all(metric.redrawn is None for metric in metrics):
        return tuple(metrics)
    every = np.concatenate([matrix.reshape(-1) for matrix in responses])
    values = np.unique(every[~np.isnan(every)])
    if len(values) > _MOST_KNOWN:
        return tuple(metrics)
    known = known_values(values)
    return tuple(
        metric if metric.redrawn is None else replace(metric, implementation=metric.redrawn, table=known)
        for metric in metrics
    )
