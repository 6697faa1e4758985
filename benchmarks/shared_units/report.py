"""The tables and the figure of docs/shared-units.md and -calibration.md, from the data files.

Run ``python -m benchmarks.shared_units.report``. Between two marks of a page stands what `tables` returns.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.shared_units.rates import KEYS, RATES, outside
from benchmarks.shared_units.steps import CHOSEN, FAR, LEVELS, STEPS
from benchmarks.shared_units.world import World
from benchmarks.shared_units.worlds_unkind import (
    calibrated_errors,
    few_units,
    jumps,
    skewed_units,
    unequal_loads,
    units_by_cluster,
)
from nbyk.files import write_bytes, write_text
from nbyk.report.drawing import COLOURS, new_panels, pictures

HERE, DOCS = Path(__file__).parent, Path(__file__).parents[2] / "docs"
PAGES = DOCS / "shared-units.md", DOCS / "shared-units-calibration.md"
FIGURE = DOCS / "figures" / "shared-units.svg"

UNLIKE_REAL = ("skewed", "lognormal")
"""Laws that are more skewed than those of eight real rating sets."""

NAMES = {
    "item_test": "items alone",
    "satterthwaite": "the same with the stretch: before",
    "mixture": "mixture of t",
    "shared": "**chosen: with the step**",
    "unreserved": "without reserve",
}
"""The candidates of the table, by their columns of rates.csv."""


def tables() -> dict[str, str]:
    """Return the tables of the pages, in Markdown, by their marks."""
    rates = pd.read_csv(RATES)
    return {
        "units": _table(_by_units(rates, pd.read_csv(HERE / "swapped.csv"))),
        "kinds": _table(_by_kind(rates)),
        "candidates": _table(_by_candidate(rates)),
        "skew": _table(_by_law(rates)),
        "steps": _table(_steps(pd.read_csv(HERE / "steps.csv"))),
        "metric boards": _table(_metric_boards(pd.read_csv(HERE / "metric_boards.csv"))),
        "far": _table(_far(pd.read_csv(HERE / "steps.csv"))),
        "outside": _table(_by_reason(rates)),
        "boards": _table(_boards(pd.read_csv(HERE / "boards.csv"))),
        "reml": _table(_reml(pd.read_csv(HERE / "reml.csv"))),
        "others": _table(_others(pd.read_csv(HERE / "peers.csv"), pd.read_csv(HERE / "resampled.csv"))),
        "parts": _table(_parts(pd.read_csv(HERE / "parts.csv"))),
        "filter": f"```text\n{_printed(PAGES[0].read_text(encoding='utf-8'))}```",
    }


def _printed(page: str) -> str:
    """Return what a page's Python prints, beside the data files."""
    printed = io.StringIO()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with chdir(HERE), redirect_stdout(printed):
        exec(code, {})
    return printed.getvalue()


Rows = Iterator[dict[str, str]]


