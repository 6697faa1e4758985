"""Systems compared by plain scores: the recommended test, corrections, intervals and what is warned of."""

from __future__ import annotations

import math
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.corrections import CORRECTIONS
from nbyk.testing.results import Board
from nbyk.testing.scores.battery import null_draws, p_values
from nbyk.testing.scores.compare_scores import MANY_SCORES, recommended_test
from nbyk.testing.scores.facts import FACTS, TESTS
from nbyk.testing.scores.power_analysis import comparison_power
from nbyk.testing.scores.result import NOTHING_VARIES


def compare_scores(scores: Any, *, paired: bool = False, test: str = "recommended", **options: Any) -> Board:
    return nbyk.compare(None, scores, test=test, pair_runs=paired, **options)


def systems(n: int = 12, **means: float) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    generator = np.random.default_rng(1)
    means = means or {"x": 0.8, "y": 0.0, "z": 0.3}
    return {name: generator.normal(mean, 1, n) for name, mean in means.items()}


@pytest.mark.parametrize(
    ("n", "m", "paired", "test", "said"),
    [
        (5, 5, False, "permutation_and_welch", "all 252 are counted"),
        (MANY_SCORES - 1, 500, False, "permutation_and_welch", "(some are drawn)"),
        (MANY_SCORES, MANY_SCORES, False, "welch_t", "30 or more"),
        (10, 10, True, "approximate_randomisation", "all 1,024 swaps are counted"),
        (3000, 3000, True, "approximate_randomisation", "of all swaps, some are drawn"),
    ],
)
def test_recommendation(n: int, m: int, paired: bool, test: str, said: str) -> None:
    found, reason = recommended_test(n, m, paired=paired)
    assert found == test
    assert said in reason
    a, b = np.random.default_rng(2).normal(size=(2, max(n, m)))
    compared = compare_scores([a[:n], b[:m]], paired=paired)
    assert (compared.question.test, compared.question.reason) == (test, reason)
    drawn = compared.pair.drawn
    assert (drawn is not None and drawn.exact) == ("are counted" in said)


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_pairs_are_the_tests_and_corrections_those_of_all_pairs(name: str, alternative: Any) -> None:
    samples = systems()
    seed = {"seed": 4} if FACTS[name].draws else {}
    options: dict[str, Any] = {"test": name, "paired": True, "alternative": alternative, "seed": 4}
    against = None if alternative == "two-sided" else "y"
    for correction in CORRECTIONS:
        found = compare_scores(samples, against=against, correction=correction, **options)
        p = [
            nbyk.score_test(name, samples[pair.a], samples[pair.b], alternative=alternative, **seed).p
            for pair in found.pairs
        ]
        assert [pair.claims[0].p for pair in found.pairs] == p
        expected = p if correction == "none" else nbyk.correct_p_values(p, correction)
        np.testing.assert_allclose([pair.p for pair in found.pairs], expected)  # type: ignore[arg-type]
        for pair in found.pairs:
            assert (pair.better is not None) == (pair.p <= 0.05)  # type: ignore[operator]


@pytest.mark.parametrize("name", TESTS)
def test_the_better_system_is_the_one_in_front(name: str) -> None:
    samples = systems(20, good=3.0, bad=0.0)
    for order in (("good", "bad"), ("bad", "good")):
        pair = compare_scores({key: samples[key] for key in order}, test=name, paired=True).pairs[0]
        assert pair.better == "good"
    greater = compare_scores(samples, test=name, paired=True, alternative="less").pairs[0]
    assert greater.better is None


def test_ranks_decide_who_is_in_front_in_tests_of_ranks() -> None:
    """B has the higher mean by one score; nearly all of A's are above all others of B's."""
    a, b = np.arange(20) + 10.0, np.arange(20.0)
    b[-1] = 1e4
    assert a.mean() < b.mean()
    for name in ("mann_whitney", "wilcoxon"):
        assert compare_scores({"a": a, "b": b}, test=name, paired=True).pairs[0].better == "a"


