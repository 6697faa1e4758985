"""Effects of simulated test sets of many sizes at once, plain and with their items bootstrapped once more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.arrays import Booleans, Floats
from nbyk.compiled import njit
from nbyk.metrics import Metric
from nbyk.metrics.counts import has_counts_form
from nbyk.resampling.count_sets import CountSets, check_countable, draw_count_sets
from nbyk.resampling.effects import batches
from nbyk.resampling.lanes import HALVES, LANES, STATE, next_row, start_replicate
from nbyk.resampling.population import Population
from nbyk.resampling.streams import ReplicateStreams

Units = NDArray[np.int32]
Sizes = NDArray[np.int64]
Sums = NDArray[np.int64]
Items = NDArray[np.int32]


@njit(nogil=True, cache=True)
def sum_items(units: Units, sizes: Sizes, out: Sums) -> None:
    """Fill `out`, shape (S, C), with the sums of each unit, (N, C), over the items of each of S sizes."""
    total = np.zeros(units.shape[1], np.int64)
    done = 0
    for s in range(len(sizes)):
        for i in range(done, sizes[s]):
            for c in range(len(total)):
                total[c] += units[i, c]
        done = sizes[s]
        out[s] = total


@njit(nogil=True, cache=True)
def draw_items(key: Any, replicate: int, size: int, items: Items) -> None:
    """Fill the first `size` of `items` with items drawn with replacement from a test set of that size.

    A size has its own draws, which do not depend on the other sizes in the call. `items` has room for
    `size`, rounded up to a multiple of `HALVES`.
    """
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    n, low_bits = uint64(size), uint64(0xFFFFFFFF)
    start_replicate(uint64(key) + n, replicate, state)
    for start in range(0, size, HALVES):
        next_row(state, row)
        high, low = items[start : start + LANES], items[start + LANES : start + HALVES]
        for i in range(LANES):
            high[i] = np.int32(((row[i] >> uint64(32)) * n) >> uint64(32))
        for i in range(LANES):
            low[i] = np.int32(((row[i] & low_bits) * n) >> uint64(32))


@njit(nogil=True, cache=True)
def sum_bootstrapped_items(units: Units, key: Any, replicate: int, sizes: Sizes, out: Sums) -> None:
    """Fill `out`, as `sum_items`, with sums over the items that `draw_items` draws from each size's set."""
    items = np.empty(sizes.max() + HALVES, np.int32)
    out[:] = 0
    for s in range(len(sizes)):
        draw_items(key, replicate, sizes[s], items)
        total = out[s]
        for i in range(sizes[s]):
            unit = units[items[i]]
            for c in range(len(total)):
                total[c] += unit[c]


@njit(nogil=True, cache=True)
def bootstrapped_items(key: Any, first: int, out: Sizes) -> None:
    """Fill `out`, shape (R, size), with the same items that `sum_bootstrapped_items` draws for a size."""
    items = np.empty(out.shape[1] + HALVES, np.int32)
    for r in range(len(out)):
        draw_items(key, first + r, out.shape[1], items)
        out[r] = items[: out.shape[1]]


RESAMPLINGS = ("recommended", "published")
"""Fresh draws, and the same draws with their items bootstrapped once more."""

HYPOTHESES = ("alternative", "multistage", "flat")
"""The alternative; the null that draws every response from A or B by a fair coin; and the null that first
aggregates an item's responses, and then draws each system's mean from the two systems' means."""


_VALUES_PER_ITEM = 16
"""Approximate memory of one item's parameters, thresholds, counts and units, in doubles."""


class SizeDraws(ABC):
    """A way to draw effects of several sizes of test set by metrics that need only counts of responses.

    The population's N is not used. `paired` says whether draw j of the nulls has the items and gold of draw j
    of the alternative; `purpose` is the name of the random streams.
    """

    paired: ClassVar[bool]
    purpose: ClassVar[str]

    def __init__(self, population: Population, metrics: Sequence[Metric], seed: int) -> None:
        check_countable(metrics, population.prior.response)
        self._population = population
        self._metrics = metrics
        self._key = population.key(seed, self.purpose, any_size=True)

    @abstractmethod
    def draw(self, sizes: Sequence[int], chunk: int, n_sets: int) -> Floats:
        """Return a chunk's effects, shape (resamplings, hypotheses, metrics, sizes, n_sets).

        `sizes` are numbers of items in ascending order.
        """


