"""Batches of 64 draws of items with replacement: the items of each draw, and their counts.

Items that every score treats alike may share a kind. A draw is then a count of each kind, and a score takes
one pass over the kinds. If kinds are few, their counts are drawn, not the items: both have one distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from nbyk.arrays import Array, Floats, Integers
from nbyk.compiled import njit
from nbyk.resampling.lanes import (
    HALVES,
    LANES,
    STATE,
    fill_words,
    index_below,
    next_row,
    start_replicate,
)
from nbyk.resampling.streams import CHUNK, StreamKey, Streams
from nbyk.sums import product
from nbyk.testing.engine import weights
from nbyk.testing.engine.swaps import DRAWS

if TYPE_CHECKING:
    from nbyk.testing.engine.rows import ItemSums


_ITEMS_PER_BINOMIAL = 50
"""Drawing a kind's binomial costs about as much as drawing this many single items."""

ITEMS_PER_KIND = 128
"""As many items of a kind, drawn once and swapped once, cost about as much as the kind's two binomials."""

SWAPS_PER_KIND = 2048
"""As many items of a kind, only swapped, cost about as much as its binomial."""


@njit(inline="always")
def _half(row: Any, i: int) -> Any:
    """Return the i-th half of a row's words, the lower first; a view of 32 bits takes longer to compile."""
    return (row[i >> 1] >> uint64(32 * (i & 1))) & uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def draw_items(key: Any, first: int, n_items: int, out: Array) -> None:
    """Fill `out`, shape (R, n) of uint32, with items drawn with replacement by replicates from `first` on."""
    n = out.shape[1]
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    for draw in range(out.shape[0]):
        start_replicate(key, first + draw, state)
        for start in range(0, n, HALVES):
            next_row(state, row)
            for i in range(min(HALVES, n - start)):
                out[draw, start + i] = index_below(_half(row, i), n_items)


@njit(nogil=True, cache=True)
def count_draws(key: Any, first: int, n_items: int, n_drawn: int, kind_of: Array, counts: Array) -> None:
    """Fill `counts`, shape (R, ≥ kinds), with how often `draw_items` draws each item, or each kind of item.

    `kind_of`, shape (N,), has the kind of each item; it is empty if each is a kind of its own. Counts of
    single items fit uint8: no item is drawn 256 times, as the chance is below 1/256!.
    """
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    for draw in range(counts.shape[0]):
        for place in range(counts.shape[1]):
            counts[draw, place] = 0
        start_replicate(key, first + draw, state)
        for start in range(0, n_drawn, HALVES):
            next_row(state, row)
            for i in range(min(HALVES, n_drawn - start)):
                item = np.uint64(index_below(_half(row, i), n_items))
                counts[draw, np.uint64(kind_of[item]) if kind_of.size > 0 else item] += 1


