"""The tables of calibration: the default test at every size, all tests, expected p and power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk_papers.calibration.design import BAND, DEFAULT_NULL
from nbyk_papers.calibration.names import named
from nbyk_papers.calibration.reading import groups, shares
from nbyk_papers.calibration.summary import MAIN_ALPHA, default_rates
from nbyk_papers.calibration.verdicts import BCA, EXPECTED_P, P_VALUE, PERCENTILE

if TYPE_CHECKING:
    import pandas as pd

MAIN_METRIC = "mae"
"""The metric of the tables that show one. If a run lacks it, they show the run's first."""

TESTS = (P_VALUE, PERCENTILE, BCA)
"""Definitions that are tests at the data's own size."""


def tables_of(rates: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return every table that the rates allow as (file name, caption, table)."""
    metric, level = main_metric(rates), f"α = {MAIN_ALPHA:g}"
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
        caption = f"How often expected p is below {MAIN_ALPHA:g}, over all metrics, sources and sizes"
        tables.append(("expected_p", caption, overview_table(expected)))
    if len(powers):
        caption = f"Power of every test on {metric} at {level}, two-sided, by size"
        tables.append(("power", caption, by_size_table(powers)))
    return tables


def main_metric(rates: pd.DataFrame) -> str:
    """Return the metric of tables and figures that show one."""
    metrics = list(dict.fromkeys(rates["metric"]))
    return MAIN_METRIC if MAIN_METRIC in metrics else str(metrics[0])


def default_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the default test's Type-I error at each level: a row per source, size, truth and side."""
    import pandas as pd

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
    import pandas as pd

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
    import pandas as pd

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
    import pandas as pd

    rows = []
    main = rates[rates["alpha"] == MAIN_ALPHA]
    for key, of in groups(named(main), ["test", "alternative", "true"]):
        where = {f"share {name}": share for name, share in shares(of).items()}
        row = {"test": key["test"], "side": key["alternative"], "true": key["true"], "rates": len(of)}
        rows.append({**row, **_extremes(of), **where})
    return pd.DataFrame(rows)


def two_sided(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the two-sided p-values and the intervals at the main level."""
    of_tests = rates["definition"].isin(TESTS) & (rates["alternative"] == "two-sided")
    return rates[of_tests & (rates["alpha"] == MAIN_ALPHA)]


def _extremes(rates: pd.DataFrame) -> dict[str, float]:
    rate = rates["rate"]
    return {"mean": float(rate.mean()), "least": float(rate.min()), "largest": float(rate.max())}
