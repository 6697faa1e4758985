"""Sums of products in a fixed order, so that no digit depends on the processor.

numpy's ``@``, ``dot``, ``tensordot``, ``cov``, ``polyfit`` and ``linalg`` go through a BLAS, which adds in
the order that suits the processor that it finds. numpy's own loops, behind `einsum`, have one order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def product(left: ArrayLike, right: ArrayLike) -> NDArray[Any]:
    """Return ``left @ right``; on the right a vector or a matrix, on the left any number of dimensions."""
    a: NDArray[Any] = np.asarray(left)
    b: NDArray[Any] = np.asarray(right)
    return np.asarray(np.einsum("...k,k->..." if b.ndim == 1 else "...k,kn->...n", a, b))


def covariance(first: ArrayLike, second: ArrayLike) -> float:
    """Return the sample covariance of two vectors of equal length."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return float(((x - x.mean()) * (y - y.mean())).sum()) / (len(x) - 1)


def solve(matrix: ArrayLike, right: ArrayLike) -> NDArray[np.float64]:
    """Return the result of ``numpy.linalg.solve`` for a few equations, by elimination with pivots."""
    left = np.array(matrix, dtype=np.float64)
    solution = np.array(right, dtype=np.float64)
    for column in range(len(left)):
        pivot = column + int(np.argmax(np.abs(left[column:, column])))
        left[[column, pivot]], solution[[column, pivot]] = left[[pivot, column]], solution[[pivot, column]]
        solution[column] = solution[column] / left[column, column]
        left[column] = left[column] / left[column, column]
        for row in range(len(left)):
            if row != column:
                solution[row] = solution[row] - left[row, column] * solution[column]
                left[row] = left[row] - left[row, column] * left[column]
    return solution


def polynomial(x: ArrayLike, y: ArrayLike, degree: int, weights: ArrayLike) -> NDArray[np.float64]:
    """Return the coefficients of ``numpy.polyfit``, highest power first; x lies within a few units of 0."""
    x, y, w = (np.asarray(values, dtype=np.float64) for values in (x, y, weights))
    powers = np.stack([x**power for power in range(degree, -1, -1)]) * w
    scale = np.sqrt((powers**2).sum(axis=1))
    scaled = powers / scale[:, np.newaxis]
    scaled_solution = solve(product(scaled, scaled.T), product(scaled, y * w))
    return np.asarray(scaled_solution / scale)
