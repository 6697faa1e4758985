"""The page of Homan et al. 2025."""

from __future__ import annotations

from pathlib import Path

from nbyk_papers.homan2025.design import LABELS, SOURCE_FIGURES
from nbyk_papers.page import StudyPage

_FIGURE_TITLES = {
    "agreement": "Tables 1 to 3: published numbers against ours",
    "overstatement": "How much the published p-values overstate",
    "figure_01": "Figure 1: shapes that a censored normal can take on five levels",
    "figure_02": "Figure 2: item means and standard deviations under the published priors",
    "figure_03a": "Figure 3 (a): p against K by budget, multistage and flat bootstrap, Toxicity",
    "figure_03b": "Figure 3 (b): the same, MultiDomain",
    "figure_04": "Figure 4: p against K by budget on a log scale, Toxicity",
    "figure_05a": "Figure 5 (a): p against K at N·K = 2500 for five metrics, Toxicity",
    "figure_05b": "Figure 5 (b): the same, MultiDomain",
    "figure_06": "Figure 6: power of the multistage bootstrap and of the usual tests",
    **{
        f"figure_{number:02d}": f"Figure {number}: p against K by budget, {LABELS[source]}"
        for source, number in SOURCE_FIGURES.items()
    },
    **{
        f"fit_{source}": f"{name}: the ratings, the published prior and our own fit"
        for source, name in LABELS.items()
    },
}

PAGE = StudyPage(Path(__file__).with_name("homan2025.html"), _FIGURE_TITLES, "agreement", ("z p", "z Δ"))
