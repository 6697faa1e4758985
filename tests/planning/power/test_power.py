"""Power: tests against enumeration and scipy, early decisions against full ones, and power against theory."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.item_moments import curve_from_moments
from nbyk.planning.power import battery
from nbyk.planning.power.battery import SimulatedSets, SystemTest
from nbyk.planning.power.estimate import power_of_test, rejections
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import observed_effects
from nbyk.resampling.samplers import NULLS
from nbyk.testing.intervals import proportion_interval
from nbyk.testing.looks import critical_count, looks

TOXICITY = published_prior("toxicity")
MAE = get("mae")


def population(n: int, k: int = 3, epsilon: float = 0.2, **more: float) -> Population:
    return Population(TOXICITY, n, k, epsilon, **more)


@pytest.mark.parametrize("exceeding", [24, 25])
def test_the_chance_to_decide_otherwise_than_all_draws_is_as_promised(exceeding: int) -> None:
    """Exactly, over all orders of M = 500 draws of which 24 (the most that reject) or 25 exceed."""
    m, critical, promised = 500, critical_count(500, 0.05), 0.02
    assert critical == 24
    at = looks(m, critical, first=50, growth=1.2, error=promised)
    chance = {0: 1.0}  # of each count so far, where nothing is decided yet
    wrong, before = 0.0, 0
    for draws, reject_to, keep_from in zip(at.draws, at.reject_to, at.keep_from, strict=True):
        following: dict[int, float] = {}
        for count, weight in chance.items():
            left = stats.hypergeom(m - before, exceeding - count, draws - before)
            for new in range(exceeding - count + 1):
                following[count + new] = following.get(count + new, 0.0) + weight * left.pmf(new)
        rejected = sum(weight for count, weight in following.items() if count <= reject_to)
        kept = sum(weight for count, weight in following.items() if count >= keep_from)
        wrong += kept if exceeding <= critical else rejected
        chance = {count: weight for count, weight in following.items() if reject_to < count < keep_from}
        before = int(draws)
    assert chance == {}  # after all draws every count decides
    assert 0.0 < wrong <= promised


def test_critical_counts_are_those_of_the_p_values() -> None:
    for m, alpha in ((99, 0.05), (100, 0.05), (9999, 0.05), (10_000, 0.05), (999, 0.001), (19, 0.05)):
        c = critical_count(m, alpha)
        assert (1 + c) / (1 + m) <= alpha + 1e-12 < (2 + c) / (1 + m)


@pytest.mark.parametrize("name", NULLS)
def test_stopping_early_decides_as_all_draws_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = name not in ("swap_items", "shifted")
    n_sets, m = (64, 1024) if slow else (320, 2000)
    test = SystemTest(name, MAE, n_resamples=m)
    sizes = population(30 if slow else 60)
    decided = rejections([test], sizes, n_sets, threads=2)[0]
    monkeypatch.setattr(battery, "looks", lambda m, critical, **_: looks(m, critical, first=m))
    whole = rejections([test], sizes, n_sets, threads=2)[0]
    np.testing.assert_array_equal(decided[0], whole[0])
    assert set(whole[1]) == {float(m)}
    assert decided[1].mean() < 0.9 * m
    assert 0 < decided[0].sum() < n_sets


def test_swaps_of_few_items_are_enumerated() -> None:
    sets = SimulatedSets(population(9), 0, 64, 0)
    signs = np.array(list(product((1, -1), repeat=9)))
    contributions = sets.contributions(MAE)
    sums = contributions @ signs.T
    p = (sums >= contributions.sum(axis=1)[:, None] - 1e-9).mean(axis=1)
    for alpha in (0.02, 0.05, 0.3):
        found = SystemTest("swap_items", MAE, alpha).rejections(sets)
        np.testing.assert_array_equal(found[:, 0], p <= alpha + 1e-12)
        assert set(found[:, 1]) == {512}


@pytest.mark.parametrize("metric", ["mae", "wins_mae", "mean_of_emds"])
def test_drawn_swaps_agree_with_all_swaps(metric: str) -> None:
    """N = 14: 16,384 swaps enumerated, against 10,000 drawn, where p is not within their error of α."""
    sets = SimulatedSets(population(14, epsilon=0.3), 0, 64, 1)
    exact = SystemTest("swap_items", get(metric), n_resamples=20_000).rejections(sets)
    contributions = sets.contributions(get(metric))
    signs = np.array(list(product((1, -1), repeat=14)), dtype=np.int8)
    p = (contributions @ signs.T >= contributions.sum(axis=1)[:, None] - 1e-9).mean(axis=1)
    drawn = SystemTest("swap_items", get(metric)).rejections(sets)
    np.testing.assert_array_equal(exact[:, 0], p <= 0.05)
    clear = np.abs(p - 0.05) > 5.0 * np.sqrt(0.05 * 0.95 / 10_000)
    np.testing.assert_array_equal(drawn[clear, 0], exact[clear, 0])
    assert clear.sum() > 40


def test_contributions_are_the_effects_of_the_responses() -> None:
    """On continuous responses, where every form comes from the same draws."""
    sets = SimulatedSets(Population(published_prior("simulated"), 20, 3, 0.2), 0, 5, 0)
    effects = [observed_effects(data, "mae")[0] for data in sets.responses()]
    np.testing.assert_allclose(sets.contributions(MAE).mean(axis=1), effects, atol=1e-12)


def test_sets_without_a_correlation_are_not_rejected() -> None:
    found = power_of_test(population(2, 1, 1.0), "spearman", alpha=0.5, n_sets=64, n_resamples=49)
    assert 0 <= found.power < 0.5
    sets = SimulatedSets(population(2, 1, 1.0), 0, 64, 0)
    decided = SystemTest("swap_items", get("spearman"), 0.5, n_resamples=49).rejections(sets)
    assert (decided[decided[:, 1] == 0, 0] == 0).all()
    assert (decided[:, 1] == 0).any()


@pytest.mark.statistics
def test_power_is_what_the_normal_approximation_says() -> None:
    """Φ((√N μ − z √(s² + μ²))/s) of a contribution's moments, at N where the mean is all but normal."""
    sets = SimulatedSets(population(2000, 5, 0.1), 7, 64, 5)
    contributions = sets.contributions(MAE)
    curve = curve_from_moments(
        5, float(contributions.mean()), float(contributions.std()), contributions.size, 0.05
    )
    for n in (300, 700):
        found = power_of_test(population(n, 5, 0.1), n_sets=2000, threads=2, alternative="greater")
        own = 2.0 * curve.power_error(n)
        assert abs(found.power - curve.power(n)) < 4.0 * found.standard_error + own


