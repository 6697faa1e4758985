"""`nbyk.compare` against exact enumeration, scipy, and what must hold whatever the data."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import nbyk
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import get
from nbyk.resampling.samplers import NULLS
from nbyk.testing.engine.draws import NULL_SAMPLERS, Draws
from nbyk.testing.intervals import acceleration, bca_interval, percentile_interval
from nbyk.testing.results import SCHEMA
from tests.oracles import enumerate as exact
from tests.oracles.chisquare import assert_drawn_from

compare = partial(nbyk.compare, generalise=("items",))
"""Claims over new items alone."""

ITEM_MEAN_METRICS = (
    *("mae", "mse", "inverse_mse", "rmse", "max_error", "wins_mae"),
    *("spearman", "mean", "emd_aggregated"),
)


def random_arrays(n: int = 60, k: int = 3, shift: float = 0.0, seed: int = 0):  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(seed)
    mean = generator.random((n, 1))
    gold, a, b = mean + 0.2 * generator.standard_normal((3, n, k))
    return gold, a, b + shift


def mae_effect(gold: exact.Row, a: exact.Row, b: exact.Row) -> float:
    mean_gold, mean_a, mean_b = (sum(row) / len(row) for row in (gold, a, b))
    return abs(mean_b - mean_gold) - abs(mean_a - mean_gold)


TINY = (
    ((0.11, 0.93), (0.37, 0.58), (0.02, 0.71)),
    ((0.29, 0.83), (0.47, 0.66), (0.17, 0.99)),
    ((0.93, 0.37), (0.58, 0.02), (0.71, 0.29)),
)


@pytest.mark.quick
@pytest.mark.parametrize("null", NULLS)
def test_nulls_have_the_enumerated_distribution(null: str) -> None:
    gold, a, b = TINY
    result = nbyk.compare(
        gold, a, b, null=null, alternative="greater", n_resamples=20_000, max_resamples=20_000, seed=2
    ).pair
    if null == "shifted":
        bootstrap = exact.effects(gold, a, b, "bootstrap_items/all", None, mae_effect)
        expected = {round(value - result.effect, 9): p for value, p in bootstrap.items()}
    else:
        expected = exact.effects(gold, a, b, NULL_SAMPLERS[null], null, mae_effect)
    if null == "swap_items":
        assert result.drawn.exact
        assert result.drawn.n_resamples == 7
        assert result.claims[-1].p == pytest.approx(
            sum(p for value, p in expected.items() if value >= result.effect - 1e-8)
        )
        assert (result.claims[-1].standard_error, result.drawn.decision_error) == (0.0, 0.0)
    else:
        assert not result.drawn.exact
        assert_drawn_from(result.drawn.null, expected)
    assert_drawn_from(
        result.drawn.bootstrapped, exact.effects(gold, a, b, "bootstrap_items/all", None, mae_effect)
    )


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_an_exact_p_is_scipys(alternative: str) -> None:
    generator = np.random.default_rng(6)
    a, b = generator.random((2, 9))
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    ours = nbyk.compare(None, a, b, metric="mean", alternative=alternative)
    assert ours.pair.drawn.exact
    assert ours.effect == pytest.approx(theirs.statistic)
    assert ours.claims[-1].p == pytest.approx(theirs.pvalue)


def test_a_drawn_p_is_scipys_to_its_error() -> None:
    """Two p-values of 10⁴ draws each differ by no more than four standard errors."""
    generator = np.random.default_rng(7)
    a, b = generator.random((2, 200)) + np.array([[0.02], [0.0]])
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        permutation_type="samples",
        n_resamples=9_999,
        vectorized=True,
        rng=np.random.default_rng(1),
    )
    ours = nbyk.compare(None, a, b, metric="mean", max_resamples=9_999)
    assert abs(ours.claims[-1].p - theirs.pvalue) < 4 * math.sqrt(2) * ours.claims[-1].standard_error


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_are_scipys_on_the_same_draws(level: float) -> None:
    """Scipy makes its intervals from our draws, so that all but rounding must agree."""
    generator = np.random.default_rng(8)
    a, b = generator.gamma(0.5, size=(2, 40))
    intervals = []
    for method in ("percentile", "bca"):
        ours = nbyk.compare(None, a, b, metric="mean", confidence_level=level, interval=method)
        draws = SimpleNamespace(bootstrap_distribution=ours.pair.drawn.bootstrapped)
        theirs = stats.bootstrap(
            (a, b),
            lambda x, y, axis: x.mean(axis) - y.mean(axis),
            paired=True,
            method=method,
            n_resamples=0,
            confidence_level=level,
            bootstrap_result=draws,
        ).confidence_interval
        assert_allclose(ours.claims[-1].interval, theirs, rtol=1e-9)
        intervals.append(ours.claims[-1].interval)
    assert intervals[0][0] != intervals[1][0]


def test_bootstraps_are_scipys_to_their_error() -> None:
    """Standard errors of 10⁴ draws each agree within four of their own standard errors, about 0.7 %."""
    generator = np.random.default_rng(9)
    a, b = generator.gamma(0.5, size=(2, 40))
    theirs = stats.bootstrap(
        (a, b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        paired=True,
        method="percentile",
        n_resamples=9_999,
        rng=np.random.default_rng(2),
    )
    ours = nbyk.compare(None, a, b, metric="mean").pair.drawn.bootstrapped
    assert ours.std(ddof=1) == pytest.approx(theirs.standard_error, rel=4 * math.sqrt(2 / (2 * 9_999)))


def test_the_jackknife_knows_the_skewness_of_a_mean() -> None:
    x = np.random.default_rng(10).gamma(0.5, size=50)
    u = x - x.mean()
    left_out = (x.sum() - x) / 49
    assert acceleration(left_out) == pytest.approx((u**3).sum() / (6 * (u**2).sum() ** 1.5))
    assert acceleration(np.full(5, 0.3)) == 0.0


def test_without_bias_or_skewness_bca_is_the_percentile_interval() -> None:
    draws = np.linspace(-1.0, 1.0, 2001)
    assert_allclose(bca_interval(draws, 0.0, 0.0, 0.9), percentile_interval(draws, 0.9), atol=1e-12)
    low, high = bca_interval(draws, 0.2, 0.0, 0.9)
    assert low > percentile_interval(draws, 0.9)[0]
    assert high > percentile_interval(draws, 0.9)[1]


matrices = hnp.arrays(np.float64, (5, 2), elements=st.integers(0, 8).map(lambda x: x / 8))
triples = st.tuples(matrices, matrices, matrices)


@given(triples, st.sampled_from(["mae", "mean", "wins_mae", "emd_aggregated", "max_error"]))
@settings(max_examples=40, deadline=None)
def test_comparing_b_with_a_is_the_mirror_image(arrays, metric) -> None:  # type: ignore[no-untyped-def]
    gold, a, b = arrays
    mirror = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
    for n_resamples, side in product((20, 100), mirror):  # drawn, and all 31 arrangements
        for method in ("percentile", "bca"):
            options = {"metric": metric, "n_resamples": n_resamples, "max_resamples": 0, "interval": method}
            ours = nbyk.compare(gold, a, b, alternative=side, **options)
            mirrored = nbyk.compare(gold, b, a, alternative=mirror[side], **options)
            assert ours.pair.drawn.exact == (n_resamples == 100)
            assert mirrored.effect == -ours.effect
            assert mirrored.claims[-1].p == ours.claims[-1].p
            low, high = ours.claims[-1].interval
            assert_allclose(mirrored.claims[-1].interval, (-high, -low), atol=1e-9)


@given(triples, st.permutations(range(5)), st.integers(-3, 3))
@settings(max_examples=40, deadline=None)
def test_neither_the_order_of_items_nor_an_added_constant_matters(arrays, order, constant) -> None:  # type: ignore[no-untyped-def]
    for metric in ("mae", "mean"):
        ours = nbyk.compare(*arrays, metric=metric, n_resamples=31)
        moved = nbyk.compare(*(matrix[order] + constant for matrix in arrays), metric=metric, n_resamples=31)
        assert moved.effect == pytest.approx(ours.effect, abs=1e-12)
        assert (moved.claims[-1].p, moved.claims[-1].standard_error) == (
            ours.claims[-1].p,
            ours.claims[-1].standard_error,
        )


@given(triples, st.sampled_from(list(NULLS)), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_p_values_hang_together_and_are_never_zero(arrays, null, seed) -> None:  # type: ignore[no-untyped-def]
    sides = {
        side: nbyk.compare(
            *arrays, null=null, alternative=side, n_resamples=19, max_resamples=19, seed=seed
        ).pair
        for side in ("greater", "less", "two-sided")
    }
    greater, less, both = (pair.claims[-1].p for pair in sides.values())
    drawn = sides["two-sided"].drawn
    assert min(greater, less) >= 1 / (1 + drawn.n_resamples)
    assert greater + less > 1.0
    assert both == min(1.0, 2.0 * min(greater, less))
    if not drawn.exact:
        for side, pair in sides.items():
            of_draws = nbyk.p_value(pair.claims[-1].effect, drawn.null, alternative=side)
            assert (pair.claims[-1].p, pair.claims[-1].standard_error) == (
                of_draws.p,
                of_draws.standard_error,
            )


def test_all_metrics_see_the_same_draws() -> None:
    arrays = random_arrays(shift=0.05)
    squares, roots = (
        nbyk.compare(*arrays, metric=name, n_resamples=199, seed=3).pair.drawn.null
        for name in ("mse", "rmse")
    )
    assert_array_equal(np.sign(squares[:199]), np.sign(roots[:199]))


def test_threads_change_no_number() -> None:
    arrays = random_arrays(shift=0.05)
    for name in ("spearman", "cosine", "mse"):
        one, two = (nbyk.compare(*arrays, metric=name, n_resamples=199, seed=3, threads=n) for n in (1, 2))
        assert one.to_dict() == two.to_dict()
        assert_array_equal(one.pair.drawn.null, two.pair.drawn.null)
        assert_array_equal(one.pair.drawn.bootstrapped, two.pair.drawn.bootstrapped)


def test_draws_go_on_until_the_decision_is_settled() -> None:
    arrays = random_arrays(n=40, shift=0.11, seed=4)
    first = compare(*arrays, n_resamples=99, max_resamples=99, alternative="greater")
    border = first.claims[-1].p
    settled = compare(*arrays, n_resamples=99, alpha=min(0.9, 4 * border), alternative="greater")
    assert settled.pair.decided
    assert settled.pair.drawn.n_resamples < 999_999
    near = compare(*arrays, n_resamples=99, max_resamples=6_336, alpha=border, alternative="greater")
    assert near.pair.drawn.n_resamples > settled.pair.drawn.n_resamples
    assert_array_equal(near.pair.drawn.null[:99], first.pair.drawn.null)
    undecided = compare(*arrays, n_resamples=99, max_resamples=99, alpha=border, alternative="greater")
    assert not undecided.pair.decided
    assert any("raise `max_resamples`" in text for text in undecided.warnings)
    assert repr(undecided).startswith("Undecided")


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("n", [6, 40])
def test_identical_systems_are_no_error(null: str, n: int) -> None:
    gold, a, _ = random_arrays(n=n, k=1)
    result = nbyk.compare(gold, a, a, null=null, n_resamples=199)
    assert (result.effect, result.claims[-1].p) == (0.0, 1.0)
    assert not result.pair.significant
    assert result.verdict == "undecided"
    assert nbyk.compare(gold, a, a, null=null, n_resamples=199, interval="bca").claims[-1].interval == (
        0.0,
        0.0,
    )
    assert "A and B have the same ratings" in result.warnings
    assert not any("takes few values" in text for text in result.warnings)


def test_constant_ratings() -> None:
    constant = np.full((8, 2), 0.5)
    assert nbyk.compare(constant, constant, constant).claims[-1].p == 1.0
    with pytest.raises(UndefinedMetricError, match="spearman is undefined on 2 of 2 systems"):
        nbyk.compare(constant, constant, constant, metric="spearman")


def test_draws_that_leave_a_correlation_undefined_are_left_out_of_the_intervals() -> None:
    """Of 4⁴ draws of these items, those of one gold value or one of A's or B's have no correlation."""
    gold, a, b = [0, 1, 2, 3], [0, 1, 2, 4], [1, 0, 0.5, 0.2]
    result = nbyk.compare(gold, a, b, metric="spearman", n_resamples=2000)
    dropped = 2000 - result.pair.drawn.bootstrapped.size
    assert abs(dropped - 2000 * 4 / 4**4) < 4 * math.sqrt(2000 * 4 / 4**4)
    assert any(f"spearman is undefined on {dropped} bootstrap draws" in text for text in result.warnings)


def test_one_response_per_item_goes_on_with_items_alone() -> None:
    gold, a, b = random_arrays(k=1)
    assert any("every item has one response" in text for text in nbyk.compare(gold, a, b).warnings)
    several = np.repeat(gold, 2, axis=1)
    assert any("from A and B" in text for text in nbyk.compare(several, a, b).warnings)


def test_without_gold() -> None:
    _, a, b = random_arrays(shift=-0.2)
    result = nbyk.compare(None, a, b, metric="mean")
    assert result.pair.shown == "better"
    assert set(result.sample.responses) == {"A", "B"}
    again = nbyk.compare(nbyk.response_set(None, a, b), metric="mean")
    assert again.sample == result.sample
    assert_array_equal(again.pair.drawn.null, result.pair.drawn.null)
    assert nbyk.compare(None, a, b).question.metric == "mean"
    with pytest.raises(NbykError, match="metric 'mae' needs gold"):
        nbyk.compare(None, a, b, metric="mae")


def test_the_shifted_null_and_the_intervals_draw_alike() -> None:
    arrays = random_arrays(n=30, k=2)
    shifted = nbyk.compare(*arrays, null="shifted", max_resamples=0)
    drawn = shifted.pair.drawn.null + shifted.effect, shifted.pair.drawn.bootstrapped
    assert stats.ks_2samp(*drawn).pvalue > 1e-4
    assert abs(np.corrcoef(*drawn)[0, 1]) < 4 / math.sqrt(9_999), "one stream for both"
    result = nbyk.compare(*arrays, n_resamples=999, max_resamples=999)
    assert result.claims[-1].interval[0] < result.effect < result.claims[-1].interval[1]


def test_expected_p_is_of_the_draws_that_the_result_keeps() -> None:
    result = nbyk.compare(*random_arrays(shift=0.1), alternative="greater", n_resamples=499)
    drawn = result.pair.drawn
    assert drawn.expected_p == nbyk.expected_p(drawn.bootstrapped, drawn.null)
    assert drawn.expected_p.p > result.claims[-1].p / 2
    said = result.to_dict()["pairs"][0]["claims"][-1]["drawn"]["expected_p"]
    assert said["p"] == drawn.expected_p.p


def test_what_the_result_says() -> None:
    gold, *systems = random_arrays(shift=0.3)
    result = compare(gold, dict(zip(("ours", "theirs"), systems, strict=True)))
    assert result.verdict == "better"
    assert result.sentence.startswith("ours is better than theirs on mae, for new items, with these 3 raters")
    assert "null: both are equally good;" in result.pair.method
    assert compare(gold, *systems, alternative="less").sentence.startswith(
        "B is not shown to be better than A"
    )
    assert compare(gold, *reversed(systems)).verdict == "worse"
    other = compare(gold, *systems, null="permutation", n_resamples=999)
    assert other.verdict == "different"
    assert "do not answer every item alike" in other.sentence
    assert any("swap_items and shifted" in text for text in other.warnings)
    assert "ours is better" in repr(result)
    assert "array" not in repr(result)
    of_a, of_b = result.pair.scores
    assert of_b - of_a == pytest.approx(result.effect)
    assert compare(gold, *systems, metric="wins_mae").pair.scores == (None, None)
    with pytest.raises(NbykError, match="did you mean percentile"):
        compare(gold, *systems, interval="percentiles")


def test_nothing_in_the_result_can_be_changed() -> None:
    result = nbyk.compare(*random_arrays(n=20), n_resamples=99)
    with pytest.raises(FrozenInstanceError):
        result.pairs = ()  # type: ignore[misc]
    for draws in (result.pair.drawn.null, result.pair.drawn.bootstrapped):
        with pytest.raises(ValueError, match="read-only"):
            draws[0] = 1.0


def test_the_result_goes_into_json() -> None:
    board = nbyk.compare(*random_arrays(n=12, k=3))
    said = json.loads(json.dumps(board.to_dict(), allow_nan=False))
    (pair,) = said["pairs"]
    assert (pair["p"], pair["interval"]) == (board.p, list(board.interval))
    broad, items = pair["claims"]
    assert (broad["p"], broad["interval"]) == (pair["p"], pair["interval"])
    assert (items["p"], items["standard_error"]) == (board.claims[-1].p, 0.0)
    assert said["schema"] == SCHEMA
    assert said["sentence"] == pair["sentence"] == board.sentence
    assert "drawn" not in pair
    assert broad["drawn"] is None
    assert "null" not in items["drawn"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "mea"}, "did you mean mean or mse or mae"),
        ({"null": "swap"}, "unknown null hypothesis"),
        ({"alternative": "two_sided"}, "expected 'greater', 'less' or 'two-sided'"),
        ({"alpha": 5}, "found 5, expected a level"),
        ({"alpha": float("nan")}, "found nan, expected a level"),
        ({"confidence_level": 95}, "found 95, expected a share"),
        ({"decision_error": 0}, "found 0, expected a chance"),
        ({"n_resamples": 0}, "found 0, expected a whole number of at least 1"),
        ({"n_resamples": 99.0}, "n_resamples: found 99.0, expected a whole number"),
        ({"max_resamples": "99"}, "max_resamples: found '99', expected a whole number"),
        ({"seed": -1}, "found -1, expected a seed"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        nbyk.compare(*random_arrays(n=6), **arguments)  # type: ignore[arg-type]


def test_too_few_items_for_the_level_are_said() -> None:
    result = nbyk.compare(*random_arrays(n=4))
    assert any("the smallest p that" in text and "take more items" in text for text in result.warnings)


def test_the_engine_rejects_undefined_nulls() -> None:
    """A swap makes A constant, which no correlation has."""
    gold, a, b = [0, 1, 2, 3], [0, 1, 0, 1], [1, 0, 1, 0]
    with pytest.raises(UndefinedMetricError, match="spearman is undefined on 2 of 15"):
        nbyk.compare(gold, a, b, metric="spearman")
    engine = Draws(nbyk.response_set(gold, a, b), [get("mae")], seed=0)
    assert engine.n_arrangements == 15


def test_few_draws_are_not_blamed_on_ties() -> None:
    generator = np.random.default_rng(5)
    gold = generator.random(60)
    a, b = (gold + 0.2 * generator.standard_normal(60) for _ in range(2))
    few = nbyk.compare(gold, a, b, n_resamples=69, max_resamples=69).warnings
    assert any(text.startswith("with 69 draws the test rejects no more than 0.029 of") for text in few)
    assert not any("because of ties" in text for text in few)
    assert not any("the test rejects" in text for text in nbyk.compare(gold, a, b).warnings)


@pytest.mark.parametrize(
    ("a_scale", "warned"),
    [(lambda a: 1.0 + 4.0 * a, True), (lambda a: 100.0 * a, True), (lambda a: a, False)],
)
def test_two_scales_are_pointed_out(a_scale, warned: bool) -> None:  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(6)
    gold, a, b = generator.random((3, 50))
    for sources in ((gold, a_scale(a), b), (None, a_scale(a), b), (a_scale(gold), a, b)):
        metric = "mean" if sources[0] is None else "mae"
        found = nbyk.compare(*sources, metric=metric, n_resamples=199, max_resamples=199).warnings
        assert any("if these are two scales" in text for text in found) == warned
