"""Names of sources, tests, sizes and truths for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nbyk_papers.calibration.verdicts import BCA, EXPECTED_P, PERCENTILE, TIES_AT_RANDOM
from nbyk_papers.homan2025 import design as homan2025

if TYPE_CHECKING:
    import pandas as pd


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
