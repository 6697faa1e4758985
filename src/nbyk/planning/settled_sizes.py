"""The sizes that would settle a comparison: a normal approximation from the data, checked by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nbyk.planning.fitted_systems import FittedSystems
from nbyk.planning.item_moments import quantile
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power, power_from, rejections
from nbyk.planning.request import LADDER, MAX_RESPONSES, Costs
from nbyk.resampling.effects import Threads

Qualities = Sequence[tuple[float, float]]
"""δ/s at another number of ratings per item, relative to now: weights that add up to 1, and values."""

AS_NOW: Qualities = ((1.0, 1.0),)

_BEYOND = 10.0
_WORTH = 1.5
"""Larger K are tried while a size costs at most this many times the cheapest."""


@dataclass(frozen=True)
class Size:
    """A size at which the test would detect the present effect with the requested power.

    Attributes
    ----------
    n_items, k_responses
        Items N, and gold ratings per item K; the systems' responses grow in proportion to K.
    power
        The power at this size, by the normal approximation. At another K, it is the mean over fitted
        populations that are all compatible with the data.
    simulated
        The power on test sets of the likeliest population; None without one, or if it needs too many items.
    """

    n_items: int
    k_responses: float
    power: float
    simulated: Power | None = None


@dataclass(frozen=True)
class Outlook:
    """The normal approximation of the power, with the effect and its spread as they are now.

    Attributes
    ----------
    effect, spread
        The effect δ, positive on the side of the alternative, and √N times its standard error.
    farthest
        The far end of the effect's interval on that side.
    alpha, target
        The level, one-sided, and the requested power.
    n_items, max_items
        The present N, and the largest that is realistic.
    fewest
        The fewest items on which any data can reject the null.
    k_responses, max_responses
        The present ratings per item K on average, and the most that are realistic.
    costs
        The prices of an item and a rating.
    """

    effect: float
    spread: float
    farthest: float
    alpha: float
    target: float
    n_items: int
    max_items: int
    fewest: int
    k_responses: float = 1.0
    max_responses: int = MAX_RESPONSES
    costs: Costs = field(default_factory=Costs)

    @cached_property
    def z_alpha(self) -> float:
        """The normal quantile of the level."""
        return -quantile(self.alpha)

    @cached_property
    def z_power(self) -> float:
        """The normal quantile of the requested power."""
        return quantile(self.target)

    def power(self, n_items: float, qualities: Qualities = AS_NOW) -> float:
        """Return the power at N items, averaged over the weighted values of δ/s relative to now."""
        from scipy.special import ndtr

        if n_items < self.fewest:
            return 0.0
        power = 0.0
        for weight, quality in qualities:
            signal = self.effect * quality * math.sqrt(n_items)
            if signal:
                signal = signal / self.spread if self.spread else math.copysign(math.inf, signal)
            power += weight * float(ndtr(signal - self.z_alpha))
        return power

    def items_for(self, qualities: Qualities = AS_NOW) -> float:
        """Return the N (not rounded) that reaches the power; infinite if no realistic N does."""
        from scipy.optimize import brentq
        from scipy.special import ndtr

        ends = [self._items(self.effect * quality) for _, quality in qualities]
        low, high = max(min(ends), self.fewest), min(max(ends), _BEYOND * self.max_items)
        if len(ends) == 1 or low >= high:
            return max(ends)
        target = float(ndtr(self.z_power))
        if self.power(low, qualities) >= target or self.power(high, qualities) < target:
            return low if self.power(low, qualities) >= target else math.inf
        return float(brentq(lambda n_items: self.power(n_items, qualities) - target, low, high))

    def growth(self, power: float) -> float:
        """Return the factor by which N must grow if it was found to have `power`."""
        signal = max(self.z_alpha + quantile(power), (self.z_alpha + self.z_power) / 2.0)
        return ((self.z_alpha + self.z_power) / signal) ** 2

    def least_items(self) -> int | None:
        """Return the N needed if the effect were at the far end of its interval: a lower bound."""
        n_items = self._items(self.farthest)
        return max(self.n_items, self.fewest, math.ceil(n_items)) if math.isfinite(n_items) else None

    def size(
        self, n_items: float, k_responses: float | None = None, qualities: Qualities = AS_NOW
    ) -> Size | None:
        """Return a size of at least one item more than now; None if that is not realistic."""
        whole = max(self.n_items + 1, self.fewest, math.ceil(min(n_items, self.max_items + 1.0)))
        if whole > self.max_items:
            return None
        k = self.k_responses if k_responses is None else k_responses
        return Size(whole, k, self.power(whole, qualities))

    def of_responses(self, k: int | None, at: Callable[[int], Qualities]) -> Size | None:
        """Return the present items with K responses; None if that is not realistic."""
        if k is None or k > self.max_responses:
            return None
        return Size(self.n_items, k, self.power(self.n_items, at(k)))

    def least_responses(self, at: Callable[[int], Qualities]) -> int | None:
        """Return the least K at the present N whose mean power is the target; None if there is none."""
        low, high = math.floor(self.k_responses) + 1, self.max_responses
        if low > high or self.power(self.n_items, at(high)) < self.target:
            return None
        while low < high:
            middle = min((low + high) // 2, 2 * low)
            if self.power(self.n_items, at(middle)) >= self.target:
                high = middle
            else:
                low = middle + 1
        return low

    def cheapest(self, at: Callable[[int], Qualities]) -> Size | None:
        """Return the cheapest size with more items and responses, if it is cheaper than more items alone."""
        best, least = None, self.items_for() * self.costs.of_item(self.k_responses)
        for k in (k for k in LADDER if self.k_responses < k <= self.max_responses):
            size = self.size(self.items_for(at(k)), k, at(k))
            cost = math.inf if size is None else size.n_items * self.costs.of_item(k)
            if cost < least:
                best, least = size, cost
            elif cost > _WORTH * least:
                break
        return best

    def sizes(
        self, at: Callable[[int], Qualities], confirmed: Callable[[Size], Size | None] | None = None
    ) -> dict[str, Size]:
        """Return the least "n_items", the least "k_responses" and the cheapest of "both", if there are any.

        `at` gives the qualities at K responses, and `confirmed` checks a size, or gives a larger one.
        """
        ways = {
            "n_items": self.size(self.items_for()),
            "k_responses": self.of_responses(self.least_responses(at), at),
            "both": self.cheapest(at),
        }
        named = {}
        for name, way in ways.items():
            size = way if way is None or confirmed is None else confirmed(way)
            if size is not None:
                named[name] = size
        prices = {name: size.n_items * self.costs.of_item(size.k_responses) for name, size in named.items()}
        if prices.get("both", 0.0) >= prices.get("n_items", math.inf):
            del named["both"]
        return named

    def about_k(self, sizes: dict[str, Size]) -> tuple[str, ...]:
        """Return the cautions about numbers of ratings per item."""
        ways = [sizes[name].k_responses for name in ("k_responses", "both") if name in sizes]
        cautions = []
        if "k_responses" not in sizes:
            cautions.append(
                f"up to {self.max_responses} ratings per item are not enough on {self.n_items} items"
            )
        if ways:
            mean, low, high = MEASURED_POWER
            far = f"{max(ways):g} ratings per item extrapolate from {self.k_responses:.3g}: "
            cautions.append(
                f"{far if max(ways) > _FAR * self.k_responses else ''}ratings named for a power of 0.8 had "
                f"{mean:g} on average where the truth was known, nine in ten of them {low:g} to {high:g}"
            )
        return tuple(cautions)

    def _items(self, effect: float) -> float:
        if effect <= 0.0:
            return math.inf
        return ((self.z_alpha + self.z_power) * self.spread / effect) ** 2


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


MEASURED_POWER = (0.78, 0.55, 0.95)
"""The true power of ratings suggested for 0.8: mean, 5 and 95 % quantiles (benchmarks/settled_ratings.py)."""


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

    def qualities(self, k_responses: int) -> Qualities:
        """Return δ/s with K responses in each population, relative to the data's present δ/s."""
        measured = []
        for (weight, fitted), now in zip(self.populations, self._now, strict=True):
            effect, spread = fitted.moments(k_responses)
            # If real systems err on the same items, their effect varies less, by the same factor at every K.
            shrunk = self.outlook.spread / now[1] if self._errs_together else 1.0
            measured.append((weight, effect / now[0] * self.outlook.spread / (spread * shrunk)))
        return measured

    def confirmed(self, size: Size) -> Size | None:
        """Return a size with its simulated power, larger if that is low; None if no size is enough.

        A size of the present items grows in K, and others in N.
        """
        of_more_items, grown = size.n_items > self.outlook.n_items, size
        for _ in range(_ATTEMPTS):
            n_items, k = grown.n_items, max(1, round(grown.k_responses))
            n_drawn = self._items(n_items, k)
            if n_drawn > _MOST_SIMULATED:
                return grown if of_more_items else None
            least, most = _SETS
            n_sets, target = max(least, min(most, _ITEMS_OF_SETS // n_drawn)), self.outlook.target
            population = replace(self._likeliest.population, n_items=n_drawn, k_responses=k)
            seed = self._likeliest.seed
            (n_rejected,) = rejections([self.test], population, n_sets, seed=seed, threads=self.threads)
            power = power_from(self.test, int(n_rejected[0].sum()), n_sets)
            if power.power >= target - 2.0 * math.sqrt(target * (1.0 - target) / n_sets):
                return replace(grown, simulated=power)
            if of_more_items:
                quality = AS_NOW if grown.k_responses == self.outlook.k_responses else self.qualities(k)
                more = self.outlook.growth(power.power) * n_items
                larger = self.outlook.size(more, grown.k_responses, quality)
            else:
                larger = self.outlook.of_responses(math.ceil(_STEP * k), self.qualities)
            if larger is None:
                return None
            grown = larger
        return None

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

    def _items(self, n_items: int, k_responses: int) -> int:
        """Return the equal number of population items; at another K, N unless the spreads clearly differ."""
        as_now = k_responses <= self._likeliest.population.k_responses
        return max(2, round(n_items * (self._worth if as_now or self._errs_together else 1.0)))
