"""The claims of a comparison, from the broadest population to the narrowest, and their tests of a margin.

A claim over only new items, or new clusters of them, uses the test that draws. A claim over new raters or
runs too uses the t-test of `nbyk.testing.shared_units`. Its variance has a part for each kind of shared
units.

Whether A is worse than B by a margin that matters, or both are equally good within it, is one or two
one-sided t-tests of the effect against the margin, with the standard error of the claim's population
(Schuirmann 1987, A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability). Effects of items or clusters have the step for skewness and the
doubts of `items_alone`; zeros and ones, and wins, have the tests of their interval. If all items have the
same effect, a t-test has nothing to go by. The question is then how many items with another effect there may
be that the sample does not show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.testing.intervals import p_above, signs_interval
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import (
    NONE,
    Claim,
    Doubt,
    Interval,
    Margin,
    favoured,
    hull,
    inconclusive,
    is_behind,
)
from nbyk.testing.shared_units import Responses, SharedUnitsTest, shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, crew_of, spread_from, tests_of, too_few
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.intervals import parts_with_intervals
from nbyk.testing.shared_units.mixture import FEWEST_FOR_SKEW
from nbyk.testing.shared_units.power import Aim
from nbyk.testing.shared_units.statistic import effects_of_items
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.items_alone import ItemsAlone, by_t, of_clusters
from nbyk.testing.systems.panel import FEW_UNITS, Panel, few_of, plain_responses
from nbyk.words import counted, listed

POWER = 0.8
"""The power with which the advised numbers of units find an effect as large as the present one."""

_ROUNDING = 1e-10
"""An effect this close to the margin, as a share of it, is at the margin."""

_CONSTANT = (
    "no single item changes the effect, so that nothing shows how much it varies; collect more items, or "
    "choose a metric that is a mean over items"
)


def broad_test(metric: Metric, panel: Panel, *, weighted: bool = True) -> SharedUnitsTest | None:
    """Return the test of the broadest claim; None if that is over items alone, or units are too few."""
    if not panel.is_broad or few_of([panel], 0, FEWEST_UNITS) or panel.responses is None:
        return None
    return shared_units_test(metric, panel.responses, sources=panel.sources, weighted=weighted)


def broad_claim(
    metric: Metric, panel: Panel, items: Claim, asked: Asked, test: SharedUnitsTest | None
) -> Claim:
    """Return the claim over new items or clusters and new units.

    It is no surer than `items`, the claim over new items alone (`Claim.no_surer_than`), and takes its numbers
    if nothing varies. The test is that of `broad_test`; that of a leaderboard's pair learns from the other
    pairs.
    """
    over = panel.factors
    population = panel.population(panel.sources, of_clusters=panel.of_clusters)
    if test is None:
        few = few_of([panel], 0, FEWEST_UNITS)
        return inconclusive(over, population, too_few(listed(few)))
    if test.is_constant:
        return replace(items, over=over, population=population)
    claim = claim_by_t(test, over, population, asked)
    if not claim.is_conclusive:
        return claim
    interval = within(metric, metric.effect_range, claim.interval, panel.responses)
    effect = claim.effect if claim.by_precision else items.effect  # the same, to the last digit
    parts = tuple(replace(part, source=panel.in_words(part.source)) for part in claim.parts)
    claim = replace(claim, interval=interval, effect=effect, parts=parts)
    claim = claim.no_surer_than(items, asked.decision.alpha)
    if claim.p <= asked.alpha_of_plans:
        return claim
    enough, advice = _advice(metric, test, panel, asked)
    return replace(claim, enough=enough, advice=advice)


def within(metric: Metric, bounds: Interval | None, interval: Interval, data: Responses | None) -> Interval:
    """Return an interval within a metric's bounds; those of a metric with a unit need ratings from 0 to 1."""
    if bounds is None or data is None:
        return interval
    rated = (role.values for role in data.roles if role.values.size)
    if data.table is None and not has_bounds(metric, rated):
        return interval
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in interval)
    return low, high


