"""Wein et al. 2023, "Follow the leader(board) with confidence": its design, semantics and published numbers.

For each source and perturbation ε_B, a p-value is estimated from a single test set by six samplers and nine
metrics, and compared with the true p-value that fresh draws from the population give (sections 4 to 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.errors import check_name
from nbyk.resampling.samplers import get_sampler

if TYPE_CHECKING:
    import pandas as pd

STUDY = "wein2023"

COLUMNS = {
    "mae": "MAE",
    "wins_mae": "Wins(MAE)",
    "wins_mae_vectorized": "Wins(MAE) (vectorized)",
    "mse": "MSE",
    "spearman": "Spearman Rho",
    "emd_aggregated": "EMD Agg",
    "emd_aggregated_vectorized": "EMD Agg (vectorized)",
    "mean_of_emds": "Mean of EMDs",
    "cosine": "Cosine",
}
"""The paper's nine metric columns in the order of Tables 5 to 14, with the names printed there."""

NEEDS_SEVERAL_RESPONSES = ("wins_mae_vectorized", "emd_aggregated_vectorized", "mean_of_emds")
"""Columns that the paper gives only for samplers that keep several responses per item."""

PAPER_SIZE = (1000, 5)
"""Items N and responses per item K of every published number."""

PUBLISHED_DRAWS = 1000
"""Draws M behind every published p-value, except the estimated ones of the EMD columns."""


@dataclass(frozen=True)
class Semantics:
    """The computation under a reading of the paper, "published" (the printed numbers) or "recommended".

    `null` is behind estimated p-values; `share_gold`: it reuses the items and gold that the alternative drew,
    as Algorithm 1 says. `latent_items`: systems on real gold get an item's latent μ and σ (`reference_sets`),
    and not the mean and standard deviation of its ratings. `coded_gold`: gold is that of the authors' code:
    `toxicity_ratings` stand in for toxicity data that you do not have, and a reference set on real gold is
    the first of its own true draws (`with_first_draw`). `metric_of_column` has the metric behind a column if
    it is not the one of the same name, `resamples_of_column` the most resamples of a column's estimated
    p-values if fewer than for the others.
    """

    name: str
    null: str
    share_gold: bool
    latent_items: bool
    coded_gold: bool
    metric_of_column: dict[str, str] = field(default_factory=dict)
    resamples_of_column: dict[str, int] = field(default_factory=dict)

    def metric(self, column: str) -> str:
        """Return the name of the metric behind a column."""
        return self.metric_of_column.get(column, column)

    def resamples(self, column: str, n_resamples: int) -> int:
        """Return the number of `n_resamples` resamples that a column's estimated p-values use."""
        return min(n_resamples, self.resamples_of_column.get(column, n_resamples))

    def has_own_draws(self, source: str, *, real_gold: bool) -> bool:
        """Return whether each reference set of a source is the first of its own true draws."""
        return self.coded_gold and (real_gold or source == "toxicity")

    def paired(self, null: str) -> bool:
        """Return whether a null hypothesis shares the alternative's items and gold."""
        return self.share_gold and null != "shifted"


SEMANTICS = {
    "published": Semantics(
        "published",
        null="pooled_twice",
        share_gold=False,
        latent_items=False,
        coded_gold=True,
        metric_of_column={
            "wins_mae": "wins_mae(tolerance=0.0)",
            "wins_mae_vectorized": "wins_mae_vectorized(tolerance=0.0)",
            "mse": "inverse_mse",
            "emd_aggregated": "histogram_emd_aggregated(bins=50)",
            "emd_aggregated_vectorized": "histogram_emd_aggregated_vectorized(bins=50)",
            "mean_of_emds": "histogram_mean_of_emds(bins=5)",
        },
        resamples_of_column={
            "emd_aggregated": 100,
            "emd_aggregated_vectorized": 100,
            "mean_of_emds": 100,
        },
    ),
    "recommended": Semantics(
        "recommended", null="pooled", share_gold=True, latent_items=True, coded_gold=False
    ),
}


@dataclass(frozen=True)
class Estimation:
    """How effects are estimated from reference sets, redrawn by samplers and under a null of A and B.

    `n_resamples` are the draws of the first set, number 0, and `n_spread_resamples` those of each other set,
    which show the variation of estimates between sets.
    """

    semantics: str
    null: str
    samplers: Sequence[str]
    n_resamples: int
    n_spread_resamples: int
    seed: int

    @property
    def way(self) -> Semantics:
        """The semantics."""
        return get_semantics(self.semantics)

    def resamples(self, reference: int) -> int:
        """Return the draws of a reference set under each hypothesis."""
        return self.n_spread_resamples if reference else self.n_resamples

    def n_draws(self, references: Iterable[int]) -> int:
        """Return the total number of draws of reference sets."""
        return 2 * len(self.samplers) * sum(map(self.resamples, references))


