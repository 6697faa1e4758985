"""`nbyk compare`: which of a user's own systems is better, or a leaderboard of three or more."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
from nbyk.cli.compare_answers import (
    CompareRequest,
    Following,
    ScoresRequest,
    answer_of,
    answer_of_scores,
    answer_of_votes,
    needs_pairs,
    shown_of,
)
from nbyk.cli.compare_judged import READING, TAKEN, WITH_JUDGE, answer_of_judged, numbers_of
from nbyk.cli.gates import Gate, unless_incomplete, with_one_side
from nbyk.cli.options import (
    Item,
    MetricFiles,
    OnDuplicates,
    OnEmpty,
    Rater,
    Scale,
    Seed,
    Threads,
    Value,
    check_files,
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
    "paired": "pair_runs",
}
"""The command's parameters for the arguments of `nbyk.read_systems` and their fields."""

_ALTERNATIVES = ("two-sided", "greater", "less")

COLUMNS, CLAIM, JUDGE, SCORES, DRAWS = (
    "Columns and what is read",
    "The claim",
    "People and a judge",
    "Scores of runs",
    "Draws",
)
"""Headings of the help, after the options that most comparisons need."""

_ABOUT_ITEMS = (
    *("gold", "metric", "metric_file", "classes", "null", "interval", "generalise", "rater_ids", "run_ids"),
    *("scale", "cluster", "rater", "gold_item", "gold_rater", "gold_value", "full", "max_resamples"),
    *("max_draws", "margin", "suite", "weights", "looks"),
)
"""Parameters that scores of runs have no use for."""

_NOT_OF_VOTES = (
    *("gold", "metric", "metric_file", "classes", "null", "interval", "rater_ids", "run_ids", "pair_runs"),
    *("scale", "cluster", "full", "margin", "suite", "weights", "test", "tau", "lift", "shift"),
    *("n_resamples", "lower_is_better", *WITH_JUDGE),
)
"""Parameters that votes have no use for."""

_ABOUT_SCORES = ("test", "tau", "lift", "shift")
"""Parameters that only scores of runs have a use for."""


