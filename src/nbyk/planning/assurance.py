"""What other pilots would have said of a simulated plan: the pilot's items are drawn again.

The power of a test of N items depends on the signal μ/s of one item's contribution: N = ((z_α + z_power)
s/μ)². Other pilots have other items, and so another μ and s, and another ε that gives the requested effect.
The bootstrap over the pilot's items shows how much they differ. A plan that is made for the signal that four
of five bootstrapped pilots exceed has its power in about four of five pilots (docs/planning.md).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nbyk.planning.pilot import ASSURED
from nbyk.planning.request import Simulated
from nbyk.planning.result import Plan
from nbyk.resampling.effects import score
from nbyk.resampling.pilot_items import PilotItems
from nbyk.resampling.streams import Streams, stream_key
from nbyk.sums import product

Floats = NDArray[np.float64]

_PILOTS = 1000
_ROWS = 40_000
"""Rows to simulate at each ε, the same number of every item."""

_FACTORS = np.geomspace(0.4, 2.5, 11)
"""The ε to consider, relative to the plan's."""


def assured_size(plan: Plan, seed: int) -> Plan | None:
    """Return the plan that holds in four of five pilots like a simulated plan's.

    None if its items are not a pilot's, or if single items have no effect by its metric.
    """
    world, epsilon = plan.request.world, plan.epsilon or 0.0
    metric = world.test.metric
    if not isinstance(world.prior, PilotItems) or not metric.additive or epsilon == 0.0:
        return None
    pilots = _Pilots(world, plan.asked_effect is not None, epsilon, seed)
    z_alpha = _quantile_of(1.0 - world.test.one_sided_alpha)
    reached = z_alpha + _quantile_of(min(max(plan.power, 1e-3), 1.0 - 1e-3))
    if plan.open[-1] == "epsilon":
        return replace(plan, epsilon=min(1.0, pilots.epsilon(plan.k_responses)))
    if plan.open[-1] == "power":
        z = pilots.signal(plan.k_responses) * reached - z_alpha
        return replace(plan, power=0.5 * math.erfc(-z / math.sqrt(2.0)))
    if plan.open == ("k_responses",):
        larger = [k for k in plan.request.ladder() if k > plan.k_responses]
        k = next((k for k in larger if pilots.signal(k, plan.k_responses) >= 1.0), None)
        crew = replace(plan.crew, ratings_per_item=k or plan.request.max_responses)
        return replace(plan, crew=crew, reachable=k is not None)
    n_items = math.ceil(plan.n_items / pilots.signal(plan.k_responses) ** 2)
    n_items = min(n_items, plan.request.max_items + 1)
    return replace(plan.with_items(n_items), reachable=n_items <= plan.request.max_items)


def _quantile_of(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


class _Pilots:
    """Bootstrapped pilots, and the signal of one item in each, at the ε that each has for one effect."""

    def __init__(self, world: Simulated, by_effect: bool, epsilon: float, seed: int) -> None:
        assert isinstance(world.prior, PilotItems)
        self.world, self.pilot, self.by_effect, self.seed = world, world.prior, by_effect, seed
        factors = _FACTORS[epsilon * _FACTORS <= 1.0]
        self.epsilons = epsilon * factors
        n = self.pilot.n_items
        generator = np.random.default_rng(stream_key(seed, purpose="other pilots", n=n).seed_sequence("", 0))
        drawn = generator.multinomial(n, np.full(n, 1.0 / n), size=_PILOTS) / n
        # The first is the pilot itself
        self.weights = np.concatenate([np.full((1, n), 1.0 / n), drawn])
        self.at_epsilon = np.full(_PILOTS + 1, np.log(epsilon))
        if by_effect:
            effects = product(self.weights, self._long_run().T)
            self.at_epsilon = np.array(
                [np.interp(effects[0][len(factors) // 2], row, np.log(self.epsilons)) for row in effects]
            )

    def signal(self, k: int, beside: int | None = None) -> float:
        """Return the signal that four of five pilots exceed at K, relative to this pilot's at K `beside`."""
        signals = self._at(self._signals(k), self.at_epsilon)
        own = signals[0] if beside is None else self._at(self._signals(beside), self.at_epsilon)[0]
        return min(1.0, float(np.quantile(signals[1:], 1.0 - ASSURED)) / float(own))

    def epsilon(self, k: int) -> float:
        """Return the ε at which four of five pilots have this pilot's signal, within the ε simulated."""
        signals = self._signals(k)
        wanted = self._at(signals, self.at_epsilon)[0]
        found = [np.interp(wanted, np.maximum.accumulate(row), np.log(self.epsilons)) for row in signals[1:]]
        return float(np.exp(np.quantile(found, ASSURED)))

    def _at(self, rows: Floats, places: Floats) -> Floats:
        """Return the value of each pilot's row at its own log ε."""
        x = np.log(self.epsilons)
        return np.array([np.interp(place, x, row) for place, row in zip(places, rows, strict=True)])

    def _signals(self, k: int) -> Floats:
        """Return μ/s of every pilot at every ε, (pilots + 1, ε)."""
        means, squares = (product(self.weights, moment.T) for moment in self._moments(k))
        return np.asarray(means / np.sqrt(np.maximum(squares - means**2, 1e-300)))

    def _moments(self, k: int) -> tuple[Floats, Floats]:
        """Return the mean contribution of every item and of its square at every ε, (ε, N) each."""
        pilot, n = self.pilot, self.pilot.n_items
        repeats = max(8, _ROWS // n)
        rows = np.arange(n) + n * (np.arange(repeats)[:, None] % pilot.repeats)
        key = stream_key(self.seed, purpose="assured size", pilot=pilot.key(), k=k)
        moments = []
        for epsilon in self.epsilons.tolist():
            gold, systems = self._population(k, epsilon).of_rows(rows, Streams(key, 0))
            of_rows = systems.reshape(2, rows.size, 1, -1), gold.reshape(rows.size, 1, gold.shape[-1])
            effects = score([self.world.test.metric], *of_rows).reshape(rows.shape)
            moments.append((effects.mean(axis=0), (effects**2).mean(axis=0)))
        means, squares = zip(*moments, strict=True)
        return np.array(means), np.array(squares)

    def _long_run(self) -> Floats:
        """Return every item's effect with infinitely many ratings at every ε, (ε, N)."""
        n, effects = self.pilot.n_items, []
        for epsilon in self.epsilons.tolist():
            gold, a, b = self._population(1, epsilon).long_run(self.seed)
            of_rows = self.world.test.metric.effects(np.stack([a, b])[..., None], gold[:, None])
            effects.append(of_rows.reshape(-1, n).mean(axis=0))
        return np.array(effects)

    def _population(self, k: int, epsilon: float):  # type: ignore[no-untyped-def]
        return self.world.population(self.pilot.n_items, k, epsilon)
