"""Suites of tasks: the weighted mean, its standard errors, and the table by task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.multitest import multipletests

import nbyk
from nbyk.data.responses import as_systems
from nbyk.errors import NbykError
from nbyk.testing.decision import Decision
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.scored import ScoredSystems
from nbyk.testing.systems.suite import Suite, board_of_suite, task_table

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
    assert held.verdict == "better"
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
    assert board_of_suite(scored(of), Suite.of(tasks), ASKED, new_tasks=True).claims[0].over == (
        "items",
        "tasks",
    )


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
