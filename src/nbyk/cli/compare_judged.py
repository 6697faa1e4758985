"""`nbyk compare PEOPLE --judge JUDGE`: systems that people rated in part and a judge scored."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.words import listed

if TYPE_CHECKING:
    from nbyk.report.answer import Answer
    from nbyk.testing.results import Board

TAKEN = (
    *("systems", "judge", "judge_name", "counts", "chance", "batch", "slices", "scale", "against"),
    *("alternative", "alpha", "confidence_level", "correction", "gate", "details", "out", "form"),
    *("item", "rater", "value", "system", "on_missing", "on_duplicates", "on_empty", "seed", "threads"),
)
"""The parameters of `nbyk compare` that mean something beside a judge."""

WITH_JUDGE = ("judge_name", "counts", "chance", "batch", "slices")
"""Those that mean something beside a judge alone."""


@dataclass(frozen=True)
class JudgedRequest:
    """How to read people's ratings and the judge's scores (`nbyk.read_judged`), and how to compare."""

    people: list[str]
    judge: Path
    reading: dict[str, Any]
    comparing: dict[str, Any]


def answer_of_judged(request: JudgedRequest) -> tuple[Answer, Board]:
    """Return the answer, and the board of its pairs for the gate."""
    from nbyk.data.judged import read_judged
    from nbyk.report.comparison.judged import judged_answer
    from nbyk.testing.judged.board import compare_judged

    if len(request.people) != 1:
        raise NbykError(
            f"found {listed(request.people) or 'no file'}; expected one table of people's ratings, "
            "with a column of systems if there are several"
        )
    data = read_judged(request.people[0], request.judge, **request.reading)
    board = compare_judged(data, **request.comparing)
    answer, first = judged_answer(board, data), board.differences[:1]
    if len(data.systems) == 2 and board.board.pair.shown == "undecided" and answer.head is not None:
        words = ["nbyk", "plan", "--pilot", request.people[0], "--judge", str(request.judge)]
        words += ["--solve", "raters", "--effect", f"{abs(first[0].claims[-1].effect):.2g}", "--power", "0.8"]
        head = replace(answer.head, next="what would settle it", command=shlex.join(words))
        answer = replace(answer, head=head)
    return answer, board.board


def numbers_of(counts: str | None) -> dict[str, float] | None:
    """Return what each class counts, from text such as "yes=1,partially=.5,no=0"."""
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
            raise NbykError(f"found {part!r}, expected CLASS=NUMBER, as in yes=1,no=0", argument="counts")
    return found
