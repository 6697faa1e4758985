"""Words, tables and cells as people read them, in answers and spreadsheets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from nbyk.errors import on_one_line

if TYPE_CHECKING:
    import pandas as pd

_MOST = 5
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Remark(str):
    """A caution that changes no decision: the first lines of an answer leave it to the rest."""


class DataDoubt(str):
    """A caution about data that may turn a verdict round; `system` is one that looks like gold, if any."""

    system: str = ""


class Offer(str):
    """A sentence that offers an option."""


class Planning(str):
    """A command that plans, and so finds how many items would settle an answer."""


class AboutUnits(str):
    """A caution about the raters or runs that items share or may share: the fact, and what follows."""

    fact: str

    def __new__(cls, fact: str, follows: str = "") -> Self:
        """Return the caution, with its fact."""
        text = super().__new__(cls, f"{fact}: {follows}" if follows else fact)
        text.fact = fact
        return text


def capitalised(text: str) -> str:
    """Return a text with a capital first letter, and the others as they are."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(names: Sequence[str]) -> str:
    """Return names as an English list; for more than five, the first four and the number of others."""
    shown = list(names)
    if len(shown) > _MOST:
        shown = [*shown[: _MOST - 1], f"{len(shown) - _MOST + 1} others"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def names_in_text(text: str | None) -> tuple[str, ...]:
    """Return the names in text such as "items,raters"."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def counted(number: int) -> str:
    """Return a number in words up to ten, in digits beyond."""
    return _COUNTS[number] if number < len(_COUNTS) else str(number)


def number_of(count: int, noun: str) -> str:
    """Return a number of things: "1 item", "2 items"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def in_full(margin: float) -> str:
    """Return a number that the user gave with all of its digits, but for rounding in its conversion."""
    return f"{margin:.10g}"


def number(value: float) -> str:
    """Return a number in three digits; 0 has no sign."""
    return f"{value + 0.0:.3g}"


def percent(level: float) -> str:
    """Return a confidence level in words, with two digits of what it misses."""
    missed = max(100.0 * (1.0 - level), 1e-12)
    return f"{round(100.0 * level, 1 - math.floor(math.log10(missed))):.12g} %"


def ends_in_words(interval: tuple[float, float]) -> str:
    """Return the ends of an interval; "–" if there is none."""
    low, high = interval
    return "–" if math.isnan(low) else f"{number(low)} to {number(high)}"


def csv_text(table: pd.DataFrame) -> str:
    """Return a table for spreadsheets, in full precision, without its index."""
    return for_spreadsheets(table).to_csv(index=False, lineterminator="\n")


def for_spreadsheets(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which no text is a formula: an apostrophe stands before =, +, - or @."""
    text = table.select_dtypes(exclude="number").columns
    safe = table.assign(**{name: table[name].map(_no_formula) for name in text})
    return safe.rename(columns=_no_formula, index=_no_formula)


def _no_formula(cell: object) -> object:
    """Return a cell as a spreadsheet shows it; a cell that is not text stays unchanged."""
    if not isinstance(cell, str):
        return cell
    plain = on_one_line(cell)
    return f"'{plain}" if plain.lstrip()[:1] in tuple("=+-@") and number_in(plain) is None else plain


def number_in(text: str) -> float | None:
    """Return the number that a text is; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None
