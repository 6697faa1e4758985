"""`nbyk plan`: how many items and ratings per item it takes, from a dataset's name or a pilot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.options import MetricFiles, Seed, Threads, read_prior
from nbyk.errors import NbykError, unknown_name

if TYPE_CHECKING:
    from nbyk.data import Ratings, Scale
    from nbyk.priors import TwoStagePrior


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
        Path | None, typer.Option(help="Prior, as written by `nbyk prior` or `nbyk fit`.")
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Use the dataset's published prior, not a fit.")
    ] = False,
    epsilon: Annotated[
        float | None, typer.Option(help="Perturbation of system B's item means, in [0, 1].")
    ] = None,
    effect: Annotated[
        float | None, typer.Option(help="In place of ε: the expected effect on the metric, K → ∞.")
    ] = None,
    power: Annotated[float | None, typer.Option(help="Power of the test.")] = None,
    items: Annotated[int | None, typer.Option(help="Items N.")] = None,
    responses: Annotated[int | None, typer.Option(help="Gold ratings per item K.")] = None,
    budget: Annotated[float | None, typer.Option(help="What the gold ratings may cost.")] = None,
    cost_per_item: Annotated[float, typer.Option(help="Cost of an item.")] = 0.0,
    cost_per_rating: Annotated[float, typer.Option(help="Cost of a gold rating.")] = 1.0,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    metric: Annotated[str, typer.Option(help="Metric that the systems are compared by.")] = "mae",
    test: Annotated[str, typer.Option(help="Test of the difference.")] = "swap_items",
    epsilon_a: Annotated[float, typer.Option(help="Perturbation of system A's item means.")] = 0.0,
    sd_scale_a: Annotated[float, typer.Option(help="Factor on the spread of A's responses.")] = 1.0,
    sd_scale_b: Annotated[float, typer.Option(help="Factor on the spread of B's responses.")] = 1.0,
    max_items: Annotated[int, typer.Option(help="Most items to consider.")] = 100_000,
    max_responses: Annotated[int, typer.Option(help="Most ratings per item to consider.")] = 100,
    precision: Annotated[float, typer.Option(help="Standard error of the power to stop at.")] = 0.01,
    resamples: Annotated[int, typer.Option(help="Draws M of the null of each test.")] = 10_000,
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
    from nbyk.inference.planning.plan import plan as solve
    from nbyk.metrics import load_file

    for path in metric_file or ():
        load_file(path)
    given = {"DATASET": dataset, "--pilot": pilot, "--prior": prior}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise NbykError(
            f"plan: found {' and '.join(named) or 'no data'}; expected one of DATASET, --pilot and --prior, "
            "to say what items and ratings are like"
        )
    if pilot is None and (low, high, levels) != (None, None, None):
        raise NbykError("plan: --low, --high and --levels describe the scale of a --pilot, and there is none")
    if prior is not None:
        population = read_prior(prior)
    elif pilot is not None:
        population = _fitted_to_pilot(pilot, _scale(low, high, levels))
    else:
        population = _prior_of(str(dataset), published=published)
    solved = solve(
        population,
        metric=metric,
        test=test,
        alpha=alpha,
        n_items=items,
        k_responses=responses,
        epsilon=epsilon,
        power=power,
        budget=budget,
        effect=effect,
        cost_per_item=cost_per_item,
        cost_per_rating=cost_per_rating,
        epsilon_a=epsilon_a,
        sd_scale_a=sd_scale_a,
        sd_scale_b=sd_scale_b,
        max_items=max_items,
        max_responses=max_responses,
        precision=precision,
        n_resamples=resamples,
        curves=out is not None,
        seed=seed,
        threads=threads,
        progress=_say,
    )
    if out is not None:
        from nbyk.report.plan import write_plan

        write_plan(solved, out)
    if as_json:
        print(json.dumps(solved.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from nbyk.report.plan import plan_text

        print(plan_text(solved), end="")


def _prior_of(dataset: str, *, published: bool) -> TwoStagePrior:
    """Return a dataset's prior: fitted to its ratings if they come with nbyk, else the published one."""
    from nbyk.data import load_source, source, source_names
    from nbyk.priors.published import published_names, published_prior

    embedded = [name for name in source_names() if source(name).embedded]
    known = published_names() if published else {*published_names(), *embedded}
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    if published or dataset not in embedded:
        return published_prior(dataset)
    return _fitted(dataset, load_source(dataset), source(dataset).scale)


def _fitted_to_pilot(path: Path, scale: Scale) -> TwoStagePrior:
    from nbyk.data import read_ratings

    ratings = read_ratings(path, scale=scale)
    try:
        return _fitted(path.stem, ratings, scale)
    except NbykError as error:
        raise NbykError(f"{path}: {error}") from None


def _fitted(name: str, ratings: Ratings, scale: Scale) -> TwoStagePrior:
    import numpy as np

    from nbyk.priors import Response, fit_prior
    from nbyk.priors.likelihood_fit import fit_by_likelihood

    response = Response.on(scale)
    if response.levels == 0 and np.isin(ratings.values, (0.0, 1.0)).all():
        response = Response("binary")
    _say(f"fitting a prior to {ratings.n_ratings} ratings of {ratings.n_items} items")
    if response.levels == 0:
        return fit_prior(name, ratings.matrix(), response, n_bootstrap=0, n_sets=20).prior
    return fit_by_likelihood(name, ratings.matrix(), response).prior


def _scale(low: float | None, high: float | None, levels: str | None) -> Scale:
    from nbyk.data import Interval, Levels

    if (levels is None) == (low is None) or (low is None) != (high is None):
        raise NbykError(
            "plan: a --pilot needs its scale: --low and --high for numbers between two ends (0 and 1 for "
            "yes or no), or --levels for a few ordered ones, as in --levels 1,2,3,4,5"
        )
    if low is not None and high is not None:
        return Interval(low, high)
    try:
        return Levels(tuple(float(level) for level in str(levels).split(",")))
    except ValueError as error:
        if isinstance(error, NbykError):
            raise
        raise NbykError(f"--levels {levels}: expected numbers with commas between, as in 1,2,3,4,5") from None


def _say(line: str) -> None:
    print(line, file=sys.stderr)
