"""What other pilots would have said of a simulated plan: the pilot's items are drawn again.

The power of a test of N items depends on the signal μ/s of one item's contribution: N = ((z_α + z_power)
s/μ)². Other pilots have other items, and so another law of their ratings, another ε that gives the requested
effect, and another signal. The bootstrap over the pilot's items shows by how much its logarithm varies. A
plan that is made for a signal lower by .84 standard deviations has its power in about four of five pilots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.planning.item_moments import quantile
from nbyk.planning.long_run import epsilon_for_effect, long_run_effect
from nbyk.planning.pilot import ASSURED
from nbyk.planning.request import Simulated
from nbyk.planning.result import Plan
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.labels import LabelPopulation
from nbyk.resampling.streams import stream_key
from nbyk.sums import product

_PILOTS = 30
_ITEMS = 1024
_STEP = 1.25
"""The factor on ε that shows how the signal grows with it."""


def assured_size(plan: Plan, seed: int) -> Plan | None:
    """Return the plan that holds in four of five pilots like a simulated plan's.

    None if its items are not a pilot's, or if single items have no effect by its metric.
    """
    world, epsilon, k = plan.request.world, plan.epsilon or 0.0, plan.k_responses
    if not (world.prior.n_items and world.test.metric.additive and epsilon):
        return None
    logs = [math.log(signal) for signal in _other_signals(plan, seed) if signal > 0.0]
    own = _signal(world, k, epsilon, seed)
    if len(logs) < _PILOTS / 2 or own <= 0.0:
        return None
    z_alpha, z_share = quantile(1.0 - world.test.one_sided_alpha), quantile(ASSURED)
    share = math.exp(-z_share * float(np.std(logs, ddof=1)))
    if plan.open[-1] == "epsilon":
        growth = math.log(_signal(world, k, min(1.0, _STEP * epsilon), seed) / own) / math.log(_STEP)
        return replace(plan, epsilon=min(1.0, epsilon * share ** (-1.0 / max(growth, 0.5))))
    if plan.open[-1] == "power":
        z = share * (z_alpha + quantile(min(max(plan.power, 1e-3), 1.0 - 1e-3))) - z_alpha
        return replace(plan, power=0.5 * math.erfc(-z / math.sqrt(2.0)))
    if plan.open == ("k_responses",):
        larger = [more for more in plan.request.ladder() if more > k]
        enough = (more for more in larger if share * _signal(world, more, epsilon, seed) >= own)
        count = next(enough, None)
        crew = replace(plan.crew, ratings_per_item=count or plan.request.max_responses)
        return replace(plan, crew=crew, reachable=count is not None)
    n_items = math.ceil(plan.n_items / share**2)
    most = plan.request.max_items
    crew = replace(plan.crew, n_items=min(n_items, most))
    return replace(plan, crew=crew, reachable=n_items <= most)


def _other_signals(plan: Plan, seed: int) -> Iterator[float]:
    """Yield the signals by bootstrapped pilots, each with the ε of the plan's effect if that was stated."""
    world, epsilon = plan.request.world, plan.epsilon or 0.0
    pilot, metric, n = world.prior, world.test.metric, world.prior.n_items
    key = stream_key(seed, purpose="other pilots", pilot=pilot.key())
    generator = np.random.default_rng(key.seed_sequence("items", 0))
    pilots = [generator.integers(n, size=n) for _ in range(_PILOTS)]
    if world.of_labels:
        yield from _signals_of_labels(
            plan, np.array([np.bincount(rows, minlength=n) for rows in pilots]), seed
        )
        return
    effect = None
    if plan.asked_effect is not None:
        effect = long_run_effect(world.population(2, 1, epsilon), metric, seed)
    for rows in pilots:
        other = replace(world, prior=pilot.take(rows))
        try:
            if effect is not None:
                epsilon = epsilon_for_effect(partial(other.population, 2, 1), metric, effect, seed)
            yield _signal(other, plan.k_responses, epsilon, seed)
        except NbykError:  # no ε has that effect on these items
            continue


def _signals_of_labels(plan: Plan, times: Integers, seed: int) -> Iterator[float]:
    """Yield the signals by pilots with so many times each labelled item, (pilots, N).

    What is drawn of an item given its labels is the same in every pilot: one simulation serves all. An effect
    that was stated is another one in another pilot; it and the signal grow with ε as powers of it.
    """
    world, epsilon, k = plan.request.world, plan.epsilon or 0.0, plan.k_responses
    weights = np.concatenate([np.ones_like(times[:1]), times]) / times.shape[1]

    def shown(at: float) -> Floats:
        """Return the effects in the long run and the signals, (2, 1 + pilots), first those of this pilot."""
        population = world.population(_ITEMS, k, at)
        assert isinstance(population, LabelPopulation)
        mean, square, long_run = product(population.item_moments(world.test.metric, seed), weights.T)
        return np.log(np.maximum([long_run, mean / np.sqrt(square - mean**2)], 1e-300))

    effects, signals = shown(epsilon)
    if plan.asked_effect is not None:
        more = min(1.0, _STEP * epsilon)
        effect_grows, signal_grows = shown(more if more > epsilon else epsilon / _STEP)[:, 0] - (
            effects[0],
            signals[0],
        )
        signals = signals + signal_grows / effect_grows * (effects[0] - effects)
    yield from np.exp(signals[1:])


def _signal(world: Simulated, k: int, epsilon: float, seed: int) -> float:
    """Return μ/s of an item's contribution, from 32 sets of 1024 items."""
    population = world.population(_ITEMS, k, epsilon)
    effects = item_effects(population, world.test.metric, chunk=0, seed=seed, purpose="assured size")
    sd = float(effects.std())
    return float(effects.mean()) / sd if sd > 0.0 else 0.0
