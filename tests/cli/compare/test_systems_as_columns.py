"""A table with a column for each system: nbyk says so, and how to give the systems."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("columns", "named"), [(("A", "B"), "A and B"), (("gold", "bert", "gpt"), "gold, bert and gpt")]
)
@pytest.mark.parametrize("gold", ["", "--gold gold.csv "])
def test_one_table_whose_columns_may_be_systems_is_one_line_with_a_way_out(
    nbyk: Run, columns: tuple[str, ...], named: str, gold: str
) -> None:
    write_wide("both.csv", *columns)
    code, text, errors = nbyk(f"compare {gold}both.csv")
    assert (code, text) == (2, "")
    assert errors == (
        f"error: both.csv: found one system, with the columns {named}, expected at least two to compare; if "
        "the columns are systems, write each one into a file of its own, with the columns item and value, or "
        "all into one table with the columns item, system and value; if they are raters of one system, write "
        "one rating a row, with the columns item, rater and value\n"
    )


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
