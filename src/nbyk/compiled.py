"""Keeping compiled code up to date with the compiled code that it calls."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def discard_older_caches(called: str) -> None:
    """Delete all compiled code of nbyk's that is older than the module whose file is `called`.

    numba knows when a module has changed since it was compiled, but not when one that it calls has. A module
    whose kernels others call says so here when it is imported, before them.
    """
    changed = Path(called).stat().st_mtime
    for index in Path(__file__).parent.rglob("__pycache__/*.nbi"):
        with suppress(FileNotFoundError):  # another process may be doing the same
            if index.stat().st_mtime < changed:
                index.unlink()
