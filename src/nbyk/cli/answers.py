"""How commands give an answer: options and the one function behind them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.gates import EXIT_CODES, Shown, with_gate
from nbyk.cli.terminal import in_options
from nbyk.errors import NbykError
from nbyk.lineage import GateShutError
from nbyk.provenance import shown

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
    gate: Shown | None = None,
    more: Mapping[str, bytes] | None = None,
    details: bool = False,
) -> None:
    """Write an answer if a folder is given, print it, and exit with the gate's code unless it is yes.

    Parameters
    ----------
    answer
        The answer.
    out
        The folder of --out; check it with `check_out_folder` before any long computation.
    form
        The --format to print it in; check it with `check_format` before any long computation.
    stem
        Stem of the report's and the JSON file's names.
    gate
        What the gate asks and finds, if --gate is given; None otherwise. The answer says it too.
    more
        Further files of the answer, by name.
    details
        Whether the terminal shows more than the first lines, if the answer has these.
    """
    from nbyk.report.answer import write_answer
    from nbyk.report.printed import printed

    answer = replace(
        answer,
        sentences=tuple(map(in_options, answer.sentences)),
        cautions=tuple(map(in_options, answer.cautions)),
        head=answer.head and answer.head.renamed(in_options),
    )
    if gate is not None:
        answer = with_gate(answer, gate)
    if out is not None:
        write_answer(answer, out, stem=stem, more=more)
        print(f"wrote {shown(out / f'{stem}.html')}; tables, figures and JSON are beside it", file=sys.stderr)
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    print(printed(answer, form, stem=stem, width=width, details=details), end="")
    if gate is not None and gate.better != "yes":
        raise GateShutError(EXIT_CODES[gate.better])


def check_format(form: str) -> None:
    """Raise NbykError if there is no such --format."""
    if form not in FORMATS:
        raise NbykError(f"found {form!r}, expected {', '.join(FORMATS)}", argument="form")
