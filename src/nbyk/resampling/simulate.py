"""Draws of response sets from a two-stage prior (Wein et al. 2023, Algorithm 3 and section 3.2.2).

Item i draws (μ_i, σ_i) from the item stage. G and A respond with mean μ_i, B with mean μ_i + v_i where
v_i ~ U(−ε_B, ε_B), clamped to [0, 1] (and A likewise with ε_A). Under the null, each single response of
either system comes from A's or from B's distribution, by a fair coin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import ALL_FRESH
from nbyk.metrics import Metric
from nbyk.priors import Response
from nbyk.resampling import kernels
from nbyk.resampling.effects import (
    EffectDraws,
    Progress,
    as_metrics,
    batches,
    check_defined,
    run_chunks,
    score,
)
from nbyk.resampling.labels import LabelPopulation, SimulatedPopulation
from nbyk.resampling.population import ItemParameters, Population
from nbyk.resampling.streams import StreamKey, Streams

Hypothesis = Literal["alternative", "null"]


def simulate(
    population: Population,
    *,
    hypothesis: Hypothesis = "alternative",
    seed: int = 0,
    index: int = 0,
) -> ResponseSet:
    """Draw one response set from a population (Algorithm 3, GENTESTSET).

    Parameters
    ----------
    population
        The prior and the number of its items, and the settings of the two systems.
    hypothesis
        "alternative", or "null": a fair coin chooses A's or B's mean for each response of A and of B.
    seed
        Seed of the draw.
    index
        The number of the response set to return among those of the seed, from 0.
    """
    streams = Streams(population.key(seed, f"reference {hypothesis}"), index)
    gold, systems = _responses(population, population.draw_items(streams, 1), streams, hypothesis)
    return ResponseSet(gold[0], systems[0, 0], systems[1, 0], ALL_FRESH)


def simulated_effects(
    population: Population | LabelPopulation,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    n_draws: int = 1000,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> EffectDraws:
    """Draw effects of fresh response sets under the alternative and under the null: the "true" effects.

    Every draw has items, perturbations and responses of its own. All metrics see the same draws, and a
    larger `n_draws` continues them.

    Parameters
    ----------
    population
        The population of the response sets, with their size.
    metrics
        One metric or several, by name or as `Metric`.
    n_draws
        Draws M under each hypothesis.
    seed, threads, progress
        As for `nbyk.resampled_effects`.

    Raises
    ------
    NbykError
        If an argument is out of range or a metric is undefined on a draw.
    """
    chosen = as_metrics(metrics)

    def work(hypothesis: Hypothesis, key: StreamKey, chunk: int, size: int) -> Floats:
        sets = drawn_sets(population, Streams(key, chunk), size, hypothesis)
        return np.concatenate([score(chosen, systems, gold) for gold, systems in sets], axis=1)

    hypotheses: tuple[Hypothesis, ...] = ("alternative", "null")
    works = [partial(work, each, population.key(seed, f"true {each} responses")) for each in hypotheses]
    names = tuple(metric.name for metric in chosen)
    alternative, null = run_chunks(n_draws, *works, threads=threads, progress=progress)
    return EffectDraws(names, check_defined(chosen, alternative), check_defined(chosen, null), paired=False)


def drawn_sets(
    population: SimulatedPopulation,
    streams: Streams,
    n_sets: int,
    hypothesis: Hypothesis = "alternative",
) -> Iterator[tuple[Floats, Floats]]:
    """Yield gold, (R, N, K), and both systems, (2, R, N, runs), of R sets more, a few megabytes at a time.

    Those of a pilot's ratings are under the alternative.
    """
    width = max(population.k_responses, population.n_runs or 1)
    for batch in batches(n_sets, 3 * population.n_items * width):
        if isinstance(population, Population):
            yield _responses(population, population.draw_items(streams, batch), streams, hypothesis)
        elif isinstance(population, LabelPopulation):
            yield population.draw(streams, batch, hypothesis)
        else:
            yield population.draw(streams, batch)


def _responses(
    population: Population, items: ItemParameters, streams: Streams, hypothesis: Hypothesis
) -> tuple[Floats, Floats]:
    response, k = population.prior.response, population.k_responses
    return draw_responses(response, items, k, streams, hypothesis, population.n_runs)


def respond_in_place(response: Response, mean: Floats, sd: Floats, normals: Floats) -> Floats:
    """Turn standard normals (R, N, K) into responses to items of these means and deviations, each (R, N)."""
    if response.has_law:
        normals[:] = response.respond(mean[..., None], sd[..., None], normals)
    else:
        kernels.respond(mean, sd, response.code, response.levels, normals)
    return normals


def draw_responses(
    response: Response,
    items: ItemParameters,
    k: int,
    streams: Streams,
    hypothesis: Hypothesis,
    n_runs: int | None = None,
) -> tuple[Floats, Floats]:
    """Draw gold responses (R, N, K) and both systems' (2, R, N, n_runs), by default K too."""
    shape = (*items.gold.shape, n_runs or k)
    gold, systems = np.empty((*items.gold.shape, k)), np.empty((2, *shape))
    streams.fill_normals("gold", gold)
    respond_in_place(response, items.gold, items.sd_gold, gold)
    item_a, item_b = (items.a, items.sd_a), (items.b, items.sd_b)
    for role, own, out in (("a", item_a, systems[0]), ("b", item_b, systems[1])):
        streams.fill_normals(role, out)
        if hypothesis == "alternative":
            respond_in_place(response, *own, out)
            continue
        from_b = streams.coins(f"source of {role}", shape)
        if response.has_law:
            pairs = zip(item_a, item_b, strict=True)
            mean, sd = (np.where(from_b, of_b[..., None], of_a[..., None]) for of_a, of_b in pairs)
            out[:] = response.respond(mean, sd, out)
        else:
            kernels.respond_mixed(*item_a, *item_b, from_b, response.code, response.levels, out)
    return gold, systems
