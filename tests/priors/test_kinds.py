"""Kinds of responses: one contract for all, and each law of its own against other code."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import beta, kstest, lognorm, norm

import nbyk
from nbyk.data.scales import Interval, Levels
from nbyk.errors import NbykError
from nbyk.planning.long_run import unit_of
from nbyk.priors import Response, TwoStagePrior, fit_prior
from nbyk.priors.families import Beta, Constant, TruncatedNormal, open_uniforms
from nbyk.priors.kinds import KINDS
from nbyk.resampling.simulate import respond_in_place

ALL = [Response(name, levels) for name, kind in KINDS.items() for levels in (0, 2, 5) if kind.takes(levels)]
BETA = Response("beta")
LOGNORMAL = Response("lognormal")
OWN = TwoStagePrior("own", Beta(2.0, 8.0), TruncatedNormal(0.15, 0.04, 0.0, 1.0), LOGNORMAL)
SKEWED = TwoStagePrior("own", Beta(0.6, 3.0), TruncatedNormal(0.12, 0.03, 0.0, 1.0), BETA)
ITEMS = [(0.5, 0.1), (0.05, 0.1), (0.9, 0.15), (0.02, 0.01), (0.5, 0.45)]


@pytest.mark.parametrize("response", ALL, ids=repr)
@pytest.mark.parametrize(("mean", "sd"), [*ITEMS, (1.2, 0.4), (-0.5, 0.1), (0.4, 0.0)])
def test_draws_rise_with_their_normals_and_have_the_chances_and_the_mean(
    mean: float, sd: float, response: Response
) -> None:
    """Within 5 standard errors; and the draws of simulations are the same."""
    z = np.sort(np.random.default_rng(3).standard_normal(50_000))
    drawn = response.respond(mean, sd, z)
    simulated = z.reshape(1, 1, -1).copy()
    respond_in_place(response, np.array([[mean]]), np.array([[sd]]), simulated)
    assert simulated.tobytes() == drawn.tobytes()
    assert (np.diff(drawn) >= 0.0).all()
    assert response.on_scale(drawn.reshape(2, -1)).tobytes() == drawn.tobytes()
    expected = float(response.mean(np.array([mean]), np.array([sd]))[0])
    assert abs(drawn.mean() - expected) <= 5 * drawn.std() / np.sqrt(len(z)) + 5 / len(z)
    if response.levels:
        chances = response.probabilities(mean, sd)
        assert chances.sum() == pytest.approx(1.0, abs=1e-14)
        shares = np.array([np.mean(drawn == value) for value in response.values])
        assert (np.abs(shares - chances) <= 5 * np.sqrt(chances * (1 - chances) / len(z)) + 5 / len(z)).all()


@pytest.mark.parametrize("response", ALL, ids=repr)
def test_priors_of_every_kind_are_written_fitted_and_planned_with(response: Response) -> None:
    prior = TwoStagePrior("own", Beta(2.0, 3.0), Constant(0.15), response)
    assert TwoStagePrior.from_dict(json.loads(json.dumps(prior.to_dict()))) == prior
    powers = [
        nbyk.plan(prior, n_items=60, k_responses=3, epsilon=e, precision=0.05).power for e in (0.0, 0.5)
    ]
    assert powers[0] < 0.2 < 0.3 < powers[1]
    matrix = drawn(prior, 200, 4, 1)
    if response.is_normal:
        with pytest.raises(NbykError, match="neither levels nor ends"):
            fit_prior("these", np.clip(matrix, 0.0, 1.0), response)
        return
    fitted = fit_prior("these", matrix, response, n_sets=20)
    assert fitted.prior.response == response
    assert drawn(fitted.prior, 3000, 4, 9).mean() == pytest.approx(matrix.mean(), abs=0.02)


def law(mean: float, sd: float) -> beta:
    total = mean * (1 - mean) / sd**2 - 1
    return beta(mean * total, (1 - mean) * total)


@pytest.mark.parametrize(("mean", "sd"), ITEMS)
def test_a_response_is_the_quantile_of_its_normal(mean: float, sd: float) -> None:
    z = norm.ppf(np.concatenate([[1e-9, 1e-4], np.linspace(0.001, 0.999, 301), [1 - 1e-4]]))
    assert np.allclose(BETA.respond(mean, sd, z), law(mean, sd).ppf(norm.cdf(z)), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("mean", "sd"), ITEMS)
def test_draws_have_the_moments_of_the_item(mean: float, sd: float) -> None:
    """Within 5 standard errors, and by the Kolmogorov-Smirnov test."""
    x = BETA.respond(mean, sd, np.random.default_rng(3).standard_normal(50_000))
    assert abs(x.mean() - mean) < 5 * sd / np.sqrt(len(x))
    squares = (x - mean) ** 2
    assert abs(squares.mean() - sd**2) < 5 * squares.std() / np.sqrt(len(x))
    assert kstest(x, law(mean, sd).cdf).pvalue > 1e-4
    assert BETA.mean(np.array([mean]), np.array([sd])).tolist() == [mean]


def test_a_spread_beyond_every_beta_is_zeros_and_ones() -> None:
    x = BETA.respond(0.3, 0.7, np.random.default_rng(3).standard_normal(20_000))
    assert set(np.unique(x)) == {0.0, 1.0}
    assert abs(x.mean() - 0.3) < 4 * np.sqrt(0.21 / 20_000)
    assert BETA.respond([0.3, 1.4], 0.0, 1.0).tolist() == [0.3, 1.0]


@pytest.mark.parametrize(("mean", "sd"), ITEMS)
def test_levels_have_the_probabilities_of_the_parts(mean: float, sd: float) -> None:
    expected = np.diff(law(mean, sd).cdf(np.arange(6) / 5))
    response = Response("beta", 5)
    assert np.allclose(response.probabilities(mean, sd), expected, atol=1e-9)
    x = response.respond(mean, sd, np.random.default_rng(3).standard_normal(20_000))
    shares = np.bincount(np.rint(5 * x).astype(int), minlength=5) / len(x)
    assert np.abs(shares - expected).max() < 0.02
    assert response.probabilities(0.45, 0.0).tolist() == [0, 0, 1, 0, 0]


def drawn(prior: TwoStagePrior, n: int, k: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n, prior.n_uniforms)))
    return prior.response.respond(mu[:, None], sigma[:, None], rng.standard_normal((n, k)))


@pytest.mark.parametrize("own", [SKEWED, OWN], ids=lambda own: own.response.kind)
def test_a_fit_of_skewed_ratings_makes_such_ratings(own: TwoStagePrior) -> None:
    """It passes its check, which the fit of normal draws does not; and simulated means have one law."""
    matrix = drawn(own, 600, 5, 1)
    assert (matrix.max() > 1.0) == (own is OWN)
    fitted = fit_prior("these", matrix, own.response, n_sets=60)
    assert not fitted.check.rejected, fitted.check
    assert fitted.prior.response == own.response
    means = [drawn(prior, 3000, 5, 9).mean(axis=1) for prior in (own, fitted.prior)]
    assert kstest(*means).statistic < 0.06
    assert abs(means[0].mean() - means[1].mean()) < 0.02
    assert fit_prior("these", np.minimum(matrix, 1.0), Response("clamped"), n_sets=60).check.rejected


def test_plans_take_skewed_ratings() -> None:
    prior = TwoStagePrior("skewed", Beta(0.6, 3.0), Constant(0.12), BETA)
    powers = [
        nbyk.plan(prior, n_items=60, k_responses=3, epsilon=epsilon, precision=0.04).power
        for epsilon in (0.01, 0.3)
    ]
    assert powers[0] < 0.2 < 0.8 < powers[1]
    with pytest.raises(NbykError, match="levels is 1; expected none, or at least 2"):
        Response("beta", 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_unit_of_every_kind_is_by_its_highest_response(kind: str) -> None:
    """A scale from 1 to 5 is 4 long, and the highest response on levels is that of its upper end."""
    levels = 5 if KINDS[kind].takes(5) else KINDS[kind].n_levels or 0
    response = Response(kind, levels)
    assert unit_of(Interval(1, 5), response) == pytest.approx(4 / response.top)
    if response.levels > 2:
        assert unit_of(Levels((1, 2, 3, 4, 5)), response) == pytest.approx(4 / response.top)


def test_two_likert_levels_have_one_unit_however_they_are_given() -> None:
    assert unit_of(Levels((0, 1))) == unit_of(Levels((0, 1)), Response("likert", 2)) == 2.0
    assert unit_of(Interval(0, 1), Response("likert", 2)) == 2.0
    assert unit_of(Interval(0, 1), Response("binary")) == 1.0


def lognormal_law(mean: float, sd: float) -> lognorm:
    variance = np.log(1 + (sd / mean) ** 2)
    return lognorm(np.sqrt(variance), scale=mean * np.exp(-variance / 2))


@pytest.mark.parametrize(("mean", "sd"), [*ITEMS, (0.9, 0.9)])
def test_a_lognormal_response_is_the_quantile_of_its_normal_and_has_the_moments(
    mean: float, sd: float
) -> None:
    z = norm.ppf(np.concatenate([[1e-9, 1e-4], np.linspace(0.001, 0.999, 301), [1 - 1e-4]]))
    assert np.allclose(LOGNORMAL.respond(mean, sd, z), lognormal_law(mean, sd).ppf(norm.cdf(z)), rtol=1e-9)
    assert np.allclose((lognormal_law(mean, sd).mean(), lognormal_law(mean, sd).std()), (mean, sd))
    x = LOGNORMAL.respond(mean, sd, np.random.default_rng(3).standard_normal(50_000))
    assert abs(x.mean() - mean) < 5 * sd / np.sqrt(len(x))
    assert kstest(x, lognormal_law(mean, sd).cdf).pvalue > 1e-4
    assert LOGNORMAL.mean(np.array([mean, -0.1]), np.array([sd, sd])).tolist() == [mean, 0.0]


@pytest.mark.parametrize(("mean", "sd"), [*ITEMS, (0.9, 0.9)])
def test_levels_of_lognormal_responses_have_the_parts_and_the_highest_is_open(mean: float, sd: float) -> None:
    expected = np.diff(lognormal_law(mean, sd).cdf([0, 0.2, 0.4, 0.6, 0.8, np.inf]))
    response = Response("lognormal", 5)
    assert np.allclose(response.probabilities(mean, sd), expected, atol=1e-9)
    x = response.respond(mean, sd, np.random.default_rng(3).standard_normal(20_000))
    shares = np.bincount(np.rint(5 * x).astype(int), minlength=5) / len(x)
    assert np.abs(shares - expected).max() < 0.02


def test_negative_numbers_are_refused_and_large_ones_are_not() -> None:
    assert LOGNORMAL.on_scale([[0.2, 7.0], [0, 0]]).tolist() == [[0.2, 7.0], [0, 0]]
    with pytest.raises(NbykError, match="a lognormal response is a number of at least 0"):
        LOGNORMAL.on_scale([[0.2, -0.1], [0, 0]])
