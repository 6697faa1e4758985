"""The law of an effect's error over new items and units: t-distributions, mixed by shares of variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr  # scipy.stats has it too, but takes as long to load as all of nbyk

from nbyk.arrays import Floats
from nbyk.sums import product
from nbyk.testing.skewness import corrected

FEWEST_FOR_SKEW = 4.5
"""With fewer units, their skewness says too little to correct p by it."""

_FULL_STEP, _MOST_STEP = 3.5, 8.0
"""The step counts skewness by |t| / 3.5, and beyond |t| = 8 no more."""

_BACK, _MOST_BACK = 0.3, 2.0
"""Toward the long tail, |t| grows by .3 of the skewness times |t|, and beyond |t| = 2 no more."""

_ALIKE = 1.4

STRONG_SKEW = {"two-sided": 24.0, "greater": 96.0, "less": 96.0}
"""With J units, skewness counts this / J times more where p must hold for strongly skewed units."""


@dataclass(frozen=True)
class ErrorLaw:
    """The law of an effect minus its true value.

    The variance V has K parts v_k, one of items and one of each source of units, each estimated with ν_k
    degrees of freedom. With t = error / √V, the chance of a larger error on the same side is

        Σ_k (v_k / V) P(t_νk > q(t)),

    so that a part that is small by chance lends nobody the degrees of freedom of the others. q(t) is t after
    an inverse Cornish–Fisher step for the skewness g of the effect: with
    h = sign(t) g and a = −h/6 · min(|t|, 8) / 3.5, q = (−1 + √(1 + 8 a (|t| − a))) / (4 a) where h < 0. It
    grows with |t|, because skewness matters most in the far tail. Skewed units err in one tail: where most
    are a little lenient and a few very severe, a sample without severe ones shows a small variance and a mean
    that is too high. Toward the long tail, where h > 0, t is reached too rarely: q = |t| + .3 min(h, 1)
    min(|t|, 2), but not with several alternatives, which learn V and not g from other systems. Measured in
    docs/shared-units.md.

    Attributes
    ----------
    variances, df : ndarray, shape (M, K)
        The parts of the variance and their degrees of freedom: M alternatives, with one row if there is one.
    weights : ndarray, shape (M,)
        Weights of the alternatives; they add up to 1.
    third, units : ndarray, shape (K,)
        The third central moment of each part, and the number of items or units behind it.

    References
    ----------
    Satterthwaite 1946, An approximate distribution of estimates of variance components; Johnson 1978,
    Modified t tests and confidence intervals for asymmetrical populations; Hall 1992, On the removal of
    skewness by transformation.
    """

    variances: Floats
    df: Floats
    weights: Floats
    third: Floats
    units: Floats

    @property
    def variance(self) -> float:
        """Variance of the effect."""
        return float(product(self.weights, self.variances.sum(axis=1)))

    @property
    def df_of_variance(self) -> float:
        """Satterthwaite's degrees of freedom of the variance, a summary that p does not use; at least 1."""
        whole = self.variances.sum(axis=1)
        squares = np.sum(self.variances**2 / self.df, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(squares > 0.0, whole**2 / squares, 1.0)
        return max(1.0, float(product(self.weights, each)))

    def tail(self, error: float, *, strong_skew: float = 0.0) -> float:
        """Return the chance of an error on the same side that is at least as large, from 0 to ½.

        With `strong_skew` above 0, the skewness of a part counts strong_skew / units times more, and in full
        at every t, because few units show less skewness than they have; toward the long tail, which they may
        not show either, t stays.
        """
        if error == 0.0:
            return 0.5
        whole = self.variances.sum(axis=1)
        if not whole.all():
            return 0.0
        times = (self.units >= FEWEST_FOR_SKEW) + strong_skew / self.units
        third = float(np.sum(self.third * times))
        size = np.empty(len(whole))
        for place, variance in enumerate(whole.tolist()):
            t, g = error / math.sqrt(variance), third / variance**1.5
            counts = max(float(strong_skew > 0.0), min(abs(t), _MOST_STEP) / _FULL_STEP)
            size[place] = abs(corrected(t, g, counts))
            if strong_skew == 0.0 and len(whole) == 1 and t * g > 0.0:
                size[place] += _BACK * min(abs(g), 1.0) * min(abs(t), _MOST_BACK)
        tails = np.sum(self.variances * stdtr(self.df, -size[:, None]), axis=1) / whole
        return float(product(self.weights, tails))

    def reach(self, tail: float, side: float) -> float:
        """Return the size of the error on a side (1: above, −1: below) that has a given tail, up to ½."""
        if self.variance == 0.0 or tail >= 0.5:
            return 0.0
        return _solved(lambda size: self.tail(side * size), tail, math.sqrt(self.variance))


def before_step(size: Floats, h: Floats) -> Floats:
    """Return the |t| that the step of `ErrorLaw` takes to `size`, with skewness h toward the side of t."""
    shift = np.maximum(-h, 0.0) / 6.0 * (1.0 + 2.0 * size**2) / _FULL_STEP
    growing = size / np.maximum(1.0 - shift, 1e-300)
    near = np.where(growing <= _MOST_STEP, growing, size + _MOST_STEP * shift)
    back = _BACK * np.clip(h, 0.0, 1.0)
    small = near / (1.0 + back)
    return np.where(small <= _MOST_BACK, small, near - _MOST_BACK * back)


def without_overlap(items: Floats, totals: Floats, within: Floats) -> Floats:
    """Return the parts of the variance, shape (M, 1 + K), none of which counts single responses twice.

    They are made of the variance I over `items`, (M,), the `totals` over the units of each source, (M, K),
    and the part W of each `within`, (K,), that single responses explain, which I has too.
    """
    explained = within.sum()
    share = np.minimum(1.0, items / explained)[:, None] if explained > 0.0 else 1.0
    units = np.where(totals >= within, totals - (1.0 - share) * within, share * totals)
    return np.column_stack([np.maximum(items - explained, 0.0), units])


def degrees_together(variances: Floats, df: Floats) -> Floats:
    """Return the degrees of freedom of sources' variances, (..., K), where units vary together.

    Two sources with about as many units each know more of their sum than one of them: by Satterthwaite's
    formula over those that have at most 1.4 times a source's degrees of freedom, which count as its own. One
    with more would lend it degrees of freedom that it lacks where its variance is small by chance.
    """
    limit = df[..., :, None]
    near = df[..., None, :] <= _ALIKE * limit
    of_near = np.where(near, variances[..., None, :], 0.0)
    squares = np.sum(of_near**2 / np.minimum(df[..., None, :], limit), axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.sum(of_near, axis=-1) ** 2 / squares
    return np.where(squares > 0.0, np.maximum(together, df), df)


def _solved(tail_of: Callable[[float], float], tail: float, start: float) -> float:
    """Return where a decreasing tail has a given value, by the Illinois method on logarithms."""

    def excess(log_size: float) -> float:
        return math.log(max(tail_of(math.exp(log_size)), 1e-320)) - math.log(tail)

    low = high = math.log(start)
    above = below = excess(low)
    while below > 0.0 and high < 700.0:
        low, above, high = high, below, high + 1.0
        below = excess(high)
    while above <= 0.0 and low > -700.0:
        high, below, low = low, above, low - 1.0
        above = excess(low)
    last = 0.0
    for _ in range(100):
        middle = low + (high - low) * above / (above - below)
        value = excess(middle)
        if abs(value) < 1e-13 or high - low < 1e-14:
            break
        if value > 0.0:
            low, above, below = middle, value, 0.5 * below if last > 0.0 else below
        else:
            high, below, above = middle, value, 0.5 * above if last < 0.0 else above
        last = value
    return math.exp(middle)
