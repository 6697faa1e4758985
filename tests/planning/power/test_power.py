"""Power: tests against enumeration and scipy, early decisions against full ones, and power against theory."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from nbyk.data.response_set import response_set
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.item_moments import curve_from_moments
from nbyk.planning.power.battery import ON_ERRORS, TESTS, SystemTest, pairs_at_least
from nbyk.planning.power.estimate import power_of_test, rejections
from nbyk.planning.power.simulated_sets import SimulatedSets
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import observed_effects, resampled_effects
from nbyk.testing.intervals import proportion_interval
from nbyk.testing.looks import (
    critical_count,
    critical_count_of_share,
    looks,
    pair_looks,
    share_bounds,
)
from nbyk_papers.homan2025 import power_study
from nbyk_papers.homan2025.power_study import MultistageTest

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


def test_shares_of_all_pairs_stay_within_their_bounds() -> None:
    generator = np.random.default_rng(1)
    outside = 0
    for _ in range(400):
        alternative, null = generator.normal(1.5, 1, 1000), generator.normal(0, 1, 1000)
        low, high = share_bounds(pairs_at_least(alternative[:200], null[:200]) / 200**2, 200, 1, error=0.05)
        outside += not low <= pairs_at_least(alternative, null) / 1000**2 <= high
    assert outside <= stats.binom.ppf(0.999, 400, 0.05)
    assert share_bounds(0.0, 5000, 3)[1] < 0.05


def test_critical_counts_are_those_of_the_p_values() -> None:
    for m, alpha in ((99, 0.05), (100, 0.05), (9999, 0.05), (10_000, 0.05), (999, 0.001), (19, 0.05)):
        c = critical_count(m, alpha)
        assert (1 + c) / (1 + m) <= alpha + 1e-12 < (2 + c) / (1 + m)
        share = critical_count_of_share(m, alpha)
        assert share / m < alpha - 1e-15 or share < 0
        assert (share + 1) / m >= alpha - 1e-12


@pytest.mark.parametrize("name", [name for name in TESTS if name not in ("welch_t", "wilcoxon")])
def test_stopping_early_decides_as_all_draws_do(name: str) -> None:
    slow = name in ("permutation", "pooled", "pooled_twice", "expected_p", "multistage_bootstrap")
    n_sets, m = (16, 8192) if name == "expected_p" else (64, 1024) if slow else (320, 2000)
    early = SystemTest(name, MAE, n_resamples=m)
    full = SystemTest(name, MAE, n_resamples=m, early=False)
    sizes = population(30 if slow else 60, epsilon=0.4 if name == "expected_p" else 0.2)
    decided = rejections([early], sizes, n_sets, threads=2)[0]
    whole = rejections([full], sizes, n_sets, threads=2)[0]
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
    a, b = sets.errors()
    np.testing.assert_allclose((b - a).mean(axis=1), effects, atol=1e-11)


def test_errors_from_counts_are_those_of_the_contributions() -> None:
    sets = SimulatedSets(population(20), 3, 7, 0)
    a, b = sets.errors()
    np.testing.assert_allclose(b - a, sets.contributions(MAE), atol=1e-11)


@pytest.mark.parametrize(
    ("k", "shares"), [(1, [0.2, 0.8]), (5, [0.4, 0.0, 0.2, 0.0, 0.4]), (12, [0.25, 0.5, 0.25])]
)
def test_tables_of_sums_hold_the_exact_chances(k: int, shares: list[float]) -> None:
    n_responses, n_levels = 20, len(shares)
    counts = np.round(np.array(shares) * n_responses)
    at_least = np.cumsum(counts[::-1])[::-1][1:, None].astype(np.int32)
    table = np.empty((1, k * (n_levels - 1) + 1), np.uint64)
    power_study.fill_sum_tables(at_least, n_responses, k, table)
    stay, other = (table[0] >> np.uint64(32)) / 2.0**32, (table[0] & np.uint64(0xFFFFFFFF)).astype(int)
    chances = stay / table.size
    np.add.at(chances, other, (1.0 - stay) / table.size)
    expected = np.ones(1)
    for _ in range(k):
        expected = np.convolve(expected, counts / n_responses)
    np.testing.assert_allclose(chances, expected, atol=1e-8)


def test_the_compiled_multistage_bootstrap_has_the_null_of_the_sampler() -> None:
    """Its decisions at levels two standard errors to either side of p enclose the p of resampled effects."""
    sets = SimulatedSets(population(25, 4, 0.5), 0, 6, 2)
    (_, counts), *_ = sets.counts()
    values = TOXICITY.response.values
    m, agree = 4000, 0
    for r in range(6):
        gold, a, b = (responses_of(c[:, r], 4, values) for c in (counts.gold, counts.a, counts.b))
        data = response_set(gold, a, b)
        null = resampled_effects(
            data, MAE, sampler="bootstrap_items/sample(K)", null="pooled", n_resamples=m
        ).null[0]
        p = float((null >= observed_effects(data, MAE)[0] - 1e-12).mean())
        margin = 5.0 * np.sqrt(2.0 * max(p, 0.01) * (1.0 - p) / m)
        decisions = []
        for level in (p - margin, p + margin):
            if 0.0 < level < 1.0:
                test = MultistageTest("multistage_bootstrap", MAE, level, n_resamples=m)
                decisions.append(test.rejections(sets)[r, 0] == (level > p))
        agree += all(decisions)
    assert agree == 6


def test_tables_of_a_few_items_at_a_time_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    test = MultistageTest("multistage_bootstrap", MAE, 0.1, n_resamples=2000)
    whole = test.rejections(SimulatedSets(population(50, 3, 0.4), 0, 40, 0))
    monkeypatch.setattr(power_study, "TABLE_CELLS", 13 * 2 * 17)
    np.testing.assert_array_equal(test.rejections(SimulatedSets(population(50, 3, 0.4), 0, 40, 0)), whole)
    assert 0 < whole[:, 0].sum() < 40


def test_sets_without_a_correlation_are_not_rejected() -> None:
    found = power_of_test(population(2, 1, 1.0), "spearman", alpha=0.5, n_sets=64, n_resamples=49)
    assert 0 <= found.power < 0.5
    sets = SimulatedSets(population(2, 1, 1.0), 0, 64, 0)
    decided = SystemTest("swap_items", get("spearman"), 0.5, n_resamples=49).rejections(sets)
    assert (decided[decided[:, 1] == 0, 0] == 0).all()
    assert (decided[:, 1] == 0).any()


def test_looks_at_pairs_are_those_of_their_bounds() -> None:
    at = pair_looks(1000, 0.05, first=100, growth=3.0)
    assert at.draws.tolist() == [100, 300, 900, 1000]
    for m, reject_to, keep_from in zip(at.draws[:-1], at.reject_to, at.keep_from, strict=False):
        assert reject_to < 0 or share_bounds(reject_to / m**2, int(m), 4)[1] < 0.05
        assert share_bounds((reject_to + 1) / m**2, int(m), 4)[1] >= 0.05
        assert (
            share_bounds(keep_from / m**2, int(m), 4)[0]
            >= 0.05
            > share_bounds((keep_from - 1) / m**2, int(m), 4)[0]
        )
    assert (at.reject_to[-1], at.keep_from[-1]) == (49_999, 50_000)


def responses_of(at_least: np.ndarray, k: int, values: np.ndarray) -> np.ndarray:
    levels = (np.arange(k)[None, :, None] < at_least.T[:, None, :]).sum(axis=2)
    return values[levels]


def test_welch_and_wilcoxon_are_those_of_scipy() -> None:
    sets = SimulatedSets(population(40), 0, 30, 4)
    a, b = sets.errors()
    welch = SystemTest("welch_t", MAE).rejections(sets)[:, 0]
    expected = [
        stats.ttest_ind(y, x, equal_var=False, alternative="greater").pvalue
        for x, y in zip(a, b, strict=True)
    ]
    np.testing.assert_array_equal(welch, np.array(expected) <= 0.05)
    difference = np.round(b - a, 12)
    p = [stats.wilcoxon(row, alternative="greater", method="asymptotic").pvalue for row in difference]
    wilcoxon = SystemTest("wilcoxon", MAE).rejections(sets)[:, 0]
    np.testing.assert_array_equal(wilcoxon, np.array(p) <= 0.05)


def test_systems_with_equal_errors_are_not_told_apart() -> None:
    class EqualErrors(SimulatedSets):
        def errors(self) -> tuple[np.ndarray, np.ndarray]:
            a, _ = super().errors()
            return a, a

    for name in ("welch_t", "wilcoxon"):
        for alternative in ("greater", "two-sided"):
            found = SystemTest(name, MAE, alternative=alternative).rejections(
                EqualErrors(population(30), 0, 4, 4)
            )
            assert not found[:, 0].any()


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
        *(({"test": test, "metric": "mse"}, "expected mae") for test in ON_ERRORS),
    ],
)
def test_bad_input_is_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        power_of_test(population(10), **arguments)  # type: ignore[arg-type]
