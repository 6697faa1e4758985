"""The rates of all candidates in all worlds, from the sets that `measure` kept, and the tables of the docs.

Run ``python -m benchmarks.shared_units.report FOLDER``: it writes rates.csv beside this file and the
tables of docs/shared-units.md, and docs/shared-units-calibration.md with its figure. Without FOLDER, it takes
rates.csv as it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.shared_units import calibration
from benchmarks.shared_units.calibration import interval, of_today, outside
from benchmarks.shared_units.candidates import CANDIDATES, laws, p_values, tails
from benchmarks.shared_units.measure import kept_sets
from benchmarks.shared_units.world import World, with_better_a
from benchmarks.shared_units.worlds import worlds
from benchmarks.shared_units.worlds_unkind import (
    few_units,
    jumps,
    skewed_units,
    unequal_loads,
    units_by_cluster,
)
from nbyk.testing.shared_units.mixture import STRONG_SKEW

RATES = Path(__file__).with_name("rates.csv")
SWAPPED = Path(__file__).with_name("swapped.csv")
RESAMPLED = Path(__file__).with_name("resampled.csv")
REML = Path(__file__).with_name("reml.csv")
PEERS = Path(__file__).with_name("peers.csv")
BOARDS = Path(__file__).with_name("boards.csv")
PAGE = Path(__file__).parents[2] / "docs" / "shared-units.md"
COLUMNS = {"items": "item_test", "less, wide": "less_wide", "two-way": "two_way"}
ALPHA = 0.05
FEWEST_SETS = 200


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
    """Return rates in the order of the worlds, each from whichever table has it from more sets.

    A row of an earlier test gives way to one of today's.
    """
    keys = ["world", "items", "metric", "truth"]
    both = pd.concat([rates, others])
    both = both.sort_values(["today", "sets"], kind="stable").drop_duplicates(keys, keep="last")
    order = [
        (world.name, world.n_items, metric, truth)
        for world in worlds()
        for truth in ("equal", "A better")
        for metric in world.metrics
    ]
    return (
        both.set_index(keys)
        .reindex([key for key in order if key in set(both[keys].itertuples(index=False, name=None))])
        .reset_index()[others.columns]
    )


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
        "truth": truth,
        "sets": len(kept),
        "today": True,
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


def tables(rates: pd.DataFrame) -> dict[str, str]:
    """Return the Markdown tables of the page, by the name of their place."""
    equal = rates[rates.truth == "equal"]
    issue = equal[equal.world.str.startswith("issue")]
    return {
        "summary": "\n".join(_summary(equal)),
        "skew": "\n".join(_skew_table(rates)),
        "few": _level_table(_of(equal, few_units())),
        "loads": _level_table(_of(equal, unequal_loads())),
        "by cluster": _level_table(_of(equal, units_by_cluster())),
        "jumps": _level_table(_of(equal, jumps())),
        "boards": _plain(pd.read_csv(BOARDS)),
        "issue": _level_table(issue),
        "prototype": _level_table(equal[equal.world.str.startswith("prototype")]),
        "power": _power_table(rates),
        "outside": _level_table(equal[outside(equal)]),
        "clusters": _level_table(equal[equal.factor.str.contains("clusters") & (equal.factor != "clusters")]),
        "swapped": _plain(pd.read_csv(SWAPPED)),
        "resampled": _plain(pd.read_csv(RESAMPLED)),
        "reml": _plain(pd.read_csv(REML)),
        "peers": _plain(pd.read_csv(PEERS)),
    }


def _summary(equal: pd.DataFrame) -> Iterator[str]:
    yield (
        "| units | items | cells | least | median | greatest | outside the bounds "
        "| items alone: median | greatest |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    groups = (("nothing is shared", 0, 0), ("2", 2, 2), ("3 or 4", 3, 4), ("5 or more", 5, 10**6))
    for label, low, high in groups:
        for items in (50, 200, 1000):
            part = equal[equal.units.between(low, high) & (equal["items"] == items)]
            if part.empty:
                continue
            yield (
                f"| {label} | {items} | {len(part)} | {part.shared.min():.3f} | {part.shared.median():.3f} "
                f"| {part.shared.max():.3f} | {int(outside(part).sum())} "
                f"| {part.item_test.median():.3f} | {part.item_test.max():.3f} |"
            )


def _of(rates: pd.DataFrame, chosen: Iterable[World]) -> pd.DataFrame:
    return rates[rates.world.isin([world.name for world in chosen])]


def _skew_table(rates: pd.DataFrame) -> Iterator[str]:
    yield (
        "| law | world | metric | sets | .05: before | now | without reserve | .01: before | now "
        "| without reserve | one side: before the step | now | without reserve | power: before | now "
        "| without reserve |"
    )
    yield "|" + "---|" * 16
    rates = _of(rates, skewed_units())
    law_of_world = {world.name: world.law for world in skewed_units()}
    columns = ["satterthwaite", "shared", "unreserved"]
    power = rates[rates.truth == "A better"].set_index("world")[columns]
    levels = [*columns, *(f"{name}_01" for name in columns)]
    levels += [f"{name}_one_sided" for name in ("mixture", "shared", "unreserved")]
    for row in _records(rates[rates.truth == "equal"]):
        name = row["world"]
        numbers = [row[column] for column in levels]
        numbers += power.loc[name].tolist() if name in power.index else [np.nan] * 3
        cells = " | ".join(_three_digits(number) for number in numbers)
        what = name.replace(f", {law_of_world[name]}", "")
        yield f"| {law_of_world[name]} | {what} | `{row['metric']}` | {row['sets']} | {cells} |"


def _three_digits(number: float) -> str:
    return "–" if np.isnan(number) else f"{number:.3f}"


def _level_table(rates: pd.DataFrame) -> str:
    lines = [
        "| world | N | metric | sets | items alone | sum | two-way | before | mixture | **shared** | 95 % "
        "| .01: before | mixture | shared |"
    ]
    lines.append("|" + "---|" * 14)
    for row in _records(rates):
        low, high = interval(row["shared"], row["sets"])
        levels = ("item_test", "sum", "two_way", "satterthwaite", "mixture")
        others = " | ".join(_three_digits(row[name]) for name in levels)
        far = ("satterthwaite_01", "mixture_01", "shared_01")
        lines.append(
            f"| {row['world']} | {row['items']} | `{row['metric']}` | {row['sets']} | {others} "
            f"| {of_today(row)} | {_three_digits(low)} to {_three_digits(high)} | "
            + " | ".join(_three_digits(row[name]) for name in far)
            + " |"
        )
    return "\n".join(lines)


def _records(rates: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in rates.to_dict("records")]


def _power_table(rates: pd.DataFrame) -> str:
    lines = [
        "| world | N | metric | sets | SD known | sum | max | before | **shared** | level: before | shared |"
    ]
    lines.append("|" + "---|" * 11)
    keys = ["world", "items", "metric"]
    equal = rates[rates.truth == "equal"].drop_duplicates(keys).set_index(keys)
    for row in _records(rates[rates.truth == "A better"]):
        key = (row["world"], row["items"], row["metric"])
        if key not in equal.index:
            continue
        level = equal.loc[[key]].iloc[0]
        others = " | ".join(_three_digits(row[name]) for name in ("known_sd", "sum", "max", "satterthwaite"))
        lines.append(
            f"| {row['world']} | {row['items']} | `{row['metric']}` | {row['sets']} | {others} "
            f"| {of_today(row)} | {_three_digits(level['satterthwaite'])} "
            f"| {_three_digits(level['shared'])} |"
        )
    return "\n".join(lines)


def _plain(table: pd.DataFrame) -> str:
    lines = ["| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
    for row in table.itertuples(index=False):
        cells = (
            "–" if pd.isna(cell) else f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def filled(page: str, found: dict[str, str]) -> str:
    """Return the page with what stands between its marks replaced."""
    for name, table in found.items():
        start, end = f"<!-- {name} -->", f"<!-- end {name} -->"
        if start in page:
            before, rest = page.split(start)
            page = f"{before}{start}\n\n{table}\n\n{end}{rest.split(end, 1)[1]}"
    return page


def main() -> None:
    """Write rates.csv and the tables of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where `measure` kept the sets")
    options = parser.parse_args()
    if options.folder:
        rates = with_more_sets(pd.read_csv(RATES), measured(options.folder))
        rates.to_csv(RATES, index=False, float_format="%.4g")
    rates = pd.read_csv(RATES)
    for page, found in ((PAGE, tables(rates)), (calibration.PAGE, calibration.tables(rates))):
        page.write_text(filled(page.read_text(encoding="utf-8"), found), encoding="utf-8")
    calibration.draw(rates)


if __name__ == "__main__":
    main()
