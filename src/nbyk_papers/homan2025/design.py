"""Homan et al. 2025, "How many ratings per item": its grid of sizes, its metrics and its published numbers.

For each source and perturbation ε_B, how large must a test set of N items with K responses each be for the
expected p-value to fall below .05, and how is a budget of N·K responses best spent (sections 5 and B)?
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.data.sources import OWN_FIT
from nbyk_papers import placed

if TYPE_CHECKING:
    import pandas as pd

STUDY = "homan2025"

Size = tuple[int, int]
"""Items N and responses per item K."""

LABELS = {
    "toxicity": "Toxicity",
    "multidomain": "MultiDomain",
    "amazon": "Amazon",
    "hs_brexit": "HS-Brexit",
    "convabuse": "ConvAbuse",
    "armis": "ArMIS",
    "mhs": "MHS",
}
"""The paper's sources in the order of its tables, with the names printed there."""

EPSILONS = (0.05, 0.1, 0.2, 0.3)
TABLE_OF_EPSILON = {0.05: "table_01", 0.1: "table_02", 0.2: "table_03"}
BUDGETS = (200, 500, 1000, 1250, 2000, 2500, 4000, 5000, 10000, 20000, 25000, 40000, 50000, 100000)
"""Budgets N·K of the paper's tables and figures."""

RESPONSES = (1, 5, 10, 25, 50, 100, 250, 500)
"""Responses per item K in the paper's figures."""

MOST_RESPONSES_OF_TABLES = 100
"""The largest K in the tables; the figures have larger ones."""

COLUMNS = {"mae": "MAE", "wins_mae": "Wins", "mean_of_emds": "MEMD"}
"""The three metric columns of Tables 1 to 3, with the names printed there."""

METRICS = ("mae", "wins_mae", "histogram_mean_of_emds(bins=5)", "mean_of_emds")
"""Metrics of the grid: the paper's MEMD, which is that of histograms, and that of the values beside it."""

METRIC_OF_COLUMN = {
    "published": {**{name: name for name in COLUMNS}, "mean_of_emds": "histogram_mean_of_emds(bins=5)"},
    "recommended": {name: name for name in COLUMNS},
}
"""The metric behind a column under each semantics."""

FIGURE_5_METRICS = ("mse", "spearman")
"""Two further metrics for Figure 5, which shows five; the text does not name two of them."""

FIGURE_5_BUDGET = 2500
PANELS = (("toxicity", 0.05), ("multidomain", 0.1))
"""The (source, ε) of panels (a) and (b) of Figures 3 and 5."""

SOURCE_FIGURES = {"amazon": 7, "hs_brexit": 8, "convabuse": 9, "armis": 10, "mhs": 11}
SOURCE_FIGURES_EPSILON = 0.1
POWER_SIZES = (
    *((n, k) for k in (5, 10) for n in (100, 250, 500, 750, 1000, 1500, 2000)),
    *((1000, k) for k in (1, 2, 3, 4, 7)),
)
"""Sizes (N, K) of Figure 6: N varies at K = 5 and at K = 10, K at N = 1000. The text does not name them."""

TESTS = {
    "multistage_bootstrap": "multistage bootstrap",
    "swap_items": "swapped items",
    "welch_t": "Welch's t",
    "wilcoxon": "Wilcoxon signed rank",
    "paired_permutation": "paired permutation",
    "unpaired_permutation": "unpaired permutation",
}
"""Tests of Figure 6, with the names to show."""

OWN_SIZES = {
    "toxicity": (107_620, 5),
    "multidomain": (3057, 5),
    "amazon": (20_415, 5),
    "hs_brexit": (1120, 6),
    "convabuse": (4185, 3),
    "armis": (964, 3),
    "mhs": (39_565, 3),
}
"""The data sets' own items N and responses per item K (sections 5.1 and B). The text gives no K for MHS,
which has 135,556 ratings, 3.4 per item, and "at least 3" for ConvAbuse, which has 3.0."""

CLAIM_EPSILONS = (0.05, 0.1)
"""ε at which the paper's conclusions about data sets and sizes are judged."""

CLAIM_ITEMS = 1000
CLAIM_RESPONSES = (15, 20, 24)
"""Sizes off the grid that test the conclusion "at 1000 items, at least 25 raters are needed"."""

ALPHA = 0.05
STATED_DRAWS = 10_000
"""Draws b behind a published number, as the text says ("typically")."""

PUBLISHED_DRAWS = 1000
"""Draws b behind the tables, estimated from their scatter about our numbers (docs/method.md)."""

PUBLISHED_RESOLUTION = 0.001
"""The paper prints p-values and effects to three decimals."""

KEY = ["source", "epsilon_b", "column"]


