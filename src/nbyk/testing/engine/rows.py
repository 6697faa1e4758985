"""The rows of responses that a comparison swaps or draws, and batches of swaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats, Integers
from nbyk.metrics import Metric
from nbyk.metrics.classes import shares_of
from nbyk.metrics.item_means import equal_item_means, without_rounding
from nbyk.resampling.lanes import LANES, STATE, fill_next_words, fill_words, start_replicate
from nbyk.sums import product
from nbyk.testing.engine import swaps
from nbyk.testing.engine.item_draws import Kinds
from nbyk.testing.engine.swaps import DRAWS

_UNEVEN = 0.01
"""The most that Σ |x|³ / (Σ x²)^1.5 may be: normal numbers have it from 25,000 on."""

_FEW_SYSTEMS = 12

_WORDS = 1024
"""Words of a draw that are there at one time."""


class Swaps:
    """A batch of R draws of swaps: for each item, whether its rows are swapped.

    `words`, shape (R, ⌈G/64⌉), have a bit per cluster from the lowest up: whether the rows of its items are
    swapped. `clusters`, shape (N,), are the items'; without them, each item is a cluster of its own.
    """

    def __init__(self, words: NDArray[np.uint64], n_items: int, clusters: Integers | None = None) -> None:
        self.words = words
        self.n_items, self.clusters = n_items, clusters
        self._sums: dict[str, Floats] = {}

    @property
    def n_draws(self) -> int:
        """Number of draws R."""
        return len(self.words)

    def batches(self) -> Iterator[Swaps]:
        """Yield the draws, 64 at a time; the last ones are filled up with draws that swap nothing."""
        for first in range(0, len(self.words), DRAWS):
            words = np.zeros((DRAWS, self.words.shape[1]), np.uint64)
            words[: self.n_draws - first] = self.words[first : first + DRAWS]
            yield Swaps(words, self.n_items, self.clusters)

    @cached_property
    def coins(self) -> NDArray[np.uint64]:
        """The same of 64 draws as a word per item with a bit per draw, shape (N,)."""
        coins = np.empty(self.n_items if self.clusters is None else int(self.clusters.max()) + 1, np.uint64)
        swaps.transpose_coins(self.words, coins)
        return coins if self.clusters is None else coins[self.clusters]

    @cached_property
    def swapped(self) -> NDArray[np.bool_]:
        """The same as booleans, shape (R, N)."""
        bits = np.unpackbits(self.words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        item_bits = bits[:, : self.n_items] if self.clusters is None else bits[:, self.clusters]
        return item_bits.astype(np.bool_)

    def sums(self, of: ItemSums) -> Floats:
        """Return what swaps add to the first system's sums and take from the second's, shape (F, R)."""
        if of.name not in self._sums:
            self._sums[of.name] = self.add(of.gains, of.kinds)
        return self._sums[of.name]

    def counts(self, kinds: Kinds | None) -> Integers | None:
        """Return how many items of each kind are swapped, (R, kinds), if that can be drawn without them."""
        return None

    def add(self, values: Floats, kinds: Kinds | None) -> Floats:
        """Return the sums of the swapped clusters' `values`, shape (G, F), as (F, R)."""
        counts = self.counts(kinds)
        if kinds is not None and counts is not None:
            return product(values[kinds.first].T, counts.T)
        sums, first = np.zeros((values.shape[1], self.n_draws)), 0
        columns = np.ascontiguousarray(values.T)
        for words in self.blocks():
            for column, out in zip(columns[:, first:], sums, strict=True):
                swaps.add_swapped(column, words, np.empty((8, 256)), out)
            first += 64 * words.shape[1]
        return sums

    def blocks(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the words, some columns after the others."""
        yield self.words


class DrawnSwaps(Swaps):
    """A batch of random draws of swaps from one number on in a stream, listed only if a metric needs them."""

    def __init__(self, word: np.uint64, first: int, n_draws: int, rows: Rows) -> None:
        self._word, self._first, self._n_draws, self._n_clusters = word, first, n_draws, rows.n_clusters
        self.n_items, self.clusters = rows.n_items, rows.clusters
        self._sums = {}

    @property
    def n_draws(self) -> int:
        """Number of draws R."""
        return self._n_draws

    @cached_property
    def words(self) -> NDArray[np.uint64]:  # type: ignore[override]
        """Per draw, a bit per cluster: whether the rows of its items are swapped."""
        words = np.empty((self._n_draws, -(-self._n_clusters // 64)), np.uint64)
        fill_words(self._word, self._first, words)
        return words

    def blocks(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the words, some columns after the others; those of many items are never all there."""
        n_words = -(-self._n_clusters // 64)
        if n_words <= _WORDS:
            yield self.words
            return
        states = np.empty((self._n_draws, STATE), np.uint64)
        for draw, state in enumerate(states):
            start_replicate(self._word, self._first + draw, state)
        words = np.empty((self._n_draws, _WORDS), np.uint64)
        for first in range(0, n_words, _WORDS):
            width = min(_WORDS, LANES * -(-(n_words - first) // LANES))
            if width < _WORDS:
                words = np.empty((self._n_draws, width), np.uint64)
            fill_next_words(states, words)
            yield words

    def counts(self, kinds: Kinds | None) -> Integers | None:
        """Return how many items of each kind are swapped, shape (R, kinds)."""
        return None if kinds is None else kinds.swapped(self._word, self._first, self._n_draws)


@dataclass(frozen=True)
class Rows:
    """The responses of gold and S systems to N items, left-packed.

    Attributes
    ----------
    gold : ndarray, shape (N, K_gold)
        Without gold, K_gold is 0 and its item means are NaN.
    systems : ndarray, shape (S, N, K)
    clusters : ndarray of int, shape (N,), or None
        The cluster of each item, 0 to G − 1 in rising order; None without clusters.
    table : ndarray, shape (U, C), or None
        The distributions over classes, or the statistics of outputs, that responses are the places of; None
        if they are numbers.
    """

    gold: Floats
    systems: Floats
    clusters: NDArray[np.int64] | None = None
    table: Floats | None = None
    _sums: dict[str, ItemSums] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        gold: Floats,
        systems: Floats,
        clusters: NDArray[np.int64] | None = None,
        table: Floats | None = None,
    ) -> Rows:
        """Return the rows; those of a cluster are next to each other."""
        if clusters is None:
            return cls(gold, systems, None, table)
        order = np.argsort(clusters, kind="stable")
        return cls(gold[order], np.ascontiguousarray(systems[:, order]), clusters[order], table)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.gold)

    @property
    def n_clusters(self) -> int:
        """Number of clusters G, which are drawn and swapped whole; the number of items without clusters."""
        return self.n_items if self.clusters is None else int(self.clusters[-1]) + 1

    @cached_property
    def complete(self) -> bool:
        """Whether gold and every system have K responses to every item."""
        same = self.gold.shape[1] == self.systems.shape[2]
        return same and not (np.isnan(self.gold).any() or np.isnan(self.systems).any())

    @cached_property
    def gold_means(self) -> Floats:
        """Gold's item means, shape (N,)."""
        return equal_item_means(self.gold)

    @cached_property
    def means(self) -> Floats:
        """The systems' item means, shape (S, N)."""
        return equal_item_means(self.systems)

    @cached_property
    def gold_shares(self) -> Floats:
        """The shares of the classes among gold's responses to each item, shape (N, C)."""
        assert self.table is not None, "these responses are numbers"
        return shares_of(self.gold, self.table)

    def inputs(self, metric: Metric) -> tuple[Floats, Floats]:
        """Return what a metric takes: of the systems, shape (S, N) or (S, N, K), and of gold."""
        if metric.needs == "item_means":
            return self.means, self.gold_means
        return self.systems, self.gold if metric.needs in ("responses", "outputs") else self.gold_shares

    def scores(self, metric: Metric) -> Floats:
        """Return the systems' scores on the data, shape (S,)."""
        systems, gold = self.inputs(metric)
        return metric.scores(systems[:, None], gold[None])[:, 0]

    def effect(self, metric: Metric) -> float:
        """Return how much better the first system is than the second on the data."""
        systems, gold = self.inputs(metric)
        return float(metric.effects(systems[:2, None], gold[None])[0])

    def as_scored(self, metric: Metric) -> Rows:
        """Return A and B alike in everything that the metric ignores: what a swap may exchange.

        A metric that no rising map of one system's responses changes sees their ranks. Of one that a constant
        or a factor does not change, each system's responses are brought to a mean of 0 or a mean square of 1.
        """
        ignored = () if metric.additive else metric.unchanged_by
        if not ignored:
            return self
        systems = self.means[:2, :, None] if metric.needs == "item_means" else self.systems[:2]
        if "monotone" in ignored:
            return Rows(self.gold, _ranks(systems), self.clusters)
        if "location" in ignored:
            systems = systems - np.nanmean(systems, axis=(1, 2), keepdims=True)
        if "scale" in ignored:
            size = np.sqrt(np.nanmean(systems**2, axis=(1, 2), keepdims=True))
            systems = systems / np.where(size > 0.0, size, 1.0)
        return Rows(self.gold, without_rounding(systems), self.clusters)

    def sums(self, metric: Metric, statistics: Floats | None = None) -> ItemSums:
        """Return the sums of a metric that is additive, or of its items' statistics, shape (S, N, F).

        They are computed once for all metrics that use them.
        """
        if metric.name not in self._sums:
            self._sums[metric.name] = ItemSums(metric, self, statistics)
        return self._sums[metric.name]


def _ranks(systems: Floats) -> Floats:
    """Return the average ranks of each system's responses, NaN where there is none."""
    ranked = np.full(systems.shape, np.nan)
    for values, out in zip(systems, ranked, strict=True):
        there = ~np.isnan(values)
        _, level, sizes = np.unique(without_rounding(values[there]), return_inverse=True, return_counts=True)
        out[there] = (np.cumsum(sizes) - 0.5 * (sizes - 1))[level]
    return ranked


class ItemSums:
    """Sums over items: of an additive metric's scores of single items, F = 1, or of F statistics of items.

    Attributes
    ----------
    features : ndarray, shape (N, S F), or (N, 1) of a comparison
        Each item's, and `total` their sums.
    gains : ndarray, shape (G, F)
        What swapping a cluster's rows adds to the first system's sums and takes from the second's.
    """

    def __init__(self, metric: Metric, rows: Rows, statistics: Floats | None = None) -> None:
        self.name = metric.name
        if statistics is None and metric.statistics is not None:
            statistics = metric.rows_of(rows.systems)
        if statistics is not None:
            self.features = np.ascontiguousarray(np.concatenate(statistics, axis=-1))
            self.gains = self._of_clusters(statistics[1] - statistics[0], rows)
        else:
            scores = item_scores(metric, rows)
            self.features = np.ascontiguousarray(scores.T)
            # A swap compares B with A. A user's own metric need not give the negative then.
            systems, gold = rows.inputs(metric)
            swapped = metric.item_scores(systems[1::-1], gold)[0] if len(scores) == 1 else scores[1]
            self.gains = self._of_clusters((swapped - scores[0])[:, None], rows)
        self.total = self.features.sum(axis=0)
        self._rows = rows
        self._kinds_of: dict[tuple[int, int], Kinds | None] = {}

    @cached_property
    def kinds(self) -> Kinds | None:
        """The kinds of the items, if few; None with clusters."""
        if self._rows.clusters is not None:
            return None
        return Kinds.of([*self.features.T, *(self.gains.T if self.features.shape[1] == 1 else ())])

    def kinds_of(self, a: int, b: int) -> Kinds | None:
        """Return the kinds of the items by what two systems get, if few."""
        if (a, b) not in self._kinds_of:
            gains = None if self._rows.clusters is not None else self.gains_of(a, b)
            self._kinds_of[a, b] = None if gains is None else Kinds.of(list(gains.T))
        return self._kinds_of[a, b]

    def gains_of(self, a: int, b: int) -> Floats:
        """Return what swapping two systems' rows adds to the first one's sums, shape (G, F)."""
        width = self.gains.shape[1]
        return self.leads[:, width * b :][:, :width] - self.leads[:, width * a :][:, :width]

    @cached_property
    def deviations(self) -> Floats | None:
        """The features less their means, (N, S F), if their sums by random signs do for bootstrapped ones.

        Both have one mean and one variance. They are nearly normal if no item weighs much in a system or in
        the difference of two: by the first term of Edgeworth's series, a sixth of the skewness times .4, the
        distribution functions differ by less than .001. A point of 9,999 draws at 2.5 % is off by .0016.
        """
        width = self.features.shape[1]
        if width > _FEW_SYSTEMS or self.gains.shape[1] > 1 or len(self.features) < _UNEVEN**-2:
            return None
        deviations: Floats = self.features - self.features.mean(axis=0)
        columns = deviations.T
        differences = (columns[a] - columns[b] for a in range(width) for b in range(a))
        for values in chain(columns, differences):
            cubes, squares = (np.abs(values) ** 3).sum(), (values**2).sum()
            if not cubes <= _UNEVEN * squares**1.5:
                return None
        return deviations

    @cached_property
    def leads(self) -> Floats:
        """Every system's features less the first one's, summed over each cluster, shape (G, S F)."""
        n_features = self.gains.shape[1]
        first = np.tile(self.features[:, :n_features], self.features.shape[1] // n_features)
        return self._of_clusters(self.features - first, self._rows)

    @staticmethod
    def _of_clusters(values: Floats, rows: Rows) -> Floats:
        if rows.clusters is not None:
            starts = np.flatnonzero(np.diff(rows.clusters, prepend=-1))
            values = np.add.reduceat(values, starts, axis=0)
        return np.ascontiguousarray(values)


def item_scores(metric: Metric, rows: Rows) -> Floats:
    """Return the score of every item as a test set of its own, (S, N), or a comparison's numbers, (1, N)."""
    return metric.item_scores(*rows.inputs(metric))