def has_bounds(metric: Metric, ratings: Iterable[Floats]) -> bool:
    """Return whether scores lie within the metric's bounds; with a unit, those of ratings from 0 to 1 do."""
    if metric.table is not None or metric.unit_power == 0:
        return True
    return all(np.nanmin(matrix) >= 0.0 and np.nanmax(matrix) <= 1.0 for matrix in ratings)


def with_intervals_of_parts(
    claim: Claim, metric: Metric, panel: Panel, test: SharedUnitsTest | None, unit: float
) -> Claim:
    """Return a broad claim whose parts of the variance have their intervals; `test` made the claim.

    `unit` turns an effect on [0, 1] into the unit of the claim.
    """
    if not claim.parts or panel.responses is None or not panel.sources or test is None:
        return claim
    parts = parts_with_intervals(metric, panel.responses, test)
    parts = tuple(replace(part.times(unit), source=panel.in_words(part.source)) for part in parts)
    return replace(claim, parts=parts)


def claim_by_t(
    test: SharedUnitsTest, over: tuple[str, ...], population: str, asked: Asked, *, constant: str = ""
) -> Claim:
    """Return the claim of a t-test over a population.

    It is inconclusive if the effect rests on too few items, or if nothing varies and `constant` says so.
    """
    reason = test.roughness or (constant if test.is_constant else "")
    if reason:
        return inconclusive(over, population, reason)
    decision = asked.decision
    return Claim(
        over,
        population,
        test.effect,
        test.interval(asked.pair_level),
        test.p_value(decision.alternative),
        0.0,
        "t",
        favoured(test.effect, decision.alternative),
        df=test.df,
        doubts=test.doubts(decision.alternative, decision.alpha),
        by_precision=test.by_precision,
        parts=test.parts,
    )


def few_units(panels: Sequence[Panel], *, alone: bool = False) -> Iterator[str]:
    """Yield the caution about claims from few units, of all pairs together or of one system `alone`."""
    panels = [panel for panel in panels if panel.sources]
    few = few_of(panels, FEWEST_UNITS, FEW_UNITS)
    if few:
        fewer = few_of(panels, FEWEST_UNITS, math.ceil(FEWEST_FOR_SKEW))
        wrong = "such intervals miss" if alone else "equally good systems are called different"
        yield (
            f"{listed(few)} are few to speak for others: if some of those are far off, up to "
            f"{17 if fewer else 14} % of {wrong} (docs/shared-units.md)"
        )


def _advice(metric: Metric, test: SharedUnitsTest, panel: Panel, asked: Asked) -> tuple[str, str]:
    """Return what is enough to find the present effect, items first, and how many."""
    pilot, alternative = panel.responses, asked.decision.alternative
    if is_behind(test.effect, alternative) or test.effect == 0.0:
        return "", ""
    if test.smoothness == "jumps" or pilot is None:  # parts that jump are far off
        return "", ""
    rated = panel.kind != "run"
    tests = tests_of(pilot, metric)
    aim = Aim(
        spread_from(pilot, tests, rated=rated),
        crew_of(pilot, rated=rated),
        tests[0].effect,
        POWER,
        asked.alpha_of_plans,
        "two-sided" if alternative == "two-sided" else "greater",
    )
    shows = f"show this effect (power {POWER:g})"
    if (n_items := aim.least("n_items")) is not None:
        return "items", f"about {n_items} items would {shows}"
    people = panel.in_words("runs") if rated and not pilot.gold.values.size else "raters"
    words = {"raters": people, "runs": panel.in_words("runs")}
    counts = {name: getattr(aim.now, name) for name in words if getattr(aim.now, name)}
    these = listed([f"{counted(count)} {words[name]}" for name, count in counts.items()])
    items = "clusters" if panel.of_clusters else "items"
    says = f"more {items} alone, with {these}, would not"
    least = {name: count for name in counts if (count := aim.least(name)) is not None}
    ways = [f"{count} {words[name]}" for name, count in least.items()]
    together = None if ways else aim.together()
    if together is not None:
        numbers = [f"{getattr(together, name)} {words[name]}" for name in counts]
        ways = [f"{listed([f'{together.n_items} items', *numbers])} together"]
    advice = f"about {' or '.join(ways)} would {shows}; {says}" if ways else f"{says} {shows}"
    return next(iter(least), ""), advice


