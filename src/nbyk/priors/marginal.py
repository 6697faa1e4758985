"""The probability of an item's responses under a prior, with μ and σ integrated out.

Raters are exchangeable, so the data are the items' response counts. The items' parameters are integrated out
on a grid of (μ, σ). The grid does not depend on the prior; only the masses of its cells do. These are
differences of distribution functions, so atoms are exact and the result is smooth in the prior's parameters.
The same grid gives each item's posterior.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from nbyk.errors import NbykError
from nbyk.priors.family import Family
from nbyk.priors.predictive import on_levels, on_scale
from nbyk.priors.two_stage import Response, TwoStagePrior
from nbyk.sums import product

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_MU_CELLS = 50
_SIGMA_CELLS = 50
_END_CELLS = (0.001, 0.003, 0.006)
_FURTHEST = 20.0
_KERNEL_SIZE = 60_000
"""Numbers in a part of a kernel, so that they stay in a near cache."""

_TINY = 1e-300
_FREQUENCIES = 256


def response_counts(matrix: ArrayLike, response: Response) -> Counts:
    """Return the counts of each response to each item, shape (N, L), in the order of `Response.values`.

    Parameters
    ----------
    matrix : array_like, shape (N, K)
        Responses on the scale of the response stage, with NaN for missing ones.
    response
        A response stage with levels.
    """
    check_levels(response)
    steps = np.round(on_scale(matrix, response) / response.values[1])
    return np.stack([(steps == level).sum(axis=1) for level in range(response.levels)], axis=1)


def check_levels(response: Response) -> None:
    """Raise an `NbykError` if a response stage has no levels to count responses on."""
    if response.levels == 0:
        raise NbykError(
            f"response {response.kind} is continuous, and nbyk counts only responses on levels (likert, "
            "binary); for continuous ones use `fit_prior` and `predictive_check`"
        )


@dataclass(frozen=True)
class Patterns:
    """The different response counts among the items.

    Attributes
    ----------
    counts : ndarray, shape (P, L)
        Responses on each level.
    items : ndarray, shape (P,)
        Number of items with these counts.
    """

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

    @property
    def n_responses(self) -> Counts:
        """Number of responses K of each pattern, shape (P,)."""
        return np.asarray(self.counts.sum(axis=1))

    def at_most(self, n_patterns: int) -> Patterns:
        """Return these patterns, or those of `n_patterns` items spread evenly over the ordered items."""
        if len(self.items) <= n_patterns:
            return self
        places = ((np.arange(n_patterns) + 0.5) * self.n_items / n_patterns).astype(np.int64)
        chosen = np.searchsorted(np.cumsum(self.items), places, side="right")
        kept, items = np.unique(chosen, return_counts=True)
        return Patterns(self.counts[kept], items)

    def saturated_log_likelihood(self) -> float:
        """Return the log-likelihood if each pattern of K responses had its frequency here as probability.

        No model of exchangeable raters does better.
        """
        n_responses = self.n_responses
        orders = gammaln(n_responses + 1) - gammaln(self.counts + 1).sum(axis=1)
        same_k = np.bincount(n_responses, weights=self.items)[n_responses]
        return float(product(self.items, np.log(self.items / same_k) - orders))


@dataclass(frozen=True)
class ItemGrid:
    """Cells of μ and of σ; the first and the last node of each are the ends, where atoms may lie.

    Attributes
    ----------
    mu_edges : ndarray, shape (M − 1,)
        Edges of the cells of μ; the edges of the response levels are among them.
    sigma_edges : ndarray, shape (S − 1,)
        Edges of the cells of σ.
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

    @classmethod
    def of(cls, prior: TwoStagePrior) -> ItemGrid:
        """Return the grid for a prior."""
        return cls.over(prior.response, prior.mu.support, prior.sigma.support)

    def probabilities(self, response: Response) -> Floats:
        """Return the probability of every response at every node, shape (M, S, L)."""
        return response.probabilities(_nodes(self.mu_edges)[:, np.newaxis], _nodes(self.sigma_edges))

    def kernels(self, patterns: Patterns, response: Response) -> Iterator[tuple[Floats, Floats]]:
        """Yield the likelihood of patterns at every node, some patterns at a time.

        Yields
        ------
        kernel : ndarray, shape (p, S, M)
            Π p^count, scaled to a maximum of 1 for each pattern.
        log_scale : ndarray, shape (p,)
            Log of the factor that was divided out.
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


def log_likelihood(prior: TwoStagePrior, matrix: ArrayLike) -> float:
    """Return the marginal log-likelihood of responses on levels: Σ_i log ∫∫ Π_j P(x_ij | μ, σ) dF(μ) dG(σ).

    Parameters
    ----------
    prior
        F, G and the response stage.
    matrix : array_like, shape (N, K)
        Responses on the scale of the prior's response stage, with NaN for missing ones.
    """
    patterns = Patterns.of(response_counts(matrix, prior.response))
    grid = ItemGrid.of(prior)
    mu, sigma = masses(prior.mu, grid.mu_edges), masses(prior.sigma, grid.sigma_edges)
    terms = [
        np.log(np.maximum(product(product(kernel, mu), sigma), _TINY)) + log_scale
        for kernel, log_scale in grid.kernels(patterns, prior.response)
    ]
    return float(product(patterns.items, np.concatenate(terms)))


@dataclass(frozen=True)
class Marginal:
    """The marginal distributions of a prior, for an unknown item.

    Attributes
    ----------
    cells : ndarray, shape (nodes, L)
        Probability of every response at every node of the items' parameters.
    weights : ndarray, shape (nodes,)
        Probability of the nodes.
    mu_mean : float
        Mean of μ.
    """

    cells: Floats
    weights: Floats
    mu_mean: float

    @classmethod
    def of(cls, prior: TwoStagePrior) -> Marginal:
        """Return the marginal distributions of a prior whose responses have levels."""
        check_levels(prior.response)
        grid = ItemGrid.of(prior)
        mu, sigma = masses(prior.mu, grid.mu_edges), masses(prior.sigma, grid.sigma_edges)
        cells = grid.probabilities(prior.response).reshape(-1, prior.response.levels)
        return cls(cells, np.outer(mu, sigma).ravel(), float(product(mu, _nodes(grid.mu_edges))))

    @property
    def responses(self) -> Floats:
        """The distribution of single responses, shape (L,)."""
        return product(self.weights, self.cells)

    def moments(self) -> tuple[float, float, float]:
        """Return the mean and variance of the items' expected level, and the mean variance within an item.

        Levels count from 0 to L − 1.
        """
        levels = np.arange(self.cells.shape[1])
        expected = product(self.cells, levels)
        mean = float(product(self.weights, expected))
        between = float(product(self.weights, (expected - mean) ** 2))
        within = float(product(self.weights, product(self.cells, levels**2) - expected**2))
        return mean, between, within

    def sums(self, n_responses: int) -> Floats:
        """Return the distribution of the sum of K levels of an item, shape (K (L − 1) + 1,).

        It is found from its discrete Fourier transform, so it is right to about 1e-15.
        """
        levels = np.arange(self.cells.shape[1])
        n = n_responses * int(levels[-1]) + 1
        blocks = []
        for start in range(0, n // 2 + 1, _FREQUENCIES):
            frequencies = np.arange(start, min(start + _FREQUENCIES, n // 2 + 1))
            transform = product(self.cells, np.exp(-2j * np.pi / n * np.outer(levels, frequencies)))
            blocks.append(product(self.weights, transform**n_responses))
        return np.maximum(np.fft.irfft(np.concatenate(blocks), n), 0.0)


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


def _nodes(edges: Floats) -> Floats:
    return np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2.0, edges[-1:]])
