"""The questions of the tests that nbyk plans for."""

from __future__ import annotations

from nbyk.errors import NbykError

SIDES = {"two-sided": "two-sided", "greater": "one-sided"}
"""The alternatives of a planned test, and how a sentence calls the test."""


def check_side(alternative: str) -> None:
    """Raise NbykError unless nbyk can plan for a test of this alternative."""
    if alternative not in SIDES:
        raise NbykError(
            f"found {alternative!r}, expected {' or '.join(map(repr, SIDES))}: a plan takes B for the worse "
            "system",
            argument="alternative",
        )
