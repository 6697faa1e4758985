"""Runs of the workflow that are disturbed, and what they leave behind."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from nbyk.files import SCRATCH
from tests.workflow.runs import PATIENCE, command, planned, results, snakemake

NBYK = str(Path(sys.executable).with_name("nbyk"))
OF_A_CELL = ("pvalues",)
"""Folders of the logs of cells."""
OF_THE_RUN = ("report",)
WRITERS = ("normalise", "prior", "report")
"""Rules whose jobs, together, write every kind of file: Parquet, JSON, CSV, LaTeX, PNG, SVG, HTML, …"""

CHEAPEST_WRITER_FIRST = [WRITERS[0], *(pytest.param(rule, marks=pytest.mark.faults) for rule in WRITERS[1:])]
"""The same as a test's parameters: `make test` runs the first alone."""


def undone(shared: Path, directory: Path, moment: random.Random) -> Path:
    """Return a copy of the finished run that lacks one of its cells, and tables, figures and report."""
    copied = copy(shared, directory)
    cell = moment.choice(sorted((copied / "results/pvalues").glob("semantics=*/source=*")))
    cell = cell.relative_to(copied / "results")
    for lacking in [*copied.glob(f"*/{cell}"), *copied.glob(f"*/*/{cell}")]:
        shutil.rmtree(lacking)
    undo_products(copied)
    return copied


def undo_products(directory: Path) -> None:
    shutil.rmtree(directory / "results/wein2023")
    for rule in OF_THE_RUN:
        shutil.rmtree(directory / "logs" / rule)


def copy(shared: Path, directory: Path) -> Path:
    """Return a copy of the finished run."""
    return Path(shutil.copytree(shared / "run", directory.resolve() / "run"))


@contextmanager
def running(shared: Path, directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start the workflow in a process group of its own, which is killed at the end."""
    with (directory / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            **command(shared / "checkout", directory),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def printed(directory: Path) -> str:
    return (directory / "output.txt").read_text(encoding="utf-8", errors="replace")


def wait_for_log(rule: str, shared: Path, directory: Path, process: subprocess.Popen[bytes]) -> float:
    """Wait until a rule's job has started; return how many seconds the undisturbed run took for one."""
    deadline = time.monotonic() + PATIENCE
    present = set(logs(shared / "run", rule)) & set(logs(directory, rule))
    while not set(logs(directory, rule)) - present:
        assert process.poll() is None, printed(directory)[-3000:]
        assert time.monotonic() < deadline, f"no job of {rule} within {PATIENCE:g} s"
        time.sleep(0.01)
    told = "".join((directory / log).read_text(encoding="utf-8") for log in logs(directory, rule))
    return max(map(float, re.findall(r"^took ([0-9.]+) s, ", told, re.MULTILINE)), default=1.0)


def logs(directory: Path, rule: str) -> list[Path]:
    """Return the logs of a rule's jobs, relative to the run's folder."""
    found = [*(directory / "logs" / rule).rglob("*.log"), *(directory / "logs").glob(f"{rule}.log")]
    return [path.relative_to(directory) for path in found]


def rerun(shared: Path, directory: Path) -> str:
    """Run the workflow again, to its end, and return what it printed."""
    code, output = snakemake(shared / "checkout", directory)
    assert code == 0, output[-3000:]
    return output


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
    if step(words) == "report":
        folders = ["results/wein2023"]
    else:
        options = {"--out", "--families", "--check"}
        folders = [value for option, value in pairwise(words) if option in options]
    return sorted(
        name
        for name in results(shared / "run")
        if any(name == folder or name.startswith(f"{folder}/") for folder in folders)
    )
