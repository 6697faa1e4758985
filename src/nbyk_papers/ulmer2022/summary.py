"""The summary: how many published rates agree with a run's, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk_papers.ulmer2022.comparison import CONFIDENCE, PERCENT
from nbyk_papers.ulmer2022.design import STUDY, label_of_test

if TYPE_CHECKING:
    import pandas as pd

CHANCE = 0.05
"""A difference counts as chance if, among all rates, one as large has at least this probability."""

_SHOWN = [
    *("table", "distribution", "error", "sample_size", "lead", "threshold", "test"),
    *("published_rate", "rate", "predicted_low", "predicted_high", "p", "z"),
]


def summarise(cells: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Return the number of published rates in the interval around ours, by table and test, and the others.

    The rates of one table row and column share simulations over thresholds, and those of one row over tests,
    so they are not independent. Chance alone gives a root mean square of z of 1.
    """
    agreements = {semantics: _agreement_of(of) for semantics, of in cells.items()}
    inside, n = agreements["published"]["inside"], agreements["published"]["rates"]
    return {
        "study": STUDY,
        "confidence": CONFIDENCE,
        **agreements,
        "outside_by_chance_at_most": n * (1.0 - CONFIDENCE),
        "outside": outside(cells),
        "line": f"{inside} of {n} published rates lie inside the {PERCENT} interval around ours",
    }


def outside(cells: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """Return the published rates outside the interval around ours, each with a reason.

    The reason is "chance" if one difference as large is to be expected among so many: if its p-value times
    the number of rates (Bonferroni) is at least `CHANCE`. Otherwise it is "semantics" if the rate lies inside
    under the recommended semantics, and "unknown" if not.
    """
    published, recommended = cells["published"], cells["recommended"]
    why = np.where(recommended["agrees"], "semantics", "unknown")
    why = np.where(published["p"] * len(published) >= CHANCE, "chance", why)
    beyond = published.assign(why=why).loc[~published["agrees"], [*_SHOWN, "why"]]
    return [dict(zip(beyond.columns, row, strict=True)) for row in beyond.itertuples(index=False)]


def _agreement_of(cells: pd.DataFrame) -> dict[str, Any]:
    return {
        **_agreement(cells),
        "by_table": {str(name): _agreement(rows) for name, rows in cells.groupby("table", sort=False)},
        "by_test": {
            label_of_test(str(name)): _agreement(rows) for name, rows in cells.groupby("test", sort=False)
        },
    }


def _agreement(cells: pd.DataFrame) -> dict[str, Any]:
    n, inside, z = len(cells), int(cells["agrees"].sum()), cells["z"].dropna()
    return {
        "rates": n,
        "inside": inside,
        "share": inside / n if n else None,
        "rms_z": float((z**2).mean() ** 0.5) if len(z) else None,
    }
