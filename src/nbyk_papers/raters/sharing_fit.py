"""Differences of raters, fitted to ratings: of their means, and of their slopes on the items' places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from nbyk.arrays import Floats
from nbyk.data.ratings import Ratings
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors import TwoStagePrior
from nbyk.resampling.streams import Streams, stream_key
from nbyk.sums import product
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.collection import Spread
from nbyk_papers.raters.shared_population import Sharing, item_places, most_sensitivity

Integers = NDArray[np.int32]

_FEWEST = 3
_ROUNDS = 5
_NEAR = 1e-3


@dataclass(frozen=True)
class FittedSharing:
    """The differences of raters in a set of ratings.

    `sharing` is the design to simulate: their number, with their shares of the variance. `severity_sd` is the
    standard deviation, in the unit of the ratings, of what a rater adds to the mean of all items;
    `sensitivity_sd` that of the slopes of raters' mean ratings on the items' places, less the mean slope, for
    raters who differ as `sharing` has it: 0 if no three raters share items with several ratings.
    """

    sharing: Sharing
    severity_sd: float
    sensitivity_sd: float = 0.0


def fit_sharing(ratings: Ratings, prior: TwoStagePrior) -> FittedSharing:
    """Fit the differences of raters to ratings with known raters, on the scale of a prior fitted to them.

    The variance between raters is that of the mean rating by the test for shared units, as `nbyk plan`
    computes it from a pilot (`nbyk.Spread`). The variance of their slopes is that of the mean of rating times
    place. There, a rating counts from the mean of its item, and the place of the item is by the rank of its
    mean rating from the other raters; items with a single rating are left out. The shares are the ρ and κ by
    which the prior's responses have these variances, with ranks from as many ratings. A share is 0 if its
    variance is no larger than without it, and κ is at most (1 − ρ) / 3. Severity alone gives raters unlike
    slopes near the ends of a scale, so `sensitivity_sd` may be above 0 with a κ of 0.
    """
    units = ratings.units()
    if units.index is None or units.n_shared < _FEWEST:
        sharing = (
            f"{units.n_shared} raters of two items or more" if units.index is not None else "no ids of raters"
        )
        raise NbykError(f"ratings: found {sharing}; expected {_FEWEST} at least, to see how raters differ")
    matrix = ratings.matrix()
    severity = _between_raters(matrix, units.index)
    share = _share_of(severity, partial(severity_variance, prior))
    fit = FittedSharing(Sharing(len(units.names), share), severity**0.5)
    several = np.flatnonzero(ratings.counts() > 1)
    if units.taken(several).n_shared < _FEWEST:
        return fit
    return _with_sensitivities(fit, prior, matrix[several], units.index[several])


def _between_raters(values: Floats, raters: Integers) -> float:
    """Return the variance between raters of the mean of values (N, K), beyond chance; at least 0."""
    # The effect of the values over a constant is their mean
    data = responses(values, np.zeros((len(values), 1)), a_units=raters)
    return Spread.of(shared_units_test(get("mean"), data, weighted=False), rated=True).raters


def _with_sensitivities(
    fit: FittedSharing, prior: TwoStagePrior, matrix: Floats, raters: Integers
) -> FittedSharing:
    """Return the fit with the differences of raters' slopes, from items with several ratings."""
    above_item = matrix - np.nanmean(matrix, axis=1, keepdims=True)
    slope = _between_raters(above_item * places_by_others(matrix), raters)
    # A rating's place rests on the other raters: one fewer than the item has, and missing ones come last
    seen = seen_places(prior, raters[:, 1:], fit.sharing.rater_share)
    share, sensitivity_share = _fitted_shares(prior, fit.severity_sd**2, slope, seen)
    return replace(
        fit,
        sharing=replace(fit.sharing, rater_share=share, sensitivity_share=sensitivity_share),
        sensitivity_sd=sensitivity_variance(prior, share, sensitivity_share) ** 0.5,
    )


def _fitted_shares(prior: TwoStagePrior, severity: float, slope: float, seen: Floats) -> tuple[float, float]:
    """Return ρ and κ by which raters' means and slopes have these variances, or come nearest to them."""
    share, sensitivity_share = 0.0, 0.0
    for _ in range(_ROUNDS):
        before = sensitivity_share
        at_share = partial(severity_variance, prior, sensitivity_share=sensitivity_share)
        share = _share_of(severity, at_share, 1.0 - 3.0 * sensitivity_share)
        at_sensitivity = partial(sensitivity_variance, prior, share, seen=seen)
        sensitivity_share = _share_of(slope, at_sensitivity, most_sensitivity(share))
        if abs(sensitivity_share - before) < _NEAR:
            break
    return share, sensitivity_share


def _share_of(variance: float, variance_at: Callable[[float], float], most: float = 1.0) -> float:
    """Return the share, from 0 to `most`, at which an increasing variance has a given value."""
    if variance <= variance_at(0.0):
        return 0.0
    if variance >= variance_at(most):
        return most
    from scipy.optimize import brentq

    return float(brentq(lambda share: variance_at(share) - variance, 0.0, most, xtol=1e-6))


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
