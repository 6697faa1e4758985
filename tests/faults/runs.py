"""Runs of the workflow that are disturbed, and what they leave behind."""

from __future__ import annotations

import random
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from nbyk.files import SCRATCH
from tests.workflow import forked
from tests.workflow.runs import PATIENCE, command, planned, results, snakemake

LOGS = {"cell": "estimated_p", "report": "report"}
"""Folders of the logs of rules."""
RESULTS = {"cell": "results/estimated_p", "report": "results/wein2023"}
"""Folders of what they make."""
WRITING = 0.15
"""About this share of a program's time, at most, passes from its first scratch file to its end."""
WRITERS = ["prior", "cell", *(pytest.param(of, marks=pytest.mark.faults) for of in ("plot", "report"))]
"""Rules whose jobs, together, write every kind of file: JSON, Parquet, and CSV, LaTeX, PNG, SVG, HTML, …

They are a test's parameters; `make test` runs the cheap ones alone.
"""


def undone(shared: Path, directory: Path, moment: random.Random, *, products: bool = True) -> Path:
    """Return a copy of the finished run that lacks one of its cells, and tables, figures and report."""
    copied = copy(shared, directory)
    cell = moment.choice(sorted((copied / "results/estimated_p").glob("semantics=*/source=*")))
    cell = cell.relative_to(copied / "results")
    for lacking in [*copied.glob(f"*/{cell}"), *copied.glob(f"*/*/{cell}")]:
        shutil.rmtree(lacking)
    if products:
        undo_products(copied)
    return copied


def undo_products(directory: Path) -> None:
    shutil.rmtree(directory / RESULTS["report"])
    shutil.rmtree(directory / "logs" / LOGS["report"])


def copy(shared: Path, directory: Path) -> Path:
    """Return a copy of the finished run."""
    return Path(shutil.copytree(shared / "run", directory.resolve() / "run"))


@contextmanager
def running(shared: Path, directory: Path, *arguments: str) -> Iterator[forked.Started]:
    """Start the workflow, which is killed at the end with all its jobs."""
    started = command(shared / "checkout", directory, *arguments)
    words = started["args"][3:]  # after `python -m snakemake`
    with (
        (directory / "output.txt").open("w") as output,
        forked.started(
            "snakemake", words, directory, started["env"], output, jobs_are_copies=True
        ) as process,
    ):
        yield process


def printed(directory: Path) -> str:
    return (directory / "output.txt").read_text(encoding="utf-8", errors="replace")


def wait_for_job(rule: str, shared: Path, directory: Path, process: forked.Started) -> None:
    """Wait until a rule's job has started."""
    deadline = time.monotonic() + PATIENCE
    present = set(logs(shared / "run", rule)) & set(logs(directory, rule))
    while not set(logs(directory, rule)) - present:
        assert not process.has_ended, printed(directory)[-3000:]
        assert time.monotonic() < deadline, f"no job of {rule} within {PATIENCE:g} s"
        time.sleep(0.005)


def wait_for_moment(moment: random.Random, seconds: float, folder: Path, process: forked.Started) -> None:
    """Wait for any moment of a program that takes so many seconds, or for one when it writes to a folder."""
    if moment.random() < 0.5:
        time.sleep(moment.uniform(0.0, seconds))
        return
    while not (process.has_ended or scratch_files(folder)):
        time.sleep(0.002)
    time.sleep(moment.uniform(0.0, WRITING * seconds))


def logs(directory: Path, rule: str) -> list[Path]:
    """Return the logs of a rule's jobs, relative to the run's folder."""
    return [path.relative_to(directory) for path in (directory / "logs" / LOGS[rule]).rglob("*.log")]


def rerun(shared: Path, directory: Path, *arguments: str) -> None:
    """Run the workflow again, to its end."""
    code, output = snakemake(shared / "checkout", directory, *arguments)
    assert code == 0, output[-3000:]


def check_same_bytes(shared: Path, directory: Path) -> None:
    """Assert that a run has every byte of the undisturbed one, and no scratch file."""
    expected, found = results(shared / "run"), results(directory)
    assert sorted(found) == sorted(expected)
    assert differing(shared, directory) == []
    assert scratch_files(directory) == []


def differing(shared: Path, directory: Path) -> list[str]:
    """Return the results that are there but have other bytes than those of the undisturbed run."""
    expected, found = results(shared / "run"), results(directory)
    return sorted(name for name in found if found[name] != expected.get(name))


def scratch_files(directory: Path) -> list[Path]:
    return sorted(directory.rglob(f".*{SCRATCH}"))


def commands(shared: Path) -> dict[str, list[str]]:
    """Return the words of one job of every rule of the run, by rule."""
    lines = planned(shared / "checkout", shared / "run", "--forceall", whole=True)
    return {step(words): words for words in map(shlex.split, sorted(lines))}


def step(words: list[str]) -> str:
    """Return the step that a command makes: "fit", "estimate", "tables"."""
    return next(word for word in words if word != "study")


def outputs(words: list[str], shared: Path) -> list[str]:
    """Return what a job writes, relative to the run's folder."""
    options = {"--out", "--families", "--check"}
    folders = [value for option, value in pairwise(words) if option in options]
    names = [
        name
        for name in results(shared / "run")
        if any(name == folder or name.startswith(f"{folder}/") for folder in folders)
    ]
    if step(words) in ("plot", "report"):  # into one folder
        names = [name for name in names if ("figure" in name) == (step(words) == "plot")]
    return sorted(names)
