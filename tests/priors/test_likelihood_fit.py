"""The marginal likelihood against quadrature, and the fit that maximises it."""

import json
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import roots_legendre

from nbyk.data import load_source
from nbyk.errors import NbykError
from nbyk.priors import (
    Response,
    TwoStagePrior,
    describe_fit,
    fit_by_likelihood,
    log_likelihood,
    published_prior,
)
from nbyk.priors.families import Beta, Clamped, Constant, Normal, TruncatedNormal, Uniform, open_uniforms
from nbyk.priors.likelihood_search import Search
from nbyk.priors.marginal import Marginal, Patterns, response_counts
from nbyk.priors.templates import FITTABLE

LIKERT = Response("likert", 5)
BINARY = Response("binary")
TRUTHS = [
    TwoStagePrior("five", TruncatedNormal(0.3, 0.3), TruncatedNormal(0.1, 0.2), LIKERT),
    TwoStagePrior("two", TruncatedNormal(-0.2, 0.5), TruncatedNormal(0.2, 0.2), BINARY),
    TwoStagePrior("ends", Beta(0.6, 0.9), Beta(1.2, 5), LIKERT),
]
FAST = {"mu": ("truncated_normal", "beta"), "sigma": "truncated_normal"}


def simulate(prior, n_items, n_responses, seed):
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n_items, prior.n_uniforms)))
    return prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses)))


def ragged(matrix, seed):
    gaps = np.random.default_rng(seed).random(matrix.shape) < 0.4
    gaps[:, 0] = False
    return np.where(gaps, np.nan, matrix)


def distance(one, other, n_responses=7):
    return np.abs(Marginal.of(one).sums(n_responses) - Marginal.of(other).sums(n_responses)).sum() / 2


@pytest.mark.parametrize(
    ("prior", "low", "high", "widest"),
    [
        (TwoStagePrior("a", TruncatedNormal(0.4, 0.3), TruncatedNormal(0.2, 0.3), LIKERT), 0, 1, 1),
        (TwoStagePrior("b", TruncatedNormal(-0.4, 0.5), Beta(2, 4), BINARY), 0, 1, 1),
        (TwoStagePrior("c", Normal(0.4, 0.5), Uniform(0.01, 1.4), LIKERT), -3, 4, 1.4),
    ],
    ids=lambda side: getattr(side, "name", None),
)
def test_the_likelihood_is_the_integral(prior, low, high, widest):
    top = prior.response.values[-1]
    matrix = np.array([[0, 0, top], [top, np.nan, top], [0, np.nan, np.nan]])
    edges = [0.5, 0.5] if prior.response == BINARY else [0.2, 0.8]
    x, weights = roots_legendre(200)

    def nodes(family, breaks):
        pieces = [(a + (b - a) * (x + 1) / 2, weights * (b - a) / 2) for a, b in pairwise(breaks)]
        at, widths = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return at, widths * np.exp(family.log_likelihood(at))

    mu, of_mu = nodes(prior.mu, [low, *sorted(set(edges)), high])
    sigma, of_sigma = nodes(prior.sigma, [prior.sigma.support[0], 0.03, 0.2, widest])
    lowest = stats.norm.cdf((edges[0] - mu[:, None]) / sigma)
    highest = stats.norm.sf((edges[1] - mu[:, None]) / sigma)
    integrals = [of_mu @ cells @ of_sigma for cells in (lowest**2 * highest, highest**2, lowest)]
    assert log_likelihood(prior, matrix) == pytest.approx(np.log(integrals).sum(), abs=2e-3)


def test_the_likelihood_of_items_that_are_known():
    prior = TwoStagePrior("known", Constant(1.0), Constant(0.0), BINARY)
    assert log_likelihood(prior, [[1, 1], [1, np.nan]]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.statistics
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.name)
def test_recovers_what_the_truth_predicts(truth, seed):
    matrix = simulate(truth, 4000, 5, seed)
    fitted = fit_by_likelihood("fit", matrix, truth.response)
    # Predictions for more ratings per item than were seen.
    assert distance(fitted.prior, truth) < 0.03
    # The penalty may cost a fraction of a unit of log-likelihood.
    assert fitted.log_likelihood >= log_likelihood(truth, matrix) - 0.2
    assert fitted.log_likelihood == pytest.approx(log_likelihood(fitted.prior, matrix))
    assert fitted.saturated_log_likelihood >= fitted.log_likelihood
    assert fitted.goodness.p is None or fitted.goodness.p > 1e-3
    assert fitted.description.means_tv < 1.5 * fitted.description.means_tv_chance
    assert sum(fitted.goodness.observed) == 4000
    assert sum(fitted.goodness.expected) == pytest.approx(4000)


