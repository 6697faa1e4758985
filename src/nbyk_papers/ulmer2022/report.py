"""The report of Ulmer et al. 2022."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.ulmer2022.claims import verdicts_of
from nbyk_papers.ulmer2022.comparison import compare
from nbyk_papers.ulmer2022.figures import figures_of
from nbyk_papers.ulmer2022.reading import error_rates, read_scores
from nbyk_papers.ulmer2022.summary import summarise
from nbyk_papers.ulmer2022.tables import tables_of
from nbyk_papers.verdicts import verdict_rows

if TYPE_CHECKING:
    import pandas as pd

PAGE = Page(
    "deep-significance: error rates of tests of scores, reproduced",
    Path(__file__).with_name("ulmer2022.html"),
    first="agreement",
    titles={
        "agreement": "Tables 1 to 8: published rates against ours",
        "figure_02": "Figure 2: the distributions of the scores",
        "figure_03": "Figure 3: Type-I error by sample size",
        "figure_06": "Figure 6: p-values and eps_min of equally good systems",
        "figure_07": "Figure 7: Type-II error by sample size and by lead",
    },
    marked=("z",),
)


def report(*, scores: Sequence[Path], thresholds: Sequence[float]) -> Answer:
    """Return tables, figures and the summary of files of the step scores."""
    return scores_report(read_scores(scores), thresholds)


def scores_report(scores: pd.DataFrame, thresholds: Sequence[float]) -> Answer:
    """Return the report of scores that were read."""
    rates = error_rates(scores, thresholds)
    cells = compare(rates)
    verdicts = verdict_rows(verdicts_of(rates))
    return study_answer(
        PAGE,
        {**summarise(cells), "verdicts": verdicts},
        tables_of(rates, cells),
        figures_of(scores, cells),
        files_alone=[AnswerTable("rates", "Every error rate, with its exact interval", rates, on_page=False)],
    )
