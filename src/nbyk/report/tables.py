"""The tables of Wein et al. 2023 beside the published numbers, and the summary of how well they agree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.errors import NbykError
from nbyk.files import read_parquet, write_json
from nbyk.inference.agreement import chi_square, pooled_variances
from nbyk.report.formats import write_table
from nbyk.resampling.samplers import get_sampler
from nbyk.studies.wein2023 import (
    COLUMNS,
    PAPER_SIZE,
    PUBLISHED_DRAWS,
    STUDY,
    columns_of_sampler,
    full_table_name,
    minima_table_name,
    published_minima,
    published_p_values,
)

if TYPE_CHECKING:
    import pandas as pd

REPORTED_BELOW = 1e-5
"""The paper calls what is smaller zero."""

PRINTED_RESOLUTION = 1e-6
"""The papers print p-values to six decimals."""

INTERVAL = (0.05, 0.95)
"""Quantiles over test sets that bound the 90 % intervals."""

AGREEMENT = 3.0
"""A published number agrees when it lies within this many standard errors of ours."""

KEY = ["semantics", "source", "epsilon_b", "metric", "sampler"]


@dataclass(frozen=True)
class Cells:
    """The p-values of a run beside the published ones.

    Attributes
    ----------
    table
        One row per cell: the first test set's estimate, all test sets' mean and spread, the true p-value.
    by_reference
        One row per cell and test set.
    columns, samplers
        Metric columns and samplers, in the order to show them in.
    """

    table: pd.DataFrame
    by_reference: pd.DataFrame
    columns: tuple[str, ...]
    samplers: tuple[str, ...]

    def of(self, semantics: str, source: str) -> Cells:
        """Return the cells of one semantics and source."""
        table, sets = (
            rows[(rows["semantics"] == semantics) & (rows["source"] == source)]
            for rows in (self.table, self.by_reference)
        )
        return Cells(table, sets, self.columns, self.samplers)


def read_p_values(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return hive-partitioned files of p-values as one table, partitions as columns."""
    import pyarrow.dataset as ds

    for file in files:
        read_parquet(file, ("item_sampler", "metric", "estimated_p"))
    dataset = ds.dataset([os.fspath(file) for file in files], partitioning="hive")
    table: pd.DataFrame = dataset.to_table().to_pandas()
    if not {"semantics", "source"} <= set(table.columns):
        raise NbykError(
            f"{files[0]}: expected it in folders semantics=…/source=…, as the workflow lays them out"
        )
    table["sampler"] = table["item_sampler"] + "/" + table["response_sampler"]
    return table


def read_cells(
    files: Sequence[str | os.PathLike[str]],
    *,
    n_items: int,
    k_responses: int,
    columns: Sequence[str],
    samplers: Sequence[str],
) -> Cells:
    """Return the cells of one size (N, K) beside the published numbers.

    Published numbers stand beside the paper's own size only. The first reference set gives a cell's
    estimated p-value; all of them give its mean and standard deviation over test sets, which is what the
    paper's own single test set is to be compared with.
    """
    p = read_p_values(files)
    p = p[(p["n_items"] == n_items) & (p["k_responses"] == k_responses)]
    p = p[p["metric"].isin(columns) & p["sampler"].isin(samplers)]
    p = p[
        [m in columns_of_sampler(s, tuple(columns)) for s, m in zip(p["sampler"], p["metric"], strict=True)]
    ]
    if p.empty:
        raise NbykError(
            f"no p-values of N = {n_items}, K = {k_responses} for these metrics and samplers; "
            "give the files that `nbyk pvalues` wrote for them"
        )
    first = p[p["reference"] == 0].drop(columns=["reference", "item_sampler", "response_sampler"])
    over_sets = p.assign(probit=_probit(p["estimated_p"])).groupby(KEY, observed=True)
    spread = over_sets.agg(
        estimated_mean=("estimated_p", "mean"),
        estimated_low=("estimated_p", lambda values: values.quantile(INTERVAL[0])),
        estimated_high=("estimated_p", lambda values: values.quantile(INTERVAL[1])),
        probit_mean=("probit", "mean"),
        probit_sd=("probit", "std"),
        n_references=("reference", "count"),
    )
    cells = first.merge(spread.reset_index(), on=KEY)
    published = _published() if (n_items, k_responses) == PAPER_SIZE else _published().iloc[:0]
    cells = cells.merge(published, on=KEY[1:], how="left")
    variances = pooled_variances(
        cells["true_p"], cells["true_se"], cells["n_draws"], cells["published_true_p"], PUBLISHED_DRAWS
    )
    cells["true_variance"], cells["published_variance"] = variances
    cells["z_true"] = (cells["true_p"] - cells["published_true_p"]) / (
        sum(variances) + PRINTED_RESOLUTION**2
    ) ** 0.5
    cells["published_rank"] = _rank_among_sets(cells, p)
    cells["z_estimated"] = _z_over_sets(
        cells["probit_mean"],
        cells["probit_sd"],
        cells["n_references"],
        _probit(cells["published_estimated_p"]),
    )
    order = {name: rank for rank, name in enumerate((*samplers, *columns))}
    cells = cells.sort_values(KEY, key=lambda values: values.map(lambda name: order.get(name, name)))
    return Cells(cells.reset_index(drop=True), p, tuple(columns), tuple(samplers))


