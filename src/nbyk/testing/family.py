"""Many tests on one set of items: drawing until the corrected decisions are certain, or a maximum is reached.

References
----------
Gandy and Hahn 2014, MMCTest: a safe algorithm for implementing multiple Monte Carlo tests; Hoeffding 1963,
Probability inequalities for sums of bounded random variables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError, check_name
from nbyk.resampling.streams import CHUNK
from nbyk.testing.corrections import Correction, check_correction, settled_decisions
from nbyk.testing.decision import Decision, NullDraws
from nbyk.testing.pvalues import (
    Alternative,
    PValue,
    bounds_of_p,
    counts_of_sides,
    null_counts,
    p_of_counts,
    sides_of,
)

_KEPT = 999
"""Draws of each hypothesis to keep, at least."""


@dataclass(eq=False)
class DrawnNull:
    """The draws of one hypothesis of a family.

    `bound` is an upper bound of the p-value of infinitely many draws, 1 if unknown; it is p if it is less and
    `by_bound`, because more draws would be too many. `n_greater`, `n_less` and `n_draws` count the effects at
    least and at most as large as the observed one, and all; the first are kept in `effects`. `settled` says
    whether the corrected decision is the same as with infinitely many draws, `settled_alone` the decision
    without a correction.
    """

    observed: float
    bound: float = 1.0
    effects: Floats = field(default_factory=lambda: np.empty(0))
    n_greater: int = 0
    n_less: int = 0
    n_draws: int = 0
    settled: bool = True
    settled_alone: bool = True
    by_bound: bool = False

    def add(self, effects: Floats, keep: int) -> None:
        """Count more effects, and keep the first ones of all."""
        n_greater, n_less, n_draws = null_counts(self.observed, effects)
        self.n_greater, self.n_less = self.n_greater + n_greater, self.n_less + n_less
        self.n_draws += n_draws
        self.effects = np.concatenate([self.effects, effects[: max(0, keep - self.effects.size)]])

    def p_values(self, alternative: Alternative) -> dict[Alternative, PValue]:
        """Return the p-value of each alternative; the bound is that of `alternative`."""
        p = p_of_counts(self.n_greater, self.n_less, self.n_draws)
        if self.by_bound and self.bound < p[alternative].p:
            side: Alternative = "greater" if self.observed > 0.0 else "less"
            one_sided = self.bound / sides_of(alternative)
            p |= {side: PValue(one_sided, 0.0, side), "two-sided": PValue(2.0 * one_sided, 0.0, "two-sided")}
        return p

    def interval_of_p(self, alternative: Alternative, error: float) -> tuple[float, float]:
        """Return bounds of the p-value of infinitely many draws that miss it with at most this chance."""
        sides = sides_of(alternative)
        counts = counts_of_sides(self.n_greater, self.n_less, alternative)
        low, high = bounds_of_p(counts, self.n_draws, error / (2.0 * sides))
        least, most = (min(1.0, sides * float(ends.min())) for ends in (low, high))
        return least, min(most, self.bound)


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
        Draws of all hypotheses together, at most, but for `n_resamples` of each. So many are kept in memory.
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
        if n_tests * min(first, _KEPT) > self.max_draws:
            raise NbykError(
                f"found {self.max_draws}; {n_tests} pairs take {first} draws each at first, and keep "
                f"{min(first, _KEPT)} of them: raise `max_draws`, compare with a baseline only, or choose no "
                "correction",
                argument="max_draws",
            )
        return first

    def draw(self, draw: NullDraws, observed: Floats, bounds: Sequence[float]) -> list[DrawnNull]:
        """Return each hypothesis' null effects, and whether they settle its decisions.

        `observed`, shape (m,), are the effects on the data as they are, and `bounds` upper bounds of the
        p-values of infinitely many draws; 1 if unknown.

        Each look gives an interval for every p-value of infinitely many draws (Clopper and Pearson 1934). The
        chance that any interval at any look misses is at most the decision's error. Corrections are monotone
        in every p-value. So a decision that is the same with all p-values at their lower ends and all at
        their upper ends is the decision by infinitely many draws. It is settled once the p-values of the
        draws give the same decision.

        If `max_draws` does not allow all hypotheses the draws by which the smallest p reaches α over their
        number, each has `n_resamples` at first. Then a bound that is below the p of the draws stands for it.
        """
        m = len(observed)
        first, keep = self.first_look(m), max(self.max_draws, self.decision.max_resamples)
        by_bound = m * first > self.max_draws
        if by_bound:
            first, keep = self.decision.n_resamples, max(_KEPT, self.max_draws // m)
        nulls = [
            DrawnNull(effect, bound, by_bound=by_bound)
            for effect, bound in zip(observed.tolist(), bounds, strict=True)
        ]
        alternative, looks = self.decision.alternative, self.decision.schedule(first)
        error = self.decision.error / (m * len(looks))
        left = self.max_draws - (0 if by_bound else m * first)
        p, low, high = np.empty(m), np.zeros(m), np.array(bounds)
        settled = np.zeros(m, np.bool_)
        for look, n_draws in enumerate(looks):
            which = np.flatnonzero(~settled).tolist()
            self._draw_to(n_draws, [(index, nulls[index]) for index in which], draw, keep)
            for index in which:
                p[index] = nulls[index].p_values(alternative)[alternative].p
                least, most = nulls[index].interval_of_p(alternative, error)
                low[index], high[index] = max(low[index], least), min(high[index], most)
            settled = settled_decisions(p, low, high, alpha=self.decision.alpha, method=self.correction)
            if look + 1 < len(looks):
                unsettled = (null for null, done in zip(nulls, settled.tolist(), strict=True) if not done)
                left -= sum(looks[look + 1] - null.n_draws for null in unsettled)
                if settled.all() or left < 0:
                    break
        alone = settled_decisions(p, low, high, alpha=self.decision.alpha, method="none")
        for null, done, done_alone in zip(nulls, settled.tolist(), alone.tolist(), strict=True):
            null.settled, null.settled_alone = done, done_alone
        return nulls

    def _draw_to(
        self, n_draws: int, nulls: Sequence[tuple[int, DrawnNull]], draw: NullDraws, keep: int
    ) -> None:
        """Draw until each null has `n_draws`, not more than `max_draws` of all of them at once."""
        for start in {null.n_draws for _, null in nulls} - {n_draws}:
            lacking = [(index, null) for index, null in nulls if null.n_draws == start]
            which, at_once = [index for index, _ in lacking], max(CHUNK, self.max_draws // len(lacking))
            for first in range(start, n_draws, at_once):
                drawn = draw(which, min(n_draws, first + at_once), start=first)
                for (_, null), effects in zip(lacking, drawn, strict=True):
                    null.add(effects, keep)


def swap_bound(gains: Floats, *, sides: float = 2.0) -> float:
    """Return an upper bound of the p-value of all 2^N swaps, for a metric that is a mean over items.

    Swapping an item's rows flips the sign of its contribution d to the effect; `gains`, shape (N,), are any
    multiple of these. The share of sums of ±d that reach Σd is at most exp(−(Σd)² / (2 Σd²)).
    """
    squares = float((gains**2).sum())
    if squares == 0.0:
        return 1.0
    return min(1.0, sides * math.exp(-(float(gains.sum()) ** 2) / (2.0 * squares)))


def pairs_without(n: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return the pairs of n systems that are not compared: neither is the baseline, if there is one."""
    others = [system for system in range(n) if baseline not in (None, system)]
    return list(combinations(others, 2))


def choose_pairs(names: Sequence[str], against: str | None, alternative: str) -> list[tuple[int, int]]:
    """Return the pairs to compare, as places in `names`; the second of each is the baseline, if there is one.

    Of three systems or more, a one-sided alternative needs a baseline.
    """
    if against is not None:
        if len(names) == 1:
            found = f"found {against!r} and one system; give a score, such as 0.8"
            raise NbykError(found, argument="against")
        check_name("system", against, names, argument="against")
        baseline = list(names).index(against)
        return [(system, baseline) for system in range(len(names)) if system != baseline]
    if len(names) > 2 and alternative != "two-sided":
        raise NbykError(
            f"found {alternative!r} for all pairs, where neither system comes first; name the baseline that "
            "the others are compared with, or choose two-sided",
            argument="alternative",
        )
    return list(combinations(range(len(names)), 2))
