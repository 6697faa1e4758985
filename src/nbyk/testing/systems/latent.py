"""The effect of an ordinal model beside that of a mean of ratings on levels.

The model is the cumulative probit: a rating is the number of thresholds that a normal response of standard
deviation 1 reaches on a latent scale, where A's responses lie β above B's. It estimates the thresholds, so β
does not depend on the numbers that the levels happen to have. The standard deviation is that of all responses
of a system: items, raters and noise together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import Levels, Scale
from nbyk.metrics import Metric
from nbyk.sums import solve
from nbyk.testing.results import Claim, Latent
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.claims import sample_of
from nbyk.testing.systems.panel import Panel

FEWEST_LEVELS, MOST_LEVELS = 3, 11
"""Two levels have no distances between them, and ratings on more than eleven are numbers."""

_SIDES = np.array([[0.5], [-0.5]])
"""Where A and B lie on the latent scale, in units of β."""

_ROUNDING = 1e-12
_MOST_STEPS = 100


def with_latent(
    claims: Iterable[Claim], metric: Metric, data: ResponseSet, panel: Panel, scale: Scale, level: float
) -> tuple[Claim, ...]:
    """Return claims with the effect of the ordinal model for the same population (`Claim.latent`).

    They stay as they are if the metric is no mean of ratings on 3 to 11 levels, or if β has no bound because
    no rating of one system lies above one of the other. `level` is the confidence level.

    Notes
    -----
    β follows from the systems' shares of levels, in which each item counts once. To first order it is
    the mean of one score for each rating (`cumulative_probit`), so that its interval for any population is
    that of a mean (`shared_units_test`). This holds if the model is wrong, too, as where raters
    have thresholds of their own: β is then that of the nearest model (White 1982, Maximum likelihood
    estimation of misspecified models).
    """
    claims, levels = tuple(claims), _levels(metric, data, scale)
    if levels is None:
        return claims
    places = [np.searchsorted(levels, ratings) for ratings in (data.a, data.b)]  # NaN: one past the last
    fit = cumulative_probit([_shares(of, len(levels)) for of in places])
    if fit is None:
        return claims
    effect, scores = fit
    moved = (effect + scores[0], -scores[1])
    a, b = (np.append(points, np.nan)[of] for points, of in zip(moved, places, strict=True))

    def told(claim: Claim) -> Claim:
        if not claim.is_conclusive:
            return claim
        sample = sample_of(data, panel, of_clusters="clusters" in claim.over)
        sample = replace(sample, a=replace(sample.a, values=a), b=replace(sample.b, values=b))
        sources = tuple(source for source in panel.sources if source in claim.over)
        test = shared_units_test(metric, sample, sources=sources, weighted=False)
        return replace(claim, latent=Latent(metric.sign * effect, test.interval(level)))

    return tuple(map(told, claims))


def _levels(metric: Metric, data: ResponseSet, scale: Scale) -> Floats | None:
    """Return the levels of ratings whose mean is compared; None if there are no such ratings."""
    if metric.name not in ("mean", "mean_cost") or data.kind != "numbers":
        return None
    ratings = np.concatenate([data.a.ravel(), data.b.ravel()])
    levels = np.unique(ratings[~np.isnan(ratings)])
    if not FEWEST_LEVELS <= len(levels) <= MOST_LEVELS:
        return None
    numbers = scale.original(levels)
    whole = np.abs(numbers - np.rint(numbers)).max() < 1e-9
    return levels if whole or isinstance(scale, Levels) else None


def _shares(places: ArrayLike, n_levels: int) -> Floats:
    """Return the share of each level, (L,), of places, (N, K); each item counts once, L is no rating."""
    counts = (np.asarray(places)[:, :, np.newaxis] == np.arange(n_levels)).sum(axis=1)
    return np.asarray((counts / counts.sum(axis=1, keepdims=True)).mean(axis=0))


def cumulative_probit(shares: ArrayLike) -> tuple[float, Floats] | None:
    """Return β by maximum likelihood, and how much a rating of each system on each level adds to it.

    Parameters
    ----------
    shares : array_like, shape (2, L)
        The share of each level among the ratings of A and of B; each level has one of either.

    Returns
    -------
    effect : float
        How far A's responses lie above B's, in standard deviations.
    scores : ndarray, shape (2, L)
        The influence of a rating on β: its score times the inverse information. Its mean is 0.

    None if β has no bound.
    """
    p = np.asarray(shares, dtype=np.float64)
    (least_a, most_a), (least_b, most_b) = (np.flatnonzero(of)[[0, -1]] for of in p)
    if most_a <= least_b or most_b <= least_a:
        return None
    point = np.append(ndtri(p.mean(axis=0).cumsum()[:-1]), 0.0)
    likelihood, gradients, information = _derivatives(point, p)
    for _ in range(_MOST_STEPS):
        step = solve(information, np.einsum("sl,slp->p", p, gradients))
        while True:
            at_step = _derivatives(point + step, p)
            if at_step[0] >= likelihood - _ROUNDING:
                break
            step /= 2.0
        point = point + step
        likelihood, gradients, information = at_step
        if np.abs(step).max() < _ROUNDING:
            break
    scores = solve(information, gradients.reshape(-1, len(point)).T)[-1]
    return float(point[-1]), scores.reshape(p.shape)


def _derivatives(point: Floats, shares: Floats) -> tuple[float, Floats, Floats]:
    """Return the log-likelihood of a rating, gradients of each level's, (2, L, L), and the information."""
    z = point[:-1] - _SIDES * point[-1]
    if (np.diff(point[:-1]) <= 0.0).any():
        return -math.inf, z, z
    edges = np.zeros((2, z.shape[1] + 2, len(point)))
    edges[:, 1:-1, :-1] = np.eye(z.shape[1])
    edges[:, 1:-1, -1] = -_SIDES
    z = np.pad(z, ((0, 0), (1, 1)), constant_values=((0, 0), (-np.inf, np.inf)))
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    slope = -density * np.where(np.isfinite(z), z, 0.0)
    low, high = z[:, :-1], z[:, 1:]
    chances = np.where(low > 0.0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
    firsts = np.diff(density[..., None] * edges, axis=1) / chances[..., None]
    seconds = np.diff(slope[..., None, None] * edges[..., None] * edges[..., None, :], axis=1)
    curvatures = seconds / chances[..., None, None] - firsts[..., None] * firsts[..., None, :]
    used = shares > 0.0
    likelihood = float((shares[used] * np.log(chances[used])).sum())
    return likelihood, firsts, -np.einsum("sl,slpq->pq", shares, curvatures)