def test_intervals_are_scipys() -> None:
    samples = systems(9, x=0.4, y=0.0)
    a, b = samples["x"], samples["y"][:7]
    for level in (0.95, 0.8):
        pair = compare_scores([a, b], test="welch_t", confidence_level=level).pairs[0]
        welch = stats.ttest_ind(a, b, equal_var=False).confidence_interval(level)
        np.testing.assert_allclose(pair.interval, welch)
        of_mean = stats.ttest_1samp(a, 0.0).confidence_interval(level)
        np.testing.assert_allclose(
            compare_scores([a, b], confidence_level=level).standing("system 0").interval, of_mean
        )
    found = [compare_scores([a, b], alpha=alpha).pairs[0].interval for alpha in (0.05, 0.01)]
    assert found[0] == found[1]
    alone = compare_scores([[1.0], [0.0, 2.0]])
    assert math.isnan(alone.pairs[0].interval[0])
    constant = compare_scores([[2.0, 2.0], [1.0, 1.0, 1.0]])
    assert constant.pairs[0].effect == 1.0
    assert np.isnan([*constant.pairs[0].interval, constant.standings[0].interval[0]]).all()
    assert NOTHING_VARIES in constant.warnings


def exchanges(a: Any, b: Any, *, paired: bool) -> Any:
    """Return the mean difference of what each swap or deal exchanges; that of none is in both tails."""
    found = []
    if paired:
        chosen = [np.array(bits, dtype=bool) for bits in product((False, True), repeat=len(a))]
        return np.array([float((a - b)[of].mean()) for of in chosen if of.any()])
    for size in range(1, min(len(a), len(b)) + 1):
        for of_a, of_b in product(combinations(a, size), combinations(b, size)):
            found.append(float(np.mean(of_a) - np.mean(of_b)))
    return np.array(found)


@pytest.mark.parametrize(("n", "m", "paired"), [(4, 4, False), (5, 5, False), (3, 8, False), (7, 7, True)])
def test_intervals_hold_the_shifts_that_no_enumeration_rejects(n: int, m: int, paired: bool) -> None:
    """A shift is in unless at most α/2 of all choices exchange scores that differ by less, or more."""
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=n), rng.exponential(size=m)
    differences = exchanges(a, b, paired=paired)
    place = math.floor(0.025 * (len(differences) + 1)) - 1
    expected = np.sort(differences)[place], np.sort(differences)[-1 - place]
    test = "approximate_randomisation" if paired else "permutation"
    pair = compare_scores([a, b], paired=paired, test=test).pairs[0]
    np.testing.assert_allclose(pair.interval, expected, atol=1e-6)
    if not paired:
        by_t = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
        both = min(expected[0], by_t.low), max(expected[1], by_t.high)
        np.testing.assert_allclose(compare_scores([a, b]).pair.interval, both, atol=1e-6)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_few_scores_have_the_larger_p_of_a_permutation_and_of_welch(alternative: Any) -> None:
    larger = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        a, b = 1.0 + rng.normal(size=3) * rng.choice([1.0, 4.0]), rng.normal(size=9)
        p = [nbyk.score_test(name, a, b, alternative=alternative).p for name in ("permutation", "welch_t")]
        compared = compare_scores([a, b], alternative=alternative, against=None).pair
        assert compared.claims[0].p == max(p)
        larger.add(int(np.argmax(p)))
    assert larger == {0, 1}
    # zeros and ones of equal means vary alike: the permutation test holds
    a, b = np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(6)
    alone = nbyk.score_test("permutation", a, b, alternative=alternative).p
    assert nbyk.score_test("permutation_and_welch", a, b, alternative=alternative).p == alone
    # nothing varies within a system, so Welch's t has no denominator
    a, b = np.full(4, 2.0), np.full(5, 1.0)
    alone = nbyk.score_test("permutation", a, b, alternative=alternative).p
    assert nbyk.score_test("permutation_and_welch", a, b, alternative=alternative).p == alone


