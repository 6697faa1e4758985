"""Where the variance of an effect comes from: items or clusters, and each source of shared units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from nbyk.arrays import Floats
from nbyk.sums import product
from nbyk.testing.shared_units.responses import Responses, Source
from nbyk.testing.shared_units.statistic import Changes

_EXACT_UNITS = 600
"""Up to this number of units, degrees of freedom are computed from the items that units share."""


@dataclass(frozen=True)
class Component:
    """The part of the variance of the effect that items, or one source of units, add.

    Attributes
    ----------
    units
        Number of items, clusters or units.
    total, df
        Variance by the jackknife that leaves out one of them at a time, and its degrees of freedom, from 1.
    within, within_df
        The part of `total` that single responses explain: noise, and effects of one unit on one item; 0 for
        items and clusters. Its degrees of freedom are about the number of responses behind it.
    responses
        Number of responses of a role of theirs; for items and clusters, the number of items.
    weight_squares
        Σ w² of their weights w in the mean of item means, which add up to 1: one over the number of units if
        all answer equally often. NaN, as `responses`, if unknown.
    third
        The third central moment of the effect over them, unbiased if all weigh the same; 0 if unknown.
    """

    units: int
    total: float
    within: float
    df: float
    within_df: float
    responses: float = math.nan
    weight_squares: float = math.nan
    third: float = 0.0

    @property
    def effective_units(self) -> float:
        """The number of equal units that would weigh as much: 1 / Σ w²."""
        return 1.0 / self.weight_squares if self.weight_squares > 0.0 else float(self.units)

    @property
    def between(self) -> float:
        """Unbiased estimate of the variance between units alone; it may be negative."""
        return self.total - self.within


def less_explained(
    variance: float, df: float, by: float, confidence_level: float = 0.95
) -> tuple[float, float, float]:
    """Return a variance and the ends of its interval by χ², each less an explained part, at least 0."""
    tail = 0.5 * (1.0 - confidence_level)
    low, high = 0.0, 0.0
    if variance > 0.0:
        low, high = (variance * df / float(chdtri(df, side)) for side in (tail, 1.0 - tail))
    return max(variance - by, 0.0), max(low - by, 0.0), max(high - by, 0.0)


def item_component(data: Responses, found: Changes) -> Component:
    """Return the variance over items or, if items have clusters, over clusters.

    Items count equally: (G − 1)/G Σ (change without group g)², the jackknife.
    """
    weights = found.group_sizes / found.group_sizes.sum()
    if data.clustered:
        # Without cluster g the effect changes by w_g / (1 − w_g) · (mean − s_g), where s are the clusters'.
        n_clusters, moves = int(data.clusters.max()) + 1, found.groups * (1.0 - 1.0 / weights)
        return weighted_component(weights, moves, n_clusters, data.n_items)
    parts = np.sqrt(1.0 - weights) * found.groups
    total, third = float(np.sum(parts**2)), third_moment(parts, float(np.sum(weights**2)))
    df = len(weights) - 1.0
    return Component(data.n_items, total, 0.0, df, 1.0, data.n_items, 1.0 / data.n_items, third)


def weighted_component(weights: Floats, moves: Floats, n_groups: int, responses: float) -> Component:
    """Return the variance of a weighted mean over its groups, such as clusters or tasks.

    `weights`, (G,), are above 0 and add up to 1; `moves`, (G,), is each group's own effect less the mean. As
    groups may differ in weight, a factor makes the expectation of each square right if all variance is
    between groups. Degrees of freedom are the geometric mean of Satterthwaite's and of the number of groups
    minus one. Measurements support this choice.
    """
    squares = float(np.sum(weights**2))
    spread = squares - 2.0 * weights + 1.0
    parts = -weights / np.sqrt(spread) * moves
    total, third = float(np.sum(parts**2)), third_moment(parts, squares)
    df = _few_degrees(weights)
    if len(weights) <= _EXACT_UNITS:
        gram = squares - weights[:, None] - weights[None, :]
        np.fill_diagonal(gram, spread)
        scaled = weights**2 / spread
        df = float(product(scaled, spread)) ** 2 / float(product(product(scaled, gram**2), scaled))
    # If a few groups are large, these degrees are too few for t, and G − 1 too many
    df = float(np.sqrt(max(df, 1.0) * (len(weights) - 1.0)))
    return Component(n_groups, total, 0.0, max(df, 1.0), 1.0, responses, squares, third)


def unit_component(data: Responses, source: Source, found: Changes) -> Component:
    """Return the variance over the units of a source.

    Let s_j be the units' own effects on a mean of item means, and w_j their weights there. Leaving out unit j
    changes the mean by Σ_k R_jk s_k; R follows from the items that each unit answers. Each squared change has
    the factor f_j = w_j² / Σ_k R_jk², so the sum has the expectation σ² Σ w_j². With all J units on all
    items, f is (J − 1)/J. Degrees of freedom are Satterthwaite's for a sum of squares of normal changes (Bell
    and McCaffrey 2002). The covariance of the changes is that of units' effects, if `between` is above 0, and
    of their noise in proportion to their weights.
    """
    units = data.source_units[source]
    weights, design = data.without_units(source)
    spread = np.sum(design**2, axis=1)
    factors = np.where(spread > 0, weights**2 / np.where(spread > 0, spread, 1.0), 0.0)
    centred = found.units[units] - weights * (found.units[units].sum() / weights.sum())
    parts = np.sqrt(factors) * centred
    total = float(np.sum(parts**2))
    noise = found.within[units]
    within = float(np.sum(factors * noise))
    df = _few_degrees(weights)
    if len(units) <= _EXACT_UNITS:
        own = max(total - within, 0.0) / float(np.sum(weights**2))
        centring = np.eye(len(units)) - np.outer(weights, np.ones(len(units))) / weights.sum()
        covariance = own * product(design, design.T) + product(centring * noise, centring.T)
        if not covariance.any():
            covariance = product(design, design.T)
        squares = product(product(factors, covariance**2), factors)
        df = float(product(factors, np.diag(covariance))) ** 2 / float(squares)
    roles = data.roles_of(source)
    responses = sum(int(np.sum((role.units >= units[0]) & (role.units <= units[-1]))) for role in roles)
    loads = float(np.sum(weights**2))
    within_df = max(1.0, responses - data.n_items)
    third = third_moment(parts, loads / float(weights.sum()) ** 2)
    return Component(len(units), total, within, max(df, 1.0), within_df, responses / len(roles), loads, third)


def third_moment(parts: Floats, squares: float) -> float:
    """Return the third central moment of an effect from its changes when each of J units leaves, (J,).

    The squares of the changes add up to the variance. If all units have the same weight, part j is
    −(m_j − m̄) / √(J (J − 1)) for units' means m, and the third moment of their mean is
    Σ (m_j − m̄)³ / (J (J − 1) (J − 2)). With `squares` Σ w² of unequal weights, they count as 1 / Σ w² units.
    """
    units = 1.0 / squares if squares > 0.0 else 0.0
    if units <= 2.0:
        return 0.0
    return -float(np.sum(parts * parts**2)) * float(np.sqrt(units * (units - 1.0))) / (units - 2.0)


def _few_degrees(weights: Floats) -> float:
    """Return the degrees of freedom of many units by their weights alone."""
    return float(np.sum(weights**2) ** 2 / np.sum(weights**4)) - 1.0
