"""P-values and Type-I errors of the study as tables, beside the paper's numbers and statements."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nbyk.errors import NbykError
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    EXAMPLE,
    EXAMPLE_FRACTION,
    EXAMPLE_RESAMPLES,
    LARGEST_ADMITTED,
    SCORES,
    SIGNIFICANT_ABOVE,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
    TAGGING,
)
from nbyk_papers.gathered import P_VALUES, RATES, as_rows, in_order, read_partitioned

if TYPE_CHECKING:
    import pyarrow as pa


CELL = ["design", "n_items", "discordance", "semantics", "score", "fraction"]
"""The columns that the simulations of one cell share."""

_NAMES = {
    "accuracy": "accuracy",
    "precision_macro": "precision",
    "recall_macro": "recall",
    "f1_macro": "F1",
    "cross_entropy": "cross entropy",
    "js_divergence": "JS divergence",
    "js_distance": "JS distance",
    "entropy_similarity": "entropy similarity",
    "entropy_correlation": "entropy correlation",
}


def read_p_values(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of p-values as one table with their design, in the order of sizes, shares and scores."""
    table = read_partitioned(files, ("simulation", "discordance", "p"), ("design",))
    # Each simulated set of Figure 1 has its own discordance; its cells differ by their size.
    asked = table["discordance"].where(table["design"] == "tagging", 0.0)
    table = table.assign(realised=table["discordance"], discordance=asked)
    by = ["design", "n_items", "discordance", "semantics", "fraction", "score", "simulation"]
    return in_order(table, by, {"score": SCORES})