def write_tables(cells: Cells, out: Path) -> str:
    """Write every table in every format and ``summary.json``; return the summary in one line."""
    pairs = cells.table[["semantics", "source"]].drop_duplicates().itertuples(index=False)
    for semantics, source in pairs:
        for name, caption, table in tables_of(cells, semantics, source):
            write_table(table, out / "tables" / semantics / name, caption)
    summary = summarise(cells)
    write_json(out / "summary.json", summary)
    return str(summary["line"])


def tables_of(cells: Cells, semantics: str, source: str) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables of a semantics and a source as (file name, caption, table)."""
    shown = cells.of(semantics, source)
    tables = []
    for kind in ("sampler", "metric"):
        name = minima_table_name(source, kind)
        caption = (
            f"{_title(name, source)}: least |estimated − true| p-value by {kind}, over all "
            f"{'metrics' if kind == 'sampler' else 'samplers'} ({semantics})"
        )
        tables.append((name, caption, minima_table(shown, kind)))
    rows = shown.table
    for epsilon in sorted(rows["epsilon_b"].unique()):
        name = full_table_name(source, float(epsilon))
        caption = f"{_title(name, source)}: estimated and true p-values, ε = {epsilon:g} ({semantics})"
        tables.append((name, caption, full(rows[rows["epsilon_b"] == epsilon])))
    return tables


def full(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a full-result table (Tables 5 to 14): one row per sampler and metric, ours beside published."""
    import pandas as pd

    return pd.DataFrame(
        {
            "metric": rows["metric"].map(label),
            "sampler": rows["sampler"],
            "estimated p": rows["estimated_p"],
            "± MC": rows["estimated_se"],
            "mean over sets": rows["estimated_mean"],
            "5 %": rows["estimated_low"],
            "95 %": rows["estimated_high"],
            "published estimated p": rows["published_estimated_p"],
            "its rank among sets": rows["published_rank"],
            "z estimated": rows["z_estimated"],
            "true p": rows["true_p"],
            "± MC of true": rows["true_se"],
            "published true p": rows["published_true_p"],
            "z true": rows["z_true"],
            "difference": rows["estimated_p"] - rows["true_p"],
            "published difference": rows["published_estimated_p"] - rows["published_true_p"],
        }
    )


