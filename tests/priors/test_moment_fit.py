"""The predictive check of a whole prior, and the fit of one."""

import json

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.priors.families import Constant, TruncatedNormal, Uniform, open_uniforms
from nbyk.priors.moment_fit import fit_by_moments
from nbyk.priors.predictive import on_scale, predictive_check
from nbyk.priors.published import SIMULATED, SIMULATED_PUBLISHED, TOXICITY
from nbyk.priors.two_stage import Response, TwoStagePrior


def simulate(prior, n_items, n_responses, seed):
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n_items, prior.n_uniforms)))
    return prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses)))


def ragged(matrix, seed):
    gaps = np.random.default_rng(seed).random(matrix.shape) < 0.4
    gaps[:, 0] = False
    return np.where(gaps, np.nan, matrix)


@pytest.mark.parametrize("prior", [TOXICITY, SIMULATED], ids=lambda prior: prior.name)
def test_p_is_uniform_for_data_from_the_prior(prior):
    checks = [
        predictive_check(prior, ragged(simulate(prior, 60, 4, seed), seed), seed=seed, n_sets=39)
        for seed in range(100, 150)
    ]
    for statistic in ("means_p", "sds_p", "mean_p"):
        p = [getattr(check, statistic) for check in checks]
        assert stats.kstest(p, "uniform").pvalue > 0.01, statistic


def test_p_is_small_for_data_from_another_prior():
    check = predictive_check(SIMULATED, simulate(SIMULATED_PUBLISHED, 400, 5, 1), n_sets=99)
    assert check.sds_p == 0.01
    assert check.means_p > 0.05
    shifted = TwoStagePrior("shifted", Uniform(0.1, 1.1), SIMULATED.sigma, SIMULATED.response)
    check = predictive_check(SIMULATED, simulate(shifted, 400, 5, 1), n_sets=99)
    assert (check.means_p, check.mean_p) == (0.01, 0.01)
    assert check.sds_p > 0.05
    assert check.mean_data - check.mean_prior == pytest.approx(0.1, abs=0.05)


def test_responses_typed_with_few_digits_are_put_on_their_level():
    response = Response("likert", 3)
    rounded = on_scale([[0.333333, 0.6666667], [0.0, np.nan]], response)
    assert rounded[0].tolist() == [1 / 3, 2 / 3]
    assert np.isnan(rounded[1, 1])


def test_the_fit_of_plain_normal_responses_predicts_the_data():
    # With many unrounded responses to each item the moments are the latent parameters, nearly.
    truth = TwoStagePrior("truth", TruncatedNormal(0.4, 0.2), Uniform(0.05, 0.2), Response("normal"))
    matrix = np.clip(simulate(truth, 1500, 40, 3), -0.5, 1.5)
    fitted = fit_by_moments(
        "fit",
        matrix,
        Response("normal"),
        mu_families=["normal", "truncated_normal", "uniform"],
        sigma_families=["uniform", "beta", "normal"],
        n_bootstrap=0,
        n_sets=39,
        seed=3,
    )
    assert fitted.prior.name == "fit"
    assert fitted.prior.sigma.support[0] >= 0
    assert np.abs(fitted.prior.mu.cdf([0.2, 0.4, 0.6]) - truth.mu.cdf([0.2, 0.4, 0.6])).max() < 0.04
    assert fitted.predictive.means_p > 0.02
    assert fitted.predictive.means_ks < 0.04
    again = TwoStagePrior.from_dict(json.loads(json.dumps(fitted.to_dict(), allow_nan=False))["prior"])
    assert again == fitted.prior


@pytest.mark.statistics
def test_the_predictive_check_shows_what_rounding_does_to_moments():
    # Moments of responses rounded down are rounded down once more by a prior that takes them for latent.
    matrix = simulate(TOXICITY, 1000, 5, 2)
    fitted = fit_by_moments("toxicity fit", matrix, Response("likert", 5), n_bootstrap=0, n_sets=39)
    assert fitted.mu_table[0].ks < 0.1
    assert fitted.predictive.mean_data - fitted.predictive.mean_prior > 0.03
    assert fitted.predictive.mean_p == 1 / 40
    assert predictive_check(TOXICITY, matrix, n_sets=39).mean_p > 0.05


def test_the_same_input_gives_the_same_output():
    matrix = ragged(simulate(TOXICITY, 80, 5, 4), 4)
    options = {"mu_families": ["clamped_normal"], "sigma_families": ["clamped_triangular"]}
    once, twice = (
        fit_by_moments("t", matrix, Response("likert", 5), n_bootstrap=9, n_sets=9, seed=1, **options)
        for _ in range(2)
    )
    assert once == twice
    assert {row.method for row in once.mu_table} == {"histogram", "likelihood"}


MATRIX = np.array([[0.2, 0.4, 0.4], [0.0, 0.2, 0.0], [0.6, 0.8, 0.2], [0.2, 0.8, 0.8]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: predictive_check(TOXICITY, [[0.2, 0.25], [0.0, 0.2]]),
            r"item 0, response 1 is 0.25.*0.2, 0.4",
        ),
        (lambda: predictive_check(TOXICITY, [[0.2, 1.0], [0.0, 0.2]]), r"recode the responses"),
        (lambda: predictive_check(TOXICITY, MATRIX, n_sets=0), r"simulated data sets is 0"),
        (lambda: predictive_check(TOXICITY, [[0.2], [0.4]]), r"sigma is not identified"),
        (lambda: fit_by_moments("p", MATRIX, Response("binary")), r"binary response is one of 0, 1"),
        (
            lambda: fit_by_moments("p", MATRIX + 0.5, Response("clamped")),
            r"clamped response is a number in \[0, 1\]",
        ),
        (lambda: fit_by_moments("p", MATRIX, Response("likert", 5), method="bets"), r"did you mean best"),
        (
            lambda: fit_by_moments(
                "p", MATRIX, Response("likert", 5), sigma_families=["normal"], n_bootstrap=0
            ),
            r"no candidate for sigma can be used: normal: falls below 0",
        ),
        (
            lambda: fit_by_moments(
                "p", [[0.2, 0.2], [0.4, 0.4], [0.6, 0.6]], Response("likert", 5), n_bootstrap=0
            ),
            r"sigma: all 3 are 0.0.*constant",
        ),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()


def test_a_prior_without_spread_is_checked_too():
    prior = TwoStagePrior("still", Uniform(0, 1), Constant(0), Response("normal"))
    check = predictive_check(prior, simulate(prior, 50, 3, 1), n_sets=19)
    assert check.sds_ks == 0
    assert check.sds_p == 1
