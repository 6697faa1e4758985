"""The search for the least size that reaches a power: where it ends, and how wide its interval is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from nbyk.planning.root_search import RootSearch
from nbyk.planning.simulation import Point, not_found
from tests.planning.test_plan import planned


@pytest.mark.parametrize("power", [1.0, 0.9, 0.82])
@pytest.mark.parametrize(("low", "high", "slope"), [(1e-4, 1.0, 3.0), (2, 100_000, 1.25)])
def test_a_power_that_is_always_reached_is_reached_at_the_lower_limit(
    power: float, low: float, high: float, slope: float
) -> None:
    generator = np.random.default_rng(7)
    drawn = 0

    def evaluate(x: float, n_sets: int) -> tuple[int, int]:
        nonlocal drawn
        drawn += n_sets
        return int(generator.binomial(n_sets, power)), n_sets

    root = RootSearch(evaluate, 0.8, low, high, slope, whole=low > 1).run(min(high, 500.0) / 5, 0.005)
    assert (root.x, root.low, root.high) == (low, low, low)
    assert drawn < 40_000


def test_a_search_that_does_not_settle_is_no_power_out_of_reach() -> None:
    """A power that jumps about has no root; the error does not say that the target is out of reach."""
    powers = iter([0.3, 0.95] * 1000)
    root = RootSearch(lambda x, n: (round(next(powers) * n), n), 0.8, 1e-4, 1.0, 3.0, whole=False).run(
        0.1, 1e-5
    )
    assert math.isnan(root.x)
    assert not root.settled
    asked = planned(epsilon=0.4, n_items=60, power=0.6, max_responses=9).request
    error = str(not_found(asked, "n_items", {Point(0, 2, 0.3): root}))
    assert "did not converge" in error
    assert "not reached" not in error


def test_a_power_that_hardly_grows_is_seen_to_be_out_of_reach() -> None:
    """Of the largest error by one rating of an item; before, sixty places from 19,473 to 20,932 items."""
    generator, places = np.random.default_rng(3), set()

    def evaluate(n: float, n_sets: int) -> tuple[int, int]:
        places.add(n)
        return int(generator.binomial(n_sets, 0.15 if n == 4514 else 0.02)), n_sets

    root = RootSearch(evaluate, 0.8, 2, 100_000, 1.25, first_sets=64).run(4514, 0.06)
    assert math.isnan(root.x)
    assert root.settled
    assert len(places) < 20


@pytest.mark.parametrize("target", [0.5, 0.8, 0.95])
def test_a_root_lies_within_its_interval(target: float) -> None:
    """Of 60 searches on a known curve, Φ(.1 √N − 1.6), the 95 % interval holds the true N in at least 50."""
    truth = ((stats.norm.ppf(target) + 1.6) / 0.1) ** 2
    generator = np.random.default_rng(5)

    def evaluate(n: float, n_sets: int) -> tuple[int, int]:
        return int(generator.binomial(n_sets, stats.norm.cdf(0.1 * math.sqrt(n) - 1.6))), n_sets

    inside = 0
    for guess in [3.0, 300.0, 20_000.0] * 20:
        root = RootSearch(evaluate, target, 2, 100_000, 1.25).run(guess, 0.01)
        inside += root.low <= truth <= root.high
        assert abs(math.log(root.x / truth)) < 0.3
        assert root.high <= 100_000
    assert inside >= 50


def test_a_root_among_few_whole_numbers_is_the_least_that_reaches() -> None:
    powers = {1: 0.1, 2: 0.4, 3: 0.75, 4: 0.86, 5: 0.95}
    generator = np.random.default_rng(6)

    def evaluate(k: float, n_sets: int) -> tuple[int, int]:
        return int(generator.binomial(n_sets, powers[min(5, round(k))])), n_sets

    for guess in (1.0, 5.0, 90.0):
        assert RootSearch(evaluate, 0.8, 1, 100, 1.0).run(guess, 0.005).x == 4
