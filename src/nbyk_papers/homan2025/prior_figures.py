"""The figures of priors: shapes of a response stage, and the variation of items in priors and in data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nbyk.data.ratings import stored_ratings
from nbyk.priors import Response, published_prior, read_prior
from nbyk.report.drawing import COLOURS, new_panels
from nbyk_papers.homan2025.design import label, published_source
from nbyk_papers.shown import moments_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHAPES = ((0.5, 0.15), (0.5, 0.45), (0.5, 1.5), (0.1, 0.25), (0.85, 0.6))
_LEVELS = 5


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
    """Draw Figure 2 of a source: item means and deviations under the published prior, and in the ratings.

    The prior's own μ and σ vary less than the items' means and deviations, in which the responses' scatter
    counts too. Without ratings, the figure shows only the prior.
    """
    matrix = None if ratings is None else stored_ratings(ratings)[0].matrix()
    beside = "alone (you do not have its ratings)" if matrix is None else "beside the ratings"
    return moments_figure(
        f"{label(source)}: the published prior {beside}",
        {"responses of the prior": published_prior(source)},
        seed,
        matrix,
        top=1.0 if matrix is None else float(np.nanmax(matrix)),
        with_families=True,
    )


def fit_figure(source: str, ratings: Path, prior: Path, *, seed: int) -> Figure:
    """Draw item means and deviations of ratings, and of responses of the published prior and our own fit."""
    name, own = published_source(source), read_prior(prior)
    return moments_figure(
        f"{label(name)}: the ratings, and as many ratings of each prior's items",
        {"published prior": published_prior(name), "own fit": own},
        seed,
        stored_ratings(ratings)[0].matrix(),
        top=own.response.top,
    )
