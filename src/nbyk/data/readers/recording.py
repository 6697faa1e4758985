"""A recording, the result of a reader: columns, and which of them hold items, runs or raters, and scores."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from nbyk.errors import NbykError


@dataclass(frozen=True)
class Recording:
    """A maker's file as a table: a row per rating, or per sample and run.

    Attributes
    ----------
    maker
        The kind of file, such as "a log of Inspect".
    columns
        The cells of each column, by its name; all of one length, None where a cell is missing.
    roles
        The columns of "item" and "rater" (or run), and of "value" if only one column can hold the scores.
    scores
        Columns that can hold the scores.
    unit
        The maker's word for a row, such as "sample".
    numbers
        The number of each row in the file, for errors; None counts from 1.
    """

    maker: str
    columns: Mapping[str, Sequence[Any]]
    roles: Mapping[str, str]
    scores: tuple[str, ...] = ()
    unit: str = "row"
    numbers: Sequence[int] | None = None


def recording(
    maker: str, rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str], scores: Sequence[str], unit: str
) -> Recording:
    """Return rows as a recording whose value is the only score, if there is only one."""
    if len(scores) == 1:
        roles = {**roles, "value": scores[0]}
    return Recording(maker, columns_of(rows), roles, tuple(scores), unit)


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns, with None where a row lacks a cell."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def plain(columns: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
    """Return the texts and numbers among further columns, such as metadata, under names of their own."""
    return {
        (f"metadata.{name}" if name in taken else str(name)): cell
        for name, cell in columns.items()
        if isinstance(cell, str | int | float)
    }


def message_of(error: Exception) -> str:
    """Return the message of a maker's own reader on one line, cut if long."""
    return " ".join(str(error).split())[:200]


def library(module: str, extra: str, path: str | os.PathLike[str], what: str) -> ModuleType:
    """Return the maker's own reader."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NbykError(
            f"is {what}, but its reader {module.partition('.')[0]} cannot be imported ({error}); "
            f"install it: pip install '.[{extra}]' in the folder of nbyk's source",
            file=path,
        ) from None
