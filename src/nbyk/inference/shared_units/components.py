"""Where the variance of an effect comes from: items or clusters, and each source of shared units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbyk.inference.shared_units.responses import Responses, Source
from nbyk.inference.shared_units.statistic import Changes

Floats = NDArray[np.float64]

_EXACT_UNITS = 600
"""Up to so many units, degrees of freedom are computed from who shares items with whom."""


@dataclass(frozen=True)
class Component:
    """What one source of units adds to the variance of the effect.

    Attributes
    ----------
    units
        How many there are.
    total
        Variance that a delete-one jackknife over the units finds: theirs, and that of their single responses.
    within
        The part of `total` that single responses explain (noise, and unit × item), which items have already.
    df
        Degrees of freedom of `total`.
    """

    units: int
    total: float
    within: float
    df: float


def item_component(data: Responses, found: Changes) -> Component:
    """Return the variance over items or, where items have clusters, over clusters."""
    weights = found.group_sizes / found.group_sizes.sum()
    if not data.clustered:
        total = float(np.sum((1.0 - weights) * found.groups**2))
        return Component(data.n_items, total, 0.0, len(weights) - 1.0)
    # Without cluster g the effect changes by w_g / (1 − w_g) · Σ_h (w_h − [h = g]) s_h, where s are the clusters'.
    rows = weights / (1.0 - weights)
    squares = float(np.sum(weights**2))
    spread = squares - 2.0 * weights + 1.0
    factors = weights**2 / (rows**2 * spread)
    total = float(np.sum(factors * found.groups**2))
    df = _few_degrees(weights)
    if len(weights) <= _EXACT_UNITS:
        gram = squares - weights[:, None] - weights[None, :]
        np.fill_diagonal(gram, spread)
        scaled = factors * rows**2
        df = float(scaled @ spread) ** 2 / float(scaled @ gram**2 @ scaled)
    return Component(int(data.clusters.max()) + 1, total, 0.0, max(df, 1.0))


def unit_component(data: Responses, source: Source, found: Changes) -> Component:
    """Return the variance over the units of a source."""
    units = data.source_units[source]
    weights, design, _ = data.without_units(data.roles_of(source), source)
    spread = np.sum(design**2, axis=1)
    factors = np.where(spread > 0, weights**2 / np.where(spread > 0, spread, 1.0), 0.0)
    centred = found.units[units] - weights * (found.units[units].sum() / weights.sum())
    total = float(np.sum(factors * centred**2))
    within = float(np.sum(factors * found.within[units]))
    if len(units) <= _EXACT_UNITS:
        gram = design @ design.T
        df = float(np.sum(factors * np.diag(gram))) ** 2 / float(factors @ gram**2 @ factors)
    else:
        df = _few_degrees(weights)
    return Component(len(units), total, within, max(df, 1.0))


def _few_degrees(weights: Floats) -> float:
    """Return the degrees of freedom of many units by their weights alone."""
    return float(np.sum(weights**2) ** 2 / np.sum(weights**4)) - 1.0
