"""Plans by the closed form of the power: of variances, or of a pilot that shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.long_run import ends_of
from nbyk.planning.pilot import Pilot, PilotLaw
from nbyk.planning.request import LEAST, SIZES, Request, noun_of, request_of, size_in_words, typed_in
from nbyk.planning.result import Plan
from nbyk.testing.shared_units.collection import Crew, Spread
from nbyk.testing.shared_units.power import least_number

_PILOTS = (5, 8, 10, 12, 15, 20, 25, 30, 40, 50)
"""Raters or runs of the pilots of which one is named that would tell."""

_LARGEST_EFFECT = 1e12

TRIED = (*range(1, 21), 25, 30, 40, 50, 75, 100)
"""The numbers of raters, ratings per item and runs to try if several numbers are left out."""

_STEP = {"calls": 100}
"""The judge's calls to try are so many times as many."""
SOLVE = {
    "raters": "raters",
    "runs": "runs",
    "items": "n_items",
    "ratings": "k_responses",
    "calls": "calls",
}
"""The numbers of a collection that `solve` names, and their arguments."""

WITHOUT_JUDGE = "it is about a judge, and there is none; give `judge`, or leave it out"

_NO_EFFECT = 1e-10
"""An effect of this share of its standard error is a rounding error."""

_PRICED = {"raters": "rater", "runs": "run", "calls": "call"}
"""What has a price of its own, as `Costs` calls one of them."""

_NEEDED = {
    "raters": ("severity_sd", "one rater's severity"),
    "runs": ("run_sd", "one run of a system"),
}
"""The standard deviation without which a number does not matter, and what it is due to."""


def plan_by_formula(source: Spread | ResponseSet | Pilot, metric: Metric, given: Mapping[str, Any]) -> Plan:
    """Return the plan of variances, or of a pilot that shows them, for the arguments of `nbyk.plan`."""
    if isinstance(source, ResponseSet):
        source = Pilot.of(source, metric=metric, scale=given["scale"])
    asked = dict(given)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    solve = solved_for(asked)
    pilot = source if isinstance(source, Pilot) else None
    if pilot is not None:
        pilot.check_effect(asked["effect"])
        asked["effect"] = asked["effect"] if pilot.stated is None else pilot.stated
    calls = 0 if pilot is None else pilot.calls
    for name in ("calls", "cost_per_call", "solve"):
        if not calls and asked[name] is not None and (name != "solve" or solve == "calls"):
            raise NbykError(WITHOUT_JUDGE, argument=name)
    if pilot is not None and solve in ("n_items", "k_responses") and _as_it_is(pilot, asked):
        from nbyk.planning.settle import plan_of_strangers

        settled = plan_of_strangers(pilot, solve, asked)
        if settled is not None:
            return settled
    if pilot is not None:
        if pilot.metric.takes_trials and solve in ("raters", "runs"):
            why = f"a trial belongs to its item for {pilot.metric.name}"
            raise NbykError(f"found {solve}, but {why}; give items, or leave it out", argument="solve")
        _check_ratings(pilot, solve, asked["k_responses"])
        assumptions = tuple(_filled(asked, pilot, solve))
        warnings = tuple(pilot.cautions())
    spread = source if isinstance(source, Spread) else source.spread
    if solve in _NEEDED and isinstance(source, Spread) and not getattr(spread, solve):
        option, part = _NEEDED[solve]
        raise NbykError(
            f"found {solve}, but no standard deviation due to {part}, so their number would not matter; give "
            f"`{option}`",
            argument="solve",
        )
    by_load = asked["items_per_rater"] is not None
    for name, one in _PRICED.items():
        matters = solve == name or getattr(spread, name) or asked[f"cost_per_{one}"]
        matters = matters or (name == "raters" and by_load)
        if asked[name] is None and not matters:
            asked[name] = 0
    if by_load and (asked["raters"] is not None or asked["k_responses"] is None):
        raise NbykError(
            f"found {asked['items_per_rater']}, expected it with `k_responses` and without `raters`: nbyk "
            "computes the raters from these two",
            argument="items_per_rater",
        )
    known = [asked[name] is not None for name in ("n_items", "power", "runs")]
    known.append(by_load or asked["raters"] is not None)
    own_effect = pilot is not None and asked["effect"] is None and (solve is not None or not all(known))
    if pilot is not None and own_effect:
        if pilot.test.effect**2 <= _NO_EFFECT**2 * pilot.test.variance:
            raise NbykError(
                "the pilot shows no effect to plan for; give `effect`: the least difference that matters, or "
                "of one system's mean half the width of the interval"
            )
        asked["effect"] = abs(pilot.effect)
    people_rate_both = pilot is not None and not (pilot.crew.runs or calls or pilot.metric.needs_gold)
    judged = None if pilot is None else pilot.judged
    rated_systems = judged.systems if judged else 1 + people_rate_both
    request = request_of(
        spread,
        asked,
        rated_systems,
        typed_in(given),
        items_per_cluster=asked["items_per_cluster"] or 1,
        paired_runs=pilot is not None and pilot.crew.paired_runs and asked["runs"] != 0,
        noun=noun_of(metric if pilot is None else pilot.metric),
        **{name: asked[name] for name in ("raters", "runs", "calls", "items_per_rater", "effect")},
    )
    answer = solved(request)
    if pilot is not None and calls:
        at_work = request.power_of(pilot.crew, answer.effect)
        answer = replace(answer, present=Plan.by_formula(request, pilot.crew, at_work))
    if pilot is not None:
        answer = with_assurance(answer, pilot)
    if own_effect:
        warnings += ("the effect is the pilot's own, which may be larger than the true one",)
    return replace(
        answer,
        metric="" if pilot is None else pilot.metric.name,
        asked_effect=given["effect"] or answer.asked_effect,
        scale=ends_of(given["scale"]),
        assumptions=assumptions,
        warnings=(*warnings, *_without_a_price(answer)),
    )


