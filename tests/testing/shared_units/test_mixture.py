"""The mixture of t-distributions: by hand, against scipy, inverses, and what p and the interval share."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import t as student

from nbyk.testing.pvalues import Alternative
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.generalise import SharedUnitsTest, law_of
from nbyk.testing.shared_units.mixture import STRONG_SKEW, ErrorLaw, before_step, degrees_together

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def mixture(variances, df, *, third=None, units=None, weights=None) -> ErrorLaw:
    """Return a law; without a third moment it is symmetric."""
    variances, df = np.atleast_2d(variances).astype(float), np.atleast_2d(df).astype(float)
    n_parts = variances.shape[1]
    return ErrorLaw(
        variances,
        df,
        np.ones(len(variances)) / len(variances) if weights is None else np.array(weights),
        np.zeros(n_parts) if third is None else np.array(third, float),
        np.full(n_parts, 8.0) if units is None else np.array(units, float),
    )


def test_of(law: ErrorLaw, effect: float) -> SharedUnitsTest:
    part = Component(10, law.variance, 0.0, 9.0, 1.0)
    return SharedUnitsTest(effect, law, part, {}, 1.0, 10.0)


test_of.__test__ = False  # type: ignore[attr-defined]  # pytest collects by name


@st.composite
def laws(draw: st.DrawFn) -> ErrorLaw:
    """Draw a law of one to three parts in one or two alternatives, with skewed units."""
    n_parts, ways = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    sizes = st.lists(st.floats(0.01, 4.0), min_size=n_parts, max_size=n_parts)
    variances = np.array([draw(sizes) for _ in range(ways)])
    degrees = st.lists(st.floats(1.0, 200.0), min_size=n_parts, max_size=n_parts)
    df = np.array([draw(degrees) for _ in range(ways)])
    skewness = np.array(draw(st.lists(st.floats(-2.0, 2.0), min_size=n_parts, max_size=n_parts)))
    units = np.array(draw(st.lists(st.floats(3.0, 300.0), min_size=n_parts, max_size=n_parts)))
    share = draw(st.floats(0.05, 0.95))
    weights = np.ones(1) if ways == 1 else np.array([share, 1.0 - share])
    third = skewness * variances[0] ** 1.5 / np.sqrt(units)
    return ErrorLaw(variances, df, weights, third, units)


@pytest.mark.parametrize(("variance", "df"), [(4.0, 1.0), (0.25, 2.0), (1e-6, 7.3), (9.0, 400.0)])
def test_one_part_is_students_t(variance: float, df: float):
    law = mixture([variance], [df])
    for pivot in (0.01, 0.7, 2.0, 12.0):
        tail = law.tail(pivot * math.sqrt(variance))
        assert tail == pytest.approx(student.sf(pivot, df), rel=1e-12)
        assert law.reach(tail, 1.0) == pytest.approx(pivot * math.sqrt(variance), rel=1e-10)
    assert law.df_of_variance == pytest.approx(df)
    assert test_of(law, 0.3).p_value() == pytest.approx(2.0 * student.sf(0.3 / math.sqrt(variance), df))


def test_parts_and_alternatives_mix_by_hand():
    law = mixture([[1.0, 3.0], [2.0, 7.0]], [[2.0, 30.0], [5.0, 40.0]], weights=[0.25, 0.75])
    tails = [
        0.25 * student.sf(3.0 / 2.0, 2) + 0.75 * student.sf(3.0 / 2.0, 30),
        2 / 9 * student.sf(3.0 / 3.0, 5) + 7 / 9 * student.sf(3.0 / 3.0, 40),
    ]
    assert law.tail(3.0) == pytest.approx(0.25 * tails[0] + 0.75 * tails[1], rel=1e-12)
    assert law.tail(-3.0) == law.tail(3.0)
    assert law.variance == pytest.approx(0.25 * 4.0 + 0.75 * 9.0)


def test_a_part_that_is_small_by_chance_lends_no_degrees_of_freedom():
    """Three raters whose T came out near W: by Satterthwaite's p 5·10⁻⁵ with 21 degrees of freedom."""
    items = Component(100, 2.0, 0.0, 99.0, 1.0)
    raters = Component(3, 0.9, 0.5, 2.0, 198.0)
    law = law_of(items, [raters], 1.0)
    assert law.variances[0] == pytest.approx([1.5, 0.9])
    assert law.df[0].tolist() == [99.0, 2.0]
    assert law.df_of_variance > 10.0
    pivot = 5.0
    by_satterthwaite = student.sf(pivot, law.df_of_variance)
    tail = law.tail(pivot * math.sqrt(law.variance))
    assert tail > 0.9 / 2.4 * student.sf(pivot, 2.0)
    assert tail > 10.0 * by_satterthwaite


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (4.0, 1.5**2 * 4.0 - 0.5 * 2.0),  # r² T − (1 − q) W with q = I / W = 1/2
        (0.5, 0.5 * 1.5**2 * 0.5),  # q r² T below W
    ],
)
def test_what_responses_explain_is_at_most_what_items_have(total: float, expected: float):
    law = law_of(Component(9, 1.0, 0.0, 8.0, 1.0), [Component(5, total, 2.0, 4.0, 1.0)], 1.5)
    assert law.variances[0] == pytest.approx([0.0, expected])