def test_a_larger_p_by_welch_has_no_error_of_draws() -> None:
    rng = np.random.default_rng(0)
    a, b = 4.0 * rng.normal(size=10) + 2.2, rng.normal(size=25)
    welch, drawn = (
        nbyk.score_test(name, a, b, **more)  # type: ignore[arg-type]
        for name, more in (("welch_t", {}), ("permutation", {"n_resamples": 999, "exact_up_to": 0}))
    )
    both = nbyk.score_test("permutation_and_welch", a, b, n_resamples=999, exact_up_to=0)
    assert welch.p > drawn.p + 4.0 * drawn.standard_error
    assert (both.p, both.standard_error) == (welch.p, 0.0)
    alike = nbyk.score_test("permutation_and_welch", b, b[::-1] + 0.1, n_resamples=999, exact_up_to=0)
    assert alike.standard_error > 0.0


def test_few_scores_of_a_system_that_varies_more_are_seldom_told_apart_by_chance() -> None:
    """Three scores with three times the SD of thirty: a permutation of means rejects .32 of equal means."""
    rng = np.random.default_rng(11)
    a, b = 3.0 * rng.normal(size=(2000, 3)), rng.normal(size=(2000, 30))
    rates = {
        name: np.mean(p_values(name, a, b, n_resamples=499) <= 0.05)
        for name in ("permutation", "permutation_and_welch")
    }
    assert rates["permutation"] > 0.25
    assert rates["permutation_and_welch"] < 0.08  # the standard error is .006
    alike = rng.normal(size=(2000, 3))
    assert np.mean(p_values("permutation_and_welch", alike, b, n_resamples=499) <= 0.05) < 0.05


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("test", ["recommended", "bootstrap"])
def test_the_interval_excludes_0_exactly_where_p_is_at_most_alpha(test: str, paired: bool) -> None:
    """Also of coarse scores, which tie, at several levels, counted and drawn."""
    rng = np.random.default_rng(5)
    name = "paired_bootstrap" if paired and test == "bootstrap" else test
    verdicts = []
    for _ in range(60):
        n = int(rng.integers(4, 9)) if rng.uniform() < 0.8 else 35
        m = n if paired else int(rng.integers(4, 9))
        a, b = np.round(rng.normal(0.8, 1.0, n), 1), np.round(rng.normal(0.0, 1.0, m), 1)
        level = float(rng.choice([0.8, 0.9, 0.95]))
        alpha = round(1.0 - level, 12)
        board = compare_scores(
            [a, b], test=name, paired=paired, alpha=alpha, confidence_level=level, n_resamples=500
        )
        low, high = board.pairs[0].interval
        assert (low > 0.0 or high < 0.0) == board.pairs[0].significant
        verdicts.append(board.pairs[0].significant)
    assert 10 < sum(verdicts) < 50


def test_scores_too_few_for_p_bound_nothing() -> None:
    pair = compare_scores([[1.0, 2.0, 3.0], [7.0, 8.0, 9.5]]).pairs[0]
    assert pair.interval == (-math.inf, math.inf)
    assert "inf" not in str(pair)
    assert "cannot find a difference" in str(pair)


def test_ranks_that_disagree_with_the_means_say_so() -> None:
    a, b = np.arange(20) + 10.0, np.arange(20.0)
    b[-1] = 200.0
    board = compare_scores({"a": a, "b": b}, test="mann_whitney")
    assert board.pairs[0].significant
    assert np.isnan(board.pairs[0].interval).all()
    said = "no interval is given: that of the means would contradict the Mann–Whitney U test here"
    assert any(said in text for text in board.warnings)
    assert said in " ".join(repr(board).split())


