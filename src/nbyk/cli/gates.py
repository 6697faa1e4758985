"""`--gate`: whether a system is good enough, as an exit code for continuous integration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nbyk.errors import NbykError
from nbyk.words import in_full, with_names

if TYPE_CHECKING:
    from nbyk.report.answer import Answer
    from nbyk.testing.systems.margins import MarginClaim
    from nbyk.testing.systems.result import ComparisonResult

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
    return replace(
        answer,
        sentences=(*answer.sentences, sentence),
        details={**answer.details, "gate": verdict, "gate_passed": verdict == "yes"},
    )


def by_margin(metrics: Iterable[tuple[bool, MarginClaim | None]]) -> Verdict:
    """Return whether a system is better than another or not worse by the margin, by every metric.

    Parameters
    ----------
    metrics
        For each metric: whether the system is better by it, and its claim about the margin.
    """
    passed: dict[str, Verdict] = {"equivalent": "yes", "not worse": "yes", "worse": "no"}
    found = {
        "yes" if better else passed.get(claim.verdict, "inconclusive") if claim else "inconclusive"
        for better, claim in metrics
    }
    return "no" if "no" in found else "inconclusive" if "inconclusive" in found else "yes"


def reason_of(pairs: Iterable[tuple[str, str, ComparisonResult]]) -> str:
    """Return why some named pair allows no claim about the broadest population, or only with reserve.

    "" if every pair does without.
    """
    for a, b, result in pairs:
        claim = result.claims[0]
        if claim.reason:
            return with_names(claim.reason, a, b) + "; --generalise items asks about these alone"
        if not result.could_reject:
            return f"so few items cannot show a difference at α = {result.alpha:g}; give more"
        if result.is_reserved(claim):
            return f"{a} is shown to be better than {b} only with reserve: {with_names(claim.reserve, a, b)}"
    return ""


def reserve_of_margins(pairs: Iterable[tuple[str, str, MarginClaim | None]]) -> str:
    """Return why the answer about the margin holds for some named pair only with reserve; "" if for none."""
    return next(
        (
            f"{claim.shown} for {a} and {b} holds only with reserve: {with_names(claim.reserve, a, b)}"
            for a, b, claim in pairs
            if claim is not None and claim.is_reserved
        ),
        "",
    )
