"""Atomic writes: a file is either the old one or the whole new one, whatever happens in between."""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import json
import os
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nbyk import provenance
from nbyk.bounded import content_of
from nbyk.errors import NbykError, hearing_signals

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SCRATCH = ".nbyk-part"
"""The suffix of scratch files; their names begin with a dot, so that no reader takes them for results."""

_DAMAGED = "if an nbyk command wrote it, it is damaged: delete it and run again"
_WAYS_OUT = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "make room there and run again"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "make its folder writable, or write elsewhere"),
    **dict.fromkeys(
        (errno.ENOTDIR, errno.EEXIST), "a file is where its folder belongs: move it away, or write elsewhere"
    ),
}


@contextmanager
def replacing(path: str | os.PathLike[str], *, noted: bool = True) -> Iterator[Path]:
    """Yield a scratch path beside `path`; the file there replaces `path` if the block ends without an error.

    The new file is on the disk before it takes the old one's name, and the name is on the disk before the
    block ends. A power cut therefore leaves one of the two, whole. Scratch files that killed writers of the
    same file left are deleted; they are recognised because only those of running writers are locked.
    `noted` says whether it is an output of the command that runs, of which `nbyk.provenance` keeps a record.
    """
    target = Path(path)
    with _explained(target), _scratch_of(target) as scratch:
        yield scratch
        _make_durable(scratch)
        if noted:
            _sync_folder(provenance.will_replace(target, scratch))
        os.replace(scratch, target)
        _sync_folder(target.parent)


def write_together(folder: str | os.PathLike[str], stem: str, contents: Mapping[str, bytes]) -> None:
    """Write the files of an answer as one, in place of those of an earlier answer.

    Until every new file is on the disk under a scratch name, the old answer stays as it is. Then, while
    signals wait, all old files are deleted, even those that the new answer lacks, and the new files get their
    names. If a power cut or SIGKILL comes in between, the files left belong to one answer, never to two. A
    list of all files, with checksums, lets `nbyk doctor` report missing ones.
    `contents` are the files of the answer `stem` by their path within its folder, with "/" between folders.
    """
    top = Path(folder)
    listing = provenance.list_path(top, stem)
    checksums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    files = {top / name: content for name, content in contents.items()}
    files[listing] = provenance.list_text(checksums).encode()
    with ExitStack() as stack:
        scratches = {}
        for target, content in files.items():
            stack.enter_context(_explained(target))
            scratch = scratches[target] = stack.enter_context(_scratch_of(target))
            scratch.write_bytes(content)
            _make_durable(scratch)
        stack.enter_context(_locked(top))
        stack.enter_context(_signals_wait())
        list_scratch = scratches.pop(listing)
        old = {
            top / name for name, digest in provenance.listed(listing).items() if _is_that(top / name, digest)
        }
        _sync_folders({provenance.will_replace(target, scratch) for target, scratch in scratches.items()})
        _sync_folders({provenance.will_delete(target) for target in old - set(scratches)})
        for target in old | set(scratches):
            target.unlink(missing_ok=True)
        _sync_folders({target.parent for target in old | set(scratches)})
        os.replace(list_scratch, listing)
        _sync_folder(listing.parent)
        for target, scratch in scratches.items():
            os.replace(scratch, target)
        _sync_folders({target.parent for target in scratches})


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn errors of the system into an NbykError that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        way_out = f"; {_WAYS_OUT[error.errno]}" if error.errno in _WAYS_OUT else ""
        raise NbykError(f"cannot be written: {reason}{way_out}", file=target) from error


@contextmanager
def _scratch_of(target: Path) -> Iterator[Path]:
    """Yield a new scratch file beside a file; it is deleted unless it was moved."""
    _make_folder(target.parent)
    _discard_abandoned(target)
    handle, scratch = _new_scratch(target)
    try:
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)
        os.close(handle)


def _make_durable(scratch: Path) -> None:
    with open(scratch, "rb") as written:
        os.fsync(written.fileno())
    grant_usual_access(scratch)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait until no other command writes an answer to this folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Delay the signals that stop a command until the block has ended."""
    came: list[int] = []
    try:
        with hearing_signals(lambda number, _: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])


def _is_that(path: Path, digest: str) -> bool:
    """Return whether a file exists with a checksum: nbyk must not delete a file that a user has changed."""
    return path.is_file() and sha256(path) == digest


def _make_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in missing:
        _sync_folder(each.parent)


def _new_scratch(target: Path) -> tuple[int, Path]:
    """Return a new scratch file, locked as long as its handle is open."""
    while True:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=SCRATCH, dir=target.parent)
        with suppress(OSError):  # a file system without locks: nothing is discarded there either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)  # discarded by another writer before it was locked


def _discard_abandoned(target: Path) -> None:
    for path in target.parent.glob(f".{glob.escape(target.name)}.*{SCRATCH}"):
        with suppress(OSError), open(path, "r+b") as scratch:
            fcntl.flock(scratch, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _sync_folders(folders: Iterable[Path]) -> None:
    for folder in sorted(folders):
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    """Put a folder's names on the disk, where the file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_scratch(name: str) -> bool:
    """Return whether a name is that of a scratch file, which `replacing` leaves if it is killed."""
    return name.startswith(".") and name.endswith(SCRATCH)