def label(source: str) -> str:
    """Return a source's name as the paper prints it; the name of an own fit says so."""
    published = published_source(source)
    return LABELS.get(published, published) + (" (own fit)" if is_own_fit(source) else "")


def is_own_fit(source: str) -> bool:
    """Return whether a source is our own fit to a source's ratings."""
    return source.endswith(OWN_FIT)


def published_source(source: str) -> str:
    """Return the source to whose ratings an own fit was made; return any other source unchanged."""
    return source.removesuffix(OWN_FIT)


def own_size(source: str) -> tuple[int, int]:
    """Return the items N and responses per item K of the data set of a source, or of an own fit's source."""
    return OWN_SIZES[published_source(source)]


def grid_sizes(budgets: Iterable[int], k_responses: Sequence[int]) -> list[tuple[int, int]]:
    """Return every size (N, K) in whole numbers that spends a budget N·K on at least two items."""
    return [
        (budget // k, k) for budget in budgets for k in k_responses if budget % k == 0 and budget // k >= 2
    ]


@cache
def published_table() -> pd.DataFrame:
    """Return the numbers of Tables 1 to 3: 63 rows, six of them with a dash in the paper.

    Columns: source (nbyk's name), epsilon_b, column ("mae", "wins_mae" or "mean_of_emds"), and
    published_n_times_k, published_k, published_p, published_effect (Δ), empty where there is a dash.
    """
    import pandas as pd

    table = pd.read_csv(Path(__file__).with_name("homan_tables_1_to_3.csv"))
    source_of_label = {printed: source for source, printed in LABELS.items()}
    table = table.assign(dataset=table["dataset"].map(source_of_label))
    return table.drop(columns="table").rename(
        columns={
            "dataset": "source",
            "epsilon": "epsilon_b",
            "metric": "column",
            "n_times_k": "published_n_times_k",
            "p_value": "published_p",
            "k": "published_k",
            "delta": "published_effect",
        }
    )


def select_smallest(p_values: pd.DataFrame) -> pd.DataFrame:
    """Choose sizes as the paper does: the smallest N·K with p < .05, and at it the K with the smallest p.

    There is a row per source, ε, column and size. Sizes off the paper's budgets, or with more responses per
    item than its tables have, are not chosen. The result has the chosen row of each (source, ε, column), if
    any.
    """
    budget = p_values["n_items"] * p_values["k_responses"]
    eligible = p_values.assign(n_times_k=budget)[
        budget.isin(BUDGETS)
        & p_values["k_responses"].isin(RESPONSES)
        & (p_values["k_responses"] <= MOST_RESPONSES_OF_TABLES)
        & (p_values["p"] < ALPHA)
    ]
    ordered = eligible.sort_values(["n_times_k", "p"], kind="stable")
    return ordered.drop_duplicates(KEY).reset_index(drop=True)


def table_name(epsilon: float) -> str:
    """Return the file name of the table of an ε, with the paper's number if it has one."""
    return TABLE_OF_EPSILON.get(epsilon, f"epsilon_{epsilon:g}")


def stage_figures(rated: Iterable[str]) -> dict[str, str]:
    """Return the name of Figure 2 for each of the paper's two sources, and for others that have ratings."""
    papers = {source: f"figure_02{letter}" for letter, (source, _) in zip("ab", PANELS, strict=True)}
    return papers | {source: f"figure_02_{source}" for source in rated if source not in papers}


def grid_figures(
    cells: Collection[tuple[str, float]], sizes: Collection[tuple[int, int]], metrics: Collection[str]
) -> dict[str, tuple[str, tuple[str, float, str]]]:
    """Return the figures of p-values of these (source, ε), sizes and metrics, by file name.

    Each has its kind, and its source, ε and semantics.
    """
    panels = [(letter, panel) for letter, panel in zip("ab", PANELS, strict=True) if panel in cells]
    budget = [(f"05{letter}", "metric", panel) for letter, panel in panels]
    figures = {}
    for semantics, metric_of_column in METRIC_OF_COLUMN.items():
        drawn = [(f"03{letter}", "bootstrap", panel) for letter, panel in panels]
        drawn += [("04", "budget", PANELS[0])] if PANELS[0] in cells else []
        drawn = drawn if "mae" in metrics else []
        drawn += budget if FIGURE_5_BUDGET in {n * k for n, k in sizes} else []
        if set(metric_of_column.values()) & set(metrics):
            source_places = {f"{n:02d}": (name, SOURCE_FIGURES_EPSILON) for name, n in SOURCE_FIGURES.items()}
            drawn += [(number, "source", place) for number, place in source_places.items() if place in cells]
        for number, kind, place in drawn:
            figures[placed(semantics, f"figure_{number}")] = kind, (*place, semantics)
    return figures
