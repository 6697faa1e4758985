"""`nbyk labels`: whether the treatments of a design are better than their controls, by label predictions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
from nbyk.cli.gates import Gate, all_better
from nbyk.cli.options import Threads, check_out_folder, distinct, factors
from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk.labels.designs import Design, Settings


def labels(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="With --gold: two files of predicted labels or more, each PATH or NAME=PATH. The first is "
            "A. Without --gold: one design, in YAML.",
        ),
    ],
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Gold labels of the same items: one for each, or a table of the labels that several people "
            "gave. This replaces a design."
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(
            help="With --gold: label of an item whose raters chose several classes equally often: refuse, or "
            "the lowest or highest in the order of their names.",
            show_default="refuse",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="With --gold: score to compare by; repeat for several. The first decides.",
            show_default="accuracy, then three macro averages",
            metavar="NAME",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="With --gold: name of the system that nbyk compares the others with.",
            show_default="the second of two",
        ),
    ] = None,
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
    """Compare classifiers by the labels that they predict, hard or soft.

    Give the gold labels and one file of predictions for each system: nbyk labels --gold gold.csv a.csv b.csv.
    If the gold file has the labels of several people, the label of most is the target, and the first claim is
    about new people too.
    For several runs of a system, soft labels or families of tests, give one design: a file in YAML that names
    the controls, the treatments and their runs (docs/labels.md).

    With --out, comparisons that were computed before are kept, and results.tsv has BooStSa's layout. The gate
    is passed if every treatment is shown to be better than its control by the first score.
    """
    check_format(form)
    if out is not None:
        check_out_folder(out)
    from nbyk.labels.designs import compare_design, write_outcomes
    from nbyk.report.labels.answer import design_answer, passes
    from nbyk.report.labels.boostsa import results_files

    read, settings, design = _read(files, gold, metric, against, ties)
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


def _read(
    files: Sequence[str],
    gold: Path | None,
    metric: Sequence[str] | None,
    against: str | None,
    ties: str | None,
) -> tuple[Design, Settings, str | None]:
    """Return the design, its settings, and its file if it has one."""
    from nbyk.labels.designs import design_of_files, make_settings, read_design
    from nbyk.labels.designs.reading import LABEL_SUFFIXES
    from nbyk.metrics import get
    from nbyk.words import listed

    if gold is None:
        for argument, value in (("metric", metric), ("against", against), ("ties", ties)):
            if value:
                raise NbykError(
                    "goes with --gold; a design has its own keys scores, controls, treatments and ties",
                    argument=argument,
                )
        if len(files) > 1 or Path(files[0]).suffix.lower() in LABEL_SUFFIXES:
            raise NbykError(
                f"found {listed(files)}, expected one design in YAML; to compare files of predictions, "
                "give the gold labels with --gold FILE"
            )
        return *read_design(files[0]), files[0]
    scores = list(metric or ())
    distinct("--metric", scores)
    for name in scores:
        try:
            get(name, "labels")
        except NbykError as error:
            raise error.about(argument="metric") from None
    settings = make_settings(scores=scores) if scores else make_settings()
    design = design_of_files(gold, files, against, ties or "refuse")  # type: ignore[arg-type]
    target = design.arms[0].control.runs[0].target
    if target.recognised:
        _say(f"{gold}: {target.recognised}")
    return design, settings, None


def _say(line: str) -> None:
    print(line, file=sys.stderr)
