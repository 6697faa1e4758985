"""Means of scores and their intervals: by t, of zeros and ones, and none where no score varies."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, stdtrit

from nbyk.data.arrays import Floats
from nbyk.testing.intervals import difference_of_proportions, proportion_interval, signs_interval

_ROUNDING = 1e-13
"""A standard error of at most this share of the largest score is that of scores that are equal on paper."""

_POWER = 0.8

Interval = tuple[float, float]

_NONE = (math.nan, math.nan)


def mean_interval(sample: Floats, confidence_level: float) -> Interval:
    """Return the interval of a mean: exact for zeros and ones, else by t; NaN if no scores differ."""
    if len(sample) > 1 and are_zeros_and_ones(sample):
        return proportion_interval(int(sample.sum()), len(sample), confidence_level)
    error = _standard_error(sample)
    if not error > _ROUNDING * np.abs(sample).max():
        return _NONE
    mean, reach = _mean(sample), _reach(error, len(sample) - 1, confidence_level)
    return mean - reach, mean + reach


def mean_difference(a: Floats, b: Floats, confidence_level: float, *, paired: bool) -> tuple[float, Interval]:
    """Return mean(a) − mean(b) and its interval.

    For zeros and ones it is `signs_interval` of pairs, else `difference_of_proportions`. For other scores it
    is by t: of the mean difference of pairs, else Welch's. It is NaN where a system has one score, and where
    no score or difference varies: that is not certainty.
    """
    difference = _mean(a) - _mean(b)
    if min(len(a), len(b)) > 1 and are_zeros_and_ones(a) and are_zeros_and_ones(b):
        if paired:
            return difference, paired_interval(a, b, confidence_level)
        counts = int(a.sum()), int(b.sum())
        return difference, difference_of_proportions(counts, (len(a), len(b)), confidence_level)
    if paired:
        error, df = _standard_error(a - b), len(a) - 1.0
    else:
        of_a, of_b = _standard_error(a), _standard_error(b)
        error = math.hypot(of_a, of_b)
        df = error**4 / (of_a**4 / (len(a) - 1) + of_b**4 / (len(b) - 1)) if error > 0.0 else 1.0
    if not error > _ROUNDING * max(np.abs(a).max(), np.abs(b).max()):
        return difference, _NONE
    reach = _reach(error, df, confidence_level)
    return difference, (difference - reach, difference + reach)


def paired_interval(a: Floats, b: Floats, confidence_level: float) -> Interval:
    """Return the interval of the mean difference of paired zeros and ones."""
    return signs_interval(int((a > b).sum()), int((a < b).sum()), len(a), confidence_level)


def scores_to_settle(a: Floats, b: Floats, *, paired: bool, alpha: float = 0.05) -> int | None:
    """Return the number of scores of each system with which a two-sided t-test shows the present difference.

    It takes the difference and the standard deviations of these scores for the true ones. The normal
    quantiles' count is corrected for t (Guenther 1981, Sample size formulas for normal theory T tests). None
    if nothing differs or varies.
    """
    if min(len(a), len(b)) < 2:
        return None
    high, more = float(ndtri(1.0 - 0.5 * alpha)), float(ndtri(_POWER))
    variance = np.var(a - b, ddof=1) if paired else np.var(a, ddof=1) + np.var(b, ddof=1)
    difference = _mean(a) - _mean(b)
    if difference == 0.0 or not 0.0 < variance < math.inf:  # of scores near 1e308
        return None
    extra = high * high / (2.0 if paired else 4.0)
    return math.ceil((high + more) ** 2 * variance / difference**2 + extra)


def are_zeros_and_ones(sample: Floats) -> bool:
    """Return whether all numbers are 0 or 1."""
    return bool(((sample == 0.0) | (sample == 1.0)).all())


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
    return float(error * stdtrit(df, 0.5 + 0.5 * confidence_level))
