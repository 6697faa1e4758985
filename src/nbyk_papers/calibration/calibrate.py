"""Rejection rates of tests over the simulated test sets of a cell, which all methods and metrics share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbyk.arrays import Booleans, Floats
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.metrics import Metric
from nbyk.priors import read_prior
from nbyk.resampling.effects import run_chunks, score
from nbyk.resampling.population import Population
from nbyk.resampling.resample import hypothesis_effects
from nbyk.resampling.samplers import NULLS, Sampler, get_sampler
from nbyk.resampling.simulate import simulate
from nbyk.resampling.streams import CHUNK
from nbyk.testing.engine.draws import NULL_SAMPLERS, Draws
from nbyk.testing.intervals import acceleration, proportion_interval
from nbyk.testing.looks import critical_count
from nbyk_papers.calibration.design import RateTests
from nbyk_papers.calibration.reading import COLUMNS
from nbyk_papers.calibration.verdicts import (
    BCA,
    EXPECTED_P,
    P_VALUE,
    PERCENTILE,
    TIES_AT_RANDOM,
    Method,
    expected_p_values,
    p_of_intervals,
    p_of_null,
    p_with_ties_at_random,
    random_uniform,
)
from nbyk_papers.metrics import as_metrics

if TYPE_CHECKING:
    from nbyk.studies.steps import Work

PValues = dict[Method, Floats]
"""Each method's p-value by every metric, shape (metrics,); NaN where it is undefined."""

BOOTSTRAP, REDRAWN = "bootstrap_items/all", "bootstrap_items/sample(K)"
"""The samplers of the intervals."""


def calibrate(population: Population, tests: RateTests, work: Work) -> pa.Table:
    """Return each test's rejection rate over test sets simulated from a population.

    With ε_A = ε_B the null is true (the strong null at 0, else the weak one), and a rate is a Type-I error;
    otherwise it is a power. A row per method, metric and level; undefined counts the sets on which a test is
    undefined, which is no rejection, and low and high are the exact 95 % interval. At K = 1 nulls and
    samplers that coincide are drawn once, under the first name: the permutation is `swap_items`,
    `pooled_twice` is `pooled`, and all response samplers take the one response.
    """
    k, metrics = population.k_responses, as_metrics(tests.metrics)
    chosen: list[Sampler] = []
    if tests.samplers:
        chosen = distinct_samplers(tests.samplers, k)
        methods = [
            Method(EXPECTED_P, sampler.name, null, alternative, tests.n_resamples)
            for sampler in chosen
            for null in nulls_of(sampler, k)
            for alternative in ("folded", "greater")
        ]
    else:
        for alpha in tests.alphas:
            critical_count(tests.n_resamples, 0.5 * alpha)
        methods = _methods_at_own_size(k, tests)

    def p_of_chunk(chunk: int, size: int) -> Floats:
        p_values = np.full((size, len(methods), len(metrics)), np.nan)
        for r in range(size):
            index = chunk * CHUNK + r
            data = simulate(population, seed=tests.seed, index=index)
            defined = _defined(data, metrics)
            if defined.any():
                defined_metrics = [metric for metric, known in zip(metrics, defined, strict=True) if known]
                resampling = _seed_of_set(population, tests.seed, index)
                by_method = (
                    _expected(data, defined_metrics, chosen, k, tests.n_resamples, resampling)
                    if chosen
                    else _at_own_size(data, defined_metrics, k, tests, resampling)
                )
                p_values[r][:, defined] = [by_method[method] for method in methods]
        return p_values.reshape(size, -1).T

    (drawn,) = run_chunks(tests.n_sets, p_of_chunk, threads=work.threads, progress=work.advance)
    p = drawn.reshape(len(methods), len(metrics), tests.n_sets)
    cell = {
        "epsilon_a": float(population.epsilon_a),
        "epsilon_b": float(population.epsilon_b),
        "n_items": population.n_items,
        "k_responses": k,
    }
    rows = [
        {**cell, **_row(method, metric.name, alpha, metric_p)}
        for method, method_p in zip(methods, p, strict=True)
        for metric, metric_p in zip(metrics, method_p, strict=True)
        for alpha in tests.alphas
    ]
    return pa.Table.from_pylist(rows).select(COLUMNS)


def nulls_of(sampler: Sampler, k: int) -> list[str]:
    """Return the nulls that a sampler of K responses can draw, without those that coincide."""
    left_out = {"permutation", "pooled_twice"} if k == 1 else set()
    if sampler.items != "bootstrap_items":
        left_out.add("shifted")
    # One response of K from the pool is simply one from the pool; only drawing K responses differs.
    if sampler.responses != "sample" or sampler.n_responses == 1:
        left_out.add("pooled_twice")
    return [null for null in NULLS if null not in left_out]


def distinct_samplers(names: Sequence[str], k: int) -> list[Sampler]:
    """Return the samplers that differ at K responses per item: at K = 1, all and bootstrapped items."""
    samplers = [get_sampler(name) for name in names]
    if k > 1:
        return samplers
    return list({sampler.items: sampler for sampler in reversed(samplers)}.values())[::-1]


