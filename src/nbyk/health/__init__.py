"""Checks of an installation, of a run's results, and for leftovers of stopped runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from nbyk.health import environment, results, runs
from nbyk.health.finding import Finding

__all__ = ["Finding", "examine"]


def examine(folder: Path) -> Iterator[Finding]:
    """Yield all findings about the folder of a run, and about the installation that would run there.

    Parameters
    ----------
    folder
        The folder in which commands are run; results lie in its folder ``results``, or anywhere below it.
    """
    folder = Path(os.path.abspath(folder))
    yield from environment.python_and_packages()
    yield from environment.locked_versions(folder)
    yield from environment.compiled_code()
    yield from environment.place_to_write(folder)
    yield from results.examine(folder)
    yield from runs.examine(folder)
