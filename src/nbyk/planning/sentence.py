"""A plan in one sentence that you can quote: the request in its own unit, the answer and the assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk.metrics.units import unit_power
from nbyk.planning.sides import SIDES
from nbyk.planning.simulation import EPSILON_FROM
from nbyk.resampling.pilot_items import PilotItems

if TYPE_CHECKING:
    from nbyk.planning.plan import Plan

_FIFTH = 1.2


def plan_sentence(plan: Plan) -> str:
    """Return a plan's answer, without its caution."""
    asked, power = plan.request, plan.power
    of_each = "each" if asked.has_gold else "of either system's answer"
    size = f"{plan.n_items} items with {plan.k_responses} rating{'s' * (plan.k_responses > 1)} {of_each}"
    price = f"{plan.cost:g} at {asked.cost_per_item:g} per item and {asked.cost_per_rating:g} per rating"
    reached = f"{power.power:.3f} (95 % interval {power.low:.3f} to {power.high:.3f})"
    test = f"{power.test} on {power.metric}, {SIDES[power.alternative]} at α = {power.alpha:g}"
    of = f"on {_items(plan)}{_systems(plan)}"
    limits = _limits(plan)
    if plan.open == "epsilon":
        what = "perturbation" if asked.has_gold else "shift of B's item means"
        if plan.epsilon <= EPSILON_FROM:
            return (
                f"With {size} ({price}), {test} {of} finds any {what}, however small (ε ≤ {EPSILON_FROM:g}), "
                f"with a power of {asked.power:g} or more; a fresh simulation gives a power of "
                f"{reached}.{limits}"
            )
        return (
            f"With {size} ({price}), the smallest {what} ε that {test} finds with a power of {asked.power:g} "
            f"{of} is {plan.epsilon:.3g} ({plan.low:.3g} to {plan.high:.3g}); a fresh simulation gives a "
            f"power of {reached}.{limits}"
        )
    against = _worse_system(plan)
    if plan.open == "power":
        best = "the best size for the budget, " * (asked.budget is not None and len(plan.candidates) > 1)
        to = f"to find that {against}" if asked.of_pair else f"against {against}"
        return f"With {best}{size} ({price}), the power of {test} {to} {of} is {reached}.{limits}"
    better = "" if asked.of_pair else "A is better than "
    found = "the cheapest size is" if plan.open == "budget" else "it takes"
    return (
        f"To find out with a power of {asked.power:g} ({test}) that {better}{against} {of}, {found} {size} "
        f"({price}); a fresh simulation gives a power of {reached}.{limits}"
    )


def _worse_system(plan: Plan) -> str:
    """Return the difference that makes B worse, in words: the effect if it was given, and ε."""
    asked = plan.request
    if isinstance(asked.prior, PilotItems) and asked.of_pair:
        a, b = asked.prior.system_names
        by = "" if plan.effect is None else f" by {plan.effect:.3g}{_on_scale(plan).rstrip(',')}"
        return f"{a} is better than {b}{by}, as in the pilot,"
    if asked.has_gold:
        means = f"off by up to ε = {plan.epsilon:.3g}"
    else:
        side = "lower" if asked.test.metric.direction == "higher" else "higher"
        means = f"{side} by ε = {plan.epsilon:.3g}"
    if plan.asked_effect is None:
        return f"a system B whose item means are {means}"
    return (
        f"a system B that is worse by {plan.asked_effect:g} on {plan.power.metric}{_on_scale(plan)} in the "
        f"long run (its item means {means} on the scale from 0 to 1)"
    )


def _on_scale(plan: Plan) -> str:
    """Return the scale in whose unit an effect is, to follow its number; "" for a metric without a unit."""
    if plan.scale is None or not unit_power(plan.request.test.metric):
        return ""
    low, high = plan.scale
    return f", on the scale from {low:g} to {high:g},"


def _items(plan: Plan) -> str:
    """Return a description of the items and their raters."""
    of = plan.request.prior
    if isinstance(of, PilotItems):
        drawn = f"items and ratings drawn again from the {of.n_items} items of {of.name}"
    else:
        drawn = f"items like those of {of.name}"
    return f"{drawn}, each rated by other people"


def beside_sentence(plan: Plan) -> str:
    """Return the answer by a prior fitted to the pilot if it differs by more than a fifth; else ""."""
    other = plan.beside
    if other is None:
        return ""
    if isinstance(other, str):
        return f"A prior fitted to the pilot gives no such answer ({other})."
    numbers = {
        "n_items": ("{:.0f} items", float(plan.n_items), float(other.n_items)),
        "k_responses": ("{:.0f} ratings", float(plan.k_responses), float(other.k_responses)),
        "epsilon": ("ε = {:.3g}", plan.epsilon, other.epsilon),
        "power": ("a power of {:.3f}", plan.power.power, other.power.power),
        "budget": ("a cost of {:g}", plan.cost, other.cost),
    }
    form, own, fitted = numbers[plan.open]
    if max(own, fitted) <= _FIFTH * min(own, fitted):
        return ""
    return (
        f"A prior fitted to the pilot gives {form.format(fitted)} instead, which differs by more than a "
        "fifth; the answer from the pilot's own items assumes less."
    )


def _systems(plan: Plan) -> str:
    """Return the assumptions about the systems, to follow the items."""
    asked, parts = plan.request, []
    if asked.of_pair:
        return ""
    if asked.epsilon_a != 0.0:
        parts.append(f"A's item means off by up to ε_A = {asked.epsilon_a:g}")
    scales = {"A": asked.sd_scale_a, "B": asked.sd_scale_b}
    if asked.n_runs == 1 and set(scales.values()) == {0.0}:
        parts.append("one answer of each system per item, the same on every run (n_runs = 1)")
        scales = {}
    elif asked.n_runs == 1:
        parts.append("one answer of each system per item")
    elif asked.n_runs is not None:
        parts.append(f"{asked.n_runs} answers of each system per item, which vary as people's ratings do")
    elif asked.has_gold:
        parts.append("as many answers of each system per item as ratings, which vary as these do")
    parts += [
        f"the spread of {name}'s responses times {scale:g}" for name, scale in scales.items() if scale != 1
    ]
    return f", with {' and '.join(parts)}" if parts else ""


def _limits(plan: Plan) -> str:
    """Return a sentence on the search limits that the size reaches, with a leading space; else ""."""
    asked, at = plan.request, []
    if asked.k_responses is None and plan.k_responses == asked.max_responses:
        at.append(f"K = {plan.k_responses} (max_responses)")
    if asked.n_items is None and plan.n_items == asked.max_items:
        at.append(f"N = {plan.n_items} (max_items)")
    if not at:
        return ""
    more = ", and the budget would buy more" if asked.allows_more(plan.n_items, plan.k_responses) else ""
    return f" {' and '.join(at)} is the most that the search allowed{more}."
