"""The gate of `nbyk compare`, and margins: when it is passed, not passed or inconclusive."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from nbyk.provenance import read_record
from tests.cli.compare.ratings import found, read, results, unfolded, write
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("sim_a.csv sim_c.csv", 0),
        ("sim_c.csv sim_a.csv", 3),
        ("sim_c.csv sim_a.csv --against sim_c", 0),
        ("sim_a.csv sim_b.csv --alternative two-sided", 3),
        ("sim_a.csv sim_b.csv", 4),  # with reserve
        ("sim_a.csv sim_b.csv --alpha 0.01", 3),
        ("sim_a.csv sim_b.csv --metric mae --metric max_error", 3),
        ("sim_b.csv sim_a.csv sim_c.csv --against sim_c", 0),
        ("sim_a.csv sim_b.csv sim_c.csv --against sim_b --alpha 0.05", 3),
        ("sim_a.csv sim_b.csv sim_c.csv --against sim_b --correction none", 4),
    ],
)
def test_the_gate_is_passed_where_the_first_is_shown_to_be_better(nbyk: Run, line: str, code: int) -> None:
    ended, text, errors = nbyk(f"compare --gold gold.csv {line} --quick --gate --format json")
    assert (ended, errors) == (code, "")
    answer = json.loads(text)
    assert {0: "is passed by ", 3: "is not passed by ", 4: "is inconclusive: "}[code] in " ".join(
        answer["sentences"]
    )
    assert answer["gate_passed"] is (code == 0)


@pytest.mark.parametrize("more", ["", " sim_c.csv --against sim_b --correction none"])
def test_a_gate_that_more_draws_could_open_or_shut_is_inconclusive(more: str, nbyk: Run) -> None:
    words = (
        f"compare --gold gold.csv sim_a.csv sim_b.csv{more} --quick --gate --resamples 99 --max-resamples 99"
        " --generalise items"
    )
    code, text, errors = nbyk(f"{words} --out report")
    assert (code, errors) == (4, "wrote report/compare.html; tables, figures and JSON are beside it\n")
    assert "The gate is inconclusive: more draws could change whether sim_a is shown" in unfolded(text)
    answer = json.loads(Path("report/compare.json").read_text())
    assert (answer["gate"], answer["gate_passed"]) == ("inconclusive", False)
    assert read_record("report/compare.json") is not None


@pytest.mark.parametrize("more", ["", " sim_c.csv --against sim_a --correction none"])
def test_no_number_of_draws_opens_the_gate_to_a_system_that_is_not_ahead(more: str, nbyk: Run) -> None:
    drawn = "--quick --gate --resamples 99 --max-resamples 99 --generalise items --alternative two-sided"
    assert nbyk(f"compare --gold gold.csv sim_b.csv sim_a.csv{more} {drawn}")[0] == 3


@pytest.mark.parametrize("files", ["b.csv a.csv", "b.csv a.csv c.csv --against a"])
def test_nothing_would_settle_a_gate_against_a_system_that_is_behind(files: str, nbyk: Run) -> None:
    """The sizes that would settle another question are not advised; the command asks that question."""
    rng = np.random.default_rng(7)
    items = rng.uniform(0.3, 0.6, (60, 1))
    for name, off in (("a", 0.03), ("b", 0.0), ("c", 0.0)):
        write(f"{name}.csv", items + off + rng.normal(0.0, 0.03, 5) + rng.normal(0.0, 0.1, (60, 5)))
    code, text, _ = nbyk(f"compare {files} --gate")
    assert (code, "would" in text) == (3, False)
    if "c.csv" not in files:
        assert "Next: nbyk compare b.csv a.csv --gate --against b  # asks whether a is better" in text
        assert "would show this effect" in nbyk("compare b.csv a.csv")[1]


def test_constant_ratings_are_compared(nbyk: Run) -> None:
    for name, value in (("g", 0.5), ("x", 0.5), ("y", 1.0)):
        write(f"{name}.csv", np.full((30, 2), value))
    answer = found(nbyk, "--gold g.csv x.csv y.csv --generalise items")
    assert (results(answer)[0]["effect"], results(answer)[0]["verdict"]) == (0.5, "better")
    code, text, _ = nbyk("compare --gold g.csv x.csv y.csv --gate")
    assert code == 4
    assert "The gate is inconclusive: two raters and two runs of each system are too few" in unfolded(text)
    assert "; --generalise items asks about these alone." in unfolded(text)
    assert "The effect on mae does not vary over items and responses." in answer["sentences"]
    code, _, errors = nbyk("compare --gold g.csv x.csv y.csv --metric spearman")
    assert code == 2
    assert re.fullmatch(r"error: .*spearman.*\n", errors)


@pytest.mark.parametrize(
    ("margin", "code", "says"),
    [
        ("0.2", 0, "The gate is passed by sim_c."),
        ("0.01", 3, "The gate is not passed by sim_c."),
        (
            "0.08",
            4,
            "The gate is inconclusive: these data do not show whether sim_c is worse than sim_a by 0.08; "
            "collect more items, or ask about a larger margin.",
        ),
    ],
)
def test_the_gate_with_a_margin(margin: str, code: int, says: str, nbyk: Run) -> None:
    line = f"compare --gold gold.csv sim_c.csv sim_a.csv --margin {margin}"
    found, text, _ = nbyk(f"{line} --gate")
    assert (found, says in unfolded(text)) == (code, True)


def test_a_margin_is_in_the_unit_of_the_ratings(nbyk: Run) -> None:
    (own,) = results(found(nbyk, "--gold gold.csv sim_a.csv sim_c.csv --generalise items --margin 0.2"))
    for name in ("gold", "sim_a", "sim_b", "sim_c"):
        write(f"{name}.csv", 1.0 + 4.0 * read(name))
    answer = found(nbyk, "--gold gold.csv sim_a.csv sim_c.csv --generalise items --margin 0.8 --scale 1..5")
    (scaled,) = results(answer)
    assert scaled["claims"][0]["margin"]["p_not_worse"] == pytest.approx(
        own["claims"][0]["margin"]["p_not_worse"]
    )
    assert scaled["effect"] == pytest.approx(4.0 * own["effect"])
    assert scaled["claims"][0]["margin"]["size"] == 0.8


@pytest.mark.parametrize(
    ("line", "code"),
    [("a.csv c.csv", 3), ("a.csv b.csv c.csv --against c", 4), ("a.csv c.csv --alpha 0.01", 4)],
)
def test_a_gate_that_so_few_items_could_not_open_beside_other_candidates_is_inconclusive(
    line: str, code: int, nbyk: Run
) -> None:
    """Six items have a p of 1/32 at least: at most .05, but not at most .025."""
    rng = np.random.default_rng(2)
    for name in "abc":
        write(f"{name}.csv", rng.uniform(0.4, 0.6, (6, 1)))
    ended, text, _ = nbyk(f"compare {line} --gate --alternative two-sided --format json")
    assert ended == code
    if code == 4:
        assert "so few items cannot show a difference" in json.loads(text)["sentences"][-1]
