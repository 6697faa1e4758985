"""The families that can be fitted, and the search for those under which ratings on levels are likeliest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, expit

from nbyk.arrays import Floats
from nbyk.compiled import njit
from nbyk.priors import curves
from nbyk.priors.families import Beta, Mixture, TruncatedNormal, rounded
from nbyk.priors.family import Family
from nbyk.priors.marginal import ItemGrid, Patterns, masses
from nbyk.priors.responses import Response
from nbyk.sums import product

_N_STARTS = 2
_START_STRIDE = 3
_PULL_SD = 2.0
_STEP = 1e-5
_TINY = 1e-300


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of a search: its bounds, and the points from which a search starts."""

    bounds: tuple[float, float]
    start: tuple[float, ...]

    @cached_property
    def centre(self) -> float:
        """The mean of the points from which a search starts."""
        return float(np.mean(self.start))


@dataclass(frozen=True)
class Template:
    """A family that can be fitted, with a coordinate for each parameter: every point of their box is one.

    `build` returns the family at a point, and `cdf` P(X ≤ x) at values (E,) and points (p, P, 1): (P, E).
    """

    axes: tuple[Coordinate, ...]
    build: Callable[[Floats], Family]
    cdf: Callable[[Floats, Floats], Floats]


def span(low: float, high: float, n: int) -> tuple[float, ...]:
    """Return n points with equal steps, both ends included."""
    return tuple(float(value) for value in np.linspace(low, high, n))


# Values lie in [0, 1]. Beyond these boxes a truncated normal is an exponential or a uniform to three digits,
# and the data cannot separate its mean from its sd.
_CENTRE = Coordinate((-4.0, 5.0), span(-1.0, 2.0, 13))
LOG_SD = Coordinate((float(np.log(0.005)), float(np.log(4.0))), span(np.log(0.03), np.log(1.5), 10))
_LOG_SHAPE = Coordinate((float(np.log(0.02)), float(np.log(500.0))), span(np.log(0.1), np.log(50.0), 13))
# A narrower component would pile an unbounded likelihood on tied values.
_LOG_PART_SD = Coordinate((float(np.log(0.02)), float(np.log(4.0))), span(np.log(0.05), np.log(0.8), 4))
_LOW_PART = Coordinate((-4.0, 5.0), (-0.5, 0.0, 0.25, 0.5))
_HIGH_PART = Coordinate((-4.0, 5.0), (0.25, 0.5, 0.75, 1.0, 1.5))
_LOGIT_WEIGHT = Coordinate((-6.0, 6.0), (-1.5, -0.5, 0.5, 1.5))


def _normal(point: Floats) -> Family:
    return TruncatedNormal(point[0], np.exp(point[1]), 0.0, 1.0)


def _normal_cdf(x: Floats, points: Floats) -> Floats:
    return curves.truncated_normal_cdf(x, points[0], np.exp(points[1]), 0.0, 1.0)


def _mixture(point: Floats) -> Family:
    weight = float(expit(point[0]))
    parts = [(weight, point[1:3]), (1.0 - weight, point[3:])]
    # The search finds the components in arbitrary order; the record has them in order of their means.
    weights, points = zip(*(reversed(parts) if point[1] > point[3] else parts), strict=True)
    return Mixture(weights, tuple(map(_normal, points)))


def _mixture_cdf(x: Floats, points: Floats) -> Floats:
    weight = expit(points[0])
    return np.asarray(weight * _normal_cdf(x, points[1:3]) + (1.0 - weight) * _normal_cdf(x, points[3:]))


FITTABLE = {
    "truncated_normal": Template((_CENTRE, LOG_SD), _normal, _normal_cdf),
    "beta": Template(
        (_LOG_SHAPE, _LOG_SHAPE),
        lambda point: Beta(np.exp(point[0]), np.exp(point[1])),
        lambda x, points: np.asarray(betainc(np.exp(points[0]), np.exp(points[1]), x)),
    ),
    "mixture": Template(
        (_LOGIT_WEIGHT, _LOW_PART, _LOG_PART_SD, _HIGH_PART, _LOG_PART_SD), _mixture, _mixture_cdf
    ),
}
"""The families that can be fitted, on [0, 1]."""


