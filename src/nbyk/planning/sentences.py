"""A plan in words: the answer, the answer that is assured, and what was assumed."""

from __future__ import annotations

from nbyk.planning.closed_form import TRIED
from nbyk.planning.pilot import FEW_UNITS
from nbyk.planning.request import SIDES, SIZES, Simulated
from nbyk.planning.result import Plan
from nbyk.planning.simulation import EPSILON_FROM
from nbyk.resampling.pilot_items import PilotItems
from nbyk.testing.shared_units.collection import FEWEST_UNITS
from nbyk.words import listed

_FIFTH = 1.2
_FAR = 2.0
"""If the assured size is more than so many times the best guess, the range leads."""

_SHARE = "in four of five such pilots"
_NAMES = SIZES | {"effect": "effects"}


def sentence(plan: Plan) -> str:
    """Return the answer in sentences that you can quote; from a pilot that tells little, its range first."""
    if isinstance(plan.request.source, Simulated):
        world = plan.request.source
        answer = [_range(plan), _simulated(plan, world), _assurance(plan), _beside(plan)]
        parts = [world.prior.caution, *answer]
    else:
        parts = [_range(plan), _by_formula(plan), _assurance(plan)]
    return " ".join(part for part in parts if part)


def _range(plan: Plan) -> str:
    """Return the range from the best guess to the assured answer if the pilot tells little; else ""."""
    sure, sizes = plan.assured, [name for name in plan.open if name in SIZES]
    if sure is None or not plan.reachable or (sizes and plan.open != tuple(sizes)):
        return ""
    names = ["n_items"] if plan.request.is_simulated and len(sizes) > 1 else list(plan.open)
    if len(names) > 1 or not _tells_little(plan, sure):
        return ""
    (name,) = names
    if name not in SIZES:
        ends = sorted((getattr(sure, name), getattr(plan, name)))
        return f"The {name} is between {ends[0]:.3g} and {ends[1]:.3g}, as far as the pilot can tell."
    high = f"to {sure.number(name)}" if sure.reachable else "or far more"
    return f"It takes {plan.number(name)} {high} {_NAMES[name]}, as far as the pilot can tell."


def _tells_little(plan: Plan, sure: Plan) -> bool:
    if plan.request.is_simulated:
        return not sure.reachable or sure.n_items > _FAR * plan.n_items
    return plan.pilot_units < FEW_UNITS


def _assurance(plan: Plan) -> str:
    """Return the assured answer; "" without one."""
    sure, best = plan.assured, "That is the best guess:"
    if sure is None:
        return ""
    if "power" in plan.open:
        words = f"{best} {_SHARE}, the power is at least {sure.power:.3f}."
    elif "effect" in plan.open:
        words = f"{best} {_SHARE}, it finds an effect of {sure.effect:.3g}."
    elif "epsilon" in plan.open:
        words = f"{best} {_SHARE}, it finds an ε of {sure.epsilon:.3g}."
    elif sure.reachable:
        words = (
            f"That is the best guess. With {sure.crew.words}, at a cost of {sure.cost:g}, the power is at "
            f"least {plan.request.power:g} {_SHARE}."
        )
    else:
        words = f"{best} no number of them within the limits has this power {_SHARE}."
    if plan.pilot_that_tells:
        units = "raters or runs" if not plan.request.is_simulated else "items"
        words += f" This pilot tells little; one of {plan.pilot_that_tells} {units} would tell."
    return words


