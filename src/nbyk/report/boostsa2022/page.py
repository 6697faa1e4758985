"""The page of Fornaciari et al. 2022."""

from __future__ import annotations

import re
from pathlib import Path

from nbyk.report.html import write_page
from nbyk.studies.boostsa2022 import STUDY

FIGURE_TITLES = {
    "figure_01": "Figure 1: p against test-set size, by the share f that a resample draws",
    "figure_02": "Figure 2: p against the share f, by how often exactly one of two taggers is right",
    "figure_03": "Figure 3: the printed example's p-values, and ours on its predictions",
}
_LEVELS = re.compile(r"type_1_error_([0-9]+)")


def write_report(results: Path, out: Path) -> None:
    """Write the report of the study's results as one HTML file; NbykError if a part is missing."""
    titles = FIGURE_TITLES | {
        path.stem: f"Type-I error against the share f, N = {match[1]}: the figure that the paper lacks"
        for path in (results / "figures").glob("*.svg")
        if (match := _LEVELS.fullmatch(path.stem))
    }
    first = min((name for name in titles if _LEVELS.fullmatch(name)), key=len, default="figure_01")
    write_page(STUDY, results, out, titles=titles, first=first, z_columns=("z p",))
