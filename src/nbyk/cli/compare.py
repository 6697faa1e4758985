"""`nbyk compare`: which of a user's own systems is better, or a leaderboard of three or more."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.answers import FORMATS, Format, Gate, OutAnswer, gate_of, give, with_one_side
from nbyk.cli.compare_answers import (
    Compared,
    Following,
    baseline,
    compared,
    compared_by_judge,
    needs_pairs,
)
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
    is_typed,
    load_metric_files,
    numbers_of,
    taken_by,
    typed,
)
from nbyk.errors import NbykError, check_choice, renaming
from nbyk.options import NOT_OF_JUDGE, NOT_OF_VOTES, OF_GOLD, OF_ITEMS, OF_JUDGE, OF_SCORES
from nbyk.words import listed, names_in_text, number_in

if TYPE_CHECKING:
    from nbyk.data import Systems
    from nbyk.data.kinds import Kind
    from nbyk.testing.systems.suite import Suite

_PARAMETERS = {
    "SampleChoice.task": "task",
    "SampleChoice.filter": "filter_",
    **{f"gold_columns.{role}": f"gold_{role}" for role in ("item", "rater", "value")},
    "paired": "pair_runs",
}
"""The command's parameters for the arguments of `nbyk.read_systems` and their fields."""

_ALTERNATIVES = ("two-sided", "greater", "less")

_OF_PLAN = (
    *("item", "rater", "value", "cluster", "metric_file", "pair_runs", "counts"),
    *("on_duplicates", "on_empty", "on_missing"),
)
"""Parameters that `nbyk plan` takes too."""

_NOT_OF_PLAN = {
    *("gold_item", "gold_rater", "gold_value", "system", "generalise", "rater_ids", "run_ids"),
    *("task", "filter_", "null", "judge_name", "chance", "slices"),
}
"""Parameters that decide what is read, the claim or its null, and that `nbyk plan` has not."""

_OF_READING = ("metric", "kind", "classes", "scale", "cluster", "lower_is_better")
"""Parameters that `nbyk.compare` takes of data that are not read."""


