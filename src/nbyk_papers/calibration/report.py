"""The report of calibration: whether the default test and others hold their levels, as tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nbyk.report.answer import Answer
from nbyk_papers.calibration.design import BAND, DEFAULT_NULL, STUDY
from nbyk_papers.calibration.figures import figures_of
from nbyk_papers.calibration.labels import labels_table, read_labels
from nbyk_papers.calibration.reading import (
    CELL,
    MAIN_ALPHA,
    band,
    groups,
    main_alpha,
    main_metric,
    named,
    place,
    read_rates,
    shares,
    two_sided,
)
from nbyk_papers.calibration.verdicts import BCA, EXPECTED_P, P_VALUE, PERCENTILE, TIES_AT_RANDOM
from nbyk_papers.shown import Page, study_answer

TOLERATED = 0.02
"""Share of a test's rates above the band with which it still holds its level; chance alone gives .005."""

_RATE = [*CELL, "metric", "alternative", "alpha"]


def summarise(rates: pd.DataFrame) -> dict[str, Any]:
    """Return the default test's calibration and exceptions, that of all others, and recommendations."""
    default = default_rates(rates)
    exceptions = default[default["place"] != "inside"]
    counts = {name: int((default["place"] == name).sum()) for name in ("inside", "below", "above")}
    why, at_random = exceptions["why"], default["place_ties_at_random"]
    shown = [*_RATE, "rate", "rate_ties_at_random", "band_low", "band_high", "undefined", "why"]
    return {
        "study": STUDY,
        "line": (
            f"{counts['above']} of {len(default)} Type-I errors of the default test lie above the "
            f"{100 * BAND:.0f} % band around α, and {counts['below']} below it "
            f"({int((why == 'ties').sum())} only because of ties)"
        ),
        "default": {
            "null": DEFAULT_NULL,
            "rates": len(default),
            **counts,
            "outside_by_chance": outside_by_chance(default),
            "outside_simultaneous": outside_simultaneous(default),
            "with_ties_at_random": {
                name: int((at_random == name).sum()) for name in ("inside", "below", "above")
            },
            "explained": {str(name): len(rows) for name, rows in exceptions.groupby("why")},
            "exceptions": exceptions[shown].to_dict(orient="records"),
        },
        "recommended": recommended(rates),
    }


