"""From priors to p-values: the subcommands behind the cells of Wein et al. 2023."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.options import (
    Item,
    MetricFiles,
    OnDuplicates,
    OnEmpty,
    Out,
    Rater,
    Scale,
    Seed,
    SemanticsName,
    Threads,
    Value,
    checksum,
    distinct,
    load_metric_files,
    scale_named,
)
from nbyk.errors import NbykError

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.resampling.population import Population

Items = Annotated[int, typer.Option("--items", help="Items N of a test set.")]
Responses = Annotated[int, typer.Option("--responses", help="Responses per item K.")]
Epsilon = Annotated[
    float, typer.Option("--epsilon", help="Perturbation of system B's item means, in [0, 1].")
]
EpsilonA = Annotated[
    float, typer.Option("--epsilon-a", help="Perturbation of system A's item means, in [0, 1].")
]
SdScaleA = Annotated[float, typer.Option("--sd-scale-a", help="Factor on σ of system A's responses.")]
SdScaleB = Annotated[float, typer.Option("--sd-scale-b", help="Factor on σ of system B's responses.")]
PriorFile = Annotated[
    Path, typer.Argument(help="File of a prior that `nbyk study prior` or `nbyk fit` wrote.")
]
Columns = Annotated[list[str], typer.Option("--metric", help="Metric column; repeat for several.")]
Samplers = Annotated[
    list[str], typer.Option("--sampler", help="Item sampler/response sampler. Repeat for several.")
]

REFERENCES = ("reference", "system", "item", "response", "value")
EFFECTS = ("hypothesis", "draw")


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
    semantics: SemanticsName = "recommended",
) -> None:
    """Draw the reference test sets from which p-values are estimated."""
    from nbyk.data.ratings import stored_ratings
    from nbyk.files import write_parquet
    from nbyk.priors import read_prior
    from nbyk.resampling.population import Population
    from nbyk_papers.wein2023.cells import gold_of, reference_sets, references_table
    from nbyk_papers.wein2023.design import get_semantics

    way, matrix = get_semantics(semantics), None if gold is None else stored_ratings(gold)[0].matrix()
    population = Population(read_prior(prior), items, responses, epsilon, epsilon_a, sd_scale_a, sd_scale_b)
    matrix = gold_of(way, population.prior, matrix)
    draw_sets = partial(
        reference_sets,
        population,
        references=range(references),
        seed=seed,
        gold=matrix,
        latent_items=way.latent_items,
    )
    own_draws = way.has_own_draws(population.prior.name, real_gold=matrix is not None)
    nulls = draw_sets(hypothesis="null") if own_draws else []
    made = {"seed": seed, "semantics": semantics, **_made(population), "gold": checksum(gold)}
    sets = dict(enumerate(draw_sets()))
    write_parquet(out, references_table(sets, dict(enumerate(nulls))), made)


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
    references: Annotated[
        Path | None,
        typer.Option(help="Reference sets on real gold: under published semantics, each is a true draw too."),
    ] = None,
    epsilon_a: EpsilonA = 0.0,
    sd_scale_a: SdScaleA = 1.0,
    sd_scale_b: SdScaleB = 1.0,
    metric_file: MetricFiles = None,
    threads: Threads = 1,
) -> None:
    """Draw true effects: fresh test sets from the population under both hypotheses."""
    from nbyk.files import read_parquet, write_parquet
    from nbyk.priors import read_prior
    from nbyk.resampling.population import Population
    from nbyk.studies.steps import Work
    from nbyk_papers.wein2023.cells import references_from_table, true_effects_table, with_first_draws

    population = Population(read_prior(prior), items, responses, epsilon, epsilon_a, sd_scale_a, sd_scale_b)
    metrics, work = _metrics(semantics, metric, metric_file), Work(f"true effects, {out}", threads)
    with work.progress(2 * draws):
        table = true_effects_table(population, metrics, n_draws=draws, seed=seed, work=work)
    made = {"seed": seed, "semantics": semantics, "M": draws, **_made(population), "metrics": metrics}
    if references is not None:
        of_sets = read_parquet(references, REFERENCES, whole=True)[0]
        nulls = references_from_table(of_sets, "null")
        if nulls:
            table = with_first_draws(table, references_from_table(of_sets), nulls, metrics, responses)
        made["references"] = checksum(references)
    write_parquet(out, table, made)


def estimate(
    references: Annotated[Path, typer.Argument(help="Reference sets, as written by `nbyk study reference`.")],
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
    from nbyk.studies.steps import Work
    from nbyk_papers.wein2023.cells import estimated_effects_table, references_from_table
    from nbyk_papers.wein2023.design import Estimation

    distinct("--sampler", sampler)
    stored = read_parquet(references, REFERENCES, whole=True)[0]
    _check_types(stored, references)
    sets = references_from_table(stored)
    metrics, work = _metrics(semantics, metric, metric_file), Work(f"estimated effects, {out}", threads)
    how = Estimation(semantics, null, sampler, resamples, spread_resamples, seed)
    with work.progress(how.n_draws(sets)):
        table = estimated_effects_table(sets, metrics, how, work)
    write_parquet(
        out,
        table,
        {
            "seed": seed,
            "semantics": semantics,
            "null": null,
            "M": resamples,
            "metrics": metrics,
            "references": checksum(references),
        },
    )


def pvalues(
    estimated: Annotated[Path, typer.Argument(help="Effects, as written by `nbyk study estimate`.")],
    out: Out,
    true: Annotated[
        list[Path] | None, typer.Option(help="Effects, as written by `nbyk study true`; repeat for each K.")
    ] = None,
    true_responses: Annotated[
        list[int] | None, typer.Option(help="Responses per item behind each --true.")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Perturbation of system B, if it is known.")] = math.nan,
    epsilon_a: EpsilonA = 0.0,
    items: Annotated[int, typer.Option(help="Items N of the reference sets, if it is to be noted.")] = 0,
    responses: Annotated[int, typer.Option(help="Responses per item K of the reference sets.")] = 1,
) -> None:
    """Turn effects into p-values: expected p, its Monte-Carlo error, and the true p if it is given."""
    import pandas as pd
    import pyarrow as pa

    from nbyk.files import read_parquet, write_parquet
    from nbyk_papers.wein2023.design import get_semantics
    from nbyk_papers.wein2023.pvalues import estimated_p_table, true_p_table, with_true_p

    ks, files = true_responses or [], true or []
    if len(files) != len(ks):
        raise NbykError(f"found {len(files)} --true and {len(ks)} --true-responses; expected one for each")
    effects, made = read_parquet(estimated, ("sampler", *EFFECTS), whole=True)
    semantics, columns = get_semantics(made["semantics"]), sorted(made["metrics"])
    _check_types(effects, estimated, columns)
    resamples = {column: semantics.resamples(column, made["M"]) for column in columns}
    paired = semantics.paired(made["null"])
    estimates = estimated_p_table(effects, made["null"], resamples, paired=paired).to_pandas()
    cell = {"epsilon_b": epsilon, "epsilon_a": epsilon_a, "n_items": items, "k_responses": responses}
    truths = [
        true_p_table(_true_effects(path, columns), columns).to_pandas().assign(responses=k)
        for k, path in zip(ks, files, strict=True)
    ]
    both = estimates.assign(**cell)[[*cell, *estimates]]
    if truths:
        both = with_true_p(both, pd.concat(truths))
    checksums = {"estimated": checksum(estimated), "true": [checksum(path) for path in files]}
    write_parquet(out, pa.Table.from_pandas(both, preserve_index=False), {**made, **checksums})


def align(
    gold: Annotated[Path, typer.Argument(help="Gold ratings: CSV, TSV, JSONL, Parquet, .npy or .npz.")],
    a: Annotated[Path, typer.Argument(help="System A's ratings of the same items.")],
    b: Annotated[Path, typer.Argument(help="System B's ratings of the same items.")],
    out: Out,
    scale: Scale = None,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
) -> None:
    """Align your own gold, A and B by item, in [0, 1], as a reference set for `nbyk study estimate`."""
    import nbyk.data
    from nbyk.data import Interval
    from nbyk.data.columns import Columns as FileColumns
    from nbyk.data.kinds import numbers_on
    from nbyk.data.layouts import Mending
    from nbyk.data.reading import read_as
    from nbyk.files import write_parquet
    from nbyk_papers.wein2023.cells import references_table

    declared = Interval(0.0, 1.0) if scale is None else scale_named(scale)
    columns, mending = FileColumns(item, rater, value), Mending(on_duplicates, on_empty)
    every = [read_as(numbers_on(declared), path, columns, "auto", mending) for path in (gold, a, b)]
    for ratings in every:
        for note in ratings.mended:
            print(note, file=sys.stderr)
    data = nbyk.data.align(*every)
    write_parquet(out, references_table({0: data}), {"files": [checksum(path) for path in (gold, a, b)]})


def _made(population: Population) -> dict[str, object]:
    """Return a population's description for the metadata of a file."""
    names = ("n_items", "k_responses", "epsilon_b", "epsilon_a", "sd_scale_a", "sd_scale_b")
    return {**{name: getattr(population, name) for name in names}, "prior": population.prior.to_dict()}


