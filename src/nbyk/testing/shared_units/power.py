"""The power of the test over new items, new raters and new runs, without simulated responses.

The test (`nbyk.testing.shared_units`) takes p from a mixture of t-distributions whose shares are estimated
variances, after a step for the estimated skewness. If responses are normal, the effect, the sum of squares of
each part and its sample's skewness are independent (Basu 1955). So the power is a mean, over the squares and
the skewnesses, of normal probabilities; 256 points of a lattice give it to about .005.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, gammaln, nctdtr, ndtr, stdtr, stdtrit

from nbyk.arrays import Floats
from nbyk.testing.decision import check_level
from nbyk.testing.pvalues import Alternative
from nbyk.testing.shared_units.collection import Crew, Spread
from nbyk.testing.shared_units.generalise import FEWEST_GROUPS_AT_WORK, LEAST_PART
from nbyk.testing.shared_units.mixture import FEWEST_FOR_SKEW, before_step, degrees_together, without_overlap

_MANY_SWAPS = 40
"""With this many items or clusters, p has so many values that one of them is α."""

_MANY_ITEMS, _SAMPLES = 50, 20_000
"""This many items are enough for the t-test in each of so many samples."""

_POINTS = 256
_SHAPES = 4096
_UNSKEWED = 100
"""A sample of this many normal values shows no skewness that matters."""

MOST_ITEMS, MOST_UNITS = 1_000_000, 10_000
"""The most items, and the most raters, ratings per item or runs, that a search considers."""

_MOST_TIMES = 1000.0

_SURE = 8.0
"""This far beyond the critical value, a power is 1. scipy returns NaN for a tail that is almost 0."""


class UnitPart(NamedTuple):
    """What the test's variance over the units of a source is expected to be, and why.

    `between` is the part of units as wholes, `within` that of single responses in the variance over them.
    """

    units: int
    between: float
    within: float


def unit_parts(spread: Spread, crew: Crew) -> list[UnitPart]:
    """Return the expected variances over raters, runs (of A and of B unless they are paired), judge calls.

    If K of J raters rate an item, single ratings weigh K (J − 1) / (J (K − 1)) times as much in the variance
    over raters as in that of the effect (`Spread.of`). With one rating an item, raters have different items,
    so that all by which items differ is in the variance over raters too.
    """
    n, k, j = crew.n_items, crew.ratings_per_item, crew.raters
    parts = []
    if j:
        sparse = (1.0 - 1.0 / j) / (1.0 - 1.0 / k) if 1 < k < j else 1.0
        within = sparse * spread.ratings / (n * k)
        if k == 1:
            of_cluster = 1.0 + (crew.items_per_cluster - 1.0) / j  # a rater's share of its other items
            answers = spread.answers / max(1, crew.runs)
            runs = 0.0 if crew.runs else spread.runs  # each item's own
            within += (spread.items + of_cluster * spread.clusters + answers + runs) / n
        parts.append(UnitPart(j, spread.raters / j, within))
    if crew.paired_runs:
        parts.append(UnitPart(crew.runs, spread.runs / crew.runs, spread.answers / (n * crew.runs)))
    elif crew.runs:
        of_each = 0.5 / crew.runs
        parts += [UnitPart(crew.runs, of_each * spread.runs, of_each * spread.answers / n)] * 2
    if crew.calls > 1:
        parts.append(UnitPart(crew.calls, spread.calls / crew.calls, 0.0))
    return parts


def variance_over_items(spread: Spread, crew: Crew) -> float:
    """Return the variance of the effect over items or clusters, with these raters and runs.

    If K of J raters rate an item, the choice of these raters is part of it.
    """
    n, k, answers = crew.n_items, crew.ratings_per_item, max(1, crew.runs)
    variance = spread.items / n + spread.ratings / (n * k) + spread.answers / (n * answers)
    variance += spread.raters * (1.0 / k - (1.0 / crew.raters if crew.raters else 0.0)) / n
    if not crew.runs:
        variance += spread.runs / n
    return variance + spread.clusters / crew.clusters


def variance_of(spread: Spread, crew: Crew) -> float:
    """Return the variance of the effect over new items, raters and runs."""
    return variance_over_items(spread, crew) + sum(part.between for part in unit_parts(spread, crew))


@lru_cache(maxsize=8192)
def power_with_people(
    spread: Spread, crew: Crew, effect: float, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    """Return the power of `nbyk.compare` over new items, raters and runs, for normal responses.

    A one-sided test is of the effect's own side. The power is 0 with fewer than three shared raters or runs,
    or clusters: the test makes no claim about them, nor where too few items determine the effect. Without
    shared raters and runs, the test swaps the two systems on items or clusters, and the noncentral t gives
    its power. With G of these, its p is a multiple of 2⁻ᴳ, so the level is the largest such p up to α.
    """
    crew.check()
    check_level(alpha)
    sides = 2 if alternative == "two-sided" else 1
    if crew.too_few:
        return 0.0
    parts = unit_parts(spread, crew)
    level = alpha if parts else _level_of_swaps(alpha, sides, crew.clusters)
    if level == 0.0:
        return 0.0
    variance = variance_of(spread, crew)
    if variance == 0.0:
        return 1.0 if effect else level
    shift = abs(effect) / math.sqrt(variance)
    if not parts:
        return _power_of_t(shift, crew.clusters - 1.0, level / sides, sides)
    over_items = variance_over_items(spread, crew)
    rests_on_items = variance - sum(part.between for part in parts) > LEAST_PART * variance
    conclusive = _chance_of_enough_items(crew.n_items) if rests_on_items else 1.0
    up, down = _reaches(over_items, crew.clusters, parts, level / sides)
    up, down = up / math.sqrt(variance), down / math.sqrt(variance)
    power = ndtr(shift - up) + (ndtr(-shift - down) if sides == 2 else 0.0)
    return conclusive * float(power.mean())


@dataclass(frozen=True)
class Aim:
    """An effect to find with a power, and the collection at hand: which numbers would find it.

    `spread` and `now` are the variances of the effect, and the numbers of the collection at hand.
    """

    spread: Spread
    now: Crew
    effect: float
    power: float
    alpha: float = 0.05
    alternative: Alternative = "two-sided"

    def reached(self, crew: Crew) -> float:
        """Return the power of a crew."""
        return power_with_people(self.spread, crew, self.effect, self.alpha, self.alternative)

    def least(self, name: str) -> int | None:
        """Return the least number of items, raters, … in all that reaches the power alone; None if none does.

        Items come in whole clusters. Ratings per item stop at the number of raters.
        """
        size = self.now.items_per_cluster if name == "n_items" else 1
        most = MOST_ITEMS if name == "n_items" else MOST_UNITS
        if name == "ratings_per_item" and self.now.raters:
            most = self.now.raters

        def power(count: int) -> float:
            return self.reached(self.now.with_counts(**{name: count}))

        return least_number(power, self.power, getattr(self.now, name), most, size)

    def together(self) -> Crew | None:
        """Return the crew of so many times items, raters and runs that it finds it; None beyond 1000.

        The items are then the least with these raters and runs.
        """

        def times(factor: float) -> Crew:
            raters, runs = (math.ceil(factor * count) for count in (self.now.raters, self.now.runs))
            clusters = math.ceil(factor * self.now.n_items / self.now.items_per_cluster)
            n_items = clusters * self.now.items_per_cluster
            return self.now.with_counts(n_items=n_items, raters=raters, runs=runs)

        low, high = 1.0, _MOST_TIMES
        if self.reached(times(high)) < self.power:
            return None
        while high - low > 0.01 * low:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if self.reached(times(middle)) >= self.power else (middle, high)
        crew = times(high)
        fewest = replace(self, now=replace(crew, n_items=self.now.n_items)).least("n_items")
        return replace(crew, n_items=fewest or crew.n_items)


def least_number(
    power: Callable[[int], float], target: float, low: int, high: int, step: int = 1
) -> int | None:
    """Return the least multiple of a step at which an increasing power reaches the target, or None."""
    counts = range(-(-low // step) * step, high + 1, step)
    if not counts or power(counts[-1]) < target:
        return None
    return counts[bisect_left(counts, target, hi=len(counts) - 1, key=power)]


def _power_of_t(shift: float, df: float, tail: float, sides: int) -> float:
    critical = -float(stdtrit(df, tail))
    if shift > critical + _SURE:
        return 1.0
    below, far_below = (nctdtr(df, shift, end) for end in (critical, -critical))
    far = float(np.nan_to_num(far_below)) if sides == 2 else 0.0
    return 1.0 - float(np.nan_to_num(below)) + far


def _reaches(over_items: float, groups: int, parts: Sequence[UnitPart], tail: float) -> tuple[Floats, Floats]:
    """Return the least effects above and below 0 that the test finds, shape (M,), at points of the lattice.

    The law is that of `nbyk.testing.shared_units.generalise.law_of`.
    """
    samples = [(over_items, groups), *((part.between + part.within, part.units) for part in parts)]
    n = len(samples)
    squares = np.column_stack(
        [mean * _squares(units - 1.0, 2 * n, axis) for axis, (mean, units) in enumerate(samples)]
    )
    shapes = np.column_stack([_shapes(units, 2 * n, n + axis) for axis, (_, units) in enumerate(samples)])
    within = np.array([part.within for part in parts])
    variances = without_overlap(squares[:, 0], squares[:, 1:], within)
    totals = variances[:, 1:]
    thirds = np.column_stack([squares[:, 0], totals]) ** 1.5 * shapes
    own = np.array([units - 1.0 for _, units in samples])
    if len(parts) > 1:
        df = np.column_stack([np.full(_POINTS, own[0]), degrees_together(totals, own[1:])])
    else:
        df = np.broadcast_to(own, variances.shape)
    whole = variances.sum(axis=1)
    quantile = _quantile(variances / whole[:, None], df, tail)
    skewness = thirds.sum(axis=1) / whole**1.5
    up, down = (np.sqrt(whole) * before_step(quantile, h) for h in (skewness, -skewness))
    return up, down


def _quantile(shares: Floats, df: Floats, tail: float) -> Floats:
    """Return where a mixture of t-distributions has this upper tail, below ½: Newton's method in logarithms.

    `shares` and `df` have shape (M, K); rows of shares add up to 1.
    """
    log_beta = gammaln(0.5 * (df + 1.0)) - gammaln(0.5 * df) - 0.5 * np.log(math.pi * df)
    x = np.log(np.sum(shares * -stdtrit(df[:1], tail), axis=1))
    for _ in range(3):
        q = np.exp(x)[:, None]
        upper = np.sum(shares * stdtr(df, -q), axis=1)
        density = np.sum(shares * np.exp(log_beta - 0.5 * (df + 1.0) * np.log1p(q**2 / df)), axis=1)
        x = x + np.log(upper / tail) * upper / (density * q[:, 0])
    return np.asarray(np.exp(x))


@lru_cache
def _lattice(n_axes: int) -> Floats:
    """Return points of a lattice in the unit cube, shape (n_axes, M): Roberts's R sequence."""
    root = 2.0
    for _ in range(60):
        root = (1.0 + root) ** (1.0 / (n_axes + 1))
    steps = root ** -np.arange(1.0, n_axes + 1)
    return np.asarray((0.5 + steps[:, None] * np.arange(1, _POINTS + 1)) % 1.0)


