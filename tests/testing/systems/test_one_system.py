"""One system by itself: the intervals of its score, the test against a bar, and repeated trials."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import nbyk
from nbyk.data.responses import as_systems
from nbyk.errors import NbykError
from nbyk.testing.systems.one_system import band
from nbyk.testing.systems.scored import ScoredSystems

PASSED = "01100111000142021140430040220122003443413241222144"
"""Trials of four that gpt-4o passed, by task of τ-bench's airline: sierra-research/tau-bench 59a200c (MIT
licence, Copyright (c) 2024 Sierra)."""


def alone(values, **asked):  # type: ignore[no-untyped-def]
    """Return the result of one system without gold."""
    return nbyk.compare(None, {"mine": values}, **asked)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_zeros_and_ones_have_the_binomial_test_and_its_interval(alternative: str) -> None:
    values = np.array([1.0] * 33 + [0.0] * 7)
    board = alone(values, against=0.7, alternative=alternative)
    oracle = stats.binomtest(33, 40, 0.7, alternative)
    ends = stats.binomtest(33, 40).proportion_ci(0.95, "exact")
    # of both sides, scipy adds the rarer counts of the other tail; twice the tail is that of the interval
    tails = [stats.binomtest(33, 40, 0.7, side).pvalue for side in ("greater", "less")]
    expected = 2 * min(tails) if alternative == "two-sided" else oracle.pvalue
    assert_allclose(board.p, expected, rtol=1e-10)
    assert_allclose(board.standings[0].interval, (ends.low, ends.high), rtol=1e-10)
    assert_allclose(board.effect, 33 / 40 - 0.7)


def test_other_ratings_have_students_t() -> None:
    values = 0.5 + 0.2 * np.random.default_rng(3).uniform(-1.0, 1.0, 60)
    board, oracle = alone(values, against=0.45), stats.ttest_1samp(values, 0.45)
    assert_allclose(board.p, oracle.pvalue, rtol=1e-10)
    assert_allclose(board.standings[0].interval, tuple(oracle.confidence_interval()), rtol=1e-10)


def test_clusters_of_unequal_sizes_have_the_variance_of_their_weighted_mean() -> None:
    """One cluster has a third of the items: equal clusters' t calls .12 of systems at the bar different."""
    n_clusters, n, sets = 15, 180, 1500
    sizes = np.full(n_clusters, 8)
    sizes[0] = n - sizes[1:].sum()
    clusters = np.repeat(np.arange(n_clusters), sizes)
    rng = np.random.default_rng(19)
    rejected, missed = 0, 0
    for _ in range(sets):
        values = 0.3 * rng.standard_normal(n_clusters)[clusters] + 0.3 * rng.standard_normal(n)
        board = alone(values, against=0.0, cluster=clusters, kind="numbers")
        low, high = board.standings[0].interval
        rejected, missed = rejected + (board.p <= 0.05), missed + (not low <= 0.0 <= high)
    assert rejected == missed
    assert rejected / sets < 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5


@pytest.mark.parametrize("of", ["items", "clusters", "skewed items"])
def test_a_score_has_one_interval_by_itself_and_on_a_board(of: str) -> None:
    rng = np.random.default_rng(20)
    values = rng.standard_exponential((2, 40)) if of == "skewed items" else rng.random((2, 40))
    clusters = rng.integers(0, 8, 40) if of == "clusters" else None
    board = nbyk.compare(None, {"mine": values[0], "other": values[1]}, cluster=clusters, kind="numbers")
    own = alone(values[0], cluster=clusters, kind="numbers")
    assert_allclose(board.standing("mine").interval, own.standings[0].interval, rtol=1e-9)


@pytest.mark.parametrize("metric", ["f1_macro", "recall_macro", "f1_weighted"])
def test_a_class_of_few_items_gives_a_mean_over_classes_a_reserve(metric: str) -> None:
    """Without it, .2 of systems at the bar were called different: gold may have no item of the class."""
    gold = np.array(["x"] * 60 + ["y"] * 40 + ["z"] * 5)
    answers = np.where((np.arange(105) % 3 == 0) | (gold == "z"), "x", gold)
    enough = nbyk.compare(gold, {"mine": answers}, metric=metric, against=0.2)
    rare = nbyk.compare(gold[:-1], {"mine": answers[:-1]}, metric=metric, against=0.2)
    assert enough.verdict == "better"
    assert rare.verdict == ("better" if metric == "f1_weighted" else "better, with reserve")
    is_named = any("gold has class z on about 4 items" in text for text in rare.warnings)
    assert is_named == (metric != "f1_weighted")


