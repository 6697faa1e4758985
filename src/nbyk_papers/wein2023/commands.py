"""The study of Wein et al. 2023: the subcommands behind its tables, figures and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import (
    Columns,
    Items,
    Out,
    OutFolder,
    Responses,
    Samplers,
    Seed,
)
from nbyk.errors import NbykError

PValueFiles = Annotated[
    list[Path], typer.Argument(help="Files of p-values, as written by `nbyk study pvalues`.")
]

Fitted = Annotated[list[str] | None, typer.Option(help="Source that a prior was fitted to; repeat.")]
FittedRatings = Annotated[
    list[Path] | None, typer.Option("--ratings", help="Ratings of each --fitted source.")
]
FittedPriors = Annotated[list[Path] | None, typer.Option("--prior", help="Prior of each --fitted source.")]


app = typer.Typer(no_args_is_help=True, help="Estimated p-values beside the true ones: Wein et al. 2023.")


@app.command()
def tables(
    pvalues: PValueFiles,
    out: OutFolder,
    items: Items,
    responses: Responses,
    metric: Columns,
    sampler: Samplers,
    seed: Seed = 0,
    fitted: Fitted = None,
    ratings: FittedRatings = None,
    prior: FittedPriors = None,
) -> None:
    """Write the paper's tables beside its published numbers, and the summary of how well they agree."""
    from nbyk_papers.wein2023.comparison import read_cells
    from nbyk_papers.wein2023.tables import write_tables

    cells = read_cells(pvalues, n_items=items, k_responses=responses, columns=metric, samplers=sampler)
    print(write_tables(cells, out, _fits(fitted, ratings, prior), seed=seed))


@app.command()
def figures(
    pvalues: PValueFiles,
    out: OutFolder,
    items: Items,
    responses: Responses,
    metric: Columns,
    sampler: Samplers,
    seed: Seed,
    fitted: Fitted = None,
    ratings: FittedRatings = None,
    prior: FittedPriors = None,
) -> None:
    """Draw the paper's figures from p-values, ratings and fitted priors."""
    from nbyk_papers.wein2023.comparison import read_cells
    from nbyk_papers.wein2023.figures import write_figures

    cells = read_cells(pvalues, n_items=items, k_responses=responses, columns=metric, samplers=sampler)
    write_figures(cells, out, fits=_fits(fitted, ratings, prior), seed=seed)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="Folder with tables, figures and summary.")], out: Out
) -> None:
    """Write one self-contained HTML page with the summary, figures and tables."""
    from nbyk_papers.wein2023.page import PAGE

    PAGE.write(results, out)


def _fits(
    fitted: list[str] | None, ratings: list[Path] | None, prior: list[Path] | None
) -> dict[str, tuple[Path, Path]]:
    """Return the ratings and the prior of each fitted source, or raise NbykError if one is missing."""
    if not len(fitted or ()) == len(ratings or ()) == len(prior or ()):
        raise NbykError("expected one --ratings and one --prior for each --fitted")
    files = zip(ratings or (), prior or (), strict=True)
    return dict(zip(fitted or (), files, strict=True))
