"""Resampling a response set under the alternative and under each null (Wein et al. 2023, Algorithm 1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.item_means import equal_item_means, item_means, without_rounding
from nbyk.resampling.draw_plan import DrawPlan
from nbyk.resampling.effects import (
    EffectDraws,
    Progress,
    Threads,
    as_metrics,
    batches,
    check_defined,
    run_chunks,
    score,
)
from nbyk.resampling.samplers import Sampler, check_null, get_sampler
from nbyk.resampling.streams import StreamKey, stream_key


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
        Item and response sampler, such as ``bootstrap_items/sample(K)``.
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
    plan = DrawPlan.of(data, get_sampler(sampler), seed)
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
        Item and response sampler.
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
    threads: Threads = 1,
    progress: Progress | None = None,
    on_paper: bool = False,
) -> Floats:
    """Return one side of `resampled_effects` from draw `start` on, shape (metrics, n_resamples − start).

    `null` is None for the alternative. With `on_paper`, the effects depend neither on the order of an item's
    responses nor on the scale: means are equal if they are equal on paper, where scipy and VET compare them
    bit by bit. The other parameters are those of `resampled_effects`. Effects are NaN or infinite where a
    metric is undefined.
    """
    chosen = as_metrics(metrics)
    means_of = equal_item_means if on_paper else item_means
    parsed, key = get_sampler(sampler), None
    if null == "shifted" and parsed.items != "bootstrap_items":
        raise NbykError(
            f"the shifted null has no spread over items with sampler {parsed.name}; "
            f"use bootstrap_items/{parsed.response_name}"
        )
    if on_paper:
        key = _key_on_paper(data, parsed, seed)
        # In another order, the first response is another one.
        data = data if parsed.responses == "first_element" else _sorted(data)
    plan = DrawPlan.of(data, parsed, seed, share_gold=share_gold, key=key)
    if parsed.keeps_rows and null in (None, "swap_items", "shifted"):
        plan = plan.for_item_means() if all(m.needs == "item_means" for m in chosen) else plan

    def work(chunk: int, size: int) -> Floats:
        streams = plan.streams(chunk, null)
        scored = []
        for batch in batches(size, plan.values_per_replicate):
            gold, systems = plan.draw(streams, null, batch)
            scored.append(score(chosen, systems, gold, means_of))
        return np.concatenate(scored, axis=1)

    (drawn,) = run_chunks(n_resamples, work, start=start, threads=threads, progress=progress)
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


def _without_empty_columns(matrix: Floats) -> Floats:
    return np.ascontiguousarray(matrix[:, ~np.isnan(matrix).all(axis=0)])
