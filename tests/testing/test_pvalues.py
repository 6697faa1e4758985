"""p-values against their definitions, and their standard errors against repetition."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nbyk.data.responses import response_set
from nbyk.errors import NbykError
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import observed_effects, resampled_effects
from nbyk.resampling.simulate import simulate
from nbyk.testing.pvalues import attained_level, bounds_of_p, expected_p, p_value

whole = st.integers(-4, 4).map(float)
nearly_whole = st.builds(lambda n, ulps: n * (1 + ulps * 2**-52), whole, st.integers(-3, 3))
effect = whole | nearly_whole | st.floats(-3, 3)
effects = st.lists(effect, min_size=1, max_size=25)


def tie_tolerance(*effects: float) -> float:
    return max(1e-14, 1e-10 * max(map(abs, effects)))


@given(alternative=effects, null=effects)
@settings(max_examples=300, deadline=None)
def test_expected_p_is_its_definition(alternative: list[float], null: list[float]) -> None:
    """The mean over all pairs of 1[β ≥ α], after negating both where the null's median is the larger."""
    tolerance = tie_tolerance(*alternative, *null)
    sign = -1.0 if np.median(null) > np.median(alternative) + tolerance else 1.0
    pairs = [sign * beta >= sign * alpha - tolerance for alpha in alternative for beta in null]
    result = expected_p(alternative, null)
    assert result.p == sum(pairs) / len(pairs)
    assert result.flipped == (sign < 0)
    assert result.standard_error >= 0.0


def test_expected_p_of_two_normals_is_the_closed_form() -> None:
    """α ~ N(1, 1), β ~ N(0, 1): P(β ≥ α) = Φ(−1/√2) = .2398."""
    generator = np.random.default_rng(1)
    result = expected_p(generator.normal(1, 1, 100_000), generator.normal(0, 1, 100_000))
    assert abs(result.p - stats.norm.cdf(-(2**-0.5))) < 4 * result.standard_error
    assert result.standard_error < 0.002


@pytest.mark.parametrize("shift", [0.0, 1.5, 6.0])
@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_standard_error_is_the_spread_over_repetitions(shift: float, correlation: float) -> None:
    """Over 1500 repetitions the SD of p matches the mean standard error within 15 % (its own error: 2 %).

    At a shift of 6 most repetitions have no pair on the wrong side: only the normal approximation knows the
    error there, and only its size can be asked for.
    """
    generator = np.random.default_rng(2)
    p, errors = [], []
    for _ in range(1500):
        common = generator.normal(size=100)
        own = np.sqrt(1 - correlation)
        alternative = shift + np.sqrt(correlation) * common + own * generator.normal(size=100)
        null = np.sqrt(correlation) * common + own * generator.normal(size=100)
        result = expected_p(alternative, null, paired=True)
        p.append(-result.p + 1.0 if result.flipped else result.p)
        errors.append(result.standard_error)
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(p)
    assert 0.5 < ratio < 2.0 if shift == 6.0 else abs(ratio - 1) < 0.15


def test_pairing_changes_the_error_and_not_the_p() -> None:
    generator = np.random.default_rng(3)
    common = generator.normal(size=500)
    alternative, null = common + 0.5, common + 0.1 * generator.normal(size=500)
    paired, apart = expected_p(alternative, null, paired=True), expected_p(alternative, null)
    assert paired.p == apart.p
    assert paired.standard_error < 0.5 * apart.standard_error


def test_no_pair_on_the_wrong_side_still_has_an_error() -> None:
    generator = np.random.default_rng(4)
    result = expected_p(generator.normal(6, 1, 1000), generator.normal(0, 1, 1000))
    assert result.p < 1e-4
    assert 0.0 < result.standard_error < 1e-4


def test_identical_effects_have_p_one() -> None:
    assert expected_p([0.0, 0.0], [0.0, 0.0]).p == 1.0
    assert expected_p([0.0, 0.0], [0.0, 0.0]).standard_error == 0.0


@pytest.mark.quick
@given(observed=effect, null=effects)
@settings(deadline=None)
def test_p_value_is_its_definition(observed: float, null: list[float]) -> None:
    m = len(null)
    tolerance = tie_tolerance(observed, *null)
    greater = (1 + sum(beta >= observed - tolerance for beta in null)) / (1 + m)
    less = (1 + sum(beta <= observed + tolerance for beta in null)) / (1 + m)
    assert p_value(observed, null, alternative="greater").p == greater
    assert p_value(observed, null, alternative="less").p == less
    assert p_value(observed, null, alternative="two-sided").p == min(1.0, 2 * min(greater, less))
    assert 0.0 < p_value(observed, null, alternative="greater").p <= 1.0


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@given(tied=st.lists(whole, min_size=2, max_size=40), alpha=st.sampled_from([0.05, 0.1, 0.3, 0.5]))
@settings(max_examples=100, deadline=None)
def test_the_attained_level_is_that_of_every_effect_in_turn(  # type: ignore[no-untyped-def]
    alternative, tied: list[float], alpha: float
) -> None:
    rejected = [
        p_value(effect, [*tied[:i], *tied[i + 1 :]], alternative=alternative).p <= alpha
        for i, effect in enumerate(tied)
    ]
    found = attained_level(tied[0], tied[1:], alpha, alternative=alternative)
    assert found == np.mean(rejected)
    assert found <= alpha


