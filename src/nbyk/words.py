"""Lists and numbers as English writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_MOST = 5
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def listed(names: Sequence[str]) -> str:
    """Return names as an English list; for more than five, the first four and the number of others."""
    shown = list(names)
    if len(shown) > _MOST:
        shown = [*shown[: _MOST - 1], f"{len(shown) - _MOST + 1} others"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: int) -> str:
    """Return a number in words up to ten, in digits beyond."""
    return _COUNTS[number] if number < len(_COUNTS) else str(number)


def in_full(margin: float) -> str:
    """Return a number that the user gave with all of its digits, but for rounding in its conversion."""
    return f"{margin:.10g}"


def number(value: float) -> str:
    """Return a number in three digits; 0 has no sign."""
    return f"{value + 0.0:.3g}"


def ends_in_words(interval: tuple[float, float]) -> str:
    """Return the ends of an interval; "–" if there is none."""
    low, high = interval
    return "–" if math.isnan(low) else f"{number(low)} to {number(high)}"


def with_names(text: str, a: str, b: str) -> str:
    """Return a result's text about A and B with the systems' names in their place.

    Do not give it a text with names in it: a name may be A or B.
    """
    return re.sub(r"\b[AB]\b", lambda at: {"A": a, "B": b}[at[0]], text)
