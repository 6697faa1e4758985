"""The studies that are installed, found by their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from nbyk.errors import unknown_name

if TYPE_CHECKING:
    from nbyk.studies.study import Study

GROUP = "nbyk.studies"
"""Entry points of this group are studies; a line each in the pyproject.toml of the package that has them."""


@cache
def studies() -> tuple[Study, ...]:
    """Return the studies of every installed package, by name."""
    return tuple(entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name))


def study_named(name: str) -> Study:
    """Return the study of a name, or raise NbykError with the names there are."""
    found = {study.name: study for study in studies()}
    if name not in found:
        raise unknown_name("study", name, found)
    return found[name]
