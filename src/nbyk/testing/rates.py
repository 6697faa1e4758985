"""Exact intervals of a rate: the share of n independent trials in which something happens."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=100_000)
def binomial_interval(count: int, n: int, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a rate (Clopper and Pearson 1934).

    SciPy takes milliseconds for one, and a report asks for the same counts again and again, so results are
    cached.

    Parameters
    ----------
    count, n
        Number of times that it happened, and number of trials.
    confidence_level
        Nominal coverage, in (0, 1).
    """
    from scipy.stats import binomtest

    interval = binomtest(count, n).proportion_ci(confidence_level, method="exact")
    return float(interval.low), float(interval.high)
