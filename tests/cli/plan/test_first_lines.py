"""The first lines of a plan: what to collect comes first, in every form, and in plain words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import nbyk as library
from nbyk.progress import moving_line
from tests.cli.conftest import Run
from tests.cli.plan.pilots import likert, write_pilot

SDS = "--item-sd 0.2 --severity-sd 0.045 --rating-sd 0.22 --effect 0.05 --power 0.8"
PLANS = {
    "people": f"--items 300 --solve raters {SDS}",
    "too few raters": f"--raters 5 --responses 5 {SDS}",
    "too few items": f"--items 100 --solve raters {SDS}",
    "money": f"--budget 1500 --cost-per-item 1 --cost-per-rater 20 {SDS}".replace("--power 0.8", ""),
    "a prior": "toxicity --epsilon 0.3 --power 0.8 --responses 5 --precision 0.1 --resamples 199",
    "a size": "toxicity --epsilon 0.3 --items 40 --responses 5 --precision 0.1 --resamples 199",
    "a pilot": "--pilot gold.csv --scale 1..5 --effect 0.8 --power 0.8 --responses 3 --precision 0.1",
    "ratings of raters": "--pilot gold.csv --scale 1..5 --effect 0.3 --power 0.8 --items 300 --solve raters",
    "a pair": "--pilot gold.csv --pilot-systems a.csv b.csv --scale 1..5 --solve raters --power 0.8",
}
BANNED = (
    "settles this",
    "alone would not",
    "expected how much",
    "drawn again",
    "item means are off by up to ε = 0.1 on",
    "assumes less",
    "cannot speak for others: give",
    "in the long run",
    "n_runs = 1",
    "under the null that",
    "raters or runs would tell",
    "there is no gold, and",
)


@pytest.fixture
def pilot(nbyk: Run) -> Run:
    ratings = likert()
    write_pilot("gold.csv", ratings)
    generator = np.random.default_rng(3)
    for name, spread in (("a", 0.4), ("b", 1.2)):
        off = generator.normal(0.0, spread, len(ratings))
        write_pilot(f"{name}.csv", np.clip(np.rint(ratings.mean(axis=1) + off), 1, 5)[:, None])
    return nbyk


@pytest.mark.parametrize("line", PLANS.values(), ids=list(PLANS))
def test_the_first_line_says_what_to_collect_in_few_words(pilot: Run, line: str) -> None:
    code, text, errors = pilot(f"plan {line}")
    assert (code, errors) == (0, ""), errors
    first = text.split(". ")[0].split(".\n")[0]
    assert re.match(r"Collect \d|\d+ items with \d+ rating|With \d+ (raters|items), no", first), first
    assert len(first.split()) <= 40
    assert any(row.startswith("Power ") for row in text.splitlines())
    assert [words for words in BANNED if words in " ".join(text.split())] == []
    answer = json.loads(pilot(f"plan {line} --format json")[1])
    assert answer["sentences"] == answer["lines"]
    assert " ".join(text.split()).startswith(" ".join(answer["lines"]))
    shown = pilot(f"plan {line} --format markdown")[1]
    assert [words for words in BANNED if words in shown] == []


def test_python_and_notebooks_show_the_same_lines() -> None:
    spread = library.Spread(items=0.04, raters=0.002, ratings=0.05)
    plan = library.plan(spread, n_items=300, runs=0, effect=0.05, power=0.8)
    assert repr(plan).startswith("\n".join(plan.lines[:1]))
    assert all(line.partition(":")[0] in repr(plan) for line in plan.lines)
    assert all(line in plan._repr_html_() for line in plan.lines)
    frame = plan.to_frame()
    assert frame.loc[frame["raters"] == plan.crew.raters, "items"].item() <= 300
    assert plan.plot().axes[0].get_xlabel() == "raters, J"


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_one_line_that_moves(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with moving_line() as say:
        for place in range(45):
            say(f"N = {place}")
    errors = capsys.readouterr().err
    assert errors.count("\n") == 0
    assert (errors.count("\r"), errors.endswith("\r\x1b[2K")) == ((46, True) if terminal else (0, False))


def test_a_log_has_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before, a plan by a metric of one's own said nothing for minutes."""
    times = iter(range(0, 10_000, 25))
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    with moving_line() as say:
        for place in range(12):
            say(f"N = {place}")
    said = [line for line in capsys.readouterr().err.splitlines() if line]
    assert 3 <= len(said) <= 5
    assert all(line.startswith("N = ") for line in said)


def cpu_of(*words: str) -> float:
    """Return the least processor time of three runs."""
    times = []
    for _ in range(3):
        code = (
            "import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], capture_output=True)\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "print(used.ru_utime + used.ru_stime)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
        )
        times.append(float(done.stdout))
    return min(times)


def test_errors_about_options_and_paths_come_before_anything_heavy(tmp_path: Path) -> None:
    """An error takes about half of `import numba, pandas`; with one of them it would take more than all."""
    heavy = cpu_of(sys.executable, "-c", "import numba, pandas")
    command = str(Path(sys.executable).parent / "nbyk")
    begun = time.monotonic()
    for words in (
        "plan --epsilon 0.1 --power 0.8",
        "plan toxicity --effect 0 --power 0.8",
        "plan toxicity --solve raters --effect 0.1 --power 0.8",
        "plan --pilot nowhere.csv --scale 1..5 --effect 0.3 --power 0.8",
    ):
        assert cpu_of(command, *words.split()) < 0.75 * heavy, words
    assert time.monotonic() - begun < 120
