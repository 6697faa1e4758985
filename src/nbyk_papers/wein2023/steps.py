"""The step that makes p-values: for each cell test sets, their resamples, fresh draws, and p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk_papers.wein2023.design import Estimation
from nbyk_papers.wein2023.road import GRID, responses_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from nbyk.priors import TwoStagePrior
    from nbyk.studies.grids import Point
    from nbyk.studies.steps import Work


@dataclass(frozen=True)
class SharedDraws:
    """The draws that the cells of a file have in common.

    Attributes
    ----------
    prior, gold
        The population, and real gold ratings, shape (items, ratings), if there are any.
    metrics
        The metric behind each column.
    n_draws
        Draws behind a true p-value.
    how
        How effects are estimated from the test sets.
    """

    prior: TwoStagePrior
    gold: NDArray[np.float64] | None
    metrics: Mapping[str, str]
    n_draws: int
    how: Estimation

    def n_drawn(self, k: int) -> int:
        """Return the number of draws of a cell with K responses."""
        return self.how.n_draws + 2 * self.n_draws * len(responses_of(self.how.samplers, k))


def pvalues(
    prior: Path,
    *,
    cells: str,
    how: Estimation,
    metrics: Sequence[str],
    n_draws: int,
    work: Work,
    gold: Path | None = None,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute the p-values of cells that share a file, such as cells=epsilon-0.1-and-0.3_n-1000_k-5.

    A cell's numbers do not depend on the file that it is in.
    """
    import pyarrow as pa

    from nbyk.data.ratings import stored_ratings
    from nbyk.errors import NbykError
    from nbyk.files import sha256
    from nbyk.priors import read_prior
    from nbyk_papers.wein2023.cells import metrics_of

    points = GRID.points(cells)
    if not points:
        raise NbykError(f"cells: found {cells}; expected cells such as epsilon-0.1-and-0.3_n-1000_k-5")
    matrix = None if gold is None else stored_ratings(gold)[0].matrix()
    shared = SharedDraws(read_prior(prior), matrix, metrics_of(how.way, metrics), n_draws, how)
    with work.progress(sum(shared.n_drawn(int(k)) for *_, k in points)):
        tables = [_cell(shared, point, work) for point in points]
    made = {"M": how.n_resamples, "prior": shared.prior.to_dict(), "metrics": shared.metrics}
    return pa.concat_tables(tables), {**made, "gold": None if gold is None else sha256(gold)}


def _cell(shared: SharedDraws, point: Point, work: Work) -> pa.Table:
    from nbyk.resampling.population import Population
    from nbyk_papers.wein2023.cells import (
        estimated_effects_table,
        gold_of,
        reference_sets,
        true_effects_table,
        with_first_draws,
    )
    from nbyk_papers.wein2023.pvalues import p_values_table

    epsilon_b, epsilon_a, n, k = point[0], point[1], int(point[2]), int(point[3])
    population = Population(shared.prior, n, k, epsilon_b, epsilon_a)
    how, semantics = shared.how, shared.how.way
    gold = gold_of(semantics, shared.prior, shared.gold)
    draw_sets = partial(
        reference_sets,
        population,
        n_references=how.n_references,
        seed=how.seed,
        gold=gold,
        latent_items=semantics.latent_items,
    )
    sets = draw_sets()
    true = {
        responses: true_effects_table(
            replace(population, k_responses=responses),
            shared.metrics,
            n_draws=shared.n_draws,
            seed=how.seed,
            work=work,
        )
        for responses in responses_of(how.samplers, k)
    }
    if gold is not None and semantics.coded_gold:
        nulls = draw_sets(hypothesis="null")
        true = {
            responses: with_first_draws(table, sets, nulls, shared.metrics, responses)
            for responses, table in true.items()
        }
    return p_values_table(
        estimated_effects_table(sets, shared.metrics, how, work),
        true,
        {
            "epsilon_b": epsilon_b,
            "epsilon_a": epsilon_a,
            "n_items": n,
            "k_responses": k,
            "null": how.null,
        },
        paired=semantics.paired(how.null),
        resamples_of_column={
            column: semantics.resamples(column, how.n_resamples) for column in sorted(shared.metrics)
        },
    )
