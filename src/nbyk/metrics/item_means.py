"""Metrics on item means: systems of shape (S, R, N), gold of shape (R, N), scores of shape (S, R).

S systems answer the same N items in each of R replicates; each function fills `out` for all of them. Sums run
in four lanes, because one running sum waits for itself at every item. For accuracy, precision, recall, F1 and
AUC, an item is positive where its mean reaches the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from nbyk.arrays import Floats
from nbyk.compiled import njit
from nbyk.metrics.classes import score_of_positives
from nbyk.metrics.correlations import doubled_ranks
from nbyk.metrics.paired import lead_of_first

USUAL_WIDTH = 5
"""Responses per item in the papers' studies. A loop over a constant number of them compiles to no loop."""

_MOST_PLACES, _POWER_OF_TWO = 308, 2.0**600
"""The most decimal places whose power of ten is a double, and a factor that makes smaller numbers larger."""
_NEAR_MIDDLE = 0.02
"""Numbers that are equal on paper differ by less than this part of a step of the last digit kept."""
_BLOCK = 2**16
"""Numbers that are rounded at one time."""


@njit(inline="always")
def _fill_sums(rows: Floats, width: int, out: Floats) -> None:
    for i in range(len(rows)):
        total = 0.0
        for j in range(width):
            total += rows[i, j]
        out[i] = total


@njit(nogil=True, cache=True)
def fill_item_means(rows: Floats, out: Floats) -> None:
    """Fill `out`, shape (n,), with the mean of each row of left-packed responses, shape (n, K)."""
    width = rows.shape[1]
    if width == USUAL_WIDTH:
        _fill_sums(rows, USUAL_WIDTH, out)
    else:
        _fill_sums(rows, width, out)
    count_of_all = float(width) if width > 0 else np.nan
    incomplete = 0
    for i in range(len(rows)):
        out[i] /= count_of_all
        incomplete += int(out[i] != out[i])
    if incomplete == 0:
        return
    for i in range(len(rows)):
        if out[i] != out[i]:
            total = 0.0
            count = 0
            for j in range(width):
                response = rows[i, j]
                if response != response:
                    break
                total += response
                count += 1
            out[i] = total / count if count > 0 else np.nan


def item_means(responses: Floats) -> Floats:
    """Return each item's mean response, shape (..., N): the sum from left to right over the count.

    Responses, shape (..., N, K), are left-packed: the first NaN of a row ends it. The mean of none is NaN.
    """
    rows = np.require(responses, np.float64, ["C", "W"])
    if rows.shape[-1] == 1:  # nothing to compile
        return rows[..., 0] + 0.0
    out = np.empty(rows.shape[:-1])
    fill_item_means(rows.reshape(out.size, rows.shape[-1]), out.reshape(-1))
    return out


def _blocks(values: Floats) -> Iterator[Floats]:
    """Yield views of all numbers, few at a time, whose copies take little room."""
    flat = values.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        yield flat[start : start + _BLOCK]


def without_rounding(values: Floats) -> Floats:
    """Return numbers to thirteen digits of the largest, so that numbers that are equal on paper are equal.

    The last digits of a mean of K numbers depend on their order and on their scale. Numbers that are so near
    each other are equal even if the middle between two steps of the last digit lies between them.
    """
    largest = max((float(np.fmax.reduce(np.abs(of), initial=0.0)) for of in _blocks(values)), default=0.0)
    if largest == 0.0:
        return values + 0.0
    places = 12 - math.floor(math.log10(largest) + 1e-9)  # a largest of .999… is 1
    if places > _MOST_PLACES:
        return without_rounding(values * _POWER_OF_TWO) / _POWER_OF_TWO
    rounded: Floats = np.empty(values.shape)
    middles = []
    for block, out in zip(_blocks(values), _blocks(rounded), strict=True):
        with np.errstate(over="ignore"):
            np.add(np.round(block, places), 0.0, out=out)
        steps = block * 10.0**places
        np.subtract(steps, np.rint(steps), out=steps)
        middles.append(block[np.abs(steps, out=steps) >= 0.5 - _NEAR_MIDDLE])
    near = np.sort(np.concatenate(middles))
    below, ends = np.floor(near * 10.0**places), np.round(near, places) + 0.0
    apart = np.flatnonzero((np.diff(below) == 0.0) & (np.diff(ends) > 0.0))
    for low, high in zip(ends[apart], ends[apart + 1], strict=True):
        rounded[rounded == low] = high
    return rounded


