"""`nbyk plan`: how many items, ratings, raters and runs you need, from a dataset's name or a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
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
    check_out_folder,
    load_metric_files,
    metric_named,
)
from nbyk.cli.pilot import (
    OF_SHARED,
    SDS,
    fitted_to,
    now_and_then,
    pilot_scale,
    prior_of,
    read_pilot_of,
    say,
    shared_source,
)
from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk.planning.result import Plan
    from nbyk.priors import TwoStagePrior

_PEOPLE, _PRICES = "Raters, runs and clusters", "Prices"
_SYSTEMS = "Sources, simulated systems and the search"
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
        str,
        typer.Option(help="Simulate from the pilot's items, or from a prior.", rich_help_panel=_SYSTEMS),
    ] = "pilot",
    system_answers: Annotated[
        str,
        typer.Option(
            help="How the simulated systems answer a pilot's items: in whole levels of the scale, or in real "
            "numbers, such as means or scores. Rounding to levels hides small differences.",
            metavar="levels|real",
            rich_help_panel=_SYSTEMS,
        ),
    ] = "levels",
    scale: Scale = None,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
    prior: Annotated[
        Path | None,
        typer.Option(
            help="File of a prior that `nbyk study prior` or `nbyk fit` wrote.", rich_help_panel=_SYSTEMS
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Use the dataset's published prior, not a fit.", rich_help_panel=_SYSTEMS
        ),
    ] = False,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Perturbation ε of system B's item means, in [0, 1]. For a metric without gold: their shift."
        ),
    ] = None,
    effect: Annotated[
        float | None,
        typer.Option(
            help="Instead of --epsilon: the effect on the metric, with infinitely many ratings, in units of "
            "the pilot's scale (squared for mse). Without a pilot: in units of the scale from 0 to 1."
        ),
    ] = None,
    power: Annotated[float | None, typer.Option(help="Power of the test.")] = None,
    n_items: Annotated[int | None, typer.Option("--items", help="Items N.")] = None,
    k_responses: Annotated[int | None, typer.Option("--responses", help="Ratings per item K.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Money for the gold ratings; with raters or runs, for everything.")
    ] = None,
    cost_per_item: Annotated[float, typer.Option(help="Cost of an item.", rich_help_panel=_PRICES)] = 0.0,
    cost_per_rating: Annotated[
        float, typer.Option(help="Cost of a gold rating.", rich_help_panel=_PRICES)
    ] = 1.0,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    solve: Annotated[
        str | None,
        typer.Option(
            help="The number that you want to know: raters, runs, items or ratings. To find how many raters "
            "to hire: --solve raters, with --effect, --power, --item-sd, --severity-sd and --rating-sd.",
            show_default="what you leave out; raters and runs if you give a price or an SD of them",
        ),
    ] = None,
    alternative: Annotated[
        str,
        typer.Option(help="Question of the test: two-sided (do A and B differ?) or greater (is A better?)."),
    ] = "two-sided",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Metric to compare by. With several, nbyk ranks them at --items, --responses and --epsilon.",
            show_default="mae",
            metavar="<str>",
        ),
    ] = None,
    test: Annotated[
        str, typer.Option(help="Test of the difference.", rich_help_panel=_SYSTEMS)
    ] = "swap_items",
    n_runs: Annotated[
        str | None,
        typer.Option(
            "--n-runs",
            help="How often each system answers an item; K means as often as people rate it.",
            show_default="1, or K for a metric without gold",
            rich_help_panel=_SYSTEMS,
        ),
    ] = None,
    epsilon_a: Annotated[
        float, typer.Option(help="Perturbation of system A's item means.", rich_help_panel=_SYSTEMS)
    ] = 0.0,
    sd_scale_a: Annotated[
        float | None, typer.Option(help=_SPREAD.format("A"), show_default=_BY_RUNS, rich_help_panel=_SYSTEMS)
    ] = None,
    sd_scale_b: Annotated[
        float | None, typer.Option(help=_SPREAD.format("B"), show_default=_BY_RUNS, rich_help_panel=_SYSTEMS)
    ] = None,
    raters: Annotated[
        int | None,
        typer.Option(
            help="Number of raters who share the items. The plan is then for new raters too. To find their "
            "number, write --solve raters instead."
        ),
    ] = None,
    items_per_rater: Annotated[
        int | None, typer.Option(help="Instead of --raters: items per person.", rich_help_panel=_PEOPLE)
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            help="Runs of each system, each on all items. The plan is then for new runs too. To find their "
            "number, write --solve runs instead.",
        ),
    ] = None,
    pair_runs: Annotated[
        str, typer.Option(help="Whether A and B share runs of one name: yes or no.", rich_help_panel=_PEOPLE)
    ] = "no",
    items_per_cluster: Annotated[
        int | None,
        typer.Option(
            help="Items in a cluster, such as questions about one text.",
            show_default="as in the pilot, or 1",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Column of clusters of the pilot's items. With --pilot-systems, nbyk plans whole clusters.",
            show_default="every item is its own cluster",
            metavar="COLUMN",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    cost_per_rater: Annotated[
        float | None, typer.Option(help="Cost of a rater.", rich_help_panel=_PRICES)
    ] = None,
    cost_per_run: Annotated[
        float | None, typer.Option(help="Cost of a run of one system.", rich_help_panel=_PRICES)
    ] = None,
    item_sd: Annotated[
        float | None,
        typer.Option(
            help=_SD.format("over single items"),
            show_default="of the pilot's systems",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    cluster_sd: Annotated[
        float | None,
        typer.Option(
            help=_SD.format("between clusters, beyond their items"),
            show_default="of --cluster",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    severity_sd: Annotated[
        float | None,
        typer.Option(
            help=_SD.format("due to one rater's severity"),
            show_default="of the pilot",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    rating_sd: Annotated[
        float | None,
        typer.Option(
            help=_SD.format("over single ratings"), show_default="of the pilot", rich_help_panel=_PEOPLE
        ),
    ] = None,
    run_sd: Annotated[
        float | None,
        typer.Option(
            help=_SD.format("due to one run of a system"),
            show_default="of the pilot",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    answer_sd: Annotated[
        float | None,
        typer.Option(
            help=_SD.format("over single answers"), show_default="of the pilot", rich_help_panel=_PEOPLE
        ),
    ] = None,
    max_items: Annotated[
        int | None,
        typer.Option(help="Most items to try.", show_default="100,000 or more", rich_help_panel=_SYSTEMS),
    ] = None,
    max_responses: Annotated[
        int | None,
        typer.Option(help="Most ratings to try.", show_default="100 or more", rich_help_panel=_SYSTEMS),
    ] = None,
    precision: Annotated[
        float,
        typer.Option(
            help="Stop simulating once the power's standard error is below this.", rich_help_panel=_SYSTEMS
        ),
    ] = 0.01,
    n_resamples: Annotated[
        int, typer.Option("--resamples", help="Draws M of the null of each test.", rich_help_panel=_SYSTEMS)
    ] = 10_000,
    metric_file: MetricFiles = None,
    out: OutAnswer = None,
    form: Format = "text",
    seed: Seed = 0,
    threads: Threads = 2,
) -> None:
    """Plan a data collection. Leave out the quantity that you want to know.

    Give all but one of the size (--items and --responses, or a --budget), the difference (--epsilon or
    --effect) and the --power. With a difference and a power alone, nbyk finds the cheapest size.

    To find how many raters or runs you need, write --solve raters or --solve runs, and give an --effect, a
    --power and how much the effect varies: --item-sd, --severity-sd, --rating-sd and --run-sd, or a --pilot
    with --pilot-systems.
    """
    from nbyk.data.columns import Columns
    from nbyk.data.mending import Mending
    from nbyk.planning.plan import check_settings
    from nbyk.planning.plan import plan as plan_from
    from nbyk.report.plan import plan_answer

    arguments = {**locals(), "n_runs": _runs(n_runs)}
    asked = {name: arguments[name] for name in plan_from.__kwdefaults__ or {} if name in arguments}
    load_metric_files(metric_file)
    metrics = [metric_named(name) for name in metric or ("mae",)]
    asked |= {"metric": metrics[0], "curves": out is not None, "progress": now_and_then()}
    check_format(form)
    if effect is not None and not 0.0 < effect < math.inf:
        raise NbykError(
            f"found {effect:g}, expected a number above 0: by how much A is better", argument="effect"
        )
    if out is not None:
        check_out_folder(out)
    columns, mending = Columns(item, rater, value, cluster), Mending(on_duplicates, on_empty)
    sds = {name: arguments[name] for name in SDS}
    paired = None if pair_runs == "no" else pair_runs
    shared = [cluster, paired, *(arguments[name] for name in OF_SHARED), *sds.values()]
    if any(given is not None for given in shared) or solve in ("raters", "runs") or (solve and pilot_systems):
        for name, given in (("DATASET", dataset), ("--prior", prior)):
            if given is not None:
                raise NbykError(
                    f"{name}: found {given}, which does not go with raters and runs; leave it out, and give "
                    "`effect` and `item_sd`, `severity_sd`, `rating_sd` and `run_sd`, or `pilot`, alone or "
                    "with `pilot_systems`"
                )
        files = (pilot, pilot_systems, scale, columns, mending)
        source, name = shared_source(*files, sds, asked, system_answers=system_answers, pair_runs=pair_runs)
        solved = plan_from(source, **{**asked, "curves": False})
        for_page = out is not None or form == "html"
        give(plan_answer(solved, name=name, for_page=for_page), out=out, form=form, stem="plan")
        return
    sources = {
        "DATASET": dataset,
        "--pilot-systems" if pilot is None else "--pilot": pilot or pilot_systems,
        "--prior": prior,
    }
    named = [name for name, value in sources.items() if value is not None]
    if len(named) != 1:
        raise NbykError(
            f"plan: found {' and '.join(named) or 'no data'}; expected one of DATASET, --pilot and --prior, "
            "as the source of items and ratings; for the number of raters or runs, give --solve raters or "
            "--solve runs instead"
        )
    if published and dataset is None:
        raise NbykError(
            f"plan: found --published and {named[0]}; it chooses a DATASET's published prior over a fit to "
            "its ratings: leave it out, or name a dataset instead"
        )
    if system_answers != "levels" and (pilot is None or pilot_systems is not None or items_from == "prior"):
        raise NbykError(
            f"found {system_answers}, but only systems simulated on a pilot's own items take it; leave "
            "it out, or give a --pilot alone",
            argument="system_answers",
        )
    if items_from not in ("pilot", "prior"):
        raise NbykError(f"found {items_from!r}, expected pilot or prior", argument="items_from")
    if pilot is None and pilot_systems is None and scale is not None:
        raise NbykError(
            f"found {scale}, which describes the ratings of a pilot, but there is no pilot; leave it out",
            argument="scale",
        )
    check_settings(metrics[0], **{name: value for name, value in asked.items() if name != "metric"})
    read, beside = None, None
    if pilot is not None or pilot_systems is not None:
        read = read_pilot_of(pilot, pilot_systems, pilot_scale(scale), columns, mending)
        population: Any = replace(read.items, system_answers=system_answers)
        if pilot is not None and pilot_systems is None:
            beside = partial(fitted_to, population, pilot)
            if items_from == "prior":
                population, beside = beside(), None
    else:
        population, cautions = prior_of(dataset, prior, published=published)
    if read is not None:
        # The planner works on the prior's scale, from 0 to 1.
        cautions = read.warnings
        asked["effect_unit"] = read.unit ** metrics[0].unit_power
    if len(metrics) > 1:
        from nbyk.report.ranking import ranking_answer

        if pilot_systems is not None:
            raise NbykError(
                "nbyk ranks metrics for simulated systems only; leave the real ones out",
                argument="pilot_systems",
            )
        ranked = plan_from(population if beside is None else beside(), **{**asked, "metric": metrics})
        give(ranking_answer(replace(ranked, warnings=cautions)), out=out, form=form, stem="ranking")
        return
    solved = plan_from(population, **asked)
    if beside is not None:
        solved = replace(solved, beside=_other(partial(plan_from, **asked), beside))
    ends = (0.0, 1.0) if read is None else read.ends
    give(plan_answer(replace(solved, warnings=cautions, scale=ends)), out=out, form=form, stem="plan")


def _other(solved_from: Callable[[TwoStagePrior], Plan], prior: Callable[[], TwoStagePrior]) -> Plan | str:
    """Return the plan of a prior fitted to the pilot, or why there is none."""
    say("the same from a prior fitted to the pilot:")
    try:
        return solved_from(prior())
    except NbykError as error:
        return str(error)


def _runs(text: str | None) -> int | str | None:
    """Return the number that a text is, or the text."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text
