"""Measured rates at which tests and intervals reject equally good systems: the worst for each size."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PERCENTILE = "percentile"
"""The test that rejects if 0 lies outside the percentile interval of bootstrapped items."""

LEVEL = 0.05
"""The level of the measured rates."""

_TABLE = "type_1_errors.csv"


@dataclass(frozen=True)
class Measured:
    """The largest Type-I error of a two-sided test at level 0.05, over sources and ε of equally good systems.

    Attributes
    ----------
    test
        A null of `nbyk.compare`, or `PERCENTILE`.
    metric
        Name of the metric.
    n_items, k_responses
        The size (N, K).
    rate
        Share of the test sets on which the test rejected.
    bound
        The largest rate that is compatible with a test that holds its level. `rate` is the largest of several
        rates. If the test holds its level, the chance that any of them exceeds this bound is at most one in a
        hundred.
    source, epsilon
        The setting of the measurement: the kind of responses, and ε of both systems.
    """

    test: str
    metric: str
    n_items: int
    k_responses: int
    rate: float
    bound: float
    source: str
    epsilon: float

    @property
    def too_often(self) -> bool:
        """Whether the test rejected more often than its level allows."""
        return self.rate > self.bound


def nearest_measured(test: str, metric: str, n_items: int, k_responses: float) -> Measured | None:
    """Return the measurement of a test by a metric at the size nearest to (N, K), by their logarithms.

    None if there is none. The number of responses comes first: a size with another number of items is nearer
    than one with another number of responses.
    """
    rows = (row for row in measured() if (row.test, row.metric) == (test, metric))

    def distance(row: Measured) -> tuple[float, float]:
        return abs(math.log(row.k_responses / k_responses)), abs(math.log(row.n_items / n_items))

    return min(rows, key=distance, default=None)


@cache
def measured() -> Sequence[Measured]:
    """Return all measurements; docs/calibration.md explains them, and how to write the table again."""
    with (files(__package__) / _TABLE).open(encoding="utf-8") as stream:
        return [
            Measured(
                test=row["test"],
                metric=row["metric"],
                n_items=int(row["n_items"]),
                k_responses=int(row["k_responses"]),
                rate=float(row["rate"]),
                bound=float(row["bound"]),
                source=row["source"],
                epsilon=float(row["epsilon"]),
            )
            for row in csv.DictReader(stream)
        ]
