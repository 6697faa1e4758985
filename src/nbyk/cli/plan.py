"""`nbyk plan`: how many items and ratings per item it takes, from a dataset's name or a pilot."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from nbyk.cli.options import MetricFiles, Seed, Threads, check_out_folder, load_metric_files
from nbyk.errors import NbykError, unknown_name

if TYPE_CHECKING:
    from nbyk.data import Interval, Levels, Ratings
    from nbyk.priors import Response, TwoStagePrior
    from nbyk.testing.pvalues import Alternative

_UNEVEN = 0.05
_MOST_STEPS = 10
"""Steps of the longest scale, from 0 to 10, whose whole numbers are taken for its levels."""
_ROUNDING = 1e-9
_SPREAD = "Spread of {}'s answers to an item, relative to that of people's ratings."
_BY_RUNS = "0 for one run, 1 for more"


def plan(
    dataset: Annotated[
        str | None,
        typer.Argument(help="Dataset: convabuse (fitted to its ratings), or a published prior's name."),
    ] = None,
    pilot: Annotated[
        Path | None, typer.Option(help="Your own ratings to fit a prior to: CSV, TSV, JSONL, Parquet, .npy.")
    ] = None,
    low: Annotated[float | None, typer.Option(help="Lowest value of the pilot's scale.")] = None,
    high: Annotated[float | None, typer.Option(help="Highest value of the pilot's scale.")] = None,
    levels: Annotated[
        str | None, typer.Option(help="The pilot's levels, lowest first, as in 1,2,3,4,5.")
    ] = None,
    prior: Annotated[
        Path | None, typer.Option(help="Prior, as written by `nbyk study prior` or `nbyk fit`.")
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Use the dataset's published prior, not a fit.")
    ] = False,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Perturbation of system B's item means, in [0, 1]; their shift for a metric without gold."
        ),
    ] = None,
    effect: Annotated[
        float | None,
        typer.Option(
            help="In place of ε: the expected effect on the metric, K → ∞, in units of the pilot's scale "
            "(squared for mse); of a dataset's or a published prior, of the scale from 0 to 1."
        ),
    ] = None,
    power: Annotated[float | None, typer.Option(help="Power of the test.")] = None,
    n_items: Annotated[int | None, typer.Option("--items", help="Items N.")] = None,
    k_responses: Annotated[int | None, typer.Option("--responses", help="Ratings per item K.")] = None,
    budget: Annotated[float | None, typer.Option(help="What the gold ratings may cost.")] = None,
    cost_per_item: Annotated[float, typer.Option(help="Cost of an item.")] = 0.0,
    cost_per_rating: Annotated[float, typer.Option(help="Cost of a gold rating.")] = 1.0,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    alternative: Annotated[
        str,
        typer.Option(help="What the test asks: two-sided (are A and B different), greater (is A better)."),
    ] = "two-sided",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Metric that the systems are compared by; several are ranked at --items, --responses and "
            "--epsilon.",
            show_default="mae",
            metavar="<str>",
        ),
    ] = None,
    test: Annotated[str, typer.Option(help="Test of the difference.")] = "swap_items",
    n_runs: Annotated[
        str | None,
        typer.Option(
            "--n-runs",
            help="How often each system answers an item; K for as often as people rate it.",
            show_default="1, or K for a metric without gold",
        ),
    ] = None,
    epsilon_a: Annotated[float, typer.Option(help="Perturbation of system A's item means.")] = 0.0,
    sd_scale_a: Annotated[float | None, typer.Option(help=_SPREAD.format("A"), show_default=_BY_RUNS)] = None,
    sd_scale_b: Annotated[float | None, typer.Option(help=_SPREAD.format("B"), show_default=_BY_RUNS)] = None,
    max_items: Annotated[int, typer.Option(help="Most items to consider.")] = 100_000,
    max_responses: Annotated[int, typer.Option(help="Most ratings per item to consider.")] = 100,
    precision: Annotated[float, typer.Option(help="Standard error of the power to stop at.")] = 0.01,
    n_resamples: Annotated[
        int, typer.Option("--resamples", help="Draws M of the null of each test.")
    ] = 10_000,
    metric_file: MetricFiles = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write the figure, table and JSON to.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
    seed: Seed = 0,
    threads: Threads = 2,
) -> None:
    """Plan a data collection: leave one of --items, --responses, --epsilon, --power, --budget open.

    A size is --items with --responses, or a --budget, which stands for the best size that it buys. With
    --epsilon and --power alone the cheapest size is found.
    """
    from nbyk.metrics import get
    from nbyk.metrics.units import unit_power
    from nbyk.planning.plan import plan as solve

    load_metric_files(metric_file)
    given = {"DATASET": dataset, "--pilot": pilot, "--prior": prior}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise NbykError(
            f"plan: found {' and '.join(named) or 'no data'}; expected one of DATASET, --pilot and --prior, "
            "to say what items and ratings are like"
        )
    if published and dataset is None:
        raise NbykError(
            f"plan: found --published and {named[0]}; it chooses a DATASET's published prior over a fit to "
            "its ratings: leave it out, or name a dataset instead"
        )
    if pilot is None and (low, high, levels) != (None, None, None):
        raise NbykError("plan: --low, --high and --levels describe the scale of a --pilot, and there is none")
    if effect is not None and not 0.0 < effect < math.inf:
        raise NbykError(
            f"found {effect:g}, expected a number above 0: by how much A is better", argument="effect"
        )
    compared = get(metric[0] if metric else "mae")
    if out is not None:
        check_out_folder(out)
    unit = 1.0
    cautions: tuple[str, ...] = ()
    if prior is not None:
        from nbyk.priors import read_prior

        population = read_prior(prior)
    elif pilot is not None:
        population, unit, cautions = _fitted_to_pilot(pilot, _scale(low, high, levels))
    else:
        population, cautions = _prior_of(str(dataset), published=published)
    if metric is not None and len(metric) > 1:
        from nbyk.cli.answers import give
        from nbyk.planning.ranking import rank
        from nbyk.report.ranking import ranking_answer

        ranked = rank(
            population,
            metric,
            n_items=n_items,
            k_responses=k_responses,
            epsilon=epsilon,
            n_runs=_runs(n_runs),
            sd_scale_a=sd_scale_a,
            sd_scale_b=sd_scale_b,
            epsilon_a=epsilon_a,
            seed=seed,
            threads=threads,
            progress=_say,
            test=test,
            alpha=alpha,
            alternative=cast("Alternative", alternative),
            power=power,
            budget=budget,
            effect=effect,
            precision=precision,
            n_resamples=n_resamples,
        )
        give(
            ranking_answer(ranked, cautions),
            out=out,
            form="json" if as_json else "text",
            stem="ranking",
        )
        return
    # The planner works on the prior's scale, from 0 to 1.
    effect_unit = unit ** unit_power(compared)
    solved = solve(
        population,
        metric=compared,
        test=test,
        alpha=alpha,
        alternative=cast("Alternative", alternative),
        n_items=n_items,
        k_responses=k_responses,
        epsilon=epsilon,
        power=power,
        budget=budget,
        effect=effect,
        effect_unit=effect_unit,
        cost_per_item=cost_per_item,
        cost_per_rating=cost_per_rating,
        n_runs=_runs(n_runs),
        epsilon_a=epsilon_a,
        sd_scale_a=sd_scale_a,
        sd_scale_b=sd_scale_b,
        max_items=max_items,
        max_responses=max_responses,
        precision=precision,
        n_resamples=n_resamples,
        curves=out is not None,
        seed=seed,
        threads=threads,
        progress=_say,
    )
    solved = replace(solved, warnings=cautions)
    if out is not None:
        from nbyk.report.plan import write_plan

        write_plan(solved, out)
    if as_json:
        print(json.dumps(solved.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from nbyk.report.plan import plan_text

        print(plan_text(solved), end="")


def _runs(text: str | None) -> int | Literal["K"] | None:
    if text is None or text == "K":
        return cast("Literal['K'] | None", text)
    try:
        return int(text)
    except ValueError:
        raise NbykError(
            f"found {text}, expected a whole number of at least 1, or K for as many as ratings per item",
            argument="n_runs",
        ) from None


def _prior_of(dataset: str, *, published: bool) -> tuple[TwoStagePrior, tuple[str, ...]]:
    """Return a dataset's prior, fitted to its ratings if they come with nbyk or published, and cautions."""
    from nbyk.data import load_source, source, source_names
    from nbyk.priors import Response
    from nbyk.priors.published import published_names, published_prior

    embedded = [name for name in source_names() if source(name).embedded]
    known = published_names() if published else {*published_names(), *embedded}
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    if published or dataset not in embedded:
        return published_prior(dataset), ()
    ratings = load_source(dataset)
    return _fitted(dataset, ratings, Response.on(source(dataset).scale)), _cautions(ratings)


