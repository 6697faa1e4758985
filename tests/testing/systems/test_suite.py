"""Suites of tasks: the weighted mean, its standard errors, and the table by task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import minimize
from statsmodels.stats.multitest import multipletests

import nbyk
from nbyk.data.responses import as_systems
from nbyk.data.scales import as_scale
from nbyk.errors import NbykError
from nbyk.testing.decision import Decision
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.scored import ScoredSystems
from nbyk.testing.systems.suite import Suite, _hidden, board_of_suite, task_table

ASKED = Asked(Decision("two-sided", 0.05, 999, 999))
SIZES = (5, 40, 120, 11)
TASKS = np.repeat(["history", "law", "maths", "art"], SIZES)
RUNS = ["run 1", "run 2", "run 3"]


def systems(seed: int = 0, gap: float = 0.1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    rates = np.repeat(rng.uniform(0.3, 0.7, 4), SIZES)
    return {name: (rng.random(len(TASKS)) < rates + by) * 1.0 for name, by in [("a", gap), ("b", 0.0)]}


def scored(of: dict[str, np.ndarray]) -> ScoredSystems:
    return ScoredSystems.of(as_systems(None, of), "mean")


def test_a_macro_mean_has_the_standard_error_of_lm_eval() -> None:
    """lm-evaluation-harness 3882: √Σ se²_t / T, with se_t = s_t / √n_t of each task."""
    of = systems()
    suite = Suite.of(TASKS, "macro")
    test = suite.over_items(of["a"])
    by_task = [of["a"][name == TASKS] for name in suite.names]
    errors = [values.std(ddof=1) / np.sqrt(values.size) for values in by_task]
    assert_allclose(test.effect, np.mean([values.mean() for values in by_task]))
    assert_allclose(np.sqrt(test.variance), np.sqrt(np.sum(np.square(errors))) / 4)


def test_a_micro_mean_is_the_mean_with_variance_within_tasks() -> None:
    values = systems()["a"]
    suite = Suite.of(TASKS, "micro")
    test = suite.over_items(values)
    assert_allclose(test.effect, values.mean())
    within = sum(values[name == TASKS].var(ddof=1) * np.sum(name == TASKS) for name in suite.names)
    assert_allclose(test.variance, within / values.size**2)


def test_two_tasks_have_welchs_test() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.3, 1.0, 12), rng.normal(0.2, 3.0, 30)
    test = Suite.of(np.repeat(["x", "y"], [12, 30])).over_items(np.concatenate([x, y]))
    oracle = stats.ttest_ind(x, -y, equal_var=False)
    assert_allclose(test.p_value(), oracle.pvalue, rtol=1e-9)
    assert_allclose(test.df, oracle.df)


def test_new_tasks_have_students_t_of_the_tasks_means() -> None:
    rng = np.random.default_rng(2)
    tasks = np.repeat([f"t{i}" for i in range(30)], 4)
    values = rng.normal(0.2, 1.0, 120) + np.repeat(rng.uniform(-1.0, 1.0, 30), 4)
    test = Suite.of(tasks).over_tasks(values)
    means = values.reshape(30, 4).mean(axis=1)
    assert_allclose(test.variance, means.var(ddof=1) / 30)
    assert_allclose(test.df, 29)
    assert_allclose(test.p_value(), stats.ttest_1samp(means, 0.0).pvalue, rtol=0.1)  # but for the skewness


def test_the_variance_over_new_tasks_is_right_for_any_weights() -> None:
    """Its mean over equal tasks is σ² Σ w²: the trace of a square form, of which each task gives a part."""
    names = [f"t{i}" for i in range(6)]
    suite = Suite.of(np.repeat(names, 2), dict(zip(names, [12.0, 5.0, 1.0, 1.0, 1.0, 0.0], strict=True)))
    trace = sum(suite.over_tasks(np.repeat(unit, 2)).variance for unit in np.eye(6))
    assert_allclose(trace, np.sum(suite.weights**2))


@pytest.mark.statistics
@pytest.mark.parametrize("first", [4.0, 36.0])
def test_level_over_new_tasks_of_which_one_counts_most(first: float) -> None:
    """Five tasks, the first half or nine tenths of the suite; 4000 sets: a level of .05 is ± .0035."""
    rng, names = np.random.default_rng(4), [f"t{i}" for i in range(5)]
    suite = Suite.of(np.repeat(names, 2), dict(zip(names, [first, 1.0, 1.0, 1.0, 1.0], strict=True)))
    sets = rng.normal(size=(4000, 5))
    rejected = np.mean([suite.over_tasks(np.repeat(of, 2)).p_value() <= 0.05 for of in sets])
    assert 0.02 <= rejected <= 0.08


def test_declared_weights_are_those_of_the_score() -> None:
    of = systems()
    suite = Suite.of(TASKS, {"art": 3.0, "law": 1.0, "maths": 0.0, "history": 0.0})
    board = board_of_suite(scored(of), suite, ASKED)
    expected = {
        name: 0.75 * v[TASKS == "art"].mean() + 0.25 * v[TASKS == "law"].mean() for name, v in of.items()
    }
    for standing in board.standings:
        assert_allclose(standing.score, expected[standing.name])
    assert_allclose(board.effect, expected["a"] - expected["b"])
    assert board.population == "new items, with these 4 tasks and this run of each system"


def test_all_numbers_are_in_the_unit_of_the_ratings(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rated = {name: rng.integers(1, 6, len(TASKS)).astype(float) for name in ("a", "b")}
    for name, values in rated.items():
        rows = [f"q{i},{value:g}" for i, value in enumerate(values)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,value", *rows]))
    given = nbyk.read_systems([tmp_path / "a.csv", tmp_path / "b.csv"], scale="1..5")
    suite = Suite.of(TASKS, "macro")
    mean = {name: np.mean([of[task == TASKS].mean() for task in suite.names]) for name, of in rated.items()}
    board = nbyk.compare(given, suite=suite)
    assert {standing.name: standing.score for standing in board.standings} == pytest.approx(mean)
    assert board.effect == pytest.approx(mean["a"] - mean["b"])
    assert "mean on 1..5" in repr(board)
    errors = [
        (rated["a"] - rated["b"])[task == TASKS].std(ddof=1) / np.sqrt(np.sum(task == TASKS))
        for task in suite.names
    ]
    low, high = board.interval
    assert high - low > 2 * 1.96 * np.sqrt(np.sum(np.square(errors))) / 4
    table = task_table(ScoredSystems.of(given, "mean"), suite, board).set_index("task")
    for task in suite.names:
        assert table.loc[task, "a"] == pytest.approx(rated["a"][task == TASKS].mean())
        assert table.loc[task, "effect"] == pytest.approx((rated["a"] - rated["b"])[task == TASKS].mean())
    held = nbyk.compare(given, suite=suite, against=1.5).pairs[0]
    assert held.effect == pytest.approx(mean["a"] - 1.5)
    assert held.verdict.startswith("better")
    with pytest.raises(NbykError, match=r"found 0.5, expected a score of mean from 1 to 5"):
        nbyk.compare(given, suite=suite, against=0.5)


@pytest.mark.parametrize(
    ("weights", "noun"), [("macro", "macro mean"), ("micro", "mean"), ({"art": 2.0}, "weighted mean")]
)
def test_the_score_and_the_runs_that_stay_as_they_are_are_named(
    weights: str | dict[str, float], noun: str
) -> None:
    runs = {name: pd.DataFrame(np.stack([of] * 3, axis=1), columns=RUNS) for name, of in systems().items()}
    weights = weights if isinstance(weights, str) else {name: weights.get(name, 1.0) for name in TASKS}
    board = nbyk.compare(None, runs, suite=Suite.of(TASKS, weights), generalise=("items", "tasks"))
    assert board.pair.question.noun == noun
    new, these = board.pair.claims
    assert new.population == "new items and tasks, with these 3 runs of each system"
    assert these.population == "new items, with these 4 tasks and these 3 runs of each system"
    assert any("items share 3 runs of each of a and b" in said for said in board.warnings)


def test_the_table_by_task_is_corrected_for_the_tasks() -> None:
    of = systems()
    suite = Suite.of(TASKS)
    board = board_of_suite(scored(of), suite, ASKED)
    table = task_table(scored(of), suite, board).set_index("task")
    for name in suite.names:
        here = name == TASKS
        more, fewer = (int(np.sum(sign * (of["a"] - of["b"])[here] > 0)) for sign in (1, -1))
        assert_allclose(
            table.loc[name, "p"], stats.binomtest(more, more + fewer).pvalue if more + fewer else 1.0
        )
    assert_allclose(table["corrected p"], multipletests(table["p"], method="holm")[1])


def test_one_system_may_be_held_to_a_bar() -> None:
    of = {"a": systems()["a"]}
    suite = Suite.of(TASKS)
    board = board_of_suite(scored(of), suite, ASKED, bar=0.3)
    assert all(pair.scores[1] == 0.3 for pair in board.pairs)
    test = suite.over_items(of["a"])
    assert_allclose(board.p, test.p_value(null=0.3))
    assert_allclose(board.standings[0].interval, test.interval(), rtol=1e-9)
    assert "scores" in board_of_suite(scored(of), suite, ASKED).sentence


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ({"art": 1.0}, "found no weight for task 'history'; give each task a weight"),
        (dict.fromkeys(("art", "law", "maths", "history", "physics"), 1.0), "found no task 'physics'"),
        (dict.fromkeys(("art", "law", "maths", "history"), -1.0), "found a weight below 0"),
        ("median", "found 'median', expected macro, micro or task=weight"),
    ],
)
def test_weights_that_do_not_fit_are_one_line(weights: str | dict[str, float], error: str) -> None:
    with pytest.raises(NbykError, match=error):
        Suite.of(TASKS, weights)


def test_a_task_with_one_item_is_one_line_unless_tasks_are_new() -> None:
    of, tasks = systems(), np.where(np.arange(len(TASKS)) == 0, "lonely", TASKS)
    with pytest.raises(NbykError, match="task 'lonely' has one item"):
        board_of_suite(scored(of), Suite.of(tasks), ASKED)
    of_tasks = replace(ASKED, generalise=("items", "tasks"))
    assert board_of_suite(scored(of), Suite.of(tasks), of_tasks).claims[0].over == ("items", "tasks")


@pytest.mark.statistics
@pytest.mark.parametrize("weights", ["macro", "micro"])
@pytest.mark.parametrize("new_tasks", [False, True])
def test_levels_of_equal_systems_on_a_suite(weights: str, new_tasks: bool) -> None:
    """4000 sets: a level of .05 has a standard error of .0035. 12 tasks of 4 to 60 items, zeros and ones."""
    rng = np.random.default_rng(3)
    sizes = rng.integers(4, 61, 12)
    suite = Suite.of(np.repeat([f"t{i:02d}" for i in range(12)], sizes), weights)
    n_sets, rejected = 4000, 0
    for _ in range(n_sets):
        rates = np.repeat(rng.uniform(0.2, 0.8, 12), sizes)
        own = np.repeat(rng.normal(0.0, 0.1 * new_tasks, 12), sizes)
        a, b = ((rng.random(rates.size) < rates + by) * 1.0 for by in (own, 0.0))
        test = (suite.over_tasks if new_tasks else suite.over_items)(a - b)
        rejected += test.p_value() <= 0.05
    assert 0.02 <= rejected / n_sets <= 0.06


def on_levels(seed: int, raters: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.integers(1, 6, (len(TASKS), raters)).astype(float) for name in "abc"}


@pytest.mark.parametrize("metric", ["mean", "mean_cost"])
def test_a_suite_of_ratings_on_a_scale_has_their_unit(metric: str) -> None:
    of, suite = on_levels(1), Suite.of(TASKS)
    two = {name: of[name] for name in "ab"}
    board = nbyk.compare(None, two, metric=metric, scale="1..5", suite=suite)
    sign = -1.0 if metric == "mean_cost" else 1.0
    test = suite.over_items(sign * (of["a"] - of["b"])[:, 0])
    assert_allclose([board.effect, board.p, *board.interval], [test.effect, test.p_value(), *test.interval()])
    for standing in board.standings:
        alone = suite.over_items(of[standing.name][:, 0])
        assert_allclose([standing.score, *standing.interval], [alone.effect, *alone.interval()])
        held = nbyk.compare(
            None, {"x": of[standing.name]}, metric=metric, scale="1..5", suite=suite, against=3.1
        )
        assert_allclose(held.p, alone.p_value(null=3.1))
        assert held.effect == pytest.approx(sign * (alone.effect - 3.1))
        (score,) = nbyk.compare(
            None, {"x": of[standing.name]}, metric=metric, scale="1..5", suite=suite
        ).standings
        assert_allclose([score.score, *score.interval], [standing.score, *standing.interval])


def test_the_table_by_task_of_ratings_on_a_scale_has_their_unit() -> None:
    of, suite = on_levels(2), Suite.of(TASKS)
    read = as_systems(None, {name: of[name] for name in "ab"}, scale=as_scale("1..5"))
    by_items = ScoredSystems.of(read, "mean")
    table = task_table(by_items, suite, board_of_suite(by_items, suite, ASKED)).set_index("task")
    for name in suite.names:
        a, b = (of[system][name == TASKS, 0] for system in "ab")
        oracle = stats.ttest_rel(a, b)
        row = table.loc[name]
        assert_allclose([row["a"], row["b"], row["effect"]], [a.mean(), b.mean(), a.mean() - b.mean()])
        ends = oracle.confidence_interval(1.0 - 0.05 / len(suite.names))  # p is corrected for the tasks
        assert_allclose([row["p"], row["low"], row["high"]], [oracle.pvalue, *ends])


def test_a_suite_names_the_raters_that_stay_as_they_are() -> None:
    of, tasks = on_levels(3, raters=3), {"suite": Suite.of(TASKS), "scale": "1..5"}
    ids = [[f"p{rater}" for rater in range(3)]] * len(TASKS)
    rows = [
        {"item": f"i{item:03d}", "rater": rater, "system": name, "value": value}
        for name in "abc"
        for item, (people, values) in enumerate(zip(ids, of[name], strict=True))
        for rater, value in zip(people, values, strict=True)
    ]
    read = nbyk.read_systems(pd.DataFrame(rows), scale="1..5")
    board = nbyk.compare(read, suite=tasks["suite"])
    assert board.population == "new items, with these 4 tasks and these 3 raters"
    assert any("items share 3 raters" in warning for warning in board.warnings)
    board = nbyk.compare(read, suite=tasks["suite"], generalise="items,tasks")
    assert {pair.population for pair in board.pairs} == {"new items and tasks, with these 3 raters"}
    for factor in ("raters", "runs", "nonsense"):
        with pytest.raises(NbykError, match=f"found {factor} beside a suite, whose raters and runs stay"):
            nbyk.compare(read, suite=tasks["suite"], generalise=f"items,{factor}")


def test_what_a_suite_does_not_take_is_one_line() -> None:
    of = systems()
    clusters = [str(item % 7) for item in range(len(TASKS))]
    for option, line in (
        ({"null": "permutation"}, "null: a suite, one system, or a score"),
        ({"interval": "bca"}, "interval: a suite, one system, or a score"),
        ({"cluster": clusters}, "cluster: a suite has tasks in place of clusters"),
        (
            {"suite": Suite.of(TASKS[1:])},
            r"found the shape \(175,\), expected one cluster for each of 176 items",
        ),
        ({"against": 1.5}, "against: found 1.5, expected a score of mean from 0 to 1"),
    ):
        with pytest.raises(NbykError, match=line):
            nbyk.compare(None, of, **{"metric": "mean", "suite": Suite.of(TASKS), **option})


def test_new_tasks_need_three_that_have_a_weight() -> None:
    weights = {"art": 1.0, "law": 1.0, "maths": 0.0, "history": 0.0}
    board = board_of_suite(scored(systems()), Suite.of(TASKS, weights), replace(ASKED, generalise=["tasks"]))
    assert "2 tasks are too few" in board.claims[0].reason
    assert board.claims[1].is_conclusive
    weights |= {"law": 0.0}
    board = board_of_suite(scored(systems()), Suite.of(TASKS, weights), replace(ASKED, generalise=["tasks"]))
    assert "1 task is too few" in board.claims[0].reason


@pytest.mark.parametrize("sizes", [[5], [3, 40], [2, 2, 2], [1, 7, 30, 200]])
def test_what_tasks_hide_is_the_largest_share_that_none_of_their_items_shows(sizes: list[int]) -> None:
    """Against a search: the largest Σ w q where the chance Π (1 − q)ⁿ of showing none is .025."""
    n, weights = np.array(sizes, float), np.full(len(sizes), 1.0 / (1 + len(sizes)))

    def mean(x: np.ndarray) -> float:
        return -float(np.sum(weights * (1.0 - np.exp(-x))))

    bound = {"type": "eq", "fun": lambda x: float(np.sum(n * x) + np.log(0.025))}
    start = np.full(len(n), -np.log(0.025) / n.sum())
    found = minimize(mean, start, bounds=[(0.0, None)] * len(n), constraints=[bound], tol=1e-12)
    assert_allclose(_hidden(weights, n), -found.fun, rtol=1e-6)
    assert_allclose(_hidden(np.ones(1), n[:1]), 1.0 - 0.025 ** (1.0 / n[0]))  # Clopper and Pearson's


def test_small_tasks_at_the_ceiling_do_not_show_that_they_are() -> None:
    """Five items of a task that count half, right with a chance of .9: .59 of samples show no error."""
    rng, sets, missed = np.random.default_rng(19), 400, 0
    suite = Suite.of(["a"] * 5 + ["b"] * 300)
    for _ in range(sets):
        right = (rng.random(305) < 0.9) * 1.0
        low, high = board_of_suite(scored({"x": right}), suite, ASKED).standings[0].interval
        missed += not low <= 0.9 <= high
    assert missed / sets < 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5


def test_a_suite_with_few_items_that_differ_has_a_reserve() -> None:
    """Two wrong of a hundred: by the binomial law, P(2 or fewer) = .12 at a share of .95."""
    right = np.ones(100)
    right[[3, 57]] = 0.0
    suite = Suite.of(np.repeat([f"t{task}" for task in range(10)], 10))
    assert board_of_suite(scored({"a": right}), suite, ASKED, bar=0.95).p > 0.12
    board = board_of_suite(scored({"a": right}), suite, ASKED, bar=0.92)
    assert board.p < 0.05
    assert board.verdict == "better, with reserve"
    assert "the effect rests on about 2.5 of the items" in board.warnings[0]
    assert board_of_suite(scored({"a": right}), suite, ASKED).pair.reserve == ""
    right[:90:10] = 0.0
    assert board_of_suite(scored({"a": right}), suite, ASKED, bar=0.6).verdict == "better"


@pytest.mark.parametrize("generalise", [None, "items,tasks"])
def test_a_suite_of_which_nothing_varies_keeps_its_score_and_claims_no_interval(
    generalise: str | None,
) -> None:
    of, suite = {"a": np.ones(len(TASKS)), "b": np.ones(len(TASKS))}, Suite.of(TASKS)
    alone = nbyk.compare(None, {"a": of["a"]}, metric="mean", suite=suite, generalise=generalise)
    assert "a scores 1 " in repr(alone)
    assert "No interval for new items" in repr(alone)
    held = nbyk.compare(None, {"a": of["a"]}, metric="mean", suite=suite, generalise=generalise, against=0.75)
    assert held.effect == 0.25
    assert "0.25 higher macro mean" in repr(held)
    pair = nbyk.compare(None, of, metric="mean", suite=suite, generalise=generalise).pair
    assert pair.claims[0].reason.startswith("nothing shows how the effect varies")
    assert np.isnan(pair.interval).all()


def test_tasks_follow_their_items_as_clusters_do() -> None:
    of, rng = systems(), np.random.default_rng(5)
    ids, order = [f"q{item}" for item in range(len(TASKS))], rng.permutation(len(TASKS))
    series = {name: pd.Series(values, ids) for name, values in of.items()}
    expected = nbyk.compare(None, of, metric="mean", suite=Suite.of(TASKS))
    shuffled = {"a": series["a"].iloc[order], "b": series["b"]}
    for tasks in (TASKS[order], pd.Series(TASKS, ids)):
        board = nbyk.compare(None, shuffled, metric="mean", suite=Suite.of(tasks))
        assert_allclose([board.effect, board.p], [expected.effect, expected.p])
    frame = pd.concat(
        pd.DataFrame({"item": ids, "system": name, "value": values, "task": TASKS}).iloc[order]
        for name, values in of.items()
    )
    read = nbyk.read_systems(frame, cluster="task")
    board = nbyk.compare(read, metric="mean", suite=Suite.of(read.clusters))
    assert_allclose([board.effect, board.p], [expected.effect, expected.p])
    with pytest.raises(NbykError, match="found clusters that are not the tasks"):
        nbyk.compare(read, metric="mean", suite=Suite.of(TASKS[order]))
    with pytest.raises(NbykError, match=r"suite: found a frame beside a suite; read it with the column"):
        nbyk.compare(frame, suite=Suite.of(TASKS))


@pytest.mark.parametrize("n", [20, 60, 300])
def test_a_suite_of_one_task_that_counts_is_that_task_with_the_reserve_of_items_not_seen(n: int) -> None:
    rng = np.random.default_rng(n)
    reserved = 0
    for effect in (0.015, 0.03, 0.1):
        scores = np.append(rng.normal(0.5 + effect, 0.4 * effect, n), 0.5)
        suite = Suite.of(["x"] * n + ["y"], {"x": 1.0, "y": 0.0})
        asked: dict[str, Any] = {"metric": "mean", "kind": "numbers", "against": 0.5}
        of_suite = nbyk.compare(None, {"a": scores}, suite=suite, **asked).pair
        alone = nbyk.compare(None, {"a": scores[:n]}, **asked).pair
        assert of_suite.claims[0].p == pytest.approx(alone.claims[0].p, rel=1e-9)
        assert of_suite.verdict == alone.verdict
        reserved += bool(of_suite.reserve)
    assert reserved == {20: 3, 60: 2, 300: 0}[n]
