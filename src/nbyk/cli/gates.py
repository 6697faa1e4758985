"""`--gate`: whether a system is good enough, as an exit code for continuous integration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nbyk.errors import NbykError
from nbyk.report.lines import Line
from nbyk.words import in_full

if TYPE_CHECKING:
    from nbyk.report.answer import Answer
    from nbyk.testing.results import Margin, Pair

Gate = Annotated[
    bool,
    typer.Option(
        "--gate",
        help="For continuous integration: exit with 0 if the answer is yes, 3 if no, 4 if inconclusive.",
    ),
]

Verdict = Literal["yes", "no", "inconclusive"]
EXIT_CODES: dict[Verdict, int] = {"yes": 0, "no": 3, "inconclusive": 4}
"""Exit codes of --gate. Exit code 2 is bad input, and 1 an unforeseen error."""


@dataclass(frozen=True)
class Shown:
    """The gate's question: whether system `a` is shown to be better than `b`, or not worse by a margin.

    Attributes
    ----------
    a, b
        The systems' names.
    better
        The answer.
    reason
        Why the data allow no claim about the population asked about, or only with reserve; "" if only more
        draws or, with a margin, more items are needed.
    margin
        The margin, in the unit of the ratings; None if there is none.
    draws
        The option that raises the number of draws.
    """

    a: str
    b: str | None
    better: Verdict
    reason: str = ""
    margin: float | None = None
    draws: str = "--max-resamples"


def with_one_side(alternative: str | None, *, gate: bool) -> str:
    """Return the alternative to test: the given one, or "greater" for a gate, which asks what is better."""
    if gate and alternative == "less":
        raise NbykError("--gate asks whether A is better, but --alternative less asks whether B is; drop one")
    return alternative or ("greater" if gate else "two-sided")


def unless_incomplete(shown: Shown, incomplete: Sequence[str]) -> Shown:
    """Return what the gate finds, which is inconclusive if a log lacks some of its run."""
    if not incomplete:
        return shown
    return replace(shown, better="inconclusive", reason=f"{incomplete[0]}; run it to its end")


def all_better(metrics: Iterable[tuple[bool, bool]]) -> Verdict:
    """Return whether a system is better by all metrics, or in all comparisons.

    Parameters
    ----------
    metrics
        For each metric or comparison: whether the system is better by it, and whether that answer is settled,
        so that more draws cannot change it.
    """
    found = list(metrics)
    if any(settled and not better for better, settled in found):
        return "no"
    return "yes" if all(settled for _, settled in found) else "inconclusive"


def with_gate(answer: Answer, shown: Shown) -> Answer:
    """Return an answer that says whether the gate is passed."""
    a, b, verdict, reason, margin = shown.a, shown.b, shown.better, shown.reason, shown.margin
    no = "" if verdict == "yes" else "not "
    sentence = f"The gate is {no}passed: {a} is {no}shown to be better than {b}."
    if margin is not None:
        sentence = {
            "yes": f"The gate is passed: {a} is better than {b}, or not worse by {in_full(margin)}.",
            "no": f"The gate is not passed: {a} is worse than {b} by more than {in_full(margin)}.",
            "inconclusive": f"The gate is inconclusive: these data do not show whether {a} is worse than {b} "
            f"by {in_full(margin)}. More items would tell, or ask about a larger margin.",
        }[verdict]
        if verdict == "inconclusive" and reason:
            sentence = f"The gate is inconclusive: {reason}."
    elif verdict == "inconclusive":
        more = f"more draws could change whether {a} is shown to be better than {b}; raise {shown.draws}"
        sentence = f"The gate is inconclusive: {reason or more}."
    head = answer.head and replace(answer.head, lines=(*answer.head.lines, Line(sentence)))
    return replace(
        answer,
        head=head,
        sentences=(*answer.sentences, sentence),
        details={**answer.details, "gate": verdict, "gate_passed": verdict == "yes"},
    )


def by_margin(metrics: Iterable[tuple[bool, Margin | None]]) -> Verdict:
    """Return whether a system is better than another or not worse by the margin, by every metric.

    Parameters
    ----------
    metrics
        For each metric: whether the system is better by it, and the tests of its margin.
    """
    passed: dict[str, Verdict] = {"equivalent": "yes", "not worse": "yes", "worse": "no"}
    verdicts = {
        "yes" if better else passed.get(margin.verdict, "inconclusive") if margin else "inconclusive"
        for better, margin in metrics
    }
    return "no" if "no" in verdicts else "inconclusive" if "inconclusive" in verdicts else "yes"


def reason_of(pairs: Iterable[Pair]) -> str:
    """Return why some pair allows no claim about the broadest population, or only with reserve.

    "" if every pair does without.
    """
    for pair in pairs:
        if pair.claims[0].reason:
            return f"{pair.claims[0].reason}; --generalise items asks about these alone"
        if not pair.could_reject:
            few = "scores" if pair.sample.scores else "items"
            return f"so few {few} cannot show a difference at α = {pair.question.alpha:g}; give more"
        if pair.reserve:
            return f"{pair.a} is shown to be better than {pair.b} only with reserve: {pair.reserve}"
    return ""


def reserve_of_margins(pairs: Iterable[Pair]) -> str:
    """Return why the answer about the margin holds for some pair only with reserve; "" if for none."""
    return next(
        (
            f"{pair.margin.shown} for {pair.a} and {pair.b} holds only with reserve: {pair.margin.reserve}"
            for pair in pairs
            if pair.margin is not None and pair.margin.is_reserved
        ),
        "",
    )
