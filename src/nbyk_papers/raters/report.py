"""The report of the study of raters: p against N and K, with and without the raters' ids, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from nbyk.report.answer import Answer
from nbyk.report.drawing import COLOURS, new_panels
from nbyk_papers import placed
from nbyk_papers.gathered import P_VALUES, RATES, as_rows, read_partitioned
from nbyk_papers.homan2025.claims import CLAIMS, PValues
from nbyk_papers.homan2025.design import KEY
from nbyk_papers.raters.categories import category_verdicts, read_categories
from nbyk_papers.raters.design import ALPHA, FORGOTTEN, IN_WORDS, KEPT, LABELS, OTHERS, SEMANTICS, system_name
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.verdicts import Verdict, verdicts_on

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure


_OF_RATERS = {
    "raters_of_the_data": "raters",
    "severity_sd": "SD of severities",
    "rater_share": "share of the variance within an item",
    "sensitivity_sd": "SD of sensitivities",
    "sensitivity_share": "share of the variance within an item, sensitivities",
}
"""The columns about the raters of a data set, and their titles."""

_COLUMNS = (
    *("epsilon", "shift", "n_items", "k_responses", "metric", "semantics", "raters"),
    *("p", "standard_error", "rejected", "n_sets"),
    *_OF_RATERS,
)
_STYLES: dict[str, Literal[":", "--", "-"]] = {OTHERS: ":", FORGOTTEN: "--", KEPT: "-"}
_SIZE = ["source", "system", "metric", "semantics", "n_items", "k_responses"]


def read_p(files: Sequence[Path]) -> pd.DataFrame:
    """Return the rows of the step `pvalues` as one table, with the data set, system B's name and N·K."""
    table = read_partitioned(files, _COLUMNS, ("source",))
    names = [system_name(*pair) for pair in zip(table["epsilon"], table["shift"], strict=True)]
    return table.assign(system=names, n_times_k=table["n_items"] * table["k_responses"])


def report(
    *, pvalues: Sequence[Path], categories: Sequence[Path] = (), priors: Sequence[Path] = ()
) -> Answer:
    """Return tables, figures and verdicts from the files of both steps, and of the priors behind."""
    table = read_p(pvalues)
    of_labels = read_categories(categories)
    sources = list(dict.fromkeys(table["source"]))
    figures: dict[str, Callable[[], Figure]] = {
        placed(semantics, f"{source}_{metric}"): partial(p_figure, table, source, semantics, metric)
        for semantics in SEMANTICS
        for source in sources
        for metric in LABELS
    }
    page = Page(
        "Raters whom items share",
        Path(__file__).with_name("raters.html"),
        first=f"{sources[0]}_mae",
        titles={
            f"{source}_{metric}": f"{source}, {label}: "
            "mean p against N, by K and by the use of the raters' ids"
            for source in sources
            for metric, label in LABELS.items()
        },
    )
    shown = table.assign(raters=table["raters"].map(IN_WORDS))
    columns = ["source", "system", "semantics", "metric", "raters", "n_items", "k_responses"]
    return study_answer(
        page,
        {**summarise(table), "verdicts": [*verdicts_of(table), *category_verdicts(of_labels)]},
        [
            (
                "raters",
                "How the raters of each data set differ",
                fitted_raters(table).rename(columns=_OF_RATERS),
            ),
            ("pvalues", "Every mean p", shown[[*columns, "p", "standard_error", "rejected", "n_sets"]]),
            ("categories", "Labels as categories: p by each sampler of items and people", of_labels.round(4)),
        ],
        figures,
        priors=priors,
    )


def summarise(table: pd.DataFrame) -> dict[str, Any]:
    """Return the first sentence of the page: by how much p is too small if ids are forgotten."""
    mean_p = table.pivot_table(index=_SIZE, columns="raters", values=["p", "rejected"]).reset_index()
    counts = {}
    for semantics in SEMANTICS:
        of = mean_p[mean_p["semantics"] == semantics]
        counts[semantics] = {
            "cells": len(of),
            "smaller": int((of["p"][FORGOTTEN] < of["p"][KEPT]).sum()),
            "significant_forgotten": int((of["p"][FORGOTTEN] < ALPHA).sum()),
            "significant_kept": int((of["p"][KEPT] < ALPHA).sum()),
        }
    ours = counts["recommended"]
    line = (
        f"If the same people rate all items, mean p is below {ALPHA:g} in {ours['significant_forgotten']} of "
        f"{ours['cells']} cells when the test forgets their ids, and in {ours['significant_kept']} when it "
        "keeps them"
    )
    return {
        "line": line,
        "counts": counts,
        "n_sets": int(table["n_sets"].min()),
        "raters": fitted_raters(table).to_dict("records"),
    }


def fitted_raters(table: pd.DataFrame) -> pd.DataFrame:
    """Return the number of raters of each data set, and the differences fitted to them, one set to a row."""
    return table.groupby("source", sort=False, as_index=False)[list(_OF_RATERS)].first()


