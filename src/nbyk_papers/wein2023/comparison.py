"""The p-values of a run beside those that Wein et al. 2023 published, and their ranks among ours."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from nbyk.arrays import Array, Booleans, Floats
from nbyk.errors import NbykError
from nbyk_papers.agreement import pooled_variances
from nbyk_papers.gathered import in_order, read_rows
from nbyk_papers.wein2023.design import (
    PAPER_SIZE,
    PUBLISHED_DRAWS,
    columns_of_sampler,
    published_minima,
    published_p_values,
)

BAND = 0.9
"""The share of ranks, in the middle, at which a published number counts as inside."""

REPORTED_BELOW = 1e-5
"""The paper calls smaller numbers zero."""

TRIVIAL, INSIDE, OUTSIDE, OUTSIDE_ALL = "0 against 0", "inside", "outside", "outside all"


def place_among(ours: Floats, published: float) -> str:
    """Return the place of a published number among ours, shape (n,).

    "0 against 0" if it and our median are zero to the paper. "inside" if more than 5 % of the n + 1 numbers,
    itself included, are at most as large, and more than 5 % are at least as large. Otherwise "outside", or
    "outside all" if it is larger or smaller than each of ours. With fewer than 19 of ours, none is outside.
    """
    if max(published, float(np.median(ours))) < REPORTED_BELOW:
        return TRIVIAL
    at_most, at_least = int((ours <= published).sum()), int((ours >= published).sum())
    if _is_inside(np.array(min(at_most, at_least)), ours.size):
        return INSIDE
    return OUTSIDE if min(at_most, at_least) else OUTSIDE_ALL


def rank_counts(places: Iterable[str]) -> dict[str, int]:
    """Return the numbers of places that are not trivial, inside, outside all, and trivial."""
    counts = Counter(places)
    return {
        "compared": counts.total() - counts[TRIVIAL],
        "inside": counts[INSIDE],
        "outside_all": counts[OUTSIDE_ALL],
        "trivial": counts[TRIVIAL],
    }


@cache
def agreement_by_rank(cells: Cells) -> pd.DataFrame:
    """Return how the published estimates of one semantics rank among ours, a row per source and ε.

    The paper has one test set for each source and ε, so the cells of a row stand and fall together. The last
    two columns judge a row as a whole: each of our sets takes the place of the published one, and the others
    stay. "share of our sets" is the mean share inside, of our sets, and "chance" that of a share as small as
    the paper's: with n sets, (1 + those with such a share)/(1 + n).
    """
    published = cells.table[cells.table["published_place"].notna()]
    rows = []
    for (source, epsilon), of_row in published.groupby(["source", "epsilon_b"], sort=False):
        counts = rank_counts(of_row["published_place"])
        compared = of_row[of_row["published_place"] != TRIVIAL]
        row = {"source": source, "ε": f"{epsilon:g}", "sets": int(of_row["n_references"].max()), **counts}
        if len(compared):
            own = _shares_of_our_sets(cells.by_reference, compared)
            share = counts["inside"] / counts["compared"]
            row |= {
                "share": share,
                "share of our sets": float(own.mean()),
                "chance": float((1 + (own <= share).sum()) / (1 + own.size)),
            }
        rows.append(row)
    names = {"outside_all": OUTSIDE_ALL, "trivial": TRIVIAL}
    order = ["source", "ε", "sets", "compared", "inside", "share", OUTSIDE_ALL, TRIVIAL]
    return pd.DataFrame(rows).rename(columns=names).reindex(columns=[*order, "share of our sets", "chance"])


def rank_sentence(counts: dict[str, Any], sets: int) -> str:
    """Return counts in words, with the number of sets that they rest on."""
    return (
        f"{counts['inside']} of {counts['compared']} estimated p-values lie in the middle {BAND:.0%} of our "
        f"{sets} test sets, {counts['outside_all']} outside all of them ({counts['trivial']} more are 0 on "
        "both sides)"
    )


def _shares_of_our_sets(sets: pd.DataFrame, compared: pd.DataFrame) -> Floats:
    """Return the share of cells in which each of our sets is inside among the others, shape (sets,)."""
    from scipy.stats import rankdata

    keys = ["source", "epsilon_b", "sampler", "metric"]
    wide = sets.merge(compared[keys], on=keys).pivot_table(
        index=["sampler", "metric"], columns="reference", values="estimated_p"
    )
    values = wide.dropna(axis="columns").to_numpy(np.float64)
    n = values.shape[1]
    at_most = rankdata(values, "max", axis=1) - 1
    at_least = n - rankdata(values, "min", axis=1)
    return np.asarray(_is_inside(np.minimum(at_most, at_least), n - 1).mean(axis=0))


def _is_inside(as_extreme: Array, n: int) -> Booleans:
    """Return whether a number is inside, from how many of n others lie at its nearer end or beyond."""
    return np.asarray(1 + as_extreme > 0.5 * (1.0 - BAND) * (1 + n) + 1e-9)


PRINTED_RESOLUTION = 1e-6
"""The paper prints p-values to six decimals."""

INTERVAL = (0.05, 0.95)
"""Quantiles over test sets that bound the 90 % intervals."""

KEY = ["semantics", "source", "epsilon_b", "metric", "sampler"]


@dataclass(frozen=True, eq=False)
class Cells:
    """The p-values of a run beside the published ones; what is judged of the same cells is judged once.

    `table` has one row per cell: the first test set's estimate, all test sets' mean and spread, the true
    p-value; `by_reference` one per cell and test set. Columns and samplers are in the order to show them in.
    """

    table: pd.DataFrame
    by_reference: pd.DataFrame
    columns: tuple[str, ...]
    samplers: tuple[str, ...]

    @cached_property
    def errors(self) -> pd.DataFrame:
        """`by_reference` with the error, |estimated − true|."""
        sets = self.by_reference
        return sets.assign(error=(sets["estimated_p"] - sets["true_p"]).abs())

    @property
    def semantics(self) -> list[str]:
        """The semantics that have cells."""
        return list(self.table["semantics"].unique())

    def of(self, semantics: str, source: str | None = None) -> Cells:
        """Return the cells of one semantics, and of one source or of all."""
        return _part(self, semantics, source)


@cache
def _part(cells: Cells, semantics: str, source: str | None) -> Cells:
    table, sets = (
        rows[(rows["semantics"] == semantics) & ((rows["source"] == source) | (source is None))]
        for rows in (cells.table, cells.by_reference)
    )
    return Cells(table, sets, cells.columns, cells.samplers)


def read_cells(
    files: Sequence[str | os.PathLike[str]],
    *,
    n_items: int,
    k_responses: int,
    epsilon_a: float = 0.0,
    columns: Sequence[str],
    samplers: Sequence[str],
) -> Cells:
    """Return the cells of one size (N, K) and ε_A beside the published numbers.

    There are published numbers only for the paper's own size with A not perturbed. The first reference set
    gives a cell's estimated p-value; all of them give its mean and 90 % interval over test sets, and the
    place of the paper's estimate, which has a test set of its own.
    """
    p = read_rows(files)
    of_size = (p["n_items"] == n_items) & (p["k_responses"] == k_responses)
    p = p[of_size & (p["epsilon_a"] == epsilon_a)]
    p = p[p["metric"].isin(columns) & p["sampler"].isin(samplers)]
    p = p[
        [m in columns_of_sampler(s, tuple(columns)) for s, m in zip(p["sampler"], p["metric"], strict=True)]
    ]
    if p.empty:
        raise NbykError(
            f"no p-values of N = {n_items}, K = {k_responses} for these metrics and samplers; "
            "give the file that `nbyk study aggregate` wrote for them"
        )
    first = p[p["reference"] == 0].drop(columns=["reference"])
    by_cell = p.groupby(KEY, observed=True)
    spread = by_cell.agg(estimated_mean=("estimated_p", "mean"), n_references=("reference", "count"))
    low, high = (by_cell["estimated_p"].quantile(bound) for bound in INTERVAL)
    spread = spread.assign(estimated_low=low, estimated_high=high)
    cells = first.merge(spread.reset_index(), on=KEY)
    as_in_the_paper = (n_items, k_responses) == PAPER_SIZE and not p["epsilon_a"].any()
    published = _published() if as_in_the_paper else _published().iloc[:0]
    cells = cells.merge(published, on=KEY[1:], how="left")
    variances = pooled_variances(
        cells["true_p"], cells["true_se"], cells["n_draws"], cells["published_true_p"], PUBLISHED_DRAWS
    )
    cells["true_variance"], cells["published_variance"] = variances
    cells["z_true"] = (cells["true_p"] - cells["published_true_p"]) / (
        sum(variances) + PRINTED_RESOLUTION**2
    ) ** 0.5
    cells = cells.merge(_ranks_among_sets(cells, p), on=KEY, how="left")
    cells = in_order(cells, KEY, {"sampler": samplers, "metric": columns})
    return Cells(cells, p, tuple(columns), tuple(samplers))


@cache
def minima(cells: Cells, kind: str) -> pd.DataFrame:
    """Return the least |estimated − true| p-value of each sampler or metric at each ε, for one source.

    The kind is "sampler" (least over the metrics; Tables 1 and 3) or "metric" (over the samplers; Tables 2
    and 4). n is the number of values behind the least, error that of the first test set, error_mean,
    error_low and error_high the mean and 90 % interval over test sets; published_place is that of
    `place_among` our test sets.
    """
    published = published_minima().set_index(["source", "row", "epsilon_b"])["min_abs_error"]
    if not cells.table["published_true_p"].notna().any():
        published = published.iloc[:0]
    rows = []
    for name in _rows_of_minima(kind, cells):
        of_row = cells.errors[cells.errors[kind].isin(_columns_of_row(name))]
        for (source, epsilon), at in of_row.groupby(["source", "epsilon_b"], observed=True):
            least = at.groupby("reference")["error"].min()
            theirs = float(published.get((source, name, epsilon), np.nan))
            ours = least.to_numpy(np.float64)
            rows.append(
                {
                    "row": name,
                    "n": int((at["reference"] == 0).sum()),
                    "epsilon_b": epsilon,
                    "error": float(least.loc[0]),
                    "error_mean": float(least.mean()),
                    "error_low": float(least.quantile(INTERVAL[0])),
                    "error_high": float(least.quantile(INTERVAL[1])),
                    "n_references": ours.size,
                    "published": theirs,
                    "published_place": None if np.isnan(theirs) else place_among(ours, theirs),
                }
            )
    return pd.DataFrame(rows)


def _published() -> pd.DataFrame:
    table = published_p_values()
    table = table[table["legible"] != "no"].drop(columns="legible")
    return table.rename(columns={"estimated_p": "published_estimated_p", "true_p": "published_true_p"})


def _ranks_among_sets(cells: pd.DataFrame, sets: pd.DataFrame) -> pd.DataFrame:
    """Return the place of every published estimate among our sets, and the share below, ties counted half."""
    published = cells.loc[cells["published_estimated_p"].notna(), [*KEY, "published_estimated_p"]]
    rows = []
    for key, of_cell in sets.merge(published, on=KEY).groupby(KEY, observed=True):
        ours = of_cell["estimated_p"].to_numpy(np.float64)
        theirs = float(of_cell["published_estimated_p"].iloc[0])
        rank = float(np.mean((ours < theirs) + 0.5 * (ours == theirs)))
        rows.append((*key, rank, place_among(ours, theirs)))
    return pd.DataFrame(rows, columns=[*KEY, "published_rank", "published_place"])


def _rows_of_minima(kind: str, cells: Cells) -> list[str]:
    """Return the rows of a minima table; the paper gives both kinds of Wins(MAE) one row."""
    if kind == "sampler":
        return list(cells.samplers)
    return [
        name for name in cells.columns if name != "wins_mae_vectorized" or "wins_mae" not in cells.columns
    ]


def _columns_of_row(name: str) -> tuple[str, ...]:
    return ("wins_mae", "wins_mae_vectorized") if name == "wins_mae" else (name,)
