"""One line of the doctor's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was found, and what to do about it.

    Attributes
    ----------
    where
        A file, folder or package.
    what
        What was found there, and what was expected.
    advice
        What to do; empty if there is nothing to do and this is for knowing only.
    """

    where: str
    what: str
    advice: str = ""

    @property
    def line(self) -> str:
        """The finding on one line."""
        return (
            f"{self.where}: {self.what}; {self.advice}" if self.advice else f"note: {self.where}: {self.what}"
        )