def minima(cells: Cells, kind: str) -> pd.DataFrame:
    """Return the least |estimated − true| p-value of each sampler or metric at each ε, of one source.

    Parameters
    ----------
    cells
        Cells of one semantics and source.
    kind
        "sampler" (least over the metrics; Tables 1 and 3) or "metric" (over the samplers; Tables 2 and 4).

    Returns
    -------
    DataFrame
        row, n (numbers that the least is taken over), epsilon_b, error (of the first test set), error_mean,
        error_low and error_high (mean and 90 % interval over test sets), error_sd, published, z.
    """
    import pandas as pd

    sets = cells.by_reference.assign(
        error=(cells.by_reference["estimated_p"] - cells.by_reference["true_p"]).abs()
    )
    published = published_minima().set_index(["source", "row", "epsilon_b"])["min_abs_error"]
    if not cells.table["published_true_p"].notna().any():
        published = published.iloc[:0]
    found = []
    for name in _rows_of_minima(kind, cells):
        of_row = sets[sets[kind].isin(_columns_of_row(name))]
        for (source, epsilon), at in of_row.groupby(["source", "epsilon_b"], observed=True):
            least = at.groupby("reference")["error"].min()
            found.append(
                {
                    "row": name,
                    "n": int((at["reference"] == 0).sum()),
                    "epsilon_b": epsilon,
                    "error": float(least.loc[0]),
                    "error_mean": float(least.mean()),
                    "error_low": float(least.quantile(INTERVAL[0])),
                    "error_high": float(least.quantile(INTERVAL[1])),
                    "error_sd": float(least.std()),
                    "published": float(published.get((source, name, epsilon), np.nan)),
                }
            )
    table = pd.DataFrame(found)
    z = _z_over_sets(table["error_mean"], table["error_sd"], sets["reference"].nunique(), table["published"])
    return table.assign(z=z)


def minima_table(cells: Cells, kind: str) -> pd.DataFrame:
    """Return `minima` for people: a row per sampler or metric and ε."""
    import pandas as pd

    table = minima(cells, kind)
    return pd.DataFrame(
        {
            kind: table["row"].map(label),
            "n": table["n"],
            "ε": table["epsilon_b"].map("{:g}".format),
            "error": table["error"],
            "mean over sets": table["error_mean"],
            "5 %": table["error_low"],
            "95 %": table["error_high"],
            "published error": table["published"],
            "z": table["z"],
        }
    )


def summarise(cells: Cells) -> dict[str, Any]:
    """Return how many published cells agree with ours, by semantics and table, and which do not.

    A true p-value is compared by its Monte-Carlo error on both sides. An estimated one depends on the one
    test set that the paper drew, so it is compared with the mean over our test sets by their spread, on the
    probit scale. The median of |z| would be 0.67 if every difference were chance, and less where samplers
    share a true p-value that is all but zero.
    """
    summary: dict[str, Any] = {"study": STUDY, "within_standard_errors": AGREEMENT}
    for semantics in sorted(cells.table["semantics"].unique()):
        rows = cells.table[(cells.table["semantics"] == semantics) & cells.table["published_true_p"].notna()]
        summary[semantics] = {
            "true_p": _agreement(rows, "z_true"),
            "estimated_p": _agreement(rows, "z_estimated"),
            "by_table": {
                table: {**_agreement(of_table, "z_true"), **_chi_square(of_table)}
                for table, of_table in rows.groupby("table", sort=False)
            },
            "tables_1_to_4": _minima_agreement(cells, semantics),
            "true_p_beyond": _beyond(rows, "true_p"),
            "estimated_p_beyond": _beyond(rows, "estimated_p"),
        }
    headline = summary["published" if "published" in summary else "recommended"]["true_p"]
    summary["line"] = f"{headline['agree']} of {headline['cells']} published cells agree"
    return summary


def label(name: str) -> str:
    """Return a metric column's name as the paper prints it, or any other name as it is."""
    return COLUMNS.get(name, name)


def _published() -> pd.DataFrame:
    table = published_p_values()
    table = table[table["legible"] != "no"].drop(columns="legible")
    return table.rename(columns={"estimated_p": "published_estimated_p", "true_p": "published_true_p"})


def _rank_among_sets(cells: pd.DataFrame, sets: pd.DataFrame) -> pd.Series:
    """Return the share of our test sets whose estimate is below the published one, ties counted half."""
    joined = sets.merge(cells[[*KEY, "published_estimated_p"]], on=KEY)
    below = joined["estimated_p"] < joined["published_estimated_p"]
    level = joined["estimated_p"] == joined["published_estimated_p"]
    share = (below + 0.5 * level).groupby([joined[name] for name in KEY], observed=True).mean()
    rank: pd.Series = cells.merge(share.rename("rank").reset_index(), on=KEY, how="left")["rank"]
    return rank.where(cells["published_estimated_p"].notna())


