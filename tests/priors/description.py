"""A prior beside the data, in numbers that do not depend on the number of levels of either."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.priors.marginal import Counts, ItemGrid, masses, nodes
from nbyk.priors.responses import Response
from nbyk.priors.two_stage import TwoStagePrior
from nbyk.sums import product

Floats = NDArray[np.float64]

_FREQUENCIES = 256


@dataclass(frozen=True)
class Marginal:
    """The marginal distributions of a prior, for an unknown item.

    `cells`, shape (nodes, L), are the probabilities of every response at every node of the items' parameters,
    `weights` those of the nodes.
    """

    cells: Floats
    weights: Floats
    mu_mean: float

    @classmethod
    def of(cls, prior: TwoStagePrior) -> Marginal:
        """Return the marginal distributions of a prior whose responses have levels."""
        prior.response.check_levels()
        grid = ItemGrid.over(prior.response, prior.mu.support, prior.sigma.support)
        mu, sigma = masses(prior.mu, grid.mu_edges), masses(prior.sigma, grid.sigma_edges)
        cells = grid.probabilities(prior.response).reshape(-1, prior.response.levels)
        return cls(cells, np.outer(mu, sigma).ravel(), float(product(mu, nodes(grid.mu_edges))))

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


@dataclass(frozen=True)
class Description:
    """A prior beside data, both with the lowest level at 0 and the highest at 1.

    mu_mean is the mean of the prior's μ, before responses are rounded to levels; mean and sd are those of the
    items' mean responses, for the items' own numbers of responses; within is the mean over the items of the
    unbiased variance of their responses, None without an item that has two. means_ks is the Kolmogorov-
    Smirnov distance of item means. The total-variation distances means_tv (of item means) and responses_tv
    are None if the numbers of levels differ; means_tv_chance is what means_tv would about be if the prior
    were true.
    """

    prior_name: str
    n_items: int
    mu_mean: float
    mean_data: float
    mean_prior: float
    sd_data: float
    sd_prior: float
    within_data: float | None
    within_prior: float
    means_ks: float
    means_tv: float | None
    means_tv_chance: float | None
    responses_tv: float | None


def describe_fit(prior: TwoStagePrior, matrix: ArrayLike, response: Response | None = None) -> Description:
    """Compare any prior whose responses have levels with responses, shape (N, K), NaN for missing ones.

    `response` is their scale if it is not the prior's: a prior of binary responses can describe five levels.
    """
    counts, marginal = (response or prior.response).counts(matrix), Marginal.of(prior)
    top = counts.shape[1] - 1
    levels = np.arange(top + 1) / top
    n_responses = counts.sum(axis=1)
    means = product(counts, levels) / n_responses
    squares = product(counts, levels**2) - n_responses * means**2
    several = n_responses > 1

    mean, between, within = marginal.moments()
    prior_top = prior.response.levels - 1
    variance = (between + within * float((1.0 / n_responses).mean())) / prior_top**2
    observed, expected = _shares(means, *_expected_means(marginal, n_responses))
    gaps = observed - expected
    shares = counts.sum(axis=0) / counts.sum()
    comparable = top == prior_top
    return Description(
        prior_name=prior.name,
        n_items=len(counts),
        mu_mean=marginal.mu_mean,
        mean_data=float(means.mean()),
        mean_prior=mean / prior_top,
        sd_data=float(means.std()),
        sd_prior=float(np.sqrt(variance)),
        within_data=float((squares[several] / (n_responses[several] - 1)).mean()) if several.any() else None,
        within_prior=within / prior_top**2,
        means_ks=float(np.abs(np.cumsum(gaps)).max()),
        means_tv=float(np.abs(gaps).sum() / 2) if comparable else None,
        means_tv_chance=_chance(expected, len(counts)) if comparable else None,
        responses_tv=float(np.abs(shares - marginal.responses).sum() / 2) if comparable else None,
    )


def _expected_means(marginal: Marginal, n_responses: Counts) -> tuple[Floats, Floats]:
    values, weights = [], []
    for k, items in zip(*np.unique(n_responses, return_counts=True), strict=True):
        sums = marginal.sums(int(k))
        values.append(np.arange(sums.size) / (sums.size - 1))
        weights.append(sums * (items / n_responses.size))
    return np.concatenate(values), np.concatenate(weights)


def _shares(means: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the observed and the expected share of every possible item mean, in ascending order."""
    places, index = np.unique(np.round(np.concatenate([means, values]), 12), return_inverse=True)
    seen, possible = index[: means.size], index[means.size :]
    observed = np.bincount(seen, minlength=places.size) / means.size
    return observed, np.bincount(possible, weights=weights, minlength=places.size).astype(np.float64)


def _chance(shares: Floats, n_items: int) -> float:
    """Return the mean total-variation distance of a sample, by the normal approximation of each share."""
    variances = np.clip(shares * (1.0 - shares), 0.0, None) / n_items
    return float(np.sqrt(2.0 / np.pi * variances).sum() / 2)
