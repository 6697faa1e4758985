"""Severities and sensitivities fitted from ratings with ids, against what they were simulated with."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nbyk.data import load_source
from nbyk.data.ratings import Ratings
from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Beta, Uniform
from nbyk.resampling.population import Population
from nbyk_papers.raters.shared_population import Sharing, simulate_shared
from nbyk_papers.raters.sharing_fit import (
    FittedSharing,
    fit_sharing,
    places_by_others,
    sensitivity_variance,
    severity_variance,
)


def prior_of(response: Response) -> TwoStagePrior:
    return TwoStagePrior("p", Beta(3.0, 2.0), Uniform(0.1, 0.3), response)


def simulated(prior: TwoStagePrior, sharing: Sharing, *, n_items: int, k: int, index: int = 0) -> Ratings:
    data = simulate_shared(Population(prior, n_items, k, 0.0), sharing, seed=6, index=index)
    index_of = data.units["gold"].index
    assert index_of is not None
    items, columns = np.indices(index_of.shape)
    return Ratings.from_columns(
        [f"i{item}" for item in items.ravel()],
        [f"r{rater}" for rater in index_of[items, columns].ravel()],
        data.gold.ravel(),
    )


@pytest.mark.parametrize(
    "response", [Response("normal"), Response("clamped"), Response("likert", 5), Response("binary")]
)
def test_severities_come_back(response: Response) -> None:
    # 40 raters tell a variance to within √(2/39) = 23 %, here over four sets: 11 %.
    prior = prior_of(response)
    found = [
        fit_sharing(simulated(prior, Sharing(40, 0.2), n_items=300, k=8, index=index), prior)
        for index in range(4)
    ]
    assert all(fit.sharing.n_raters == 40 for fit in found)
    variance = np.mean([fit.severity_sd**2 for fit in found])
    assert_allclose(variance, severity_variance(prior, 0.2), rtol=4 * 0.12)
    assert_allclose(np.mean([fit.sharing.rater_share for fit in found]), 0.2, rtol=4 * 0.12)


def test_raters_who_do_not_differ_have_a_small_share() -> None:
    prior = prior_of(Response("likert", 5))
    fit = fit_sharing(simulated(prior, Sharing(20, 0.0), n_items=300, k=5), prior)
    assert fit.sharing.rater_share < 0.02


def fits(response: Response, sharing: Sharing, *, k: int = 8) -> tuple[TwoStagePrior, list[FittedSharing]]:
    """Return a prior, and the fits of four sets of 300 items that were simulated from it."""
    prior = prior_of(response)
    sets = [simulated(prior, sharing, n_items=300, k=k, index=index) for index in range(4)]
    return prior, [fit_sharing(ratings, prior) for ratings in sets]


@pytest.mark.parametrize(
    "response",
    [
        Response("normal"),
        pytest.param(Response("clamped"), marks=pytest.mark.statistics),
        pytest.param(Response("likert", 5), marks=pytest.mark.statistics),
        pytest.param(Response("binary"), marks=pytest.mark.statistics),
    ],
)
def test_sensitivities_come_back(response: Response) -> None:
    # 40 raters tell a variance to within 23 %, the noise of 60 ratings each adds 10 %: 13 % over four sets
    prior, found = fits(response, Sharing(40, 0.2, sensitivity_share=0.15))
    assert_allclose(np.mean([fit.sharing.sensitivity_share for fit in found]), 0.15, rtol=4 * 0.13)
    assert_allclose(np.mean([fit.sharing.rater_share for fit in found]), 0.2, rtol=4 * 0.13)
    variance = np.mean([fit.sensitivity_sd**2 for fit in found])
    assert_allclose(variance, sensitivity_variance(prior, 0.2, 0.15), rtol=4 * 0.13)


@pytest.mark.statistics
def test_sensitivities_come_back_from_three_ratings_an_item() -> None:
    # The place of an item rests on two ratings there. Noise of 22 ratings a rater: 25 % over four sets.
    _, found = fits(Response("normal"), Sharing(40, 0.1, sensitivity_share=0.15), k=3)
    assert_allclose(np.mean([fit.sharing.sensitivity_share for fit in found]), 0.15, rtol=4 * 0.25)
    assert min(fit.sharing.sensitivity_share for fit in found) > 0.03


@pytest.mark.parametrize("response", [Response("normal"), Response("binary")])
def test_raters_of_one_sensitivity_have_a_small_share(response: Response) -> None:
    # Of yes/no ratings, severity alone gives raters unlike slopes, and they are no sensitivity
    prior, found = fits(response, Sharing(40, 0.2))
    assert np.mean([fit.sharing.sensitivity_share for fit in found]) < 0.03
    of_severity = sensitivity_variance(prior, 0.2, 0.0) ** 0.5
    assert abs(np.mean([fit.sensitivity_sd for fit in found]) - of_severity) < 4 * 0.006


def test_single_ratings_say_nothing_of_sensitivities() -> None:
    prior = prior_of(Response("normal"))
    fit = fit_sharing(simulated(prior, Sharing(20, 0.2, sensitivity_share=0.2), n_items=300, k=1), prior)
    assert (fit.sharing.sensitivity_share, fit.sensitivity_sd) == (0.0, 0.0)


def test_sensitivity_in_closed_form() -> None:
    # Of normal responses with σ = .2: E g² = 1 leaves κ σ² of the slope, and severity has no part in it.
    prior = TwoStagePrior("p", Beta(3.0, 2.0), Uniform(0.2, 0.2000001), Response("normal"))
    assert_allclose(sensitivity_variance(prior, 0.3, 0.2), 0.2 * 0.04, rtol=1e-3)
    assert_allclose(severity_variance(prior, 0.3, 0.2), 0.3 * 0.04, rtol=1e-3)


def test_a_place_rests_on_the_other_raters() -> None:
    ratings = np.array([[0.9, 0.1, 0.2], [0.5, 0.6, np.nan]])
    # The others' means are .15, .55, .5 for the first item, and .6, .5 for the second
    ranks = np.array([[1.0, 4.0, 2.5], [5.0, 2.5, np.nan]])
    assert_allclose(places_by_others(ratings), np.sqrt(3.0) * ((2.0 * ranks - 1.0) / 5.0 - 1.0))


def test_severity_in_closed_form() -> None:
    # Of normal responses, ρ σ² with E σ and not E σ², since one severity stands for all items.
    prior = prior_of(Response("normal"))
    assert_allclose(severity_variance(prior, 0.3), 0.3 * 0.2**2, rtol=0.02)
    # Clamped responses that stay far from 0 and 1 are normal
    narrow = TwoStagePrior("p", Uniform(0.4, 0.6), Uniform(0.02, 0.020001), Response("clamped"))
    assert_allclose(severity_variance(narrow, 0.5), 0.5 * 0.02**2, rtol=1e-3)


def test_convabuse_has_eight_raters_who_differ() -> None:
    fit = fit_sharing(load_source("convabuse", None), published_prior("convabuse"))
    assert fit.sharing.n_raters == 8
    assert 0.035 < fit.severity_sd < 0.05
    assert 0.0 < fit.sharing.rater_share < 1.0
    # The slopes of the eight raters on the places by the others lie between .08 and .21
    assert 0.05 < fit.sensitivity_sd < 0.08
    assert fit.sharing.rater_share + 3 * fit.sharing.sensitivity_share <= 1.0


def test_ratings_that_do_not_tell_are_refused() -> None:
    items, raters = ["i", "i", "j", "j"], ["x", "y", "x", "y"]
    prior = prior_of(Response("normal"))
    for known, found in ((True, "2 raters of two items or more"), (False, "no ids of raters")):
        ratings = Ratings.from_columns(items, raters, [0.1, 0.2, 0.3, 0.4], raters_known=known)
        with pytest.raises(NbykError, match=f"found {found}; expected 3 at least"):
            fit_sharing(ratings, prior)