def _by_formula(plan: Plan) -> str:
    crew, request = plan.crew, plan.request
    test = f"the t-test over {crew.populations} ({SIDES[request.alternative]}, α = {request.alpha:g})"
    if not plan.reachable:
        way = " or ".join(f"{count} {name} would" for name, count in plan.instead.items())
        *first, last = (_NAMES[name] for name in plan.open)
        opened = f"{', '.join(first)} or {last}" if first else last
        limited = listed([_NAMES[name] for name in plan.open if name != "n_items"])
        if len(plan.open) > 1:
            way = f" among those that nbyk tries if several are open (up to {TRIED[-1]} {limited})"
        elif way:
            way = f"; {way}"
        else:
            way = "; more raters or runs alone would not"
        return (
            f"No number of {opened} settles this {crew.words_of_given(plan.open)}{way}. With an effect "
            f"of {plan.effect:.3g}, the power of {test} is at most {plan.power:.2f}; you asked for "
            f"{request.power:g}."
        )
    why = f" {crew.too_few.capitalize()} cannot speak for others: give at least {FEWEST_UNITS}."
    cost = f"{plan.cost:g}" if request.budget is None else f"{plan.cost:g} of {request.budget:g}"
    return (
        f"With {crew.words}, at a cost of {cost}, {test} finds an effect of {plan.effect:.3g} "
        f"with a power of {plan.power:.3f}.{why if crew.too_few else ''}"
    )


def _simulated(plan: Plan, world: Simulated) -> str:
    request, power = plan.request, plan.simulated
    assert power is not None
    of_each = "each" if world.has_gold else "of either system's answer"
    size = f"{plan.n_items} items with {plan.k_responses} rating{'s' * (plan.k_responses > 1)} {of_each}"
    costs = request.costs
    price = f"{plan.cost:g} at {costs.item:g} per item and {costs.rating:g} per rating"
    reached = f"{power.power:.3f} (95 % interval {power.low:.3f} to {power.high:.3f})"
    test = f"{power.test} on {power.metric}, {SIDES[request.alternative]} at α = {request.alpha:g}"
    of = f"on {_items(world)}{_systems(world)}"
    limits = _limits(plan)
    if plan.open[-1] == "epsilon":
        what = "perturbation" if world.has_gold else "shift of B's item means"
        if (plan.epsilon or 0.0) <= EPSILON_FROM:
            return (
                f"With {size} ({price}), {test} {of} finds any {what}, however small (ε ≤ {EPSILON_FROM:g}), "
                f"with a power of {request.power:g} or more; a fresh simulation gives a power of "
                f"{reached}.{limits}"
            )
        return (
            f"With {size} ({price}), the smallest {what} ε that {test} finds with a power of "
            f"{request.power:g} {of} is {plan.epsilon:.3g} ({plan.low:.3g} to {plan.high:.3g}); a fresh "
            f"simulation gives a power of {reached}.{limits}"
        )
    against = _worse_system(plan, world)
    if plan.open[-1] == "power":
        best = "the best size for the budget, " * (request.budget is not None and len(plan.candidates) > 1)
        to = f"to find that {against}" if world.of_pair else f"against {against}"
        return f"With {best}{size} ({price}), the power of {test} {to} {of} is {reached}.{limits}"
    better = "" if world.of_pair else "A is better than "
    answer = "the cheapest size is" if len(plan.open) > 1 else "it takes"
    return (
        f"To find out with a power of {request.power:g} ({test}) that {better}{against} {of}, {answer} "
        f"{size} ({price}); a fresh simulation gives a power of {reached}.{limits}"
    )


def _worse_system(plan: Plan, world: Simulated) -> str:
    """Return the difference that makes B worse, in words: the effect if it was given, and ε."""
    if isinstance(world.prior, PilotItems) and world.of_pair:
        a, b = world.prior.system_names
        by = "" if plan.effect is None else f" by {plan.effect:.3g}{_on_scale(plan, world).rstrip(',')}"
        return f"{a} is better than {b}{by}, as in the pilot,"
    if world.has_gold:
        means = f"off by up to ε = {plan.epsilon:.3g}"
    else:
        side = "lower" if world.test.metric.direction == "higher" else "higher"
        means = f"{side} by ε = {plan.epsilon:.3g}"
    if plan.asked_effect is None:
        return f"a system B whose item means are {means}"
    return (
        f"a system B that is worse by {plan.asked_effect:g} on {world.test.metric.name}"
        f"{_on_scale(plan, world)} in the long run (its item means {means} on the scale from 0 to 1)"
    )


