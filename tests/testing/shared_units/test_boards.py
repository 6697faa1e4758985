"""Variances of a leaderboard's pairs, moderated towards each other: by hand, invariances, and levels."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import f as fisher

import nbyk
from benchmarks.shared_units.boards import Board, layouts, p_values, pairs_of_set, sets_of
from nbyk.metrics import get
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.boards import (
    lone_spread,
    moderated_pairs,
    moderated_systems,
    moderated_tests,
)

TIMES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 64.0])


def totals_of(changes: np.ndarray) -> np.ndarray:
    """Return T of all pairs from the units' changes of each system's score, shape (S, R)."""
    return np.sum((changes[:, None] - changes[None, :]) ** 2, axis=2)


def belonging(own: np.ndarray, df: float) -> np.ndarray:
    """Return 1 for each system, and for that with the largest variance 30 S P(F > its ratio to others')."""
    weights, top = np.ones(len(own)), int(np.argmax(own))
    others = np.delete(own, top).mean()
    weights[top] = min(1.0, 30 * len(own) * fisher.sf(own[top] / others, df, df * (len(own) - 1)))
    return weights


def log_likelihood(spreads: np.ndarray, weights: np.ndarray, df: float, d0: float) -> float:
    """Return that of mean squares whose density is f(q / s₀²) / s₀², where s₀² fits the mean of log q."""
    mean_log = digamma(df / 2) - np.log(df / 2) - digamma(d0 / 2) + np.log(d0 / 2)
    scale = np.exp(np.average(np.log(spreads), weights=weights) - mean_log)
    return float(np.sum(weights * (fisher.logpdf(spreads / scale, df, d0) - np.log(scale))))


def board(seed: int, spreads: list[float], raters: int = 5, n: int = 30) -> np.ndarray:
    """Return the ratings of each system's outputs by the same people, who differ by system."""
    rng = np.random.default_rng(seed)
    ratings = [
        0.3 * rng.normal(size=(n, 1)) + spread * rng.normal(size=raters) + 0.3 * rng.normal(size=(n, raters))
        for spread in spreads
    ]
    return np.array(ratings)


def pair_tests(ratings: np.ndarray, *, paired: bool = True):
    """Return the test of each pair of systems by their places."""
    units = np.tile(np.arange(ratings.shape[2]), (ratings.shape[1], 1))
    return {
        (a, b): shared_units_test(
            get("mean"), responses(ratings[a], ratings[b], a_units=units, b_units=units, paired=paired)
        )
        for a, b in itertools.combinations(range(len(ratings)), 2)
    }


def own_run_tests(ratings: list[np.ndarray]):
    """Return the test of each pair of systems, each of which has runs of its own, in any number."""
    units = [np.tile(np.arange(of.shape[1]), (len(of), 1)) for of in ratings]
    return {
        (a, b): shared_units_test(
            get("mean"), responses(ratings[a], ratings[b], a_units=units[a], b_units=units[b], paired=False)
        )
        for a, b in itertools.combinations(range(len(ratings)), 2)
    }


@pytest.mark.parametrize("shared", [0.0, 0.7, 50.0])
@pytest.mark.parametrize(
    ("n_systems", "units", "far", "baseline"),
    [
        *((4, 3, 1.0, None), (6, 5, 1.0, None), (6, 5, 9.0, None), (12, 2, 1.0, None)),
        *((3, 4, 1.0, 0), (6, 5, 1.0, 3), (6, 5, 9.0, 1)),
    ],
)
def test_pairs_are_moderated_as_the_explicit_changes_of_each_system_say(
    n_systems: int, units: int, far: float, shared: float, baseline: int | None
):
    """`shared` is what units like in every second system more, and in the others less."""
    rng = np.random.default_rng(n_systems)
    changes = rng.normal(size=(n_systems, units)) * rng.uniform(0.2, 2.0, (n_systems, 1))
    changes[1] *= far
    changes += shared * rng.normal(size=units) * np.where(np.arange(n_systems) % 2, -1.0, 1.0)[:, None]
    changes -= changes.mean(axis=1, keepdims=True)
    df, s = units - 1.0, n_systems
    # ‖m_s‖² of changes less those of the mean system, and τ² unbiased by hand
    centred = changes - changes.mean(axis=0)
    q = np.sum(centred**2, axis=1) * s / (s - 1)
    belongs = belonging(np.maximum(((s - 1) * q - q.mean()) / (s - 2), 0.0), df)
    assert s == 3 or (belongs.min() < 0.1) == (far > 1.0 and shared < 50.0)
    if baseline is not None:
        belongs[baseline] = min(belongs[baseline], 0.1)
    mean = np.average(q, weights=belongs)
    own = np.maximum(((s - 1) * q - mean) / (s - 2), 0.0)
    # degrees of freedom of all systems together, by the covariance of the systems over units
    of_most = centred * np.sqrt(belongs)[:, None]
    covariance = of_most @ of_most.T / df
    trace, n_eff = np.trace(covariance), 1.0
    if df > 1:
        of_squares = df**2 / (df - 1) / (df + 2) * (np.trace(covariance @ covariance) - trace**2 / df)
        n_eff = np.clip(trace**2 / of_squares, 1.0, s - 1.0) if of_squares > 0 else s - 1.0
    r = (centred @ centred.T / np.sqrt(np.outer(*[np.sum(centred**2, axis=1)] * 2)))[np.triu_indices(s, 1)]
    apart = 0.0
    if df > 1:
        apart = (1 - np.mean(r**2)) / (1 - 1 / df) / (1 - 1 / (s - 1) ** 2)
        apart = np.clip(apart if s == 3 else 2 * apart - 1, 0.0, 1.0)
        assert (apart < 0.05) == (shared == 50.0)
    totals = totals_of(changes)
    variances, degrees, weights = moderated_pairs(totals, df, baseline=baseline)
    assert variances.shape == degrees.shape == (6, s, s)
    for way, d0 in enumerate(df * TIMES):
        of_system = (d0 * belongs * mean + df * own) / (d0 * belongs + df)
        for a, b in itertools.combinations(range(s), 2):
            of_both = of_system[a] + of_system[b]
            expected = apart * of_both + (1 - apart) * totals[a, b]
            assert variances[way, a, b] == pytest.approx(expected, rel=1e-9)
            squares = sum(of_system[c] ** 2 / (d0 * belongs[c] + df) for c in (a, b))
            of_sum = max(min(of_both**2 / squares, n_eff * df), df)
            assert degrees[way, a, b] == pytest.approx(df + apart * (of_sum - df), rel=1e-9)
    logs = np.array([log_likelihood(q, belongs, df, d0) for d0 in df * TIMES])
    expected = np.exp(logs - logs.max())
    assert weights == pytest.approx(expected / expected.sum(), rel=1e-9)


@pytest.mark.parametrize("df", [1.0, 2.0, 4.5, 7.0])
def test_weights_are_densities_of_f_at_the_mean_of_logarithms(df: float):
    """The density of q is f(q / s₀²) / s₀², and s₀² makes the mean of log q what it is under F."""
    rng = np.random.default_rng(3)
    spreads = rng.chisquare(df, 7) / df * rng.uniform(0.5, 3.0, 7)
    _, _, weights = moderated_systems(spreads, np.full(7, df), np.ones(7))
    logs = [log_likelihood(spreads, belonging(spreads, df), df, d0) for d0 in df * TIMES]
    expected = np.exp(np.array(logs) - max(logs))
    assert weights == pytest.approx(expected / expected.sum(), rel=1e-9)


def test_three_systems_are_moderated_pair_by_pair():
    """As far as they are independent, which is 0 where all units differ in one direction."""
    rng = np.random.default_rng(3)
    one = np.outer([1.0, -2.0, 1.5], rng.normal(size=4))
    between = one + rng.normal(size=(3, 4))
    apart_of, there = [], np.triu_indices(3, 1)
    for changes in (between, one):
        totals = totals_of(changes)
        mean = totals[there].mean()
        centred = changes - changes.mean(axis=0)
        unit = centred / np.sqrt(np.sum(centred**2, axis=1, keepdims=True))
        r = (unit @ unit.T)[there]
        apart = float(np.clip((1 - np.mean(r**2)) / (1 - 1 / 3) / (1 - 1 / 4), 0.0, 1.0))
        covariance = centred @ centred.T / 3.0
        squares = 9.0 / 2.0 / 5.0 * (np.trace(covariance @ covariance) - np.trace(covariance) ** 2 / 3.0)
        most = 3.0 * np.clip(np.trace(covariance) ** 2 / squares, 1.0, 2.0)
        apart_of.append(apart)
        variances, degrees, _ = moderated_pairs(totals, 3.0)
        for way, d0 in enumerate(3.0 * TIMES):
            pooled = (d0 * mean + 3.0 * totals[there]) / (d0 + 3.0)
            assert variances[way][there] == pytest.approx(apart * pooled + (1 - apart) * totals[there])
            assert degrees[way][there] == pytest.approx(3.0 + apart * (min(d0 + 3.0, most) - 3.0))
    assert 0.05 < apart_of[0] < 1.0
    assert apart_of[1] == pytest.approx(0.0, abs=1e-9)


def test_alike_systems_learn_from_each_other_and_an_odd_one_keeps_its_own():
    changes = np.random.default_rng(2).normal(size=(10, 5))
    changes -= changes.mean(axis=1, keepdims=True)
    changes *= 1.0 / np.sqrt(np.sum(changes**2, axis=1, keepdims=True))
    _, degrees, weights = moderated_pairs(totals_of(changes), 4.0)
    mean_df = float(np.sum(weights * degrees[:, 0, 1]))
    assert mean_df > 6 * 4.0
    odd = changes.copy()
    odd[3] *= 20.0
    variances, degrees, weights = moderated_pairs(totals_of(odd), 4.0)
    variances = np.sum(weights[:, None, None] * variances, axis=0)
    degrees = np.sum(weights[:, None, None] * degrees, axis=0)
    without = [place for place in range(10) if place != 3]
    assert variances[3, without].min() > 2.0 * variances[np.ix_(without, without)].max()
    assert degrees[3, without].max() < 4.0 * 4.0
    # its pairs keep what they had, and it lends none of it to those of the others
    assert variances[3, without] == pytest.approx(totals_of(odd)[3, without], rel=0.25)
    others = variances[np.ix_(without, without)][np.triu_indices(9, 1)]
    assert others.mean() == pytest.approx(totals_of(changes)[np.ix_(without, without)].sum() / 72, rel=0.2)


def test_moderated_systems_by_hand():
    totals = np.array([1.0, 2.0, 6.0])
    variances, df, weights = moderated_systems(totals, np.full(3, 2.0), np.full(3, 3.0))
    assert variances.shape == (6, 3)
    assert variances[0] == pytest.approx((2.0 * 3.0 + 2.0 * totals) / 4.0)
    assert variances[-1] == pytest.approx((128.0 * 3.0 + 2.0 * totals) / 130.0)
    assert df.tolist() == [[4.0] * 3] + [[6.0] * 3] * 5
    assert weights.sum() == pytest.approx(1.0)
    order = np.array([2, 0, 1])
    again = moderated_systems(totals[order], np.full(3, 2.0), np.full(3, 3.0))
    assert again[0] == pytest.approx(variances[:, order])
    assert again[2] == pytest.approx(weights)
    # one far off belongs by 30 · 4 · P(F₂,₆ > 1000), and next to nothing passes between it and the others
    far, alike = np.array([1.0, 1.0, 1000.0, 1.0]), np.arange(4) != 2
    variances, df, _ = moderated_systems(far, np.full(4, 2.0), np.full(4, 3.0))
    share = 30 * 4 * fisher.sf(1000.0, 2, 6)
    mean = (3.0 + share * 1000.0) / (3.0 + share)
    assert variances[1, alike] == pytest.approx((2.0 * mean + 1.0) / 3.0)
    assert variances[1, 2] == pytest.approx((2.0 * share * mean + 1000.0) / (2.0 * share + 1.0))
    assert df[1, alike] == pytest.approx(6.0)
    assert df[1, 2] == pytest.approx(4.0 * share + 2.0)


def test_systems_with_different_numbers_of_runs_share_the_variance_of_a_run():
    df, of_run = np.array([1.0, 9.0, 4.0]), np.array([0.5, 2.0, 1.5])
    variances, degrees, weights = moderated_systems(of_run / (df + 1.0), df, df + 1.0)
    mean = np.sum(df * of_run) / 14.0
    for way, d0 in enumerate(df.mean() * TIMES):
        assert variances[way] * (df + 1.0) == pytest.approx((d0 * mean + df * of_run) / (d0 + df))
        assert degrees[way] == pytest.approx(np.minimum(d0 + df, 14.0))
    likelihoods = []
    for d0 in df.mean() * TIMES:
        mean_log = digamma(df / 2) - np.log(df / 2) - digamma(d0 / 2) + np.log(d0 / 2)
        scale = np.exp(np.average(np.log(of_run) - mean_log, weights=df))
        likelihoods.append(np.sum(fisher.logpdf(of_run / scale, df, d0) - np.log(scale)))
    expected = np.exp(likelihoods - np.max(likelihoods))
    assert weights == pytest.approx(expected / expected.sum())


@pytest.mark.statistics
@pytest.mark.parametrize(("runs", "at_most"), [((2, 20, 20, 20), 0.06), ((10, 2, 2, 2), 0.06)])
def test_two_runs_of_a_system_stay_two_where_others_have_more(runs: tuple[int, ...], at_most: float):
    """400 boards of equal systems, whose runs vary alike: .17 and .12 of their pairs, once.

    The standard error of a level of .05 over three pairs of 400 boards is at most .011.
    """
    rng = np.random.default_rng(1)
    few = runs.index(min(runs))
    rejected = []
    for _ in range(400):
        ratings = [
            0.1 * rng.normal(size=(30, 1)) + 0.15 * rng.normal(size=n) + 0.15 * rng.normal(size=(30, n))
            for n in runs
        ]
        moderated = moderated_tests(own_run_tests(ratings), 4)
        rejected += [test.p_value() < 0.05 for pair, test in moderated.items() if few in pair]
    assert np.mean(rejected) < at_most


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("n_systems", [3, 5])
def test_the_order_of_systems_does_not_matter(n_systems: int, paired: bool):
    ratings = board(4, [0.2, 0.5, 0.3, 0.4, 1.0][:n_systems])
    order = np.random.default_rng(0).permutation(n_systems)
    one = moderated_tests(pair_tests(ratings, paired=paired), n_systems)
    other = moderated_tests(pair_tests(ratings[order], paired=paired), n_systems)
    for (a, b), test in other.items():
        first, second = int(order[a]), int(order[b])
        same = one[min(first, second), max(first, second)]
        assert test.p_value() == pytest.approx(same.p_value(), rel=1e-9)
        sides = ("greater", "less") if first < second else ("less", "greater")
        assert test.p_value("greater") == pytest.approx(same.p_value(sides[0]), rel=1e-9)
        assert test.effect == pytest.approx(same.effect if first < second else -same.effect)


def test_scale_does_not_matter():
    ratings = board(5, [0.2, 0.5, 0.3, 0.4])
    one, other = (moderated_tests(pair_tests(values), 4) for values in (ratings, 1000.0 * ratings - 7.0))
    for pair, test in one.items():
        assert other[pair].p_value() == pytest.approx(test.p_value(), rel=1e-7)


def test_two_systems_and_systems_without_variance_stay_as_they_are():
    tests = pair_tests(board(6, [0.2, 0.5]))
    assert moderated_tests(tests, 2) == tests
    ratings = board(6, [0.2, 0.5, 0.3])
    ratings[1] = ratings[0]
    tests = pair_tests(ratings)
    assert tests[0, 1].is_constant
    assert moderated_tests(tests, 3) == tests


def test_pairs_stay_as_they_are_where_one_is_missing():
    tests = pair_tests(board(6, [0.2, 0.5, 0.3, 0.4]))
    del tests[1, 2]
    assert moderated_tests(tests, 4) == tests


@pytest.mark.parametrize("paired", [True, False])
def test_a_baseline_of_which_units_differ_more_keeps_more_of_that(paired: bool):
    """The other systems, who differ less, would lend it their small variance, and it is in every pair."""
    tests = pair_tests(board(3, [0.3, 0.1, 0.1, 0.1, 0.1, 0.1]), paired=paired)
    own, free, held = (
        np.mean([np.sum(law.weights * law.variances[:, 1:].sum(axis=1)) for law in laws])
        for laws in (
            [of[0, other].law for other in range(1, 6)]
            for of in (tests, moderated_tests(tests, 6), moderated_tests(tests, 6, baseline=0))
        )
    )
    assert free < 0.75 * own
    assert 1.05 * free < held < own


def test_a_baseline_with_one_run_is_compared_with_systems_that_have_several():
    given = board(5, [0.2, 0.2, 0.3], raters=4)
    systems = {"a": given[0], "base": given[1][:, 0], "c": given[2]}
    compared = nbyk.compare(None, systems, against="base", pair_runs=False)
    assert [pair.a for pair in compared.pairs] == ["a", "c"]
    assert all(0.0 < pair.claims[0].p <= 1.0 for pair in compared.pairs)


@pytest.mark.parametrize("pair_runs", [True, False])
def test_a_comparison_with_a_baseline_learns_from_all_pairs(pair_runs: bool):
    """Whether people disagree in one direction shows in the pairs that are not asked for, too."""
    given = np.clip(0.5 + 0.1 * board(5, [0.5, 0.2, 0.3, 0.3], raters=4), 0.0, 1.0)
    systems = nbyk.read_systems({f"s{place}": ratings for place, ratings in enumerate(given)})
    compared = nbyk.compare(systems, against="s1", pair_runs=pair_runs)
    tests = moderated_tests(pair_tests(given, paired=pair_runs), 4, baseline=1)
    by_hand = {f"s{a + b - 1}": test for (a, b), test in tests.items() if 1 in (a, b)}
    for pair in compared.pairs:
        assert pair.claims[0].p == pytest.approx(by_hand[pair.a].p_value(), rel=1e-5)


@pytest.mark.parametrize("paired", [True, False])
def test_effects_and_items_are_those_of_the_pairs_alone(paired: bool):
    tests = pair_tests(board(7, [0.2, 0.5, 0.3, 0.4]), paired=paired)
    for pair, test in moderated_tests(tests, 4).items():
        alone = tests[pair]
        assert (test.effect, test.items, test.sources) == (alone.effect, alone.items, alone.sources)
        assert test.law.weights.sum() == pytest.approx(1.0)
        # each alternative has the items' part of the pair, and its own of the units
        assert np.all(test.law.variances[:, 0] == alone.law.variances[0, 0])
        assert len(test.law.variances) == (6 if paired else 7)
        assert test.p_value() != alone.p_value()


@pytest.mark.parametrize("metric", ["mae", "mse", "spearman"])
def test_raters_of_gold_who_differ_less_than_noise_leave_pairs_their_own_variance(metric: str):
    """Else severe raters, alike by chance, would make systems on both sides of the truth look independent."""
    bounds = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth, units = rng.uniform(0.3, 0.7, (60, 1)), np.tile(np.arange(3), (60, 1))
        gold = truth + 0.01 * rng.normal(size=3) + 0.15 * rng.normal(size=(60, 3))
        sides = (0.1, -0.1, 0.1, -0.1)
        systems = [truth + side + rng.uniform(-0.1, 0.1, (60, 1)) for side in sides]
        tests = {
            (a, b): shared_units_test(
                get(metric), responses(systems[a], systems[b], gold=gold, gold_units=units)
            )
            for a, b in itertools.combinations(range(4), 2)
        }
        sources = [test.sources["raters"] for test in tests.values()]
        seen = sum(part.total for part in sources) / sum(part.within for part in sources) - 0.5
        bound = 1.0 if metric == "spearman" else np.clip(seen, 0.0, 1.0)
        bounds.append(bound)
        free, moderated = moderated_tests(tests, 4), moderated_tests(tests, 4, get(metric))
        for pair, test in tests.items():
            expected = test.stretch**2 * test.sources["raters"].total * (1.0 - bound)
            expected = expected + bound * free[pair].law.variances[:, 1]
            assert moderated[pair].law.variances[:, 1] == pytest.approx(expected, rel=1e-9)
            df = np.mean([part.df for part in sources])
            expected = df + bound * (free[pair].law.df[:, 1] - df)
            assert moderated[pair].law.df[:, 1] == pytest.approx(expected, rel=1e-9)
    if metric != "spearman":
        assert min(bounds) == 0.0
        assert any(0.0 < bound < 1.0 for bound in bounds)


def test_runs_of_each_system_are_moderated_as_its_own():
    ratings = board(8, [0.1, 0.1, 0.6, 0.1], raters=4)
    tests = pair_tests(ratings, paired=False)
    parts = [tests[0, 1].sources["runs of A"], *(tests[0, b].sources["runs of B"] for b in (1, 2, 3))]
    totals, of_parts = (np.array([getattr(part, field) for part in parts]) for field in ("total", "df"))
    variances, df, weights = moderated_systems(totals, of_parts, np.full(4, 4.0))
    for (a, b), test in moderated_tests(tests, 4).items():
        assert test.law.variances[:-1, 1:] == pytest.approx(variances[:, [a, b]], rel=1e-6)
        assert test.law.df[:-1, 1:] == pytest.approx(df[:, [a, b]], rel=1e-6)
        assert test.law.weights[:-1] == pytest.approx(0.8 * weights, rel=1e-6)
        # two or three runs do not show that systems agree: one part in five is the pair by itself
        alone = tests[a, b].law
        assert test.law.variances[-1] == pytest.approx(alone.variances[0])
        assert test.law.df[-1] == pytest.approx(alone.df[0])
        assert test.law.weights[-1] == pytest.approx(0.2)


@pytest.mark.parametrize("n_systems", [4, 5, 8, 16])
def test_a_lone_spread_is_named(n_systems: int):
    spreads = [0.05] * n_systems
    assert lone_spread(pair_tests(board(9, spreads, raters=8)), n_systems) is None
    spreads[2] = 2.0
    tests = pair_tests(board(9, spreads, raters=8))
    system, ratio = lone_spread(tests, n_systems)
    # the others' spread with the noise of 30 ratings is √(.05² + .3²/30) = .074
    assert (system, ratio) == (2, pytest.approx(2.0 / 0.074, rel=0.6))
    del tests[0, 1]
    assert lone_spread(tests, n_systems) is None


@pytest.mark.parametrize("lone", range(5))
def test_a_lone_spread_of_own_runs_is_that_of_a_run_and_not_of_their_mean(lone: int):
    rng = np.random.default_rng(lone)
    runs, spreads = [3 if system == lone else 30 for system in range(5)], [0.1] * 5

    def tests():
        sizes = zip(spreads, runs, strict=True)
        return own_run_tests(
            [spread * rng.normal(size=n) + 0.01 * rng.normal(size=(20, n)) for spread, n in sizes]
        )

    # three runs and thirty: the variances of their means differ tenfold, those of a run do not
    assert lone_spread(tests(), 5) is None
    spreads[lone] = 4.0
    system, ratio = lone_spread(tests(), 5)
    assert system == lone
    assert 10.0 < ratio < 80.0


def test_three_systems_cannot_tell_which_is_alone():
    assert lone_spread(pair_tests(board(9, [0.05, 0.05, 2.0])), 3) is None


def test_half_the_systems_are_not_alone():
    """Eight people and sixteen systems, half of them at .02 and half at .1: 300 sets, at most 1 %."""
    drawn = sets_of(Board(16, 8, (0.02,) * 8 + (0.1,) * 8), 300, np.random.default_rng(4))
    named = [lone_spread(pairs_of_set(drawn, number), 16) is not None for number in range(len(drawn.effects))]
    assert np.mean(named) <= 0.01


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("spreads", "opposed"), [([0.05] * 8, 0.0), ([0.02] * 4 + [0.1] * 4, 0.0), ([0.05] * 8, 0.1)]
)
def test_familywise_error_of_eight_equal_systems_of_three_raters(spreads: list[float], opposed: float):
    """The issue's leaderboard, where Satterthwaite's test of each pair finds a difference in .3: 500 sets.

    In the last, raters like four systems as much more as they like the others less.
    """
    given = sets_of(Board(8, 3, tuple(spreads), opposed), 500, np.random.default_rng(39))
    smallest = {name: p_values(given, name).min(axis=1) for name in ("satterthwaite", "pairs", "moderated")}
    rates = {name: float(np.mean(p <= 0.05 / 28)) for name, p in smallest.items()}
    assert rates["satterthwaite"] > 0.2
    assert rates["moderated"] <= 0.07 + 3.0 * np.sqrt(0.07 * 0.93 / 500)


