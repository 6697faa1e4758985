"""The GitHub Action: its steps run here as they stand, with the programs that they call."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from nbyk.data.sources import example_files
from nbyk.report.comparison.sentences import WITHIN_MARGIN

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
EQUIVALENT = WITHIN_MARGIN["equivalent"].of_pair.format(leader="sim_a", other="sim_c", size="0.2")
UNDECIDED = WITHIN_MARGIN["undecided"].of_pair.format(a="sim_c", b="sim_a", size="0.08")
EXPRESSION = re.compile(r"\$\{\{ *([^}]*?) *\}\}")


def resolved(text: str, known: dict[str, str]) -> str:
    """Return a text with the values of its expressions."""
    return EXPRESSION.sub(lambda expression: known[expression[1]], text)


def run(folder: Path, **given: str) -> tuple[int, dict[str, str], str]:
    """Run the steps in a folder; return the exit code, the outputs of `compare` and what was commented."""
    temporary = folder / "runner"
    (temporary / "bin").mkdir(parents=True)
    gh = temporary / "bin/gh"
    gh.write_text(
        '#!/bin/sh\nwhile [ "$1" != --body-file ]; do shift; done\ncat "$2" > "$RUNNER_TEMP/comment.md"\n'
    )
    gh.chmod(0o755)
    inputs = {name: str(of.get("default", "")) for name, of in ACTION["inputs"].items()} | given
    known = {
        **{f"inputs.{name}": value for name, value in inputs.items()},
        "github.token": "token",
        "github.event.pull_request.number": "7",
    }
    environment = {
        "PATH": f"{temporary / 'bin'}:/usr/bin:/bin",
        "HOME": os.environ.get("HOME", ""),
        "RUNNER_TEMP": str(temporary),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_REPOSITORY": "someone/something",
        "GITHUB_STEP_SUMMARY": str(temporary / "summary.md"),
        "GITHUB_OUTPUT": str(temporary / "output"),
    }
    outputs: dict[str, str] = {}
    code = 0
    for step in ACTION["runs"]["steps"]:
        if step["name"] == "Install nbyk":  # tests/wheel installs; here the program that is at hand is taken
            program = temporary / "nbyk/bin/nbyk"
            program.parent.mkdir(parents=True)
            program.write_text(f'#!/bin/sh\nexec "{Path(sys.executable).parent / "nbyk"}" "$@"\n')
            program.chmod(0o755)
            continue
        found = known | {f"steps.compare.outputs.{name}": value for name, value in outputs.items()}
        own = {name: resolved(text, found) for name, text in step.get("env", {}).items()}
        assert "${{" not in step["run"]
        ended = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**environment, **own},
            capture_output=True,
            text=True,
        )
        code = ended.returncode
        lines = (temporary / "output").read_text().splitlines() if (temporary / "output").exists() else []
        outputs = dict(line.split("=", 1) for line in lines)
        if code:
            break
    commented = temporary / "comment.md"
    return code, outputs, commented.read_text() if commented.exists() else ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "example").mkdir()
    for name, content in example_files().items():
        (tmp_path / "example" / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize(
    ("candidate", "margin", "code", "verdict", "words"),
    [
        ("sim_a", "", 0, "yes", "sim_a is better than sim_c"),
        ("sim_c", "", 3, "no", "Undecided: sim_c is not shown to be better than sim_a"),
        ("sim_c", "0.08", 4, "inconclusive", UNDECIDED),
    ],
)
def test_the_verdict_is_the_exit_code_and_a_comment(
    candidate: str, margin: str, code: int, verdict: str, words: str, folder: Path
) -> None:
    baseline = "sim_c" if candidate == "sim_a" else "sim_a"
    ended, outputs, comment = run(
        folder,
        gold="example/gold.csv",
        candidate=f"example/{candidate}.csv",
        baseline=f"example/{baseline}.csv",
        margin=margin,
        options="--resamples 999 --max-resamples 999",
    )
    assert (ended, outputs["verdict"]) == (code, verdict)
    assert comment.startswith(f"**{words}**")
    assert Path(outputs["report"], "compare.html").exists()


def test_options_of_several_lines_are_all_read(folder: Path) -> None:
    code, outputs, comment = run(
        folder,
        gold="example/gold.csv",
        candidate="example/sim_c.csv",
        baseline="example/sim_a.csv",
        options="\n--seed 2 --resamples 999\n\n--margin=0.2\n",
    )
    assert (code, outputs["verdict"]) == (0, "yes")
    assert comment.startswith(f"**{EQUIVALENT}")


def test_bad_input_ends_the_action_without_a_comment(folder: Path) -> None:
    code, outputs, comment = run(
        folder, candidate="no.csv", baseline="example/sim_a.csv", gold="example/gold.csv"
    )
    assert (code, outputs, comment) == (2, {}, "")


def test_a_hostile_name_is_no_option_and_no_command(folder: Path) -> None:
    hostile = "--metric-file=$(touch hacked).csv"
    code, *_ = run(folder, candidate=hostile, baseline="example/sim_a.csv", gold="example/gold.csv")
    assert code == 2
    assert not (folder / "hacked").exists()