def compare(
    context: typer.Context,
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEMS",
            help="Two systems or more, or one by itself: files or logs of responses (docs/formats.md), or of "
            "scores of runs, each PATH or NAME=PATH; or one table with a column of systems. The first is A.",
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
    metric_file: MetricFiles = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="What the responses are: numbers, classes, distributions over classes, or scores of runs.",
            show_default="what the files and the metric say",
        ),
    ] = None,
    scale: Scale = None,
    judge: Annotated[
        Path | None,
        typer.Option(
            help="A judge's scores of all outputs; SYSTEMS is then one table of people's ratings of some. "
            "nbyk corrects the judge by the people. Or a judge's votes, beside people's.",
        ),
    ] = None,
    lower_is_better: Annotated[
        bool | None,
        typer.Option(
            "--lower-is-better/--higher-is-better",
            help="Which values or scores are better, without gold.",
            show_default="higher, or what a log says",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="The largest difference that does not matter, in the ratings' own unit. "
            "nbyk tests whether A is worse than B by that much, and whether they are equivalent within it."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Name of a baseline. nbyk compares every other system only with it. Or a score, such as "
            "0.8: nbyk compares each system's score with it."
        ),
    ] = None,
    alternative: Annotated[
        str | None,
        typer.Option(
            help="Side to test: two-sided, greater (A is better; with a baseline, the others are) or less.",
            show_default="two-sided, or greater with --gate",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the test: it rejects if p is at most this.")] = 0.05,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="For two systems: also test by every metric, null and sampler, and find the size that "
            "would settle it. This takes longer.",
        ),
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Print everything: claims, method, variance and all cautions.")
    ] = False,
    gate: Gate = False,
    out: OutAnswer = None,
    form: Format = "text",
    seed: Seed = 0,
    threads: Threads = 2,
    generalise: Annotated[
        str | None,
        typer.Option(
            "--generalise",
            help="Population of the claim: items, or items with clusters, raters or runs, such as "
            "items,raters.",
            show_default="items, their clusters, and the raters and runs that they share, if two or more",
            metavar="NAMES",
            rich_help_panel=CLAIM,
        ),
    ] = None,
    pair_runs: Annotated[
        str | None,
        typer.Option(
            help="Whether runs of one name are the same for all systems, as runs of one seed may be: yes or "
            "no. People who rate several systems are the same people in any case.",
            show_default="no; yes for scores with ids of items",
            rich_help_panel=CLAIM,
        ),
    ] = None,
    correction: Annotated[
        str | None,
        typer.Option(
            help="Correction for the number of pairs: holm, bonferroni, benjamini_hochberg or none.",
            show_default="holm; for aso bonferroni",
            rich_help_panel=CLAIM,
        ),
    ] = None,
    confidence_level: Annotated[
        float, typer.Option(help="Confidence level of the intervals.", rich_help_panel=CLAIM)
    ] = 0.95,
    looks: Annotated[
        int,
        typer.Option(
            help="How often you look as data come in, at about equal steps; all looks together keep α.",
            rich_help_panel=CLAIM,
        ),
    ] = 1,
    interval: Annotated[
        str,
        typer.Option(help="Interval over items alone: percentile or bca.", rich_help_panel=CLAIM),
    ] = "percentile",
    null: Annotated[
        str,
        typer.Option(
            help="Null hypothesis: swap_items or shifted (the two are equally good over the population of "
            "items), permutation, pooled or pooled_twice (they answer every item alike).",
            rich_help_panel=CLAIM,
        ),
    ] = "swap_items",
    test: Annotated[
        str | None,
        typer.Option(
            help="recommended, aso, permutation, approximate_randomisation, bootstrap, paired_bootstrap, "
            "welch_t, wilcoxon or mann_whitney.",
            show_default="recommended",
            rich_help_panel=SCORES,
        ),
    ] = None,
    tau: Annotated[
        float, typer.Option(help="aso finds A better if eps_min is below this.", rich_help_panel=SCORES)
    ] = 0.2,
    lift: Annotated[
        float | None,
        typer.Option(
            help="Also show how often the test would find a system better by this factor, such as 1.25.",
            rich_help_panel=SCORES,
        ),
    ] = None,
    shift: Annotated[
        float | None,
        typer.Option(help="The same for a difference instead of a factor.", rich_help_panel=SCORES),
    ] = None,
    judge_name: Annotated[
        str | None,
        typer.Option(
            help="The judge to take, if a column judge names several.",
            show_default="the mean of all",
            rich_help_panel=JUDGE,
        ),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option(
            help="What each class or vote counts, as in yes=1,partially=.5,no=0.",
            show_default="values are numbers",
            rich_help_panel=JUDGE,
        ),
    ] = None,
    chance: Annotated[
        str | None,
        typer.Option(
            help="People's column of the chance with which each output was chosen.",
            show_default="all had the same",
            metavar="COLUMN",
            rich_help_panel=JUDGE,
        ),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            help="People's column of batches in their order: do judge and people drift apart?",
            metavar="COLUMN",
            rich_help_panel=JUDGE,
        ),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(
            help="The judge's column of slices of items, which count by their share.",
            metavar="COLUMN",
            rich_help_panel=JUDGE,
        ),
    ] = None,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    system: Annotated[
        str | None,
        typer.Option(
            help="Column of systems, if one table holds them all.",
            show_default="one of a known name",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Column of clusters of items, such as the text of a question, in gold or in a file of a "
            "system. nbyk swaps and draws whole clusters.",
            show_default="every item is its own cluster",
            metavar="COLUMN",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            help="Column of the task that each item belongs to: the score is then a weighted mean of the "
            "tasks' scores. With --generalise items,tasks the claim is over new tasks.",
            metavar="COLUMN",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Weights of the tasks: macro (all alike), micro (by items), or as in law=2,art=1.",
            show_default="macro",
            rich_help_panel=CLAIM,
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            help="The classes in their order, as in neg,neutral,pos.",
            show_default="those of gold",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    gold_item: Annotated[
        str | None,
        typer.Option(help="Gold's column of items.", show_default="as --item", rich_help_panel=COLUMNS),
    ] = None,
    gold_rater: Annotated[
        str | None,
        typer.Option(help="Gold's column of raters.", show_default="as --rater", rich_help_panel=COLUMNS),
    ] = None,
    gold_value: Annotated[
        str | None,
        typer.Option(help="Gold's column of values.", show_default="as --value", rich_help_panel=COLUMNS),
    ] = None,
    rater_ids: Annotated[
        str | None,
        typer.Option(
            help="Ids of gold's raters: shared (people), or fresh (slots, with other people on each item).",
            show_default="shared, if an id answers two items or more",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    run_ids: Annotated[
        str | None,
        typer.Option(
            help="Ids of the systems' runs: shared or fresh, as for raters.",
            show_default="as for --rater-ids",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    on_missing: Annotated[
        str,
        typer.Option(
            help="Items that some files lack: refuse, or drop them and report how many.",
            rich_help_panel=COLUMNS,
        ),
    ] = "refuse",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
    task: Annotated[
        str | None,
        typer.Option(
            help="For logs of lm_eval: the task to use, if a log has several.", rich_help_panel=COLUMNS
        ),
    ] = None,
    filter_: Annotated[
        str | None,
        typer.Option(
            "--filter",
            help="For logs of lm_eval: the filter to use, if a log has several.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    n_resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            help="Number of draws of the bootstrap, and of the null at first.",
            show_default="9999; for scores 10000, for aso 1000",
            rich_help_panel=DRAWS,
        ),
    ] = None,
    max_resamples: Annotated[
        int,
        typer.Option(
            help="Largest number of draws of the null. nbyk stops earlier if more draws are very unlikely "
            "to change the decision.",
            rich_help_panel=DRAWS,
        ),
    ] = 999_999,
    max_draws: Annotated[
        int,
        typer.Option(
            help="Largest number for all pairs together, with three systems or more.", rich_help_panel=DRAWS
        ),
    ] = 30_000_000,
) -> None:
    """Compare two systems or more: which is better, how sure that is, and a sentence to quote.

    The first system is A. Positive effects mean that A is better.

    With --gate the exit code is 0 if A is shown to be better than B, or than the baseline --against. It is 3
    if it is not, and 4 if the answer is inconclusive: too few draws, raters or runs. With --gate and --margin
    it is 0 if A is shown to be better, or not worse by the margin, 3 if A is shown to be worse by more, and 4
    if the data show neither.
    """
    # An error about the words of the command comes before anything slow is imported.
    check_files([gold, *(_path(word) for word in systems or ())])
    distinct("--metric", metric or ())
    if metric and lower_is_better is not None:
        raise NbykError("a metric says itself what is better; leave it out", argument="lower_is_better")
    _one_of("interval", interval, ("percentile", "bca"))
    _one_of("pair_runs", pair_runs, (None, "yes", "no"))
    _one_of("on_missing", on_missing, ("refuse", "drop"))
    sided = with_one_side(alternative, gate=gate)
    _one_of("alternative", sided, _ALTERNATIVES)
    _check_null(null, gate=gate)
    check_format(form)
    if out is not None:
        check_out_folder(out)
    if kind is not None:
        from nbyk.data.kinds import KINDS

        _one_of("kind", kind, KINDS)
    if correction is not None:
        from nbyk.testing.corrections import check_correction

        check_correction(correction)
    load_metric_files(metric_file)
    given = [name for name in context.params if _is_given(context, name)]
    kind = kind or ("scores" if "test" in given else _kind_of_metrics(metric or ()))

    from nbyk.data import SampleChoice, named_systems, read_systems
    from nbyk.data.columns import Columns
    from nbyk.data.votes import holds_votes, read_votes
    from nbyk.testing.decision import N_RESAMPLES, Decision, at_each_look, check_draws
    from nbyk.testing.family import Hypotheses
    from nbyk.testing.scores.compare_scores import NAMES
    from nbyk.testing.systems.asked import Asked
    from nbyk.testing.systems.margins import check_margin
    from nbyk.testing.systems.suite import Suite

    if test is not None and test not in NAMES:
        raise unknown_name("test", test, NAMES).about(argument="test")
    check_draws(max_resamples, "max_resamples")
    check_margin(margin)
    alpha, confidence_level = at_each_look(alpha, confidence_level, looks, sided)  # type: ignore[arg-type]
    if systems is not None and len(systems) == 1 and holds_votes(systems[0]):
        _refuse(given, _NOT_OF_VOTES, "these are votes between two outputs")
        votes = read_votes(systems[0])
        check_baseline(votes.models, against, gate=gate)
        decision = Decision(sided, alpha, N_RESAMPLES, N_RESAMPLES)  # type: ignore[arg-type]
        asked = Asked(decision, confidence_level=confidence_level, looks=looks)
        asked = replace(asked, generalise=factors(generalise))
        family = Hypotheses(decision, correction or "holm", max_draws)  # type: ignore[arg-type]
        request = CompareRequest((), asked, family, against, None, full, Following({}, (), None))
        of_judge = None if judge is None else read_votes(judge)
        answer, gate_asks = answer_of_votes(votes, request, of_judge)
        give(answer, out=out, form=form, stem=STEM, gate=gate_asks if gate else None, details=details)
        return
    if judge is not None:
        unused = [name for name in context.params if name not in TAKEN]
        _refuse(given, unused, "people and a judge have no use for it")
        reading = {name: context.params[name] for name in READING}
        reading |= {"judges": judge_name, "counts": numbers_of(counts), "scale": scale and scale_named(scale)}
        comparing: dict[str, Any] = {"against": against, "alternative": sided, "alpha": alpha}
        comparing |= {"confidence_level": confidence_level, "correction": correction or "holm"}
        with renaming({**_PARAMETERS, "judges": "judge_name"}):
            answer, board = answer_of_judged(systems or [], judge, reading, comparing, _options(context))
        if gate and len(board.standings) < 2:
            raise NbykError("--gate needs two systems to compare, and these are ratings of one")
        asks = shown_of([board], board.names, None) if gate else None
        give(answer, out=out, form=form, stem=STEM, gate=asks, details=details)
        return
    _refuse(given, WITH_JUDGE, "it is about people and a judge, and there is no --judge")
    if kind == "scores":
        _refuse(given, _ABOUT_ITEMS, "scores of runs have no items")

    def read_as(kind: str | None) -> Systems:
        return read_systems(
            systems or (),
            gold,
            scale=None if scale is None else scale_named(scale),
            on_missing=on_missing,  # type: ignore[arg-type]
            samples=SampleChoice(task, filter_),
            item=item,
            rater=rater,
            value=value,
            cluster=cluster or suite,
            system=system,
            gold_columns=Columns(gold_item or item, gold_rater or rater, gold_value or value),
            on_duplicates=on_duplicates,
            on_empty=on_empty,
            kind=kind,  # type: ignore[arg-type]
            classes=None if classes is None else [name.strip() for name in classes.split(",")],
            fewest=1,
            paired=needs_pairs(test, pair_runs) if kind == "scores" else None,
            lower_is_better=lower_is_better,
        )

    with renaming(_PARAMETERS):
        read = read_as(kind)
        if read.kind == "scores" and kind is None and pair_runs is not None:
            read = read_as("scores")
    bar = _bar(against, read, gate=gate)
    against = against if bar is None else None
    _check_names(read, against, gate=gate and bar is None)
    if read.kind == "scores":
        _refuse(given, _ABOUT_ITEMS, "these are scores of runs, without items")
        of_scores = ScoresRequest(
            test or "recommended",
            against,
            sided,  # type: ignore[arg-type]
            alpha,
            confidence_level,
            tau,
            correction,  # type: ignore[arg-type]
            n_resamples,
            lift,
            shift,
            seed,
            threads,
        )
        answer, gate_asks = answer_of_scores(read, of_scores, named_systems(systems or ()))
        gate_asks = unless_incomplete(gate_asks, read.incomplete)
        _say_columns(read)
        if kind is None:
            print(f"{read.taken_as}; --kind numbers takes them for responses to items", file=sys.stderr)
        give(answer, out=out, form=form, stem=STEM, gate=gate_asks if gate else None, details=details)
        return
    _refuse(given, _ABOUT_SCORES, f"these are {read.kind} of items")
    chosen = _metrics(metric, read)
    with renaming(_PARAMETERS):
        read = read.with_units(rater_ids, run_ids)
    if read.kind != "numbers":
        print(read.taken_as, file=sys.stderr)
    _say_columns(read)
    tasks = None
    over = factors(generalise)
    if suite is not None:
        if cluster is not None or margin is not None:
            raise NbykError("found --suite with --cluster or --margin, which it does not take; leave one out")
        assert read.clusters is not None, "the column was read"
        of_tasks = (
            numbers_of(weights, "weights", "TASK=NUMBER, as in law=2,art=1")
            if "=" in (weights or "")
            else weights
        )
        tasks, over = Suite.of(read.clusters, of_tasks or "macro"), None
    elif weights is not None:
        raise NbykError(
            "weights are of the tasks of a suite; give their column with --suite", argument="weights"
        )
    draws = N_RESAMPLES if n_resamples is None else n_resamples
    decision = Decision(sided, alpha, draws, max_resamples)  # type: ignore[arg-type]
    asked = Asked(
        decision,
        null=null,
        confidence_level=confidence_level,
        generalise=over,
        pair_runs=pair_runs == "yes",
        interval=interval,  # type: ignore[arg-type]
        looks=looks,
        seed=seed,
        threads=threads,
    )
    family = Hypotheses(decision, correction or "holm", max_draws)  # type: ignore[arg-type]
    new_tasks = "tasks" in (generalise or "").split(",")
    files = named_systems(systems or ())
    own_files = files if set(files) == set(read.names) else {}
    following = Following(own_files, _options(context), None if gold is None else str(gold))
    request = CompareRequest(chosen, asked, family, against, margin, full, following, bar, tasks, new_tasks)
    answer, gate_asks = answer_of(read, request)
    gate_asks = unless_incomplete(gate_asks, read.incomplete)
    give(answer, out=out, form=form, stem=STEM, gate=gate_asks if gate else None, details=details)


def _say_columns(read: Systems) -> None:
    """Say which columns were read in place of those asked for."""
    for columns in dict.fromkeys(read.recognised.values()):
        of_columns = [file for file, read_as_these in read.recognised.items() if read_as_these == columns]
        print(f"{listed(of_columns)}: {columns}", file=sys.stderr)


def _path(system: str) -> str:
    """Return the path in a word for a system, PATH or NAME=PATH."""
    name, equals, path = system.partition("=")
    return path if equals and not os.path.exists(system) and os.sep not in name else system


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _options(context: typer.Context) -> tuple[str, ...]:
    """Return the given options that `nbyk plan` takes too, with their values."""
    shared = (
        *("item", "rater", "value", "cluster", "metric_file", "pair_runs", "counts"),
        *("on_duplicates", "on_empty"),
    )
    words: list[str] = []
    for name in shared:
        values = context.params[name] if _is_given(context, name) else None
        for value in values if isinstance(values, list) else [values] if values is not None else []:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return tuple(words)


def _refuse(given: Sequence[str], unused: Sequence[str], why: str) -> None:
    """Raise NbykError if an option was given that these data have no use for."""
    for name in given:
        if name in unused:
            raise NbykError(f"{why}; leave it out", argument=name)


def _kind_of_metrics(names: Sequence[str]) -> Kind | None:
    """Return the kind of responses that the metrics need; None if the data decide it."""
    from nbyk.metrics.registry import check_known, kind_scored

    for name in names:
        check_known(name)
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
    usual = usual_metric(systems.kind, has_gold=has_gold, lower_is_better=systems.lower_is_better)
    given = names or [usual]
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

    check_null(null)
    if not gate:
        return
    from nbyk.testing.systems.asked import EQUALLY_GOOD, TESTED

    if TESTED[null] != EQUALLY_GOOD:
        raise NbykError(
            f"--gate with --null {null}: rejecting that the two {TESTED[null]} does not show who is "
            "better; choose swap_items or shifted"
        )


def _bar(against: str | None, systems: Systems, *, gate: bool) -> float | None:
    """Return the score to compare with, if `against` is one and no system's name."""
    if against is not None and against not in systems.names and systems.kind != "scores":
        try:
            return float(against)
        except ValueError:
            return None
    if len(systems.names) == 1 and gate:
        raise NbykError(
            "--gate with one system needs a score that it should be better than; give it with --against, as "
            "in --against 0.8"
        )
    return None


def _check_names(systems: Systems, against: str | None, *, gate: bool) -> None:
    names = systems.names
    if "gold" in names:
        raise NbykError(
            "a system is named 'gold'; give people's ratings with --gold FILE, or give the system another "
            "name, as in other=FILE"
        )
    check_baseline(names, against, gate=gate)


def check_baseline(names: Sequence[str], against: str | None, *, gate: bool) -> None:
    """Raise NbykError if the baseline is unknown, or a gate on three systems or more has none."""
    if against is not None and against not in names:
        raise unknown_name("system", against, names).about(argument="against")
    if gate and len(names) > 2 and against is None:
        raise NbykError(
            f"--gate with {len(names)} systems needs a baseline to be better than; name it with --against, "
            f"as in --against {names[-1]}"
        )


def _one_of(argument: str, value: str | None, known: Sequence[str | None]) -> None:
    if value not in known:
        expected = " or ".join(name for name in known if name)
        raise NbykError(f"found {value!r}, expected {expected}", argument=argument)