def test_new_raters_have_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(4)
    n, j = 40, 6
    ratings = 0.5 + 0.1 * rng.standard_normal((n, 1)) + 0.1 * rng.standard_normal((1, j))
    ratings = ratings + 0.05 * rng.standard_normal((n, j))
    broad = alone(ratings, against=0.5).claims[0]
    items, raters = ratings.mean(1), ratings.mean(0)
    rest = ratings - items[:, None] - raters + ratings.mean()
    mean_squares = j * items.var(ddof=1), n * raters.var(ddof=1), np.sum(rest**2) / ((n - 1) * (j - 1))
    variance = (mean_squares[0] + mean_squares[1] - mean_squares[2]) / (n * j)
    assert_allclose(sum(part.variance for part in broad.parts), variance, rtol=1e-10)
    assert broad.population.startswith("new items and raters or runs")


def test_a_score_alone_has_no_p_and_lower_is_better_turns_the_effect_round() -> None:
    rng = np.random.default_rng(5)
    gold, ours = rng.random(50), rng.random(50)
    board = nbyk.compare(gold, {"mine": ours}, metric="mae")
    error = float(np.abs(gold - ours).mean())
    assert np.isnan(board.p)
    assert_allclose((board.effect, board.standings[0].score), error)
    held = nbyk.compare(gold, {"mine": ours}, metric="mae", against=error + 0.1, alternative="greater")
    assert_allclose(held.effect, 0.1)
    assert held.verdict == "better"
    assert_allclose(held.standings[0].interval, board.standings[0].interval, rtol=1e-9)


def test_several_systems_are_held_to_a_bar_with_holm() -> None:
    rng = np.random.default_rng(6)
    systems = {
        name: np.clip(mean + 0.2 * rng.standard_normal(50), 0, 1) for name, mean in [("a", 0.6), ("b", 0.55)]
    }
    board = nbyk.compare(None, systems, against=0.5)
    own = [nbyk.compare(None, {name: values}, against=0.5).p for name, values in systems.items()]
    least, most = sorted(own)
    assert_allclose(sorted(pair.p for pair in board.pairs), [2 * least, max(2 * least, most)], rtol=1e-9)
    assert nbyk.compare(None, systems, against=0.58).head.verdict.startswith("Undecided: none is shown")
    worse = nbyk.compare(None, systems, against=0.9).head.verdict  # all are, so that nothing is undecided
    assert worse == "None is shown to be better than a score of 0.9"


def test_a_margin_asks_whether_it_is_not_worse_than_the_bar() -> None:
    values = 0.5 + 0.2 * np.random.default_rng(3).uniform(-1.0, 1.0, 400)
    margin = alone(values, against=0.5, margin=0.05).pair.margin
    assert margin is not None
    assert_allclose(
        margin.p_not_worse, stats.ttest_1samp(values, 0.45, alternative="greater").pvalue, rtol=1e-9
    )
    assert margin.verdict == "equivalent"


def test_equal_scores_are_no_certainty() -> None:
    board = alone(np.full(20, 1.0), against=0.8, alternative="greater")
    assert_allclose(board.p, 0.8**20)
    board = alone(np.full(20, 0.9), against=0.8, alternative="greater")
    assert_allclose(board.p, (0.8 / 0.9) ** 20)


def test_pass_hat_k_is_that_published_of_tau_bench() -> None:
    values = np.array([[1.0] * int(n) + [0.0] * (4 - int(n)) for n in PASSED])
    published = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}
    for k, expected in published.items():
        board = alone(values, metric=f"pass^{k}")
        assert round(board.standings[0].score, 3) == expected
        assert board.claims[0].over == ("items",)
    interval = alone(values, metric="pass^1").standings[0].interval
    assert_allclose(interval, stats.ttest_1samp(values.mean(axis=1), 0.0).confidence_interval(), rtol=1e-9)


def test_pass_at_k_is_that_of_another_package() -> None:
    """passk-inference 0.3.1, `pass_at_k` and `simultaneous_band` (a bootstrap; ours is by t)."""
    values = np.array([[1.0] * int(n) + [0.0] * (4 - int(n)) for n in PASSED])
    metrics = [f"pass@{k}" for k in (1, 2, 3, 4)]
    boards = [alone(values, metric=metric) for metric in metrics]
    expected = [0.42, 0.5666666666666668, 0.66, 0.72]
    assert_allclose([board.standings[0].score for board in boards], expected, rtol=1e-12)
    scored = [ScoredSystems.of(as_systems(None, {"mine": values}), metric) for metric in metrics]
    ends = band(boards, scored)
    theirs = [(0.306, 0.534), (0.442, 0.691), (0.527, 0.793), (0.579, 0.861)]
    assert_allclose(ends, theirs, atol=0.01)


