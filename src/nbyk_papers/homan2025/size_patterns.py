"""Effects of simulated test sets whose items have few possible patterns of responses.

With one response each of gold, A and B on L levels, an item has one of L³ patterns. With K responses in c
combinations, it has one of c³. Items are independent. So a test set is one multinomial draw of the number of
items with each pattern, and a bootstrap of its items is another. Neither takes N steps. The chances of the
patterns are integrals over the prior, by quasi-Monte Carlo on 2²⁰ Sobol points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from nbyk.arrays import Floats, Integers
from nbyk.metrics import Metric
from nbyk.metrics.counts import has_counts_form
from nbyk.priors import Response
from nbyk.resampling.count_sets import CountSets
from nbyk.resampling.population import ItemParameters, Population
from nbyk.resampling.streams import Streams
from nbyk.sums import product
from nbyk_papers.homan2025.size_draws import HYPOTHESES, RESAMPLINGS, SizeDraws

_MOST_PATTERNS = 512
_ITEMS_PER_PATTERN = 8
_LOG_NODES = 20
_LOG_NODES_AT_ONCE = 14


def few_patterns(response: Response, n_items: int, k_responses: int) -> bool:
    """Return whether to draw test sets of a size as patterns: if there are few patterns and many items.

    With fewer than eight items per pattern, drawing item by item is faster (measured).
    """
    if response.levels == 0:
        return False
    patterns = math.comb(response.levels - 1 + k_responses, k_responses) ** 3
    return patterns <= _MOST_PATTERNS and n_items >= _ITEMS_PER_PATTERN * patterns


class PatternDraws(SizeDraws):
    """Test sets drawn as numbers of items with each pattern of responses."""

    paired = False
    purpose = "patterns"

    def __init__(self, population: Population, metrics: Sequence[Metric], seed: int) -> None:
        super().__init__(population, metrics, seed)
        self._patterns = _all_patterns(population)
        self._exchanged = _exchanged(self._patterns)
        self._chances = pattern_chances(population)

    def draw(self, sizes: Sequence[int], chunk: int, n_sets: int) -> Floats:
        """Return a chunk's effects; see `SizeDraws.draw`."""
        effects = np.empty((len(RESAMPLINGS), len(HYPOTHESES), len(self._metrics), len(sizes), n_sets))
        streams = Streams(self._key, chunk)
        for place, n in enumerate(sizes):
            fresh = {}
            for hypothesis, chances in zip(HYPOTHESES[:2], self._chances, strict=True):
                fresh[hypothesis] = streams.generator(f"{hypothesis} {n}").multinomial(n, chances, n_sets)
            exchange = streams.generator(f"flat {n}")
            fresh["flat"] = exchange.multinomial(fresh["alternative"], [0.25] * 4).reshape(n_sets, -1)
            for h, hypothesis in enumerate(HYPOTHESES):
                patterns = self._exchanged if hypothesis == "flat" else self._patterns
                again = streams.generator(f"bootstrap {hypothesis} {n}").multinomial(n, fresh[hypothesis] / n)
                for r, numbers in enumerate((fresh[hypothesis], again)):
                    effects[r, h, :, place] = self._score(patterns, numbers)
        return effects

    def _score(self, patterns: CountSets, numbers: Integers) -> Floats:
        """Return effects (metrics, sets) from numbers of items with each pattern, shape (sets, patterns)."""
        effects = np.empty((len(self._metrics), len(numbers)))
        for metric, out in zip(self._metrics, effects, strict=True):
            if has_counts_form(metric):
                units, unit = patterns.item_units(metric)
                out[:] = numbers @ units[0].astype(np.int64) * (unit / numbers[0].sum())
            else:
                gold, systems = patterns.item_means()
                for r, set_numbers in enumerate(numbers):
                    items = np.repeat(np.arange(len(set_numbers)), set_numbers)
                    out[r] = metric.effects(systems[:, :, items], gold[:, items])[0]
        return effects