def grant_usual_access(scratch: str | os.PathLike[str]) -> None:
    """Give a scratch file, which is private at first, the permissions of this user's new files."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(scratch, 0o666 & ~mask)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, checked against its record if it has one, and note it as an input."""
    content = content_of(path)
    try:
        provenance.was_read(path, content)
    except NbykError:
        again = content_of(path)
        if again == content:
            raise
        # Another command has just replaced the file and its record.
        content = again
        provenance.was_read(path, content)
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the content of a UTF-8 file; errors are as those of `read_bytes`, and UnicodeDecodeError."""
    return read_bytes(path).decode("utf-8")


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` atomically."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8."""
    write_bytes(path, text.encode())


def write_json(path: str | os.PathLike[str], content: Any) -> None:
    """Write `content` to `path` atomically as indented JSON that ends with a newline."""
    write_bytes(path, json_bytes(content))


def json_bytes(content: Any) -> bytes:
    """Return the bytes that `write_json` writes."""
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_json(path: str | os.PathLike[str], *, way_out: str = _DAMAGED) -> Any:
    """Return the content of a JSON file; `way_out`, if it is none, never says to delete a user's own file."""
    try:
        return json.loads(read_text(path))
    except FileNotFoundError:
        raise NbykError("no such file", file=path) from None
    except NbykError:
        raise
    except RecursionError:
        problem = f"not a JSON file of nbyk's (it is nested too deep); {way_out}"
        raise NbykError(problem, file=path) from None
    except ValueError as error:
        raise NbykError(f"not a JSON file ({error}); {way_out}", file=path) from None


def write_parquet(
    path: str | os.PathLike[str], table: pa.Table | pd.DataFrame, metadata: Mapping[str, Any]
) -> None:
    """Write a table to `path` atomically, with `metadata` and nbyk's version in the file's own metadata.

    The same table and metadata always give the same bytes.
    `metadata` is anything JSON can hold (seed, M, semantics, checksums, …), stored under the key ``nbyk``.
    """
    # pyarrow's own files lose the number of an error.
    with replacing(path) as scratch, open(scratch, "wb") as sink:
        _write_parquet(sink, table, metadata)


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the bytes that `write_parquet` writes, without metadata."""
    sink = BytesIO()
    _write_parquet(sink, table, {})
    return sink.getvalue()


def _write_parquet(sink: IO[bytes], table: pa.Table | pd.DataFrame, metadata: Mapping[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    import nbyk

    table = table if isinstance(table, pa.Table) else pa.table(table)
    stamp = json.dumps({"version": nbyk.__version__, **metadata}, sort_keys=True)
    pq.write_table(table.replace_schema_metadata({"nbyk": stamp}), sink, compression="zstd")


def read_parquet(
    path: str | os.PathLike[str], columns: Sequence[str] = (), *, whole: bool = False
) -> tuple[pa.Table, dict[str, Any]]:
    """Return a Parquet file's table, and its metadata from `write_parquet`.

    The table must have some `columns`, and if `whole` no cell of these may be missing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(read_bytes(path))) as source:
            table = source.read()
    except FileNotFoundError:
        raise NbykError("no such file", file=path) from None
    except (pa.ArrowException, OSError) as error:
        raise NbykError(f"not a readable Parquet file ({error}); {_DAMAGED}", file=path) from None
    stamp = (table.schema.metadata or {}).get(b"nbyk")
    missing = [f"no column {name!r}" for name in columns if name not in table.column_names]
    if stamp is None:
        missing.append("no mark of nbyk's")
    if columns and not table.num_rows:
        missing.append("no rows")
    if whole and not missing:
        missing += [f"column {name!r} lacks cells" for name in columns if table.column(name).null_count]
    if stamp is None or missing:
        raise NbykError(
            f"{missing[0]}; expected a file that an nbyk command wrote for this purpose", file=path
        )
    try:
        made = json.loads(stamp)
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        raise NbykError(f"the mark of nbyk's cannot be read; {_DAMAGED}", file=path)
    return table.replace_schema_metadata(None), made


def sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 hex digest of a file."""
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
