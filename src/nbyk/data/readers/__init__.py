"""Readers of the files that other tools write: a small module each, and one row here.

A reader turns a file into a `Recording`: columns, and which of them hold items, runs or raters, and scores.
A new one is a function and a line in `READERS` or `JSON_READERS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from nbyk.data.readers import argilla, excel, helm, hugging_face, inspect_logs, label_studio
from nbyk.data.readers.recording import Recording

READERS = (inspect_logs, excel, hugging_face)
"""Modules that recognise a path and read it."""

JSON_READERS: tuple[Callable[[Any], Recording | None], ...] = (helm.read, label_studio.read, argilla.read)
"""Functions that take the content of a JSON file, and return None if they do not recognise it."""


def recorded_at(path: str | os.PathLike[str]) -> Recording | None:
    """Return the recording that a reader makes of a path; None if no reader recognises it."""
    for reader in READERS:
        if reader.recognises(path):
            found: Recording = reader.read(path)
            return found
    return None


def is_recorded(path: str | os.PathLike[str]) -> bool:
    """Return whether a reader recognises a path."""
    return any(reader.recognises(path) for reader in READERS)


def recorded_in(content: Any) -> Recording | None:
    """Return the recording that a reader makes of a JSON file's content; None if no reader recognises it."""
    return next((found for reader in JSON_READERS if (found := reader(content)) is not None), None)


__all__ = ["Recording", "is_recorded", "recorded_at", "recorded_in"]
