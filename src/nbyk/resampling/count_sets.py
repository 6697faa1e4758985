"""Compiled draws of an item's counts of each Likert or binary response, without the responses.

A response is at least level l with the chance Φ((mean − edge_l)/sd). Rounded to 32 bits, those L − 1 chances
are thresholds, and one random word of 32 bits is a response: its level is the number of thresholds above it.
K such words give the item's counts, #{responses ≥ l} for every level l except the lowest. So a multinomial
takes K table look-ups. With 64 items abreast, each takes a fraction of a nanosecond, and together they cost
less than binomials up to K ≈ 500 (docs/method.md has the measurement).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import uint32
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.counts import counts_form, has_counts_form, sums
from nbyk.priors import Response
from nbyk.resampling.lanes import LANES, STATE, next_row, start_replicate
from nbyk.resampling.population import Population
from nbyk.resampling.streams import ReplicateStreams

Thresholds = NDArray[np.uint32]
Counts = NDArray[np.int32]

BLOCK = 2 * LANES
"""Items abreast: a row of 64-bit words holds twice as many 32-bit words."""

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


_TABLE = np.vstack([_normal_table(), [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]])
"""The cells of Φ, then one cell for chance 0 and one for chance 1."""

_LAST_CELL = len(_TABLE) - 3
_NEVER = len(_TABLE) - 2
_PIECE = 256
_WORDS = 2.0**32


@njit(nogil=True, cache=True, error_model="numpy")
def _find_cells(mean: Floats, sd: Floats, edge: float, cells: Counts, places: Floats) -> None:
    """Fill `cells` with the cells of Φ((mean − edge)/sd), and `places` with the places in them; all (n,)."""
    for i in range(len(mean)):
        distance = mean[i] - edge
        z = min(max(distance / sd[i], -_REACH), _REACH)
        place = (z + _REACH) * _CELLS_PER_SD
        cell = min(np.int32(place), np.int32(_LAST_CELL))
        certain = np.int32(_NEVER) + np.int32(distance >= 0.0)
        places[i] = place - cell if sd[i] > 0.0 else 0.0
        cells[i] = cell if sd[i] > 0.0 else certain


@njit(nogil=True, cache=True)
def _fill_chances(cells: Counts, places: Floats, out: Thresholds) -> None:
    """Fill `out`, shape (n,), with 2³² Φ, by arithmetic alone, so that all machines get the same numbers."""
    for i in range(len(out)):
        if cells[i] < 0:
            break  # never: a loop with an exit has no gathers, which are slower than loads
        row, t = uint32(cells[i]), places[i]
        chance = _TABLE[row, 0] + t * (_TABLE[row, 1] + t * (_TABLE[row, 2] + t * _TABLE[row, 3]))
        out[i] = np.uint32(np.int64(min(max(chance * _WORDS, 0.0), _WORDS - 1.0)))


@njit(nogil=True, cache=True)
def thresholds(mean: Floats, sd: Floats, edges: Floats, out: Thresholds) -> None:
    """Fill `out`, shape (L − 1, n), with 2³² P(response ≥ level) of items, `mean` and `sd` of shape (n,).

    `edges`, shape (L − 1,), are the least draws that give each level except the lowest. A certain response
    has a chance of 1 − 2⁻³². Φ is exact to 10⁻¹⁰.
    """
    cells, places = np.empty(_PIECE, np.int32), np.empty(_PIECE)
    for start in range(0, len(mean), _PIECE):
        means, sds = mean[start : start + _PIECE], sd[start : start + _PIECE]
        n = len(means)
        for level in range(len(edges)):
            _find_cells(means, sds, edges[level], cells[:n], places[:n])
            _fill_chances(cells[:n], places[:n], out[level, start : start + n])


def as_thresholds(above: Floats) -> Thresholds:
    """Return 2³² P(response ≥ level) from these chances, of any shape: the thresholds of counted draws."""
    return np.minimum(above * _WORDS, _WORDS - 1.0).astype(np.uint32)


@njit(nogil=True, cache=True)
def mixed_thresholds(a: Thresholds, b: Thresholds, out: Thresholds) -> None:
    """Fill `out` with the thresholds of responses that are A's or B's by a fair coin each; all (L − 1, n)."""
    for level in range(len(a)):
        limits_a, limits_b, mixed = a[level], b[level], out[level]
        for i in range(len(mixed)):
            # The mean of both, rounded down, without a 33rd bit.
            mixed[i] = (limits_a[i] & limits_b[i]) + ((limits_a[i] ^ limits_b[i]) >> uint32(1))


@njit(nogil=True, cache=True)
def draw_counts(key: Any, first: int, k: int, threshold: Thresholds, out: Counts) -> None:
    """Fill `out`, shape (L − 1, R, N), with #{responses ≥ level} of K responses per item.

    `threshold` has the same shape; the replicates are those from `first` on of the stream `key`.
    """
    n_levels, n_replicates, n = out.shape
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    limit = np.zeros((n_levels, BLOCK), np.uint32)
    count = np.empty((n_levels, BLOCK), np.int32)
    for r in range(n_replicates):
        start_replicate(key, first + r, state)
        for start in range(0, n, BLOCK):
            width = min(BLOCK, n - start)
            for level in range(n_levels):
                level_limit, level_threshold = limit[level], threshold[level, r, start : start + width]
                for i in range(width):
                    level_limit[i] = level_threshold[i]
            count[:] = 0
            for _ in range(k):
                next_row(state, row)
                for level in range(n_levels):
                    level_limit, level_count = limit[level], count[level]
                    for i in range(BLOCK):
                        level_count[i] += np.int32(words[i] < level_limit[i])
            for level in range(n_levels):
                level_count, level_out = count[level], out[level, r, start : start + width]
                for i in range(width):
                    level_out[i] = level_count[i]


@dataclass(frozen=True)
class CountSets:
    """R test sets of N items with K responses each of gold, A and B.

    Each matrix, shape (L − 1, R, N), has #{responses ≥ level} for each of the L levels except the lowest;
    `values` are the levels', in ascending order and equal steps. If systems and gold have different numbers
    of responses, `k` is a common multiple, to which all counts are scaled.
    """

    gold: Counts
    a: Counts
    b: Counts
    k: int
    values: tuple[float, ...]

    def item_units(self, metric: Metric) -> tuple[Counts, float]:
        """Return an additive metric's effect of every item in whole units, shape (R, N), and the unit."""
        fill, unit = counts_form(metric, self.values, self.k)
        levels, n_sets, n = self.gold.shape
        out = np.empty((n_sets, n), np.int32)
        fill(*(matrix.reshape(levels, -1) for matrix in (self.gold, self.a, self.b)), out.reshape(-1))
        return out, unit

    def item_means(self) -> tuple[Floats, Floats]:
        """Return the item means of gold, shape (R, N), and of both systems, (2, R, N)."""
        step, lowest = self.values[1] - self.values[0], self.values[0]
        levels, n_sets, n = self.gold.shape
        means = np.empty((3, n_sets, n))
        total = np.empty(n_sets * n, np.int32)
        for matrix, out in zip((self.gold, self.a, self.b), means, strict=True):
            sums(matrix.reshape(levels, -1), total)
            out[:] = lowest + step * total.reshape(n_sets, n) / self.k
        return means[0], means[1:]


