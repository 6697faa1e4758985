"""Search for the place where a power curve, known only from simulated test sets, reaches a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.planning.item_moments import quantile
from nbyk.planning.power.estimate import standard_error
from nbyk.sums import product, solve

Floats = NDArray[np.float64]

_FIRST_SETS = 256
_MOST_SETS = 8192
_LONGEST_STEP = 6.0
_NEAR = 0.4
_WINDOW = 0.5
_STEPWISE = 40.0
_MOST_STEPS = 20
_ROUNDS = 60
_PATIENCE = 4
"""If every place reaches the target, the search tries the lower limit after this many rounds."""


@dataclass(frozen=True)
class Root:
    """The place where the power reaches the target.

    Attributes
    ----------
    x
        The place: N, K or ε, not rounded. It is the lower limit if the power reaches the target everywhere.
        It is NaN if the power reaches it nowhere within the limits, or the search did not settle.
    low, high
        Its 95 % interval, within the limits.
    power_error
        Standard error of the power at `x`.
    best_x, best_power
        The place of the highest power, and that power; of interest only if the target was not reached.
    settled
        False if the search gave up: the target may or may not be within reach.
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
    """Find x with power(x) = target for a power that grows with x, by probit regression on log x.

    Every simulated set counts: Φ(a + b log x) is fitted to the sets at all x so far, with little weight on
    those far from the target. The next sets are drawn where the fit crosses the target.

    Attributes
    ----------
    evaluate
        Function of (x, n) that returns (rejections, sets) of about n fresh sets at x.
    target
        The power, in (0, 1).
    low, high
        Limits of x, both above 0.
    slope
        A guess at b near the target. It guides the first steps and then loses weight.
    whole
        Whether x is a whole number.
    first_sets
        Number of sets at a place that is not yet known to be near the target.
    points
        (x, rejections, sets) of earlier searches, which count as well.
    """

    evaluate: Callable[[float, int], tuple[int, int]]
    target: float
    low: float
    high: float
    slope: float
    whole: bool = True
    first_sets: int = _FIRST_SETS
    points: list[tuple[float, int, int]] = field(default_factory=list)

    def run(self, guess: float, precision: float) -> Root:
        """Search from `guess` until the standard error of the power at the root is `precision`."""
        z_target = quantile(self.target)
        x, n_sets = self._allowed(guess), self.first_sets
        for done in range(1, _ROUNDS + 1):
            self.add(x, *self.evaluate(x, n_sets))
            intercept, slope, covariance = self._fit()
            place = (z_target - intercept) / slope
            gradient = np.array([1.0, place])
            z_error = math.sqrt(max(0.0, float(product(product(gradient, covariance), gradient))))
            power_error = z_error * _normal_density(z_target)
            root = math.exp(min(max(place, -50.0), 50.0))
            missing = z_target - (intercept + slope * math.log(x))
            if self._is_out_of_reach(x, z_target):
                return self._not_reached()
            if x == self.low and self._low_reaches():
                return self._at_low()
            following = self._allowed(self._bracketed(min(max(root, x / _LONGEST_STEP), x * _LONGEST_STEP)))
            close = abs(missing) < _NEAR or following == x
            beside = abs(following - x) <= 1.0 and abs(missing) < 1.0
            if self.whole and x <= _STEPWISE and beside:
                return self._stepwise(following, precision)
            settled = abs(math.log(following / x)) < 0.1 or (self.whole and abs(following - x) <= 1.0)
            if close and settled and power_error <= precision:
                if root > self.high * (1.0 + 1e-9):
                    return self._not_reached()
                reach = 1.96 * z_error / slope
                return Root(
                    min(max(root, self.low), self.high),
                    max(self.low, root * math.exp(-reach)),
                    min(self.high, root * math.exp(reach)),
                    power_error,
                    *self._best(),
                )
            needed = self.target * (1.0 - self.target) / precision**2
            n_sets = self.first_sets
            if close:
                n_sets = int(min(_MOST_SETS, max(n_sets, 0.4 * needed)))
            x = following
            if done >= _PATIENCE and self._seems_reached_everywhere():
                x = self.low
        return replace(self._not_reached(), settled=False)

    def _stepwise(self, x: float, precision: float) -> Root:
        """Find the least whole x from its own sets and its neighbour's: with few x, a fit does not help."""
        walked: set[float] = set()
        while x not in walked:
            if len(walked) == _MOST_STEPS:
                return replace(self._not_reached(), settled=False)
            walked.add(x)
            if self._reaches(x, precision):
                if x == self.low or not self._reaches(x - 1, precision):
                    break
                x -= 1
            elif x == self.high:
                return self._not_reached()
            else:
                x += 1
        low = x - 1 if x > self.low and self._reaches(x - 1, precision, 1.96) else x
        high = x if self._reaches(x, precision, -1.96) else min(x + 1, self.high)
        return Root(x, low, high, standard_error(*self._totals(x)), *self._best())

    def _reaches(self, x: float, precision: float, errors: float = 0.0) -> bool:
        """Return whether the power at x, plus `errors` standard errors, reaches the target."""
        while True:
            n_rejected, n = self._totals(x)
            error = standard_error(n_rejected, n)
            if n and (error <= precision or abs(n_rejected / n - self.target) > 4.0 * error):
                return n_rejected / n + errors * error >= self.target
            needed = n * (error / precision) ** 2 - n
            self.add(x, *self.evaluate(x, int(min(_MOST_SETS, max(self.first_sets, needed)))))

    def add(self, x: float, found: int, n_sets: int) -> None:
        """Add sets that were simulated at x."""
        self.points.append((x, found, n_sets))

    def _low_reaches(self) -> bool:
        """Return whether the lower limit clearly reaches the target; simulate more sets if in doubt."""
        while True:
            n_rejected, n = self._totals(self.low)
            error = standard_error(n_rejected, n)
            if n_rejected / n - 3.0 * error >= self.target:
                return True
            if n >= _MOST_SETS or n_rejected / n + 2.0 * error < self.target:
                return n_rejected / n >= self.target
            if not self._seems_reached_everywhere():
                return False  # only some places reach it: the fit decides
            self.add(self.low, *self.evaluate(self.low, n))

    def _at_low(self) -> Root:
        error = standard_error(*self._totals(self.low))
        return Root(self.low, self.low, self.low, error, *self._best())

    def _seems_reached_everywhere(self) -> bool:
        """Return whether all sets together are clearly above the target and no place is clearly below it."""
        places = [self._totals(x) for x in {x for x, _, _ in self.points}]
        n_rejected, n = (sum(counts) for counts in zip(*places, strict=True))
        if n_rejected / n - 2.0 * standard_error(n_rejected, n) < self.target:
            return False
        return all(
            n_rejected / n + 2.0 * standard_error(n_rejected, n) >= self.target for n_rejected, n in places
        )

    def _bracketed(self, x: float) -> float:
        """Return x if it lies between places clearly below and above the target; else one between them."""
        below, above = 0.0, math.inf
        for place in {place for place, _, _ in self.points}:
            n_rejected, n = self._totals(place)
            reach = 3.0 * standard_error(n_rejected, n)
            if (n_rejected + 2) / (n + 4) + reach < self.target:
                below = max(below, place)
            elif (n_rejected + 2) / (n + 4) - reach > self.target:
                above = min(above, place)
        if below < x < above or below >= above:
            return x
        if above == math.inf:
            return 0.5 * _LONGEST_STEP * below
        return math.sqrt(below * above) if below else 2.0 * above / _LONGEST_STEP

    def _allowed(self, x: float) -> float:
        x = min(max(x, self.low), self.high)
        return min(max(math.ceil(x - 1e-9), self.low), self.high) if self.whole else x

    def _share_at(self, x: float) -> float:
        n_rejected, n = self._totals(x)
        return n_rejected / n

    def _totals(self, x: float) -> tuple[int, int]:
        return (
            sum(n_rejected for place, n_rejected, _ in self.points if place == x),
            sum(n for place, _, n in self.points if place == x),
        )

    def _is_out_of_reach(self, x: float, z_target: float) -> bool:
        if x != self.high:
            return False
        n_rejected, n = self._totals(x)
        share = (n_rejected + 2) / (n + 4)
        return share + 3.0 * math.sqrt(share * (1.0 - share) / n) < self.target or (
            n >= _MOST_SETS and share < self.target
        )

    def _best(self) -> tuple[float, float]:
        x = max((place for place, _, _ in self.points), key=lambda place: (self._share_at(place), place))
        return x, self._share_at(x)

    def _not_reached(self) -> Root:
        return Root(math.nan, math.nan, math.nan, math.nan, *self._best())

    def _fit(self) -> tuple[float, float, Floats]:
        """Return a, b and their covariance: Fisher scoring with a weak normal prior on b around the guess."""
        from scipy.special import ndtr, ndtri

        x, n_rejected, n = (np.array(values, dtype=np.float64) for values in zip(*self.points, strict=True))
        log_x, share = np.log(x), (n_rejected + 0.5) / (n + 1.0)
        distance = np.abs(ndtri(share) - ndtri(self.target))
        weight = np.exp(-0.5 * ((distance - distance.min()) / _WINDOW) ** 2) + 1e-3
        design = np.stack([np.ones_like(log_x), log_x], axis=1)
        prior = np.array([[0.0, 0.0], [0.0, (0.5 * self.slope) ** -2]])
        nearest = int(np.argmin(distance))
        beta = np.array([ndtri(share[nearest]) - self.slope * log_x[nearest], self.slope])
        for _ in range(60):
            eta = np.clip(product(design, beta), -3.0, 3.0)
            p, density = np.clip(ndtr(eta), 1e-9, 1 - 1e-9), np.exp(-0.5 * eta**2) / math.sqrt(2.0 * math.pi)
            information = weight * n * density**2 / (p * (1.0 - p))
            response = eta + (share - p) / density
            left = product(design.T, information[:, None] * design) + prior
            right = product(design.T, information * response) + product(prior, [0.0, self.slope])
            step = solve(left, right) - beta
            step /= max(
                1.0, float(np.abs(product(design, step)).max())
            )  # long steps of the scoring may diverge
            step[1] = max(step[1], 0.1 * self.slope - beta[1])
            beta = beta + step
            if float(np.abs(step).max()) < 1e-9:
                break
        return float(beta[0]), float(beta[1]), solve(left, np.eye(2))


def _normal_density(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
