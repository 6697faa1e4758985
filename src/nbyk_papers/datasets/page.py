"""The page, the tables and the figures of every data set at hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.files import write_text
from nbyk.priors import item_parameters
from nbyk.report.drawing import COLOURS, new_panels, save
from nbyk.report.formats import write_table
from nbyk.report.html import embedded_svg, render
from nbyk_papers.datasets.summary import (
    DataSet,
    description_table,
    family_label,
    p_value_table,
    shown_p_values,
    summary_table,
)
from nbyk_papers.fits import draw_ecdf, label_moments, moments_of_prior
from nbyk_papers.wein2023.design import COLUMNS
from nbyk_papers.wein2023.real_gold import SmallPerturbations

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def write_report(
    p_values: Sequence[str | os.PathLike[str]], data_sets: Sequence[DataSet], out: Path, *, seed: int
) -> None:
    """Write the summary, the p-values, a figure of each data set and the page.

    Parameters
    ----------
    p_values
        Files as written by `nbyk study pvalues`, in hive folders.
    data_sets
        The data sets, in the order to show them in.
    out
        Folder to write to: ``report.html``, ``summary.{csv,md,tex}``, ``pvalues.csv``, ``figures/``.
    seed
        Seed of the ratings that the figures draw from the priors.

    Raises
    ------
    NbykError
        If there is no data set, or one has no p-values.
    """
    if not data_sets:
        raise NbykError("no data sets; give each with --source, --ratings, --prior and --check")
    p = p_value_table(p_values, [data.name for data in data_sets])
    shown = shown_p_values(p)
    write_text(out / "pvalues.csv", p.to_csv(index=False, lineterminator="\n"))
    write_table(summary_table(data_sets, shown), out / "summary", "Every data set at hand")
    for data in data_sets:
        save(fit_figure(data, seed=seed), out / "figures" / data.name)
    ratings = sum(data.ratings.n_ratings for data in data_sets)
    page = render(
        Path(__file__).with_name("datasets.html"),
        cautions=[data.prior.caution for data in data_sets if data.prior.caution],
        headline=f"{len(data_sets)} data sets, {ratings:,} ratings",
        n_references=int(p["n_references"].max()),
        sampler=shown["sampler"].iloc[0],
        summary=_grid(description_table(data_sets)),
        sections=[_section(data, shown[shown["source"] == data.name], out, seed) for data in data_sets],
    )
    write_text(out / "report.html", page)


def fit_figure(data: DataSet, *, seed: int) -> Figure:
    """Draw item means and deviations of the ratings beside those of as many ratings of the fitted prior."""
    figure, panels = new_panels(9.6, 3.4, 2)
    # Levels lie on [0, (L − 1)/L] and binary responses on [0, 1]; all are shown from 0 to 1.
    top, matrix = data.prior.response.top, data.ratings.matrix()
    for axes, rated in zip(panels, item_parameters(matrix / top), strict=True):
        draw_ecdf(axes, rated, color="black", linewidth=1.8, label=f"{len(rated)} rated items")
    for axes, drawn in zip(panels, moments_of_prior(data.prior, matrix, seed), strict=True):
        draw_ecdf(axes, drawn / top, color=COLOURS[1], label="as many of the fitted prior")
    label_moments(*panels)
    means, deviations = (family_label(family.to_dict()) for family in (data.prior.mu, data.prior.sigma))
    figure.suptitle(f"{data.title}: means {means}, deviations {deviations}", fontsize=10)
    return figure


def _section(data: DataSet, p: pd.DataFrame, out: Path, seed: int) -> dict[str, Any]:
    columns = {
        "metric": p["metric"].map(lambda name: COLUMNS.get(name, name)),
        "ε": p["epsilon_b"],
        "semantics": p["semantics"],
        "N": p["n_items"],
        "K": p["k_responses"],
        "estimated p": p["estimated_p"],
        "its sd": p["estimated_sd"],
        "true p": p["true_p"],
        "its error": p["true_se"],
    }
    check = data.check
    return {
        "name": data.name,
        "caution": data.prior.caution,
        "perturbed": SmallPerturbations.of(data.prior, data.ratings.matrix(), seed).sentence,
        "title": data.title,
        "text": f"{data.ratings.n_items:,} items, {data.ratings.n_ratings:,} ratings by "
        f"{len(data.ratings.raters):,} raters, {data.per_item} per item; each {data.scale}.",
        "licence": data.made["licence"],
        "citation": data.made["citation"],
        "figure": embedded_svg(out / "figures" / f"{data.name}.svg"),
        "caption": f"Means: KS {check['means_ks']:.3f}, p {check['means_p']:.3f}; standard deviations: "
        f"KS {check['sds_ks']:.3f}, p {check['sds_p']:.3f}; from {check['n_sets']} simulated data sets.",
        **_grid(p.assign(**columns)[list(columns)]),
    }


def _grid(table: pd.DataFrame) -> dict[str, Any]:
    rows = [["" if value != value else str(value) for value in row] for row in table.itertuples(index=False)]
    return {"header": list(table.columns), "rows": rows}