def solved_for(asked: Mapping[str, Any]) -> str | None:
    """Return the argument that `solve` names; an error if it is given too."""
    solve = asked["solve"]
    if solve is None:
        return None
    if solve not in SOLVE:
        raise NbykError(f"found {solve}, expected {' or '.join(SOLVE)}", argument="solve")
    names = ("raters", "items_per_rater") if solve == "raters" else (SOLVE[solve],)
    for name in names:
        if asked[name] is not None:
            raise NbykError(
                f"found {solve}, but `{name}` gives their number; leave one of the two out", argument="solve"
            )
    return SOLVE[solve]


def _as_it_is(pilot: Pilot, asked: Mapping[str, Any]) -> bool:
    """Return whether items share neither raters nor runs, and a plan is by what such a pilot shows alone."""
    crew, others = pilot.crew, ("effect", "budget", "raters", "items_per_rater", "runs", "items_per_cluster")
    if crew.raters or crew.runs or pilot.calls or pilot.declared:
        return False
    at_hand = {"n_items": crew.n_items, "k_responses": crew.ratings_per_item}
    own = all(asked[name] in (None, count) for name, count in at_hand.items())
    return own and all(asked[name] is None for name in others)


def _check_ratings(pilot: Pilot, solve: str | None, wanted: int | None) -> None:
    """Raise NbykError about another number of ratings if the pilot does not show what it would do."""
    crew = pilot.crew
    if not pilot.shows_ratings and (solve == "k_responses" or wanted not in (None, crew.ratings_per_item)):
        asked = "ratings" if solve == "k_responses" else wanted
        why, way = "the pilot has one rating of an item", ""
        if crew.ratings_per_item > 1:
            why = "no rater of the pilot rates two items"
            way = ", or plan without `solve` and `effect`: nbyk then draws the pilot's ratings again"
        raise NbykError(
            f"found {asked}, but {why}, so it does not show what another number than "
            f"{crew.ratings_per_item} would do; leave it out, or give `rating_sd`{way}",
            argument="solve" if solve == "k_responses" else "k_responses",
        )


def _filled(asked: dict[str, Any], pilot: Pilot, solve: str | None) -> Iterator[str]:
    """Give the request the pilot's numbers in place of those that it lacks; yield what was taken."""
    now, taken = pilot.crew, []
    if now.calls and now.raters and solve == "raters" and asked["n_items"] is None:
        asked["items_per_rater"] = round(now.items_per_rater)  # further people do as much as those at hand
        taken.append(f"{asked['items_per_rater']} items for each person")
        solve = "n_items"
    if asked["items_per_cluster"] is None:
        asked["items_per_cluster"] = now.items_per_cluster
    everybody = now.all_rate_all and asked["items_per_rater"] is asked["budget"] is None
    numbers = (now.n_items, now.raters, now.ratings_per_item, now.runs, now.calls)
    for name, count in zip(SIZES, numbers, strict=True):
        by_other = "items_per_rater" if name == "raters" else "budget" if name == "n_items" else name
        known = solve is not None or (name == "k_responses" and (asked["raters"] or not now.raters))
        count = min(count, asked["raters"] or count) if name == "k_responses" else count
        wanted = known and solve != name and asked[name] is None and asked[by_other] is None
        if wanted and name == "k_responses" and everybody:
            taken.append("all raters rate all items")
        elif wanted and count:
            asked[name] = count
            if name == "k_responses" and count == 1 and now.runs and not now.raters:
                continue  # nobody rates
            words = f"{size_in_words(name, count)}{' of each system' * (name == 'runs')}"
            taken.append(words.replace("rating", noun_of(pilot.metric)))
    if taken:
        yield f"as in the pilot, {', '.join(taken)}"
    if pilot.assumed:
        yield pilot.assumed