EPSILONS = (0.0, 0.05, 0.1, 0.3, 0.7)
"""The paper's perturbations ε_B of system B."""

PRIORS = ("simulated", "toxicity")
"""The sources whose prior the paper has."""

_MINIMA_TABLES = {"simulated": {"sampler": 1, "metric": 2}, "toxicity": {"sampler": 3, "metric": 4}}
_FIRST_FULL_TABLE = {"simulated": 5, "toxicity": 10}
_MINIMA_FIGURES = {"simulated": 1, "toxicity": 2}


SUMMARY_TABLES = {
    "ranks": "Published estimated p-values by their rank among our test sets",
    "acceptable": "P-values that are not acceptable: |estimated − true| of 0.05 or more",
    "nearest_samplers": "The sampler whose estimates are nearest to the true p-value, by metric",
    "samplers": "Mean error of each sampler, and its share of estimates that are not acceptable",
    "choices": "The best sampler and the best metric, chosen separately and together",
}
"""The tables of all sources under one semantics: captions by file name."""


def get_semantics(name: str) -> Semantics:
    """Return the semantics of a name, or raise NbykError with the names there are."""
    check_name("semantics", name, SEMANTICS)
    return SEMANTICS[name]


def full_table_name(source: str, epsilon: float) -> str:
    """Return the file name of a source's full-result table at one ε, with the paper's number if any."""
    if source in _FIRST_FULL_TABLE and epsilon in EPSILONS:
        return f"table_{_FIRST_FULL_TABLE[source] + EPSILONS.index(epsilon):02d}"
    return f"{source}_epsilon_{epsilon:g}"


def minima_table_name(source: str, kind: str) -> str:
    """Return the file name of a source's table of least errors by "sampler" or "metric" (Tables 1 to 4)."""
    if source in _MINIMA_TABLES:
        return f"table_{_MINIMA_TABLES[source][kind]:02d}"
    return f"{source}_minima_by_{kind}"


def minima_figure_name(source: str) -> str:
    """Return the file name of a source's figure of least errors (Figures 1 and 2)."""
    return f"figure_{_MINIMA_FIGURES[source]:02d}" if source in _MINIMA_FIGURES else f"{source}_minima"


def stage_figure_name(source: str, stage: str) -> str:
    """Return the file name of a source's figure of item "means" or "sds" (Figures 3 and 4 for toxicity)."""
    if source == "toxicity":
        return {"means": "figure_03", "sds": "figure_04"}[stage]
    return f"{source}_{stage}"


def columns_of_sampler(sampler: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the metric columns that a sampler's rows have: the vectorised ones need several responses."""
    if get_sampler(sampler).responses_per_item(2) > 1:
        return columns
    return tuple(column for column in columns if column not in NEEDS_SEVERAL_RESPONSES)


@cache
def published_p_values() -> pd.DataFrame:
    """Return the numbers of Tables 5 to 14: estimated and true p-values, 450 rows.

    Columns: table, source, epsilon_b, sampler (nbyk's name), metric, estimated_p, true_p, legible ("yes",
    "reconstructed" where one garbled figure follows from the other two, or "no").
    """
    import pandas as pd

    table = pd.read_csv(Path(__file__).with_name("wein2023_tables_5_to_14.csv"))
    responses = table["response_sampler"].replace("sample(5)", "sample(K)")
    return table.assign(sampler=table["item_sampler"] + "/" + responses).drop(
        columns=["item_sampler", "response_sampler"]
    )


@cache
def published_minima() -> pd.DataFrame:
    """Return the numbers of Tables 1 to 4: the least |estimated − true| per sampler or per metric, 140 rows.

    Columns: table, source, row_kind ("sampler" or "metric"), row, n, epsilon_b, min_abs_error and
    reported_below (1e-5 where the paper prints "< 10⁻⁵").
    """
    import pandas as pd

    table = pd.read_csv(Path(__file__).with_name("wein2023_tables_1_to_4.csv"))
    return table.assign(row=table["row"].str.replace("sample(5)", "sample(K)", regex=False))
