"""Effects of two systems over many draws, scored by any number of metrics on the same draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from time import perf_counter

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric, get
from nbyk.metrics.classes import shares_of
from nbyk.metrics.item_means import item_means
from nbyk.resampling.streams import CHUNK, chunks

Progress = Callable[[int], object]

Threads = int | ThreadPoolExecutor
"""How many threads draw at once, or a pool of threads that several tasks share."""

_BATCH_VALUES = 524_288
"""Responses in a batch: 4 MB. Smaller ones fit a nearer cache, but the Python between them costs more."""

_WORTH_THREADS = 0.05
"""Seconds of work below which threads, which wait for each other, cost more than they save."""

_KEPT_VALUES = 3_500_000
"""28 MB. On Linux, the C library gives freed blocks back to the system, and every batch then waits for new
pages. It keeps blocks up to the largest one that was ever freed, at most 32 MB."""


@dataclass(frozen=True)
class EffectDraws:
    """Effects under the alternative and under the null, positive where A is better.

    Attributes
    ----------
    metrics
        Canonical names of the metrics, one per row.
    alternative, null : ndarray, shape (metrics, M)
        Effects of M draws under each hypothesis.
    paired
        Whether draw j of the null shares its items and gold responses with draw j of the alternative.
    """

    metrics: tuple[str, ...]
    alternative: Floats
    null: Floats
    paired: bool


def as_metrics(metrics: str | Metric | Sequence[str | Metric]) -> tuple[Metric, ...]:
    """Return metrics from their names, a name, or metrics."""
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    return tuple(metric if isinstance(metric, Metric) else get(metric) for metric in metrics)


def batches(size: int, values_per_replicate: int) -> list[int]:
    """Split a chunk of `size` replicates into batches of a few megabytes."""
    batch = max(1, min(CHUNK, _BATCH_VALUES // max(1, values_per_replicate)))
    return [min(batch, size - start) for start in range(0, size, batch)]


def score(
    metrics: Sequence[Metric],
    systems: Floats,
    gold: Floats,
    means_of: Callable[[Floats], Floats] = item_means,
) -> Floats:
    """Return the effects by M metrics, (M, R), of systems, (2, R, N, K), with gold, (R, N, K_gold).

    K_gold is 0 without gold. `means_of` takes responses, shape (..., N, K), to item means.
    """
    reference = gold if gold.shape[-1] else None
    # One subtraction for all metrics: a metric that compares A with B gives A a score, and B 0.
    scores = np.zeros((len(metrics), 2, gold.shape[0]))
    system_means = gold_means = None
    for row, metric in zip(scores, metrics, strict=True):
        out = row if metric.kind == "score" else row[0]
        if metric.needs == "responses":
            metric.fill(systems, reference, out)
        elif metric.table is not None:
            metric.fill(systems, shares_of(gold, metric.table), out)
        else:
            if system_means is None:
                system_means = means_of(systems)
                gold_means = None if reference is None else means_of(reference)
            metric.fill(system_means, gold_means, out)
    return effects_of_scores(metrics, scores)


def effects_of_scores(metrics: Sequence[Metric], scores: Floats) -> Floats:
    """Return how much better A is, (M, R), from scores, (M, 2, R); metrics that compare give B 0."""
    signs = np.array([metric.sign for metric in metrics])
    with np.errstate(invalid="ignore"):  # inf − inf, which `check_defined` refuses
        effects: Floats = signs[:, None] * (scores[:, 0] - scores[:, 1])
    return effects


def run_chunks(
    n_replicates: int,
    *works: Callable[[int, int], Floats],
    start: int = 0,
    together: int = 1,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> list[Floats]:
    """Run each `work(chunk, size)` for every chunk from replicate `start` on, and join its results.

    With `together`, `work` gets as many chunks at once: the first one, and the number of replicates of all;
    it may return more, up to the end of a chunk. The results, of shape (rows, n_replicates − start) for each
    work, have the same order and the same numbers for any number of threads.
    """
    if n_replicates < 1:
        raise NbykError(f"the number of draws must be at least 1, found {n_replicates}")

    def timed(to_do: tuple[Callable[[int, int], Floats], tuple[int, int]]) -> Floats:
        work, (chunk, size) = to_do
        result = work(chunk, size)
        if progress is not None:
            progress(size)
        return result

    np.empty(_KEPT_VALUES)  # freed at once; nothing is written, so that it takes no memory
    first = start - start % CHUNK
    all_chunks = chunks(n_replicates, CHUNK * together, first)
    to_do = list(product(works, all_chunks))
    if isinstance(threads, ThreadPoolExecutor):
        results = list(threads.map(timed, to_do))
    else:
        start_time = perf_counter()
        results = [timed(to_do[0])]
        left = (perf_counter() - start_time) * (len(to_do) - 1)
        if threads <= 1 or left < _WORTH_THREADS:
            results += map(timed, to_do[1:])
        else:
            with ThreadPoolExecutor(threads) as pool:
                results += pool.map(timed, to_do[1:])
    n = len(all_chunks)
    joined = (np.concatenate(results[place : place + n], axis=1) for place in range(0, len(results), n))
    return [drawn[:, start - first : n_replicates - first] for drawn in joined]


def check_defined(metrics: Sequence[Metric], effects: Floats, *, of: str = "draws") -> Floats:
    """Return `effects`, shape (metrics, M), if all are finite numbers; `of` names the M things in errors."""
    for metric, row in zip(metrics, effects, strict=True):
        undefined = int((~np.isfinite(row)).sum())
        if undefined:
            where = "these data" if row.size == 1 else f"{undefined} of {row.size} {of}"
            raise UndefinedMetricError(
                f"metric {metric.name} is undefined on {where} (a correlation of constants, or a division by "
                "zero); choose another metric or more varied data"
            )
    return effects
