"""Compiled parts: the weights of units in a mean, and a system of equations."""

from __future__ import annotations

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit


@njit(nogil=True, cache=True)
def add_sharing(values: Floats, places: Integers, weights: Floats, without: Floats, lost: Integers) -> None:
    """Add the units' weights in the mean of a role's item means, with all units and without each.

    `places`, (N, K) as the `values`, are of the J units of a source, −1 for others. Added are N times the
    units' `weights`, (J,); the changes of these when each unit (row) leaves, to `without`, (J, J); and the
    numbers of items with no response then, to `lost`, (J,).
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
    """Solve a symmetric positive definite system, (J, J), and return the logarithm of its determinant.

    The solutions overwrite `right`, (J, R), and Cholesky's factor the lower half of `matrix`.
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
