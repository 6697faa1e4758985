"""Compiled draws of how often an item gets each Likert or binary response, without the responses.

A response is at least level l with the chance Φ((mean − edge_l)/sd). Rounded to 32 bits, those L − 1 chances
are thresholds, and one random word of 32 bits is a response: its level is the number of thresholds above it.
K such words give the item's counts, #{responses ≥ l} for every level l but the lowest. That is K table
look-ups for a multinomial; with 64 items abreast they are a fraction of a nanosecond each, less than
binomials cost up to K ≈ 500 (docs/method.md has the measurement).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.resampling.lanes import LANES, STATE, next_row, start_replicate

Floats = NDArray[np.float64]
Thresholds = NDArray[np.uint32]
Counts = NDArray[np.int32]

BLOCK = 2 * LANES
"""Items abreast: a row of 64-bit words is twice as many of 32 bits."""

_REACH = 8.5
_CELLS_PER_SD = 64


def _normal_table() -> Floats:
    """Return Φ as cubics on cells of 1/64 standard deviation, shape (cells, 4): exact to 10⁻¹⁰."""
    edges = np.arange(-_REACH * _CELLS_PER_SD, _REACH * _CELLS_PER_SD + 1) / _CELLS_PER_SD
    from scipy.special import ndtr

    value, slope = ndtr(edges), np.exp(-0.5 * edges**2) / np.sqrt(2.0 * np.pi) / _CELLS_PER_SD
    rise = np.diff(value)
    return np.ascontiguousarray(
        np.stack(
            [
                value[:-1],
                slope[:-1],
                3.0 * rise - 2.0 * slope[:-1] - slope[1:],
                slope[:-1] + slope[1:] - 2.0 * rise,
            ],
            axis=1,
        )
    )


_TABLE = _normal_table()
_LAST_CELL = len(_TABLE) - 1


@njit(nogil=True, cache=True)
def _normal_cdf(z: Any) -> Any:
    """Return Φ(z) to an absolute 10⁻¹⁰, by arithmetic alone, so that every machine gets the same."""
    place: Any = (min(max(z, -_REACH), _REACH) + _REACH) * _CELLS_PER_SD
    cell: Any = min(np.int64(place), _LAST_CELL)
    t = place - cell
    row = uint64(cell)
    return _TABLE[row, 0] + t * (_TABLE[row, 1] + t * (_TABLE[row, 2] + t * _TABLE[row, 3]))


@njit(nogil=True, cache=True)
def thresholds(mean: Floats, sd: Floats, edges: Floats, out: Thresholds) -> None:
    """Fill `out`, shape (L − 1, n), with 2³² P(response ≥ level) of items, `mean` and `sd` of shape (n,).

    `edges`, shape (L − 1,), are the least draws that give each level but the lowest. A certain response is
    certain but for 2⁻³².
    """
    for level in range(len(edges)):
        edge = edges[level]
        for i in range(len(mean)):
            distance = mean[i] - edge
            certain = 1.0 if distance >= 0.0 else 0.0
            chance = _normal_cdf(distance / sd[i]) if sd[i] > 0.0 else certain
            out[level, i] = np.uint32(min(max(chance * 4294967296.0, 0.0), 4294967295.0))


@njit(nogil=True, cache=True)
def mixed_thresholds(a: Thresholds, b: Thresholds, out: Thresholds) -> None:
    """Fill `out` with the thresholds of responses that are A's or B's by a fair coin each; all (L − 1, n)."""
    for level in range(len(a)):
        for i in range(a.shape[1]):
            out[level, i] = np.uint32((uint64(a[level, i]) + uint64(b[level, i])) >> uint64(1))


@njit(nogil=True, cache=True)
def draw_counts(key: Any, first: int, k: int, threshold: Thresholds, out: Counts) -> None:
    """Fill `out`, shape (L − 1, R, N), with #{responses ≥ level} of K responses per item.

    `threshold` has the same shape; the replicates are those from `first` on of the stream `key`.
    """
    n_levels, n_replicates, n = out.shape
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    limit = np.zeros(n_levels * BLOCK, np.uint32)
    count = np.empty(n_levels * BLOCK, np.int32)
    for r in range(n_replicates):
        start_replicate(key, first + r, state)
        for start in range(0, n, BLOCK):
            width = min(BLOCK, n - start)
            for level in range(n_levels):
                for i in range(width):
                    limit[level * BLOCK + i] = threshold[level, r, start + i]
            count[:] = 0
            for _ in range(k):
                next_row(state, row)
                for level in range(n_levels):
                    offset = level * BLOCK
                    for i in range(BLOCK):
                        count[offset + i] += np.int32(words[i] < limit[offset + i])
            for level in range(n_levels):
                for i in range(width):
                    out[level, r, start + i] = count[level * BLOCK + i]
