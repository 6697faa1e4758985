"""`nbyk study calibration`: the subcommands behind the study's rules, from a prior to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import (
    Epsilon,
    EpsilonA,
    Items,
    MetricFiles,
    Out,
    OutFolder,
    PriorFile,
    Responses,
    Seed,
    Threads,
    chosen_metrics,
    distinct,
    read_prior,
)

app = typer.Typer(no_args_is_help=True, help="How often each test rejects: Type-I error and power.")

RateFiles = Annotated[list[Path], typer.Argument(help="Rates, as written by `nbyk study calibration rates`.")]


@app.command()
def rates(
    prior: PriorFile,
    out: Out,
    items: Items,
    responses: Responses,
    epsilon: Epsilon,
    metric: Annotated[list[str], typer.Option("--metric", help="Metric; repeat for several.")],
    alpha: Annotated[list[float], typer.Option(help="Level; repeat for several.")],
    seed: Seed,
    epsilon_a: EpsilonA = 0.0,
    sampler: Annotated[
        list[str] | None,
        typer.Option(help="Sampler of expected p; repeat. Without any: p-values and intervals."),
    ] = None,
    sets: Annotated[int, typer.Option(help="Test sets behind every rate.", min=2)] = 1000,
    resamples: Annotated[int, typer.Option(help="Draws M of a null.", min=1)] = 199,
    bootstraps: Annotated[int, typer.Option(help="Draws B of whole items.", min=1)] = 999,
    metric_file: MetricFiles = None,
    threads: Threads = 1,
) -> None:
    """Compute how often each test rejects at one size, on the same simulated test sets."""
    from nbyk.files import write_parquet
    from nbyk.progress import progress
    from nbyk.resampling.population import Population
    from nbyk_papers.calibration.calibrate import calibrate

    metrics = chosen_metrics(metric, metric_file)
    distinct("--sampler", sampler or ())
    population = Population(read_prior(prior), items, responses, epsilon, epsilon_a)
    with progress(f"rates, {out}", sets) as advance:
        table = calibrate(
            population,
            metrics,
            alpha,
            samplers=sampler or (),
            n_sets=sets,
            n_resamples=resamples,
            n_bootstraps=bootstraps,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    made = {"prior": population.prior.to_dict(), "n_sets": sets, "M": resamples, "B": bootstraps}
    write_parquet(out, table, {"seed": seed, **made})


@app.command()
def tables(rates: RateFiles, out: OutFolder) -> None:
    """Write the tables of Type-I error, coverage and power, and the summary."""
    from nbyk_papers.calibration.reading import read_rates
    from nbyk_papers.calibration.tables import write_tables

    print(write_tables(read_rates(rates), out))


@app.command()
def figures(rates: RateFiles, out: OutFolder) -> None:
    """Draw heat maps of Type-I error and of power."""
    from nbyk_papers.calibration.figures import write_figures
    from nbyk_papers.calibration.reading import read_rates

    write_figures(read_rates(rates), out)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="Folder with tables, figures and summary.")], out: Out
) -> None:
    """Write one self-contained HTML page with the summary, figures and tables."""
    from nbyk_papers.calibration.page import PAGE

    PAGE.write(results, out)
