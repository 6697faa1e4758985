"""The command behind the report on every data set at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import OutFolder, Seed
from nbyk.errors import NbykError


def report(
    pvalues: Annotated[
        list[Path], typer.Argument(help="Files of p-values, as written by `nbyk study pvalues`.")
    ],
    out: OutFolder,
    source: Annotated[list[str], typer.Option(help="Data set to report on; repeat for several.")],
    ratings: Annotated[list[Path], typer.Option(help="Ratings of each --source.")],
    prior: Annotated[list[Path], typer.Option(help="Prior fitted to each --source.")],
    check: Annotated[list[Path], typer.Option(help="Check of each --prior.")],
    seed: Seed,
) -> None:
    """Write the summary, figures and page of every data set at hand."""
    from nbyk_papers.datasets.page import write_report
    from nbyk_papers.datasets.summary import read_data_set

    if not len(source) == len(ratings) == len(prior) == len(check):
        raise NbykError("expected one --ratings, one --prior and one --check for each --source")
    files = zip(source, ratings, prior, check, strict=True)
    write_report(pvalues, [read_data_set(*parts) for parts in files], out, seed=seed)