def _without_a_price(answer: Plan) -> tuple[str, ...]:
    """Return the caution about a cheapest collection of people or runs that cost nothing."""
    costs, several = answer.request.costs, len(answer.open) > 1
    free = {
        SIZES[name]: f"`cost_per_{one}`"
        for name, one in _PRICED.items()
        if several and name in answer.open and not getattr(costs, one)
    }
    if not free:
        return ()
    return (
        f"{' and '.join(free)} cost nothing here, so the plan takes many: give "
        f"{' and '.join(free.values())}, or their number",
    )


def solved(request: Request) -> Plan:
    """Solve for the quantities that a request leaves out.

    If one of them is left out, nbyk solves for it. If several numbers are, it finds the cheapest collection
    with the requested power. With a budget and either effect or power, it finds the affordable collection
    with the largest power or the least effect.
    """
    sizes = [name for name in request.open if name in SIZES]
    if sizes and request.budget is None:
        return _cheapest(request, sizes) if len(sizes) > 1 else _least(request, sizes[0])
    crews = _affordable(request, sizes) if sizes else [request.crew()]
    # those of a small variance first: where no other can be better, the search ends
    order = sorted(range(len(crews)), key=lambda place: request.variance_of(crews[place]))
    best, effect, power = 0, math.inf, 0.0
    if request.power is None:
        for place in order:
            if not request.may_reach(crews[place], power):
                break
            reached = request.power_of(crews[place])
            if (reached, -place) > (power, -best):
                best, power = place, reached
        return Plan.by_formula(request, crews[best], power)
    for place in order:
        size = min(effect, _LARGEST_EFFECT)
        if not request.may_reach(crews[place], effect=size):
            break
        if request.power_of(crews[place], size) > request.power:
            least = _least_effect(request, crews[place])
            if least[0] < effect:
                best, (effect, power) = place, least
    return Plan.by_formula(request, crews[best], power, effect=effect, reachable=math.isfinite(effect))


def with_assurance(best: Plan, pilot: Pilot) -> Plan:
    """Return a plan by what a pilot estimates, with the assured plan beside it, and a pilot that would tell.

    For an effect that the user states: that of the pilot is uncertain too.
    """
    law = pilot.law()
    sure = _assured(best, law)
    plan = replace(best, assured=sure, pilot_units=law.units)
    if not best.reachable or {"power", "effect"} & set(best.open) or _tells(best, sure):
        return plan
    for units in _PILOTS:
        if units > law.units and _tells(best, _assured(best, pilot.law(units / law.units))):
            return replace(plan, pilot_that_tells=units)
    return plan


def _assured(best: Plan, law: PilotLaw) -> Plan:
    request, crew = replace(best.request, source=law), best.crew
    if "power" in best.open:
        return replace(best, power=request.power_of(crew, best.effect))
    if "effect" in best.open:
        size, power = _least_effect(request, crew)
        return replace(best, effect=size, power=power, reachable=math.isfinite(size))
    sure = solved(request)
    return replace(sure, request=replace(sure.request, source=law.assured(sure.crew)), others=())


def _tells(best: Plan, sure: Plan) -> bool:
    sizes = [(best.number(name), sure.number(name)) for name in best.open]
    return sure.reachable and all(most <= 2 * least for least, most in sizes)


def _least_number(
    request: Request, name: str, most: int, others: Mapping[str, int] | None = None
) -> int | None:
    """Return the least number of items, raters, … with the requested power, beside `others`, or None.

    Items come in whole clusters.
    """

    def power(count: int) -> float:
        return request.power_of(request.crew({**(others or {}), name: count}))

    size = request.items_per_cluster if name == "n_items" else 1
    return least_number(power, request.power or 0.0, request.least(name), most, size)


