"""How often the intervals of variance parts cover: `python -m benchmarks.shared_units.parts parts.csv`.

A simulated set of 2N items and 2J raters has four quarters of N items and J raters. The effects of two
quarters with the same items and other raters covary by the part of the items; two with the same raters and
other items, by the part of the raters. The rest of an effect's variance is the part of raters × items. This
holds for every metric (the Hoeffding decomposition of its effect).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.table import write_table
from benchmarks.shared_units.world import World
from nbyk.metrics import Metric, get
from nbyk.testing.shared_units import Responses, shared_units_test
from nbyk.testing.shared_units.intervals import parts_with_intervals

Floats = NDArray[np.float64]

SETS_OF_TRUTH = 30_000
"""Sets behind each variance of the truth."""

WORLDS = tuple(
    World(
        f"{j} raters",
        "raters",
        ("mae", "mse", "rmse", "spearman", "wins_mae", "accuracy", "auc(threshold=0.5)"),
        raters=j,
        ratings=j,
        severity=0.03,
        opinion=0.05,
        bias=0.1,
        runs=1,
        responses=1,
    )
    for j in (5, 8, 20)
)


def quarters(world: World, metrics: list[Metric], sets: int) -> Floats:
    """Return the effects of the quarters of sets, shape (sets, metrics, 2 of items, 2 of raters)."""
    key = zlib.crc32(f"parts {world!r}".encode())
    n, j = world.n_items, world.raters
    whole = replace(world, n_items=2 * n, raters=2 * j, ratings=2 * j)
    out = np.empty((sets, len(metrics), 2, 2))
    for number in range(sets):
        data = draw_set(whole, np.random.default_rng([key, number]))
        gold, a, b = (role.values for role in data.roles)
        # four sets at once: items of the first and of the second half, by raters of either
        means = np.stack([gold[:, :j].mean(axis=1), gold[:, j:].mean(axis=1)]).reshape(4, n)
        answers = np.stack([a.mean(axis=1), b.mean(axis=1)]).reshape(2, 1, 2, n)
        systems = np.ascontiguousarray(np.broadcast_to(answers, (2, 2, 2, n)).reshape(2, 4, n))
        for place, metric in enumerate(metrics):
            found = metric.effects(systems, means)
            out[number, place] = found.reshape(2, 2).T
    return out


def true_parts(world: World, metrics: list[Metric], sets: int) -> list[dict[str, float]]:
    """Return the parts of the variance of each metric's effect."""
    found = quarters(world, metrics, sets)
    parts = []
    for of_metric in found.transpose(1, 0, 2, 3):
        centred = of_metric - of_metric.mean()
        total = float(np.mean(centred**2))
        items = float(np.mean(centred[:, :, 0] * centred[:, :, 1]))
        raters = float(np.mean(centred[:, 0] * centred[:, 1]))
        parts.append({"items": items, "raters": raters, "raters × items": total - items - raters})
    return parts


def covered(
    world: World, metrics: list[Metric], truth: list[dict[str, float]], sets: int
) -> Iterator[dict[str, Any]]:
    """Yield a row a metric and part: its true share of the variance, and how the interval does.

    Below a share of .02 the mean over the truth and the coverage say nothing, and are left out.
    """
    key = zlib.crc32(f"coverage {world!r}".encode())
    data = [draw_set(world, np.random.default_rng([key, number])) for number in range(sets)]
    for metric, parts in zip(metrics, truth, strict=True):
        found = [_parts(metric, one) for one in data]
        for source, true in parts.items():
            inside = np.mean([one[source][1] <= true <= one[source][2] for one in found])
            mean = np.mean([one[source][0] for one in found])
            share = abs(true) / sum(parts.values())
            row = {"raters": world.raters, "metric": metric.name, "part": source, "share": share}
            if share >= 0.02:
                row |= {"mean_over_truth": float(mean / true), "coverage": float(inside)}
            yield row


def _parts(metric: Metric, data: Responses) -> dict[str, tuple[float, float, float]]:
    found = parts_with_intervals(metric, data, shared_units_test(metric, data))
    return {part.source: (part.variance, part.low, part.high) for part in found}


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of all worlds, from so many sets whose intervals are counted."""
    for world in WORLDS:
        metrics = [get(name) for name in world.metrics]
        truth = true_parts(world, metrics, SETS_OF_TRUTH)
        for row in covered(world, metrics, truth, sets):
            yield row | {"sets": sets, "sets_of_truth": SETS_OF_TRUTH}


def main() -> None:
    """Write the table."""
    write_table(__doc__, 200, rows)


if __name__ == "__main__":
    main()
