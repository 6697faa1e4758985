"""Compiled scores from tables: counts of items by gold's level and a system's level.

A table has shape (G, L, D): G levels of gold by L levels of a system, ascending, for D draws abreast, which
are the lanes of the inner loops. Counts are whole numbers, so a score equals the score of the items' rows to
the last bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.metrics.classes import ACCURACY, ratio

Array = NDArray[Any]


@njit(nogil=True, cache=True)
def fill_swapped(cells: Array, coins: Array, out: Array) -> None:
    """Fill `out`, shape (2, G·L, 64), with the tables of A and B.

    `cells`, shape (2, N), are those of both systems' items; `coins`, shape (N,), has a bit per draw: whether
    the item's rows are swapped.
    """
    n_draws = out.shape[2]
    out[:] = 0
    for item in range(len(coins)):
        word = coins[item]
        both, of_a, of_b = out[1], out[0, cells[0, item]], out[0, cells[1, item]]
        both[cells[0, item], 0] += 1
        both[cells[1, item], 0] += 1
        for draw in range(n_draws):
            of_a[draw] += np.int32(1) - np.int32((word >> uint64(draw)) & uint64(1))
        for draw in range(n_draws):
            of_b[draw] += np.int32((word >> uint64(draw)) & uint64(1))
    for cell in range(out.shape[1]):
        total = out[1, cell, 0]
        for draw in range(n_draws):
            out[1, cell, draw] = total - out[0, cell, draw]


@njit(nogil=True, cache=True)
def fill_drawn(cells: Array, weights: Array, out: Array) -> None:
    """Fill `out`, shape (G·L, 64), with a system's `cells`, shape (N,), under `weights`, shape (N, 64)."""
    out[:] = 0
    for item in range(len(cells)):
        of_cell, of_item = out[cells[item]], weights[item]
        for draw in range(len(of_item)):
            of_cell[draw] += np.int32(of_item[draw])


@njit(nogil=True, cache=True)
def fill_without(cells: Array, starts: Array, stops: Array, out: Array) -> None:
    """Fill `out`, shape (G·L, D), with a system's `cells`, shape (N,), without those of each of D runs."""
    out[:] = 0
    for item in range(len(cells)):
        out[cells[item], 0] += 1
    for run in range(1, len(starts)):
        for cell in range(len(out)):
            out[cell, run] = out[cell, 0]
    for run in range(len(starts)):
        for item in range(starts[run], stops[run]):
            out[cells[item], run] -= 1


@njit(nogil=True, cache=True)
def confusion(tables: Array, measure: int, out: Array) -> None:
    """Fill `out`, shape (D,), with a measure of tables of two levels, negative and positive, by two."""
    for draw in range(len(out)):
        both: Any = np.int64(tables[1, 1, draw])
        predicted, actual = tables[0, 1, draw] + both, tables[1, 0, draw] + both
        if measure == ACCURACY:
            n = tables[0, 0, draw] + predicted + tables[1, 0, draw]
            out[draw] = (n - predicted - actual + 2 * both) / n
        else:
            out[draw] = ratio(measure, both, predicted, actual)[0]


@njit(nogil=True, cache=True)
def auc(tables: Array, measure: int, out: Array) -> None:
    """Fill `out`, shape (D,), with the area under the curve of tables of two levels of gold, or with NaN."""
    for draw in range(len(out)):
        ranks = 0.0
        positives = before = np.int64(0)
        for level in range(tables.shape[1]):
            here = np.int64(tables[1, level, draw])
            tied = tables[0, level, draw] + here
            ranks += here * (before + 0.5 * (tied + 1))
            positives += here
            before += tied
        pairs = float(positives) * (before - positives)
        out[draw] = (ranks - 0.5 * positives * (positives + 1.0)) / pairs if pairs > 0.0 else np.nan


@njit(nogil=True, cache=True)
def _untied(counts: Array) -> Any:
    """Return the number of pairs on different levels, from the counts on each level."""
    n = counts.sum()
    pairs = n * (n - 1) // 2
    for count in counts:
        pairs -= count * (count - 1) // 2
    return pairs


@njit(nogil=True, cache=True)
def kendall(tables: Array, measure: int, out: Array) -> None:
    """Fill `out`, shape (D,), with Kendall's τ-b, or with NaN if gold or the system has one level only."""
    n_gold, n_levels = tables.shape[:2]
    of_gold, of_system = np.empty(n_gold, np.int64), np.empty(n_levels, np.int64)
    for draw in range(len(out)):
        of_gold[:] = 0
        of_system[:] = 0
        lead = seen = np.int64(0)
        for g in range(n_gold):
            # `of_system` counts the items that are lower in gold: those below in the system less those above.
            below = np.int64(0)
            for level in range(n_levels):
                count = np.int64(tables[g, level, draw])
                lead += count * (2 * below + of_system[level] - seen)
                below += of_system[level]
                of_gold[g] += count
            for level in range(n_levels):
                of_system[level] += tables[g, level, draw]
            seen += of_gold[g]
        gold_pairs, pairs = _untied(of_gold), _untied(of_system)
        untied = gold_pairs > 0 and pairs > 0
        out[draw] = lead / math.sqrt(float(gold_pairs) * float(pairs)) if untied else np.nan
