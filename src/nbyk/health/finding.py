"""One finding of `nbyk doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A finding, and advice on it.

    Attributes
    ----------
    where
        A file, folder or package.
    what
        The finding, and what nbyk expected.
    advice
        What to do; empty if the finding is only for information.
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
