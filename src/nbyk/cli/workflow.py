"""The subcommands behind the workflow's rules: each reads files, calls one function and writes files."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    distinct,
    downloads_of,
    read_prior,
)
from nbyk.errors import NbykError

if TYPE_CHECKING:
    import pyarrow as pa

Columns = Annotated[list[str], typer.Option("--metric", help="Metric column; repeat for several.")]
SemanticsName = Annotated[str, typer.Option("--semantics", help="published or recommended.")]
Samplers = Annotated[
    list[str], typer.Option("--sampler", help="Item sampler/response sampler; repeat for several.")
]
PValueFiles = Annotated[list[Path], typer.Argument(help="Files of p-values, as written by `nbyk pvalues`.")]
REFERENCES = ("reference", "system", "item", "response", "value")
EFFECTS = ("hypothesis", "draw")


def add_to(app: typer.Typer) -> None:
    """Register the workflow's subcommands."""
    for command in (
        normalise,
        align,
        prior,
        fit,
        reference,
        true,
        estimate,
        pvalues,
        tables,
        figures,
        report,
    ):
        app.command()(command)


def normalise(
    source: Annotated[str, typer.Argument(help="Source of ratings, such as convabuse.")],
    out: Out,
    path: Annotated[
        Path | None, typer.Option(help="Where the source's file or folder is, if it is your own.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(help="Which question of a source that has several, such as mhs; its first by default."),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(help="Scale of a table of your own at --path: 1,2,3,4,5 or 0..100 or binary."),
    ] = None,
) -> None:
    """Write a source's ratings, normalised to [0, 1], as one long table (item, rater, value).

    Without --path, ratings that do not come with nbyk are those that `nbyk data fetch` brought. With --scale,
    SOURCE is a name of your own for a table of your own.
    """
    from nbyk.data import load_source, read_ratings, scale_from_text
    from nbyk.data import source as source_named
    from nbyk.files import write_parquet

    asked = question
    if scale is not None:
        if path is None or question is not None:
            raise NbykError(f"--scale {scale} is for a table of your own; give its --path, and no --question")
        declared = scale_from_text(scale)
        ratings, files = read_ratings(path, scale=declared), [path]
        made: dict[str, object] = {"licence": "your own", "citation": "", "version of source": ""}
    else:
        entry = source_named(source)
        asked = question or next(iter(entry.questions), None)
        path = path or _fetched(source)
        declared = entry.scale_of(question)
        ratings = load_source(source, path, question)
        files = [] if path is None else entry.files(path)
        made = {"licence": entry.licence, "citation": entry.citation, "version of source": entry.version}
    origin = ", ".join(str(file) for file in files) or "the embedded data"
    print(f"{source}: {ratings.n_ratings} ratings of {ratings.n_items} items from {origin}", file=sys.stderr)
    made |= {"source": source, "files": {file.name: _checksum(file) for file in files}}
    made |= {"items": ratings.n_items, "ratings": ratings.n_ratings, "scale": declared.to_dict()}
    made |= {"question": asked} if asked else {}
    write_parquet(out, ratings.to_table(), made)


def align(
    gold: Annotated[Path, typer.Argument(help="Gold ratings: CSV, TSV, JSONL, Parquet, .npy or .npz.")],
    a: Annotated[Path, typer.Argument(help="System A's ratings of the same items.")],
    b: Annotated[Path, typer.Argument(help="System B's ratings of the same items.")],
    out: Out,
    low: Annotated[float, typer.Option(help="Lowest value of the scale.")] = 0.0,
    high: Annotated[float, typer.Option(help="Highest value of the scale.")] = 1.0,
) -> None:
    """Align your own gold, A and B by item, normalised to [0, 1], as a reference set for `nbyk estimate`."""
    import nbyk.data
    from nbyk.data import Interval, read_ratings
    from nbyk.files import write_parquet
    from nbyk.studies.cells import references_table

    data = nbyk.data.align(*(read_ratings(path, scale=Interval(low, high)) for path in (gold, a, b)))
    write_parquet(out, references_table([data]), {"files": [_checksum(path) for path in (gold, a, b)]})


def prior(
    source: Annotated[str, typer.Argument(help="Whose prior: simulated, toxicity, multidomain, …")],
    out: Out,
    semantics: SemanticsName,
) -> None:
    """Write a prior that a paper published."""
    from nbyk.files import write_json
    from nbyk.priors import published_prior

    write_json(out, published_prior(source, semantics).to_dict())


def fit(
    ratings: Annotated[Path, typer.Argument(help="Normalised ratings, as written by `nbyk normalise`.")],
    out: Out,
    name: Annotated[str, typer.Option(help="Name of the source.")],
    families: Annotated[Path, typer.Option(help="CSV to write: goodness of fit of every family tried.")],
    check: Annotated[Path, typer.Option(help="JSON to write: the fitted prior against the data.")],
    seed: Seed,
) -> None:
    """Fit a two-stage prior to ratings, choosing each stage's family by its goodness of fit."""
    from nbyk.data import Ratings, scale_from_dict
    from nbyk.files import read_parquet, write_json, write_text
    from nbyk.priors import Response, fit_prior
    from nbyk.priors.comparison import comparison_table

    table, made = read_parquet(ratings, RATINGS)
    if "scale" not in made:
        raise NbykError(f"{ratings}: no scale of the ratings; write it again with `nbyk normalise`")
    matrix = Ratings.from_table(table).matrix()
    print(f"fitting every family to the means and deviations of {len(matrix)} items …", file=sys.stderr)
    try:
        fitted = fit_prior(name, matrix, Response.on(scale_from_dict(made["scale"])), seed=seed)
    except NbykError as error:
        raise NbykError(f"{ratings}: {error}") from None
    compared = comparison_table([*fitted.mu_table, *fitted.sigma_table])
    write_text(families, compared.to_pandas().to_csv(index=False, lineterminator="\n"))
    write_json(check, fitted.predictive.to_dict())
    write_json(out, fitted.prior.to_dict())


def reference(
    prior: PriorFile,
    out: Out,
    items: Items,
    responses: Responses,
    epsilon: Epsilon,
    references: Annotated[int, typer.Option(help="Test sets to draw.", min=1)],
    seed: Seed,
    gold: Annotated[
        Path | None, typer.Option(help="Normalised ratings to use as gold; A and B are simulated.")
    ] = None,
    epsilon_a: EpsilonA = 0.0,
    sd_scale_a: SdScaleA = 1.0,
    sd_scale_b: SdScaleB = 1.0,
) -> None:
    """Draw the reference test sets that p-values are estimated from."""
    from nbyk.data import Ratings
    from nbyk.files import read_parquet, write_parquet
    from nbyk.studies.cells import reference_sets, references_table

    matrix = None if gold is None else Ratings.from_table(read_parquet(gold, RATINGS)[0]).matrix()
    population = read_prior(prior)
    own = {"epsilon_a": epsilon_a, "sd_scale_a": sd_scale_a, "sd_scale_b": sd_scale_b}
    sets = reference_sets(
        population,
        n_items=items,
        k_responses=responses,
        epsilon_b=epsilon,
        epsilon_a=epsilon_a,
        sd_scale_a=sd_scale_a,
        sd_scale_b=sd_scale_b,
        n_references=references,
        seed=seed,
        gold=matrix,
    )
    made = {**_cell(items, responses, epsilon), **own, "prior": population.to_dict(), "gold": _checksum(gold)}
    write_parquet(out, references_table(sets), {"seed": seed, **made})


def true(
    prior: PriorFile,
    out: Out,
    items: Items,
    responses: Responses,
    epsilon: Epsilon,
    metric: Columns,
    semantics: SemanticsName,
    draws: Annotated[int, typer.Option(help="Draws M under either hypothesis.", min=2)],
    seed: Seed,
    epsilon_a: EpsilonA = 0.0,
    sd_scale_a: SdScaleA = 1.0,
    sd_scale_b: SdScaleB = 1.0,
    metric_file: MetricFiles = None,
    threads: Threads = 1,
) -> None:
    """Draw true effects: fresh test sets from the population under both hypotheses."""
    from nbyk.files import write_parquet
    from nbyk.progress import progress
    from nbyk.studies.cells import true_effects_table

    population = read_prior(prior)
    own = {"epsilon_a": epsilon_a, "sd_scale_a": sd_scale_a, "sd_scale_b": sd_scale_b}
    metrics = _metrics(semantics, metric, metric_file)
    with progress(f"true effects, {out}", 2 * draws) as advance:
        table = true_effects_table(
            population,
            metrics,
            n_items=items,
            k_responses=responses,
            epsilon_b=epsilon,
            epsilon_a=epsilon_a,
            sd_scale_a=sd_scale_a,
            sd_scale_b=sd_scale_b,
            n_draws=draws,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    made = {**_cell(items, responses, epsilon), **own, "prior": population.to_dict(), "metrics": metrics}
    write_parquet(out, table, {"seed": seed, "semantics": semantics, "M": draws, **made})


def estimate(
    references: Annotated[Path, typer.Argument(help="Reference sets, as written by `nbyk reference`.")],
    out: Out,
    sampler: Samplers,
    metric: Columns,
    semantics: SemanticsName = "recommended",
    null: Annotated[
        str, typer.Option(help="Null hypothesis under which A and B are redrawn.")
    ] = "swap_items",
    resamples: Annotated[int, typer.Option(help="Resamples M under either hypothesis.", min=2)] = 1000,
    spread_resamples: Annotated[
        int, typer.Option(help="Resamples M of the reference sets after the first.", min=2)
    ] = 200,
    seed: Seed = 0,
    metric_file: MetricFiles = None,
    threads: Threads = 1,
) -> None:
    """Resample the reference sets under both hypotheses and score every resample."""
    from nbyk.files import read_parquet, write_parquet
    from nbyk.progress import progress
    from nbyk.studies.cells import estimated_effects_table, references_from_table
    from nbyk.studies.wein2023 import get_semantics

    distinct("--sampler", sampler)
    sets = references_from_table(read_parquet(references, REFERENCES)[0])
    metrics = _metrics(semantics, metric, metric_file)
    draws = 2 * len(sampler) * (resamples + spread_resamples * (len(sets) - 1))
    with progress(f"estimated effects, {out}", draws) as advance:
        table = estimated_effects_table(
            sets,
            metrics,
            samplers=sampler,
            null=null,
            share_gold=get_semantics(semantics).share_gold,
            n_resamples=resamples,
            n_spread_resamples=spread_resamples,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    write_parquet(
        out,
        table,
        {
            "seed": seed,
            "semantics": semantics,
            "null": null,
            "M": resamples,
            "metrics": metrics,
            "references": _checksum(references),
        },
    )


def pvalues(
    estimated: Annotated[Path, typer.Argument(help="Effects, as written by `nbyk estimate`.")],
    out: Out,
    true: Annotated[
        list[Path] | None, typer.Option(help="Effects, as written by `nbyk true`; repeat for each K.")
    ] = None,
    true_responses: Annotated[
        list[int] | None, typer.Option(help="Responses per item behind each --true.")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Perturbation of system B, if it is known.")] = math.nan,
    items: Annotated[int, typer.Option(help="Items N of the reference sets, if it is to be noted.")] = 0,
    responses: Annotated[int, typer.Option(help="Responses per item K of the reference sets.")] = 1,
) -> None:
    """Turn effects into p-values: expected p, its Monte-Carlo error, and the true p if it is given."""
    from nbyk.files import read_parquet, write_parquet
    from nbyk.studies.pvalues import p_values_table
    from nbyk.studies.wein2023 import get_semantics

    ks, files = true_responses or [], true or []
    if len(files) != len(ks):
        raise NbykError(f"found {len(files)} --true and {len(ks)} --true-responses; expected one for each")
    effects, made = read_parquet(estimated, ("sampler", *EFFECTS))
    semantics = get_semantics(made["semantics"])
    table = p_values_table(
        effects,
        {k: _true_effects(path) for k, path in zip(ks, files, strict=True)},
        epsilon_b=epsilon,
        n_items=items,
        k_responses=responses,
        null=made["null"],
        paired=semantics.share_gold and made["null"] != "shifted",
        resamples_of_column={column: semantics.resamples(column, made["M"]) for column in made["metrics"]},
    )
    write_parquet(
        out, table, {**made, "estimated": _checksum(estimated), "true": [_checksum(path) for path in files]}
    )


def tables(
    pvalues: PValueFiles,
    out: OutFolder,
    items: Items,
    responses: Responses,
    metric: Columns,
    sampler: Samplers,
) -> None:
    """Write the paper's tables beside its published numbers, and the summary of how well they agree."""
    from nbyk.report.wein2023.comparison import read_cells
    from nbyk.report.wein2023.tables import write_tables

    cells = read_cells(pvalues, n_items=items, k_responses=responses, columns=metric, samplers=sampler)
    print(write_tables(cells, out))


def figures(
    pvalues: PValueFiles,
    out: OutFolder,
    items: Items,
    responses: Responses,
    metric: Columns,
    sampler: Samplers,
    seed: Seed,
    fitted: Annotated[
        list[str] | None, typer.Option(help="Source that a prior was fitted to; repeat.")
    ] = None,
    ratings: Annotated[list[Path] | None, typer.Option(help="Ratings of each --fitted source.")] = None,
    prior: Annotated[list[Path] | None, typer.Option(help="Prior of each --fitted source.")] = None,
) -> None:
    """Draw the paper's figures from p-values, ratings and fitted priors."""
    from nbyk.report.wein2023.comparison import read_cells
    from nbyk.report.wein2023.figures import write_figures

    cells = read_cells(pvalues, n_items=items, k_responses=responses, columns=metric, samplers=sampler)
    if not len(fitted or ()) == len(ratings or ()) == len(prior or ()):
        raise NbykError("expected one --ratings and one --prior for each --fitted")
    files = zip(ratings or (), prior or (), strict=True)
    write_figures(cells, out, fits=dict(zip(fitted or (), files, strict=True)), seed=seed)


def report(
    results: Annotated[Path, typer.Argument(help="Folder with tables, figures and summary.")], out: Out
) -> None:
    """Write one self-contained HTML page with the summary, figures and tables."""
    from nbyk.report.wein2023.page import PAGE

    PAGE.write(results, out)


def _fetched(source: str) -> Path | None:
    """Return where `nbyk data fetch` brought a source's files, if it did and they do not come with nbyk."""
    from nbyk.data import source as source_named
    from nbyk.data.download import verified_copy

    entry = source_named(source)
    if entry.embedded or not entry.fetchable:
        return None
    return verified_copy(entry, downloads_of(None).chosen_folder)


def _cell(items: int, responses: int, epsilon: float) -> dict[str, float]:
    return {"n_items": items, "k_responses": responses, "epsilon_b": epsilon}


def _true_effects(path: Path) -> pa.Table:
    from nbyk.files import read_parquet

    table, _ = read_parquet(path, EFFECTS)
    if "sampler" in table.column_names:
        raise NbykError(f"{path}: found estimated effects, expected a file that `nbyk true` wrote")
    return table


def _metrics(semantics: str, columns: Sequence[str], metric_files: Sequence[Path] | None) -> dict[str, str]:
    """Return the metric behind each column, with the user's own metrics registered."""
    from nbyk.metrics import get, load_file
    from nbyk.studies.wein2023 import get_semantics

    for path in metric_files or ():
        load_file(path)
    return {column: get(get_semantics(semantics).metric(column)).name for column in columns}


def _checksum(path: Path | None) -> str | None:
    from nbyk.files import sha256

    return None if path is None else sha256(path)
