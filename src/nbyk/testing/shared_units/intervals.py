"""Intervals of the parts of a variance, by the jackknife; and the parts themselves if a metric jumps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import TypeAlias

import numpy as np
from scipy.special import stdtrit

from nbyk.arrays import Booleans, Floats, Integers
from nbyk.metrics import Metric
from nbyk.testing.results import VariancePart
from nbyk.testing.shared_units.components import less_explained
from nbyk.testing.shared_units.generalise import SharedUnitsTest, law_of, shared_units_test
from nbyk.testing.shared_units.responses import NO_UNIT, Responses, Role, Source
from nbyk.testing.shared_units.statistic import columns_of, effects_of_sets

Estimate: TypeAlias = Callable[[Integers, Integers], Floats]
"""Returns `SharedUnitsTest.parts` by some of the items and without some of the units."""

_MOST_ITEMS = 1000
_MOST_RESPONSES = 40_000
"""A part of the items represents larger data."""

_ITEM_GROUPS = 10
_UNIT_GROUPS = 8
_SPLITS = 60
_SPLITS_AGAIN = 20
_SEED = 20261123
_NO_UNITS: Integers = np.empty(0, np.int64)


def parts_with_intervals(metric: Metric, data: Responses, test: SharedUnitsTest) -> tuple[VariancePart, ...]:
    """Return the parts of the variance of a test, each with a 95 % interval.

    For a metric that is linear in the ratings these are `SharedUnitsTest.parts`. For others, the interval of
    items, and of units × items, is Student's t with a jackknifed variance: groups of items, and of the units
    of each source, are left out in turn, and the parts are estimated again.

    For a metric that jumps, items and units are split into halves at random instead. The effects of two
    halves that share their raters alone covary by the part of the raters, and so on (the Hoeffding
    decomposition; Efron and Stein 1981). With half as many raters all parts are too small, in about the same
    ratio, and nbyk scales them so that they add up to the variance of the test without its stretch. Measured
    in docs/shared-units.md.
    """
    if metric.smoothness == "linear" or not test.sources:
        return test.parts
    sample = _sample(data.in_order)
    size = sample.n_items / data.n_items
    over_items = np.array([True, *[False, True] * len(test.sources)])
    scale = np.where(over_items, size, 1.0)
    every = np.arange(sample.n_items)
    full_df = np.inf
    if metric.smoothness == "jumps":
        estimates = scale * _by_splits(metric, sample, test, _SPLITS)(every, _NO_UNITS)
        whole = float(np.maximum(estimates, 0.0).sum())
        if not whole > 0.0:  # also if it is NaN
            return test.parts
        law = law_of(test.items, list(test.sources.values()), 1.0)
        full_variance, full_df = law.variance, law.df_of_variance
        estimates, scale = estimates * full_variance / whole, scale * full_variance / whole
        estimate = _by_splits(metric, sample, test, _SPLITS_AGAIN)
    else:
        estimates = _estimates(test)
        estimate = _by_test(metric, sample, test)
    variance, df = _jackknifed(estimate, sample, test, over_items)
    reach = stdtrit(df, 0.975) * np.sqrt(scale**2 * variance + estimates**2 * 2.0 / full_df)
    return tuple(_parts(estimates, reach, test, over_items))


def _estimates(test: SharedUnitsTest) -> Floats:
    """Return the parts of the variance as they are estimated; some may be negative."""
    return np.array([square - explained for square, _, explained in test.squares.values()])


def _parts(found: Floats, reach: Floats, test: SharedUnitsTest, over_items: Floats) -> Iterator[VariancePart]:
    """Yield the parts: those of units with an interval by χ², the others with that of t."""
    known = np.maximum(found, 0.0)
    whole = known.sum()
    for place, (part, (_, df, _)) in enumerate(zip(test.parts, test.squares.values(), strict=True)):
        low, high = max(found[place] - reach[place], 0.0), max(found[place] + reach[place], 0.0)
        if not over_items[place] and test.smoothness != "jumps":
            low, high = part.low, part.high
        elif not over_items[place]:
            noise = float(known[place + 1])
            total = max(float(found[place]) + noise, 0.0)
            _, low, high = less_explained(total, df, noise)
        share = known[place] / whole if whole > 0.0 else np.nan
        yield VariancePart(part.source, float(known[place]), float(share), float(low), float(high))


def _jackknifed(
    estimate: Estimate, sample: Responses, test: SharedUnitsTest, over_items: Booleans
) -> tuple[Floats, Floats]:
    """Return the variances of the parts over new items and new units, and their degrees of freedom."""
    every = np.arange(sample.n_items)
    clusters = _groups(int(sample.clusters.max()) + 1, _ITEM_GROUPS)
    kept = [np.flatnonzero(~np.isin(sample.clusters, group)) for group in clusters]
    variance, squares = _variance(
        [estimate(rows, _NO_UNITS) * np.where(over_items, len(rows) / len(every), 1.0) for rows in kept]
    )
    for place, source in enumerate(test.sources):
        units = _by_rank(sample, source)
        gone = [units[group] for group in _groups(len(units), _UNIT_GROUPS)]
        is_source = np.zeros(len(over_items), bool)
        is_source[1 + 2 * place : 3 + 2 * place] = True
        more, more_squares = _variance(
            [estimate(every, out) * np.where(is_source, 1.0 - len(out) / len(units), 1.0) for out in gone]
        )
        variance, squares = variance + more, squares + more_squares
    with np.errstate(divide="ignore", invalid="ignore"):
        return variance, np.where(squares > 0.0, variance**2 / squares, 1.0)


def _variance(again: list[Floats]) -> tuple[Floats, Floats]:
    """Return the jackknife's variances of estimates without each group, and their squares over the df."""
    estimates = np.array(again)
    n = len(estimates)
    variance: Floats = (n - 1) / n * ((estimates - estimates.mean(axis=0)) ** 2).sum(axis=0)
    return variance, variance**2 / (n - 1)


