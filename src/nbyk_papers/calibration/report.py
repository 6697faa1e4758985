"""The report of calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.report.answer import Answer
from nbyk_papers.calibration.figures import figures_of
from nbyk_papers.calibration.labels import labels_table, read_labels
from nbyk_papers.calibration.reading import read_rates
from nbyk_papers.calibration.summary import MAIN_ALPHA, summarise
from nbyk_papers.calibration.tables import tables_of
from nbyk_papers.shown import Page, study_answer

if TYPE_CHECKING:
    import pandas as pd

PAGE = Page(
    "How often each test rejects",
    Path(__file__).with_name("calibration.html"),
    first="type_1_error",
    titles={
        "type_1_error": "Type-I error of every test at every size, with equally good systems",
        "metrics": "Type-I error by every metric",
        "expected_p": "How often the papers' expected p is below the level, by sampler and null",
        "power": "Power of every test at every size",
    },
)


def report(*, rates: Sequence[Path], priors: Sequence[Path] = (), labels: Sequence[Path] = ()) -> Answer:
    """Return tables, heat maps and the summary from the files of both steps, and of the priors behind."""
    return rates_report(read_rates(rates), priors, read_labels(labels) if labels else None)


def rates_report(
    rates: pd.DataFrame, priors: Sequence[Path] = (), labels: pd.DataFrame | None = None
) -> Answer:
    """Return the report of rates that were read, simulated from priors in these files."""
    tables = tables_of(rates)
    if labels is not None:
        caption = (
            f"Type-I error of the recommended test of labels at α = {MAIN_ALPHA:g}, by number of classes"
        )
        tables.append(("labels", caption, labels_table(labels)))
    return study_answer(PAGE, summarise(rates), tables, figures_of(rates), priors=priors)
