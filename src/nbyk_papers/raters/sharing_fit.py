"""Differences of raters, fitted to ratings with ids, for simulated sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.data.ratings import Ratings
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors import TwoStagePrior
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.collection import Spread
from nbyk_papers.raters.rater_moments import (
    places_by_others,
    seen_places,
    sensitivity_variance,
    severity_variance,
)
from nbyk_papers.raters.shared_population import Sharing, most_sensitivity

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
