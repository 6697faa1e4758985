"""The report of Fornaciari et al. 2022: its tables, figures and summary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.report.answer import Answer
from nbyk_papers.boostsa2022.claims import verdicts_of
from nbyk_papers.boostsa2022.comparison import (
    AGREEMENT,
    example,
    half_width,
    implied_discordances,
    means,
    onsets,
    read_levels,
    read_p_values,
    score_name,
)
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    DEFAULT_FRACTION,
    EXAMPLE_FRACTION,
    EXAMPLE_RESAMPLES,
    SIGNIFICANT_ABOVE,
    STUDY,
    TAGGED_ITEMS,
)
from nbyk_papers.boostsa2022.figures import figures_of
from nbyk_papers.shown import Page, records, study_answer, titled

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
    low, high = (cells["p"] - reach).clip(lower=0.0), (cells["p"] + reach).clip(upper=1.0)
    rows = cells.assign(score=cells["score"].map(score_name), low=low, high=high)
    titles = {"score": "", "semantics": "", "n_items": "N", "fraction": "f", "p": "mean p"}
    return titled(rows, titles | {"low": "", "high": ""})


def tagging_table(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return the share above which Figure 2's p-values are below .05, by score and discordance."""
    rows = onsets(p_values)
    if rows.empty:
        return rows
    items = (rows["discordance"] * TAGGED_ITEMS).round().astype(int)
    agrees = rows["agrees"].map({True: "yes", False: "no"})
    rows = rows.assign(score=rows["score"].map(score_name), items=items, agrees=agrees)
    titles = {"score": "", "discordance": "", "items": "", "b": "B", "a": "A"}
    return titled(
        rows, titles | {"from_fraction": "p < .05 from f", "agrees": "as printed", "p_all": "p at f = 1"}
    )


def example_table(p_values: pd.DataFrame) -> pd.DataFrame:
    """Return Figure 3's scores and p-values beside ours."""
    rows = example(p_values)
    if rows.empty:
        return rows
    titles = {"score": "", "printed_b": "B, printed", "b": "B", "printed_a": "A, printed", "a": "A"}
    titles |= {"printed_p": "p, printed", "p": "", "z": "z p", "implied_fraction": "f that gives it"}
    return titled(rows.assign(score=rows["score"].map(score_name)), titles | {"p_all": "p at f = 1"})


def levels_table(levels: pd.DataFrame) -> pd.DataFrame:
    """Return Type-I errors: a row per kind of labels, score, size, share and semantics."""
    band = [f"{low:g}–{high:g}" for low, high in zip(levels["band_low"], levels["band_high"], strict=True)]
    titles = {"kind": "labels", "score": "", "semantics": "", "n_items": "N", "fraction": "f", "rate": ""}
    titles |= {"low": "", "high": "", "band": "", "place": "", "n_sets": "test sets"}
    return titled(levels.assign(score=levels["score"].map(score_name), band=band), titles)


def summarise(p_values: pd.DataFrame, levels: pd.DataFrame) -> dict[str, Any]:
    """Return the study's numbers beside the paper's, and its Type-I errors, as JSON can hold them."""
    summary: dict[str, Any] = {
        "study": STUDY,
        "within_standard_errors": AGREEMENT,
        "figure_03": _example(p_values),
        "type_1_error": _type_1_error(levels),
    }
    tagging = _tagging(p_values)
    if tagging["cells"]:
        summary["figure_02"] = tagging
    return {**summary, "line": _line(summary), "verdicts": verdicts_of(summary, p_values, levels)}


def _example(p_values: pd.DataFrame) -> dict[str, Any]:
    rows = example(p_values)
    shares: list[float] = rows["implied_fraction"].dropna().tolist() if len(rows) else []
    return {
        "scores": 2 * len(rows),
        "scores_agree": int(rows["scores_agree"].sum()) if len(rows) else 0,
        "p_values": len(rows),
        "p_agree": int((rows["z"].abs() <= AGREEMENT).sum()) if len(rows) else 0,
        "fraction": EXAMPLE_FRACTION,
        "implied_fractions": [min(shares), max(shares)] if shares else [],
        "rows": records(rows),
    }


def _tagging(p_values: pd.DataFrame) -> dict[str, Any]:
    rows = onsets(p_values)
    return {"cells": records(rows), "implied_discordance": list(implied_discordances())}


def _type_1_error(levels: pd.DataFrame) -> dict[str, Any]:
    """Return the places of the rates: published at BooStSa's default share, recommended of all items."""
    default = (levels["semantics"] == "published") & (levels["fraction"] == DEFAULT_FRACTION)
    everything = (levels["semantics"] == "recommended") & (levels["fraction"] == 1.0)
    return {
        "alpha": ALPHA,
        "n_sets": int(levels["n_sets"].min()),
        "at_default": _places(levels[default]),
        "at_all": _places(levels[everything]),
    }


def _places(rows: pd.DataFrame) -> dict[str, Any] | None:
    if rows.empty:
        return None
    counts = {name: int((rows["place"] == name).sum()) for name in ("below", "inside", "above")}
    extremes = {"least": float(rows["rate"].min()), "largest": float(rows["rate"].max())}
    return {"rates": len(rows), **counts, **extremes}


def _line(found: dict[str, Any]) -> str:
    figure_3, levels = found["figure_03"], found["type_1_error"]
    parts = [
        f"{figure_3['scores_agree']} of {figure_3['scores']} printed scores and {figure_3['p_agree']} of "
        f"{figure_3['p_values']} printed p-values agree"
    ]
    if levels["at_default"] is not None:
        parts.append(
            f"the largest Type-I error at level {ALPHA:g} is {levels['at_default']['largest']:.4g} at "
            f"f = {DEFAULT_FRACTION:g}, the default of BooStSa"
        )
    if levels["at_all"] is not None:
        inside = levels["at_all"]
        parts.append(f"{inside['inside']} of {inside['rates']} rates lie in its 99 % band at f = 1")
    return "; ".join(parts)


PAGE = Page(
    "Hard and soft evaluation with bootstrap sampling, reproduced",
    Path(__file__).with_name("boostsa2022.html"),
    first="type_1_error",
    titles={
        "figure_01": "Figure 1: p against test-set size, by the share f that a resample draws",
        "figure_02": "Figure 2: p against the share f, by how often exactly one of two taggers is right",
        "figure_03": "Figure 3: the printed example's p-values, and ours on the same predictions",
        "type_1_error": "Type-I error against the share f, a figure that the paper does not have",
    },
    marked=("z p",),
)


def report(
    *,
    balanced: Sequence[Path],
    example: Sequence[Path],
    levels: Sequence[Path],
    tagging: Sequence[Path] = (),
) -> Answer:
    """Return tables, figures and the summary of files of the steps."""
    return labels_report(read_p_values([*balanced, *tagging, *example]), read_levels(levels))


def labels_report(p_values: pd.DataFrame, levels: pd.DataFrame) -> Answer:
    """Return the report of p-values and Type-I errors that were read."""
    summary = summarise(p_values, levels)
    return study_answer(PAGE, summary, tables_of(p_values, levels), figures_of(p_values, levels))
