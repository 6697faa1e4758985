"""`nbyk study boostsa2022`: from simulated predictions to the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.options import Items, Out, OutFolder, Seed, Threads, distinct
from nbyk.errors import unknown_name

if TYPE_CHECKING:
    import pyarrow as pa

app = typer.Typer(
    no_args_is_help=True, help="Label predictions, hard and soft: BooStSa, Fornaciari et al. 2022."
)

Scores = Annotated[list[str], typer.Option("--score", help="Score of labels; repeat for several.")]
Fractions = Annotated[
    list[float], typer.Option("--fraction", help="Share f of the items that a resample draws; repeat.")
]
Simulations = Annotated[int, typer.Option(help="Test sets to simulate.", min=1)]
Resamples = Annotated[int, typer.Option(help="Resamples M of each test set.", min=1)]
PValueFiles = Annotated[
    list[Path],
    typer.Option("--pvalues", help="P-values, as balanced, tagging and example write them; repeat."),
]
LevelFiles = Annotated[
    list[Path],
    typer.Option("--levels", help="Type-I errors, as `nbyk study boostsa2022 levels` writes them; repeat."),
]


@app.command()
def balanced(
    out: Out,
    items: Items,
    score: Scores,
    fraction: Fractions,
    seed: Seed,
    accuracy: Annotated[float, typer.Option(help="Accuracy of system B; A has .01 more.")],
    simulations: Simulations = 10,
    resamples: Resamples = 1000,
    threads: Threads = 1,
) -> None:
    """Test two balanced classifiers, one a point better, at one test-set size (Figure 1)."""
    from nbyk_papers.boostsa2022.label_cells import balanced_p_values

    cell = {"n_items": items, "accuracy": accuracy}
    _write(out, balanced_p_values, cell, score, fraction, simulations, resamples, seed, threads)


@app.command()
def tagging(
    out: Out,
    discordance: Annotated[float, typer.Option(help="Share of items that exactly one system has right.")],
    score: Scores,
    fraction: Fractions,
    seed: Seed,
    simulations: Simulations = 10,
    resamples: Resamples = 10_000,
    threads: Threads = 1,
) -> None:
    """Test two taggers with the right answers of Figure 2's on as many items."""
    from nbyk_papers.boostsa2022.label_cells import tagging_p_values

    cell = {"discordance": discordance}
    _write(out, tagging_p_values, cell, score, fraction, simulations, resamples, seed, threads)


@app.command()
def example(
    out: Out,
    score: Scores,
    fraction: Fractions,
    seed: Seed,
    simulations: Simulations = 10,
    resamples: Resamples = 10_000,
    threads: Threads = 1,
) -> None:
    """Test the two systems of the paper's printed example (Figure 3)."""
    from nbyk_papers.boostsa2022.label_cells import example_p_values

    _write(out, example_p_values, {}, score, fraction, simulations, resamples, seed, threads)


@app.command()
def levels(
    kind: Annotated[str, typer.Argument(help="Labels to simulate: hard or soft.")],
    out: Out,
    items: Items,
    score: Scores,
    fraction: Fractions,
    semantics: Annotated[str, typer.Option(help="published or recommended.")],
    seed: Seed,
    sets: Annotated[int, typer.Option(help="Test sets behind every rate.", min=1)] = 2000,
    resamples: Resamples = 999,
    alpha: Annotated[float, typer.Option(help="Level.")] = 0.05,
    threads: Threads = 1,
) -> None:
    """Measure how often the test rejects where both systems are equally good."""
    from nbyk.files import write_parquet
    from nbyk_papers.boostsa2022.label_cells import levels_table

    if kind not in ("hard", "soft"):
        raise unknown_name("kind of labels", kind, ("hard", "soft"))
    _check_distinct(score, fraction)
    table = levels_table(
        kind,  # type: ignore[arg-type]
        scores=score,
        fractions=fraction,
        semantics=semantics,  # type: ignore[arg-type]
        n_items=items,
        n_sets=sets,
        n_resamples=resamples,
        alpha=alpha,
        seed=seed,
        threads=threads,
    )
    write_parquet(out, table, {"seed": seed, "semantics": semantics, "n_sets": sets, "M": resamples})


@app.command()
def tables(pvalues: PValueFiles, levels: LevelFiles, out: OutFolder) -> None:
    """Write the tables beside what the paper prints, and the summary of how well they agree."""
    from nbyk_papers.boostsa2022.reading import read_levels, read_p_values
    from nbyk_papers.boostsa2022.tables import write_tables

    print(write_tables(read_p_values(pvalues), read_levels(levels), out))


@app.command()
def figures(pvalues: PValueFiles, levels: LevelFiles, out: OutFolder) -> None:
    """Draw the paper's figures, and Type-I error against the share that is drawn."""
    from nbyk_papers.boostsa2022.figures import write_figures
    from nbyk_papers.boostsa2022.reading import read_levels, read_p_values

    write_figures(read_p_values(pvalues), read_levels(levels), out)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="Folder with tables, figures and summary.")], out: Out
) -> None:
    """Write one self-contained HTML page with the summary, figures and tables."""
    from nbyk_papers.boostsa2022.page import PAGE

    PAGE.write(results, out)


def _write(
    out: Path,
    p_values: Callable[..., pa.Table],
    cell: dict[str, Any],
    scores: list[str],
    fractions: list[float],
    simulations: int,
    resamples: int,
    seed: int,
    threads: int,
) -> None:
    """Write the p-values of one cell."""
    from nbyk.files import write_parquet
    from nbyk.progress import progress

    _check_distinct(scores, fractions)
    with progress(f"p-values, {out}", simulations) as advance:
        table = p_values(
            **cell,
            scores=scores,
            fractions=fractions,
            n_simulations=simulations,
            n_resamples=resamples,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    write_parquet(out, table, {"seed": seed, "M": resamples, "n_simulations": simulations, **cell})


def _check_distinct(scores: list[str], fractions: list[float]) -> None:
    distinct("--score", scores)
    distinct("--fraction", [f"{fraction:g}" for fraction in fractions])
