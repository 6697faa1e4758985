"""`nbyk study ulmer2022`: the subcommands behind the study's rules, from simulated scores to the report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.options import Out, OutFolder, Seed, Threads, distinct
from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk_papers.ulmer2022.design import Setting

app = typer.Typer(no_args_is_help=True, help="Error rates of tests of scores: Ulmer et al. 2022.")

ScoreFiles = Annotated[
    list[Path], typer.Argument(help="Scores, as written by `nbyk study ulmer2022 scores`.")
]
Thresholds = Annotated[
    list[float], typer.Option("--threshold", help="Threshold of p-values and eps_min; repeat for several.")
]


@app.command()
def scores(
    distribution: Annotated[str, typer.Argument(help="What scores come from: normal, normal_mixture, …")],
    out: Out,
    semantics: Annotated[str, typer.Option(help="published or recommended.")],
    setting: Annotated[
        list[str],
        typer.Option(help="Error, sample size and A's lead, as in type_2:10:0.5; repeat for several."),
    ],
    test: Annotated[list[str], typer.Option(help="Test; repeat for several.")],
    seed: Seed,
    simulations: Annotated[int, typer.Option(help="Simulations of every setting.", min=2)] = 1000,
    aso_simulations: Annotated[int, typer.Option(help="Simulations for aso.", min=2)] = 500,
    resamples: Annotated[int, typer.Option(help="Draws behind a p-value or a bound.", min=2)] = 1000,
    threads: Threads = 1,
) -> None:
    """Simulate scores of two systems and compute what every test says of each simulation."""
    from nbyk.files import write_parquet
    from nbyk.progress import progress
    from nbyk_papers.ulmer2022.design import ASO, get_semantics
    from nbyk_papers.ulmer2022.score_cells import scores_table

    distinct("--test", test)
    distinct("--setting", setting)
    settings = [_setting(text) for text in setting]
    sizes = {name: aso_simulations if name == ASO else simulations for name in test}
    with progress(f"scores, {out}", max(sizes.values()) * len(settings)) as advance:
        table = scores_table(
            distribution,
            settings,
            sizes,
            get_semantics(semantics),
            n_resamples=resamples,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    made = {"distribution": distribution, "settings": settings, "simulations": sizes}
    write_parquet(out, table, {"seed": seed, "semantics": semantics, "M": resamples, **made})


@app.command()
def tables(scores: ScoreFiles, out: OutFolder, threshold: Thresholds) -> None:
    """Write the paper's tables beside its published rates, and the summary of how well they agree."""
    from nbyk_papers.ulmer2022.reading import error_rates, read_scores
    from nbyk_papers.ulmer2022.tables import write_tables

    print(write_tables(error_rates(read_scores(scores), threshold), out))


@app.command()
def figures(scores: ScoreFiles, out: OutFolder, threshold: Thresholds) -> None:
    """Draw the paper's figures, and how the published rates compare with ours."""
    from nbyk_papers.ulmer2022.figures import write_figures
    from nbyk_papers.ulmer2022.reading import read_scores

    write_figures(read_scores(scores), out, threshold)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="Folder with tables, figures and summary.")], out: Out
) -> None:
    """Write one self-contained HTML page with the summary, figures and tables."""
    from nbyk_papers.ulmer2022.page import PAGE

    PAGE.write(results, out)


def _setting(text: str) -> Setting:
    from nbyk_papers.ulmer2022.design import DIFFERENCE, TYPE_1, TYPE_2, Setting

    match = re.fullmatch(rf"({TYPE_1}|{TYPE_2}|{DIFFERENCE}):([0-9]+):([0-9.]+(?:e-?[0-9]+)?)", text)
    if match is None or int(match[2]) < 2:
        raise NbykError(
            f"--setting {text}: expected an error, a sample size of at least 2 and A's lead, such as "
            f"{TYPE_1}:10:0 or {TYPE_2}:10:0.5"
        )
    return Setting(match[1], int(match[2]), float(match[3]))
