"""A journal of the files that a command reads and writes; `nbyk.files` calls it for every file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbyk.provenance.records import check, is_absent, read_record, record_path, sha256_of, shown

PACKAGES = Path(__file__).parents[2]
OWN = ("nbyk", "nbyk_papers")
"""The packages in that folder. It differs between machines, so a file of theirs is shown as
``nbyk:data/embedded/convabuse.csv``."""

SETTINGS = ("seed", "semantics", "null", "M")
"""The keys of a file's own metadata that its record repeats."""


@dataclass(frozen=True)
class Output:
    """A file that was written: its checksum, its size, and an identity that a replacement would lack."""

    sha256: str
    bytes: int
    identity: tuple[int, int]


@dataclass
class Journal:
    """A command, its inputs (SHA-256 by path), its outputs, and the settings of each.

    `question` is the command without the folder of its answer, which is the same in any folder.
    """

    command: str = ""
    question: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[Path, Output] = field(default_factory=dict)
    settings: dict[Path, dict[str, Any]] = field(default_factory=dict)


_open: list[Journal] = []


@contextmanager
def noting(command: str = "", question: str = "") -> Iterator[Journal]:
    """Yield a journal of every file that `nbyk.files` reads or writes within the block, for a command."""
    journal = Journal(command, question)
    _open.append(journal)
    try:
        yield journal
    finally:
        _open.pop()


def present() -> Journal | None:
    """Return the journal of the command that runs, or None outside a command."""
    return next((journal for journal in reversed(_open) if journal.command), None)


def was_read(path: str | os.PathLike[str], content: bytes) -> None:
    """Check the content of a file that was read against its record, if any, and note it as an input.

    Raises
    ------
    NbykError
        If the content is not that which nbyk wrote there.
    """
    record = read_record(path)
    if record is None and not _open:
        return
    digest = sha256_of(content)
    if record is not None:
        check(path, record, digest, len(content))
    for journal in _open:
        if _key(path) not in journal.outputs:
            journal.inputs[_name(path)] = digest


def will_replace(target: Path, scratch: Path) -> Path:
    """Note a file that is about to replace `target`, and delete the record of `target`.

    Returns
    -------
    Path
        The folder of the record; sync it to the disk before `target` is replaced.
    """
    for journal in _open:
        with scratch.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
            status = os.fstat(written.fileno())
        journal.outputs[_key(target)] = Output(digest, status.st_size, identity(status))
        journal.settings.pop(_key(target), None)
    return _without_record(target)


def will_delete(target: Path) -> Path:
    """Delete the record of a file that is about to be deleted; return the same as `will_replace`."""
    for journal in _open:
        journal.outputs.pop(_key(target), None)
    return _without_record(target)


def _without_record(target: Path) -> Path:
    record = record_path(target)
    try:
        record.unlink()
    except OSError as error:
        if not is_absent(error):
            raise
    return record.parent


def was_made_with(path: str | os.PathLike[str], metadata: Mapping[str, Any]) -> None:
    """Note the seed, the semantics and M from a file's own metadata."""
    known = {name: metadata[name] for name in SETTINGS if metadata.get(name) is not None}
    for journal in _open:
        journal.settings[_key(path)] = known


def identity(status: os.stat_result) -> tuple[int, int]:
    """Return an identity of a file that another file under the same name would lack."""
    return status.st_dev, status.st_ino


def _key(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.abspath(path))


def _name(path: str | os.PathLike[str]) -> str:
    file = _key(path)
    for package in OWN:
        if file.is_relative_to(PACKAGES / package):
            return f"{package}:{file.relative_to(PACKAGES / package).as_posix()}"
    return shown(path)
