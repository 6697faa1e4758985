"""Scores of many systems on the same items, observed and bootstrapped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import stack_responses
from nbyk.data.units import Units
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress, as_metrics
from nbyk.testing.engine.draws import ItemStreams, draw_chunks
from nbyk.testing.engine.forms import form_of
from nbyk.testing.engine.inputs import as_clusters, as_matrices, as_seed
from nbyk.testing.engine.rows import Rows

Floats = NDArray[np.float64]
ManyResponses = Mapping[str, Any] | Sequence[Any]


def system_scores(
    gold: Any, systems: ManyResponses, metrics: str | Metric | Sequence[str | Metric]
) -> Floats:
    """Return each system's score on the data, shape (metrics, S).

    The parameters and errors are those of `bootstrap_scores`.
    """
    chosen, rows, _ = prepared(gold, systems, metrics)
    return np.stack([rows.scores(metric) for metric in chosen])


def bootstrap_scores(
    gold: Any,
    systems: ManyResponses,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    cluster: Any = None,
    n_resamples: int = 9_999,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Return each system's score on bootstrapped items, the same items for all, shape (metrics, S, M).

    The draws are those of the sampler ``bootstrap_items/all`` in `nbyk.compare`. For two systems, the
    differences of their scores are the bootstrap distribution of `nbyk.compare`. A system's scores do not
    depend on the others.

    Parameters
    ----------
    gold
        Gold responses as `nbyk.compare` takes them, or None if no metric needs them.
    systems
        Each system's responses to the same items, by name or in order.
    metrics
        One metric or several, by name or as `Metric`; each must score a system by itself.
    cluster
        As for `nbyk.compare`; whole clusters are drawn.
    n_resamples
        Draws M.
    seed, threads, progress
        As for `nbyk.compare`.

    Raises
    ------
    NbykError
        If the input is malformed, a metric is unknown or compares two systems, or gold is needed but None.

    Notes
    -----
    Scores are NaN or infinite on draws on which a metric is undefined, such as a correlation of constants.
    """
    chosen, given, _ = prepared(gold, systems, metrics)
    clusters = as_clusters(cluster, first_source(gold, systems), given.n_items)
    rows = Rows.of(given.gold, given.systems, clusters)
    forms = [form_of(metric, rows) for metric in chosen]
    streams = ItemStreams(as_seed(seed), rows)
    n_systems = len(rows.systems)

    def work(chunk: int) -> Floats:
        draws = streams.items("bootstrap", chunk)
        return np.concatenate([form.drawn(draws) for form in forms])

    drawn = draw_chunks(work, n_resamples, threads=threads, progress=progress)
    return drawn.reshape(len(forms), n_systems, n_resamples)


def first_source(gold: Any, systems: ManyResponses) -> Any:
    """Return the source that sets the order of items for all others: gold, or the first system."""
    if gold is not None:
        return gold
    return next(iter(systems.values() if isinstance(systems, Mapping) else systems), None)


def prepared(
    gold: Any, systems: ManyResponses, metrics: str | Metric | Sequence[str | Metric]
) -> tuple[tuple[Metric, ...], Rows, dict[str, Units]]:
    """Return metrics that score systems by themselves, the rows to score and their units.

    See `bootstrap_scores`; the units are by "gold" and the systems' names.
    """
    chosen = as_metrics(metrics)
    for metric in chosen:
        if metric.kind == "comparison":
            raise NbykError(
                f"metric {metric.name} compares two systems and scores neither; choose one that scores each"
            )
        metric.check_gold(gold is not None)
    named = systems if isinstance(systems, Mapping) else {f"system {i}": s for i, s in enumerate(systems)}
    if not named:
        raise NbykError("found no systems, expected at least one system's responses", argument="systems")
    if "gold" in named:
        raise NbykError(
            "a system is called gold, the name of the gold responses; give it another name",
            argument="systems",
        )
    matrices, units = as_matrices({"gold": gold, **named})
    stacked = stack_responses(*(matrices[name] for name in named))
    return chosen, Rows(matrices.get("gold", np.empty((stacked.shape[1], 0))), stacked), units