def test_trials_of_two_systems_are_compared_item_by_item() -> None:
    rng = np.random.default_rng(7)
    ours, theirs = (rng.random((30, 5)) < rng.random((30, 1)) ** power for power in (0.5, 2.0))
    board = nbyk.compare(None, {"ours": ours * 1.0, "theirs": theirs * 1.0}, metric="pass_at(2)")
    own = [1 - (5 - x) * (4 - x) / 20 for x in (ours.sum(1), theirs.sum(1))]
    assert_allclose(board.effect, np.mean(own[0] - own[1]))
    assert board.verdict == "better"


def test_an_open_claim_says_how_many_tasks_or_trials_would_settle_it() -> None:
    rng = np.random.default_rng(3)
    passes = (rng.random((40, 6)) < rng.uniform(0.5, 0.8, (40, 1))) * 1.0
    means, reach = passes.mean(axis=1), (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2
    bar = means.mean() - 1.5 * means.std(ddof=1) / np.sqrt(40)
    (claim,) = alone(passes, metric="pass@1", against=bar).claims
    n = np.ceil(means.var(ddof=1) * reach / claim.effect**2)
    # of the mean of trials, the jackknife's variance is that of a mean
    within = np.mean(passes.var(axis=1, ddof=1)) / 6
    between = means.var(ddof=1) - within
    trials = np.ceil(within * 6 / (claim.effect**2 * 40 / reach - between))
    assert trials > 6
    more = f", or {trials:.0f} trials of each item"
    assert claim.advice == f"about {n:.0f} items with as many trials{more} would show this effect (power 0.8)"
    assert alone(passes, metric="pass@1", against=bar, alternative="less").claims[0].advice == ""


def test_more_trials_than_there_are_is_one_line() -> None:
    with pytest.raises(
        NbykError, match=r"takes that many trials of each item, and mine has an item with 2; choose k up to 2"
    ):
        alone(np.array([[1.0, 0.0, np.nan], [1.0, 0.0, 1.0]]), metric="pass_at(3)")


@pytest.mark.statistics
@pytest.mark.parametrize(("n_items", "n_runs"), [(20, 2), (50, 4), (200, 8)])
def test_intervals_of_trials_cover_the_score_of_new_items(n_items: int, n_runs: int) -> None:
    """1000 sets: a coverage of .95 has a standard error of .007."""
    rng, n_sets = np.random.default_rng(8), 1000
    rates = rng.beta(0.6, 0.8, (n_sets, n_items, 1))
    trials = (rng.random((n_sets, n_items, n_runs)) < rates).astype(float)
    k = 2
    true = stats.beta(0.6, 0.8).moment(k)
    covered = 0
    for of_set in trials:
        low, high = alone(of_set, metric=f"pass^{k}").standings[0].interval
        covered += low <= true <= high
    assert covered / n_sets >= 0.93


@pytest.mark.parametrize("metric", ["mean", "mean_cost"])
@pytest.mark.parametrize(("n", "bar", "size"), [(40, 0.9, 0.1), (60, 0.85, 0.05), (100, 0.03, 0.05)])
def test_a_margin_of_zeros_and_ones_is_by_the_binomial_law(
    metric: str, n: int, bar: float, size: float
) -> None:
    """All counts, so that the level is exact: a t-test called .06 to .10 of such shares not worse."""
    sign = 1.0 if metric == "mean" else -1.0
    bar = bar if sign > 0.0 else 1.0 - bar
    sides = ("greater", "less") if sign > 0.0 else ("less", "greater")
    p_not_worse = []
    for count in range(n + 1):
        values = np.arange(n) < count
        pair = alone(values.astype(float), metric=metric, against=bar, margin=size).pair
        margin = pair.margin
        assert margin is not None
        worse, better = bar - sign * size, bar + sign * size
        above, below = (
            stats.binomtest(count, n, min(max(at, 0.0), 1.0), alternative=side).pvalue
            for at, side in ((worse, sides[0]), (better, sides[1]))
        )
        above, below = (0.0 if not 0.0 <= at <= 1.0 else p for at, p in ((worse, above), (better, below)))
        assert_allclose([margin.p_not_worse, margin.p_equivalent], [above, max(above, below)], atol=1e-12)
        assert (margin.interval[0] >= -size) is (margin.p_not_worse <= 0.05)
        p_not_worse.append(margin.p_not_worse)
    for level in (0.05, 0.01):
        chance = stats.binom.pmf(np.arange(n + 1), n, min(max(worse, 0.0), 1.0))
        assert np.sum(chance[np.array(p_not_worse) <= level]) <= level or not 0.0 <= worse <= 1.0


def test_a_score_of_which_nothing_varies_is_told_without_an_interval() -> None:
    gold = np.arange(30) % 3
    for asked, score in (({"metric": "f1_macro", "kind": "classes"}, 1.0), ({"metric": "mean"}, 7.0)):
        values = gold if score == 1.0 else np.full(30, score)
        board = nbyk.compare(gold if score == 1.0 else None, {"mine": values}, **asked)
        assert repr(board).startswith(f"mine scores {score:.0f} ")
        assert "no interval" in repr(board).lower()
        held = nbyk.compare(gold if score == 1.0 else None, {"mine": values}, against=0.5, **asked)
        assert (held.effect, held.verdict) == (score - 0.5, "undecided")
        assert "equal" not in repr(held)


@pytest.mark.parametrize(
    ("n", "bar", "could"), [(3, 0.5, False), (5, 0.5, True), (13, 0.8, False), (14, 0.8, True)]
)
def test_so_few_zeros_and_ones_that_all_right_would_not_do_show_nothing(
    n: int, bar: float, could: bool
) -> None:
    """All n right have p = barⁿ: .5⁴ = .06, .5⁵ = .03, .8¹³ = .055."""
    pair = alone(np.ones(n), against=bar, alternative="greater").pair
    assert pair.claims[0].least_p == pytest.approx(bar**n)
    assert pair.could_reject is could is (pair.verdict == "better")
    assert ("So few items cannot show any difference" in repr(pair)) is not could
    some = alone(np.arange(n) < n - 1, against=bar, alternative="greater").pair
    assert some.could_reject is could


def test_no_interval_of_a_score_holds_scores_that_there_are_not() -> None:
    """Of a few wrong answers among exact ones; the t-interval of a correlation would go beyond 1."""
    rng = np.random.default_rng(15)
    gold = np.linspace(0.0, 1.0, 40)
    answers = gold + np.where(rng.random(40) < 0.3, 0.05 * rng.normal(size=40) ** 3, 0.0)
    board = nbyk.compare(gold, {"mine": np.clip(answers, 0.0, 1.0)}, metric="spearman")
    assert board.standings[0].interval == (pytest.approx(0.95784, abs=1e-5), 1.0)


@pytest.mark.parametrize("suite", [False, True])
def test_numbers_without_a_scale_are_held_to_a_bar_of_their_own_size(suite: bool) -> None:
    seconds = np.random.default_rng(0).normal(72.0, 3.0, 40)
    tasks = nbyk.Suite.of(["u"] * 40 + ["v"], {"u": 1.0, "v": 0.0}) if suite else None
    given = np.append(seconds, 1.0) if suite else seconds
    pair = nbyk.compare(None, {"a": given}, kind="numbers", against=70.0, suite=tasks).pair
    by_t = stats.ttest_1samp(seconds, 70.0)
    assert pair.p == pytest.approx(by_t.pvalue)
    assert pair.effect == pytest.approx(seconds.mean() - 70.0)
    with pytest.raises(NbykError, match="against: found 70, expected a score of mean from 0 to 1"):
        nbyk.compare(None, {"a": seconds / 100.0}, kind="numbers", against=70.0)


def test_a_system_without_an_answer_beside_others_has_its_reason() -> None:
    """Of 13 items of the class one is wrong, and the score rests on it; its p counts as 1."""
    rng = np.random.default_rng(3)
    gold = np.repeat(["b", "a"], [13, 35])
    a, b = gold.copy(), np.where(rng.random(48) < 0.5, gold, "a")
    a[0] = "a"
    alone = nbyk.compare(gold, {"a": a}, metric="recall(b)", against=0.5)
    both = nbyk.compare(gold, {"a": a, "b": b}, metric="recall(b)", against=0.5)
    assert not alone.pairs[0].decided
    assert [pair.decided for pair in both.pairs] == [False, True]
    assert both.pairs[1].p == pytest.approx(min(1.0, 2.0 * both.pairs[1].claims[0].p))
    assert "No answer for 1 of 2 pairs (a – a score of 0.5): the effect rests on about" in str(both).replace(
        "\n", " "
    )


@pytest.mark.parametrize(
    ("bar", "verdict", "effect"),
    [
        (0.9, "mine is worse than a score of 0.9", "0.40 lower mean"),
        (0.52, "Undecided: mine may be better or worse than a score of 0.52", "0.02 lower mean"),
        (0.3, "mine is better than a score of 0.3", "0.20 higher mean"),
    ],
)
def test_an_answer_about_a_bar_is_about_the_system(bar: float, verdict: str, effect: str) -> None:
    board = nbyk.compare(None, {"mine": np.tile([0.2, 0.5, 0.8], 20)}, against=bar)
    assert board.head.verdict == verdict
    assert board.head.lines[0].left.startswith(effect)
    assert "a score of" not in board.head.lines[0].left