def compare(
    context: typer.Context,
    systems: Annotated[list[str] | None, typer.Argument()] = None,
    gold: Path | None = None,
    metric: list[str] | None = None,
    metric_file: MetricFiles = None,
    kind: str | None = None,
    scale: Scale = None,
    judge: Path | None = None,
    lower_is_better: Annotated[bool | None, typer.Option("--lower-is-better/--higher-is-better")] = None,
    margin: float | None = None,
    only: str | None = None,
    against: str | None = None,
    alternative: str | None = None,
    alpha: float = 0.05,
    full: Annotated[bool, typer.Option("--full/--quick")] = False,
    details: Annotated[bool, typer.Option("--details")] = False,
    gate: Gate = False,
    out: OutAnswer = None,
    form: Format = "text",
    seed: Seed = 0,
    threads: Threads = 2,
    generalise: str | None = None,
    pair_runs: str | None = None,
    correction: str | None = None,
    confidence_level: float = 0.95,
    looks: int = 1,
    interval: str = "percentile",
    null: str = "swap_items",
    test: str | None = None,
    tau: float | None = None,
    lift: float | None = None,
    shift: float | None = None,
    judge_name: str | None = None,
    counts: str | None = None,
    chance: str | None = None,
    batch: str | None = None,
    slices: str | None = None,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    system: str | None = None,
    cluster: str | None = None,
    suite: str | None = None,
    weights: str | None = None,
    classes: str | None = None,
    gold_item: str | None = None,
    gold_rater: str | None = None,
    gold_value: str | None = None,
    rater_ids: str | None = None,
    run_ids: str | None = None,
    on_missing: str = "refuse",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
    task: str | None = None,
    filter_: Annotated[str | None, typer.Option("--filter")] = None,
    n_resamples: Annotated[int | None, typer.Option("--resamples")] = None,
    max_resamples: int = 999_999,
    max_draws: int = 30_000_000,
) -> None:
    """Compare two systems or more: which is better, how sure that is, and a sentence to quote.

    The first system is A. Positive effects mean that A is better.

    With --gate the exit code is 0 if A is shown to be better than B, or than the baseline --against. It is 3
    if it is not, and 4 if the answer is inconclusive: too few draws, raters or runs. With --gate and --margin
    it is 0 if A is shown to be better, or not worse by the margin, 3 if A is shown to be worse by more, and 4
    if the data show neither.

    Parameters
    ----------
    systems : SYSTEMS
        Two systems or more, or one by itself: files or logs of responses (docs/formats.md), or of scores of
        runs, each PATH or NAME=PATH; or one table with a column of systems. The first is A.
    gold
        People's ratings of the same items. If you leave it out, nbyk compares the systems' own ratings.
    metric : NAME
        Metric to compare by; repeat for several. By default mae, or mean without --gold; accuracy;
        cross_entropy.
    kind
        What the responses are: numbers, classes, distributions over classes, or scores of runs. By default
        what the files and the metric say.
    judge
        A judge's scores of all outputs; SYSTEMS is then one table of people's ratings of some. nbyk corrects
        the judge by the people. Or a judge's votes, beside people's.
    lower_is_better
        Whether lower values or scores are better, as of errors and times, without gold. By default higher, or
        what a log says.
    margin
        The largest difference that does not matter, in the ratings' own unit. nbyk tests whether A is worse
        than B by that much, and whether they are equivalent within it.
    only : NAMES
        Systems to compare, if not all, such as new,old; the first is A.
    against
        Name of a baseline. nbyk compares every other system only with it. Or a score, such as 0.8: nbyk
        compares each system's score with it.
    alternative
        Side to test: two-sided, greater (A is better; with a baseline, the others are) or less. By default
        two-sided, or greater with --gate.
    alpha
        Level of the test: it rejects if p is at most this.
    full
        For two systems: also test by every metric, null and sampler, and find the size that would settle it.
        This takes longer.
    details
        Print everything: claims, method, variance and all cautions.

    The claim
    ---------
    generalise : NAMES
        Population of the claim: items, or items with clusters, raters or runs, such as items,raters. By
        default items, their clusters, and the raters and runs that they share, if two or more.
    pair_runs
        Whether runs of one name are the same for all systems, as runs of one seed may be: yes or no. People
        who rate several systems are the same people in any case. By default no; yes for scores with ids of
        items.
    correction
        Correction for the number of pairs: holm, bonferroni, benjamini_hochberg or none. By default holm; for
        aso bonferroni.
    confidence_level
        Confidence level of the intervals.
    looks
        How often you look as data come in, at about equal steps; all looks together keep α.
    interval
        Interval over items alone: percentile or bca.
    null
        Null hypothesis: swap_items or shifted (the two are equally good over the population of items),
        permutation, pooled or pooled_twice (they answer every item alike).
    weights
        Weights of the tasks: macro (all alike), micro (by items), or as in law=2,art=1. By default macro.

    Scores of runs
    --------------
    test
        recommended, aso, permutation, welch_t, permutation_and_welch, approximate_randomisation, bootstrap,
        paired_bootstrap, wilcoxon or mann_whitney. By default recommended.
    tau
        aso finds A better if eps_min is below this. By default 0.2.
    lift
        Also show how often the test would find a system better by this factor, such as 1.25.
    shift
        The same for a difference instead of a factor.

    People and a judge
    ------------------
    judge_name
        The judge to take, if a column judge names several. By default the mean of all.
    counts
        What each class or vote counts, as in yes=1,partially=.5,no=0. By default values are numbers.
    chance : COLUMN
        People's column of the chance with which each output was chosen. By default all had the same.
    batch : COLUMN
        People's column of batches in their order: do judge and people drift apart?
    slices : COLUMN
        The judge's column of slices of items, which count by their share.

    Columns and what is read
    ------------------------
    system
        Column of systems, if one table holds them all. By default one of a known name.
    cluster : COLUMN
        Column of clusters of items, such as the text of a question, in gold or in a file of a system. nbyk
        swaps and draws whole clusters. By default every item is its own cluster.
    suite : COLUMN
        Column of the task that each item belongs to: the score is then a weighted mean of the tasks' scores.
        With --generalise items,tasks the claim is over new tasks.
    classes
        The classes in their order, as in neg,neutral,pos. By default those of gold.
    gold_item, gold_rater, gold_value
        Gold's column of items, raters or values, if it has another name.
    rater_ids
        Ids of gold's raters: shared (people), or fresh (slots, with other people on each item). By default
        shared, if an id answers two items or more.
    run_ids
        Ids of the systems' runs: shared or fresh, as for raters. By default as for --rater-ids.
    on_missing
        Items that some files lack: refuse, or drop them and report how many.
    task
        For logs of lm_eval: the task to use, if a log has several.
    filter_
        For logs of lm_eval: the filter to use, if a log has several.

    Draws
    -----
    n_resamples
        Number of draws of the bootstrap, and of the null at first. By default 9999; for scores 10000, for aso
        1000.
    max_resamples
        Largest number of draws of the null. nbyk stops earlier if more draws are very unlikely to change the
        decision.
    max_draws
        Largest number for all pairs together, with three systems or more.
    """
    # An error about the words of the command comes before anything slow is imported.
    check_files([gold, *(_path(word) for word in systems or ())])
    distinct("--metric", metric or ())
    if metric and lower_is_better is not None:
        raise NbykError("a metric says itself what is better; leave it out", argument="lower_is_better")
    check_choice("interval", interval, ("percentile", "bca"))
    check_choice("pair_runs", pair_runs, (None, "yes", "no"))
    check_choice("on_missing", on_missing, ("refuse", "drop"))
    sided = with_one_side(alternative, gate=gate)
    check_choice("alternative", sided, _ALTERNATIVES)
    _check_null(null, gate=gate)
    check_choice("form", form, FORMATS)
    if out is not None:
        check_out_folder(out)
    if correction is not None:
        from nbyk.testing.corrections import check_correction

        check_correction(correction)
    load_metric_files(metric_file)
    words = context.params
    given = [name for name in words if is_typed(context, name)]
    scored = None if kind else _kind_of_metrics(metric or ())
    kind = kind or ("scores" if "test" in given else None)

    from nbyk.data.votes import holds_votes, read_votes
    from nbyk.testing.decision import check_draws
    from nbyk.testing.systems.compare import compare as compare_systems

    check_draws(max_resamples, "max_resamples")

    asked = {name: word for name, word in taken_by(compare_systems, words).items() if name not in _OF_READING}
    asked |= {"alternative": sided, "pair_runs": pair_runs == "yes", "suite": None, "judge": None}
    asked["only"] = None
    if systems is not None and len(systems) == 1 and holds_votes(systems[0]):
        _refuse(given, NOT_OF_VOTES, "these are votes between two outputs")
        columns = {name: words[name] for name in ("item", "rater") if name in given}
        votes = read_votes(systems[0], **columns)
        asked["only"] = only and names_in_text(only)
        baseline(against, asked["only"] or votes.models, gate=gate)
        asked["judge"] = None if judge is None else read_votes(judge, item=columns.get("item"))
        result = compared(votes, asked)
    elif judge is not None:
        _refuse(given, NOT_OF_JUDGE, "people and a judge have no use for it")
        from nbyk.data.judged import read_judged
        from nbyk.testing.judged.board import compare_judged

        reading = taken_by(read_judged, words)
        reading |= {"judges": judge_name, "counts": numbers_of(counts)}
        asked = taken_by(compare_judged, asked) | {"correction": correction or "holm"}
        with renaming({**_PARAMETERS, "judges": "judge_name"}):
            options, is_plan = typed(context, (*_OF_PLAN, "scale")), _NOT_OF_PLAN.isdisjoint(given)
            given_data = systems or [], judge, reading, asked, options
            result = compared_by_judge(*given_data, is_plan=is_plan, gate=gate)
    else:
        _refuse(given, OF_JUDGE, "it is about people and a judge, and there is no --judge")
        result = _compared(context, given, kind, scored, asked)
    gated = gate_of(result.boards, result.names, result.incomplete) if gate else None
    give(result.answer, out=out, form=form, stem="compare", gate=gated, details=details)


