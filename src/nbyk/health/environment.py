"""Checks of versions, compiled code, free disk space and write permissions."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

# matplotlib and Snakemake need it, so it is always installed.
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from nbyk.health.finding import Finding
from nbyk.provenance.records import shown

PACKAGE = Path(__file__).parents[1]
LOCK = Path("envs/requirements.lock")
ROOM = 10**9
"""Least free bytes for a run: with fewer it may fail, as the full studies write a few hundred MB."""


def python_and_packages() -> Iterator[Finding]:
    """Yield the packages that are missing or older than nbyk needs."""
    wanted = SpecifierSet(metadata("nbyk")["Requires-Python"])
    if platform.python_version() not in wanted:
        yield Finding(
            "Python", f"{platform.python_version()}, expected {wanted}", "make the environment anew"
        )
    for needed in _needed():
        found = _installed(needed.name)
        if found is None:
            yield Finding(needed.name, f"is missing, expected {needed.specifier}", f"pip install '{needed}'")
        elif not needed.specifier.contains(found, prereleases=True):
            yield Finding(needed.name, f"{found}, expected {needed.specifier}", f"pip install '{needed}'")


def locked_versions(folder: Path) -> Iterator[Finding]:
    """Yield the needed packages whose versions differ from those in the folder's lock."""
    lock = folder / LOCK
    if not lock.is_file():
        return
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE))
    for name in (*(needed.name for needed in _needed()), "snakemake"):
        found, expected = _installed(name), pinned.get(name)
        if found is not None and expected is not None and found != expected:
            what = f"{found}, while {LOCK} has {expected}: last digits may differ from other machines'"
            yield Finding(name, f"{what} (`make install` installs the locked version)")


def compiled_code() -> Iterator[Finding]:
    """Yield compiled code that was cut off, as by a power cut; every attempt to load it would fail."""
    places = [PACKAGE, *(Path(place) for place in [os.environ.get("NUMBA_CACHE_DIR")] if place)]
    files = [file for place in places for file in sorted([*place.rglob("*.nbi"), *place.rglob("*.nbc")])]
    for file in files:
        content = file.read_bytes()
        if not content.endswith(b"."):  # as every complete pickle does
            what = f"compiled code of {len(content)} bytes that was cut off"
            yield Finding(str(file), what, "delete it: nbyk compiles it again when needed")


def place_to_write(folder: Path) -> Iterator[Finding]:
    """Yield folders of results without write permission, and a disk that is nearly full."""
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        yield Finding(
            shown(folder), f"{free / 1e6:.0f} MB of its disk are free", f"free {ROOM / 1e6:.0f} MB or more"
        )
    top = folder / "results"
    for place in (
        [top, *sorted(path for path in top.rglob("*") if path.is_dir())] if top.is_dir() else [folder]
    ):
        if not os.access(place, os.W_OK | os.X_OK):
            advice = "give yourself the right to write there (chmod u+w, or mount it for writing)"
            yield Finding(shown(place), "may not be written", advice)


def _needed() -> list[Requirement]:
    needed = map(Requirement, requires("nbyk") or ())
    return [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