def test_the_step_for_skewness_by_hand():
    law = mixture([1.0], [7.0], third=[0.6], units=[8.0])
    for t, grown in ((2.5, 2.5), (3.5, 3.5), (9.0, 8.0)):
        a = 0.6 / 6.0 * grown / 3.5
        q = (-1.0 + math.sqrt(1.0 + 8.0 * a * (t - a))) / (4.0 * a)
        assert law.tail(-t) == pytest.approx(student.sf(q, 7), rel=1e-12)
    # toward the long tail, t grows by .3 g |t|, and beyond 2 by .6 g
    assert law.tail(1.5) == pytest.approx(student.sf(1.5 * 1.18, 7), rel=1e-12)
    assert law.tail(2.5) == pytest.approx(student.sf(2.5 + 0.36, 7), rel=1e-12)
    unequal = mixture([1.0], [7.0], third=[3.0], units=[8.0])  # a skewness above 1 counts as 1
    assert unequal.tail(2.5) == pytest.approx(student.sf(2.5 + 0.6, 7), rel=1e-12)
    moderated = mixture([[1.0], [1.0]], [[7.0], [7.0]], third=[0.6], units=[8.0])
    assert moderated.tail(2.5) == pytest.approx(student.sf(2.5, 7), rel=1e-12)
    assert law.tail(2.5, strong_skew=24.0) == pytest.approx(student.sf(2.5, 7), rel=1e-12)
    a = 0.6 * (1.0 + 24.0 / 8.0) / 6.0
    q = (-1.0 + math.sqrt(1.0 + 8.0 * a * (2.5 - a))) / (4.0 * a)
    assert law.tail(-2.5, strong_skew=24.0) == pytest.approx(student.sf(q, 7), rel=1e-12)


def test_fewer_than_five_units_show_no_skewness_of_their_own():
    few = mixture([1.0], [3.0], third=[0.9], units=[4.0])
    assert few.tail(-2.5) == few.tail(2.5)
    assert few.tail(-2.5, strong_skew=24.0) > few.tail(-2.5)


def test_nothing_varies():
    law = mixture([0.0, 0.0], [5.0, 5.0])
    assert (law.tail(0.0), law.tail(0.1), law.reach(0.025, 1.0)) == (0.5, 0.0, 0.0)
    assert law.df_of_variance == 1.0


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("third", [[0.0, 0.0], [0.5, -0.1], [-4.0, 2.0], [0.0, 9.0]])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_reach_is_the_inverse_of_tail(side: float, third: list[float], scale: float):
    for law in (
        mixture([1.0, 2.0], [2.0, 60.0], third=third, units=[5.0, 100.0]),
        mixture([[1.0, 2.0], [3.0, 0.2]], [[1.0, 40.0], [9.0, 3.0]], third=third, weights=[0.3, 0.7]),
        mixture([0.0, 1.0], [2.0, 4.0], third=third),
    ):
        scaled = ErrorLaw(law.variances * scale**2, law.df, law.weights, law.third * scale**3, law.units)
        for tail in (1e-9, 1e-6, 5e-4, 0.005, 0.025, 0.05, 0.1, 0.25, 0.4, 0.499):
            assert scaled.tail(side * scaled.reach(tail, side)) == pytest.approx(tail, rel=1e-9)
        assert scaled.reach(0.5, side) == 0.0


@settings(max_examples=60, deadline=None)
@given(laws(), st.floats(-15.0, 15.0), st.floats(0.002, 0.6))
def test_p_is_small_exactly_where_the_interval_leaves_0_out(law: ErrorLaw, effect: float, alpha: float):
    test = test_of(law, effect)
    for side in SIDES:
        p = test.p_value(side)
        low, high = test.interval(1.0 - alpha, side)
        if side != "two-sided" and alpha >= 0.5:
            continue  # one-sided intervals of a level above ½ end at the effect
        if abs(p - alpha) > 1e-9:
            assert (p <= alpha) == (low >= 0.0 or high <= 0.0)


