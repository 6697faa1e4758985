"""Exact intervals of a rate: how often something happens in n independent trials."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=100_000)
def binomial_interval(count: int, n: int, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a rate (Clopper and Pearson 1934).

    It takes SciPy milliseconds, and a report asks for the same counts again and again: they are kept.

    Parameters
    ----------
    count, n
        How often it happened, in how many trials.
    confidence_level
        Nominal coverage, in (0, 1).
    """
    from scipy.stats import binomtest

    interval = binomtest(count, n).proportion_ci(confidence_level, method="exact")
    return float(interval.low), float(interval.high)