def test_five_levels_tell_the_parameters_too():
    fitted = fit_by_likelihood(
        "fit", simulate(TRUTHS[0], 4000, 8, 3), LIKERT, mu="truncated_normal", sigma="truncated_normal"
    ).prior
    places = np.linspace(0.1, 0.9, 9)
    assert fitted.mu.cdf(places) == pytest.approx(TRUTHS[0].mu.cdf(places), abs=0.03)
    assert fitted.sigma.cdf(places) == pytest.approx(TRUTHS[0].sigma.cdf(places), abs=0.05)


def test_ragged_rows():
    matrix = ragged(simulate(TRUTHS[0], 3000, 6, 4), 4)
    fitted = fit_by_likelihood("fit", matrix, LIKERT, **FAST)
    assert distance(fitted.prior, TRUTHS[0]) < 0.04
    n_responses = (~np.isnan(matrix)).sum(axis=1)
    counts = np.bincount(n_responses)
    assert fitted.goodness.n_responses == counts[2:].argmax() + 2
    assert sum(fitted.goodness.observed) == counts[2:].max()
    shuffled = np.random.default_rng(0).permuted(matrix, axis=1)[::-1]
    assert fit_by_likelihood("fit", shuffled, LIKERT, **FAST).prior == fitted.prior


def test_the_candidates_are_ranked_by_aic():
    fitted = fit_by_likelihood("fit", simulate(TRUTHS[2], 1500, 5, 5), LIKERT)
    assert len(fitted.candidates) == 6
    assert [row.aic for row in fitted.candidates] == sorted(row.aic for row in fitted.candidates)
    best = fitted.candidates[0]
    assert (best.mu, best.sigma) == (fitted.prior.mu, fitted.prior.sigma)
    assert best.aic == pytest.approx(2 * best.n_parameters - 2 * fitted.log_likelihood)
    assert fitted.prior.mu.name == "beta"


def test_a_uniform_sigma_stays_within_its_bounds():
    truth = TwoStagePrior("uniform", TruncatedNormal(0.4, 0.3), Uniform(0.1, 0.5), LIKERT)
    fitted = fit_by_likelihood("fit", simulate(truth, 4000, 8, 6), LIKERT, sigma="uniform", mu="beta").prior
    assert fitted.sigma.low == pytest.approx(0.1, abs=0.05)
    assert fitted.sigma.high == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("name", FITTABLE)
def test_the_cdf_of_a_template_is_that_of_its_family(name):
    template, x = FITTABLE[name], np.linspace(-0.1, 1.1, 25)
    points = np.array([[axis.start[1], axis.start[-1]] for axis in template.axes])
    for point, cdf in zip(points.T, template.cdf(x, points[:, :, np.newaxis], 1.0), strict=True):
        family = template.build(point, 1.0)
        inside = family.of if isinstance(family, Clamped) else family
        within = (x >= 0) & (x <= 1)  # a search asks for no other places
        np.testing.assert_allclose(cdf[within], inside.cdf(x)[within], atol=1e-14)


@pytest.mark.parametrize("name", FITTABLE)
def test_every_fittable_family_can_be_fitted(name):
    matrix = simulate(TRUTHS[0], 300, 4, 7)
    for stages in ({"mu": name, "sigma": "beta"}, {"mu": "beta", "sigma": name}):
        fitted = fit_by_likelihood("fit", matrix, LIKERT, **stages)
        assert np.isfinite(fitted.log_likelihood)


