"""Metrics that no sums give: a function of all outputs, called on every resample of the items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.inference.score_tests.draws import DRAWS, Progress, over_streams, random_words
from nbyk.inference.score_tests.kernels import WORDS, start_stream
from nbyk.inference.score_tests.scores import on_host
from nbyk.resampling.lanes import LANES, STATE, index_below, next_row

Array = NDArray[Any]
Floats = NDArray[np.float64]

OutputsMetric = Callable[[Any, Any], float]
"""From a system's outputs and the references, arrays of N items (None without references), to a score;
higher is better."""


@dataclass(frozen=True)
class PairedOutputs:
    """Both systems' outputs on the same N items, and the references, if there are any: arrays of N items."""

    a: Array
    b: Array
    references: Array | None

    @classmethod
    def of(cls, a: Any, b: Any, references: Any) -> PairedOutputs:
        """Return the outputs, or raise NbykError if they do not pair or are fewer than two."""
        found = cls(_as_items(a), _as_items(b), None if references is None else _as_items(references))
        sizes = [of.shape[:1] for of in (found.a, found.b, found.references) if of is not None]
        if len(set(sizes)) > 1 or sizes[0] in ((), (0,), (1,)):
            lengths = ", ".join(str(size[0]) if size else "none" for size in sizes)
            raise NbykError(
                f"outputs: found {lengths} items of A, of B and of the references, if any; expected "
                "as many of each, at least 2: one resamples to itself"
            )
        return found

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.a)

    def effect(self, metric: OutputsMetric, items: Array) -> float:
        """Return by how much A is better on items, which may repeat."""
        references = None if self.references is None else self.references[items]
        try:
            effect = float(metric(self.a[items], references)) - float(metric(self.b[items], references))
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise UndefinedMetricError(
                f"metric {name_of(metric)!r} has no number for {len(items)} outputs ({error}); it is called "
                "with arrays of outputs and references, and must return one number"
            ) from error
        if not np.isfinite(effect):
            raise UndefinedMetricError(
                f"metric {name_of(metric)!r} is undefined on a resample; choose another metric or more items"
            )
        return effect

    def resampled(
        self, metric: OutputsMetric, n_draws: int, seed: int, progress: Progress | None
    ) -> tuple[float, Floats]:
        """Return by how much A is better on all items, and on each of the resamples, shape (n_draws,)."""
        key = random_words(seed, purpose="resampled items", n=self.n)
        effects = np.empty(n_draws)

        def fill(first: int, last: int) -> None:
            for stream in range(first, last):
                drawn = np.empty((min(DRAWS, n_draws - stream * DRAWS), self.n), np.int64)
                _fill_items(key, stream, drawn)
                for draw, items in enumerate(drawn):
                    effects[stream * DRAWS + draw] = self.effect(metric, items)

        observed = self.effect(metric, np.arange(self.n))
        over_streams(fill, 1, n_draws, progress=progress)
        return observed, effects


def name_of(metric: OutputsMetric) -> str:
    """Return what a function is called."""
    return str(getattr(metric, "__name__", type(metric).__name__))


def _as_items(values: Any) -> Array:
    values = on_host(values)
    try:
        return np.asarray(values)
    except ValueError:  # items of several sizes
        items = np.empty(len(values), object)
        items[:] = values
        return items


@njit(nogil=True, cache=True)
def _fill_items(key: Any, stream: int, out: Array) -> None:
    """Fill `out`, shape (draws, N), with the items that `paired_bootstrap` draws in a stream."""
    state = np.empty(STATE, np.uint64)
    lanes = np.empty(LANES, np.uint64)
    words = lanes.view(np.uint32)
    start_stream(key, 0, stream, state)
    used = WORDS
    for draw in range(out.shape[0]):
        for at in range(out.shape[1]):
            if used == WORDS:
                next_row(state, lanes)
                used = 0
            out[draw, at] = index_below(words[used], out.shape[1])
            used += 1
