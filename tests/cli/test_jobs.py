"""What jobs ask of the command line: to read words from standard input, and to say what they took."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from nbyk.progress import USAGE_VARIABLE
from nbyk.studies.study import Cell
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("nbyk")


def words_of_input(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    content = b"".join(os.fsencode(word) + b"\0" for word in words)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_words_of_standard_input_stand_where_the_command_line_says(
    run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--semantics", "recommended", "--out", "ε of\nB.json", "--", "simulated"]
    assert run_words("study", "prior", *words)[0] == 0
    direct = Path("ε of\nB.json").read_bytes()
    Path("ε of\nB.json").unlink()
    words_of_input(monkeypatch, *words)
    assert run_words("study", "prior", "@-")[0] == 0
    assert Path("ε of\nB.json").read_bytes() == direct
    words_of_input(monkeypatch, *words[2:])
    assert run_words("study", "prior", *words[:2], "@-")[0] == 0
    assert Path("ε of\nB.json").read_bytes() == direct


def test_elsewhere_it_is_a_name_like_any_other(
    run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    words_of_input(monkeypatch, "simulated")
    code, _, errors = run_words("compare", "@-", "b.csv")
    assert code == 2
    assert errors.startswith("error: @-: ")


def shell_of(rule: str) -> str:
    """Return the shell command of `nbyk study RULE` as it stands among the rules of the studies."""
    text = (ROOT / "workflow/rules/studies.smk").read_text(encoding="utf-8")
    shells = re.findall(r"^ +shell:\n((?: +\".*\n)+)", text, re.MULTILINE)
    (lines,) = (lines for lines in shells if f"nbyk study {rule} " in lines)
    return "".join(line.strip().strip('"') for line in lines.splitlines()).replace("\\\\", "\\")


@pytest.mark.parametrize(("rule", "step"), [("cell", "estimate_p"), ("report", ""), ("aggregate", "")])
def test_a_plan_of_many_cells_is_longer_than_a_command_line_and_no_job_minds(
    rule: str, step: str, tmp_path: Path
) -> None:
    files = [
        f"results/pvalues/semantics=published/source=simulated/cell-{n:05}.parquet" for n in range(40_000)
    ]
    cell = Cell("x", step, {"metrics": [f"metric_{n}" for n in range(20_000)]}, {"pvalues": files})
    study = ["wein2023", *([step] if step else [])]
    with pytest.raises(OSError, match="Argument list too long"):
        subprocess.run([PROGRAM, "study", "report", *cell.options(), "--", *study, *cell.words()])
    fields = {
        "{params.options:q}": shlex.join(cell.options()),
        "{params.words:q}": shlex.join(cell.words()),
        "{params.study} {params.step}": " ".join(study),
        "{params.study}": " ".join(study),
        "{params.folder}": "out",
        "{output}": "out",
        "{threads}": "1",
        "{log}": "job.log",
    }
    command = shell_of(rule)
    for field, text in fields.items():
        command = command.replace(field, text)
    assert "{" not in command.partition("<(")[0]
    # Snakemake, too, writes a long command to a file.
    (tmp_path / "job.sh").write_text(f"set -euo pipefail\n{command}\n", encoding="utf-8")
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    ended = subprocess.run(["bash", "job.sh"], cwd=tmp_path, env={**os.environ, "PATH": path})
    assert ended.returncode == 2
    # It was told everything, and misses the settings that the words above leave out.
    log = (tmp_path / "job.log").read_text(encoding="utf-8")
    assert log.startswith("error: wein2023 ")
    assert "nothing is given for" in log or "unknown setting" in log


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["study", "prior", "nobody"], 2)])
def test_a_job_says_at_its_end_what_it_took(words: list[str], code: int) -> None:
    silent = {name: value for name, value in os.environ.items() if name != USAGE_VARIABLE}
    for environment, lines in ((silent, 0), ({**silent, USAGE_VARIABLE: "1"}, 1)):
        ended = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=environment)
        assert ended.returncode == code
        found = re.findall(
            r"^took [0-9.]+ s, [0-9.]+ s of processors and (\d+) MB$", ended.stderr, re.MULTILINE
        )
        assert len(found) == lines
        assert all(10 < int(megabytes) < 2000 for megabytes in found)
