"""Responses with the units that gave them and with clusters: the input of a test for shared units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats, Integers
from nbyk.metrics.item_means import item_means, without_rounding
from nbyk.testing.shared_units.kernels import add_sharing

Source = Literal["raters", "runs", "runs of A", "runs of B"]

_ROLES: dict[Source, slice] = {
    "raters": slice(0, 1),
    "runs": slice(1, 3),
    "runs of A": slice(1, 2),
    "runs of B": slice(2, 3),
}
"""The roles, of gold, A and B, in which the units of a source answer."""

NO_UNIT = -1
"""The unit of a response whose rater or run belongs to its item alone."""


@dataclass(frozen=True)
class Role:
    """The responses of gold, of A or of B, shape (N, K), NaN if missing.

    The `units` that gave them are numbered through all roles; `NO_UNIT` is one that is not shared.
    """

    values: Floats
    units: Integers

    @cached_property
    def packed(self) -> Floats:
        """The responses of each item first, then NaN."""
        return left_packed(self.values)


@dataclass(frozen=True)
class Responses:
    """All responses of a comparison, with the units that gave them. Make it with `responses`.

    Attributes
    ----------
    gold, a, b
        The three roles. Without gold, the values of `gold` have shape (N, 0).
    source_units
        For each source of shared units, the numbers of its units, at least two.
    clusters : ndarray, shape (N,)
        The cluster of each item, 0 to G − 1; each item is its own cluster if none were given.
    clustered
        Whether clusters were given.
    table : ndarray, shape (U, C), or None
        The distributions over classes that values are the places of; None if they are numbers.
    """

    gold: Role
    a: Role
    b: Role
    source_units: dict[Source, Integers]
    clusters: Integers
    clustered: bool
    table: Floats | None = None

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.a.values)

    @property
    def roles(self) -> tuple[Role, ...]:
        """Gold, A and B."""
        return self.gold, self.a, self.b

    @cached_property
    def n_units(self) -> int:
        """One more than the largest number of a unit."""
        return 1 + max((int(role.units.max(initial=-1)) for role in self.roles), default=-1)

    @cached_property
    def sources_of_units(self) -> Integers:
        """The place of each unit's source among the sources."""
        return np.repeat(
            np.arange(len(self.source_units)), [len(units) for units in self.source_units.values()]
        )

    @cached_property
    def panel_sizes(self) -> Floats:
        """The mean number of responses to the items of each unit, its own included, in its roles."""
        totals, counts = np.zeros(self.n_units + 1), np.zeros(self.n_units + 1)
        for role in self.roles:
            sizes = np.sum(~np.isnan(role.values), axis=1)
            units = role.units.ravel() + 1  # 0: no unit
            totals += np.bincount(units, np.repeat(sizes, role.units.shape[1]), len(totals))
            counts += np.bincount(units, minlength=len(counts))
        return totals[1:] / counts[1:]

    @cached_property
    def sizes(self) -> dict[Source, int]:
        """The number of units of each source, of the system with fewer if both have units of it."""
        return {
            source: min(len(np.intersect1d(role.units, units)) for role in self.roles_of(source))
            for source, units in self.source_units.items()
        }

    @cached_property
    def in_order(self) -> Responses:
        """The same data with items, and the numbers of clusters, in an order that follows from the responses.

        Groups and blocks of items are dealt by place, so that they do not depend on the order of a file.
        Classes have no order, so their items keep that of their ids.
        """
        return _ordered(self) if self.table is None else self

    @cached_property
    def unit_ranks(self) -> Integers:
        """The rank of each unit by its responses; it depends on numbers and rows only where units tie."""
        return _ranks_of_units(self, np.sum(_far(_keys(self)), axis=0))

    @cached_property
    def entries(self) -> tuple[Integers, Integers]:
        """The items and the units of all different pairs of an item and a unit that answered it, by item."""
        units = np.concatenate([role.units for role in self.roles], axis=1)
        of_b = units[:, units.shape[1] - self.b.units.shape[1] :]
        for of_a in self.a.units.T:
            of_b[of_b == of_a[:, None]] = NO_UNIT  # paired: it is A's entry
        items, columns = np.nonzero(units >= 0)
        return items, units[items, columns]

    @cached_property
    def cells(self) -> tuple[Integers, Integers]:
        """The unit of each cell, which is a unit's entries in one cluster; and each entry's cell."""
        items, units = self.entries
        n_clusters = int(self.clusters.max()) + 1
        cells, cell_of = np.unique(units * n_clusters + self.clusters[items], return_inverse=True)
        return cells // n_clusters, cell_of

    @cached_property
    def answered(self) -> list[Integers]:
        """The items that each unit answered."""
        items, units = self.entries
        ends = np.searchsorted(np.sort(units), np.arange(1, self.n_units))
        return np.split(items[np.argsort(units, kind="stable")], ends)

    def without_units(self, source: Source) -> tuple[Floats, Floats]:
        """Return the weights of a source's units in the mean of item means of its roles, shape (J,).

        Weights are summed over roles and divided by their number. Beside them stand the changes of all
        weights (columns) when a unit (row) leaves every item's mean, (J, J).
        """
        units, roles = self.source_units[source], self.roles_of(source)
        local = np.full(self.n_units + 1, -1)  # the last: no unit
        local[units] = np.arange(len(units))
        weights, changes = np.zeros(len(units)), np.zeros((len(units), len(units)))
        lost = np.zeros(len(units), np.int64)
        for role in roles:
            add_sharing(role.values, local[role.units], weights, changes, lost)
        n = self.n_items * len(roles)
        kept = (n - lost)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = (weights + changes) / kept - weights / n
        return weights / n, changes

    def roles_of(self, source: Source) -> tuple[Role, ...]:
        """Return the roles in which the units of a source answer."""
        return self.roles[_ROLES[source]]


