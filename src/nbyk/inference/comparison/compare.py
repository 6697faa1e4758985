"""Comparing two systems on a user's own data: test and intervals for any number of metrics on the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbyk.inference.comparison.result import ComparisonResult
from nbyk.inference.pvalues import Alternative
from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress


def compare(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    metric: str | Metric = "mae",
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    rng: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Return whether system A is better than system B, how sure that is, and by how much."""
    raise NotImplementedError


def compare_metrics(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    metrics: Sequence[str | Metric],
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    rng: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[str, ComparisonResult]:
    """Return `compare` for several metrics on the same draws, by canonical name in the order given."""
    raise NotImplementedError
