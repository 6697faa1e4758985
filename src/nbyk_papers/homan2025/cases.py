"""The numbers behind the verdicts on Homan et al. 2025.

A case is a data set at an ε, often with a metric and a size. The paper concludes from its own priors, so our
own fits are not among the cases.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbyk_papers.homan2025.comparison import of_columns
from nbyk_papers.homan2025.design import ALPHA, CLAIM_EPSILONS, CLAIM_ITEMS, KEY, LABELS, TABLE_OF_EPSILON

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
