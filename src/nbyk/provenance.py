"""Records of the command behind each file, and the journal of the files that a command reads and writes."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path, PurePosixPath

from nbyk.bounded import content_of
from nbyk.errors import NbykError

FOLDER = ".nbyk"
"""The folder of records. Most readers of whole folders skip names that begin with a dot."""


@dataclass(frozen=True)
class Record:
    """The origin of a file (docs/provenance.md), without time, host or threads: one command, one record."""

    output: str
    sha256: str
    bytes: int
    command: str
    inputs: Mapping[str, str]
    versions: Mapping[str, str]

    def to_json(self) -> str:
        """Return the record as indented JSON that ends with a newline."""
        # names of files need not be UTF-8
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Return the record from a text that `to_json` made."""
        try:
            content = json.loads(text)
        except RecursionError:
            raise ValueError("it is nested too deep") from None
        kinds = {field.name: str(field.type) for field in fields(cls)}
        if not isinstance(content, dict) or set(content) != set(kinds):
            raise ValueError(f"expected the keys {', '.join(kinds)}")
        for name, kind in kinds.items():
            expected: type = {"str": str, "int": int}.get(kind, dict)
            held = content[name].values() if isinstance(content[name], dict) else ()
            if not isinstance(content[name], expected) or not all(isinstance(one, str) for one in held):
                raise ValueError(f"{name} is {content[name]!r}")
        return cls(**content)


def record_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file's record: ``.nbyk/NAME.json`` beside the file.

    A file in the folders ``name=value`` of a partitioned dataset has its record beside the dataset's own
    folder, as ``.nbyk/DATASET/name=value/NAME.json``: polars refuses a dataset with files of another kind
    in it.
    """
    file = Path(os.path.abspath(path))
    top = file.parent
    while "=" in top.name:
        top = top.parent
    if top != file.parent:
        top = top.parent
    return top / FOLDER / f"{file.relative_to(top)}.json"


def recorded_file(record: Path) -> Path:
    """Return the file that a record is about, the inverse of `record_path`."""
    place = len(record.parts) - 1 - record.parts[::-1].index(FOLDER)
    return Path(*record.parts[:place], *record.parts[place + 1 :]).with_suffix("")


def files_with_records(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, an absolute path, that have a record, whether they still exist or not.

    Hidden folders are skipped.
    """
    for place in record_folders(folder):
        for record in sorted(place.rglob("*.json")):
            file = recorded_file(record)
            if record_path(file) == record:
                yield file


def record_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders of records below a folder, and the one above that may hold some of its own."""
    # For a partitioned dataset, or a part of one, the records are further up.
    yield record_path(folder / "name=value" / "file").parents[1]
    for place, inside, _ in os.walk(folder):
        if FOLDER in inside:
            yield Path(place, FOLDER)
        inside[:] = sorted(name for name in inside if not name.startswith("."))


def read_record(path: str | os.PathLike[str]) -> Record | None:
    """Return the record of a file; None if it has none."""
    place = record_path(path)
    try:
        return Record.from_json(content_of(place).decode("utf-8"))
    except OSError as error:
        if not is_absent(error):
            raise
        return None
    except ValueError as error:
        what = " ".join(str(error).split())
        raise NbykError(
            f"not a record of nbyk's ({what}); delete it and {shown(path)}, and run again",
            file=shown(place),
        ) from None


def is_absent(error: OSError) -> bool:
    """Return whether an error means that there is no record, or that the name is too long to have one."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


def check(path: str | os.PathLike[str], record: Record, content_sha256: str, n_bytes: int) -> None:
    """Raise NbykError unless the checksum of a file's present content is the one that its record says."""
    if content_sha256 == record.sha256:
        return
    happened = "cut off" if n_bytes < record.bytes else "changed"
    what = f"{n_bytes} bytes of SHA-256 {content_sha256[:12]}…"
    raise NbykError(
        f"found {what}, expected the {record.bytes} of {record.sha256[:12]}… that nbyk wrote: it was "
        f"{happened} since; make it again: `nbyk why {path}` names the command, or "
        f"delete its record {shown(record_path(path))} if that was meant",
        file=path,
    )


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path relative to the working directory if it is in it, else unchanged."""
    absolute, here = os.path.abspath(path), os.getcwd()
    return (
        Path(absolute).relative_to(here).as_posix()
        if Path(absolute).is_relative_to(here)
        else os.fspath(path)
    )


SUFFIX = ".answer"


def list_path(folder: Path, stem: str) -> Path:
    """Return the path of the list of an answer's files: ``.nbyk/STEM.answer`` in the answer's folder."""
    return folder / FOLDER / f"{stem}{SUFFIX}"


def list_text(checksums: Mapping[str, str]) -> str:
    """Return the list of an answer's files: the SHA-256 of each, by its path within the folder."""
    return json.dumps({"files": dict(sorted(checksums.items()))}, indent=2, ensure_ascii=False) + "\n"


def listed(path: Path) -> dict[str, str]:
    """Return the content of a list that `list_text` made; nothing if there is no list, or it is damaged."""
    try:
        files = json.loads(content_of(path).decode("utf-8"))["files"]
        items = list(files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: digest for name, digest in items if isinstance(digest, str) and _is_within(name)}


def _is_within(name: str) -> bool:
    return (
        not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts and "\0" not in name
    )


def answers_below(folder: Path) -> Iterator[tuple[Path, str, dict[str, str]]]:
    """Yield folder, stem and list of each answer below a folder, given by its absolute path."""
    for place in record_folders(folder):
        for path in sorted(place.glob(f"*{SUFFIX}")):
            yield place.parent, path.stem, listed(path)


PACKAGES = Path(__file__).parents[1]
OWN = ("nbyk", "nbyk_papers")
"""The packages in that folder. It differs between machines, so a file of theirs is shown as
``nbyk:data/embedded/convabuse.csv``."""


@dataclass(frozen=True)
class Output:
    """A file that was written: checksum, size, and an identity that a replacement would lack."""

    sha256: str
    bytes: int
    identity: tuple[int, int]


@dataclass
class Journal:
    """A command, its inputs (SHA-256 by path) and its outputs.

    `question` is the command without the folder of its answer, which is the same in any folder.
    """

    command: str = ""
    question: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[Path, Output] = field(default_factory=dict)


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
    """Check the content of a file that was read against its record, if any, and note it as an input."""
    record = read_record(path)
    if record is None and not _open:
        return
    digest = hashlib.sha256(content).hexdigest()
    if record is not None:
        check(path, record, digest, len(content))
    for journal in _open:
        if _key(path) not in journal.outputs:
            journal.inputs[_name(path)] = digest


def will_replace(target: Path, scratch: Path) -> Path:
    """Note a file that is about to replace `target`, and delete the record of `target`.

    The folder of the record, which is returned, is to be synced to the disk before `target` is replaced.
    """
    for journal in _open:
        with scratch.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
            status = os.fstat(written.fileno())
        journal.outputs[_key(target)] = Output(digest, status.st_size, identity(status))
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
