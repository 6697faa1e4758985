"""How replicates of one response set are drawn: its rows, a sampler, a null, and their random streams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.errors import NbykError
from nbyk.metrics.item_means import item_means
from nbyk.resampling import kernels
from nbyk.resampling.samplers import Sampler
from nbyk.resampling.streams import StreamKey, Streams, stream_key


@dataclass(frozen=True)
class ResponseRows:
    """A response matrix with its number of responses per item."""

    values: Floats
    counts: Integers

    @classmethod
    def of(cls, values: Floats) -> ResponseRows:
        """Return the rows of a left-packed matrix, NaN where a response is missing."""
        values = np.ascontiguousarray(values)
        counts = np.empty(len(values), dtype=np.int64)
        kernels.count_responses(values, counts)
        return cls(values, counts)

    def pooled_with(self, other: ResponseRows) -> ResponseRows:
        """Return the pools of each item: these responses, then the other's."""
        counts = self.counts + other.counts
        values = np.full((len(counts), self.width + other.width), np.nan)
        values[:, : self.width] = self.values
        columns = self.counts[:, None] + np.arange(other.width)
        np.put_along_axis(values, columns, other.values, axis=1)
        return ResponseRows(values, counts)

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
        return HypothesisStreams(self.key, chunk, null or "alternative", share_gold=self.share_gold)

    def draw(self, streams: HypothesisStreams, null: str | None, n: int) -> tuple[Floats, Floats]:
        """Draw `n` replicates: gold (n, N, K_gold) and the systems (2, n, N, K)."""
        items = self._items(streams, n)
        gold = np.empty((*items.shape, self._width(self.gold)))
        systems = np.empty((2, *items.shape, max(self._width(self.a), self._width(self.b))))
        if self.gold.width:  # else there is no column to write to
            self._fill(streams, "gold", self.gold, items, gold)
        sides = list(zip(("a", "b"), (self.a, self.b), systems, strict=True))
        if null is None or null == "shifted":
            for role, rows, out in sides:
                self._fill(streams, role, rows, items, out)
        elif null == "pooled" or (null == "pooled_twice" and self.sampler.responses != "sample"):
            for role, rows, out in sides:
                counts = self._counts_drawn(rows)
                _redraw(streams, role, self._pool, items, counts, int(counts.max()), out)
        elif null == "pooled_twice":
            for role, rows, out in sides:
                first = np.empty((*items.shape, rows.width))
                _redraw(streams, f"pool {role}", self._pool, items, rows.counts, rows.width, first)
                self._fill_from_drawn(streams, role, first, out)
        elif null in ("permutation", "swap_items") and self.sampler.keeps_rows:
            self._deal(streams, null, items, systems)
        elif null in ("permutation", "swap_items"):
            dealt = np.empty((2, *items.shape, max(self.a.width, self.b.width)))
            for (role, _, out), drawn in zip(sides, self._deal(streams, null, items, dealt), strict=True):
                self._fill_from_drawn(streams, role, drawn, out)
        else:
            raise NbykError(f"null {null!r}: no way to draw it")
        return gold, systems

    @cached_property
    def _pool(self) -> ResponseRows:
        return self.a.pooled_with(self.b)

    @cached_property
    def _both(self) -> Floats:
        return stack_responses(self.a.values, self.b.values)

    def _items(self, streams: HypothesisStreams, n: int) -> Integers:
        if self.sampler.items == "all_items":
            return np.broadcast_to(np.arange(self.n_items), (n, self.n_items)).copy()
        # The chance of an item is off 1/N by less than N·2⁻⁵².
        return (streams.uniforms("items", (n, self.n_items)) * self.n_items).astype(np.int64)

    def _fill(
        self, streams: HypothesisStreams, role: str, rows: ResponseRows, items: Integers, out: Floats
    ) -> None:
        """Fill `out`, shape (n, N, width), with what the response sampler takes from the rows of items."""
        if self.sampler.responses == "sample":
            _redraw(streams, role, rows, items, self._counts_drawn(rows), self._width(rows), out)
        else:
            kernels.take_rows(rows.values, items, out)

    def _fill_from_drawn(self, streams: HypothesisStreams, role: str, drawn: Floats, out: Floats) -> None:
        """As `_fill`, from rows that were already drawn, shape (n, N, K)."""
        flat = ResponseRows.of(drawn.reshape(-1, drawn.shape[2]))
        self._fill(streams, role, flat, np.arange(len(flat.values)).reshape(drawn.shape[:2]), out)

    def _deal(
        self, streams: HypothesisStreams, null: str, items: Integers, out: Floats
    ) -> tuple[Floats, Floats]:
        """Deal the responses of items to A and B into `out`, shape (2, n, N, K), and return both parts."""
        if null == "swap_items":
            a, b = self._both
            kernels.swap_rows(a, b, items, streams.coins("swap", items.shape), out[0], out[1])
            return out[0], out[1]
        pool = self._pool
        kernels.split_pool(streams.state("pool"), pool.values, pool.counts, self.a.counts, items, out)
        return out[0, ..., : self.a.width], out[1, ..., : self.b.width]

    def _width(self, rows: ResponseRows) -> int:
        """Return the largest number of responses that the response sampler yields for an item."""
        if self.sampler.responses == "sample" and rows.width:
            return self.sampler.n_responses or rows.width
        return min(rows.width, 1) if self.sampler.responses == "first_element" else rows.width

    def _counts_drawn(self, rows: ResponseRows) -> Integers:
        """Return the number of responses that the response sampler yields for each item of the source."""
        if self.sampler.responses == "first_element":
            return np.ones_like(rows.counts)
        if self.sampler.n_responses is None:
            return rows.counts
        return np.full_like(rows.counts, self.sampler.n_responses)


def _redraw(
    streams: HypothesisStreams,
    role: str,
    rows: ResponseRows,
    items: Integers,
    counts: Integers,
    width: int,
    out: Floats,
) -> None:
    """Fill `out` with draws with replacement from the rows of items; row i gives `counts[i]`."""
    kernels.redraw(streams.state(role), rows.values, rows.counts, items, counts, width, out)


class HypothesisStreams(Streams):
    """A chunk's streams under one hypothesis; items and gold are the alternative's if they are shared."""

    def __init__(self, key: StreamKey, chunk: int, hypothesis: str, *, share_gold: bool) -> None:
        super().__init__(key, chunk)
        self._hypothesis = hypothesis
        self._shared = ("items", "gold") if share_gold and hypothesis != "shifted" else ()

    def state(self, role: str) -> NDArray[np.uint64]:
        """Return the state of a role's stream, for kernels that draw from it and advance it."""
        return super().state(f"{'alternative' if role in self._shared else self._hypothesis} {role}")
