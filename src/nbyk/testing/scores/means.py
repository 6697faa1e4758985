"""Means of scores and their intervals: by a test or by t, of zeros and ones, none where nothing varies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri, stdtrit

from nbyk.arrays import Floats
from nbyk.testing.intervals import Interval, difference_of_proportions, proportion_interval, signs_interval
from nbyk.testing.pvalues import Alternative, sides_of
from nbyk.testing.results import NONE

_ROUNDING = 1e-13
"""A difference, or standard error, of at most this share of the largest score is 0 on paper."""

_POWER = 0.8
_MOST = 10**9
_HALVINGS = 26

PofShift = Callable[[float, Alternative], float]


def mean_interval(sample: Floats, confidence_level: float) -> Interval:
    """Return the interval of a mean: exact for zeros and ones, else by t; NaN if no scores differ."""
    if len(sample) > 1 and are_zeros_and_ones(sample):
        return proportion_interval(int(sample.sum()), len(sample), confidence_level)
    error = _standard_error(sample)
    if not error > _ROUNDING * np.abs(sample).max():
        return NONE
    mean, reach = _mean(sample), _reach(error, len(sample) - 1, confidence_level)
    return mean - reach, mean + reach


def difference_of_means(a: Floats, b: Floats) -> float:
    """Return mean(a) − mean(b), 0 if they are equal on paper."""
    difference = _mean(a) - _mean(b)
    return difference if abs(difference) > _ROUNDING * max(np.abs(a).max(), np.abs(b).max()) else 0.0


def interval_of_means(
    a: Floats,
    b: Floats,
    confidence_level: float,
    *,
    paired: bool,
    p_of_shift: PofShift | None = None,
    by_t: bool = False,
) -> Interval:
    """Return the interval of mean(a) − mean(b) at a nominal coverage.

    For zeros and ones it is `signs_interval` of pairs, else `difference_of_proportions`. For other scores it
    holds the shifts that the test does not reject, so that it agrees with p; `p_of_shift` is the one-sided p
    of the test with a shift taken from A's scores. Without it, it is by t: of the mean difference of pairs,
    else Welch's; `by_t` widens it to that. It is NaN where a system has one score, where no score or
    difference varies: that is not certainty. Scores too few for the test to reject any shift bound nothing.
    """
    difference = difference_of_means(a, b)
    if min(len(a), len(b)) > 1 and are_zeros_and_ones(a) and are_zeros_and_ones(b):
        if paired:
            return paired_interval(a, b, confidence_level)
        counts = int(a.sum()), int(b.sum())
        return difference_of_proportions(counts, (len(a), len(b)), confidence_level)
    errors = [_standard_error(a - b)] if paired else [_standard_error(a), _standard_error(b)]
    error = math.hypot(*errors)
    if not error > _ROUNDING * max(np.abs(a).max(), np.abs(b).max()):
        return NONE
    low, high = math.inf, -math.inf
    if p_of_shift is not None:
        most = 1.001 * float(np.ptp(a) + np.ptp(b))
        if not math.isfinite(difference + most):
            return NONE
        low, high = (
            _last_kept(p_of_shift, difference, sign * most, confidence_level) for sign in (-1.0, 1.0)
        )
        if not by_t:
            return low, high
    terms = [(part / error) ** 4 / (len(of) - 1) for part, of in zip(errors, (a, b), strict=False)]
    reach = _reach(error, 1.0 / sum(terms), confidence_level)
    return min(low, difference - reach), max(high, difference + reach)


def _last_kept(p_of_shift: PofShift, difference: float, most: float, level: float) -> float:
    """Return the end of the shifts, up to `most`, that a test keeps on one side; infinite if it keeps all."""
    side: Alternative = "greater" if most < 0.0 else "less"
    least = 0.5 * round(1.0 - level, 12)

    def is_kept(shift: float) -> bool:
        return p_of_shift(shift, side) > least

    kept, rejected = difference - most, difference + most
    if is_kept(rejected):
        return math.copysign(math.inf, most)
    # 0 is decided as by p: it is one of the shifts tried
    tried = 0.0 if min(kept, rejected) < 0.0 < max(kept, rejected) else difference
    for _ in range(_HALVINGS):
        if is_kept(tried):
            kept = tried
        else:
            rejected = tried
        tried = 0.5 * (kept + rejected)
    return kept + 0.0


def paired_interval(a: Floats, b: Floats, confidence_level: float) -> Interval:
    """Return the interval of the mean difference of paired zeros and ones."""
    return signs_interval(int((a > b).sum()), int((a < b).sum()), len(a), confidence_level)


def scores_to_settle(
    a: Floats, b: Floats, *, paired: bool, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> int | None:
    """Return the number of scores of each system with which a t-test shows the present difference.

    It takes the difference and the standard deviations of these scores for the true ones. The normal
    quantiles' count is corrected for t (Guenther 1981, Sample size formulas for normal theory T tests). None
    if nothing differs or varies, or if a billion scores would not do.
    """
    if min(len(a), len(b)) < 2:
        return None
    high, more = float(ndtri(1.0 - alpha / sides_of(alternative))), float(ndtri(_POWER))
    variance = np.var(a - b, ddof=1) if paired else np.var(a, ddof=1) + np.var(b, ddof=1)
    difference = _mean(a) - _mean(b)
    if difference == 0.0 or not 0.0 < variance < math.inf:  # of scores near 1e308
        return None
    extra = high * high / (2.0 if paired else 4.0)
    with np.errstate(divide="ignore", over="ignore"):
        n = (high + more) ** 2 * variance / np.square(difference) + extra
    return math.ceil(n) if n <= _MOST else None


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
