"""The sizes that would settle a comparison: a normal approximation from the data, checked by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nbyk.planning.fitted_systems import FittedSystems
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power, power_from, rejections
from nbyk.planning.request import LADDER, Costs
from nbyk.resampling.effects import Threads
from nbyk.testing.pvalues import Alternative

Qualities = Sequence[tuple[float, float]]
"""δ/s at another number of ratings per item, relative to now: weights that add up to 1, and values."""

AS_NOW: Qualities = ((1.0, 1.0),)

_BEYOND = 10.0
_WORTH = 1.5
"""Larger K are tried while a size costs at most this many times the cheapest."""


@dataclass(frozen=True)
class Present:
    """A comparison as it is, and what is asked about it.

    Attributes
    ----------
    effect, interval
        The effect on the data, of responses from 0 to 1 (0 if it is a rounding error), and its interval.
    alternative, alpha, target
        The alternative and the level of the test, and the requested power.
    n_items, k_responses, n_clusters
        Items N, ratings per item K on average, of gold or, without it, of A, and clusters; 0 without any.
    max_items, max_responses
        The largest N and K taken as realistic.
    """

    effect: float
    interval: tuple[float, float]
    alternative: Alternative
    alpha: float
    target: float
    n_items: int
    k_responses: float
    n_clusters: int
    max_items: int
    max_responses: int

    @property
    def one_sided_alpha(self) -> float:
        """The level of a one-sided test with the same power: α/2 if the alternative has two sides."""
        return 0.5 * self.alpha if self.alternative == "two-sided" else self.alpha


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


Sizes = dict[str, Size]
"""The least "n_items", the least "k_responses", and the cheapest of "both", as far as there are any."""


def _items_of(found: Present, swapped: int) -> int:
    """Return the items of `swapped` rows (two at least) or, with clusters, of whole clusters of mean size."""
    size = found.n_items / found.n_clusters if found.n_clusters else 1.0
    return math.ceil(max(2, swapped) * size)


@dataclass(frozen=True)
class Outlook:
    """The normal approximation of the power, with the effect and its spread as they are now.

    Attributes
    ----------
    effect, spread
        The effect δ, positive on the side of the alternative, and √N times its standard error.
    farthest
        The far end of the effect's interval on that side.
    z_alpha, z_power
        Normal quantiles of the level, one-sided, and of the requested power.
    n_items, max_items
        The present N, and the largest that is realistic.
    fewest
        The fewest items on which any data can reject the null.
    """

    effect: float
    spread: float
    farthest: float
    z_alpha: float
    z_power: float
    n_items: int
    max_items: int
    fewest: int

    @classmethod
    def of(cls, found: Present, standard_error: float, null: str) -> Outlook:
        """Return the outlook of a comparison whose effect has a standard error, under a null."""
        from scipy.special import ndtri

        # There are 2^N ways to swap rows; one of them must be rare enough to reject.
        swaps = math.ceil(-math.log2(found.one_sided_alpha) - 1e-9)

        low, high = found.interval
        effect, farthest = {
            "two-sided": (abs(found.effect), max(-low, high)),
            "greater": (found.effect, high),
            "less": (-found.effect, -low),
        }[found.alternative]
        return cls(
            effect,
            standard_error * math.sqrt(found.n_items),
            farthest,
            -float(ndtri(found.one_sided_alpha)),
            float(ndtri(found.target)),
            found.n_items,
            found.max_items,
            _items_of(found, swaps if null == "swap_items" else 2),
        )

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
        from scipy.special import ndtri

        signal = max(self.z_alpha + float(ndtri(power)), (self.z_alpha + self.z_power) / 2.0)
        return ((self.z_alpha + self.z_power) / signal) ** 2

    def least_items(self) -> int | None:
        """Return the N needed if the effect were at the far end of its interval: a lower bound."""
        n_items = self._items(self.farthest)
        return max(self.n_items, self.fewest, math.ceil(n_items)) if math.isfinite(n_items) else None

    def size(self, n_items: float, k_responses: float, qualities: Qualities = AS_NOW) -> Size | None:
        """Return a size of at least one item more than now; None if that is not realistic."""
        whole = max(self.n_items + 1, self.fewest, math.ceil(min(n_items, self.max_items + 1.0)))
        if whole > self.max_items:
            return None
        return Size(whole, k_responses, self.power(whole, qualities))

    def cheapest(
        self, k_now: float, at: Callable[[int], Qualities], costs: Costs, max_responses: int
    ) -> Size | None:
        """Return the cheapest size with more items and responses, if it is cheaper than more items alone."""
        best, least = None, self.items_for() * costs.of_item(k_now)
        for k in (k for k in LADDER if k_now < k <= max_responses):
            found = self.size(self.items_for(at(k)), k, at(k))
            cost = math.inf if found is None else found.n_items * costs.of_item(k)
            if cost < least:
                best, least = found, cost
            elif cost > _WORTH * least:
                break
        return best

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


def about_k(found: Present, sizes: Sizes) -> tuple[str, ...]:
    """Return the cautions about numbers of ratings per item."""
    ways = [sizes[name].k_responses for name in ("k_responses", "both") if name in sizes]
    cautions = []
    if "k_responses" not in sizes:
        cautions.append(
            f"up to {found.max_responses} ratings per item are not enough on {found.n_items} items"
        )
    if ways:
        mean, low, high = MEASURED_POWER
        far = f"{max(ways):g} ratings per item extrapolate from {found.k_responses:.3g}: "
        cautions.append(
            f"{far if max(ways) > _FAR * found.k_responses else ''}ratings named for a power of 0.8 had "
            f"{mean:g} on average where the truth was known, nine in ten of them {low:g} to {high:g}"
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

    def settled(self, found: Present, items: Size | None, costs: Costs) -> Sizes:
        """Return the sizes; the simulated power at each is the requested one."""
        both = self.outlook.cheapest(found.k_responses, self.qualities, costs, found.max_responses)
        sizes = {
            "n_items": self._with_power(found, items),
            "k_responses": self._least_responses(found),
            "both": self._with_power(found, both),
        }
        named = {name: size for name, size in sizes.items() if size is not None}
        prices = {name: size.n_items * costs.of_item(size.k_responses) for name, size in named.items()}
        if prices.get("both", 0.0) >= prices.get("n_items", math.inf):
            del named["both"]
        return named

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

    def _with_power(self, found: Present, size: Size | None) -> Size | None:
        """Return a size with its simulated power, and more items if that is low; None if no N is enough."""
        for _ in range(_ATTEMPTS):
            if size is None or self._items(size.n_items, size.k_responses) > _MOST_SIMULATED:
                return size
            power = self._power(size.n_items, size.k_responses)
            if power.power >= found.target - self._error(found, size):
                return replace(size, simulated=power)
            more = self.outlook.growth(power.power)
            size = self.outlook.size(more * size.n_items, size.k_responses)
            if size is not None and size.k_responses != found.k_responses:
                mean = self.outlook.power(size.n_items, self.qualities(round(size.k_responses)))
                size = replace(size, power=mean)
        return None

    def _power(self, n_items: int, k_responses: float) -> Power:
        """Return the simulated power at a size."""
        k = max(1, round(k_responses))
        size = replace(self._likeliest.population, n_items=self._items(n_items, k), k_responses=k)
        n_sets, seed = self._n_sets(n_items, k), self._likeliest.seed
        (found,) = rejections([self.test], size, n_sets, seed=seed, threads=self.threads)
        return power_from(self.test, int(found[0].sum()), n_sets)

    def _n_sets(self, n_items: int, k_responses: float) -> int:
        least, most = _SETS
        return max(least, min(most, _ITEMS_OF_SETS // self._items(n_items, k_responses)))

    def _error(self, found: Present, size: Size) -> float:
        """Return twice the Monte-Carlo error of a simulated power that equals the requested one."""
        n_sets = self._n_sets(size.n_items, size.k_responses)
        return 2.0 * math.sqrt(found.target * (1.0 - found.target) / n_sets)

    def _least_responses(self, found: Present) -> Size | None:
        """Return the least K at the present N, with its simulated power; None if no K reaches the power."""
        n_now = found.n_items
        if self._items(n_now, found.max_responses) > _MOST_SIMULATED:
            return None
        k = self.least_responses(found.k_responses, found.target, found.max_responses)
        for _ in range(_ATTEMPTS):
            if k is None or k > found.max_responses:
                return None
            power = self._power(n_now, k)
            size = Size(n_now, k, self.outlook.power(n_now, self.qualities(k)), power)
            if power.power >= found.target - self._error(found, size):
                return size
            k = math.ceil(_STEP * k)
        return None
