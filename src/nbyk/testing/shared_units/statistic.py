"""The changes of the effect, by any metric, when a unit or a group of items leaves the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nbyk.arrays import Booleans, Floats, Integers
from nbyk.metrics import Metric
from nbyk.metrics.classes import shares_of
from nbyk.metrics.item_means import item_means, without_rounding
from nbyk.testing.shared_units.responses import Responses, left_packed

ITEM_GROUPS = 400
"""Most groups of items to leave out one at a time, if the effect is not a mean over items."""

FEW_GROUPS = 10
"""Those of a metric that follows one item: of a median, the jackknife is right for large groups alone."""

BLOCKS = 100
"""Most parts of the items in which a unit is left out in turn, if the effect is not a mean over items."""

_NOISE_DEGREES = 400
_WORK = 2_000_000
"""Items to go through; with very many items, there are fewer groups and blocks."""

VALUES_AT_ONCE = 4_000_000
"""Values of sets that are held at once."""

_GROUPING_SEED = 20251122


@dataclass(frozen=True)
class Changes:
    """The effect, positive if A is better, and its changes when something is left out.

    Attributes
    ----------
    groups, group_sizes : ndarray, shape (G,)
        Change without each group of items, about its mean, and the number of items in each.
    units : ndarray, shape (J,)
        Change without each unit, numbered through all sources.
    within : ndarray, shape (J,)
        The expected square of `units` if a unit's effects on two groups of items have nothing in common:
        noise of single responses, and effects of one unit on one item.
    at_work
        The approximate number of items, or groups of items, that determine the effect: (Σ c²)² / Σ c⁴, with c
        the change without each. Clusters do not matter here.
    """

    effect: float
    groups: Floats
    group_sizes: Integers
    units: Floats
    within: Floats
    at_work: float


def changes(metric: Metric, data: Responses, item_weights: Floats | None = None) -> Changes:
    """Return the effect of a comparison and its changes without each unit and each group of items.

    A unit that is left out leaves every item's mean. An item with no response of a role left is dropped.
    `item_weights`, shape (N,), add up to 1; only a mean over items can have them.
    """
    if metric.is_mean_over_items:
        return _additive_changes(metric, data, item_weights)
    return _recomputed_changes(metric, data)


def ratings_of(metric: Metric, data: Responses, units: Integers) -> tuple[Integers, Integers, Floats]:
    """Return the parts of ratings by the units of a source in the effect of a mean over items.

    They are the item and the place of the unit of each entry, and d_i − (K_i − 1) (d_i⁽ʲ⁾ − d_i), shape (E,),
    with d_i the effect of an item and d_i⁽ʲ⁾ that without unit j. Their mean over an item is d_i. If the
    effect is linear in the ratings, they are the effects of each.
    """
    columns = columns_of(metric, data)
    whole = _effects_of_items(metric, columns)
    items, every, change, lost = _changes_of_entries(metric, data, columns, whole)
    of_source = np.flatnonzero((every >= units[0]) & (every <= units[-1]))
    rows, place = items[of_source], every[of_source] - units[0]
    sizes = np.bincount(rows, minlength=data.n_items)[rows]
    steps = np.where(lost[of_source], 0.0, change[of_source])
    return rows, place, whole[rows] - (sizes - 1.0) * steps


def effects_of_items(metric: Metric, data: Responses) -> Floats:
    """Return the effects of the items, (N,), of a mean over items."""
    return _effects_of_items(metric, columns_of(metric, data))


def columns_of(metric: Metric, data: Responses) -> list[Floats]:
    """Return the metric's input of gold, A and B: item means, left-packed responses, or shares of classes."""
    if data.table is not None:
        return [shares_of(data.gold.values, data.table), data.a.values, data.b.values]
    packed = [role.packed for role in data.roles]
    if metric.needs == "responses":
        return packed
    return [item_means(values) if values.shape[1] else values for values in packed]


def _changes_of_entries(
    metric: Metric, data: Responses, columns: list[Floats], whole: Floats
) -> tuple[Integers, Integers, Floats, Booleans]:
    """Return item and unit of each entry, the change of the item's effect without it, and lost items.

    If a role has no response left, the item is lost, and the change is that to the mean item.
    """
    items, units = data.entries
    without, lost = _effects_without(metric, data, columns, whole)
    change = np.where(lost, float(whole.mean()) - whole[items], without - whole[items])
    return items, units, change - _common_changes(data, items, units, change, lost), lost


