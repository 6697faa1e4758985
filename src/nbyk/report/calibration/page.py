"""The page of calibration."""

from __future__ import annotations

from pathlib import Path

from nbyk.report.html import write_page
from nbyk.studies.calibration import STUDY

_FIGURE_TITLES = {
    "type_1_error": "Type-I error of every test at every size, where the systems are equally good",
    "metrics": "Type-I error by every metric",
    "expected_p": "How often the papers' expected p is below the level, by sampler and null",
    "power": "Power of every test at every size",
}


def write_report(results: Path, out: Path) -> None:
    """Write the report of the study's results as one HTML file; NbykError if a part is missing."""
    write_page(STUDY, results, out, titles=_FIGURE_TITLES, first="type_1_error", z_columns=())
