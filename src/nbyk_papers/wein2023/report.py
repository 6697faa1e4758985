"""The report of Wein et al. 2023, and how many of the published numbers agree with a run's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.report.answer import Answer, AnswerTable
from nbyk.resampling.samplers import get_sampler
from nbyk_papers.agreement import chi_square
from nbyk_papers.shown import Fits, Page, records, study_answer
from nbyk_papers.wein2023.choices import NOT_ACCEPTABLE, acceptable_table, best_choices, choices, verdict
from nbyk_papers.wein2023.claims import verdicts_of
from nbyk_papers.wein2023.comparison import (
    PRINTED_RESOLUTION,
    REPORTED_BELOW,
    Cells,
    agreement_by_rank,
    minima,
    rank_counts,
    rank_sentence,
    read_cells,
)
from nbyk_papers.wein2023.design import STUDY, minima_table_name
from nbyk_papers.wein2023.figures import figures_of, minima_figures
from nbyk_papers.wein2023.study import section_folder
from nbyk_papers.wein2023.tables import all_tables, ranks_by_cell

if TYPE_CHECKING:
    import pandas as pd


AGREEMENT = 3.0
"""A published number agrees when it lies within this many standard errors of ours."""


def summarise(cells: Cells) -> dict[str, Any]:
    """Return the number of published cells that agree with ours, by semantics and table, and the others.

    A true p-value is compared by its Monte-Carlo error on both sides. The median of |z| would be 0.67 if
    every difference were chance, and less if samplers share a true p-value that is almost zero. An estimated
    one depends on the one test set that the paper drew. It is therefore judged by its rank among the
    estimates from our test sets (`place_among`), and so are the least errors of Tables 1 to 4.
    """
    summary: dict[str, Any] = {"study": STUDY, "within_standard_errors": AGREEMENT}
    for semantics in sorted(cells.semantics):
        chosen = choices(cells.of(semantics))
        rows = cells.table[(cells.table["semantics"] == semantics) & cells.table["published_true_p"].notna()]
        summary[semantics] = {
            "true_p": _agreement(rows),
            "estimated_p": _ranks(cells.of(semantics)),
            "by_table": {
                table: {**_agreement(of_table), **_chi_square(of_table)}
                for table, of_table in rows.groupby("table", sort=False)
            },
            "acceptable": _acceptable(cells.of(semantics)),
            "choices": verdict(chosen, semantics) if len(chosen) else None,
            "best": best_choices(cells.of(semantics)),
            "tables_1_to_4": _minima_agreement(cells, semantics),
        }
    headline = summary["published" if "published" in summary else "recommended"]
    true, estimated = headline["true_p"], headline["estimated_p"]
    summary["line"] = (
        f"{true['agree']} of {true['cells']} published true p-values agree; {estimated['sentence']}"
    )
    return summary


def _ranks(cells: Cells) -> dict[str, Any]:
    """Return how the published estimates of one semantics rank among ours: in all, and by source and ε."""
    places = cells.table["published_place"].dropna()
    counts, sets = rank_counts(places), int(cells.table["n_references"].max())
    by_test_set = agreement_by_rank(cells) if len(places) else None
    return {
        **counts,
        "sets": sets,
        "sentence": rank_sentence(counts, sets),
        "by_test_set": [] if by_test_set is None else records(by_test_set),
    }


def _acceptable(cells: Cells) -> dict[str, Any]:
    """Return the number of p-values with errors that the paper calls not acceptable, and a sentence."""
    table = acceptable_table(cells)
    cells_of, off, published, published_off = (
        int(table[name].sum())
        for name in ("cells", "not acceptable", "published cells", "not acceptable as published")
    )
    share = float((table["of all sets"] * table["cells"]).sum() / cells_of)
    of_paper = f" Of the paper's own {published}, {published_off} are not." if published else ""
    return {
        "cells": cells_of,
        "not_acceptable": off,
        "share_of_all_sets": share,
        "published_cells": published,
        "published_not_acceptable": published_off,
        "sentence": (
            f"Section 5 calls an estimate not acceptable if it is off the true p-value by {NOT_ACCEPTABLE} "
            f"or more. Of the {cells_of} estimates from our first test set, {off} are not acceptable. Of the "
            f"estimates from all test sets, {share:.0%} are not.{of_paper}"
        ),
    }


def _agreement(rows: pd.DataFrame) -> dict[str, Any]:
    z = rows["z_true"].dropna()
    agree = int((z.abs() <= AGREEMENT).sum())
    return {
        "cells": len(z),
        "agree": agree,
        "share": agree / len(z) if len(z) else None,
        "median_abs_z": float(z.abs().median()) if len(z) else None,
    }


def _chi_square(rows: pd.DataFrame) -> dict[str, Any]:
    """Return χ² of a table's true p-values, each published number once, and its degrees of freedom.

    Several samplers share one draw of ours, and often one of the paper's. Numbers below the printed precision
    on both sides are left out, because they tell nothing.
    """
    several = rows["sampler"].map(lambda name: get_sampler(name).responses_per_item(2) > 1)
    total, freedom = 0.0, 0
    for _, shared in rows.groupby([rows["metric"], several]):
        first = shared.iloc[0]
        published = np.unique(shared["published_true_p"])
        if max(first["true_p"], published.max()) < REPORTED_BELOW:
            continue
        theirs = float(shared["published_variance"].mean()) + PRINTED_RESOLUTION**2
        chi2, n = chi_square(float(first["true_p"]), float(shared["true_variance"].mean()), published, theirs)
        total, freedom = total + chi2, freedom + n
    return {"chi2": total, "dof": freedom}


def _minima_agreement(cells: Cells, semantics: str) -> dict[str, Any]:
    agreement = {}
    for source in cells.table.loc[cells.table["semantics"] == semantics, "source"].unique():
        for kind in ("sampler", "metric"):
            table = minima(cells.of(semantics, source), kind)
            if table["published"].notna().any():
                counts = rank_counts(table["published_place"].dropna())
                agreement[minima_table_name(source, kind)] = counts
    return agreement


PAGE = Page(
    "Follow the leader(board) with confidence, reproduced",
    Path(__file__).with_name("wein2023.html"),
    first="agreement",
    titles={
        "agreement": "Published true p-values against ours",
        "figure_01": "Figure 1: least error of the estimated p-value, simulated data",
        "figure_02": "Figure 2: least error of the estimated p-value, toxicity data",
        "figure_03": "Figure 3: item means of the toxicity data",
        "figure_04": "Figure 4: item standard deviations of the toxicity data",
    },
    marked=("z true",),
)

RANKS_CAPTION = "Every published estimated p-value beside ours, and its place among our test sets"


def report(
    *,
    pvalues: Sequence[Path],
    shown: Sequence[Sequence[float]],
    metrics: Sequence[str],
    samplers: Sequence[str],
    fits: Fits,
    seed: int,
) -> Answer:
    """Return tables, figures and the summary.

    `shown` are N, K and ε_A of each section, the paper's numbers in the first. The seed is that of draws from
    priors: in figures, and to show small perturbations on real gold.
    """
    first, *later = [
        read_cells(
            pvalues,
            n_items=int(n),
            k_responses=int(k),
            epsilon_a=epsilon_a,
            columns=metrics,
            samplers=samplers,
        )
        for n, k, epsilon_a in shown
    ]
    folders = [section_folder(*section) for section in shown[1:]]
    return cells_report(first, fits.files(), seed, dict(zip(folders, later, strict=True)))


def cells_report(
    cells: Cells, fits: Mapping[str, tuple[Path, Path]], seed: int, later: Mapping[str, Cells] | None = None
) -> Answer:
    """Return the report of the first section's cells, and of further sections' by their folder."""
    tables, figures = list(all_tables(cells)), figures_of(cells, fits, seed)
    sections = []
    for folder, of_section in (later or {}).items():
        size = folder.replace("_", ", ").replace("-", " = ")
        summary = summarise(of_section)
        sentences = [f"({name}) {summary[name]['acceptable']['sentence']}" for name in of_section.semantics]
        sections.append({"title": size, "text": " ".join(sentences)})
        tables += [
            (f"{folder}/{name}", f"{caption}, {size}", table)
            for name, caption, table in all_tables(of_section)
        ]
        figures |= {f"{folder}/{name}": draw for name, draw in minima_figures(of_section).items()}
    return study_answer(
        PAGE,
        {**summarise(cells), "verdicts": verdicts_of(cells), "sections": sections},
        tables,
        figures,
        files_alone=[AnswerTable("ranks_by_cell", RANKS_CAPTION, ranks_by_cell(cells), on_page=False)],
        priors=[prior for _, prior in fits.values()],
    )
