"""The power of a comparison at other sizes: a normal approximation from the data at the present size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nbyk.planning.people import Costs
from nbyk.planning.request import LADDER
from nbyk.planning.settling.settlement import Settlement, Size

Qualities = Sequence[tuple[float, float]]
"""δ/s at another number of ratings per item, relative to now: weights that add up to 1, and values."""

AS_NOW: Qualities = ((1.0, 1.0),)

_BEYOND = 10.0
_WORTH = 1.5
"""Larger K are tried while a size costs at most this many times the cheapest."""


def _items_of(found: Settlement, swapped: int) -> int:
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
    def of(cls, found: Settlement, standard_error: float, null: str) -> Outlook:
        """Return the outlook of a comparison whose effect has a standard error, under a null."""
        from scipy.special import ndtri

        # There are 2^N ways to swap rows; one of them must be rare enough to reject.
        swaps = math.ceil(-math.log2(found.one_sided_alpha) - 1e-9)

        low, high = found.interval.low, found.interval.high
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
        return Size(whole, k_responses, self.power(whole, qualities), None)

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
