"""The effect of A over B on every single item of simulated test sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.counts import counts_are_shares, has_counts_form
from nbyk.resampling.count_sets import draw_count_sets
from nbyk.resampling.effects import as_metrics, batches, score
from nbyk.resampling.labels import LabelPopulation, SimulatedPopulation
from nbyk.resampling.pilot_items import RedrawnPilot
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import drawn_sets
from nbyk.resampling.streams import CHUNK, ReplicateStreams, Streams


def item_effects(
    population: SimulatedPopulation,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    chunk: int,
    size: int = CHUNK,
    seed: int = 0,
    purpose: str = "power",
) -> Floats:
    """Return the effect of every item of a chunk's first `size` test sets, shape (metrics, size, N).

    A set's effect is the mean of its items' effects under the alternative, positive where A is better; so the
    metrics are additive ones. For Likert and binary responses, only the counts are drawn; sets of fewer items
    are then the first items of larger ones.
    """
    chosen = as_metrics(metrics)
    for metric in chosen:
        if not metric.additive:
            raise NbykError(
                f"metric {metric.name} is not a mean over items, so single items have no effect; choose one "
                "that is, such as mae"
            )
    k, n_runs = population.k_responses, population.n_runs or population.k_responses
    countable = population.countable and all(
        has_counts_form(metric) and (n_runs == k or counts_are_shares(metric)) for metric in chosen
    )
    key = population.key(seed, f"item effects {purpose}", any_size=countable)
    if isinstance(population, LabelPopulation):
        return population.item_effects(chosen, Streams(key, chunk), size)
    if countable and isinstance(population, Population):
        effects = _count_effects(population, chosen, ReplicateStreams(key, chunk), size)
    else:
        effects = _response_effects(population, chosen, Streams(key, chunk), size)
    return np.concatenate(list(effects), axis=1)


def _count_effects(
    population: Population, metrics: Sequence[Metric], streams: ReplicateStreams, size: int
) -> Iterator[Floats]:
    for batch in batches(size, 3 * population.n_items):
        (sets,) = draw_count_sets(population, streams, batch)
        effects = np.empty((len(metrics), batch, population.n_items))
        for metric, out in zip(metrics, effects, strict=True):
            units, unit = sets.item_units(metric)
            np.multiply(units, unit, out=out)
        yield effects


def _response_effects(
    population: Population | RedrawnPilot,
    metrics: Sequence[Metric],
    streams: Streams,
    size: int,
) -> Iterator[Floats]:
    for gold, systems in drawn_sets(population, streams, size):
        n_sets, n_items, k = gold.shape
        every_item = systems.reshape(2, n_sets * n_items, 1, -1), gold.reshape(n_sets * n_items, 1, k)
        yield score(metrics, *every_item).reshape(len(metrics), n_sets, n_items)
