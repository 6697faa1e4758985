"""The distance between pooled responses, where all responses are redrawn from a few known values.

The values are then sorted once, and not in every replicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.metric import Metric

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MOST = 1000
"""Up to this number of values, finding a value is cheaper than sorting."""

_BUCKETS = 16
"""Buckets to a value."""


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
    starts: Integers
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
def _count(rows: Any, values: Any, starts: Any, scale: float, counts: Any) -> Any:
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
def emd_aggregated_vectorized(
    systems: Any, gold: Any, out: Any, values: Any, starts: Any, scale: float
) -> None:
    """Fill `out`, shape (S, R), as `nbyk.metrics.distributional.emd_aggregated_vectorized` does."""
    gold_counts, counts = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    for r in range(out.shape[1]):
        n_gold = _count(gold[r], values, starts, scale, gold_counts)
        for s in range(out.shape[0]):
            n = _count(systems[s, r], values, starts, scale, counts)
            below = np.int64(0)
            total = 0.0
            for place in range(len(values) - 1):
                # In steps of 1 / (n × n_gold), shares are whole numbers.
                below += counts[place] * n_gold - gold_counts[place] * n
                total += abs(below) * (values[place + 1] - values[place])
            out[s, r] = total / n / n_gold


def for_redrawn(metrics: Sequence[Metric], responses: Sequence[Floats]) -> tuple[Metric, ...]:
    """Return the metrics in the form that is fastest for responses that are redrawn from the given ones."""
    if all(metric.of_known is None for metric in metrics):
        return tuple(metrics)
    every = np.concatenate([matrix.reshape(-1) for matrix in responses])
    values = np.unique(every[~np.isnan(every)])
    if len(values) > _MOST:
        return tuple(metrics)
    known = known_values(values)
    return tuple(
        metric if metric.of_known is None else replace(metric, implementation=metric.of_known, table=known)
        for metric in metrics
    )
