"""`nbyk compare PEOPLE --judge JUDGE`: systems that people rated in part and a judge scored."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.words import listed

if TYPE_CHECKING:
    from nbyk.report.answer import Answer
    from nbyk.testing.results import Board

READING = (
    *("item", "rater", "value", "system", "chance", "batch", "slices"),
    *("on_missing", "on_duplicates", "on_empty"),
)
"""The parameters of `nbyk compare` that go to `nbyk.read_judged` as they are."""

WITH_JUDGE = ("judge_name", "counts", "chance", "batch", "slices")
"""Those that mean something beside a judge alone."""

TAKEN = (
    *("systems", "judge", *WITH_JUDGE, *READING, "scale", "against", "alternative", "alpha"),
    *("confidence_level", "correction", "gate", "details", "out", "form", "seed", "threads"),
)
"""All that mean something beside a judge."""


def answer_of_judged(
    people: Sequence[str],
    judge: Path,
    reading: Mapping[str, Any],
    comparing: Mapping[str, Any],
    options: Sequence[str],
) -> tuple[Answer, Board]:
    """Return the answer, and the board of its pairs for the gate; `options` go to the next command too."""
    from nbyk.data.judged import read_judged
    from nbyk.report.comparison.judged import judged_answer
    from nbyk.testing.judged.board import compare_judged

    if len(people) != 1:
        raise NbykError(
            f"found {listed(people) or 'no file'}; expected one table of people's ratings, "
            "with a column of systems if there are several"
        )
    data = read_judged(people[0], judge, **reading)
    board = compare_judged(data, **comparing)
    answer, first = judged_answer(board, data), board.differences[:1]
    planned = reading["system"] is None and reading["judges"] is None  # `nbyk plan` has no such options
    if (
        planned
        and len(data.systems) == 2
        and board.board.pair.shown == "undecided"
        and answer.head is not None
    ):
        words = ["nbyk", "plan", "--pilot", people[0], "--judge", str(judge), *options]
        words += ["--solve", "raters", "--effect", f"{abs(first[0].claims[-1].effect):.6g}", "--power", "0.8"]
        head = replace(answer.head, next="what would settle it", command=shlex.join(words))
        answer = replace(answer, head=head)
    return answer, board.board


def numbers_of(
    counts: str | None, argument: str = "counts", form: str = "CLASS=NUMBER, as in yes=1,no=0"
) -> dict[str, float] | None:
    """Return what each class or task counts, from text such as "yes=1,partially=.5,no=0"."""
    if counts is None:
        return None
    found: dict[str, float] = {}
    for part in counts.split(","):
        name, equals, number = part.rpartition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise NbykError(f"found {part!r}, expected {form}", argument=argument)
    return found
