"""The claim over items alone: zeros and ones, constants, skewed effects and kinds that the sample lacks."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import nbyk
from nbyk.testing.pvalues import PValue
from nbyk.testing.results import standing
from nbyk.testing.systems.items_alone import ItemsAlone, interval_of_swaps, of_effects

N = 12
END = 0.025 ** (1 / N)


def by_swaps(effects: np.ndarray, flips: np.ndarray) -> dict[str, PValue]:
    """Return the p of sign flips, shape (n, M)."""
    null, observed = effects @ flips, effects.sum()
    greater, less = ((1 + (reach).sum()) / (1 + null.size) for reach in (null >= observed, null <= observed))
    p = {"greater": greater, "less": less, "two-sided": min(1.0, 2.0 * min(greater, less))}
    return {side: PValue(float(value), 0.01, side) for side, value in p.items()}


def answer(effects: np.ndarray, *, seed: int = 0, largest: float = 100.0, **options: object) -> ItemsAlone:
    """Return the numbers of items with these effects, with 999 flips and an interval of width 0 by draws."""
    flips = np.random.default_rng(seed).choice([-1.0, 1.0], (effects.size, 999))
    asked = {"level": 0.95, "alternative": "two-sided", **options}
    ends = (float(effects.mean()),) * 2
    return of_effects(effects, by_swaps(effects, flips), ends, largest=largest, **asked)


def reserve(found: ItemsAlone, alpha: float = 0.05) -> str:
    """Return the reserve of a two-sided verdict."""
    return "".join(doubt.reason for doubt in standing(found.doubts, found.p["two-sided"].p, alpha)[:1])


@pytest.mark.parametrize(
    ("a", "b", "metric", "ends"),
    [
        ([1] * N, [0] * N, "mean", (2 * END - 1, 1.0)),
        ([1] * N, [0] * N, "accuracy", (2 * END - 1, 1.0)),
        ([1] * N, [0] * N, "mae", (2 * END - 1, 1.0)),
        ([1] * N, [0] * N, "wins_mae", (2 * END - 1, 1.0)),
        ([1] * N, [1] * N, "accuracy", (END - 1, 1 - END)),
        ([0.75] * N, [0.5] * N, "mean", (0.25 - (1 - END) * 1.25, 0.25 + (1 - END) * 0.75)),
    ],
)
def test_that_nothing_varied_is_not_certainty(
    a: list[float], b: list[float], metric: str, ends: tuple[float, float]
) -> None:
    result = nbyk.compare([1] * N, a, b, metric=metric)
    assert result.interval == pytest.approx(ends)
    by_bca = nbyk.compare([1] * N, a, b, metric=metric, interval="bca")
    assert by_bca.interval == pytest.approx(ends)
    mirrored = nbyk.compare([1] * N, b, a, metric=metric)
    assert mirrored.interval == pytest.approx((-ends[1], -ends[0]))


def test_a_constant_effect_without_a_scale_has_a_reserve() -> None:
    a = np.arange(10.0)
    claim = nbyk.compare(None, a, a - 2.0, metric="mean").claims[0]
    assert (claim.interval[0], claim.interval[1]) == pytest.approx((2.0, 2.0))
    assert claim.reserve == "all 10 items have the same effect, and nothing shows how it varies"
    assert (
        nbyk.compare(None, a / 9, a / 9, metric="mean").claims[0].interval[0] < 0.0
    )  # on the scale from 0 to 1


def test_a_constant_score_has_no_interval_without_a_scale_and_one_by_clusters_on_it() -> None:
    gold = np.linspace(0.0, 5.0, 12)
    systems = {"x": gold + 2.0, "y": gold + 1.0, "z": gold + np.random.default_rng(1).normal(size=12)}
    board = nbyk.compare(gold, systems, metric="mse")
    intervals = {standing.name: standing.interval for standing in board.standings}
    assert np.isnan([intervals["x"], intervals["y"]]).all()
    assert intervals["z"][0] < intervals["z"][1]
    assert "all items have the same score for y and x, and nothing shows how it varies" in board.warnings
    halves = {"x": np.full(12, 0.5), "y": np.full(12, 0.25), "z": gold / 5.0}
    clusters = np.repeat(np.arange(6), 2)
    board = nbyk.compare(None, halves, metric="mean", cluster=clusters)
    interval = {standing.name: standing.interval for standing in board.standings}["x"]
    others = 1.0 - 0.025 ** (1 / 6)
    assert interval == pytest.approx((0.5 - 0.5 * others, 0.5 + 0.5 * others))


@pytest.mark.parametrize("n", [11, 30])
def test_the_interval_of_zeros_and_ones_excludes_zero_exactly_if_the_swap_test_rejects(n: int) -> None:
    generator = np.random.default_rng(n)
    for share in (0.5, 0.7, 0.8, 0.9, 1.0):
        a, b = (generator.random((2, n)) < [[share], [0.4]]).astype(float)
        result = nbyk.compare(None, a, b, metric="mean", n_resamples=99)
        low, high = result.interval
        assert (low > 0.0 or high < 0.0) is result.pair.significant
        for_a, for_b = int((a > b).sum()), int((a < b).sum())
        p = stats.binomtest(for_a, for_a + for_b).pvalue if for_a + for_b else 1.0
        assert result.pair.significant is bool(p <= 0.05)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (6, 0), (5, 5), (22, 48), (61, 40)])
def test_p_of_zeros_and_ones_and_of_classes_is_that_of_mcnemar_and_of_scipy(only_a: int, only_b: int) -> None:
    rights = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [only_a, only_b, 30, 20], axis=0)
    target = np.arange(len(rights)) % 3
    classes = [np.array(list("abc"))[(target + 1 - right) % 3] for right in rights.T]
    for side in ("two-sided", "greater", "less"):
        asked = {"alternative": side, "n_resamples": 99, "max_resamples": 99}
        of_numbers = nbyk.compare(None, *rights.T.astype(float), metric="mean", **asked)
        of_classes = nbyk.compare(np.array(list("abc"))[target], *classes, metric="accuracy", **asked)
        expected = stats.binomtest(only_a, only_a + only_b, 0.5, side).pvalue if only_a + only_b else 1.0
        coded = ((target + 1 - right) % 3 for right in rights.T)
        mcnemar = nbyk.mcnemar(target, *coded, method="exact", alternative=side)
        assert of_numbers.p == of_classes.p == pytest.approx(expected, rel=1e-12)
        assert mcnemar.p == pytest.approx(expected, rel=1e-12)
        assert of_numbers.pair.decided
        assert of_numbers.pair.claims[-1].standard_error == 0.0


def test_ratings_runs_and_clusters_are_not_taken_for_zeros_and_ones() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.integers(0, 2, (2, 40, 3)).astype(float)
    of_runs = nbyk.compare(None, a, b, metric="mean", generalise=("items",))
    ends = np.quantile(of_runs.pair.drawn.bootstrapped, [0.025, 0.975])
    assert of_runs.interval == pytest.approx(tuple(ends))
    clusters = np.arange(40) // 2
    clustered = nbyk.compare(None, a[:, 0], b[:, 0], metric="mean", cluster=clusters)
    ends = np.quantile(clustered.pair.drawn.bootstrapped, [0.025, 0.975])
    assert clustered.interval == pytest.approx(tuple(ends))


def test_scores_of_a_leaderboard_have_exact_intervals() -> None:
    answers = np.repeat([[1.0], [0.75], [0.0]], N, axis=1)
    answers[1, ::4] = 0.0
    answers[1, answers[1] > 0.0] = 1.0
    named = {"best": answers[0], "middle": answers[1], "worst": answers[2], "half": np.full(N, 0.5)}
    board = nbyk.compare(None, named, metric="mean")
    found = {standing.name: standing.interval for standing in board.standings}
    assert found["best"] == pytest.approx((END, 1.0))
    assert found["worst"] == pytest.approx((0.0, 1.0 - END))
    exact = stats.binomtest(9, N).proportion_ci(0.95, method="exact")
    assert found["middle"] == pytest.approx((exact.low, exact.high))
    assert found["half"] == pytest.approx((0.5 * END, 1.0 - 0.5 * END))


laws = st.sampled_from(["normal", "lognormal", "rare"])


def drawn(law: str, n: int, seed: int | np.random.Generator) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if law == "rare":
        return (generator.random(n) < 0.1) - 0.1 + 0.05 * generator.standard_normal(n)
    return generator.lognormal(size=n) - math.exp(0.5) if law == "lognormal" else generator.normal(size=n)


@given(law=laws, n=st.integers(3, 60), seed=st.integers(0, 1000), largest=st.floats(0.1, 10))
@example("rare", 47, 503, 1.0)  # its cubes are no mirror images to the last bit
@settings(max_examples=150, deadline=None)
def test_b_against_a_is_the_mirror_image_of_a_against_b(law: str, n: int, seed: int, largest: float) -> None:
    effects = drawn(law, n, seed)
    flips = np.random.default_rng(seed).choice([-1.0, 1.0], (n, 499))
    p = by_swaps(effects, flips)
    swapped = {"greater": p["less"], "less": p["greater"], "two-sided": p["two-sided"]}
    asked = {"level": 0.9, "alternative": "two-sided", "largest": largest}
    of_a = of_effects(effects, p, (-1.0, 2.0), **asked)
    of_b = of_effects(-effects, swapped, (-2.0, 1.0), **asked)
    assert reserve(of_b, 0.1) == reserve(of_a, 0.1)
    assert of_b.interval == (None if of_a.interval is None else tuple(-end for end in of_a.interval[::-1]))
    assert [of_b.p[side].p for side in ("greater", "less", "two-sided")] == [
        of_a.p[side].p for side in ("less", "greater", "two-sided")
    ]
    assert all(of_a.p[side].p >= p[side].p for side in p)
    assert of_a.p["two-sided"].p == pytest.approx(min(1.0, 2 * min(of_a.p["greater"].p, of_a.p["less"].p)))


def test_a_p_that_the_step_raised_names_the_step_and_no_draws() -> None:
    effects = drawn("lognormal", 40, 3) / 10.0
    effects -= effects.mean() + 2.2 * stats.sem(effects)  # swaps reject too often
    result = nbyk.compare(None, effects, np.zeros(40), metric="mean", seed=1)
    claim = result.claims[0]
    by_draws = nbyk.testing.pvalues.p_values(result.effect, result.pair.drawn.null)["two-sided"].p
    assert claim.p > by_draws
    assert claim.method == "t-test with a step for skewness"
    assert claim.standard_error == 0.0
    assert result.pair.method.startswith("t-test with a step for skewness, two-sided, ")
    symmetric = nbyk.compare(None, np.linspace(-1, 2, 40), np.zeros(40), metric="mean", seed=1)
    assert symmetric.claims[0].method == "swap_items"
    assert symmetric.pair.method.startswith("swap test (9,999 draws)")


def test_cautions_about_bootstrap_intervals_stand_only_beside_them() -> None:
    caution = "only 12 items: bootstrap intervals of so few are usually too narrow"
    of_signs = nbyk.compare([1] * N, [1] * 9 + [0] * 3, [0] * 8 + [1] * 4, metric="accuracy")
    assert caution not in of_signs.warnings
    assert not any("bootstrap draws" in text or "percentile" in text for text in of_signs.warnings)
    numbers = np.random.default_rng(0).random((2, N))
    assert caution in nbyk.compare(numbers[0], *numbers[::-1], metric="spearman").warnings
    assert caution not in nbyk.compare(None, *numbers, metric="mean").warnings  # the swap test's own interval
    right = {"a": [1] * 9 + [0] * 3, "b": [0] * 8 + [1] * 4, "c": [1] * N}
    assert caution not in nbyk.compare([1] * N, right, metric="accuracy").warnings
    three = dict(zip("abc", (*numbers, numbers.mean(axis=0)), strict=True))
    assert caution in nbyk.compare(numbers[0], three, metric="rmse").warnings  # of the systems' own scores
    assert caution not in nbyk.compare(None, three, metric="mean").warnings


def test_few_items_have_the_means_that_the_swap_test_does_not_reject() -> None:
    generator = np.random.default_rng(5)
    for n in (5, 6, 9):
        sums, sizes = generator.normal(0.4, 1.0, n), generator.integers(1, 4, n)
        flips = np.array(list(product([-1.0, 1.0], repeat=n))).T
        low, high = interval_of_swaps(sums, sizes, 0.95, (-math.inf, math.inf))
        for mean in (*np.linspace(-3.0, 3.0, 61), *generator.normal(0.4, 0.4, 40)):
            effects = sums - mean * sizes
            null = effects @ flips
            tails = [(reach >= -1e-9).mean() for reach in (null - effects.sum(), effects.sum() - null)]
            assert (2.0 * min(tails) > 0.05) == (low <= mean <= high)
    assert math.isinf(interval_of_swaps(np.arange(5.0), np.ones(5), 0.95, (-math.inf, math.inf))[1])


def test_an_interval_of_items_excludes_zero_only_where_p_is_at_most_alpha() -> None:
    for seed in range(60):
        effects = np.random.default_rng(seed).normal(0.5, 1.0, 5 + seed % 35)
        result = nbyk.compare(None, effects, 0.0 * effects, metric="mean", seed=seed, n_resamples=999)
        low, high = result.interval
        assert (low <= 0.0 <= high) or result.p <= 0.05
        assert not low < 0.0 < high or result.p > 0.05
    for n, apart in itertools.product((20, 24, 50), (4, 5)):  # skewed, and p is that of swaps: 2 / 2^apart
        few = np.where(np.arange(n) < apart, 0.8, 0.3)
        result = nbyk.compare(None, few, np.full(n, 0.3), kind="numbers", n_resamples=999, max_resamples=3999)
        assert result.p > 0.05
        assert result.interval[0] == 0.0
    numbers = [71.2, 70.8, 72.1, 71.5, 70.9], [70.1, 70.6, 69.8, 70.9, 70.2]
    five = nbyk.compare(None, *numbers, kind="numbers")
    assert five.p == 0.0625
    assert five.interval == (-math.inf, math.inf)
    assert "So few items cannot show any difference: collect more." in str(five)


@given(values=st.lists(st.floats(0.01, 3), min_size=2, max_size=20), seed=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_symmetric_effects_keep_the_p_of_swaps(values: list[float], seed: int) -> None:
    effects = np.array([*values, *(-x for x in values)])
    flips = np.random.default_rng(seed).choice([-1.0, 1.0], (effects.size, 199))
    p = by_swaps(effects, flips)
    found = of_effects(effects, p, (-1, 1), level=0.95, alternative="two-sided", largest=9.0)
    assert replace(found, doubts=()) == ItemsAlone(p)


def test_a_skewed_interval_excludes_zero_only_if_p_is_at_most_alpha() -> None:
    skewed = 0
    for seed in range(300):
        found = answer(drawn("lognormal", 30, seed) + 0.3, seed=seed)
        if found.interval is not None:
            skewed += 1
            low, high = found.interval
            if low > 0.0 or high < 0.0:
                assert found.p["two-sided"].p <= 0.1  # the draws' own interval has no width here
            by_step = [found.p[side].p for side in ("greater", "less") if found.p[side].standard_error == 0.0]
            if by_step and min(by_step) == min(found.p["greater"].p, found.p["less"].p):
                assert (low > 0.0 or high < 0.0) is (found.p["two-sided"].p <= 0.05)
    assert skewed > 150


def test_a_kind_of_items_that_the_sample_lacks_gives_a_reserve_only_where_it_could_turn_the_effect() -> None:
    generator = np.random.default_rng(4)
    small = 0.05 + 0.02 * generator.standard_normal(30)
    share = 1.0 - 0.05 ** (1 / 30)
    assert reserve(answer(small, largest=1.0)) == (
        f"up to {100 * share:.2g} % of all items may be of a kind that these 30 lack, which could turn the "
        "effect round"
    )
    assert reserve(answer(small, largest=0.4)) == ""  # .4 × .095 is less than .05 × .905
    assert reserve(answer(small + 0.5, largest=1.0)) == ""
    assert reserve(answer(small - small.mean(), largest=1.0)) == ""  # no verdict
    more = 0.05 + 0.02 * generator.standard_normal(300)
    assert reserve(answer(more, largest=1.0)) == ""


def test_without_a_scale_skewed_items_leave_room_for_others_half_as_far_again() -> None:
    n, share = 100, 1.0 - 0.05 ** (1 / 100)
    skewed = np.random.default_rng(4).exponential(size=n)
    symmetric = np.concatenate([skewed[: n // 2], 2.0 * skewed.mean() - skewed[: n // 2]])
    for effects, farther in ((skewed, 1.5), (symmetric, 1.0)):
        turns = float(effects.mean()) * (1.0 - share) / share
        for largest, reserved in ((0.99 * turns / farther, False), (1.01 * turns / farther, True)):
            assert bool(reserve(answer(effects, largest=largest, bounded=False))) is reserved
        assert not reserve(answer(effects, largest=0.99 * turns, bounded=True))


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("law", "most_swaps", "most", "most_bare"),
    [("lognormal", 0.10, 0.08, 0.08), ("rare", 0.12, 0.07, 0.03)],
)
def test_equal_systems_with_skewed_items_are_told_apart_no_more_often_than_the_level_says(
    law: str, most_swaps: float, most: float, most_bare: float
) -> None:
    """4000 sets of 30 items: sign flips alone reject in more than they may, and this in .067 or .052 of sets,
    with a standard error of .004. Verdicts without a reserve are fewer still."""
    generator = np.random.default_rng(7)
    flips = generator.choice([-1.0, 1.0], (30, 999))
    swaps, rejected, without_reserve = 0, 0, 0
    for _ in range(4000):
        effects = drawn(law, 30, generator)
        p = by_swaps(effects, flips)
        found = of_effects(effects, p, (-1, 1), level=0.95, alternative="two-sided", largest=1.0)
        swaps += p["two-sided"].p <= 0.05
        rejected += found.p["two-sided"].p <= 0.05
        without_reserve += found.p["two-sided"].p <= 0.05 and not reserve(found)
    assert swaps > 4000 * most_swaps
    assert rejected <= 4000 * most
    assert without_reserve <= 4000 * most_bare


def test_clusters_of_one_item_are_items_and_larger_ones_raise_p_as_items_do() -> None:
    effects = drawn("lognormal", 40, 2) + 0.2
    options = {"metric": "mean", "n_resamples": 999}
    alone = nbyk.compare(None, effects, np.zeros(40), **options)
    clustered = nbyk.compare(None, effects, np.zeros(40), cluster=np.arange(40), **options)
    assert clustered.p == alone.p
    assert clustered.interval == pytest.approx(alone.interval)
    repeated = nbyk.compare(
        None, np.repeat(effects, 3), np.zeros(120), cluster=np.repeat(np.arange(40), 3), **options
    )
    assert repeated.interval == pytest.approx(alone.interval, rel=0.02)
    assert repeated.claims[0].interval[1] > np.quantile(repeated.pair.drawn.bootstrapped, 0.975) + 0.1


def test_a_skewed_comparison_says_one_thing_in_all_its_numbers() -> None:
    effects = drawn("lognormal", 30, 14) - 0.5
    found = nbyk.compare(None, effects, np.zeros(30), metric="mean")
    claim = found.claims[0]
    by_swaps_alone = nbyk.p_value(found.effect, found.pair.drawn.null).p
    assert found.p == claim.p > by_swaps_alone
    assert (claim.interval[0], claim.interval[1]) == found.interval
    by_bca = nbyk.compare(None, effects, np.zeros(30), metric="mean", interval="bca")
    assert by_bca.interval == found.interval
    assert claim.standard_error == 0.0
    mirrored = nbyk.compare(None, np.zeros(30), effects, metric="mean")
    assert mirrored.p == found.p
    assert mirrored.interval == (-claim.interval[1], -claim.interval[0])


def test_an_interval_by_the_step_holds_no_effect_beyond_the_scale() -> None:
    """One item far off among eight, on ratings from 0 to 1, whose mean cannot be above 1."""
    a = np.array([1.0, 0.02, 0.03, 0.01, 0.02, 0.04, 0.01, 0.03])
    found = nbyk.compare(None, a, np.zeros(8), metric="mean")
    assert found.claims[0].method == "t-test with a step for skewness"
    assert found.interval[1] == 1.0
    mirrored = nbyk.compare(None, np.zeros(8), a, metric="mean")
    assert mirrored.interval == (-found.interval[1], -found.interval[0])