KINDS = {
    "normal": lambda rng, n: rng.normal(0.0, 1.0, n),
    "few values": lambda rng, n: np.round(rng.normal(0.0, 1.0, n)),
    "zeros and ones": lambda rng, n: (rng.random(n) < 0.5) * 1.0,
    "skewed": lambda rng, n: rng.lognormal(0.0, 1.5, n),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("test", TESTS)
def test_an_interval_says_of_0_what_its_test_says_or_there_is_none(test: str, kind: str) -> None:
    rng = np.random.default_rng([21, len(kind)])
    there = 0
    for number in range(12):
        n = (5, 8, 20)[number % 3]
        samples = [KINDS[kind](rng, n), KINDS[kind](rng, n) + (number % 4) * 0.4 * (kind != "zeros and ones")]
        alternative = ("two-sided", "greater", "less")[number % 3 if number > 5 else 0]
        options = {"alternative": alternative} | ({"n_resamples": 199} if FACTS[test].draws else {})
        try:
            result = nbyk.score_test(test, *samples, **options)
        except NbykError:  # nothing to rank
            continue
        low, high = result.interval
        if math.isnan(low):
            assert [text for text in result.warnings if text.startswith(("no interval", "nothing varies"))]
            continue
        there += 1
        assert low <= result.effect <= high
        shown = {"two-sided": low > 0.0 or high < 0.0, "greater": low > 0.0, "less": high < 0.0}[alternative]
        assert shown == (result.p <= (0.05 if alternative == "two-sided" else 0.025))
    assert there > 3


def test_the_interval_of_a_rank_test_holds_the_shifts_that_it_does_not_reject() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(0.3, 1.0, 9), rng.normal(0.0, 1.0, 9)
    differences = a - b
    walsh = np.sort([(x + y) / 2.0 for i, x in enumerate(differences) for y in differences[i:]])
    # of 9 pairs, sums of ranks up to 5 have a chance of .0195, and up to 6 one of .0273
    assert nbyk.score_test("wilcoxon", a, b).interval == pytest.approx((walsh[5], walsh[-6]), abs=1e-6)
    pairwise = np.sort((a[:, None] - b).ravel())
    # U up to 17 has a chance of .0200, and up to 18 one of .0252
    assert nbyk.score_test("mann_whitney", a, b).interval == pytest.approx(
        (pairwise[17], pairwise[-18]), abs=1e-6
    )


def test_almost_stochastic_order_has_no_interval_of_the_means() -> None:
    board = compare_scores([[1.0, 2.0, 3.0], [7.0, 8.0, 9.5]], test="aso")
    assert np.isnan(board.interval).all()
    assert any("compares whole distributions" in text for text in board.warnings)
    same = nbyk.aso([0.1 + 0.2] * 5, [0.3] * 5, n_resamples=20)
    assert same.effect == 0.0


TWELVE = 0.025 ** (1 / 12)


def test_intervals_of_zeros_and_ones_are_never_points() -> None:
    ones, zeros = [1.0] * 12, [0.0] * 12
    paired = compare_scores([ones, zeros], paired=True)
    assert paired.pairs[0].interval == pytest.approx((2.0 * TWELVE - 1.0, 1.0))
    assert [standing.interval for standing in paired.standings] == [
        pytest.approx((TWELVE, 1.0)),
        pytest.approx((0.0, 1.0 - TWELVE)),
    ]
    assert compare_scores([ones, ones], paired=True).pairs[0].interval == pytest.approx(
        (TWELVE - 1.0, 1.0 - TWELVE)
    )
    unpaired = nbyk.score_test("permutation", ones, zeros)
    assert unpaired.interval == pytest.approx((1.0 - math.sqrt(2.0) * (1.0 - TWELVE), 1.0))
    assert NOTHING_VARIES not in unpaired.warnings


def test_a_paired_bootstrap_of_zeros_and_ones_has_their_interval() -> None:
    ones, zeros = [1] * 12, [0] * 12
    result = nbyk.paired_bootstrap(ones, zeros, n_resamples=99)
    assert result.interval == pytest.approx((2.0 * TWELVE - 1.0, 1.0))


def test_scores_that_do_not_vary_have_no_interval_and_say_so() -> None:
    tenths = [0.1 + 0.2] * 3 + [0.3] * 3
    for result in (
        nbyk.score_test("permutation", tenths, [0.4] * 6),
        nbyk.score_test("approximate_randomisation", [0.5, 0.7, 0.9], [0.4, 0.6, 0.8]),
        nbyk.paired_bootstrap([0.5] * 6, [0.25] * 6, n_resamples=99),
    ):
        assert np.isnan(result.interval).all()
        assert NOTHING_VARIES in result.warnings
        assert "interval" not in result.sentence
        assert "nan" not in result.sentence


def test_bounds_are_those_of_aso_and_hold_jointly() -> None:
    """As deepsig's `multi_aso`: at 1 − α/(k (k − 1)), each pair both ways."""
    samples = systems()
    found = compare_scores(samples, test="aso", seed=3)
    orders = [pair.claims[0].order for pair in found.pairs]
    first = nbyk.aso(samples[found.pairs[0].a], samples[found.pairs[0].b], n_comparisons=6, seed=3)
    assert orders[0].eps_min == first.eps_min
    assert orders[0].reversed().eps_min == first.reversed().eps_min
    deviate = stats.norm.ppf(1 - 0.05 / 6)
    for order in orders:
        assert order.bound.n_comparisons == 6
        bound = order.violation_ratio + deviate * order.standard_error
        assert order.eps_min == pytest.approx(min(1.0, bound))
        assert order.violation_ratio + order.reversed().violation_ratio == pytest.approx(1.0)
    assert found.question.correction == "bonferroni"
    one_sided = compare_scores(samples, test="aso", against="y", alternative="greater").pairs
    assert [pair.claims[0].order.bound.n_comparisons for pair in one_sided] == [2, 2]
    alone = compare_scores(samples, test="aso", correction="none").pairs
    assert alone[0].claims[0].order.bound.n_comparisons == 1
    for tau, better in ((0.999, "x"), (1e-6, None)):
        pair = compare_scores(samples, test="aso", against="y", tau=tau, alternative="greater").pairs[0]
        assert pair.better == better


def test_neither_threads_nor_progress_change_a_number() -> None:
    samples = systems(60)
    for name in ("permutation", "aso", "bootstrap"):
        done: list[int] = []
        one = compare_scores(samples, test=name, n_resamples=700)
        two = compare_scores(samples, test=name, n_resamples=700, threads=2, progress=done.append)
        assert one.to_dict() == two.to_dict()
        assert sum(done) == 3 * 700
        other = compare_scores(samples, test=name, n_resamples=700, seed=1)
        assert [pair.claims for pair in other.pairs] != [pair.claims for pair in one.pairs]


def test_warnings() -> None:
    few = compare_scores([[9.0, 8.0], [1.0, 2.0]])
    assert (
        "smallest p-value that the permutation test with Welch's t-test can give here is 0.333"
        in few.warnings[0]
    )
    many = compare_scores(systems(6), test="permutation", alpha=0.005)
    assert "0.00216, times 3 pairs, and above α = 0.005" in many.warnings[0]
    drawn = compare_scores(systems(40), test="permutation", n_resamples=19, paired=True)
    assert "draw more of the null" in drawn.warnings[0]
    assert "the scores are paired, and the permutation test ignores that" in drawn.warnings[1]
    assert "more often than its level says" in compare_scores(systems(6), test="bootstrap").warnings[0]
    assert "once in 70 times" in compare_scores(systems(4), test="aso").warnings[0]
    (scope,) = compare_scores(systems(8)).warnings
    assert scope.startswith("this is about more runs like these on the same items")
    assert few.warnings[-1] == scope
    assert scope not in drawn.warnings


def test_one_test_warns_as_a_comparison_does() -> None:
    least, scope = nbyk.score_test("permutation", [0.7], [0.6]).warnings
    assert least.startswith("the smallest p-value that the permutation test can give here is 1 and above")
    assert (least, scope) == compare_scores([[0.7], [0.6]], test="permutation").warnings
    assert scope.startswith("this is about more runs like these on the same items")
    assert nbyk.score_test("permutation", [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]).warnings == (scope,)


def test_what_is_refused() -> None:
    good = [1.0, 2.0, 4.0]
    for options, said in (
        ({"test": "wilcoxon"}, "needs paired scores"),
        ({"test": "t"}, "unknown test 't'"),
        ({"test": "aso", "correction": "holm"}, "correction: found 'holm' for aso"),
        ({"correction": "tukey"}, "unknown correction 'tukey'"),
        ({"against": "2"}, "unknown system '2'"),
        ({"alpha": 0.0}, "alpha: found 0.0"),
        ({"confidence_level": 1.0}, "confidence_level: found 1.0"),
        ({"tau": 1.0}, "tau: found 1.0"),
        ({"alternative": "both"}, "alternative: found 'both'"),
    ):
        with pytest.raises(NbykError, match=said):
            compare_scores([good, good], **options)  # type: ignore[arg-type]
    with pytest.raises(NbykError, match="alternative: found 'less' for all pairs"):
        compare_scores([good, good, good], alternative="less")
    with pytest.raises(NbykError, match="system 'b': found 2 scores, expected 3 as of 'a'"):
        compare_scores({"a": good, "b": [1.0, 2.0]}, paired=True)
    with pytest.raises(NbykError, match="system 'b': found 1 score, expected at least 2 for aso"):
        compare_scores({"a": good, "b": [1.0]}, test="aso")
    with pytest.raises(NbykError, match="different indices"):
        compare_scores({"a": pd.Series(good), "b": pd.Series(good, index=[2, 1, 0])}, paired=True)
    with pytest.raises(NbykError, match="lift: found wilcoxon"):
        comparison_power(compare_scores(systems(8), test="wilcoxon", paired=True))


def test_power_of_a_comparison_goes_by_its_own_test() -> None:
    samples = {name: 10.0 + values for name, values in systems(10, x=0.0, y=0.0).items()}
    compared = compare_scores(samples, test="mann_whitney", alternative="greater", seed=5)
    found = comparison_power(compared, lift=0.7, lift_is="shift", n_resamples=400)
    expected = nbyk.bootstrap_power_analysis(
        samples["x"],
        lift=0.7,
        lift_is="shift",
        test="mann_whitney",
        n_resamples=400,
        seed=5,
        alternative="greater",
    )
    assert found["x"] == expected
    two_sided = compare_scores(samples, test="mann_whitney", seed=5)
    less = comparison_power(two_sided, lift=0.7, lift_is="shift", n_resamples=400)
    assert 0.0 < less["x"].power < expected.power
    by_aso = compare_scores(samples, test="aso", alternative="greater")
    assert comparison_power(by_aso, lift=50.0, lift_is="shift", n_resamples=50)["y"].power == 1.0


@pytest.mark.parametrize("name", TESTS)
def test_the_null_that_is_drawn_is_the_tests(name: str) -> None:
    """The share of the null beyond what was observed is the p-value, up to Monte-Carlo error and, of ranks,
    to the normal approximation that scipy takes where there are ties."""
    samples = systems(11, x=-0.2, y=0.0)
    a, b = samples["x"], samples["y"]
    _, null, observed = null_draws(name, a, b)
    p = nbyk.score_test(name, a, b, alternative="greater").p
    share = float((null >= observed - 1e-12).mean())
    assert 0.02 < p < 0.5
    assert share == pytest.approx(p, abs=4.5 * math.sqrt(2 * p * (1 - p) / 10_000))


def test_the_better_system_stands_first_and_p_at_its_floor_may_be_less() -> None:
    low, high = np.arange(12.0), np.arange(12.0) + 100.0
    found = nbyk.score_test("bootstrap", low, high, n_resamples=199)
    assert found.sentence.startswith("B is better than A on score, for new scores like these: 100")
    assert "p ≤ .010)" in found.sentence
    assert found.pair.to_dict()["verdict"] == "worse"
    assert "p < .0001" in nbyk.score_test("welch_t", low, high).sentence


def test_a_verdict_on_scores_that_more_draws_could_change_says_so() -> None:
    """With 59 draws, none beyond the difference, the least p is .033: that does not settle p ≤ .05."""
    scores = {"low": np.arange(12.0), "high": np.arange(12.0) + 100.0, "higher": np.arange(12.0) + 200.0}
    two = {name: scores[name] for name in ("low", "high")}
    few, many = (nbyk.compare(None, two, test="bootstrap", n_resamples=m) for m in (59, 999))
    assert (few.pairs[0].better, few.pairs[0].decided) == ("high", False)
    assert few.sentence.endswith("; more draws could change it).")
    assert many.pairs[0].decided
    assert "settled" not in many.sentence
    assert nbyk.compare(None, two, test="welch_t").pairs[0].decided
    three = nbyk.compare(None, scores, test="bootstrap", n_resamples=59)
    assert "3 without an answer" in three.sentence
    assert "No answer for 3 of 3 pairs: more draws could change it; raise `n_resamples`." in " ".join(
        repr(three).split()
    )


def test_the_power_is_that_of_the_corrected_test() -> None:
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(0.0, 0.15, 12) for name in "abcdef"}
    compared = compare_scores(scores, test="welch_t", correction="holm")
    assert len(compared.pairs) == 15
    found = comparison_power(compared, lift=0.2, lift_is="shift", n_resamples=2000)["a"]
    alone = compare_scores({name: scores[name] for name in "ab"}, test="welch_t", alpha=0.05 / 15)
    assert found == comparison_power(alone, lift=0.2, lift_is="shift", n_resamples=2000)["a"]
    uncorrected = compare_scores(scores, test="welch_t", correction="none")
    more = comparison_power(uncorrected, lift=0.2, lift_is="shift", n_resamples=2000)["a"]
    assert more.low > found.high
    drawn = rng.integers(0, 12, (2, 2000, 12))
    resampled = scores["a"][drawn] + np.array([0.2, 0.0])[:, None, None]
    own = (stats.ttest_ind(*resampled, axis=1, equal_var=False).pvalue <= 0.05 / 15).mean()
    assert found.power == pytest.approx(own, abs=0.045)


