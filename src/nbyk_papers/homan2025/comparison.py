"""The p-values of a run beside those that Homan et al. 2025 published."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nbyk.data.sources import OWN_FIT
from nbyk_papers.agreement import pooled_variances
from nbyk_papers.gathered import P_VALUES, RATES, as_rows, in_order, read_partitioned
from nbyk_papers.homan2025.design import (
    ALPHA,
    COLUMNS,
    KEY,
    LABELS,
    METRIC_OF_COLUMN,
    PUBLISHED_DRAWS,
    PUBLISHED_RESOLUTION,
    TABLE_OF_EPSILON,
    published_source,
    published_table,
    select_smallest,
)

if TYPE_CHECKING:
    import pyarrow as pa

AGREEMENT = 3.0
"""A published number agrees when it lies within this many standard errors of ours."""

SAME_SIZE, OTHER_K, OTHER_SIZE = "same", "other K", "other NK"
NEAR_K, NEAR_SIZE = "other K, near tie", "other NK, near tie"
"""The words for whether the paper's rule picks its size from our numbers."""

GRID = ("n_items", "k_responses", "epsilon_b", "metric", "semantics", "bootstrap", "p", "standard_error")
_FEW_CELLS = 10
_ROUNDING_VARIANCE = PUBLISHED_RESOLUTION**2 / 12.0
_OURS = ["n_items", "k_responses", "p", "standard_error", "effect", "effect_sd", "n_draws"]


