"""What an effect means: its unit on a scale, and its size with infinitely many responses to every item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.scales import GivenScale, Levels, Scale, as_scale
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.priors import Response
from nbyk.resampling.labels import LabelPopulation, SimulatedPopulation
from nbyk.resampling.pilot_items import RedrawnPilot
from nbyk.resampling.population import Population
from nbyk.resampling.streams import Streams, stream_key

_ITEMS = 50_000


def unit_of(scale: Scale | None, response: Response | None = None) -> float:
    """Return by how much ratings on a scale differ whose normalised values differ by 1; 1 without a scale.

    A scale of two ends whose ratings are L levels is L steps long, as one that lists them (`Levels`).
    """
    if scale is None:
        return 1.0
    if scale.unit is None:
        raise NbykError(
            "a plan takes levels in equal steps: number them evenly, or give two ends", argument="scale"
        )
    if response is None or not response.levels:
        return scale.unit
    levels, low_high = response.levels, ends_of(scale) or (0.0, 1.0)
    if isinstance(scale, Levels) and response.top < 1.0:
        if len(scale.levels) != levels:
            problem = f"found {len(scale.levels)} levels, but the ratings have {levels}"
            raise NbykError(problem, argument="scale")
        return scale.unit
    # the highest response is the higher end
    return (low_high[1] - low_high[0]) * levels / round(response.top * levels)


def ends_of(scale: GivenScale | None) -> tuple[float, float] | None:
    """Return the lowest and the highest rating on a scale; None without one."""
    given = as_scale(scale)
    return None if given is None else given.ends


def long_run_effect(population: SimulatedPopulation, metric: Metric, seed: int = 0) -> float:
    """Return a metric's effect on 50,000 items of a population whose item means have no noise (K → ∞).

    The items and the directions of their perturbations are the same at every ε, so that the effect changes
    smoothly with it.
    """
    if isinstance(population, LabelPopulation):
        return population.long_run_effect(metric, seed)
    if metric.needs != "item_means" or metric.kind == "comparison":
        why = "counts which system is nearer" if metric.kind == "comparison" else "needs single responses"
        raise NbykError(
            f"metric {metric.name} {why}, so its effect in the long run does not determine ε; give `epsilon`"
        )
    if isinstance(population, RedrawnPilot):
        gold, a, b = (means[None] for means in population.long_run(seed))
    else:
        gold, a, b = _long_run_means(population, seed)
    effect = float(metric.effects(np.stack([a, b]), gold)[0])
    if not np.isfinite(effect):
        raise NbykError(
            f"metric {metric.name} is {effect} without noise in the item means; give `epsilon`, not an effect"
        )
    return effect


def _long_run_means(population: Population, seed: int) -> tuple[Floats, Floats, Floats]:
    key = stream_key(seed, purpose="long-run effect", prior=population.prior.key())
    large = replace(population, n_items=_ITEMS, k_responses=1)
    items = large.draw_items(Streams(key, 0), 1)
    response = population.prior.response
    return (
        response.mean(items.gold, items.sd_gold),
        response.mean(items.a, items.sd_a),
        response.mean(items.b, items.sd_b),
    )


def epsilon_for_effect(
    population_at: Callable[[float], SimulatedPopulation],
    metric: Metric,
    effect: float,
    seed: int = 0,
    *,
    epsilon: float | None = None,
    unit: float = 1.0,
) -> float:
    """Return the ε (to 10⁻⁴) at which a metric has an effect in the long run, in populations given by ε.

    Error messages give effects in units of 1 / `unit`. An `epsilon` that was given too is an error.
    """
    from scipy.optimize import brentq

    if epsilon is not None:
        raise NbykError("plan: given both `epsilon` and `effect`, which determine each other; give one")
    if not np.isfinite(effect) or effect <= 0.0:
        raise NbykError(
            f"found {effect * unit:g}, expected a number above 0, on the scale of {metric.name}",
            argument="effect",
        )

    def effect_at(epsilon: float) -> float:
        return long_run_effect(population_at(epsilon), metric, seed)

    most = effect_at(1.0)
    if most < effect:
        raise NbykError(
            f"{effect * unit:g} on {metric.name} is out of reach: at the largest ε it is {most * unit:.4g}; "
            f"give a smaller effect{' (on 0 to 1, without a `scale`)' * (unit == 1.0)}, or `epsilon`",
            argument="effect",
        )
    if effect_at(0.0) >= effect:
        raise NbykError(
            f"found {effect * unit:g}, but the effect on {metric.name} is already at least that large at ε = "
            "0; give a larger one, or `epsilon`",
            argument="effect",
        )
    return float(brentq(lambda epsilon: effect_at(epsilon) - effect, 0.0, 1.0, xtol=1e-4))
