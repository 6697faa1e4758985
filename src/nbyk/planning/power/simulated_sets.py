"""Simulated test sets of one chunk, in the form that a test needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import ALL_FRESH
from nbyk.metrics import Metric
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.labels import SimulatedPopulation
from nbyk.resampling.simulate import drawn_sets
from nbyk.resampling.streams import ReplicateStreams, StreamKey, Streams


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

    def responses(self) -> Iterator[ResponseSet]:
        """Yield the sets with every response."""
        for gold, systems in drawn_sets(self.population, Streams(self.key, self.chunk), self.size):
            for r in range(len(gold)):
                yield ResponseSet(gold[r], systems[0, r], systems[1, r], ALL_FRESH)

    @property
    def key(self) -> StreamKey:
        """The key of the streams that the sets are drawn from."""
        return self.population.key(self.seed, "item effects power", any_size=self.countable)
