"""The sizes that would settle a comparison, from populations like the data and simulated test sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nbyk.planning.people import Costs
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import rejections
from nbyk.planning.settling.fitted_systems import FittedSystems
from nbyk.planning.settling.outlook import Outlook, Qualities
from nbyk.planning.settling.settlement import Settlement, Size
from nbyk.resampling.effects import Threads

_SETS = (512, 4_096)
"""Smallest and largest number of test sets to simulate a power."""
_ITEMS_OF_SETS = 4_000_000
"""Most items of all these sets together, unless that would mean fewer than the smallest number of sets."""
_MOST_SIMULATED = 200_000
_FAR = 3.0
_ATTEMPTS = 5
_STEP = 1.25
"""Growth of K from attempt to attempt."""
_DOUBT = 3.0
"""Standard errors beyond which the spreads of the data's and the population's effects differ."""


def about_k(found: Settlement) -> tuple[str, ...]:
    """Return the cautions about numbers of ratings per item."""
    ways = [size.k_responses for size in (found.responses, found.both) if size is not None]
    cautions = []
    if found.responses is None:
        cautions.append(
            f"up to {found.max_responses} ratings per item are not enough on {found.n_items} items"
        )
    if max(ways, default=0.0) > _FAR * found.k_responses:
        cautions.append(
            f"{max(ways):g} ratings per item extrapolate from {found.k_responses:.3g}: nbyk estimates how "
            "much more ratings reduce the errors, and how they change the effect"
        )
    return tuple(cautions)


def relative_error(item_effects: NDArray[np.float64] | None) -> float:
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

    Attributes
    ----------
    populations
        Weights and populations, which cover the uncertainty of A's error in the data. Powers at other numbers
        of ratings are means over them. The first is the likeliest; sets are simulated from it.
    outlook
        The approximation from the data.
    spread_error
        Relative standard error of the spread of the data's effect.
    test
        The one-sided test.
    """

    populations: tuple[tuple[float, FittedSystems], ...]
    outlook: Outlook
    spread_error: float
    test: SystemTest
    threads: Threads

    def settled(self, found: Settlement, costs: Costs) -> Settlement:
        """Return the answer; the simulated power at each size is the requested one."""
        population = self._likeliest.population
        items = self._with_power(found, found.items)
        both = self.outlook.cheapest(found.k_responses, self.qualities, costs, found.max_responses)
        both = self._with_power(found, both)
        if both is not None and items is not None:
            prices = [size.n_items * costs.of_item(size.k_responses) for size in (items, both)]
            both = both if prices[1] < prices[0] else None
        settled = replace(
            found,
            items=items,
            responses=self._least_responses(found),
            both=both,
            by="simulation",
            epsilon_a=population.epsilon_a,
            epsilon_b=population.epsilon_b,
            sd_scale_a=population.sd_scale_a,
            sd_scale_b=population.sd_scale_b,
            items_per_item=self._worth,
            caution=population.prior.caution,
        )
        return replace(settled, warnings=about_k(settled))

    def qualities(self, k_responses: int) -> Qualities:
        """Return δ/s with K responses in each population, relative to the data's present δ/s."""
        found = []
        for (weight, fitted), now in zip(self.populations, self._now, strict=True):
            effect, spread = fitted.moments(k_responses)
            # If real systems err on the same items, their effect varies less, by the same factor at every K.
            shrunk = self.outlook.spread / now[1] if self._errs_together else 1.0
            found.append((weight, effect / now[0] * self.outlook.spread / (spread * shrunk)))
        return found

    def least_responses(self, k_now: float, target: float, max_responses: int) -> int | None:
        """Return the least K at the present N whose mean power is the target; None if there is none."""
        n_items = self.outlook.n_items

        def enough(k: int) -> bool:
            return self.outlook.power(n_items, self.qualities(k)) >= target

        low, high = math.floor(k_now) + 1, max_responses
        if low > high or not enough(high):
            return None
        while low < high:
            middle = min((low + high) // 2, 2 * low)
            if enough(middle):
                high = middle
            else:
                low = middle + 1
        return low

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
        return abs(math.log(self.outlook.spread / self._now[0][1])) > _DOUBT * self.spread_error

    @property
    def _worth(self) -> float:
        """The number of population items that equal one item of the data, by the effect's present spread."""
        return (self._now[0][1] / self.outlook.spread) ** 2

    def _items(self, n_items: int, k_responses: float) -> int:
        """Return the equal number of population items; at another K, N unless the spreads clearly differ."""
        as_now = round(k_responses) <= self._likeliest.population.k_responses
        return max(2, round(n_items * (self._worth if as_now or self._errs_together else 1.0)))

    def _with_power(self, found: Settlement, size: Size | None) -> Size | None:
        """Return a size with its simulated power, and more items if that is low; None if no N is enough."""
        for _ in range(_ATTEMPTS):
            if size is None or self._items(size.n_items, size.k_responses) > _MOST_SIMULATED:
                return size
            power = self._power(size.n_items, size.k_responses)
            if power >= found.target - self._error(found, size):
                return replace(size, simulated=power)
            more = self.outlook.growth(power)
            size = self.outlook.size(more * size.n_items, size.k_responses)
            if size is not None and size.k_responses != found.k_responses:
                mean = self.outlook.power(size.n_items, self.qualities(round(size.k_responses)))
                size = replace(size, power=mean)
        return None

    def _power(self, n_items: int, k_responses: float) -> float:
        """Return the simulated power at a size."""
        k = max(1, round(k_responses))
        size = replace(self._likeliest.population, n_items=self._items(n_items, k), k_responses=k)
        n_sets, seed = self._n_sets(n_items, k), self._likeliest.seed
        (found,) = rejections([self.test], size, n_sets, seed=seed, threads=self.threads)
        return float(found[0].sum()) / n_sets

    def _n_sets(self, n_items: int, k_responses: float) -> int:
        least, most = _SETS
        return max(least, min(most, _ITEMS_OF_SETS // self._items(n_items, k_responses)))

    def _error(self, found: Settlement, size: Size) -> float:
        """Return twice the Monte-Carlo error of a simulated power that equals the requested one."""
        n_sets = self._n_sets(size.n_items, size.k_responses)
        return 2.0 * math.sqrt(found.target * (1.0 - found.target) / n_sets)

    def _least_responses(self, found: Settlement) -> Size | None:
        """Return the least K at the present N, with its simulated power; None if no K reaches the power."""
        n_now = found.n_items
        if self._items(n_now, found.max_responses) > _MOST_SIMULATED:
            return None
        k = self.least_responses(found.k_responses, found.target, found.max_responses)
        for _ in range(_ATTEMPTS):
            if k is None or k > found.max_responses:
                return None
            size = Size(n_now, k, self.outlook.power(n_now, self.qualities(k)), self._power(n_now, k))
            if (size.simulated or 0.0) >= found.target - self._error(found, size):
                return size
            k = math.ceil(_STEP * k)
        return None