def _least(request: Request, opened: str) -> Plan:
    """Return the plan with the least of the one number that is left out, or with the most and others."""
    most = request.most(opened)
    count = _least_number(request, opened, most)
    crew = request.crew({opened: most if count is None else count})
    others = () if count is not None else tuple(_by_another(request, opened, most))
    return Plan.by_formula(request, crew, request.power_of(crew), reachable=count is not None, others=others)


def _by_another(request: Request, opened: str, most: int) -> Iterator[Plan]:
    """Yield plans that reach the power by another number, with the open one as large as can be."""
    for name in ("raters", "runs", "n_items"):
        by_load = name == "raters" and request.items_per_rater is not None
        if name == opened or by_load or not getattr(request, name):
            continue
        count = _least_number(request, name, request.most(name), {opened: most})
        if count is not None:
            changed: dict[str, Any] = {opened: most, name: None, "items_per_rater": None}
            crew = request.crew({opened: most, name: count})
            yield Plan.by_formula(replace(request, **changed), crew, request.power_of(crew))


def _crews(request: Request, sizes: Sequence[str]) -> Iterator[dict[str, int]]:
    """Yield the numbers to try of raters, ratings per item and runs, as far as they are left out."""
    grids = {
        name: [_STEP.get(name, 1) * count for count in TRIED if LEAST[name] <= count <= request.most(name)]
        for name in sizes
        if name != "n_items"
    }
    source = request.source
    if "runs" in grids and isinstance(source, Spread) and not (source.runs or source.answers):
        grids["runs"] = [LEAST["runs"]]  # more of them would only cost
    for counts in product(*grids.values()):
        tried = dict(zip(grids, counts, strict=True))
        raters = tried.get("raters", request.raters)
        if not raters or tried.get("k_responses", request.k_responses or 1) <= raters:
            yield tried


def _cheapest(request: Request, sizes: Sequence[str]) -> Plan:
    """Return the cheapest collection with the requested power; of equal costs, the first."""
    cost_of, target = request.costs.of, request.power or 0.0
    best: Crew | None = None
    tried: dict[str, int] = {}
    for tried in _crews(request, sizes):
        if best is not None and cost_of(request.crew(tried)) >= cost_of(best):
            continue  # with the fewest items, it costs as much
        if "n_items" in sizes:
            most = request.max_items if best is None else request.affordable("n_items", cost_of(best), tried)
            many = {**tried, "n_items": most}
            can = most > 0 and (best is None or request.may_reach(request.crew(many)))
            n_items = _least_number(request, "n_items", most, tried) if can else None
            if n_items is None:
                continue
            tried["n_items"] = n_items
        crew = request.crew(tried)
        if (best is None or cost_of(crew) < cost_of(best)) and request.power_of(crew) >= target:
            best = crew
    # The last that was tried is the largest.
    most_items = {"n_items": request.max_items} if "n_items" in sizes else {}
    crew = request.crew({**tried, **most_items}) if best is None else best
    return Plan.by_formula(request, crew, request.power_of(crew), reachable=best is not None)


def _affordable(request: Request, sizes: Sequence[str]) -> list[Crew]:
    """Return the collections to compare that the budget buys, each with the most items."""
    budget = request.budget or 0.0
    crews = []
    for tried in _crews(request, sizes):
        if "n_items" in sizes:
            tried["n_items"] = request.affordable("n_items", budget, tried)
        if tried.get("n_items", request.least("n_items")) >= request.least("n_items"):
            crew = request.crew(tried)
            if request.costs.of(crew) <= budget:
                crews.append(crew)
    if not crews:
        smallest = request.crew({name: request.least(name) for name in sizes})
        raise request.too_little(f"the smallest collection costs {request.costs.of(smallest):g}")
    return crews


def _least_effect(request: Request, crew: Crew) -> tuple[float, float]:
    """Return the least effect that the crew detects with the requested power, and that power; or (∞, 0)."""
    from scipy.optimize import brentq

    target = request.power or 0.0

    def power(size: float) -> float:
        return request.power_of(crew, size)

    high = 1e-6
    while power(high) < target:
        high *= 4.0
        if high > _LARGEST_EFFECT:
            return math.inf, 0.0
    size = float(brentq(lambda size: power(size) - target, 0.0, high, xtol=1e-9 * high))
    return size, power(size)