def equal_item_means(responses: Floats) -> Floats:
    """Return `item_means`; those that are equal on paper are equal, in any order of raters, on any scale."""
    return without_rounding(item_means(responses))


@njit(inline="always")
def _mean(values: Floats) -> float:
    n = len(values)
    even = n - n % 4
    sum0 = sum1 = sum2 = sum3 = 0.0
    for i in range(0, even, 4):
        sum0 += values[i]
        sum1 += values[i + 1]
        sum2 += values[i + 2]
        sum3 += values[i + 3]
    for i in range(even, n):
        sum0 += values[i]
    return ((sum0 + sum1) + (sum2 + sum3)) / n


@njit(nogil=True, cache=True)
def mae(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with mean |a − g|."""
    errors = np.empty(gold.shape[1])
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            for i in range(len(errors)):
                errors[i] = abs(systems[s, r, i] - gold[r, i])
            out[s, r] = _mean(errors)


@njit(nogil=True, cache=True)
def mse(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with mean (a − g)²."""
    squares = np.empty(gold.shape[1])
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            for i in range(len(squares)):
                squares[i] = (systems[s, r, i] - gold[r, i]) ** 2
            out[s, r] = _mean(squares)


def rmse(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with √ mean (a − g)²."""
    mse(systems, gold, out)
    np.sqrt(out, out)


def inverse_mse(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with 1 / mean (a − g)²: infinite where a and g agree everywhere."""
    mse(systems, gold, out)
    with np.errstate(divide="ignore"):
        np.reciprocal(out, out)


@njit(nogil=True, cache=True)
def max_error(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with max |a − g|."""
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            largest = 0.0
            for i in range(gold.shape[1]):
                error = abs(systems[s, r, i] - gold[r, i])
                largest = largest if error <= largest else error
            out[s, r] = largest


@njit(nogil=True, cache=True)
def mean(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out` with the mean of a; `gold` is ignored."""
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            out[s, r] = _mean(systems[s, r])


@njit(nogil=True, cache=True)
def wins_mae(systems: Floats, gold: Floats, out: Floats, tolerance: float) -> None:
    """Fill `out`, shape (R,), with (wins of A − wins of B) / N: the nearer by more than `tolerance` wins."""
    for r in range(len(out)):
        out[r] = lead_of_first(systems[0, r], systems[1, r], gold[r], tolerance)[0] / gold.shape[1]


@njit(nogil=True, cache=True)
def _confusion(system: Floats, gold: Floats, threshold: float) -> tuple[int, int, int]:
    both = 0
    predicted = 0
    actual = 0
    for i in range(len(gold)):
        p = int(system[i] >= threshold)
        g = int(gold[i] >= threshold)
        both += p & g
        predicted += p
        actual += g
    return both, predicted, actual


@njit(nogil=True, cache=True)
def by_threshold(systems: Floats, gold: Floats, out: Floats, measure: int, threshold: float) -> None:
    """Fill `out` with the accuracy, precision, recall or F1 of the positives (`nbyk.metrics.classes`)."""
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            both, predicted, actual = _confusion(systems[s, r], gold[r], threshold)
            out[s, r] = score_of_positives(measure, gold.shape[1], both, predicted, actual)


def auc(systems: Floats, gold: Floats, out: Floats, threshold: float) -> None:
    """Fill `out` with P(a positive's mean > a negative's) + ½ P(equal); NaN where gold has one class only."""
    ranks, positive = doubled_ranks(systems), gold >= threshold
    positives = positive.sum(axis=1)
    pairs = positives * (gold.shape[1] - positives)
    doubled = (ranks * positive).sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        out[:] = 0.5 * (doubled - positives * (positives + 1)) / pairs
    out[(ranks[..., 0] == 0) | (pairs == 0)] = np.nan


def slope_of_root(mse: Floats) -> Floats:
    """Return the derivative of rmse, given mse."""
    return 0.5 / np.sqrt(mse)


def slope_of_reciprocal(mse: Floats) -> Floats:
    """Return the derivative of inverse_mse, given mse."""
    return -1.0 / mse**2
