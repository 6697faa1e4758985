"""Tests of whether A is worse than B by a margin that matters, or both are equally good within it.

Each question is one or two one-sided t-tests of the effect against the margin, with the standard error of
`nbyk.testing.shared_units` for the claim's population (Schuirmann 1987, A comparison of the two
one-sided tests procedure and the power approach for assessing the equivalence of average bioavailability).
If all items have the same effect, a t-test has nothing to go by. The question is then how many items with
another effect there may be that the sample does not show.
"""

from __future__ import annotations

import math
from dataclasses import replace

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.testing.results import NONE, Claim, Margin
from nbyk.testing.shared_units import Responses, SharedUnitsTest, shared_units_test
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.claims import are_from_zero_to_one, broad_claim, within
from nbyk.testing.systems.panel import Panel, plain_responses

_ROUNDING = 1e-10
"""An effect this close to the margin, as a share of it, is at the margin."""

_CONSTANT = (
    "no single item changes the effect, so that nothing shows how much it varies; collect more items, or "
    "choose a metric that is a mean over items"
)


def check_margin(margin: float | None) -> None:
    """Raise NbykError unless a margin is a finite number above 0."""
    if margin is not None and not 0.0 < margin < math.inf:
        raise NbykError(
            f"found {margin:g}, expected a number above 0: the largest difference that does not matter",
            argument="margin",
        )


def claims_of(
    metric: Metric,
    data: ResponseSet,
    panel: Panel,
    items: Claim,
    asked: Asked,
    broad: SharedUnitsTest | None,
    margin: float | None,
) -> tuple[Claim, ...]:
    """Return the claims of a comparison, the broadest first, with the tests of a margin if there is one.

    `items` is the claim over new items, and `broad` the test over new units (`broad_test`).
    """
    claims: tuple[Claim, ...] = (items,)
    if panel.is_broad:
        claims = (broad_claim(metric, panel, items, asked, broad), items)
    if margin is None:
        return claims
    if margin >= 1.0 and is_within_one(metric, data):
        raise NbykError(
            f"found a margin of {margin:g} times the whole scale, and no effect on {metric.name} is larger; "
            "give the largest difference that does not matter, as in 0.02 for 2 percentage points",
            argument="margin",
        )
    tested, rated, alpha = [], sample_of(data, panel, of_clusters=False), asked.decision.alpha
    for claim in claims:
        sources = tuple(source for source in panel.sources if source in claim.over)
        test = broad if claim is claims[0] else None
        if test is None and not claim.reason:
            sample = sample_of(data, panel, of_clusters="clusters" in claim.over)
            test = shared_units_test(metric, sample, sources=sources)
        within_one = test is not None and test.is_constant and is_within_one(metric, data)
        margin_tests = _margin(claim, test, margin, alpha, within_one=within_one)
        if not math.isnan(margin_tests.interval[0]):
            bounded = within(metric, metric.effect_range, margin_tests.interval, rated)
            margin_tests = replace(margin_tests, interval=bounded)
        tested.append(margin_tests)
    first, last = tested[0], tested[-1]
    first = first.no_surer_than(last, keeps_p=claims[0].keeps_p)
    return tuple(replace(claim, margin=of) for claim, of in zip(claims, (first, last), strict=False))


def _margin(
    claim: Claim, test: SharedUnitsTest | None, size: float, alpha: float, *, within_one: bool
) -> Margin:
    """Return the tests of a claim's effect against a margin."""
    if test is not None and within_one:
        return _of_constant(test, size, alpha)
    reason = claim.reason if test is None else _CONSTANT if test.is_constant else test.roughness
    if test is None or reason:
        return Margin(size, math.nan, math.nan, math.nan, NONE, alpha, reason)
    not_worse, not_better = test.p_value("greater", null=-size), test.p_value("less", null=size)
    equivalent = max(not_worse, not_better)
    reserve = test.reserve("greater", alpha, null=-size) or test.reserve("less", alpha, null=-size)
    if not reserve and equivalent <= alpha:
        reserve = test.reserve("less", alpha, null=size)
    p = not_worse, test.p_value("less", null=-size), equivalent
    return Margin(size, *p, test.interval(1.0 - 2.0 * alpha), alpha, reserve=reserve)


def is_within_one(metric: Metric, data: ResponseSet) -> bool:
    """Return whether the effect on each item, of which the effect is the mean, lies between −1 and 1."""
    if metric.of is not None and metric.of.name != metric.name:  # wins(…): each item counts 1, 0 or −1
        return True
    if metric.table is not None:
        return metric.additive and metric.score_range == (0.0, 1.0)
    rated = (data.gold, data.a, data.b) if data.has_gold else (data.a, data.b)
    least, most = metric.effect_range or (-math.inf, math.inf)
    return least >= -1.0 and most <= 1.0 and metric.is_mean_over_items and are_from_zero_to_one(rated)


def _of_constant(test: SharedUnitsTest, margin: float, alpha: float) -> Margin:
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
    interval = effect - other * down, effect + other * up
    return Margin(margin, not_worse, worse, equivalent, interval, alpha, constant=True)


def sample_of(data: ResponseSet, panel: Panel, *, of_clusters: bool) -> Responses:
    """Return the responses for a claim, with their units unless these lack the claim's clusters."""
    if panel.responses is not None and of_clusters is panel.of_clusters:
        return panel.responses
    return plain_responses(data, of_clusters=of_clusters)
