"""Metrics on responses paired index by index: systems of shape (S, R, N, K), gold of shape (R, N, K_gold).

Response j of a system to item i belongs to gold response j of item i. Rows are left-packed, NaN behind the
last response; a pair counts where everyone compared has a response.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def cosine(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with 1 − a·g / (|a| |g|) over all pairs; NaN where either has length 0."""
    width = min(systems.shape[3], gold.shape[2])
    for r in range(out.shape[1]):
        for s in range(out.shape[0]):
            product = length_a = length_g = 0.0
            for i in range(gold.shape[1]):
                for j in range(width):
                    a = systems[s, r, i, j]
                    g = gold[r, i, j]
                    product_here = a * g
                    if product_here == product_here:
                        product += product_here
                        length_a += a * a
                        length_g += g * g
            lengths = length_a * length_g
            out[s, r] = 1.0 - product / math.sqrt(lengths) if lengths > 0.0 else np.nan


@njit(nogil=True, cache=True)
def wins_mae_vectorized(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (R,), with (wins of A − wins of B) / pairs: the nearer to gold wins, if any."""
    width = min(systems.shape[3], gold.shape[2])
    whole = systems.shape[3] == gold.shape[2]
    for r in range(len(out)):
        lead = pairs = 0
        if whole:  # one long row, which vector instructions go through in one go
            lead, pairs = _lead(systems[0, r].reshape(-1), systems[1, r].reshape(-1), gold[r].reshape(-1))
        else:
            for i in range(gold.shape[1]):
                row = _lead(systems[0, r, i, :width], systems[1, r, i, :width], gold[r, i, :width])
                lead += row[0]
                pairs += row[1]
        out[r] = lead / pairs


@njit(nogil=True, cache=True)
def _lead(a: Floats, b: Floats, gold: Floats) -> tuple[int, int]:
    """Return (wins of A − wins of B, pairs without NaN)."""
    lead = 0
    pairs = 0
    for i in range(len(gold)):
        error_a = abs(a[i] - gold[i])
        error_b = abs(b[i] - gold[i])
        difference = error_a - error_b
        pairs += int(difference == difference)
        lead += int(error_a < error_b) - int(error_b < error_a)
    return lead, pairs
