"""Answers in a folder that is used: whenever a command ends, the files there are of one answer."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from nbyk.files import SCRATCH, write_together
from nbyk.health import examine_results as examine
from nbyk.health import examine_runs
from nbyk.provenance import FOLDER, shown
from nbyk.report.answer import Answer, AnswerTable, write_answer
from tests.faults.disk import Files, after_power_cut, files_in, recording
from tests.faults.runs import wait_for_moment
from tests.workflow import forked
from tests.workflow.runs import PATIENCE

CHANCES = 5
"""What the disk may hold is drawn so often for each step after which the power may go."""


def answer(sentence: str, *tables: str) -> Answer:
    frame = pd.DataFrame({"said": [sentence]})
    return Answer(
        sentence,
        (sentence,),
        lambda: tuple(AnswerTable(name, name, frame) for name in tables),
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


KILLS = 64


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_doctor_names_every_file_that_each_of_64_killed_writers_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"table {n}" for n in range(6)]
    write_answer(answer("old", *names[:4]), tmp_path / "before", stem="answer")
    whole = relative(tmp_path / "before")
    copied = shutil.copytree(tmp_path / "before", tmp_path / "whole")
    write_answer(answer("new", *names[2:]), tmp_path / "after", stem="answer")
    contents = relative(tmp_path / "after")
    n_steps = steps_of_writer(contents, copied, killed_at=None)
    new = relative(copied)
    shutil.rmtree(copied)
    assert n_steps > KILLS
    left_by = []
    for kill in range(KILLS):
        out = shutil.copytree(tmp_path / "before", tmp_path / "killed" / "out")
        steps_of_writer(contents, out, killed_at=1 + kill * (n_steps - 1) // (KILLS - 1))
        left = sorted(shown(path) for path in out.rglob(f".*{SCRATCH}"))
        assert [finding.where for finding in examine_runs(out.parent) if finding.advice] == left
        told = [finding.line for finding in examine(out.parent) if finding.advice]
        assert (told == []) == (relative(out) in (whole, new)), told
        left_by.append(len(left))
        shutil.rmtree(out.parent)
    assert max(left_by) > 6
    assert sum(map(bool, left_by)) > KILLS // 2


def steps_of_writer(contents: Files, folder: Path, *, killed_at: int | None) -> int:
    """Write an answer in a copy of this process, killed at one of its steps on files; return their number."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        n_steps = 0

        def step(event: str, _: object) -> None:
            nonlocal n_steps
            if event in ("open", "os.rename", "os.remove", "os.mkdir"):
                n_steps += 1
                if n_steps == killed_at:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(step)
        os.fsync = lambda fd: None  # it matters after a power cut only, and takes long
        try:
            write_together(folder, "answer", contents)
            os.write(writing, str(n_steps).encode())
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    os.close(writing)
    assert os.WIFSIGNALED(status) == (killed_at is not None)
    with open(reading, "rb") as counted:
        return int(counted.read() or 0)


SCORES = {"a.txt": "3 5 4 6 5 7 4", "b.txt": "2 5 3 6 4 6 3", "c.txt": "1 2 1 3 2 1 2"}
OLD, NEW = ("a.txt", "c.txt"), ("a.txt", "b.txt", "c.txt")
"""What the old answer and the new one in its place compare; the new one lacks a file of the old one."""


def compare_scores(files: Sequence[str], out: str, folder: Path) -> None:
    code, printed = forked.run("nbyk", ["compare", *files, "--out", out], folder, os.environ, PATIENCE)
    assert code == 0, printed


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """Return a folder with answers in `used` and `fresh`, and the seconds that the latter took."""
    folder = tmp_path_factory.mktemp("answers")
    for name, scores in SCORES.items():
        (folder / name).write_text("\n".join(scores.split()))
    compare_scores(OLD, "used", folder)
    began = time.monotonic()
    compare_scores(NEW, "fresh", folder)
    return folder, time.monotonic() - began


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
    assert set(old) - set(new)
    words = ["compare", *NEW, "--out", "used"]
    with (
        tempfile.TemporaryFile("w") as output,
        forked.started("nbyk", words, place, os.environ, output) as process,
    ):
        wait_for_moment(moment, seconds, place / "used", process)
        with suppress(ProcessLookupError):
            process.send(number)
        process.wait(PATIENCE)
    found = relative(place / "used")
    assert found.items() <= old.items() or found.items() <= new.items()
    monkeypatch.chdir(place)
    told = [finding.line for finding in examine(place) if finding.advice]
    assert (told == []) == (found in (old, new)), told
    left = sorted(shown(path) for path in place.rglob(f".*{SCRATCH}"))
    assert [finding.where for finding in examine_runs(place) if finding.advice] == left
    compare_scores(NEW, "used", place)
    assert relative(place / "used") == new


def relative(folder: Path) -> Files:
    return {str(Path(name).relative_to(folder)): content for name, content in parts(files_in(folder)).items()}
