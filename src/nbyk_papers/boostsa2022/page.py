"""The page of Fornaciari et al. 2022."""

from __future__ import annotations

from pathlib import Path

from nbyk_papers.page import StudyPage

_FIGURE_TITLES = {
    "figure_01": "Figure 1: p against test-set size, by the share f that a resample draws",
    "figure_02": "Figure 2: p against the share f, by how often exactly one of two taggers is right",
    "figure_03": "Figure 3: the printed example's p-values, and ours on its predictions",
    "type_1_error": "Type-I error against the share f, the figure that the paper lacks",
}

PAGE = StudyPage(Path(__file__).with_name("boostsa2022.html"), _FIGURE_TITLES, "type_1_error", ("z p",))
