"""`nbyk compare --margin` with three systems or more."""

from __future__ import annotations

import pytest

from nbyk.report.comparison.sentences import WITHIN_MARGIN
from tests.cli.compare.ratings import found, unfolded
from tests.cli.conftest import Run

SYSTEMS = "--gold gold.csv sim_a.csv sim_b.csv sim_c.csv --generalise items"


@pytest.mark.parametrize(
    ("margin", "code", "says"),
    [
        ("0.3", 0, "The gate is passed by sim_b."),
        ("0.0001", 3, "The gate is not passed by sim_b."),
        ("0.04", 4, "do not show whether sim_b is worse than sim_a by 0.04"),
    ],
)
def test_the_gate_asks_about_the_first_candidate(margin: str, code: int, says: str, nbyk: Run) -> None:
    ended, text, _ = nbyk(f"compare {SYSTEMS} --against sim_a --margin {margin} --gate")
    assert (ended, says in unfolded(text)) == (code, True), text


def test_the_sentence_has_the_margin_and_the_table_a_verdict(nbyk: Run) -> None:
    answer = found(nbyk, f"{SYSTEMS} --margin 0.3")
    (board,) = answer["boards"]
    assert {pair["claims"][0]["margin"]["verdict"] for pair in board["pairs"]} == {"equivalent"}
    sentence = answer["sentences"][0]
    assert sentence.startswith(WITHIN_MARGIN["equivalent"].of_several.format(size="0.3"))
    assert "Holm's correction" in answer["sentences"][1]
    assert "within the margin" in nbyk(f"compare {SYSTEMS} --margin 0.3 --format markdown")[1]


def test_whoever_gives_a_margin_reads_about_the_margin_first(nbyk: Run) -> None:
    pair = "--gold gold.csv sim_c.csv sim_a.csv --generalise items"
    equivalent = WITHIN_MARGIN["equivalent"].of_pair.format(leader="sim_a", other="sim_c", size="0.3")
    worse = WITHIN_MARGIN["worse"].of_pair.format(a="sim_c", b="sim_a", size="0.0001")
    for margin, says, verdict in (
        ("0.3", f"{equivalent}, on mae", equivalent),
        ("0.0001", worse, worse),
    ):
        answer = found(nbyk, f"{pair} --margin {margin}")
        assert answer["title"] == f"Is sim_c better than sim_a, or at least not worse by {margin}?"
        assert says in answer["sentences"][0]
        assert answer["sentences"][1].startswith("sim_a is better than sim_c")
        assert answer["lines"][0].startswith(verdict)
    assert found(nbyk, pair)["title"] == "Is sim_c better than sim_a?"
