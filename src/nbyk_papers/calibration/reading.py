"""Rates of rejection as one table, and the band of rates that a calibrated test may have."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk_papers.calibration.design import BAND, scenario
from nbyk_papers.calibration.verdicts import DEFINITIONS
from nbyk_papers.partitions import in_order, read_partitioned

if TYPE_CHECKING:
    import pandas as pd

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
    of_cells = [scenario(a, b) for a, b in zip(rates["epsilon_a"], rates["epsilon_b"], strict=True)]
    rates = rates.assign(
        scenario=of_cells,
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