def test_the_power_of_almost_stochastic_order_has_the_bound_of_its_comparison() -> None:
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(0.0, 0.15, 12) for name in "abcd"}
    options = {"test": "aso", "n_resamples": 200}
    by = {
        correction: compare_scores(scores, correction=correction, **options)
        for correction in ("bonferroni", "none")
    }
    lifted = {"lift": 0.15, "lift_is": "shift", "n_resamples": 200}
    power = [comparison_power(compared, **lifted)["a"].power for compared in by.values()]
    assert power[0] < power[1]


F1 = {"ours": [81.2, 82.5, 80.9, 83.1, 82.0], "base": [80.1, 81.0, 79.8, 81.5, 80.6]}


def test_plain_numbers_are_taken_alike_in_python_and_by_the_command(tmp_path: Path) -> None:
    """Five numbers of each system, as five runs give them: both roads say the same, and how to say else."""
    for name, scores in F1.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, scores)))
    read = nbyk.read_systems([str(tmp_path / f"{name}.txt") for name in F1])
    of_files = nbyk.compare(read)
    assert of_files.claims[0].over == ("scores",)
    a, b = F1.values()
    for found in (
        nbyk.compare(F1),
        nbyk.compare(None, F1),
        nbyk.compare(None, a, b),
        nbyk.compare(None, [np.array(a), pd.Series(b)]),
        nbyk.compare(None, a * 20, b * 21),
    ):
        assert found.claims[0].over == ("scores",)
        assert 'say `kind="numbers"`' in found.warnings[0]
        assert "is better than" in str(found)
    assert nbyk.compare(F1).p == of_files.p
    assert of_files.warnings == nbyk.compare(F1).warnings[1:]