def p_figure(table: pd.DataFrame, source: str, semantics: str, metric: str) -> Figure:
    """Draw mean p against N: a panel per system B, a colour per K, a line for each way to treat raters."""
    chosen = ["source", "semantics", "metric"]
    rows = table[(table[chosen] == [source, semantics, metric]).all(axis=1)]
    systems = list(dict.fromkeys(rows["system"]))
    sizes = rows.groupby("k_responses")["n_items"].nunique()
    lines = [int(k) for k in sizes[sizes > 1].index]
    figure, panels = new_panels(2.4 + 2.7 * len(systems), 3.6, len(systems), share_y=True)
    for axes, system in zip(panels, systems, strict=True):
        for colour, k in zip(COLOURS, lines, strict=False):
            for raters, line in _STYLES.items():
                of = rows[
                    (rows["system"] == system) & (rows["k_responses"] == k) & (rows["raters"] == raters)
                ]
                of = of.sort_values("n_items")
                axes.plot(of["n_items"], of["p"], line, color=colour, marker="o", markersize=3, linewidth=1.4)
        axes.axhline(ALPHA, color="black", linewidth=0.8)
        axes.set_xscale("log")
        ticks = sorted(set(rows.loc[rows["k_responses"].isin(lines), "n_items"]))
        axes.set_xticks(ticks, [f"{n}" for n in ticks])
        axes.minorticks_off()
        axes.set_xlabel("items N")
        axes.set_title(system, loc="left", fontsize=9)
    panels[0].set_ylabel("mean p")
    panels[0].set_ylim(0.0, None)
    figure.legend(handles=_legend(lines), fontsize=7, loc="outside right upper")
    figure.suptitle(f"{source}, {LABELS[metric]}, {semantics}", fontsize=10)
    return figure


def _legend(lines: Sequence[int]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        *(Line2D([], [], color=colour, label=f"K = {k}") for colour, k in zip(COLOURS, lines, strict=False)),
        *(
            Line2D([], [], color="black", linestyle=line, label=IN_WORDS[raters])
            for raters, line in _STYLES.items()
        ),
    ]


def p_value_rows(*, pvalues: Sequence[Path], categories: Sequence[Path] = (), seed: int) -> pa.Table:
    """Return the mean p of test sets, whose sampler is what is known of raters, or of labels, what draws."""
    of_labels = read_categories(categories).assign(semantics="published")
    both = pd.concat([_of_raters(pvalues), of_labels.rename(columns={"epsilon": "epsilon_b"})])
    named = both.rename(columns={"p": "true_p", "standard_error": "true_se", "delta": "true_effect"})
    return as_rows(P_VALUES, "raters", seed, named.assign(n_draws=named["n_sets"]), epsilon_a=0.0)


def rate_rows(*, pvalues: Sequence[Path], seed: int) -> pa.Table:
    """Return the share of test sets with a p below the level."""
    named = _of_raters(pvalues).rename(columns={"rejected": "rate"})
    return as_rows(RATES, "raters", seed, named, alpha=ALPHA, epsilon_a=0.0)


def _of_raters(files: Sequence[Path]) -> pd.DataFrame:
    table = read_partitioned(files, ("epsilon", "shift", "raters", "p", "rejected"), ("source",))
    shifted = ", shifted by " + table["shift"].astype(str)
    source = table["source"] + shifted.where(table["shift"] != 0.0, "")
    return table.assign(source=source).rename(columns={"epsilon": "epsilon_b", "raters": "sampler"})


def _larger_sizes(numbers: PValues) -> pd.DataFrame:
    """Return cases that support the claim where, at one K, p falls from each N to the next."""
    by = [*KEY, "k_responses"]
    rows = numbers.sizes.sort_values([*by, "n_items"], kind="stable")
    before = rows.groupby(by)[["p", "standard_error"]].shift()
    error = np.hypot(before["standard_error"], rows["standard_error"])
    return rows.assign(margin=before["p"] - rows["p"], error=error)


JUDGED = {
    "raters": "with 1000 items and 24 ratings per item, the mean p of MAE is .05 or more",
    "few_responses_of_1000_items": "with 1000 items and 5 or 10 ratings per item, mean p is .05 or more",
    "responses_for_mae_and_memd": "at the same N·K, p of MAE is lower with K = 50 than with K = 5",
    "items_for_wins": "at the same N·K, p of Wins is lower with K = 5 than with K = 50",
    "larger_budgets": "at the same K, p falls from each N to the next",
}
"""The conclusions that rest on p at sizes of this study, and when each holds here."""


def verdicts_of(table: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each conclusion, in each of the three worlds, if the run has the numbers.

    Only systems that are off by ε count, as in the paper.
    """
    rows = table[table["shift"] == 0.0].rename(columns={"metric": "column", "epsilon": "epsilon_b"})
    worlds = {}
    for semantics in SEMANTICS:
        for raters, words in IN_WORDS.items():
            own = rows[(rows["semantics"] == semantics) & (rows["raters"] == raters)]
            worlds[f"{semantics}, {words}"] = PValues(own, own)
    claims = {name: replace(CLAIMS[name], criterion=criterion) for name, criterion in JUDGED.items()}
    claims["larger_budgets"] = replace(claims["larger_budgets"], cases=_larger_sizes)
    return verdicts_on(claims.values(), worlds)