@settings(max_examples=60, deadline=None)
@given(laws(), st.floats(-15.0, 15.0))
def test_swapped_systems_mirror_p_and_interval(law: ErrorLaw, effect: float):
    swapped = test_of(ErrorLaw(law.variances, law.df, law.weights, -law.third, law.units), -effect)
    test = test_of(law, effect)
    for one, other in zip(SIDES, ("two-sided", "less", "greater"), strict=True):
        assert swapped.p_value(other) == pytest.approx(test.p_value(one), rel=1e-12)
        assert swapped.p_if_strongly_skewed(other) == pytest.approx(test.p_if_strongly_skewed(one), rel=1e-12)
        low, high = test.interval(0.9, one)
        assert swapped.interval(0.9, other) == pytest.approx((-high, -low), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(laws(), st.floats(-15.0, 15.0), st.floats(1e-6, 1e6))
def test_scale_does_not_matter(law: ErrorLaw, effect: float, scale: float):
    scaled = ErrorLaw(law.variances * scale**2, law.df, law.weights, law.third * scale**3, law.units)
    for strong_skew in (0.0, 24.0):
        expected = law.tail(effect, strong_skew=strong_skew)
        assert scaled.tail(scale * effect, strong_skew=strong_skew) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(laws(), st.floats(0.0, 15.0), st.floats(0.0, 15.0))
def test_a_larger_error_is_rarer(law: ErrorLaw, one: float, other: float):
    near, far = sorted((one, other))
    for side in (1.0, -1.0):
        for strong_skew in (0.0, 24.0):
            tails = [law.tail(side * size, strong_skew=strong_skew) for size in (near, far)]
            assert 0.0 <= tails[1] <= tails[0] <= 0.5


@settings(max_examples=60, deadline=None)
@given(laws(), st.floats(-15.0, 15.0))
def test_skewness_raises_p_in_one_tail_and_lowers_it_in_the_other(law: ErrorLaw, effect: float):
    """P grows toward the tail that skewed units reach too often; |t| grows by at most .6 toward the other."""
    plain = ErrorLaw(law.variances, law.df, law.weights, np.zeros_like(law.third), law.units)
    third = float(law.third[law.units >= 4.5].sum())
    assert law.tail(effect, strong_skew=24.0) >= plain.tail(effect) * (1.0 - 1e-12)
    if third * effect <= 0.0:
        assert law.tail(effect) >= plain.tail(effect) * (1.0 - 1e-12)
    else:
        farther = math.copysign(0.6 * math.sqrt(float(law.variances.sum(axis=1).max())), effect)
        assert plain.tail(effect) * (1.0 + 1e-12) >= law.tail(effect)
        assert law.tail(effect) >= plain.tail(effect + farther) * (1.0 - 1e-12)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 30.0), st.floats(-1.0, 1.0))
def test_before_step_is_the_inverse_of_the_step(t: float, g: float):
    law = mixture([1.0], [9.0], third=[g], units=[10.0])
    size = -stdtrit(9.0, law.tail(t))
    assert before_step(np.array([size]), np.array([g])) == pytest.approx(t, rel=1e-6)


@settings(max_examples=100, deadline=None)
@given(laws(), st.floats(-15.0, 15.0))
def test_p_for_strongly_skewed_units_is_at_least_p(law: ErrorLaw, effect: float):
    test = test_of(law, effect)
    assert test.p_if_strongly_skewed() >= test.p_value() * (1.0 - 1e-12)
    better = "greater" if effect > 0.0 else "less"
    assert test.p_if_strongly_skewed(better) >= test.p_value(better) * (1.0 - 1e-12)


def test_few_units_count_for_more_skewness_than_they_show():
    skews = [mixture([1.0], [j - 1.0], third=[0.3], units=[float(j)]) for j in (5, 20, 400)]
    ratios = [law.tail(-3.5, strong_skew=STRONG_SKEW["two-sided"]) / law.tail(-3.5) for law in skews]
    assert ratios[0] > 1.5
    assert ratios[2] < 1.2


