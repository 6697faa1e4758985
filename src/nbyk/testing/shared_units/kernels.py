"""Compiled parts: an item's responses without one unit, and the items that units share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(nogil=True, cache=True)
def fill_entries(gold_units: Ints, a_units: Ints, b_units: Ints, items: Ints, units: Ints) -> int:
    """Fill all different pairs of an item and a unit in the order of the items, and return their number.

    Units below 0 do not count.
    """
    entry = 0
    for i in range(len(gold_units)):
        for k in range(gold_units.shape[1]):
            if gold_units[i, k] >= 0:
                items[entry] = i
                units[entry] = gold_units[i, k]
                entry += 1
        for k in range(a_units.shape[1]):
            if a_units[i, k] >= 0:
                items[entry] = i
                units[entry] = a_units[i, k]
                entry += 1
        for k in range(b_units.shape[1]):
            unit = b_units[i, k]
            new = unit >= 0
            for other in range(a_units.shape[1]):
                new = new and a_units[i, other] != unit
            if new:
                items[entry] = i
                units[entry] = unit
                entry += 1
    return entry


@njit(nogil=True, cache=True)
def fill_means_without(
    values: Floats, value_units: Ints, means: Floats, items: Ints, units: Ints, out: Floats
) -> None:
    """Fill `out` with an item's mean without one unit's responses; NaN if none is left.

    Parameters
    ----------
    values, value_units : ndarray, shape (N, K)
        Responses, NaN if missing, and the units that gave them.
    means : ndarray, shape (N,)
        The items' means, used if the unit gave no response.
    items, units : ndarray, shape (E,)
        The entries.
    out : ndarray, shape (E,)
        Filled.
    """
    width = values.shape[1]
    for entry in range(len(items)):
        item = items[entry]
        unit = units[entry]
        total = 0.0
        count = 0
        absent = True
        for k in range(width):
            if value_units[item, k] == unit:
                absent = False
            elif not np.isnan(values[item, k]):
                total += values[item, k]
                count += 1
        if absent:
            out[entry] = means[item]
        else:
            out[entry] = total / count if count > 0 else np.nan


@njit(nogil=True, cache=True)
def fill_rows_without(values: Floats, value_units: Ints, items: Ints, units: Ints, out: Floats) -> None:
    """Fill `out`, shape (E, K), with the items' responses without those of one unit, left-packed."""
    width = values.shape[1]
    for entry in range(len(items)):
        item = items[entry]
        size = 0
        for k in range(width):
            if value_units[item, k] != units[entry] and not np.isnan(values[item, k]):
                out[entry, size] = values[item, k]
                size += 1
        for k in range(size, width):
            out[entry, k] = np.nan


@njit(nogil=True, cache=True)
def add_sharing(
    values: Floats, value_units: Ints, local: Ints, weights: Floats, without: Floats, lost: Ints
) -> None:
    """Add the units' weights in the mean of a role's item means, with all units and without each.

    Parameters
    ----------
    values, value_units : ndarray, shape (N, K)
        A role's responses and their units.
    local : ndarray, shape (units,)
        A unit's place among the J units of the source, −1 for others.
    weights : ndarray, shape (J,)
        N times the weights of the units are added.
    without : ndarray, shape (J, J)
        The change of N times the weights of all units (columns) is added, for each unit left out (row).
    lost : ndarray, shape (J,)
        The number of items with no response without the unit is added.
    """
    width = values.shape[1]
    for i in range(len(values)):
        size = 0
        for k in range(width):
            size += int(not np.isnan(values[i, k]))
        for k in range(width):
            if value_units[i, k] < 0 or local[value_units[i, k]] < 0:
                continue
            unit = local[value_units[i, k]]
            weights[unit] += 1.0 / size
            if size == 1:
                lost[unit] += 1
            for other in range(width):
                if value_units[i, other] < 0 or local[value_units[i, other]] < 0:
                    continue
                place = local[value_units[i, other]]
                without[unit, place] -= 1.0 / size
                if place != unit and size > 1:
                    without[unit, place] += 1.0 / (size - 1)


