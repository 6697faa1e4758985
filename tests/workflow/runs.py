"""Runs of the workflow in a folder of their own: how tests start them, and what they planned and left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from nbyk.workflow import RunPlan
from tests.workflow import forked

ROOT = Path(__file__).parents[2]
CONFIG: dict[str, Any] = {
    "seed": 7,
    "semantics": ["published", "recommended"],
    "sources": ["simulated", "convabuse"],
    "epsilons": [0.3],
    "sizes": [{"n_items": 40, "k_responses": 2}],
    "samplers": ["bootstrap_items/sample(1)"],
    "metrics": ["mae"],
    "n_draws": 40,
    "n_resamples": 40,
    "n_references": 2,
}
PRODUCTS = ["aggregate", "plot", "report"]
BARE_PATH = "/usr/local/bin:/usr/bin:/bin"
"""The path of a shell in which no environment is activated: rules must find their own nbyk."""
WORDS_OF_INPUT = re.compile(r"@- < <\(printf '%s\\0' (.*)\)$")
"""How a job is given its lists: the words stand on the command line where ``@-`` stands."""
PATIENCE = 1200.0
"""Seconds that a run may take on a busy machine before it counts as hung."""


def command(checkout: Path, directory: Path, *arguments: str, cores: int = 2) -> dict[str, Any]:
    profile = checkout / "workflow/profiles/default"
    options = ["--snakefile", checkout / "Snakefile", "--profile", profile, "--cores", str(cores)]
    words = [sys.executable, "-m", "snakemake", *options, "--configfile", "mine.yaml", *arguments]
    return {"args": list(map(str, words)), "cwd": directory, "env": {**os.environ, "PATH": BARE_PATH}}


def configure(directory: Path, config: dict[str, Any]) -> None:
    (directory / "mine.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def snakemake(checkout: Path, directory: Path, *arguments: str, cores: int = 2) -> tuple[int, str]:
    """Run Snakemake in `directory` and return its exit code and everything it printed."""
    started = command(checkout, directory, *arguments, cores=cores)
    words = started["args"][3:]  # after `python -m snakemake`
    return forked.run("snakemake", words, directory, started["env"], PATIENCE, jobs_are_copies=True)


def planned(checkout: Path, directory: Path, *arguments: str, whole: bool = False) -> list[str]:
    """Return the nbyk command lines that Snakemake would run, whole or from the name of the step on.

    Words that a job gets through standard input stand in them as if they were given there.
    """
    code, output = snakemake(checkout, directory, "--dry-run", "--printshellcmds", *arguments)
    assert code == 0, output[-3000:]
    assert "    input: " not in output, "a rule without a message prints all of its files"
    before = "" if whole else "(?:study )?"
    commands = re.findall(rf"^Shell command: nbyk {before}(.*?) *> logs", output, flags=re.MULTILINE)
    assert commands or "Nothing to be done" in output, output[-3000:]
    return [WORDS_OF_INPUT.sub(r"\1", line) for line in commands]


def rules(commands: list[str]) -> Counter[str]:
    """Count the rules of the default run by command: a cell's by its step."""
    return Counter(step_of(line) for line in commands)


def step_of(line: str) -> str:
    command = line.split()[0]
    return line.partition(" -- ")[2].split()[1] if command == "cell" else command


def jobs(commands: list[str]) -> Counter[str]:
    """Count jobs by command: a study's cells by study and step, its products by study."""
    n_operands = {"cell": 2, **dict.fromkeys(PRODUCTS, 1)}
    return Counter(
        " ".join([step, *line.partition(" -- ")[2].split()[: n_operands.get(step, 0)]])
        for line in commands
        for step in line.split()[:1]
    )


def assert_names_are_files(directory: Path, study: str) -> None:
    """Check that the figures and tables that Snakemake knows of a study are those that its run left."""
    config = yaml.safe_load((directory / "mine.yaml").read_text(encoding="utf-8"))
    with contextlib.chdir(directory):
        plan = RunPlan(config, ["mine.yaml"])
        named = [*plan.figure_files(plan.studies[study]), *plan.table_files(plan.studies[study])]
        folder = Path(plan.folder(plan.studies[study]))
        files = [*folder.glob("figures/**/*.*g"), *folder.glob("tables/**/*.csv")]
        made = [str(path) for path in files if ".nbyk" not in path.parts and "case_study" not in path.parts]
    assert sorted(named) == sorted(made)


def results(directory: Path) -> dict[str, bytes]:
    files = (path for path in (directory / "results").rglob("[!.]*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def finished_run(
    temporary: pytest.TempPathFactory, name: str, config: dict[str, Any], *arguments: str
) -> Path:
    """Return a folder with a checkout and a finished run, made once for all workers of pytest-xdist.

    Its jobs are copies; those on Slurm, which give the same bytes, and of the pages' commands start Python.
    """
    base = temporary.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "checkout").exists():
            for part in ("workflow", "envs"):
                shutil.copytree(ROOT / part, folder / "checkout" / part)
            shutil.copytree(
                ROOT / "src",
                folder / "checkout/src",
                ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
            )
            shutil.copy2(ROOT / "Snakefile", folder / "checkout")
            (folder / "run").mkdir()
            configure(folder / "run", config)
            places = folder / "checkout", folder / "run"
            code, output = snakemake(*places, *arguments)
            (folder / "output.txt").write_text(f"exit code {code}\n{output}", encoding="utf-8")
    output = (folder / "output.txt").read_text(encoding="utf-8")
    assert output.startswith("exit code 0\n"), output[-3000:]
    return folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory, "workflow", CONFIG)


def take_fits(run: Path, directory: Path) -> None:
    """Copy ratings and the priors fitted to them, which take long to make, from a finished run."""
    for name in ("ratings", "fits"):
        shutil.copytree(run / "results" / name, directory / "results" / name)