class Search:
    """The penalised likelihood of patterns of counts on levels, and the search for its maximum."""

    def __init__(self, patterns: Patterns, response: Response) -> None:
        self.grid = ItemGrid.over(response)
        self.items = patterns.items.astype(np.float64)
        kernels, scales = zip(*self.grid.kernels(patterns, response), strict=True)
        self.kernel, self.log_scale = np.concatenate(kernels), np.concatenate(scales)
        self._of_starts: dict[tuple[str, int], tuple[Floats, Floats]] = {}

    def fit(self, mu: Template, sigma: Template) -> tuple[Family, Family]:
        """Return the families at the maximum, rounded, reached from the best points of a grid of starts."""
        from scipy.optimize import minimize

        split = len(mu.axes)
        axes = (*mu.axes, *sigma.axes)
        ends = [
            minimize(
                self.cost,
                start,
                args=(mu, sigma),
                jac=True,
                method="SLSQP",
                bounds=[axis.bounds for axis in axes],
                options={"ftol": 1e-11, "maxiter": 500},
            )
            for start in self.starts(mu, sigma)
        ]
        point = min(ends, key=lambda end: end.fun).x
        return rounded(mu.build(point[:split])), rounded(sigma.build(point[split:]))

    def starts(self, mu: Template, sigma: Template) -> list[Floats]:
        """Return the points (p,) of the grid of starts under which the ratings are likeliest, best first."""
        mu_points, mu_masses = self._start_masses("mu", mu)
        sigma_points, given_mu = self._start_masses("sigma", sigma)
        likelihood = np.einsum("im,pjm->pij", mu_masses, given_mu)
        total = np.einsum("p,pij->ij", self.items, np.log(np.maximum(likelihood, _TINY))).ravel()
        best = np.argsort(-total, kind="stable")[:_N_STARTS]
        places = zip(*np.unravel_index(best, likelihood.shape[1:]), strict=True)
        return [np.concatenate([mu_points[i], sigma_points[j]]) for i, j in places]

    def _start_masses(self, stage: str, template: Template) -> tuple[Floats, Floats]:
        """Return a family's starts, and their masses of μ or, for σ, the likelihoods given each μ."""
        key = stage, id(template)
        if key not in self._of_starts:
            points = _start_points(template)
            edges = self.grid.mu_edges if stage == "mu" else self.grid.sigma_edges
            start_masses = _masses_at(template, points.T, edges)
            if stage == "sigma":
                start_masses = np.einsum("psm,js->pjm", self.kernel, start_masses)
            self._of_starts[key] = points, start_masses
        return self._of_starts[key]

    def cost(self, point: Floats, mu: Template, sigma: Template) -> tuple[float, Floats]:
        """Return minus the penalised log-likelihood per item, and its gradient (p,)."""
        split = len(mu.axes)
        centres = np.array([axis.centre for axis in (*mu.axes, *sigma.axes)])
        pull = (point - centres) / _PULL_SD
        mu_masses, mu_slopes = _masses_and_slopes(mu, point[:split], self.grid.mu_edges)
        sigma_masses, sigma_slopes = _masses_and_slopes(sigma, point[split:], self.grid.sigma_edges)
        likelihood, by_mu, by_sigma = (
            np.empty(n) for n in (len(self.items), len(mu_masses), len(sigma_masses))
        )
        # Cells of σ without mass, on either side of a step, count for nothing, and there are many.
        cells = np.flatnonzero(sigma_masses + np.abs(sigma_slopes).sum(axis=0))
        used = cells[0], cells[-1] + 1
        _sum_likelihood(self.kernel, self.items, (mu_masses, sigma_masses), used, likelihood, by_mu, by_sigma)
        gradient = np.concatenate([product(mu_slopes, by_mu), product(sigma_slopes, by_sigma)])
        n = self.items.sum()
        cost = (0.5 * product(pull, pull) - product(self.items, np.log(likelihood))) / n
        return float(cost), (pull / _PULL_SD - gradient) / n

    def log_likelihoods(
        self, pairs: Sequence[tuple[Family, Family]], patterns: Patterns, response: Response
    ) -> list[float]:
        """Return the log-likelihood of patterns under each pair of families (μ, σ), all in one pass."""
        mus = np.array([masses(mu, self.grid.mu_edges) for mu, _ in pairs])
        sigmas = np.array([masses(sigma, self.grid.sigma_edges) for _, sigma in pairs])
        blocks: Iterable[tuple[Floats, Floats]] = [(self.kernel, self.log_scale)]
        if len(patterns.items) != len(self.items):
            blocks = self.grid.kernels(patterns, response)
        terms = []
        for kernel, log_scale in blocks:
            likelihoods = [
                np.einsum("ps,s->p", np.einsum("psm,m->ps", kernel, mu), sigma)
                for mu, sigma in zip(mus, sigmas, strict=True)
            ]
            terms.append(np.log(np.maximum(likelihoods, _TINY)) + log_scale)
        return [float(total) for total in product(np.concatenate(terms, axis=1), patterns.items)]


