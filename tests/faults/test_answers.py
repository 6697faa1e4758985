"""Answers in a folder that is used: whenever a command ends, the files there are of one answer."""

from __future__ import annotations

import random
import shutil
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


def words(system: str, out: str) -> list[str]:
    return [NBYK, *f"compare --gold gold.csv sim_a.csv {system}.csv --quick --out {out}".split()]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """Return a folder with answers in `used` and `fresh`, and the seconds that one took."""
    folder = tmp_path_factory.mktemp("answers")
    for name, content in example_files().items():
        (folder / name).write_bytes(content)
    started = time.monotonic()
    for system, out in (("sim_b", "used"), ("sim_c", "fresh")):
        subprocess.run(words(system, out), cwd=folder, check=True, capture_output=True)
    return folder, (time.monotonic() - started) / 2


@pytest.mark.faults
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_a_comparison_that_is_stopped_leaves_the_old_answer_or_the_new_one(
    number: signal.Signals,
    undisturbed: tuple[Path, float],
    tmp_path: Path,
    moment: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, seconds = undisturbed
    place = Path(shutil.copytree(folder, tmp_path / "place"))
    old, new = (relative(place / out) for out in ("used", "fresh"))
    with subprocess.Popen(
        words("sim_c", "used"), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        # Most of what is written is written near the end.
        time.sleep(moment.triangular(0.0, 1.1 * seconds, seconds))
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    found = relative(place / "used")
    assert found.items() <= old.items() or found.items() <= new.items()
    monkeypatch.chdir(place)
    told = [finding.line for finding in examine(place) if finding.advice]
    assert (told == []) == (found in (old, new)), told
    subprocess.run(words("sim_c", "used"), cwd=place, check=True, capture_output=True)
    assert relative(place / "used") == new


def relative(folder: Path) -> Files:
    return {str(Path(name).relative_to(folder)): content for name, content in parts(files_in(folder)).items()}
