"""How often a bootstrap draws each item, and each run: counts in place of resampled data.

Items that are alike in all that is scored are one unit: with hard labels, items of the same target and the
same predictions. A draw is then a multinomial over the units that occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.resampling.effects import batches
from nbyk.resampling.lanes import LANES, STATE, index_below, next_row, start_replicate
from nbyk.resampling.streams import ReplicateStreams, StreamKey, Streams

Ints: TypeAlias = NDArray[np.int64]

_ITEMS_PER_BINOMIAL = 50
"""A unit's binomial costs about as much as drawing so many single items."""


@njit(nogil=True, cache=True)
def count_draws(key: Any, first: int, n_drawn: int, unit_of: Ints, out: Ints) -> None:
    """Fill `out`, shape (R, U), with how often each unit is drawn when items are, with replacement.

    Parameters
    ----------
    key, first
        The stream's key, and the first of its replicates.
    n_drawn
        How many items a replicate draws.
    unit_of : ndarray of int, shape (N,)
        The unit of each item, below U.
    out : ndarray of int, shape (R, U)
        Filled with counts whose rows sum to `n_drawn`.
    """
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    n = len(unit_of)
    out[:] = 0
    for r in range(len(out)):
        start_replicate(key, first + r, state)
        for start in range(0, n_drawn, 2 * LANES):
            next_row(state, row)
            for i in range(min(2 * LANES, n_drawn - start)):
                word = row[i >> 1] >> (uint64(32) * uint64(i & 1))
                out[r, unit_of[index_below(word & uint64(0xFFFFFFFF), n)]] += 1


class ItemDraws:
    """Draws of items with replacement, as counts of units.

    Whichever is cheaper is drawn, a multinomial over the units or single items, which is the same.

    Parameters
    ----------
    key
        What the streams belong to.
    unit_of : ndarray of int, shape (N,)
        The unit of each item; every unit below the largest has an item.
    n_drawn
        How many items each replicate draws.
    """

    def __init__(self, key: StreamKey, unit_of: Ints, n_drawn: int) -> None:
        self._key = key
        self._unit_of = np.ascontiguousarray(unit_of, dtype=np.int64)
        self._n_drawn = n_drawn
        self.sizes = np.bincount(unit_of)

    def counts(self, chunk: int, size: int) -> Iterator[Ints]:
        """Yield how often each unit is drawn in the first `size` replicates of a chunk, shape (part, U)."""
        if len(self.sizes) * _ITEMS_PER_BINOMIAL <= self._n_drawn:
            chances = self.sizes / len(self._unit_of)
            yield Streams(self._key, chunk).generator("items").multinomial(self._n_drawn, chances, size)
            return
        streams = ReplicateStreams(self._key, chunk)
        for part in batches(size, len(self.sizes)):
            out = np.empty((part, len(self.sizes)), dtype=np.int64)
            count_draws(*streams.take("items", part), self._n_drawn, self._unit_of, out)
            yield out


def run_counts(key: StreamKey, role: str, n_runs: int, chunk: int, size: int) -> Ints:
    """Return how often each of R runs is drawn in the first `size` replicates of a chunk, shape (size, R).

    R − 1 runs are drawn with replacement: the mean of so many varies as the mean of R fresh runs does, where
    the mean of R redrawn ones varies (R − 1)/R as much (McCarthy and Snowden 1985). A single run is kept.
    """
    out = np.ones((size, n_runs), dtype=np.int64)
    if n_runs > 1:
        streams = ReplicateStreams(key, chunk)
        count_draws(*streams.take(role, size), n_runs - 1, np.arange(n_runs), out)
    return out
