"""The published priors against the numbers of their papers."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from nbyk.errors import NbykError
from nbyk.priors import TwoStagePrior, published_names, published_prior

# Homan et al. (2025), section 5.1 and appendix B: (weight, mean, sd) of the truncated normals, and levels.
PAPER = {
    "multidomain": ([(1, -0.5, 1)], [(1, -0.3923, 0.8502)], 2),
    "amazon": ([(1, 0.552121, 0.032093)], [(1, 0.318177, 0.018281)], 5),
    "hs_brexit": ([(1, -0.278260, 0.181938)], [(1, -0.340141, 0.408186)], 2),
    "convabuse": ([(1, 1.124694, 0.512993)], [(1, -0.324344, 0.417337)], 2),
    "armis": (
        [(0.652561, -0.430701, 0.418148), (0.347439, 1.194010, 0.525248)],
        [(0.76639, -0.264113, 0.530150), (0.23361, 0.362404, 0.632262)],
        2,
    ),
    "mhs": ([(1, -0.211147, 0.106442)], [(1, -0.243672, 0.148406)], 5),
}


def scipy_moments(parts):
    of_parts = [
        (weight, stats.truncnorm(-mean / sd, (1 - mean) / sd, mean, sd)) for weight, mean, sd in parts
    ]
    return [sum(weight * part.moment(order) for weight, part in of_parts) for order in (1, 2)]


def moments(family):
    first, second = (
        quad(integrand, 0, 1, epsabs=1e-12)[0]
        for integrand in (lambda x: 1 - family.cdf(x), lambda x: 2 * x * (1 - family.cdf(x)))
    )
    return [first, second]


@pytest.mark.parametrize("name", PAPER)
def test_the_numbers_are_the_papers(name):
    mu, sigma, levels = PAPER[name]
    prior = published_prior(name)
    assert prior.name == name
    assert prior.response.levels == levels
    assert prior.response.kind == ("binary" if levels == 2 else "likert")
    for family, parts in ((prior.mu, mu), (prior.sigma, sigma)):
        assert family.support == (0, 1)
        assert moments(family) == pytest.approx(scipy_moments(parts), abs=1e-9)


def test_means_of_mu_that_the_papers_tables_rest_on():
    assert moments(published_prior("hs_brexit").mu)[0] == pytest.approx(0.079, abs=5e-4)
    assert moments(published_prior("convabuse").mu)[0] == pytest.approx(0.662, abs=5e-4)


def test_the_components_of_armis_are_independent():
    prior = published_prior("armis")
    assert prior.n_uniforms == 4
    assert prior.mu.weights[0] == 0.652561
    assert prior.sigma.weights[0] == 0.76639


def test_names():
    assert published_names() == tuple(sorted(["simulated", "toxicity", *PAPER]))
    for name in published_names():
        prior = published_prior(name)
        assert TwoStagePrior.from_dict(prior.to_dict()) == prior
        assert (published_prior(name, "recommended") == prior) is (name != "simulated")
    with pytest.raises(NbykError, match=r"did you mean hs_brexit"):
        published_prior("hs-brexit")
    with pytest.raises(NbykError, match=r"unknown semantics"):
        published_prior("mhs", "paper")


def test_draws_stay_in_the_unit_interval():
    ends = np.array([2.0**-54, 1 - 2.0**-53])
    for name in PAPER:
        prior = published_prior(name)
        mu, sigma = prior.draw_items(np.repeat(ends[:, np.newaxis], prior.n_uniforms, axis=1))
        assert np.all((mu >= 0) & (mu <= 1) & (sigma >= 0) & (sigma <= 1))
