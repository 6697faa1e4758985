"""Margins: two one-sided t-tests, against statsmodels', their own interval and a simulation at the margin."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.report.comparison.sentences import WITHIN_MARGIN, margin_sentence
from nbyk.testing.decision import Decision
from nbyk.testing.intervals import signs_interval
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.claims import margin_of_signs

QUICK = {"n_resamples": 19, "max_resamples": 19}


def one_response(seed: int, n: int = 40, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    a = generator.normal(0.5, 0.1, (n, 1))
    return a, a + shift + generator.normal(0.0, 0.05, (n, 1))


@pytest.mark.parametrize("shift", [-0.02, 0.0, 0.03])
def test_with_items_alone_it_is_the_paired_test_of_statsmodels(shift: float) -> None:
    a, b = one_response(1, shift=shift)
    found = nbyk.compare(None, a, b, metric="mean", margin=0.025, **QUICK).pair.margin
    p, (_, p_low, _), (_, p_high, _) = ttost_paired(a[:, 0], b[:, 0], -0.025, 0.025)
    assert found.p_not_worse == pytest.approx(p_low, rel=1e-10)
    assert found.p_equivalent == pytest.approx(p, rel=1e-10) == pytest.approx(max(p_low, p_high))


@settings(max_examples=25)
@given(st.integers(0, 200), st.floats(0.001, 0.1), st.floats(-0.05, 0.05), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_verdict_is_that_of_the_interval_and_its_mirror_image(
    seed: int, margin: float, shift: float, alpha: float
) -> None:
    a, b = one_response(seed, 30, shift)
    found = nbyk.compare(None, a, b, metric="mean", margin=margin, alpha=alpha, **QUICK).pair.margin
    assume(not found.reason)  # a few items at the edge may have nearly all of the variance
    inside = -margin <= found.interval[0] and found.interval[1] <= margin
    expected = "equivalent" if inside else "not worse" if found.interval[0] >= -margin else "undecided"
    shown = "equivalent" if found.p_equivalent <= alpha else found.shown
    assert shown == ("worse" if found.interval[1] <= -margin else expected)
    mirrored = nbyk.compare(None, b, a, metric="mean", margin=margin, alpha=alpha, **QUICK).pair.margin
    assert mirrored.p_equivalent == pytest.approx(found.p_equivalent)
    assert mirrored.interval == pytest.approx((-found.interval[1], -found.interval[0]))


def test_each_claim_has_a_margin_of_its_own() -> None:
    generator = np.random.default_rng(3)
    runs = [generator.normal(0.5, 0.1, (50, 1)) + generator.normal(0.0, 0.02, 5) for _ in range(2)]
    result = nbyk.compare(None, *runs, metric="mean", margin=0.05, **QUICK).pair
    broad, items = (claim.margin for claim in result.claims)
    assert broad.interval[1] - broad.interval[0] > items.interval[1] - items.interval[0]
    equivalent = WITHIN_MARGIN["equivalent"].of_pair.format(leader="A", other="B", size="0.05")
    assert equivalent in margin_sentence(result, result.claims[1])


def test_what_a_margin_shows_in_words() -> None:
    names = {"a": "A", "b": "B", "leader": "B", "other": "A", "size": "0.05"}
    assert {
        shown: (words.of_pair.format(**names), f"{words.of_several.format(**names)}: A {words.between} B")
        for shown, words in WITHIN_MARGIN.items()
    } == {
        "equivalent": ("Equivalent: B and A, within ±0.05", "Equivalent within ±0.05: A and B"),
        "not worse": ("A is not worse than B by 0.05 or more", "Not worse by 0.05: A than B"),
        "worse": ("A is worse than B by more than 0.05", "Worse by more than 0.05: A than B"),
        "undecided": ("Undecided: A may be worse than B by 0.05 or more", "Undecided about 0.05: A and B"),
    }


def test_where_nothing_can_be_said_there_is_a_reason() -> None:
    generator = np.random.default_rng(4)
    gold, a, b = generator.random((3, 30, 2))
    rough = nbyk.compare(gold, a, b, metric="max_error", margin=0.1, **QUICK).pair.margin
    assert "are too few; collect 3 or more" in rough.reason
    assert rough.verdict == "undecided"
    assert math.isnan(rough.p_not_worse)
    same = nbyk.compare(gold[:, :1], a[:, :1], a[:, :1], margin=0.1, **QUICK)
    assert same.pair.margin.verdict == "equivalent"


def test_with_few_items_the_reason_says_so_and_with_many_there_is_none() -> None:
    few = nbyk.compare(None, *one_response(6, n=8), metric="mean", margin=0.1, **QUICK).pair.margin
    assert few.verdict == "undecided"
    assert few.reason.startswith("the effect rests on about ")
    assert "needs 5; collect more items" in few.reason
    many = nbyk.compare(None, *one_response(6, n=80), metric="mean", margin=0.1, **QUICK).pair.margin
    assert many.reason == ""


@pytest.mark.parametrize(("n", "margin"), [(20, 0.05), (58, 0.05), (59, 0.05), (298, 0.01), (299, 0.01)])
def test_where_all_items_have_the_same_effect_enough_of_them_show_a_margin(n: int, margin: float) -> None:
    gold = np.random.default_rng(0).integers(0, 2, (n, 1)).astype(float)
    found = nbyk.compare(gold, gold, gold, metric="accuracy", margin=margin, **QUICK).pair.margin
    assert found.p_not_worse == found.p_equivalent == pytest.approx((1.0 - margin) ** n)
    assert found.verdict == ("equivalent" if 1.0 - 0.05 ** (1.0 / n) <= margin else "undecided")
    assert found.interval[1] == -found.interval[0] == pytest.approx(1.0 - 0.05 ** (1.0 / n))
    assert (found.interval[1] <= margin) == (found.verdict == "equivalent")


@pytest.mark.parametrize("n", [2, 5, 10, 40, 80])
def test_at_the_margin_a_sample_without_a_different_item_shows_nothing_too_often(n: int) -> None:
    """B is always right, and A wrong with a chance of .05: the effect on accuracy is −.05."""
    generator = np.random.default_rng(n)
    n_sets, passed = 400, 0
    for _ in range(n_sets):
        gold = generator.integers(0, 2, (n, 1)).astype(float)
        a = np.where(generator.random((n, 1)) < 0.05, 1.0 - gold, gold)
        found = nbyk.compare(gold, a, gold, metric="accuracy", margin=0.05, **QUICK).pair.margin
        passed += found.verdict in ("equivalent", "not worse")
    assert passed / n_sets <= 0.05 + 3.3 * math.sqrt(0.05 * 0.95 / n_sets)


def test_without_a_bound_on_the_effect_of_an_item_nothing_is_shown() -> None:
    gold = np.zeros((100, 1))
    gold[:2] = 1.0
    a, b = gold.copy(), gold.copy()
    a[10:20], b[30:38] = 1.0, 1.0
    recall = nbyk.compare(gold, a, b, metric="recall", margin=0.05, **QUICK).pair.margin
    assert recall.verdict == "undecided"
    assert recall.reason.startswith("no single item changes the effect")
    wide = nbyk.compare(None, 7.0 * a, 7.0 * a, metric="mean", margin=0.05, **QUICK).pair.margin
    assert wide.reason == recall.reason


def test_an_effect_at_the_margin_is_inconclusive_in_spite_of_rounding() -> None:
    b = np.round(np.random.default_rng(0).random((90, 1)) * 0.9, 1)
    result = nbyk.compare(b, b + 0.1, b, metric="mae", margin=0.1, **QUICK).pair
    found = result.margin
    assert (found.p_not_worse, found.p_worse, found.verdict) == (1.0, 1.0, "undecided")
    undecided = WITHIN_MARGIN["undecided"].of_pair.format(a="A", b="B", size="0.1")
    assert margin_sentence(result, result.claims[0]).startswith(undecided)
    worse = nbyk.compare(b, b + 0.1, b, metric="mae", margin=0.01, **QUICK).pair.margin
    assert worse.p_worse == pytest.approx((1.0 - 0.09 / 1.1) ** 90)
    assert worse.verdict == "worse"


@pytest.mark.parametrize("margin", [0.0, -1.0, math.inf, math.nan])
def test_a_margin_is_above_0(margin: float) -> None:
    with pytest.raises(NbykError, match=r"margin: found .*expected a number above 0"):
        nbyk.compare(None, *one_response(0), metric="mean", margin=margin, **QUICK)


def test_at_the_margin_it_errs_as_often_as_alpha() -> None:
    """Gold has one rating: A misses it by U(0, .2) and B exactly, so that the effect on mae is −.1."""
    generator = np.random.default_rng(5)
    n_sets, passed = 1000, 0
    for _ in range(n_sets):
        gold = generator.random((60, 1))
        a = gold + generator.choice([-1.0, 1.0], (60, 1)) * generator.random((60, 1)) * 0.2
        test = shared_units_test(get("mae"), responses(a, gold, gold=gold))
        passed += test.p_value("greater", null=-0.1) <= 0.05
    assert abs(passed / n_sets - 0.05) < 3.3 * math.sqrt(0.05 * 0.95 / n_sets)


def zeros_and_ones(n_plus: int, n_minus: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the answers of two systems, of which A alone is right on some items, and B alone on others."""
    places = np.arange(n)
    return (places < n_plus) * 1.0, ((places >= n_plus) & (places < n_plus + n_minus)) * 1.0


