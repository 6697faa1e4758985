"""Standard streams as a process finds them: closed, or in an encoding that lacks nbyk's characters."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper

_ESCAPING = "nbyk.escaping"


def prepare() -> None:
    """Make standard output and standard error take any text.

    A stream that the caller has closed is replaced by one that discards its output. Otherwise a file that
    nbyk opens would take the stream's number, and a library's message would end up in it. A character that
    the encoding lacks is printed as its JSON escape (``\\u2265``), so that --format json prints JSON in every
    encoding.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is that of this stream
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    codecs.register_error(_ESCAPING, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ESCAPING)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return the JSON escapes of the characters that an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end
