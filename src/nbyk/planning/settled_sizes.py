"""The sizes that would settle a comparison of items: by the seen effect, with the power simulated there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from nbyk.arrays import Floats
from nbyk.planning.closed_form import solved
from nbyk.planning.fitted_systems import FittedSystems
from nbyk.planning.item_moments import Qualities
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power, power_from, rejections
from nbyk.planning.request import LADDER, Request
from nbyk.planning.result import Plan
from nbyk.planning.root_search import confirmed
from nbyk.resampling.effects import Threads

_WORTH = 1.5
"""Larger K are tried while a size costs at most this many times the cheapest."""
_SETS = (512, 4_096)
"""Smallest and largest number of test sets to simulate a power."""
_ITEMS_OF_SETS = 4_000_000
"""Most items of all these sets together, unless that would mean fewer than the smallest number of sets."""
_MOST_SIMULATED = 200_000
_SHORT = 2.0
"""A simulated power may be so many standard errors below the requested one."""
_DOUBT = 3.0
"""Standard errors beyond which the spreads of the data's and the population's effects differ."""


def settling_plans(
    request: Request, confirmed: Callable[[Plan], Plan | None] | None = None
) -> dict[str, Plan]:
    """Return the plans with the least "n_items", the least "k_responses" and the cheapest of "both".

    The request is of a seen effect, at the present size. `confirmed` checks a plan, or gives a larger one.
    Those that are out of reach are left out, and one of both that costs no less than more items alone.
    """
    items = solved(replace(request, n_items=None))
    ratings = solved(replace(request, k_responses=None))
    both = _cheapest_of_both(request, items)
    plans = {}
    for name, plan in {"n_items": items, "k_responses": ratings, "both": both}.items():
        if plan is not None and plan.reachable:
            checked = plan if confirmed is None else confirmed(plan)
            if checked is not None:
                plans[name] = checked
    if "both" in plans and "n_items" in plans and plans["both"].cost >= plans["n_items"].cost:
        del plans["both"]
    return plans


def _cheapest_of_both(request: Request, items: Plan) -> Plan | None:
    best, least = None, items.cost if items.reachable else math.inf
    for k in (k for k in LADDER if request.least("k_responses") <= k <= request.max_responses):
        plan = solved(replace(request, n_items=None, k_responses=k))
        cost = plan.cost if plan.reachable else math.inf
        if cost < least:
            best, least = plan, cost
        elif cost > _WORTH * least:
            break
    return None if best is None else replace(best, open=("n_items", "k_responses"))


def relative_error(item_effects: Floats | None) -> float:
    """Return the relative standard error of the standard deviation of the items' effects; 0 if unknown."""
    if item_effects is None or len(item_effects) < 2:
        return 0.0
    squares = (item_effects - item_effects.mean()) ** 2
    variance = float(squares.mean())
    if variance == 0.0:
        return 0.0
    return float(squares.std(ddof=1)) / (2.0 * variance * math.sqrt(len(squares)))


@dataclass(frozen=True)
class SimulatedSizes:
    """Populations like the data, and tests on them; their items are converted to items of the data.

    The populations, with their weights, cover the uncertainty of A's error in the data: powers at other
    numbers of ratings are means over them, and sets are simulated from the first, the likeliest. `spread` is
    √N times the standard error of the data's effect, and `spread_error` the relative standard error of that.
    """

    populations: tuple[tuple[float, FittedSystems], ...]
    spread: float
    spread_error: float
    test: SystemTest
    threads: Threads

    def qualities(self, k_responses: int) -> Qualities:
        """Return δ/s with K responses in each population, relative to the data's present δ/s."""
        measured = []
        for (weight, fitted), now in zip(self.populations, self._now, strict=True):
            effect, spread = fitted.moments(k_responses)
            # If real systems err on the same items, their effect varies less, by the same factor at every K.
            shrunk = self.spread / now[1] if self._errs_together else 1.0
            measured.append((weight, effect / now[0] * self.spread / (spread * shrunk)))
        return measured

    def confirmed(self, plan: Plan) -> Plan | None:
        """Return a plan with its simulated power, larger if that is low; None if no size is enough."""
        target = plan.request.power or 0.0

        def solve(aim: float) -> Plan:
            larger = solved(replace(plan.request, power=aim))
            return replace(plan, crew=larger.crew, power=larger.power, reachable=larger.reachable)

        def simulate(sized: Plan) -> Power | None:
            return self._power(sized.n_items, sized.k_responses) if sized.reachable else None

        sized, power = confirmed(solve, simulate, target, _SHORT)
        if power is None:
            return sized if sized.reachable and "n_items" in plan.open else None
        if power.power < target - _SHORT * power.standard_error:
            return None
        return replace(sized, simulated=power)

    def _power(self, n_items: int, k_responses: int) -> Power | None:
        """Return the power on sets of the likeliest population; None if they need too many items."""
        n_drawn = self._items(n_items, k_responses)
        if n_drawn > _MOST_SIMULATED:
            return None
        least, most = _SETS
        n_sets = max(least, min(most, _ITEMS_OF_SETS // n_drawn))
        population = replace(self._likeliest.population, n_items=n_drawn, k_responses=k_responses)
        seed = self._likeliest.seed
        (n_rejected,) = rejections([self.test], population, n_sets, seed=seed, threads=self.threads)
        return power_from(self.test, int(n_rejected[0].sum()), n_sets)

    @property
    def _likeliest(self) -> FittedSystems:
        return self.populations[0][1]

    @cached_property
    def _now(self) -> list[tuple[float, float]]:
        k = self._likeliest.population.k_responses
        return [fitted.moments(k) for _, fitted in self.populations]

    @property
    def _errs_together(self) -> bool:
        """Whether the spread of the data's effect clearly differs from the population's."""
        return abs(math.log(self.spread / self._now[0][1])) > _DOUBT * self.spread_error

    def _items(self, n_items: int, k_responses: int) -> int:
        """Return the number of population items that equal so many of the data, by the effect's spread.

        At another K, that is N unless the spreads clearly differ.
        """
        as_now = k_responses <= self._likeliest.population.k_responses
        worth = (self._now[0][1] / self.spread) ** 2 if as_now or self._errs_together else 1.0
        return max(2, round(n_items * worth))