def test_swaps_hold_their_level_under_the_weak_null() -> None:
    found = power_of_test(population(80, 3, 0.3, epsilon_a=0.3), n_sets=3000, threads=2)
    low, high = stats.binom.interval(0.9999, 3000, 0.05)
    assert low <= found.rejections <= high


def test_power_depends_on_neither_threads_nor_what_comes_after() -> None:
    test, size = SystemTest("swap_items", MAE), population(50)
    whole = rejections([test], size, 200)[0]
    np.testing.assert_array_equal(rejections([test], size, 200, threads=3)[0], whole)
    np.testing.assert_array_equal(rejections([test], size, 100)[0], whole[:, :100])
    np.testing.assert_array_equal(rejections([test], size, 72, first_chunk=2)[0], whole[:, 128:])


def test_draws_stop_at_the_wanted_precision() -> None:
    rough = power_of_test(population(60), precision=0.04, threads=2)
    fine = power_of_test(population(60), precision=0.01, threads=2)
    capped = power_of_test(population(60), precision=0.001, n_sets=300, threads=2)
    assert rough.standard_error <= 0.04
    assert rough.n_sets < 400
    assert fine.standard_error <= 0.01
    assert capped.n_sets == 300
    assert rough.low <= fine.power <= rough.high


def test_sides() -> None:
    greater = power_of_test(population(60), n_sets=256, alternative="greater")
    less = power_of_test(population(60), n_sets=256, alternative="less")
    both = power_of_test(population(60), n_sets=256, alternative="two-sided")
    half = power_of_test(population(60), n_sets=256, alpha=0.025, alternative="greater")
    assert less.power < 0.02 < both.power < greater.power
    assert both.rejections >= half.rejections


@pytest.mark.parametrize(("found", "n"), [(0, 10), (10, 10), (3, 10), (800, 1000)])
def test_the_interval_is_the_exact_one(found: int, n: int) -> None:
    expected = stats.binomtest(found, n).proportion_ci(method="exact")
    assert proportion_interval(found, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_metric_that_is_no_mean_over_items_is_swapped_all_the_same() -> None:
    found = power_of_test(population(20, 3, 0.6), "spearman", n_sets=16, n_resamples=199)
    assert 0 < found.rejections <= 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "swap_item"}, "unknown test 'swap_item'; did you mean swap_items"),
        ({"metric": "maee"}, "unknown metric 'maee'; did you mean mae"),
        ({"alpha": 0.0}, "alpha: found 0.0"),
        ({"alpha": 1.0}, "alpha: found 1.0"),
        ({"alternative": "both"}, "found 'both'"),
        ({"n_resamples": 10}, "smallest p-value is 1/11"),
        ({"n_resamples": 0}, "n_resamples: found 0"),
        ({"n_sets": 0}, "n_sets: found 0"),
        ({"precision": 0.7}, "precision: found 0.7"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        power_of_test(population(10), **arguments)  # type: ignore[arg-type]


def test_a_difference_that_does_not_vary_is_known_from_the_first_items():
    """Its error was infinite, so that a plan simulated 24 times as many items for each number of ratings."""
    curve = curve_from_moments(1, 0.1, 0.0, 65_536, 0.025)
    assert (curve.slope, curve.error) == (np.inf, 0.0)
    assert curve_from_moments(1, 0.0, 0.0, 65_536, 0.025).error == np.inf