def _cautions(ratings: Ratings) -> tuple[str, ...]:
    from nbyk.testing.shared_units.cautions import about_units

    return tuple(about_units({"gold": ratings.units()}, ratings.n_items, claim="size"))


def _fitted_to_pilot(path: Path, scale: Levels | Interval) -> tuple[TwoStagePrior, float, tuple[str, ...]]:
    """Return the prior fitted to a pilot, what 1 on the prior's scale is on the pilot's, and cautions."""
    import numpy as np

    from nbyk.data import Levels, read_ratings
    from nbyk.priors import Response

    ratings = read_ratings(path, scale=scale)
    whole = _whole_steps(ratings, scale)
    if whole is not None:
        _say(
            f"all ratings are whole numbers: raters choose among the {len(whole.levels)} levels of the scale"
        )
        scale, ratings = whole, read_ratings(path, scale=whole)
    ends = (scale.levels[0], scale.levels[-1]) if isinstance(scale, Levels) else (scale.low, scale.high)
    response, unit = Response.on(scale), ends[1] - ends[0]
    if isinstance(scale, Levels):
        unit *= response.levels / (response.levels - 1)
        raw = np.array(scale.levels)[np.rint(ratings.values * response.levels).astype(np.intp)]
    else:
        raw = ends[0] + unit * ratings.values
    if response.levels == 2 or (response.levels == 0 and np.isin(ratings.values, (0.0, 1.0)).all()):
        response, unit = Response("binary"), ends[1] - ends[0]
        ratings = replace(ratings, values=(ratings.values > 0.0).astype(np.float64))
    levels = scale.levels if isinstance(scale, Levels) else ends if response.levels else ()
    _check_pilot(path, replace(ratings, values=raw), levels)
    try:
        return _fitted(path.stem, ratings, response), unit, _cautions(ratings)
    except NbykError as error:
        raise error.about(file=path) from None