def _compared(
    context: typer.Context, given: Sequence[str], kind: str | None, scored: str | None, asked: dict[str, Any]
) -> Compared:
    from nbyk.data import named_systems

    words = context.params
    if words["gold"] is None:
        _refuse(given, OF_GOLD, "it is about gold, and there is no --gold")
    if kind == "scores":
        _refuse(given, OF_ITEMS, "scores of runs have no items")
    with renaming(_PARAMETERS if words["suite"] is None else {**_PARAMETERS, "cluster": "suite"}):
        files = named_systems(words["systems"] or ())
        is_bar = words["against"] not in (None, *files) and number_in(words["against"]) is not None
        read = _read(words, kind, scored, of_items=is_bar or not OF_ITEMS.isdisjoint(given))
        if read.kind == "scores" and kind is None and words["pair_runs"] is not None:
            read = _read(words, "scores", None)
    asked["against"] = _against(words["against"], read, gate=words["gate"])
    if words["full"] and (len(read.names) != 2 or words["suite"] or isinstance(asked["against"], float)):
        raise NbykError(
            "it looks closer at a pair of systems, without a suite or a score; leave it out", argument="full"
        )
    metrics = tuple[str | None, ...]((None,))
    if read.kind == "scores":
        _refuse(given, OF_ITEMS, "these are scores of runs, without items")
        _check_scores(words, read, files)
    else:
        _refuse(given, OF_SCORES, f"these are {read.kind} of items")
        metrics = tuple(words["metric"] or (None,))
        with renaming(_PARAMETERS):
            read = read.with_units(words["rater_ids"], words["run_ids"])
        asked["suite"] = _suite(words, read)
    own_files = {name: files[name] for name in read.names if name in files}
    own_files = own_files if len(own_files) == len(read.names) else {}
    is_named = words["gold"] or words["system"]
    (table,) = files.values() if len(files) == 1 and len(read.names) == 2 and not is_named else (None,)
    gold = words["gold"] and str(words["gold"])
    options, is_plan = typed(context, _OF_PLAN), _NOT_OF_PLAN.isdisjoint(given)
    following = Following(own_files, options, gold, table, words["rater"], is_plan)
    lift = words["lift"], words["shift"]
    result = compared(read, asked, metrics, following, full=words["full"], lift=lift)
    for columns in dict.fromkeys(read.recognised.values()):  # the columns in place of those asked for
        their_files = [file for file, read_as_these in read.recognised.items() if read_as_these == columns]
        print(f"{listed(their_files)}: {columns}", file=sys.stderr)
    if read.kind != "numbers" and not (read.kind == "scores" and kind):
        is_guess = read.kind == "scores" and not read.recognised
        offer = "; --kind numbers takes them for responses to items" if is_guess else ""
        print(f"{read.taken_as}{offer}", file=sys.stderr)
    return result