def draw_count_sets(
    population: Population, streams: ReplicateStreams, n_sets: int, *, null: bool = False
) -> tuple[CountSets, ...]:
    """Draw test sets under the alternative and, if asked, the same items and gold under the null.

    Under the null each single response of either system comes from A's or from B's distribution, by a fair
    coin. Sets of more items begin with the items of smaller ones.
    """
    response = population.prior.response
    items = population.draw_items(streams, n_sets)
    edges = response.edges
    shape = (len(edges), *items.gold.shape)

    def limits(mean: Floats, sd: Floats) -> NDArray[np.uint32]:
        out = np.empty(shape, np.uint32)
        thresholds(mean.reshape(-1), sd.reshape(-1), edges, out.reshape(len(edges), -1))
        return out

    k, values = population.common_responses, tuple(response.values.tolist())

    def draw(role: str, threshold: NDArray[np.uint32], n_responses: int) -> Counts:
        out = np.empty(shape, np.int32)
        draw_counts(*streams.take(role, n_sets), n_responses, threshold, out)
        if n_responses < k:
            out *= np.int32(k // n_responses)
        return out

    limits_gold = limits(items.gold, items.sd_gold)
    same = items.a is items.gold and items.sd_a is items.sd_gold
    limits_a = limits_gold if same else limits(items.a, items.sd_a)
    limits_b = limits(items.b, items.sd_b)
    gold = draw("gold", limits_gold, population.k_responses)
    n_runs = population.n_runs or population.k_responses
    alternative = CountSets(gold, draw("a", limits_a, n_runs), draw("b", limits_b, n_runs), k, values)
    if not null:
        return (alternative,)
    mixed = np.empty(shape, np.uint32)
    mixed_thresholds(*(matrix.reshape(len(edges), -1) for matrix in (limits_a, limits_b, mixed)))
    return alternative, CountSets(
        gold, draw("null a", mixed, n_runs), draw("null b", mixed, n_runs), k, values
    )


def check_countable(metrics: Sequence[Metric], response: Response) -> None:
    """Raise NbykError unless the metrics need only counts of such responses."""
    response.check_levels()
    for metric in metrics:
        if metric.needs != "item_means" and not has_counts_form(metric):
            raise NbykError(
                f"metric {metric.name} needs single responses, in their order, and counts have none; "
                "use a metric of item means, or mean_of_emds"
            )