def _whole_steps(ratings: Ratings, scale: Levels | Interval) -> Levels | None:
    """Return the levels that raters chose among, if a short scale was declared by its ends alone.

    A continuous prior of whole numbers has too little variance within items, and the sizes would be those
    of other ratings than with the levels declared.
    """
    import numpy as np

    from nbyk.data import Interval, Levels

    if not isinstance(scale, Interval) or np.isin(ratings.values, (0.0, 1.0)).all():
        return None
    steps = scale.high - scale.low
    if steps > _MOST_STEPS or not (float(scale.low).is_integer() and float(steps).is_integer()):
        return None
    ranks = ratings.values * steps
    if (np.abs(ranks - np.rint(ranks)) > _ROUNDING).any():
        return None
    return Levels(tuple(scale.low + step for step in range(int(steps) + 1)))


def _check_pilot(path: Path, ratings: Ratings, levels: tuple[float, ...]) -> None:
    """Raise NbykError if ratings, on their own scale, cannot tell how items and the raters of one differ."""
    values = ratings.values
    way_out = "or plan with a DATASET or --prior of similar ratings"
    if (values == values[0]).all():
        raise NbykError(
            f"{path}: all {values.size} ratings are {values[0]:g}: there is nothing to fit; collect items "
            f"that raters see differently, {way_out}"
        )
    if ratings.counts().max() == 1:
        spread = f"standard deviation {values.std(ddof=1):.3g}"
        if levels:
            spread = ", ".join(f"{level:g}: {(values == level).mean():.1%}" for level in levels)
        raise NbykError(
            f"{path}: every item has a single rating, so sigma is not identified: how much raters of the "
            "same item differ cannot be told from how much items do. What these data do say is how single "
            f"ratings are distributed (mean {values.mean():.3g}; {spread}). Collect at least two ratings "
            f"for some items, {way_out}"
        )


def _fitted(name: str, ratings: Ratings, response: Response) -> TwoStagePrior:
    from nbyk.priors import fit_prior

    _say(f"fitting a prior to {ratings.n_ratings} ratings of {ratings.n_items} items")
    return fit_prior(name, ratings.matrix(), response).prior


def _scale(low: float | None, high: float | None, levels: str | None) -> Levels | Interval:
    from nbyk.data import Interval

    if levels is not None and (low, high) != (None, None):
        raise NbykError("plan: found --levels and --low or --high; they are two kinds of scale: keep one")
    if levels is not None:
        return _levels(levels)
    if low is None or high is None:
        raise NbykError(
            "plan: a --pilot needs its scale: --low and --high for numbers between two ends (0 and 1 for "
            "yes or no), or --levels for a few ordered ones, as in --levels 1,2,3,4,5"
        )
    return Interval(low, high)


def _levels(text: str) -> Levels:
    from nbyk.data import Levels

    option = f"--levels {text}" if text.strip() else "--levels: is empty"
    try:
        numbers = [float(level) for level in text.split(",")]
    except ValueError:
        raise NbykError(f"{option}; expected numbers with commas between, as in 1,2,3,4,5") from None
    for number in numbers:
        if numbers.count(number) > 1:
            raise NbykError(f"{option}: {number:g} is given twice; list every level once, lowest first")
    try:
        scale = Levels(tuple(numbers))
    except NbykError as error:
        raise error.about(argument="levels") from None
    steps = [upper - lower for lower, upper in pairwise(scale.levels)]
    # Levels may be rounded, as in 0, 0.33, 0.67, 1.
    if max(steps) - min(steps) > _UNEVEN * max(steps):
        raise NbykError(
            f"{option}: found steps from {min(steps):g} to {max(steps):g}; levels are taken as equal steps: "
            "list those that nobody chose too, number the levels evenly, or give --low and --high"
        )
    return scale


def _say(line: str) -> None:
    print(line, file=sys.stderr)