def test_without_ties_the_attained_level_is_alpha() -> None:
    null = np.random.default_rng(3).standard_normal(199)
    for alpha in (0.01, 0.05, 0.1):
        assert attained_level(0.0, null, alpha, alternative="two-sided") == pytest.approx(alpha)


def test_effects_that_differ_by_rounding_are_ties() -> None:
    third = 0.1 + 0.2  # not 0.3
    assert p_value(third, [0.3, 0.0, 0.0], alternative="greater").p == 0.5
    assert p_value(-third, [-0.3, 0.0, 0.0], alternative="less").p == 0.5
    assert p_value(0.3, [third, 1.0, 1.0], alternative="less").p == 0.5
    assert p_value(0.3 + 1e-9, [0.3, 0.0, 0.0], alternative="greater").p == 0.25
    assert expected_p([third], [0.3]).p == 1.0
    assert expected_p([third, 0.3], [third, 0.3]).p == 1.0
    assert not expected_p([0.3], [third]).flipped


@pytest.mark.parametrize("seed", range(6))
def test_permutation_p_on_likert_data_is_the_exact_one(seed: int) -> None:
    """All 6³ splits of the items' pools in exact arithmetic; ties lost to rounding make p too small."""
    levels = np.random.default_rng([11, seed]).integers(
        0, 5, size=(3, 3, 2)
    )  # gold, a, b × items × responses
    gold, a, b = ([[Fraction(int(x), 5) for x in row] for row in matrix] for matrix in levels)

    def item_effect(gold: list[Fraction], a: list[Fraction], b: list[Fraction]) -> Fraction:
        return abs(sum(b) - sum(gold)) - abs(sum(a) - sum(gold))

    def splits(gold: list[Fraction], a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
        pool, chosen = a + b, combinations(range(4), 2)
        return [
            item_effect(gold, [pool[i] for i in of_a], [pool[i] for i in range(4) if i not in of_a])
            for of_a in chosen
        ]

    observed = sum(map(item_effect, gold, a, b))
    under_null = [sum(effects) for effects in product(*map(splits, gold, a, b))]
    exact = sum(effect >= observed for effect in under_null) / len(under_null)

    data = response_set(*(levels / 5))
    m = 20_000
    draws = resampled_effects(data, "mae", sampler="all_items/all", null="permutation", n_resamples=m)
    p = p_value(observed_effects(data, "mae")[0], draws.null[0], alternative="greater").p
    assert abs(p - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / m) + 1 / m


@pytest.mark.statistics
def test_swapping_items_holds_its_level_under_the_weak_null_and_permuting_does_not() -> None:
    """A and B perturbed alike: equally good over the items, and yet different on each of them."""
    prior = published_prior("simulated", "published")
    n_sets, rejected = 400, {"swap_items": 0, "permutation": 0}
    for index in range(n_sets):
        data = simulate(Population(prior, 100, 5, 0.3, epsilon_a=0.3), index=index)
        observed = observed_effects(data, "mae")[0]
        for null in rejected:
            draws = resampled_effects(data, "mae", sampler="all_items/all", null=null, n_resamples=199)
            rejected[null] += p_value(observed, draws.null[0], alternative="greater").p <= 0.05
    low, high = stats.binom.interval(0.999, n_sets, 0.05)
    assert low <= rejected["swap_items"] <= high
    assert rejected["permutation"] > high


def test_p_value_agrees_with_scipy() -> None:
    """The same p as scipy's permutation_test gives from its own null distribution."""
    generator = np.random.default_rng(5)
    x, y = generator.normal(0.3, 1, 12), generator.normal(0, 1, 12)
    for alternative in ("greater", "less", "two-sided"):
        test = stats.permutation_test(
            (x, y),
            lambda x, y: x.mean() - y.mean(),
            permutation_type="samples",
            n_resamples=999,
            alternative=alternative,
            rng=6,
        )
        ours = p_value(test.statistic, test.null_distribution, alternative=alternative)
        assert ours.p == pytest.approx(test.pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_p([], [1.0]), "alternative: no draws"),
        (lambda: expected_p([1.0], []), "null: no draws"),
        (lambda: expected_p([1.0, np.nan], [1.0]), "alternative: draw 1 is nan"),
        (lambda: expected_p([1.0], [np.inf]), "null: draw 0 is inf"),
        (lambda: expected_p([1.0], [1.0, 2.0], paired=True), "1 of the alternative, 2 of the null"),
        (lambda: p_value(np.nan, [1.0]), "observed effect: found nan"),
        (lambda: p_value(0.0, [1.0], alternative="both"), "found 'both'"),
    ],
)
def test_bad_draws_never_give_a_number(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NbykError, match=message):
        call()


@pytest.mark.parametrize("error", [1e-6, 0.0005, 0.025])
def test_bounds_of_many_counts_are_those_of_scipy(error: float) -> None:
    counts = np.array([0, 1, 7, 60, 98, 99])
    low, high = bounds_of_p(counts, 99, error)
    for count, *bounds in zip(counts.tolist(), low.tolist(), high.tolist(), strict=True):
        expected = stats.binomtest(count, 99).proportion_ci(1.0 - 2.0 * error, method="exact")
        assert bounds == pytest.approx([expected.low, expected.high], rel=1e-9)
