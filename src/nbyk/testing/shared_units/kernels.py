"""Compiled parts: an item's responses without one unit, and the weights of units in a mean."""

from __future__ import annotations

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit


@njit(nogil=True, cache=True)
def fill_means_without(
    values: Floats, value_units: Integers, means: Floats, items: Integers, units: Integers, out: Floats
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
def add_sharing(values: Floats, places: Integers, weights: Floats, without: Floats, lost: Integers) -> None:
    """Add the units' weights in the mean of a role's item means, with all units and without each.

    Parameters
    ----------
    values, places : ndarray, shape (N, K)
        A role's responses, and the place of the unit of each among the J units of the source, −1 for others.
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
            size += int(values[i, k] == values[i, k])
        for k in range(width):
            unit = places[i, k]
            if unit < 0:
                continue
            weights[unit] += 1.0 / size
            if size == 1:
                lost[unit] += 1
            for other in range(width):
                place = places[i, other]
                if place >= 0:
                    without[unit, place] -= 1.0 / size
                    if place != unit and size > 1:
                        without[unit, place] += 1.0 / (size - 1)


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
