"""The fit that every command uses: by the likelihood, on any bounded scale, and checked."""

import json

import numpy as np
import pytest

from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, fit_by_likelihood, fit_prior, published_prior
from nbyk.priors.families import Beta, TruncatedNormal, open_uniforms

FIVE, CLAMPED = Response("likert", 5), Response("clamped")
TRUTH = TwoStagePrior("truth", TruncatedNormal(0.5, 0.3), Beta(1.5, 6), FIVE)


def ratings_of(prior, n_items, n_responses, seed):
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n_items, prior.n_uniforms)))
    return prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses)))


def two_camps(n_items=200):
    """Return items whose raters all say .4, and as many whose raters say 0 and .8 in equal parts."""
    agreed = np.full((n_items // 2, 6), 0.4)
    return np.vstack([agreed, np.tile([0.0, 0.8], (n_items // 2, 3))])


def test_ratings_of_the_family_pass_and_others_are_said_to_fail():
    fitted = fit_prior("good", ratings_of(TRUTH, 300, 5, 1), FIVE)
    assert not fitted.check.rejected
    assert fitted.prior.caution == ""
    camps = fit_prior("camps", two_camps(), FIVE)
    assert camps.check.rejected
    assert camps.prior.caution.startswith("The prior fitted to camps does not describe its ratings well")
    assert f"KS distance {camps.check.means_ks:.3f}, p = {camps.check.means_p:.3f}" in camps.prior.caution
    assert json.loads(json.dumps(camps.check.to_dict(), allow_nan=False))["rejected"]
    again = TwoStagePrior.from_dict(json.loads(json.dumps(camps.prior.to_dict(), allow_nan=False)))
    assert (again, again.caution) == (camps.prior, camps.prior.caution)


@pytest.mark.statistics
def test_a_true_prior_is_seldom_rejected():
    rejected = sum(fit_prior("t", ratings_of(TRUTH, 60, 4, seed), FIVE).check.rejected for seed in range(12))
    assert rejected <= 2


def test_the_caution_is_no_part_of_the_distribution():
    camps = fit_prior("camps", two_camps(), FIVE).prior
    plain = TwoStagePrior("camps", camps.mu, camps.sigma, camps.response)
    assert plain == camps
    assert plain.key() == camps.key()
    assert "caution" not in plain.to_dict()
    with pytest.raises(NbykError, match="caution is 3; expected a sentence"):
        TwoStagePrior.from_dict({**plain.to_dict(), "caution": 3})


@pytest.mark.statistics
def test_levels_have_the_prior_of_the_likelihood_whatever_the_seed():
    matrix = ratings_of(TRUTH, 200, 4, 2)
    best = fit_by_likelihood(matrix, FIVE)[0]
    by_likelihood = TwoStagePrior("x", best.mu, best.sigma, FIVE)
    assert all(fit_prior("x", matrix, FIVE, seed=seed, n_sets=5).prior == by_likelihood for seed in (0, 7))


def test_parameters_have_six_digits():
    prior = fit_prior(
        "x", ratings_of(published_prior("armis"), 300, 3, 3), Response("binary"), n_sets=1
    ).prior
    for family in (prior.mu, prior.sigma):
        numbers = [value for value in family.to_dict().values() if isinstance(value, float)]
        assert numbers == [float(f"{value:.6g}") for value in numbers]


@pytest.mark.statistics
def test_numbers_between_two_ends_keep_their_spread():
    truth = TwoStagePrior("c", Beta(0.6, 0.9), Beta(1.2, 5), CLAMPED)
    matrix = ratings_of(truth, 500, 3, 4)
    fitted = fit_prior("c", matrix, CLAMPED)
    assert fitted.prior.response == CLAMPED
    drawn = ratings_of(fitted.prior, 50_000, 3, 5)
    assert drawn.var(axis=1, ddof=1).mean() == pytest.approx(matrix.var(axis=1, ddof=1).mean(), rel=0.1)
    assert not fitted.check.rejected


def test_yes_and_no_between_two_ends_are_yes_and_no():
    matrix = ratings_of(published_prior("armis"), 200, 3, 6)
    as_numbers, as_binary = (
        fit_prior("b", matrix, response, n_sets=1).prior for response in (CLAMPED, Response("binary"))
    )
    assert as_numbers == as_binary


def test_ratings_without_ends_are_refused():
    with pytest.raises(NbykError, match=r"normal has neither levels nor ends.*both ends"):
        fit_prior("n", [[0.1, 3.0], [0.4, -2.0]], Response("normal"))