def default_rates(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the Type-I errors of the default test, with reasons for those outside the band.

    Further columns are rate_ties_at_random and place_ties_at_random, for the same test on the same draws but
    with ties decided at random, and why. The reason is "ties" if the rate is too small and deciding ties at
    random brings it into the band; "undefined" if that does not help and the metric is undefined on some
    sets; else "chance".
    """
    under_null = rates[(rates["scenario"] != "power") & (rates["null"] == DEFAULT_NULL)]
    at_random = under_null[under_null["definition"] == TIES_AT_RANDOM]
    both = under_null[under_null["definition"] == P_VALUE].merge(
        at_random[[*_RATE, "rate", "place"]],
        on=_RATE,
        suffixes=("", "_ties_at_random"),
        validate="one_to_one",
    )
    columns = (both[name] for name in ("place", "place_ties_at_random", "undefined"))
    return both.assign(why=[_why(*row) for row in zip(*columns, strict=True)])


def outside_by_chance(rates: pd.DataFrame) -> float:
    """Return the expected number of rates outside their bands if all tests were at their level."""
    from scipy.stats import binom

    expected = 0.0
    for (n_sets, alpha), rows in rates.groupby(["n_sets", "alpha"]):
        low, high = band(n_sets, alpha)
        expected += len(rows) * float(binom.cdf(low - 1, n_sets, alpha) + binom.sf(high, n_sets, alpha))
    return expected


def outside_simultaneous(rates: pd.DataFrame) -> dict[str, int]:
    """Return the number of rates outside bands that all hold together with chance `BAND` (Bonferroni)."""
    share = 1.0 - (1.0 - BAND) / max(1, len(rates))
    columns = (rates[name] for name in ("rejections", "n_sets", "alpha"))
    places = [place(n_rejected, band(n, alpha, share)) for n_rejected, n, alpha in zip(*columns, strict=True)]
    return {name: places.count(name) for name in ("below", "above")}


def recommended(rates: pd.DataFrame) -> dict[str, Any]:
    """Return the null and the interval that the rates recommend, and the results of expected p's nulls.

    A test holds its level if at most `TOLERATED` of its rates lie above the band, under the strong and under
    the weak null. Among p-values that hold their level, the one with the most power is recommended; among
    intervals, the one whose rates are nearest to their levels on average. A null of expected p holds if it
    holds with every sampler that bootstraps items; other samplers ignore the variation of items.
    """
    p_values, expected = _holding(rates, P_VALUE), _holding(rates, EXPECTED_P)
    holding = [row for row in p_values if row["holds"]]
    best = max(holding, key=lambda row: float(row["mean_power"] or 0.0), default={})
    by_items = [row for row in expected if row["sampler"].startswith("bootstrap_items/")]
    failing = {row["null"] for row in by_items if not row["holds"]}
    intervals = _intervals(rates)
    return {
        "null": {"chosen": best.get("null"), "candidates": p_values},
        "expected_p": {
            "nulls_that_hold": sorted({row["null"] for row in by_items} - failing),
            "candidates": expected,
        },
        "interval": {"chosen": intervals[0] if intervals else None, "candidates": intervals},
    }


def _holding(rates: pd.DataFrame, definition: str) -> list[dict[str, Any]]:
    """Return whether each sampler and null holds its level, and its mean power at K > 1, if there is any."""
    holding = []
    defined = rates[rates["definition"] == definition]
    many = defined[defined["k_responses"] > 1]
    for key, rows in groups(defined, ["sampler", "null"]):
        above = {
            f"above_{what}": float((of["place"] == "above").mean())
            for what, of in rows.groupby("scenario")
            if what != "power"
        }
        power = many if len(many) else defined
        power = power[(power["scenario"] == "power") & (power["alpha"] == main_alpha(rates))]
        power = power[(power["sampler"] == key["sampler"]) & (power["null"] == key["null"])]
        holding.append(
            {
                **key,
                **above,
                "holds": max(above.values()) <= TOLERATED,
                "mean_power": float(power["rate"].mean()) if len(power) else None,
            }
        )
    return holding


def _intervals(rates: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the intervals in order of the distance of their rates from their levels."""
    under_null = rates[rates["definition"].isin([PERCENTILE, BCA]) & (rates["scenario"] != "power")]
    lines = [
        {**key, "distance": float((rows["rate"] - rows["alpha"]).abs().mean()), **shares(rows)}
        for key, rows in groups(under_null, ["definition", "sampler"])
    ]
    return sorted(lines, key=lambda row: float(row["distance"]))


def _why(place: str, place_ties_at_random: str, undefined: int) -> str:
    if place == "inside":
        return ""
    if place == "below" and place_ties_at_random == "inside":
        return "ties"
    return "undefined" if place == "below" and undefined else "chance"


def tables_of(rates: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return every table that the rates allow as (file name, caption, table)."""
    metric, alpha = main_metric(rates), main_alpha(rates)
    level = f"α = {alpha:g}"
    under_null = rates[rates["scenario"] != "power"]
    expected = under_null[under_null["definition"] == EXPECTED_P]
    powers = rates[(rates["scenario"] == "power") & (rates["metric"] == metric)]
    tables = [
        (
            "default",
            f"Type-I error of {DEFAULT_NULL} on {metric} with exact intervals, and whether all lie in the "
            f"{100 * BAND:.0f} % band",
            default_table(under_null[under_null["metric"] == metric]),
        ),
        (
            "default_metrics",
            f"Type-I errors of {DEFAULT_NULL} by metric, with the number in the {100 * BAND:.0f} % band",
            metrics_table(default_rates(rates)),
        ),
        (
            "tests",
            f"Type-I error of every test on {metric} at {level}, two-sided, by size",
            by_size_table(under_null[under_null["metric"] == metric]),
        ),
        (
            "all_metrics",
            f"Type-I error of every test at {level}, two-sided, over all metrics, sources and sizes",
            overview_table(two_sided(under_null)),
        ),
    ]
    if len(expected):
        caption = f"How often expected p is below {alpha:g}, over all metrics, sources and sizes"
        tables.append(("expected_p", caption, overview_table(expected)))
    if len(powers):
        caption = f"Power of every test on {metric} at {level}, two-sided, by size"
        tables.append(("power", caption, by_size_table(powers)))
    return tables


def default_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the default test's Type-I error at each level: a row per source, size, truth and side."""
    default = rates[(rates["definition"] == P_VALUE) & (rates["null"] == DEFAULT_NULL)]
    rows = []
    for key, of in groups(named(default), ["dataset", "size", "true", "alternative"]):
        row: dict[str, Any] = {"source": key["dataset"], "N × K": key["size"], "true": key["true"]}
        row["side"] = key["alternative"]
        outside = []
        for rate in of.itertuples(index=False):
            row[f"α = {rate.alpha:g}"] = rate.rate
            row[f"95 % at {rate.alpha:g}"] = f"{rate.low:.3f}–{rate.high:.3f}"
            row[f"band at {rate.alpha:g}"] = f"{rate.band_low:g}–{rate.band_high:g}"
            outside += [] if rate.place == "inside" else [f"{rate.place} at {rate.alpha:g}"]
        rows.append(row | {"inside": ", ".join(outside) or "yes"})
    return pd.DataFrame(rows)


def metrics_table(default: pd.DataFrame) -> pd.DataFrame:
    """Return the places and the extremes of the default test's Type-I errors, by metric and level."""
    rows = []
    for key, of in groups(default.sort_values(["metric", "alpha"], kind="stable"), ["metric", "alpha"]):
        counts = of["place"].value_counts()
        rows.append(
            {
                "metric": key["metric"],
                "α": f"{key['alpha']:g}",
                "rates": len(of),
                **{name: int(counts.get(name, 0)) for name in ("below", "inside", "above")},
                "inside with ties at random": int((of["place_ties_at_random"] == "inside").sum()),
                **_extremes(of),
            }
        )
    return pd.DataFrame(rows)


def by_size_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Return two-sided rates at the main level: a row per source, truth and test, a column per size."""
    shown = named(two_sided(rates))
    sizes = dict.fromkeys(shown.sort_values(["k_responses", "n_items"], kind="stable")["size"])
    rows = []
    for key, of in groups(shown, ["dataset", "true", "test"]):
        rate = dict(zip(of["size"], of["rate"], strict=True))
        row = {"source": key["dataset"], "true": key["true"], "test": key["test"]}
        rows.append(row | {size: float(rate.get(size, np.nan)) for size in sizes})
    return pd.DataFrame(rows)


def overview_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Return for each test, side and truth its rates at the main level and their places."""
    rows = []
    main = rates[rates["alpha"] == main_alpha(rates)]
    for key, of in groups(named(main), ["test", "alternative", "true"]):
        where = {f"share {name}": share for name, share in shares(of).items()}
        row = {"test": key["test"], "side": key["alternative"], "true": key["true"], "rates": len(of)}
        rows.append({**row, **_extremes(of), **where})
    return pd.DataFrame(rows)


def _extremes(rates: pd.DataFrame) -> dict[str, float]:
    rate = rates["rate"]
    return {"mean": float(rate.mean()), "least": float(rate.min()), "largest": float(rate.max())}


PAGE = Page(
    "How often each test rejects",
    Path(__file__).with_name("calibration.html"),
    first="type_1_error",
    titles={
        "type_1_error": "Type-I error of every test at every size, with equally good systems",
        "metrics": "Type-I error by every metric",
        "expected_p": "How often the papers' expected p is below the level, by sampler and null",
        "power": "Power of every test at every size",
    },
)


def report(*, rates: Sequence[Path], priors: Sequence[Path] = (), labels: Sequence[Path] = ()) -> Answer:
    """Return tables, heat maps and the summary from the files of both steps, and of the priors behind."""
    return rates_report(read_rates(rates), priors, read_labels(labels) if labels else None)


def rates_report(
    rates: pd.DataFrame, priors: Sequence[Path] = (), labels: pd.DataFrame | None = None
) -> Answer:
    """Return the report of rates that were read, simulated from priors in these files."""
    tables = tables_of(rates)
    if labels is not None:
        caption = (
            f"Type-I error of the recommended test of labels at α = {MAIN_ALPHA:g}, by number of classes"
        )
        tables.append(("labels", caption, labels_table(labels)))
    return study_answer(PAGE, summarise(rates), tables, figures_of(rates), priors=priors)