def read_levels(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of Type-I errors as one table with their kind of labels.

    Added is place: whether a rate lies "below", "inside" or "above" the band of an exact test.
    """
    table = read_partitioned(files, ("score", "rejections", "band_low"), ("kind",))
    below, above = table["rate"] < table["band_low"], table["rate"] > table["band_high"]
    place = below.map({True: "below", False: "inside"}).where(~above, "above")
    by = ["kind", "n_items", "semantics", "fraction", "score"]
    return in_order(table.assign(place=place), by, {"score": SCORES})


def means(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return each cell over its simulations: p, its sd, least and largest, scores, n and resamples in all."""
    table = p_values.groupby(CELL, sort=False).agg(
        p=("p", "mean"),
        p_sd=("p", "std"),
        p_least=("p", "min"),
        p_largest=("p", "max"),
        score_a=("score_a", "mean"),
        score_b=("score_b", "mean"),
        realised=("realised", "mean"),
        n_simulations=("simulation", "nunique"),
        n_resamples=("n_resamples", "sum"),
    )
    return table.reset_index()


def score_name(score: str) -> str:
    """Return a score's name for people."""
    return _NAMES.get(score, score.replace("_", " "))


def chosen_score(p_values: pd.DataFrame, wanted: str) -> str:
    """Return the score to show, or the first that the run has if it lacks that one."""
    scores = list(dict.fromkeys(p_values["score"]))
    if not scores:
        raise NbykError("no p-values of any score; run `snakemake boostsa2022` first")
    return wanted if wanted in scores else str(scores[0])


AGREEMENT = 3.0
"""A printed p-value agrees when it lies within this many standard errors of ours."""

_PRINTED = 0.5e-4


def example(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return Figure 3 beside our numbers: a row per score of the paper that the run has.

    Columns: score, printed_b, b, printed_a, a, scores_agree, printed_p, p, z (of p, with the Monte-Carlo
    error of both at their pooled value), implied_fraction (the share f at which a normal effect with our p at
    .2 has the printed one) and p_all, the recommended p where all items are drawn (NaN if the run has none).
    """
    from scipy.special import ndtri

    cells = means(p_values[p_values["design"] == "example"])
    published = cells[(cells["semantics"] == "published") & (cells["fraction"] == EXAMPLE_FRACTION)]
    rows = []
    for score, (printed_b, printed_a, count) in EXAMPLE.items():
        row_of_score = published[published["score"] == score]
        if row_of_score.empty:
            continue
        ours, printed_p = row_of_score.iloc[0], count / EXAMPLE_RESAMPLES
        m = ours["n_resamples"]
        pooled = (m * ours["p"] + count) / (m + EXAMPLE_RESAMPLES)
        error = (pooled * (1.0 - pooled) * (1.0 / m + 1.0 / EXAMPLE_RESAMPLES)) ** 0.5
        ratio = ndtri(printed_p) / ndtri(ours["p"]) if 0.0 < ours["p"] < 0.5 else np.nan
        rows.append(
            {
                "score": score,
                "printed_b": printed_b,
                "b": ours["score_b"],
                "printed_a": printed_a,
                "a": ours["score_a"],
                "scores_agree": int(abs(ours["score_b"] - printed_b) < _PRINTED)
                + int(abs(ours["score_a"] - printed_a) < _PRINTED),
                "printed_p": printed_p,
                "p": ours["p"],
                "standard_error": (ours["p"] * (1.0 - ours["p"]) / m) ** 0.5,
                "z": (ours["p"] - printed_p) / error if error > 0.0 else np.nan,
                "implied_fraction": EXAMPLE_FRACTION * ratio**2,
                "p_all": _p_of_all(cells[cells["score"] == score]),
            }
        )
    return pd.DataFrame(rows)


def onsets(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return the share above which p is below .05 in Figure 2, by score and discordance.

    Columns: score, discordance, realised, b and a (scores, means over simulations), from_fraction (the
    smallest admitted share whose mean published p is below .05, NaN if none is), agrees (whether it matches
    the paper's statement: above .3 only) and p_all, the recommended p where all items are drawn.
    """
    cells = means(p_values[p_values["design"] == "tagging"])
    scores = [score for score in TAGGING if score in set(cells["score"])]
    rows = []
    for score, discordance in product(scores, sorted(set(cells["discordance"]))):
        of = cells[(cells["score"] == score) & (cells["discordance"] == discordance)]
        admitted = of[(of["semantics"] == "published") & (of["fraction"] <= LARGEST_ADMITTED)]
        below = admitted.loc[admitted["p"] < ALPHA, "fraction"]
        onset = float(below.min()) if len(below) else np.nan
        rows.append(
            {
                "score": score,
                "discordance": discordance,
                "realised": float(of["realised"].mean()),
                "b": float(of["score_b"].mean()),
                "a": float(of["score_a"].mean()),
                "from_fraction": onset,
                "agrees": bool(onset > SIGNIFICANT_ABOVE),
                "p_all": _p_of_all(of),
            }
        )
    return pd.DataFrame(rows)


def _p_of_all(cells: pd.DataFrame) -> float:
    """Return the recommended p-value where resamples draw all items, NaN if there is none."""
    rows = cells[(cells["semantics"] == "recommended") & (cells["fraction"] == 1.0)]
    return float(rows["p"].iloc[0]) if len(rows) else np.nan


def implied_discordances() -> tuple[float, float]:
    """Return the range of discordances at which Figure 2's accuracies have p ≥ .05 at f = .3 and less at .4.

    For a normal effect d with variance (discordance − d²)/(f N), p is Φ(−d √(f N/(discordance − d²))).
    """
    from scipy.special import ndtri

    lead = (TAGGED_RIGHT_A - TAGGED_RIGHT_B) / TAGGED_ITEMS
    low, high = (
        lead**2 * (1.0 + fraction * TAGGED_ITEMS / float(ndtri(ALPHA)) ** 2)
        for fraction in (SIGNIFICANT_ABOVE, SIGNIFICANT_ABOVE + 0.1)
    )
    return low, high


def points_of_figure_1(p_values: pd.DataFrame, semantics: str) -> pd.DataFrame:
    """Return the points of Figure 1: columns of `means`, and variance, infinite with one simulation."""
    balanced = p_values[p_values["design"] == "balanced"]
    rows = balanced[(balanced["semantics"] == semantics) & (balanced["fraction"] <= LARGEST_ADMITTED)]
    cells = means(rows[rows["score"] == chosen_score(balanced, "accuracy")])
    return cells.assign(variance=(cells["p_sd"] ** 2 / cells["n_simulations"]).fillna(np.inf))


def steps_of_figure_1(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the falls of p from one test-set size of Figure 1 to the next.

    Columns: n_items (the larger size), fraction, margin (positive where p falls) and error (its standard
    error).
    """
    by_share = cells.sort_values("n_items").groupby("fraction", sort=False)
    before = by_share[["p", "variance"]].shift().reindex(cells.index)
    error = (before["variance"] + cells["variance"]) ** 0.5
    steps = cells.assign(margin=before["p"] - cells["p"], error=error)
    return steps.loc[steps["margin"].notna(), ["n_items", "fraction", "margin", "error"]]


def half_width(cells: pd.DataFrame) -> pd.Series:
    """Return half the width of the 95 % interval of each cell's mean p, NaN with one simulation."""
    from scipy.stats import t

    n = cells["n_simulations"]
    width: pd.Series = t.ppf(0.975, np.maximum(n - 1, 1)) * cells["p_sd"] / n**0.5
    return width


def p_value_rows(
    *,
    balanced: Sequence[Path] = (),
    tagging: Sequence[Path] = (),
    example: Sequence[Path] = (),
    seed: int,
) -> pa.Table:
    """Return the p-value of each score on each simulation, whose sampler is the share of a resample."""
    names = {"design": "source", "score": "metric", "simulation": "reference", "p": "estimated_p"}
    names |= {"standard_error": "estimated_se", "effect": "estimated_effect"}
    table = _with_share(read_p_values([*balanced, *tagging, *example]).rename(columns=names))
    return as_rows(P_VALUES, "boostsa2022", seed, table, k_responses=1)


def rate_rows(*, levels: Sequence[Path], seed: int) -> pa.Table:
    """Return the levels of each score, whose source is the kind of labels."""
    table = _with_share(read_levels(levels).rename(columns={"kind": "source", "score": "metric"}))
    return as_rows(RATES, "boostsa2022", seed, table, k_responses=1)


def _with_share(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(sampler="share " + table["fraction"].astype(str))