@njit(nogil=True, cache=True)
def _sum_likelihood(
    kernel: Floats,
    items: Floats,
    masses: tuple[Floats, Floats],
    used: tuple[int, int],
    likelihood: Floats,
    by_mu: Floats,
    by_sigma: Floats,
) -> None:
    """Fill `likelihood`, shape (P,), and with the slopes of Σ items · log likelihood `by_mu` and `by_sigma`.

    `masses` are of the cells of μ and of σ; of σ, only those in the range `used` count. The kernel, shape
    (P, S, M), is read once. Sums run in eight lanes, in one order on every machine, by vector instructions.
    """
    mu_masses, sigma_masses = masses
    n_mu = len(mu_masses)
    in_lanes = n_mu - n_mu % 8
    given_mu, given_sigma = np.empty(n_mu), np.empty(len(sigma_masses))
    by_mu[:] = 0.0
    by_sigma[:] = 0.0
    for p in range(len(kernel)):
        total = 0.0
        given_mu[:] = 0.0
        for s in range(used[0], used[1]):
            row, mass = kernel[p, s], sigma_masses[s]
            for m in range(n_mu):
                given_mu[m] += mass * row[m]
            sum0 = sum1 = sum2 = sum3 = sum4 = sum5 = sum6 = sum7 = 0.0
            for m in range(0, in_lanes, 8):
                sum0 += row[m] * mu_masses[m]
                sum1 += row[m + 1] * mu_masses[m + 1]
                sum2 += row[m + 2] * mu_masses[m + 2]
                sum3 += row[m + 3] * mu_masses[m + 3]
                sum4 += row[m + 4] * mu_masses[m + 4]
                sum5 += row[m + 5] * mu_masses[m + 5]
                sum6 += row[m + 6] * mu_masses[m + 6]
                sum7 += row[m + 7] * mu_masses[m + 7]
            for m in range(in_lanes, n_mu):
                sum0 += row[m] * mu_masses[m]
            given_sigma[s] = ((sum0 + sum1) + (sum2 + sum3)) + ((sum4 + sum5) + (sum6 + sum7))
            total += given_sigma[s] * mass
        likelihood[p] = max(total, _TINY)
        ratio = items[p] / likelihood[p]
        for m in range(n_mu):
            by_mu[m] += ratio * given_mu[m]
        for s in range(used[0], used[1]):
            by_sigma[s] += ratio * given_sigma[s]


def _start_points(template: Template) -> Floats:
    coordinates = [np.array(axis.start)[::_START_STRIDE] for axis in template.axes]
    return np.stack([values.ravel() for values in np.meshgrid(*coordinates, indexing="ij")], axis=1)


def _masses_at(template: Template, points: Floats, edges: Floats) -> Floats:
    """Return the result of `masses` for a family at many points of shape (p, P): shape (P, cells)."""
    below = template.cdf(edges, points[:, :, np.newaxis])
    cells = np.concatenate([below[:, :1], np.diff(below, axis=1), 1.0 - below[:, -1:]], axis=1)
    return np.asarray(np.maximum(cells, 0.0))


def _masses_and_slopes(template: Template, point: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Return the cells' masses (cells,), and their derivatives by each coordinate (p, cells)."""
    steps = _STEP * np.eye(len(point))
    cells = _masses_at(template, np.vstack([point, point + steps, point - steps]).T, edges)
    above, below = np.split(cells[1:], 2)
    return cells[0], (above - below) / (2 * _STEP)
