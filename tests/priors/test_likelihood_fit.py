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
    fit_by_likelihood,
    fit_prior,
    published_prior,
)
from nbyk.priors.families import Beta, Constant, Normal, TruncatedNormal, Uniform, open_uniforms
from nbyk.priors.likelihood_search import FITTABLE, Search
from nbyk.priors.marginal import ItemGrid, Patterns, masses
from nbyk.priors.prior_fit import candidates_table
from tests.priors.description import Marginal, describe_fit

LIKERT = Response("likert", 5)
BINARY = Response("binary")
TRUTHS = [
    TwoStagePrior("five", TruncatedNormal(0.3, 0.3), TruncatedNormal(0.1, 0.2), LIKERT),
    TwoStagePrior("two", TruncatedNormal(-0.2, 0.5), TruncatedNormal(0.2, 0.2), BINARY),
    TwoStagePrior("ends", Beta(0.6, 0.9), Beta(1.2, 5), LIKERT),
]


def simulate(prior, n_items, n_responses, seed):
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n_items, prior.n_uniforms)))
    return prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses)))


def ragged(matrix, seed):
    gaps = np.random.default_rng(seed).random(matrix.shape) < 0.4
    gaps[:, 0] = False
    return np.where(gaps, np.nan, matrix)


def fit(matrix, response=LIKERT):
    best = fit_by_likelihood(matrix, response)[0]
    return TwoStagePrior("fit", best.mu, best.sigma, response), best


def log_likelihood(prior, matrix):
    prior.response.check_levels()
    patterns = Patterns.of(prior.response.counts(matrix))
    grid = ItemGrid.over(prior.response, prior.mu.support, prior.sigma.support)
    mu, sigma = masses(prior.mu, grid.mu_edges), masses(prior.sigma, grid.sigma_edges)
    terms = [
        np.log(np.maximum(kernel @ mu @ sigma, 1e-300)) + log_scale
        for kernel, log_scale in grid.kernels(patterns, prior.response)
    ]
    return float(patterns.items @ np.concatenate(terms))


def distance(one, other, n_responses=7):
    return np.abs(Marginal.of(one).sums(n_responses) - Marginal.of(other).sums(n_responses)).sum() / 2


def density(family):
    if isinstance(family, TruncatedNormal):
        ends = (np.array([family.low, family.high]) - family.mean) / family.sd
        return stats.truncnorm(*ends, family.mean, family.sd).pdf
    if isinstance(family, Beta):
        return stats.beta(family.a, family.b).pdf
    if isinstance(family, Normal):
        return stats.norm(family.mean, family.sd).pdf
    return stats.uniform(family.low, family.high - family.low).pdf


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
        return at, widths * density(family)(at)

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
    prior, best = fit(matrix, truth.response)
    # Predictions for more ratings per item than were seen.
    assert distance(prior, truth) < 0.03
    # The penalty may cost a fraction of a unit of log-likelihood.
    assert best.log_likelihood >= log_likelihood(truth, matrix) - 0.2
    assert best.log_likelihood == pytest.approx(log_likelihood(prior, matrix))
    described = describe_fit(prior, matrix)
    assert described.means_tv < 1.5 * described.means_tv_chance


def test_five_levels_tell_the_parameters_too():
    fitted, _ = fit(simulate(TRUTHS[0], 4000, 8, 3))
    places = np.linspace(0.1, 0.9, 9)
    assert fitted.mu.cdf(places) == pytest.approx(TRUTHS[0].mu.cdf(places), abs=0.03)
    assert fitted.sigma.cdf(places) == pytest.approx(TRUTHS[0].sigma.cdf(places), abs=0.05)


def test_ragged_rows():
    matrix = ragged(simulate(TRUTHS[0], 3000, 6, 4), 4)
    fitted, _ = fit(matrix)
    assert distance(fitted, TRUTHS[0]) < 0.04
    shuffled = np.random.default_rng(0).permuted(matrix, axis=1)[::-1]
    assert fit(shuffled)[0] == fitted


def test_the_candidates_are_ranked_by_aic():
    matrix = simulate(TRUTHS[2], 1500, 5, 5)
    candidates = fit_by_likelihood(matrix, LIKERT)
    assert len(candidates) == 6
    assert [row.aic for row in candidates] == sorted(row.aic for row in candidates)
    best = candidates[0]
    fitted = fit_prior("fit", matrix, LIKERT, n_sets=20)
    assert (best.mu, best.sigma) == (fitted.prior.mu, fitted.prior.sigma)
    assert best.aic == pytest.approx(2 * best.n_parameters - 2 * best.log_likelihood)
    assert best.mu.name == "beta"


@pytest.mark.parametrize("name", FITTABLE)
def test_the_cdf_of_a_template_is_that_of_its_family(name):
    template, x = FITTABLE[name], np.linspace(-0.1, 1.1, 25)
    points = np.array([[axis.start[1], axis.start[-1]] for axis in template.axes])
    for point, cdf in zip(points.T, template.cdf(x, points[:, :, np.newaxis]), strict=True):
        within = (x >= 0) & (x <= 1)  # a search asks for no other places
        np.testing.assert_allclose(cdf[within], template.build(point).cdf(x)[within], atol=1e-14)


@pytest.mark.parametrize(("mu", "sigma"), [("mixture", "beta"), ("beta", "truncated_normal")])
def test_the_gradient_is_that_of_the_cost(mu, sigma):
    search = Search(Patterns.of(LIKERT.counts(simulate(TRUTHS[0], 200, 4, 8))), LIKERT)
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
    patterns = Patterns.of(LIKERT.counts(matrix))
    assert len(patterns.items) > 1000
    few = patterns.at_most(1000)
    assert few.n_items == 1000
    assert len(few.items) <= 1000
    prior, best = fit(matrix)
    assert distance(prior, TRUTHS[0]) < 0.04
    assert best.log_likelihood == pytest.approx(log_likelihood(prior, matrix))


def test_convabuse():
    matrix = load_source("convabuse").matrix()
    described = describe_fit(fit(matrix)[0], matrix)
    assert described.n_items == 4185
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
    once, twice = (fit_by_likelihood(matrix, BINARY) for _ in range(2))
    assert once == twice
    table = candidates_table(once)
    assert np.isfinite(table[["log_likelihood", "aic"]]).all(axis=None)
    assert [json.loads(mu)["family"] for mu in table["mu"]] == [candidate.mu.name for candidate in once]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: fit_by_likelihood([[0.2], [0.4], [0.4]], LIKERT),
            r"sigma is not identified.*mean 0.333; 0: 0.0%, 0.2: 33.3%.*at least two responses",
        ),
        (lambda: fit_by_likelihood([[0.2, 0.2], [0.2, np.nan]], LIKERT), r"all 3 responses are 0.2"),
        (lambda: fit_by_likelihood([[0.1, 0.2], [0.3, 0.4]], Response("clamped")), r"use `fit_prior`"),
        (lambda: fit_by_likelihood([[0, 1], [0.5, 1]], BINARY), r"binary response is one of 0, 1"),
        (lambda: log_likelihood(published_prior("simulated"), [[0.1], [0.2]]), r"continuous"),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()
