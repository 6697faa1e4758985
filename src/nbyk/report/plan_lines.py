"""A plan in a few lines: what to collect, its power, what is assured, what is assumed, and cautions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from nbyk.errors import argument_with
from nbyk.planning.closed_form import TRIED
from nbyk.planning.pilot import FEW_UNITS
from nbyk.planning.request import SIDES, SIZES, Simulated, size_in_words
from nbyk.planning.result import Plan
from nbyk.report.answer import AnswerTable
from nbyk.report.lines import Head, Line, in_words
from nbyk.report.plan_tables import cheapest_with_raters, is_priced, near_ways, wanted_power
from nbyk.testing.shared_units.collection import FEWEST_UNITS
from nbyk.testing.shared_units.power import MOST_ITEMS, MOST_UNITS
from nbyk.words import capitalised, listed, number

_FAR = 2.0
"""If the assured size is more than so many times the best guess, the first line gives both."""

_SHARE = "in four of five such pilots"
_SDS = {
    "items": "items",
    "clusters": "clusters",
    "raters": "raters",
    "ratings": "single ratings",
    "runs": "runs of a system",
    "answers": "single answers",
    "calls": "judge calls, times the judge's weight",
}


def plan_head(plan: Plan) -> Head:
    """Return the first lines of a plan, with the table of what else would do."""
    verdict, *lines = plan.lines
    caption, frame = f"What else has a power of {wanted_power(plan):.2g}", near_ways(plan)
    cautions = careful(plan)
    return Head(
        verdict,
        "good" if plan.reachable and not plan.reason and not plan.crew.too_few else "open",
        "",
        tuple(map(Line, lines)),
        cautions,
        n_serious=len(cautions),
        table=AnswerTable("ways", caption, frame) if len(frame) else None,
        table_is_last=True,
    )


def plan_lines(plan: Plan) -> tuple[str, ...]:
    """Return the answer, its power, what is assured, and what is assumed, a line each."""
    lines = [
        _first(plan),
        *_power(plan),
        *_by_everybody(plan),
        *_kept(plan),
        *_as_it_is(plan),
        *assured_lines(plan),
    ]
    assumed = "" if plan.reason else "; ".join([*_assumptions(plan), *plan.assumptions])
    lines += [f"Assumes: {assumed}."] if assumed else []
    return tuple(line for line in lines if line)


def careful(plan: Plan) -> tuple[str, ...]:
    """Return the cautions about a plan, with that about a prior that does not fit its ratings."""
    source = plan.request.source
    prior = source.prior.caution if isinstance(source, Simulated) else ""
    return (*([prior] if prior else []), *plan.warnings)


def collection(plan: Plan, high: Plan | None = None) -> str:
    """Return the collection in words: "112 items with 8 ratings each (896 ratings), by 14 raters".

    With another plan, `high`, numbers that differ are ranges up to that plan's.
    """
    crew, systems = plan.crew, plan.request.costs.rated_systems

    def count(name: str) -> str:
        least, most = plan.number(name), plan.number(name) if high is None else high.number(name)
        return f"{least}" if least == most else f"{min(least, most)} to {max(least, most)}"

    clusters = f" in {crew.clusters} clusters" if crew.items_per_cluster > 1 else ""
    ratings, noun = count("k_responses"), plan.request.noun
    of_what = " of each system" + "'s answer" * (noun != "trial") if systems > 1 else " each"
    words = f"{count('n_items')} items{clusters}"
    if crew.runs and not crew.raters and ratings == "1" and not is_priced(plan):  # nobody rates
        return f"{words} and {count('runs')} runs of each system{', paired' * crew.paired_runs}"
    words += f" with {ratings} {noun}{'s' * (ratings != '1')}{of_what}"
    if high is None:
        total, budget = crew.n_items * crew.ratings_per_item * systems, plan.request.budget
        cost = f", cost {plan.cost:g}" if is_priced(plan) else ""
        cost += f" of {budget:g}" if cost and budget is not None else ""
        words += f" ({total} {noun}{'s' * (total != 1)}{cost})"
    if crew.raters:
        words += f", by {count('raters')} raters"
    if crew.runs:
        words += f", and {count('runs')} runs of each system{', paired' * crew.paired_runs}"
    if crew.calls:
        words += f", and {count('calls')} judge calls"
    return words


def _first(plan: Plan) -> str:
    if plan.reason:
        return plan.reason
    if not plan.reachable:
        return _unreachable(plan)
    if plan.crew.too_few:
        return (
            f"{plan.crew.too_few.capitalize()} are too few to speak for others: collect at least "
            f"{FEWEST_UNITS}."
        )
    last = plan.open[-1]
    by = f" by {plan.metric}" if _by_metrics(plan) else ""
    if _by_metrics(plan) and plan.open != ("power",):
        found = "" if last in SIZES else ": a power of {:.2f}"
        ways = (
            f"By {one.metric}: {collection(one)}{found.format(one.power)}." for one in (plan, *plan.others)
        )
        return f"{' '.join(ways)} The metric decides."
    if last in SIZES:
        sure, now = plan.assured, plan.present
        load, more = plan.request.items_per_rater, 0 if now is None else plan.crew.raters - now.crew.raters
        if plan.crew.calls and load and more > 0:
            people = "person" if more == 1 else "people"
            return f"Ask {more} more {people}, {load} items each: {collection(plan)}."
        if sure is not None and sure.reachable and _tells_little(plan, sure):
            return f"Collect {collection(plan, sure)}: the pilot cannot tell more closely."
        return f"Collect {collection(plan)}."
    collect = "Collect " if plan.request.budget is not None else ""
    start = f"{collect}{collection(plan)}"
    if last == "power":
        return (
            f"{start}: the power is {plan.power:.2f}."
            if collect
            else f"{start} have a power of {plan.power:.2f}{by}."
        )
    return f"{start}{': they' if collect else ''} find {_difference(plan)}."


def _difference(plan: Plan) -> str:
    if plan.open[-1] == "epsilon":
        return f"an ε of {number(plan.epsilon or 0.0)} or more{_of_scale(plan)}"
    return f"an effect of {number(plan.effect or 0.0)} or more{_on(plan)}"


def _unreachable(plan: Plan) -> str:
    names = [SIZES[name] for name in plan.open if name in SIZES]
    which = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    fixed = plan.crew.words_of_given(plan.open)
    start = capitalised(fixed)
    if len(plan.open) > 1:
        return f"{start}, no {which} that nbyk tries (up to {TRIED[-1]}) are enough."
    ways = "increase the others too, or look for a larger effect"
    ways = f"take at least {_ways(plan)}" if plan.others else ways
    return f"{start}, no number of {which}{_limit(plan)} is enough: {ways}."


def _limit(plan: Plan) -> str:
    """Return the limit of a search that the user lowered, in words; "" if it goes as far as nbyk does."""
    request, name = plan.request, plan.open[0]
    most = request.most(name)
    is_usual = most >= (MOST_ITEMS if name == "n_items" else MOST_UNITS) or most == request.raters
    return "" if is_usual else f" up to {most:,}"


def _ways(plan: Plan) -> str:
    ways = []
    for way in plan.others:
        everybody = "raters" in way.open and way.k_responses == way.crew.raters
        names = [name for name in way.open if name != "k_responses" or not everybody]
        ways.append(listed([size_in_words(name, way.number(name)) for name in names]))
    return " or ".join(ways)


def _as_it_is(plan: Plan) -> Iterator[str]:
    now = plan.present
    if now is None:
        return
    if plan.reachable and plan.others:
        yield f"Or, with all else as it is, {_ways(plan)}."
    if not math.isnan(now.power):
        observed = "" if now.crew.calls else ", if the effect is as observed"
        yield f"Now, {now.n_items} items have a power of {now.power:.2f}{observed}."
    if plan.least_items is not None and plan.least_items > now.n_items:
        yield f"Even an effect at the far end of its interval takes {plan.least_items} items."


def _by_metrics(plan: Plan) -> bool:
    return plan.request.is_simulated and bool(plan.others)


def _tells_little(plan: Plan, sure: Plan) -> bool:
    if plan.request.is_simulated:
        return sure.n_items > _FAR * plan.n_items
    return 0 < plan.pilot_units < FEW_UNITS


def _power(plan: Plan) -> Iterator[str]:
    request = plan.request
    if plan.crew.too_few or plan.reason:
        return
    side = f"{SIDES[request.alternative]}, α = {request.alpha:g}"
    if isinstance(request.source, Simulated):
        name = request.source.test.name
        test = f"{in_words(name)} on {plan.metric}, {side}"
        yield f"Power {plan.power:.2f}{_error(plan)} to find {_worse_system(plan, request.source)}: {test}."
        yield from _limits(plan)
        if _by_metrics(plan) and plan.open == ("power",):
            powers = [f"{other.power:.2f} by {other.metric}" for other in plan.others]
            yield f"Power by the other metrics: {', '.join(powers)}."
    else:
        by_t = "t-test" if plan.crew.raters or plan.crew.runs else "test"
        test = f"{by_t} over {plan.crew.populations}, {side}"
        most = "" if plan.reachable else "at most "
        effect = "" if plan.effect is None else f" to find an effect of {number(plan.effect)}{_on(plan)}"
        yield f"Power {most}{plan.power:.2f}{_error(plan)}{effect}: {test}."


def _error(plan: Plan) -> str:
    """Return the interval of a simulated power, and whether the wanted one is within it, to follow it."""
    estimate, wanted = plan.simulated, plan.request.power
    if estimate is None:
        return ""
    interval = f"{estimate.low:.2f} to {estimate.high:.2f}"
    if wanted is None or round(estimate.power, 2) >= round(wanted, 2):
        return f" ({interval})"
    within = "is within" if estimate.high >= wanted else "is above"
    return f" ({interval}; {wanted:g} {within} the simulation's error)"


def _on(plan: Plan) -> str:
    """Return the metric and the scale in whose unit an effect is, to follow its number."""
    return f" on {plan.metric}{_of_scale(plan)}" if plan.metric else ""


def _of_scale(plan: Plan) -> str:
    """Return the scale in whose unit a number is, to follow it; "" if none was declared."""
    return "" if plan.scale is None else f" (scale {plan.scale[0]:g} to {plan.scale[1]:g})"


def _worse_system(plan: Plan, world: Simulated) -> str:
    if world.of_pair:
        a, b = world.prior.system_names
        by = "" if plan.effect is None else f" by {number(plan.effect)}{_on(plan)}"
        return f"that {a} is better than {b}{by}, as in the pilot"
    if plan.asked_effect is not None:
        return f"a system B that is worse by {number(plan.asked_effect)}{_on(plan)}"
    epsilon = f"{number(plan.epsilon or 0.0)}{_of_scale(plan)}"
    if world.has_gold:
        return f"a system B whose {world.prior.perturbed} ε = {epsilon}"
    side = "lower" if world.test.metric.direction == "higher" else "higher"
    return f"a system B whose item means are {side} by ε = {epsilon}"


def assured_lines(plan: Plan) -> Iterator[str]:
    """Yield what is assured, in a line; nothing without a pilot."""
    sure, last = plan.assured, plan.open[-1]
    if sure is None or plan.crew.too_few:
        return
    if last == "power":
        words = f": {_SHARE}, the power is at least {sure.power:.2f}."
    elif not sure.reachable or not math.isfinite(sure.effect or 0.0):
        words = f": {_none_of(plan)} has this power {_SHARE}."
    elif last in ("effect", "epsilon"):
        words = f": {_SHARE}, they find {_difference(sure)}."
    else:
        words = f", collect {collection(sure)}: that has this power {_SHARE}."
    if plan.pilot_that_tells:
        kinds = ["raters"] * bool(plan.crew.raters) + ["runs"] * bool(plan.crew.runs)
        units = "items" if plan.request.is_simulated else " or ".join(kinds)
        words += f" A pilot of {plan.pilot_that_tells} {units} would tell more."
    yield f"To be safe{words}"


def _none_of(plan: Plan) -> str:
    """Return the numbers that were searched in vain, in words: "no number of raters up to 10,000"."""
    request, sizes = plan.request, [name for name in plan.open if name in SIZES]
    if not sizes:
        return f"no {plan.open[-1]}"
    if len(sizes) > 1 and not request.is_simulated:
        tried = listed([SIZES[name] for name in sizes])
        return f"none of the numbers of {tried} that nbyk tries (up to {TRIED[-1]})"
    name = sizes[0]
    return f"no number of {SIZES[name]} up to {request.most(name):,}"


def _by_everybody(plan: Plan) -> Iterator[str]:
    """Yield that a number of people was taken for those who rate each item, if none was given for that."""
    request, crew = plan.request, plan.crew
    if request.raters and request.k_responses is None and crew.all_rate_all and not plan.crew.too_few:
        fewer = f"`k_responses` takes fewer {request.noun}s of an item"
        yield f"All {crew.raters} raters rate every item; {fewer}."


def _kept(plan: Plan) -> Iterator[str]:
    """Yield that the number of items is the pilot's, and what would do with more raters and fewer ratings."""
    request, name = plan.request, plan.open[-1]
    of_pilot = plan.metric and request.n_items is not None and "n_items" not in request.typed
    if request.is_simulated or not of_pilot or name not in ("raters", "runs") or not plan.reachable:
        return
    other = cheapest_with_raters(plan) if name == "raters" else None
    cheaper = "" if other is None or other.cost >= plan.cost else f" Cheaper: {collection(other)}."
    yield f"It has the fewest {name} for the pilot's {plan.n_items} items (`n_items` takes others).{cheaper}"


