"""Effects weighted by precision: where a few raters give most ratings, equal weights waste the others.

The ratings y_ij that raters j give items i are modelled as crossed, y = β + item + rater + noise. Restricted
maximum likelihood gives the ratios of their variances, and generalised least squares the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.testing.shared_units.components import Component, third_moment
from nbyk.testing.shared_units.kernels import solve_and_log_determinant

_LEAST_RATIO, _MOST_RATIO = 1e-6, 1e4
_ROUNDS, _POINTS = 8, 7

UNEQUAL = 1.25
"""Weights by precision are used if J Σ w² of units' shares of the responses is more than this, 1 if equal."""

MOST_UNITS = 200
"""With more units, ratings keep equal weights: the fit would take too long."""


@dataclass(frozen=True)
class Crossed:
    """Ratings y_ij of items by raters, one for each entry, shape (E,).

    Items and units have numbers from 0. Entries stand in the order of their items, and each item and unit has
    an entry.
    """

    items: Integers
    units: Integers
    values: Floats

    @cached_property
    def per_item(self) -> Integers:
        """The number of entries of each item."""
        return np.bincount(self.items)

    @cached_property
    def n_units(self) -> int:
        """Number of units J."""
        return int(self.units.max()) + 1

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """All pairs of entries of one item, both ways and each with itself."""
        counts = self.per_item[self.items]
        first = np.repeat(np.arange(len(self.items)), counts)
        starts = np.cumsum(self.per_item) - self.per_item
        within = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        return first, starts[self.items[first]] + within

    @cached_property
    def shared_by_size(self) -> dict[int, Floats]:
        """For each number of entries of an item, how many such items each two units share, shape (J, J)."""
        first, second = self.pairs
        sizes = self.per_item[self.items[first]]
        return {
            int(size): self._by_units(first[sizes == size], second[sizes == size], np.ones(1))
            for size in np.unique(self.per_item)
        }

    def _by_units(self, first: Integers, second: Integers, weights: Floats) -> Floats:
        """Return weights of pairs of entries, summed by their units, shape (J, J)."""
        n = self.n_units
        places = self.units[first] * n + self.units[second]
        weights = np.broadcast_to(weights, places.shape)
        sums: Floats = np.bincount(places, weights=weights, minlength=n * n).astype(np.float64)
        return sums.reshape(n, n)

    def products(self, left: Floats, right: Floats) -> Floats:
        """Return Σ over items of left_ij right_il by units j and l, shape (J, J)."""
        first, second = self.pairs
        return self._by_units(first, second, left[first] * right[second])

    def over_items(self, values: Floats) -> Floats:
        """Return the sums of the items' entries, shape (N,)."""
        sums: Floats = np.bincount(self.items, weights=values).astype(np.float64)
        return sums

    def over_units(self, values: Floats) -> Floats:
        """Return the sums of the units' entries, shape (J,)."""
        sums: Floats = np.bincount(self.units, weights=values, minlength=self.n_units).astype(np.float64)
        return sums


@dataclass(frozen=True)
class Fit:
    """A crossed model with given variance ratios, fitted by generalised least squares.

    The `weights` of the ratings in the `mean` β, (E,), add up to 1; `noise`, `item` and `unit` are variances,
    and the restricted log-likelihood is right but for a constant.
    """

    weights: Floats
    mean: float
    noise: float
    item: float
    unit: float
    log_likelihood: float


def fitted(data: Crossed) -> Fit:
    """Return the fit by restricted maximum likelihood: a search over both ratios to the noise, in turns.

    Where no item has two ratings, items are part of the noise, which each unit's ratings show.
    """
    logs = np.full(2, 0.5 * np.log(_MOST_RATIO * _LEAST_RATIO))
    axes = (0, 1) if data.per_item.max() > 1 else (1,)
    if len(axes) == 1:
        logs[0] = np.log(_LEAST_RATIO)
    width = np.log(_MOST_RATIO / _LEAST_RATIO) / 2.0
    best = fit_at(data, *np.exp(logs))
    for _ in range(_ROUNDS):
        for axis in axes:
            steps = logs[axis] + np.linspace(-width, width, _POINTS)
            for step in np.clip(steps, np.log(_LEAST_RATIO), np.log(_MOST_RATIO)):
                tried = logs.copy()
                tried[axis] = step
                fit = fit_at(data, *np.exp(tried))
                if fit.log_likelihood > best.log_likelihood:
                    best, logs = fit, tried
        width *= 0.4
    return best


