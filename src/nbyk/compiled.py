"""Keeping compiled code up to date with the compiled code that it calls."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def discard_older_caches(called: str) -> None:
    """Delete all compiled code of nbyk's that is older than the module whose file is `called`, or empty.

    numba knows when a module has changed since it was compiled, but not when one that it calls has. A module
    whose kernels others call says so here when it is imported, before them. Empty files are what a power cut
    leaves of code that was just compiled; numba would stop at them.
    """
    changed = Path(called).stat().st_mtime
    for cached in Path(__file__).parent.rglob("__pycache__/*.nb[ic]"):
        with suppress(FileNotFoundError):  # another process may be doing the same
            found = cached.stat()
            if found.st_size == 0 or (cached.suffix == ".nbi" and found.st_mtime < changed):
                cached.unlink()