@lru_cache(maxsize=512)
def _squares(df: float, n_axes: int, axis: int) -> Floats:
    """Return the estimates of a variance of normal values over the true one, at an axis of the lattice."""
    return np.asarray(chdtri(df, _lattice(n_axes)[axis]) / df)


@lru_cache(maxsize=512)
def _shapes(units: int, n_axes: int, axis: int) -> Floats:
    """Return the skewness of the mean that samples of normal values show, at an axis of the lattice."""
    if not FEWEST_FOR_SKEW <= units < _UNSKEWED:
        return np.zeros(_POINTS)
    known = _known_shapes(units)
    return np.asarray(np.interp(_lattice(n_axes)[axis], (np.arange(len(known)) + 0.5) / len(known), known))


@lru_cache(maxsize=256)
def _known_shapes(units: int) -> Floats:
    values = np.random.default_rng(units).standard_normal((_SHAPES, units))
    values -= values.mean(axis=1, keepdims=True)
    variance = np.sum(values**2, axis=1) / (units - 1)
    third = units * np.sum(values**3, axis=1) / ((units - 1) * (units - 2))
    shapes = third / (math.sqrt(units) * variance**1.5)
    return np.sort(np.concatenate([shapes, -shapes]))


def _level_of_swaps(alpha: float, sides: int, n: int) -> float:
    """Return the largest p up to α that the test has which swaps the systems on n items or clusters."""
    if n >= _MANY_SWAPS:
        return alpha
    return float(sides * math.floor(alpha * 2.0**n / sides + 1e-9) / 2.0**n)


@lru_cache(maxsize=4096)
def _chance_of_enough_items(n: int) -> float:
    """Return the chance that enough of n normal effects determine their mean for the t-test.

    How many do is a matter of the shape of a normal sample, which does not depend on its mean and variance,
    nor on whether the test rejects.
    """
    if n >= _MANY_ITEMS:
        return 1.0
    effects = np.random.default_rng(n).standard_normal((_SAMPLES, n))
    changes = effects - effects.mean(axis=1, keepdims=True)
    at_work = (changes**2).sum(axis=1) ** 2 / (changes**4).sum(axis=1)
    return float((at_work >= FEWEST_GROUPS_AT_WORK).mean())
