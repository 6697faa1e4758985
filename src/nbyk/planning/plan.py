"""The planner: how many items and ratings it takes, in the manner of statsmodels' ``solve_power``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.planning.answer import Answer, Candidate
from nbyk.planning.item_moments import PowerCurve
from nbyk.planning.long_run import epsilon_for_effect, long_run_effect
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import Request
from nbyk.planning.search import PlanSearch
from nbyk.planning.simulation import EPSILON_FROM
from nbyk.priors import TwoStagePrior


@dataclass(frozen=True)
class Plan:
    """A size, a difference and a power that go together, and how that was found out.

    Attributes
    ----------
    request
        What was asked.
    open
        What was solved for: "n_items", "k_responses", "epsilon", "power" or "budget".
    n_items, k_responses
        The size: items N and gold ratings (and responses of either system) per item K.
    epsilon
        Half-width ε_B of the perturbation of B's item means.
    effect
        The expected effect on the metric in the long run (K → ∞); None where that is not defined.
    cost
        What the gold ratings of the size cost.
    power
        The power at the size, from fresh test sets.
    low, high
        95 % interval of what was solved for, by Monte-Carlo error alone.
    candidates
        The K that were compared, by K; one row if there was nothing to compare.
    ties
        K of other simulated candidates that are as good as the chosen one within Monte-Carlo error.
    curves
        Power curves by K at the plan's ε, for figures; empty unless asked for.
    seed
        Seed of the simulations.
    warnings
        What to know before believing it, one sentence each, as about the ratings that the prior is fitted to.
    """

    request: Request
    open: str
    n_items: int
    k_responses: int
    epsilon: float
    effect: float | None
    cost: float
    power: Power
    low: float
    high: float
    candidates: tuple[Candidate, ...]
    ties: tuple[int, ...]
    curves: tuple[PowerCurve, ...]
    seed: int
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in one sentence that can be quoted, after a caution if the prior's check rejects it."""
        caution = self.request.prior.caution
        return f"{caution} {self._answer}" if caution else self._answer

    @property
    def _answer(self) -> str:
        asked, power = self.request, self.power
        size = f"{self.n_items} items with {self.k_responses} rating{'s' * (self.k_responses > 1)} each"
        price = f"{self.cost:g} at {asked.cost_per_item:g} per item and {asked.cost_per_rating:g} per rating"
        reached = f"{power.power:.3f} (95 % interval {power.low:.3f} to {power.high:.3f})"
        against = f"a system B whose item means are off by up to ε = {self.epsilon:.3g}"
        test = f"{power.test} on {power.metric}, one-sided at α = {power.alpha:g}"
        of = f"on items like those of {asked.prior.name}{self._systems}"
        if self.open == "epsilon":
            if self.epsilon <= EPSILON_FROM:
                found = f"any perturbation, however small (ε ≤ {EPSILON_FROM:g}), is found by {test} {of}"
                return (
                    f"With {size} ({price}), {found} with a power of {asked.power:g} or more; simulated "
                    f"afresh, the power there is {reached}.{self._limits}"
                )
            return (
                f"With {size} ({price}), the smallest perturbation ε that {test} finds with a power of "
                f"{asked.power:g} {of} is {self.epsilon:.3g} ({self.low:.3g} to {self.high:.3g}); simulated "
                f"afresh, the power there is {reached}.{self._limits}"
            )
        if self.open == "power":
            best = (
                "the best size for the budget, "
                if asked.budget is not None and len(self.candidates) > 1
                else ""
            )
            return (
                f"With {best}{size} ({price}), the power of {test} against {against} {of} is {reached}."
                f"{self._limits}"
            )
        found = {
            "budget": f"the cheapest size is {size}",
            "n_items": f"it takes {size}",
            "k_responses": f"it takes {size}",
        }[self.open]
        return (
            f"To find out with a power of {asked.power:g} ({test}) that A is better than {against} {of}, "
            f"{found} ({price}); simulated afresh, the power there is {reached}.{self._limits}"
        )

    @property
    def _systems(self) -> str:
        """What is not as usual about the systems, to follow the items."""
        asked, parts = self.request, []
        if asked.epsilon_a != 0.0:
            parts.append(f"A's item means off by up to ε_A = {asked.epsilon_a:g}")
        for system, scale in (("A", asked.sd_scale_a), ("B", asked.sd_scale_b)):
            if scale != 1.0:
                parts.append(f"the spread of {system}'s responses times {scale:g}")
        return f", with {' and '.join(parts)}" if parts else ""

    @property
    def _limits(self) -> str:
        """A sentence on the limits of the search that the size is at, led by a space, or nothing."""
        asked, at = self.request, []
        if asked.k_responses is None and self.k_responses == asked.max_responses:
            at.append(f"K = {self.k_responses} (max_responses)")
        if asked.n_items is None and self.n_items == asked.max_items:
            at.append(f"N = {self.n_items} (max_items)")
        if not at:
            return ""
        more = ", and the budget would buy more" if asked.allows_more(self.n_items, self.k_responses) else ""
        return f" {' and '.join(at)} is the most that the search allowed{more}."

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        asked = self.request
        return {
            "sentence": self.sentence,
            "open": self.open,
            "given": {name: getattr(asked, name) for name in asked.given},
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
            "epsilon_a": asked.epsilon_a,
            "sd_scale_a": asked.sd_scale_a,
            "sd_scale_b": asked.sd_scale_b,
            "max_items": asked.max_items,
            "max_responses": asked.max_responses,
            "prior": asked.prior.to_dict(),
            "seed": self.seed,
            "warnings": list(self.warnings),
        }


