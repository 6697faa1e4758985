"""`nbyk plan`: how many items, ratings, raters and runs you need, from a dataset's name or a pilot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.answers import FORMATS, Format, OutAnswer, give
from nbyk.cli.labels import is_of_labels, labels_source
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
    load_metric_files,
    taken_by,
    typed,
)
from nbyk.cli.pilot import PilotFiles, holds_two_systems
from nbyk.cli.plan_source import (
    OF_SHARED,
    SDS,
    check_sources,
    judged_source,
    shared_source,
    simulated_source,
)
from nbyk.errors import NbykError, argument_with, check_choice
from nbyk.progress import moving_line

_OF_NEW_UNITS = (
    *("pilot", "pilot_systems", "scale", "item", "rater", "value", "cluster", "on_duplicates", "on_empty"),
    "on_missing",
    *("metric_file", "classes", "epsilon", "effect", "unit", "alpha", "alternative"),
    *("cost_per_item", "cost_per_rating"),
)
"""Options that ask about new raters or runs, too."""


def plan(
    context: typer.Context,
    dataset: Annotated[str | None, typer.Argument()] = None,
    pilot: Path | None = None,
    pilot_systems: tuple[Path, Path] | None = None,
    items_from: str = "pilot",
    judge: Path | None = None,
    system_answers: str = "levels",
    scale: Scale = None,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
    on_missing: str = "refuse",
    prior: Path | None = None,
    published: Annotated[bool, typer.Option("--published")] = False,
    classes: str | None = None,
    class_alpha: str | None = None,
    epsilon: float | None = None,
    effect: float | None = None,
    unit: str | None = None,
    power: float | None = None,
    n_items: Annotated[int | None, typer.Option("--items")] = None,
    k_responses: Annotated[int | None, typer.Option("--responses")] = None,
    budget: float | None = None,
    cost_per_item: float = 0.0,
    cost_per_rating: float = 1.0,
    alpha: float = 0.05,
    solve: str | None = None,
    alternative: str = "two-sided",
    metric: list[str] | None = None,
    test: str = "swap_items",
    n_runs: str | None = None,
    epsilon_a: float = 0.0,
    raters: int | None = None,
    items_per_rater: int | None = None,
    runs: int | None = None,
    counts: str | None = None,
    calls: int | None = None,
    pair_runs: str = "no",
    items_per_cluster: int | None = None,
    cluster: str | None = None,
    cost_per_rater: float | None = None,
    cost_per_run: float | None = None,
    cost_per_call: float | None = None,
    item_sd: float | None = None,
    cluster_sd: float | None = None,
    severity_sd: float | None = None,
    rating_sd: float | None = None,
    run_sd: float | None = None,
    answer_sd: float | None = None,
    max_items: int | None = None,
    max_responses: int | None = None,
    precision: float | None = None,
    n_resamples: Annotated[int, typer.Option("--resamples")] = 10_000,
    metric_file: MetricFiles = None,
    details: Annotated[bool, typer.Option("--details")] = False,
    out: OutAnswer = None,
    form: Format = "text",
    seed: Seed = 0,
    threads: Threads = 2,
) -> None:
    """Plan a data collection. Leave out the quantity that you want to know.

    Give all but one of the size (--items and --responses, or a --budget), the difference (--effect or
    --epsilon) and the --power. With a difference and a power alone, nbyk finds the cheapest size. Numbers are
    in the unit of your --scale.

    To find how many raters or runs you need, write --solve raters or --solve runs, and give an --effect, a
    --power and how much the effect varies: --item-sd, --severity-sd, --rating-sd and --run-sd, or a --pilot
    with --pilot-systems.

    Parameters
    ----------
    dataset
        Dataset: convabuse (fitted to its ratings), or a published prior's name.
    pilot
        Your own ratings, in a file of any format that compare takes; with their --scale.
    pilot_systems : A B
        Answers of two real systems to the pilot's items; they replace all assumptions about systems. Without
        --pilot: people's ratings of their answers.
    epsilon
        How far system B's item means are off, at most: ε. For a metric without gold: their shift. Of labels:
        the share of noise among B's.
    effect
        Instead of --epsilon: by how much A is better on the metric: by infinitely many ratings, or of two
        real systems as `nbyk compare` prints it.
    unit : scale|share
        Unit of --epsilon, --effect and SDs: scale (that of --scale) or share (0 to 1). By default scale.
    power
        Power of the test.
    n_items
        Items N.
    k_responses
        Ratings per item K.
    alpha
        Level of the test.
    solve
        The number that you want to know: raters, runs, items, ratings or calls (of a judge). To find how many
        raters to hire: --solve raters, with --effect, --power, --item-sd, --severity-sd and --rating-sd. By
        default what you leave out; raters and runs if you give a price or an SD of them.
    metric
        Metric to compare by. With several, each gets its own size; take the one that needs least. By default
        mae; without gold mean; of labels accuracy.
    raters
        People in all, who share the items; --responses says how many of them rate an item: without it as many
        as in the pilot, or everybody. The plan is then for new raters too. To find their number, write
        --solve raters instead.
    runs
        Runs of each system, each on all items. The plan is then for new runs too. To find their number, write
        --solve runs instead.
    details
        Print every table and caution.

    Sources, simulated systems and the search
    -----------------------------------------
    items_from
        Simulate from the pilot's items, or from a prior.
    system_answers : levels|real
        How the simulated systems answer a pilot's items: in whole levels of the scale, or in real numbers,
        such as means or scores. Rounding to levels hides small differences.
    on_missing
        Items that some files lack, as of --pilot-systems: refuse, or drop them and report how many.
    prior
        File of a prior that `nbyk study prior` or `nbyk fit` wrote.
    published
        Use the dataset's published prior, not a fit.
    classes : A,B,…
        Classes of labels, in their order. By default those of the pilot.
    class_alpha : 10,3,3
        Instead of a pilot of labels: the α of a Dirichlet distribution of their shares.
    alternative
        Question of the test: two-sided (do A and B differ?) or greater (is A better?).
    test
        Test of the difference.
    n_runs
        How often each system answers an item; K means as often as people rate it. By default 1, or K for a
        metric without gold.
    epsilon_a
        Perturbation of system A's item means.
    max_items
        Most items to try. By default 100,000 or more.
    max_responses
        Most ratings to try. By default 100 or more.
    precision
        Stop simulating once the power's standard error is below this. By default 0.01; less where sets are
        large.
    n_resamples
        Draws M of the null of each test.

    Raters, runs and clusters
    -------------------------
    judge
        A judge's scores, which people's ratings in --pilot correct: how many people, and calls?
    items_per_rater
        Instead of --raters: items per person.
    counts
        Beside a --judge: what each class or vote counts, as in yes=1,no=0. By default values are numbers.
    calls
        Calls of the --judge in all.
    pair_runs
        Whether A and B share runs of one name: yes or no.
    items_per_cluster
        Items in a cluster, such as questions about one text. By default as in the pilot, or 1.
    cluster : COLUMN
        Column of clusters of the pilot's items. With --pilot-systems, nbyk plans whole clusters. By default
        every item is its own cluster.
    item_sd
        Standard deviation of the effect over single items. By default that of the pilot's systems.
    cluster_sd
        Standard deviation of the effect between clusters, beyond their items. By default that of --cluster.
    severity_sd
        Standard deviation of the effect due to one rater's severity. By default that of the pilot.
    rating_sd
        Standard deviation of the effect over single ratings. By default that of the pilot.
    run_sd
        Standard deviation of the effect due to one run of a system. By default that of the pilot.
    answer_sd
        Standard deviation of the effect over single answers. By default that of the pilot.

    Prices
    ------
    budget
        Money for the gold ratings; with raters or runs, for everything.
    cost_per_item
        Cost of an item.
    cost_per_rating
        Cost of a gold rating.
    cost_per_rater
        Cost of a rater.
    cost_per_run
        Cost of a run of one system.
    cost_per_call
        Cost of a call of the --judge.
    """
    arguments = dict(locals())
    check_choice("form", form, FORMATS)
    check_choice("on_missing", on_missing, ("refuse", "drop"))
    if effect is not None:
        arguments["effect"] = effect = abs(effect)  # as `nbyk compare` prints it if B is better
        if not 0.0 < effect < math.inf:
            raise NbykError(
                f"found {effect:g}, expected a number other than 0: by how much A is better",
                argument="effect",
            )
    if out is not None:
        check_out_folder(out)
    if pilot_systems and any(str(of).startswith("--") and not of.exists() for of in pilot_systems):
        from nbyk.data.columns import refuse_votes
        from nbyk.data.reading import table_of

        refuse_votes(table_of(pilot_systems[0]))
        raise NbykError(
            "expected two files, the answers of two systems; give one table of both as "
            f"{argument_with('pilot', str(pilot_systems[0]))}",
            argument="pilot_systems",
        )
    answers: tuple[Path, ...] | None = pilot_systems
    check_files([pilot])
    if pilot is not None and not pilot_systems and judge is None and holds_two_systems(pilot, rater):
        answers = (pilot,)
        pilot = None
        arguments |= {"pilot": None, "pilot_systems": answers}
    shared = [cluster, pair_runs == "yes" or None, *(arguments[name] for name in (*OF_SHARED, *SDS))]
    with_people = any(given is not None for given in shared) or solve in ("raters", "runs", "calls")
    with_people = with_people or bool(answers and (solve or effect))
    load_metric_files(metric_file)
    check_sources(arguments, with_people=with_people)
    of_labels = is_of_labels(arguments)
    usual = "mean" if answers and pilot is None else "mae"

    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.metrics.registry import named
    from nbyk.planning.closed_form import WITHOUT_JUDGE
    from nbyk.planning.plan import plan as plan_from
    from nbyk.report.plan import plan_answer

    metrics = [] if of_labels else [named(name, "numbers") for name in metric or (usual,)]
    mending = Mending(on_duplicates, on_empty)
    again = typed(context, _OF_NEW_UNITS)
    if answers is None and effect is None and epsilon is None:
        again += ["--epsilon", "0.1", *([] if of_labels else ["--unit", "share"])]
    again += [*(["--metric", metric[0]] if metric else []), "--power", f"{power or 0.8:g}"]
    by_gold = bool(metrics) and metrics[0].needs_gold
    columns = Columns(item, rater, value, cluster)
    of_metric = bool(metric) and bool(metrics) and not by_gold and pilot is None
    lower = metrics[0].direction == "lower" if of_metric else None
    how = by_gold, dataset, on_missing, lower
    files = PilotFiles(pilot, answers, columns, mending, tuple(again), *how)
    arguments["n_runs"] = _runs(n_runs)
    asked = taken_by(plan_from, arguments)
    asked |= {"metric": metrics, "curves": out is not None and not with_people}
    with moving_line() as say:
        asked["progress"] = say
        if judge is not None:
            source = judged_source(arguments, asked)
        elif counts is not None:
            raise NbykError(WITHOUT_JUDGE, argument="counts")
        elif of_labels:
            source = labels_source(arguments, asked, files, say, with_people=with_people)
        else:
            source = (shared_source if with_people else simulated_source)(arguments, asked, files, say)
        solved = source.plan(asked)
    answer = plan_answer(solved, for_page=out is not None or form == "html")
    give(answer, out=out, form=form, stem="plan", details=details)


def _runs(text: str | None) -> int | str | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return text
