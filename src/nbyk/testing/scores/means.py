"""Means of scores and their t intervals."""

from __future__ import annotations

import math

from nbyk.data.arrays import Floats


def mean_interval(sample: Floats, confidence_level: float) -> tuple[float, float]:
    """Return the t interval of a mean; NaN for one score."""
    mean, reach = float(sample.mean()), _reach(_standard_error(sample), len(sample) - 1, confidence_level)
    return mean - reach, mean + reach


def mean_difference(
    a: Floats, b: Floats, confidence_level: float, *, paired: bool
) -> tuple[float, tuple[float, float]]:
    """Return mean(a) − mean(b) and its t interval: of the mean difference of pairs, else Welch's.

    The interval is NaN where a system has one score.
    """
    difference = float(a.mean() - b.mean())
    if paired:
        error, df = _standard_error(a - b), len(a) - 1.0
    else:
        of_a, of_b = _standard_error(a), _standard_error(b)
        error = math.hypot(of_a, of_b)
        df = error**4 / (of_a**4 / (len(a) - 1) + of_b**4 / (len(b) - 1)) if error > 0.0 else 1.0
    reach = _reach(error, df, confidence_level)
    return difference, (difference - reach, difference + reach)


def _standard_error(sample: Floats) -> float:
    return float(sample.std(ddof=1)) / math.sqrt(len(sample)) if len(sample) > 1 else math.nan


def _reach(error: float, df: float, confidence_level: float) -> float:
    from scipy.special import stdtrit

    return error and float(error * stdtrit(df, 0.5 + 0.5 * confidence_level))
