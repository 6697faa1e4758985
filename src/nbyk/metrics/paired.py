"""Metrics on responses paired index by index: systems of shape (S, R, N, K), gold of shape (R, N, K_gold).

Response j of a system to item i belongs to gold response j of item i. Rows are left-packed, with NaN after
the last response. A pair counts if all that are compared have a response. `wins` pairs whole items, by any
metric of single ones: Winsδ of Wein et al. 2023, section 4.2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nbyk.arrays import Floats
from nbyk.compiled import njit

if TYPE_CHECKING:
    from nbyk.metrics.metric import Metric


_LANES = 64


@njit(nogil=True, cache=True)
def cosine(systems: Floats, gold: Floats, out: Floats) -> None:
    """Fill `out`, shape (S, R), with 1 − a·g / (|a| |g|) over all pairs; NaN where either has length 0."""
    paired = systems.shape[3] == gold.shape[2]
    for r in range(out.shape[1]):
        length_g = _dot(gold[r].reshape(-1), gold[r].reshape(-1))
        for s in range(out.shape[0]):
            responses = systems[s, r].reshape(-1)
            lengths = length_g * _dot(responses, responses)
            product = _dot(responses, gold[r].reshape(-1)) if paired else np.nan
            if not paired or lengths != lengths:  # some responses have no partner
                product, lengths = _over_pairs(systems[s, r], gold[r])
            out[s, r] = 1.0 - product / math.sqrt(lengths) if lengths > 0.0 else np.nan


@njit(nogil=True, cache=True)
def _dot(x: Floats, y: Floats) -> float:
    """Return x·y by `_LANES` sums: the inner loop compiles to vector instructions of any machine's width."""
    sums = np.zeros(_LANES)
    whole = len(x) // _LANES * _LANES
    for start in range(0, whole, _LANES):
        for lane in range(_LANES):
            sums[lane] += x[start + lane] * y[start + lane]
    for i in range(whole, len(x)):
        sums[i - whole] += x[i] * y[i]
    total = 0.0
    for lane in range(_LANES):
        total += sums[lane]
    return total


@njit(nogil=True, cache=True)
def _over_pairs(a: Floats, gold: Floats) -> tuple[float, float]:
    """Return a·g and |a|² |g|² over the pairs that both have."""
    product = length_a = length_g = 0.0
    for i in range(gold.shape[0]):
        for j in range(min(a.shape[1], gold.shape[1])):
            x, y = a[i, j], gold[i, j]
            if x * y == x * y:
                product += x * y
                length_a += x * x
                length_g += y * y
    return product, length_a * length_g


def products_of_pairs(systems: Floats, gold: Floats) -> Floats:
    """Return a·g, |a|² and |g|² over the pairs of each item, shape (S, N, 3), of responses (S, N, K)."""
    width = min(systems.shape[2], gold.shape[1])
    a, g = np.broadcast_arrays(systems[..., :width], gold[:, :width])
    paired = ~np.isnan(a * g)
    a, g = np.where(paired, a, 0.0), np.where(paired, g, 0.0)
    return np.stack([(x * y).sum(axis=2) for x, y in ((a, g), (a, a), (g, g))], axis=2)


@njit(nogil=True, cache=True)
def wins_mae_vectorized(systems: Floats, gold: Floats, out: Floats, tolerance: float) -> None:
    """Fill `out`, shape (R,), with (wins of A − wins of B) / pairs: nearer by more than `tolerance` wins."""
    width = min(systems.shape[3], gold.shape[2])
    whole = systems.shape[3] == gold.shape[2]
    for r in range(len(out)):
        lead = pairs = 0
        if whole:  # one long row, for a single loop of vector instructions
            lead, pairs = lead_of_first(
                systems[0, r].reshape(-1), systems[1, r].reshape(-1), gold[r].reshape(-1), tolerance
            )
        else:
            for i in range(gold.shape[1]):
                row = lead_of_first(
                    systems[0, r, i, :width], systems[1, r, i, :width], gold[r, i, :width], tolerance
                )
                lead += row[0]
                pairs += row[1]
        out[r] = lead / pairs


@njit(nogil=True, cache=True)
def lead_of_first(a: Floats, b: Floats, gold: Floats, tolerance: float) -> tuple[int, int]:
    """Return (wins of A − wins of B, pairs without NaN)."""
    lead = 0
    pairs = 0
    for i in range(len(gold)):
        lead_of_a = abs(b[i] - gold[i]) - abs(a[i] - gold[i])
        pairs += int(lead_of_a == lead_of_a)
        lead += int(lead_of_a > tolerance) - int(-lead_of_a > tolerance)
    return lead, pairs


def wins(metric: Metric, systems: Floats, gold: Floats, out: Floats, tolerance: float) -> None:
    """Fill `out`, shape (R,), with (wins of A − wins of B) / N: a win is a lead above `tolerance`.

    An item counts as a test set of its own, by a metric that scores systems. Where that has no value on some
    item, the result is NaN.
    """
    n_sets, n_items = systems.shape[1:3]
    gold_items = gold.reshape(-1, *gold.shape[2:]) if metric.needs_gold else None
    scores = metric.item_scores(systems[:2].reshape(2, -1, *systems.shape[3:]), gold_items)
    with np.errstate(invalid="ignore"):
        effects = (metric.sign * (scores[0] - scores[1])).reshape(n_sets, n_items)
    lead = (effects > tolerance).sum(axis=1) - (effects < -tolerance).sum(axis=1)
    out[:] = np.where(np.isnan(effects).any(axis=1), np.nan, lead / n_items)
