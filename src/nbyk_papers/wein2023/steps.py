"""The step that makes p-values: for each cell test sets, their resamples, fresh draws, and p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk_papers.wein2023.road import GRID, responses_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from nbyk.priors import TwoStagePrior
    from nbyk.studies.grids import Point
    from nbyk.studies.steps import Work
    from nbyk_papers.wein2023.cells import Estimation
    from nbyk_papers.wein2023.design import Semantics


@dataclass(frozen=True)
class SharedDraws:
    """The settings that the cells of a file have in common.

    Attributes
    ----------
    prior, gold
        The population, and real gold ratings, shape (items, ratings), if there are any.
    semantics
        How p-values are computed.
    metrics
        The metric behind each column.
    n_references, n_draws
        Test sets, and draws behind a true p-value.
    how
        How effects are estimated from the test sets.
    """

    prior: TwoStagePrior
    gold: NDArray[np.float64] | None
    semantics: Semantics
    metrics: Mapping[str, str]
    n_references: int
    n_draws: int
    how: Estimation

    def n_drawn(self, k: int) -> int:
        """Return the number of draws of a cell with K responses."""
        true = 2 * self.n_draws * len(responses_of(self.how.samplers, k))
        return self.how.n_draws(self.n_references) + true


def pvalues(
    prior: Path,
    *,
    cells: str,
    semantics: str,
    null: str,
    samplers: Sequence[str],
    metrics: Sequence[str],
    n_references: int,
    n_draws: int,
    n_resamples: int,
    n_spread_resamples: int,
    seed: int,
    work: Work,
    gold: Path | None = None,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute the p-values of cells that share a file, such as cells=epsilon-0.1-and-0.3_n-1000_k-5.

    A cell's numbers do not depend on the file that it is in.
    """
    import pyarrow as pa

    from nbyk.data import Ratings
    from nbyk.errors import NbykError
    from nbyk.files import read_parquet, sha256
    from nbyk.metrics import get
    from nbyk.priors import read_prior
    from nbyk_papers.wein2023.cells import Estimation
    from nbyk_papers.wein2023.design import get_semantics

    points = GRID.points(cells)
    if not points:
        raise NbykError(f"cells: found {cells}; expected cells such as epsilon-0.1-and-0.3_n-1000_k-5")
    way = get_semantics(semantics)
    ratings = None if gold is None else read_parquet(gold, ("item", "rater", "value"))[0]
    shared = SharedDraws(
        read_prior(prior),
        None if ratings is None else Ratings.from_table(ratings).matrix(),
        way,
        {column: get(way.metric(column)).name for column in metrics},
        n_references,
        n_draws,
        Estimation(samplers, null, way.share_gold, n_resamples, n_spread_resamples, seed),
    )
    with work.progress(sum(shared.n_drawn(int(k)) for *_, k in points)):
        tables = [_cell(shared, point, work) for point in points]
    made = {"M": n_resamples, "prior": shared.prior.to_dict(), "metrics": shared.metrics}
    return pa.concat_tables(tables), {**made, "gold": None if gold is None else sha256(gold)}


def _cell(shared: SharedDraws, point: Point, work: Work) -> pa.Table:
    from nbyk.resampling.population import Population
    from nbyk_papers.wein2023.cells import estimated_effects_table, reference_sets, true_effects_table
    from nbyk_papers.wein2023.pvalues import p_values_table

    epsilon_b, epsilon_a, n, k = point[0], point[1], int(point[2]), int(point[3])
    population = Population(shared.prior, n, k, epsilon_b, epsilon_a)
    how, semantics = shared.how, shared.semantics
    sets = reference_sets(
        population,
        n_references=shared.n_references,
        seed=how.seed,
        gold=shared.gold,
        latent_items=semantics.latent_items,
    )
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
        paired=semantics.share_gold and how.null != "shifted",
        resamples_of_column={
            column: semantics.resamples(column, how.n_resamples) for column in sorted(shared.metrics)
        },
    )