def claims_of(
    metric: Metric,
    data: ResponseSet,
    panel: Panel,
    items: Claim,
    asked: Asked,
    broad: SharedUnitsTest | None,
    margin: float | None,
    largest: float,
) -> tuple[Claim, ...]:
    """Return the claims of a comparison, the broadest first, with the tests of a margin if there is one.

    `items` is the claim over new items, and `broad` the test over new units (`broad_test`); `largest` is how
    far from 0 the effect of an item may lie (`largest_of_items`).
    """
    claims: tuple[Claim, ...] = (items,)
    if panel.is_broad:
        claims = (broad_claim(metric, panel, items, asked, broad), items)
    if margin is None:
        return claims
    within_one = is_within_one(metric, data)
    if margin >= 1.0 and within_one:
        raise NbykError(
            f"found a margin of {margin:g} times the whole scale, and no effect on {metric.name} is larger; "
            "give the largest difference that does not matter, as in 0.02 for 2 percentage points",
            argument="margin",
        )
    tested, rated = [], sample_of(data, panel, of_clusters=False)
    for claim in claims:
        if claim.margin is not None:  # it was tested as its effect was
            tested.append(claim.margin)
            continue
        sources = tuple(source for source in panel.sources if source in claim.over)
        test = broad if claim is claims[0] else None
        sample: Responses | None = None
        if test is None and not claim.reason:
            sample = sample_of(data, panel, of_clusters="clusters" in claim.over)
            test = shared_units_test(metric, sample, sources=sources)
        margin_tests = _margin(claim, test, margin, asked, within_one=within_one)
        varies = test is not None and not (test.is_constant or margin_tests.reason)
        if test and varies and sample is not None and not sources and metric.is_mean_over_items:
            effects, unit = effects_of_items(metric, sample), claim.over[-1]
            if unit == "clusters" and data.clusters is not None:
                effects = of_clusters(effects, data.clusters)
            margin_tests = _with_step(
                margin_tests, effects, test.items, largest, unit, asked.margin_level, bounded=within_one
            )
        if not math.isnan(margin_tests.interval[0]):
            bounded = within(metric, metric.effect_range, margin_tests.interval, rated)
            margin_tests = replace(margin_tests, interval=bounded)
        tested.append(margin_tests)
    first, last = tested[0], tested[-1]
    first = first.no_surer_than(last, keeps_p=claims[0].keeps_p)
    return tuple(replace(claim, margin=of) for claim, of in zip(claims, (first, last), strict=False))


def _margin(
    claim: Claim, test: SharedUnitsTest | None, size: float, asked: Asked, *, within_one: bool
) -> Margin:
    """Return the tests of a claim's effect against a margin."""
    alpha = asked.decision.alpha
    if test is not None and test.is_constant and within_one:
        return _of_constant(test, size, asked)
    reason = claim.reason if test is None else _CONSTANT if test.is_constant else test.roughness
    if test is None or reason:
        return Margin(size, math.nan, math.nan, math.nan, NONE, alpha, reason)
    not_worse, not_better = test.p_value("greater", null=-size), test.p_value("less", null=size)
    p = not_worse, test.p_value("less", null=-size), max(not_worse, not_better)
    sides: tuple[tuple[Alternative, float], ...] = (("greater", -size), ("less", -size), ("less", size))
    doubts = _doubts(*(test.doubts(side, alpha, null=null) for side, null in sides))
    return Margin(size, *p, test.interval(asked.margin_level), alpha, doubts=doubts)


