"""The planner of items and ratings, in the manner of statsmodels' ``solve_power``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.planning.checks import check_runs
from nbyk.planning.long_run import epsilon_for_effect, long_run_effect
from nbyk.planning.pairs import better_first
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import check_precision
from nbyk.planning.request import MAX_ITEMS, MAX_RESPONSES, Request, check_numbers
from nbyk.planning.result import Plan
from nbyk.planning.search import PlanSearch
from nbyk.planning.sides import check_side
from nbyk.planning.simulation import PlanSimulation
from nbyk.priors import TwoStagePrior
from nbyk.resampling.pilot_items import PilotItems
from nbyk.resampling.streams import as_seed
from nbyk.testing.pvalues import Alternative

if TYPE_CHECKING:
    from nbyk.planning.ranking import Ranking


@overload
def plan(prior: TwoStagePrior | PilotItems, *, metric: str | Metric = ..., **asked: Any) -> Plan: ...


@overload
def plan(
    prior: TwoStagePrior | PilotItems, *, metric: Sequence[str | Metric], **asked: Any
) -> Plan | Ranking: ...


def plan(  # type: ignore[misc]  # it names what the overloads leave to **asked
    prior: TwoStagePrior | PilotItems,
    *,
    metric: str | Metric | Sequence[str | Metric] = "mae",
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
    max_items: int = MAX_ITEMS,
    max_responses: int = MAX_RESPONSES,
    precision: float = 0.01,
    n_resamples: int = 10_000,
    curves: bool = False,
    seed: Any = 0,
    threads: int = 1,
    progress: Callable[[str], object] | None = None,
) -> Plan | Ranking:
    """Solve for the one of N, K, ε, power and budget that is left open, by simulation.

    Parameters
    ----------
    prior
        The source of items and responses: a published prior, one fitted to a pilot, or the pilot's own items.
        If the pilot has systems (`PilotItems.systems`), these replace ε and all assumptions about the two; A
        is the one that looks better.
    metric, test, alpha, n_resamples
        The test that should find the difference, as for `nbyk.power_of_test`. With several
        metrics, nbyk ranks them at one size and ε (`nbyk.planning.ranking.rank`).
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
        Of several metrics, `nbyk.plan` returns a `nbyk.planning.ranking.Ranking`.

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
    given = {name: value for name, value in locals().items() if name not in ("prior", "metric")}
    if not isinstance(metric, str | Metric):
        from nbyk.planning.ranking import rank

        if len(metric) != 1:
            return rank(prior, metric, **given)
        (metric,) = metric
    check_precision(precision)
    check_side(alternative)
    seed = as_seed(seed)
    if not 0.0 < effect_unit < math.inf:
        raise NbykError(f"found {effect_unit}, expected a number above 0", argument="effect_unit")
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
    search = PlanSearch(PlanSimulation(asked.sized(), seed=seed, threads=threads, report=progress))
    solved = _solve(search, opened, precision)
    return replace(
        solved,
        request=asked,
        effect=_effect(solved, seed, effect_unit),
        asked_effect=effect,
        curves=search.figure_curves(solved) if curves else (),
        seed=seed,
        scale=(0.0, 1.0) if effect_unit == 1.0 else None,
    )


def check_settings(
    metric: Metric,
    *,
    test: str,
    alpha: float,
    alternative: Alternative,
    n_resamples: int,
    precision: float,
    n_runs: int | str | None,
    **numbers: Any,
) -> None:
    """Raise NbykError if an argument of `plan` is out of range, whatever the prior.

    Parameters
    ----------
    metric, test, alpha, alternative, n_resamples, precision, n_runs
        As for `plan`.
    numbers
        The other numbers, as for `nbyk.planning.request.check_numbers`.
    """
    check_precision(precision)
    check_side(alternative)
    SystemTest(test, metric, alpha, alternative, n_resamples)
    _runs(n_runs, metric)
    check_numbers(alpha=alpha, **numbers)


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
    check_runs(n_runs)
    return int(n_runs)


def _solve(search: PlanSearch, opened: str, precision: float) -> Plan:
    if opened == "power":
        return search.power_of_size(precision)
    if opened == "epsilon":
        return search.smallest_epsilon(precision)
    if opened == "n_items":
        return search.least_items(precision)
    if opened == "k_responses":
        return search.least_responses(precision)
    return search.cheapest_size(precision)


def _effect(solved: Plan, seed: int, unit: float) -> float | None:
    asked = solved.request
    try:
        return unit * long_run_effect(asked.population(2, 1, solved.epsilon), asked.test.metric, seed)
    except NbykError:
        return None
