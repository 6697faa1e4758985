"""The page of the calibration of tests of shared units: its tables and its figure, from the rates.

`benchmarks.shared_units.report` writes both.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import beta

from nbyk.files import write_bytes
from nbyk.report.drawing import COLOURS, new_panels, pictures

PAGE = Path(__file__).parents[2] / "docs" / "shared-units-calibration.md"
FIGURE = PAGE.parent / "figures" / "shared-units-levels.svg"
KEYS = ["world", "items", "metric"]
FACTORS = {
    "none": "nothing shared",
    "raters": "gold raters",
    "runs": "runs",
    "outputs": "raters of outputs",
    "raters+runs": "raters and runs",
    "clusters": "clusters",
    "runs+clusters": "runs and clusters",
    "raters+clusters": "raters and clusters",
    "raters+runs+clusters": "raters, runs and clusters",
}
METRICS = ("mean", "mae", "mse", "spearman", "mean_of_emds", "accuracy", "f1", "wins_mae")


def interval(rate: float, sets: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a rate (Clopper and Pearson 1934)."""
    if np.isnan(rate):
        return np.nan, np.nan
    hits = round(rate * sets)
    low = float(beta.ppf(0.025, hits, sets - hits + 1)) if hits else 0.0
    high = float(beta.ppf(0.975, hits + 1, sets - hits)) if hits < sets else 1.0
    return low, high


def of_today(row: dict[str, Any]) -> str:
    """Return the rate of nbyk's test, in bold if it is that of the test as it stands."""
    rate = "–" if np.isnan(row["shared"]) else f"{row['shared']:.3f}"
    return f"**{rate}**" if row["today"] else rate


def outside(rates: pd.DataFrame) -> pd.Series:
    """Return which levels leave .02 to .08, or .01 to .12 with two to four units."""
    few = (rates.units > 0) & (rates.units < 5)
    low, high = few.map({True: 0.01, False: 0.02}), few.map({True: 0.12, False: 0.08})
    return (rates.shared < low) | (rates.shared > high)


def tables(rates: pd.DataFrame) -> dict[str, str]:
    """Return the Markdown tables of the page, by the name of their place."""
    equal = rates[(rates.truth == "equal") & rates.shared.notna()].drop_duplicates(KEYS)
    better = rates[rates.truth == "A better"].drop_duplicates(KEYS)
    power = better[[*KEYS, "satterthwaite", "shared", "known_sd"]].rename(
        columns={"shared": "power", "satterthwaite": "power_before", "known_sd": "power_known"}
    )
    cells = equal.merge(power, how="left", on=KEYS)
    return {
        "today": (
            f"{equal.today.sum()} of {len(equal)} cells are measured with the test as it stands, with their "
            "rate in bold. The others are of earlier versions of its step for skewness."
        ),
        "by factor": "\n".join(_by_factor(equal)),
        "by metric": "\n".join(_by_metric(equal)),
        "reasons": "\n".join(_reasons(equal[outside(equal)])),
        "cells": "\n".join(_cells(cells)),
    }


def _by_factor(equal: pd.DataFrame) -> Iterator[str]:
    yield "| shared | units | who answers what | SD | N | cells | level: least, median, most | items alone |"
    yield "|---|---|---|---|---|---|---|---|"
    for factor, name in FACTORS.items():
        of_factor = equal[equal.factor == factor]
        units = pd.cut(of_factor.units, [-1, 0, 2, 4, 7, 19, 10**6], labels=_UNITS)
        groups = of_factor.groupby([units, "design", "sd", "items"], observed=True)
        for (count, design, sd, items), part in groups:
            levels = [part.shared.min(), part.shared.median(), part.shared.max()]
            alone = [part.item_test.min(), part.item_test.max()]
            yield (
                f"| {name} | {count} | {design} | {sd:g} | {items} | {len(part)} | {_three(levels)} "
                f"| {alone[0]:.3f} to {alone[1]:.3f} |"
            )


_UNITS = ["–", "2", "3 or 4", "5 to 7", "8 to 19", "20 or more"]