def _check_scores(words: Mapping[str, Any], read: Systems, files: Mapping[str, str]) -> None:
    """Raise NbykError if a system has too few scores for the test, or a lift asks for nothing."""
    from nbyk.testing.scores.compare_scores import least_scores

    if words["lift"] is not None and words["shift"] is not None:
        raise NbykError("found --lift and --shift, expected one of them; drop one")
    if read.lower_is_better and (words["lift"], words["shift"]) != (None, None):
        raise NbykError("--lift and --shift raise scores, and here lower ones are better; leave them out")
    least = least_scores(words["test"] or "recommended")
    for name, sample in read.responses.items():
        if len(sample) < least:
            raise NbykError(
                f"found 1 score, expected at least {least} for {words['test']}, which needs to know how "
                "scores vary: give the scores of more runs",
                file=files.get(name),
                name="" if name in files else name,
            )


def _read(
    words: Mapping[str, Any], kind: str | None, scored: str | None, *, of_items: bool = False
) -> Systems:
    from nbyk.data import SampleChoice, read_systems
    from nbyk.data.columns import Columns

    gold_columns = (words[f"gold_{role}"] or words[role] for role in ("item", "rater", "value"))
    how = taken_by(read_systems, words) | {
        "samples": SampleChoice(words["task"], words["filter_"]),
        "cluster": words["suite"] if words["cluster"] is None else words["cluster"],
        "gold_columns": Columns(*gold_columns),
        "kind": kind,
        "scored": scored,
        "classes": words["classes"] and names_in_text(words["classes"]),
        "fewest": 1,
        "of_items": of_items,
        "only": words["only"] and names_in_text(words["only"]),
        "paired": needs_pairs(words["test"], words["pair_runs"]) if kind == "scores" else None,
    }
    return read_systems(words["systems"] or (), words["gold"], **how)


def _suite(words: Mapping[str, Any], read: Systems) -> Suite | None:
    from nbyk.testing.systems.suite import Suite

    weights = words["weights"]
    if words["suite"] is None:
        if weights is not None:
            raise NbykError(
                "weights are of the tasks of a suite; give their column with --suite", argument="weights"
            )
        return None
    beside = next((name for name in ("cluster", "margin") if words[name] is not None), None)
    if beside is not None:
        raise NbykError("found it beside --suite, which does not take it; leave one out", argument=beside)
    assert read.clusters is not None, "the column was read"
    if "=" in (weights or ""):
        weights = numbers_of(weights, "weights", "TASK=NUMBER, as in law=2,art=1")
    return Suite.of(read.clusters, weights or "macro")


def _path(system: str) -> str:
    name, equals, path = system.partition("=")
    return path if equals and not os.path.exists(system) and os.sep not in name else system


def _refuse(given: Sequence[str], unused: Collection[str], why: str) -> None:
    for name in given:
        if name in unused:
            raise NbykError(f"{why}; leave it out", argument=name)


def _kind_of_metrics(names: Sequence[str]) -> Kind | None:
    """Return the kind of responses that the metrics need; None if the data decide it."""
    from nbyk.metrics.registry import kind_scored, named

    for name in names:
        named(name, kind_scored(name) or "numbers")
    kinds = dict.fromkeys(kind for name in names if (kind := kind_scored(name)) is not None)
    if len(kinds) > 1:
        raise NbykError(
            f"found {listed(list(names))}, which score {listed(list(kinds))}; choose metrics of one kind",
            argument="metric",
        )
    return next(iter(kinds), None)


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


def _against(against: str | None, systems: Systems, *, gate: bool) -> str | float | None:
    """Return the baseline, or the score to compare with; scores of runs are compared with no score."""
    if "gold" in systems.names:
        raise NbykError(
            "a system is named 'gold'; give people's ratings with --gold FILE, or give the system another "
            "name, as in other=FILE"
        )
    compared_with = baseline(against, systems.names, gate=gate)
    return against if systems.kind == "scores" else compared_with
