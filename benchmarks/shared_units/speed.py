"""Processor time of the test for shared units, by each metric of item means.

Run ``python -m benchmarks.shared_units.speed``. Sets are of 10,000 items with 5 of 50 raters and 5 runs of
each system, of 350 items with 123 raters on all, and of 1,000 clusters of 10 items.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.world import World
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.metrics.registry import names
from nbyk.testing.shared_units import Responses, shared_units_test

WORLDS = (
    World("10,000 items, 5 of 50 raters", "raters+runs", (), 10_000, raters=50, severity=0.05, shift=0.02),
    World("350 items, 123 raters", "raters+runs", (), 350, raters=123, ratings=123, severity=0.05),
    World(
        "1,000 clusters of 10 items", "raters+runs+clusters", (), 10_000, raters=50, clusters=1000, icc=0.2
    ),
)


def metrics_of_item_means() -> list[Metric]:
    """Return the metrics of item means and gold that need no parameter."""
    found = []
    for name in names():
        try:
            metric = get(name)
        except NbykError:
            continue  # needs a parameter
        if metric.needs == "item_means" and metric.needs_gold:
            found.append(metric)
    return found


def seconds(metric: Metric, data: Responses) -> float:
    """Return the processor time of a test that has run before."""
    shared_units_test(metric, data)
    start = time.process_time()
    shared_units_test(metric, data)
    return time.process_time() - start


def main() -> None:
    """Print a line for each metric and set, and their sums."""
    metrics = metrics_of_item_means()
    for world in WORLDS:
        data = draw_set(world, np.random.default_rng(1))
        each = {metric.name: seconds(metric, data) for metric in metrics}
        shown = ", ".join(f"{name} {of_metric:.2f}" for name, of_metric in each.items())
        print(f"{world.name}: {sum(each.values()):.2f} s of a processor ({shown})")


if __name__ == "__main__":
    main()
