"""Random numbers as nbyk first drew them: a measure that stays the same while its own draws get faster.

The numbers are the same. A normal gets its sign from a product of its own, and each coin waits for the one
before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.resampling.kernels import _INSIDE, _LAYERS, _WIDTH, _advance, _normal_outside_layer

Array = NDArray[Any]

# The half of the tables that is for positive numbers.
_INSIDE_OF_LAYER = _INSIDE[:_LAYERS].astype(np.uint64)
_WIDTH_OF_LAYER = _WIDTH[:_LAYERS].copy()


@njit(nogil=True)
def fill_normals(state: Array, out: Array) -> None:
    """Fill the flat float64 array `out` with standard normals and advance `state`."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for i in range(out.size):
        word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
        layer = np.int64(word & uint64(255))
        sign = 1.0 - 2.0 * float((word >> uint64(8)) & uint64(1))
        position = (word >> uint64(9)) & uint64(0x000FFFFFFFFFFFFF)
        x = sign * float(position) * _WIDTH_OF_LAYER[layer]
        if position >= _INSIDE_OF_LAYER[layer]:
            state[0], state[1], state[2], state[3] = s0, s1, s2, s3
            x = _normal_outside_layer(state, layer, x)
            s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
        out[i] = x
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@njit(nogil=True)
def fill_coins(state: Array, out: Array) -> None:
    """Fill `out`, shape (R, n) of bool, with fair coins, 64 to a random word, and advance `state`."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for row in out:
        for start in range(0, row.size, 64):
            word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
            for i in range(start, min(start + 64, row.size)):
                row[i] = (word & uint64(1)) == uint64(1)
                word = word >> uint64(1)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
