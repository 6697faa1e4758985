"""How commands give an answer: options and the one function behind them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.gates import EXIT_CODES, Gated
from nbyk.cli.terminal import in_options
from nbyk.errors import NbykError
from nbyk.lineage import GateShutError

if TYPE_CHECKING:
    from nbyk.report.answer import Answer

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

_WIDTH = 100
"""Columns of output that does not go to a terminal."""


def give(
    answer: Answer,
    *,
    out: Path | None,
    form: str,
    stem: str,
    gate: Gated | None = None,
    more: Mapping[str, bytes] | None = None,
    details: bool = False,
) -> None:
    """Write an answer if --out is given, print it, and exit with the gate's code unless it is yes.

    Check `out` and `form` with `check_out_folder` and `check_format` before any long computation.
    `stem` begins the names of the report and the JSON file; `more` are further files by name.
    """
    from nbyk.report.answer import write_answer
    from nbyk.report.lines import Line
    from nbyk.report.printed import printed

    answer = replace(answer, cautions=tuple(map(in_options, answer.cautions)))
    if gate is not None:
        head = answer.head and replace(answer.head, lines=(*answer.head.lines, Line(gate.sentence)))
        found = {"gate": gate.verdict, "gate_passed": gate.verdict == "yes"}
        sentences = (*answer.sentences, gate.sentence)
        answer = replace(answer, head=head, sentences=sentences, details={**answer.details, **found})
    if out is not None:
        write_answer(answer, out, stem=stem, more=more)
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    print(printed(answer, form, stem=stem, width=width, details=details), end="")
    if gate is not None and gate.verdict != "yes":
        raise GateShutError(EXIT_CODES[gate.verdict])


def check_format(form: str) -> None:
    """Raise NbykError if there is no such --format."""
    if form not in FORMATS:
        raise NbykError(f"found {form!r}, expected {', '.join(FORMATS)}", argument="form")
