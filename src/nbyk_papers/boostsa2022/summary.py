"""How far the paper's numbers are reproduced, what could not be compared, and how often the test errs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbyk_papers.boostsa2022.comparison import AGREEMENT, example, implied_discordances, onsets, trends
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    EXAMPLE_FRACTION,
    SIGNIFICANT_ABOVE,
    STUDY,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
    TAGGING,
)
from nbyk_papers.boostsa2022.reading import score_name

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_FRACTION = 0.1
"""The share that BooStSa draws by default."""


def summarise(p_values: pd.DataFrame, levels: pd.DataFrame) -> dict[str, Any]:
    """Return the study's numbers beside the paper's, and its Type-I errors, as JSON can hold them.

    Parameters
    ----------
    p_values, levels
        From `read_p_values` and `read_levels`.
    """
    found: dict[str, Any] = {
        "study": STUDY,
        "within_standard_errors": AGREEMENT,
        "figure_01": trends(p_values),
        "figure_03": _example(p_values),
        "type_1_error": _type_1_error(levels),
    }
    tagging = _tagging(p_values)
    if tagging["cells"]:
        found["figure_02"] = tagging
    return {**found, "line": _line(found), "statements": statements(found)}


def statements(found: dict[str, Any]) -> list[dict[str, str]]:
    """Return what the paper prints or says, what was found and whether they agree ("–": cannot be said)."""
    figure_1, figure_3, levels = found["figure_01"], found["figure_03"], found["type_1_error"]
    falls, steps = (figure_1[f"size_{what}"] + figure_1[f"fraction_{what}"] for what in ("falls", "steps"))
    rows = [
        (
            "Figure 1",
            "p falls as the test set grows, and as the subsample does",
            f"it falls in {figure_1['size_falls']} of {figure_1['size_steps']} steps of size and in "
            f"{figure_1['fraction_falls']} of {figure_1['fraction_steps']} of the share, and rises by "
            f"more than {AGREEMENT:.0f} standard errors in {figure_1['rises']}",
            "yes" if figure_1["rises"] == 0 else "mostly" if falls > 0.9 * steps else "no",
        )
    ]
    if figure_1["widest_interval"] is not None:
        rows.append(
            (
                "Figure 1",
                "a narrow interval over 10 simulations of 1000 iterations",
                f"at most ±{figure_1['widest_interval']:.3f}, which says whether iterations suffice, not "
                "whether the test is right",
                "–",
            )
        )
    if "figure_02" in found:
        rows += _tagging_statements(found["figure_02"])
    rows += [
        (
            "Figure 3",
            "scores of both systems, to four decimals",
            f"{figure_3['scores_agree']} of {figure_3['scores']} are the same",
            _yes(figure_3["scores_agree"] == figure_3["scores"]),
        ),
        (
            "Figure 3",
            "p-values of 200 of 1000 items, drawn with replacement",
            f"{figure_3['p_agree']} of {figure_3['p_values']} within {AGREEMENT:.0f} standard errors; the "
            "printed ones are those of a share of "
            + " to ".join(f"{share:.2f}" for share in figure_3["implied_fractions"]),
            _yes(figure_3["p_agree"] == figure_3["p_values"]),
        ),
        (
            "Figure 4",
            "soft labels: scores and p-values",
            "their predictions are not public; p = 0 of both distances is what a wrong sign gives, nearly "
            "whatever the data (docs/labels.md)",
            "–",
        ),
    ]
    default, inside = levels["at_default"], levels["at_all"]
    if default is not None and inside is not None:
        rows.append(
            (
                "section 2.3",
                "small subsamples are the safe choice; broad ones make p artificially high",
                f"the largest share of equally good pairs with p ≤ {ALPHA:g} is {default['largest']:.4g} at "
                f"f = {DEFAULT_FRACTION:g}, and {inside['inside']} of {inside['rates']} rates lie in the "
                "band of an exact test at f = 1: p is too high where f is small",
                "no" if default["above"] + default["inside"] == 0 else "–",
            )
        )
    names = ("of the paper", "it says", "here", "agrees")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _tagging_statements(tagging: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    right_b, right_a = (right / TAGGED_ITEMS for right in (TAGGED_RIGHT_B, TAGGED_RIGHT_A))
    printed_b, printed_a = TAGGING["accuracy"]
    low, high = tagging["implied_discordance"]
    rows = [
        (
            "Figure 2",
            f"accuracies {printed_b:.4f} and {printed_a:.4f} on {TAGGED_ITEMS} instances",
            f"{TAGGED_RIGHT_B} and {TAGGED_RIGHT_A} right: {right_b:.4f} and {right_a:.4f}, by construction; "
            f"no whole number of {TAGGED_ITEMS} gives {printed_a:.4f}",
            "–",
        )
    ]
    if tagging["f1"] is not None:
        f1_b, f1_a = TAGGING["f1_macro"]
        rows.append(
            (
                "Figure 2",
                f"F-measures {f1_b:.4f} and {f1_a:.4f}",
                f"{tagging['f1']['b']:.4f} and {tagging['f1']['a']:.4f} over the simulations, whose classes "
                "are made up",
                "–",
            )
        )
    agreeing = [cell for cell in tagging["cells"] if cell["agrees"]]
    shown = ", ".join(f"{score_name(cell['score'])} at {cell['discordance']:g}" for cell in agreeing)
    silent = [
        score_name(score)
        for score in dict.fromkeys(cell["score"] for cell in tagging["cells"])
        if not any(cell["score"] == score for cell in agreeing)
    ]
    none_of = f", for {' and '.join(silent)} at none" if agreeing and silent else ""
    rows.append(
        (
            "Figure 2",
            f"p < {ALPHA:g} only above a share of {SIGNIFICANT_ABOVE:g}",
            f"so it is for {shown or 'none'} of the discordances tried{none_of}; the accuracies' p asks "
            f"for a discordance from {low:.4f} to {high:.4f}, {low * TAGGED_ITEMS:.0f} to "
            f"{high * TAGGED_ITEMS:.0f} items",
            "–",
        )
    )
    return rows


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
    """Return where the rates lie: published at BooStSa's default share, and recommended of all items."""
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


def _yes(agrees: bool) -> str:
    return "yes" if agrees else "no"
