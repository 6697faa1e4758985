"""A metric added as a user adds one, in a file of its own, prints what its built-in twin prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nbyk.metrics import own
from tests.cli.conftest import Run

FILE = """
import numpy as np
from nbyk.metrics import register


@register(direction="higher", score_range=(0, 1), form="nbyk.testing.engine.tables:threshold_table")
def own_accuracy(system, gold, threshold=0.5):
    "As accuracy."
    return np.mean((system >= threshold) == (gold >= threshold))


@register(direction="higher", score_range=(0, 1))
def slow_accuracy(system, gold, threshold=0.5):
    "The same, without a fast form."
    return np.mean((system >= threshold) == (gold >= threshold))


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
    assert "1.5" in options or "positive where its mean" in " ".join(output.split())


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
