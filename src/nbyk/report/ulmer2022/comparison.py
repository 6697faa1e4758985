"""The error rates of a run beside those that Ulmer et al. 2022 published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbyk.inference.agreement import predicted_counts
from nbyk.report.ulmer2022.reading import SETTING
from nbyk.studies.ulmer2022 import published_rates

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.999
"""A published rate agrees if it lies in the interval that, given ours, holds it with at least this chance."""

_CELL = [*SETTING, "threshold", "test"]


def compare(rates: pd.DataFrame, semantics: str) -> pd.DataFrame:
    """Return every published rate that a run has, beside ours.

    Parameters
    ----------
    rates
        From `error_rates`.
    semantics
        "published" or "recommended".

    Returns
    -------
    DataFrame
        The columns of both; predicted_low and predicted_high, the rates between which the published one is
        to lie; agrees; and z, the difference over the standard error of both rates at their pooled value, NaN
        where both are 0 or both 1.
    """
    ours = rates[rates["semantics"] == semantics]
    cells = published_rates().merge(ours, on=_CELL, validate="one_to_one")
    n, m = cells["n_simulations"], cells["published_simulations"]
    low, high = predicted_counts(cells["errors"], n, m, confidence=CONFIDENCE)
    pooled = (cells["errors"] + cells["published_errors"]) / (n + m)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
    return cells.assign(
        predicted_low=low / m,
        predicted_high=high / m,
        agrees=(low <= cells["published_errors"]) & (cells["published_errors"] <= high),
        z=(cells["published_rate"] - cells["rate"]) / error.where(error > 0.0),
    )
