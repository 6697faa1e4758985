"""Power cuts: whenever they come, every file is the old one or the whole new one."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from nbyk.cli import main
from nbyk.files import SCRATCH, write_text
from nbyk.provenance import FOLDER, Record, recorded_file
from tests.faults.disk import Files, Step, after_power_cut, files_in, recording
from tests.faults.runs import WRITERS, check_same_bytes, copy, differing, outputs

CHANCES = 20
"""What the disk may hold is drawn so often for each step after which the power may go."""
MOST = 600
"""Of many steps, what the disk may hold is drawn so often in all, but at least once for each."""


def run_nbyk(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["nbyk", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code


def broken(before: Files, after: Files, found: Files, *, may_go: bool = False) -> list[str]:
    """Return the files that are neither the old ones nor the new ones, and those that are gone.

    Files of an answer `may_go`: the old ones go before the new ones come, and the next try makes them
    (tests/faults/test_answers.py holds that none of both stand together). A record may be gone, but must not
    be of another file than the one beside it, unless that is how it was.
    """
    records = {name for name in before | after if f"{os.sep}{FOLDER}{os.sep}" in name}
    names = {name for name in before | after | found if not name.endswith(SCRATCH) and name not in records}
    wrong = [
        name
        for name in names
        if found.get(name) not in ([before[name]] if name in before else [None]) + [after.get(name)]
        and not (may_go and name not in found)
    ]
    for name in records & set(found):
        file = file_of(name)
        untouched = all(found.get(each) == before.get(each) for each in (name, file))
        if file in found and not untouched:
            expected = Record.from_json(found[name].decode()).sha256
            wrong += [name] * (hashlib.sha256(found[file]).hexdigest() != expected)
    return sorted(wrong)


@cache
def file_of(record: str) -> str:
    return str(recorded_file(Path(record)))


def cuts(before: Files, steps: list[Step], chance: random.Random) -> list[Files]:
    """Return what the disk may hold after a power cut at any step."""
    chances = min(CHANCES, max(1, MOST // len(steps)))
    return [
        after_power_cut(before, steps[:end], chance) for end in range(len(steps) + 1) for _ in range(chances)
    ]


@pytest.mark.parametrize("rule", WRITERS)
def test_a_power_cut_leaves_whole_files_and_the_next_try_gives_the_same_bytes(
    rule: str,
    jobs: dict[str, list[str]],
    shared: Path,
    tmp_path: Path,
    moment: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    directory = copy(shared, tmp_path)
    monkeypatch.chdir(directory)
    made = outputs(jobs[rule], shared)
    for name in made:
        if moment.random() < 0.5:
            Path(name).unlink()
        else:
            Path(name).write_bytes(Path(name).read_bytes()[::2])
    # A folder that is made anew can be lost.
    folder = Path(made[0]).parent
    if not any(folder.iterdir()):
        folder.rmdir()
    before = files_in(directory / "results")
    with recording(directory / "results") as steps:
        run_nbyk(jobs[rule], monkeypatch)
    assert differing(shared, directory) == []
    after = files_in(directory / "results")
    # Every file takes its name in one step, from a scratch file.
    moved = [step.to for step in steps if step.what == "move"]
    changed = {name for name in after if before.get(name) != after[name]}
    assert {str(directory / name) for name in made} | changed <= set(moved)
    assert len(moved) == len(set(moved))
    written = {step.path for step in steps if step.what in ("create", "write", "move", "sync")}
    assert [path for path in written if not path.endswith(SCRATCH)] == []
    for found in cuts(before, steps, moment):
        assert broken(before, after, found, may_go=rule in ("plot", "report")) == []
    # What has been written when the command ends is there to stay.
    for _ in range(CHANCES):
        found = after_power_cut(before, steps, moment)
        assert {name: found[name] for name in found if not name.endswith(SCRATCH)} == after
    restart_on(after_power_cut(before, steps[: moment.randrange(len(steps))], moment), directory)
    run_nbyk(jobs[rule], monkeypatch)
    check_same_bytes(shared, directory)


def restart_on(found: Files, directory: Path) -> None:
    """Make the results what a disk held after a power cut."""
    shutil.rmtree(directory / "results")
    for name, content in found.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)


def careless(path: Path, text: str) -> None:
    path.write_text(text)


def unsynced(path: Path, text: str) -> None:
    path.with_suffix(SCRATCH).write_text(text)
    os.replace(path.with_suffix(SCRATCH), path)


def forgetful(path: Path, text: str) -> None:
    with path.with_suffix(SCRATCH).open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path.with_suffix(SCRATCH), path)


@pytest.mark.parametrize(
    ("write", "tears", "forgets"),
    [(careless, True, True), (unsynced, True, True), (forgetful, False, True), (write_text, False, False)],
)
def test_the_model_finds_what_a_power_cut_breaks(
    write: Callable[[Path, str], None], tears: bool, forgets: bool, tmp_path: Path
) -> None:
    path = tmp_path / "new" / "file"
    path.parent.mkdir()
    path.write_text("old")
    before = files_in(tmp_path)
    with recording(tmp_path) as steps:
        write(path, "the new content")
    after = files_in(tmp_path)
    assert path.read_text() == "the new content"
    found = cuts(before, steps, random.Random(1))
    assert any(broken(before, after, each) for each in found) == tears
    assert any(each.get(str(path)) != after[str(path)] for each in found[-CHANCES:]) == forgets