def _assumptions(plan: Plan) -> Iterator[str]:
    source = plan.request.source
    if not isinstance(source, Simulated):
        spread = plan.request.spread
        halves = {"runs": 0.5, "answers": 0.5}
        shown = [
            f"{number(math.sqrt(halves.get(part, 1.0) * getattr(spread, part)))} between "
            f"{words.replace('rating', plan.request.noun)}"
            for part, words in _SDS.items()
            if getattr(spread, part)
        ]
        yield f"SD of the effect {listed(shown)}" if shown else "an effect that does not vary"
        return
    of = source.prior
    those = f"the {of.n_items} of" if of.n_items else "those of"
    answered = {"label": "labelled by other people", "trial": "with trials of its own"}
    yield f"items like {those} {of.name}, each {answered.get(plan.request.noun, 'rated by other people')}"
    if source.of_pair:
        return
    if plan.asked_effect is not None and plan.open[-1] != "epsilon":
        epsilon = f"ε = {number(plan.epsilon or 0.0)}"
        by = f"infinitely many {plan.request.noun}s of an item"
        yield f"B's {of.perturbed} {epsilon}, which gives this effect by {by}"
    yield from _systems(source, plan.request.unit)


def _systems(world: Simulated, unit: float) -> Iterator[str]:
    if world.of_labels:
        if world.epsilon_a != 0.0:
            yield f"A's {world.prior.perturbed} ε_A = {number(world.epsilon_a)}"
        often = {None: "as often as people do", 1: "once"}.get(world.n_runs, f"{world.n_runs} times")
        yield f"each system labels an item {often}, as a person would"
        return
    if world.prior.n_items and world.has_gold and world.prior.response.levels:
        answers = world.prior.system_answers
        kind = "whole levels of the scale" if answers == "levels" else "real numbers"
        yield f"systems answer in {kind} ({argument_with('system_answers', answers)})"
    if world.epsilon_a != 0.0:
        yield f"A's {world.prior.perturbed} ε_A = {number(unit * world.epsilon_a)}"
    if world.n_runs == 1:
        yield "each system answers an item once, and would answer the same again"
    elif world.n_runs is not None:
        yield f"each system answers an item {world.n_runs} times, and its answers vary as people's ratings do"
    elif world.has_gold:
        yield "each system answers an item as often as people rate it, and its answers vary as ratings do"


def _limits(plan: Plan) -> Iterator[str]:
    request, at = plan.request, []
    if request.k_responses is None and plan.k_responses == request.max_responses:
        at.append(f"K = {plan.k_responses} (max_responses)")
    if request.n_items is None and plan.n_items == request.max_items:
        at.append(f"N = {plan.n_items} (max_items)")
    if at:
        more = (
            ", and the budget would buy more" if request.allows_more(plan.n_items, plan.k_responses) else ""
        )
        yield f"{' and '.join(at)} is the most that the search allowed{more}."
