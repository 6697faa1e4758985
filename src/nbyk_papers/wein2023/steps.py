"""The stages from a prior to p-values: reference sets, true p-values, and p-values estimated from the sets.

A cell's numbers do not depend on the cells, metrics, samplers or sets that share its file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nbyk_papers.wein2023.design import Estimation, get_semantics
from nbyk_papers.wein2023.road import GRID, kept_of

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.data.response_set import ResponseSet
    from nbyk.priors import TwoStagePrior
    from nbyk.resampling.effects import EffectDraws
    from nbyk.resampling.population import Population
    from nbyk.resampling.simulate import Hypothesis
    from nbyk.studies.steps import Work
    from nbyk_papers.batches import Point

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
        table = _of_points(points, lambda point: references_table(draw(point), draw(point, "null")), work)
    return table, {"prior": of_prior.to_dict(), "gold": None if gold is None else sha256(gold)}


def true_p(
    prior: Path,
    sets_file: Path | None = None,
    *,
    cells: str,
    semantics: str,
    metrics: Sequence[str],
    n_draws: int,
    seed: int,
    work: Work,
    gold: Path | None = None,
    sets: Sequence[int] = (),
    responses: Sequence[str] = (),
) -> Made:
    """Compute the true p-values of cells, whose K is the number of responses that a sampler keeps.

    If reference sets are their own first true draws (`with_first_draw`), compute those of the `sets`, as in
    `estimate_p`. K is then that of the sets, and `responses` says what samplers keep of it: ``sample(1)``.
    """
    import pyarrow as pa

    from nbyk.priors import read_prior
    from nbyk.resampling.simulate import simulated_effects
    from nbyk_papers.wein2023.cells import metrics_of, true_p_table, with_first_draw

    points, of_prior = _points(cells), read_prior(prior)
    named = metrics_of(get_semantics(semantics), metrics)
    draw = _stored_or_drawn(sets_file, prior, gold, semantics, sets, seed) if sets else None

    def fresh(point: Point) -> EffectDraws:
        return simulated_effects(
            _population(of_prior, point),
            list(named.values()),
            n_draws=n_draws,
            seed=seed,
            threads=work.threads,
            progress=work.advance,
        )

    def made(point: Point) -> pa.Table:
        if draw is None:
            return true_p_table(fresh(point), list(named))
        alternative, null, parts = draw(point), draw(point, "null"), []
        for k in kept_of(responses, point):
            of_k = fresh((*point[:3], k))
            for number, data in alternative.items():
                table = true_p_table(with_first_draw(of_k, data, null[number], k), list(named))
                for name, value in (("reference", number), ("responses", k)):
                    table = table.append_column(name, pa.array([value] * len(table), pa.int64()))
                parts.append(table)
        return pa.concat_tables(parts)

    n_points = sum(len(kept_of(responses, point)) if sets else 1 for point in points)
    with work.progress(2 * n_draws * n_points):
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
    from nbyk_papers.wein2023.cells import estimated_p_table, metrics_of

    points, named = _points(cells), metrics_of(how.way, metrics)
    draw = _stored_or_drawn(sets_file, prior, gold, how.semantics, sets, how.seed)

    def made(point: Point) -> pa.Table:
        return estimated_p_table(draw(point), named, how, work)

    with work.progress(how.n_draws(_numbers(sets)) * len(points)):
        table = _of_points(points, made)
    return table, {"M": how.n_resamples, "metric_of_column": named}


class _Draw(Protocol):
    """The reference sets of a cell by their numbers, or their nulls: none if the semantics has none."""

    def __call__(self, point: Point, hypothesis: Hypothesis = ...) -> Mapping[int, ResponseSet]: ...


def _stored_or_drawn(
    sets_file: Path | None,
    prior: Path | None,
    gold: Path | None,
    semantics: str,
    sets: Sequence[int],
    seed: int,
) -> _Draw:
    """Return the function that reads a cell's reference sets from a file, or draws them if there is none."""
    import numpy as np

    from nbyk.errors import NbykError
    from nbyk.files import read_parquet
    from nbyk_papers.wein2023.cells import references_from_table

    if sets_file is not None:
        stored = read_parquet(sets_file, ("epsilon_b", "reference", "value"))[0]
        of_rows = [stored[name].to_numpy() for name in _POINT]

        def read(point: Point, hypothesis: Hypothesis = "alternative") -> Mapping[int, ResponseSet]:
            at_point = [column == value for column, value in zip(of_rows, point, strict=True)]
            rows = np.flatnonzero(np.logical_and.reduce(at_point))
            if rows.size and rows[-1] - rows[0] == rows.size - 1:  # as `simulate` writes them, and fast
                return references_from_table(stored.slice(rows[0], rows.size), hypothesis)
            return references_from_table(stored.take(rows), hypothesis)

        return read
    if prior is None:
        raise NbykError("found neither reference sets nor a prior; give --from sets_file=… or --from prior=…")
    return _drawing(prior, gold, semantics, sets, seed)[0]


def _drawing(
    prior: Path, gold: Path | None, semantics: str, sets: Sequence[int], seed: int
) -> tuple[_Draw, TwoStagePrior]:
    """Return the function that draws a cell's reference sets, and the prior that it draws from."""
    from nbyk.data.ratings import stored_ratings
    from nbyk.priors import read_prior
    from nbyk_papers.wein2023.cells import gold_of, reference_sets

    way, of_prior, numbers = get_semantics(semantics), read_prior(prior), _numbers(sets)
    matrix = gold_of(way, of_prior, None if gold is None else stored_ratings(gold)[0].matrix())

    def draw(point: Point, hypothesis: Hypothesis = "alternative") -> Mapping[int, ResponseSet]:
        if hypothesis == "null" and not way.has_own_draws(of_prior.name, real_gold=matrix is not None):
            return {}
        drawn = reference_sets(
            _population(of_prior, point),
            references=numbers,
            seed=seed,
            gold=matrix,
            latent_items=way.latent_items,
            hypothesis=hypothesis,
        )
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
