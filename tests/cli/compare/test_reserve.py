"""A claim that holds only with reserve says so wherever its verdict stands, and opens no gate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import nbyk as package
from nbyk.report.comparison.sentences import WITHIN_MARGIN, board_margin_sentence
from nbyk.testing.results import Doubt
from nbyk.testing.shared_units import SharedUnitsTest
from tests.cli.compare.ratings import found, results, unfolded, write
from tests.cli.conftest import Run

WHY = "raters are skewed, so that one may seem better than another"


@pytest.fixture
def reserved(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the command, beside ratings of z, y and x by six people, for whom every t-test has a reserve."""
    rng = np.random.default_rng(5)
    for name, mean in (("x", 0.6), ("y", 0.4), ("z", 0.4)):
        write(f"{name}.csv", np.clip(rng.normal(mean, 0.1, (40, 6)), 0.0, 1.0))
    monkeypatch.setattr(SharedUnitsTest, "doubts", lambda *_, **__: (Doubt(WHY),))
    return nbyk


def test_two_systems(reserved: Run) -> None:
    answer = found(reserved, "x.csv y.csv --margin 0.01")
    (result,) = results(answer)
    assert result["verdict"] == "better, with reserve"
    assert [claim["reserve"] for claim in result["claims"]] == [WHY, ""]
    assert result["claims"][0]["margin"]["verdict"] == "not worse, with reserve"
    assert result["sentence"] == answer["sentences"][0]  # whoever gives a margin asks about it
    not_worse = WITHIN_MARGIN["not worse"].of_pair.format(a="x", b="y", size="0.01")
    assert f"{not_worse}, with reserve, on mean" in answer["sentences"][0]
    assert answer["sentences"][1].startswith("x is better than y, with reserve, on mean, for new items and ")
    assert answer["cautions"][0].endswith(
        "with reserve, as p may be too small for new items and raters, and for new items, with these 6 "
        f"raters: {WHY}"
    )
    assert reserved("compare x.csv y.csv --out report")[0] == 0
    page = unfolded(Path("report/compare.html").read_text())
    assert "x is better than y, with reserve, on mean" in page
    assert page.index(WHY) < page.index("<details>")
    code, text, _ = reserved("compare y.csv z.csv")
    assert code == 0
    assert text.startswith("Undecided: y or z ")
    (undecided,) = results(found(reserved, "y.csv z.csv"))
    assert undecided["verdict"] == "undecided"


def test_a_leaderboard_marks_pairs_and_margins() -> None:
    rng = np.random.default_rng(5)
    systems = {
        "x": rng.normal(1.0, 1.0, (40, 6)),
        "y": rng.normal(size=(40, 6)),
        "z": rng.normal(size=(40, 6)),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SharedUnitsTest, "doubts", lambda *_, **__: (Doubt("raters are skewed"),))
        board = package.compare(None, systems, metric="mean", margin=0.1)
        against = package.compare(None, systems, metric="mean", against="z")
    assert "2 of 3 pairs can be told apart, 2 with reserve" in board.sentence
    not_worse = WITHIN_MARGIN["not worse"].of_several.format(size="0.1")
    assert f"{not_worse}: x than y (with reserve)" in board_margin_sentence(board)
    assert against.head.verdict == "Better than z: x (with reserve)"
    assert board.warnings[0].endswith("raters or runs: raters are skewed")
    assert "raters are skewed" in " ".join(repr(board).split())
    pairs = {(pair["a"], pair["b"]): pair for pair in board.to_dict()["pairs"]}
    assert (pairs["x", "y"]["verdict"], pairs["x", "y"]["claims"][0]["reserve"]) == (
        "better, with reserve",
        "raters are skewed",
    )
    assert pairs["y", "z"]["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (
            "x.csv y.csv",
            4,
            f"The gate is inconclusive: x is shown to be better than y only with reserve: {WHY}.",
        ),
        ("y.csv x.csv", 3, "The gate is not passed by y."),
        (
            "x.csv z.csv y.csv --against y",
            4,
            "The gate is inconclusive: x is shown to be better than y only with",
        ),
        (
            "x.csv y.csv --margin 0.01",
            4,
            "The gate is inconclusive: not worse for x and y holds only with reserve: ",
        ),
        (
            "y.csv x.csv --margin 0.01",
            4,
            "The gate is inconclusive: worse for y and x holds only with reserve: ",
        ),
    ],
)
def test_no_gate_opens_or_shuts_by_a_result_with_reserve(
    line: str, code: int, says: str, reserved: Run
) -> None:
    ended, text, _ = reserved(f"compare {line} --gate --format json")
    answer = json.loads(text)
    assert (ended, answer["gate"]) == (code, {3: "no", 4: "inconclusive"}[code])
    assert says in answer["sentences"][-1]
