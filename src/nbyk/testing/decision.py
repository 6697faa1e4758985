"""Drawing from a null until the decision at α is certain to a stated error, or a maximum is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.sums import product
from nbyk.testing.intervals import check_confidence_level
from nbyk.testing.looks import Looks, certain_looks, schedule
from nbyk.testing.pvalues import (
    DECISION_ERROR,
    MOST_DRAWS,
    Alternative,
    check_alternative,
    counts_of_sides,
    null_counts,
    sides_of,
)

N_RESAMPLES = 9_999
"""Draws at first, for responses to items."""

_GROWTH = 4.0
_MOST_LOOKS, _NODES, _FAR = 50, 200, 9.0


class NullDraws(Protocol):
    """Draws effects under a null."""

    def __call__(self, which: list[int], n_draws: int, *, start: int) -> Floats:
        """Return effects of the metrics `which` from draw `start` to `n_draws`, shape (which, draws)."""


LEAST_LEVEL = 1e-12
"""Levels below this are beyond any number of draws."""


def check_level(alpha: float) -> None:
    """Raise NbykError unless α lies between `LEAST_LEVEL` and 1."""
    if not LEAST_LEVEL <= alpha < 1.0:
        raise NbykError(f"found {alpha}, expected a level between 0 and 1, such as 0.05", argument="alpha")


def check_draws(draws: int, argument: str = "n_resamples", *, least: int = 1) -> None:
    """Raise NbykError about `argument` unless a number of draws is whole and in range."""
    if not isinstance(draws, int | np.integer) or isinstance(draws, bool) or draws < least:
        raise NbykError(f"found {draws!r}, expected a whole number of at least {least}", argument=argument)
    if draws > MOST_DRAWS:
        raise NbykError(f"found {draws}, expected at most {MOST_DRAWS:,}", argument=argument)


def at_each_look(alpha: float, level: float, looks: int, alternative: Alternative) -> tuple[float, float]:
    """Return the α and the confidence level of each of some looks as data come in.

    A test that rejects at any of the looks, at about equal steps of the data, rejects a true null with a
    chance of α; all intervals together cover with a chance of `level` (Pocock 1977).
    """
    check_level(alpha)
    check_confidence_level(level)
    check_draws(looks, "looks")
    if looks > _MOST_LOOKS:
        raise NbykError(f"found {looks}, expected at most {_MOST_LOOKS}", argument="looks")
    if looks == 1:
        return alpha, level
    return _level_of_look(alpha, looks, alternative), 1.0 - _level_of_look(1.0 - level, looks, "two-sided")


def _level_of_look(alpha: float, looks: int, alternative: Alternative) -> float:
    """Return the level at each look: a random walk of normal steps leaves |S_k| < c √k with a chance of α."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    places, weights = np.polynomial.legendre.leggauss(_NODES)

    def excess(c: float) -> float:
        low = -c if alternative == "two-sided" else -_FAR
        sums = low + 0.5 * (places + 1.0) * (c - low)
        density = _normal(sums)
        for look in range(2, looks + 1):
            before, now = (sums * np.sqrt(k) for k in (look - 1, look))
            steps = 0.5 * (c - low) * np.sqrt(look - 1) * weights
            density = product(_normal(now[:, None] - before), density * steps)
        return float(1.0 - alpha - product(density, weights) * 0.5 * (c - low) * np.sqrt(looks))

    bound: float = brentq(excess, 0.0 if alternative == "two-sided" else -_FAR, _FAR)
    return float(sides_of(alternative) * ndtr(-bound))


def _normal(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi))


@dataclass(frozen=True)
class Decision:
    """When to stop drawing.

    Attributes
    ----------
    alternative, alpha
        The test: reject where the p-value is at most α.
    n_resamples, max_resamples
        Draws before the first look, and the maximum number of draws. Draws grow fourfold from look to look.
    error
        Largest chance that a settled decision differs from the decision by infinitely many draws.
    """

    alternative: Alternative
    alpha: float
    n_resamples: int = N_RESAMPLES
    max_resamples: int = N_RESAMPLES
    error: float = DECISION_ERROR

    def __post_init__(self) -> None:
        check_alternative(self.alternative)
        check_level(self.alpha)
        if not 0.0 < self.error < 0.5:
            raise NbykError(
                f"found {self.error}, expected a chance, such as 0.001", argument="decision_error"
            )
        check_draws(self.n_resamples)
        check_draws(self.max_resamples, "max_resamples", least=0)

    @property
    def looks(self) -> Looks:
        """The numbers of draws at which to look, and the one-sided counts that settle the decision there."""
        draws = tuple(self.schedule(self.n_resamples))
        # Two-sided, p = 2 min(p_greater, p_less) ≤ α where either is at most α/2: two tests share the error.
        sides = sides_of(self.alternative)
        return certain_looks(draws, self.alpha / sides, error=self.error / sides)

    def schedule(self, first: int) -> list[int]:
        """Return the numbers of draws at which to look: `first`, and four times as many each time."""
        return schedule(max(first, self.max_resamples), first, _GROWTH)

    def settled(self, observed: float, null: Floats, look: int) -> bool:
        """Return whether the draws at a look settle the decision."""
        at = self.looks
        n_greater, n_less, _ = null_counts(observed, null)
        counts = counts_of_sides(n_greater, n_less, self.alternative)
        return not at.reject_to[look] < counts.min() < at.keep_from[look]

    def draw(self, draw: NullDraws, observed: float) -> tuple[Floats, bool]:
        """Return the effects of the first hypothesis under the null, and whether they settle its decision."""
        null = np.empty(0)
        for look, n_draws in enumerate(self.looks.draws.tolist()):
            null = np.concatenate([null, draw([0], n_draws, start=null.size)[0]])
            if self.settled(observed, null, look):
                return null, True
        return null, False
