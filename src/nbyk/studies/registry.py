"""The studies that are installed, found by their entry points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from nbyk.errors import NbykError, unknown_name
from nbyk.health import Finding

if TYPE_CHECKING:
    from nbyk.studies.study import Study

GROUP = "nbyk.studies"
"""Entry points of this group are studies; each is a line in its package's pyproject.toml."""


@cache
def studies() -> tuple[Study, ...]:
    """Return the studies of every installed package, by name."""
    return tuple(_loaded(entry) for entry in _entries())


def study_named(name: str) -> Study:
    """Return the study of a name, or raise NbykError with the names there are."""
    by_name = {study.name: study for study in studies()}
    if name not in by_name:
        raise unknown_name("study", name, by_name)
    return by_name[name]


def examine() -> Iterator[Finding]:
    """Yield the studies that are installed and cannot be loaded."""
    for entry in _entries():
        try:
            _loaded(entry)
        except NbykError as error:
            what, _, advice = str(error).removeprefix(f"{entry.name}: ").rpartition("; ")
            yield Finding(entry.name, what, advice)


def _entries() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _loaded(entry: EntryPoint) -> Study:
    try:
        study: Study = entry.load()
    except Exception as error:  # another author's package may raise anything as it is imported
        what = f"a study that cannot be loaded from {entry.value} ({type(error).__name__}: {error})"
        raise NbykError(f"{entry.name}: {what}; update its package, or uninstall it") from None
    return study