def plan(
    prior: TwoStagePrior,
    *,
    metric: str | Metric = "mae",
    test: str = "swap_items",
    alpha: float = 0.05,
    n_items: int | None = None,
    k_responses: int | None = None,
    epsilon: float | None = None,
    power: float | None = None,
    budget: float | None = None,
    effect: float | None = None,
    effect_unit: float = 1.0,
    cost_per_item: float = 0.0,
    cost_per_rating: float = 1.0,
    epsilon_a: float = 0.0,
    sd_scale_a: float = 1.0,
    sd_scale_b: float = 1.0,
    max_items: int = 100_000,
    max_responses: int = 100,
    precision: float = 0.01,
    n_resamples: int = 10_000,
    curves: bool = False,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[str], object] | None = None,
) -> Plan:
    """Solve for the one of N, K, ε, power and budget that is left open, by simulation.

    Parameters
    ----------
    prior
        What items and responses are drawn from: a published prior, or one fitted to a pilot.
    metric, test, alpha, n_resamples
        What has to find the difference: as for `nbyk.power_of_test`, one-sided for "A is better".
    n_items, k_responses
        Items N and responses per item K, of gold and of either system.
    epsilon
        Half-width ε_B of the perturbation of B's item means, in [0, 1].
    power
        The power, between α and 1.
    budget
        What the gold ratings may cost. With ε or power, it stands for the best (N, K) that it buys; with N
        or K as well, for the other one.
    effect
        In place of ε: the expected effect on the metric in the long run, K → ∞.
    effect_unit
        What 1 on the metric of responses from 0 to 1 is in the unit of `effect` and `Plan.effect`.
    cost_per_item, cost_per_rating
        A size costs N (cost_per_item + K cost_per_rating). K counts gold ratings; the systems' own K
        responses cost nothing.
    epsilon_a, sd_scale_a, sd_scale_b
        As for `Population`.
    max_items, max_responses
        Limits of the search.
    precision
        Standard error of the power at which simulations stop.
    curves
        Whether to work out power curves for a figure as well.
    seed, threads
        The answer depends on the seed, not on the threads.
    progress
        Called with a line of text for every step.

    Returns
    -------
    Plan

    Raises
    ------
    NbykError
        If more or less than one quantity is open, a number is out of range, a name is unknown, or the power
        is not reached within the limits: then with the best that is.

    Notes
    -----
    Least N, K and ε come from a probit regression on simulated test sets (`RootSearch`), drawn where the fit
    crosses the power. Where K is open too, additive metrics under sign flips are first compared over a ladder
    of K by a normal approximation (`nbyk.planning.item_moments`), others by coarse simulations, and
    the best few by full ones. The power at the answer is always simulated afresh.
    """
    if not 0.0 < precision < 0.5:
        raise NbykError(f"found {precision}, expected a standard error such as 0.01", argument="precision")
    chosen = SystemTest(
        test, metric if isinstance(metric, Metric) else get(metric), alpha, n_resamples=n_resamples
    )
    asked = Request(
        prior=prior,
        test=chosen,
        n_items=n_items,
        k_responses=k_responses,
        epsilon=epsilon,
        power=power,
        budget=budget,
        cost_per_item=cost_per_item,
        cost_per_rating=cost_per_rating,
        epsilon_a=epsilon_a,
        sd_scale_a=sd_scale_a,
        sd_scale_b=sd_scale_b,
        max_items=max_items,
        max_responses=max_responses,
    )
    if effect is not None:
        if epsilon is not None:
            raise NbykError("plan: given both `epsilon` and `effect`, which determine each other; give one")
        found = epsilon_for_effect(
            asked.population(2, 1, 0.0), chosen.metric, effect / effect_unit, seed, unit=effect_unit
        )
        asked = replace(asked, epsilon=found)
    opened = asked.open
    search = PlanSearch(asked.sized(), seed=seed, threads=threads, report=progress)
    answer = _solve(search, opened, precision)
    return Plan(
        request=asked,
        open=opened,
        n_items=answer.n_items,
        k_responses=answer.k_responses,
        epsilon=answer.epsilon,
        effect=_effect(asked, answer, seed, effect_unit),
        cost=asked.cost(answer.n_items, answer.k_responses),
        power=answer.power,
        low=answer.low,
        high=answer.high,
        candidates=answer.candidates,
        ties=answer.ties,
        curves=search.figure_curves(answer) if curves else (),
        seed=seed,
    )


def _solve(search: PlanSearch, opened: str, precision: float) -> Answer:
    if opened == "power":
        return search.power_of_size(precision)
    if opened == "epsilon":
        return search.smallest_epsilon(precision)
    if opened == "n_items":
        return search.least_items(precision)
    if opened == "k_responses":
        return search.least_responses(precision)
    return search.cheapest_size(precision)


def _effect(asked: Request, answer: Answer, seed: int, unit: float) -> float | None:
    try:
        return unit * long_run_effect(asked.population(2, 1, answer.epsilon), asked.test.metric, seed)
    except NbykError:
        return None
