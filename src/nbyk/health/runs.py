"""Leftovers of stopped runs: locks, scratch files, and Snakemake's marks of unfinished outputs."""

from __future__ import annotations

import importlib
import os
import socket
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbyk.files import is_scratch
from nbyk.health.finding import Finding
from nbyk.provenance.records import FOLDER, files_with_records, record_path, shown


def examine(folder: Path) -> Iterator[Finding]:
    """Yield the leftovers of stopped runs in a folder; during a run there, yield only that it is running."""
    processes = living(folder)
    if processes:
        numbers = ", ".join(map(str, processes))
        what = f"a run is in progress here (process {numbers}), so nbyk does not check what it is writing"
        yield Finding(shown(folder), what)
        return
    locks = sorted((folder / ".snakemake/locks").glob("*.lock"))
    if locks:
        what = "locked by a run" + ("" if processes is None else " that is not running on this machine")
        advice = "if no run is in progress elsewhere, type `make unlock` (`snakemake --unlock`) and run again"
        yield Finding(shown(locks[0].parent), what, advice)
    for output in incomplete(folder):
        if (folder / output).exists():
            advice = "run Snakemake again with --rerun-incomplete, as its profiles in workflow/ do"
            yield Finding(shown(folder / output), "Snakemake was stopped while making it", advice)
    for file in scratch_files(folder):
        yield Finding(shown(file), "the scratch file of a command that was killed", "delete it")


def living(folder: Path) -> list[int] | None:
    """Return the processes of Snakemake or nbyk in a folder; None if processes cannot be listed here."""
    here = folder.resolve()
    try:
        running = list(_processes())
    except ImportError:
        return None
    return [
        number
        for number, words, place in running
        if number != os.getpid() and Path(place) == here and _is_run(words)
    ]


def mark(folder: Path) -> None:
    """Note that a run of this machine has begun in a folder, so that a later one can tell if it is gone."""
    _marks(folder).mkdir(parents=True, exist_ok=True)
    (_marks(folder) / f"{socket.gethostname()}.{os.getpid()}").touch()


def unmark(folder: Path) -> None:
    """Note that the run has ended."""
    (_marks(folder) / f"{socket.gethostname()}.{os.getpid()}").unlink(missing_ok=True)


def release(folder: Path) -> bool:
    """Remove Snakemake's lock of a folder if it was left by a run of this machine that is no more.

    Returns
    -------
    bool
        Whether it was removed. It stays if any process of Snakemake or nbyk is alive in the folder, if
        processes cannot be listed, if a run of another machine may be, or if none of this machine is known.
    """
    here = f"{socket.gethostname()}."
    marks = list(_marks(folder).glob("*"))
    own = [mark for mark in marks if mark.name.startswith(here)]
    locks = list((folder / ".snakemake/locks").glob("*.lock"))
    if not locks or not own or len(own) < len(marks) or living(folder) != []:
        return False
    for file in (*locks, *own):
        file.unlink(missing_ok=True)
    return True


def _marks(folder: Path) -> Path:
    return folder / ".snakemake/nbyk_runs"


def incomplete(folder: Path) -> Iterator[str]:
    """Yield the outputs that Snakemake has begun but not finished, according to its marks."""
    marks = folder / ".snakemake/incomplete"
    for mark in sorted(path for path in marks.rglob("*") if path.is_file()):
        # A long name is cut into folders, each of which begins with @.
        parts = mark.relative_to(marks).parts
        coded = "".join([*(part.removeprefix("@") for part in parts[:-1]), parts[-1]])
        try:
            yield urlsafe_b64decode(coded).decode()
        except ValueError:
            continue


def scratch_files(folder: Path) -> list[Path]:
    """Return the scratch files that `nbyk.files.replacing` left among results and records."""
    recorded = list(files_with_records(folder))
    places = {file.parent for file in recorded} | {record_path(file).parent for file in recorded}
    for results in (folder / "results", folder / FOLDER):
        places |= {results, *(path for path in results.rglob("*") if path.is_dir())}
    return sorted(
        file.absolute()
        for place in places
        if place.is_dir()
        for file in place.iterdir()
        if is_scratch(file.name) and file.is_file()
    )


def _is_run(words: Sequence[str]) -> bool:
    names = [Path(word).name for word in words[:3]]
    return "snakemake" in names or ("nbyk" in names and not {"doctor", "why"} & set(words))


def _processes() -> Iterator[tuple[int, list[str], str]]:
    """Yield number, command line and working directory of each process that we may look at."""
    if Path("/proc/self/cmdline").exists():
        for place in Path("/proc").iterdir():
            if place.name.isdigit():
                try:
                    words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
                    yield int(place.name), words, os.readlink(place / "cwd")
                except OSError:  # it has ended, or is another user's
                    continue
        return
    # Snakemake needs it; nbyk alone does not.
    psutil = importlib.import_module("psutil")
    for process in psutil.process_iter(["cmdline", "cwd"]):
        yield process.pid, process.info["cmdline"] or [], process.info["cwd"] or ""