def fit_at(data: Crossed, item_ratio: float, unit_ratio: float) -> Fit:
    """Return the fit with given ratios of the variances of items and of units to that of noise, above 0."""
    n_entries, sizes = len(data.values), data.per_item
    shrink = item_ratio / (1.0 + item_ratio * sizes)

    def absorbed(values: Floats) -> Floats:
        """Apply the inverse of noise and items, (I + item_ratio Z Z′)⁻¹."""
        return values - (shrink * data.over_items(values))[data.items]

    by_units = np.diag(data.over_units(np.ones(n_entries)))
    for size, shared in data.shared_by_size.items():
        by_units = by_units - item_ratio / (1.0 + item_ratio * size) * shared
    by_units[np.diag_indices_from(by_units)] += 1.0 / unit_ratio
    first = [absorbed(values) for values in (np.ones(n_entries), data.values)]
    solved = np.stack([data.over_units(values) for values in first], axis=1)
    of_units = solve_and_log_determinant(by_units, solved)
    of_ones, of_values = (values - absorbed(solved[data.units, place]) for place, values in enumerate(first))
    precision = float(of_ones.sum())
    mean = float(of_values.sum()) / precision
    residual = float(np.sum((data.values - mean) * (of_values - mean * of_ones)))
    noise = max(residual, 1e-300) / (n_entries - 1)
    log_determinant = (
        float(np.sum(np.log1p(item_ratio * sizes))) + data.n_units * np.log(unit_ratio) + of_units
    )
    likelihood = -0.5 * ((n_entries - 1) * np.log(noise) + log_determinant + np.log(precision))
    return Fit(of_ones / precision, mean, noise, noise * item_ratio, noise * unit_ratio, float(likelihood))


def components_of(data: Crossed, fit: Fit) -> tuple[Component, Component]:
    """Return the parts of the variance of the weighted mean over items, and over units.

    Let r be the residuals, and h_j = Σ_i ω_ij r_ij the part of unit j. Its covariance C under the fit follows
    from the weights. The variance over units is T = Σ h² (variance by units and noise under the fit) / tr C,
    with (tr C)² / ‖C‖² degrees of freedom; that over items is the same by item. The fit thus gives weights
    and covariances, and the squared parts the scale (Bell and McCaffrey 2002).
    """
    weights, residuals = fit.weights, data.values - fit.mean
    by_unit, by_item = data.over_units(weights), data.over_items(weights)
    noise = fit.noise * float(np.sum(weights**2))
    of_items, of_units = (
        variance * float(np.sum(by**2)) for variance, by in ((fit.item, by_item), (fit.unit, by_unit))
    )
    variance = noise + of_items + of_units
    inner = data.products(weights, weights)

    # Over units: the covariance of h, J × J
    covariance = np.diag(fit.noise * data.over_units(weights**2) + fit.unit * by_unit**2)
    covariance = covariance + fit.item * inner
    covariance = covariance - variance * np.outer(by_unit, by_unit)
    trace, norm = float(np.trace(covariance)), float(np.sum(covariance**2))
    unit = _component(by_unit, data.over_units(weights * residuals), of_units + noise, trace, norm)
    within_df = max(1.0, len(weights) - len(by_item))
    unit = replace(unit, within=noise, within_df=within_df, responses=len(weights))

    # Over items: C = D + unit W W′ − variance ω ω′, whose trace and norm need no N × N matrix
    diagonal = fit.noise * data.over_items(weights**2) + fit.item * by_item**2
    shared = fit.unit * data.over_items(weights**2)
    trace = float(np.sum(diagonal + shared - variance * by_item**2))
    cross = data.over_units(weights * by_item[data.items])
    norm = (
        float(np.sum(diagonal**2))
        + 2.0 * float(np.sum(diagonal * (shared - variance * by_item**2)))
        + fit.unit**2 * float(np.sum(inner**2))
        - 2.0 * fit.unit * variance * float(np.sum(cross**2))
        + variance**2 * float(np.sum(by_item**2)) ** 2
    )
    return _component(by_item, data.over_items(weights * residuals), of_items + noise, trace, norm), unit


def _component(weights: Floats, parts: Floats, expected: float, trace: float, norm: float) -> Component:
    """Return a part of the variance from squared parts, and their expected variance and covariance."""
    squares, loads = float(np.sum(parts**2)), float(np.sum(weights**2))
    total, df = 0.0, 1.0  # so small that its square is 0, too
    if trace > 0.0 and norm > 0.0:
        total, df = squares * expected / trace, max(1.0, trace**2 / norm)
    third = third_moment(-parts * np.sqrt(total / max(squares, 1e-300)), loads)
    return Component(len(weights), total, 0.0, df, 1.0, len(weights), loads, third)
