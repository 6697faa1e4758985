"""Two systems' outputs on the same items, and the effects of A over B on draws of the items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nbyk.data.arrays import Floats, on_host
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric
from nbyk.testing.engine.forms import form_of
from nbyk.testing.engine.item_draws import ItemDraws, KindCounts
from nbyk.testing.engine.rows import Rows

Array = NDArray[Any]
Integers = NDArray[np.int64]

OutputsMetric = Callable[[Any, Any], float]
"""From a system's outputs and the references, arrays of N items (None without references), to a score;
higher is better."""


class Outputs(Protocol):
    """Both systems' outputs, as one metric sees them.

    Attributes
    ----------
    n_items
        Number of items.
    observed
        How much better A is on the items.
    kind_of : ndarray of int, shape (N,), or None
        The kind of each item, if items that are alike to the metric share one.
    item_scores : ndarray, shape (2, N), or None
        A's and B's scores of single items, if the metric is known to be their mean; higher is better.
    """

    n_items: int
    observed: float
    kind_of: Integers | None
    item_scores: Floats | None

    def effects(self, draws: ItemDraws, size: int) -> Floats:
        """Return how much better A is in the first `size` draws of a batch, shape (size,)."""


class SummedOutputs:
    """Outputs that a metric scores by sums of statistics. Items of equal statistics are a kind.

    Parameters
    ----------
    metric
        The metric of outputs.
    a, b, references
        Both systems' outputs, and the references, if there are any.

    Raises
    ------
    NbykError
        If the statistics do not fit, or are not finite numbers.
    """

    def __init__(self, metric: Metric, a: Any, b: Any, references: Any) -> None:
        of_a, of_b = (metric.item_statistics(outputs, references) for outputs in (a, b))
        if of_a.shape != of_b.shape:
            raise NbykError(f"statistics: found shapes {of_a.shape} and {of_b.shape}, expected one shape")
        _check_items(len(of_a))
        both = np.concatenate([of_a, of_b], axis=1)
        whole = (both + 0.0).view(np.dtype((np.void, both.itemsize * both.shape[1])))[:, 0]  # −0 is 0
        _, first, kind_of = np.unique(whole, return_index=True, return_inverse=True)
        self.n_items = len(both)
        self.kind_of: Integers | None = kind_of.astype(np.int64)
        has_item_scores = metric.additive and metric.direction == "higher"
        self.item_scores = metric.score_sums(np.stack([of_a, of_b])) if has_item_scores else None
        places = np.arange(2.0 * len(first)).reshape(2, -1, 1)
        table = np.concatenate([of_a[first], of_b[first]])
        bound = replace(metric, table=table)
        rows = Rows(np.empty((len(first), 0)), places, table=table)
        self.sums = rows.sums(bound)
        self._form = form_of(bound, rows)
        self.observed = float(self.effects(KindCounts(np.bincount(kind_of)[None]), 1)[0])

    def effects(self, draws: ItemDraws, size: int) -> Floats:
        """As `Outputs.effects`."""
        metric, (scores_a, scores_b) = self._form.metric, self._form.drawn(draws)[:, :size]
        with np.errstate(invalid="ignore"):
            effects: Floats = metric.sign * (scores_a - scores_b)
        _check_defined(metric.name, effects)
        return effects


class PlainOutputs:
    """Outputs that a function scores, called on every draw of the items.

    Parameters
    ----------
    metric
        The function.
    a, b, references
        Both systems' outputs, and the references, if there are any.

    Raises
    ------
    NbykError
        If they do not pair, or are fewer than two.
    """

    kind_of: Integers | None = None
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
        self.observed = self._effect(np.arange(self.n_items))

    def effects(self, draws: ItemDraws, size: int) -> Floats:
        """As `Outputs.effects`."""
        return np.array([self._effect(items) for items in draws.items[:size]])

    def _effect(self, items: Array) -> float:
        references = None if self._references is None else self._references[items]
        name = name_of(self._metric)
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


def name_of(metric: OutputsMetric) -> str:
    """Return a function's name."""
    return str(getattr(metric, "__name__", type(metric).__name__))


def _check_items(n_items: int) -> None:
    if n_items < 2:
        raise NbykError(
            f"outputs: found {n_items} items, expected at least 2, since one item cannot be resampled"
        )


def _check_defined(name: str, effects: Floats) -> None:
    undefined = int((~np.isfinite(effects)).sum())
    if undefined:
        raise UndefinedMetricError(
            f"metric {name!r} is undefined on {undefined} of {len(effects)} draws; choose another metric "
            "or more items"
        )


def _as_items(values: Any) -> Array:
    values = on_host(values)
    try:
        return np.asarray(values)
    except ValueError:  # items differ in size
        items = np.empty(len(values), object)
        items[:] = values
        return items