def _z_over_sets(mean: pd.Series, sd: pd.Series, n_sets: pd.Series | int, published: pd.Series) -> pd.Series:
    """Return how far a number of the paper's one test set is from our sets' mean, as a normal deviate.

    With a handful of sets the ratio has Student's t-distribution; it is given as the normal deviate of the
    same probability.
    """
    from scipy.stats import norm, t

    ratio = (mean - published) / (sd**2 * (1.0 + 1.0 / n_sets) + PRINTED_RESOLUTION**2) ** 0.5
    tail = t.sf(ratio.abs(), n_sets - 1)
    z: pd.Series = np.sign(ratio) * norm.isf(tail)
    return z


def _probit(p: pd.Series) -> pd.Series:
    """Return p-values on the scale on which their spread over test sets is nearly normal."""
    from scipy.special import ndtri

    return p.clip(PRINTED_RESOLUTION, 1.0 - PRINTED_RESOLUTION).map(ndtri)


def _agreement(rows: pd.DataFrame, z_column: str) -> dict[str, Any]:
    z = rows[z_column].dropna()
    agree = int((z.abs() <= AGREEMENT).sum())
    return {
        "cells": len(z),
        "agree": agree,
        "share": agree / len(z) if len(z) else None,
        "median_abs_z": float(z.abs().median()) if len(z) else None,
    }


def _chi_square(rows: pd.DataFrame) -> dict[str, Any]:
    """Return χ² of a table's true p-values, each published number once, and its degrees of freedom.

    Several samplers share one draw of ours, and often one of the paper's. Numbers below the printed precision
    on both sides say nothing and are left out.
    """
    several = rows["sampler"].map(lambda name: get_sampler(name).responses_per_item(2) > 1)
    total, freedom = 0.0, 0
    for _, shared in rows.groupby([rows["metric"], several]):
        first = shared.iloc[0]
        published = np.unique(shared["published_true_p"])
        if max(first["true_p"], published.max()) < REPORTED_BELOW:
            continue
        theirs = float(shared["published_variance"].mean()) + PRINTED_RESOLUTION**2
        chi2, n = chi_square(float(first["true_p"]), float(shared["true_variance"].mean()), published, theirs)
        total, freedom = total + chi2, freedom + n
    return {"chi2": total, "dof": freedom}


def _minima_agreement(cells: Cells, semantics: str) -> dict[str, Any]:
    agreement = {}
    for source in cells.table.loc[cells.table["semantics"] == semantics, "source"].unique():
        for kind in ("sampler", "metric"):
            table = minima(cells.of(semantics, source), kind)
            if table["published"].notna().any():
                agreement[minima_table_name(source, kind)] = _agreement(table, "z")
    return agreement


def _beyond(rows: pd.DataFrame, kind: str) -> list[dict[str, Any]]:
    """Return the cells whose published "true_p" or "estimated_p" does not agree."""
    z = f"z_{kind.removesuffix('_p')}"
    shown = ["table", "sampler", "metric", kind, f"published_{kind}", z]
    beyond = rows.loc[rows[z].abs() > AGREEMENT, shown].rename(columns={z: "z"})
    return [dict(zip(beyond.columns, row, strict=True)) for row in beyond.itertuples(index=False)]


def _rows_of_minima(kind: str, cells: Cells) -> list[str]:
    """Return the rows of a minima table; the paper gives both kinds of Wins(MAE) one row."""
    if kind == "sampler":
        return list(cells.samplers)
    return [
        name for name in cells.columns if name != "wins_mae_vectorized" or "wins_mae" not in cells.columns
    ]


def _columns_of_row(name: str) -> tuple[str, ...]:
    return ("wins_mae", "wins_mae_vectorized") if name == "wins_mae" else (name,)


def _title(name: str, source: str) -> str:
    if name.startswith("table_"):
        return f"Table {int(name.removeprefix('table_'))}, {source}"
    return source
