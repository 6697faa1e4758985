"""Simulated sets whose items share raters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nbyk.metrics import get
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Beta, Constant, Mixture, Uniform
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import respond_in_place
from nbyk.resampling.streams import Streams
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.panel import panel_of
from nbyk_papers.raters.shared_population import Sharing, item_places, simulate_shared


def population(**changes: float | int) -> Population:
    given = {"n_items": 60, "k_responses": 3, "epsilon_b": 0.1, **changes}
    return Population(published_prior("toxicity"), **given)  # type: ignore[arg-type]


def test_a_set_says_who_gave_which_response() -> None:
    data = simulate_shared(population(n_runs=2), Sharing(n_raters=8), seed=1)
    gold = data.units["gold"]
    assert gold.index is not None
    assert gold.names == tuple(f"rater {j}" for j in range(1, 9))
    assert data.gold.shape == gold.index.shape == (60, 3)
    assert all(len(set(row)) == 3 for row in gold.index.tolist())
    assert len(np.unique(gold.index, axis=0)) > 5
    assert panel_of(data, None).sources == ("raters",)


def test_without_sharing_units_are_fresh() -> None:
    data = simulate_shared(population(), Sharing(rater_share=0.5), seed=1)
    assert {role: units.known_by for role, units in data.units.items()} == dict.fromkeys(
        ("gold", "a", "b"), "fresh"
    )
    assert data.clusters is None
    assert panel_of(data, None).sources == ()


def test_a_set_depends_on_its_seed_and_index_alone() -> None:
    sharing = Sharing(n_raters=5, rater_share=0.3)
    first, again, other = (simulate_shared(population(), sharing, seed=1, index=i) for i in (0, 0, 1))
    assert first.fingerprint() == again.fingerprint() != other.fingerprint()


@pytest.mark.parametrize("response", [Response("normal"), Response("likert", 5), Response("binary")])
def test_sharing_leaves_single_responses_as_they_are(response: Response) -> None:
    # Over raters and items, each response has the distribution of the prior: 200 sets of another 6 raters.
    prior = TwoStagePrior("p", Beta(3.0, 2.0), Uniform(0.1, 0.3), response)
    means = []
    for sharing in (Sharing(), Sharing(6, 0.4, sensitivity_share=0.15)):
        sets = [
            simulate_shared(Population(prior, 40, 3, 0.0), sharing, seed=5, index=index)
            for index in range(200)
        ]
        drawn = np.array([[matrix.mean() for matrix in (s.gold, s.a, s.b)] for s in sets])
        squares = np.array([[(matrix**2).mean() for matrix in (s.gold, s.a, s.b)] for s in sets])
        means.append((drawn, squares))
    (fresh, fresh_squares), (shared, shared_squares) = means
    for one, other in ((fresh, shared), (fresh_squares, shared_squares)):
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / 200)
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 4 * error).all()
    # and what is shared moves the mean of a set more
    assert shared[:, 0].std() > 1.4 * fresh[:, 0].std()
    assert_array_equal(shared[:, 1:], fresh[:, 1:])


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_variance_of_a_rating_is_that_of_the_prior_whatever_the_share(share: float) -> None:
    prior = TwoStagePrior("p", Uniform(0.5, 0.5000001), Uniform(0.2, 0.2000001), Response("normal"))
    sharing = Sharing(3, share)
    sets = [simulate_shared(Population(prior, 2, 1, 0.0), sharing, seed=8, index=i) for i in range(1000)]
    for role in ("gold", "a", "b"):
        # The first rating alone, since those of one rater are alike where the share is 1
        variance = np.var([getattr(data, role)[0, 0] for data in sets], ddof=1)
        assert_allclose(variance, 0.04, rtol=4 * np.sqrt(2 / 1000))


def test_severities_are_the_share_of_the_variance_that_they_should_be() -> None:
    # Normal responses of σ = .2: a rater's mean over all items has a variance of .3 · .04 between raters.
    prior = TwoStagePrior("p", Beta(3.0, 2.0), Uniform(0.2, 0.2000001), Response("normal"))
    raters = []
    for index in range(40):
        data = simulate_shared(Population(prior, 300, 10, 0.0), Sharing(10, 0.3), seed=2, index=index)
        raters.append(data.gold.mean(axis=0).var(ddof=1))
    expected = 0.04 * (0.3 + 0.7 / 300)
    assert_allclose(np.mean(raters), expected, rtol=4 * np.sqrt(2 / (9 * 40)))


@pytest.mark.parametrize(("rho", "kappa"), [(0.3, 0.2), (0.0, 1 / 3), (0.3, 0.0)])
def test_ratings_by_one_rater_covary_by_severity_and_sensitivity(rho: float, kappa: float) -> None:
    # 20,000 raters of 3 items: an error of at most √(2/20,000) = .01. System A answers with the item means.
    prior = TwoStagePrior("p", Uniform(0.0, 1.0), Uniform(0.1, 0.3), Response("normal"))
    raters = 20_000
    population = Population(prior, 3, raters, 0.0, sd_scale_a=0.0, n_runs=1)
    data = simulate_shared(population, Sharing(raters, rho, sensitivity_share=kappa), seed=7)
    of_rater = np.take_along_axis(data.gold, np.argsort(data.units["gold"].index, axis=1), axis=1)
    places = np.sqrt(3.0) * (2.0 * data.a[:, 0] - 1.0)
    assert_allclose(item_places(prior, data.a[:, 0]), places, atol=1e-12)
    found = np.corrcoef(of_rater)
    expected = rho + kappa * np.outer(places, places)
    np.fill_diagonal(expected, 1.0)
    assert_allclose(found, expected, atol=4 * np.sqrt(2 / raters))
    # and a single rating keeps the variance of its item
    sd = of_rater.std(axis=1, ddof=1)
    assert ((sd > 0.095) & (sd < 0.315)).all()
    assert_allclose(of_rater.mean(axis=1), data.a[:, 0], atol=4 * 0.3 / np.sqrt(raters))


def test_without_sensitivities_the_numbers_are_those_of_severity_alone() -> None:
    # The formula of a population that has no sensitivities, from the same streams, bit for bit
    n, k, raters, share = 60, 3, 8, 0.3
    of = population()
    data = simulate_shared(of, Sharing(raters, share, sensitivity_share=0.0), seed=5, index=2)
    streams = Streams(of.key(5, "shared units"), 2)
    items = of.draw_items(streams, 1)
    noise, severities = np.empty((1, n, k)), np.empty((1, raters))
    streams.fill_normals("gold", noise)
    streams.fill_normals("units of gold", severities)
    index = data.units["gold"].index
    noise = np.sqrt(1.0 - share) * noise + np.sqrt(share) * severities[0][index]
    expected = respond_in_place(of.prior.response, items.gold, items.sd_gold, noise)[0]
    assert_array_equal(data.gold, expected)
    sensitive = simulate_shared(of, Sharing(raters, share, sensitivity_share=0.2), seed=5, index=2)
    assert (sensitive.gold != data.gold).any()
    assert_array_equal(sensitive.a, data.a)


def test_items_with_equal_means_share_a_place() -> None:
    mu = Mixture((0.4, 0.6), (Constant(0.2), Uniform(0.5, 1.0)))
    prior = TwoStagePrior("p", mu, Uniform(0.1, 0.3), Response("normal"))
    # 40 % of the items are at .2: half of them count as below. The middle of the rest is at .4 + .3.
    expected = np.sqrt(3.0) * (2.0 * np.array([0.2, 0.7, 1.0]) - 1.0)
    assert_allclose(item_places(prior, np.array([0.2, 0.75, 1.0])), expected)


def test_the_test_for_shared_units_sees_them() -> None:
    data = simulate_shared(population(n_items=200), Sharing(6, 0.5), seed=4)
    responses = panel_of(data, None).responses
    assert responses is not None
    with_raters, without = (
        shared_units_test(get("mae"), responses, sources=sources) for sources in (None, [])
    )
    assert with_raters.effect == without.effect
    assert with_raters.sources["raters"].units == 6
