"""Rates of rejection as one table, the band that a calibrated test keeps to, and names for people."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk_papers.calibration.design import BAND, scenario
from nbyk_papers.calibration.verdicts import BCA, DEFINITIONS, EXPECTED_P, P_VALUE, PERCENTILE, TIES_AT_RANDOM
from nbyk_papers.gathered import RATES, as_rows, in_order, read_partitioned
from nbyk_papers.homan2025 import design as homan2025

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


COLUMNS = (
    "epsilon_a",
    "epsilon_b",
    "n_items",
    "k_responses",
    "metric",
    "definition",
    "sampler",
    "null",
    "alternative",
    "alpha",
    "n_resamples",
    "n_sets",
    "undefined",
    "rejections",
    "rate",
    "low",
    "high",
)

CELL = ["source", "k_responses", "n_items", "epsilon_a", "epsilon_b"]
"""The columns that identify the test sets behind a rate."""

METHOD = ["definition", "sampler", "null"]
"""The columns that identify a test, without its side."""

_NULLS = ("swap_items", "shifted", "permutation", "pooled", "pooled_twice")


def read_rates(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return rates, as the step rates writes them, as one table, the default test first.

    Columns are `COLUMNS`, source, scenario ("strong", "weak" or "power"), band_low and band_high (the band
    that, with chance `BAND`, holds the rate of a test that rejects with chance α) and place: "below",
    "inside" or "above" the band for a Type-I error, and "" for a power.
    """
    return placed(read_partitioned(files, COLUMNS, ("source",)))


def placed(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the same as `read_rates`, from a table of several sources with `COLUMNS` and source."""
    bands = [band(n, alpha) for n, alpha in zip(rates["n_sets"], rates["alpha"], strict=True)]
    scenarios = [scenario(a, b) for a, b in zip(rates["epsilon_a"], rates["epsilon_b"], strict=True)]
    rates = rates.assign(
        scenario=scenarios,
        band_low=[low for low, _ in bands] / rates["n_sets"],
        band_high=[high for _, high in bands] / rates["n_sets"],
    )
    rates["place"] = [
        "" if what == "power" else place(n_rejected, ends)
        for what, n_rejected, ends in zip(rates["scenario"], rates["rejections"], bands, strict=True)
    ]
    by = ["source", "definition", "null", "sampler", "alternative", "epsilon_b", "epsilon_a"]
    orders = {"definition": tuple(DEFINITIONS), "null": ("", *_NULLS), "sampler": tuple(WEIN_SAMPLERS)}
    return in_order(rates, [*by, "k_responses", "n_items", "metric", "alpha"], orders)


def groups(rates: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the groups of rates with equal keys, in their order in the table."""
    for values, rows in rates.groupby(list(keys), sort=False):
        yield dict(zip(keys, values, strict=True)), rows


def shares(rates: pd.DataFrame) -> dict[str, float]:
    """Return the shares of Type-I errors below, inside and above the band."""
    return {name: float((rates["place"] == name).mean()) for name in ("below", "inside", "above")}


@cache
def band(n_sets: int, alpha: float, share: float = BAND) -> tuple[int, int]:
    """Return the limits that, with chance `share`, hold the rejections of `n_sets` tests of chance α."""
    from scipy.stats import binom

    tail = 0.5 * (1.0 - share)
    return int(binom.ppf(tail, n_sets, alpha)), int(binom.isf(tail, n_sets, alpha))


def place(rejections: int, ends: tuple[int, int]) -> str:
    """Return on which side of a band a number of rejections lies."""
    return "below" if rejections < ends[0] else "above" if rejections > ends[1] else "inside"


def named(rates: pd.DataFrame) -> pd.DataFrame:
    """Return rates with columns for people: dataset, test, true and size."""
    return rates.assign(
        dataset=rates["source"].map(homan2025.label),
        test=_by_row(test_name, rates, "definition", "sampler", "null"),
        true=_by_row(truth, rates, "epsilon_a", "epsilon_b"),
        size=_by_row(size_name, rates, "n_items", "k_responses"),
    )


def test_name(definition: str, sampler: str, null: str) -> str:
    """Return a test's name: its null, or an interval and the way that responses are drawn for it."""
    responses = sampler.partition("/")[2]
    if definition == PERCENTILE:
        return f"percentile, {responses}"
    if definition == BCA:
        return f"BCa, {responses}"
    if definition == EXPECTED_P:
        return f"{sampler}, {null}"
    return f"{null}, ties at random" if definition == TIES_AT_RANDOM else null


def truth(epsilon_a: float, epsilon_b: float) -> str:
    """Return the truth about the systems, in a few words."""
    if epsilon_a != epsilon_b:
        return f"A better, ε = {epsilon_b:g}"
    return f"weak null, ε = {epsilon_a:g}" if epsilon_a else "strong null"


def size_name(n_items: int, k_responses: int) -> str:
    """Return a size as N × K."""
    return f"{n_items} × {k_responses}"


def _by_row(name: Callable[..., str], rates: pd.DataFrame, *columns: str) -> list[str]:
    return [name(*row) for row in zip(*(rates[column] for column in columns), strict=True)]


MAIN_ALPHA, MAIN_METRIC = 0.05, "mae"
"""What tables and figures of one level and one metric show, if the run has it."""


TESTS = (P_VALUE, PERCENTILE, BCA)
"""Definitions that are tests at the data's own size."""


def main_alpha(rates: pd.DataFrame) -> float:
    """Return the level of tables and figures that show one: the run's nearest to .05."""
    return float(min(rates["alpha"], key=lambda alpha: abs(alpha - MAIN_ALPHA)))


def main_metric(rates: pd.DataFrame) -> str:
    """Return the metric of tables and figures that show one: MAE, or the run's first."""
    metrics = list(dict.fromkeys(rates["metric"]))
    return MAIN_METRIC if MAIN_METRIC in metrics else str(metrics[0])


def two_sided(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the two-sided p-values and the intervals at the main level."""
    is_test = rates["definition"].isin(TESTS) & (rates["alternative"] == "two-sided")
    return rates[is_test & (rates["alpha"] == main_alpha(rates))]


def rate_rows(*, rates: Sequence[Path], seed: int) -> pa.Table:
    """Return the rate of each test, whose sampler is its definition of p with the sampler, if it has one."""
    table = read_partitioned(rates, ("definition", "sampler", "rate", "n_sets"), ("source",))
    sampler = table["sampler"].fillna("")
    named = (table["definition"] + "/" + sampler).str.removesuffix("/")
    return as_rows(RATES, "calibration", seed, table.assign(sampler=named))
