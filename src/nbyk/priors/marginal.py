"""The probability of an item's responses under a prior, with μ and σ integrated out.

Raters are exchangeable, so the data are the items' response counts. The grid of (μ, σ) does not depend on
the prior; only the masses of its cells do. These are differences of distribution functions, so atoms are
exact and the result is smooth in the prior's parameters. The same grid gives each item's posterior.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.priors.family import Family
from nbyk.priors.responses import Response
from nbyk.priors.two_stage import TwoStagePrior

Counts = NDArray[np.int64]

_MU_CELLS = 50
_SIGMA_CELLS = 50
_END_CELLS = (0.001, 0.003, 0.006)
_FURTHEST = 20.0
_KERNEL_SIZE = 60_000
"""Numbers in a part of a kernel, so that they stay in a near cache."""

_TINY = 1e-300


@dataclass(frozen=True)
class Patterns:
    """The different counts of responses on each level, (P, L), and how many items have each, (P,)."""

    counts: Counts
    items: Counts

    @classmethod
    def of(cls, counts: Counts) -> Patterns:
        """Return the patterns of items with counts of shape (N, L), in lexicographic order."""
        return cls(*np.unique(counts, axis=0, return_counts=True))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.items.sum())

    def at_most(self, n_patterns: int) -> Patterns:
        """Return these patterns, or those of `n_patterns` items spread evenly over the ordered items."""
        if len(self.items) <= n_patterns:
            return self
        places = ((np.arange(n_patterns) + 0.5) * self.n_items / n_patterns).astype(np.int64)
        chosen = np.searchsorted(np.cumsum(self.items), places, side="right")
        kept, items = np.unique(chosen, return_counts=True)
        return Patterns(self.counts[kept], items)


@dataclass(frozen=True)
class ItemGrid:
    """Cells of μ and of σ; the first and the last node of each are the ends, where atoms may lie.

    `mu_edges`, (M − 1,), hold the edges of the response levels; `sigma_edges` are (S − 1,).
    """

    mu_edges: Floats
    sigma_edges: Floats

    @classmethod
    def over(
        cls,
        response: Response,
        mu_support: tuple[float, float] = (0.0, 1.0),
        sigma_support: tuple[float, float] = (0.0, 1.0),
    ) -> ItemGrid:
        """Return a grid over [0, 1], and beyond it as far as the supports reach."""
        n = 2 * response.levels * math.ceil(_MU_CELLS / response.levels)
        low = math.floor(min(max(mu_support[0], -_FURTHEST), 0.0))
        high = math.ceil(max(min(mu_support[1], _FURTHEST), 1.0))
        ends = np.array(_END_CELLS)
        mu_edges = np.unique(np.concatenate([np.arange(low * n, high * n + 1) / n, ends, 1.0 - ends]))
        widest = max(min(sigma_support[1], _FURTHEST), 1.0)
        n_sigma = math.ceil(_SIGMA_CELLS * widest ** (2 / 3))
        return cls(mu_edges, (np.arange(n_sigma + 1) / _SIGMA_CELLS) ** 1.5)

    def probabilities(self, response: Response) -> Floats:
        """Return the probability of every response at every node, shape (M, S, L)."""
        return response.probabilities(nodes(self.mu_edges)[:, np.newaxis], nodes(self.sigma_edges))

    def kernels(self, patterns: Patterns, response: Response) -> Iterator[tuple[Floats, Floats]]:
        """Yield the likelihood Π p^count of some patterns at a time at every node, (p, S, M).

        It is scaled to a maximum of 1 for each pattern; beside it is the log of what was divided out, (p,).
        """
        logs = np.log(np.maximum(self.probabilities(response), _TINY))
        # Go level by level, not through a BLAS, because its last digits depend on the processor.
        level_logs = [np.ascontiguousarray(logs[..., level].T) for level in range(response.levels)]
        size = max(1, _KERNEL_SIZE // level_logs[0].size)
        for start in range(0, len(patterns.items), size):
            counts = patterns.counts[start : start + size].astype(float)[:, :, np.newaxis, np.newaxis]
            log_kernel = counts[:, 0] * level_logs[0]
            for level in range(1, response.levels):
                log_kernel += counts[:, level] * level_logs[level]
            log_scale = log_kernel.max(axis=(1, 2))
            yield np.exp(log_kernel - log_scale[:, np.newaxis, np.newaxis]), log_scale


def masses(family: Family, edges: Floats) -> Floats:
    """Return the probability of the first edge, of every cell between edges, and of the last edge.

    Values beyond the edges count as on them.
    """
    below = family.cdf(edges).copy()
    below[-1] = family.cdf_left(edges[-1])
    return np.asarray(np.maximum(np.concatenate([below[:1], np.diff(below), 1.0 - below[-1:]]), 0.0))


def nodes(edges: Floats) -> Floats:
    """Return the nodes of cells between edges: the middle of each, and the two ends."""
    return np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2.0, edges[-1:]])


def draw_rated_items(prior: TwoStagePrior, matrix: ArrayLike, u: Floats) -> tuple[Floats, Floats]:
    """Draw every rated item's latent μ and σ, shape (..., N) each, from their posterior given its ratings.

    Five ratings of .8 do not show that μ is .8 and σ is 0. The posterior covers every (μ, σ) that can make
    such ratings, weighted by the prior. The first of the uniforms `u`, shape (..., N, 3), chooses a cell of
    the grid of (μ, σ), the others a place in it.
    """
    levels, response = prior.response.on_levels(matrix)
    different, pattern_of = np.unique(response.counts(levels), axis=0, return_inverse=True)
    patterns = Patterns(different, np.bincount(pattern_of.ravel()))
    grid = ItemGrid.over(response, prior.mu.support, prior.sigma.support)
    weights = np.outer(masses(prior.mu, grid.mu_edges), masses(prior.sigma, grid.sigma_edges))
    items = np.argsort(pattern_of.ravel(), kind="stable")
    items_of = iter(np.split(items, np.cumsum(patterns.items)[:-1]))
    cells = np.empty(u.shape[:-1], dtype=np.intp)
    for kernel, _ in grid.kernels(patterns, response):
        for cumulative in np.cumsum((kernel.swapaxes(1, 2) * weights).reshape(len(kernel), -1), axis=1):
            mine = next(items_of)
            if cumulative[-1] <= 0.0:
                raise NbykError(
                    f"prior {prior.name} cannot make the ratings of item {mine[0]}; fit a prior to these "
                    "ratings with `nbyk fit`"
                )
            places = np.searchsorted(cumulative, u[..., mine, 0] * cumulative[-1], side="right")
            cells[..., mine] = np.minimum(places, cumulative.size - 1)
    mu_cells, sigma_cells = np.unravel_index(cells, weights.shape)
    return _within(grid.mu_edges, mu_cells, u[..., 1]), _within(grid.sigma_edges, sigma_cells, u[..., 2])


def _within(edges: Floats, cells: NDArray[np.intp], u: Floats) -> Floats:
    """Return places in cells: the first and the last cell are the ends, the others lie between edges."""
    low = np.concatenate([edges[:1], edges])
    high = np.concatenate([edges, edges[-1:]])
    return np.asarray(low[cells] + u * (high[cells] - low[cells]))
