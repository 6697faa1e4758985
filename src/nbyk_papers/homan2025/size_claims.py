"""The numbers behind the verdicts on Homan et al. 2025, and verdicts about sizes of data sets."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.homan2025.comparison import in_papers_order, of_columns
from nbyk_papers.homan2025.design import (
    ALPHA,
    BUDGETS,
    CLAIM_EPSILONS,
    CLAIM_ITEMS,
    COLUMNS,
    KEY,
    LABELS,
    MOST_RESPONSES_OF_TABLES,
    TABLE_OF_EPSILON,
    own_size,
)
from nbyk_papers.verdicts import Outcome, judge, with_error

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Numbers:
    """Numbers of a run: the grid of sizes, the sizes that only conclusions need, and Figure 6's powers."""

    grid: pd.DataFrame
    claims: pd.DataFrame | None
    power: pd.DataFrame | None

    def p_values(self, semantics: str) -> pd.DataFrame:
        """Return the grid's multistage p-values of the paper's priors, metrics and ε."""
        return _of_the_paper(of_columns(self.grid, semantics), TABLE_OF_EPSILON)

    def extra(self, semantics: str) -> pd.DataFrame:
        """Return the same for sizes that only conclusions need, and for the grid's with 1000 items."""
        import pandas as pd

        cells = self.p_values(semantics)
        parts = [cells[cells["n_items"] == CLAIM_ITEMS]]
        if self.claims is not None:
            parts.insert(0, of_columns(self.claims, semantics))
        return _of_the_paper(pd.concat(parts, ignore_index=True), CLAIM_EPSILONS)


def _of_the_paper(rows: pd.DataFrame, epsilons: Collection[float]) -> pd.DataFrame:
    key = [*KEY, "n_items", "k_responses"]
    return rows[rows["source"].isin(LABELS) & rows["epsilon_b"].isin(epsilons)].drop_duplicates(key)


def above_alpha(rows: pd.DataFrame) -> pd.DataFrame:
    """Return cases that support a claim where p is .05 or more."""
    return rows.dropna(subset="p").assign(margin=rows["p"] - ALPHA, error=rows["standard_error"])


def name_of(row: pd.Series) -> str:
    """Return the name of a case: its data set and ε."""
    return f"{LABELS[row['source']]}, ε = {row['epsilon_b']:g}"


def thousands(number: float) -> str:
    """Return a whole number with commas."""
    return f"{number:,.0f}"


RATERS = 24
"""One fewer than the conclusion about raters asks for."""

ANNOTATIONS = 25_000


def own_sizes(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether the data sets are too small."""
    rows = numbers.extra(semantics)
    sizes = list(zip(rows["n_items"], rows["k_responses"], strict=True))
    own = [size == own_size(source) for source, size in zip(rows["source"], sizes, strict=True)]
    rows = rows[np.array(own, dtype=bool) & (rows["column"] == "mae")]
    above = above_alpha(rows)
    if above.empty:
        return None
    enough = in_papers_order(above[above["margin"] < 0.0])
    large = "; ".join(
        f"{name_of(row)}: {with_error(row['p'], row['standard_error'])}" for _, row in enough.iterrows()
    )
    here = _by_epsilon(above, "data sets") + (f". Large enough: {large}" if large else "")
    return _finding(semantics, above, here)


def raters(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether 1000 items need 25 raters; say how many they need."""
    rows = numbers.extra(semantics)
    rows = rows[(rows["n_items"] == CLAIM_ITEMS) & (rows["column"] == "mae")]
    above = above_alpha(rows[rows["k_responses"] == RATERS])
    if above.empty:
        return None
    needed = []
    for epsilon, rows_at in rows.groupby("epsilon_b"):
        fewest = [
            _fewest(rows_at[rows_at["source"] == source])
            for source in LABELS
            if source in set(rows_at["source"])
        ]
        needed.append(f"{', '.join(fewest)} at ε = {epsilon:g}")
    here = (
        f"{_by_epsilon(above, 'data sets')}. The smallest number of raters with p < .05, among those "
        f"tried: {'; '.join(needed)}. Closest to .05: {_nearest(above)}"
    )
    return _finding(semantics, above, here)


def few_responses_of_1000_items(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether 5 or 10 responses to each of 1000 items are too few."""
    rows = numbers.p_values(semantics)
    return _few_responses(semantics, rows[rows["n_items"] == CLAIM_ITEMS])


def few_responses_of_the_largest_budget(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether 5 or 10 responses per item are too few for any number of items in the paper's budgets."""
    rows = numbers.p_values(semantics)
    return _few_responses(semantics, rows[rows["n_times_k"] == max(BUDGETS)])


def many_annotations(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether 25,000 annotations are needed."""
    rows = numbers.p_values(semantics)
    eligible = rows[
        (rows["k_responses"] <= MOST_RESPONSES_OF_TABLES) & rows["epsilon_b"].isin(CLAIM_EPSILONS)
    ]
    below = eligible[eligible["n_times_k"] < ANNOTATIONS].dropna(subset="p")
    above = above_alpha(below.loc[below.groupby(KEY)["p"].idxmin()])
    if above.empty:
        return None
    smallest = eligible[eligible["p"] < ALPHA].groupby(KEY)["n_times_k"].min()
    spread = "; ".join(
        f"{thousands(of.min())} to {thousands(of.max())}, median {thousands(of.median())}, at ε = {epsilon:g}"
        for epsilon, of in smallest.groupby("epsilon_b")
    )
    here = (
        f"{_by_epsilon(above, 'data sets and metrics')}. The smallest N·K with p < .05, if there is one: "
        f"{spread or 'none'}. Closest to .05: {_nearest(above)}"
    )
    return _finding(semantics, above, here)


def _few_responses(semantics: str, rows: pd.DataFrame) -> Outcome | None:
    above = above_alpha(rows[rows["k_responses"].isin((5, 10)) & rows["epsilon_b"].isin(CLAIM_EPSILONS)])
    if above.empty:
        return None
    here = (
        f"{_by_epsilon(above, 'data sets, metrics and K')}. Smallest: {_smallest(above)}. Closest to .05: "
        f"{_nearest(above)}"
    )
    return _finding(semantics, above, here)


def _finding(semantics: str, found: pd.DataFrame, here: str) -> Outcome:
    return Outcome(semantics, here, judge(found["margin"], found["error"]).outcome)


def _by_epsilon(found: pd.DataFrame, cases: str) -> str:
    counts = [
        f"{judge(of['margin'], of['error'])} {cases} at ε = {epsilon:g}"
        for epsilon, of in found.groupby("epsilon_b")
    ]
    return f"p is .05 or more for {' and for '.join(counts)}"


def _nearest(found: pd.DataFrame) -> str:
    return _described(found.iloc[found["margin"].abs().argmin()])


def _smallest(found: pd.DataFrame) -> str:
    return _described(found.iloc[found["p"].argmin()])


def _described(row: pd.Series) -> str:
    size = f"{COLUMNS[row['column']]}, {thousands(row['n_items'])} × {row['k_responses']}"
    return f"p = {with_error(row['p'], row['standard_error'])} ({name_of(row)}, {size})"


def _fewest(rows: pd.DataFrame) -> str:
    below = rows.loc[rows["p"] < ALPHA, "k_responses"]
    tried = rows["k_responses"].max()
    return f"{LABELS[rows['source'].iloc[0]]} {below.min() if len(below) else f'more than {tried}'}"
