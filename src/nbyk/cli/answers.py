"""How commands give an answer: options and the one function behind them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nbyk.cli.naming import in_options
from nbyk.lineage.recording import GateShutError

if TYPE_CHECKING:
    from nbyk.report.answer import Answer

OutAnswer = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Folder to write to: an HTML report, JSON, tables (CSV, Parquet, Markdown, LaTeX), figures.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Gate = Annotated[
    bool,
    typer.Option(
        "--gate",
        help="Exit with 3 where the answer is no, 4 where it is inconclusive: for continuous integration.",
    ),
]

Verdict = Literal["yes", "no", "inconclusive"]
EXIT_CODES: dict[Verdict, int] = {"yes": 0, "no": 3, "inconclusive": 4}
"""What --gate ends with. 2 is bad input, and 1 what nobody foresaw."""

_WIDTH = 100
"""Columns where the output is no terminal."""


def give(
    answer: Answer,
    *,
    out: Path | None,
    as_json: bool,
    stem: str,
    gate: Verdict | None = None,
    more: Mapping[str, bytes] | None = None,
) -> None:
    """Write an answer if a folder is given, print it, and exit with the gate's code unless it is yes.

    Parameters
    ----------
    answer
        The answer.
    out
        The folder of --out; check it with `check_out_folder` before what takes long.
    as_json
        Whether to print JSON.
    stem
        Stem of the report's and the JSON file's names.
    gate
        What --gate asks for; None without it.
    more
        Further files of the answer, by name.
    """
    from nbyk.report.answer import answer_text, write_answer

    answer = replace(answer, cautions=tuple(map(in_options, answer.cautions)))
    if out is not None:
        write_answer(answer, out, stem=stem, more=more)
    if as_json:
        print(answer.to_json())
    else:
        print(answer_text(answer, width=shutil.get_terminal_size((_WIDTH, 24)).columns), end="")
    if gate is not None and gate != "yes":
        raise GateShutError(EXIT_CODES[gate])


def passed(yes: bool) -> Verdict:
    """Return the verdict of a test whose number of draws is fixed, which is never inconclusive."""
    return "yes" if yes else "no"


def all_better(metrics: Iterable[tuple[bool, bool]]) -> Verdict:
    """Return whether a system is better by all metrics.

    Parameters
    ----------
    metrics
        Of each metric, whether the system is better by it, and whether more draws cannot change that.
    """
    found = list(metrics)
    if any(settled and not better for better, settled in found):
        return "no"
    return "yes" if all(settled for _, settled in found) else "inconclusive"


def with_gate(answer: Answer, verdict: Verdict, a: str, b: str | None, reason: str = "") -> Answer:
    """Return an answer that says whether the gate is passed: whether `a` is shown to be better than `b`.

    `reason` says why nothing can be said of the population that is asked about; "" where draws alone lack.
    """
    no = "" if verdict == "yes" else "not "
    sentence = f"The gate is {no}passed: {a} is {no}shown to be better than {b}."
    if verdict == "inconclusive":
        more = f"more draws could change whether {a} is shown to be better than {b}; raise --max-resamples"
        sentence = f"The gate is inconclusive: {reason or more}."
    return replace(
        answer,
        sentences=(*answer.sentences, sentence),
        details={**answer.details, "gate": verdict, "gate_passed": verdict == "yes"},
    )