def by_first_item(codes: Integers) -> tuple[Integers, Integers]:
    """Return the first item of each kind, and each item's kind, from codes, shape (N,).

    Kinds are in the order in which they first appear. So other names of what the items hold, or exchanging
    the systems, give the same draws of items.
    """
    first = np.full(int(codes.max()) + 1, len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    place = np.zeros_like(first)
    place[order] = np.arange(len(order))
    return first[order], place[codes]


def _codes_of_kinds(columns: Sequence[Array], most: int) -> Integers | None:
    """Return a number for each item, equal where all columns are; None if more than `most` differ."""
    codes = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        levels = np.unique(column[: most + 1])
        if len(levels) > most:
            return None
        level = np.minimum(np.searchsorted(levels, column), len(levels) - 1)
        if not np.array_equal(levels[level], column):
            levels, level = np.unique(column, return_inverse=True)
        codes = codes * len(levels) + level
        if codes.max() > most:
            codes = np.unique(codes, return_inverse=True)[1]
            if codes.max() >= most:
                return None
    return codes


@dataclass(frozen=True)
class Kinds:
    """A few kinds of items, in the order of `by_first_item`: the first item of each, and how many it has."""

    first: Integers
    sizes: Integers

    @classmethod
    def of(cls, columns: Sequence[Array], *, only_swapped: bool = False) -> Kinds | None:
        """Return the kinds of items with equal values in all columns, (N,) each; None if they are many."""
        most = len(columns[0]) // (SWAPS_PER_KIND if only_swapped else ITEMS_PER_KIND)
        if _codes_of_kinds([column[: 16 * most + 1] for column in columns], most) is None:
            return None  # as fast as the first items show too many kinds
        codes = _codes_of_kinds(columns, most)
        if codes is None:
            return None
        first, kind_of = by_first_item(codes)
        return cls(first, np.bincount(kind_of))

    def swapped(self, word: np.uint64, first: int, n_draws: int) -> Integers:
        """Return how many items of each kind are swapped, (draws, kinds), in draws from `first` on."""
        return self._drawn(
            word, first, n_draws, lambda rng, n: rng.binomial(self.sizes, 0.5, (n, len(self.sizes)))
        )

    def drawn(self, word: np.uint64, first: int, n_draws: int) -> Integers:
        """Return how many items of each kind N draws with replacement take, shape (draws, kinds)."""
        n_items = int(self.sizes.sum())
        return self._drawn(
            word, first, n_draws, lambda rng, n: rng.multinomial(n_items, self.sizes / n_items, n)
        )

    @staticmethod
    def _drawn(word: np.uint64, first: int, n_draws: int, draw: Any) -> Integers:
        parts = [
            draw(np.random.Generator(np.random.PCG64(np.random.SeedSequence((int(word), start)))), DRAWS)
            for start in range(first, first + n_draws, DRAWS)
        ]
        return np.concatenate(parts)[:n_draws]


class ItemDraws:
    """A batch of R draws, at most 64, of n of N items: `items`, shape (R, n), with their repetitions."""

    def __init__(self, items: NDArray[np.uint32], n_items: int) -> None:
        self.items = items
        self.n_items = n_items
        self._sums: dict[str, Floats] = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Draws R, and items n of each."""
        n_draws, size = self.items.shape
        return n_draws, size

    @cached_property
    def sizes(self) -> Integers:
        """Items n of each draw, with their repetitions, shape (64,)."""
        return np.full(DRAWS, self.shape[1])

    def rows(self, at_once: int) -> Iterator[tuple[Integers, NDArray[np.uint32]]]:
        """Yield the items of all draws, shape (r, n), and the numbers of these draws, `at_once` at most."""
        for first in range(0, self.shape[0], at_once):
            which = np.arange(first, min(first + at_once, self.shape[0]))
            yield which, self.items[which]

    @cached_property
    def weights(self) -> Array:
        """Counts of each item or kind in each draw, shape (N, 64) or (kinds, 64); 0 for draws beyond R.

        Counts of items are uint8, and counts of kinds int64.
        """
        return self._weighed()

    def _weighed(self) -> Array:
        counts = np.empty((DRAWS, self.n_items), np.uint8)
        self._count(counts)
        return np.ascontiguousarray(counts.T)

    def _count(self, counts: NDArray[np.uint8]) -> None:
        """Fill counts, shape (64, N), with how often each draw has an item."""
        counts[:] = 0
        for draw_counts, items in zip(counts, self.items, strict=False):
            draw_counts[:] = np.bincount(items, minlength=self.n_items)

    def counts(self, kinds: Kinds | None) -> Integers | None:
        """Return the counts of kinds, (kinds, 64), if they can be drawn without the items."""
        return None

    def sums(self, of: ItemSums) -> Floats:
        """Return the sums over the drawn items, shape (F, 64); they are computed once."""
        if of.name not in self._sums:
            counts = self.counts(of.kinds)
            if of.kinds is not None and counts is not None:
                self._sums[of.name] = product(of.features[of.kinds.first].T, counts)
            else:
                self._sums[of.name] = np.empty((of.features.shape[1], DRAWS))
                weights.weighted_sums(of.features, self.weights, self._sums[of.name])
        return self._sums[of.name]


class Bootstraps(ItemDraws):
    """A batch of 64 draws of items with replacement, listed only if a metric needs the rows.

    Draws are those of a random stream from number `first` on (`nbyk.resampling.lanes`), of as many items as
    there are by default. `kind_of`, shape (N,), has the kind of each item, if items that are alike share one.
    """

    def __init__(
        self,
        word: np.uint64,
        first: int,
        n_items: int,
        *,
        n_drawn: int | None = None,
        kind_of: Integers | None = None,
    ) -> None:
        self._word, self._first = word, first
        self.n_items = n_items
        self._n_drawn = n_items if n_drawn is None else n_drawn
        self._kind_of = np.empty(0, np.int64) if kind_of is None else kind_of
        self._sums = {}

    @cached_property
    def items(self) -> NDArray[np.uint32]:  # type: ignore[override]
        """The items of each draw, with their repetitions, shape (64, n)."""
        items = np.empty((DRAWS, self._n_drawn), np.uint32)
        draw_items(self._word, self._first, self.n_items, items)
        return items

    @property
    def shape(self) -> tuple[int, int]:
        """Draws R, and items n of each."""
        return DRAWS, self._n_drawn

    def sums(self, of: ItemSums) -> Floats:
        """Return the sums over the drawn items, shape (F, 64); of many items by random signs."""
        whole = self._n_drawn == self.n_items and not self._kind_of.size and of.kinds is None
        if whole and of.name not in self._sums and of.deviations is not None:
            signs = np.empty((1, self.n_items), np.uint64)
            fill_words(self._word, self._first, signs)
            sums = np.empty((of.features.shape[1], DRAWS))
            weights.signed_sums(of.deviations, signs[0], sums)
            self._sums[of.name] = of.total[:, None] + sums
        return super().sums(of)

    def counts(self, kinds: Kinds | None) -> Integers | None:
        """Return the counts of kinds, shape (kinds, 64)."""
        return None if kinds is None else np.ascontiguousarray(kinds.drawn(self._word, self._first, DRAWS).T)

    def _weighed(self) -> Array:
        if not self._kind_of.size:
            return super()._weighed()
        counts = np.empty((DRAWS, int(self._kind_of.max()) + 1), np.int64)
        count_draws(self._word, self._first, self.n_items, self._n_drawn, self._kind_of, counts)
        return np.ascontiguousarray(counts.T)

    def _count(self, counts: NDArray[np.uint8]) -> None:
        count_draws(self._word, self._first, self.n_items, self._n_drawn, self._kind_of, counts)


class ClusterDraws(ItemDraws):
    """A batch of draws of whole clusters, (N,) in rising order; an item is drawn as often as its cluster."""

    def __init__(self, drawn: Bootstraps, clusters: Integers) -> None:
        self._drawn = drawn
        self._clusters = clusters
        self.n_items = len(clusters)
        self._sums = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Draws R, and items N of the data; draws of unequal clusters differ in their `sizes`."""
        return DRAWS, self.n_items

    @cached_property
    def sizes(self) -> Integers:
        """Items n of each draw, with their repetitions, shape (64,)."""
        return np.asarray(self.weights.sum(axis=0, dtype=np.int64))

    def rows(self, at_once: int) -> Iterator[tuple[Integers, NDArray[np.uint32]]]:
        """Yield the items of all draws, shape (r, n), and the numbers of these draws, `at_once` at most."""
        every = np.arange(self.n_items, dtype=np.uint32)
        for size in np.unique(self.sizes):
            same = np.flatnonzero(self.sizes == size)
            for first in range(0, len(same), at_once):
                which = same[first : first + at_once]
                yield which, np.stack([np.repeat(every, self.weights[:, draw]) for draw in which])

    def _weighed(self) -> Array:
        return np.asarray(self._drawn.weights[self._clusters])


class KindCounts(ItemDraws):
    """A batch of draws of which only the counts of the kinds of items are known, shape (R, kinds)."""

    def __init__(self, counts: Integers) -> None:
        self._counts = counts
        self._sums = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Draws R, and items n of each."""
        return len(self._counts), int(self._counts[0].sum())

    def _weighed(self) -> Array:
        transposed = np.zeros((self._counts.shape[1], DRAWS), np.int64)
        transposed[:, : len(self._counts)] = self._counts.T
        return transposed


class KindStreams:
    """Draws of `n_drawn` items with replacement by chunk; only the kinds of the items count.

    It draws a multinomial over the kinds, from `at_least` items to a kind on, or single items, whichever is
    cheaper; both have one distribution. `kind_of`, shape (N,), has the kind of each item; every kind below
    the largest has an item.
    """

    def __init__(
        self, key: StreamKey, kind_of: Integers, n_drawn: int, *, at_least: int = _ITEMS_PER_BINOMIAL
    ) -> None:
        self._key = key
        self._n_drawn = n_drawn
        self._n_items = len(kind_of)
        sizes = np.bincount(kind_of)
        self._chances = sizes / self._n_items
        self._by_kind = len(sizes) * at_least <= n_drawn
        alone = np.array_equal(kind_of, np.arange(len(kind_of)))
        self._kind_of = None if alone else np.ascontiguousarray(kind_of, dtype=np.int64)

    def draws(self, chunk: int) -> ItemDraws:
        """Return the 64 draws of a chunk."""
        if self._by_kind:
            generator = Streams(self._key, chunk).generator("items")
            return KindCounts(generator.multinomial(self._n_drawn, self._chances, CHUNK))
        word = self._key.word("items", chunk)
        return Bootstraps(word, 0, self._n_items, n_drawn=self._n_drawn, kind_of=self._kind_of)
