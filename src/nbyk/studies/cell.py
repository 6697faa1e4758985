"""A cell of a study: a file of results, its settings, and the time and memory to make it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbyk.errors import NbykError

Inputs = Mapping[str, str | Sequence[str]]

_JOB_SECONDS = (60.0, 540.0)
"""Seconds that a job may take in any case, and the most on a large grid."""
_JOBS = 1000
"""Largest number of jobs of a grid before jobs become longer."""


def seconds_of_a_job(total: float, asked: float | None = None) -> float:
    """Return how long the cells that share a job may take: as asked, or by the time of all cells together."""
    shortest, longest = _JOB_SECONDS
    return min(longest, max(shortest, total / _JOBS)) if asked is None else asked


@dataclass(frozen=True)
class Cell:
    """A file of results.

    Attributes
    ----------
    file
        Its path below ``results/``: folders and a name that describe it.
    step
        The step of its study that makes it.
    settings
        The settings of the step, plain values by name.
    inputs
        The file, or the files, that the step reads, by name.
    memory, seconds
        The measured memory in MB, and time in seconds.
    disk
        Room that the file takes, in MB, if it is large.
    """

    file: str
    step: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Inputs = field(default_factory=dict)
    memory: float = 250.0
    seconds: float = 60.0
    disk: float = 0.0

    @property
    def path(self) -> str:
        """The file in the folder of a run."""
        return f"results/{self.file}"

    def words(self) -> list[str]:
        """Return its settings as words of the command line that `told` reads."""
        return [f"{name}={_written(value)}" for name, value in self.settings.items()]

    def options(self) -> list[str]:
        """Return its inputs as options of the command line."""
        options = []
        for name, files in self.inputs.items():
            if isinstance(files, str):
                options += ["--from", f"{name}={files}"]
            else:
                options += [word for file in files for word in ("--all-from", f"{name}={file}")]
        return options


def _written(value: Any) -> str:
    """Return a value as JSON, or a text unchanged if it would not be read as something else."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def told(words: Sequence[str]) -> dict[str, Any]:
    """Return the settings in words such as ``n_sets=1000`` or ``metrics=["mae","mse"]``.

    Raises
    ------
    NbykError
        If a word is not a setting, or a setting is given twice.
    """
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise NbykError(f"{word}: expected a setting and its value, such as n_sets=1000")
        if name in settings:
            raise NbykError(f"{name} is given twice; keep one")
        try:
            settings[name] = json.loads(text)
        except ValueError:
            settings[name] = text
    return settings
