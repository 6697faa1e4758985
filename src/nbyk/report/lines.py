"""The first lines of an answer, in every form: a verdict, its effect, cautions, and what to do next."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from nbyk.errors import on_one_line
from nbyk.words import Remark, capitalised

if TYPE_CHECKING:
    from nbyk.report.answer import AnswerTable

Tone = Literal["good", "bad", "open"]
"""What the colour of a verdict means: good for the first system, bad for it, or undecided."""

Markup = Callable[[str], str]

_TESTS = {
    "swap_items": "swap test",
    "shifted": "shifted bootstrap",
    "permutation": "permutation of responses",
    "pooled": "pooled resampling",
    "pooled_twice": "pooled resampling",
    "t": "t-test",
}

_ZERO = "┊"
_KEPT = re.compile(r" %|[ελτα] = |p [=<≤] [.\d]+|(?<=[\d.]) to (?=[-\d.])|`nbyk [^`]*`")


@dataclass(frozen=True)
class Line:
    """A line of an answer, with a text at its right edge if there is room.

    `more` follows the right one; without room the next line begins with it, unless that `is_verdict`, one by
    a further metric.
    """

    left: str
    right: str = ""
    more: str = ""
    is_verdict: bool = False


@dataclass(frozen=True)
class Head:
    """The first lines of an answer.

    Attributes
    ----------
    verdict, tone
        The verdict in a few words, "new is better than old", and what its colour means.
    about, lines
        The metric and the numbers of items, raters and runs; and the effect with its interval, and more.
    cautions, n_serious
        Cautions, those first that would change a decision, and the number of these. All forms show these, or
        the first caution if there are none; but no `Remark`.
    next, command
        What would settle it, or what to collect, and the command for it.
    table, table_is_last
        A table, and whether it stands after the lines, as a plan's does, not before them.
    rest
        Where a reader finds the other cautions.
    """

    verdict: str
    tone: Tone
    about: str
    lines: tuple[Line, ...]
    cautions: tuple[str, ...] = ()
    n_serious: int = 0
    next: str = ""
    command: str = ""
    table: AnswerTable | None = None
    table_is_last: bool = False
    rest: str = "in `warnings`"

    def renamed(self, rename: Markup) -> Head:
        """Return the same lines with other names for the arguments that they name."""
        lines = [replace(line, left=rename(line.left)) for line in self.lines]
        return replace(self, verdict=rename(self.verdict), lines=tuple(lines), next=rename(self.next))

    @property
    def careful(self) -> list[str]:
        """The cautions that are shown, a sentence each, the last one with how many there are besides."""
        shown = [text for text in self.cautions[: max(1, self.n_serious)] if not isinstance(text, Remark)]
        n_more = len(self.cautions) - len(shown)
        said = [f"{on_one_line(text).rstrip('.')}." for text in shown]
        if said and n_more:
            said[-1] += f" ({n_more} more {self.rest})"
        return said


def in_words(test: str) -> str:
    """Return a test in words: "swap test"."""
    return _TESTS.get(test, test)


def head_text(head: Head, width: int, table: str = "") -> str:
    """Return the lines for a terminal of a width; `table` is the text of the head's table."""
    first = "" if head.table_is_last else table
    verdict = Line(head.verdict, head.about)
    rows, before = [first, ""] if first else [], ""
    for line in (verdict, *head.lines):
        if line.is_verdict:
            rows += [*([filled(before, width)] if before else []), ""]
            before = ""
        left = f"{before} {line.left}" if before else line.left
        right = line.right + line.more
        has_room = len(left) + len(right) + 2 <= width
        rows += _row(left, right if has_room else line.right, width)
        rest = "" if has_room else line.more.strip(" ,")
        before = f"{capitalised(rest)}." if rest else ""
    rows += [filled(before, width)] if before else []
    rows += [filled(f"Careful: {text}", width, later="  ") for text in head.careful]
    if head.command:  # on one line, to paste
        rows.append(f"Next: {head.command}" + (f"  # {head.next}" if head.next else ""))
    elif head.next:
        rows.append(filled(f"Next: {head.next}", width, later="  "))
    rows += ["", table] if head.table_is_last and table else []
    return "\n".join(rows) + "\n"


def _row(left: str, right: str, width: int) -> list[str]:
    gap = width - len(left) - len(right)
    if right and gap >= 2:
        return [f"{left}{gap * ' '}{right}"]
    return [filled(text, width) for text in (left, right) if text]


def filled(text: str, width: int, first: str = "", later: str = "") -> str:
    """Return a text wrapped into lines; words, p, commands and numbers with their per-cent sign stay one."""
    whole = _KEPT.sub(lambda kept: kept[0].replace(" ", "\N{NO-BREAK SPACE}"), on_one_line(text))
    lines = textwrap.fill(
        whole,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def head_rows(head: Head, plain: Markup, strong: Markup, code: Markup) -> list[str]:
    """Return the lines in markup, one each; the functions mark plain text, a verdict and a command up."""
    rows = [[strong(head.verdict), plain(head.about)]]
    rows += [[plain(line.left), plain(line.right + line.more)] for line in head.lines]
    rows += [[plain(f"Careful: {text}")] for text in head.careful]
    if head.command:
        rows.append([f"Next: {code(head.command)}", plain(head.next)])
    elif head.next:
        rows.append([plain(f"Next: {head.next}")])
    return [" · ".join(text for text in row if text) for row in rows]


def bar(
    low: float,
    value: float,
    high: float,
    axis: tuple[float, float] | None = None,
    width: int = 15,
    *,
    of_effect: bool = True,
) -> str:
    """Return an interval as a bar of characters, with a dot at the value and, of an effect, a mark at zero.

    The axis ends where the interval does unless it is given. The bar is "" if a number is not finite.
    """
    if not all(map(math.isfinite, (low, value, high))):
        return ""
    start, stop = axis or (low, high)

    def place(number: float) -> int:
        share = (number - start) / (stop - start) if stop > start else 0.5
        return min(width - 1, max(0, round(share * (width - 1))))

    first, dot, last = place(low), place(value), place(high)
    if axis is None:
        dot = min(width - 2, max(1, dot))
    characters = [" "] * width
    characters[first : last + 1] = ["├", *"─" * (last - first - 1), "┤"] if last > first else ["│"]
    zero = min(width - 2, max(1, place(0.0)))
    if of_effect and start < 0.0 < stop and characters[zero] in " ─":
        characters[zero] = _ZERO
    characters[dot] = "●"
    return "".join(characters)


def with_decimals(values: Sequence[float], spread: float) -> list[str]:
    """Return numbers with so many decimals that two digits of a spread are seen; three digits without one."""
    if not (math.isfinite(spread) and spread > 0.0):
        return [f"{value + 0.0:.3g}" for value in values]
    decimals = max(0, 1 - math.floor(math.log10(spread)))
    if decimals > 8:
        return [f"{value + 0.0:.3g}" for value in values]
    return [f"{round(value, decimals) + 0.0:.{decimals}f}" for value in values]
