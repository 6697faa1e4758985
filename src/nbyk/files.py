"""Atomic writes: a file is either the old one or the whole new one, whatever happens in between."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.provenance import journal

if TYPE_CHECKING:
    import pyarrow as pa

_DAMAGED = "if an nbyk command wrote it, it is damaged: delete it and run again"


@contextmanager
def replacing(path: str | os.PathLike[str], *, noted: bool = True) -> Iterator[Path]:
    """Yield a scratch path beside `path` that takes its place when the block ends without an error.

    It is noted as an output of the command that runs (`nbyk.provenance`), unless `noted` is false.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    try:
        yield Path(scratch)
        with open(scratch, "rb") as written:
            os.fsync(written.fileno())
        os.chmod(scratch, 0o666 & ~_umask())
        if noted:
            journal.will_replace(target, Path(scratch))
        os.replace(scratch, target)
    finally:
        Path(scratch).unlink(missing_ok=True)


def is_scratch(name: str) -> bool:
    """Return whether a name is that of a scratch file, which `replacing` leaves when it is killed."""
    return re.fullmatch(r"\..+\.[a-z0-9_]{8}", name) is not None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, checked against its record if it has one, and note it as an input.

    Raises
    ------
    NbykError
        If the file is not what nbyk wrote there.
    OSError
        If it cannot be read.
    """
    content = Path(path).read_bytes()
    try:
        journal.was_read(path, content)
    except NbykError:
        again = Path(path).read_bytes()
        if again == content:
            raise
        # Another command has just replaced the file and its record.
        content = again
        journal.was_read(path, content)
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the content of a UTF-8 file; errors are as those of `read_bytes`, and UnicodeDecodeError."""
    return read_bytes(path).decode("utf-8")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8."""
    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8")


def write_json(path: str | os.PathLike[str], content: Any) -> None:
    """Write `content` to `path` atomically as indented JSON that ends with a newline."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: str | os.PathLike[str], *, way_out: str = _DAMAGED) -> Any:
    """Return the content of a JSON file.

    Parameters
    ----------
    path
        The file to read.
    way_out
        What to advise where it is not JSON; files of the user's own must not be deleted.

    Raises
    ------
    NbykError
        If the file is missing or is not JSON.
    """
    try:
        return json.loads(read_text(path))
    except FileNotFoundError:
        raise NbykError(f"{path}: no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise NbykError(f"{path}: not a JSON file ({error}); {way_out}") from None


def write_parquet(path: str | os.PathLike[str], table: pa.Table, metadata: Mapping[str, Any]) -> None:
    """Write a table to `path` atomically, with `metadata` and nbyk's version in the file's own metadata.

    The same table and metadata always give the same bytes.

    Parameters
    ----------
    path
        The file to write; missing folders are made.
    table
        What to write.
    metadata
        Anything JSON can hold (seed, M, semantics, checksums, …), stored under the key ``nbyk``.
    """
    import pyarrow.parquet as pq

    import nbyk

    stamp = json.dumps({"version": nbyk.__version__, **metadata}, sort_keys=True)
    with replacing(path) as scratch:
        pq.write_table(table.replace_schema_metadata({"nbyk": stamp}), scratch, compression="zstd")
    journal.was_made_with(path, metadata)


def read_parquet(
    path: str | os.PathLike[str], columns: Sequence[str] = ()
) -> tuple[pa.Table, dict[str, Any]]:
    """Return a Parquet file's table and the metadata that `write_parquet` put there.

    Parameters
    ----------
    path
        The file to read.
    columns
        Columns that the table must have; it may have others.

    Raises
    ------
    NbykError
        If the file is missing, truncated, not Parquet, not written by nbyk, or lacks a column.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(read_bytes(path))) as source:
            table = source.read()
    except FileNotFoundError:
        raise NbykError(f"{path}: no such file") from None
    except (pa.ArrowException, OSError) as error:
        raise NbykError(f"{path}: not a readable Parquet file ({error}); {_DAMAGED}") from None
    stamp = (table.schema.metadata or {}).get(b"nbyk")
    missing = [f"no column {name!r}" for name in columns if name not in table.column_names]
    if stamp is None:
        missing.append("no mark of nbyk's")
    if columns and not table.num_rows:
        missing.append("no rows")
    if stamp is None or missing:
        found = missing[0]
        raise NbykError(f"{path}: {found}; expected a file that an nbyk command wrote for this purpose")
    return table.replace_schema_metadata(None), json.loads(stamp)


def sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 hex digest of a file."""
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
