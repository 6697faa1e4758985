"""Scores from tables: counts of items by gold's level and a system's level.

A table has shape (G, L, D): G levels of gold by L levels of a system, ascending, for D draws abreast, which
are the lanes of the inner loops. Counts are whole numbers, so a score equals the score of the items' rows to
the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.arrays import Array, Floats, Integers
from nbyk.compiled import njit
from nbyk.metrics import Metric
from nbyk.metrics.classes import ACCURACY, TIED, score_of_positives, score_tables
from nbyk.testing.engine.forms import Form
from nbyk.testing.engine.item_draws import ItemDraws, Kinds
from nbyk.testing.engine.rows import Rows, Swaps
from nbyk.testing.engine.swaps import DRAWS

_CELLS_PER_ITEM, _MOST_CELLS = 8, 100_000
"""Up to this number of cells, counting in a table is cheaper than sorting rows and takes little memory."""


@njit(nogil=True, cache=True)
def fill_swapped(cells: Array, coins: Array, out: Array) -> None:
    """Fill `out`, (2, G·L, 64), with the tables of A and B, from items' `cells`, (2, N), and swaps, (N,)."""
    n_draws = out.shape[2]
    out[:] = 0
    for item in range(len(coins)):
        word = coins[item]
        both, a_counts, b_counts = out[1], out[0, cells[0, item]], out[0, cells[1, item]]
        both[cells[0, item], 0] += 1
        both[cells[1, item], 0] += 1
        for draw in range(n_draws):
            a_counts[draw] += np.int32(1) - np.int32((word >> uint64(draw)) & uint64(1))
        for draw in range(n_draws):
            b_counts[draw] += np.int32((word >> uint64(draw)) & uint64(1))
    for cell in range(out.shape[1]):
        total = out[1, cell, 0]
        for draw in range(n_draws):
            out[1, cell, draw] = total - out[0, cell, draw]


@njit(nogil=True, cache=True)
def fill_drawn(cells: Array, weights: Array, out: Array) -> None:
    """Fill `out`, shape (G·L, 64), with a system's `cells`, shape (N,), under `weights`, shape (N, 64)."""
    out[:] = 0
    for item in range(len(cells)):
        cell_counts, item_weights = out[cells[item]], weights[item]
        for draw in range(len(item_weights)):
            cell_counts[draw] += np.int32(item_weights[draw])


@njit(nogil=True, cache=True)
def by_threshold(tables: Array, out: Array, measure: int) -> None:
    """Fill `out`, shape (D,), with a measure of tables of two levels, negative and positive, by two."""
    for draw in range(len(out)):
        both: Any = np.int64(tables[1, 1, draw])
        predicted, actual = tables[0, 1, draw] + both, tables[1, 0, draw] + both
        n = tables[0, 0, draw] + predicted + tables[1, 0, draw]
        out[draw] = score_of_positives(measure, n, both, predicted, actual)


@njit(nogil=True, cache=True)
def auc(tables: Array, out: Array) -> None:
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
def kendall(tables: Array, out: Array) -> None:
    """Fill `out`, shape (D,), with Kendall's τ-b, or with NaN if gold or the system has one level only."""
    n_gold, n_levels = tables.shape[:2]
    gold_totals, totals = np.empty(n_gold, np.int64), np.empty(n_levels, np.int64)
    for draw in range(len(out)):
        gold_totals[:] = 0
        totals[:] = 0
        lead = below_in_gold = np.int64(0)
        for g in range(n_gold):
            # `totals` counts the items that are lower in gold: those below in the system less those above.
            below = np.int64(0)
            for level in range(n_levels):
                count = np.int64(tables[g, level, draw])
                lead += count * (2 * below + totals[level] - below_in_gold)
                below += totals[level]
                gold_totals[g] += count
            for level in range(n_levels):
                totals[level] += tables[g, level, draw]
            below_in_gold += gold_totals[g]
        gold_pairs, pairs = _untied(gold_totals), _untied(totals)
        untied = gold_pairs > 0 and pairs > 0
        out[draw] = lead / math.sqrt(float(gold_pairs) * float(pairs)) if untied else np.nan


