"""The stages from a prior to p-values: reference sets, true p-values, and p-values estimated from the sets.

A cell's numbers do not depend on the cells, metrics, samplers or sets that share its file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk_papers.wein2023.design import Estimation, get_semantics
from nbyk_papers.wein2023.road import GRID

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.data.response_set import ResponseSet
    from nbyk.priors import TwoStagePrior
    from nbyk.resampling.population import Population
    from nbyk.studies.grids import Point
    from nbyk.studies.steps import Work

Made = tuple["pa.Table", dict[str, Any]]


def simulate(
    prior: Path,
    *,
    cells: str,
    semantics: str,
    sets: Sequence[int],
    seed: int,
    work: Work,
    gold: Path | None = None,
) -> Made:
    """Draw the reference sets of cells, from the first to the last number in `sets`."""
    from nbyk.files import sha256
    from nbyk_papers.wein2023.cells import references_table

    points, (draw, of_prior) = _points(cells), _drawing(prior, gold, semantics, sets, seed)
    with work.progress(len(points)):
        table = _of_points(points, lambda point: references_table(draw(point)), work)
    return table, {"prior": of_prior.to_dict(), "gold": None if gold is None else sha256(gold)}


def true_p(
    prior: Path, *, cells: str, semantics: str, metrics: Sequence[str], n_draws: int, seed: int, work: Work
) -> Made:
    """Compute the true p-values of cells, whose K is the number of responses that a sampler keeps."""
    from nbyk.priors import read_prior
    from nbyk_papers.wein2023.cells import metrics_of, true_effects_table
    from nbyk_papers.wein2023.pvalues import true_p_table

    points, of_prior = _points(cells), read_prior(prior)
    named = metrics_of(get_semantics(semantics), metrics)

    def made(point: Point) -> pa.Table:
        draws = true_effects_table(_population(of_prior, point), named, n_draws=n_draws, seed=seed, work=work)
        return true_p_table(draws, sorted(named))

    with work.progress(2 * n_draws * len(points)):
        table = _of_points(points, made)
    return table, {"M": n_draws, "prior": of_prior.to_dict(), "metric_of_column": named}


def estimate_p(
    sets_file: Path | None = None,
    prior: Path | None = None,
    *,
    cells: str,
    how: Estimation,
    metrics: Sequence[str],
    sets: Sequence[int],
    work: Work,
    gold: Path | None = None,
) -> Made:
    """Estimate the p-values of cells from their reference sets, which are in a file or are drawn again."""
    from nbyk.errors import NbykError
    from nbyk.files import read_parquet
    from nbyk_papers.wein2023.cells import estimated_effects_table, metrics_of, references_from_table
    from nbyk_papers.wein2023.pvalues import estimated_p_table

    points, named = _points(cells), metrics_of(how.way, metrics)
    draw: Callable[[Point], Mapping[int, ResponseSet]]
    if sets_file is not None:
        stored = read_parquet(sets_file, ("epsilon_b", "reference", "value"))[0]
        draw = lambda point: references_from_table(_rows_of(stored, point))  # noqa: E731
    elif prior is not None:
        draw, _ = _drawing(prior, gold, how.semantics, sets, how.seed)
    else:
        raise NbykError("found neither reference sets nor a prior; give --from sets_file=… or --from prior=…")
    resamples = {column: how.way.resamples(column, how.n_resamples) for column in sorted(named)}

    def made(point: Point) -> pa.Table:
        effects = estimated_effects_table(draw(point), named, how, work)
        return estimated_p_table(effects, how.null, resamples, paired=how.way.paired(how.null))

    with work.progress(how.n_draws(_numbers(sets)) * len(points)):
        table = _of_points(points, made)
    return table, {"M": how.n_resamples, "metric_of_column": named}


def _drawing(
    prior: Path, gold: Path | None, semantics: str, sets: Sequence[int], seed: int
) -> tuple[Callable[[Point], Mapping[int, ResponseSet]], TwoStagePrior]:
    """Return the function that draws a cell's reference sets, and the prior that it draws from."""
    from nbyk.data.ratings import stored_ratings
    from nbyk.priors import read_prior
    from nbyk_papers.wein2023.cells import reference_sets

    matrix, of_prior = None if gold is None else stored_ratings(gold)[0].matrix(), read_prior(prior)
    latent = get_semantics(semantics).latent_items

    def draw(point: Point) -> Mapping[int, ResponseSet]:
        population, numbers = _population(of_prior, point), _numbers(sets)
        drawn = reference_sets(population, references=numbers, seed=seed, gold=matrix, latent_items=latent)
        return dict(zip(numbers, drawn, strict=True))

    return draw, of_prior


def _points(cells: str) -> list[Point]:
    from nbyk.errors import NbykError

    points = GRID.points(cells)
    if not points:
        raise NbykError(f"cells: found {cells}; expected cells such as epsilon-0.1-and-0.3_n-1000_k-5")
    return points


def _numbers(sets: Sequence[int]) -> range:
    first, last = sets
    return range(first, last + 1)


def _population(prior: TwoStagePrior, point: Point) -> Population:
    from nbyk.resampling.population import Population

    epsilon_b, epsilon_a, n, k = point
    return Population(prior, int(n), int(k), epsilon_b, epsilon_a)


_POINT = ("epsilon_b", "epsilon_a", "n_items", "k_responses")


def _of_points(
    points: Sequence[Point], made: Callable[[Point], pa.Table], work: Work | None = None
) -> pa.Table:
    """Return the tables of points as one, with the columns that name the point first."""
    import numpy as np
    import pyarrow as pa

    parts = []
    for point in points:
        table = made(point)
        columns = {
            name: pa.DictionaryArray.from_arrays(np.zeros(table.num_rows, np.int8), pa.array([value]))
            for name, value in zip(_POINT, (*point[:2], *map(int, point[2:])), strict=True)
        }
        parts.append(pa.table({**columns, **dict(zip(table.column_names, table.columns, strict=True))}))
        if work is not None:
            work.advance(1)
    return pa.concat_tables(parts).unify_dictionaries()


def _rows_of(table: pa.Table, point: Point) -> pa.Table:
    import pyarrow.compute as pc

    mask = None
    for name, value in zip(_POINT, point, strict=True):
        same = pc.equal(table[name], value)
        mask = same if mask is None else pc.and_(mask, same)
    return table.filter(mask)