def _three(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def _by_metric(equal: pd.DataFrame) -> Iterator[str]:
    yield "| metric | cells | level: least, median, most | in .04 to .06 | in .02 to .08 | items alone |"
    yield "|---|---|---|---|---|---|"
    enough = equal[(equal.units >= 5) & (equal["items"] >= 200)]
    for metric in METRICS:
        part = enough[enough.metric == metric]
        levels = [part.shared.min(), part.shared.median(), part.shared.max()]
        aim, bounds = (part.shared.between(*ends).mean() for ends in ((0.04, 0.06), (0.02, 0.08)))
        yield (
            f"| `{metric}` | {len(part)} | {_three(levels)} | {aim:.0%} | {bounds:.0%} "
            f"| {part.item_test.median():.3f} |"
        )


def _reasons(rates: pd.DataFrame) -> Iterator[str]:
    yield "| cell | N | metric | sets | level | 95 % | items alone | why |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in _records(rates):
        low, high = interval(row["shared"], row["sets"])
        yield (
            f"| {row['world']} | {row['items']} | `{row['metric']}` | {row['sets']} | {row['shared']:.3f} "
            f"| {low:.3f} to {high:.3f} | {row['item_test']:.3f} | {_why(row)} |"
        )


def _why(row: dict[str, Any]) -> str:
    """Return the letter of the reason, which the page explains."""
    if row["factor"] == "clusters":
        return "f"
    if row["shared"] > 0.05 and any(law in row["world"] for law in ("skew", "lognormal")):
        return "g"
    if row["shared"] > 0.05:
        return "a" if row["units"] == 2 else "b" if row["design"] == "sparse" else "e"
    if "clusters" in row["factor"]:
        return "d"
    return "c"


def _cells(cells: pd.DataFrame) -> Iterator[str]:
    yield (
        "| what is shared | N | metric | who answers what | sets | items alone | before | mixture | shared "
        "| 95 % | .01: before | mixture | shared | power: before | shared | SD known |"
    )
    yield "|" + "---|" * 16
    for row in _records(cells):
        low, high = interval(row["shared"], row["sets"])
        far = ("satterthwaite_01", "mixture_01", "shared_01", "power_before", "power", "power_known")
        others = " | ".join("–" if np.isnan(row[name]) else f"{row[name]:.3f}" for name in far)
        yield (
            f"| {row['world']} | {row['items']} | `{row['metric']}` | {row['design']} | {row['sets']} "
            f"| {row['item_test']:.3f} | {row['satterthwaite']:.3f} | {row['mixture']:.3f} "
            f"| {of_today(row)} | {low:.3f} to {high:.3f} | {others} |"
        )


def _records(rates: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in rates.to_dict("records")]


def draw(rates: pd.DataFrame, path: Path = FIGURE) -> None:
    """Write the figure: the level of either test by how much units differ, a panel for what is shared."""
    equal = rates[(rates.truth == "equal") & (rates["items"] >= 200)]
    panels = [("gold raters", "raters"), ("runs", "runs"), ("raters of outputs", "outputs"), ("clusters", "")]
    figure, axes = new_panels(9.0, 3.4, len(panels), share_y=True)
    for place, (title, factor) in zip(axes, panels, strict=True):
        part = equal[equal.factor.str.contains("clusters") if not factor else equal.factor == factor]
        sds = sorted(part.sd.unique())
        place.axhspan(0.02, 0.08, color="#000000", alpha=0.08, linewidth=0)
        place.axhline(0.05, color="#000000", linewidth=0.8)
        for side, column, colour, name in (
            (-0.17, "item_test", COLOURS[1], "items alone"),
            (0.17, "shared", COLOURS[0], "items and units"),
        ):
            for number, sd in enumerate(sds):
                levels = np.sort(part[part.sd == sd][column].to_numpy())
                spread = np.linspace(-0.11, 0.11, len(levels)) if len(levels) > 1 else np.zeros(1)
                label = name if number == 0 else None
                place.plot(number + side + spread, levels, "o", ms=2.2, alpha=0.6, color=colour, label=label)
        place.set_xticks(range(len(sds)), [f"{sd:g}" for sd in sds])
        place.set_title(title)
        place.set_xlabel("how much units differ (SD)" if factor else "SD, or correlation in a cluster")
    axes[0].set_ylabel("equal systems told apart, nominal .05")
    axes[0].set_ylim(0.0, 1.0)
    axes[0].legend(loc="upper left", fontsize=8)
    write_bytes(path, pictures(figure)[".svg"])
