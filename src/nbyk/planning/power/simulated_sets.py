"""Simulated test sets of one chunk, in the form that a test needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.data.units import ALL_FRESH
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.item_means import item_means
from nbyk.resampling.count_sets import CountSets, draw_count_sets
from nbyk.resampling.effects import batches
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.labels import SimulatedPopulation
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import drawn_sets
from nbyk.resampling.streams import ReplicateStreams, StreamKey, Streams

Floats = NDArray[np.float64]


class SimulatedSets:
    """The first `size` test sets of a chunk under the alternative, in several forms.

    All forms describe the same sets, with one exception: for Likert and binary responses, `responses` draws
    other sets than the other forms, which draw counts.
    """

    def __init__(self, population: SimulatedPopulation, chunk: int, size: int, seed: int) -> None:
        self.population = population
        self.chunk = chunk
        self.size = size
        self.seed = seed
        self.countable = population.countable
        self._contributions: dict[Metric, Floats] = {}

    def random_words(self, role: str) -> np.uint64:
        """Return the key of a random stream of the chunk's own, with a replicate for each set."""
        key = self.population.key(self.seed, "test of item effects power")
        return np.uint64(ReplicateStreams(key, self.chunk).take(role, self.size)[0])

    def contributions(self, metric: Metric) -> Floats:
        """Return an additive metric's effect of every item, shape (size, N): drawn once for both sides."""
        if metric not in self._contributions:
            (effects,) = item_effects(
                self.population, metric, chunk=self.chunk, size=self.size, seed=self.seed
            )
            self._contributions[metric] = effects
        return self._contributions[metric]

    def counts(self) -> Iterator[tuple[int, CountSets]]:
        """Yield batches of the sets as counts, with the number of the first set."""
        if not isinstance(self.population, Population):
            raise NbykError("sets of a pilot's items have no counts")
        levels = self.population.prior.response.levels
        streams = ReplicateStreams(self._key(), self.chunk)
        first = 0
        for batch in batches(self.size, 3 * self.population.n_items * (levels - 1)):
            (sets,) = draw_count_sets(self.population, streams, batch)
            yield first, sets
            first += batch

    def responses(self) -> Iterator[ResponseSet]:
        """Yield the sets with every response."""
        for gold, systems in drawn_sets(self.population, Streams(self._key(), self.chunk), self.size):
            for r in range(len(gold)):
                yield ResponseSet(gold[r], systems[0, r], systems[1, r], ALL_FRESH)

    def errors(self) -> tuple[Floats, Floats]:
        """Return |ā_i − ḡ_i| and |b̄_i − ḡ_i| of every set, shape (size, N) each.

        Rounded to 12 decimals, so that errors which are equal on paper are ties.
        """
        a, b = np.empty((2, self.size, self.population.n_items))
        if self.countable:
            for first, sets in self.counts():
                gold, systems = sets.item_means()
                rows = slice(first, first + len(gold))
                a[rows], b[rows] = np.abs(systems - gold)
        else:
            for r, data in enumerate(self.responses()):
                gold = item_means(data.gold)
                a[r], b[r] = np.abs(item_means(data.a) - gold), np.abs(item_means(data.b) - gold)
        return np.round(a, 12), np.round(b, 12)

    def _key(self) -> StreamKey:
        return self.population.key(self.seed, "item effects power", any_size=self.countable)
