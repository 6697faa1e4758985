"""How wide intervals are by metrics that jump: `python -m benchmarks.shared_units.widths widths.csv`.

Beside each stands Student's t that knows the SD of the effect and has J − 1 degrees of freedom. A margin of
four SDs around equal systems shows how often they are called equivalent; of t that estimates the SD with
J − 1 degrees of freedom, how often is known.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import chi2, norm
from scipy.stats import t as student

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.table import write_table
from benchmarks.shared_units.world import World
from benchmarks.shared_units.worlds_unkind import jumps
from nbyk.metrics import get
from nbyk.testing.shared_units import shared_units_test

UNITS = (5, 8, 20)
MARGIN = 4.0
"""In SDs of the effect, whose true value is 0."""

FARTHEST = 1.0
"""Differences of shares, and of errors from 0 to 1, lie within ±1, where `nbyk.compare` cuts intervals."""


def equivalent_by_t(df: int) -> float:
    """Return how often t with an estimated SD calls a true 0 equivalent, at α = .05."""
    squares = chi2(df).ppf((np.arange(2_000) + 0.5) / 2_000) / df
    room = MARGIN - student(df).ppf(0.95) * np.sqrt(squares)
    return float(np.mean(np.maximum(2.0 * norm.cdf(room) - 1.0, 0.0)))


def row_of(world: World, metric: str, sets: int) -> dict[str, Any]:
    """Return what the sets of a world show by a metric."""
    key = zlib.crc32(f"widths {world!r}".encode())
    tests = [
        shared_units_test(get(metric), draw_set(world, np.random.default_rng([key, number])))
        for number in range(sets)
    ]
    ends = np.array([test.interval() for test in tests])
    sd = float(np.std([test.effect for test in tests], ddof=1))
    reached = student(world.units - 1).ppf(0.975) * sd
    inside = [
        max(test.p_value("greater", null=-MARGIN * sd), test.p_value("less", null=MARGIN * sd)) <= 0.05
        for test in tests
    ]
    return {
        "world": world.name,
        "units": world.units,
        "metric": metric,
        "sets": sets,
        "median over t": float(np.median(np.ptp(ends, axis=1)) / 2.0 / reached),
        "cut": float(np.mean(np.abs(ends).max(axis=1) > FARTHEST)),
        "equivalent": float(np.mean(inside)),
        "equivalent by t": equivalent_by_t(world.units - 1),
    }


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each world, number of units and metric."""
    for world in jumps():
        for units in UNITS:
            raters = units if "raters" in world.factor else world.raters
            name = world.name.replace("5", str(units), world.name.count("5 r"))
            more = replace(world, name=name, runs=units, responses=units, raters=raters, ratings=raters)
            for metric in world.metrics:
                yield row_of(more, metric, sets)


def main() -> None:
    """Write the table."""
    write_table(__doc__, 2000, rows)


if __name__ == "__main__":
    main()
