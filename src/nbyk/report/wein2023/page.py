"""The page of Wein et al. 2023."""

from __future__ import annotations

from pathlib import Path

from nbyk.report.html import write_page
from nbyk.studies.wein2023 import STUDY

_FIGURE_TITLES = {
    "agreement": "Published true p-values against ours",
    "figure_01": "Figure 1: least error of the estimated p-value, simulated data",
    "figure_02": "Figure 2: least error of the estimated p-value, toxicity data",
    "figure_03": "Figure 3: item means of the toxicity data",
    "figure_04": "Figure 4: item standard deviations of the toxicity data",
}


def write_report(results: Path, out: Path) -> None:
    """Write the report of the study's results as one HTML file; NbykError if a part is missing."""
    write_page(STUDY, results, out, titles=_FIGURE_TITLES, first="agreement", z_columns=("z true",))
