"""The page of Ulmer et al. 2022."""

from __future__ import annotations

from pathlib import Path

from nbyk_papers.page import StudyPage

_FIGURE_TITLES = {
    "agreement": "Tables 1 to 8: published rates against ours",
    "figure_02": "Figure 2: the distributions that scores come from",
    "figure_03": "Figure 3: Type-I error by sample size",
    "figure_06": "Figure 6: p-values and eps_min where the systems are equally good",
    "figure_07": "Figure 7: Type-II error by sample size and by lead",
}

PAGE = StudyPage(Path(__file__).with_name("ulmer2022.html"), _FIGURE_TITLES, "agreement", ("z",))