@pytest.mark.statistics
@pytest.mark.parametrize(("spreads", "opposed"), [([0.1] + [0.03] * 7, 0.0), ([0.02] * 8, 0.05)])
def test_familywise_error_of_eight_equal_systems_against_the_first(spreads: list[float], opposed: float):
    """Three raters, who differ most about the baseline, or who disagree in one direction: 1,000 sets.

    The mean variance of these seven pairs alone, each taken for new, tells some apart in .08 of sets.
    """
    given = sets_of(Board(8, 3, tuple(spreads), opposed), 1_000, np.random.default_rng(40))
    smallest = p_values(given, "moderated", 0.05 / 7, baseline=0).min(axis=1)
    assert np.mean(smallest <= 0.05 / 7) <= 0.06 + 2.0 * np.sqrt(0.06 * 0.94 / 1_000)


def test_the_study_of_leaderboards_draws_what_ratings_give():
    """Its effects and variances have the means and spreads that the package finds in drawn ratings."""
    board_of, sets = Board(3, 4, (0.0, 0.05, 0.2)), 400
    drawn = sets_of(board_of, sets, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    units = np.tile(np.arange(4), (100, 1))
    rows = []
    for _ in range(sets):
        of_people = np.array(board_of.spreads)[:, None, None] * rng.normal(size=(3, 1, 4))
        ratings = 0.1 * rng.normal(size=(3, 100, 1)) + of_people + 0.15 * rng.normal(size=(3, 100, 4))
        ratings += rng.normal(size=(1, 100, 1)) + rng.normal(size=(1, 1, 4))  # what all systems share
        data = responses(ratings[0], ratings[2], a_units=units, b_units=units, paired=True)
        test = shared_units_test(get("mean"), data)
        part = test.sources["runs"]
        rows.append((test.effect**2, test.items.total, part.within, part.total))
    found = np.array(rows)
    pair = board_of.pairs.index((0, 2))
    study = np.stack([drawn.effects**2, drawn.items, drawn.within, drawn.totals])[:, :, pair].T
    errors = np.sqrt((found.var(axis=0) + study.var(axis=0)) / sets)
    assert np.all(np.abs(found.mean(axis=0) - study.mean(axis=0)) < 4.0 * errors)
    assert study.std(axis=0) == pytest.approx(found.std(axis=0), rel=0.3)


@pytest.mark.parametrize("name", ["pairs", "moderated"])
def test_the_study_of_leaderboards_takes_the_packages_p(name: str):
    """A set of five systems whose variances are those of ratings, with p by both roads."""
    ratings = board(10, [0.2, 0.5, 0.3, 0.2, 0.4], raters=6, n=100)
    ratings += np.array([0.0, 0.3, 0.7, 1.2, 0.0])[:, None, None]
    tests = pair_tests(ratings)
    if name == "moderated":
        tests = moderated_tests(tests, 5)
    centred = ratings.mean(axis=1) - ratings.mean(axis=(1, 2))[:, None]
    drawn = sets_of(Board(5, 6, (0.0,) * 5), 1, np.random.default_rng(0))
    parts = [test.sources["runs"] for test in tests.values()]
    drawn = replace(
        drawn,
        effects=np.array([[test.effect for test in tests.values()]]),
        items=np.array([[test.items.total for test in tests.values()]]),
        within=np.array([[part.within for part in parts]]),
        changes=np.array([[(centred[b] - centred[a]) / np.sqrt(30.0) for a, b in tests]]),
    )
    p = p_values(drawn, name)[0]
    # the study takes the degrees of freedom as R − 1, and items as normal
    laws = [replace(test.law, third=test.law.third * [0.0, 1.0]) for test in tests.values()]
    expected = np.array([replace(t, law=law).p_value() for t, law in zip(tests.values(), laws, strict=True)])
    assert np.sum(expected <= 0.05) >= 3
    np.testing.assert_allclose(p[p < 1.0], expected[p < 1.0], rtol=0.02)
    assert np.all(expected[p == 1.0] > 0.05)


def test_the_study_has_leaderboards_of_all_sizes_and_spreads():
    names = [(board_of.systems, board_of.raters, name) for name, board_of in layouts()]
    assert len(set(names)) == len(names) == 3 * 3 * 8
    assert all(len(board_of.spreads) == board_of.systems for _, board_of in layouts())
