"""A table with a column for each system, and tables whose columns may be raters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.compare.ratings import found
from tests.cli.conftest import Run


def write_wide(path: str, *columns: str) -> None:
    rows = [
        ",".join([f"q{item}", *(f"{(item + 3 * place) % 10 / 10:g}" for place in range(len(columns)))])
        for item in range(12)
    ]
    Path(path).write_text("\n".join([",".join(["item", *columns]), *rows]) + "\n")


@pytest.mark.parametrize("gold", ["", "--gold gold.csv "])
def test_columns_beside_items_are_systems(nbyk: Run, gold: str) -> None:
    write_wide("both.csv", "ours", "theirs", "third")
    write_wide("gold.csv", "value")
    rows = Path("both.csv").read_text().splitlines()[1:]
    for place, name in enumerate(("ours", "theirs", "third"), 1):
        lines = (f"{row.split(',')[0]},{row.split(',')[place]}" for row in rows)
        Path(f"{name}.csv").write_text("\n".join(["item,value", *lines]) + "\n")
    _, text, errors = nbyk(f"compare {gold}both.csv --format json")
    assert errors.endswith("ours, theirs and third: each a column of both.csv\n")
    wide = json.loads(text)
    files = found(nbyk, f"{gold}ours.csv theirs.csv third.csv")
    assert wide["boards"][0]["pairs"] == files["boards"][0]["pairs"]


@pytest.mark.parametrize(
    "columns", [("r1", "r2"), ("gold", "bert"), ("accuracy", "f1"), ("rater A", "rater B")]
)
@pytest.mark.parametrize("gold", ["", "--gold gold.csv "])
def test_columns_of_raters_or_of_several_values_are_no_systems(
    nbyk: Run, columns: tuple[str, str], gold: str
) -> None:
    write_wide("both.csv", *columns)
    code, text, errors = nbyk(f"compare {gold}both.csv")
    assert (code, text) == (2, "")
    assert errors == (
        f"error: both.csv: found one system, with the columns {' and '.join(columns)}, expected at least two "
        "to compare; if they are systems, write each one into a file of its own, with the columns item and "
        "value, or all into one table with the columns item, system and value; if they are raters of one "
        "system, write one rating a row, with the columns item, rater and value\n"
    )


def test_columns_without_items_are_scores_of_systems_if_one_says_so(nbyk: Run) -> None:
    Path("f1.csv").write_text("ours,base\n71.2,70.1\n70.8,70.6\n72.1,69.8\n71.5,70.9\n70.9,70.2\n")
    _, _, errors = nbyk("compare f1.csv")
    assert "expected at least two to compare; if each row is a run of systems, give --kind scores" in errors
    code, text, errors = nbyk("compare f1.csv --kind scores")
    assert "ours: values = ours; each a column of f1.csv" in errors
    assert (code, text.splitlines()[0].split("   ")[0]) == (0, "ours is better than base")


def test_a_seed_that_comes_twice_asks_for_the_items(nbyk: Run) -> None:
    rows = "".join(
        f"{seed},{name},{(7 * seed + k) % 2}\n" for seed in range(3) for k, name in enumerate("ABAB")
    )
    Path("runs.csv").write_text(f"seed,model,correct\n{rows}")
    code, _, errors = nbyk("compare runs.csv")
    assert code == 2
    assert "runs.csv: found 2 scores of seed 0 and no column of items; if the rows are responses" in errors


def test_probabilities_that_were_rounded_are_probabilities(nbyk: Run) -> None:
    shares = [(1, 1, 1), (2, 5, 6), (1, 2, 4), (3, 3, 5), (1, 5, 5), (7, 2, 4)]
    for name, turn in (("people", 0), ("x", 1), ("y", 2)):
        rows = [shares[(item + turn) % 6] for item in range(12)]
        lines = [f"q{i}," + ",".join(f"{one / sum(row):.3f}" for one in row) for i, row in enumerate(rows)]
        Path(f"{name}.csv").write_text("\n".join(["id,neg,neutral,pos", *lines]) + "\n")
    assert ",0.333,0.333,0.333" in Path("people.csv").read_text()
    _, text, errors = nbyk("compare --gold people.csv x.csv y.csv")
    assert "cross_entropy (nats), 12 items" in text
    assert "probabilities of the classes neg, neutral, pos" in errors
    Path("y.csv").write_text(Path("y.csv").read_text() + "q12,.2,.3,.4\n")
    code, _, errors = nbyk("compare --gold people.csv x.csv y.csv")
    assert (code, "y.csv:14: sums to 0.9" in errors) == (2, True)


def test_the_way_out_works(nbyk: Run) -> None:
    write_wide("a.csv", "value")
    rows = "".join(
        f"q{item},{name},{(item + place) % 7 / 7:g}\n"
        for item in range(9)
        for place, name in ((0, "A"), (2, "B"))
    )
    Path("long.csv").write_text(f"item,system,value\n{rows}")
    answer = found(nbyk, "long.csv")
    assert [answer["boards"][0]["pairs"][0][name] for name in "ab"] == ["A", "B"]


def test_columns_with_the_names_of_the_systems_are_not_taken_for_runs(nbyk: Run) -> None:
    write_wide("both.csv", "A", "B")
    write_wide("gold.csv", "p1", "p2")
    code, text, errors = nbyk("compare --gold gold.csv A=both.csv B=both.csv")
    assert (code, text) == (2, "")
    assert errors.splitlines()[-1].startswith(
        "error: both.csv: the columns A and B have the names of systems, expected columns of runs of A; "
        "write each "
    )


def test_without_gold_such_columns_may_be_raters_and_a_caution_says_so(nbyk: Run) -> None:
    write_wide("of_a.csv", "A", "B")
    write_wide("of_b.csv", "B", "A")
    _, text, _ = nbyk("compare A=of_a.csv B=of_b.csv --details")
    words = " ".join(text.split())
    assert (
        "- A: the columns A and B have the names of systems, and nbyk reads them as raters or runs of A"
        in words
    )


@pytest.mark.parametrize("columns", [("ann", "bo"), ("A", "seed2")])
def test_other_columns_are_raters_or_runs_as_before(nbyk: Run, columns: tuple[str, ...]) -> None:
    write_wide("a.csv", *columns)
    write_wide("b.csv", *columns)
    write_wide("gold.csv", "p1", "p2")
    code, text, _ = nbyk("compare --gold gold.csv A=a.csv B=b.csv")
    assert code == 0
    assert "names of systems" not in text
