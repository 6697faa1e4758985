"""Compiled sums of random subsets: a fair coin decides whether each number is in, as under sign flips."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import discard_older_caches, njit
from nbyk.resampling.lanes import LANES, next_row

Array = NDArray[Any]

DRAWS_AT_ONCE = 2 * LANES
"""Number of sums that `draw_subset_sums` draws."""

_GROUP = 8
_SUBSETS = 1 << _GROUP
_GROUPS_TO_A_WORD = 64 // _GROUP

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def subset_table(n: int) -> Any:
    """Return an empty table for `fill_subset_table` of n numbers, shape (⌈n/8⌉, 256)."""
    return np.empty(((n + _GROUP - 1) // _GROUP, _SUBSETS))


@njit(nogil=True, cache=True)
def fill_subset_table(values: Array, table: Array) -> None:
    """Fill `table` with the sum of every subset of each group of eight values."""
    n = values.size
    for group in range(table.shape[0]):
        table[group, 0] = 0.0
        for bit in range(_GROUP):
            i = group * _GROUP + bit
            value = values[i] if i < n else 0.0
            for subset in range(1 << bit):
                table[group, subset | (1 << bit)] = table[group, subset] + value


@njit(inline="always")
def _add_rows(table: Array, n_groups: int, state: Array, row: Array, out: Array) -> None:
    """Add the sums of random subsets of `n_groups` groups, at most eight, to `out`, shape (64,)."""
    for start in range(0, DRAWS_AT_ONCE, LANES):
        next_row(state, row)
        for lane in range(LANES):
            word = row[lane]
            total = 0.0
            for group in range(n_groups):
                total += table[group, word & uint64(_SUBSETS - 1)]
                word = word >> uint64(_GROUP)
            out[start + lane] += total


@njit(nogil=True, cache=True)
def draw_subset_sums(table: Array, state: Array, row: Array, out: Array) -> None:
    """Fill `out`, shape (64,), with sums of random subsets: a fair coin per value, 64 values to a word."""
    out[:] = 0.0
    n_groups = table.shape[0]
    rest = n_groups % _GROUPS_TO_A_WORD
    for first in range(0, n_groups - rest, _GROUPS_TO_A_WORD):
        # With a constant number of groups there is no inner loop: it takes less than half the time.
        _add_rows(table[first : first + _GROUPS_TO_A_WORD], _GROUPS_TO_A_WORD, state, row, out)
    if rest > 0:
        _add_rows(table[n_groups - rest :], rest, state, row, out)
