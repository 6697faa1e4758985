"""Answers in a folder that is used: whenever a command ends, the files there are of one answer."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

from nbyk.data.example import example_files
from nbyk.files import SCRATCH
from nbyk.health.results import examine
from nbyk.provenance.records import FOLDER
from nbyk.report.answer import Answer, AnswerTable, write_answer
from tests.faults.disk import Files, after_power_cut, files_in, recording
from tests.faults.runs import NBYK, PATIENCE

CHANCES = 5
"""What the disk may hold is drawn so often for each step after which the power may go."""


def answer(sentence: str, *tables: str) -> Answer:
    frame = pd.DataFrame({"said": [sentence]})
    return Answer(
        sentence,
        (sentence,),
        tuple(AnswerTable(name, name, frame) for name in tables),
        (),
        (),
        {"said": sentence},
    )


def parts(files: Files) -> Files:
    """Return the files that a user sees: neither records nor scratch files."""
    return {
        name: content
        for name, content in files.items()
        if FOLDER not in Path(name).parts and SCRATCH not in name
    }


def test_a_power_cut_leaves_one_answer_whole_or_in_part_and_the_next_try_makes_it_whole(
    tmp_path: Path, moment: random.Random
) -> None:
    folder = tmp_path / "out"
    write_answer(answer("old", "kept", "left out"), folder, stem="answer")
    before = files_in(folder)
    with recording(folder) as steps:
        write_answer(answer("new", "kept", "added"), folder, stem="answer")
    after = files_in(folder)
    old, new = parts(before), parts(after)
    assert set(old) - set(new)
    assert {old[name] for name in set(old) & set(new)}.isdisjoint(new.values())
    seen = []
    for end in range(len(steps) + 1):
        for _ in range(CHANCES):
            found = parts(after_power_cut(before, steps[:end], moment))
            assert found.items() <= old.items() or found.items() <= new.items()
            seen.append(found)
    assert old in seen
    for _ in range(CHANCES):
        assert parts(after_power_cut(before, steps, moment)) == new


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_a_comparison_that_is_stopped_leaves_the_old_answer_or_the_new_one(
    number: signal.Signals, tmp_path: Path, moment: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in example_files().items():
        (tmp_path / name).write_bytes(content)

    def words(system: str, out: str) -> list[str]:
        return [NBYK, *f"compare --gold gold.csv sim_a.csv {system}.csv --quick --out {out}".split()]

    started = time.monotonic()
    for system, out in (("sim_b", "used"), ("sim_c", "fresh")):
        subprocess.run(words(system, out), cwd=tmp_path, check=True, capture_output=True)
    seconds = (time.monotonic() - started) / 2
    old, new = (relative(tmp_path / out) for out in ("used", "fresh"))
    with subprocess.Popen(
        words("sim_c", "used"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        # Most of what is written is written near the end.
        time.sleep(moment.triangular(0.0, 1.1 * seconds, seconds))
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    found = relative(tmp_path / "used")
    assert found.items() <= old.items() or found.items() <= new.items()
    monkeypatch.chdir(tmp_path)
    told = [finding.line for finding in examine(tmp_path) if finding.advice]
    assert (told == []) == (found in (old, new)), told
    subprocess.run(words("sim_c", "used"), cwd=tmp_path, check=True, capture_output=True)
    assert relative(tmp_path / "used") == new


def relative(folder: Path) -> Files:
    return {str(Path(name).relative_to(folder)): content for name, content in parts(files_in(folder)).items()}
