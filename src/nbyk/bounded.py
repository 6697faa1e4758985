"""Reading of files that may be anything: a device without an end, a pipe that nobody writes to."""

from __future__ import annotations

import os
import stat

from nbyk.errors import NbykError

LARGEST = 10**9
"""Bytes of the largest file that is read; read as text, a file takes tens of times its size in memory."""


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
