"""Many tests on one set of items: drawing until the corrected decisions are certain, or a maximum is reached.

References
----------
Gandy and Hahn 2014, MMCTest: a safe algorithm for implementing multiple Monte Carlo tests; Hoeffding 1963,
Probability inequalities for sums of bounded random variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError, unknown_name
from nbyk.testing.corrections import Correction, check_correction, settled_decisions
from nbyk.testing.decision import Decision
from nbyk.testing.pvalues import bounds_of_p, extreme_counts, sides_of

Floats = NDArray[np.float64]
OneNull = Callable[[int, int], Floats]


@dataclass(frozen=True, eq=False)
class DrawnNull:
    """The draws of one hypothesis of a family.

    Attributes
    ----------
    effects : ndarray, shape (M,)
        Its effects under the null.
    settled
        Whether its corrected decision is the same as with infinitely many draws.
    settled_alone
        Whether its decision without a correction is.
    """

    effects: Floats
    settled: bool
    settled_alone: bool


@dataclass(frozen=True)
class Hypotheses:
    """Hypotheses that are tested together.

    Attributes
    ----------
    decision
        The test of each, with its α and the rule to stop drawing. All decisions share its error.
    correction
        One of `nbyk.testing.corrections.CORRECTIONS`.
    max_draws
        Draws of all hypotheses together, at most: they are kept in memory.
    """

    decision: Decision
    correction: Correction
    max_draws: int

    def __post_init__(self) -> None:
        check_correction(self.correction)
        if self.max_draws < 1:
            raise NbykError(f"found {self.max_draws}, expected at least 1", argument="max_draws")

    def first_look(self, n_tests: int) -> int:
        """Return the draws of the first look: those requested, or more if the least p could not reach α/m."""
        decision = self.decision
        each = 1 if self.correction == "none" else n_tests
        needed = math.ceil(sides_of(decision.alternative) * each / decision.alpha * (1.0 - 1e-12)) - 1
        most = max(decision.n_resamples, decision.max_resamples)
        if needed > most:
            raise NbykError(
                f"found {most}; with {n_tests} pairs at α = {decision.alpha:g} the smallest p must be able "
                f"to reach {decision.alpha / each:.2g} ({self.correction}), which takes {needed} draws: "
                "raise `max_resamples`, compare with a baseline only, or choose no correction",
                argument="max_resamples",
            )
        first = max(decision.n_resamples, needed)
        if n_tests * first > self.max_draws:
            raise NbykError(
                f"found {self.max_draws}; {n_tests} pairs take {first} draws each at first, "
                f"{n_tests * first} in all and {n_tests * first * 8 / 1e9:.1f} GB: raise `max_draws`, "
                "compare with a baseline only, or choose no correction",
                argument="max_draws",
            )
        return first

    def draw(self, draw: Sequence[OneNull], observed: Floats, bounds: Sequence[float]) -> list[DrawnNull]:
        """Return each hypothesis' null effects, and whether they settle its decisions.

        Parameters
        ----------
        draw
            For each hypothesis, a function of (start, n_draws) that returns its null effects.
        observed : ndarray, shape (m,)
            The effects on the data as they are.
        bounds
            Upper bounds of the p-values of infinitely many draws; 1 if unknown.

        Notes
        -----
        Each look gives an interval for every p-value of infinitely many draws (Clopper and Pearson 1934). The
        chance that any interval at any look misses is at most the decision's error. Corrections are monotone
        in every p-value. So a decision that is the same with all p-values at their lower ends and all at
        their upper ends is the decision by infinitely many draws. It is settled once the p-values of the
        draws give the same decision.
        """
        m = len(draw)
        first = self.first_look(m)
        looks = self.decision.schedule(first)
        effects = [draw_pair(0, first) for draw_pair in draw]
        p, low, high = np.empty(m), np.zeros(m), np.array(bounds)
        settled, left = np.zeros(m, np.bool_), self.max_draws - m * first
        for look, n_draws in enumerate(looks):
            for index in np.flatnonzero(~settled).tolist():
                if effects[index].size < n_draws:
                    more = draw[index](effects[index].size, n_draws)
                    effects[index] = np.concatenate([effects[index], more])
                p[index], *ends = self._p_and_bounds(float(observed[index]), effects[index], m * len(looks))
                low[index], high[index] = max(low[index], ends[0]), min(high[index], ends[1])
            settled = settled_decisions(p, low, high, alpha=self.decision.alpha, method=self.correction)
            if look + 1 < len(looks):
                left -= sum(
                    looks[look + 1] - effects[index].size for index in np.flatnonzero(~settled).tolist()
                )
                if settled.all() or left < 0:
                    break
        alone = settled_decisions(p, low, high, alpha=self.decision.alpha, method="none")
        return [DrawnNull(*pair) for pair in zip(effects, settled.tolist(), alone.tolist(), strict=True)]

    def _p_and_bounds(self, observed: float, null: Floats, n_intervals: int) -> tuple[float, float, float]:
        """Return the p-value and an interval of that of infinitely many draws, one of `n_intervals`."""
        alternative = self.decision.alternative
        counts, n = extreme_counts(observed, null, alternative)
        sides = sides_of(alternative)
        error = self.decision.error / (2.0 * sides * n_intervals)
        low, high = bounds_of_p(counts, n, error)
        p, least, most = (
            min(1.0, sides * float(ends.min())) for ends in ((1.0 + counts) / (1.0 + n), low, high)
        )
        return p, least, most


def swap_bound(gains: Floats, *, sides: float = 2.0) -> float:
    """Return an upper bound of the p-value of all 2^N swaps, for a metric that is a mean over items.

    Swapping an item's rows flips the sign of its contribution d to the effect. The share of sums of ±d that
    reach Σd is at most exp(−(Σd)² / (2 Σd²)).

    Parameters
    ----------
    gains : ndarray, shape (N,)
        The contributions, or any multiple of them.
    sides
        2 for a two-sided test.
    """
    squares = float((gains**2).sum())
    if squares == 0.0:
        return 1.0
    return min(1.0, sides * math.exp(-(float(gains.sum()) ** 2) / (2.0 * squares)))


def choose_pairs(names: Sequence[str], against: str | None, alternative: str) -> list[tuple[int, int]]:
    """Return the pairs to compare, as places in `names`; the second of each is the baseline, if there is one.

    Parameters
    ----------
    names
        Two systems or more.
    against
        The name of the baseline; without one, all pairs are compared.
    alternative
        "two-sided", "greater" or "less". With three systems or more, the last two need a baseline.
    """
    if against is not None:
        if against not in names:
            raise unknown_name("system", against, names).about(argument="against")
        baseline = list(names).index(against)
        return [(system, baseline) for system in range(len(names)) if system != baseline]
    if len(names) > 2 and alternative != "two-sided":
        raise NbykError(
            f"found {alternative!r} for all pairs, where neither system comes first; name the baseline that "
            "the others are compared with, or choose two-sided",
            argument="alternative",
        )
    return list(combinations(range(len(names)), 2))
