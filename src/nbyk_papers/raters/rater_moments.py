"""The variance between simulated raters: of their mean ratings, and of their slopes on the items' places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from nbyk.arrays import Floats
from nbyk.priors import TwoStagePrior
from nbyk.resampling.streams import Streams, stream_key
from nbyk.sums import product
from nbyk_papers.raters.shared_population import item_places

Integers = NDArray[np.int32]

_ITEMS = 2000
_NODES = 21
_NODES_OF_BOTH = 9
_SETS = 20
_DIGITS = 9


def severity_variance(prior: TwoStagePrior, share: float, sensitivity_share: float = 0.0) -> float:
    """Return the variance of a rater's mean rating over all items of a prior.

    The shares ρ and κ of the noise are severity and sensitivity; see `Sharing`.
    """
    return _variance_of_means(prior, share, sensitivity_share, np.ones(_ITEMS))


def sensitivity_variance(
    prior: TwoStagePrior, share: float, sensitivity_share: float, seen: Floats | None = None
) -> float:
    """Return the variance of a rater's slope: the mean over all items of the rating times the item's place.

    The shares are as for `severity_variance`. `seen`, shape (2000,), are the places of the prior's items as
    ratings show them (`seen_places`); by default the true places.
    """
    places = true_places(prior) if seen is None else seen
    return _variance_of_means(prior, share, sensitivity_share, places)


def true_places(prior: TwoStagePrior) -> Floats:
    """Return the places of some items of a prior, always the same items."""
    return item_places(prior, items_of(prior)[0])


def places_by_others(ratings: Floats) -> Floats:
    """Return the place of each rating's item by the rank of its mean rating from the other raters, (N, K).

    NaN where a rating is missing, in ratings, shape (N, K), two or more of each item, too.
    """
    there = ~np.isnan(ratings)
    others = there.sum(axis=1, keepdims=True) - 1
    means = (np.nansum(ratings, axis=1, keepdims=True) - np.nan_to_num(ratings)) / others
    places = np.full(ratings.shape, np.nan)
    places[there] = _places_of_ranks(means[there])
    return places


def seen_places(prior: TwoStagePrior, raters: Integers, share: float) -> Floats:
    """Return the expected places that ratings show of some items of a prior, always the same items.

    Few ratings of an item tell its place only roughly, so these are nearer to 0 than the true places. Each
    simulated item has the raters of one row of `raters`, shape (N, K), −1 where there is none, one or more in
    each; `share` is the share ρ of the noise that is severity.
    """
    mu, sigma = items_of(prior)
    generator = Streams(stream_key(0, purpose="seen places of items"), 0).generator("ratings")
    total = np.zeros(_ITEMS)
    for _ in range(_SETS):
        of_items = raters[generator.integers(len(raters), size=_ITEMS)]
        severities = generator.standard_normal(int(raters.max()) + 1)[of_items]
        noise = np.sqrt(share) * severities
        noise += np.sqrt(1.0 - share) * generator.standard_normal(of_items.shape)
        drawn = prior.response.respond(mu[:, np.newaxis], sigma[:, np.newaxis], noise)
        total += _places_of_ranks(np.nanmean(np.where(of_items >= 0, drawn, np.nan), axis=1))
    return total / _SETS


def _places_of_ranks(means: Floats) -> Floats:
    """Return the places of means by their ranks: from −√3 to √3, with a mean of 0."""
    ranks = rankdata(np.round(means, _DIGITS))  # equal means of unlike ratings may differ by rounding
    places: Floats = np.sqrt(3.0) * ((2.0 * ranks - 1.0) / len(means) - 1.0)
    return places


def items_of(prior: TwoStagePrior) -> tuple[Floats, Floats]:
    """Return μ and σ of some items of a prior, always the same: each uniform takes evenly spaced values."""
    generator = Streams(stream_key(0, purpose="severity of raters"), 0).generator("items")
    places = np.arange(_ITEMS)[:, None].repeat(prior.n_uniforms, axis=1)
    return prior.draw_items((generator.permuted(places, axis=0) + 0.5) / _ITEMS)


def _variance_of_means(
    prior: TwoStagePrior, share: float, sensitivity_share: float, weights: Floats
) -> float:
    """Return the variance, over raters, of the mean over items of weight times expected rating."""
    mu, sigma = items_of(prior)
    both = sensitivity_share > 0.0
    severities, chances = _normal_nodes(_NODES_OF_BOTH if both else _NODES)
    sensitivities, of_slopes = _normal_nodes(_NODES_OF_BOTH) if both else (np.zeros(1), np.ones(1))
    slopes = np.sqrt(sensitivity_share) * true_places(prior)
    rest = sigma * np.sqrt(np.maximum(1.0 - share - slopes**2, 0.0))
    means = np.array(
        [
            (weights * prior.response.mean(mu + sigma * moved, rest)).mean()
            for severity in severities
            for moved in (np.sqrt(share) * severity + slopes * slope for slope in sensitivities)
        ]
    )
    chances = np.outer(chances, of_slopes).ravel()
    return float(product(chances, (means - product(chances, means)) ** 2))


def _normal_nodes(count: int) -> tuple[Floats, Floats]:
    """Return the places and the chances of Gauss and Hermite's rule for a standard normal."""
    places, chances = np.polynomial.hermite_e.hermegauss(count)
    return places, chances / chances.sum()
