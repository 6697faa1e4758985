"""The predictive check of a whole prior, and the moments that it compares."""

import itertools

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.priors.families import Constant, Uniform, open_uniforms
from nbyk.priors.predictive import item_parameters, ks_distance, predictive_check
from nbyk.priors.published import SIMULATED, SIMULATED_PUBLISHED, TOXICITY
from nbyk.priors.responses import Response
from nbyk.priors.two_stage import TwoStagePrior

RNG = np.random.default_rng(11)


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
    rounded = response.on_scale([[0.333333, 0.6666667], [0.0, np.nan]])
    assert rounded[0].tolist() == [1 / 3, 2 / 3]
    assert np.isnan(rounded[1, 1])


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
        (lambda: Response("binary").on_scale(MATRIX), r"binary response is one of 0, 1"),
        (lambda: Response("clamped").on_scale(MATRIX + 0.5), r"clamped response is a number in \[0, 1\]"),
        (lambda: item_parameters([0.1, 0.2]), r"single response, so sigma is not identified.*collect"),
        (lambda: item_parameters([[0.1, 0.2]]), r"only one item"),
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


def test_item_parameters_of_ragged_rows():
    nan = np.nan
    means, sds = item_parameters([[0.2, nan, 0.4], [1.0, nan, nan], [0.0, 0.5, 1.0]])
    assert means.tolist() == [0.3, 1.0, 0.5]
    assert sds == pytest.approx([np.std([0.2, 0.4], ddof=1), 0.5])


def test_equal_ratings_have_equal_means_and_no_spread_in_any_order():
    rows = [*itertools.permutations([0.1, 0.2, 0.3, 0.6, 0.7]), (0.8,) * 5, (0.1,) * 5]
    means, sds = item_parameters(rows)
    assert len(set(means[:-2])) == 1
    assert len(set(sds[:-2])) == 1
    assert sds[-2:].tolist() == [0, 0]
    assert means[-2:].tolist() == [0.8, 0.1]


@pytest.mark.parametrize("decimals", [1, 6])
def test_two_sample_ks_is_scipys(decimals):
    first, second = (np.round(RNG.random(size), decimals) for size in (37, 150))
    expected = stats.ks_2samp(first, second).statistic
    assert ks_distance(first, np.sort(second)) == pytest.approx(expected, abs=1e-14)
    assert ks_distance(second, np.sort(first)) == pytest.approx(expected, abs=1e-14)
