"""What `nbyk plan` refuses: one error for whatever is wrong, and no file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nbyk.files import write_json
from nbyk.priors import published_prior
from tests.cli.conftest import Run
from tests.cli.plan.pilots import QUICK, likert, write_pilot

WRONG = {
    "no data": ("plan --epsilon 0.1 --power 0.8", "expected one of DATASET, --pilot and --prior"),
    "two data": ("plan toxicity --prior prior.json --epsilon 0.1 --power 0.8", "found DATASET and --prior"),
    "a file for a dataset": ("plan same.csv --epsilon 0.1 --power 0.8", "write --pilot same.csv"),
    "an unknown dataset": ("plan convabus --epsilon 0.1 --power 0.8", "did you mean convabuse?"),
    "nothing open": (
        "plan toxicity --items 9 --responses 5 --epsilon 0.1 --power 0.8",
        "error: plan: given --items, --responses, --epsilon, --power; ",
    ),
    "too much open": (
        "plan toxicity --epsilon 0.1",
        "more than one of --items, --responses, --power is open; give --power too, or a --budget. ",
    ),
    "a budget and a size": (
        "plan toxicity --items 9 --responses 5 --epsilon 0.1 --budget 9",
        "the numbers already fix the cost; drop --budget",
    ),
    "one item": ("plan toxicity --items 1 --responses 5 --epsilon 0.1", "error: --items: found 1"),
    "no ratings": ("plan toxicity --items 9 --responses 0 --epsilon 0.1", "error: --responses: found 0"),
    "ε of 2": ("plan toxicity --items 9 --responses 5 --epsilon 2", "error: --epsilon: found 2.0"),
    "power of 2": ("plan toxicity --epsilon 0.1 --power 2", "error: --power: found 2.0"),
    "a negative cost": (
        "plan toxicity --epsilon 0.1 --power 0.8 --cost-per-item -1",
        "error: --cost-per-item: found -1.0",
    ),
    "an unknown metric": ("plan toxicity --epsilon 0.1 --power 0.8 --metric maee", "did you mean mae"),
    "an unknown test": (
        "plan toxicity --epsilon 0.1 --power 0.8 --test swap_item",
        "did you mean swap_items",
    ),
    "no pilot": ("plan --pilot nowhere.csv --scale 0..1 --epsilon 0.1 --power 0.8", "nowhere.csv"),
    "a pilot without a scale": (
        "plan --pilot one.csv --epsilon 0.1 --power 0.8",
        "--scale: expected the scale",
    ),
    "half a scale": ("plan --pilot one.csv --scale 0.. --epsilon 0.1 --power 0.8", "--scale: "),
    "a column that is not there": (
        "plan --pilot one.csv --scale 1,2,3,4,5 --value score --epsilon 0.1 --power 0.8",
        "score",
    ),
    "a share of no scale": ("plan toxicity --unit share --epsilon 0.1 --power 0.8", "there is no --scale"),
    "levels that are no numbers": (
        "plan --pilot one.csv --scale a,b --epsilon 0.1 --power 0.8",
        "--scale: ",
    ),
    "one rating per item": (
        "plan --pilot one.csv --scale 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "(mean 2.3; 1: 30.0%, 2: 32.5%, 3: 20.0%, 4: 12.5%, 5: 5.0%). Collect a second rating of some items",
    ),
    "one rating per item, of numbers": (
        "plan --pilot one.csv --scale 1..19 --epsilon 0.1 --power 0.8",
        "one.csv: found one rating of each item, expected two or more of some items: single ratings do not "
        "show how much raters of the same item differ. They only show how ratings are distributed (mean 2.3; "
        "standard deviation 1.18). Collect a second rating of some items, or plan with a DATASET",
    ),
    "ratings that are all alike": (
        "plan --pilot same.csv --scale 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "same.csv: all 8 ratings are 3: nbyk cannot fit a prior",
    ),
    "numbers that are all alike": (
        "plan --pilot same.csv --scale 1..5 --epsilon 0.1 --power 0.8",
        "same.csv: all 8 ratings are 3: nbyk cannot fit a prior",
    ),
    "no levels": ("plan --pilot one.csv --scale= --epsilon 0.1 --power 0.8", "--scale: "),
    "one level": ("plan --pilot one.csv --scale 1 --epsilon 0.1 --power 0.8", "--scale: "),
    "a level twice": (
        "plan --pilot one.csv --scale 1,2,2,3 --epsilon 0.1 --power 0.8",
        "level 2 stands before 2",
    ),
    "levels from the top": (
        "plan --pilot one.csv --scale 3,2,1 --epsilon 0.1 --power 0.8",
        "list levels lowest first",
    ),
    "uneven levels": (
        "plan --pilot one.csv --scale 1,2,3,4,5,7 --epsilon 0.1 --power 0.8",
        "found 1,2,3,4,5,7, with steps from 1 to 2; a plan takes levels for equal steps",
    ),
    "a published pilot": (
        "plan --pilot one.csv --published --scale 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "found --published and --pilot",
    ),
    "a published prior of one's own": (
        "plan --prior prior.json --published --epsilon 0.1 --power 0.8",
        "found --published and --prior",
    ),
    "an effect and an ε": (
        "plan toxicity --effect 0.1 --epsilon 0.1 --power 0.8",
        "given both --epsilon and --effect",
    ),
    "a worse system A": (
        "plan toxicity --epsilon 0.1 --power 0.8 --alternative less",
        "--alternative: found 'less', expected 'two-sided' or 'greater': a plan takes B for the worse system",
    ),
    "no effect": (
        "plan toxicity --effect 0 --power 0.8",
        "--effect: found 0, expected a number other than 0",
    ),
    "a prior that is a table": (
        "plan --prior one.csv --epsilon 0.1 --power 0.8",
        "give a prior that `nbyk fit` wrote, or write it again",
    ),
    "ratings off the scale": (
        "plan --pilot one.csv --scale 0..1 --epsilon 0.1 --power 0.8",
        "expected a number from 0 to 1",
    ),
    "no prior": ("plan --prior nowhere.json --epsilon 0.1 --power 0.8", "nowhere.json: no such file"),
    "out of reach": (
        "plan toxicity --epsilon 0.05 --power 0.9 --max-items 30 --max-responses 5 --out plans",
        "the best reachable is 0.",
    ),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=list(WRONG))
def test_bad_input_is_one_error_and_leaves_no_file(
    line: str, message: str, nbyk: Run, tmp_path: Path
) -> None:
    write_json("prior.json", published_prior("mhs").to_dict())
    write_pilot("one.csv", likert(40, 1))
    write_pilot("same.csv", np.full((4, 2), 3.0))
    code, text, errors = nbyk(line)
    assert (code, text) == (2, "")
    *progress, last = errors.splitlines()
    assert last.startswith("error: ")
    assert message in last
    assert not any(line.startswith(("error", "Traceback")) for line in progress)
    assert "delete" not in last
    assert {path.name for path in tmp_path.iterdir()} == {"prior.json", "one.csv", "same.csv"}


@pytest.mark.parametrize("out", ["plans", "plans/amazon", "plans/a/b"])
def test_a_file_where_the_folder_should_be_is_named_before_the_search(out: str, nbyk: Run) -> None:
    Path("plans").write_text("")
    code, _, errors = nbyk(f"plan toxicity {QUICK} --responses 5 --out {out}")
    assert code == 2
    assert errors == (
        f"error: --out {out}: plans is a file, expected a folder to write to; give another one, or move the "
        "file away\n"
    )


def test_a_file_may_be_called_as_an_option_is(nbyk: Run) -> None:
    for name in ("--full", "b"):
        write_pilot(f"{name}.csv", likert(30, 1))
    code, text, errors = nbyk(
        "plan --pilot-systems ./--full.csv b.csv --scale 1..5 --effect 0.4 --power 0.8 --item-sd 1"
    )
    assert code == 0, errors
    assert text.startswith("Collect ")


def test_a_folder_that_cannot_be_written_to_is_named_before_the_search(
    nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    code, _, errors = nbyk(f"plan toxicity {QUICK} --responses 5 --out plans")
    assert (code, errors) == (2, "error: --out plans: . cannot be written to; give another folder\n")


def test_the_example_without_data_is_in_the_unit_of_the_scale(run_words: Run) -> None:
    for words in ("--solve raters --effect 0.4", "--effect 0.4"):
        code, _, error = run_words("plan", "--scale", "1..5", *words.split(), "--power", "0.8")
        assert code == 2
        command = error.rpartition("as in: nbyk ")[2]
        assert "--scale 1..5 --effect 0.4 --item-sd 0.8 --severity-sd 0.12 --rating-sd 0.8" in command
        code, text, _ = run_words(*command.split())
        assert code == 0
        assert "to find an effect of 0.4" in text
