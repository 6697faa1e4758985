"""Compiled sums over items behind the effects of many sizes of test set at once.

Units have shape (R, N, C): C whole numbers for each of N items in R replicates. `sizes` are numbers of items
in ascending order, the last at most N; a size's test set is the first items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.resampling.lanes import LANES, STATE, index_below, next_row, start_replicate

Units = NDArray[np.int32]
Sizes = NDArray[np.int64]
Sums = NDArray[np.int64]


@njit(nogil=True, cache=True)
def sum_items(units: Units, sizes: Sizes, out: Sums) -> None:
    """Fill `out`, shape (R, S, C), with the sums over the items of each of S sizes."""
    n_replicates, _, n_columns = units.shape
    total = np.empty(n_columns, np.int64)
    for r in range(n_replicates):
        total[:] = 0
        done = 0
        for s in range(len(sizes)):
            for i in range(done, sizes[s]):
                for c in range(n_columns):
                    total[c] += units[r, i, c]
            done = sizes[s]
            out[r, s] = total


@njit(nogil=True, cache=True)
def _draw_items(key: Any, replicate: int, items: Sizes) -> None:
    """Fill `items`, shape (size,), with items drawn with replacement from a test set of that size.

    A size's draws are its own: they do not depend on which other sizes are asked for.
    """
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    size = len(items)
    start_replicate(uint64(key) + uint64(size), replicate, state)
    for start in range(0, size, 2 * LANES):
        next_row(state, row)
        for i in range(min(2 * LANES, size - start)):
            word = row[i % LANES] >> uint64(32) if i < LANES else row[i % LANES] & uint64(0xFFFFFFFF)
            items[start + i] = index_below(word, size)


@njit(nogil=True, cache=True)
def sum_bootstrapped_items(units: Units, key: Any, first: int, sizes: Sizes, out: Sums) -> None:
    """Fill `out` with the sums over as many items, drawn with replacement from each size's test set."""
    n_replicates, _, n_columns = units.shape
    total = np.empty(n_columns, np.int64)
    items = np.empty(sizes.max(), np.int64)
    for r in range(n_replicates):
        for s in range(len(sizes)):
            drawn = items[: sizes[s]]
            _draw_items(key, first + r, drawn)
            total[:] = 0
            for i in range(len(drawn)):
                for c in range(n_columns):
                    total[c] += units[r, drawn[i], c]
            out[r, s] = total


@njit(nogil=True, cache=True)
def bootstrapped_items(key: Any, first: int, out: Sizes) -> None:
    """Fill `out`, shape (R, size), with the very items that `sum_bootstrapped_items` draws for a size."""
    for r in range(len(out)):
        _draw_items(key, first + r, out[r])
