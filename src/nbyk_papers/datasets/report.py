"""The report on every available data set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.priors import item_parameters
from nbyk.report.answer import Answer, AnswerTable
from nbyk.report.drawing import COLOURS, new_panels
from nbyk_papers.datasets.summary import (
    DataSet,
    description_table,
    family_label,
    p_value_table,
    read_data_set,
    shown_p_values,
    summary_table,
)
from nbyk_papers.fits import draw_ecdf, label_moments, moments_of_prior
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.wein2023.design import COLUMNS
from nbyk_papers.wein2023.real_gold import SmallPerturbations

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def report(
    *,
    sources: Sequence[str],
    seed: int,
    pvalues: Sequence[Path],
    ratings: Sequence[Path],
    priors: Sequence[Path],
    checks: Sequence[Path],
) -> Answer:
    """Return tables, a figure of each data set and the page, from files of p-values and of each data set."""
    if not len(sources) == len(ratings) == len(priors) == len(checks) > 0:
        raise NbykError("no data sets; expected one file of ratings, one prior and one check for each source")
    data_sets = [read_data_set(*parts) for parts in zip(sources, ratings, priors, checks, strict=True)]
    p = p_value_table(pvalues, sources)
    shown = shown_p_values(p)
    n_ratings = sum(data.ratings.n_ratings for data in data_sets)
    page = Page(
        "Every data set that you have",
        Path(__file__).with_name("datasets.html"),
        first=sources[0],
        titles={data.name: _caption(data) for data in data_sets},
    )
    return study_answer(
        page,
        {
            "line": f"{len(data_sets)} data sets, {n_ratings:,} ratings",
            "cautions": [data.prior.caution for data in data_sets if data.prior.caution],
            "n_references": int(p["n_references"].max()),
            "sampler": shown["sampler"].iloc[0],
            "sections": [_section(data, seed) for data in data_sets],
        },
        [
            ("data_sets", "Every data set that you have", description_table(data_sets)),
            *(
                (f"pvalues/{data.name}", f"p-values on {data.title}", _shown(shown, data.name))
                for data in data_sets
            ),
        ],
        {data.name: partial(fit_figure, data, seed=seed) for data in data_sets},
        files_alone=[
            AnswerTable(
                "summary", "Every data set that you have", summary_table(data_sets, shown), on_page=False
            ),
            AnswerTable("pvalues", "Every p-value", p, on_page=False),
        ],
    )


def fit_figure(data: DataSet, *, seed: int) -> Figure:
    """Draw item means and deviations of the ratings beside those of as many ratings of the fitted prior."""
    figure, panels = new_panels(9.6, 3.4, 2)
    # Levels lie on [0, (L − 1)/L] and binary responses on [0, 1]; all are shown from 0 to 1.
    top, matrix = data.prior.response.top, data.ratings.matrix()
    for axes, rated in zip(panels, item_parameters(matrix / top), strict=True):
        draw_ecdf(axes, rated, color="black", linewidth=1.8, label=f"{len(rated)} rated items")
    for axes, drawn in zip(panels, moments_of_prior(data.prior, matrix, seed), strict=True):
        draw_ecdf(axes, drawn / top, color=COLOURS[1], label="as many items of the fitted prior")
    label_moments(*panels)
    means, deviations = (family_label(family.to_dict()) for family in (data.prior.mu, data.prior.sigma))
    figure.suptitle(f"{data.title}: means {means}, deviations {deviations}", fontsize=10)
    return figure


def _section(data: DataSet, seed: int) -> dict[str, Any]:
    return {
        "name": data.name,
        "title": data.title,
        "caution": data.prior.caution,
        "perturbed": SmallPerturbations.of(data.prior, data.ratings.matrix(), seed).sentence,
        "text": f"{data.ratings.n_items:,} items, {data.ratings.n_ratings:,} ratings by "
        f"{len(data.ratings.raters):,} raters, {data.per_item} per item. Each rating is {data.scale}.",
        "licence": data.made["licence"],
        "citation": data.made["citation"],
    }


def _caption(data: DataSet) -> str:
    check = data.check
    return (
        f"Items of {data.title} and of the fitted prior. Means: KS {check['means_ks']:.3f}, "
        f"p {check['means_p']:.3f}; standard deviations: KS {check['sds_ks']:.3f}, "
        f"p {check['sds_p']:.3f}. From {check['n_sets']} simulated data sets."
    )


def _shown(p: pd.DataFrame, source: str) -> pd.DataFrame:
    rows = p[p["source"] == source]
    columns = {
        "metric": rows["metric"].map(lambda name: COLUMNS.get(name, name)),
        "ε": rows["epsilon_b"],
        "semantics": rows["semantics"],
        "N": rows["n_items"],
        "K": rows["k_responses"],
        "estimated p": rows["estimated_p"],
        "its sd": rows["estimated_sd"],
        "true p": rows["true_p"],
        "its error": rows["true_se"],
    }
    return rows.assign(**columns)[list(columns)]
