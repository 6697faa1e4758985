"""Means of scores and their t intervals."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from nbyk.data.arrays import Floats


def mean_interval(sample: Floats, confidence_level: float) -> tuple[float, float]:
    """Return the t interval of a mean; NaN for one score."""
    mean, reach = _mean(sample), _reach(_standard_error(sample), len(sample) - 1, confidence_level)
    return mean - reach, mean + reach


def mean_difference(
    a: Floats, b: Floats, confidence_level: float, *, paired: bool
) -> tuple[float, tuple[float, float]]:
    """Return mean(a) − mean(b) and its t interval: of the mean difference of pairs, else Welch's.

    The interval is NaN where a system has one score.
    """
    difference = _mean(a) - _mean(b)
    if paired:
        error, df = _standard_error(a - b), len(a) - 1.0
    else:
        of_a, of_b = _standard_error(a), _standard_error(b)
        error = math.hypot(of_a, of_b)
        df = error**4 / (of_a**4 / (len(a) - 1) + of_b**4 / (len(b) - 1)) if error > 0.0 else 1.0
    reach = _reach(error, df, confidence_level)
    return difference, (difference - reach, difference + reach)


def _mean(sample: Floats) -> float:
    # the same as numpy's mean, which takes three times as long on a few scores; so does its std
    return float(np.add.reduce(sample)) / len(sample)


def _standard_error(sample: Floats) -> float:
    n = len(sample)
    if n < 2:
        return math.nan
    deviations = sample - _mean(sample)
    return math.sqrt(float(np.add.reduce(deviations * deviations)) / (n - 1)) / math.sqrt(n)


def _reach(error: float, df: float, confidence_level: float) -> float:
    return error and float(error * stdtrit(df, 0.5 + 0.5 * confidence_level))
