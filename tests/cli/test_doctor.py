"""`nbyk doctor`: one line for each thing, and an exit code that says whether there is something to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from nbyk import health
from tests.cli.conftest import Run


@pytest.fixture
def nbyk(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a line of words in an empty folder, on a disk that has room enough."""
    monkeypatch.setattr(health, "ROOM", 0)
    return nbyk


@pytest.mark.parametrize("folder", ["", " run", " run/../run"])
def test_all_is_well_or_there_is_something_to_do(
    folder: str, nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("run").mkdir()
    monkeypatch.chdir("run")
    assert nbyk("study prior simulated --semantics recommended --out results/prior.json")[0] == 0
    if folder:
        monkeypatch.chdir("..")
    shown = folder.strip() or "."
    assert nbyk(f"doctor{folder}") == (0, f"{shown}: all is well\n", "")
    prior = Path("run" if folder else ".") / "results/prior.json"
    content = prior.read_text()
    prior.write_text(content + " ")
    code, text, errors = nbyk(f"doctor{folder}")
    assert (code, errors) == (3, "")
    (line,) = text.splitlines()
    assert line.startswith(f"{prior}: found ")
    assert "that nbyk wrote: it was changed since" in line
    prior.write_text(content)
    (prior.parent / "note.txt").touch()
    code, text, _ = nbyk(f"doctor{folder}")
    assert code == 0
    assert [line.partition(": ")[0] for line in text.splitlines()] == ["note", shown]


def test_a_folder_that_is_not_there_is_one_error(nbyk: Run) -> None:
    code, text, errors = nbyk("doctor nowhere")
    assert (code, text) == (2, "")
    assert errors.startswith("error: nowhere: no such folder; ")


def test_a_folder_without_records_is_not_called_well(nbyk: Run) -> None:
    said = "note: .: holds no record of a file that nbyk made, so there is none to check\n"
    assert nbyk("doctor") == (0, f"{said}.: nothing to do; read the notes\n", "")


def test_scratch_files_in_hidden_and_linked_folders_of_answers_are_found(nbyk: Run, tmp_path: Path) -> None:
    left = []
    for name in (".answers/figures", "elsewhere/deep"):
        (tmp_path / name).mkdir(parents=True)
        left.append(tmp_path / name / ".effect.svg.abc.nbyk-part")
        left[-1].touch()
    Path("run").mkdir()
    Path("run/out").symlink_to(tmp_path / "elsewhere")
    Path("run/out/again").symlink_to("..")
    Path("run/.answers").symlink_to(tmp_path / ".answers")
    code, text, _ = nbyk("doctor run")
    assert code == 3
    assert text.count("the scratch file of a command that was killed; delete it") == 2
