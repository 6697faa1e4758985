"""The report of Wein et al. 2023."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers.fits import Fits
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.verdicts import VERDICTS_CAPTION, verdict_rows, verdict_table
from nbyk_papers.wein2023.claims import verdicts_of
from nbyk_papers.wein2023.comparison import Cells, read_cells
from nbyk_papers.wein2023.figures import figures_of
from nbyk_papers.wein2023.real_gold import small_perturbations
from nbyk_papers.wein2023.summary import summarise
from nbyk_papers.wein2023.tables import all_tables, ranks_by_cell

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
    n_items: int,
    k_responses: int,
    metrics: Sequence[str],
    samplers: Sequence[str],
    fits: Fits,
    seed: int,
) -> Answer:
    """Return tables, figures and the summary.

    Parameters
    ----------
    pvalues
        Files of p-values.
    n_items, k_responses, metrics, samplers
        The size, metrics and samplers to show.
    fits
        The priors fitted to sources.
    seed
        Seed of the draws from priors: in figures, and to show small perturbations on real gold.
    """
    cells = read_cells(pvalues, n_items=n_items, k_responses=k_responses, columns=metrics, samplers=samplers)
    return cells_report(cells, fits.files(), seed)


def cells_report(cells: Cells, fits: Mapping[str, tuple[Path, Path]], seed: int) -> Answer:
    """Return the report of cells that were read and of fits (ratings and prior by source)."""
    verdicts = verdict_rows(verdicts_of(cells))
    on_real_gold = [small_perturbations(source, *files, seed) for source, files in fits.items()]
    return study_answer(
        PAGE,
        {**summarise(cells), "verdicts": verdicts, "real_gold": on_real_gold},
        [*all_tables(cells), ("verdicts", VERDICTS_CAPTION, verdict_table(verdicts))],
        figures_of(cells, fits, seed),
        files_alone=[AnswerTable("ranks_by_cell", RANKS_CAPTION, ranks_by_cell(cells), on_page=False)],
        priors=[prior for _, prior in fits.values()],
    )
