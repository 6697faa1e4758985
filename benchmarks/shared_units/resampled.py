"""Candidates that resample, on a few worlds whose units answer all items: bootstraps and an exchange of runs.

Run ``python -m benchmarks.shared_units.resampled TABLE.csv --sets 400``. They were left out of the large
measurement because they cost hundreds of effects a set, and their rates here are no better.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.table import write_table
from benchmarks.shared_units.world import World
from benchmarks.shared_units.worlds import worlds
from nbyk.metrics import get
from nbyk.testing.shared_units import Responses, shared_units_test

Floats = NDArray[np.float64]

DRAWS = 399
CASES = (
    ("issue: 5 runs, SD 0.05", 200, "mean"),
    ("prototype: 5 runs, SD 0.0", 200, "mean"),
    ("prototype: 2 runs, SD 0.05", 200, "mean"),
    ("issue: 5 raters, SD .1", 200, "mae"),
    ("prototype: 5 of 5 raters, SD 0.0", 200, "mae"),
    ("prototype: 5 of 5 raters, SD 0.05", 200, "mae"),
    ("prototype: 3 of 3 raters, SD 0.1", 200, "mae"),
    ("prototype: 20 of 20 raters, SD 0.1", 200, "mae"),
)


def bootstrapped(world: World, metric: str, data: Responses, rng: np.random.Generator) -> dict[str, Floats]:
    """Return effects of resampled items and units by every bootstrap, each of shape (DRAWS,)."""
    n = data.n_items
    pigeonhole = rng.multinomial(n, np.full(n, 1.0 / n), DRAWS).astype(np.float64)
    exponential = rng.standard_exponential((DRAWS, n))
    found = {}
    for name, items in (
        ("pigeonhole", pigeonhole),
        ("pigeonhole, R - 1", pigeonhole),
        ("reweighted", exponential),
    ):
        means = []
        for role, count in ((data.gold, world.raters), (data.a, world.runs), (data.b, world.runs)):
            shared = (role.units >= 0).any()
            if not shared:
                means.append(np.broadcast_to(role.values.mean(1), (DRAWS, n)))
                continue
            if name == "reweighted":
                units = rng.standard_exponential((DRAWS, count))
            else:
                size = count - 1 if name.endswith("1") else count
                units = rng.multinomial(size, np.full(count, 1.0 / count), DRAWS).astype(np.float64)
            means.append((units / units.sum(1, keepdims=True)) @ role.values.T)
        gold, a, b = means
        effects = np.abs(gold - b) - np.abs(gold - a) if metric == "mae" else a - b
        found[name] = np.sum(items * effects, axis=1) / items.sum(1)
    return found


def exchanged(data: Responses) -> float:
    """Return the p-value of the mean's effect where the runs of A and of B are dealt anew: all ways."""
    runs = np.concatenate([data.a.values.mean(0), data.b.values.mean(0)])
    half = data.a.values.shape[1]
    chosen = itertools.combinations(range(len(runs)), half)
    effects = np.array([2.0 * runs[list(ways)].sum() - runs.sum() for ways in chosen])
    return float(np.mean(np.abs(effects) >= abs(effects[0]) - 1e-12))


def rates(world: World, metric: str, sets: int) -> dict[str, float]:
    """Return how often each candidate rejects at .05, two-sided."""
    key = zlib.crc32(repr(world).encode())
    rejected: dict[str, int] = {}
    for number in range(sets):
        data = draw_set(world, np.random.default_rng([key, number]))
        test = shared_units_test(get(metric), data)
        p = {"shared": test.p_value()}
        for name, draws in bootstrapped(world, metric, data, np.random.default_rng([key, number, 1])).items():
            low, high = np.quantile(draws, [0.025, 0.975])
            p[f"{name}, percentiles"] = float(low <= 0.0 <= high)
            p[f"{name}, normal"] = float(2.0 * norm.sf(abs(test.effect) / draws.std(ddof=1)))
        if metric == "mean":
            p["exchange of runs"] = exchanged(data)
        for name, value in p.items():
            rejected[name] = rejected.get(name, 0) + int(value <= 0.05)
    return {name: count / sets for name, count in rejected.items()}


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield how often each way rejects, a row a case."""
    for name, n_items, metric in CASES:
        world = next(one for one in worlds() if one.name == name and one.n_items == n_items)
        row = {"world": name, "items": n_items, "metric": metric, "sets": sets}
        yield row | rates(world, metric, sets)


def main() -> None:
    """Write the table."""
    write_table(__doc__, 400, rows)


if __name__ == "__main__":
    main()
