"""How commands give an answer: options and the one function behind them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.naming import in_options
from nbyk.lineage.recording import AnsweredNoError

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
    typer.Option("--gate", help="Exit with 1 unless the answer is yes, for use in continuous integration."),
]

_WIDTH = 100
"""Columns where the output is no terminal."""


def give(answer: Answer, *, out: Path | None, as_json: bool, stem: str, passed: bool | None = None) -> None:
    """Write an answer if a folder is given, print it, and exit with 1 if it did not pass.

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
    passed
        Whether the gate is passed; None without --gate.
    """
    from nbyk.report.answer import answer_text, write_answer

    answer = replace(answer, cautions=tuple(map(in_options, answer.cautions)))
    if out is not None:
        write_answer(answer, out, stem=stem)
    if as_json:
        print(answer.to_json())
    else:
        print(answer_text(answer, width=shutil.get_terminal_size((_WIDTH, 24)).columns), end="")
    if passed is False:
        raise AnsweredNoError
