"""P-values and Type-I errors of the study as tables, and the names of scores and labels for people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbyk.errors import NbykError
from nbyk_papers.boostsa2022.design import SCORES
from nbyk_papers.partitions import in_order, read_partitioned

if TYPE_CHECKING:
    import pandas as pd

P_VALUES = (
    "simulation",
    "n_items",
    "discordance",
    "semantics",
    "fraction",
    "score",
    "score_a",
    "score_b",
    "effect",
    "p",
    "n_resamples",
)
LEVELS = (
    "n_items",
    "semantics",
    "score",
    "fraction",
    "alpha",
    "n_sets",
    "n_resamples",
    "rejections",
    "rate",
    "low",
    "high",
    "band_low",
    "band_high",
)
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
    table = read_partitioned(files, P_VALUES, ("design",))
    # Each simulated set of Figure 1 has its own discordance; its cells differ by their size.
    asked = table["discordance"].where(table["design"] == "tagging", 0.0)
    table = table.assign(realised=table["discordance"], discordance=asked)
    by = ["design", "n_items", "discordance", "semantics", "fraction", "score", "simulation"]
    return in_order(table, by, {"score": SCORES})


def read_levels(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of Type-I errors as one table with their kind of labels.

    Added is place: whether a rate lies "below", "inside" or "above" the band of an exact test.
    """
    table = read_partitioned(files, LEVELS, ("kind",))
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
