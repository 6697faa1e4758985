"""The posterior of each item's μ and σ, given its ratings and a prior."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.errors import NbykError
from nbyk.priors.marginal import ItemGrid, Patterns, masses, response_counts
from nbyk.priors.predictive import on_levels
from nbyk.priors.two_stage import TwoStagePrior

Floats = NDArray[np.float64]


def draw_rated_items(prior: TwoStagePrior, matrix: ArrayLike, u: Floats) -> tuple[Floats, Floats]:
    """Draw every rated item's latent μ and σ from their posterior, given the item's ratings.

    Five ratings of .8 do not show that μ is .8 and σ is 0. The posterior covers every (μ, σ) that can make
    such ratings, weighted by the prior.

    Parameters
    ----------
    prior
        A prior fitted to such ratings.
    matrix : array_like, shape (N, K)
        Ratings on the scale of the prior's response stage, with NaN for missing ones.
    u : ndarray, shape (N, 3)
        Uniforms on (0, 1): the first chooses a cell of the grid of (μ, σ), the others a place in it.

    Returns
    -------
    mu, sigma : ndarray, each shape (N,)
    """
    levels, response = on_levels(matrix, prior.response)
    different, pattern_of = np.unique(response_counts(levels, response), axis=0, return_inverse=True)
    patterns = Patterns(different, np.bincount(pattern_of.ravel()))
    grid = ItemGrid.over(response, prior.mu.support, prior.sigma.support)
    weights = np.outer(masses(prior.mu, grid.mu_edges), masses(prior.sigma, grid.sigma_edges))
    items = np.argsort(pattern_of.ravel(), kind="stable")
    items_of = iter(np.split(items, np.cumsum(patterns.items)[:-1]))
    cells = np.empty(len(items), dtype=np.intp)
    for kernel, _ in grid.kernels(patterns, response):
        for cumulative in np.cumsum((kernel.swapaxes(1, 2) * weights).reshape(len(kernel), -1), axis=1):
            mine = next(items_of)
            if cumulative[-1] <= 0.0:
                raise NbykError(
                    f"prior {prior.name} cannot make the ratings of item {mine[0]}; fit a prior to these "
                    "ratings with `nbyk fit`"
                )
            places = np.searchsorted(cumulative, u[mine, 0] * cumulative[-1], side="right")
            cells[mine] = np.minimum(places, cumulative.size - 1)
    mu_cells, sigma_cells = np.unravel_index(cells, weights.shape)
    return _within(grid.mu_edges, mu_cells, u[:, 1]), _within(grid.sigma_edges, sigma_cells, u[:, 2])


def _within(edges: Floats, cells: NDArray[np.intp], u: Floats) -> Floats:
    """Return places in cells: the first and the last cell are the ends, the others lie between edges."""
    low = np.concatenate([edges[:1], edges])
    high = np.concatenate([edges, edges[-1:]])
    return np.asarray(low[cells] + u * (high[cells] - low[cells]))
