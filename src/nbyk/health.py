"""The checks of `nbyk doctor`: of an installation, of a run's results, and for leftovers of stopped runs."""

from __future__ import annotations

import importlib
import os
import platform
import shlex
import shutil
import socket
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

# matplotlib and Snakemake need it, so it is always installed.
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from nbyk.errors import NbykError
from nbyk.files import is_scratch
from nbyk.lineage import checksum_if_there, inputs_of
from nbyk.provenance import (
    Record,
    answers_below,
    check,
    files_with_records,
    read_record,
    shown,
)

PACKAGE = Path(__file__).parent
_OF_OTHERS = {".git", ".snakemake", ".venv", "__pycache__"}
ROOM = 10**9
"""Least free bytes for a run: with fewer it may fail, as the full studies write a few hundred MB."""

Checksum = Callable[[Path], str | None]


@dataclass(frozen=True)
class Finding:
    """A finding about a file, folder or package, and what to do.

    Without advice it is for information only. If reading failed, the error's text is all of the advice.
    """

    where: str
    what: str
    advice: str = ""

    @property
    def line(self) -> str:
        """The finding on one line."""
        if not self.advice:
            return f"note: {self.where}: {self.what}"
        return f"{self.where}: {'; '.join(filter(None, (self.what, self.advice)))}"


def examine(folder: Path) -> Iterator[Finding]:
    """Yield all findings about the folder of a run, and about the installation that would run there."""
    folder = Path(os.path.abspath(folder))
    yield from python_and_packages()
    yield from compiled_code()
    yield from place_to_write(folder)
    yield from examine_results(folder)
    yield from examine_runs(folder)


def python_and_packages() -> Iterator[Finding]:
    """Yield the packages that are missing or older than nbyk needs."""
    wanted = SpecifierSet(metadata("nbyk")["Requires-Python"])
    if platform.python_version() not in wanted:
        yield Finding(
            "Python", f"{platform.python_version()}, expected {wanted}", "make the environment anew"
        )
    for needed in map(Requirement, requires("nbyk") or ()):
        if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
            continue
        try:
            present = version(needed.name)
            is_right = needed.specifier.contains(present, prereleases=True)
        except PackageNotFoundError:
            present, is_right = "is missing", False
        if not is_right:
            yield Finding(needed.name, f"{present}, expected {needed.specifier}", f"pip install '{needed}'")


def compiled_code() -> Iterator[Finding]:
    """Yield compiled code that was cut off, as by a power cut; every attempt to load it would fail."""
    places = [PACKAGE, *(Path(place) for place in [os.environ.get("NUMBA_CACHE_DIR")] if place)]
    files = [file for place in places for file in sorted([*place.rglob("*.nbi"), *place.rglob("*.nbc")])]
    for file in files:
        content = file.read_bytes()
        if not content.endswith(b"."):  # as every complete pickle does
            what = f"compiled code of {len(content)} bytes that was cut off"
            yield Finding(str(file), what, "delete it: nbyk compiles it again when needed")


def place_to_write(folder: Path) -> Iterator[Finding]:
    """Yield folders of results without write permission, and a disk that is nearly full."""
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        yield Finding(
            shown(folder), f"{free / 1e6:.0f} MB of its disk are free", f"free {ROOM / 1e6:.0f} MB or more"
        )
    top = folder / "results"
    for place in (
        [top, *sorted(path for path in top.rglob("*") if path.is_dir())] if top.is_dir() else [folder]
    ):
        if not os.access(place, os.W_OK | os.X_OK):
            advice = "give yourself the right to write there (chmod u+w, or mount it for writing)"
            yield Finding(shown(place), "may not be written", advice)


def examine_results(folder: Path) -> Iterator[Finding]:
    """Yield findings about the results below a folder: errors, and some only for information."""
    checksum, records = cache(checksum_if_there), dict[Path, Record]()
    missing, wrong = list[Path](), set[Path]()
    files = sorted(files_with_records(folder))
    if not files:
        yield Finding(shown(folder), "holds no record of a file that nbyk made, so there is none to check")
    for file in files:
        try:
            record = read_record(file)
            if record is None:  # a command is writing the file anew
                continue
            records[file] = record
            digest = checksum(file)
            if digest is None:
                missing.append(file)
            elif digest != record.sha256 and read_record(file) == record:
                wrong.add(file)
                check(shown(file), record, digest, file.stat().st_size)
        except NbykError as error:
            yield Finding(error.file or shown(file), "", error.problem)
    yield from _missing(missing)
    reported = wrong.union(missing)
    yield from _mixed(folder, checksum, reported)
    yield from _outdated(records, checksum, reported)
    yield from _unrecorded(folder / "results", records)


def _missing(files: Collection[Path]) -> Iterator[Finding]:
    by_folder = defaultdict[Path, list[Path]](list)
    for file in files:
        by_folder[file.parent].append(file)
    for place, gone in by_folder.items():
        what = f"{_counted([file.name for file in gone])} missing, though recorded as written"
        # By itself Snakemake skips files that no other file needs.
        again = f"make it again: `nbyk why {shlex.quote(shown(gone[0]))}` names the command"
        advice = f"{again}, or delete the records (in .nbyk) of files that you do not want"
        yield Finding(shown(place), what, advice)