def test_degrees_of_freedom_of_sources_together_by_hand():
    # Equal degrees of freedom: Satterthwaite's, (1 + 1)² / (1/4 + 1/4) = 8 and (1 + 3)² / (1/4 + 9/4) = 6.4
    assert degrees_together(np.ones(2), np.full(2, 4.0)) == pytest.approx([8.0, 8.0])
    assert degrees_together(np.array([1.0, 3.0]), np.full(2, 4.0)) == pytest.approx([6.4, 6.4])
    # Three units learn nothing from twenty; twenty take those of three as their own, (1 + 1)² / (1/2 + 1/19)
    few, many = degrees_together(np.ones(2), np.array([2.0, 19.0]))
    assert few == 2.0
    assert many == 19.0  # 4 / (1/2 + 1/19) is less than its own
    # 5 is at most 1.4 × 4: for the source of 4 degrees it counts as 4
    assert degrees_together(np.ones(2), np.array([4.0, 5.0])) == pytest.approx([8.0, 4.0 / (1 / 4 + 1 / 5)])
    assert degrees_together(np.zeros(2), np.full(2, 4.0)) == pytest.approx([4.0, 4.0])
    assert degrees_together(np.empty(0), np.empty(0)).shape == (0,)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.0, 5.0), min_size=1, max_size=4),
    st.lists(st.floats(1.0, 60.0), min_size=4, max_size=4),
    st.permutations(range(4)),
)
def test_sources_together_have_at_least_their_own_degrees(sizes: list, df: list, order: list):
    variances, own = np.array([*sizes, 0.0, 0.0, 0.0, 0.0])[:4], np.array(df)
    together = degrees_together(variances, own)
    assert np.all(together >= own)
    assert np.all(together <= 4.0 * own * (1.0 + 1e-12))
    assert degrees_together(variances[order], own[order]) == pytest.approx(together[order], rel=1e-12)


@pytest.mark.statistics
@pytest.mark.parametrize(("j", "limit"), [(5, 0.07), (8, 0.07)])
def test_level_where_five_raters_are_skewed_by_as_much_as_real_ones(j: int, limit: float):
    """Gamma units with a skewness of 1.6, of which the items add a tenth: 20,000 sets, SE .0018."""
    rng = np.random.default_rng(20251125)
    sets, n_items, ratio, shape = 20_000, 200, 0.1, 4.0 / 1.6**2
    units = (rng.gamma(shape, size=(sets, j)) - shape) / math.sqrt(shape)
    effects = units.mean(axis=1) + math.sqrt(ratio / j) * rng.standard_normal(sets)
    items = ratio / j * rng.chisquare(n_items - 1, sets) / (n_items - 1)
    centred = units - units.mean(axis=1, keepdims=True)
    totals = np.sum(centred**2, axis=1) / (j * (j - 1))
    thirds = np.sum(centred**3, axis=1) / (j * (j - 1) * (j - 2))
    p = np.empty((sets, 2))
    for number in range(sets):
        law = mixture(
            [items[number], totals[number]],
            [n_items - 1, j - 1],
            third=[0.0, thirds[number]],
            units=[n_items, j],
        )
        p[number, 0] = 2.0 * law.tail(effects[number])
        plain = mixture([items[number], totals[number]], [n_items - 1, j - 1])
        p[number, 1] = 2.0 * plain.tail(effects[number])
    level, without_step = np.mean(p <= 0.05, axis=0)
    error = math.sqrt(limit * (1.0 - limit) / sets)
    assert level <= limit + 3.0 * error
    assert np.mean(p[:, 0] <= 0.01) <= 0.02 + 3.0 * math.sqrt(0.02 * 0.98 / sets)
    assert without_step > level + 0.008  # the step is what holds it


@pytest.mark.statistics
@pytest.mark.parametrize(("j", "most"), [(5, 0.06), (8, 0.03)])
def test_what_the_step_costs_where_units_are_normal(j: int, most: float):
    """People differ by .05 (SD) on 100 items with an SD of .1; 8,000 sets at 3 SE, SE .004."""
    rng = np.random.default_rng(20251127)
    sets, n_items, alone = 8_000, 100, np.sqrt(0.1**2 / 100)
    people = math.hypot(0.05, 0.015) * rng.standard_normal((sets, j))
    effects = 3.0 * math.hypot(alone, math.hypot(0.05, 0.015) / math.sqrt(j)) + people.mean(axis=1)
    effects += alone * rng.standard_normal(sets)
    items = alone**2 * rng.chisquare(n_items - 1, sets) / (n_items - 1)
    centred = people - people.mean(axis=1, keepdims=True)
    totals = np.sum(centred**2, axis=1) / (j * (j - 1))
    thirds = np.sum(centred**3, axis=1) / (j * (j - 1) * (j - 2))
    found = np.empty((sets, 2))
    for number in range(sets):
        parts, df = [items[number], totals[number]], [n_items - 1, j - 1]
        law = mixture(parts, df, third=[0.0, thirds[number]], units=[n_items, j])
        found[number] = [2.0 * of.tail(effects[number]) <= 0.05 for of in (law, mixture(parts, df))]
    lost = found[:, 1] - found[:, 0]
    assert lost.mean() <= most + 3.0 * lost.std() / math.sqrt(sets)
    assert found[:, 1].mean() > 0.5
