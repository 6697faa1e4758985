"""Pandita et al. 2026: the grid of its simulations, its priors, and its Table 2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

STUDY = "pandita2026"

BUDGETS = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000)
"""Ratings N·K of a test set; N is N·K // K items."""

K_RESPONSES = (*range(1, 11), *range(20, 501, 20))
EPSILONS = (0.1, 0.2, 0.3, 0.4)
N_SETS = 1000
TABLE_SETS = 5000
"""Sets of each hypothesis: the paper's own number, and ours in the cells of Table 2."""

PRINTED_EPSILON = 0.3
"""The ε of Table 2."""

ALPHA = 0.05
POWER = 0.8

METRICS = ("accuracy", "tv", "wins", "kl")
"""Metrics in the kernel's order: A's value minus B's, so turned that A is better where it is positive."""

FITTED = {
    "toxicity": (1.37, 1.33),
    "dices": (5.22, 0.86, 2.75),
    "d3code": (6.08, 2.88),
    "jobs_q1": (1039.76, 38.24, 35.57, 310.29, 46.02),
    "jobs_q3": (
        *(133.79, 834.51, 105.27, 3669.04, 206.80, 293.44),
        *(585.58, 1278.56, 1874.82, 1838.49, 1576.10, 989.23),
    ),
}
"""The α that the paper fitted to ratings, printed in Table 2."""

UNBALANCED = {f"unbalanced_{m}": (10.0, *[3.0] * (m - 1)) for m in (2, 3, 4, 5, 12)}
PRIORS = {**FITTED, **UNBALANCED}
"""Concentrations of the Dirichlet prior of an item's categories, by name."""

_PRINTED_NAMES = {"Toxicity": "toxicity", "DICES": "dices", "D3code": "d3code"} | {
    f"JobsQ{number}": f"jobs_q{number}" for number in (1, 3)
}


UNREAD_BUDGETS = (250, 500, 1000)
"""Budgets of the cells of Table 2 whose own could not be read; one of them fits each of these cells."""


@dataclass(frozen=True)
class Estimated:
    """A kind of responses: the perturbations of B, and the metrics, the wins among them.

    The perturbations are such that p is neither near 0 nor near .5.
    """

    epsilons: tuple[float, ...]
    metrics: tuple[str, ...]

    @property
    def wins(self) -> str:
        """The metric that counts won items."""
        return next(name for name in self.metrics if name.startswith("wins"))


KINDS = {
    "skewed": Estimated((0.05, 0.1), ("mae", "wins_mae", "mse", "spearman")),
    "nominal": Estimated(
        (0.2, 0.3),
        ("plurality_first", "tv_sum(pooled=1)", "wins(tv_sum(pooled=1))", "kl_divergence(pooled=1)"),
    ),
    "ordinal": Estimated(
        (0.75, 1.0),
        ("plurality_first", "tv_sum(pooled=1)", "wins(emd_levels(pooled=1))", "emd_levels(pooled=1)"),
    ),
}


def dirichlet_name(source: str) -> str:
    """Return a prior's name for people, such as "dices (M = 3)"."""
    return f"{source.removesuffix(f'_{len(PRIORS[source])}')} (M = {len(PRIORS[source])})"


@cache
def table_2() -> pd.DataFrame:
    """Return Table 2: source, metric, budget (NaN where it could not be read), p, k_responses and delta."""
    import pandas as pd

    table = pd.read_csv(Path(__file__).with_name("pandita2026_table_2.csv"))
    source = table["source"].map(_PRINTED_NAMES).fillna(table["source"] + "_" + table["M"].astype(str))
    names = {"NK": "budget", "p": "p", "K": "k_responses", "delta": "delta"}
    return table.assign(source=source, metric=table["metric"].str.lower())[
        ["source", "metric", *names]
    ].rename(columns=names)
