"""The result of a plan: a collection, a difference and a power that go together."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from nbyk.planning.item_moments import PowerCurve
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import Request, Simulated
from nbyk.testing.results import ShownAsLines
from nbyk.testing.shared_units.collection import Crew

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from nbyk.report.lines import Head


@dataclass(frozen=True)
class Candidate:
    """A size that a simulated search compared: one K, with its N and ε, in the unit of the ratings.

    N or ε is the least that reaches the requested power, or N the most that the budget buys. `n_low` to
    `n_high` is the 95 % interval of the least N, or N itself if it was given. `by` is "simulation", or
    "approximation" for the normal one, which gives no `power` with its standard error.
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


@dataclass(frozen=True, repr=False)
class Plan(ShownAsLines):
    """A collection, a difference and a power that go together; `print` shows the answer.

    Attributes
    ----------
    request
        The request; its ε is that of responses from 0 to 1.
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
        The effect on the metric (of simulated systems in the long run, K → ∞), in the unit of the ratings;
        None if it is undefined.
    asked_effect
        The requested effect, in the same unit; None if it was not given.
    epsilon
        Half-width ε_B of the perturbation of B's item means, or without gold their shift, in the unit of the
        ratings; None if nothing is simulated.
    metric
        The metric's name; "" if only variances are known.
    simulated
        The simulated power, from fresh test sets; None if a formula gives it.
    asked_of_formula
        The power that the formula is asked for, so that the simulated one is the requested; None without one.
    reachable
        Whether the requested power is reached. If not, no value of the open quantity reaches it, and `power`
        is the highest possible. A simulated search raises an error instead.
    others
        Plans that reach it by another quantity, with all else unchanged: if this one does not, or of a
        comparison's data (`nbyk.settle`).
    reason
        The first line if there is nothing to collect, or no use in it; else "".
    present, least_items
        Of a comparison's data (`nbyk.settle`): the present size with its power, if the present effect is the
        true one; and the N needed even if the true effect is at the far end of its interval.
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
    seed
        Seed of the simulations.
    assumptions
        What the plan takes from a pilot or assumes of systems, a few words each.
    warnings
        Cautions about the plan, one sentence each, such as about a small pilot.
    scale
        The ends of the scale in whose unit all is; None if they are not known.
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
    metric: str = ""
    simulated: Power | None = None
    asked_of_formula: float | None = None
    reachable: bool = True
    others: tuple[Plan, ...] = ()
    reason: str = ""
    present: Plan | None = None
    least_items: int | None = None
    candidates: tuple[Candidate, ...] = ()
    ties: tuple[int, ...] = ()
    curves: tuple[PowerCurve, ...] = ()
    assured: Plan | None = None
    pilot_units: int = 0
    pilot_that_tells: int = 0
    seed: int = 0
    assumptions: tuple[str, ...] = ()
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
        at: tuple[int, int, float],
        power: Power,
        ends: tuple[float, float],
        **details: Any,
    ) -> Plan:
        """Return a plan of a simulated N, K and ε; `ends` are those of the quantity solved for."""
        n_items, k_responses, epsilon = at
        details |= {"epsilon": epsilon, "metric": power.metric, "simulated": power}
        return cls(request, Crew(n_items, 0, k_responses, 0), power.power, *ends, request.open, **details)

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
        """The answer in one sentence that you can quote."""
        return self.lines[0]

    @property
    def lines(self) -> tuple[str, ...]:
        """The answer, its power, what is assured, what is and assumed, a line each."""
        from nbyk.report.plan_lines import plan_lines

        return plan_lines(self)

    @property
    def head(self) -> Head:
        """Its first lines: what to collect, and the table of what else would do."""
        from nbyk.report.plan_lines import plan_head

        return plan_head(self)

    def plot(self) -> Figure:
        """Draw the figure of the plan: the sizes that have a power, and this one."""
        from nbyk.report.plan import figure_of

        return figure_of(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the collections that would do, one to a row."""
        from nbyk.report.plan_tables import every_way

        return every_way(self)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the quantity solved for, from Monte-Carlo error alone."""
        return self.low, self.high

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the power; 0 if a formula gives it. A plan has no p-value."""
        return 0.0 if self.simulated is None else self.simulated.standard_error

    def in_unit(self, unit: float) -> Plan:
        """Return a simulated plan with its ε, which is that of responses from 0 to 1, times a unit."""
        open_epsilon = unit if self.open[-1] == "epsilon" else 1.0
        return replace(
            self,
            epsilon=None if self.epsilon is None else unit * self.epsilon,
            low=open_epsilon * self.low,
            high=open_epsilon * self.high,
            candidates=tuple(replace(row, epsilon=unit * row.epsilon) for row in self.candidates),
            assured=self.assured and self.assured.in_unit(unit),
        )

    @property
    def _given(self) -> dict[str, float]:
        given = {name: getattr(self.request, name) for name in self.request.given}
        if "epsilon" in given and self.epsilon is not None:
            given["epsilon"] = self.epsilon
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
            "lines": list(self.lines),
            "open": list(self.open),
            "given": self._given,
            "n_items": self.n_items,
            "raters": self.crew.raters,
            "k_responses": self.k_responses,
            "runs": self.crew.runs,
            "calls": self.crew.calls,
            "items_per_rater": self.crew.items_per_rater,
            "items_per_cluster": self.crew.items_per_cluster,
            "metric": self.metric,
            "scale": None if self.scale is None else list(self.scale),
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
            "reason": self.reason,
            "present": None if self.present in (None, self) else self.present.to_dict(),
            "least_items": self.least_items,
            "others": [other.to_dict() for other in self.others],
            "assured": None if self.assured is None else self.assured.to_dict(),
            "pilot_that_tells": self.pilot_that_tells,
            "seed": self.seed,
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        if not isinstance(source, Simulated):
            return {**content, "spread": asdict(source)}
        power = self.simulated
        return {
            **content,
            "simulated": power and {**asdict(power), "standard_error": power.standard_error},
            "candidates": [asdict(row) for row in self.candidates],
            "ties": list(self.ties),
            "n_runs": source.n_runs or "K",
            "epsilon_a": request.unit * source.epsilon_a,
            "max_items": request.max_items,
            "max_responses": request.max_responses,
            "prior": source.prior.to_dict(),
        }
