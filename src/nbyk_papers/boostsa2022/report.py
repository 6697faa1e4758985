"""The report of Fornaciari et al. 2022."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.report.answer import Answer
from nbyk_papers.boostsa2022.figures import figures_of
from nbyk_papers.boostsa2022.reading import read_levels, read_p_values
from nbyk_papers.boostsa2022.summary import summarise
from nbyk_papers.boostsa2022.tables import tables_of
from nbyk_papers.shown import Page, study_answer

if TYPE_CHECKING:
    import pandas as pd

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
