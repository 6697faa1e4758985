"""What makes p-values: for each cell test sets, their resamples, fresh draws, and the p-values of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    from nbyk_papers.wein2023.design import Semantics


@dataclass(frozen=True)
class Draws:
    """What the cells of a file have in common.

    Attributes
    ----------
    prior, gold
        The population, and real gold ratings, shape (items, ratings), if there are.
    semantics, null
        How p-values are computed.
    samplers, metrics
        Samplers, and the metric behind each column.
    n_references, n_draws, n_resamples, n_spread_resamples
        Test sets, draws behind a true p-value, resamples of the first test set and of each other.
    seed
        Seed of all draws.
    """

    prior: TwoStagePrior
    gold: NDArray[np.float64] | None
    semantics: Semantics
    null: str
    samplers: Sequence[str]
    metrics: Mapping[str, str]
    n_references: int
    n_draws: int
    n_resamples: int
    n_spread_resamples: int
    seed: int

    def n_drawn(self, k: int) -> int:
        """Return how many draws a cell with K responses takes."""
        resamples = self.n_resamples + self.n_spread_resamples * (self.n_references - 1)
        return 2 * (len(self.samplers) * resamples + self.n_draws * len(responses_of(self.samplers, k)))


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

    A cell's numbers are the same whichever file it is in.
    """
    import pyarrow as pa

    from nbyk.data import Ratings
    from nbyk.errors import NbykError
    from nbyk.files import read_parquet, sha256
    from nbyk.metrics import get
    from nbyk.priors import read_prior
    from nbyk_papers.wein2023.design import get_semantics

    points = GRID.points(cells)
    if not points:
        raise NbykError(f"cells: found {cells}; expected cells such as epsilon-0.1-and-0.3_n-1000_k-5")
    way = get_semantics(semantics)
    ratings = None if gold is None else read_parquet(gold, ("item", "rater", "value"))[0]
    shared = Draws(
        read_prior(prior),
        None if ratings is None else Ratings.from_table(ratings).matrix(),
        way,
        null,
        samplers,
        {column: get(way.metric(column)).name for column in metrics},
        n_references,
        n_draws,
        n_resamples,
        n_spread_resamples,
        seed,
    )
    with work.progress(sum(shared.n_drawn(int(k)) for *_, k in points)) as advance:
        tables = [_cell(shared, point, work, advance) for point in points]
    made = {"M": n_resamples, "prior": shared.prior.to_dict(), "metrics": shared.metrics}
    return pa.concat_tables(tables), {**made, "gold": None if gold is None else sha256(gold)}


def _cell(shared: Draws, point: Point, work: Work, advance: Callable[[int], object]) -> pa.Table:
    from nbyk_papers.wein2023.cells import estimated_effects_table, reference_sets, true_effects_table
    from nbyk_papers.wein2023.pvalues import p_values_table

    epsilon_b, epsilon_a, n, k = point[0], point[1], int(point[2]), int(point[3])
    sets = reference_sets(
        shared.prior,
        n_items=n,
        k_responses=k,
        epsilon_b=epsilon_b,
        epsilon_a=epsilon_a,
        n_references=shared.n_references,
        seed=shared.seed,
        gold=shared.gold,
        latent_items=shared.semantics.latent_items,
    )
    true = {
        responses: true_effects_table(
            shared.prior,
            shared.metrics,
            n_items=n,
            k_responses=responses,
            epsilon_b=epsilon_b,
            epsilon_a=epsilon_a,
            n_draws=shared.n_draws,
            seed=shared.seed,
            threads=work.threads,
            progress=advance,
        )
        for responses in responses_of(shared.samplers, k)
    }
    estimated = estimated_effects_table(
        sets,
        shared.metrics,
        samplers=shared.samplers,
        null=shared.null,
        share_gold=shared.semantics.share_gold,
        n_resamples=shared.n_resamples,
        n_spread_resamples=shared.n_spread_resamples,
        seed=shared.seed,
        threads=work.threads,
        progress=advance,
    )
    return p_values_table(
        estimated,
        true,
        epsilon_a=epsilon_a,
        epsilon_b=epsilon_b,
        n_items=n,
        k_responses=k,
        null=shared.null,
        paired=shared.semantics.share_gold and shared.null != "shifted",
        resamples_of_column={
            column: shared.semantics.resamples(column, shared.n_resamples)
            for column in sorted(shared.metrics)
        },
    )