@pytest.mark.parametrize(
    ("n", "margin", "for_a"), [(50, 0.1, 0.02), (100, 0.05, 0.05), (200, 0.05, 0.0), (300, 0.02, 0.005)]
)
def test_at_the_margin_zeros_and_ones_err_no_more_often_than_alpha(
    n: int, margin: float, for_a: float
) -> None:
    """All counts with their chances, so that the level is exact; t has .097 and .052 in two of them."""
    level = {0.05: 0.0, 0.01: 0.0, 0.001: 0.0}
    chances = (for_a, for_a + margin, 1.0 - 2.0 * for_a - margin)
    for n_plus, n_minus in product(range(n + 1), repeat=2):
        chance = stats.multinomial.pmf([n_plus, n_minus, n - n_plus - n_minus], n, chances)
        if chance > 1e-7:
            tests = margin_of_signs(n_plus, n_minus, n, margin, Asked(Decision("two-sided", 0.05, 19, 19)))
            p = (1.0 - margin) ** n if tests is None else tests.p_not_worse
            level = {alpha: total + chance * (p <= alpha) for alpha, total in level.items()}
    assert all(total <= alpha for alpha, total in level.items())


@settings(max_examples=40)
@given(
    st.integers(1, 25),
    st.integers(0, 25),
    st.integers(1, 60),
    st.floats(0.005, 0.4),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_zeros_and_ones_have_the_margin_of_their_interval_and_its_mirror_image(
    n_plus: int, n_minus: int, rest: int, margin: float, alpha: float
) -> None:
    n = n_plus + n_minus + rest
    a, b = zeros_and_ones(n_plus, n_minus, n)
    found = nbyk.compare(None, a, b, metric="mean", margin=margin, alpha=alpha, **QUICK).pair.margin
    low, high = found.interval
    assert (low, high) == signs_interval(n_plus, n_minus, n, 1.0 - 2.0 * alpha)
    assume(min(abs(abs(end) - margin) for end in (low, high)) > 1e-9)
    assert (found.p_not_worse <= alpha) is (low > -margin)
    assert (found.p_worse <= alpha) is (high < -margin)
    assert (found.p_equivalent <= alpha) is (-margin < low and high < margin)
    mirrored = nbyk.compare(None, b, a, metric="mean", margin=margin, alpha=alpha, **QUICK).pair.margin
    assert mirrored.p_equivalent == pytest.approx(found.p_equivalent)
    assert mirrored.interval == pytest.approx((-high, -low))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_margin_of_skewed_items_has_the_step_of_their_claim(seed: int, direction: str) -> None:
    """The p of a margin is that of a score which lies as much lower; t alone calls .07 to .10 not worse."""
    values = np.random.default_rng(seed).gamma(1.5, 0.04, 60)
    metric, sign = ("mean", 1.0) if direction == "higher" else ("mean_cost", -1.0)
    bar, size = values.mean() - sign * 0.01, 0.005

    def alone(at: float, alternative: str, **asked: float) -> nbyk.Pair:
        return nbyk.compare(
            None, {"x": values}, metric=metric, against=at, alternative=alternative, **asked
        ).pair

    margin = alone(bar, "two-sided", margin=size).margin
    lower, higher = bar - sign * size, bar + sign * size
    assert margin.p_not_worse == pytest.approx(alone(lower, "greater").p, rel=1e-9)
    assert margin.p_worse == pytest.approx(alone(lower, "less").p, rel=1e-9)
    expected = max(alone(lower, "greater").p, alone(higher, "less").p)
    assert margin.p_equivalent == pytest.approx(expected, rel=1e-9)
    paired = nbyk.compare(None, values, np.full(60, bar), metric=metric, margin=size, **QUICK).pair.margin
    assert paired.p_not_worse == pytest.approx(margin.p_not_worse, rel=1e-9)
    assert paired.interval == pytest.approx(margin.interval, rel=1e-9)
    _, (_, p_low, _), (_, p_high, _) = ttost_paired(sign * values, np.full(60, sign * bar), -size, size)
    raised = np.array([margin.p_not_worse - p_low, margin.p_worse - (1.0 - p_low)])
    assert (raised > -1e-9).all()
    assert margin.p_equivalent >= max(p_low, p_high) - 1e-9


def test_the_step_makes_a_margin_of_skewed_items_harder_to_hold() -> None:
    lags = -0.1 * stats.expon.ppf((np.arange(60) + 0.5) / 60)
    margin = nbyk.compare(None, 0.9 + lags, np.full(60, 0.9), metric="mean", margin=0.13, **QUICK).pair.margin
    by_t = stats.ttest_1samp(lags, -0.13, alternative="greater")
    assert margin.p_not_worse > 1.2 * by_t.pvalue
    assert margin.interval[0] < by_t.confidence_interval(0.95).low
    assert (margin.p_not_worse <= 0.05) is (margin.interval[0] >= -0.13)


@pytest.mark.statistics
def test_at_the_margin_skewed_items_err_about_as_often_as_alpha() -> None:
    """2000 sets of 100 exponential effects: .05 has a standard error of .005; t has .074."""
    generator, passed = np.random.default_rng(8), 0
    for _ in range(2000):
        a = 0.9 - generator.exponential(0.1, 100)
        found = nbyk.compare(None, a, np.full(100, 0.9), metric="mean", margin=0.1, **QUICK).pair.margin
        passed += found.p_not_worse <= 0.05
    assert 0.03 <= passed / 2000 <= 0.065


@pytest.mark.parametrize("n", [20, 60, 100, 300])
@pytest.mark.parametrize("unit", [1.0, 30.0])
def test_a_margin_near_0_has_the_reserve_of_the_claim_that_a_is_better(n: int, unit: float) -> None:
    """Items that the sample does not show matter as much, from 0 to 1 and without a scale."""
    rng = np.random.default_rng(n)
    b = unit * rng.uniform(0.2, 0.4, n)
    asked = {"metric": "mean", "alternative": "greater", **QUICK}
    for effect in (0.005, 0.02, 0.05, 0.2):
        a = b + unit * rng.normal(effect, 0.2 * effect, n)
        pair = nbyk.compare(None, a, b, kind="numbers", margin=1e-9 * unit, **asked).pair
        assert pair.shown == "better"
        assert pair.margin.shown == "not worse"
        assert pair.margin.is_reserved is bool(pair.reserve)


@pytest.mark.parametrize(("n", "margin"), [(58, 0.05), (59, 0.05), (298, 0.01), (299, 0.01)])
def test_items_of_nearly_one_effect_have_a_reserve_where_those_of_one_effect_show_nothing(
    n: int, margin: float
) -> None:
    rng = np.random.default_rng(n)
    b = rng.uniform(0.2, 0.8, n)
    a = b + 1e-9 * rng.choice([-1.0, 1.0], n)
    same, nearly = (nbyk.compare(None, of, b, metric="mean", margin=margin, **QUICK).pair for of in (b, a))
    assert nearly.margin.shown == "equivalent"
    assert nearly.margin.is_reserved is (same.margin.shown == "undecided")
    if nearly.margin.is_reserved:
        assert nearly.margin.reserve.endswith("which could take it across the margin")


def test_rare_failures_that_few_items_do_not_show_pass_no_margin_without_a_reserve() -> None:
    """A fails one in fifty of 60 items, which takes it to the margin: t alone passes it in .27 of sets."""
    rng, passed, bare = np.random.default_rng(0), 0, 0
    for _ in range(200):
        b = rng.uniform(0.3, 0.7, 60)
        a = np.where(rng.random(60) < 0.02, 0.0, b + rng.normal(0.0, 0.03, 60))
        margin = nbyk.compare(None, a, b, metric="mean", margin=0.01, **QUICK).pair.margin
        passed += margin.p_not_worse <= 0.05
        bare += margin.p_not_worse <= 0.05 and not margin.is_reserved
    assert passed > 40
    assert bare <= 0.05 * 200


@pytest.mark.parametrize("law", ["exponential", "normal"])
def test_a_margin_of_clusters_of_one_size_is_that_of_their_means(law: str) -> None:
    rng = np.random.default_rng(5)
    of_clusters = 0.05 * getattr(rng, law)(size=40)
    a = np.repeat(0.5 - of_clusters, 3) + np.tile([-0.01, 0.0, 0.01], 40)
    b, clusters = np.full(120, 0.5), np.repeat(np.arange(40), 3)
    asked = {"metric": "mean", "margin": 0.07, **QUICK}
    clustered = nbyk.compare(None, a, b, cluster=clusters, **asked).pair.margin
    means = nbyk.compare(None, a.reshape(40, 3).mean(axis=1), b[:40], **asked).pair.margin
    assert clustered.p_not_worse == pytest.approx(means.p_not_worse, rel=1e-9)
    assert clustered.p_equivalent == pytest.approx(means.p_equivalent, rel=1e-9)
    assert clustered.interval == pytest.approx(means.interval, rel=1e-9)
    assert clustered.reserve.replace("clusters", "items") == means.reserve


def test_a_margin_of_clusters_of_unlike_sizes_is_no_surer_than_t_of_the_jackknife() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(30), rng.integers(1, 6, 30))
    b = np.full(len(clusters), 0.5)
    a = b - 0.1 * rng.exponential(size=30)[clusters] + rng.normal(0.0, 0.03, len(clusters))
    order = rng.permutation(len(clusters))
    found, mixed = (
        nbyk.compare(None, a[rows], b[rows], metric="mean", margin=0.15, cluster=clusters[rows], **QUICK)
        for rows in (np.arange(len(clusters)), order)
    )
    test = shared_units_test(get("mean"), responses(a[:, None], b[:, None], clusters=clusters), sources=())
    margin = found.pair.margin
    assert margin.p_not_worse >= test.p_value("greater", null=-0.15)
    assert margin.p_worse >= test.p_value("less", null=-0.15)
    assert mixed.pair.margin.p_not_worse == pytest.approx(margin.p_not_worse, rel=1e-9)
