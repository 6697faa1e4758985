"""Draws of items together with the raters that they share: the sampler `items_and_raters`.

Items and raters are drawn with replacement, independently, and every rating where they meet; systems'
responses are drawn anew in each item (Owen 2007, The pigeonhole bootstrap; Pandita, Korn, Welty and Homan
2026, Improving reproducibility in evaluation through multi-level annotator modeling, arXiv 2605.13801).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet
from nbyk.resampling.draw_plan import DrawPlan, HypothesisStreams, ResponseRows
from nbyk.resampling.effects import as_metrics, run_chunks, score
from nbyk.resampling.samplers import Sampler
from nbyk.resampling.streams import stream_key

Uniforms = Callable[[str, tuple[int, ...]], Floats]


def effects_over_raters(
    data: ResponseSet,
    metrics: Sequence[str],
    *,
    null: str | None,
    n_resamples: int,
    seed: int = 0,
    threads: int = 1,
) -> Floats:
    """Return effects of resamples of items and raters, shape (metrics, M), as `hypothesis_effects` does.

    A null redraws responses after items and raters were drawn, separately for each copy of an item.
    """
    chosen, key = as_metrics(metrics), stream_key(seed, data=data.fingerprint(), sampler="items_and_raters")
    sampler = Sampler("all_items", "sample")

    def draws(chunk: int, n: int) -> Iterator[tuple[Floats, Floats]]:
        streams = HypothesisStreams(key, chunk, null or "alternative", share_gold=False)
        for _ in range(n):
            drawn = _drawn(data, streams.uniforms)
            rows = (ResponseRows.of(matrix) for matrix in (drawn.gold[:, :0], drawn.a, drawn.b))
            yield drawn.gold[None], DrawPlan(sampler, key, False, *rows).draw(streams, null, 1)[1]

    def work(chunk: int, size: int) -> Floats:
        scored = [score(chosen, systems, gold) for gold, systems in draws(chunk, size)]
        return np.concatenate(scored, axis=1)

    (effects,) = run_chunks(n_resamples, work, threads=threads)
    return effects


def resample(data: ResponseSet, items: Integers, raters: Integers) -> ResponseSet:
    """Return every rating of gold that a drawn rater gave to a drawn item.

    A rater who was drawn twice counts twice in every item, and an item that was drawn twice appears twice.
    Items without a rating by a drawn rater are dropped. Responses of systems stay unchanged.
    """
    index = data.units["gold"].index
    assert index is not None
    # The last count is that of −1, no rater
    counts = np.bincount(raters, minlength=len(data.units["gold"].names) + 1)[index]
    kept = items[counts[items].sum(axis=1) > 0]
    return ResponseSet(_repeated(data.gold[kept], counts[kept]), data.a[kept], data.b[kept])


def _drawn(data: ResponseSet, uniforms: Uniforms) -> ResponseSet:
    """Return a resample; items and raters are drawn again if no drawn rater rated a drawn item."""
    n_raters = len(data.units["gold"].names)
    while True:
        items = _indices(uniforms("items", (data.n_items,)))
        drawn = resample(data, items, _indices(uniforms("gold", (n_raters,))))
        if drawn.n_items:
            return drawn


def _indices(uniforms: Floats) -> Integers:
    """Return n indices below n, drawn with replacement, from n uniforms."""
    return (uniforms * len(uniforms)).astype(np.int64)


def _repeated(rows: Floats, times: Integers) -> Floats:
    """Return rows (n, K) with each response repeated `times`, shape (n, most), padded with NaN."""
    counts = times.sum(axis=1)
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    out = np.full((len(rows), int(counts.max(initial=0))), np.nan)
    out[np.repeat(np.arange(len(rows)), counts), places] = np.repeat(rows.reshape(-1), times.reshape(-1))
    return out
