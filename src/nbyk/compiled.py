"""Compiled code: the folder that keeps it between runs, and its renewal when the code it calls changes."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
PACKAGE = Path(__file__).parent


def njit(**options: Any) -> Callable[[Function], Function]:
    """Return `numba.njit`'s decorator, which keeps compiled code where this user may write.

    numba keeps it in the folder NUMBA_CACHE_DIR or, without that variable, beside nbyk's own files or else in
    the user's cache folder. If it cannot write there, as in a container, the code is kept in a temporary
    folder of the user's own. If there can be no such folder, the code is not kept. A note says so once.
    """
    import numba

    config: Any = numba.config
    if options.get("cache") and not config.CACHE_DIR and not _numba_finds_a_place():
        place = temporary_place()
        config.CACHE_DIR = place or ""
        options["cache"] = place is not None
    made: Callable[[Function], Function] = numba.njit(**options)
    return made


@cache
def _numba_finds_a_place() -> bool:
    if _may_write(PACKAGE / "__pycache__"):
        return True
    from numba.misc.appdirs import AppDirs

    places: Any = AppDirs
    return _may_write(Path(places(appname="numba", appauthor=False).user_cache_dir))


@cache
def temporary_place() -> str | None:
    """Return a temporary folder for caches that only this user may write to; None if there can be none.

    A note about its use is printed once.
    """
    with suppress(OSError):
        place = Path(tempfile.gettempdir(), f"nbyk-compiled-{os.getuid()}")
        with suppress(FileExistsError):
            place.mkdir(mode=0o700)
        status = place.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077:
            _say(f"compiled code and fonts are kept in {place}: your home folder cannot be written")
            return str(place)
    _say(
        "compiled code is not kept, so that every command compiles it again: no folder for it can be written"
    )
    return None


def _say(what: str) -> None:
    print(f"note: {what}; name another one with NUMBA_CACHE_DIR", file=sys.stderr)


def _may_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def discard_older_caches(called: str) -> None:
    """Delete all compiled code of nbyk that is older than the module whose file is `called`, or is empty.

    This includes the code of packages beside nbyk whose names begin with `nbyk_`.

    numba notices if a module has changed since it was compiled, but not if a module that it calls has. A
    module whose kernels others call therefore calls this function when it is imported, before them. A power
    cut leaves empty files of code that was just compiled, and numba fails on them.
    """
    changed = Path(called).stat().st_mtime
    package = Path(__file__).parent
    packages = (package, *package.parent.glob(f"{package.name}_*"))
    kept = [cached for each in packages for cached in each.rglob("__pycache__/*.nb[ic]")]
    if not _numba_finds_a_place():
        kept += Path(temporary_place() or os.devnull).rglob("*.nb[ic]")
    for cached in kept:
        with suppress(OSError):  # another process may be doing the same, or nobody may delete it
            status = cached.stat()
            if status.st_size == 0 or (cached.suffix == ".nbi" and status.st_mtime < changed):
                cached.unlink()
