"""Reading of files that may be anything: a device without an end, a pipe that nobody writes to."""

from __future__ import annotations

import io
import os
import stat
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from nbyk.errors import NbykError

T = TypeVar("T")

LARGEST = 10**9
"""Bytes of the largest file that is read; read as text, a file takes tens of times its size in memory."""

MOST_BYTES = 4 * 10**8
"""Bytes of the members of a compressed file that is read whole, of a table in a container, and of JSON."""

MOST_ROWS, MOST_CELLS, MOST_SECONDS = 2 * 10**7, 2 * 10**7, 60.0
"""Rows and cells of a container, or values of a JSON document, and seconds of CPU in which it must be read.

Columns of numbers or text in Parquet are bounded by their rows and bytes, and by `refuse_beyond_memory`.
"""

ROOM = 150
"""Bytes of memory that a comparison takes for each cell of such columns, by measurement (docs/method.md)."""

_MOST_TIMES = 100
"""Text is compressed to a tenth, not to a hundredth."""


def content_of(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file."""
    try:
        # Reading a pipe would wait, and a device need not end.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:  # a NUL
        raise NbykError(f"{os.fspath(path)!r}: no path of a file; check it") from None
    try:
        with os.fdopen(handle, "rb", closefd=False) as source:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise NbykError(
                    "is a device or a pipe, expected a file; write what it gives to a file", file=path
                )
            if status.st_size > LARGEST:
                raise NbykError(
                    f"has {status.st_size:,} bytes, expected at most {LARGEST:,}; leave out columns and rows "
                    "that you do not need",
                    file=path,
                )
            return source.read()
    except OSError as error:
        # The error of an open file names its number, or nothing.
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        os.close(handle)


def refuse_more(path: str | os.PathLike[str], found: int, most: int, what: str) -> None:
    """Raise NbykError if a file holds more of something than its bound."""
    if found > most:
        raise NbykError(
            f"holds more than {most:,} {what}, expected at most that many; leave out some, as by a "
            "random sample of the items",
            file=path,
        )


def memory() -> int:
    """Return the bytes of memory of this machine, or of the job that runs here if it may have less."""
    n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError), open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:
        n_bytes = min(n_bytes, int(limit.read()))
    return n_bytes


def refuse_beyond_memory(path: str | os.PathLike[str], rows: int, columns: int) -> None:
    """Raise NbykError if a table's columns have more rows than are read, or than memory holds."""
    most = min(MOST_ROWS, memory() // (ROOM * max(1, columns)))
    if rows > most:
        raise NbykError(
            f"has {rows:,} rows, expected at most {most:,} of {columns} columns in {memory() / 1e9:.3g} GB "
            "of memory; leave out columns, or items, as by a random sample of them, or compare on a machine "
            "with more memory, such as one of a cluster",
            file=path,
        )


def refuse_document(path: str | os.PathLike[str], text: str | bytes) -> None:
    """Raise NbykError if a JSON document is longer, or holds more values, than its bounds."""
    content = text.encode(errors="replace") if isinstance(text, str) else text
    refuse_more(path, len(content), MOST_BYTES, "bytes in one JSON document")
    refuse_more(path, sum(map(content.count, (b",", b"[", b"{"))), MOST_CELLS, "values in one JSON document")


def refuse_bomb(
    path: str | os.PathLike[str], content: bytes, most: int = MOST_BYTES, unread: tuple[str, ...] = ()
) -> None:
    """Raise NbykError if the members of a zip file are too large, or two have one name.

    Python reads no more of a member than the bytes that the file declares. Members whose names begin as
    `unread` ones do are only too large if they are compressed as no text is.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):  # its reader says so
        return
    n_bytes = sum(member.file_size for member in members)
    n_read = sum(member.file_size for member in members if not member.filename.startswith(unread))
    is_bomb = n_bytes > MOST_BYTES and n_bytes > _MOST_TIMES * len(content)
    if n_read > most or is_bomb:
        raise NbykError(
            f"holds {n_bytes if is_bomb else n_read:,} bytes once decompressed, expected at most "
            f"{MOST_BYTES if is_bomb else most:,}; save fewer rows, or numbers of fewer bytes",
            file=path,
        )
    names = [member.filename for member in members]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise NbykError(f"holds two members named {twice!r}; get the file again", file=path)


class Deadline:
    """The time by which a file must be read: `MOST_SECONDS` of CPU from now, on a busy machine, too."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path, self._ends = path, time.process_time() + MOST_SECONDS

    def check(self) -> None:
        """Raise NbykError once the time is over."""
        if time.process_time() > self._ends:
            raise NbykError(
                f"took longer than {MOST_SECONDS:g} s of CPU to read; save it as .csv or .parquet",
                file=self._path,
            )


class TimedBytes(io.BytesIO):
    """The content of a file, which must be read within `MOST_SECONDS`."""

    def __init__(self, path: str | os.PathLike[str], content: bytes) -> None:
        super().__init__(content)
        self._deadline = Deadline(path)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes; raise NbykError once the time is over."""
        self._deadline.check()
        return super().read(size)


def counted(
    parts: Iterable[T],
    path: str | os.PathLike[str],
    size: Callable[[T], tuple[int, int, int]],
) -> Iterator[T]:
    """Yield the rows, or batches of rows, of a table as they are read, whatever the file says of its size.

    `size` returns the rows, cells and bytes of a part. Raise NbykError if there are more than `MOST_ROWS`,
    `MOST_CELLS` or `MOST_BYTES`, or if reading takes longer than `MOST_SECONDS`.
    """
    most = {"rows": MOST_ROWS, "cells": MOST_CELLS, "bytes": MOST_BYTES}
    most_rows, most_cells, most_bytes = most.values()
    n_rows = n_cells = n_bytes = 0
    deadline = Deadline(path)
    for part in parts:
        rows, cells, size_in_bytes = size(part)
        n_rows, n_cells, n_bytes = n_rows + rows, n_cells + cells, n_bytes + size_in_bytes
        if n_rows > most_rows or n_cells > most_cells or n_bytes > most_bytes:
            for (what, bound), n in zip(most.items(), (n_rows, n_cells, n_bytes), strict=True):
                refuse_more(path, n, bound, what)
        deadline.check()
        yield part
