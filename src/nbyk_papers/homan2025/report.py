"""What people read of Homan et al. 2025."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.report.answer import Answer
from nbyk_papers.homan2025.comparison import read_grid
from nbyk_papers.homan2025.design import LABELS, SOURCE_FIGURES
from nbyk_papers.homan2025.figures import figures_of
from nbyk_papers.homan2025.summary import summarise
from nbyk_papers.homan2025.tables import all_tables, read_power
from nbyk_papers.shown import study_answer

if TYPE_CHECKING:
    import pandas as pd

TITLES = {
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


def report(
    *,
    pvalues: Sequence[Path],
    fitted: Sequence[str],
    seed: int,
    power: Sequence[Path] = (),
    checks: Sequence[Path] = (),
    ratings: Sequence[Path] = (),
    priors: Sequence[Path] = (),
) -> Answer:
    """Return tables, figures and the summary.

    Parameters
    ----------
    pvalues, power
        Files of the steps grid and power.
    fitted
        Sources that are own fits.
    seed
        Seed of what figures draw from priors.
    checks, ratings, priors
        Of each source that is an own fit: its goodness, its ratings and its prior.
    """
    goodness = dict(zip(fitted, checks, strict=True))
    fits = dict(zip(fitted, zip(ratings, priors, strict=True), strict=True))
    return grid_report(read_grid(pvalues), read_power(power) if power else None, goodness, fits, seed)


def grid_report(
    grid: pd.DataFrame,
    power: pd.DataFrame | None,
    goodness: Mapping[str, Path],
    fits: Mapping[str, tuple[Path, Path]],
    seed: int,
) -> Answer:
    """Return the report of a grid and of power that were read, and of own fits by source."""
    return study_answer(
        "How many ratings per item are necessary, reproduced",
        summarise(grid),
        all_tables(grid, power, goodness),
        figures_of(grid, power, fits, seed=seed),
        titles=TITLES,
        first="agreement",
        template=Path(__file__).with_name("homan2025.html"),
        marked=("z p", "z Δ"),
    )
