"""The error rates of a run beside those that Ulmer et al. 2022 published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.agreement import equal_chance_p, predicted_counts
from nbyk_papers.ulmer2022.design import SEMANTICS, published_rates
from nbyk_papers.ulmer2022.reading import SETTING

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.999
"""A published rate agrees if it lies in its prediction interval, given ours, of at least this chance."""

PERCENT = f"{100 * CONFIDENCE:g} %"
"""This chance in words."""

CELL = [*SETTING, "threshold", "test"]
"""The columns that identify a published rate."""


def beside_published(rates: pd.DataFrame, semantics: str) -> pd.DataFrame:
    """Return every published rate that a run has under a semantics, beside ours."""
    ours = rates[rates["semantics"] == semantics]
    return published_rates().merge(ours, on=CELL, validate="one_to_one")


def compare(rates: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return under each semantics which published rates agree with ours.

    Added to `beside_published` are predicted_low and predicted_high, the limits that the published rate
    should be within; agrees; p, the exact p-value if both have one chance, which is below 1 − `CONFIDENCE` if
    they do not agree; and z, the difference over the standard error of both at their pooled value, NaN if
    both are 0 or 1.
    """
    return {semantics: _compared(beside_published(rates, semantics)) for semantics in SEMANTICS}


def _compared(cells: pd.DataFrame) -> pd.DataFrame:
    n, m = cells["n_simulations"], cells["published_simulations"]
    errors, published = cells["errors"], cells["published_errors"]
    low, high = predicted_counts(errors, n, m, confidence=CONFIDENCE)
    pooled = (errors + published) / (n + m)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
    return cells.assign(
        predicted_low=low / m,
        predicted_high=high / m,
        agrees=(low <= published) & (published <= high),
        p=equal_chance_p(errors, n, published, m),
        z=(cells["published_rate"] - cells["rate"]) / error.where(error > 0.0),
    )