def pattern_chances(population: Population, log_nodes: int = _LOG_NODES) -> Floats:
    """Return the chances of an item's patterns under the alternative and the null, shape (2, patterns)."""
    response = population.prior.response
    combinations = _combinations(response.levels, population.k_responses)
    n = len(combinations)
    chances = np.zeros((2, n * n, n))
    for items in _nodes(population, log_nodes):
        gold = _chances(response.probabilities(items.gold, items.sd_gold)[0], combinations)
        single_a = response.probabilities(items.a, items.sd_a)[0]
        single_b = response.probabilities(items.b, items.sd_b)[0]
        a, b = _chances(single_a, combinations), _chances(single_b, combinations)
        mixed = _chances(0.5 * (single_a + single_b), combinations)
        for out, first, second in ((chances[0], a, b), (chances[1], mixed, mixed)):
            out += product((gold[:, :, None] * first[:, None, :]).reshape(len(gold), -1).T, second)
    flat = chances.reshape(2, -1)
    normalised: Floats = flat / flat.sum(axis=1, keepdims=True)
    return normalised


class _Nodes:
    """A block of Sobol points, as uniforms by role."""

    def __init__(self, points: Floats, columns: dict[str, slice]) -> None:
        self._points = points
        self._columns = columns

    def uniforms(self, role: str, shape: tuple[int, ...]) -> Floats:
        """Return the role's coordinates of the points."""
        return np.ascontiguousarray(self._points[:, self._columns[role]]).reshape(shape)


def _nodes(population: Population, log_nodes: int) -> Iterator[ItemParameters]:
    from scipy.stats.qmc import Sobol

    columns, n_columns = {}, 0
    prior = population.prior
    for role, width in (
        ("epsilon b", 1),
        ("mu", prior.mu.n_uniforms),
        ("sigma", prior.sigma.n_uniforms),
        ("epsilon a", 1),
    ):
        columns[role] = slice(n_columns, n_columns + width)
        n_columns += width
    at_once = min(log_nodes, _LOG_NODES_AT_ONCE)
    block = replace(population, n_items=2**at_once)
    points = Sobol(n_columns, scramble=False)
    half_a_step = 0.5 ** (log_nodes + 1)
    for _ in range(2 ** (log_nodes - at_once)):
        yield block.draw_items(_Nodes(points.random(2**at_once) + half_a_step, columns), 1)


def _combinations(levels: int, k: int) -> Integers:
    """Return all combinations of K responses on L levels: the number on each, shape (combinations, L)."""
    return np.array([c for c in itertools.product(range(k + 1), repeat=levels) if sum(c) == k])


def _chances(single: Floats, combinations: Integers) -> Floats:
    """Return the chances of combinations, shape (n, combinations), from those of single responses, (n, L)."""
    k = combinations[0].sum()
    ways = np.exp(gammaln(k + 1) - gammaln(combinations + 1).sum(axis=1))
    return np.asarray(ways * np.exp(xlogy(combinations, single[:, None, :]).sum(axis=-1)))


def _all_patterns(population: Population) -> CountSets:
    """Return every pattern of gold's, A's and B's combinations, as the items of one test set."""
    response, k = population.prior.response, population.k_responses
    combinations = _combinations(response.levels, k)
    at_least = np.cumsum(combinations[:, ::-1], axis=1)[:, -2::-1].T.astype(np.int32)
    which = np.array(list(itertools.product(range(len(combinations)), repeat=3))).T
    gold, a, b = (np.ascontiguousarray(at_least[:, index])[:, None] for index in which)
    return CountSets(gold, a, b, k, tuple(response.values.tolist()))


def _exchanged(patterns: CountSets) -> CountSets:
    """Return each pattern four times: unchanged, with A and B exchanged, with A's twice, with B's twice."""
    a, b = patterns.a, patterns.b

    def four(*parts: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.stack(parts, axis=-1).reshape(*a.shape[:2], -1)

    gold = np.repeat(patterns.gold, 4, axis=2)
    return CountSets(gold, four(a, b, a, b), four(b, a, a, b), patterns.k, patterns.values)
