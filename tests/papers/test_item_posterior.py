"""Latent items given their ratings, against items of the prior that happened to get the same ratings."""

import numpy as np
import pytest

from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior
from nbyk.priors.families import Beta, Constant, TruncatedNormal, open_uniforms
from nbyk.priors.marginal import draw_rated_items

FIVE = Response("likert", 5)
PRIORS = [
    TwoStagePrior("five", TruncatedNormal(0.6, 0.3), Beta(1.5, 6), FIVE),
    TwoStagePrior("two", Beta(1.2, 2), TruncatedNormal(0.1, 0.2), Response("binary")),
    TwoStagePrior("clamped", TruncatedNormal(0.6, 0.3), Beta(1.5, 6), Response("clamped")),
]


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)
def test_the_posterior_is_that_of_items_with_the_same_ratings(prior):
    rng = np.random.default_rng(5)
    mu, sigma = prior.draw_items(open_uniforms(rng, (400_000, prior.n_uniforms)))
    ratings = prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((len(mu), 3)))
    # Clamped ratings say what their tenths do.
    seen = np.minimum(np.floor(10 * ratings), 9) if prior.response.kind == "clamped" else ratings
    _, row_of, counts = np.unique(np.sort(seen), axis=0, return_inverse=True, return_counts=True)
    row_of = row_of.ravel()
    for row in np.argsort(-counts)[:6]:
        alike = row_of == row
        given = np.repeat(ratings[alike][:1], 20_000, axis=0)
        drawn = draw_rated_items(prior, given, open_uniforms(rng, (len(given), 3)))
        for latent, known in zip(drawn, (mu[alike], sigma[alike]), strict=True):
            error = np.hypot(known.std() / np.sqrt(alike.sum()), latent.std() / np.sqrt(len(latent)))
            assert latent.mean() == pytest.approx(known.mean(), abs=4 * error + 1e-3)
            assert latent.std() == pytest.approx(known.std(), rel=0.06)


def test_agreement_does_not_make_an_item_certain():
    gold = np.full((5000, 3), 0.8)
    mu, sigma = draw_rated_items(PRIORS[0], gold, open_uniforms(np.random.default_rng(1), (5000, 3)))
    assert (sigma > 0).all()
    assert np.unique(mu).size == 5000
    assert (mu == 0.8).sum() == 0


def test_missing_ratings_say_nothing():
    u = open_uniforms(np.random.default_rng(2), (2, 3))
    full = draw_rated_items(PRIORS[0], [[0.2, 0.4], [0.8, 0.8]], u)
    gaps = draw_rated_items(PRIORS[0], [[np.nan, 0.4, 0.2], [0.8, np.nan, 0.8]], u)
    assert np.array_equal(full, gaps)


def test_ratings_that_the_prior_cannot_make_are_refused():
    never = TwoStagePrior("never", Constant(0.0), Constant(0.0), FIVE)
    with pytest.raises(NbykError, match="prior never cannot make the ratings of item 1"):
        draw_rated_items(never, [[0.0, 0.0], [0.8, 0.8]], np.full((2, 3), 0.5))
