"""The issue's worlds by nbyk beside evalstats and errorbars, where these are installed.

Run ``python -m benchmarks.shared_units.peers TABLE.csv --sets 200`` with both on the path. Each gets the
scores of all items and, where the metric is the mean, of all runs; errorbars gets the clusters as well.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.table import write_table
from benchmarks.shared_units.world import World
from benchmarks.shared_units.worlds import worlds
from nbyk.metrics import get
from nbyk.testing.shared_units import Responses, shared_units_test

Floats = NDArray[np.float64]


def installed(name: str) -> ModuleType | None:
    """Return a package, or None without it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def scores(data: Responses, metric: str) -> Floats:
    """Return what the peers see, shape (2, N, R): A's and B's scores of each item, higher is better."""
    both = np.stack([data.a.values, data.b.values])
    if metric == "mean":
        return both
    gold = data.gold.values.mean(1)
    errors: Floats = -np.abs(both.mean(2) - gold)[:, :, None]
    return errors


def p_values(world: World, metric: str, number: int) -> dict[str, float]:
    """Return each package's p-value of a set."""
    rng = np.random.default_rng([zlib.crc32(repr(world).encode()), number])
    data = draw_set(world, rng)
    seen = scores(data, metric)
    found = {
        "nbyk": shared_units_test(get(metric), data).p_value(),
        "nbyk, items alone": shared_units_test(get(metric), data, sources=()).p_value(),
    }
    if evalstats := installed("evalstats"):
        runs = seen if seen.shape[2] > 1 else seen[:, :, 0]
        drawn = evalstats.pairwise_differences(runs, 0, 1, n_bootstrap=2000, rng=rng)
        found["evalstats"] = float(drawn.p_value)
    if errorbars := installed("errorbars.compare"):
        clusters = data.clusters if data.clustered else None
        compared = errorbars.paired_compare(*seen.mean(2), clusters=clusters)
        found["errorbars"] = float(compared.p_value if clusters is None else compared.p_value_clustered)
    return found


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield how often each tool rejects, a row a world of the first table."""
    for world in worlds():
        if not world.name.startswith("issue"):
            continue
        (metric,) = world.metrics
        p = pd.DataFrame([p_values(world, metric, number) for number in range(sets)])
        row = {"world": world.name, "items": world.n_items, "metric": metric, "sets": sets}
        yield row | {str(test): share for test, share in (p <= 0.05).mean().items()}


def main() -> None:
    """Write the table."""
    write_table(__doc__, 200, rows)


if __name__ == "__main__":
    main()
