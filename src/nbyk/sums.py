"""Sums of products in a fixed order, so that no digit depends on the processor.

numpy's ``@``, ``dot``, ``tensordot``, ``cov``, ``polyfit`` and ``linalg`` go through a BLAS, which adds in
the order that suits the processor that it finds. numpy's own loops, behind `einsum`, have one order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def product(left: ArrayLike, right: ArrayLike) -> NDArray[Any]:
    """Return ``numpy.tensordot(left, right, 1)``; for a vector or a matrix on the right, ``left @ right``."""
    a: NDArray[Any] = np.asarray(left)
    b: NDArray[Any] = np.asarray(right)
    others = "mn"[: b.ndim - 1]
    return np.asarray(np.einsum(f"...k,k{others}->...{others}", a, b))


def covariance(first: ArrayLike, second: ArrayLike) -> float:
    """Return the sample covariance of two vectors of equal length."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return float(((x - x.mean()) * (y - y.mean())).sum()) / (len(x) - 1)


def solve(matrix: ArrayLike, right: ArrayLike) -> NDArray[np.float64]:
    """Return the result of ``numpy.linalg.solve`` for a few equations, by elimination with pivots.

    The matrix has shape (…, P, P), the right (…, P) or (…, P, C). The result of a singular one is not finite.
    """
    left, known = np.asarray(matrix, dtype=np.float64), np.asarray(right, dtype=np.float64)
    n, shape = left.shape[-1], known.shape
    known = known.reshape(*left.shape[:-1], math.prod(shape[left.ndim - 1 :]))
    rows = np.concatenate([left, known], axis=-1).reshape(-1, n, n + known.shape[-1])
    every = np.arange(len(rows))
    with np.errstate(divide="ignore", invalid="ignore"):
        for column in range(n):
            pivot = column + np.argmax(np.abs(rows[:, column:, column]), axis=1)
            chosen = rows[every, pivot]
            rows[every, pivot] = rows[:, column]
            chosen = chosen / chosen[:, column, np.newaxis]
            rows[:, column] = chosen
            factors = rows[:, :, column].copy()
            factors[:, column] = 0.0
            rows -= factors[:, :, np.newaxis] * chosen[:, np.newaxis, :]
    return rows[:, :, n:].reshape(shape)


def root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Cholesky's lower triangle L, L Lᵀ = matrix; its column is zero where a row adds nothing."""
    lower = np.zeros_like(matrix, dtype=np.float64)
    for column in range(len(matrix)):
        rest = matrix[:, column] - (lower * lower[column]).sum(axis=1)
        if rest[column] > 1e-12 * matrix[column, column]:
            lower[column:, column] = rest[column:] / np.sqrt(rest[column])
    return lower


def polynomial(x: ArrayLike, y: ArrayLike, degree: int, weights: ArrayLike) -> NDArray[np.float64]:
    """Return the coefficients of ``numpy.polyfit``, highest power first; x lies within a few units of 0."""
    x, y, w = (np.asarray(values, dtype=np.float64) for values in (x, y, weights))
    powers = np.stack([x**power for power in range(degree, -1, -1)]) * w
    scale = np.sqrt((powers**2).sum(axis=1))
    scaled = powers / scale[:, np.newaxis]
    scaled_solution = solve(product(scaled, scaled.T), product(scaled, y * w))
    return np.asarray(scaled_solution / scale)
