"""Results of tests on simulated scores, and error rates beside those of Ulmer et al. 2022."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nbyk.testing.intervals import proportion_interval
from nbyk_papers.agreement import equal_chance_p, predicted_counts
from nbyk_papers.gathered import P_VALUES, RATES, as_rows, in_order, read_partitioned
from nbyk_papers.ulmer2022.design import (
    ASO,
    DISTRIBUTIONS,
    FURTHER_DISTRIBUTIONS,
    FURTHER_TESTS,
    SEMANTICS,
    TESTS,
    TYPE_1,
    TYPE_2,
    published_rates,
)

if TYPE_CHECKING:
    import pyarrow as pa


SCORES = ("error", "sample_size", "lead", "test", "simulation", "score")

SETTING = ["distribution", "error", "sample_size", "lead"]
"""The columns that identify the scores behind a rate."""

_ORDER = {
    "semantics": list(SEMANTICS),
    "distribution": [*DISTRIBUTIONS, *FURTHER_DISTRIBUTIONS],
    "test": [*TESTS, *FURTHER_TESTS],
}


def read_scores(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of the step scores as one table, the paper's distributions and tests first.

    Columns are `SCORES`, semantics and distribution.
    """
    scores = read_partitioned(files, SCORES, ("semantics", "distribution"))
    for name in ("error", "test"):
        scores[name] = scores[name].astype(str)
    by = ["semantics", "distribution", "error", "sample_size", "lead", "test", "simulation"]
    return in_order(scores, by, _ORDER)


def error_rates(scores: pd.DataFrame, thresholds: Sequence[float]) -> pd.DataFrame:
    """Return each test's error rate at each threshold, the largest p-value or eps_min at which it rejects.

    low and high are the rate's exact 95 % interval (Clopper and Pearson 1934).
    """
    rows: list[dict[str, Any]] = []
    keys = ["semantics", *SETTING, "test"]
    for values, of in scores.groupby(keys, sort=False):
        key: dict[str, Any] = dict(zip(keys, values, strict=True))
        score = of["score"].to_numpy()
        for threshold in sorted(thresholds):
            errors = int(_errs(score, threshold, key["semantics"], key["error"]).sum())
            low, high = proportion_interval(errors, len(score))
            row = {"errors": errors, "n_simulations": len(score), "rate": errors / len(score)}
            rows.append({**key, "threshold": threshold, **row, "low": low, "high": high})
    return pd.DataFrame(rows)


def type_of(error: str) -> str:
    """Return "I" or "II"."""
    return "I" if error == TYPE_1 else "II"


def across(error: str) -> tuple[str, str]:
    """Return the column that varies in a table of an error, and its name."""
    by_size = error in (TYPE_1, TYPE_2)
    return ("sample_size", "sample size") if by_size else ("lead", "lead of A")


def _errs(score: Any, threshold: float, semantics: str, error: str) -> Any:
    if error == TYPE_1:
        return score <= threshold
    missed = np.greater_equal if SEMANTICS[semantics].equal_is_error else np.greater
    return missed(score, threshold)


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


_OF_TESTS = {"test": "sampler", "sample_size": "n_items"}


def p_value_rows(*, scores: Sequence[Path], seed: int) -> pa.Table:
    """Return the p-value of each test on each simulation; eps_min, the result of aso, is none."""
    names = {
        "distribution": "source",
        "simulation": "reference",
        "score": "estimated_p",
        "lead": "true_effect",
    }
    table = read_scores(scores).rename(columns=names | _OF_TESTS)
    return as_rows(P_VALUES, "ulmer2022", seed, table[table["sampler"] != ASO], k_responses=1, metric="mean")


def rate_rows(*, scores: Sequence[Path], thresholds: Sequence[float], seed: int) -> pa.Table:
    """Return the share of simulations that each test rejects at each threshold."""
    names = {"distribution": "source", "threshold": "alpha", "n_simulations": "n_sets"}
    table = error_rates(read_scores(scores), thresholds).rename(columns=names | _OF_TESTS)
    is_level = table["error"].map(type_of) == "I"
    rates = table.assign(rate=table["rate"].where(is_level, 1.0 - table["rate"]))
    return as_rows(RATES, "ulmer2022", seed, rates, k_responses=1, metric="mean")