class Tables(Form):
    """Metrics that need only the number of items in each cell of a table, gold's level by a system's.

    `cells`, shape (runs, S, N), are those of each system's items in each run, and `shape` the levels of gold
    and of the systems. `fill` fills scores, shape (D,), from counts, shape (runs, *shape, D).
    """

    def __init__(
        self, metric: Metric, rows: Rows, cells: Integers, shape: tuple[int, int], fill: Callable[..., None]
    ) -> None:
        super().__init__(metric, rows)
        self._cells, self._shape, self._fill = np.ascontiguousarray(cells), shape, fill

    @cached_property
    def _kinds(self) -> Kinds | None:
        """The kinds of the items, if few; None with clusters."""
        runs_and_systems = self._cells.reshape(-1, self._cells.shape[2])
        return None if self.rows.clusters is not None else Kinds.of(list(runs_and_systems))

    def swapped(self, draws: Swaps) -> Floats:
        """Count the items that each system gets; a swapped kind is a kind with the systems exchanged."""
        kinds, counts = self._kinds, draws.counts(self._kinds)
        if kinds is None or counts is None:
            return super().swapped(draws)
        cells = self._cells[:, :2, kinds.first]
        cells = np.concatenate([cells, cells[:, ::-1]], axis=2)
        weights = np.concatenate([kinds.sizes - counts, counts], axis=1)
        starts = range(0, draws.n_draws, DRAWS)
        scores = [self._weighed(cells, weights[start : start + DRAWS].T) for start in starts]
        return np.concatenate(scores, axis=1)

    def _swapped(self, draws: Swaps) -> Floats:
        """Count the items that each system gets."""
        counts = self._counts(2, DRAWS)
        for run_counts, cells in zip(counts, self._cells, strict=True):
            fill_swapped(np.ascontiguousarray(cells[:2]), draws.coins, run_counts)
        return np.stack([self._scores(counts[:, system]) for system in range(2)])

    def drawn(self, draws: ItemDraws) -> Floats:
        """Count under weights."""
        kinds, counts = self._kinds, draws.counts(self._kinds)
        if kinds is None or counts is None:
            return self._weighed(self._cells, draws.weights, draws.shape[0])
        return self._weighed(self._cells[..., kinds.first], counts)

    def _weighed(self, cells: Integers, weights: Array, n_draws: int = DRAWS) -> Floats:
        """Return the scores, (S, D), of cells, (runs, S, items or kinds), under weights, (…, 64 or D)."""
        n_draws = min(n_draws, weights.shape[1])
        scores = np.empty((cells.shape[1], n_draws))
        counts, weights = self._counts(weights.shape[1]), np.ascontiguousarray(weights)
        for system, out in enumerate(scores):
            for run_counts, run_cells in zip(counts, cells, strict=True):
                fill_drawn(np.ascontiguousarray(run_cells[system]), weights, run_counts)
            out[:] = self._scores(counts[..., :n_draws])
        return scores

    def _counts(self, *sizes: int) -> NDArray[np.int32]:
        """Return empty counts of all runs; the cells come before the draws, which are last."""
        *first, n_draws = sizes
        return np.empty((len(self._cells), *first, math.prod(self._shape), n_draws), np.int32)

    def _scores(self, counts: NDArray[np.int32]) -> Floats:
        """Return the scores of counts, shape (runs, cells, D)."""
        out = np.empty(counts.shape[2])
        self._fill(np.ascontiguousarray(counts).reshape(len(counts), *self._shape, -1), out)
        return out


def _levels(values: Floats, threshold: float | None) -> tuple[int, Integers]:
    """Return the number of levels and the level of each value; a threshold makes two levels."""
    if threshold is not None:
        return 2, (values >= threshold).astype(np.int64)
    levels, place = np.unique(values, return_inverse=True)
    return len(levels), place.reshape(values.shape)


def confusions(metric: Metric, rows: Rows) -> Form | None:
    """Return the form of a metric of classes that needs only counts, if these are few.

    Where people tie, gold's levels are the sets of classes that tie, which share the items.
    """
    codes, shares = rows.inputs(metric)
    n_classes = shares.shape[1]
    most = shares >= shares.max(axis=1, keepdims=True) - TIED
    certain = most.sum() == rows.n_items
    targets, target = (
        (most, shares.argmax(axis=1)) if certain else np.unique(most, axis=0, return_inverse=True)
    )
    shape = n_classes if certain else len(targets), n_classes + 1
    if not _is_cheap(shape, rows):
        return None
    parts = targets / targets.sum(axis=1, keepdims=True)
    predicted = np.where(np.isnan(codes), n_classes, codes).astype(np.int64)
    cells = (target.reshape(-1)[:, None] * (n_classes + 1) + predicted).transpose(2, 0, 1)

    def fill(counts: NDArray[np.int32], out: Floats) -> None:
        measure, average, label = map(int, metric.values)
        tables = counts if certain else np.einsum("rtpd,tc->rcpd", counts, parts)
        score_tables(tables, measure, average, label, out)

    return Tables(metric, rows, cells, shape, fill)


def _table(metric: Metric, rows: Rows, fill: Callable[..., None], *, cut: int = 0) -> Form | None:
    """Return the form of item means, those of gold (cut 1) or of systems too (2) cut at the threshold."""
    n_gold, gold_levels = _levels(rows.gold_means, metric.threshold if cut >= 1 else None)
    n_levels, system_levels = _levels(rows.means, metric.threshold if cut == 2 else None)
    if not _is_cheap((n_gold, n_levels), rows):
        return None
    cells = (gold_levels * n_levels + system_levels)[None]
    return Tables(metric, rows, cells, (n_gold, n_levels), lambda counts, out: fill(counts[0], out))


def _is_cheap(shape: tuple[int, int], rows: Rows) -> bool:
    return math.prod(shape) <= min(_CELLS_PER_ITEM * rows.n_items, _MOST_CELLS)


kendall_table = partial(_table, fill=kendall)
auc_table = partial(_table, fill=auc, cut=1)


def threshold_table(metric: Metric, rows: Rows) -> Form | None:
    """Return the form of accuracy, precision, recall or F1 of item means, by the metric's `measure`."""
    measure = int(dict(metric.arguments).get("measure", ACCURACY))
    return _table(metric, rows, partial(by_threshold, measure=measure), cut=2)
