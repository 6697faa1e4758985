"""What the planner computes without simulating: long-run effects, and power as a curve over sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nbyk.metrics import get
from nbyk.planning.item_moments import PowerCurve, smoothed
from nbyk.planning.long_run import epsilon_for_effect, long_run_effect
from nbyk.priors import Response, published_prior
from nbyk.resampling.population import Population
from tests.planning.test_plan import TOXICITY, planned


def test_an_effect_stands_for_an_epsilon() -> None:

    def population(epsilon: float) -> Population:
        return Population(TOXICITY, 2, 1, epsilon)

    effect = long_run_effect(population(0.2), get("mae"))
    assert epsilon_for_effect(population, get("mae"), effect) == pytest.approx(0.2, abs=2e-4)
    found = planned(effect=effect, n_items=100, k_responses=5)
    assert found.epsilon == pytest.approx(0.2, abs=2e-4)
    assert found.effect == pytest.approx(effect, rel=1e-3)


def test_the_long_run_effect_is_that_of_very_many_responses() -> None:
    """On unclamped normal responses, whose item means are μ: E|v| for v uniform, clamped at 0 and 1."""
    prior = published_prior("simulated")
    effect = long_run_effect(Population(prior, 2, 1, 0.2), get("mae"))
    generator = np.random.default_rng(8)
    mu = generator.random(400_000)
    moved = np.clip(mu + generator.uniform(-0.2, 0.2, mu.size), 0, 1)
    assert effect == pytest.approx(np.abs(moved - mu).mean(), rel=0.02)


@pytest.mark.parametrize("response", [Response("clamped"), Response("likert", 5), Response("binary")])
def test_expected_responses(response: Response) -> None:
    mean, sd = np.array([0.1, 0.5, 0.9, 0.3]), np.array([0.4, 0.1, 0.3, 0.0])
    draws = mean + sd * np.random.default_rng(9).normal(size=(200_000, 4))
    np.testing.assert_allclose(response.mean(mean, sd), response.apply(draws).mean(axis=0), atol=0.004)


def test_curves_invert() -> None:
    curve = PowerCurve(5, 0.1, 1.7, 0.02)
    assert curve.power(curve.items_for(0.83)) == pytest.approx(0.83)
    assert curve.moved_through(100, 600, 1000).power(100) == pytest.approx(0.6, abs=0.002)
    assert PowerCurve(5, 0.0, 0.0, math.inf).items_for(0.8) == math.inf
    exact = {k: PowerCurve(k, 0.1 * k**0.4, 1.7, 0.05) for k in (1, 2, 3, 5, 8, 13, 21)}
    for k, smooth in smoothed({**exact, 34: PowerCurve(34, 0.0, 0.0, math.inf)}).items():
        assert smooth.slope == pytest.approx(exact[k].slope)
