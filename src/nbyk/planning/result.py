"""The result of a plan: a collection, a difference and a power that go together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from nbyk.planning.item_moments import PowerCurve
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import Request, Simulated
from nbyk.testing.shared_units.collection import Crew
from nbyk.words import ShownInNotebooks


@dataclass(frozen=True)
class Candidate:
    """A size that a simulated search compared: one K, with its N and ε.

    Attributes
    ----------
    k_responses, n_items
        The size: N is the least that reaches the requested power, or the most that the budget buys.
    n_low, n_high
        95 % interval of the least N; N itself if it was given.
    epsilon
        The ε; if ε was open, the smallest that reaches the requested power.
    cost
        The cost of the size.
    power, power_error
        The power at the size, and its standard error; None if the size is only an approximation.
    by
        "simulation", or "approximation" for the normal one.
    """

    k_responses: int
    n_items: int
    n_low: int
    n_high: int
    epsilon: float
    cost: float
    power: float | None
    power_error: float | None
    by: str


@dataclass(frozen=True)
class Plan(ShownInNotebooks):
    """A collection, a difference and a power that go together.

    Attributes
    ----------
    request
        The request.
    crew
        The collection: items, raters, ratings per item and runs, given or found.
    power
        The power of the test.
    low, high
        95 % interval of the quantity solved for, from Monte-Carlo error alone; that of the power, without an
        error, if a formula gives it. It does not include the error of variances that a pilot estimates.
    open
        The quantities solved for: some of "n_items", "raters", "k_responses", "runs", "epsilon", "effect" and
        "power".
    effect
        The effect on the metric (of simulated systems in the long run, K → ∞); None if it is undefined.
    asked_effect
        The requested effect, in its own unit; None if it was not given.
    epsilon
        Half-width ε_B of the perturbation of B's item means, or without gold their shift; None if nothing is
        simulated.
    simulated
        The simulated power, from fresh test sets; None if a formula gives it.
    reachable
        Whether the requested power is reached. If not, no value of the open quantity reaches it, and `power`
        is the highest possible. A simulated search raises an error instead.
    instead
        If it is not: the least number of raters or of runs that reaches it, with all else unchanged.
    candidates, ties
        The K that a simulated search compared, in order, and those of them that are as good as the chosen one
        within Monte-Carlo error.
    curves
        Power curves by K at the plan's ε, for figures; empty unless requested.
    assured
        The plan that has its power in four of five such pilots; None without a pilot or a stated difference.
    pilot_units, pilot_that_tells
        The raters or runs of the pilot, and those of one whose assured plan would be at most twice the size;
        0 if this one's is, or if none of up to 50 units would.
    beside
        For a pilot's own items: the plan from a prior fitted to them, or the reason why there is none.
    seed
        Seed of the simulations.
    warnings
        Cautions about the plan, one sentence each, such as about a small pilot.
    scale
        The ends of the scale in whose unit the effects are; None if they are not known.
    """

    request: Request
    crew: Crew
    power: float
    low: float
    high: float
    open: tuple[str, ...]
    effect: float | None = None
    asked_effect: float | None = None
    epsilon: float | None = None
    simulated: Power | None = None
    reachable: bool = True
    instead: Mapping[str, int] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()
    ties: tuple[int, ...] = ()
    curves: tuple[PowerCurve, ...] = ()
    assured: Plan | None = None
    pilot_units: int = 0
    pilot_that_tells: int = 0
    beside: Plan | str | None = None
    seed: int = 0
    warnings: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None

    @classmethod
    def by_formula(
        cls, request: Request, crew: Crew, power: float, effect: float | None = None, **details: Any
    ) -> Plan:
        """Return a plan whose power a formula gives; the effect is the requested one unless it is open."""
        effect = request.effect if effect is None else effect
        details = {"asked_effect": request.effect, **details}
        return cls(request, crew, power, power, power, request.open, effect, **details)

    @classmethod
    def by_simulation(
        cls,
        request: Request,
        n_items: int,
        k_responses: int,
        epsilon: float,
        power: Power,
        ends: tuple[float, float],
        candidates: tuple[Candidate, ...],
        ties: tuple[int, ...] = (),
    ) -> Plan:
        """Return a plan whose power was simulated; `ends` are those of the quantity solved for."""
        crew = Crew(n_items, 0, k_responses, 0)
        details: dict[str, Any] = {"simulated": power, "candidates": candidates, "ties": ties}
        return cls(request, crew, power.power, *ends, request.open, epsilon=epsilon, **details)

    @property
    def n_items(self) -> int:
        """Items N."""
        return self.crew.n_items

    @property
    def k_responses(self) -> int:
        """Ratings per item K: of gold or, without gold, of each system's answer."""
        return self.crew.ratings_per_item

    def number(self, name: str) -> int:
        """Return the number of "n_items", "raters", "k_responses" or "runs"."""
        return int(getattr(self.crew, "ratings_per_item" if name == "k_responses" else name))

    @property
    def cost(self) -> float:
        """The cost of the collection."""
        return self.request.costs.of(self.crew)

    @property
    def sentence(self) -> str:
        """The answer in sentences that you can quote, after a caution if the prior's check rejects it."""
        from nbyk.planning.sentences import sentence

        return sentence(self)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the quantity solved for, from Monte-Carlo error alone."""
        return self.low, self.high

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the power; 0 if a formula gives it. A plan has no p-value."""
        return 0.0 if self.simulated is None else self.simulated.standard_error

    def with_items(self, n_items: int) -> Plan:
        """Return the plan with another number of items."""
        return replace(self, crew=replace(self.crew, n_items=n_items))

    @property
    def _given(self) -> dict[str, float]:
        given = {name: getattr(self.request, name) for name in self.request.given}
        if self.asked_effect is not None:
            given["effect"] = self.asked_effect
        of_pair = isinstance(self.request.source, Simulated) and self.request.source.of_pair
        if self.asked_effect is not None or of_pair:
            given.pop("epsilon", None)
        return given

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values that JSON can hold."""
        request, source = self.request, self.request.source
        content = {
            "sentence": self.sentence,
            "open": list(self.open),
            "given": self._given,
            "n_items": self.n_items,
            "raters": self.crew.raters,
            "k_responses": self.k_responses,
            "runs": self.crew.runs,
            "items_per_rater": self.crew.items_per_rater,
            "items_per_cluster": self.crew.items_per_cluster,
            "epsilon": self.epsilon,
            "effect": self.effect if self.effect is None or math.isfinite(self.effect) else None,
            "power": self.power,
            "low": self.low,
            "high": self.high,
            "alpha": request.alpha,
            "alternative": request.alternative,
            "cost": self.cost,
            "costs": asdict(request.costs),
            "reachable": self.reachable,
            "instead": dict(self.instead),
            "assured": None if self.assured is None else self.assured.to_dict(),
            "pilot_that_tells": self.pilot_that_tells,
            "seed": self.seed,
            "warnings": list(self.warnings),
        }
        if not isinstance(source, Simulated):
            return {**content, "spread": asdict(source)}
        beside = self.beside.to_dict() if isinstance(self.beside, Plan) else self.beside
        power = self.simulated
        return {
            **content,
            "simulated": power and {**asdict(power), "standard_error": power.standard_error},
            "candidates": [asdict(row) for row in self.candidates],
            "ties": list(self.ties),
            "n_runs": source.n_runs or "K",
            "epsilon_a": source.epsilon_a,
            "sd_scale_a": source.sd_scale_a,
            "sd_scale_b": source.sd_scale_b,
            "max_items": request.max_items,
            "max_responses": request.max_responses,
            "prior": source.prior.to_dict(),
            **({} if beside is None else {"of_fitted_prior": beside}),
        }
