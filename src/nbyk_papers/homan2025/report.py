"""The report of Homan et al. 2025."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbyk.report.answer import Answer
from nbyk_papers.fits import Fits
from nbyk_papers.homan2025.cases import Numbers
from nbyk_papers.homan2025.claims import verdicts_of
from nbyk_papers.homan2025.comparison import read_grid
from nbyk_papers.homan2025.design import LABELS, SOURCE_FIGURES
from nbyk_papers.homan2025.figures import figures_of
from nbyk_papers.homan2025.summary import summarise
from nbyk_papers.homan2025.tables import all_tables, read_power
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.verdicts import verdict_rows

PAGE = Page(
    "How many ratings per item are necessary, reproduced",
    Path(__file__).with_name("homan2025.html"),
    first="agreement",
    titles={
        "agreement": "Tables 1 to 3: published numbers against ours",
        "overstatement": "How many times too large the published p-values are",
        "figure_01": "Figure 1: shapes that a censored normal can take on five levels",
        "figure_02a": "Figure 2 (a): item means and standard deviations under the published prior, Toxicity",
        "figure_02b": "Figure 2 (b): the same, MultiDomain",
        **{
            f"figure_02_{source}": f"Like Figure 2: {name}, the published prior beside the ratings"
            for source, name in LABELS.items()
        },
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
    },
    marked=("z p", "z Δ"),
)


def report(
    *,
    grid: Sequence[Path],
    fits: Fits,
    seed: int,
    stages: Sequence[str] = (),
    claims: Sequence[Path] = (),
    power: Sequence[Path] = (),
    stage_ratings: Sequence[Path] = (),
) -> Answer:
    """Return tables, figures and the summary; `stages` are the sources of Figure 2 that have ratings."""
    numbers = Numbers(
        read_grid(grid), read_grid(claims) if claims else None, read_power(power) if power else None
    )
    goodness = dict(zip(fits.fitted, fits.checks, strict=True))
    rated = dict(zip(stages, stage_ratings, strict=True))
    verdicts = verdict_rows(verdicts_of(numbers))
    return study_answer(
        PAGE,
        {**summarise(numbers.grid), "verdicts": verdicts},
        all_tables(numbers, goodness),
        figures_of(numbers.grid, numbers.power, fits.files(), rated, seed=seed),
        priors=fits.priors,
    )