def _additive_changes(metric: Metric, data: Responses, item_weights: Floats | None) -> Changes:
    columns = columns_of(metric, data)
    whole = _effects_of_items(metric, columns)
    effect = float(whole.mean()) if item_weights is None else float(np.sum(item_weights * whole))
    totals, within = np.zeros(data.n_units), np.zeros(data.n_units)
    if data.n_units:
        items, units, change, lost = _changes_of_entries(metric, data, columns, whole)
        if item_weights is not None:
            change *= data.n_items * item_weights[items]
        kept = data.n_items - np.bincount(units[lost], minlength=data.n_units).astype(np.float64)
        kept[kept == 0.0] = np.nan  # every item leaves with the unit
        totals, within = _unit_sums(data, change)
        # Items that leave with their unit take less along than the sum of squares says: n / (N (N − n)) each
        # in place of n / (N − n)².
        totals, within = totals / kept, within / kept**2 * (kept / data.n_items)
    sizes = np.bincount(data.clusters)
    sums = np.bincount(data.clusters, weights=whole - effect)
    return Changes(
        effect, -sums / (data.n_items - sizes), sizes, totals, within, items_at_work(whole - effect)
    )


def _unit_sums(data: Responses, change: Floats) -> tuple[Floats, Floats]:
    """Return each unit's sum δ of its entries' changes, and the part of δ² that its clusters explain.

    With δ_g the sum in a cluster, and p_g the cluster's share of the unit's entries, that part is
    Σ (δ_g − p_g δ)² / (1 − Σ p²), or δ² for a unit in a single cluster.
    """
    (_, units), (cell_units, cell_of) = data.entries, data.cells
    totals = np.bincount(units, change, data.n_units)
    shares = np.bincount(cell_of) / np.bincount(units)[cell_units]
    apart = np.bincount(cell_of, change) - shares * totals[cell_units]
    spread = 1.0 - np.bincount(cell_units, shares**2, data.n_units)
    within = np.bincount(cell_units, apart**2, data.n_units) / np.maximum(spread, 1e-9)
    return totals.astype(np.float64), np.where(spread > 1e-9, within, totals**2)


def items_at_work(changes: Floats) -> float:
    """Return the approximate number of items, or groups, behind the changes without each (`Changes`)."""
    squares = changes**2
    fourth = float(np.sum(squares**2))
    return float(np.sum(squares)) ** 2 / fourth if fourth > 0.0 else float(len(changes))