def equal_systems(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the cells with equally good systems; those of swapped clusters are in swapped.csv."""
    return rates[(rates.truth == "equal") & (rates.factor != "clusters")]


def _by_units(rates: pd.DataFrame, swapped: pd.DataFrame) -> Rows:
    equal = equal_systems(rates)
    skewed = equal.law.isin(UNLIKE_REAL)
    for units, chosen in (
        ("none shared", equal.units == 0),
        ("2", equal.units == 2),
        ("3 or 4", equal.units.between(3, 4) & ~skewed),
        ("5 or more", (equal.units >= 5) & ~skewed),
        ("5 or more, more skewed than real ones", (equal.units >= 5) & skewed),
    ):
        part = equal[chosen]
        yield {
            "units of a factor": units,
            "cells": str(len(part)),
            "level: least, median, greatest": _three(part.shared),
            "greatest: 95 % interval": _interval_of_greatest(part, "shared"),
            "at .01: greatest": _rate(part.shared_01.max()),
            "items alone: greatest": _rate(part.item_test.max()),
        }
    swaps = swapped[swapped.truth == "equal"]
    yield {
        "units of a factor": "clusters alone, which are swapped",
        "cells": str(len(swaps)),
        "level: least, median, greatest": _three(swaps["clusters swapped"]),
        "greatest: 95 % interval": _interval_of_greatest(swaps, "clusters swapped"),
        "at .01: greatest": "–",
        "items alone: greatest": _rate(swaps["items swapped"].max()),
    }


def _by_kind(rates: pd.DataFrame) -> Rows:
    equal = equal_systems(rates)
    unkind = [skewed_units, calibrated_errors, few_units, unequal_loads, units_by_cluster, jumps]
    kind = equal[~_among(equal, (world for worlds in unkind for world in worlds())) & (equal.units >= 5)]
    factors = {
        "raters of gold": ["raters"],
        "runs": ["runs"],
        "raters of outputs": ["outputs"],
        "raters and runs": ["raters+runs"],
        "clusters with raters or runs": [name for name in equal.factor.unique() if "+clusters" in name],
    }
    parts = {f"{name}, 5 or more": kind[kind.factor.isin(of)] for name, of in factors.items()}
    names = (
        "skewed people",
        "skewed people, absolute errors",
        *("3, 5 or 8 people", "unequal loads", "units that differ by cluster", "jumps"),
    )
    parts |= {name: equal[_among(equal, of())] for name, of in zip(names, unkind, strict=True)}
    for name, part in parts.items():
        yield {
            "what is shared": name,
            "cells": str(len(part)),
            "level: least, median, greatest": _three(part.shared),
            "before, items alone": ", ".join(_rate(part[of].max()) for of in ("satterthwaite", "item_test")),
        }


def enough(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of equal systems with five units, 200 items and no more skewness than real ones."""
    equal = equal_systems(rates)
    return equal[(equal.units >= 5) & (equal["items"] >= 200) & ~equal.law.isin(UNLIKE_REAL)]


def _by_candidate(rates: pd.DataFrame) -> Rows:
    equal = enough(rates)
    better = rates[rates.truth == "A better"].merge(equal[KEYS[:3]], on=KEYS[:3])
    for column, name in NAMES.items():
        levels = equal[column].dropna()
        yield {
            "variance, or test": name,
            "level: least, median, greatest": _three(levels),
            "outside": f"{(~levels.between(0.02, 0.08)).mean():.0%}",
            "mean power": _rate(better[column].mean()),
        }


def _by_law(rates: pd.DataFrame) -> Rows:
    rates = rates[_among(rates, skewed_units()) & (rates.metric == "mean")]
    for (law, units), part in rates.groupby(["law", "units"], sort=False):
        if law == "skewness 1" or units not in (5, 8):
            continue
        equal, better = (part[part.truth == truth].iloc[0] for truth in ("equal", "A better"))
        yield {
            "law, people": f"{law}, {units}",
            **{name: _rate(equal[column]) for name, column in _OF_LAW.items()},
            "power: before, now": f"{_rate(better.satterthwaite)}, {_rate(better.shared)}",
        }


_OF_LAW = {
    ".05: before": "satterthwaite",
    "now": "shared",
    "without reserve": "unreserved",
    ".01: now": "shared_01",
    "one side: now": "shared_one_sided",
    "one side, without reserve": "unreserved_one_sided",
}


def _by_reason(rates: pd.DataFrame) -> Rows:
    equal = equal_systems(rates)
    leaving = equal[outside(equal)]
    above = leaving.shared > 0.05
    skewed, clustered = leaving.law.isin(UNLIKE_REAL), leaving.factor.str.contains("clusters")
    for reason, chosen in (
        ("units more skewed than real ones", above & skewed),
        ("others that are too high", above & ~skewed),
        ("clusters count what a unit does on a cluster twice", ~above & clustered),
        ("effects not linear in the units; answers on few levels", ~above & ~clustered),
    ):
        part = leaving[chosen]
        if len(part):
            ends = f"{_rate(part.shared.min())} to {_rate(part.shared.max())}"
            yield {"reason": reason, "cells": str(len(part)), "levels": ends}


def _boards(boards: pd.DataFrame) -> Rows:
    lone, opposed = boards.spreads.str.startswith("one .15"), boards.spreads.str.contains("opposed")
    for name, part in (
        ("each of its own", boards[~lone & ~opposed]),
        ("one system at .15 among .02", boards[lone]),
        ("opposed", boards[opposed]),
    ):
        for raters, of_raters in part.groupby("raters"):
            baselines = of_raters[["against the first", "against the last"]].max(axis=1)
            levels = [of_raters[test].max() for test in ("satterthwaite", "pairs", "moderated")]
            power = (of_raters[f"adjusted, {test}"].mean() for test in ("pairs", "moderated"))
            yield {
                "spreads": name,
                "R": str(raters),
                "familywise: before, pairwise, now, baseline": ", ".join(
                    map(_rate, [*levels, baselines.max()])
                ),
                "now: 95 % interval": _interval_of_greatest(of_raters, "moderated"),
                "power: pairwise, now": ", ".join(map(_rate, power)),
            }


def _metric_boards(boards: pd.DataFrame) -> Rows:
    for shared, part in boards.groupby("shared", sort=False):
        yield {
            "shared": str(shared),
            "metrics": ", ".join(part.metric.unique()),
            "familywise: pair by pair, now": ", ".join(_rate(part[test].max()) for test in _BOARD_TESTS),
            "now: 95 % interval": _interval_of_greatest(part, "moderated"),
            "power": ", ".join(_rate(part[f"adjusted, {test}"].mean()) for test in _BOARD_TESTS),
        }


_BOARD_TESTS = ("pairs", "moderated")


def _reml(reml: pd.DataFrame) -> Rows:
    for row in reml[reml["power, REML"].notna()].to_dict("records"):
        yield {
            "people, metric": f"{row['world'].split()[2]}, `{row['metric']}`",
            "level: nbyk, equal weights, REML": ", ".join(_rate(row[way]) for way in _WAYS),
            "power": ", ".join(_rate(row[f"power, {way}"]) for way in _WAYS),
        }


def _far(steps: pd.DataFrame) -> Rows:
    for people, part in steps[steps.step == FAR].groupby("people"):
        row = {"people": str(people)}
        for level, alpha in LEVELS.items():
            rates = (f"{rate / alpha:.2f}" for rate in part.sort_values("share", ascending=False)[level])
            row[f"{alpha:g}".removeprefix("0")] = ", ".join(rates)
        yield row


def _steps(steps: pd.DataFrame) -> Rows:
    steps = steps[
        ~steps.step.isin([FAR, "any test: at 0.08", *(step.name for step in STEPS[2:] if step is not CHOSEN)])
    ]
    for name, of_step in steps.groupby("step", sort=False):
        row = {"step": str(name)}
        for people, part in of_step.groupby("people"):
            alone, *mixed = part.sort_values("share", ascending=False).to_dict("records")
            levels, power = (
                (alone["skewed"], alone["skewed_01"]),
                [alone["power"], *(mixed[-1:] and [mixed[-1]["power"]])],
            )
            row[f"{people} people: level .05, .01"] = ", ".join(map(_rate, levels))
            row[f"{people}: power"] = ", ".join(map(_rate, power))
        yield row


_WAYS = ("shared", "equal weights", "REML")


def _others(peers: pd.DataFrame, resampled: pd.DataFrame) -> Rows:
    bootstraps = [name for name in resampled.columns if name.startswith(("pigeonhole", "reweighted"))]
    for name, levels in (
        ("nbyk", peers.nbyk),
        ("evalstats 0.3.3", peers.evalstats),
        ("errorbars 0.2.4", peers.errorbars),
        ("pigeonhole and reweighted bootstraps", pd.Series(resampled[bootstraps].to_numpy().ravel())),
    ):
        yield {"test": name, "level: least, greatest": f"{_rate(levels.min())}, {_rate(levels.max())}"}


def _parts(parts: pd.DataFrame) -> Rows:
    known = parts[parts.share >= 0.02]
    smooth = known.metric.isin(["mae", "mse", "rmse", "spearman"])
    for name, of_kind in (("smooth metrics", known[smooth]), ("metrics that jump", known[~smooth])):
        for raters, part in of_kind.groupby(of_kind.raters.map({5: "5 or 8", 8: "5 or 8", 20: "20"})):
            yield {
                "parts of": name,
                "raters": str(raters),
                "coverage": f"{_rate(part.coverage.min())} to {_rate(part.coverage.max())}",
                "mean / truth": f"{part.mean_over_truth.min():.2f} to {part.mean_over_truth.max():.2f}",
            }


def _among(rates: pd.DataFrame, chosen: Iterable[World]) -> pd.Series:
    return rates.world.isin([world.name for world in chosen])


def _three(levels: pd.Series) -> str:
    return ", ".join(_rate(value) for value in (levels.min(), levels.median(), levels.max()))


def _interval_of_greatest(rows: pd.DataFrame, rate: str) -> str:
    greatest = rows.iloc[int(rows[rate].to_numpy().argmax())]
    return f"{_rate(greatest['95 % from'])}–{_rate(greatest['to'])}"


def _rate(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}".removeprefix("0")


def _table(rows: Iterable[dict[str, str]]) -> str:
    rows = list(rows)
    lines = [f"| {' | '.join(cells)} |" for cells in (list(rows[0]), *(row.values() for row in rows))]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def filled(page: str, found: dict[str, str]) -> str:
    """Return the page with what stands between its marks replaced."""
    for name, table in found.items():
        start, end = f"<!-- {name} -->", f"<!-- end {name} -->"
        if start in page:
            before, rest = page.split(start)
            page = f"{before}{start}\n\n{table}\n\n{end}{rest.split(end, 1)[1]}"
    return page


def draw(rates: pd.DataFrame, path: Path = FIGURE) -> None:
    """Write the figure: level and power by how much units differ, a panel for each kind of shared units."""
    rates = rates[(rates["items"] >= 200) & (rates.units >= 5) & ~rates.law.isin(UNLIKE_REAL)]
    equal, better = (rates[rates.truth == truth] for truth in ("equal", "A better"))
    strips = (
        (equal, "item_test", COLOURS[1], "level of items alone"),
        (equal, "shared", COLOURS[0], "level of items and units"),
        (better, "shared", COLOURS[2], "its power where A is better"),
        (better, "known_sd", COLOURS[7], "power if the standard error were known"),
    )
    panels = {"gold raters": "raters", "runs": "runs", "raters of outputs": "outputs"}
    figure, axes = new_panels(9.0, 3.4, len(panels), share_y=True)
    for place, (title, factor) in zip(axes, panels.items(), strict=True):
        sds = sorted(equal[equal.factor == factor].sd.unique())
        place.axhline(0.05, color="#000000", linewidth=0.8)
        for number, sd in enumerate(sds):
            for strip, (part, column, colour, name) in enumerate(strips):
                values = part[(part.factor == factor) & (part.sd == sd)][column].sort_values()
                spread = np.linspace(-0.07, 0.07, len(values)) if len(values) > 1 else np.zeros(len(values))
                label = None if number else name
                across = number + 0.21 * (strip - 1.5) + spread
                place.plot(across, values, "o", ms=2.2, alpha=0.6, color=colour, label=label)
        place.set_xticks(range(len(sds)), [f"{sd:g}" for sd in sds])
        place.set_title(title)
        place.set_xlabel("how much units differ (SD)")
        place.grid(axis="x", visible=False)
    axes[0].set_ylabel("share of sets with p ≤ .05")
    axes[0].set_ylim(0.0, 1.0)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    write_bytes(path, pictures(figure)[".svg"])


def main() -> None:
    """Write the tables of both pages and the figure."""
    found = tables()
    for page in PAGES:
        write_text(page, filled(page.read_text(encoding="utf-8"), found))
    draw(pd.read_csv(RATES))


if __name__ == "__main__":
    main()