def _methods_at_own_size(k: int, tests: RateTests) -> list[Method]:
    n_resamples, n_bootstraps = tests.n_resamples, tests.n_bootstraps
    by_null = [
        Method(definition, sampler, null, alternative, n_bootstraps if null == "shifted" else n_resamples)
        for definition, null, sampler in (
            *((P_VALUE, null, sampler) for null, sampler in _own_size_nulls(k).items()),
            (P_VALUE, "shifted", BOOTSTRAP),
            (TIES_AT_RANDOM, "swap_items", NULL_SAMPLERS["swap_items"]),
        )
        for alternative in ("two-sided", "greater")
    ]
    by_interval = [
        Method(definition, sampler, "", "two-sided", n)
        for sampler, n in ((BOOTSTRAP, n_bootstraps), (REDRAWN, n_resamples))
        for definition in (PERCENTILE, BCA)
        if sampler == BOOTSTRAP or k > 1
    ]
    return by_null + by_interval


def _own_size_nulls(k: int) -> Mapping[str, str]:
    return {n: s for n, s in NULL_SAMPLERS.items() if k > 1 or n not in ("permutation", "pooled_twice")}


def _at_own_size(
    data: ResponseSet, metrics: Sequence[Metric], k: int, tests: RateTests, seed: int
) -> PValues:
    """Return the p-values under every null at the data's own size, and the levels of the intervals."""
    n_resamples, n_bootstraps = tests.n_resamples, tests.n_bootstraps
    draws = Draws(data, metrics, seed=seed, raw_swaps=True)
    every = range(len(metrics))
    p_values: PValues = {}

    def add(
        null: str, effects: Floats, definition: str, of_row: Callable[[float, Floats], tuple[float, float]]
    ) -> None:
        sampler = NULL_SAMPLERS.get(null, BOOTSTRAP)
        p = np.array([of_row(float(delta), row) for delta, row in zip(draws.observed, effects, strict=True)])
        for alternative, column in zip(("two-sided", "greater"), p.T, strict=True):
            p_values[Method(definition, sampler, null, alternative, effects.shape[1])] = column

    at_random = partial(p_with_ties_at_random, uniform=random_uniform(seed))
    for null, sampler in _own_size_nulls(k).items():
        if null == "swap_items":
            swapped = draws.swapped(every, n_resamples)
            add(null, swapped, P_VALUE, p_of_null)
            add(null, swapped, TIES_AT_RANDOM, at_random)
        else:
            add(null, draws.redrawn(every, n_resamples, sampler, null), P_VALUE, p_of_null)
    bootstraps = {BOOTSTRAP: draws.bootstrapped(every, n_bootstraps, "bootstrap")}
    add("shifted", bootstraps[BOOTSTRAP] - draws.observed[:, None], P_VALUE, p_of_null)
    if k > 1:
        bootstraps[REDRAWN] = draws.redrawn(every, n_resamples, REDRAWN, None)
    accelerations = [acceleration(row) for row in draws.jackknifed()]
    for sampler, effects in bootstraps.items():
        rows = zip(effects, draws.observed.tolist(), accelerations, strict=True)
        p = np.array([p_of_intervals(*row) for row in rows])
        for definition, column in zip((PERCENTILE, BCA), p.T, strict=True):
            p_values[Method(definition, sampler, "", "two-sided", effects.shape[1])] = column
    return p_values


def _expected(
    data: ResponseSet,
    metrics: Sequence[Metric],
    samplers: Sequence[Sampler],
    k: int,
    n_resamples: int,
    seed: int,
) -> PValues:
    """Return expected p by every sampler under every null that it can draw."""

    def drawn(sampler: Sampler, null: str | None) -> Floats:
        return hypothesis_effects(
            data, metrics, sampler=sampler, null=null, n_resamples=n_resamples, seed=seed
        )

    p_values: PValues = {}
    for sampler in samplers:
        alternative = drawn(sampler, None)
        for null in nulls_of(sampler, k):
            rows = zip(alternative, drawn(sampler, null), strict=True)
            p = np.array([expected_p_values(*row) for row in rows])
            for side, column in zip(("folded", "greater"), p.T, strict=True):
                p_values[Method(EXPECTED_P, sampler.name, null, side, n_resamples)] = column
    return p_values


def _seed_of_set(population: Population, seed: int, index: int) -> int:
    """Return the seed of a test set's own resamples: even sets with the same ratings have their own draws."""
    key = population.key(seed, "calibration")
    return int(key.seed_sequence("resamples", index).generate_state(1, np.uint32)[0])


def _defined(data: ResponseSet, metrics: Sequence[Metric]) -> Booleans:
    effects = score(metrics, stack_responses(data.a[None], data.b[None]), data.gold[None])[:, 0]
    return np.isfinite(effects)


def _row(method: Method, metric: str, alpha: float, p: Floats) -> dict[str, str | float | int]:
    n, n_rejected = p.size, int(method.rejects(p, alpha).sum())
    low, high = _interval(n_rejected, n)
    return {
        "metric": metric,
        **vars(method),
        "alpha": float(alpha),
        "n_sets": n,
        "undefined": int(np.isnan(p).sum()),
        "rejections": n_rejected,
        "rate": n_rejected / n,
        "low": low,
        "high": high,
    }


@cache
def _interval(found: int, n: int) -> tuple[float, float]:
    return proportion_interval(found, n)


def rates(
    prior: Path,
    *,
    n_items: int,
    k_responses: int,
    epsilon_a: float,
    epsilon_b: float,
    tests: RateTests,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute each test's rejection rate at one size, on the same simulated test sets."""
    population = Population(read_prior(prior), n_items, k_responses, epsilon_b, epsilon_a)
    with work.progress(tests.n_sets):
        table = calibrate(population, tests, work)
    return table, {"M": tests.n_resamples, "prior": population.prior.to_dict()}
