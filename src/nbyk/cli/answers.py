"""How commands give an answer, and `--gate`: whether a system is good enough, as an exit code."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from nbyk.cli.terminal import in_options
from nbyk.errors import NbykError
from nbyk.lineage import GateShutError
from nbyk.provenance import shown
from nbyk.words import in_full

if TYPE_CHECKING:
    from nbyk.report.answer import Answer
    from nbyk.testing.results import Board, Pair

OutAnswer = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Folder for an HTML report, JSON, tables (CSV, Parquet, Markdown, LaTeX) and figures.",
    ),
]
Format = Annotated[
    str, typer.Option("--format", help="Form to print the answer in: text, markdown, json, html or latex.")
]

FORMATS = ("text", "markdown", "json", "html", "latex")

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


_WIDTH = 100
"""Columns of output that does not go to a terminal."""


class Gated(NamedTuple):
    """What a gate finds, and a sentence that says so."""

    verdict: Verdict
    sentence: str


def give(
    answer: Answer,
    *,
    out: Path | None,
    form: str,
    stem: str,
    gate: Gated | None = None,
    details: bool = False,
) -> None:
    """Write an answer if --out is given, print it, and exit with the gate's code unless it is yes.

    Check `out` and `form` with `check_out_folder` and `check_choice` before any long computation.
    `stem` begins the names of the report and the JSON file.
    """
    from nbyk.report.answer import printed, write_answer
    from nbyk.report.lines import Line

    content = dict(answer.details)
    if "lines" in content:
        content["lines"] = [in_options(line) for line in content["lines"]]
    answer = replace(
        answer,
        details=content,
        sentences=tuple(map(in_options, answer.sentences)),
        cautions=tuple(map(in_options, answer.cautions)),
        head=answer.head and answer.head.renamed(in_options),
    )
    if gate is not None:
        head = answer.head and replace(answer.head, lines=(*answer.head.lines, Line(gate.sentence)))
        outcome = {"gate": gate.verdict, "gate_passed": gate.verdict == "yes"}
        sentences = (*answer.sentences, gate.sentence)
        answer = replace(answer, head=head, sentences=sentences, details={**answer.details, **outcome})
    if out is not None:
        write_answer(answer, out, stem=stem)
        print(f"wrote {shown(out / f'{stem}.html')}; tables, figures and JSON are beside it", file=sys.stderr)
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    print(printed(answer, form, stem=stem, width=width, details=details), end="")
    if gate is not None and gate.verdict != "yes":
        raise GateShutError(EXIT_CODES[gate.verdict])


def with_one_side(alternative: str | None, *, gate: bool) -> str:
    """Return the alternative to test: the given one, or "greater" for a gate, which asks what is better."""
    if gate and alternative == "less":
        raise NbykError("--gate asks whether A is better, but --alternative less asks whether B is; drop one")
    return alternative or ("greater" if gate else "two-sided")


def gate_of(boards: Sequence[Board], names: Sequence[str], incomplete: Sequence[str]) -> Gated:
    """Return whether the first system is the better one, or not worse by the margin, by every metric.

    `names` are the systems in their given order; `incomplete` are notes about logs that lack some of their
    run, with which nothing is conclusive.
    """
    first = next(name for name in names if name != boards[0].question.against)
    pairs = [pair for board in boards for pair in board.pairs if pair.a == first]
    verdicts = {_verdict(pair) for pair in pairs}
    verdict: Verdict = "no" if "no" in verdicts else "yes" if verdicts == {"yes"} else "inconclusive"
    if incomplete:
        verdict, reason = "inconclusive", f"{incomplete[0]}; run it to its end"
    else:
        reason = next(filter(None, map(_reason, pairs)), "")
    says = {
        "yes": f"passed by {first}",
        "no": f"not passed by {first}",
        "inconclusive": f"inconclusive: {reason}",
    }
    return Gated(verdict, f"The gate is {says[verdict]}.")


def _verdict(pair: Pair) -> Verdict:
    """Return whether A is better, or not worse by a margin; inconclusive unless it holds without reserve."""
    if pair.margin is not None:
        verdicts: dict[str, Verdict] = {"equivalent": "yes", "not worse": "yes", "worse": "no"}
        is_better = pair.verdict == "better"
        return "yes" if is_better else verdicts.get(pair.margin.verdict, "inconclusive")
    claim = pair.claims[0]
    # No number of draws shows a system to be better that is not ahead.
    is_behind = claim.is_conclusive and claim.order is None and pair.effect <= 0.0
    is_sure = is_behind or (claim.is_conclusive and pair.decided and not pair.reserve)
    if not pair.could_reject or not is_sure:
        return "inconclusive"
    return "yes" if pair.verdict == "better" else "no"


def _reason(pair: Pair) -> str:
    """Return why a pair allows no claim about the broadest population, or only with reserve; "" without."""
    a, b, margin = pair.a, pair.b, pair.margin
    if margin is not None:
        if margin.is_reserved:
            return f"{margin.shown} for {a} and {b} holds only with reserve: {margin.reserve}"
        if margin.shown != "undecided":
            return ""
        return (
            f"these data do not show whether {a} is worse than {b} by {in_full(margin.size)}; collect more "
            "items, or ask about a larger margin"
        )
    if pair.claims[0].reason:
        alone = "" if "judge" in pair.sample.responses else "; --generalise items asks about these alone"
        return f"{pair.claims[0].reason}{alone}"
    if not pair.could_reject:
        few = "scores" if pair.sample.scores else "votes" if "votes" in pair.sample.units else "items"
        return f"so few {few} cannot show a difference at α = {pair.question.alpha:g}; give more"
    if pair.reserve:
        return f"{a} is shown to be better than {b} only with reserve: {pair.reserve}"
    if not pair.decided:
        draws = "--resamples" if pair.sample.scores else "--max-resamples"
        return f"more draws could change whether {a} is shown to be better than {b}; raise {draws}"
    return ""
