"""Scores of soft labels (distributions over classes): each item's contribution, and sums over resamples.

Logarithms are natural. Entropies are divided by ln C, which changes neither of the scores of entropies.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.classes import cross_entropy, entropy, js_divergence

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MEASURES = ("cross_entropy", "js_divergence", "js_distance", "entropy_similarity", "entropy_correlation")
_SIMILARITY, _CORRELATION = 3, 4

# Columns of sums: of the targets' entropies x, then for each system of its entropies y and its distances.
_X2, _CENTRED_X, _CENTRED_X2, _SHARED = range(4)
_Y2, _XY, _CENTRED_Y, _CENTRED_Y2, _CENTRED_XY, _PER_SYSTEM = range(3, 9)

_ROUNDING = 1e-12
"""Entropies that spread by less, or whose variance is a smaller share of their mean square, are constant."""


@njit(nogil=True, cache=True)
def entropies(rows: Floats) -> Any:
    """Return each row's entropy over ln C, shape (N,), of rows of probabilities, shape (N, C)."""
    out = np.empty(len(rows))
    for i in range(len(rows)):
        out[i] = entropy(rows[i])
    return out


@njit(nogil=True, cache=True)
def distances(target: Floats, prediction: Floats) -> Any:
    """Return each item's cross entropy, Jensen–Shannon divergence and distance, shape (3, N)."""
    out = np.empty((3, len(target)))
    for i in range(len(target)):
        out[0, i] = cross_entropy(target[i], prediction[i])
        out[1, i] = js_divergence(target[i], prediction[i])
        out[2, i] = np.sqrt(out[1, i])
    return out


@njit(nogil=True, cache=True)
def _pearson(n: float, x: float, x2: float, y: float, y2: float, xy: float) -> Any:
    """Return the correlation from sums over n items; NaN for a constant."""
    var_x = x2 - x * x / n
    var_y = y2 - y * y / n
    least = n * _ROUNDING * _ROUNDING
    if var_x <= least + _ROUNDING * x2 or var_y <= least + _ROUNDING * y2:
        return np.nan
    return min(1.0, max(-1.0, (xy - x * y / n) / np.sqrt(var_x * var_y)))


@njit(nogil=True, cache=True)
def _score(measure: int, n: float, shared: Floats, own: Floats) -> Any:
    if measure == _SIMILARITY:
        squares = shared[_X2] * own[_Y2]
        return min(1.0, own[_XY] / np.sqrt(squares)) if squares > 0.0 else np.nan
    if measure == _CORRELATION:
        return _pearson(
            n,
            shared[_CENTRED_X],
            shared[_CENTRED_X2],
            own[_CENTRED_Y],
            own[_CENTRED_Y2],
            own[_CENTRED_XY],
        )
    return own[measure] / n


@njit(nogil=True, cache=True)
def score_sums(n: float, sums: Floats, measures: Ints, out: Floats) -> None:
    """Score draws from the sums of `contributions`.

    Parameters
    ----------
    n
        Items of a draw.
    sums : ndarray, shape (3 + 8 S, R)
        Sums of the drawn items' contributions: those of the targets, then those of each system.
    measures : ndarray of int, shape (M,)
        The measures to score, as places in `MEASURES`.
    out : ndarray, shape (M, S, R)
        Filled with the scores; NaN where undefined.
    """
    for draw in range(out.shape[2]):
        shared = sums[:_SHARED, draw]
        for s in range(out.shape[1]):
            start = _SHARED + s * _PER_SYSTEM
            own = sums[start : start + _PER_SYSTEM, draw]
            for m in range(len(measures)):
                out[m, s, draw] = _score(measures[m], n, shared, own)


def contributions(target: Floats, predictions: Floats) -> Floats:
    """Return each item's contribution to the sums behind every score, shape (N, 3 + 8 S).

    Parameters
    ----------
    target, predictions : ndarray, shape (N, C) and (S, N, C)
        Rows of probabilities that sum to one.
    """
    x = entropies(target)
    x_off = x - x.mean()
    columns = [x * x, x_off, x_off * x_off]
    for prediction in predictions:
        y = entropies(prediction)
        y_off = y - y.mean()
        columns += [
            *distances(target, prediction),
            *(y * y, x * y, y_off, y_off * y_off, x_off * y_off),
        ]
    return np.ascontiguousarray(np.stack(columns, axis=1))
