"""A prior beside data: marginal distributions against simulation, and the published priors' misfit."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from nbyk.data import Binary, load_source, source, source_names
from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, published_names, published_prior
from nbyk.priors.families import Constant, Normal, Uniform, open_uniforms
from tests.priors.description import Marginal, describe_fit


def simulate(prior, n_items, n_responses, seed):
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n_items, prior.n_uniforms)))
    return prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses)))


PRIORS = [
    published_prior("toxicity"),
    published_prior("armis"),
    published_prior("mhs"),
    published_prior("amazon"),
    TwoStagePrior("wide", Normal(0.5, 0.6), Uniform(0, 1.7), Response("likert", 7)),
]


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)
def test_the_marginal_is_what_simulation_gives(prior):
    # Monte-Carlo error: five standard errors, plus that of the grid.
    n, k = 200_000, 4
    levels = np.rint(simulate(prior, n, k, 5) / prior.response.values[1]).astype(int)
    marginal = Marginal.of(prior)
    expected = marginal.sums(k)
    observed = np.bincount(levels.sum(axis=1), minlength=expected.size) / n
    assert expected.sum() == pytest.approx(1, abs=1e-12)
    assert np.all(np.abs(observed - expected) <= 5 * np.sqrt(expected * (1 - expected) / n) + 3e-4)
    mean, between, within = marginal.moments()
    assert mean == pytest.approx(levels.mean(), abs=0.02)
    assert within == pytest.approx(levels.var(axis=1, ddof=1).mean(), rel=0.02, abs=1e-3)
    assert between + within / k == pytest.approx(levels.mean(axis=1).var(), rel=0.02, abs=1e-3)
    assert marginal.responses == pytest.approx(marginal.sums(1), abs=1e-12)


def test_sums_of_an_item_that_is_known_are_binomial():
    prior = TwoStagePrior("coin", Constant(0.5), Constant(1.0), Response("binary"))
    expected = np.array([1, 4, 6, 4, 1]) / 16
    # A constant is spread over its cell of the grid.
    assert Marginal.of(prior).sums(4) == pytest.approx(expected, abs=0.004)


def test_the_true_prior_is_as_far_as_chance_has_it():
    prior = published_prior("toxicity")
    matrix = simulate(prior, 3000, 5, 1)
    matrix[::2, 3:] = np.nan
    described = describe_fit(prior, matrix)
    assert described.n_items == 3000
    assert described.means_tv < 1.5 * described.means_tv_chance < 0.1
    assert described.responses_tv < 0.01
    assert described.means_ks < 1.95 / np.sqrt(3000)
    assert described.mean_prior == pytest.approx(described.mean_data, abs=0.02)
    assert described.sd_prior == pytest.approx(described.sd_data, rel=0.05)
    assert described.within_prior == pytest.approx(described.within_data, rel=0.05)
    assert json.loads(json.dumps(asdict(described), allow_nan=False))["prior_name"] == "toxicity"


def test_the_data_side_by_hand():
    described = describe_fit(
        published_prior("toxicity"), [[0.0, 0.8, np.nan], [0.4, 0.4, 0.4], [0.2, np.nan, np.nan]]
    )
    assert described.mean_data == pytest.approx((0.5 + 0.5 + 0.25) / 3)
    assert described.sd_data == pytest.approx(np.std([0.5, 0.5, 0.25]))
    assert described.within_data == pytest.approx(0.25)
    assert describe_fit(published_prior("toxicity"), [[0.0], [0.4]]).within_data is None


@pytest.mark.parametrize("name", sorted({*source_names()} & {*published_names()}))
def test_a_sources_scale_is_that_of_its_published_prior(name):
    response, published = Response.on(source(name).scale), published_prior(name).response
    if name == "convabuse":
        # Five levels, of which the paper's prior has but the ends.
        assert (response, published) == (Response("likert", 5), Response("binary"))
    else:
        assert response == published
        assert set(response.values) == set(source(name).scale.normalise(_levels(source(name).scale)))


def _levels(scale):
    return (0, 1) if isinstance(scale, Binary) else scale.levels


def test_the_published_convabuse_prior_beside_the_five_levels_of_the_data():
    matrix = load_source("convabuse").matrix()
    described = describe_fit(published_prior("convabuse"), matrix, Response("likert", 5))
    assert described.mu_mean == pytest.approx(0.662, abs=1e-3)
    assert described.mean_prior == pytest.approx(0.696, abs=1e-3)
    assert described.mean_data == pytest.approx(np.nanmean(matrix / 0.8, axis=1).mean())
    assert described.mean_data == pytest.approx(0.879, abs=1e-3)
    assert described.means_ks > 0.25
    assert (described.means_tv, described.means_tv_chance, described.responses_tv) == (None, None, None)


def test_the_published_hs_brexit_prior_makes_too_little_hate():
    # The prior's own mean response; that of the data is .129.
    described = describe_fit(published_prior("hs_brexit"), [[0.0, 1.0], [0.0, 0.0]])
    assert described.mu_mean == pytest.approx(0.079, abs=5e-4)
    assert described.mean_prior == pytest.approx(0.062, abs=5e-4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: describe_fit(published_prior("simulated"), [[0.1], [0.2]]),
            r"normal is continuous.*predictive",
        ),
        (
            lambda: describe_fit(published_prior("simulated"), [[0.0], [0.2]], Response("likert", 5)),
            r"normal is continuous",
        ),
        (
            lambda: describe_fit(published_prior("convabuse"), [[0.2], [0.8]]),
            r"binary response is one of 0, 1",
        ),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()
