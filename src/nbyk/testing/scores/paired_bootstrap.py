"""The paired bootstrap test for any metric of a corpus (Berg-Kirkpatrick, Burkett and Klein 2012)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nbyk.arrays import Array, Floats, Integers
from nbyk.data.arrays import check_aligned, on_host
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric, get
from nbyk.metrics.registry import kind_scored
from nbyk.resampling.effects import Progress, check_defined, run_chunks
from nbyk.resampling.streams import stream_key
from nbyk.testing.engine.forms import form_of
from nbyk.testing.engine.item_draws import (
    ITEMS_PER_KIND,
    ItemDraws,
    KindCounts,
    KindStreams,
    by_first_item,
)
from nbyk.testing.engine.rows import Rows
from nbyk.testing.intervals import Interval, percentile_interval
from nbyk.testing.pvalues import Alternative, check_alternative, tie_tolerance
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.means import are_zeros_and_ones, paired_interval
from nbyk.testing.scores.nulls import NullCounts
from nbyk.testing.scores.result import SignificanceResult

OutputsMetric = Callable[[Any, Any], float]
"""From a system's outputs and the references, arrays of N items (None without references), to a score;
higher is better."""

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
    seed
        All metrics see the same resamples, unless items are of few kinds, 128 to a kind or more: then counts
        of the kinds are drawn.
    alternative, n_resamples, threads, keep_null, progress
        As for `nbyk.score_test`.

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
    drawing = Drawing(n_resamples, seed, threads, progress)
    check_alternative(alternative)
    check_aligned(a, b, references)
    known, given = _known(metric), (a, b, references)
    outputs = SummedOutputs(known, *given) if isinstance(known, Metric) else PlainOutputs(known, *given)
    delta, n = outputs.observed, outputs.n_items
    key = stream_key(drawing.seed, purpose="resampled items", n_items=n)
    items = KindStreams(key, outputs.kind_of, n, at_least=ITEMS_PER_KIND)

    def drawn(chunk: int, size: int) -> Floats:
        return outputs.effects(items.draws(chunk), size)[None]

    at_once = threads if isinstance(known, Metric) else 1
    ((effects,),) = run_chunks(drawing.n_draws, drawn, threads=at_once, progress=progress)
    ties = tie_tolerance(effects, np.array([delta]))
    reached = [[(effects >= 2.0 * delta - ties).sum(), (effects <= 2.0 * delta + ties).sum()]]
    counts = NullCounts(np.array([delta]), np.array(reached), drawing.n_draws, effects[None])
    return SignificanceResult(
        test="paired_bootstrap",
        statistic=delta,
        pvalue=counts.pvalue(alternative),
        n_a=n,
        n_b=n,
        effect=delta,
        ends_at=lambda level: _interval(outputs, effects, ties, level),
        n_resamples=drawing.n_draws,
        least_p=counts.least_p(alternative),
        null=effects - delta if keep_null else None,
        **_as_called(known),
    )


def _as_called(metric: Metric | OutputsMetric) -> dict[str, Any]:
    """Return the name and direction of a metric of outputs; a mean is that of scores."""
    if not isinstance(metric, Metric) or metric.name == "mean":
        return {}
    return {"metric": metric.name, "direction": metric.direction}


def _interval(outputs: SummedOutputs | PlainOutputs, effects: Floats, ties: float, level: float) -> Interval:
    """Return the interval of zeros and ones where items have these, or of percentiles; NaN if none vary."""
    if outputs.item_scores is not None and are_zeros_and_ones(outputs.item_scores):
        a, b = outputs.item_scores
        return paired_interval(a, b, level)
    if np.ptp(effects) <= ties:
        return math.nan, math.nan
    return percentile_interval(effects, level)


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


class SummedOutputs:
    """Outputs that a metric scores by sums of statistics. Items of equal statistics are a kind.

    `observed` is how much better A is; `item_scores`, shape (2, N), are A's and B's scores of single items,
    if the metric is known to be their mean, else None; higher is better.
    """

    def __init__(self, metric: Metric, a: Any, b: Any, references: Any) -> None:
        a_statistics, b_statistics = (metric.item_statistics(outputs, references) for outputs in (a, b))
        if a_statistics.shape != b_statistics.shape:
            raise NbykError(
                f"statistics: found shapes {a_statistics.shape} and {b_statistics.shape}, expected one shape"
            )
        n_items = len(a_statistics)
        if n_items < 2:
            raise NbykError(
                f"outputs: found {n_items} items, expected at least 2, since one item cannot be resampled"
            )
        both = np.concatenate([a_statistics, b_statistics], axis=1)
        whole = (both + 0.0).view(np.dtype((np.void, both.itemsize * both.shape[1])))[:, 0]  # −0 is 0
        first, kind_of = by_first_item(np.unique(whole, return_inverse=True)[1])
        self.n_items = n_items
        self.kind_of: Integers = kind_of
        has_item_scores = metric.additive and metric.direction == "higher"
        self.item_scores = (
            metric.score_sums(np.stack([a_statistics, b_statistics])) if has_item_scores else None
        )
        places = np.arange(2.0 * len(first)).reshape(2, -1, 1)
        table = np.concatenate([a_statistics[first], b_statistics[first]])
        bound = replace(metric, table=table)
        rows = Rows(np.empty((len(first), 0)), places, table=table)
        self.sums = rows.sums(bound)
        self._form = form_of(bound, rows)
        self.observed = float(self.effects(KindCounts(np.bincount(kind_of)[None]), 1)[0])

    def effects(self, draws: ItemDraws, size: int) -> Floats:
        """Return how much better A is in the first `size` draws of a batch, shape (size,)."""
        metric, (scores_a, scores_b) = self._form.metric, self._form.drawn(draws)[:, :size]
        with np.errstate(invalid="ignore"):
            effects: Floats = metric.sign * (scores_a - scores_b)
        check_defined([metric], effects[None])
        return effects


class PlainOutputs:
    """Outputs that a function scores, called on every draw of the items; attributes as above."""

    item_scores: Floats | None = None

    def __init__(self, metric: OutputsMetric, a: Any, b: Any, references: Any) -> None:
        self._metric = metric
        self._a, self._b = _as_items(a), _as_items(b)
        self._references = None if references is None else _as_items(references)
        sizes = [of.shape[:1] for of in (self._a, self._b, self._references) if of is not None]
        if len(set(sizes)) > 1 or sizes[0] in ((), (0,), (1,)):
            lengths = ", ".join(str(size[0]) if size else "none" for size in sizes)
            raise NbykError(
                f"outputs: found {lengths} items of A, of B and of the references, if any; expected as many "
                "of each, at least 2, since one item cannot be resampled"
            )
        self.n_items = len(self._a)
        self.kind_of: Integers = np.arange(self.n_items)
        self.observed = self._effect(self.kind_of)

    def effects(self, draws: ItemDraws, size: int) -> Floats:
        """Return how much better A is in the first `size` draws of a batch, shape (size,)."""
        return np.array([self._effect(items) for items in draws.items[:size]])

    def _effect(self, items: Array) -> float:
        references = None if self._references is None else self._references[items]
        name = getattr(self._metric, "__name__", type(self._metric).__name__)
        try:
            score_a, score_b = (float(self._metric(of[items], references)) for of in (self._a, self._b))
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise UndefinedMetricError(
                f"metric {name!r} has no number for {len(items)} outputs ({error}); it is called "
                "with arrays of outputs and references, and must return one number"
            ) from error
        if not np.isfinite(score_a - score_b):
            raise UndefinedMetricError(
                f"metric {name!r} is undefined on a resample; choose another metric or more items"
            )
        return score_a - score_b


def _as_items(values: Any) -> Array:
    values = on_host(values)
    try:
        return np.asarray(values)
    except ValueError:  # items differ in size
        items = np.empty(len(values), object)
        items[:] = values
        return items