def _doubts(
    not_worse: Sequence[Doubt], worse: Sequence[Doubt], not_better: Sequence[Doubt]
) -> tuple[Doubt, ...]:
    """Return the doubts about a margin from those about its one-sided tests."""
    kinds = {"not worse": not_worse, "worse": worse, "equivalent": (*not_worse, *not_better)}
    return tuple(doubt._replace(of=kind) for kind, doubts in kinds.items() for doubt in doubts)


def margin_of_signs(n_plus: int, n_minus: int, n: int, size: float, asked: Asked) -> Margin | None:
    """Return the tests of a margin if of n items some are for A, and some for B; None if all are alike.

    They are those behind the interval of signs: t calls too many that are at the margin not worse, up to .10
    of them at .05, and p is five times too small at .001.
    """
    if n in (n_plus, n_minus) or n_plus == n_minus == 0 or size >= 1.0:
        return None
    not_worse, worse = p_above(n_plus, n_minus, n, -size), p_above(n_minus, n_plus, n, size)
    equivalent = max(not_worse, p_above(n_minus, n_plus, n, -size))
    interval = signs_interval(n_plus, n_minus, n, asked.margin_level)
    return Margin(size, not_worse, worse, equivalent, interval, asked.decision.alpha)


def is_within_one(metric: Metric, data: ResponseSet) -> bool:
    """Return whether the effect on each item, of which the effect is the mean, lies between −1 and 1."""
    if metric.of is not None and metric.of.name != metric.name:  # wins(…): each item counts 1, 0 or −1
        return True
    if metric.table is not None:
        return metric.additive and metric.score_range == (0.0, 1.0)
    rated = (data.gold, data.a, data.b) if data.has_gold else (data.a, data.b)
    least, most = metric.effect_range or (-math.inf, math.inf)
    return least >= -1.0 and most <= 1.0 and metric.is_mean_over_items and has_bounds(metric, rated)


def _with_step(
    margin: Margin,
    effects: Floats,
    part: Component,
    largest: float,
    unit: str,
    level: float,
    *,
    bounded: bool,
) -> Margin:
    """Return the tests by t over items or clusters, with what their effects ask for beside it (`of_effects`).

    An item that the sample does not show may lie as far beyond the margin as it is from `largest`.
    """
    size, alpha = margin.size, margin.alpha

    def tested(null: float, side: Alternative) -> ItemsAlone:
        beyond = max(largest + (null if side == "greater" else -null), 0.0)
        return by_t(
            effects - null,
            part,
            level,
            side,
            largest=beyond,
            bounded=bounded,
            unit=unit,
            turns="take it across the margin",
        )

    not_worse, worse, not_better = tested(-size, "greater"), tested(-size, "less"), tested(size, "less")
    p_not_worse = max(margin.p_not_worse, not_worse.p["greater"].p)
    p_worse = max(margin.p_worse, worse.p["less"].p)
    p = p_not_worse, p_worse, max(margin.p_equivalent, p_not_worse, not_better.p["less"].p)
    doubts = (*margin.doubts, *_doubts(not_worse.doubts, worse.doubts, not_better.doubts))
    low, high = not_worse.interval or NONE
    interval = hull(margin.interval, (low - size, high - size))
    return Margin(size, *p, interval, alpha, doubts=doubts)


def _of_constant(test: SharedUnitsTest, margin: float, asked: Asked) -> Margin:
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
    other = 1.0 - (asked.decision.alpha / asked.n_together) ** (1.0 / n)
    interval = effect - other * down, effect + other * up
    return Margin(margin, not_worse, worse, equivalent, interval, asked.decision.alpha)


def sample_of(data: ResponseSet, panel: Panel, *, of_clusters: bool) -> Responses:
    """Return the responses for a claim, with their units unless these lack the claim's clusters."""
    if panel.responses is not None and of_clusters is panel.of_clusters:
        return panel.responses
    return plain_responses(data, of_clusters=of_clusters)
