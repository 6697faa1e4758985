"""What would settle a comparison: closed forms, the power simulated there, and when there is no answer."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

import nbyk
from nbyk import settle
from nbyk.data import load_source
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import ALL_FRESH
from nbyk.errors import NbykError
from nbyk.planning.result import Plan
from nbyk.priors import Response
from nbyk.testing.systems.variance import variance_shares

N_SETS = 512
SHORT = 0.025
"""By how much a simulated power may be below .8: twice its standard error of more items, else once."""


def ratings(  # type: ignore[no-untyped-def]
    n: int = 200, k: int = 5, off_a: float = 0.1, off_b: float = 0.15, noise: float = 0.2, seed: int = 3
):
    """Return gold, A and B, whose item means are off uniformly by up to `off`, clipped to [0, 1]."""
    generator = np.random.default_rng(seed)
    mean = generator.random((n, 1))
    off = np.stack([np.zeros((n, 1)), *(e * generator.uniform(-1, 1, (n, 1)) for e in (off_a, off_b))])
    return np.clip(mean + off + noise * generator.standard_normal((3, n, k)), 0.0, 1.0)


def of_strangers(gold: Any, a: Any, b: Any) -> ResponseSet:
    """Return responses that each came from another person or run: sizes are then those of items alone."""
    return replace(nbyk.response_set(gold, a, b), units=ALL_FRESH)


def ways(found: Plan) -> dict[str, Plan]:
    """Return the plans that would settle a comparison, by the numbers that each increases."""
    every = (found, *found.others) if found.reachable else ()
    return {" and ".join(way.open): way for way in every}


BOTH = "n_items and k_responses"


def of_five_kinds():  # type: ignore[no-untyped-def]
    """Yield gold, A and B of five kinds of undecided comparisons whose effect is nearly normal."""
    for k, off_b, seed in ((1, 0.15, 3), (3, 0.12, 5), (5, 0.15, 3), (2, 0.16, 8), (1, 0.17, 9)):
        yield ratings(k=k, off_b=off_b, seed=seed, n=250)


def test_items_equal_the_closed_form_within_one() -> None:
    for gold, a, b in of_five_kinds():
        data = of_strangers(gold, a, b)
        result = nbyk.compare(data)
        signal = abs(result.effect) / result.pair.drawn.bootstrapped.std(ddof=1)
        found = settle(data, max_items=10**9, max_responses=1)
        closed = len(gold) * ((norm.ppf(0.975) + norm.ppf(0.8)) / signal) ** 2
        assert found.open == ("n_items",)
        assert abs(found.n_items - closed) <= 1.0
        # The planner gives the same number for the same pilot.
        planned = nbyk.plan(data, solve="items", power=0.8, max_items=10**9, max_responses=1)
        assert (planned.open, planned.n_items) == (("n_items",), found.n_items)
        assert planned.k_responses == found.k_responses


def test_items_are_those_of_the_effect_and_its_spread() -> None:
    gold, a, b = ratings(k=1)
    found = settle(gold, a, b, metric="mae", max_items=10**7)
    result = nbyk.compare(gold, a, b)
    signal = abs(result.effect) / result.pair.drawn.bootstrapped.std(ddof=1)
    z = norm.ppf(0.975)
    assert found.present is not None
    assert found.present.power == pytest.approx(norm.cdf(signal - z))
    assert found.n_items == math.ceil(200 * ((z + norm.ppf(0.8)) / signal) ** 2)
    assert found.power == pytest.approx(0.8, abs=0.002)
    assert (found.open, found.others, found.simulated) == (("n_items",), (), None)
    assert "one response per item" in found.warnings[0]


def test_the_far_end_of_the_interval_bounds_the_items_from_below() -> None:
    found = settle(*ratings(k=1))
    low, high = nbyk.compare(*ratings(k=1)).claims[-1].interval
    assert found.least_items is not None
    needed = found.n_items * ((found.effect or 0.0) / max(-low, high)) ** 2
    assert found.least_items == max(200, math.ceil(needed)) or abs(found.least_items - needed) < 2


def test_what_is_decided_needs_no_more() -> None:
    found = settle(*ratings(off_a=0.0, off_b=0.6))
    assert ways(found) == {}
    assert found.sentence == "Collect nothing more: p = 0.0002 is already at most α = 0.05."


def test_no_size_settles_equal_systems() -> None:
    gold, a, _ = ratings()
    # The same responses, and the same in another order: their means differ by rounding alone.
    for second in (a, np.concatenate([a[:, 1:], a[:, :1]], axis=1)):
        found = settle(gold, a, second)
        assert found.effect is None
        assert ways(found) == {}
        assert found.sentence == "No size would show it: the difference on mae is 0."


def test_sizes_beyond_the_limits_are_not_named() -> None:
    gold, a, b = ratings()
    largest = settle(of_strangers(gold, a, b), max_items=201, max_responses=6)
    assert ways(largest) == {}
    assert largest.sentence == "Neither 201 items nor 6 ratings per item are enough."
    assert largest.least_items == 200


def test_more_items_and_ratings_together_are_named_where_neither_alone_is_enough() -> None:
    data = of_strangers(*ratings(n=300, k=3, off_a=0.15, off_b=0.1522, seed=2))
    most = settle(data, max_items=10**7, max_responses=100)
    both = ways(most)[BOTH]
    assert 300 < both.n_items < most.n_items
    found = settle(data, max_items=both.n_items, max_responses=both.k_responses)
    assert list(ways(found)) == [BOTH]
    assert found.n_items <= both.n_items
    assert found.simulated is not None


def test_few_items_never_settle_whatever_they_show() -> None:
    # The same difference on each of four items: 2^4 swaps cannot give p = .05, 2^6 can.
    found = settle(np.zeros(4), np.full(4, 0.1), np.full(4, 0.2))
    assert found.present is not None
    assert (found.open, found.n_items) == (("n_items",), 6)
    assert (found.present.power, found.least_items) == (0.0, 6)
    assert "Even an effect at the far end of its interval takes 6 items." in found.lines
    assert "the same on every bootstrapped test set" in found.warnings[0]
    six = nbyk.compare(np.zeros(6), np.full(6, 0.1), np.full(6, 0.2))
    assert six.pair.significant
    assert not nbyk.compare(np.zeros(5), np.full(5, 0.1), np.full(5, 0.2)).pair.significant
    five = settle(np.zeros(5), np.full(5, 0.1), np.full(5, 0.2))
    assert five.sentence.startswith("Collect 6 items")


def test_an_effect_on_the_other_side_is_not_shown_by_more() -> None:
    gold, a, b = ratings(k=1)
    other = settle(gold, a, b, alternative="less")
    assert ways(other) == {}
    assert "points to the other side" in other.sentence
    assert other.least_items is not None  # were the effect at its lower end, which is below 0
    low = nbyk.compare(gold, a, b).claims[-1].interval[0]
    assert low < 0.0
    greater = settle(gold, a, b, alternative="greater")
    two_sided = settle(gold, a, b, alternative="two-sided", alpha=0.1)
    assert greater.n_items == two_sided.n_items
    assert greater.effect is not None
    assert other.least_items == pytest.approx(greater.n_items * (greater.effect / low) ** 2, abs=2)


OFF_A = 0.1


def of_process(n: int, k: int, off_b: float, seed: int, n_sets: int = 1):  # type: ignore[no-untyped-def]
    """Return gold (sets, n, k), and the answers (2, sets, n, 1) of A and B, which are off by up to `off`."""
    generator = np.random.default_rng(seed)
    mean = generator.uniform(0.4, 0.6, (n_sets, n, 1))
    off_a, off_b = (e * generator.uniform(-1, 1, mean.shape) for e in (OFF_A, off_b))  # type: ignore[assignment]
    return mean + 0.2 * generator.standard_normal((n_sets, n, k)), np.stack([mean + off_a, mean + off_b])


def power_of_swaps(gains: np.ndarray) -> float:
    """Return on which share of sets, (sets, n), two-sided sign flips of their sum reject at .05.

    A sum of hundreds of flipped contributions is normal, with the variance of their squares.
    """
    z = gains.sum(axis=1) / np.sqrt((gains**2).sum(axis=1))
    return float((np.abs(z) >= norm.ppf(0.975)).mean())


def test_the_sizes_named_have_the_power_on_the_process_behind_the_data() -> None:
    # Squared errors of item means: the expected effect is (off_b² − off_a²)/3 whatever K is, so that the
    # process can be given the effect that was seen. A second route to the power, by other code on fresh data.
    gold, (a, b) = (side[..., 0, :, :] for side in of_process(200, 3, 0.14, seed=1))
    found = settle(of_strangers(gold, a, b), metric="mse")
    assert set(ways(found)) == {"n_items", "k_responses"}
    off_b = math.sqrt(3.0 * (found.effect or 0.0) + OFF_A**2)
    for size in ways(found).values():
        gold, systems = of_process(size.n_items, size.k_responses, off_b, seed=7, n_sets=N_SETS)
        errors = (systems[..., 0] - gold.mean(axis=-1)) ** 2
        assert size.effect == found.effect
        # Of 512 sets each 99.9 % is ± .058; the spread of 200 effects and the fit leave as much again.
        assert size.simulated is not None
        assert abs(power_of_swaps(errors[1] - errors[0]) - size.simulated.power) < 0.12
        assert min(size.power, size.simulated.power) > 0.8 - SHORT
    (limit,) = (text for text in found.warnings if "extrapolate from 3" in text)
    assert "a power of 0.8 had 0.82 on average" in limit
    assert "nine in ten of them 0.55 to 0.95" in limit


def test_items_named_have_the_power_on_items_like_those_of_convabuse() -> None:
    # The population is the items themselves: their effect is the true one, and test sets are drawn of them.
    matrix = load_source("convabuse").matrix()
    matrix = matrix[(~np.isnan(matrix)).sum(axis=1) >= 3][:400]
    mean = np.nanmean(matrix, axis=1, keepdims=True)
    generator = np.random.default_rng(4)
    systems = []
    for off in (0.15, 0.18):
        latent = mean + generator.uniform(-off, off, mean.shape) + 0.1 * generator.standard_normal((400, 3))
        systems.append(Response("likert", 5).apply(latent))
    found = settle(of_strangers(matrix, *systems), metric="mae", max_responses=4)
    assert found.open == ("n_items",)
    errors = np.abs([system.mean(axis=1) - mean[:, 0] for system in systems])
    gains = errors[1] - errors[0]
    assert found.effect == pytest.approx(abs(gains.mean()))
    drawn = gains[generator.integers(gains.size, size=(N_SETS, found.n_items))]
    low, high = binom.ppf([0.0005, 0.9995], N_SETS, 0.8) / N_SETS
    assert low <= power_of_swaps(np.sign(gains.mean()) * drawn) <= high


def test_where_ties_cost_power_more_items_are_named() -> None:
    # Wins of binary ratings take few values: swaps reject less often than the spread makes believe.
    coarse = np.round(ratings(n=60, k=2, off_a=0.2, off_b=0.5, noise=0.15, seed=3))
    found = settle(*coarse, metric="wins_mae")
    assert found.open == ("n_items",)
    result = nbyk.compare(*coarse, metric="wins_mae", generalise=("items",))
    signal = abs(result.effect) / result.pair.drawn.bootstrapped.std(ddof=1)
    assert found.n_items > 1.05 * 60 * ((norm.ppf(0.975) + norm.ppf(0.8)) / signal) ** 2
    for size in ways(found).values():
        assert size.simulated is not None
        assert min(size.power, size.simulated.power) >= 0.8 - SHORT


@pytest.fixture(scope="module")
def noisy():  # type: ignore[no-untyped-def]
    """Systems whose noise, not whose items, hides that B is worse."""
    return ratings(n=300, k=2, off_a=0.0, off_b=0.25, noise=0.3, seed=1)


def test_the_simulated_power_is_the_one_asked_for(noisy) -> None:  # type: ignore[no-untyped-def]
    # The normal approximation is off by little here, and each simulation by no more than its error.
    found = settle(of_strangers(*noisy), metric="mse")
    assert found.simulated is not None
    assert 0.8 - SHORT <= found.simulated.power <= 0.8 + 0.06
    assert found.n_items > 300
    assert found.sentence.startswith(f"Collect {found.n_items} items with 2 ratings each")
    both = ways(found)[BOTH]
    assert both.n_items > 300
    assert both.k_responses > 2
    assert both.n_items * both.k_responses < found.n_items * 2
    assert f"{both.n_items} items and {both.k_responses} ratings per item" in " ".join(found.lines)


def test_without_gold_more_ratings_do_what_the_shares_say() -> None:
    generator = np.random.default_rng(6)
    a, b = 0.5 + 0.05 * generator.standard_normal((2, 100, 1)) + 0.3 * generator.standard_normal((2, 100, 3))
    found = settle(of_strangers(None, a + 0.03, b), metric="mean", max_responses=1000)
    share = variance_shares(None, a + 0.03, b, metric="mean").items.share
    assert share is not None
    more = ways(found)["k_responses"]
    assert found.present is not None
    assert more.simulated is None
    assert more.power >= 0.8
    variance = share + (1.0 - share) * 3.0 / more.k_responses
    signal = (norm.ppf(found.present.power) + norm.ppf(0.975)) / math.sqrt(variance)
    assert more.power == pytest.approx(norm.cdf(signal - norm.ppf(0.975)))
    alone = settle(None, a[:, 0] + 0.03, b[:, 0], metric="mean")
    assert "k_responses" not in ways(alone)
    assert "nbyk can plan only more items" in alone.warnings[0]


def test_the_unit_of_the_ratings_changes_no_number_of_them() -> None:
    data = ratings(k=2)
    found, unit = (settle(of_strangers(*(times * data)), max_responses=2) for times in (5.0, 1.0))
    # Draws belong to gold, which is another: 1 % of a standard error each, twice that of N.
    assert found.n_items == pytest.approx(unit.n_items, rel=0.1)
    one = settle(*(source[:, :1] for source in data))
    assert "nbyk can plan only more items: gold has one response per item" in one.warnings[0]


def test_everything_is_json() -> None:
    found = settle(*ratings(k=1))
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["n_items"] == found.n_items
    assert content["sentence"] == found.sentence


def test_malformed_requests_are_named() -> None:
    data = ratings(n=10)
    for changed, message in (
        ({"null": "permutation"}, "expected swap_items or shifted"),
        ({"power": 0.05}, "power: found 0.05"),
        ({"power": 1.0}, "power: found 1"),
        ({"cost_per_item": -1.0}, "cost_per_item: found -1.0, expected a cost of at least 0"),
        ({"cost_per_rating": 0.0}, "cost_per_rating: found 0, and `cost_per_item` is 0 too"),
    ):
        with pytest.raises(NbykError, match=message):
            settle(*data, **changed)  # type: ignore[arg-type]