def _on_scale(plan: Plan, world: Simulated) -> str:
    """Return the scale in whose unit an effect is, to follow its number; "" for a metric without a unit."""
    if plan.scale is None or not world.test.metric.unit_power:
        return ""
    low, high = plan.scale
    return f", on the scale from {low:g} to {high:g},"


def _items(world: Simulated) -> str:
    """Return a description of the items and their raters."""
    of = world.prior
    if isinstance(of, PilotItems):
        drawn = f"items and ratings drawn again from the {of.n_items} items of {of.name}"
    else:
        drawn = f"items like those of {of.name}"
    return f"{drawn}, each rated by other people"


def _beside(plan: Plan) -> str:
    """Return the answer by a prior fitted to the pilot if it differs by more than a fifth; else ""."""
    other = plan.beside
    if other is None:
        return ""
    if isinstance(other, str):
        return f"A prior fitted to the pilot gives no such answer ({other})."
    answer = plan.open[-1] if len(plan.open) == 1 or plan.request.budget is not None else "cost"
    numbers = {
        "n_items": ("{:.0f} items", float(plan.n_items), float(other.n_items)),
        "k_responses": ("{:.0f} ratings", float(plan.k_responses), float(other.k_responses)),
        "epsilon": ("ε = {:.3g}", plan.epsilon or 0.0, other.epsilon or 0.0),
        "power": ("a power of {:.3f}", plan.power, other.power),
        "cost": ("a cost of {:g}", plan.cost, other.cost),
    }
    form, own, fitted = numbers[answer]
    if max(own, fitted) <= _FIFTH * min(own, fitted):
        return ""
    return (
        f"A prior fitted to the pilot gives {form.format(fitted)} instead, which differs by more than a "
        "fifth; the answer from the pilot's own items assumes less."
    )


def _systems(world: Simulated) -> str:
    """Return the assumptions about the systems, to follow the items."""
    parts = []
    if world.of_pair:
        return ""
    if isinstance(world.prior, PilotItems) and world.has_gold and len(world.prior.response.values):
        answers = world.prior.system_answers
        kind = "whole levels of the scale" if answers == "levels" else "real numbers"
        parts.append(f"systems that answer in {kind} (--system-answers {answers})")
    if world.epsilon_a != 0.0:
        parts.append(f"A's item means off by up to ε_A = {world.epsilon_a:g}")
    scales = {"A": world.sd_scale_a, "B": world.sd_scale_b}
    if world.n_runs == 1 and set(scales.values()) == {0.0}:
        parts.append("one answer of each system per item, the same on every run (n_runs = 1)")
        scales = {}
    elif world.n_runs == 1:
        parts.append("one answer of each system per item")
    elif world.n_runs is not None:
        parts.append(f"{world.n_runs} answers of each system per item, which vary as people's ratings do")
    elif world.has_gold:
        parts.append("as many answers of each system per item as ratings, which vary as these do")
    parts += [
        f"the spread of {name}'s responses times {scale:g}" for name, scale in scales.items() if scale != 1
    ]
    return f", with {' and '.join(parts)}" if parts else ""


def _limits(plan: Plan) -> str:
    """Return a sentence on the search limits that the size reaches, with a leading space; else ""."""
    request, at = plan.request, []
    if request.k_responses is None and plan.k_responses == request.max_responses:
        at.append(f"K = {plan.k_responses} (max_responses)")
    if request.n_items is None and plan.n_items == request.max_items:
        at.append(f"N = {plan.n_items} (max_items)")
    if not at:
        return ""
    more = ", and the budget would buy more" if request.allows_more(plan.n_items, plan.k_responses) else ""
    return f" {' and '.join(at)} is the most that the search allowed{more}."
