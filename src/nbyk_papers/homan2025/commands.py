"""`nbyk study homan2025`: the subcommands behind the study's rules, from priors to the report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import (
    RATINGS,
    Epsilon,
    EpsilonA,
    Items,
    MetricFiles,
    Out,
    OutFolder,
    PriorFile,
    Responses,
    SdScaleA,
    SdScaleB,
    Seed,
    Threads,
    chosen_metrics,
    distinct,
    read_prior,
)
from nbyk.errors import NbykError

app = typer.Typer(no_args_is_help=True, help="How many ratings per item: Homan et al. 2025.")

Metrics = Annotated[list[str], typer.Option("--metric", help="Metric; repeat for several.")]
GridFiles = Annotated[list[Path], typer.Argument(help="P-values, as written by `nbyk study homan2025 grid`.")]
PowerFiles = Annotated[
    list[Path] | None,
    typer.Option("--power", help="Power, as written by `nbyk study homan2025 power`; repeat."),
]
Fitted = Annotated[list[str] | None, typer.Option(help="Source that is an own fit; repeat.")]


@app.command()
def fit(
    ratings: Annotated[
        Path, typer.Argument(help="Normalised ratings, as written by `nbyk study normalise`.")
    ],
    out: Out,
    name: Annotated[str, typer.Option(help="Name of the source.")],
    check: Annotated[Path, typer.Option(help="JSON to write: goodness of the published prior and the fit.")],
) -> None:
    """Fit a prior to ratings by likelihood, and say how well it and the published one describe them."""
    from nbyk.data import Ratings, source
    from nbyk.files import read_parquet, write_json
    from nbyk.priors import Response, describe_fit, fit_prior, published_prior

    matrix = Ratings.from_table(read_parquet(ratings, RATINGS)[0]).matrix()
    response = Response.on(source(name).scale)
    fitted = fit_prior(name, matrix, response)
    published = describe_fit(published_prior(name), matrix, response)
    write_json(check, {"published": published.to_dict(), "own": fitted.to_dict()})
    write_json(out, fitted.prior.to_dict())


@app.command()
def grid(
    prior: PriorFile,
    out: Out,
    size: Annotated[list[str], typer.Option(help="Size N×K, written as 250x10; repeat for several.")],
    epsilon: Epsilon,
    metric: Metrics,
    draws: Annotated[int, typer.Option(help="Draws b under either hypothesis at most.", min=2)],
    seed: Seed,
    epsilon_a: EpsilonA = 0.0,
    sd_scale_a: SdScaleA = 1.0,
    sd_scale_b: SdScaleB = 1.0,
    metric_file: MetricFiles = None,
    threads: Threads = 1,
) -> None:
    """Compute expected p-values at every size, under both semantics and by both bootstraps."""
    import pyarrow as pa

    from nbyk.files import write_parquet
    from nbyk.planning.sizes.grid import size_grid
    from nbyk.progress import progress

    metrics = [each.name for each in chosen_metrics(metric, metric_file)]
    distinct("--size", size)
    sizes, population = [_size(text) for text in size], read_prior(prior)
    with progress(f"p-values, {out}", draws * len(sizes)) as advance:
        table = size_grid(
            population,
            metrics,
            sizes,
            epsilon_b=epsilon,
            epsilon_a=epsilon_a,
            sd_scale_a=sd_scale_a,
            sd_scale_b=sd_scale_b,
            n_draws=draws,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    column = pa.array([epsilon] * table.num_rows, pa.float64())
    own = {"epsilon_a": epsilon_a, "sd_scale_a": sd_scale_a, "sd_scale_b": sd_scale_b}
    made = {"epsilon_b": epsilon, **own, "prior": population.to_dict(), "metrics": metrics, "sizes": sizes}
    write_parquet(out, table.append_column("epsilon_b", column), {"seed": seed, "M": draws, **made})


@app.command()
def power(
    prior: PriorFile,
    out: Out,
    items: Items,
    responses: Responses,
    epsilon: Epsilon,
    sets: Annotated[int, typer.Option(help="Test sets that each test is made on.", min=2)],
    resamples: Annotated[int, typer.Option(help="Resamples M of each test set.", min=2)],
    seed: Seed,
    metric: Annotated[str, typer.Option(help="Metric of the tests that resample.")] = "mae",
    threads: Threads = 1,
) -> None:
    """Compute the power of the multistage bootstrap and of the usual tests at one size."""
    from nbyk.files import write_parquet
    from nbyk.planning.power.study import power_study
    from nbyk.progress import progress

    population = read_prior(prior)
    with progress(f"power, {out}", sets) as advance:
        table = power_study(
            population,
            metric,
            n_items=items,
            k_responses=responses,
            epsilon_b=epsilon,
            n_sets=sets,
            n_resamples=resamples,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    made = {"prior": population.to_dict(), "n_sets": sets, "M": resamples}
    write_parquet(out, table, {"seed": seed, **made})


@app.command()
def tables(
    pvalues: GridFiles,
    out: OutFolder,
    power: PowerFiles = None,
    fitted: Fitted = None,
    check: Annotated[list[Path] | None, typer.Option(help="Goodness of each --fitted source.")] = None,
) -> None:
    """Write the paper's tables beside its published numbers, and the summary of how well they agree."""
    from nbyk_papers.homan2025.tables import write_tables

    _check_aligned(fitted, check)
    checks = dict(zip(fitted or (), check or (), strict=True))
    print(write_tables(pvalues, power or (), checks, out))


@app.command()
def figures(
    pvalues: GridFiles,
    out: OutFolder,
    seed: Seed,
    power: PowerFiles = None,
    fitted: Fitted = None,
    ratings: Annotated[list[Path] | None, typer.Option(help="Ratings of each --fitted source.")] = None,
    prior: Annotated[list[Path] | None, typer.Option(help="Prior of each --fitted source.")] = None,
) -> None:
    """Draw the paper's figures from p-values, power, ratings and fitted priors."""
    from nbyk_papers.homan2025.comparison import read_grid
    from nbyk_papers.homan2025.figures import write_figures
    from nbyk_papers.homan2025.tables import read_power

    _check_aligned(fitted, ratings, prior)
    files = zip(ratings or (), prior or (), strict=True)
    power_table = read_power(power) if power else None
    fits = dict(zip(fitted or (), files, strict=True))
    write_figures(read_grid(pvalues), power_table, fits, out, seed=seed)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="Folder with tables, figures and summary.")], out: Out
) -> None:
    """Write one self-contained HTML page with the summary, figures and tables."""
    from nbyk_papers.homan2025.page import PAGE

    PAGE.write(results, out)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]+)x([0-9]+)", text)
    if match is None:
        raise NbykError(f"--size {text}: expected N×K as in 250x10, items first")
    return int(match[1]), int(match[2])


def _check_aligned(fitted: Sequence[str] | None, *files: Sequence[Path] | None) -> None:
    if any(len(paths or ()) != len(fitted or ()) for paths in files):
        raise NbykError("expected one file of each kind for each --fitted")
