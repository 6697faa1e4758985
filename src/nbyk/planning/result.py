"""The result of a plan, and its sentence that you can quote: the request, the answer and the assumptions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from nbyk.planning.answer import Candidate
from nbyk.planning.item_moments import PowerCurve
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import Request
from nbyk.planning.sides import SIDES
from nbyk.planning.simulation import EPSILON_FROM
from nbyk.resampling.pilot_items import PilotItems
from nbyk.words import ShownInNotebooks

_FIFTH = 1.2


@dataclass(frozen=True)
class Plan(ShownInNotebooks):
    """A size, a difference and a power that go together, with the details of the search.

    Attributes
    ----------
    request
        The request.
    n_items, k_responses
        The size: items N and gold ratings (and responses of each system) per item K.
    epsilon
        Half-width ε_B of the perturbation of B's item means; without gold, the shift of all of them.
    power
        The power at the size, from fresh test sets.
    low, high
        95 % interval of the quantity solved for, from Monte-Carlo error alone.
    candidates
        The K that were compared, in order; one row if there was nothing to compare.
    ties
        K of other simulated candidates that are as good as the chosen one within Monte-Carlo error.
    effect
        The expected effect on the metric in the long run (K → ∞); None if it is undefined.
    asked_effect
        The requested effect, in its own unit; None if ε was given or solved for.
    curves
        Power curves by K at the plan's ε, for figures; empty unless requested.
    seed
        Seed of the simulations.
    warnings
        Cautions about the plan, one sentence each, such as about the ratings to which the prior is fitted.
    beside
        For a pilot's own items: the plan from a prior fitted to them, or the reason why there is none.
    scale
        The ends of the scale in whose unit the effects are; None if they are not known.
    """

    request: Request
    n_items: int
    k_responses: int
    epsilon: float
    power: Power
    low: float
    high: float
    candidates: tuple[Candidate, ...]
    ties: tuple[int, ...] = ()
    effect: float | None = None
    asked_effect: float | None = None
    curves: tuple[PowerCurve, ...] = ()
    seed: int = 0
    warnings: tuple[str, ...] = ()
    beside: Plan | str | None = None
    scale: tuple[float, float] | None = None

    @property
    def open(self) -> str:
        """The quantity solved for: "n_items", "k_responses", "epsilon", "power" or "budget"."""
        return self.request.open

    @property
    def cost(self) -> float:
        """The cost of the gold ratings of the size."""
        return self.request.cost(self.n_items, self.k_responses)

    @property
    def sentence(self) -> str:
        """The answer in one sentence that you can quote, after a caution if the prior's check rejects it.

        If a fitted prior gives an answer that differs by more than a fifth, that answer follows.
        """
        caution = self.request.prior.caution
        return " ".join(part for part in (caution, _answer(self), _beside(self)) if part)

    @property
    def _beside(self) -> dict[str, Any]:
        if self.beside is None:
            return {}
        return {"of_fitted_prior": self.beside if isinstance(self.beside, str) else self.beside.to_dict()}

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the quantity solved for, from Monte-Carlo error alone."""
        return self.low, self.high

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the power at the size; a plan has no p-value."""
        return self.power.standard_error

    @property
    def _given(self) -> dict[str, float]:
        given = {name: getattr(self.request, name) for name in self.request.given}
        if self.asked_effect is not None:
            given["effect"] = self.asked_effect
        if self.asked_effect is not None or self.request.of_pair:
            del given["epsilon"]
        return given

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values that JSON can hold."""
        asked = self.request
        return {
            "sentence": self.sentence,
            "open": self.open,
            "given": self._given,
            "n_items": self.n_items,
            "k_responses": self.k_responses,
            "epsilon": self.epsilon,
            "effect": self.effect,
            "cost": self.cost,
            "cost_per_item": asked.cost_per_item,
            "cost_per_rating": asked.cost_per_rating,
            "power": {**asdict(self.power), "standard_error": self.power.standard_error},
            "low": self.low,
            "high": self.high,
            "ties": list(self.ties),
            "candidates": [asdict(row) for row in self.candidates],
            "n_runs": asked.n_runs or "K",
            "epsilon_a": asked.epsilon_a,
            "sd_scale_a": asked.sd_scale_a,
            "sd_scale_b": asked.sd_scale_b,
            "max_items": asked.max_items,
            "max_responses": asked.max_responses,
            "prior": asked.prior.to_dict(),
            "seed": self.seed,
            "warnings": list(self.warnings),
            **self._beside,
        }


def _answer(plan: Plan) -> str:
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
    if plan.scale is None or not plan.request.test.metric.unit_power:
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


def _beside(plan: Plan) -> str:
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
    if isinstance(asked.prior, PilotItems) and asked.has_gold and len(asked.prior.response.values):
        rounded = asked.prior.system_answers == "levels"
        kind = "whole levels of the scale" if rounded else "real numbers"
        parts.append(f"systems that answer in {kind} (--system-answers {asked.prior.system_answers})")
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