@pytest.mark.parametrize(("mu", "sigma"), [("truncated_normal_mixture", "beta"), ("beta", "clamped_normal")])
def test_the_gradient_is_that_of_the_cost(mu, sigma):
    search = Search(Patterns.of(response_counts(simulate(TRUTHS[0], 200, 4, 8), LIKERT)), LIKERT)
    templates = FITTABLE[mu], FITTABLE[sigma]
    point = search.starts(*templates)[0] + 0.1
    _, gradient = search.cost(point, *templates)
    h = 1e-5
    numeric = [
        (search.cost(point + step, *templates)[0] - search.cost(point - step, *templates)[0]) / (2 * h)
        for step in h * np.eye(point.size)
    ]
    assert gradient == pytest.approx(numeric, abs=1e-6)


def test_many_patterns_are_fitted_from_some_items_of_them():
    matrix = simulate(TRUTHS[0], 3000, 20, 9)
    patterns = Patterns.of(response_counts(matrix, LIKERT))
    assert len(patterns.items) > 1000
    few = patterns.at_most(1000)
    assert few.n_items == 1000
    assert len(few.items) <= 1000
    fitted = fit_by_likelihood("fit", matrix, LIKERT, mu="truncated_normal", sigma="truncated_normal")
    assert fitted.n_items == 3000
    assert distance(fitted.prior, TRUTHS[0]) < 0.04
    assert fitted.log_likelihood == pytest.approx(log_likelihood(fitted.prior, matrix))


def test_the_saturated_likelihood_by_hand():
    # Of three items with two ratings two have one of each: 2/3, in either order; one has two ones: 1/3.
    patterns = Patterns.of(response_counts([[0, 1], [1, 0], [1, 1], [0, np.nan]], BINARY))
    assert patterns.saturated_log_likelihood() == pytest.approx(3 * np.log(1 / 3))


def test_convabuse():
    matrix = load_source("convabuse").matrix()
    fitted = fit_by_likelihood("convabuse", matrix, LIKERT)
    assert fitted.n_items == 4185
    described = fitted.description
    assert described == describe_fit(fitted.prior, matrix)
    # Chance alone would give .02; the ratings' own shape is not quite a rounded normal's.
    assert described.means_tv < 0.06
    assert described.means_ks < 0.025
    assert described.responses_tv < 0.03
    assert described.mean_prior == pytest.approx(described.mean_data, abs=0.002)
    assert described.sd_prior == pytest.approx(described.sd_data, rel=0.02)
    assert described.within_prior == pytest.approx(described.within_data, rel=0.03)
    published = describe_fit(published_prior("convabuse"), matrix, LIKERT)
    assert published.means_ks > 10 * described.means_ks


def test_the_same_input_gives_the_same_output():
    matrix = ragged(simulate(TRUTHS[1], 300, 5, 4), 4)
    once, twice = (fit_by_likelihood("t", matrix, BINARY) for _ in range(2))
    assert once == twice
    content = json.loads(json.dumps(once.to_dict(), allow_nan=False))
    assert TwoStagePrior.from_dict(content["prior"]) == once.prior
    assert len(content["goodness"]["observed"]) == len(content["goodness"]["expected"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: fit_by_likelihood("p", [[0.2], [0.4], [0.4]], LIKERT),
            r"sigma is not identified.*mean 0.333; 0: 0.0%, 0.2: 33.3%.*at least two responses",
        ),
        (lambda: fit_by_likelihood("p", [[0.2, 0.2], [0.2, np.nan]], LIKERT), r"all 3 responses are 0.2"),
        (lambda: fit_by_likelihood("p", [[0.1, 0.2], [0.3, 0.4]], Response("clamped")), r"use `fit_prior`"),
        (lambda: fit_by_likelihood("p", [[0, 1], [0.5, 1]], BINARY), r"binary response is one of 0, 1"),
        (lambda: fit_by_likelihood("p", [[0, 1], [1, 1]], BINARY, mu="normal"), r"unknown family.*of mu"),
        (lambda: fit_by_likelihood("p", [[0, 1], [1, 1]], BINARY, sigma=[]), r"no family for sigma"),
        (lambda: log_likelihood(published_prior("simulated"), [[0.1], [0.2]]), r"continuous"),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()
