"""Scores of soft labels (distributions over classes): each item's contribution, and sums over resamples.

Logarithms are natural. Entropies are divided by ln C, which changes neither of the scores of entropies.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.classes import LEAST_PROBABILITY

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MEASURES = ("cross_entropy", "js_divergence", "js_distance", "entropy_similarity", "entropy_correlation")
_CROSS_ENTROPY, _JS_DIVERGENCE, _JS_DISTANCE, _SIMILARITY, _CORRELATION = range(5)

# Columns of sums: of the targets' entropies x, then for each system of its entropies y and its distances.
_X2, _CENTRED_X, _CENTRED_X2, _SHARED = range(4)
_Y2, _XY, _CENTRED_Y, _CENTRED_Y2, _CENTRED_XY, _PER_SYSTEM = range(3, 9)

_ROUNDING = 1e-12
"""Entropies that spread by less, or whose variance is a smaller share of their mean square, are constant."""


def cross_entropies(target: Floats, prediction: Floats) -> Floats:
    """Return each item's cross entropy −Σ p ln q, shape (N,); lower is better.

    Predicted probabilities below 10⁻¹² count as 10⁻¹². Peterson et al. 2019 use it to score how well a
    model's confidence follows people's.

    Parameters
    ----------
    target, prediction : ndarray, shape (N, C)
        Rows of probabilities p and q that sum to one.
    """
    values: Floats = -(target * np.log(np.maximum(prediction, LEAST_PROBABILITY))).sum(axis=1)
    return values


def js_divergences(target: Floats, prediction: Floats) -> Floats:
    """Return each item's Jensen–Shannon divergence in nats, shape (N,), from 0 to ln 2; lower is better.

    It is the mean of the Kullback–Leibler divergences of p and of q from (p + q)/2; Lin 1991. scipy and
    BooStSa use the name for its square root, the distance.

    Parameters
    ----------
    target, prediction : ndarray, shape (N, C)
        Rows of probabilities p and q that sum to one.
    """
    middle = 0.5 * (target + prediction)
    values: Floats = 0.5 * (_relative(target, middle) + _relative(prediction, middle)).sum(axis=1)
    return np.maximum(values, 0.0)


def js_distances(target: Floats, prediction: Floats) -> Floats:
    """Return the square roots of `js_divergences`, which are a metric; Endres and Schindelin 2003.

    Their mean over items is not the square root of the divergences' mean.
    """
    return np.sqrt(js_divergences(target, prediction))


def entropies(rows: Floats) -> Floats:
    """Return each row's entropy over ln C, shape (N,): 0 where one class is certain, 1 where all are alike.

    Entropy similarity is the cosine of the vectors of the targets' and of the predictions' entropies, and
    entropy correlation is Pearson's correlation of the two; Uma et al. 2021. Of both, higher is better.

    Parameters
    ----------
    rows : ndarray, shape (N, C)
        Rows of probabilities that sum to one.
    """
    values: Floats = -_relative(rows, np.ones_like(rows)).sum(axis=1) / np.log(rows.shape[1])
    return np.maximum(values, 0.0)


def _relative(p: Floats, q: Floats) -> Floats:
    """Return p ln(p/q), which is 0 where p is 0."""
    positive = p > 0.0
    ratio = np.divide(p, q, out=np.ones_like(p), where=positive)
    terms: Floats = p * np.log(ratio)
    return terms


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
            cross_entropies(target, prediction),
            js_divergences(target, prediction),
            js_distances(target, prediction),
            *(y * y, x * y, y_off, y_off * y_off, x_off * y_off),
        ]
    return np.ascontiguousarray(np.stack(columns, axis=1))