def _mixed(folder: Path, checksum: Checksum, reported: Collection[Path]) -> Iterator[Finding]:
    """Yield the answers that lack files or mix in another answer's, except files in `reported`."""
    for place, stem, listed in answers_below(folder):
        digests = {name: checksum(place / name) for name in listed}
        wrong = [name for name in listed if digests[name] != listed[name] and place / name not in reported]
        lost = [name for name in wrong if digests[name] is None]
        other = [name for name in wrong if digests[name] is not None]
        # Whoever deletes an answer leaves nothing; a command that was killed leaves scratch files.
        if wrong and (any(digests.values()) or _has_scratch(place, listed)):
            what = " and ".join(
                f"{_counted(names)} {problem}"
                for names, problem in ((lost, "missing"), (other, "another answer's"))
                if names
            )
            advice = (
                f"the command that writes it was stopped: run it again with --out {shlex.quote(shown(place))}"
            )
            yield Finding(shown(place), f"of the {len(listed)} files of its {stem}, {what}", advice)


def _has_scratch(place: Path, names: Collection[str]) -> bool:
    """Return whether a scratch file stands in a folder of these files."""
    folders = {(place / name).parent for name in names}
    return any(is_scratch(path.name) for folder in folders if folder.is_dir() for path in folder.iterdir())


def _outdated(
    records: dict[Path, Record], checksum: Checksum, reported: Collection[Path]
) -> Iterator[Finding]:
    """Yield the inputs that have changed, except those in `reported`."""
    made_from = defaultdict[tuple[Path, bool], list[str]](list)
    for file, record in records.items():
        for _, source, digest in inputs_of(file, record):
            digest_now = checksum(source)
            if digest_now != digest and source not in reported:
                made_from[source, digest_now is None].append(shown(file))
    for (source, is_gone), files in made_from.items():
        if is_gone:
            yield Finding(shown(source), f"is gone; {_counted(files)} made from it")
        else:
            what = f"has changed: {_counted(files)} made from another version of it"
            advice = "run again; if that leaves files as they are, make them again: `nbyk why "
            yield Finding(shown(source), what, f"{advice}{shlex.quote(files[0])}` names the command")


def _unrecorded(results: Path, records: Collection[Path]) -> Iterator[Finding]:
    known = set(records)
    known.add(results / "README.md")  # it comes with the repository
    files = (path for path in sorted(results.rglob("*")) if path.is_file() and path not in known)
    names = [
        shown(file) for file in files if not any(part[0] == "." for part in file.relative_to(results).parts)
    ]
    if names:
        what = f"{_counted(names)} without a record: made by another program, by an older nbyk"
        yield Finding(shown(results), f"{what}, or by a command that stopped (run that one again)")


def _counted(names: Collection[str]) -> str:
    first = next(iter(names))
    return f"{first} is" if len(names) == 1 else f"{len(names)} files ({first}, …) are"


def examine_runs(folder: Path) -> Iterator[Finding]:
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
    """Return the processes of Snakemake or nbyk in a folder; None if processes cannot be listed here.

    They are known by their command line, or by the mark of their run.
    """
    here = folder.resolve()
    marked = {path.name for path in _marks(folder).glob("*")}
    try:
        running = list(_processes())
    except ImportError:
        return None
    return [
        number
        for number, words, place in running
        if number not in (os.getpid(), os.getppid())
        and Path(place) == here
        and (_is_run(words) or _name_of_mark(number) in marked)
    ]


def mark(folder: Path) -> None:
    """Note that a run of this machine has begun in a folder, so that a later one can tell if it is gone."""
    _marks(folder).mkdir(parents=True, exist_ok=True)
    (_marks(folder) / _name_of_mark(os.getpid())).touch()


def unmark(folder: Path) -> None:
    """Note that the run has ended."""
    (_marks(folder) / _name_of_mark(os.getpid())).unlink(missing_ok=True)


def release(folder: Path) -> bool:
    """Remove Snakemake's lock of a folder if it was left by a run of this machine that is no more.

    It stays, and the answer is no, if any process of Snakemake or nbyk is alive in the folder, if processes
    cannot be listed, if a run of another machine may be, or if none of this machine is known.
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


def _name_of_mark(process: int) -> str:
    return f"{socket.gethostname()}.{process}"


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
    """Return the scratch files that `nbyk.files.replacing` left anywhere below a folder, links included.

    The folders of other programs are skipped.
    """
    left, walked = [], set[str]()
    for place, inside, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        inside[:] = [name for name in inside if name not in _OF_OTHERS and real not in walked]
        if real not in walked:
            left += [Path(place, name).absolute() for name in names if is_scratch(name)]
        walked.add(real)
    return sorted(left)


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
