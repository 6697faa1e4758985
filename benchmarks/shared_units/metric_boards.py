"""Leaderboards by other metrics than means, with gold, with sparse panels, and over runs.

Run ``python -m benchmarks.shared_units.metric_boards metric_boards.csv``. Each set has six equal systems and
100 items, of the world that `benchmarks.shared_units.world` describes; every second system is the reflection
of the others, where they are biased. Rates are of whole test sets through the package's test of each pair:
`pairs`, each alone, and `moderated`, which learns from all.

Three raters of gold whose severities are alike by chance make biased systems look independent
(`nbyk.testing.shared_units.boards`): by `mae`, in a fifth of sets. There, pairs on both sides of the truth
learn a variance that all underestimate: in the sets that err, T is .6 of W in the median. So λ is at most
T / W − ½. Of 2,000 sets, by `mae` and three raters, where pairs alone have the level .015 and the power .280,
.445 if adjusted for size:

    λ without this bound              .042   .353   .370
    at most T / W − ½, chosen         .022   .343   .451
    at most T / W − 1                 .016   .319   .467
    λ from .85 of independence on     .033   .318   .415
    degrees of freedom of λ = 1 only  .026   .283   .450
    p mixed by λ, not the variances   .031   .332   .417
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared_units.rates import interval
from benchmarks.shared_units.table import write_table
from nbyk.metrics import get
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.boards import moderated_tests
from nbyk.testing.shared_units.generalise import SharedUnitsTest

Floats = NDArray[np.float64]
Tests = dict[tuple[int, int], SharedUnitsTest]

SYSTEMS, N_ITEMS = 6, 100
ALPHA = 0.05
TESTS = ("pairs", "moderated")


@dataclass(frozen=True)
class Layout:
    """Equal systems, and what they share.

    Attributes
    ----------
    shared
        "gold": the same raters give gold. "outputs": the same people rate all outputs. "runs": each system
        has runs of its own.
    metric
        By which systems are equal.
    units, ratings
        Raters, people or runs, and how many of them answer an item.
    sd
        SD of a rater's severity, of what a person thinks of a system, or of a run's shift.
    bias
        How far systems lie above or below the truth in turn.
    better
        How much farther from the truth the second half of the systems lies where power is measured.
    """

    shared: str
    metric: str
    units: int
    ratings: int
    sd: float
    bias: float = 0.0
    better: float = 0.05


def layouts() -> Iterator[Layout]:
    """Yield the leaderboards."""
    for units, ratings in ((3, 3), (5, 5), (8, 8), (8, 3)):
        for metric in ("mae", "mse"):
            far = units == 3 and metric == "mae"  # power near a half, of more sets
            yield Layout("gold", metric, units, ratings, 0.05, 0.1, better=0.15 if far else 0.05)
        yield Layout("gold", "spearman", units, ratings, 0.05, better=0.1)
        yield Layout("outputs", "mean", units, ratings, 0.05, better=0.1)
        if ratings == units:
            yield Layout("runs", "mae", units, ratings, 0.05)
            yield Layout("runs", "accuracy", units, ratings, 0.05)


def tests_of_set(layout: Layout, better: float, rng: np.random.Generator) -> Tests:
    """Return the tests of all pairs of a set, each alone."""
    panel = np.argsort(rng.random((N_ITEMS, layout.units)), axis=1)[:, : layout.ratings]
    truth, axis = rng.uniform(0.3, 0.7, N_ITEMS), rng.standard_normal(N_ITEMS)
    worse = np.where(np.arange(SYSTEMS) < SYSTEMS // 2, 0.0, better)
    sides = np.where(np.arange(SYSTEMS) % 2, -1.0, 1.0)
    gold_units = panel if layout.shared == "gold" else None
    severity, opinion = layout.sd * rng.standard_normal((2, layout.units))
    raters = severity[panel] + opinion[panel] * axis[:, None] if gold_units is not None else 0.0
    gold = truth[:, None] + raters + 0.15 * rng.standard_normal(panel.shape)
    systems = []
    for side, farther in zip(sides, worse, strict=True):
        spread = 0.1 + 1.5 * farther
        centre = truth + side * (layout.bias + farther) + spread * rng.uniform(-1.0, 1.0, N_ITEMS)
        noise = 0.05 * rng.standard_normal(panel.shape)
        if layout.shared == "gold":
            systems.append(centre[:, None] + noise[:, :1])
            continue
        shifts = layout.sd * rng.standard_normal(layout.units)
        if layout.metric == "mean":
            centre = truth - farther + 0.1 * rng.uniform(-1.0, 1.0, N_ITEMS)
        systems.append(centre[:, None] + shifts[panel] + noise)
    own = panel if layout.shared != "gold" else None
    metric = get(layout.metric)
    tests = {}
    for first, second in itertools.combinations(range(SYSTEMS), 2):
        data = responses(
            systems[first],
            systems[second],
            gold=None if layout.metric == "mean" else gold,
            a_units=own,
            b_units=own,
            gold_units=gold_units,
            paired=layout.shared == "outputs",
        )
        tests[first, second] = shared_units_test(metric, data)
    return tests


def p_values(layout: Layout, better: float, number: int) -> Floats:
    """Return p of all pairs of a set, each alone and moderated, shape (2, pairs)."""
    rng = np.random.default_rng([zlib.crc32(repr(layout).encode()), number])
    tests = tests_of_set(layout, better, rng)
    return np.array(
        [
            [test.p_value() for test in of.values()]
            for of in (tests, moderated_tests(tests, SYSTEMS, get(layout.metric)))
        ]
    )


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield the rates of each leaderboard.

    Familywise: the share of sets in which Holm's correction leaves some pair at most .05 (or .01). Power:
    the share of unlike pairs that it leaves there; adjusted: by single steps at the p that a share of .05 of
    sets of equal systems reaches.
    """
    half = SYSTEMS // 2
    pairs = itertools.combinations(range(SYSTEMS), 2)
    unlike = np.array([first < half <= second for first, second in pairs])
    for layout in layouts():
        equal = np.array([p_values(layout, 0.0, number) for number in range(sets)])
        other = np.array([p_values(layout, layout.better, number) for number in range(sets // 4)])
        smallest = equal.min(axis=2)
        row: dict[str, Any] = {
            "shared": layout.shared,
            "metric": layout.metric,
            "units": layout.units,
            "ratings": layout.ratings,
            "sets": sets,
        }
        for place, test in enumerate(TESTS):
            left = np.array([correct_p_values(p, "holm") <= ALPHA for p in other[:, place]])
            at = min(float(np.quantile(smallest[:, place], ALPHA)), ALPHA)
            row |= {
                test: float(np.mean(smallest[:, place] <= ALPHA / len(unlike))),
                f"{test}, .01": float(np.mean(smallest[:, place] <= 0.01 / len(unlike))),
                f"power, {test}": float(left[:, unlike].mean()),
                f"adjusted, {test}": float((other[:, place][:, unlike] <= at).mean()),
            }
        row["95 % from"], row["to"] = interval(row["moderated"], sets)
        yield row


def main() -> None:
    """Write the table."""
    write_table(__doc__, 2000, rows)


if __name__ == "__main__":
    main()
