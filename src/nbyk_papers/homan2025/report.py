"""The report of Homan et al. 2025, and how many of the published numbers agree with a run's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.report.answer import Answer
from nbyk_papers.homan2025.claims import Numbers, verdicts_of
from nbyk_papers.homan2025.comparison import (
    AGREEMENT,
    NEAR_K,
    NEAR_SIZE,
    OTHER_K,
    SAME_SIZE,
    compare,
    implied_draws,
    overstatement,
    picks_of_rule,
    read_grid,
)
from nbyk_papers.homan2025.design import LABELS, PUBLISHED_DRAWS, SOURCE_FIGURES, STATED_DRAWS, STUDY
from nbyk_papers.homan2025.figures import figures_of
from nbyk_papers.homan2025.tables import all_tables, read_power
from nbyk_papers.shown import Fits, Page, study_answer

if TYPE_CHECKING:
    import pandas as pd


def summarise(grid: pd.DataFrame) -> dict[str, Any]:
    """Return the agreement of published cells with ours in p and in Δ.

    Chance alone gives a root mean square of z of 1.
    """
    cells = compare(grid, "published")
    compared = cells[cells["p"].notna() & cells["published_p"].notna()]
    sources = [name for name in LABELS if name in set(compared["source"])]
    published = {
        **_agreement(compared),
        "by_source": {name: _agreement(compared[compared["source"] == name]) for name in sources},
        "by_table": {str(name): _agreement(rows) for name, rows in compared.groupby("table", sort=False)},
    }
    both, n = published["both"], published["cells"]
    return {
        "study": STUDY,
        "within_standard_errors": AGREEMENT,
        "published": published,
        "published_draws": _draws(grid),
        "selection": _selection(cells),
        "overstatement": _overstatement(overstatement(grid)),
        "line": f"{both} of {n} published cells agree in p and in Δ",
    }


def _agreement(rows: pd.DataFrame) -> dict[str, Any]:
    close_p, close_effect = rows["z_p"].abs() <= AGREEMENT, rows["z_effect"].abs() <= AGREEMENT
    n, both = len(rows), int((close_p & close_effect).sum())
    return {
        "cells": n,
        "agree_p": int(close_p.sum()),
        "agree_delta": int(close_effect.sum()),
        "both": both,
        "share": both / n if n else None,
        "rms_z_p": float((rows["z_p"] ** 2).mean() ** 0.5) if n else None,
        "rms_z_delta": float((rows["z_effect"] ** 2).mean() ** 0.5) if n else None,
    }


def _draws(grid: pd.DataFrame) -> dict[str, Any]:
    """Return the draws b behind the published numbers: stated, used here, and implied by their scatter."""
    cells = compare(grid, "published", published_draws=STATED_DRAWS)
    compared = cells[cells["p"].notna() & cells["published_p"].notna()]
    return {
        "stated": STATED_DRAWS,
        "used": PUBLISHED_DRAWS,
        "implied_by_p": implied_draws(grid, "p"),
        "implied_by_delta": implied_draws(grid, "effect"),
        "if_as_stated": _agreement(compared),
    }


def _selection(cells: pd.DataFrame) -> dict[str, int]:
    """Return the numbers of equal picks of the paper's rule from our numbers, and of near ties."""
    picks = picks_of_rule(cells)
    same_n_times_k = [SAME_SIZE, OTHER_K, NEAR_K]
    return {
        "cells": len(cells),
        "same_n_times_k": int(picks.isin(same_n_times_k).sum()),
        "same_size": int((picks == SAME_SIZE).sum()),
        "near_ties_n_times_k": int((picks == NEAR_SIZE).sum()),
        "near_ties_k": int((picks == NEAR_K).sum()),
    }


def _overstatement(ratios: pd.DataFrame) -> dict[str, Any]:
    ratio = ratios["ratio"].dropna()
    if ratio.empty:
        return {"cells": 0}
    ends = {"min": float(ratio.min()), "median": float(ratio.median()), "max": float(ratio.max())}
    return {"cells": len(ratio), **ends}


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
    rated = dict(zip(stages, stage_ratings, strict=True))
    return study_answer(
        PAGE,
        {**summarise(numbers.grid), "verdicts": verdicts_of(numbers)},
        all_tables(numbers, fits.files()),
        figures_of(numbers.grid, numbers.power, fits.files(), rated, seed=seed),
        priors=fits.priors,
    )
