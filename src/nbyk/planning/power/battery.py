"""The tests whose power nbyk estimates, and the simulated sets that they decide on.

A test is `nbyk.p_value` under a null at the data's own size, p ≤ α. All are one-sided for "A is better" by
default. Decisions differ from those of the whole test with all M draws with a chance of at most 10⁻⁶
(`nbyk.testing.looks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import ALL_FRESH
from nbyk.errors import UndefinedMetricError, check_name
from nbyk.metrics import Metric
from nbyk.planning.power import randomisation
from nbyk.resampling.effects import check_defined
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.labels import SimulatedPopulation
from nbyk.resampling.samplers import NULLS
from nbyk.resampling.simulate import drawn_sets
from nbyk.resampling.streams import ReplicateStreams, StreamKey, Streams
from nbyk.testing.decision import check_draws, check_level
from nbyk.testing.engine.draws import Draws
from nbyk.testing.looks import Looks, critical_count, looks
from nbyk.testing.pvalues import Alternative, check_alternative, null_counts
from nbyk.testing.systems.asked import WHOLE_ITEMS

FIRST_SLOW, SLOW_GROWTH = 256, 4.0
"""Draws before the first look, and their growth, where responses are drawn."""


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


@dataclass(frozen=True)
class SystemTest:
    """A test with all settings that determine its decision on a test set.

    Attributes
    ----------
    name
        The null, a key of `nbyk.resampling.samplers.NULLS`.
    metric
        The metric whose effect is tested.
    alpha
        The level α, in (0, 1).
    alternative
        "greater" (A is better), "less" or "two-sided".
    n_resamples
        Draws M of the null.
    raw_swaps
        Whether "swap_items" exchanges the responses themselves, as published (`nbyk.testing.engine.draws`).
    """

    name: str
    metric: Metric
    alpha: float = 0.05
    alternative: Alternative = "greater"
    n_resamples: int = 10_000
    raw_swaps: bool = False

    def __post_init__(self) -> None:
        check_name("test", self.name, NULLS, argument="test")
        check_level(self.alpha)
        check_alternative(self.alternative)
        check_draws(self.n_resamples)
        critical_count(self.n_resamples, self.one_sided_alpha)

    @property
    def one_sided_alpha(self) -> float:
        """The level of each side on which the test rejects: α, or α/2 for a two-sided test."""
        return 0.5 * self.alpha if self.alternative == "two-sided" else self.alpha

    @property
    def fewest_items(self) -> int:
        """The least number of items on which it can reject."""
        return fewest_items(self.name, self.one_sided_alpha)

    @property
    def is_compiled(self) -> bool:
        """Whether a decision takes microseconds: no responses are drawn again under the null."""
        return self.name in ("swap_items", "shifted") and self.metric.additive

    def rejections(self, sets: SimulatedSets) -> Integers:
        """Return for each set whether the test rejects (1 or 0) and its number of draws, shape (size, 2)."""
        if self.alternative == "two-sided":
            # p = 2 min(p_greater, p_less) ≤ α if either is at most α/2.
            one_sided = replace(self, alpha=self.one_sided_alpha, alternative="greater")
            greater = one_sided.rejections(sets)
            less = replace(one_sided, alternative="less").rejections(sets)
            return np.stack([greater[:, 0] | less[:, 0], greater[:, 1] + less[:, 1]], axis=1)
        return self._by_contributions(sets) if self.is_compiled else self._by_responses(sets)

    @property
    def _critical(self) -> int:
        return critical_count(self.n_resamples, self.alpha)

    def _by_contributions(self, sets: SimulatedSets) -> Integers:
        contributions = self._sign * sets.contributions(self.metric)
        words = sets.random_words(f"{self.name} {self.alternative}")
        at = looks(self.n_resamples, self._critical)
        if self.name == "swap_items":
            return sign_flips(contributions, words, at, self.alpha)
        return decided_by(randomisation.shifted_bootstrap_test, contributions, words=words, at=at)

    def _by_responses(self, sets: SimulatedSets) -> Integers:
        """Return the decisions; sets on which the metric is undefined have 0 draws and no rejection."""
        out = np.zeros((sets.size, 2), np.int64)
        for r, data in enumerate(sets.responses()):
            with suppress(UndefinedMetricError):
                out[r] = self._decision(data, sets.seed)
        return out

    def _decision(self, data: ResponseSet, seed: int) -> tuple[int, int]:
        draws = Draws(data, [self.metric], seed=seed, raw_swaps=self.raw_swaps)
        drawn = np.empty((1, 0))

        def effects(n_draws: int) -> Floats:
            nonlocal drawn
            more = draws.under_null([0], n_draws, self.name, WHOLE_ITEMS, start=drawn.shape[1])
            drawn = np.concatenate([drawn, check_defined([self.metric], more)], axis=1)
            return np.asarray(self._sign * drawn[0])

        at = looks(self.n_resamples, self._critical, first=FIRST_SLOW, growth=SLOW_GROWTH)
        return decision(at, self._sign * float(draws.observed[0]), effects)

    @property
    def _sign(self) -> float:
        return -1.0 if self.alternative == "less" else 1.0


def fewest_items(null: str, one_sided_alpha: float) -> int:
    """Return the least number of items on which a test can reject: one of 2^N swaps must be rare enough."""
    return max(2, math.ceil(-math.log2(one_sided_alpha) - 1e-9)) if null == "swap_items" else 2


def sign_flips(contributions: Floats, words: np.uint64, at: Looks, alpha: float) -> Integers:
    """Return the decisions on contributions, shape (R, N), of a test that flips their signs, and the draws.

    If the looks go as far, all 2^N flips decide.
    """
    n = contributions.shape[1]
    if 2**n > at.draws[-1]:
        return decided_by(randomisation.sign_flip_test, contributions, words=words, at=at)
    counts = np.empty(len(contributions), np.int64)
    randomisation.sign_flip_counts(contributions, counts)
    rejected = counts <= alpha * 2**n * (1.0 + 1e-12)
    return np.stack([rejected, np.full(len(counts), 2**n)], axis=1).astype(np.int64)


def decided_by(kernel: Callable[..., None], *arrays: Floats, words: np.uint64, at: Looks) -> Integers:
    """Return the decisions of a compiled test on sets, one to a row of the arrays, and its draws."""
    out = np.empty((len(arrays[0]), 2), np.int64)
    kernel(*arrays, words, 0, at.draws, at.reject_to, at.keep_from, out)
    return out


def decision(at: Looks, observed: float, null_effects: Callable[[int], Floats]) -> tuple[int, int]:
    """Return 1 to reject, else 0, by the first effects of a null, more and more; and the number of draws."""
    for look, n_draws in enumerate(at.draws.tolist()):
        count = null_counts(observed, null_effects(n_draws))[0]
        if count <= at.reject_to[look]:
            return 1, n_draws
        if count >= at.keep_from[look]:
            break
    return 0, n_draws
