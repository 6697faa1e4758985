"""`nbyk compare`: which of a user's own systems is better, or a leaderboard of three or more."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
from nbyk.cli.compare_answers import CompareRequest, answer_of
from nbyk.cli.gates import Gate, with_one_side
from nbyk.cli.options import (
    Cluster,
    Generalise,
    GoldItem,
    GoldRater,
    GoldValue,
    Item,
    MetricFiles,
    OnDuplicates,
    OnEmpty,
    Rater,
    RaterIds,
    RunIds,
    Scale,
    Seed,
    SystemColumn,
    Threads,
    Value,
    check_out_folder,
    distinct,
    factors,
    load_metric_files,
    scale_named,
)
from nbyk.errors import NbykError, renaming, unknown_name
from nbyk.words import listed

if TYPE_CHECKING:
    from nbyk.data import Systems
    from nbyk.data.kinds import Kind

STEM = "compare"
"""Stem of the report's and the JSON file's names."""

_PARAMETERS = {
    "SampleChoice.task": "task",
    "SampleChoice.filter": "filter_",
    **{f"gold_columns.{role}": f"gold_{role}" for role in ("item", "rater", "value")},
}
"""The command's parameters for the fields of arguments of `nbyk.read_systems`."""

_ALTERNATIVES = ("two-sided", "greater", "less")


