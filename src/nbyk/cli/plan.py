"""`nbyk plan`: how many items, ratings, raters and runs you need, from a dataset's name or a pilot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
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
    metric_named,
    panel,
)
from nbyk.cli.pilot import PilotFiles, holds_two_systems
from nbyk.cli.plan_source import (
    OF_SHARED,
    SDS,
    check_dataset,
    check_sources,
    judged_source,
    shared_source,
    simulated_source,
)
from nbyk.errors import NbykError, argument_with
from nbyk.progress import moving_line

_of_people = panel("Raters, runs and clusters")
_of_prices = panel("Prices")
_of_systems = panel("Sources, simulated systems and the search")
_SPREAD = "Spread of {}'s answers to an item, relative to that of people's ratings."
_SD = "Standard deviation of the effect {}, in its unit."
_BY_RUNS = "0 for one run, 1 for more"


def plan(
    dataset: Annotated[
        str | None,
        typer.Argument(help="Dataset: convabuse (fitted to its ratings), or a published prior's name."),
    ] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(help="Your own ratings: CSV, TSV, JSONL, Parquet, .npy; with their --scale."),
    ] = None,
    pilot_systems: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            help="Answers of two real systems to the pilot's items; they replace all assumptions about "
            "systems. Without --pilot: people's ratings of their answers.",
            metavar="A B",
        ),
    ] = None,
    items_from: Annotated[
        str, _of_systems(help="Simulate from the pilot's items, or from a prior.")
    ] = "pilot",
    judge: Annotated[
        Path | None,
        _of_people(
            help="A judge's scores, which people's ratings in --pilot correct: how many people, and calls?"
        ),
    ] = None,
    system_answers: Annotated[
        str,
        _of_systems(
            help="How the simulated systems answer a pilot's items: in whole levels of the scale, or in real "
            "numbers, such as means or scores. Rounding to levels hides small differences.",
            metavar="levels|real",
        ),
    ] = "levels",
    scale: Scale = None,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
    prior: Annotated[
        Path | None, _of_systems(help="File of a prior that `nbyk study prior` or `nbyk fit` wrote.")
    ] = None,
    published: Annotated[
        bool, _of_systems("--published", help="Use the dataset's published prior, not a fit.")
    ] = False,
    classes: Annotated[
        str | None,
        _of_systems(
            help="Classes of labels, in their order.", show_default="those of the pilot", metavar="A,B,…"
        ),
    ] = None,
    class_alpha: Annotated[
        str | None,
        _of_systems(
            help="Instead of a pilot of labels: the α of a Dirichlet distribution of their shares.",
            metavar="10,3,3",
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="How far system B's item means are off, at most: ε. For a metric without gold: their shift. "
            "Of labels: the share of noise among B's."
        ),
    ] = None,
    effect: Annotated[
        float | None,
        typer.Option(
            help="Instead of --epsilon: by how much A is better on the metric, as `nbyk compare` prints it."
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help="Unit of --epsilon, --effect and SDs: scale (that of --scale) or share (0 to 1).",
            metavar="scale|share",
            show_default="scale",
        ),
    ] = None,
    power: Annotated[float | None, typer.Option(help="Power of the test.")] = None,
    n_items: Annotated[int | None, typer.Option("--items", help="Items N.")] = None,
    k_responses: Annotated[int | None, typer.Option("--responses", help="Ratings per item K.")] = None,
    budget: Annotated[
        float | None, _of_prices(help="Money for the gold ratings; with raters or runs, for everything.")
    ] = None,
    cost_per_item: Annotated[float, _of_prices(help="Cost of an item.")] = 0.0,
    cost_per_rating: Annotated[float, _of_prices(help="Cost of a gold rating.")] = 1.0,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    solve: Annotated[
        str | None,
        typer.Option(
            help="The number that you want to know: raters, runs, items, ratings or calls (of a judge). To "
            "find how many raters to hire: --solve raters, with --effect, --power, --item-sd, --severity-sd "
            "and --rating-sd.",
            show_default="what you leave out; raters and runs if you give a price or an SD of them",
        ),
    ] = None,
    alternative: Annotated[
        str,
        _of_systems(help="Question of the test: two-sided (do A and B differ?) or greater (is A better?)."),
    ] = "two-sided",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Metric to compare by. With several, each gets its own size; take the one that needs least.",
            show_default="mae; without gold mean; of labels accuracy",
            metavar="<str>",
        ),
    ] = None,
    test: Annotated[str, _of_systems(help="Test of the difference.")] = "swap_items",
    n_runs: Annotated[
        str | None,
        _of_systems(
            "--n-runs",
            help="How often each system answers an item; K means as often as people rate it.",
            show_default="1, or K for a metric without gold",
        ),
    ] = None,
    epsilon_a: Annotated[float, _of_systems(help="Perturbation of system A's item means.")] = 0.0,
    sd_scale_a: Annotated[float | None, _of_systems(help=_SPREAD.format("A"), show_default=_BY_RUNS)] = None,
    sd_scale_b: Annotated[float | None, _of_systems(help=_SPREAD.format("B"), show_default=_BY_RUNS)] = None,
    raters: Annotated[
        int | None,
        typer.Option(
            help="Number of raters who share the items. The plan is then for new raters too. To find their "
            "number, write --solve raters instead."
        ),
    ] = None,
    items_per_rater: Annotated[int | None, _of_people(help="Instead of --raters: items per person.")] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            help="Runs of each system, each on all items. The plan is then for new runs too. To find their "
            "number, write --solve runs instead.",
        ),
    ] = None,
    counts: Annotated[
        str | None,
        _of_people(
            help="Beside a --judge: what each class or vote counts, as in yes=1,no=0.",
            show_default="values are numbers",
        ),
    ] = None,
    calls: Annotated[int | None, _of_people(help="Calls of the --judge in all.")] = None,
    pair_runs: Annotated[str, _of_people(help="Whether A and B share runs of one name: yes or no.")] = "no",
    items_per_cluster: Annotated[
        int | None,
        _of_people(
            help="Items in a cluster, such as questions about one text.", show_default="as in the pilot, or 1"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        _of_people(
            help="Column of clusters of the pilot's items. With --pilot-systems, nbyk plans whole clusters.",
            show_default="every item is its own cluster",
            metavar="COLUMN",
        ),
    ] = None,
    cost_per_rater: Annotated[float | None, _of_prices(help="Cost of a rater.")] = None,
    cost_per_run: Annotated[float | None, _of_prices(help="Cost of a run of one system.")] = None,
    cost_per_call: Annotated[float | None, _of_prices(help="Cost of a call of the --judge.")] = None,
    item_sd: Annotated[
        float | None, _of_people(help=_SD.format("over single items"), show_default="of the pilot's systems")
    ] = None,
    cluster_sd: Annotated[
        float | None,
        _of_people(help=_SD.format("between clusters, beyond their items"), show_default="of --cluster"),
    ] = None,
    severity_sd: Annotated[
        float | None, _of_people(help=_SD.format("due to one rater's severity"), show_default="of the pilot")
    ] = None,
    rating_sd: Annotated[
        float | None, _of_people(help=_SD.format("over single ratings"), show_default="of the pilot")
    ] = None,
    run_sd: Annotated[
        float | None, _of_people(help=_SD.format("due to one run of a system"), show_default="of the pilot")
    ] = None,
    answer_sd: Annotated[
        float | None, _of_people(help=_SD.format("over single answers"), show_default="of the pilot")
    ] = None,
    max_items: Annotated[
        int | None, _of_systems(help="Most items to try.", show_default="100,000 or more")
    ] = None,
    max_responses: Annotated[
        int | None, _of_systems(help="Most ratings to try.", show_default="100 or more")
    ] = None,
    precision: Annotated[
        float | None,
        _of_systems(
            help="Stop simulating once the power's standard error is below this.",
            show_default="0.01; less where sets are large",
        ),
    ] = None,
    n_resamples: Annotated[
        int, _of_systems("--resamples", help="Draws M of the null of each test.")
    ] = 10_000,
    metric_file: MetricFiles = None,
    details: Annotated[bool, typer.Option("--details", help="Print every table and caution.")] = False,
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
    """
    arguments = dict(locals())
    check_format(form)
    if effect is not None:
        arguments["effect"] = effect = abs(effect)  # as `nbyk compare` prints it if B is better
        if not 0.0 < effect < math.inf:
            raise NbykError(
                f"found {effect:g}, expected a number other than 0: by how much A is better",
                argument="effect",
            )
    if out is not None:
        check_out_folder(out)
    if pilot_systems and any(str(path).startswith("--") for path in pilot_systems):
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
    metrics = [] if of_labels else [metric_named(name) for name in metric or (usual,)]
    if not with_people and dataset is not None:
        check_dataset(dataset, published=published)

    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.planning.closed_form import WITHOUT_JUDGE
    from nbyk.planning.plan import plan as plan_from
    from nbyk.report.plan import plan_answer

    mending = Mending(on_duplicates, on_empty)
    files = PilotFiles(pilot, answers, Columns(item, rater, value, cluster), mending)
    arguments["n_runs"] = _runs(n_runs)
    asked = {name: arguments[name] for name in plan_from.__kwdefaults__ or {} if name in arguments}
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
    answer = plan_answer(solved, name=source.name, for_page=out is not None or form == "html")
    give(answer, out=out, form=form, stem="plan", details=details)


def _runs(text: str | None) -> int | str | None:
    """Return the number that a text is, or the text."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text
