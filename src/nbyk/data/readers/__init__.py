"""Readers of the files that other tools write.

A reader turns a file into a `Recording`: columns, and which of them hold items, runs or raters, and scores.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from nbyk.data.readers import containers, exports, inspect_logs
from nbyk.data.readers.export import EXPORTS, Export, Row, rows_of_split
from nbyk.data.readers.recording import (
    Gathering,
    Recording,
    SparseColumn,
    Unusable,
    columns_of_objects,
    said,
)

READERS = (
    (inspect_logs.recognises, inspect_logs.read),
    (containers.is_workbook, containers.read_workbook),
    (containers.is_dataset, containers.read_dataset),
)
"""Functions that recognise a path, and those that read it."""


def recorded_at(path: str | os.PathLike[str]) -> Recording | None:
    """Return the recording that a reader makes of a path; None if no reader recognises it."""
    return next((read(path) for recognises, read in READERS if recognises(path)), None)


def is_recorded(path: str | os.PathLike[str]) -> bool:
    """Return whether a reader recognises a path."""
    return any(recognises(path) for recognises, _ in READERS)


def recorded_in(
    content: Any, path: str | os.PathLike[str], numbers: Sequence[int] | None = None
) -> Recording | None:
    """Return the recording that a reader makes of a file's content; None if no reader recognises it.

    Parameters
    ----------
    content
        The content of a JSON file, or the objects that are lines or rows of a file.
    path
        The file.
    numbers
        The line of each object, if they are lines.
    """
    recordings = (layout.recording(content, path, numbers) for layout in EXPORTS)
    return next(filter(None, recordings), None)


__all__ = [
    "EXPORTS",
    "Export",
    "Gathering",
    "Recording",
    "Row",
    "SparseColumn",
    "Unusable",
    "columns_of_objects",
    "exports",
    "is_recorded",
    "recorded_at",
    "recorded_in",
    "rows_of_split",
    "said",
]
