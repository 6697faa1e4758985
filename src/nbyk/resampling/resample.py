"""Resampling a response set under the alternative and under each null (Wein et al. 2023, Algorithm 1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.item_means import equal_item_means, item_means, without_rounding
from nbyk.resampling import kernels
from nbyk.resampling.effects import (
    EffectDraws,
    Progress,
    as_metrics,
    batches,
    check_defined,
    run_chunks,
    score,
)
from nbyk.resampling.multilevel import multilevel_sampler
from nbyk.resampling.samplers import MULTILEVEL_SAMPLERS, WITHIN_ITEMS, Sampler, check_null, get_sampler
from nbyk.resampling.streams import StreamKey, Streams, stream_key

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class _Rows:
    """A response matrix with its number of responses per item."""

    values: Floats
    counts: Integers

    @classmethod
    def of(cls, values: Floats) -> _Rows:
        return cls(np.ascontiguousarray(values), (~np.isnan(values)).sum(axis=1))

    @property
    def width(self) -> int:
        return int(self.values.shape[1])


def observed_effects(data: ResponseSet, metrics: str | Metric | Sequence[str | Metric]) -> Floats:
    """Return each metric's effect on the data, shape (metrics,), positive if A is better.

    Item means are compared bit by bit, as scipy and VET compare them. `nbyk.compare` takes means for equal if
    they are equal on paper, so its effects by ranks and thresholds may differ.
    """
    return _observed(data, as_metrics(metrics), item_means)


def _observed(data: ResponseSet, metrics: Sequence[Metric], means_of: Callable[[Floats], Floats]) -> Floats:
    systems = stack_responses(data.a[None], data.b[None])
    return check_defined(metrics, score(metrics, systems, data.gold[None], means_of))[:, 0]


def resample(
    data: ResponseSet, *, sampler: str | Sampler, null: str | None = None, seed: int = 0
) -> ResponseSet:
    """Return one resample of a response set.

    Parameters
    ----------
    data
        Gold, if any, and both systems' responses.
    sampler
        Item and response sampler, such as ``bootstrap_items/sample(K)``, or a multi-level sampler by name
        (`nbyk.resampling.samplers.MULTILEVEL_SAMPLERS`).
    null
        None for the alternative, or the null hypothesis under which A and B are redrawn: "pooled",
        "pooled_twice", "permutation" or "swap_items" (see `nbyk.resampling.samplers.NULLS`).
    seed
        Seed of the draw.

    Raises
    ------
    NbykError
        If a name is unknown, or the null is "shifted", which does not redraw responses.
    """
    if null is not None:
        check_null(null)
    if null == "shifted":
        raise NbykError("the shifted null shifts effects, not responses; draw effects with resampled_effects")
    if _is_multilevel(sampler):
        ((gold, systems),) = _multilevel_draws(data, str(sampler), null, seed, 0, 1, share_gold=True)
    else:
        plan = _Plan.of(data, _sampler(sampler), seed)
        gold, systems = plan.draw(plan.streams(0, null), null, 1)
    a, b = systems[0, 0], systems[1, 0]
    return ResponseSet(gold[0], _without_empty_columns(a), _without_empty_columns(b))


def resampled_effects(
    data: ResponseSet,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    sampler: str | Sampler,
    null: str = "swap_items",
    n_resamples: int = 1000,
    share_gold: bool = True,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> EffectDraws:
    """Draw effects from one response set under the alternative and under a null.

    All metrics see the same draws. The numbers depend only on the data, the sampler, the null, the seed and
    `share_gold`. A larger `n_resamples` continues the same draws.

    Parameters
    ----------
    data
        Gold, if any, and both systems' responses.
    metrics
        One metric or several, by name or as `Metric`.
    sampler
        Item and response sampler, or a multi-level sampler by name, which draws raters with the items that
        they share (`nbyk.resampling.samplers.MULTILEVEL_SAMPLERS`).
    null
        One of `nbyk.resampling.samplers.NULLS`. The default, "swap_items", holds its level if A and B are
        equally good over the population of items, even if they answer single items differently. "pooled",
        "pooled_twice" and "permutation" do not, because they also reject for such differences. "shifted"
        takes a sampler with bootstrap_items.
    n_resamples
        Draws M under each hypothesis.
    share_gold
        Whether draw j of the null reuses the items and gold responses of draw j of the alternative, as in
        Algorithm 1 (True), or draws its own, as for the published numbers (False).
    threads
        Threads to use; the numbers do not depend on it.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    EffectDraws

    Raises
    ------
    NbykError
        If a name is unknown, the null is "shifted" and the sampler draws no items, a metric needs gold but
        there is none, or a metric is undefined on a draw.

    Notes
    -----
    `nbyk.p_value` needs the null drawn at the data's own size (sampler all_items/all); nulls of resampled
    responses or bootstrapped items are for `nbyk.expected_p`.
    """
    check_null(null)
    chosen = as_metrics(metrics)

    def effects(hypothesis: str | None) -> Floats:
        drawn = hypothesis_effects(
            data,
            chosen,
            sampler=sampler,
            null=hypothesis,
            n_resamples=n_resamples,
            share_gold=share_gold,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        return check_defined(chosen, drawn)

    names = tuple(metric.name for metric in chosen)
    null_effects = effects(null)
    return EffectDraws(names, effects(None), null_effects, paired=share_gold and null != "shifted")


def hypothesis_effects(
    data: ResponseSet,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    sampler: str | Sampler,
    null: str | None,
    n_resamples: int,
    start: int = 0,
    share_gold: bool = True,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
    on_paper: bool = False,
) -> Floats:
    """Return one side of `resampled_effects` from draw `start` on, shape (metrics, n_resamples − start).

    `null` is None for the alternative; `start` is a multiple of `nbyk.resampling.streams.CHUNK`. With
    `on_paper`, the effects depend neither on the order of an item's responses nor on the scale: means are
    equal if they are equal on paper, where scipy and VET compare them bit by bit. The other parameters are
    those of `resampled_effects`. Effects are NaN or infinite where a metric is undefined.
    """
    chosen = as_metrics(metrics)
    means_of = equal_item_means if on_paper else item_means
    if _is_multilevel(sampler):

        def work_with_raters(chunk: int, size: int) -> Floats:
            draws = _multilevel_draws(data, str(sampler), null, seed, chunk, size, share_gold=share_gold)
            return np.concatenate([score(chosen, systems, gold, means_of) for gold, systems in draws], axis=1)

        drawn = run_chunks(n_resamples, work_with_raters, start=start, threads=threads, progress=progress)
        return drawn - _observed(data, chosen, means_of)[:, None] if null == "shifted" else drawn
    parsed, key = _sampler(sampler), None
    if on_paper:
        key = _key_on_paper(data, parsed, seed)
        # the first response is another one in another order
        data = data if parsed.responses == "first_element" else _sorted(data)
    plan = _Plan.of(data, parsed, seed, share_gold=share_gold, key=key)
    if null == "shifted" and plan.sampler.items != "bootstrap_items":
        raise NbykError(
            f"the shifted null has no spread over items with sampler {plan.sampler.name}; "
            f"use bootstrap_items/{plan.sampler.response_name}"
        )
    if plan.sampler.keeps_rows and null in (None, "swap_items", "shifted"):
        plan = plan.for_item_means() if all(m.needs == "item_means" for m in chosen) else plan

    def work(chunk: int, size: int) -> Floats:
        streams = plan.streams(chunk, null)
        parts = []
        for batch in batches(size, plan.values_per_replicate, threads):
            gold, systems = plan.draw(streams, null, batch)
            parts.append(score(chosen, systems, gold, means_of))
        return np.concatenate(parts, axis=1)

    drawn = run_chunks(n_resamples, work, start=start, threads=threads, progress=progress)
    return drawn - _observed(data, chosen, means_of)[:, None] if null == "shifted" else drawn


def _sorted(data: ResponseSet) -> ResponseSet:
    """Return the data with the responses of each row in rising order."""
    gold, a, b = (np.sort(matrix, axis=1) for matrix in (data.gold, data.a, data.b))
    return ResponseSet(gold, a, b)


def _key_on_paper(data: ResponseSet, sampler: Sampler, seed: int) -> StreamKey:
    """Return a key of random streams that does not depend on the order of responses, nor on the scale."""
    ordered = _sorted(data)
    matrices = [ordered.gold, ordered.a, ordered.b]
    values = without_rounding(np.concatenate([matrix.reshape(-1) for matrix in matrices]))
    ranks = np.unique(values, return_inverse=True)[1].astype("<u4")
    shapes = [matrix.shape for matrix in matrices]
    digest = hashlib.sha256(repr(shapes).encode() + ranks.tobytes()).hexdigest()
    return stream_key(seed, ranks=digest, sampler=sampler.name)


@dataclass(frozen=True)
class _Plan:
    """The way to draw replicates from one response set: its rows, its sampler, and their random streams."""

    sampler: Sampler
    key: StreamKey
    share_gold: bool
    gold: _Rows
    a: _Rows
    b: _Rows

    @classmethod
    def of(
        cls,
        data: ResponseSet,
        sampler: Sampler,
        seed: int,
        *,
        share_gold: bool = True,
        key: StreamKey | None = None,
    ) -> _Plan:
        key = key or stream_key(seed, data=data.fingerprint(), sampler=sampler.name)
        return cls(sampler, key, share_gold, *(_Rows.of(matrix) for matrix in (data.gold, data.a, data.b)))

    def for_item_means(self) -> _Plan:
        """Return the plan that resamples item means: if rows stay whole, the same draws for 1/K the work."""
        a, b = (_Rows.of(item_means(rows.values)[:, None]) for rows in (self.a, self.b))
        gold = _Rows.of(item_means(self.gold.values)[:, None]) if self.gold.width else self.gold
        return replace(self, gold=gold, a=a, b=b)

    @property
    def n_items(self) -> int:
        return len(self.gold.values)

    @property
    def values_per_replicate(self) -> int:
        return self.n_items * (self.gold.width + self.a.width + self.b.width)

    def streams(self, chunk: int, null: str | None) -> _HypothesisStreams:
        return _HypothesisStreams(Streams(self.key, chunk), null or "alternative", self.share_gold)

    def draw(self, streams: _HypothesisStreams, null: str | None, n: int) -> tuple[Floats, Floats]:
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

    def _items(self, streams: _HypothesisStreams, n: int) -> Integers:
        if self.sampler.items == "all_items":
            return np.broadcast_to(np.arange(self.n_items), (n, self.n_items)).copy()
        items = np.empty((n, self.n_items), dtype=np.int64)
        kernels.item_indices(streams.uniforms("items", items.shape), items)
        return items

    def _responses(self, streams: _HypothesisStreams, role: str, rows: _Rows, items: Integers) -> Floats:
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

    def _responses_of_drawn(self, streams: _HypothesisStreams, role: str, drawn: Floats) -> Floats:
        """Apply the response sampler to rows that were already drawn, shape (n, N, K)."""
        if self.sampler.responses == "all":
            return drawn
        if self.sampler.responses == "first_element":
            return np.ascontiguousarray(drawn[:, :, :1])
        flat = _Rows.of(drawn.reshape(-1, drawn.shape[2]))
        every_row = np.arange(len(flat.values)).reshape(drawn.shape[:2])
        words = streams.words(role, (*drawn.shape[:2], self.sampler.n_responses or drawn.shape[2]))
        return _drawn(flat, _none_beside(flat), every_row, words, self._counts_drawn(flat))

    def _counts_drawn(self, rows: _Rows) -> Integers:
        """Return the number of responses that the response sampler yields for each item of the source."""
        if self.sampler.responses == "first_element":
            return np.ones_like(rows.counts)
        if self.sampler.n_responses is None:
            return rows.counts
        return np.full_like(rows.counts, self.sampler.n_responses)

    def _shape_drawn(self, rows: _Rows, items: Integers) -> tuple[int, int, int]:
        return len(items), self.n_items, self.sampler.n_responses or rows.width

    def _pooled(self, streams: _HypothesisStreams, role: str, counts: Integers, items: Integers) -> Floats:
        words = streams.words(role, (len(items), self.n_items, int(counts.max())))
        return _drawn(self.a, self.b, items, words, counts)

    def _pooled_twice(self, streams: _HypothesisStreams, role: str, rows: _Rows, items: Integers) -> Floats:
        from_pool = streams.words(f"pool {role}", (len(items), self.n_items, rows.width))
        again = streams.words(role, self._shape_drawn(rows, items))
        words = np.empty_like(again)
        kernels.draw_words(from_pool, rows.counts, items, again, words)
        return _drawn(self.a, self.b, items, words, self._counts_drawn(rows))

    def _permuted(self, streams: _HypothesisStreams, items: Integers) -> tuple[Floats, Floats]:
        n, a, b = len(items), self.a, self.b
        out_a, out_b = np.empty((n, self.n_items, a.width)), np.empty((n, self.n_items, b.width))
        words = streams.words("pool", (n, self.n_items, a.width + b.width))
        kernels.permute_pool(a.values, a.counts, b.values, b.counts, items, words, out_a, out_b)
        return out_a, out_b

    def _swapped(self, streams: _HypothesisStreams, items: Integers) -> tuple[Floats, Floats]:
        a, b = stack_responses(self.a.values, self.b.values)
        out_a, out_b = np.empty((2, len(items), self.n_items, a.shape[1]))
        swap = streams.coins("swap", items.shape)
        kernels.swap_rows(a, b, items, swap, out_a, out_b)
        return out_a, out_b


def _drawn(a: _Rows, b: _Rows, items: Integers, words: NDArray[np.uint32], counts: Integers) -> Floats:
    """Draw with replacement from the pools A|B of items by random words, in their shape."""
    out = np.empty(words.shape)
    kernels.draw_pooled(a.values, a.counts, b.values, b.counts, items, words, counts, out)
    return out


def _none_beside(rows: _Rows) -> _Rows:
    """Return rows without a response, for pools that hold only `rows`."""
    return _Rows(rows.values[:, :0], np.zeros_like(rows.counts))


class _HypothesisStreams:
    """A chunk's streams under one hypothesis; items and gold are the alternative's if they are shared."""

    def __init__(self, streams: Streams, hypothesis: str, share_gold: bool) -> None:
        self._streams = streams
        self._hypothesis = hypothesis
        self._shared = ("items", "gold") if share_gold and hypothesis != "shifted" else ()

    def _role(self, role: str) -> str:
        return f"alternative {role}" if role in self._shared else f"{self._hypothesis} {role}"

    def uniforms(self, role: str, shape: tuple[int, ...]) -> Floats:
        return self._streams.uniforms(self._role(role), shape)

    def words(self, role: str, shape: tuple[int, ...]) -> NDArray[np.uint32]:
        return self._streams.words(self._role(role), shape)

    def coins(self, role: str, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        return self._streams.coins(self._role(role), shape)


def _is_multilevel(sampler: str | Sampler) -> bool:
    """Whether a sampler draws raters that items share; `raters_within_items` is one of the others."""
    return sampler in MULTILEVEL_SAMPLERS and sampler != "raters_within_items"


def _multilevel_draws(
    data: ResponseSet, name: str, null: str | None, seed: int, chunk: int, n: int, *, share_gold: bool
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the first `n` draws of a chunk: gold (1, N, K_gold) and the systems (2, 1, N, K).

    A null of responses redraws them after items and raters were drawn, separately for each copy of an item.
    If raters of gold are drawn, systems' responses are redrawn in each item, as in `raters_within_items`.
    """
    key = stream_key(seed, data=data.fingerprint(), sampler=name)
    streams = _HypothesisStreams(Streams(key, chunk), null or "alternative", share_gold)
    source = multilevel_sampler(name, data)
    sampler = Sampler("all_items", "sample" if name == "items_and_raters" and data.has_gold else "all")
    for _ in range(n):
        drawn = source.draw(streams.uniforms)
        rows = (_Rows.of(matrix) for matrix in (drawn.gold[:, :0], drawn.a, drawn.b))
        _, systems = _Plan(sampler, key, share_gold, *rows).draw(streams, null, 1)
        yield drawn.gold[None], systems


def _sampler(sampler: str | Sampler) -> Sampler:
    if isinstance(sampler, Sampler):
        return sampler
    return get_sampler(WITHIN_ITEMS if sampler == "raters_within_items" else sampler)


def _without_empty_columns(matrix: Floats) -> Floats:
    return np.ascontiguousarray(matrix[:, ~np.isnan(matrix).all(axis=0)])