def responses(
    a: ArrayLike,
    b: ArrayLike,
    *,
    gold: ArrayLike | None = None,
    a_units: ArrayLike | None = None,
    b_units: ArrayLike | None = None,
    gold_units: ArrayLike | None = None,
    paired: bool = False,
    clusters: ArrayLike | None = None,
    table: Floats | None = None,
) -> Responses:
    """Return the responses of a comparison with their units in order; they were checked when they were read.

    Parameters
    ----------
    a, b, gold : array_like, shape (N, K), each with a K of its own
        Responses; NaN if missing. Each item has at least one of each role.
    a_units, b_units, gold_units : array_like of int, as the responses
        Which run or rater gave each response, from 0, once an item; negative if its unit belongs to the item
        alone or is fixed. None: no item shares a unit of this role.
    paired
        Whether the same number in `a_units` and `b_units` means the same unit: the same seed, or the same
        person who rates outputs of both systems. A unit that is in only one of the two roles stays unpaired.
    clusters : array_like of int, shape (N,), optional
        Cluster of each item.
    table : ndarray, shape (U, C), optional
        The distributions over classes that responses are the places of.
    """
    n = len(np.asarray(a))
    gold = np.empty((n, 0)) if gold is None else gold
    values = [np.require(of, np.float64, ["C"]) for of in (gold, a, b)]
    given = [_units(*of) for of in zip((gold_units, a_units, b_units), values, strict=True)]
    source_units: dict[Source, Integers] = {}
    numbered = [np.full(ids.shape, NO_UNIT, np.int64) for ids in given]
    for source, numbers in _sources(*given, paired=paired):
        if len(numbers) < 2:
            continue
        first = sum(map(len, source_units.values()))
        source_units[source] = np.arange(first, first + len(numbers))
        for position in range(3)[_ROLES[source]]:
            renumbered = _renumbered(given[position], numbers, first)
            numbered[position] = np.maximum(numbered[position], renumbered)
    of_items = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1].reshape(n)
    gold_role, a_role, b_role = map(Role, values, numbered)
    return Responses(gold_role, a_role, b_role, source_units, of_items, clusters is not None, table)


