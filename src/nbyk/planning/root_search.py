"""Search for the place where a power curve, known only from simulated test sets, reaches a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from nbyk.planning.item_moments import clipped_quantile, density, moved, quantile
from nbyk.planning.power.estimate import Power, standard_error

T = TypeVar("T")
P = TypeVar("P", bound=Power | None)

_MOST_SETS = 8192
_CLEARLY = 4.0
"""A power that lies this many standard errors from the target needs no more sets."""
_LONGEST_STEP = 6.0
_WINDOW = 0.5
"""The distance from the target, in normal quantiles, beyond which a place has little weight in the line."""
_LOOSE = 0.3
"""Standard deviation of what is known of the slope beforehand, relative to it."""
_FEW = 40
"""Up to this whole number, each has its own power: a line through several does not help."""
_ABOUT = 1.25
"""The error of the line may be so many times the wanted one."""
_ROUNDS, _PATIENCE = 60, 8
_REPAIRS = 4


@dataclass(frozen=True)
class Root:
    """The x where the power reaches the target, not rounded, with its 95 % interval and the power's error.

    It is NaN if no x within the limits reaches it (`best_x` has the highest power, `best_power`), or if the
    search gave up (`settled` is False).
    """

    x: float
    low: float
    high: float
    power_error: float
    best_x: float
    best_power: float
    settled: bool = True


@dataclass
class RootSearch:
    """Find x, from `low` to `high`, with power(x) = target for a power that grows with x.

    The next place is that where a line through the normal quantiles of the powers so far, on log x, crosses
    the target, between the places that reach it and those that do not. `slope` is a guess at that of the
    line, `evaluate(x, n)` returns (rejections, sets) of about n fresh sets, at least `first_sets`, and `seen`
    has them by x, those of earlier searches too.
    """

    evaluate: Callable[[float, int], tuple[int, int]]
    target: float
    low: float
    high: float
    slope: float
    whole: bool = True
    first_sets: int = 256
    seen: dict[float, tuple[int, int]] = field(default_factory=dict)

    def run(self, guess: float, precision: float) -> Root:
        """Search from `guess` until the standard error of the power at the root is about `precision`."""
        if self._reaches(self.low, precision):
            return self._root(self.low, self.low, self.low, standard_error(*self.seen[self.low]))
        x, below, above = self._allowed(guess), self.low, math.inf
        for turn in range(_ROUNDS):
            if x > self.low and self._reaches(x, precision):
                above = x
            else:
                below = x
            if below == self.high:
                break
            if self.whole and above - below <= 1.0:
                low = below if self._power(below, 1.96) >= self.target else above
                high = above if self._power(above, -1.96) >= self.target else above + 1.0
                return self._root(above, low, high, standard_error(*self.seen[above]))
            place, z_error, slope = self._crossing()
            power_error = z_error * density(quantile(self.target))
            within = place <= self.high or above < math.inf
            if within and power_error <= _ABOUT * precision and not (self.whole and x <= _FEW):
                reach = math.exp(1.96 * z_error / slope)
                return self._root(place, place / reach, place * reach, power_error)
            if turn > _PATIENCE and above == math.inf:
                place = max(place, 2.0 * x)  # a power that hardly grows
            x = self._between(min(max(place, x / _LONGEST_STEP), x * _LONGEST_STEP), below, above)
        return replace(self._root(math.nan, math.nan, math.nan, math.nan), settled=below == self.high)

    def _reaches(self, x: float, precision: float) -> bool:
        """Return whether the power at x reaches the target, by sets that tell it from the target."""
        while True:
            n_rejected, n = self.seen.get(x, (0, 0))
            error = standard_error(n_rejected, n)
            if n and (error <= precision or abs(self._power(x) - self.target) > _CLEARLY * error):
                return self._power(x) >= self.target
            needed = n * (error / precision) ** 2 - n
            more = self.evaluate(x, int(min(_MOST_SETS, max(self.first_sets, min(needed, 3.0 * n)))))
            self.seen[x] = n_rejected + more[0], n + more[1]

    def _power(self, x: float, errors: float = 0.0) -> float:
        """Return the power that was seen at x, plus so many standard errors."""
        n_rejected, n = self.seen[x]
        return n_rejected / n + errors * standard_error(n_rejected, n)

    def _crossing(self) -> tuple[float, float, float]:
        """Return where the line crosses the target, the standard error of its height there, and its slope."""
        z_target = quantile(self.target)
        rows = []
        for x, (n_rejected, n) in self.seen.items():
            share = (n_rejected + 0.5) / (n + 1.0)
            z = quantile(share)
            near = math.exp(-0.5 * ((z - z_target) / _WINDOW) ** 2) + 1e-6
            rows.append((near * n * density(z) ** 2 / (share * (1.0 - share)), math.log(x), z))
        total = sum(weight for weight, _, _ in rows)
        middle = sum(weight * log_x for weight, log_x, _ in rows) / total
        height = sum(weight * z for weight, _, z in rows) / total
        prior = (_LOOSE * self.slope) ** -2
        spread = prior + sum(weight * (log_x - middle) ** 2 for weight, log_x, _ in rows)
        rise = prior * self.slope + sum(weight * (log_x - middle) * (z - height) for weight, log_x, z in rows)
        slope = max(rise / spread, 0.1 * self.slope)
        step = (z_target - height) / slope
        z_error = math.sqrt(1.0 / total + step**2 / spread)
        return math.exp(min(max(middle + step, -50.0), 50.0)), z_error, slope

    def _between(self, x: float, below: float, above: float) -> float:
        """Return x, or a value in the middle if it is not between places below and above the target."""
        if not below < x < above:
            x = 2.0 * below if above == math.inf else math.sqrt(below * above)
        x = self._allowed(x)
        return min(max(x, below + 1.0), above - 1.0) if self.whole else x

    def _allowed(self, x: float) -> float:
        return min(max(math.ceil(x - 1e-9) if self.whole else x, self.low), self.high)

    def _root(self, x: float, low: float, high: float, power_error: float) -> Root:
        best_x = max(self.seen, key=lambda at: (self._power(at), at))
        if not math.isnan(x):
            x, low, high = (min(max(end, self.low), self.high) for end in (x, low, high))
        return Root(x, low, high, power_error, best_x, self._power(best_x))


def confirmed(
    solve: Callable[[float], T], simulate: Callable[[T], P], target: float, errors: float = 1.0
) -> tuple[T, P]:
    """Return a collection with its simulated power, asked for as much more as simulations show it to lack.

    `solve` returns the collection that should have a power. It is good enough if its simulated power is below
    the target by at most so many standard errors. If `simulate` returns None, there is nothing to compare.
    """
    collection = solve(target)
    power, aim = simulate(collection), target
    for _ in range(_REPAIRS):
        if power is None or power.power >= target - errors * power.standard_error:
            break
        aim = moved(aim, quantile(target) - clipped_quantile(power.power))
        larger = solve(aim)
        if larger == collection:
            break
        collection, power = larger, simulate(larger)
    return collection, power
