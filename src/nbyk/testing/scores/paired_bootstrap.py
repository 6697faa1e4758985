"""The paired bootstrap test for any metric of a corpus (Berg-Kirkpatrick, Burkett and Klein 2012)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbyk.data.arrays import Floats, check_aligned
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.metrics.registry import kind_scored
from nbyk.resampling.effects import Progress, run_chunks
from nbyk.resampling.streams import stream_key
from nbyk.testing.engine.item_draws import drawn_items
from nbyk.testing.intervals import Interval, percentile_interval
from nbyk.testing.pvalues import Alternative, check_alternative, tie_tolerance
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.means import are_zeros_and_ones, paired_interval
from nbyk.testing.scores.nulls import NullCounts
from nbyk.testing.scores.outputs import (
    Outputs,
    OutputsMetric,
    PlainOutputs,
    SummedOutputs,
    name_of,
)
from nbyk.testing.scores.result import CONFIDENCE_LEVEL, SignificanceResult

AnyMetric = str | Metric | OutputsMetric
"""A metric by its name, a `Metric` of outputs, or a function of all outputs."""


def paired_bootstrap(
    a: Any,
    b: Any,
    references: Any = None,
    *,
    metric: AnyMetric = "mean",
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    smoothing: bool = True,
    seed: Any = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> SignificanceResult:
    """Test whether A beats B on a metric by resampling items with both systems' outputs.

    Parameters
    ----------
    a, b
        Outputs of A and B on the same N items: scores for "mean", or sentences for "bleu".
    references
        The references of the outputs, for metrics that need them.
    metric
        "mean", "bleu", a metric of outputs of your own (`nbyk.metrics.register`), or any function from
        outputs and references, arrays of N items (None without references), to a score, higher is better. A
        function is called on both systems' outputs of each resample, one resample after the other. A
        registered metric is much faster.
    alternative
        "greater" (A is better), "less" or "two-sided" (twice the smaller p, at most 1).
    n_resamples
        Resamples M.
    smoothing
        p = (1 + count)/(1 + M), never zero; else count/M, as in the paper.
    seed, threads
        The numbers depend on the seed, not on the threads. All metrics see the same resamples.
    keep_null
        Whether the result holds the statistic under the null, δ* − δ.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    SignificanceResult
        `statistic` is δ: how much better A is.

    Raises
    ------
    NbykError
        If outputs and references do not pair, the metric is unknown or undefined, or an argument is out
        of range.

    Notes
    -----
    Resamples centre on δ, not on 0, so the test counts δ* ≥ 2 δ. Differences that are equal but for rounding
    (see `nbyk.p_value`) are ties, and count.
    """
    test = _Test(Drawing(n_resamples, seed, threads, progress), alternative, smoothing, keep_null)
    check_aligned(a, b, references)
    return test.result(_scored_by(_known(metric), a, b, references))


def paired_bootstraps(
    a: Any,
    b: Any,
    references: Any = None,
    *,
    metrics: Sequence[AnyMetric],
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    smoothing: bool = True,
    seed: Any = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> dict[str, SignificanceResult]:
    """Run `paired_bootstrap` for several metrics, all on the same resamples.

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
    test = _Test(Drawing(n_resamples, seed, threads, progress), alternative, smoothing, keep_null)
    check_aligned(a, b, references)
    named = {_name(metric): metric for metric in map(_known, metrics)}
    if len(named) < len(metrics):
        raise NbykError(
            f"found {len(metrics)} with {len(named)} names; expected a name of its own for each",
            argument="metrics",
        )
    return {name: test.result(_scored_by(metric, a, b, references)) for name, metric in named.items()}


@dataclass(frozen=True)
class _Test:
    """A paired bootstrap: its draws, its side, and the arguments of `paired_bootstrap` of the same names."""

    drawing: Drawing
    alternative: Alternative
    smoothing: bool
    keep_null: bool

    def __post_init__(self) -> None:
        check_alternative(self.alternative)

    def result(self, outputs: Outputs) -> SignificanceResult:
        """Resample the items and return the result."""
        drawing, delta, n = self.drawing, outputs.observed, outputs.n_items
        key = stream_key(drawing.seed, purpose="resampled items", n_items=n)

        def drawn(chunk: int, size: int) -> Floats:
            return outputs.effects(drawn_items(key, chunk, n, kind_of=outputs.kind_of), size)[None]

        threads = 1 if isinstance(outputs, PlainOutputs) else drawing.threads
        ((effects,),) = run_chunks(drawing.n_draws, drawn, threads=threads, progress=drawing.progress)
        ties = tie_tolerance(effects, np.array([delta]))
        reached = [[(effects >= 2.0 * delta - ties).sum(), (effects <= 2.0 * delta + ties).sum()]]
        counts = NullCounts(np.array([delta]), np.array(reached), drawing.n_draws)
        return SignificanceResult(
            test="paired_bootstrap",
            statistic=delta,
            pvalue=counts.pvalue(self.alternative, smoothing=self.smoothing),
            n_a=n,
            n_b=n,
            effect=delta,
            interval=_interval(outputs, effects, ties),
            n_resamples=drawing.n_draws,
            null=effects - delta if self.keep_null else None,
        )


def _interval(outputs: Outputs, effects: Floats, ties: float) -> Interval:
    """Return the interval of zeros and ones where items have these, or of percentiles; NaN if none vary."""
    if outputs.item_scores is not None and are_zeros_and_ones(outputs.item_scores):
        a, b = outputs.item_scores
        return paired_interval(a, b, CONFIDENCE_LEVEL)
    if np.ptp(effects) <= ties:
        return math.nan, math.nan
    return percentile_interval(effects, CONFIDENCE_LEVEL)


def _known(metric: AnyMetric) -> Metric | OutputsMetric:
    if isinstance(metric, Metric):
        metric.check_kind("outputs")
    if not isinstance(metric, str):
        return metric
    if kind_scored(metric) is not None:
        raise NbykError(
            f"found {metric}, a metric of classes or distributions: call nbyk.compare(references, a, b, "
            f"metric={metric!r})",
            argument="metric",
        )
    return get(metric, "outputs")


def _name(metric: Metric | OutputsMetric) -> str:
    return metric.name if isinstance(metric, Metric) else name_of(metric)


def _scored_by(metric: Metric | OutputsMetric, a: Any, b: Any, references: Any) -> Outputs:
    return (SummedOutputs if isinstance(metric, Metric) else PlainOutputs)(metric, a, b, references)  # type: ignore[arg-type]
