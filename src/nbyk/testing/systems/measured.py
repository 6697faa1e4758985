"""How often tests and intervals were measured to reject equally good systems: the worst of each size."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PERCENTILE = "percentile"
"""The test that rejects where 0 lies outside the percentile interval of bootstrapped items."""

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
        Share of the test sets on which it rejected.
    bound
        The largest share with which a test may still be at its level: each of the rates of which this is the
        largest would lie above it by chance so rarely that any of them does once in a hundred times at most.
    source, epsilon
        Where it was measured: what responses are like, and ε of both systems.
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
    """Return what was measured of a test by a metric at the size nearest to (N, K), by their logarithms.

    None where nothing was. Numbers of responses come first: sizes of other items are nearer.
    """
    found = [row for row in measured() if (row.test, row.metric) == (test, metric)]
    if not found:
        return None
    return min(
        found,
        key=lambda row: (
            abs(math.log(row.k_responses / k_responses)),
            abs(math.log(row.n_items / n_items)),
        ),
    )


@cache
def measured() -> Sequence[Measured]:
    """Return all that was measured; docs/calibration.md says how, and how to write the table anew."""
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
