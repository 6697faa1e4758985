"""A system that is hardly perturbed is hardly worse: the effect goes to 0 as ε does, on every source."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from nbyk.data import load_source
from nbyk.data.response_set import ResponseSet
from nbyk.priors import Response, TwoStagePrior, fit_prior, published_names, published_prior
from nbyk.priors.families import open_uniforms
from nbyk.resampling.population import Population
from nbyk_papers.wein2023.cells import reference_sets

Floats = NDArray[np.float64]

BINARY, FIVE = Response("binary"), Response("likert", 5)
N_ITEMS = 75_000
"""Items behind each effect, whose standard error is then at most .001."""

NONE = 4e-3
"""Four of those: an effect below may be none. One that does not vanish is .06 (see the papers' way)."""


def effect_on_mae(data: ResponseSet) -> tuple[float, float]:
    """Return by how much B's mean absolute error of item means is larger than A's, and its error."""
    gold = np.nanmean(data.gold, axis=1)
    worse = np.abs(data.b.mean(axis=1) - gold) - np.abs(data.a.mean(axis=1) - gold)
    return float(worse.mean()), float(worse.std() / np.sqrt(len(worse)))


def effect_at(epsilon: float, prior: TwoStagePrior, gold: Floats | None = None, **how: bool) -> float:
    if gold is not None:
        gold = np.tile(gold, (-(-N_ITEMS // len(gold)), 1))
    (data,) = reference_sets(
        Population(prior, N_ITEMS if gold is None else len(gold), 5, epsilon),
        references=[0],
        seed=11,
        gold=gold,
        **how,
    )
    effect, error = effect_on_mae(data)
    assert error < 1e-3
    return effect


def drawn_from(prior: TwoStagePrior, n_items: int, n_responses: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    mu, sigma = prior.draw_items(open_uniforms(rng, (n_items, prior.n_uniforms)))
    return prior.response.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((n_items, n_responses)))


def ragged(matrix: Floats, seed: int) -> Floats:
    gaps = np.random.default_rng(seed).random(matrix.shape) < 0.3
    gaps[:, :2] = False
    return np.where(gaps, np.nan, matrix)


def mostly_unanimous(levels: int) -> Floats:
    """Return a small table in which the raters of most items agree on one level, which is not the lowest."""
    step = 1.0 if levels == 2 else 1.0 / levels
    table = np.full((40, 4), (levels - 1) * step)
    table[:8, :2] -= step
    table[8:12] -= step
    return table


TABLES = {
    "five levels": (mostly_unanimous(5), FIVE),
    "seven levels": (mostly_unanimous(7), Response("likert", 7)),
    "yes and no": (mostly_unanimous(2), BINARY),
    "five levels, some missing": (ragged(drawn_from(published_prior("amazon"), 60, 5, 1), 2), FIVE),
    "toxicity": (drawn_from(published_prior("toxicity"), 300, 4, 3), FIVE),
    "numbers between two ends": (np.round(mostly_unanimous(5) / 0.8, 3), Response("clamped")),
}


@pytest.mark.parametrize("name", published_names())
def test_on_items_of_a_published_prior(name: str) -> None:
    prior = published_prior(name, "recommended")
    assert abs(effect_at(1e-6, prior)) < NONE
    assert effect_at(0.3, prior) > NONE


@pytest.mark.parametrize("table", TABLES)
def test_on_items_of_a_small_table_and_of_the_prior_fitted_to_it(table: str) -> None:
    gold, response = TABLES[table]
    prior = fit_prior(table, gold, response, n_sets=1).prior
    for effect in (effect_at(1e-6, prior, gold), effect_at(1e-6, prior)):
        assert abs(effect) < NONE


def test_on_convabuse() -> None:
    gold = load_source("convabuse").matrix()
    gold = gold[(~np.isnan(gold)).sum(axis=1) >= 2]
    prior = fit_prior("convabuse", gold, FIVE, n_sets=1).prior
    assert abs(effect_at(1e-6, prior)) < NONE
    effects = [effect_at(epsilon, prior, gold) for epsilon in (1e-6, 0.1, 0.3)]
    assert abs(effects[0]) < NONE < effects[1] < effects[2]
    # The papers' way keeps what it is: most items are rated .8 by all, and one step down is a whole level.
    published = [effect_at(epsilon, prior, gold, latent_items=False) for epsilon in (0.0, 1e-6)]
    assert abs(published[0]) < NONE
    assert published[1] > 0.06
