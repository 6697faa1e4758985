"""Tests of whether A is worse than B by a margin that matters, or both are equally good within it.

Each question is one or two one-sided t-tests of the effect against the margin, with the standard error of
`nbyk.testing.shared_units` for the claim's population (Schuirmann 1987, A comparison of the two
one-sided tests procedure and the power approach for assessing the equivalence of average bioavailability).
If all items have the same effect, a t-test has nothing to go by. The question is then how many items with
another effect there may be that the sample does not show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.testing.corrections import Correction, correct_p_values
from nbyk.testing.shared_units import Responses, SharedUnitsTest, responses, shared_units_test
from nbyk.testing.systems.asked import WITH_RESERVE
from nbyk.testing.systems.claims import Claim, are_from_zero_to_one
from nbyk.testing.systems.panel import Panel

_ROUNDING = 1e-10
"""An effect this close to the margin, as a share of it, is at the margin."""

_CONSTANT = (
    "no single item changes the effect, so that nothing shows how much it varies; collect more items, or "
    "choose a metric that is a mean over items"
)

MarginVerdict = Literal["equivalent", "not worse", "worse", "inconclusive"]


@dataclass(frozen=True)
class MarginClaim:
    """The tests of the effect against a margin, over one population.

    Attributes
    ----------
    over, population
        As in the claim of the same population (`nbyk.testing.systems.claims.Claim`).
    margin
        The margin, above 0, in the unit of the effect.
    p_not_worse
        p-value of "the effect is −margin or less": a small one shows that A is not worse
        than B by the margin.
    p_worse
        p-value of "the effect is −margin or more": a small one shows that A is worse than
        B by more than the margin.
    p_equivalent
        p-value of "the effect is outside ±margin": the larger of the two one-sided ones.
    low, high
        Interval of the effect at a confidence level of 1 − 2α; A and B are equivalent if it lies within
        ±margin.
    alpha
        The level of each one-sided test.
    reason
        The reason why the claim is inconclusive; "" if it is not.
    reserve
        The reason why the tests hold only with reserve; "" if they hold without.
    constant
        Whether all items have the same effect. The p-values and the interval are then those of the share of
        other items that this many items would not show.
    """

    over: tuple[str, ...]
    population: str
    margin: float
    p_not_worse: float
    p_worse: float
    p_equivalent: float
    low: float
    high: float
    alpha: float
    reason: str = ""
    reserve: str = ""
    constant: bool = False

    @property
    def verdict(self) -> str:
        """`shown`, followed by ", with reserve" if it is a result that holds only with reserve."""
        return self.shown + (WITH_RESERVE if self.is_reserved else "")

    @property
    def is_reserved(self) -> bool:
        """Whether the tests show something, and only with reserve."""
        return bool(self.reserve) and self.shown != "inconclusive"

    @property
    def shown(self) -> MarginVerdict:
        """Whether A and B are equivalent, A is not worse than B by the margin, or A is worse by more."""
        if self.p_equivalent <= self.alpha:
            return "equivalent"
        if self.p_not_worse <= self.alpha:
            return "not worse"
        return "worse" if self.p_worse <= self.alpha else "inconclusive"


def check_margin(margin: float | None) -> None:
    """Raise NbykError unless a margin is a finite number above 0."""
    if margin is not None and not 0.0 < margin < math.inf:
        raise NbykError(
            f"found {margin:g}, expected a number above 0: the largest difference that does not matter",
            argument="margin",
        )


def margin_claims(
    metric: Metric,
    data: ResponseSet,
    panel: Panel,
    claims: Sequence[Claim],
    *,
    margin: float,
    alpha: float,
    of_broad: SharedUnitsTest | None = None,
) -> tuple[MarginClaim, ...]:
    """Return the tests of the effect against a margin, over the population of each claim.

    Parameters
    ----------
    metric
        The metric.
    data, panel
        The responses, and the units behind them.
    claims
        Claims of a comparison, the broadest first.
    margin
        The margin, in the unit of the effect.
    alpha
        The level of each one-sided test.
    of_broad
        The test of the first claim, if it is by t over new units.
    """
    if margin >= 1.0 and is_within_one(metric, data):
        raise NbykError(
            f"found a margin of {margin:g} times the whole scale, and no effect on {metric.name} is larger; "
            "give the largest difference that does not matter, as in 0.02 for 2 percentage points",
            argument="margin",
        )
    found = []
    for claim in claims:
        of_claim = (claim.over, claim.population, margin)
        sources = tuple(source for source in panel.sources if source in claim.over)
        sample = _sample(data, panel, of_clusters="clusters" in claim.over)
        if claim is claims[0] and of_broad is not None:
            test: SharedUnitsTest | None = of_broad
        else:
            test = None if claim.reason else shared_units_test(metric, sample, sources=sources)
        constant = test is not None and test.is_constant
        if test is not None and constant and is_within_one(metric, data):
            found.append(_of_constant(claim, test, margin, alpha))
            continue
        reason = claim.reason if test is None else _CONSTANT if constant else test.roughness
        if test is None or reason:
            nan = math.nan
            found.append(MarginClaim(*of_claim, nan, nan, nan, nan, nan, alpha, reason))
            continue
        not_worse, not_better = (test.p_value("greater", null=-margin), test.p_value("less", null=margin))
        worse = test.p_value("less", null=-margin)
        low, high = test.interval(1.0 - 2.0 * alpha)
        p = (not_worse, worse, max(not_worse, not_better))
        reserve = test.reserve("greater", alpha, null=-margin) or test.reserve("less", alpha, null=-margin)
        if not reserve and p[2] <= alpha:
            reserve = test.reserve("less", alpha, null=margin)
        found.append(MarginClaim(*of_claim, *p, low, high, alpha, reserve=reserve))
    return tuple(found)


def is_within_one(metric: Metric, data: ResponseSet) -> bool:
    """Return whether the effect on each item, of which the effect is the mean, lies between −1 and 1."""
    if metric.of is not None:  # wins(…): each item counts 1, 0 or −1
        return True
    if metric.table is not None:
        return metric.additive and metric.score_range == (0.0, 1.0)
    rated = (data.gold, data.a, data.b) if data.has_gold else (data.a, data.b)
    least, most = metric.effect_range() or (-math.inf, math.inf)
    return least >= -1.0 and most <= 1.0 and metric.is_mean_over_items and are_from_zero_to_one(rated)


def _of_constant(claim: Claim, test: SharedUnitsTest, margin: float, alpha: float) -> MarginClaim:
    """Return the tests if all n items, or clusters of them, have the same effect.

    Say that a share q of all items has another effect, between −1 and 1. The chance that none of n items
    shows it is (1 − q)ⁿ. So p is this chance at the least q that takes the mean to the margin.
    """
    effect, n = test.effect, test.items.units

    def chance(distance: float, room: float) -> float:
        if distance <= _ROUNDING * margin:
            return 1.0
        return (1.0 - distance / room) ** n if distance < room else 0.0

    down, up = 1.0 + effect, 1.0 - effect
    not_worse = chance(effect + margin, down)
    worse = chance(-margin - effect, up)
    equivalent = max(not_worse, chance(margin - effect, up))
    other = 1.0 - alpha ** (1.0 / n)
    low, high = effect - other * down, effect + other * up
    population = (claim.over, claim.population)
    return MarginClaim(*population, margin, not_worse, worse, equivalent, low, high, alpha, constant=True)


def corrected(claims: Sequence[MarginClaim], correction: Correction) -> list[MarginClaim]:
    """Return the claims of several pairs with each kind of p-value corrected for the number of pairs.

    An inconclusive claim counts as p = 1, and stays inconclusive. The intervals are not corrected.
    """
    kinds = [[claim.p_not_worse, claim.p_worse, claim.p_equivalent] for claim in claims]
    filled = np.nan_to_num(np.array(kinds), nan=1.0)
    p = np.stack([correct_p_values(column, correction) for column in filled.T], axis=1).tolist()
    return [
        claim
        if claim.reason
        else replace(claim, p_not_worse=not_worse, p_worse=worse, p_equivalent=equivalent)
        for claim, (not_worse, worse, equivalent) in zip(claims, p, strict=True)
    ]


def _sample(data: ResponseSet, panel: Panel, *, of_clusters: bool) -> Responses:
    """Return the responses for a claim, with their units unless these lack the claim's clusters."""
    if panel.responses is not None and of_clusters is panel.of_clusters:
        return panel.responses
    gold = data.gold if data.has_gold else None
    table = None if data.categories is None else data.categories.table
    clusters = data.clusters if of_clusters else None
    return responses(data.a, data.b, gold=gold, clusters=clusters, table=table)
