"""The planner of items and ratings, in the manner of statsmodels' ``solve_power``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.notebook import ShownInNotebooks
from nbyk.planning.answer import Candidate, Solution
from nbyk.planning.item_moments import PowerCurve
from nbyk.planning.long_run import epsilon_for_effect, long_run_effect
from nbyk.planning.pairs import better_first
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import Request
from nbyk.planning.search import PlanSearch
from nbyk.planning.sentence import beside_sentence, plan_sentence
from nbyk.planning.sides import check_side
from nbyk.priors import TwoStagePrior
from nbyk.resampling.pilot_items import PilotItems
from nbyk.testing.pvalues import Alternative


@dataclass(frozen=True)
class Plan(ShownInNotebooks):
    """A size, a difference and a power that go together, with the details of the search.

    Attributes
    ----------
    request
        The request.
    open
        The quantity solved for: "n_items", "k_responses", "epsilon", "power" or "budget".
    n_items, k_responses
        The size: items N and gold ratings (and responses of each system) per item K.
    epsilon
        Half-width ε_B of the perturbation of B's item means; without gold, the shift of all of them.
    asked_effect
        The requested effect, in its own unit; None if ε was given or solved for.
    effect
        The expected effect on the metric in the long run (K → ∞); None if it is undefined.
    cost
        The cost of the gold ratings of the size.
    power
        The power at the size, from fresh test sets.
    low, high
        95 % interval of the quantity solved for, from Monte-Carlo error alone.
    candidates
        The K that were compared, in order; one row if there was nothing to compare.
    ties
        K of other simulated candidates that are as good as the chosen one within Monte-Carlo error.
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
    asked_effect: float | None = None
    warnings: tuple[str, ...] = ()
    beside: Plan | str | None = None
    scale: tuple[float, float] | None = None

    @property
    def sentence(self) -> str:
        """The answer in one sentence that you can quote, after a caution if the prior's check rejects it.

        If a fitted prior gives an answer that differs by more than a fifth, that answer follows.
        """
        caution = self.request.prior.caution
        return " ".join(part for part in (caution, plan_sentence(self), beside_sentence(self)) if part)

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


