"""`nbyk labels`: whether the treatments of a design are better than their controls, by label predictions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
from nbyk.cli.gates import Gate, Shown, Verdict, all_better, with_one_side
from nbyk.cli.options import GoldItem, GoldValue, Threads, check_out_folder, distinct, factors
from nbyk.errors import DataPlace, NbykError, renaming

if TYPE_CHECKING:
    from nbyk.labels.designs import Design, DesignResult, Settings


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
    alternative: Annotated[
        str | None,
        typer.Option(
            help="Side to test: two-sided, or greater (the treatment is better). This option and the next "
            "five replace the design's keys.",
            show_default="the design's, or two-sided, or greater with --gate",
        ),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Level of the test.", show_default="the design's, or 0.05")
    ] = None,
    confidence_level: Annotated[
        float | None,
        typer.Option(help="Confidence level of the intervals.", show_default="the design's, or 0.95"),
    ] = None,
    correction: Annotated[
        str | None,
        typer.Option(
            help="Correction for the number of comparisons: holm, bonferroni, benjamini_hochberg or none.",
            show_default="the design's, or holm",
        ),
    ] = None,
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples", help="Number of draws of the bootstrap.", show_default="the design's, or 10000"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of every draw.", show_default="the design's, or 0")
    ] = None,
    item: Annotated[
        str | None, typer.Option(help="Column of items.", show_default="item, or another known name")
    ] = None,
    rater: Annotated[
        str | None,
        typer.Option(help="Gold's column of raters.", show_default="rater, or another known name"),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(help="Column of labels.", show_default="label, or value if gold has several people's"),
    ] = None,
    gold_item: GoldItem = None,
    gold_value: GoldValue = None,
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

    With --out, results.tsv has BooStSa's layout. The gate is passed if every treatment is shown to be better
    than its control by the first score.
    """
    check_format(form)
    if out is not None:
        check_out_folder(out)
    from nbyk.labels.designs import compare_design, write_outcomes
    from nbyk.report.labels.answer import design_answer, passes
    from nbyk.report.labels.boostsa import results_files

    if gold is None:
        of_columns = {"item": item, "rater": rater, "value": value, "gold_item": gold_item}
        _refuse({"metric": metric, "against": against, "ties": ties, **of_columns, "gold_value": gold_value})
    columns = {"item": item or "item", "value": value or "value"}
    of_gold = (gold_item or columns["item"], rater or "rater", gold_value or columns["value"])
    has_own = not (gold_item is gold_value is rater is None)
    read, settings, design = _read(files, gold, metric, against, ties, columns, of_gold if has_own else None)
    if gate:
        alternative = with_one_side(alternative or settings.alternative, gate=True)
    replaced = {
        "alternative": alternative,
        "alpha": alpha,
        "confidence_level": confidence_level,
        "correction": correction,
        "n_resamples": resamples,
        "seed": seed,
    }
    settings = _with(settings, {key: given for key, given in replaced.items() if given is not None})
    if generalise is not None:
        settings = settings.model_copy(update={"generalise": list(factors(generalise) or ())})
    try:
        result = compare_design(read, settings, threads=threads)
    except NbykError as error:
        raise error.about(file=design) from None
    if outcomes is not None:
        write_outcomes(read, outcomes)
    shown = _shown(result, all_better(passes(result))) if gate else None
    give(design_answer(result), out=out, form=form, stem="labels", gate=shown, more=results_files(result))


def _shown(result: DesignResult, better: Verdict) -> Shown:
    """Return what the gate asks of a design, and the answer."""
    reason = next((finding.reason for finding in result.deciding if finding.reason), "")
    names = ("every treatment", "its control")
    if len(result.pairs) == 1:
        names = (result.pairs[0].treatment, result.pairs[0].control)
    return Shown(*names, better, reason, draws="--resamples")


def _refuse(given: Mapping[str, object]) -> None:
    """Raise NbykError if an option is given that goes with --gold only."""
    for argument, value in given.items():
        if value:
            raise NbykError(
                "goes with --gold; a design has its own keys metric, controls, treatments and ties, and "
                "under ratings those of columns",
                argument=argument,
            )


def _read(
    files: Sequence[str],
    gold: Path | None,
    metric: Sequence[str] | None,
    against: str | None,
    ties: str | None,
    columns: Mapping[str, str],
    gold_columns: tuple[str, str, str] | None,
) -> tuple[Design, Settings, str | None]:
    """Return the design, its settings, and its file if it has one."""
    from nbyk.data import read_systems
    from nbyk.data.columns import Columns
    from nbyk.labels.designs import design_of_systems, make_settings, read_design
    from nbyk.labels.designs.reading import LABEL_SUFFIXES
    from nbyk.labels.targets import check_ties
    from nbyk.metrics import get
    from nbyk.words import listed

    if gold is None:
        if len(files) > 1 or Path(files[0]).suffix.lower() in LABEL_SUFFIXES:
            raise NbykError(
                f"found {listed(files)}, expected one design in YAML; to compare files of predictions, "
                "give the gold labels with --gold FILE"
            )
        return *read_design(files[0]), files[0]
    chosen = list(metric or ())
    distinct("--metric", chosen)
    for name in chosen:
        try:
            get(name, "labels")
        except NbykError as error:
            raise error.about(argument="metric") from None
    if ties is not None:
        check_ties(ties)
    settings = make_settings(metric=chosen) if chosen else make_settings()
    own = {f"gold_columns.{role}": f"gold_{role}" for role in columns} | {"gold_columns.rater": "rater"}
    of_gold = None if gold_columns is None else Columns(*gold_columns)
    with renaming(own):
        read = read_systems(files, gold, kind="classes", gold_columns=of_gold, **columns)  # type: ignore[arg-type]
    design = design_of_systems(read, DataPlace(gold), against, ties or "refuse")  # type: ignore[arg-type]
    for file, said in read.recognised.items():
        _say(f"{file}: {said}")
    return design, settings, None


def _with(settings: Settings, replaced: Mapping[str, Any]) -> Settings:
    """Return the settings with others in place of some; an error names the option."""
    from nbyk.labels.designs import Settings, make_settings

    for key, value in replaced.items():
        try:
            settings = make_settings(
                **{**settings.model_dump(include=set(Settings.model_fields)), key: value}
            )
        except NbykError as error:
            option = "resamples" if key == "n_resamples" else key
            raise NbykError(error.problem, argument=option) from None
    return settings


def _say(line: str) -> None:
    print(line, file=sys.stderr)
