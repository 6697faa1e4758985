"""The rates of all candidates in all worlds, from the sets that `measure` kept: rates.csv.

Run ``python -m benchmarks.shared_units.rates FOLDER``, then ``python -m benchmarks.shared_units.report`` for
the pages. The file keeps the rates of a cell (a world, a metric, a truth) that FOLDER lacks or has from fewer
sets. If the test changes, take its rows out first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import beta

from benchmarks.shared_units.candidates import CANDIDATES, laws, p_values, tails
from benchmarks.shared_units.measure import kept_sets
from benchmarks.shared_units.world import World, with_better_a
from benchmarks.shared_units.worlds import worlds
from nbyk.testing.shared_units.mixture import STRONG_SKEW

RATES = Path(__file__).with_name("rates.csv")
COLUMNS = {"items": "item_test", "less, wide": "less_wide", "two-way": "two_way"}
KEYS = ["world", "items", "metric", "truth"]
ALPHA = 0.05
FEWEST_SETS = 200


def interval(rate: float, sets: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a rate (Clopper and Pearson 1934)."""
    if np.isnan(rate):
        return np.nan, np.nan
    hits = round(rate * sets)
    low = float(beta.ppf(0.025, hits, sets - hits + 1)) if hits else 0.0
    high = float(beta.ppf(0.975, hits + 1, sets - hits)) if hits < sets else 1.0
    return low, high


def outside(rates: pd.DataFrame) -> pd.Series:
    """Return which levels leave .02 to .08, or .01 to .12 with two to four units."""
    few = (rates.units > 0) & (rates.units < 5)
    low, high = few.map({True: 0.01, False: 0.02}), few.map({True: 0.12, False: 0.08})
    return (rates.shared < low) | (rates.shared > high)


def measured(folder: Path) -> pd.DataFrame:
    """Return one row for each world, truth and metric of which there are sets."""
    rows = []
    for world in worlds():
        for truth, one in (("equal", world), ("A better", with_better_a(world))):
            for metric in world.metrics:
                kept = kept_sets(folder, one, metric)
                if len(kept) >= FEWEST_SETS:
                    rows.append(_row(world, truth, metric, kept))
    return pd.DataFrame(rows)


def with_more_sets(rates: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return rates in the order of the worlds, each from whichever table has it from more sets."""
    both = pd.concat([rates, others])
    both = both.sort_values("sets", kind="stable").drop_duplicates(KEYS, keep="last")
    order = [
        (world.name, world.n_items, metric, truth)
        for world in worlds()
        for truth in ("equal", "A better")
        for metric in world.metrics
    ]
    there = set(both[KEYS].itertuples(index=False, name=None))
    return both.set_index(KEYS).loc[[key for key in order if key in there]].reset_index()[others.columns]


def _row(world: World, truth: str, metric: str, kept: np.ndarray) -> dict[str, object]:
    spread = float(kept[:, 0].std(ddof=1))
    row: dict[str, object] = {
        "world": world.name,
        "factor": world.factor,
        "units": world.units,
        "sd": _sd(world),
        "items": world.n_items,
        "metric": metric,
        "response": world.response,
        "design": _design(world),
        "law": world.law,
        "truth": truth,
        "sets": len(kept),
        "effect_over_its_sd": float(kept[:, 0].mean()) / spread,
        "known_sd": float(np.mean(np.abs(kept[:, 0]) > 1.959964 * spread)),
    }
    p = {name: p_values(kept, name) for name in CANDIDATES}
    skewed, effects = laws(kept), kept[:, 0]
    one_sided = {"mixture": tails(laws(kept, "mixture"), effects), "shared": tails(skewed, effects)}
    p |= {name: 2.0 * tail for name, tail in one_sided.items()}
    p["unreserved"] = 2.0 * tails(skewed, effects, STRONG_SKEW["two-sided"])
    one_sided["unreserved"] = tails(skewed, effects, STRONG_SKEW["greater"])
    for name, values in p.items():
        row[COLUMNS.get(name, name)] = float(np.mean(values <= ALPHA))
        if name in ("satterthwaite", *one_sided):
            row[f"{name}_01"] = float(np.mean(values <= 0.01))
    for name, values in one_sided.items():
        sides = [np.mean((values <= ALPHA) & (side * effects > 0.0)) for side in (1, -1)]
        row[f"{name}_one_sided"] = float(max(sides))
    row["95 % from"], row["to"] = interval(float(np.mean(p["shared"] <= ALPHA)), len(kept))
    return row


def _sd(world: World) -> float:
    """Return how much units differ; severities move no effect of systems that spread items out or not."""
    if world.spread:
        return world.sensitivity
    sds = world.severity, world.opinion, world.shift, world.slant, world.preference, world.by_cluster
    return max(*sds, world.icc)


def _design(world: World) -> str:
    by_raters = "raters" in world.factor
    balanced = world.ratings == world.raters if by_raters else world.responses == world.runs
    return "balanced" if balanced and world.sizes == "equal" else "sparse" if not balanced else "few large"


def main() -> None:
    """Write rates.csv."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where `measure` kept the sets")
    rates = with_more_sets(pd.read_csv(RATES), measured(parser.parse_args().folder))
    rates.to_csv(RATES, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
