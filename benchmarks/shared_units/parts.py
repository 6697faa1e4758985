"""Measure how often the intervals of variance parts cover: `python -m benchmarks.shared_units.parts`.

A simulated set of 2N items and 2J raters has four quarters of N items and J raters. The effects of two
quarters with the same items and other raters covary by the part of the items; two with the same raters and
other items, by the part of the raters. The rest of an effect's variance is the part of raters × items. This
holds for every metric (the Hoeffding decomposition of its effect).
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.world import World
from nbyk.metrics import Metric, get
from nbyk.testing.shared_units import Responses, shared_units_test
from nbyk.testing.shared_units.intervals import parts_with_intervals

Floats = NDArray[np.float64]

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


@dataclass(frozen=True)
class Coverage:
    """How often the interval of a part holds its true variance, which has a share of the whole."""

    metric: str
    source: str
    share: float
    mean_over_truth: float
    coverage: float


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
) -> Iterator[Coverage]:
    """Yield how the interval of each metric and part does."""
    key = zlib.crc32(f"coverage {world!r}".encode())
    data = [draw_set(world, np.random.default_rng([key, number])) for number in range(sets)]
    for metric, parts in zip(metrics, truth, strict=True):
        found = [_parts(metric, one) for one in data]
        for source, true in parts.items():
            inside = np.mean([one[source][1] <= true <= one[source][2] for one in found])
            mean = np.mean([one[source][0] for one in found])
            yield Coverage(metric.name, source, true / sum(parts.values()), float(mean / true), float(inside))


def _parts(metric: Metric, data: Responses) -> dict[str, tuple[float, float, float]]:
    found = parts_with_intervals(metric, data, shared_units_test(metric, data))
    return {part.source: (part.variance, part.low, part.high) for part in found}


def main() -> None:
    """Print the numbers of a table of docs/shared-units.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shared_units.parts", description=__doc__)
    parser.add_argument("--sets", type=int, default=400, help="sets whose intervals are counted")
    parser.add_argument("--of-truth", type=int, default=4000, help="sets behind each variance of the truth")
    options = parser.parse_args()
    print("| world | metric | part | its true share | mean estimate / truth | coverage |")
    print("|---|---|---|---|---|---|")
    for world in WORLDS:
        metrics = [get(name) for name in world.metrics]
        truth = true_parts(world, metrics, options.of_truth)
        for found in covered(world, metrics, truth, options.sets):
            ratio = f"{found.mean_over_truth:.2f}" if found.share >= 0.02 else "–"
            share = f"{100 * abs(found.share):.0f} %"
            coverage = f"{found.coverage:.3f}" if found.share >= 0.02 else "–"
            cells = (world.name, f"`{found.metric}`", found.source, share, ratio, coverage)
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
