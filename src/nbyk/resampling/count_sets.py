"""Test sets of Likert or binary responses as counts, which are enough for most metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.counts import counts_form, has_counts_form, sums
from nbyk.priors import Response
from nbyk.resampling import counts
from nbyk.resampling.population import Population
from nbyk.resampling.streams import ReplicateStreams

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True)
class CountSets:
    """R test sets of N items with K responses each of gold, A and B.

    Attributes
    ----------
    gold, a, b : ndarray, shape (L − 1, R, N)
        #{responses ≥ level} of every item, for each of the L levels except the lowest.
    k
        Responses per item K. If the systems and gold have different numbers, a common multiple, to which all
        counts are scaled.
    values
        The L levels' values, in ascending order and equal steps.
    """

    gold: Integers
    a: Integers
    b: Integers
    k: int
    values: tuple[float, ...]

    def item_units(self, metric: Metric) -> tuple[Integers, float]:
        """Return an additive metric's effect of every item in whole units, shape (R, N), and the unit."""
        form = counts_form(metric, self.values, self.k)
        levels, n_sets, n = self.gold.shape
        out = np.empty((n_sets, n), np.int32)
        gold, a, b = (matrix.reshape(levels, -1) for matrix in (self.gold, self.a, self.b))
        form.fill(gold, a, b, self.k, out.reshape(-1))
        return out, form.unit

    def item_means(self) -> tuple[Floats, Floats]:
        """Return the item means of gold, shape (R, N), and of both systems, (2, R, N)."""
        step, lowest = self.values[1] - self.values[0], self.values[0]
        levels, n_sets, n = self.gold.shape
        means = np.empty((3, n_sets, n))
        total = np.empty(n_sets * n, np.int32)
        for matrix, out in zip((self.gold, self.a, self.b), means, strict=True):
            sums(matrix.reshape(levels, -1), total)
            out[:] = lowest + step * total.reshape(n_sets, n) / self.k
        return means[0], means[1:]


def draw_count_sets(
    population: Population, streams: ReplicateStreams, n_sets: int, *, null: bool = False
) -> tuple[CountSets, ...]:
    """Draw test sets under the alternative and, if asked, the same items and gold under the null.

    Under the null each single response of either system comes from A's or from B's distribution, by a fair
    coin. Sets of more items begin with the items of smaller ones.

    Returns
    -------
    tuple of CountSets
        Those of the alternative, and then those of the null.
    """
    response = population.prior.response
    items = population.draw_items(streams, n_sets)
    edges = response_edges(response)
    shape = (len(edges), *items.gold.shape)

    def limits(mean: Floats, sd: Floats) -> NDArray[np.uint32]:
        out = np.empty(shape, np.uint32)
        counts.thresholds(mean.reshape(-1), sd.reshape(-1), edges, out.reshape(len(edges), -1))
        return out

    k, values = population.common_responses, tuple(response.values.tolist())

    def draw(role: str, threshold: NDArray[np.uint32], n_responses: int) -> Integers:
        out = np.empty(shape, np.int32)
        counts.draw_counts(*streams.take(role, n_sets), n_responses, threshold, out)
        if n_responses < k:
            out *= np.int32(k // n_responses)
        return out

    limits_gold = limits(items.gold, items.sd_gold)
    same = items.a is items.gold and items.sd_a is items.sd_gold
    limits_a = limits_gold if same else limits(items.a, items.sd_a)
    limits_b = limits(items.b, items.sd_b)
    gold = draw("gold", limits_gold, population.k_responses)
    n_runs = population.n_runs or population.k_responses
    alternative = CountSets(gold, draw("a", limits_a, n_runs), draw("b", limits_b, n_runs), k, values)
    if not null:
        return (alternative,)
    mixed = np.empty(shape, np.uint32)
    counts.mixed_thresholds(*(matrix.reshape(len(edges), -1) for matrix in (limits_a, limits_b, mixed)))
    return alternative, CountSets(
        gold, draw("null a", mixed, n_runs), draw("null b", mixed, n_runs), k, values
    )


def response_edges(response: Response) -> Floats:
    """Return the least normal draws that give each level except the lowest, shape (L − 1,)."""
    if response.levels == 0:
        raise NbykError(f"{response.kind} responses are continuous and have no counts")
    return np.array([0.5]) if response.kind == "binary" else response.values[1:].copy()


def check_countable(metrics: Sequence[Metric], response: Response) -> None:
    """Raise NbykError unless the metrics need only counts of such responses."""
    response_edges(response)
    for metric in metrics:
        if metric.needs != "item_means" and not has_counts_form(metric):
            raise NbykError(
                f"metric {metric.name} needs single responses, in their order, and counts have none; "
                "use a metric of item means, or mean_of_emds"
            )


def score_count_sets(metrics: Sequence[Metric], sets: CountSets) -> Floats:
    """Return the effects of test sets, shape (metrics, R): see `nbyk.resampling.effects.score`."""
    effects = np.empty((len(metrics), sets.gold.shape[1]))
    means: tuple[Floats, Floats] | None = None
    for metric, out in zip(metrics, effects, strict=True):
        if has_counts_form(metric):
            units, unit = sets.item_units(metric)
            out[:] = units.sum(axis=1, dtype=np.int64) * (unit / units.shape[1])
        else:
            means = means or sets.item_means()
            out[:] = metric.effects(means[1], means[0])
    return effects
