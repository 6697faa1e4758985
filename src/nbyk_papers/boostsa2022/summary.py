"""The summary: agreement with the paper's numbers, comparisons that were not possible, and Type-I errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbyk_papers.boostsa2022.claims import verdicts_of
from nbyk_papers.boostsa2022.comparison import AGREEMENT, example, implied_discordances, onsets, trends
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    DEFAULT_FRACTION,
    EXAMPLE_FRACTION,
    STUDY,
)
from nbyk_papers.verdicts import verdict_rows

if TYPE_CHECKING:
    import pandas as pd


def summarise(p_values: pd.DataFrame, levels: pd.DataFrame) -> dict[str, Any]:
    """Return the study's numbers beside the paper's, and its Type-I errors, as JSON can hold them.

    Parameters
    ----------
    p_values, levels
        From `read_p_values` and `read_levels`.
    """
    summary: dict[str, Any] = {
        "study": STUDY,
        "within_standard_errors": AGREEMENT,
        "figure_01": trends(p_values),
        "figure_03": _example(p_values),
        "type_1_error": _type_1_error(levels),
    }
    tagging = _tagging(p_values)
    if tagging["cells"]:
        summary["figure_02"] = tagging
    verdicts = verdict_rows(verdicts_of(summary, p_values, levels))
    return {**summary, "line": _line(summary), "verdicts": verdicts}


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
        "rows": rows.astype(object).where(rows.notna(), None).to_dict(orient="records"),
    }


def _tagging(p_values: pd.DataFrame) -> dict[str, Any]:
    rows = onsets(p_values)
    f1 = rows[rows["score"] == "f1_macro"] if len(rows) else rows
    return {
        "cells": rows.astype(object).where(rows.notna(), None).to_dict(orient="records"),
        "f1": {"b": float(f1["b"].mean()), "a": float(f1["a"].mean())} if len(f1) else None,
        "implied_discordance": list(implied_discordances()),
    }


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
