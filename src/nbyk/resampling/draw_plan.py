"""How replicates of one response set are drawn: its rows, a sampler, a null, and their random streams."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.errors import NbykError
from nbyk.metrics.item_means import item_means
from nbyk.resampling import kernels
from nbyk.resampling.samplers import Sampler
from nbyk.resampling.streams import StreamKey, Streams, stream_key

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ResponseRows:
    """A response matrix with its number of responses per item."""

    values: Floats
    counts: Integers

    @classmethod
    def of(cls, values: Floats) -> ResponseRows:
        """Return the rows of a left-packed matrix, NaN where a response is missing."""
        return cls(np.ascontiguousarray(values), (~np.isnan(values)).sum(axis=1))

    @property
    def width(self) -> int:
        """Largest number of responses of an item, K."""
        return int(self.values.shape[1])


@dataclass(frozen=True)
class DrawPlan:
    """The way to draw replicates from one response set: its rows, its sampler, and their random streams."""

    sampler: Sampler
    key: StreamKey
    share_gold: bool
    gold: ResponseRows
    a: ResponseRows
    b: ResponseRows

    @classmethod
    def of(
        cls,
        data: ResponseSet,
        sampler: Sampler,
        seed: int,
        *,
        share_gold: bool = True,
        key: StreamKey | None = None,
    ) -> DrawPlan:
        """Return the plan; its random streams hang on the data, unless a `key` is given."""
        key = key or stream_key(seed, data=data.fingerprint(), sampler=sampler.name)
        return cls(
            sampler, key, share_gold, *(ResponseRows.of(matrix) for matrix in (data.gold, data.a, data.b))
        )

    def for_item_means(self) -> DrawPlan:
        """Return the plan that resamples item means: if rows stay whole, the same draws for 1/K the work."""
        a, b = (ResponseRows.of(item_means(rows.values)[:, None]) for rows in (self.a, self.b))
        gold = ResponseRows.of(item_means(self.gold.values)[:, None]) if self.gold.width else self.gold
        return replace(self, gold=gold, a=a, b=b)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.gold.values)

    @property
    def values_per_replicate(self) -> int:
        """Number of responses in one replicate."""
        return self.n_items * (self.gold.width + self.a.width + self.b.width)

    def streams(self, chunk: int, null: str | None) -> HypothesisStreams:
        """Return the random streams of a chunk under a null, or None for the alternative."""
        return HypothesisStreams(Streams(self.key, chunk), null or "alternative", self.share_gold)

    def draw(self, streams: HypothesisStreams, null: str | None, n: int) -> tuple[Floats, Floats]:
        """Draw `n` replicates: gold (n, N, K_gold) and the systems (2, n, N, K)."""
        items = self._items(streams, n)
        gold = self._responses(streams, "gold", self.gold, items)
        if null is None or null == "shifted":
            a = self._responses(streams, "a", self.a, items)
            b = self._responses(streams, "b", self.b, items)
            return gold, stack_responses(a, b)
        if null == "pooled" or (null == "pooled_twice" and self.sampler.responses != "sample"):
            a = self._pooled(streams, "a", self._counts_drawn(self.a), items)
            b = self._pooled(streams, "b", self._counts_drawn(self.b), items)
            return gold, stack_responses(a, b)
        if null == "pooled_twice":
            a = self._pooled_twice(streams, "a", self.a, items)
            b = self._pooled_twice(streams, "b", self.b, items)
            return gold, stack_responses(a, b)
        if null == "permutation":
            a, b = self._permuted(streams, items)
        elif null == "swap_items":
            a, b = self._swapped(streams, items)
        else:
            raise NbykError(f"null {null!r}: no way to draw it")
        return gold, stack_responses(
            self._responses_of_drawn(streams, "a", a), self._responses_of_drawn(streams, "b", b)
        )

    def _items(self, streams: HypothesisStreams, n: int) -> Integers:
        if self.sampler.items == "all_items":
            return np.broadcast_to(np.arange(self.n_items), (n, self.n_items)).copy()
        items = np.empty((n, self.n_items), dtype=np.int64)
        kernels.item_indices(streams.uniforms("items", items.shape), items)
        return items

    def _responses(
        self, streams: HypothesisStreams, role: str, rows: ResponseRows, items: Integers
    ) -> Floats:
        n = len(items)
        if not rows.width:
            return np.empty((n, self.n_items, 0))
        if self.sampler.responses != "sample":
            width = rows.width if self.sampler.responses == "all" else 1
            out = np.empty((n, self.n_items, width))
            kernels.take_rows(rows.values, items, out)
            return out
        words = streams.words(role, self._shape_drawn(rows, items))
        return _drawn(rows, _none_beside(rows), items, words, self._counts_drawn(rows))

    def _responses_of_drawn(self, streams: HypothesisStreams, role: str, drawn: Floats) -> Floats:
        """Apply the response sampler to rows that were already drawn, shape (n, N, K)."""
        if self.sampler.responses == "all":
            return drawn
        if self.sampler.responses == "first_element":
            return np.ascontiguousarray(drawn[:, :, :1])
        flat = ResponseRows.of(drawn.reshape(-1, drawn.shape[2]))
        every_row = np.arange(len(flat.values)).reshape(drawn.shape[:2])
        words = streams.words(role, (*drawn.shape[:2], self.sampler.n_responses or drawn.shape[2]))
        return _drawn(flat, _none_beside(flat), every_row, words, self._counts_drawn(flat))

    def _counts_drawn(self, rows: ResponseRows) -> Integers:
        """Return the number of responses that the response sampler yields for each item of the source."""
        if self.sampler.responses == "first_element":
            return np.ones_like(rows.counts)
        if self.sampler.n_responses is None:
            return rows.counts
        return np.full_like(rows.counts, self.sampler.n_responses)

    def _shape_drawn(self, rows: ResponseRows, items: Integers) -> tuple[int, int, int]:
        return len(items), self.n_items, self.sampler.n_responses or rows.width

    def _pooled(self, streams: HypothesisStreams, role: str, counts: Integers, items: Integers) -> Floats:
        words = streams.words(role, (len(items), self.n_items, int(counts.max())))
        return _drawn(self.a, self.b, items, words, counts)

    def _pooled_twice(
        self, streams: HypothesisStreams, role: str, rows: ResponseRows, items: Integers
    ) -> Floats:
        from_pool = streams.words(f"pool {role}", (len(items), self.n_items, rows.width))
        again = streams.words(role, self._shape_drawn(rows, items))
        words = np.empty_like(again)
        kernels.draw_words(from_pool, rows.counts, items, again, words)
        return _drawn(self.a, self.b, items, words, self._counts_drawn(rows))

    def _permuted(self, streams: HypothesisStreams, items: Integers) -> tuple[Floats, Floats]:
        n, a, b = len(items), self.a, self.b
        out_a, out_b = np.empty((n, self.n_items, a.width)), np.empty((n, self.n_items, b.width))
        words = streams.words("pool", (n, self.n_items, a.width + b.width))
        kernels.permute_pool(a.values, a.counts, b.values, b.counts, items, words, out_a, out_b)
        return out_a, out_b

    def _swapped(self, streams: HypothesisStreams, items: Integers) -> tuple[Floats, Floats]:
        a, b = stack_responses(self.a.values, self.b.values)
        out_a, out_b = np.empty((2, len(items), self.n_items, a.shape[1]))
        swap = streams.coins("swap", items.shape)
        kernels.swap_rows(a, b, items, swap, out_a, out_b)
        return out_a, out_b


def _drawn(
    a: ResponseRows, b: ResponseRows, items: Integers, words: NDArray[np.uint32], counts: Integers
) -> Floats:
    """Draw with replacement from the pools A|B of items by random words, in their shape."""
    out = np.empty(words.shape)
    kernels.draw_pooled(a.values, a.counts, b.values, b.counts, items, words, counts, out)
    return out


def _none_beside(rows: ResponseRows) -> ResponseRows:
    """Return rows without a response, for pools that hold only `rows`."""
    return ResponseRows(rows.values[:, :0], np.zeros_like(rows.counts))


class HypothesisStreams:
    """A chunk's streams under one hypothesis; items and gold are the alternative's if they are shared."""

    def __init__(self, streams: Streams, hypothesis: str, share_gold: bool) -> None:
        self._streams = streams
        self._hypothesis = hypothesis
        self._shared = ("items", "gold") if share_gold and hypothesis != "shifted" else ()

    def _role(self, role: str) -> str:
        return f"alternative {role}" if role in self._shared else f"{self._hypothesis} {role}"

    def uniforms(self, role: str, shape: tuple[int, ...]) -> Floats:
        """Return uniforms in [0, 1) for a role."""
        return self._streams.uniforms(self._role(role), shape)

    def words(self, role: str, shape: tuple[int, ...]) -> NDArray[np.uint32]:
        """Return random words for a role."""
        return self._streams.words(self._role(role), shape)

    def coins(self, role: str, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return fair coins for a role."""
        return self._streams.coins(self._role(role), shape)