def read_grid(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of p-values as one table, with their source and N·K as columns."""
    table = read_partitioned(files, (*GRID, "effect", "effect_sd", "n_draws"), ("source",))
    return table.assign(n_times_k=table["n_items"] * table["k_responses"])


def of_columns(grid: pd.DataFrame, semantics: str, *, metrics_of: str = "") -> pd.DataFrame:
    """Return the multistage p-values of the paper's metric columns under one semantics.

    The columns' metrics are those of `metrics_of`, if that is another semantics.
    """
    column_of_metric = {m: column for column, m in METRIC_OF_COLUMN[metrics_of or semantics].items()}
    rows = grid[(grid["semantics"] == semantics) & (grid["bootstrap"] == "multistage")]
    return rows.assign(column=rows["metric"].map(column_of_metric)).dropna(subset="column")


def compare(grid: pd.DataFrame, semantics: str, *, published_draws: float = PUBLISHED_DRAWS) -> pd.DataFrame:
    """Return each cell of Tables 1 to 3 that the run of `read_grid` has, the published numbers and ours.

    Beside the published size and numbers stand, at that size, our p, effect and their errors; the standard
    errors of the differences, p_error and effect_error, with `published_draws` draws b assumed behind the
    published numbers; the differences in those, z_p and z_effect; and the size that the paper's rule picks
    from our numbers, picked_n_times_k and picked_k, with its p, error and effect.
    """
    rows = of_columns(grid, semantics)
    published = published_table()
    asked = rows[["source", "epsilon_b"]].drop_duplicates()
    cells = published.merge(asked, on=["source", "epsilon_b"])
    cells = cells.assign(
        n_items=cells["published_n_times_k"] // cells["published_k"], k_responses=cells["published_k"]
    )
    ours = rows[[*KEY, *_OURS]].drop_duplicates([*KEY, "n_items", "k_responses"])
    cells = cells.merge(ours, on=[*KEY, "n_items", "k_responses"], how="left")
    cells = cells.drop(columns=["n_items", "k_responses"])
    picked = _picked(rows)
    cells = cells.merge(picked, on=KEY, how="left")
    variance_of_effect = cells["effect_sd"] ** 2 * (1.0 / cells["n_draws"] + 1.0 / published_draws)
    cells = cells.assign(
        table=cells["epsilon_b"].map(TABLE_OF_EPSILON),
        p_error=_error_of_p(cells, published_draws),
        effect_error=(variance_of_effect + _ROUNDING_VARIANCE) ** 0.5,
    )
    for name in ("p", "effect"):
        cells[f"z_{name}"] = (cells[name] - cells[f"published_{name}"]) / cells[f"{name}_error"]
    return in_papers_order(cells)


def picks_of_rule(cells: pd.DataFrame) -> pd.Series:
    """Return whether the paper's rule picks its size from our numbers, as words for each cell of `compare`.

    A dash is a pick too. Another pick is a near tie if our numbers do not settle it: the p-values of both K
    at one N·K, or the smaller N·K's p-value and .05, lie within three standard errors of each other, the
    paper's included.
    """
    same_budget = _same(cells["picked_n_times_k"], cells["published_n_times_k"])
    same_k = _same(cells["picked_k"], cells["published_k"])
    other_error = np.hypot(cells["p_error"], cells["picked_error"])
    near_k = (cells["p"] - cells["picked_p"]).abs() <= AGREEMENT * other_error
    # At a smaller published N·K our p is .05 or more; at a smaller N·K of ours the paper's was.
    at_ours = cells["picked_n_times_k"] < cells["published_n_times_k"]
    smaller_p = cells["p"].where(~at_ours, cells["picked_p"])
    near_budget = (smaller_p - ALPHA).abs() <= AGREEMENT * cells["p_error"].where(~at_ours, other_error)
    picks = same_budget.map({True: OTHER_K, False: OTHER_SIZE})
    picks = picks.mask(same_budget & near_k, NEAR_K).mask(~same_budget & near_budget, NEAR_SIZE)
    return picks.mask(same_budget & same_k, SAME_SIZE)


def pick_beyond_paper(grid: pd.DataFrame, semantics: str) -> pd.DataFrame:
    """Return the sizes that the paper's rule picks for every source and ε of the run."""
    return in_papers_order(_picked(of_columns(grid, semantics)))


def overstatement(grid: pd.DataFrame) -> pd.DataFrame:
    """Return the ratio of the published to the recommended p-value, at the paper's own cells.

    Both p-values are ours, by the paper's own metrics. The ratio's standard error takes their errors as
    independent, which makes it a little too large.
    """
    cells = compare(grid, "published")
    cells = cells[cells["p"].notna()][[*KEY, "published_n_times_k", "published_k", "p", "standard_error"]]
    plain = of_columns(grid, "recommended", metrics_of="published")
    plain = plain.assign(published_n_times_k=plain["n_times_k"], published_k=plain["k_responses"])
    plain = plain.rename(columns={"p": "plain_p", "standard_error": "plain_error"})
    key = [*KEY, "published_n_times_k", "published_k"]
    both = cells.merge(plain[[*key, "plain_p", "plain_error"]].drop_duplicates(key), on=key)
    ratio = both["p"] / both["plain_p"].where(both["plain_p"] > 0.0)
    relative = np.hypot(both["standard_error"] / both["p"], both["plain_error"] / both["plain_p"])
    return both.assign(ratio=ratio, ratio_error=ratio * relative)


def own_fit_p_values(grid: pd.DataFrame, source: str) -> pd.DataFrame:
    """Return the recommended p-values of an own fit beside those of the published prior, at every size."""
    rows = of_columns(grid, "recommended")
    key = ["epsilon_b", "column", "n_times_k", "n_items", "k_responses"]
    values = ["p", "standard_error", "effect"]
    own, published = (
        rows[rows["source"] == name].drop_duplicates(key)[[*key, *values]]
        for name in (source, published_source(source))
    )
    both = published.merge(own, on=key, suffixes=("_published", "_own"))
    return both.sort_values(key, kind="stable").reset_index(drop=True)


def in_papers_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows sorted by ε, source and metric column, the latter two in the paper's order."""
    fits = [f"{source}{OWN_FIT}" for source in LABELS]
    orders = {"source": (*LABELS, *fits), "column": tuple(COLUMNS)}
    return in_order(rows, ["epsilon_b", "source", "column"], orders)


def _same(ours: pd.Series, theirs: pd.Series) -> pd.Series:
    same: pd.Series = (ours == theirs) | (ours.isna() & theirs.isna())
    return same


def _picked(rows: pd.DataFrame) -> pd.DataFrame:
    picked = select_smallest(rows)[[*KEY, "n_times_k", "k_responses", "p", "standard_error", "effect"]]
    return picked.rename(
        columns={
            "n_times_k": "picked_n_times_k",
            "k_responses": "picked_k",
            "p": "picked_p",
            "standard_error": "picked_error",
            "effect": "picked_effect",
        }
    )


def implied_draws(grid: pd.DataFrame, name: str) -> float | None:
    """Return the draws b at which chance explains the scatter of the published "p" or "effect" about ours.

    At this b the mean of z² is 1. Return None if there is no such b, or fewer than ten cells count.
    """
    from scipy.optimize import brentq

    def excess(log_draws: float) -> float:
        z = compare(grid, "published", published_draws=float(np.exp(log_draws)))[f"z_{name}"].dropna()
        return float((z**2).mean()) - 1.0

    if compare(grid, "published")[f"z_{name}"].count() < _FEW_CELLS:
        return None
    low, high = np.log(10.0), np.log(1e6)
    if excess(low) > 0.0 or excess(high) < 0.0:
        return None
    return float(np.exp(brentq(excess, low, high, xtol=1e-3)))


def _error_of_p(cells: pd.DataFrame, published_draws: float) -> pd.Series:
    ours, theirs = pooled_variances(
        cells["p"], cells["standard_error"], cells["n_draws"], cells["published_p"], published_draws
    )
    error: pd.Series = (cells["p"] * 0.0 + ours + theirs + _ROUNDING_VARIANCE) ** 0.5
    return error


def p_value_rows(*, grid: Sequence[Path], claims: Sequence[Path] = (), seed: int) -> pa.Table:
    """Return the p-values of fresh test sets, whose sampler is the bootstrap."""
    names = {"bootstrap": "sampler", "p": "true_p", "standard_error": "true_se", "effect": "true_effect"}
    table = read_grid([*grid, *claims]).rename(columns=names)
    return as_rows(P_VALUES, "homan2025", seed, table, epsilon_a=0.0)


def rate_rows(*, power: Sequence[Path] = (), seed: int) -> pa.Table:
    """Return the power of each test."""
    if not power:
        return as_rows(RATES, "homan2025", seed, pd.DataFrame())
    table = read_partitioned(power, ("test", "power", "n_sets"), ("source",))
    named = table.rename(columns={"test": "sampler", "power": "rate"})
    return as_rows(RATES, "homan2025", seed, named, epsilon_a=0.0)
