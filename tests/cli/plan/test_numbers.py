"""Numbers that `nbyk plan` refuses, before it reads a pilot or fits a prior."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.cli.plan.pilots import likert, write_pilot

PEOPLE = (
    "plan --items 100 --raters 10 --responses 3 --effect .2 --item-sd 1 --severity-sd .2 --rating-sd .3 "
    "--run-sd .1 --runs 5"
)
SDS = tuple(f"--{name}-sd" for name in ("item", "cluster", "severity", "rating", "run", "answer"))
COSTS = tuple(f"--cost-per-{name}" for name in ("item", "rating", "rater", "run"))
NUMBERS = (*SDS, *COSTS, "--alpha", "--power", "--budget", "--epsilon-a", "--precision")
COUNTS = ("--items", "--raters", "--responses", "--runs", "--items-per-cluster", "--items-per-rater")


@pytest.mark.parametrize("wrong", ["-1", "nan", "inf", "1e400"])
@pytest.mark.parametrize("option", NUMBERS)
def test_a_number_of_a_plan_with_people_is_refused_by_its_option(nbyk: Run, option: str, wrong: str) -> None:
    code, text, errors = nbyk(f"{PEOPLE} {option} {wrong}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {option}: found ")
    assert errors.count("\n") == 1


@pytest.mark.parametrize("wrong", ["0", "nan", "inf", "1e400"])
def test_an_effect_of_no_size_is_refused(nbyk: Run, wrong: str) -> None:
    code, text, errors = nbyk(f"{PEOPLE} --effect {wrong}")
    assert (code, text) == (2, "")
    assert errors.startswith("error: --effect: found ")


@pytest.mark.parametrize("wrong", ["-1", str(10**20)])
@pytest.mark.parametrize("option", COUNTS)
def test_a_count_of_a_plan_with_people_is_refused_by_its_option(nbyk: Run, option: str, wrong: str) -> None:
    code, text, errors = nbyk(f"{PEOPLE} {option} {wrong}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {option}: found {wrong}, expected ")


def test_options_that_a_plan_with_people_does_not_take_are_refused(nbyk: Run) -> None:
    for option in ("--n-runs 3", "--precision 0.2", "--resamples 99"):
        code, _, errors = nbyk(f"{PEOPLE} {option}")
        assert code == 2
        assert errors.startswith(f"error: {option.split()[0]}: found ")


SETTINGS = {
    "--alpha 2": "found 2.0, expected a level between 0 and 1",
    "--alpha nan": "found nan, expected a level between 0 and 1",
    "--precision 0": "found 0.0",
    "--resamples 0": "found 0, expected a whole number of at least 1",
    "--n-runs word": "found word, expected a whole number of at least 1, or K",
    "--n-runs 0": "found 0, expected a whole number of at least 1, or K",
    "--max-items 0": "found 0, expected a whole number of at least 2",
    "--metric nope": "unknown metric 'nope'",
    "--metric mae --metric nope": "unknown metric 'nope'",
    "--format foo": "found 'foo', expected text, markdown, json, html or latex",
    "--test nope": "unknown test 'nope'",
}


@pytest.mark.parametrize(("options", "said"), SETTINGS.items(), ids=SETTINGS)
def test_settings_are_refused_before_a_pilot_is_read(nbyk: Run, options: str, said: str) -> None:
    write_pilot("pilot.csv", likert())
    data = "--pilot pilot.csv --scale 1..5 --items-from prior"
    code, text, errors = nbyk(f"plan {data} --items 20 --responses 2 --epsilon 0.2 {options}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {options.split()[-2]}: {said}")
    assert errors.count("\n") == 1


def test_a_metric_of_a_plan_with_people_is_refused_by_its_option(nbyk: Run) -> None:
    code, _, errors = nbyk(f"{PEOPLE} --metric nope")
    assert code == 2
    assert errors.startswith("error: --metric: unknown metric 'nope'; known: accuracy, ")