def _check_types(table: pa.Table, path: Path, metrics: Sequence[str] = ()) -> None:
    """Raise NbykError if a column has another type than these commands write."""
    import pyarrow as pa

    of_type = {
        "text": (pa.types.is_string, ("sampler", "hypothesis")),
        "a dictionary": (pa.types.is_dictionary, ("system",)),
        "whole numbers": (pa.types.is_integer, ("reference", "item", "response", "draw")),
        "floats": (pa.types.is_floating, ("value", *metrics)),
    }
    for expected, (is_type, names) in of_type.items():
        for name in names:
            if name in table.column_names and not is_type(found := table.schema.field(name).type):
                raise NbykError(
                    f"column {name!r} holds {found}, expected {expected}; write it anew", file=path
                )
    for name in metrics:
        if name not in table.column_names:
            raise NbykError(f"no column {name!r}; expected a file that an nbyk command wrote", file=path)


def _true_effects(path: Path, metrics: Sequence[str]) -> pa.Table:
    from nbyk.files import read_parquet

    table, _ = read_parquet(path, EFFECTS, whole=True)
    if "sampler" in table.column_names:
        raise NbykError("found estimated effects, expected a file that `nbyk study true` wrote", file=path)
    _check_types(table, path, [name for name in metrics if name in table.column_names])
    return table


def _metrics(semantics: str, columns: Sequence[str], metric_files: Sequence[Path] | None) -> dict[str, str]:
    """Return the metric behind each column, with the user's own metrics registered."""
    from nbyk_papers.wein2023.cells import metrics_of
    from nbyk_papers.wein2023.design import get_semantics

    load_metric_files(metric_files)
    return metrics_of(get_semantics(semantics), columns)


COMMANDS = {command.__name__: command for command in (reference, true, estimate, pvalues, align)}
"""The commands, by name."""
