"""The doctor's view of results: edited, cut off, gone, outdated, or without a record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbyk.files import read_json, write_json
from nbyk.health import examine_results as examine
from nbyk.lineage import recording
from nbyk.provenance import record_path


def make(out: str, *inputs: str) -> None:
    with recording(["make", *inputs, "--out", out]):
        write_json(out, [read_json(path) for path in inputs])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a run: own.json → results/a → results/x=1/b and results/c."""
    monkeypatch.chdir(tmp_path)
    Path("own.json").write_text("1")
    make("results/a.json", "own.json")
    make("results/x=1/b.json", "results/a.json")
    make("results/c.json", "results/a.json")
    return tmp_path


def lines(run: Path) -> list[str]:
    return [finding.line for finding in examine(run)]


def test_a_finished_run_is_well(run: Path) -> None:
    assert lines(run) == []


@pytest.mark.parametrize(("content", "word"), [("[\n  2\n]\n", "changed"), ("[\n", "cut off")])
def test_an_edit_is_seen_even_if_the_files_time_is_what_it_was(content: str, word: str, run: Path) -> None:
    status = os.stat("results/a.json")
    Path("results/a.json").write_text(content)
    os.utime("results/a.json", ns=(status.st_atime_ns, status.st_mtime_ns))
    (line,) = lines(run)  # and not that b and c were made from another a
    assert line.startswith(f"results/a.json: found {len(content)} bytes of SHA-256 ")
    assert f" that nbyk wrote: it was {word} since; make it again: `nbyk why results/a.json` names " in line


def test_what_is_missing_is_named_by_folder(run: Path) -> None:
    for name in ("a", "c", "x=1/b"):
        Path(f"results/{name}.json").unlink()
    first, second = lines(run)
    assert first.startswith(
        "results: 2 files (a.json, …) are missing, though recorded as written; make it again"
    )
    assert second.startswith("results/x=1: b.json is missing")


def test_an_input_that_has_changed_is_named_once(run: Path) -> None:
    make("results/a.json")
    (line,) = lines(run)
    assert line.startswith("results/a.json: has changed: 2 files (results/")
    assert "run again" in line
    make("results/x=1/b.json", "results/a.json")
    (line,) = lines(run)
    assert "has changed: results/c.json is made from another version of it" in line


def test_a_source_that_is_gone_is_only_noted(run: Path) -> None:
    Path("own.json").unlink()
    assert lines(run) == ["note: own.json: is gone; results/a.json is made from it"]


def test_files_without_a_record_are_only_noted(run: Path) -> None:
    write_json("results/by hand.json", {})
    Path("results/.hidden").touch()
    (line,) = lines(run)
    assert line.startswith("note: results: results/by hand.json is without a record")


def test_a_damaged_record_is_named(run: Path) -> None:
    record_path("results/c.json").write_text("")
    first, second = lines(run)
    assert first.startswith("results/.nbyk/c.json.json: not a record of nbyk's (")
    assert first.endswith("; delete it and results/c.json, and run again")
    assert second.startswith("note: ")


def test_a_file_that_is_just_being_replaced_is_not_called_changed(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbyk import health

    times: list[Path] = []

    def overtaken(file: Path) -> str:
        times.append(file)
        with recording(["make"]):
            write_json("results/c.json", len(times))
        return "checksum of another moment"

    monkeypatch.setattr(health, "checksum_if_there", overtaken)
    assert [line.partition(":")[0] for line in lines(run) if "was c" in line] == [
        "results/a.json",
        "results/x=1/b.json",
    ]
