"""The page of Wein et al. 2023."""

from __future__ import annotations

from pathlib import Path

from nbyk_papers.page import StudyPage

_FIGURE_TITLES = {
    "agreement": "Published true p-values against ours",
    "figure_01": "Figure 1: least error of the estimated p-value, simulated data",
    "figure_02": "Figure 2: least error of the estimated p-value, toxicity data",
    "figure_03": "Figure 3: item means of the toxicity data",
    "figure_04": "Figure 4: item standard deviations of the toxicity data",
}

PAGE = StudyPage(Path(__file__).with_name("wein2023.html"), _FIGURE_TITLES, "agreement", ("z true",))
