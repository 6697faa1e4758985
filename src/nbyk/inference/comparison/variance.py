"""Where the variance of an effect comes from: items, gold raters, and either system's responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress


@dataclass(frozen=True)
class VarianceShare:
    """One source's part of the variance of an effect.

    Attributes
    ----------
    variance
        Its part of the effect's variance on test sets of this size; None where it is not identified.
    share, low, high
        The same over the whole variance, in [0, 1], with its interval; None where it is not identified.
    """

    variance: float | None
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class VarianceShares:
    """Shares of an effect's variance; those that are identified sum to 1 but for rounding.

    Attributes
    ----------
    metric
        Canonical name of the metric.
    standard_error
        Standard error of the effect over test sets like this one: the root of the whole variance.
    items
        The items' part: what would remain with infinitely many responses per item. Where a role below is
        not identified, its part is in here.
    gold, a, b
        The parts of the gold responses and of either system's responses, at the numbers that the items have.
    confidence_level
        Nominal coverage of the shares' intervals.
    warnings
        What to know before believing the numbers, one sentence each.
    """

    metric: str
    standard_error: float
    items: VarianceShare
    gold: VarianceShare
    a: VarianceShare
    b: VarianceShare
    confidence_level: float
    warnings: tuple[str, ...]


def variance_shares(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    metric: str | Metric = "mae",
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> VarianceShares:
    """Return which part of the effect's variance is due to items, gold raters, A's and B's responses."""
    raise NotImplementedError
