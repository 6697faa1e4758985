"""The figures of priors: shapes of a response stage, and the variation of items in priors and in data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbyk.data.ratings import stored_ratings
from nbyk.priors import Response, published_prior, read_prior
from nbyk.report.drawing import COLOURS, new_panels
from nbyk_papers.homan2025.comparison import own_fit_p_values
from nbyk_papers.homan2025.design import ALPHA, label, published_source
from nbyk_papers.shown import draw_prior, draw_rated, label_moments, legend_beside, mark_level

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_SHAPES = ((0.5, 0.15), (0.5, 0.45), (0.5, 1.5), (0.1, 0.25), (0.85, 0.6))
_LEVELS = 5
_DRAWN_ITEMS = 10_000
_DRAWN_RESPONSES = 5
_FLOOR = 1e-5
_COMPARED = {"column": "mae", "epsilon_b": 0.1}


def shapes_figure() -> Figure:
    """Draw Figure 1: shapes of a response that a normal censored to [0, 1] makes, on five levels."""
    figure, panels = new_panels(11.0, 2.7, len(_SHAPES), share_y=True)
    edges, latent = np.arange(_LEVELS + 1) / _LEVELS, np.linspace(-0.6, 1.6, 400)
    for axes, (mu, sigma) in zip(panels, _SHAPES, strict=True):
        probabilities = Response("likert", _LEVELS).probabilities(mu, sigma)
        axes.stairs(probabilities, edges, fill=True, color=COLOURS[0], alpha=0.7)
        density = np.exp(-0.5 * ((latent - mu) / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))
        axes.plot(latent, density / _LEVELS, color=COLOURS[1], linewidth=1.2)
        axes.set_title(f"μ = {mu:g}, σ = {sigma:g}", loc="left")
        axes.set_xlabel("response")
    panels[0].set_ylabel("probability")
    figure.suptitle(
        "Bars: responses. Line: the normal distribution behind them. The end bars hold its tails", fontsize=10
    )
    return figure


def stages_figure(source: str, ratings: Path | None, seed: int) -> Figure:
    """Draw a panel of Figure 2: item means and deviations under a published prior and in the ratings.

    Beside μ and σ of the prior are the means and deviations of its responses, with as many per item as there
    are ratings: compare the ratings with those. Without ratings, the figure shows only the prior.
    """
    figure, (left, right) = new_panels(9.6, 3.8, 2)
    prior, shape = published_prior(source), np.zeros((_DRAWN_ITEMS, _DRAWN_RESPONSES))
    if ratings is not None:
        shape = stored_ratings(ratings)[0].matrix()
        draw_rated((left, right), shape, float(np.nanmax(shape)))
    name = "as many responses" if ratings else f"{_DRAWN_RESPONSES} responses"
    shown = {"color": COLOURS[0], "linestyle": "--", "label": f"{name} of the prior"}
    draw_prior((left, right), prior, shape, seed, **shown)
    x = np.linspace(0.0, 1.0, 1001)
    for axes, family, letter in ((left, prior.mu, "μ"), (right, prior.sigma, "σ")):
        axes.plot(x, family.cdf(x), color=COLOURS[1], linestyle=":", label=f"{letter} of the prior")
    label_moments(left, right)
    beside = "beside the ratings" if ratings else "alone (you do not have its ratings)"
    figure.suptitle(f"{label(source)}: the published prior {beside}", fontsize=10)
    return figure


def fit_figure(grid: pd.DataFrame, source: str, ratings: Path, prior: Path, *, seed: int) -> Figure:
    """Draw item means and deviations of ratings, and of responses of the published prior and our own fit.

    If the run has p-values, a third panel shows the effect of the difference on p.
    """
    rows = own_fit_p_values(grid, source)
    rows = rows[(rows["column"] == _COMPARED["column"]) & (rows["epsilon_b"] == _COMPARED["epsilon_b"])]
    name = published_source(source)
    figure, panels = new_panels(13.0 if len(rows) else 9.6, 3.8, 3 if len(rows) else 2)
    priors = {"published prior": published_prior(name), "own fit": read_prior(prior)}
    matrix = stored_ratings(ratings)[0].matrix()
    draw_rated(panels, matrix, priors["own fit"].response.top)
    for index, (title, compared) in enumerate(priors.items()):
        shown = {"color": COLOURS[index], "linestyle": ("--", "-")[index], "label": title}
        draw_prior(panels, compared, matrix, seed, **shown)
    label_moments(panels[0], panels[1])
    if len(rows):
        _draw_answers(panels[2], rows)
    figure.suptitle(f"{label(name)}: the ratings, and as many ratings of each prior's items", fontsize=10)
    return figure


def _draw_answers(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw p under our own fit against p under the published prior, at every size."""
    import matplotlib as mpl

    ks = sorted(rows["k_responses"].unique())
    for k, colour in zip(ks, mpl.colormaps["viridis_r"](np.linspace(0.1, 1.0, len(ks))), strict=True):
        rows_of_k = rows[rows["k_responses"] == k].sort_values("n_times_k")
        p_published, p_own = (np.maximum(rows_of_k[name], _FLOOR) for name in ("p_published", "p_own"))
        axes.plot(p_published, p_own, "o-", color=colour, markersize=3.5, linewidth=0.9, label=f"K = {k}")
    axes.plot([_FLOOR, 0.6], [_FLOOR, 0.6], color="black", linewidth=0.8)
    mark_level(axes, ALPHA)
    axes.axvline(ALPHA, color="black", linewidth=0.8, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    title = f"expected p of MAE, ε = {_COMPARED['epsilon_b']:g}, recommended (p ≤ 10⁻⁵ shown at 10⁻⁵)"
    axes.set_title(title, loc="left", fontsize=9)
    axes.set_xlabel("published prior")
    axes.set_ylabel("own fit")
    legend_beside(axes)
