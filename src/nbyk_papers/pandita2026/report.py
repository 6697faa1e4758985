"""The report of Pandita et al. 2026."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers.pandita2026.claims import verdicts_of
from nbyk_papers.pandita2026.comparison import NEAR, beside_printed, read_grid, shown_epsilon, smallest
from nbyk_papers.pandita2026.design import ALPHA, POWER, STUDY
from nbyk_papers.pandita2026.estimates import (
    K_RESPONSES,
    N_ITEMS,
    estimate_verdicts,
    estimates_figure,
    read_estimates,
)
from nbyk_papers.pandita2026.figures import figures_of
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.verdicts import verdict_rows
from nbyk_papers.wein2023.estimation_errors import nearest_table

if TYPE_CHECKING:
    import pandas as pd

PAGE = Page(
    "Forest vs Tree, reproduced",
    Path(__file__).with_name("pandita2026.html"),
    first="agreement",
    titles={
        "agreement": "Table 2: printed p against ours, and the power of a test in the same cells",
        "p_by_k": "The paper's p against K, by metric and prior",
        "power_by_k": "The power of a t-test over items against K, by metric and prior",
        "estimates": "How far p estimated from one set is from the true p, by sampler, metric and responses",
    },
    marked=("z p", "z Δ"),
)
ESTIMATES_CAPTION = (
    f"Which sampler's p from one set of {N_ITEMS} items and {K_RESPONSES} responses is nearest to the true p"
)
_TABLE_2 = {
    "source": "source",
    "metric": "metric",
    "budget": "N·K",
    "budget_was_read": "N·K was read",
    "k_responses": "K",
    "n_items": "N",
    "printed_p": "p, printed",
    "p": "p, ties left out",
    "p_with_ties": "p, ties counted",
    "p_error": "standard error",
    "p_is_near": f"within {NEAR:g}",
    "p_between": "between the two",
    "z_p": "z p",
    "printed_delta": "Δ, printed",
    "delta": "Δ",
    "z": "z Δ",
    "power": "power",
    "level": "level",
}


def report(*, grid: Sequence[Path], table: Sequence[Path], estimates: Sequence[Path] = ()) -> Answer:
    """Return tables, figures and the summary from the files of the steps."""
    cells, printed = read_grid(grid), beside_printed(read_grid(table))
    estimated = read_estimates(estimates) if estimates else None
    verdicts = verdict_rows([*verdicts_of(cells), *(estimate_verdicts(estimated) if estimated else ())])
    summary = {**summarise(cells, printed), "verdicts": verdicts}
    tables = [
        ("table_2", "Table 2: printed p and Δ beside ours", printed[list(_TABLE_2)].rename(columns=_TABLE_2)),
        (
            "smallest",
            f"The smallest N·K at which some K has the paper's p < {ALPHA:g}, and a power of {POWER:g}",
            smallest(cells).round(4),
        ),
    ]
    figures = figures_of(cells, printed)
    if estimated:
        tables.append(("estimates", ESTIMATES_CAPTION, nearest_table(estimated).round(4)))
        figures["estimates"] = partial(estimates_figure, estimated)
    every = AnswerTable(
        "grid", f"Every cell; figures show ε = {shown_epsilon(cells):g}", cells, on_page=False
    )
    return study_answer(PAGE, summary, tables, figures, files_alone=[every])


def summarise(grid: pd.DataFrame, printed: pd.DataFrame) -> dict[str, Any]:
    """Return how many numbers of Table 2 agree with ours, and how its cells fare as tests.

    Parameters
    ----------
    grid, printed
        From `read_grid` and `beside_printed`.
    """
    n, p, delta = len(printed), int(printed["p_is_near"].sum()), int(printed["delta_agrees"].sum())
    either, agree = (
        int(of.sum()) for of in (printed["p_is_near"] | printed["p_between"], printed["p_agrees"])
    )
    powers = printed["power"]
    reached = int((powers >= POWER).sum())
    summary = {
        "study": STUDY,
        "near": NEAR,
        "table_2": {"cells": n, "delta": delta, "p": agree, "near": p, "near_or_between": either},
        "n_sets": int(grid["n_sets"].min()),
        "table_sets": int(printed["n_sets"].min()) if n else 0,
        "power": {
            "reached": reached,
            "none": int((powers == 0.0).sum()),
            "median": float(powers.median()) if n else None,
            "level": float(printed["level"].max()) if n else None,
        },
    }
    line = (
        f"{delta} of {n} printed Δ and {agree} of {n} printed p of Table 2 agree; a t-test over the items of "
        f"one such set has a power of {POWER:g} in {reached} of these cells"
    )
    return {**summary, "line": line}
