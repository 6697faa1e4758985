"""Differences of raters and of clusters of items, fitted to ratings with ids, for simulated sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nbyk.data.clusters import numbered_clusters
from nbyk.data.ratings import Ratings
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.people import Spread
from nbyk.priors import Response, TwoStagePrior
from nbyk.resampling.shared_population import Sharing
from nbyk.resampling.streams import Streams, stream_key
from nbyk.sums import product
from nbyk.testing.shared_units import responses, shared_units_test

Floats = NDArray[np.float64]

_FEWEST = 3
_ITEMS = 2000
_NODES = 21


@dataclass(frozen=True)
class FittedSharing:
    """The differences of raters and of clusters in a set of ratings.

    Attributes
    ----------
    sharing
        The design to simulate: the number of raters in the ratings, with their share of the variance.
    severity_sd
        Standard deviation of raters' severities, in the unit of the ratings. A severity is the amount that a
        rater adds to the mean of all items.
    cluster_sd
        Standard deviation of the amount that a cluster adds to its item means; 0 without clusters.
    """

    sharing: Sharing
    severity_sd: float
    cluster_sd: float = 0.0


def fit_sharing(ratings: Ratings, prior: TwoStagePrior) -> FittedSharing:
    """Fit the differences of raters and, if there are any, of clusters of items.

    Parameters
    ----------
    ratings
        Ratings with known raters, on the scale of the prior's responses.
    prior
        The two-stage prior fitted to them.

    Raises
    ------
    NbykError
        If fewer than three raters rated two items or more, or the raters are unknown.

    Notes
    -----
    The variance between raters is that of the mean rating by the test for shared units, in the same way as
    `nbyk plan` computes it from a pilot (`nbyk.planning.people.Spread`). `Sharing.rater_share` is the ρ by
    which the prior's responses have that variance; 0 if the estimate is not above 0. The variance between
    clusters is the variance of a mean over clusters minus that over items.
    """
    units = ratings.units()
    if units.index is None or units.n_shared < _FEWEST:
        found = (
            f"{units.n_shared} raters of two items or more" if units.index is not None else "no ids of raters"
        )
        raise NbykError(f"ratings: found {found}; expected {_FEWEST} at least, to see how raters differ")
    matrix = ratings.matrix()
    clusters = None
    if ratings.clusters is not None:
        clusters = numbered_clusters(ratings.clusters, ratings.n_items)
    # The effect of the ratings over a constant is their mean
    nothing = np.zeros((ratings.n_items, 1))
    data = responses(matrix, nothing, a_units=units.index)
    test = shared_units_test(get("mean"), data)
    severity = Spread.of(test, rated=True).raters
    sharing = Sharing(
        n_raters=len(units.names),
        rater_share=_share_of(severity, lambda share: severity_variance(prior, share)),
    )
    if clusters is None:
        return FittedSharing(sharing, severity**0.5)
    over_clusters = shared_units_test(get("mean"), responses(matrix, nothing, clusters=clusters), sources=[])
    over_items = shared_units_test(get("mean"), responses(matrix, nothing), sources=[])
    sizes = np.bincount(clusters)
    mean_size = float(np.sum(sizes**2)) / ratings.n_items
    excess = (over_clusters.variance - over_items.variance) * ratings.n_items
    between = max(0.0, excess / max(mean_size - 1.0, 1.0))
    means = _mean_response(prior.response, *_items(prior))
    clustered = Sharing(
        n_raters=sharing.n_raters,
        rater_share=sharing.rater_share,
        cluster_size=max(1, round(mean_size)),
        cluster_share=min(1.0, between / float(means.var())),
    )
    return FittedSharing(clustered, severity**0.5, between**0.5)


def severity_variance(prior: TwoStagePrior, share: float) -> float:
    """Return the variance of a rater's mean rating over all items if `share` of the noise is severity."""
    mu, sigma = _items(prior)
    severities, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    rest = sigma * np.sqrt(1.0 - share)
    means = np.array(
        [
            _mean_response(prior.response, mu + sigma * np.sqrt(share) * severity, rest).mean()
            for severity in severities
        ]
    )
    return float(product(weights, (means - product(weights, means)) ** 2))


def _share_of(variance: float, variance_at: Callable[[float], float]) -> float:
    """Return the share, from 0 to 1, at which an increasing variance has a given value."""
    if variance <= 0.0:
        return 0.0
    if variance >= variance_at(1.0):
        return 1.0
    from scipy.optimize import brentq

    return float(brentq(lambda share: variance_at(share) - variance, 0.0, 1.0, xtol=1e-6))


def _items(prior: TwoStagePrior) -> tuple[Floats, Floats]:
    """Return μ and σ of some items of a prior, always the same: each uniform takes evenly spaced values."""
    generator = Streams(stream_key(0, purpose="severity of raters"), 0).generator("items")
    places = np.arange(_ITEMS)[:, None].repeat(prior.n_uniforms, axis=1)
    return prior.draw_items((generator.permuted(places, axis=0) + 0.5) / _ITEMS)


def _mean_response(response: Response, mean: Floats, sd: Floats) -> Floats:
    """Return the expected response to items with normal draws of these means and deviations, (items,)."""
    if response.kind == "normal":
        return mean
    if response.levels:
        return product(response.probabilities(mean, sd), response.values)
    spread = np.where(sd > 0.0, sd, 1.0)
    above = [spread * _expected_excess((mean - edge) / spread) for edge in (0.0, 1.0)]
    return np.where(sd > 0.0, above[0] - above[1], np.clip(mean, 0.0, 1.0))


def _expected_excess(z: Floats) -> Floats:
    """Return E max(Z + z, 0) of a standard normal Z."""
    excess: Floats = z * ndtr(z) + np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    return excess
