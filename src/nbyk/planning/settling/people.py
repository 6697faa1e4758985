"""The numbers of items, ratings, raters or runs that would settle the claim over new raters and runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.people import Crew, Spread, pilot_test, present_crew, spread_of_test
from nbyk.planning.people_plan import CrewRequest, plan_with_people
from nbyk.planning.settling.settlement import Settlement
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.panel import FEWEST_UNITS, panel_of
from nbyk.words import listed

_MOST_TIMES = 1000.0


def what_people_would(data: ResponseSet, metric: Metric, found: Settlement) -> str:
    """Return a sentence on the claim over new items, raters and runs; empty if items share neither.

    The effect is taken to stay as it is, with the variance that a comparison with ids shows
    (`nbyk.planning.people`).
    """
    panel = panel_of(data, None)
    if panel.responses is None or not panel.sources:
        return ""
    over = f"For {panel.population(panel.sources, of_clusters=panel.of_clusters)}"
    few = [source for source in panel.sources if panel.size(source) < FEWEST_UNITS]
    if few:
        named = " and ".join(f"{panel.size(source)} {panel.in_words(source)}" for source in few)
        return f"{over}, {named} cannot settle it: they cannot speak for others."
    if metric.smoothness == "jumps":
        return ""  # its parts are far off, and so would be the numbers
    test, alternative = shared_units_test(metric, panel.responses), found.alternative
    if test.p_value(alternative) <= found.alpha:
        return f"{over}, there is nothing to settle (p = {test.p_value(alternative):.3g})."
    if test.effect == 0.0 or (
        alternative != "two-sided" and (test.effect > 0.0) != (alternative == "greater")
    ):
        return ""
    unweighted = pilot_test(data, metric) if test.by_precision else test
    now, spread = present_crew(data), spread_of_test(data, metric, unweighted)
    asked = CrewRequest(
        now.n_items,
        now.raters,
        now.ratings_per_item,
        now.runs,
        items_per_cluster=now.items_per_cluster,
        effect=test.effect,
        power=max(found.target, 1.001 * found.alpha),
        alpha=found.alpha,
        alternative="two-sided" if alternative == "two-sided" else "greater",
    )
    ways, hopeless = [], []
    for opened, words in (
        ("n_items", "{} items"),
        ("ratings_per_item", "{} ratings per item"),
        ("raters", "{} raters"),
        ("runs", "{} runs of each system"),
    ):
        if opened in ("raters", "runs") and not getattr(now, opened):
            continue
        if opened == "ratings_per_item" and now.raters and now.ratings_per_item >= now.raters:
            continue
        try:
            plan = plan_with_people(spread, asked.without(opened))
        except NbykError:
            continue
        if plan.reachable:
            ways.append(words.format(getattr(plan.crew, opened)))
        else:
            hopeless.append(words.format("").replace(" of each system", "").strip())
    no = f"; more {_any_of(hopeless)} alone would not" if hopeless else ""
    if not ways:
        together = _together(spread, asked, now)
        return f"{over}, more {_any_of(hopeless)} alone would not settle it{together}."
    return f"{over}, it takes {' or '.join(ways)} in all (t, power {found.target:g}){no}."


def _together(spread: Spread, asked: CrewRequest, now: Crew) -> str:
    """Return how many items, raters and runs settle it together; "" beyond so many times as now."""

    def times(factor: float) -> Crew:
        raters, runs = (math.ceil(factor * count) for count in (now.raters, now.runs))
        of_all = bool(now.raters) and now.ratings_per_item >= now.raters
        return replace(
            now,
            n_items=math.ceil(factor * now.n_items / now.items_per_cluster) * now.items_per_cluster,
            raters=raters,
            runs=runs,
            ratings_per_item=raters if of_all else now.ratings_per_item,
        )

    assert asked.effect is not None
    assert asked.power is not None
    low, high = 1.0, _MOST_TIMES
    if asked.power_at(asked.effect, spread, times(high)) < asked.power:
        return ""
    while high - low > 0.01 * low:
        middle = math.sqrt(low * high)
        enough = asked.power_at(asked.effect, spread, times(middle)) >= asked.power
        low, high = (low, middle) if enough else (middle, high)
    crew = times(high)
    parts = [f"{crew.n_items} items"]
    parts += [f"{crew.raters} raters"] if crew.raters else []
    parts += [f"{crew.runs} runs of each system"] if crew.runs else []
    return f"; {listed(parts)} together would (t, power {asked.power:g})"


def _any_of(names: Sequence[str]) -> str:
    """Return names as an English list of alternatives."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