def _effects_without(
    metric: Metric, data: Responses, columns: list[Floats], whole: Floats
) -> tuple[Floats, Booleans]:
    """Return the effect of each entry's item without its unit, and whether a role has no response left."""
    items, units = data.entries
    effects, lost = np.empty(len(items)), np.zeros(len(items), bool)
    at_once = max(1, VALUES_AT_ONCE // sum(role.values.shape[1] for role in data.roles))
    for start in range(0, len(items), at_once):
        part = slice(start, start + at_once)
        left, lost[part] = _columns_without(metric, data, columns, items[part], units[part])
        effects[part] = _effects_of_items(metric, left)
    return whole[items] + (effects - whole[items]) / _steps(metric, data)[units], lost


def _columns_without(
    metric: Metric, data: Responses, columns: list[Floats], items: Integers, units: Integers
) -> tuple[list[Floats], Booleans]:
    """Return the columns of some items, each without a unit, and whether a role then has no response left.

    The numbers of a role that has none left are any that work, because the item is left out.
    """
    lost = np.zeros(len(items), bool)
    steps = _steps(metric, data)[units]
    left = []
    for role, column in zip(data.roles, columns, strict=True):
        if role.units.max(initial=-1) < 0:
            left.append(column[items])
            continue
        out = np.where(role.units[items] == units[:, None], np.nan, role.values[items])
        there = ~np.isnan(out)
        empty = ~there.any(axis=1)
        if data.table is None and metric.needs == "responses":
            out = left_packed(out)
        elif data.table is None:
            sums = np.cumsum(np.where(there, out, 0.0), axis=1)[:, -1]  # from left to right, as `item_means`
            means = sums / np.maximum(there.sum(axis=1), 1)
            out = column[items] + steps * (means - column[items])
        elif role is data.gold:
            shares = shares_of(out, data.table)
            out = column[items] + steps[:, None] * (shares - column[items])
        out[empty] = column[items[empty]]
        lost |= empty
        left.append(out)
    return left, lost


def _common_changes(
    data: Responses, items: Integers, units: Integers, change: Floats, lost: Booleans
) -> Floats:
    """Return the mean change of an item's effect when one of a source's units leaves it.

    It shows how the effect changes with the number of units, which is not a difference between units.
    """
    place = items * len(data.source_units) + data.sources_of_units[units]
    used = ~lost
    counts = np.bincount(place, weights=used)
    sums = np.bincount(place, weights=np.where(used, change, 0.0))
    means = sums / np.maximum(counts, 1.0)
    return np.where(used & (counts[place] >= 2), means[place], 0.0)


def _steps(metric: Metric, data: Responses) -> Floats:
    """Return the number of steps that a unit's item means move when it leaves: 1, or more if K is large.

    Only means of responses, and votes on a class, are moved on. With K responses on an item, leaving one out
    moves the mean by about 1/√K of its standard error. Effects that jump, such as those of accuracy, meet few
    jumps in so small a step. So the mean moves on in the same direction, by about half a standard error, and
    the change is divided by the number of steps.
    """
    sizes = data.panel_sizes
    steps = np.maximum(1.0, 0.5 * (sizes - 1.0) / np.sqrt(sizes))
    if metric.needs == "classes":
        voters = np.zeros(data.n_units, bool)
        voters[data.source_units.get("raters", [])] = True
        return np.where(voters, steps, 1.0)
    return steps if metric.needs == "item_means" else np.ones_like(steps)


def _effects_of_items(metric: Metric, columns: list[Floats]) -> Floats:
    """Return the effect of each row as a set of a single item; `columns` are gold, A and B."""
    return effects_of_sets(metric, [column[:, None] if column.size else column for column in columns])


def _recomputed_changes(metric: Metric, data: Responses) -> Changes:
    data = data.in_order
    columns = columns_of(metric, data)
    rounded = [_rounded(metric, column) for column in columns]
    effect = float(_effects(metric, [column[None] for column in rounded])[0])
    most = FEW_GROUPS if metric.follows_one_item else ITEM_GROUPS
    by_group, sizes = _group_changes(metric, rounded, effect, data.clusters, most)
    units, within = _unit_changes(metric, data, columns, effect)
    of_items = by_group
    if data.clustered or metric.follows_one_item:
        of_items, _ = _group_changes(metric, rounded, effect, np.arange(data.n_items))
    return Changes(effect, by_group, sizes, units, within, items_at_work(of_items))


def _group_changes(
    metric: Metric, columns: list[Floats], effect: float, clusters: Integers, most: int = ITEM_GROUPS
) -> tuple[Floats, Integers]:
    """Return the change of the effect without each group of items, and the groups' sizes.

    The changes are about their mean, weighted by the items left, as those of a mean over items are: a metric
    that leaves out ⌊N/10⌋ items changes with the number of items, which is no difference between groups.
    """
    groups, sizes = _item_groups(clusters, most)
    by_group = np.empty(len(sizes))
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(sizes)
    width = sum(column[0].size for column in columns)
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size)
        at_once = max(1, VALUES_AT_ONCE // max(1, (len(order) - size) * width))
        for start in range(0, len(members), at_once):
            some = members[start : start + at_once]
            kept = np.stack([np.delete(order, np.s_[ends[g] - size : ends[g]]) for g in some])
            by_group[some] = _effects(metric, [column[kept] for column in columns]) - effect
    return by_group - np.average(by_group, weights=len(order) - sizes), sizes


def _item_groups(clusters: Integers, most: int) -> tuple[Integers, Integers]:
    """Return the group of each item and the groups' sizes; at most `most`, with whole clusters."""
    n_clusters, n_groups = int(clusters.max()) + 1, min(most, _fewer(ITEM_GROUPS, 100, len(clusters)))
    if n_clusters <= n_groups:
        return clusters, np.bincount(clusters)
    groups = _dealt(n_clusters, n_groups)[clusters]
    return groups, np.bincount(groups, minlength=n_groups)


def _fewer(most: int, least: int, n_items: int) -> int:
    """Return how often to leave something out: fewer times if there are very many items."""
    return max(least, min(most, _WORK // n_items))


def _dealt(n: int, parts: int) -> Integers:
    """Return the part of each of n things; parts are random and of nearly equal size."""
    return np.random.default_rng(_GROUPING_SEED).permutation(n) % parts


def effects_of_sets(metric: Metric, columns: list[Floats]) -> Floats:
    """Return the effects of sets of items, shape (R,); `columns` have shape (R, N) or (R, N, K)."""
    return _effects(metric, [_rounded(metric, column) for column in columns])


def _effects(metric: Metric, columns: list[Floats]) -> Floats:
    """Return `effects_of_sets` of columns that are rounded already."""
    gold, a, b = columns
    if a.shape[1] == 0:  # every item left with a unit
        return np.full(len(a), np.nan)
    if a.ndim == 3 and a.shape[2] != b.shape[2]:
        width = max(a.shape[2], b.shape[2])
        a, b = (np.pad(x, ((0, 0), (0, 0), (0, width - x.shape[2])), constant_values=np.nan) for x in (a, b))
    return metric.effects(np.stack([a, b]), None if gold.size == 0 else gold)


def _rounded(metric: Metric, column: Floats) -> Floats:
    """Return `without_rounding` of a column of item means, which is done once if all sets are one."""
    if metric.needs != "item_means":
        return column
    one = column.strides[0] == 0
    return np.broadcast_to(without_rounding(column[:1]), column.shape) if one else without_rounding(column)


def _unit_changes(
    metric: Metric, data: Responses, columns: list[Floats], effect: float
) -> tuple[Floats, Floats]:
    """Return each unit's change of the effect, and the part of its square that block spread explains."""
    totals, within = np.zeros(data.n_units), np.zeros(data.n_units)
    for numbers in data.source_units.values():
        blocks, n_blocks = blocks_for(data.clusters, len(numbers))
        by_block, shares = np.zeros((len(numbers), n_blocks)), np.zeros((len(numbers), n_blocks))
        for row, unit in enumerate(numbers):
            answered = data.answered[unit]
            same = np.full(len(answered), unit)
            left, lost = _columns_without(metric, data, columns, answered, same)
            shares[row] = np.bincount(blocks[answered], minlength=n_blocks)
            gone = np.zeros((n_blocks + 1, data.n_items), bool)  # the last row: from all blocks
            gone[blocks[answered], answered] = gone[-1, answered] = True
            changed = _effects_without_parts(metric, columns, answered, left, lost, gone) - effect
            steps = _steps(metric, data)[unit]
            by_block[row], totals[unit] = changed[:-1] / steps, changed[-1] / steps
        shares /= int(data.clusters.max()) + 1
        totals[numbers], within[numbers] = centred_changes(by_block, totals[numbers], shares)
    return totals, within


def blocks_for(clusters: Integers, n_units: int) -> tuple[Integers, int]:
    """Return the block of each item and the number of blocks, for leaving out `n_units` units in turn."""
    n_clusters = int(clusters.max()) + 1
    # with many units, a few blocks of each are enough to estimate noise
    degrees = _fewer(_NOISE_DEGREES, 40, len(clusters))
    n_blocks = min(n_clusters, max(2, min(BLOCKS, 1 + -(-degrees // n_units))))
    return _dealt(n_clusters, n_blocks)[clusters], n_blocks


def centred_changes(by_block: Floats, totals: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return the changes of the effect without each unit of a source, and their part within (`Changes`).

    `by_block`, (J, B), and `totals`, (J,), are the changes without each unit in one block of items alone and
    in all, and `shares`, (J, B), the parts of all items that a unit answers in each block.
    """
    # subtract the changes that all units share, in a block and overall: they are not differences between
    # units
    by_block = by_block - shares * (by_block.sum(0) / np.maximum(shares.sum(0), 1e-300))
    whole = shares.sum(1, keepdims=True)
    totals = totals - whole[:, 0] * (totals.sum() / whole.sum())
    shares = shares / whole
    spread = 1.0 - np.sum(shares**2, axis=1)
    squares = np.sum((by_block - shares * by_block.sum(1, keepdims=True)) ** 2, axis=1)
    squares = np.where(spread > 1e-9, squares / np.maximum(spread, 1e-9), totals**2)
    # few blocks say little about one unit's noise: give all units noise in proportion to their responses
    return totals, squares.sum() * whole[:, 0] / whole.sum()


def _effects_without_parts(
    metric: Metric,
    columns: list[Floats],
    answered: Integers,
    left: list[Floats],
    lost: Booleans,
    gone: Booleans,
) -> Floats:
    """Return the effects after a unit leaves the items of each row of `gone`, shape (P, N)."""
    sets = []
    for column, values in zip(columns, left, strict=True):
        without = column.copy()
        without[answered] = values
        # all sets have the numbers of these two, which are rounded once
        whole, other = _rounded(metric, np.stack([column, without]))
        sets.append(np.where(gone.reshape(*gone.shape, *[1] * (column.ndim - 1)), other, whole))
    if not lost.any():
        return _effects(metric, sets)
    kept = ~gone
    kept[:, answered[~lost]] = True
    by_part = zip(kept, *sets, strict=True)
    return np.array([_effects(metric, [column[rows][None] for column in part])[0] for rows, *part in by_part])
