"""The tables of the study: the paper's statements beside ours, its figures' numbers, Type-I errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk_papers.boostsa2022.comparison import example, half_width, onsets
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    EXAMPLE_FRACTION,
    EXAMPLE_RESAMPLES,
    SIGNIFICANT_ABOVE,
    TAGGED_ITEMS,
)
from nbyk_papers.boostsa2022.reading import means, score_name

if TYPE_CHECKING:
    import pandas as pd


def tables_of(p_values: pd.DataFrame, levels: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return every table as (file name, caption, table)."""
    tables = {
        "figure_01": (
            "Figure 1: p by test-set size and share f, mean over simulations with its 95 % interval",
            balanced_table(p_values),
        ),
        "figure_02": (
            f"Figure 2: the share f from which p is below {ALPHA:g} (in the paper, only above "
            f"{SIGNIFICANT_ABOVE:g}), by the number of items (of {TAGGED_ITEMS}) on which exactly one "
            "system is right",
            tagging_table(p_values),
        ),
        "figure_03": (
            f"Figure 3: printed scores and p-values ({EXAMPLE_RESAMPLES} iterations, "
            f"f = {EXAMPLE_FRACTION:g}) beside ours on the same predictions",
            example_table(p_values),
        ),
        "type_1_error": (
            "Type-I error by the share f of a resample, with its exact 95 % interval and the 99 % band",
            levels_table(levels),
        ),
    }
    if not (p_values["design"] == "tagging").any():
        del tables["figure_02"]
    return [(name, caption, table) for name, (caption, table) in tables.items()]


def balanced_table(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return Figure 1's p-values: a row per score, size, share and semantics."""
    cells = means(p_values[p_values["design"] == "balanced"])
    reach = half_width(cells)
    return cells.assign(
        score=cells["score"].map(score_name),
        low=(cells["p"] - reach).clip(lower=0.0),
        high=(cells["p"] + reach).clip(upper=1.0),
    )[["score", "semantics", "n_items", "fraction", "p", "low", "high"]].rename(
        columns={"n_items": "N", "fraction": "f", "p": "mean p"}
    )


def tagging_table(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return the share above which Figure 2's p-values are below .05, by score and discordance."""
    rows = onsets(p_values)
    if rows.empty:
        return rows
    items = (rows["discordance"] * TAGGED_ITEMS).round().astype(int)
    return rows.assign(
        score=rows["score"].map(score_name),
        items=items,
        agrees=rows["agrees"].map({True: "yes", False: "no"}),
    )[["score", "discordance", "items", "b", "a", "from_fraction", "agrees", "p_all"]].rename(
        columns={
            "b": "B",
            "a": "A",
            "from_fraction": "p < .05 from f",
            "agrees": "as printed",
            "p_all": "p at f = 1",
        }
    )


def example_table(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return Figure 3's scores and p-values beside ours."""
    rows = example(p_values)
    if rows.empty:
        return rows
    return rows.assign(score=rows["score"].map(score_name)).rename(
        columns={
            "printed_b": "B, printed",
            "b": "B",
            "printed_a": "A, printed",
            "a": "A",
            "printed_p": "p, printed",
            "z": "z p",
            "implied_fraction": "f that gives it",
            "p_all": "p at f = 1",
        }
    )[
        [
            "score",
            "B, printed",
            "B",
            "A, printed",
            "A",
            "p, printed",
            "p",
            "z p",
            "f that gives it",
            "p at f = 1",
        ]
    ]


def levels_table(levels: pd.DataFrame) -> pd.DataFrame:
    """Return Type-I errors: a row per kind of labels, score, size, share and semantics."""
    band = [f"{low:g}–{high:g}" for low, high in zip(levels["band_low"], levels["band_high"], strict=True)]
    return levels.assign(score=levels["score"].map(score_name), band=band)[
        [
            "kind",
            "score",
            "semantics",
            "n_items",
            "fraction",
            "rate",
            "low",
            "high",
            "band",
            "place",
            "n_sets",
        ]
    ].rename(columns={"kind": "labels", "n_items": "N", "fraction": "f", "n_sets": "test sets"})
