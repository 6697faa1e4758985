"""Records of the files that commands write, and the chain from a file back to its sources.

A command writes a record R for each file F that it writes, once it has ended well: it deletes the old R (for
good, also if the power fails), moves the new F into place, and writes the new R at its end. Wherever it is
stopped, F is whole, and an R beside it describes it: there is none from the first step to the last. A file
without a record is checked again once its command has run again; Snakemake does so with a job that was
stopped, and `nbyk doctor` names files without a record. Snakemake deletes the F of a job before it runs it,
which leaves the old R alone; nobody reads that. If two commands write one F at once, the one whose F is in
place when it ends writes R. If the other moves its F in between, readers get an error until it ends, too.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from nbyk.errors import NbykError
from nbyk.files import replacing, sha256
from nbyk.provenance import (
    OWN,
    PACKAGES,
    Journal,
    Record,
    files_with_records,
    identity,
    noting,
    read_record,
    record_path,
    shown,
)

VERSIONED = ("numpy", "scipy", "numba", "pandas", "pyarrow", "matplotlib")
"""The packages that numbers, tables and pictures depend on, beside Python and nbyk."""


class GateShutError(SystemExit):
    """Ends a command that did its work but whose answer is not yes; its files are recorded."""


@contextmanager
def recording(arguments: Sequence[str]) -> Iterator[None]:
    """Write a record of every file that is written within the block, if it ends without an error.

    `arguments` are the words after ``nbyk``. The record has them without the number of threads, on which no
    result depends, without passwords, and without "--".
    """
    words = [re.sub(r"(?<=://)\S*@", "…@", word) for word in without(arguments, "--threads")]
    if "--" in words:  # what follows it is no option, not even in a command that goes on from this one
        end = words.index("--")
        words[end:] = [f"./{word}" if word.startswith("-") else word for word in words[end + 1 :]]
    command, question = (shlex.join(["nbyk", *given]) for given in (words, without(words, "--out")))
    with noting(command, question) as journal:
        try:
            yield
        except SystemExit as ended:  # every command line ends in SystemExit, with or without an error
            if not ended.code or isinstance(ended, GateShutError):
                _write(journal)
            raise
        _write(journal)


def versions() -> dict[str, str]:
    """Return the installed versions of Python, nbyk and the packages that its results depend on."""
    from importlib.metadata import PackageNotFoundError, version

    import nbyk

    installed = {"python": platform.python_version(), "nbyk": nbyk.__version__}
    for package in VERSIONED:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            installed[package] = "missing"
    return installed


def _write(journal: Journal) -> None:
    inputs, installed = dict(sorted(journal.inputs.items())), versions() if journal.outputs else {}
    for path, output in journal.outputs.items():
        try:
            in_place = identity(os.stat(path)) == output.identity
        except FileNotFoundError:
            in_place = False
        if in_place:
            record = Record(shown(path), output.sha256, output.bytes, journal.command, inputs, installed)
            with replacing(shown(record_path(path)), noted=False) as scratch:
                scratch.write_text(record.to_json(), encoding="utf-8")


def without(arguments: Sequence[str], option: str) -> list[str]:
    """Return the words without an option and its value."""
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == option:
            next(rest, None)
        elif not word.startswith(f"{option}="):
            words.append(word)
    return words


@dataclass
class Origin:
    """A file, the record of its command, and the files that it was made from.

    `name` is its path as the user gave it, or as in the record of the file made from it. `expected` is the
    SHA-256 that the command that read it found, or the one in its record; `found` is that of now, None if it
    is missing. Record and folder, where its command was run, are None if no nbyk command made it.
    """

    name: str
    expected: str
    found: str | None
    record: Record | None
    folder: Path | None
    inputs: list[Origin] = field(default_factory=list)

    @property
    def state(self) -> str:
        """The state of the file: "unchanged", "changed" or "missing"."""
        if self.found is None:
            return "missing"
        return "unchanged" if self.found == self.expected else "changed"

    def chain(self) -> Iterator[Origin]:
        """Yield the file and all files behind it, each once and before the files that it was made from."""
        yielded: set[int] = set()
        waiting = [self]
        while waiting:
            origin = waiting.pop(0)
            if id(origin) not in yielded:
                yielded.add(id(origin))
                yield origin
                waiting += origin.inputs

    def sources(self) -> list[Origin]:
        """Return the files at the chain's other end, which no nbyk command made."""
        return [origin for origin in self.chain() if origin.record is None]

    def to_dict(self) -> dict[str, Any]:
        """Return the file, its record and its inputs, but not the files behind those, as JSON can hold it."""
        return {
            "path": self.name,
            "state": self.state,
            "expected": self.expected,
            "found": self.found,
            "record": None if self.record is None else asdict(self.record),
            "folder": None if self.folder is None else os.fspath(self.folder),
            "inputs": [
                {"path": each.name, "state": each.state, "expected": each.expected, "found": each.found}
                for each in self.inputs
            ],
        }


def trace(path: str | os.PathLike[str]) -> list[Origin]:
    """Return the origin of a file, or of every file in a folder that an nbyk command wrote."""
    file = Path(os.path.abspath(path))
    named = {each: shown(each) for each in sorted(files_with_records(file))} if file.is_dir() else {}
    if not named and file.is_dir():
        raise NbykError(
            "nothing in it has a record of what made it; expected a folder such as results", file=path
        )
    checksum, origins = cache(checksum_if_there), dict[tuple[Path, str], Origin]()

    def origin(name: str, file: Path, expected: str) -> Origin:
        """Return the origin of a file, one object however many files were made from it."""
        if (file, expected) not in origins:
            record = read_record(file)
            folder = None if record is None else _folder_of(file, record)
            made = origins[file, expected] = Origin(name, expected, checksum(file), record, folder)
            if record is not None:
                made.inputs += [origin(*each) for each in inputs_of(file, record)]
        return origins[file, expected]

    named = named or {file: os.fspath(path)}
    return [origin(name, each, _recorded(each, name)) for each, name in named.items()]


def _recorded(file: Path, name: str) -> str:
    """Return the checksum in the record of a file that an nbyk command made."""
    record = read_record(file)
    if record is not None:
        return record.sha256
    if not file.exists():
        raise NbykError("no such file; expected a file that an nbyk command wrote, or a folder", file=name)
    raise NbykError(
        "has no record of what made it: no nbyk command did, its command was stopped, or it was copied "
        "without the hidden folder .nbyk beside it; run the command (again), or copy the whole folder",
        file=name,
    )


def checksum_if_there(file: Path) -> str | None:
    """Return a file's SHA-256; None if it is missing."""
    return sha256(file) if file.is_file() else None


def inputs_of(file: Path, record: Record) -> Iterator[tuple[str, Path, str]]:
    """Yield the name, the place and the SHA-256 of each input of a file, as its record has them."""
    folder = _folder_of(file, record)
    for name, digest in record.inputs.items():
        package, _, within = name.partition(":")
        place = PACKAGES / package / within if package in OWN and within else folder / name
        yield name, Path(os.path.normpath(place)), digest


def _folder_of(file: Path, record: Record) -> Path:
    """Return the folder in which a file's command was run, from the file's place and its record."""
    output = Path(record.output)
    if not output.is_absolute() and file.parts[-len(output.parts) :] == output.parts:
        return Path(*file.parts[: -len(output.parts)])
    return Path.cwd()