def _groups(n: int, most: int) -> list[Integers]:
    """Return groups of n things, dealt at random; at most `most`."""
    groups = np.random.default_rng(_SEED).permutation(n) % most
    return [np.flatnonzero(groups == group) for group in range(min(n, most))]


def _by_rank(sample: Responses, source: Source) -> Integers:
    units = sample.source_units[source]
    return units[np.argsort(sample.unit_ranks[units])]


def _sample(data: Responses) -> Responses:
    """Return the data, or a part of their clusters that has few enough items and responses."""
    width = sum(role.values.shape[1] for role in data.roles)
    share = min(_MOST_ITEMS, _MOST_RESPONSES / width) / data.n_items
    n_clusters = int(data.clusters.max()) + 1
    if share >= 1.0:
        return data
    chosen = np.random.default_rng(_SEED).permutation(n_clusters) < max(2, share * n_clusters)
    return _taken(data, np.flatnonzero(chosen[data.clusters]), _NO_UNITS)


def _taken(data: Responses, rows: Integers, gone: Integers) -> Responses:
    """Return some of the items, without the responses of some units.

    Items that have none left are out, and so are units that answered none of the items.
    """
    is_gone = np.zeros(data.n_units + 1, bool)  # NO_UNIT is the last
    is_gone[gone] = True
    values, answered = _left(data, rows, is_gone)
    rows, values = rows[answered], [of[answered] for of in values]
    units = [role.units[rows] for role in data.roles]
    kept = np.zeros(data.n_units + 1, bool)
    for of in units:
        kept[of] = True
    kept[[*gone, NO_UNIT]] = False
    numbers = np.where(kept, np.cumsum(kept) - 1, NO_UNIT)
    gold, a, b = (Role(of, numbers[by]) for of, by in zip(values, units, strict=True))
    sources = {source: numbers[of[kept[of]]] for source, of in data.source_units.items()}
    _, clusters = np.unique(data.clusters[rows], return_inverse=True)
    return replace(data, gold=gold, a=a, b=b, source_units=sources, clusters=clusters)


def _left(data: Responses, rows: Integers, is_gone: Booleans) -> tuple[list[Floats], Booleans]:
    """Return the roles' responses to some items without some units, and whether each role has one left."""
    values = [np.where(is_gone[role.units[rows]], np.nan, role.values[rows]) for role in data.roles]
    return values, np.all([~np.isnan(of).all(axis=1) for of in values if of.shape[1]], axis=0)


def _by_test(metric: Metric, sample: Responses, test: SharedUnitsTest) -> Estimate:
    """Return the estimate of the parts by the test itself."""

    def estimate(rows: Integers, gone: Integers) -> Floats:
        left, sources = _taken(sample, rows, gone), list(test.sources)
        sizes = [len(np.unique(left.clusters)), *(len(left.source_units[source]) for source in sources)]
        if min(sizes) < 2:
            return np.full(1 + 2 * len(sources), np.nan)
        return _estimates(shared_units_test(metric, left, sources=sources))

    return estimate


