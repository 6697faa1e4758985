"""Simulate the worlds and keep, for every set, the effect and its variance components.

Run ``python -m benchmarks.shared_units.measure FOLDER --sets 400``; it skips what FOLDER already has. Every
candidate test is a function of what is kept (`benchmarks.shared_units.candidates`), so that none needs
sets of its own. Set s of a world depends on the world and on s alone.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.world import World, with_better_a
from benchmarks.shared_units.worlds import worlds
from nbyk.files import replacing
from nbyk.metrics import Metric, get
from nbyk.testing.shared_units import NO_UNIT, Responses, Role, shared_units_test
from nbyk.testing.shared_units.components import item_component
from nbyk.testing.shared_units.statistic import changes

Floats = NDArray[np.float64]

SOURCES = 3
OF_ITEMS, OF_SOURCE = 5, 7
FIELDS = OF_ITEMS + OF_SOURCE * SOURCES + 1
"""Effect; of items or clusters the variance, its degrees of freedom, their third moment, their effective
number; of each source total, within, df, units, stretch, third moment, effective number; variance over items
without their clusters."""

PART = 200
"""Sets in a file."""


def measure(world: World, metrics: tuple[str, ...], sets: Iterable[int]) -> Floats:
    """Return what is kept of each set, shape (sets, metrics, FIELDS); NaN for sources that are not there."""
    chosen = [get(name) for name in metrics]
    key = zlib.crc32(repr(world).encode())
    rows = []
    for number in sets:
        data = draw_set(world, np.random.default_rng([key, number]))
        row = np.full((len(chosen), FIELDS), np.nan)
        for place, metric in enumerate(chosen):
            test = shared_units_test(metric, data)
            items = test.items
            row[place, :OF_ITEMS] = test.effect, items.total, items.df, items.third, items.effective_units
            row[place, -1] = _items_alone(metric, data) if data.clustered else items.total
            for index, part in enumerate(test.sources.values()):
                first = OF_ITEMS + OF_SOURCE * index
                row[place, first : first + OF_SOURCE] = (
                    *(part.total, part.within, part.df, part.units, test.stretch),
                    *(part.third, part.effective_units),
                )
        rows.append(row)
    return np.array(rows)


def _items_alone(metric: Metric, data: Responses) -> float:
    """Return the variance over items as if they had no clusters."""
    fresh = replace(
        data,
        gold=_without_units(data.gold),
        a=_without_units(data.a),
        b=_without_units(data.b),
        source_units={},
        clusters=np.arange(data.n_items),
        clustered=False,
    )
    return item_component(fresh, changes(metric, fresh)).total


def _without_units(role: Role) -> Role:
    return Role(role.values, np.full(role.units.shape, NO_UNIT))


def path_of(folder: Path, world: World, metric: str, part: int) -> Path:
    """Return where the sets of a part lie."""
    return folder / f"{zlib.crc32(repr(world).encode()):08x}-{metric}-{part}.npy"


def kept_sets(folder: Path, world: World, metric: str) -> Floats:
    """Return all sets of a world that are there, shape (sets, FIELDS)."""
    parts: list[Floats] = []
    while (path := path_of(folder, world, metric, len(parts))).exists():
        parts.append(np.load(path))
    return np.concatenate(parts) if parts else np.empty((0, FIELDS))


def main() -> None:
    """Measure the worlds that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--factor", help="only worlds of this factor")
    parser.add_argument("--match", default="", help="only worlds whose name contains this")
    parser.add_argument("--items", type=int, help="only worlds of so many items")
    parser.add_argument("--metrics", nargs="*", help="only these")
    parser.add_argument("--power", action="store_true", help="the worlds where A is better")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for world in worlds():
        if options.factor not in (None, world.factor) or options.match not in world.name:
            continue
        if options.items not in (None, world.n_items):
            continue
        world = with_better_a(world) if options.power else world
        asked = tuple(m for m in world.metrics if not options.metrics or m in options.metrics)
        for part in range(-(-options.sets // PART)):
            missing = tuple(m for m in asked if not path_of(options.folder, world, m, part).exists())
            if not missing:
                continue
            kept = measure(world, missing, range(part * PART, (part + 1) * PART))
            for place, metric in enumerate(missing):
                with (
                    replacing(path_of(options.folder, world, metric, part)) as scratch,
                    open(scratch, "wb") as file,
                ):
                    np.save(file, kept[:, place])
        print(world.name, world.n_items, flush=True)


if __name__ == "__main__":
    main()