def left_packed(values: Floats) -> Floats:
    """Return rows with their numbers first, then NaN."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    return np.take_along_axis(values, np.argsort(missing, axis=1, kind="stable"), axis=1)


def _ordered(data: Responses) -> Responses:
    """Return the data in the order of `Responses.in_order`.

    The order depends neither on the rows of a file, nor on which system is A (that of less variance comes
    first), nor on the direction of the scale, but where items tie.
    """
    keys = _keys(data)
    far = _far(keys)
    systems = sorted((data.a, data.b), key=lambda role: (np.nanvar(role.values), np.nanmean(role.values)))
    by_unit = [_by_unit(role, data.unit_ranks) for role in (data.gold, *systems)]
    columns = without_rounding(np.stack([*far, *keys], axis=1))
    rows = np.concatenate([columns, *by_unit], axis=1)
    if data.clustered:
        sizes = np.bincount(data.clusters)
        sums = [np.bincount(data.clusters, weights=column) for column in np.nan_to_num(rows).T]
        of_clusters = without_rounding(np.stack(sums, axis=1) / sizes[:, None])
        rank = np.empty(len(sizes), np.int64)
        rank[np.lexsort(of_clusters.T[::-1])] = np.arange(len(sizes))
        clusters = rank[data.clusters]
        order = np.lexsort([*rows.T[::-1], clusters])
    else:
        order = np.lexsort(rows.T[::-1])
        clusters = np.empty(len(order), np.int64)
        clusters[order] = np.arange(len(order))
    gold_role, a_role, b_role = (Role(role.values[order], role.units[order]) for role in data.roles)
    return replace(data, gold=gold_role, a=a_role, b=b_role, clusters=clusters[order])


def _keys(data: Responses) -> list[Floats]:
    """Return numbers of each item that do not depend on which system is A."""
    means = [item_means(role.packed) if role.values.shape[1] else None for role in data.roles]
    gold, a, b = means
    assert a is not None
    assert b is not None
    return [a + b, np.abs(a - b)] if gold is None else [gold, a + b, np.abs(a - b)]


def _far(keys: list[Floats]) -> list[Floats]:
    return [np.abs(key - key.mean()) for key in keys]


def _ranks_of_units(data: Responses, of_items: Floats) -> Integers:
    """Return the rank of each unit by its responses and by the items that it answers; the last is no unit."""
    sums = np.zeros((data.n_units, 4))
    for role in data.roles:
        rows, columns = np.nonzero(role.units >= 0)
        units, values = role.units[rows, columns], role.values[rows, columns]
        weights = of_items[rows]
        for place, numbers in enumerate((np.ones(len(rows)), weights, values, values * weights)):
            sums[:, place] += np.bincount(units, weights=numbers, minlength=data.n_units)
    ranks = np.full(data.n_units + 1, -1)
    ranks[np.lexsort(without_rounding(sums).T[::-1])] = np.arange(data.n_units)
    return ranks


def _by_unit(role: Role, ranks: Integers) -> Floats:
    """Return the responses of each item by the ranks of their units, and then by value, and these ranks."""
    by_value = np.argsort(role.values, axis=1, kind="stable")
    values = np.take_along_axis(role.values, by_value, axis=1)
    units = ranks[np.take_along_axis(role.units, by_value, axis=1)]
    order = np.argsort(units, axis=1, kind="stable")
    both = [np.take_along_axis(array, order, axis=1) for array in (values, units)]
    return np.concatenate(both, axis=1)


def _units(units: ArrayLike | None, values: Floats) -> Integers:
    ids = np.full(values.shape, NO_UNIT) if units is None else np.asarray(units)
    return np.where(np.isnan(values) | (ids < 0), NO_UNIT, ids).astype(np.int64)


def _sources(gold: Integers, a: Integers, b: Integers, *, paired: bool) -> Iterator[tuple[Source, Integers]]:
    """Yield each source with the given numbers of its units.

    One unit alone shows no variance. So one unit that both systems have is no pair, and one that a system has
    beyond two pairs or more is another unit of their source, in which it answers for this system alone.
    """
    of_gold, of_a, of_b = (np.unique(ids[ids >= 0]) for ids in (gold, a, b))
    both = np.intersect1d(of_a, of_b) if paired else np.empty(0, np.int64)
    if len(both) == 1:
        both = both[:0]
    for alone in (np.setdiff1d(of_a, both), np.setdiff1d(of_b, both)):
        if len(both) and len(alone) == 1:
            both = np.union1d(both, alone)
    yield "raters", of_gold
    yield "runs", both
    yield "runs of A", np.setdiff1d(of_a, both)
    yield "runs of B", np.setdiff1d(of_b, both)


def _renumbered(ids: Integers, numbers: Integers, first: int) -> Integers:
    place = np.minimum(np.searchsorted(numbers, ids), len(numbers) - 1)
    return np.where(numbers[place] == ids, first + place, NO_UNIT)