def compare(
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEMS",
            help="Two systems or more: files or logs of responses (docs/formats.md), each PATH or "
            "NAME=PATH; or one table with a column of systems. The first is A.",
            show_default=False,
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="People's ratings of the same items. If you leave it out, nbyk compares the systems' own "
            "ratings."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Metric to compare by; repeat for several.",
            show_default="mae, or mean without --gold; accuracy; cross_entropy",
            metavar="NAME",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="What the responses are: numbers, classes, or distributions over classes.",
            show_default="what the files and the metric say",
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(help="The classes in their order, as in neg,neutral,pos.", show_default="those of gold"),
    ] = None,
    metric_file: MetricFiles = None,
    null: Annotated[
        str,
        typer.Option(
            help="Null hypothesis: swap_items or shifted (the two are equally good over the population of "
            "items), permutation, pooled or pooled_twice (they answer every item alike)."
        ),
    ] = "swap_items",
    alternative: Annotated[
        str | None,
        typer.Option(
            help="Side to test: two-sided, greater (A is better) or less (B is better).",
            show_default="two-sided, or greater with --gate",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the test: it rejects if p is at most this.")] = 0.05,
    confidence_level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    interval: Annotated[
        str, typer.Option(help="Interval that the sentence prints: percentile or bca.")
    ] = "percentile",
    against: Annotated[
        str | None, typer.Option(help="Name of a baseline. nbyk compares every other system only with it.")
    ] = None,
    correction: Annotated[
        str,
        typer.Option(
            help="Correction for the number of pairs, with three systems or more: holm, bonferroni, "
            "benjamini_hochberg or none."
        ),
    ] = "holm",
    generalise: Generalise = None,
    rater_ids: RaterIds = None,
    run_ids: RunIds = None,
    pair_runs: Annotated[
        str,
        typer.Option(
            help="Whether runs of one name are the same for all systems, as runs of one seed may be: yes or "
            "no. People who rate several systems are the same people in any case."
        ),
    ] = "no",
    scale: Scale = None,
    on_missing: Annotated[
        str, typer.Option(help="Items that some files lack: refuse, or drop them and report how many.")
    ] = "refuse",
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    cluster: Cluster = None,
    gold_item: GoldItem = None,
    gold_rater: GoldRater = None,
    gold_value: GoldValue = None,
    system: SystemColumn = None,
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
    task: Annotated[
        str | None, typer.Option(help="For logs of lm_eval: the task to use, if a log has several.")
    ] = None,
    filter_: Annotated[
        str | None,
        typer.Option("--filter", help="For logs of lm_eval: the filter to use, if a log has several."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="For two systems: also test by every metric, null and sampler, and find the size that "
            "would settle it. This takes longer.",
        ),
    ] = False,
    n_resamples: Annotated[
        int, typer.Option("--resamples", help="Number of draws of the bootstrap, and of the null at first.")
    ] = 9_999,
    max_resamples: Annotated[
        int,
        typer.Option(
            help="Largest number of draws of the null. nbyk stops earlier if more draws are very unlikely "
            "to change the decision."
        ),
    ] = 999_999,
    max_draws: Annotated[
        int, typer.Option(help="Largest number for all pairs together, with three systems or more.")
    ] = 30_000_000,
    margin: Annotated[
        float | None,
        typer.Option(
            help="The largest difference that does not matter, in the ratings' own unit. "
            "nbyk tests whether A is worse than B by that much, and whether they are equivalent within it."
        ),
    ] = None,
    out: OutAnswer = None,
    form: Format = "text",
    gate: Gate = False,
    seed: Seed = 0,
    threads: Threads = 2,
) -> None:
    """Compare two systems or more: which is better, how sure that is, and a sentence to quote.

    The first system is A. Positive effects mean that A is better.

    With --gate the exit code is 0 if A is shown to be better than B, or than the baseline --against. It is 3
    if it is not, and 4 if the answer is inconclusive: too few draws, raters or runs. With --gate and --margin
    it is 0 if A is shown to be better, or not worse by the margin, 3 if A is shown to be worse by more, and 4
    if the data show neither.
    """
    from nbyk.data import SampleChoice, read_systems
    from nbyk.data.columns import Columns
    from nbyk.testing.corrections import CORRECTIONS
    from nbyk.testing.decision import Decision, check_draws
    from nbyk.testing.family import Hypotheses
    from nbyk.testing.systems.asked import Asked
    from nbyk.testing.systems.margins import check_margin

    load_metric_files(metric_file)
    distinct("--metric", metric or ())
    kind = kind or _kind_of_metrics(metric or ())
    _one_of("interval", interval, ("percentile", "bca"))
    _one_of("correction", correction, CORRECTIONS)
    _one_of("pair_runs", pair_runs, ("yes", "no"))
    _one_of("on_missing", on_missing, ("refuse", "drop"))
    sided = with_one_side(alternative, gate=gate)
    _one_of("alternative", sided, _ALTERNATIVES)
    _check_null(null, gate=gate)
    check_format(form)
    check_draws(max_resamples, "max_resamples")
    check_margin(margin)
    if out is not None:
        check_out_folder(out)
    with renaming(_PARAMETERS):
        read = read_systems(
            systems or (),
            gold,
            scale=None if scale is None else scale_named(scale),
            on_missing=on_missing,  # type: ignore[arg-type]
            samples=SampleChoice(task, filter_),
            item=item,
            rater=rater,
            value=value,
            cluster=cluster,
            system=system,
            gold_columns=Columns(gold_item or item, gold_rater or rater, gold_value or value),
            on_duplicates=on_duplicates,
            on_empty=on_empty,
            kind=kind,  # type: ignore[arg-type]
            classes=None if classes is None else [name.strip() for name in classes.split(",")],
        )
    if read.kind == "scores":
        raise NbykError(f"found {read.taken_as}, expected responses to items; give them to `nbyk test`")
    chosen = _metrics(metric, read)
    with renaming(_PARAMETERS):
        read = read.with_units(rater_ids, run_ids)
    if read.kind != "numbers":
        print(read.taken_as, file=sys.stderr)
    for file, columns in read.recognised.items():
        print(f"{file}: {columns}", file=sys.stderr)
    _check_names(read, against, gate=gate)
    decision = Decision(sided, alpha, n_resamples, max_resamples)  # type: ignore[arg-type]
    asked = Asked(
        decision,
        null=null,
        confidence_level=confidence_level,
        generalise=factors(generalise),
        pair_runs=pair_runs == "yes",
        seed=seed,
        threads=threads,
    )
    request = CompareRequest(
        chosen,
        asked,
        Hypotheses(decision, correction, max_draws),  # type: ignore[arg-type]
        against,
        margin,
        interval,  # type: ignore[arg-type]
        full,
    )
    answer, shown = answer_of(read, request)
    give(answer, out=out, form=form, stem=STEM, gate=shown if gate else None)


def _kind_of_metrics(names: Sequence[str]) -> Kind | None:
    """Return the kind of responses that the metrics need; None if the data decide it."""
    from nbyk.metrics.registry import kind_scored

    kinds = dict.fromkeys(kind for name in names if (kind := kind_scored(name)) is not None)
    if len(kinds) > 1:
        raise NbykError(
            f"found {listed(list(names))}, which score {listed(list(kinds))}; choose metrics of one kind",
            argument="metric",
        )
    return next(iter(kinds), None)


def _metrics(names: list[str] | None, systems: Systems) -> tuple[str, ...]:
    from nbyk.metrics.registry import named, usual_metric

    has_gold = systems.gold is not None
    given = names or [usual_metric(systems.kind, has_gold=has_gold)]
    for name in given:
        if named(name, systems.kind).needs_gold and not has_gold:
            raise NbykError(
                f"found {name}, which compares with gold, but there is no gold; give --gold FILE, or "
                "--metric mean to compare the systems' own ratings",
                argument="metric",
            )
    return tuple(given)


def _check_null(null: str, *, gate: bool) -> None:
    from nbyk.resampling.samplers import check_null
    from nbyk.testing.systems.asked import EQUALLY_GOOD, TESTED

    check_null(null)
    if gate and TESTED[null] != EQUALLY_GOOD:
        raise NbykError(
            f"--gate with --null {null}: rejecting that {TESTED[null]} does not show who is better; choose "
            "swap_items or shifted"
        )


def _check_names(systems: Systems, against: str | None, *, gate: bool) -> None:
    names = systems.names
    if "gold" in names:
        raise NbykError(
            "a system is named 'gold'; give people's ratings with --gold FILE, or give the system another "
            "name, as in other=FILE"
        )
    if against is not None and against not in names:
        raise unknown_name("system", against, names).about(argument="against")
    if gate and len(names) > 2 and against is None:
        raise NbykError(
            f"--gate with {len(names)} systems needs a baseline to be better than; name it with --against, "
            f"as in --against {names[-1]}"
        )


def _one_of(argument: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise NbykError(f"found {value!r}, expected {' or '.join(known)}", argument=argument)
