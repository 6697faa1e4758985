"""Lognormal responses against scipy, their closed-form moments, and fits of what they draw."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, lognorm, norm

from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, fit_prior
from nbyk.priors.families import Beta, TruncatedNormal
from tests.priors.test_beta_responses import drawn

LOGNORMAL = Response("lognormal")
ITEMS = [(0.5, 0.1), (0.05, 0.1), (0.9, 0.9), (0.02, 0.01)]
OWN = TwoStagePrior("own", Beta(2.0, 8.0), TruncatedNormal(0.15, 0.04, 0.0, 1.0), LOGNORMAL)


def law(mean: float, sd: float) -> lognorm:
    variance = np.log(1 + (sd / mean) ** 2)
    return lognorm(np.sqrt(variance), scale=mean * np.exp(-variance / 2))


@pytest.mark.parametrize(("mean", "sd"), ITEMS)
def test_a_response_is_the_quantile_of_its_normal_and_has_the_moments_of_the_item(
    mean: float, sd: float
) -> None:
    z = norm.ppf(np.concatenate([[1e-9, 1e-4], np.linspace(0.001, 0.999, 301), [1 - 1e-4]]))
    assert np.allclose(LOGNORMAL.respond(mean, sd, z), law(mean, sd).ppf(norm.cdf(z)), rtol=1e-9)
    assert np.allclose((law(mean, sd).mean(), law(mean, sd).std()), (mean, sd))
    x = LOGNORMAL.respond(mean, sd, np.random.default_rng(3).standard_normal(50_000))
    assert abs(x.mean() - mean) < 5 * sd / np.sqrt(len(x))
    assert kstest(x, law(mean, sd).cdf).pvalue > 1e-4
    assert LOGNORMAL.mean(np.array([mean, -0.1]), np.array([sd, sd])).tolist() == [mean, 0.0]


@pytest.mark.parametrize(("mean", "sd"), ITEMS)
def test_levels_have_the_probabilities_of_the_parts_and_the_highest_is_open(mean: float, sd: float) -> None:
    expected = np.diff(law(mean, sd).cdf([0, 0.2, 0.4, 0.6, 0.8, np.inf]))
    response = Response("lognormal", 5)
    assert np.allclose(response.probabilities(mean, sd), expected, atol=1e-9)
    x = response.respond(mean, sd, np.random.default_rng(3).standard_normal(20_000))
    shares = np.bincount(np.rint(5 * x).astype(int), minlength=5) / len(x)
    assert np.abs(shares - expected).max() < 0.02


def test_a_fit_of_positive_ratings_makes_such_ratings() -> None:
    """It passes its check, which the fit of normal draws does not; and simulated means have one law."""
    matrix = drawn(OWN, 600, 5, 1)
    assert matrix.max() > 1.0
    fitted = fit_prior("these", matrix, LOGNORMAL, n_sets=60)
    assert not fitted.check.rejected, fitted.check
    assert fitted.prior.response == LOGNORMAL
    means = [drawn(prior, 3000, 5, 9).mean(axis=1) for prior in (OWN, fitted.prior)]
    assert kstest(*means).statistic < 0.06
    assert abs(means[0].mean() - means[1].mean()) < 0.02
    assert fit_prior("these", np.minimum(matrix, 1.0), Response("clamped"), n_sets=60).check.rejected


def test_negative_numbers_are_refused_and_large_ones_are_not() -> None:
    assert LOGNORMAL.on_scale([[0.2, 7.0], [0, 0]]).tolist() == [[0.2, 7.0], [0, 0]]
    with pytest.raises(NbykError, match="a lognormal response is a number of at least 0"):
        LOGNORMAL.on_scale([[0.2, -0.1], [0, 0]])
