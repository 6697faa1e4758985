"""A metric added as a user adds one, in a file of its own, prints what its built-in twin prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nbyk.metrics import own
from tests.cli.conftest import Run

FILE = """
import numpy as np
from nbyk.metrics import register


@register(direction="higher", form="nbyk.testing.engine.tables:threshold_table")
def own_accuracy(system, gold, threshold=0.5):
    "As accuracy."
    return np.mean((system >= threshold) == (gold >= threshold))


@register(direction="higher")
def slow_accuracy(system, gold, threshold=0.5):
    "The same, without a fast form."
    return np.mean((system >= threshold) == (gold >= threshold))


@register(direction="lower")
def own_mae(system, gold):
    return np.mean(np.abs(system - gold))


@register(direction="lower")
def own_mse(system, gold):
    return np.mean((system - gold) ** 2)


@register(direction="higher", kind="comparison")
def own_wins_mae(a, b, gold):
    return np.mean(np.sign(np.round(np.abs(b - gold) - np.abs(a - gold), 9)))


@register(direction="higher", needs_gold=False)
def own_mean(system):
    return np.mean(system)


@register(direction="lower", needs_gold=False)
def own_mean_cost(system):
    return np.mean(system)


@register(direction="lower", needs="responses")
def own_mean_of_emds(system, gold):
    distances = []
    for one, other in zip(system, gold):
        one, other = one[~np.isnan(one)], other[~np.isnan(other)]
        levels = np.unique(np.concatenate([one, other]))
        above = [(one[:, None] <= levels).mean(0), (other[:, None] <= levels).mean(0)]
        distances.append(np.sum(np.abs(above[0] - above[1])[:-1] * np.diff(levels)))
    return np.mean(distances)


@register(direction="lower")
def own_max_error(system, gold):
    "As max_error."
    return np.abs(system - gold).max()
"""


@pytest.fixture(autouse=True)
def own_metrics(nbyk: Run) -> Iterator[None]:
    rng = np.random.default_rng(41)
    truth = rng.normal(3.0, 1.0, 60)
    for name, spread in (("gold", 0.8), ("a", 0.9), ("b", 1.4)):
        ratings = np.clip(np.round(truth[:, None] + rng.normal(0.0, spread, (60, 3))), 1, 5)
        rows = [f"{i},{name}{j},{ratings[i, j]:g}" for i in range(60) for j in range(3)]
        Path(f"{name}.csv").write_text("\n".join(["item,rater,rating", *rows]) + "\n")
    Path("own.py").write_text(FILE)
    before = tuple(own.ROWS)
    yield
    own.ROWS[:] = before


def printed(output: str, own: str, builtin: str) -> list[str]:
    """Return the words printed, without rules, whose length follows that of the names."""
    return output.replace(own, builtin).replace("─", "").split()


@pytest.mark.parametrize(
    ("own", "options"),
    [
        ("own_accuracy", ""),
        ("slow_accuracy", ""),
        ("own_accuracy", "--margin 0.1 --null shifted"),
        ("own_accuracy", "--margin 1.5"),
    ],
)
def test_compare_prints_the_same(own: str, options: str, nbyk: Run) -> None:
    line = f"compare a.csv b.csv --details --gold gold.csv --scale 1..5 --max-draws 499 {options}"
    line += " --metric-file own.py"
    code, output, errors = nbyk(f"{line} --metric {own}")
    expected_code, expected, expected_errors = nbyk(f"{line} --metric accuracy")
    assert code == expected_code == (2 if "1.5" in options else 0), errors
    assert printed(output + errors, own, "accuracy") == printed(expected + expected_errors, own, "accuracy")
    assert "1.5" in options or "an item positive if its mean" in " ".join(output.split())


@pytest.mark.parametrize(
    ("metric", "code"),
    [
        ("mae", 4),
        ("mse", 4),
        ("mean", 4),
        ("mean_cost", 4),
        ("mean_of_emds", 4),
        ("wins_mae", 0),
        ("accuracy", 3),
    ],
)
def test_a_copy_of_a_metric_that_is_a_mean_over_items_has_its_reserve_and_its_gate(
    metric: str, code: int, nbyk: Run
) -> None:
    # so small a difference that a kind of item not seen could turn it round
    rng = np.random.default_rng(4)
    gold = rng.uniform(0.3, 0.7, 60)
    better = -0.01 if metric == "mean_cost" else 0.01
    for name, off in (("gold", 0.0), ("a", -0.02 + better), ("b", -0.02)):
        ratings = gold[:, None] + off + rng.normal(0.0, 0.004, (60, 2))
        rows = [f"{i},{j},{ratings[i, j]:.6f}" for i in range(60) for j in range(2)]
        Path(f"{name}.csv").write_text("\n".join(["item,run,value", *rows]) + "\n")
    given = "" if metric.startswith("mean") and metric != "mean_of_emds" else "--gold gold.csv"
    line = f"compare a.csv b.csv {given} --generalise items --gate --resamples 499 --metric-file own.py"
    answers = []
    for name in (metric, f"own_{metric}"):
        exit_code, output, errors = nbyk(f"{line} --format json --metric {name}")
        assert exit_code == code, errors
        (pair,) = json.loads(output)["boards"][0]["pairs"]
        answers.append([pair["claims"][0][of] for of in ("verdict", "reserve", "p", "interval")])
    expected, found = answers
    assert found[:2] == expected[:2]
    assert found[2] == expected[2]
    assert found[3] == pytest.approx(expected[3], abs=1e-12)
    assert bool(found[1]) is (code == 4)


def test_plan_prints_the_same(nbyk: Run) -> None:
    line = (
        "plan --pilot gold.csv --scale 1..5 --items 20 --responses 2 --epsilon 0.4 --precision 0.1"
        " --resamples 39 --metric-file own.py"
    )
    code, output, errors = nbyk(f"{line} --metric own_accuracy")
    assert code == 0, errors
    expected = nbyk(f"{line} --metric accuracy")[1]
    assert printed(output, "own_accuracy", "accuracy") == printed(expected, "own_accuracy", "accuracy")


def test_a_maximum_of_ones_own_is_seen_to_follow_single_items(nbyk: Run) -> None:
    line = "compare a.csv b.csv --details --gold gold.csv --scale 1..5 --max-draws 199 --metric-file own.py"
    output = " ".join(nbyk(f"{line} --metric own_max_error")[1].split())
    assert "own_max_error depends on single items" in output
    assert "depends on single items" not in nbyk(f"{line} --metric own_accuracy")[1]
