"""The response stage and the two-stage prior."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nbyk.errors import NbykError
from nbyk.priors.families import Constant, Mixture, Normal, Triangular, TruncatedNormal, Uniform
from nbyk.priors.published import SIMULATED, SIMULATED_PUBLISHED, TOXICITY, published_prior
from nbyk.priors.responses import Response
from nbyk.priors.two_stage import TwoStagePrior

DISCRETE = [Response("likert", 5), Response("likert", 2), Response("likert", 7), Response("binary")]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (Response("normal"), [-0.3, 0.0, 0.19, 0.2, 0.5, 0.6, 0.99, 1.0, 1.7]),
        (Response("clamped"), [0.0, 0.0, 0.19, 0.2, 0.5, 0.6, 0.99, 1.0, 1.0]),
        (Response("likert", 5), [0.0, 0.0, 0.0, 0.2, 0.4, 0.6, 0.8, 0.8, 0.8]),
        (Response("binary"), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_apply(response, expected):
    assert response.apply([-0.3, 0.0, 0.19, 0.2, 0.5, 0.6, 0.99, 1.0, 1.7]).tolist() == expected


@given(st.floats(-2, 3), st.floats(0, 2), st.sampled_from(DISCRETE))
@settings(max_examples=200, deadline=None)
def test_probabilities_sum_to_one(mu, sigma, response):
    cells = response.probabilities(mu, sigma)
    assert np.all(cells >= 0)
    assert cells.sum() == pytest.approx(1.0, abs=1e-15 * 8)


def test_probabilities_are_right_in_the_tails():
    cells = Response("likert", 5).probabilities(0.1, 0.02)
    assert cells[4] == pytest.approx(stats.norm.sf(35), rel=1e-12)
    assert cells[1] == pytest.approx(stats.norm.sf(5) - stats.norm.sf(15), rel=1e-12)


def test_probabilities_broadcast_and_take_a_certain_response():
    cells = Response("likert", 5).probabilities([[0.2], [0.59]], [0.0, 0.1, 0.3])
    assert cells.shape == (2, 3, 5)
    assert cells[0, 0].tolist() == [0, 1, 0, 0, 0]
    assert cells[1, 0].tolist() == [0, 0, 1, 0, 0]
    assert Response("binary").probabilities(0.5, 0.0).tolist() == [0, 1]


PRIORS = [
    SIMULATED,
    SIMULATED_PUBLISHED,
    TOXICITY,
    TwoStagePrior(
        "mixed",
        Mixture((0.652561, 1 - 0.652561), (TruncatedNormal(-0.43, 0.42), TruncatedNormal(1.19, 0.53))),
        Constant(1 / 3),
        Response("binary"),
    ),
]


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)
def test_json_round_trip(prior):
    again = TwoStagePrior.from_dict(json.loads(json.dumps(prior.to_dict())))
    assert again == prior
    assert again.key() == prior.key()


def test_the_key_is_the_distribution_without_the_name():
    renamed = TwoStagePrior("other", TOXICITY.mu, TOXICITY.sigma, TOXICITY.response)
    assert renamed.key() == TOXICITY.key()
    assert len({prior.key() for prior in PRIORS}) == len(PRIORS)
    assert "name" not in json.loads(TOXICITY.key())
    whole = TwoStagePrior("a", Uniform(0, 1), Uniform(0, 0.2), Response("normal", np.int64(0)))
    assert whole.key() == SIMULATED.key()


def test_items_take_the_uniforms_of_mu_first():
    prior = PRIORS[-1]
    u = np.array([[0.3, 0.9, 0.5]])
    mu, sigma = prior.draw_items(u)
    assert prior.n_uniforms == 3
    assert mu.tolist() == prior.mu.draw(u[:, :2]).tolist()
    assert sigma.tolist() == [1 / 3]


def test_the_toxicity_prior_is_the_published_one():
    # min(|N(0, .28)|, .8) and clip(Triangular(−.05, .21, .45), 0, 1), by scipy.
    x = np.linspace(0.001, 0.799, 41)
    assert TOXICITY.mu.cdf(x) == pytest.approx(stats.halfnorm(scale=0.28).cdf(x))
    assert dict(TOXICITY.mu.atoms)[0.8] == pytest.approx(stats.halfnorm(scale=0.28).sf(0.8))
    assert TOXICITY.sigma.cdf(x) == pytest.approx(stats.triang(0.26 / 0.5, -0.05, 0.5).cdf(x))
    assert dict(TOXICITY.sigma.atoms) == pytest.approx({0.0: 0.05**2 / (0.5 * 0.26)})
    assert TOXICITY.response.values.tolist() == [0, 0.2, 0.4, 0.6, 0.8]


def test_published_priors_by_name_and_semantics():
    assert published_prior("simulated") is SIMULATED_PUBLISHED
    assert published_prior("simulated", "recommended") is SIMULATED
    assert published_prior("toxicity", "published") == published_prior("toxicity", "recommended")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Response("lickert", 5), r"did you mean likert"),
        (lambda: Response("likert"), r"levels is 0; expected a whole number of at least 2"),
        (lambda: Response("likert", 5.0), r"levels is 5.0"),
        (lambda: Response("likert", True), r"levels is True"),
        (lambda: Response("binary", 3), r"levels is 3; expected 2"),
        (lambda: Response("normal", 5), r"levels is 5; expected none"),
        (lambda: Response("normal").probabilities(0.5, 0.1), r"continuous"),
        (lambda: Response("binary").probabilities(0.5, -0.1), r"sigma is -0.1; expected at least 0"),
        (lambda: Response.from_dict({"kind": "binary", "level": 2}), r"did you mean levels"),
        (lambda: TwoStagePrior("", Uniform(0, 1), Uniform(0, 1), Response("normal")), r"name is ''"),
        (
            lambda: TwoStagePrior("p", Uniform(0, 1), 0.1, Response("normal")),
            r"sigma is 0.1; expected a Family",
        ),
        (
            lambda: TwoStagePrior("p", Uniform(0, 1), Triangular(-0.1, 0, 1), Response("normal")),
            r"prior p: sigma \(triangular\) can be as low as -0.1.*clamp it",
        ),
        (lambda: TwoStagePrior("p", Uniform(0, 1), Normal(9, 1), Response("normal")), r"as low as -inf"),
        (lambda: TwoStagePrior.from_dict({"name": "p"}), r"prior: mu is missing"),
        (lambda: TwoStagePrior.from_dict([]), r"a prior is a mapping"),
        (lambda: published_prior("toxcity"), r"unknown prior 'toxcity'; did you mean toxicity"),
        (lambda: published_prior("toxicity", "publshed"), r"unknown semantics"),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()


def test_top_of_the_scale():
    assert [response.top for response in DISCRETE] == [0.8, 0.5, pytest.approx(6 / 7), 1.0]
    assert math.isclose(Response("clamped").top, 1.0)
