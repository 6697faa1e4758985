"""The paired bootstrap test for any metric of a corpus (Berg-Kirkpatrick, Burkett and Klein 2012)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.inference.pvalues import Alternative, check_alternative, tie_tolerance
from nbyk.inference.score_tests.corpus_metrics import CorpusMetric, get_corpus_metric
from nbyk.inference.score_tests.draws import DRAWS, Progress, over_streams, random_words
from nbyk.inference.score_tests.kernels import WORDS, start_stream
from nbyk.inference.score_tests.resampled_outputs import OutputsMetric, PairedOutputs, name_of
from nbyk.inference.score_tests.result import (
    SignificanceResult,
    check_draws,
    pvalue_of_counts,
)
from nbyk.inference.score_tests.scores import check_aligned
from nbyk.resampling.lanes import LANES, STATE, index_below, next_row

Array = NDArray[Any]
Floats = NDArray[np.float64]

Metric = str | CorpusMetric | OutputsMetric
"""A metric by its name, by its sums, or a function of all outputs."""

_SUMS_AT_ONCE = 1 << 22


def paired_bootstrap(
    a: Any,
    b: Any,
    references: Any = None,
    *,
    metric: Metric = "mean",
    alternative: Alternative = "greater",
    n_resamples: int = 10_000,
    smoothing: bool = True,
    seed: int = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> SignificanceResult:
    """Test whether A beats B on a metric by resampling items with both systems' outputs.

    Parameters
    ----------
    a, b
        Outputs of A and B on the same N items: scores for "mean", labels, or sentences for "bleu".
    references
        What outputs are compared with, for metrics that need it.
    metric
        "mean", "accuracy", "macro_precision", "macro_recall", "macro_f1", "bleu", a `CorpusMetric` of your
        own, or any function from outputs and references, arrays of N items (None without references), to a
        score, higher is better. A function is called on both systems' outputs of each resample, one after
        the other, so that a `CorpusMetric` is much faster where there is one.
    alternative
        "greater" (A is better), "less" or "two-sided" (twice the smaller p, at most 1).
    n_resamples
        Resamples M.
    smoothing
        p = (1 + count)/(1 + M), never zero; else count/M, as the paper has it.
    seed, threads
        The numbers depend on the seed, not on the threads. All metrics see the same resamples.
    keep_null
        Whether the result holds the statistic under the null, δ* − δ.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    SignificanceResult
        `statistic` is δ, by how much A is better.

    Raises
    ------
    NbykError
        If outputs and references do not pair, the metric is unknown or undefined, or an argument is out
        of range.

    Notes
    -----
    Resamples centre on δ, not on 0, so that what is counted is δ* ≥ 2 δ. Differences no further apart than
    rounding puts them (see `nbyk.p_value`) are ties, and count.
    """
    return paired_bootstraps(
        a,
        b,
        references,
        metrics=[metric],
        alternative=alternative,
        n_resamples=n_resamples,
        smoothing=smoothing,
        seed=seed,
        threads=threads,
        keep_null=keep_null,
        progress=progress,
    )[_named(metric)[0]]


def paired_bootstraps(
    a: Any,
    b: Any,
    references: Any = None,
    *,
    metrics: Sequence[Metric],
    alternative: Alternative = "greater",
    n_resamples: int = 10_000,
    smoothing: bool = True,
    seed: int = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> dict[str, SignificanceResult]:
    """Return what `paired_bootstrap` does for several metrics, all on the same resamples.

    Parameters
    ----------
    metrics
        Metrics as there, each with a name of its own; a function's is its ``__name__``.
    a, b, references, alternative, n_resamples, smoothing, seed, threads, keep_null, progress
        As for `paired_bootstrap`. Functions are called on one thread.

    Returns
    -------
    dict
        A SignificanceResult by the name of each metric.

    Raises
    ------
    NbykError
        If two metrics have one name, or as for `paired_bootstrap`.
    """
    check_alternative(alternative)
    check_draws(n_resamples)
    check_aligned(a, b, references)
    named = dict(map(_named, metrics))
    if len(named) < len(metrics):
        raise NbykError(
            f"metrics: found {len(metrics)} with {len(named)} names; expected a name of its own for each"
        )
    by_statistics: dict[Any, list[CorpusMetric]] = {}
    found: dict[str, tuple[int, float, Floats]] = {}
    for name, metric in named.items():
        if isinstance(metric, CorpusMetric):
            by_statistics.setdefault(metric.statistics, []).append(metric)
        else:
            outputs = PairedOutputs.of(a, b, references)
            found[name] = (outputs.n, *outputs.resampled(metric, n_resamples, seed, progress))
    for statistics, sharing in by_statistics.items():
        items = PairedItems.of(statistics(a, references), statistics(b, references))
        observed = [items.effects(metric, items.sums) for metric in sharing]
        resampled = [np.empty(n_resamples) for _ in sharing]
        for start, sums in items.resampled_sums(n_resamples, seed, threads, progress):
            for metric, effects in zip(sharing, resampled, strict=True):
                effects[start : start + len(sums)] = items.effects(metric, sums)
        for metric, effect, effects in zip(sharing, observed, resampled, strict=True):
            found[metric.name] = (items.n, float(effect[0]), effects)
    return {
        name: _result(*found[name], alternative, smoothing=smoothing, keep_null=keep_null) for name in named
    }


def _named(metric: Metric) -> tuple[str, CorpusMetric | OutputsMetric]:
    if callable(metric):
        return name_of(metric), metric
    known = get_corpus_metric(metric)
    return known.name, known


def _result(
    n: int, delta: float, effects: Floats, alternative: Alternative, *, smoothing: bool, keep_null: bool
) -> SignificanceResult:
    ties = tie_tolerance(effects, np.array([delta]))
    pvalue = pvalue_of_counts(
        int((effects >= 2.0 * delta - ties).sum()),
        int((effects <= 2.0 * delta + ties).sum()),
        len(effects),
        alternative,
        smoothing=smoothing,
        exact=False,
    )
    null = effects - delta if keep_null else None
    return SignificanceResult("paired_bootstrap", delta, pvalue, n, n, len(effects), null=null)


@dataclass(frozen=True)
class PairedItems:
    """Statistics of both systems' outputs on the same items; items that are alike in both share a kind.

    Attributes
    ----------
    kind_of : ndarray of int, shape (N,)
        The kind of each item.
    statistics : ndarray, shape (kinds, S_a + S_b)
        Either system's statistics of each kind.
    columns_of_a
        S_a: the first so many columns are A's.
    """

    kind_of: NDArray[np.int64]
    statistics: Floats
    columns_of_a: int

    @classmethod
    def of(cls, of_a: Floats, of_b: Floats) -> PairedItems:
        """Return the items from statistics of shapes (N, S_a) and (N, S_b)."""
        of_a, of_b = np.asarray(of_a, dtype=np.float64), np.asarray(of_b, dtype=np.float64)
        if of_a.ndim != 2 or of_b.ndim != 2 or len(of_a) != len(of_b):
            raise NbykError(
                f"statistics: found shapes {of_a.shape} and {of_b.shape}, expected (N, S) with one N"
            )
        if len(of_a) < 2:
            raise NbykError(
                f"statistics: found {len(of_a)} items, expected at least 2: one resamples to itself"
            )
        both = np.concatenate([of_a, of_b], axis=1)
        if not np.isfinite(both).all():
            raise NbykError("statistics: some are NaN or infinite, expected finite numbers")
        rows = (both + 0.0).view(np.dtype((np.void, both.itemsize * both.shape[1])))[:, 0]  # −0 is 0
        _, first, kind_of = np.unique(rows, return_index=True, return_inverse=True)
        return cls(kind_of.astype(np.int64), both[first], of_a.shape[1])

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.kind_of)

    @property
    def sums(self) -> Floats:
        """The statistics' sums over all items, shape (1, S_a + S_b)."""
        counts = np.bincount(self.kind_of, minlength=len(self.statistics))
        return np.asarray((counts[:, None] * self.statistics).sum(axis=0)[None])

    def effects(self, metric: CorpusMetric, sums: Floats) -> Floats:
        """Return by how much A is better for each row of sums, shape (M, S_a + S_b)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            of_a, of_b = np.split(sums, [self.columns_of_a], axis=1)
            effects = np.asarray(metric.score(of_a) - metric.score(of_b), dtype=np.float64)
        if effects.shape != (len(sums),):
            raise NbykError(
                f"metric {metric.name!r}: its score of sums of shape (M, S) has shape {effects.shape}, "
                f"expected ({len(sums)},): it must keep all axes but the last"
            )
        if not np.isfinite(effects).all():
            raise UndefinedMetricError(
                f"metric {metric.name!r} is undefined on {int((~np.isfinite(effects)).sum())} of {len(sums)} "
                "draws; choose another metric or more items"
            )
        oriented: Floats = effects if metric.direction == "higher" else -effects
        return oriented

    def resampled_sums(
        self, n_draws: int, seed: int, threads: int, progress: Progress | None
    ) -> Iterator[tuple[int, Floats]]:
        """Yield (first draw, sums of shape (draws, S_a + S_b)) of items drawn with replacement, in blocks."""
        key = random_words(seed, purpose="resampled items", n=self.n)
        size = max(1, _SUMS_AT_ONCE // (self.statistics.shape[1] * DRAWS)) * DRAWS
        for start in range(0, n_draws, size):
            draws = min(size, n_draws - start)
            sums = np.empty((draws, self.statistics.shape[1]))

            def fill(first: int, last: int, start: int = start, sums: Floats = sums) -> None:
                _fill_sums(self.kind_of, self.statistics, key, start // DRAWS, first, last, sums)

            over_streams(fill, 1, draws, threads=threads, progress=progress)
            yield start, sums


@njit(nogil=True, cache=True)
def _fill_sums(
    kind_of: Array, statistics: Array, key: Any, first_chunk: int, first: int, last: int, out: Array
) -> None:
    """Fill rows of `out`, shape (draws, S), with sums of the statistics of N items drawn with replacement."""
    n, n_kinds, width = kind_of.size, statistics.shape[0], statistics.shape[1]
    counts = np.zeros(n_kinds, np.int64)
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    for stream in range(first, last):
        start_stream(key, 0, first_chunk + stream, state)
        used = WORDS
        for draw in range(stream * DRAWS, min(len(out), (stream + 1) * DRAWS)):
            for _ in range(n):
                if used == WORDS:
                    next_row(state, lanes)
                    used = 0
                counts[kind_of[index_below(words[used], n)]] += 1
                used += 1
            for s in range(width):
                out[draw, s] = 0.0
            for kind in range(n_kinds):
                times = float(counts[kind])
                counts[kind] = 0
                if times > 0.0:
                    for s in range(width):
                        out[draw, s] += times * statistics[kind, s]