def _by_splits(metric: Metric, sample: Responses, test: SharedUnitsTest, n_splits: int) -> Estimate:
    """Return the estimate of the parts by the effects of random halves."""
    rng = np.random.default_rng(_SEED)
    n_clusters = int(sample.clusters.max()) + 1
    item_halves = np.array([_halves(n_clusters, rng) for _ in range(n_splits)])[:, sample.clusters]
    unit_halves = np.zeros((n_splits, sample.n_units + 1), np.int64)
    sources = [sample.source_units[source] for source in test.sources]
    for source, units in zip(test.sources, sources, strict=True):
        # the runs of A and of B are dealt alike, so that it does not matter which system is A
        rng = np.random.default_rng([_SEED, source != "raters"])
        unit_halves[:, _by_rank(sample, source)] = [_halves(len(units), rng) for _ in range(n_splits)]

    def estimate(rows: Integers, gone: Integers) -> Floats:
        splits = zip(item_halves, (_without(halves, gone, sources) for halves in unit_halves), strict=True)
        estimates = [_parts_of_split(metric, sample, test, rows, *halves) for halves in splits]
        finite = [parts for parts in estimates if np.isfinite(parts).all()]
        if 2 * len(finite) < n_splits:
            return np.full(1 + 2 * len(sources), np.nan)
        return np.asarray(np.mean(finite, axis=0))

    return estimate


def _halves(n: int, rng: np.random.Generator) -> Integers:
    """Return the half, 0 or 1, of each of n things; −1 for the last one of an odd number."""
    halves = np.full(n, -1)
    order = rng.permutation(n)
    halves[order[: n // 2]], halves[order[n // 2 : n // 2 * 2]] = 0, 1
    return halves


def _without(halves: Integers, gone: Integers, sources: list[Integers]) -> Integers:
    """Return the halves without some units; the odd unit of a source takes the place of one that is gone."""
    left = halves.copy()
    left[gone] = -1
    for units in sources:
        odd = np.setdiff1d(units[halves[units] < 0], gone)
        counts = [np.sum(left[units] == half) for half in (0, 1)]
        if len(odd) and counts[0] != counts[1]:
            left[odd] = int(np.argmin(counts))
    return left


def _parts_of_split(
    metric: Metric,
    sample: Responses,
    test: SharedUnitsTest,
    rows: Integers,
    item_halves: Integers,
    unit_halves: Integers,
) -> Floats:
    """Return the parts by the effects of one split into halves, scaled to all items and units."""
    sources = list(test.sources)
    effects = np.full((2,) * (1 + len(sources)), np.nan)
    for halves in product((0, 1), repeat=len(sources)):
        wanted = np.full(sample.n_units + 1, -2)  # -2: of no source, and therefore of both halves
        for source, half in zip(sources, halves, strict=True):
            wanted[sample.source_units[source]] = half
        kept = (wanted == -2) | (unit_halves == wanted)
        values, answered = _left(sample, rows, ~kept)
        roles = [Role(of, role.units[rows]) for of, role in zip(values, sample.roles, strict=True)]
        columns = columns_of(metric, replace(sample, gold=roles[0], a=roles[1], b=roles[2]))
        for half in (0, 1):
            chosen = np.flatnonzero(answered & (item_halves[rows] == half))
            if len(chosen) > 1:
                sets = [column[chosen][None] for column in columns]
                effects[(half, *halves)] = effects_of_sets(metric, sets)[0]

    def both(differences: Floats) -> float:
        # two differences that share nothing but the factor in question
        return float(np.mean(differences * np.flip(differences)))

    first_shares = [np.mean(item_halves[rows] == 0)]
    first_shares += [np.mean(unit_halves[sample.source_units[source]] == 0) for source in sources]
    across = effects[0] - effects[1]
    parts = [first_shares[0] * both(across) / 2.0]
    for axis, share in enumerate(first_shares[1:]):
        between = np.take(effects, 0, axis + 1) - np.take(effects, 1, axis + 1)
        twice = np.take(across, 0, axis) - np.take(across, 1, axis)
        parts += [share * both(between) / 2.0, first_shares[0] * share * both(twice) / 4.0]
    return np.array(parts)
