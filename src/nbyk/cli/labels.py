"""`nbyk labels`: whether the treatments of a design are better than their controls, by label predictions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
from nbyk.cli.gates import Gate, all_better
from nbyk.cli.options import Threads, check_out_folder, factors
from nbyk.errors import NbykError


def labels(
    design: Annotated[Path, typer.Argument(help="The design, in YAML (docs/labels.md).")],
    out: OutAnswer = None,
    form: Format = "text",
    gate: Gate = False,
    generalise: Annotated[
        str | None,
        typer.Option(
            help="Population of the first claim: items, or items,raters. It replaces the design's key.",
            show_default="the design's, or items and the raters that they share",
            metavar="NAMES",
        ),
    ] = None,
    outcomes: Annotated[
        Path | None,
        typer.Option(help="File to write targets and predictions to, as BooStSa's outcomes.json."),
    ] = None,
    threads: Threads = 1,
) -> None:
    """Compare classifiers by their hard or soft label predictions: controls, treatments and runs of a design.

    With --out, comparisons that were computed before are kept, and results.tsv has BooStSa's layout. The gate
    is passed if every treatment is shown to be better than its control by the first score.
    """
    check_format(form)
    if out is not None:
        check_out_folder(out)
    from nbyk.labels.designs import compare_design, read_design, write_outcomes
    from nbyk.report.labels.answer import design_answer, passes
    from nbyk.report.labels.boostsa import results_files

    read, settings = read_design(design)
    if generalise is not None:
        settings = settings.model_copy(update={"generalise": list(factors(generalise) or ())})
    keep = None if out is None else out / "comparisons"
    try:
        result = compare_design(read, settings, keep=keep, threads=threads, say=None if out is None else _say)
    except NbykError as error:
        raise error.about(file=design) from None
    if outcomes is not None:
        write_outcomes(read, outcomes)
    verdict = all_better(passes(result)) if gate else None
    more = results_files(result)
    give(design_answer(result), out=out, form=form, stem="labels", gate=verdict, more=more)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
