"""The claims of a comparison, from the broadest population to the narrowest.

A claim over only new items, or new clusters of them, uses the test that draws. A claim over new raters or
runs too uses the t-test of `nbyk.testing.shared_units`. Its variance has a part for each kind of shared
units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from nbyk.arrays import Floats
from nbyk.metrics import Metric
from nbyk.testing.results import Claim, Interval, favoured, inconclusive, is_behind
from nbyk.testing.shared_units import Responses, SharedUnitsTest, shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, crew_of, spread_from, tests_of, too_few
from nbyk.testing.shared_units.intervals import parts_with_intervals
from nbyk.testing.shared_units.mixture import FEWEST_FOR_SKEW
from nbyk.testing.shared_units.power import Aim
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.panel import FEW_UNITS, Panel, few_of
from nbyk.words import counted, listed

POWER = 0.8
"""The power with which the advised numbers of units find an effect as large as the present one."""


def broad_test(metric: Metric, panel: Panel, *, weighted: bool = True) -> SharedUnitsTest | None:
    """Return the test of the broadest claim; None if that is over items alone, or units are too few."""
    if not panel.is_broad or panel.few(0, FEWEST_UNITS) or panel.responses is None:
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
        few = panel.few(0, FEWEST_UNITS)
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
    if claim.p <= asked.decision.alpha:
        return claim
    enough, advice = _advice(metric, test, panel, asked)
    return replace(claim, enough=enough, advice=advice)


def within(metric: Metric, bounds: Interval | None, interval: Interval, data: Responses | None) -> Interval:
    """Return an interval within a metric's bounds; those of a metric with a unit need ratings from 0 to 1."""
    if bounds is None or data is None:
        return interval
    has_unit = metric.unit_power != 0 and data.table is None
    if has_unit and not are_from_zero_to_one(role.values for role in data.roles if role.values.size):
        return interval
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in interval)
    return low, high


def are_from_zero_to_one(ratings: Iterable[Floats]) -> bool:
    """Return whether all ratings lie from 0 to 1."""
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
        test.interval(asked.confidence_level),
        test.p_value(decision.alternative),
        0.0,
        "t",
        favoured(test.effect, decision.alternative),
        df=test.df,
        reserve=test.reserve(decision.alternative, decision.alpha),
        by_precision=test.by_precision,
        parts=test.parts,
    )


def few_units(panels: Sequence[Panel], *, alone: bool = False) -> Iterator[str]:
    """Yield the caution about claims from few units, of all pairs together or of one system `alone`."""
    panels = [panel for panel in panels if panel.sources]
    few = few_of(panels, FEWEST_UNITS, FEW_UNITS)
    if few:
        fewer = few_of(panels, FEWEST_UNITS, ceil(FEWEST_FOR_SKEW))
        wrong = "such intervals miss" if alone else "equally good systems are called different"
        yield (
            f"{listed(few)} are few to speak for others: if some of those are far off, up to "
            f"{17 if fewer else 14} % of {wrong} (docs/shared-units.md)"
        )


def _advice(metric: Metric, test: SharedUnitsTest, panel: Panel, asked: Asked) -> tuple[str, str]:
    """Return what is enough to find the present effect, items first, and how many units; "" for items."""
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
        asked.decision.alpha,
        "two-sided" if alternative == "two-sided" else "greater",
    )
    if aim.least("n_items") is not None:
        return "items", ""
    people = panel.in_words("runs") if rated and not pilot.gold.values.size else "raters"
    words = {"raters": people, "runs": panel.in_words("runs")}
    counts = {name: getattr(aim.now, name) for name in words if getattr(aim.now, name)}
    these = listed([f"{counted(count)} {words[name]}" for name, count in counts.items()])
    items = "clusters" if panel.of_clusters else "items"
    says = f"more {items} alone, with {these}, would not"
    least = {name: count for name in counts if (count := aim.least(name)) is not None}
    ways = [f"{count} {words[name]}" for name, count in least.items()]
    together = aim.together()
    if not ways and together is not None:
        numbers = [f"{getattr(together, name)} {words[name]}" for name in counts]
        ways = [f"{listed([f'{together.n_items} items', *numbers])} together"]
    shows = f"show this effect (power {POWER:g})"
    advice = f"about {' or '.join(ways)} would {shows}; {says}" if ways else f"{says} {shows}"
    return next(iter(least), ""), advice