def plan(
    prior: TwoStagePrior | PilotItems,
    *,
    metric: str | Metric = "mae",
    test: str = "swap_items",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_items: int | None = None,
    k_responses: int | None = None,
    epsilon: float | None = None,
    power: float | None = None,
    budget: float | None = None,
    effect: float | None = None,
    effect_unit: float = 1.0,
    cost_per_item: float = 0.0,
    cost_per_rating: float = 1.0,
    n_runs: int | Literal["K"] | None = None,
    epsilon_a: float = 0.0,
    sd_scale_a: float | None = None,
    sd_scale_b: float | None = None,
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
        The source of items and responses: a published prior, one fitted to a pilot, or the pilot's own items.
        If the pilot has systems (`PilotItems.systems`), these replace ε and all assumptions about the two; A
        is the one that looks better.
    metric, test, alpha, n_resamples
        The test that should find the difference, as for `nbyk.power_of_test`.
    alternative
        "two-sided", as `nbyk.compare` tests by default, or "greater": that A is better.
    n_items, k_responses
        Items N and responses per item K, of gold and of each system.
    epsilon
        Half-width ε_B of the perturbation of B's item means, in [0, 1]. On a metric that needs no gold, such
        as `mean`, noise in the means does not make B worse, so ε is a shift of all of them.
    power
        The power, between α and 1.
    budget
        The budget for gold ratings. With ε or power, nbyk uses the best (N, K) that it buys; if N or K is
        given too, it uses the other one that the budget buys.
    effect
        The expected effect on the metric in the long run, K → ∞, instead of ε.
    effect_unit
        The value, in the unit of `effect` and `Plan.effect`, of 1 on the metric of responses from 0 to 1.
    cost_per_item, cost_per_rating
        A size costs N (cost_per_item + K cost_per_rating). K counts gold ratings; the systems' own answers
        are free. Without gold, people rate the answers of each system K times, so ratings cost twice as much.
    n_runs
        Number of answers of each system to an item: 1 by default, or "K" for the number of ratings by people.
        Without gold, K is the number of ratings of its answers, and `n_runs` has no other value.
    epsilon_a
        As for `Population`.
    sd_scale_a, sd_scale_b
        Spread of a system's answers to an item, relative to that of people's ratings. By default 0 for one
        answer (a repetition would give the same), and 1 for more.
    max_items, max_responses
        Limits of the search.
    precision
        Stop simulating once the power's standard error is below this.
    curves
        Whether to compute power curves for a figure too.
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
        is not reached within the limits. The message then gives the best power that is.

    Notes
    -----
    The least N, K and ε come from a probit regression on simulated test sets (`RootSearch`), drawn where the
    fit crosses the power. If K is open too, a first step compares a ladder of K: a normal approximation for
    additive metrics under sign flips (`nbyk.planning.item_moments`), coarse simulations for others. Full
    simulations then compare the best few. The power at the answer is always simulated on fresh test sets.
    """
    if not 0.0 < precision < 0.5:
        raise NbykError(f"found {precision}, expected a standard error such as 0.01", argument="precision")
    check_side(alternative)
    chosen = SystemTest(
        test, metric if isinstance(metric, Metric) else get(metric), alpha, alternative, n_resamples
    )
    if isinstance(prior, PilotItems) and prior.systems is not None:
        assumed = {
            "epsilon": epsilon,
            "effect": effect,
            "n_runs": n_runs,
            "epsilon_a": epsilon_a or None,
            "sd_scale_a": sd_scale_a,
            "sd_scale_b": sd_scale_b,
        }
        prior, epsilon = better_first(prior, chosen.metric, assumed), 0.0
    spread = 0.0 if n_runs in (None, 1) and chosen.metric.needs_gold else 1.0
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
        n_runs=_runs(n_runs, chosen.metric),
        epsilon_a=epsilon_a,
        sd_scale_a=spread if sd_scale_a is None else sd_scale_a,
        sd_scale_b=spread if sd_scale_b is None else sd_scale_b,
        max_items=max_items,
        max_responses=max_responses,
    )
    if effect is not None:
        if epsilon is not None:
            raise NbykError("plan: given both `epsilon` and `effect`, which determine each other; give one")
        found = epsilon_for_effect(
            lambda epsilon: asked.population(2, 1, epsilon),
            chosen.metric,
            effect / effect_unit,
            seed,
            unit=effect_unit,
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
        asked_effect=effect,
        scale=(0.0, 1.0) if effect_unit == 1.0 else None,
    )


def _runs(n_runs: int | str | None, metric: Metric) -> int | None:
    """Return the number of answers of each system to an item; None for the number of ratings."""
    if not metric.needs_gold:
        if n_runs is not None:
            raise NbykError(
                f"found {n_runs}, but {metric.name} needs no gold: people rate either system's answers K "
                "times; leave it out, or choose a metric that needs gold",
                argument="n_runs",
            )
        return None
    if n_runs == "K":
        return None
    if n_runs is None:
        return 1
    if isinstance(n_runs, str) or n_runs < 1 or n_runs != int(n_runs):
        raise NbykError(
            f"found {n_runs}, expected a whole number of at least 1, or K for as many as ratings per item",
            argument="n_runs",
        )
    return int(n_runs)


def _solve(search: PlanSearch, opened: str, precision: float) -> Solution:
    if opened == "power":
        return search.power_of_size(precision)
    if opened == "epsilon":
        return search.smallest_epsilon(precision)
    if opened == "n_items":
        return search.least_items(precision)
    if opened == "k_responses":
        return search.least_responses(precision)
    return search.cheapest_size(precision)


def _effect(asked: Request, answer: Solution, seed: int, unit: float) -> float | None:
    try:
        return unit * long_run_effect(asked.population(2, 1, answer.epsilon), asked.test.metric, seed)
    except NbykError:
        return None
