"""What would settle a comparison: closed forms, the power simulated there, and when there is no answer."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import nbyk
from nbyk.errors import NbykError
from nbyk.inference.comparison.fitted_systems import FittedSystems
from nbyk.inference.comparison.settle import settle
from nbyk.inference.comparison.variance import variance_shares
from nbyk.metrics import get

N_SETS = 512


def ratings(  # type: ignore[no-untyped-def]
    n: int = 200, k: int = 5, off_a: float = 0.1, off_b: float = 0.15, noise: float = 0.2, seed: int = 3
):
    """Return gold, A and B, whose item means are off uniformly by up to `off`, clipped to [0, 1]."""
    generator = np.random.default_rng(seed)
    mean = generator.random((n, 1))
    off = np.stack([np.zeros((n, 1)), *(e * generator.uniform(-1, 1, (n, 1)) for e in (off_a, off_b))])
    return np.clip(mean + off + noise * generator.standard_normal((3, n, k)), 0.0, 1.0)


def test_items_are_those_of_the_effect_and_its_spread() -> None:
    gold, a, b = ratings(k=1)
    found = settle(gold, a, b, metric="mae", max_items=10**7)
    result = nbyk.compare(gold, a, b)
    signal = abs(result.effect) / result.bootstrap_distribution.std(ddof=1)
    z = norm.ppf(0.975)
    assert found.power == pytest.approx(norm.cdf(signal - z))
    assert found.items is not None
    assert found.items.n_items == math.ceil(200 * ((z + norm.ppf(0.8)) / signal) ** 2)
    assert found.items.power == pytest.approx(0.8, abs=0.002)
    assert (found.responses, found.both, found.by) == (None, None, "approximation")
    assert "one response per item" in found.warnings[0]


def test_the_far_end_of_the_interval_bounds_the_items_from_below() -> None:
    found = settle(*ratings(k=1))
    far = max(abs(found.interval.low), abs(found.interval.high))
    assert found.items is not None
    assert found.least_items is not None
    needed = found.items.n_items * (found.effect / far) ** 2
    assert found.least_items == max(200, math.ceil(needed)) or abs(found.least_items - needed) < 2


def test_what_is_decided_needs_no_more() -> None:
    found = settle(*ratings(off_a=0.0, off_b=0.6))
    assert found.decided
    assert (found.power, found.items, found.responses, found.both) == (None, None, None, None)
    assert found.sentence.startswith("There is nothing to settle: p = 0.0002")


def test_no_size_settles_equal_systems() -> None:
    gold, a, b = ratings()
    for second in (a, np.concatenate([a[:, 1:], a[:, :1]], axis=1)):
        found = settle(gold, a, second)
        assert (found.items, found.responses, found.both) == (None, None, None)
        assert found.sentence.startswith(
            "No realistic size would settle it: the difference is at most 0 (95 %"
        )
    small = settle(gold, a, b, max_items=201, max_responses=6)
    assert small.items is None
    assert small.sentence.startswith(f"No realistic size would settle it: the difference is at most {0.0225}")


def test_an_effect_on_the_other_side_is_not_shown_by_more() -> None:
    gold, a, b = ratings()
    found = settle(gold, a, b, alternative="greater")
    assert found.effect < 0.0
    assert (found.items, found.responses, found.both) == (None, None, None)
    assert "other side" in found.warnings[0] or "does not point" in found.warnings[0]
    less = settle(gold, a, b, alternative="less")
    both = settle(gold, a, b, alternative="two-sided", alpha=0.1)
    assert less.items is not None
    assert both.items is not None
    assert less.items.n_items == both.items.n_items


def test_the_fitted_population_has_the_effect_and_error_of_the_data() -> None:
    gold, b, a = ratings()
    data = nbyk.response_set(gold, a, b)
    effect = float(nbyk.observed_effects(data, "mae")[0])
    assert effect > 0.0
    fitted = FittedSystems.of(data, get("mae"), effect, None, 0)
    assert fitted.moments(5)[0] == pytest.approx(effect, rel=0.01)
    # On fresh sets of the data's size; the standard error of the mean effect is below 3 % of it.
    population = fitted.population
    draws = nbyk.simulated_effects(
        population.prior,
        "mae",
        n_items=200,
        k_responses=5,
        epsilon_b=population.epsilon_b,
        epsilon_a=population.epsilon_a,
        sd_scale_a=population.sd_scale_a,
        sd_scale_b=population.sd_scale_b,
        n_draws=2000,
    ).alternative[0]
    error = draws.std(ddof=1) / math.sqrt(draws.size)
    assert abs(draws.mean() - effect) < 4.0 * error + 0.05 * effect
    assert fitted.moments(5)[1] == pytest.approx(draws.std(ddof=1) * math.sqrt(200), rel=0.1)
    assert population.epsilon_b > population.epsilon_a > 0.0


@pytest.fixture(scope="module")
def noisy():  # type: ignore[no-untyped-def]
    """Systems whose noise, not whose items, hides that B is worse."""
    return ratings(n=300, k=2, off_a=0.0, off_b=0.25, noise=0.3, seed=1)


def test_ratings_agree_with_the_variance_shares(noisy) -> None:  # type: ignore[no-untyped-def]
    # The mean squared error's effect is the same at every K, and its variance V_items + V_rest K / K':
    # that alone says which K it takes. The shares' own error and the fit's leave a factor of two.
    gold, a, b = noisy
    found = settle(gold, a, b, metric="mse")
    assert found.by == "simulation"
    assert found.responses is not None
    assert found.power is not None
    shares = variance_shares(gold, a, b, metric="mse")
    assert shares.items.share is not None
    wanted = ((norm.ppf(found.power) + norm.ppf(0.975)) / (norm.ppf(0.8) + norm.ppf(0.975))) ** 2
    by_shares = (1.0 - shares.items.share) * 2.0 / (wanted - shares.items.share)
    assert 0.5 < found.responses.k_responses / by_shares < 2.0
    assert found.responses.simulated is not None
    assert found.responses.simulated >= binom.ppf(0.0005, 256, 0.8) / 256  # the planner's first sets


def test_the_simulated_power_is_the_one_asked_for(noisy) -> None:  # type: ignore[no-untyped-def]
    # The normal approximation is off by little, and the simulation's 99.9 % band is ±.06.
    found = settle(*noisy, metric="mae")
    low, high = binom.ppf([0.0005, 0.9995], N_SETS, 0.8) / N_SETS
    assert found.items is not None
    assert found.items.simulated is not None
    assert low - 0.02 <= found.items.simulated <= high + 0.02
    assert found.items.n_items > 300
    assert f"{found.items.n_items - 300} more items" in found.sentence
    if found.both is not None:
        assert found.both.n_items > 300
        assert found.both.k_responses > 2
        assert found.both.n_items * found.both.k_responses < found.items.n_items * 2


def test_without_gold_more_ratings_do_what_the_shares_say() -> None:
    generator = np.random.default_rng(2)
    a, b = 0.5 + 0.05 * generator.standard_normal((2, 100, 1)) + 0.3 * generator.standard_normal((2, 100, 3))
    found = settle(None, a + 0.03, b, metric="mean", max_responses=1000)
    share = variance_shares(None, a + 0.03, b, metric="mean", n_resamples=1).items.share
    assert share is not None
    assert found.by == "approximation"
    assert not found.decided
    assert found.responses is not None
    assert found.items is not None
    at = found.responses.k_responses
    assert found.responses.power >= 0.8
    variance = share + (1.0 - share) * 3.0 / at
    signal = (norm.ppf(found.power) + norm.ppf(0.975)) / math.sqrt(variance)
    assert found.responses.power == pytest.approx(norm.cdf(signal - norm.ppf(0.975)))
    alone = settle(None, a[:, 0] + 0.03, b[:, 0], metric="mean")
    assert alone.responses is None
    assert "only more items can be planned" in alone.warnings[0]


def test_ratings_off_the_unit_scale_plan_items_alone() -> None:
    gold, a, b = 5.0 * ratings()
    found = settle(gold, a, b)
    unit = settle(*ratings(k=5), max_responses=6)
    assert "only more items can be planned: the responses run from 0 to 5" in found.warnings[0]
    assert found.items is not None
    assert unit.items is not None
    assert found.items.n_items == unit.items.n_items


def test_everything_is_json() -> None:
    found = settle(*ratings(k=1))
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["items"]["n_items"] == found.items.n_items  # type: ignore[union-attr]
    assert content["sentence"] == found.sentence


def test_malformed_requests_are_named() -> None:
    data = ratings(n=10)
    for changed, message in (
        ({"null": "permutation"}, "expected swap_items or shifted"),
        ({"power": 0.05}, "power: found 0.05"),
        ({"power": 1.0}, "power: found 1"),
        ({"cost_per_item": -1.0}, "costs: found -1"),
        ({"cost_per_rating": 0.0}, "costs: found 0.0 per item and 0.0"),
    ):
        with pytest.raises(NbykError, match=message):
            settle(*data, **changed)  # type: ignore[arg-type]
