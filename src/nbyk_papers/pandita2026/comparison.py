"""The numbers of a run: its grid, Table 2 beside the printed one, and the smallest budgets that suffice."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nbyk_papers.gathered import P_VALUES, RATES, as_rows, in_order, read_partitioned
from nbyk_papers.pandita2026.design import ALPHA, METRICS, N_SETS, POWER, PRINTED_EPSILON, PRIORS, table_2
from nbyk_papers.pandita2026.estimates import K_RESPONSES, N_ITEMS, read_estimates

if TYPE_CHECKING:
    import pyarrow as pa

GRID = (
    *("budget", "n_items", "k_responses", "epsilon", "metric", "delta", "delta_error"),
    *("p", "p_error", "p_with_ties", "p_with_ties_error", "power", "wrong", "level", "n_sets"),
)
NEAR = 0.006
"""A printed p is near if it is as near as this to ours, at three digits, by one of the countings of ties."""

FAR = 3.0
"""A printed number agrees if it is within this many standard errors of both, and half of its last digit."""

_HALF_A_DIGIT = 0.0005


def read_grid(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of the steps grid or table as one table with their source, in the paper's order."""
    table = read_partitioned(files, GRID, ("source",))
    for name in ("source", "metric"):
        table[name] = table[name].astype(str)
    by = ["source", "metric", "epsilon", "budget", "k_responses"]
    return in_order(table, by, {"source": list(PRIORS), "metric": METRICS})


def shown_epsilon(grid: pd.DataFrame) -> float:
    """Return the ε that tables and figures show: the run's one nearest to that of Table 2."""
    values = grid["epsilon"].unique()
    return float(values[np.abs(values - PRINTED_EPSILON).argmin()])


def beside_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return each cell of Table 2 that the run has, with the printed p and Δ beside ours.

    Added to the rows of the step table are printed_p, printed_delta, budget_was_read, p_is_near (by `NEAR`),
    p_between (the two countings), z_p (of the nearer counting, 0 between the two), z (of Δ; both with the
    errors of both sides), p_agrees and delta_agrees. A budget that could not be read is the one with the
    least z_p.
    """
    printed = table_2().rename(
        columns={"p": "printed_p", "delta": "printed_delta", "budget": "printed_budget"}
    )
    found = printed.merge(
        table[np.isclose(table["epsilon"], PRINTED_EPSILON)], on=["source", "metric", "k_responses"]
    )
    found = found[found["printed_budget"].isna() | (found["printed_budget"] == found["budget"])]
    distances = found[["p", "p_with_ties"]].round(3).sub(found["printed_p"], axis=0).abs().round(3)
    between = (found["p"] <= found["printed_p"]) & (found["printed_p"] <= found["p_with_ties"])
    both = (1.0 + found["n_sets"] / N_SETS) ** 0.5
    z_p = [
        _z(found["printed_p"], found[name], both * found[f"{name}_error"]).abs()
        for name in ("p", "p_with_ties")
    ]
    found = found.assign(
        budget_was_read=found["printed_budget"].notna(),
        p_is_near=distances.min(axis=1) <= NEAR,
        p_between=between,
        z_p=np.where(between, 0.0, np.minimum(z_p[0], z_p[1])),
        z=_z(found["printed_delta"], found["delta"], both * found["delta_error"]),
    )
    found = found.assign(p_agrees=found["z_p"] <= FAR, delta_agrees=found["z"].abs() <= FAR)
    nearest = found.sort_values("z_p", kind="stable").groupby(["source", "metric"], sort=False).head(1)
    return nearest.sort_index()


def _z(printed: pd.Series, ours: pd.Series, error: pd.Series) -> pd.Series:
    """Return the difference beyond half of the last printed digit, in standard errors."""
    apart = printed - ours
    z: pd.Series = np.sign(apart) * (apart.abs() - _HALF_A_DIGIT).clip(lower=0.0) / error
    return z


def best_k(grid: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the row of the best K at each budget: the least p, or the most of another column."""
    keys = ["source", "metric", "epsilon", "budget"]
    ordered = grid.sort_values(column, ascending=column == "p_with_ties", kind="stable")
    return ordered.groupby(keys, sort=False).head(1).sort_index()


def smallest(grid: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest budget at which some K has p < .05, and at which some K has a power of .8.

    A row per source, metric and ε; budget and K are empty where none of the run suffices.
    """
    keys = ["source", "metric", "epsilon"]
    frame = pd.DataFrame(list(dict.fromkeys(grid[keys].itertuples(index=False, name=None))), columns=keys)
    for column, name in (("p_with_ties", f"p < {ALPHA:g}"), ("power", f"power ≥ {POWER:g}")):
        best = best_k(grid, column)
        enough = best[best[column] < ALPHA] if column != "power" else best[best[column] >= POWER]
        least = enough.sort_values("budget", kind="stable").groupby(keys, sort=False).head(1)
        renamed = {"budget": f"N·K, {name}", "k_responses": f"K, {name}", column: f"{column}, {name}"}
        frame = frame.merge(least[[*keys, *renamed]].rename(columns=renamed), on=keys, how="left")
    whole = [name for name in map(str, frame) if name.startswith(("N·K", "K"))]
    return frame.astype(dict.fromkeys(whole, "Int64"))


_OF_P = ["source", "n_items", "k_responses", "metric", "sampler", "true_p", "true_se"]


def p_value_rows(
    *, grid: Sequence[Path], table: Sequence[Path], estimates: Sequence[Path] = (), seed: int
) -> pa.Table:
    """Return the mean p of the grid's cells and of Table 2's, and p estimated from single sets.

    The sampler of a mean p says how ties are counted.
    """
    cells = pd.concat([read_grid(grid), read_grid(table)])
    names = {"epsilon": "epsilon_b", "delta": "true_effect", "n_sets": "n_draws"}
    counted = [
        cells.rename(columns={**names, column: "true_p", f"{column}_error": "true_se"}).assign(
            sampler=sampler
        )
        for column, sampler in (("p_with_ties", "ties counted"), ("p", "ties left out"))
    ]
    rows = [table[[*_OF_P, *names.values()]].assign(semantics="published") for table in counted]
    if estimates:
        size = {"n_items": N_ITEMS, "k_responses": K_RESPONSES}
        rows.append(read_estimates(estimates).by_reference.assign(**size, semantics="recommended"))
    return as_rows(P_VALUES, "pandita2026", seed, pd.concat(rows), epsilon_a=0.0)


def rate_rows(*, grid: Sequence[Path], table: Sequence[Path], seed: int) -> pa.Table:
    """Return the power of the t-test over items, and its level under the null that mixes A and B."""
    cells = pd.concat([read_grid(grid), read_grid(table)]).rename(columns={"epsilon": "epsilon_b"})
    same = cells.drop(columns=["power", "level"])
    rows = pd.concat(
        [same.assign(rate=cells["power"], null=""), same.assign(rate=cells["level"], null="mixed")]
    )
    told = {"semantics": "recommended", "sampler": "t_test_over_items", "alpha": ALPHA, "epsilon_a": 0.0}
    return as_rows(RATES, "pandita2026", seed, rows, **told)