@dataclass(frozen=True)
class _Batch:
    """Test sets of the largest size under both hypotheses, and what makes other sets of them.

    `coins` say whether A takes A's item means, and not B's, if responses are first aggregated; and whether B
    does. `bootstrap` is the key of the streams that bootstrap items, and the first set's replicate.
    """

    alternative: CountSets
    null: CountSets
    coins: tuple[Booleans, Booleans]
    bootstrap: tuple[np.uint64, int]


class NestedDraws(SizeDraws):
    """Test sets drawn item by item; the smaller sizes are the first items of the larger."""

    paired = True
    purpose = "sizes"

    def draw(self, sizes: Sequence[int], chunk: int, n_sets: int) -> Floats:
        """Return a chunk's effects; see `SizeDraws.draw`."""
        streams = ReplicateStreams(self._key, chunk)
        largest = replace(self._population, n_items=max(sizes))
        values_per_set = largest.n_items * _VALUES_PER_ITEM
        effects = np.empty((len(RESAMPLINGS), len(HYPOTHESES), len(self._metrics), len(sizes), n_sets))
        start = 0
        for batch in batches(n_sets, values_per_set):
            alternative, null = draw_count_sets(largest, streams, batch, null=True)
            words = streams.words("flat", (batch, largest.n_items))
            coins = ((words >> np.uint64(63)) == 1, (words >> np.uint64(62) & np.uint64(1)) == 1)
            drawn = _Batch(alternative, null, coins, streams.take("bootstrap", batch))
            out = effects[..., start : start + batch]
            self._fill_additive(drawn, sizes, out)
            self._fill_others(drawn, sizes, out)
            start += batch
        return effects

    def _fill_additive(self, drawn: _Batch, sizes: Sequence[int], out: Floats) -> None:
        rows = [row for row, metric in enumerate(self._metrics) if has_counts_form(metric)]
        if not rows:
            return
        # An item's effect keeps its sign if each system has its own mean, changes it if they are exchanged,
        # and is 0 if both have the same.
        sign = drawn.coins[0].astype(np.int32) - drawn.coins[1]
        n_sets, n = sign.shape
        units = np.empty((n_sets, n, len(HYPOTHESES), len(rows)), np.int32)
        scale = np.empty(len(rows))
        for column, row in enumerate(rows):
            units[:, :, 0, column], scale[column] = drawn.alternative.item_units(self._metrics[row])
            units[:, :, 1, column], _ = drawn.null.item_units(self._metrics[row])
            np.multiply(units[:, :, 0, column], sign, out=units[:, :, 2, column])
        ascending = np.asarray(sizes, dtype=np.int64)
        sums = np.empty((len(RESAMPLINGS), n_sets, len(sizes), len(HYPOTHESES) * len(rows)), np.int64)
        key, first = drawn.bootstrap
        for r in range(n_sets):
            of_set = units[r].reshape(n, -1)
            sum_items(of_set, ascending, sums[0, r])
            sum_bootstrapped_items(of_set, key, first + r, ascending, sums[1, r])
        by_metric = sums.reshape(*sums.shape[:-1], len(HYPOTHESES), len(rows)) * (
            scale / ascending[:, None, None]
        )
        out[:, :, rows] = by_metric.transpose(0, 3, 4, 2, 1)

    def _fill_others(self, drawn: _Batch, sizes: Sequence[int], out: Floats) -> None:
        rows = [row for row, metric in enumerate(self._metrics) if not has_counts_form(metric)]
        if not rows:
            return
        gold, (a, b) = drawn.alternative.item_means()
        _, null_pair = drawn.null.item_means()
        flat_a, flat_b = (np.where(coin, a, b) for coin in drawn.coins)
        pairs = ((a, b), (null_pair[0], null_pair[1]), (flat_a, flat_b))
        for place, size in enumerate(sizes):
            items = np.empty((len(gold), size), np.int64)
            bootstrapped_items(*drawn.bootstrap, items)
            for resampling, chosen in enumerate((np.arange(size)[None], items)):
                chosen_gold = np.take_along_axis(gold, chosen, axis=1)
                for hypothesis, pair in enumerate(pairs):
                    systems = np.stack([np.take_along_axis(means, chosen, axis=1) for means in pair])
                    for row in rows:
                        effects = self._metrics[row].effects(systems, chosen_gold)
                        out[resampling, hypothesis, row, place] = effects