@njit(nogil=True, cache=True)
def fill_cells(
    items: Ints, units: Ints, changes: Floats, groups: Ints, kept: Ints, totals: Floats, within: Floats
) -> None:
    """Fill each unit's change of the effect, and the part of its square that the spread over groups explains.

    A unit's change is the sum over its groups of items of δ_g. With p_g the group's share of the unit's
    entries, `within` is Σ (δ_g − p_g δ)² / (1 − Σ p²): the expected square of δ if the groups' changes have
    nothing in common. A unit in a single group has no spread; its `within` is δ².

    Parameters
    ----------
    items, units : ndarray, shape (E,)
        The entries.
    changes : ndarray, shape (E,)
        The amount that each adds to the sum over items if its unit is left out.
    groups : ndarray, shape (N,)
        The group (cluster) of each item, 0 to G − 1.
    kept : ndarray, shape (J,)
        Items that are left without the unit.
    totals, within : ndarray, shape (J,)
        Filled.
    """
    n_units = len(kept)
    n_groups = 0  # numba compiles a loop in a fraction of the time of `max` or `full`
    for group in groups:
        n_groups = max(n_groups, group + 1)
    # a unit's entries in the order of groups: by counting, twice
    starts = np.zeros(n_groups + 1, np.int64)
    for entry in range(len(items)):
        starts[groups[items[entry]] + 1] += 1
    for group in range(n_groups):
        starts[group + 1] += starts[group]
    order = np.empty(len(items), np.int64)
    for entry in range(len(items)):
        group = groups[items[entry]]
        order[starts[group]] = entry
        starts[group] += 1
    totals[:] = 0.0
    sizes = np.zeros(n_units)
    for entry in range(len(items)):
        totals[units[entry]] += changes[entry]
        sizes[units[entry]] += 1.0
    group_of = np.zeros(n_units, np.int64) - 1
    group_sum = np.zeros(n_units)
    group_size = np.zeros(n_units)
    shares = np.zeros(n_units)
    within[:] = 0.0
    for position in range(len(items) + n_units):
        # the last round closes each unit's last group
        closing = position >= len(items)
        entry = 0 if closing else order[position]
        unit = position - len(items) if closing else units[entry]
        group = -1 if closing else groups[items[entry]]
        if group_of[unit] != group:
            if group_of[unit] >= 0:
                share = group_size[unit] / sizes[unit]
                within[unit] += (group_sum[unit] - share * totals[unit]) ** 2
                shares[unit] += share * share
            group_of[unit] = group
            group_sum[unit] = 0.0
            group_size[unit] = 0.0
        if not closing:
            group_sum[unit] += changes[entry]
            group_size[unit] += 1.0
    for unit in range(n_units):
        spread = 1.0 - shares[unit]
        if spread > 1e-9:
            within[unit] /= spread
        else:
            within[unit] = totals[unit] ** 2
        totals[unit] /= kept[unit]
        within[unit] /= float(kept[unit]) ** 2


@njit(nogil=True, cache=True)
def solve_and_log_determinant(matrix: Floats, right: Floats) -> float:
    """Solve a symmetric positive definite system in place, and return the logarithm of its determinant.

    Parameters
    ----------
    matrix : ndarray, shape (J, J)
        The system; its lower half is overwritten by the factor of Cholesky.
    right : ndarray, shape (J, R)
        The right-hand sides; overwritten by the solutions.
    """
    n = len(matrix)
    log_determinant = 0.0
    for j in range(n):
        for i in range(j, n):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(total) if i == j else total / matrix[j, j]
        log_determinant += 2.0 * np.log(matrix[j, j])
    for column in range(right.shape[1]):
        for i in range(n):
            for k in range(i):
                right[i, column] -= matrix[i, k] * right[k, column]
            right[i, column] /= matrix[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                right[i, column] -= matrix[k, i] * right[k, column]
            right[i, column] /= matrix[i, i]
    return log_determinant
