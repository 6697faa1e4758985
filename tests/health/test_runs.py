"""The doctor's view of stopped runs: locks, scratch files, and Snakemake's marks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nbyk import health
from nbyk.files import replacing, write_text
from nbyk.health import examine_runs as examine
from nbyk.health import incomplete, living, scratch_files
from nbyk.lineage import recording


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with recording(["x"]):
        for name in ("results/a.txt", "results/s=1/b.txt", "elsewhere/c.txt"):
            write_text(name, name)
    (tmp_path / "never answered").mkdir()
    return tmp_path


@contextmanager
def program(name: str, *words: str, at: Path, script: Path) -> Iterator[int]:
    """Yield the number of a process that runs a program of this name in a folder."""
    (script / name).write_text("print(flush=True)\nimport time\ntime.sleep(60)\n")
    waiting = [sys.executable, str(script / name), *words]
    with subprocess.Popen(waiting, cwd=at, stdout=subprocess.PIPE) as started:
        try:
            assert started.stdout is not None
            started.stdout.readline()
            yield started.pid
        finally:
            started.kill()


def test_a_quiet_folder_is_well(run: Path) -> None:
    assert list(examine(run)) == []


def test_the_scratch_files_that_killed_writers_leave_are_found(run: Path) -> None:
    left = []
    names = ("a.txt", "s=1/b.txt", ".nbyk/a.txt.json")
    for name in (*(f"results/{name}" for name in names), "elsewhere/c.txt", "never answered/d.html"):
        with pytest.raises(ZeroDivisionError), replacing(name) as scratch:  # noqa: PT012
            os.link(scratch, kept := f"{scratch}.kept")
            left.append(scratch)
            raise ZeroDivisionError
        os.rename(kept, scratch)
    for own in ("results/.hidden", "elsewhere/.settings.yaml", ".a.txt.abcd1234"):
        Path(own).touch()
    assert scratch_files(run) == sorted(run / path for path in left)
    lines = [finding.line for finding in examine(run)]
    assert len(lines) == len(left)
    assert all(line.endswith(": the scratch file of a command that was killed; delete it") for line in lines)


def test_snakemakes_marks_are_read_however_long_the_name(run: Path) -> None:
    marks = run / ".snakemake/incomplete"
    long = "/".join(["results", *["x" * 100] * 3])
    coded = urlsafe_b64encode(long.encode()).decode()
    (marks / f"@{coded[:200]}").mkdir(parents=True)
    (marks / f"@{coded[:200]}" / coded[200:]).touch()
    for name in ("results/a.txt", "results/not there.txt"):
        (marks / urlsafe_b64encode(name.encode()).decode()).touch()
    (marks / "migration_underway").touch()
    assert sorted(incomplete(run)) == ["results/a.txt", "results/not there.txt", long]
    (finding,) = examine(run)
    assert finding.line.startswith("results/a.txt: Snakemake was stopped while making it; run Snakemake")


def test_a_lock_of_no_living_run_is_stale_and_one_of_a_living_run_is_not(
    run: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (run / ".snakemake/locks").mkdir(parents=True)
    (run / ".snakemake/locks/0.output.lock").write_text("results/a.txt\n")
    (finding,) = examine(run)
    assert finding.line.startswith(".snakemake/locks: locked by a run that is not running on this machine; ")
    assert "`snakemake --unlock`" in finding.line
    with program("snakemake", at=run, script=tmp_path_factory.mktemp("bin")) as number:
        assert living(run) == [number]
        assert living(run.parent) == []
        (finding,) = examine(run)
        said = f"a run is in progress here (process {number}), so nbyk does not check what it is writing"
        assert finding.line == f"note: .: {said}"
    assert living(run) == []


def test_a_lock_is_released_if_its_run_is_gone_and_only_then(
    run: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (run / ".snakemake/locks").mkdir(parents=True)
    lock = run / ".snakemake/locks/0.output.lock"

    def is_released() -> bool:
        lock.touch()
        released = health.release(run)
        assert released == (not lock.exists())
        return released

    assert not is_released()  # nobody knows whose it is
    health.mark(run)
    with program("snakemake", at=run, script=tmp_path_factory.mktemp("bin")):
        assert not is_released()
    with program("renamed", at=run, script=tmp_path_factory.mktemp("bin")) as number:
        marked = run / f".snakemake/nbyk_runs/{socket.gethostname()}.{number}"
        assert living(run) == []
        marked.touch()
        assert living(run) == [number]  # whatever its words are: a run's copy has those of what it is of
        assert not is_released()
        marked.unlink()
    elsewhere = run / ".snakemake/nbyk_runs/another-machine.7"
    elsewhere.touch()
    assert not is_released()
    elsewhere.unlink()
    assert is_released()
    assert not is_released()  # its mark is gone with it
    health.mark(run)
    health.unmark(run)
    assert not is_released()


def test_a_program_that_starts_a_run_and_waits_for_it_is_no_other_run(run: Path) -> None:
    """As `timeout 60 snakemake` does: its words name Snakemake, too."""
    code = f"from pathlib import Path\nfrom nbyk.health import living\nprint(living(Path({str(run)!r})))"
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], check=True)"
    (run / "snakemake").write_text(inner, encoding="utf-8")
    words = [sys.executable, str(run / "snakemake")]
    printed = subprocess.run(words, cwd=run, capture_output=True, text=True, check=True).stdout
    assert printed == "[]\n"


def test_the_doctor_itself_is_no_run(run: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    script = tmp_path_factory.mktemp("bin")
    for words, is_run in ((["doctor"], False), (["why", "results"], False), (["estimate"], True)):
        with program("nbyk", *words, at=run, script=script) as number:
            assert living(run) == [number] * is_run


def test_without_proc_processes_are_listed_by_psutil_and_without_that_not_at_all(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_proc = {number for number, _, _ in health._processes()}
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: "/proc" not in str(path) and exists(path))
    pytest.importorskip("psutil")
    assert os.getpid() in by_proc & {number for number, _, _ in health._processes()}
    assert living(run) == []
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert living(run) is None
    (run / ".snakemake/locks").mkdir(parents=True)
    (run / ".snakemake/locks/0.output.lock").touch()
    (finding,) = examine(run)
    assert finding.what == "locked by a run"