@pytest.mark.parametrize(
    ("systems", "more"),
    [
        (F1, {"kind": "numbers"}),
        (F1, {"metric": "mean"}),
        (F1, {"generalise": ("items",)}),
        ({name: scores * 7 for name, scores in F1.items()}, {}),
        ({"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}, {}),
        ({name: pd.Series(scores, index=list("vwxyz")) for name, scores in F1.items()}, {}),
        ({name: np.array([scores, scores]).T for name, scores in F1.items()}, {}),
    ],
)
def test_numbers_with_anything_of_items_beside_them_are_answers_to_items(
    systems: dict[str, Any], more: dict[str, Any]
) -> None:
    assert nbyk.compare(None, systems, **more).claims[-1].over == ("items",)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("test", ["recommended", "welch_t", "wilcoxon", "mann_whitney", "bootstrap"])
def test_a_margin_is_tested_by_the_test_itself(test: str, paired: bool) -> None:
    if paired is (test in ("welch_t", "mann_whitney", "bootstrap")):
        return
    a, b = np.array(F1["ours"] * 2), np.array(F1["base"] * 2) + np.linspace(0, 1, 10)
    asked: dict[str, Any] = {"test": test, "pair_runs": paired, "n_resamples": 999}
    for size in (0.2, 1.0, 3.0):
        margin = nbyk.compare(None, a, b, margin=size, **asked).pair.margin
        assert margin is not None
        one_sided = {
            side: nbyk.compare(None, a + by, b, alternative=side, **asked).p
            for side, by in (("greater", size), ("less", -size))
        }
        assert margin.p_not_worse == one_sided["greater"]
        assert margin.p_equivalent == max(one_sided.values())
        assert margin.p_worse == nbyk.compare(None, a + size, b, alternative="less", **asked).p
        mirrored = nbyk.compare(None, b, a, margin=size, **asked).pair.margin
        assert mirrored is not None
        assert mirrored.p_equivalent == pytest.approx(margin.p_equivalent, abs=0.01)
        inside = -size < margin.interval[0] and margin.interval[1] < size
        assert inside is (margin.p_equivalent <= 0.05) or test in ("wilcoxon", "mann_whitney")


def test_a_margin_of_scores_that_show_nothing_has_a_reason() -> None:
    alike = nbyk.compare(None, [1.5] * 5, [1.5] * 5, kind="scores", margin=0.1).pair
    assert (alike.margin.shown, alike.margin.reason) == ("undecided", "the scores do not vary")
    few = nbyk.compare(None, [1.5, 1.6], [1.5, 1.7], kind="scores", margin=9.0).pair
    assert few.margin.reason == "the smallest p that so few scores can give is 0.17; collect more"
    for more, said in (({"test": "aso"}, "beside aso"), ({}, "beside zeros and ones")):
        values = F1 if more else {"a": [1, 0, 1], "b": [0, 1, 1]}
        with pytest.raises(NbykError, match=said):
            nbyk.compare(None, values, kind="scores", margin=0.5, **more)


def test_margins_of_several_pairs_of_scores_are_corrected_for_their_number() -> None:
    three = {**F1, "third": [80.4, 81.3, 80.0, 81.9, 80.9]}
    board = nbyk.compare(three, margin=2.0)
    alone = [
        nbyk.compare({name: three[name] for name in (pair.a, pair.b)}, margin=2.0) for pair in board.pairs
    ]
    expected = nbyk.correct_p_values([one.pair.margin.p_equivalent for one in alone], "holm")
    assert [pair.margin.p_equivalent for pair in board.pairs] == pytest.approx(list(expected))
    assert "within ±2" in str(board)
