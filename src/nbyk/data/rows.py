"""The rows of a user's data, as errors name them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nbyk.errors import DataPlace, NbykError


@dataclass(frozen=True)
class DataRows:
    """The place of some data, and the line or row of each of their rows.

    Attributes
    ----------
    place
        The file, or the name of data that are no file.
    unit
        The unit of `numbers`: "line" (from 1) in a text file, otherwise "row" or a word like it.
    numbers
        The line or row at which each row begins; None counts from 0.
    """

    place: DataPlace
    unit: str = "row"
    numbers: Sequence[int] | None = None

    def at(self, row: int) -> DataPlace:
        """Return the place of a row, given its number from 0."""
        shown = self.shown(row)
        line = self.numbers[row] if self.unit == "line" and self.numbers else shown
        return replace(self.place, row=line)

    def shown(self, row: int) -> str:
        """Return a row's line or row in words: "line 12"."""
        return f"{self.unit} {row if self.numbers is None else self.numbers[row]}"

    def named(self, name: str) -> DataRows:
        """Return the rows of a part of the data, such as a column."""
        return replace(self, place=replace(self.place, name=name))

    def taken(self, rows: Sequence[int]) -> DataRows:
        """Return some of the rows, in their order."""
        return replace(self, numbers=[row if self.numbers is None else self.numbers[row] for row in rows])

    def error(self, problem: str) -> NbykError:
        """Return the error about the data as a whole."""
        return self.place.error(problem)


def given_place(given: object, name: str) -> DataPlace:
    """Return the place of what a user gives: a path, or data with a name."""
    return DataPlace(given) if isinstance(given, str | os.PathLike) else DataPlace(name=name)


def named_rows(name: str) -> DataRows:
    """Return rows of data that are no file, counted from 0."""
    return DataRows(DataPlace(name=name))
