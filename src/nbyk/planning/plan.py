"""The planner: a request with one unknown, in the manner of statsmodels' ``solve_power``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from nbyk.data.judged import JudgedSystems
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_set
from nbyk.data.scales import GivenScale, as_scale
from nbyk.errors import NbykError, argument_with, renaming
from nbyk.metrics import Metric, get
from nbyk.metrics.registry import kind_scored, usual_metric
from nbyk.planning.assurance import assured_size
from nbyk.planning.closed_form import plan_by_formula, solved_for
from nbyk.planning.long_run import ends_of, epsilon_for_effect, long_run_effect, unit_of
from nbyk.planning.pilot import Pilot
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import check_precision
from nbyk.planning.rated_labels import plan_by_raters
from nbyk.planning.request import Request, Simulated, noun_of, request_of, typed_in
from nbyk.planning.result import Plan
from nbyk.planning.search import PlanSearch
from nbyk.planning.simulation import PlanSimulation
from nbyk.priors.nominal import LabelPrior
from nbyk.priors.prior import ItemSource
from nbyk.resampling.labels import LabelledItems
from nbyk.resampling.pilot_items import ENOUGH_RATINGS, PilotItems
from nbyk.resampling.resample import observed_effects
from nbyk.resampling.streams import as_seed
from nbyk.testing.pvalues import Alternative
from nbyk.testing.shared_units.collection import Spread, check_count

Source = ItemSource | Spread | ResponseSet | JudgedSystems | Pilot
_SIMULATED_ONLY = ("n_runs", "epsilon_a", "test", "precision", "n_resamples")
_PRECISION = 0.01

_SHARED_ONLY = (
    *("raters", "items_per_rater", "runs", "items_per_cluster", "calls"),
    *("cost_per_rater", "cost_per_run", "cost_per_call"),
)


def plan(
    source: Source,
    *,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    test: str = "swap_items",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    solve: str | None = None,
    n_items: int | None = None,
    k_responses: int | None = None,
    raters: int | None = None,
    items_per_rater: int | None = None,
    runs: int | None = None,
    items_per_cluster: int | None = None,
    calls: int | None = None,
    epsilon: float | None = None,
    effect: float | None = None,
    scale: GivenScale | None = None,
    power: float | None = None,
    budget: float | None = None,
    cost_per_item: float = 0.0,
    cost_per_rating: float = 1.0,
    cost_per_rater: float | None = None,
    cost_per_run: float | None = None,
    cost_per_call: float | None = None,
    n_runs: int | Literal["K"] | None = None,
    epsilon_a: float = 0.0,
    max_items: int | None = None,
    max_responses: int | None = None,
    precision: float | None = None,
    n_resamples: int = 10_000,
    curves: bool = False,
    seed: Any = 0,
    threads: int = 1,
    progress: Callable[[str], object] | None = None,
) -> Plan:
    """Solve for what is left open of a collection, a difference, a power and a budget.

    If one quantity is open, nbyk solves for it. If several numbers are, it finds the cheapest collection with
    the power, or with a budget the best that it buys.

    Parameters
    ----------
    source
        Where items and their variance come from. The power has a closed form if items share raters or runs:
        for the variances of an effect (`nbyk.Spread`), or for a pilot of two systems with ids
        (`nbyk.response_set`), whose variances, sizes and effect stand in for what you do not give. It is
        simulated, with other raters and runs on every item, for a published prior, one fitted to a pilot, or
        a pilot's own items (`nbyk.PilotItems`). If you ask about raters of labels, the source is a prior
        fitted to labels with ids, or a pilot with such a prior. If these have systems, they replace ε and all
        assumptions about the two; A is the one that looks better. For people and a judge
        (`nbyk.read_judged`), the plan is that of `nbyk.compare_judged` for the best two systems, or for one
        system's mean.
    metric, test, alpha, n_resamples
        The test that should find the difference, as for `nbyk.power_of_test`. With several metrics, at one
        size and ε, the plan is by the one with the largest power, and those by the others are beside it
        (`Plan.others`). In closed form it is that of `nbyk.compare`, over new items, raters and runs.
    alternative
        "two-sided", as `nbyk.compare` tests by default, or "greater": that A is better.
    solve
        The number that you want to know of a pilot: "raters", "runs", "items", "ratings" or "calls". Other
        numbers that you do not give are then the pilot's.
    n_items, k_responses
        Items N and ratings per item K, of gold or, without gold, of each system's answer.
    raters, runs, items_per_rater, items_per_cluster
        Raters J in all, who share the items, K of them each (or in their place the items L that one person
        rates), runs R of each system on all items, and items in a cluster. With J alone, K is the pilot's, or
        all raters rate all items. Raters or runs with neither a number, a variance nor a
        price are no unit: each rating or answer has its own.
    epsilon
        Half-width ε_B of the perturbation of B's item means, up to the length of the scale. On a metric that
        needs no gold, such as `mean`, noise in the means does not make B worse, so ε is a shift of all of
        them.
    effect
        The effect on the metric: of simulated systems, instead of ε, that in the long run, K → ∞; of two real
        ones that of their responses.
    scale
        The scale of the ratings, as for `nbyk.compare`: "1..5". ε, the effect and all that the plan says are
        then in its unit; without it, in that of responses from 0 to 1. Variances are in your unit anyway.
    power
        The power, between α and 1.
    budget
        The budget for everything that costs.
    calls
        Calls of a judge in all, if people correct one.
    cost_per_item, cost_per_rating, cost_per_rater, cost_per_run, cost_per_call
        The prices. The systems' own answers are free but for a price of a run. In a simulation without gold,
        people rate the answers of each system K times, so ratings cost twice as much.
    n_runs
        In a simulation, the number of answers of each system to an item: 1 by default (a repetition would
        give the same), or more that vary as people's ratings do; "K" for the number of ratings by people.
        Without gold, K is the number of ratings of its answers, and `n_runs` has no other value.
    epsilon_a
        As for `Population`.
    max_items, max_responses
        Limits of the search.
    precision
        Stop simulating once the power's standard error is below this. By default .01. From 1,000 items on,
        the normal approximation then gives N, and with N (K + 5) above 50,000 the power is simulated to .025.
        With raters of labels, it is .019, and up to .035 for many labels.
    curves
        Whether to compute power curves for a figure too.
    seed, threads
        The answer depends on the seed, not on the threads.
    progress
        Called with a line of text for every step.

    Returns
    -------
    Plan
        What to collect, with its power.

    Raises
    ------
    NbykError
        If more or less than one quantity is open, a number is out of range, a name is unknown, or a simulated
        power is not reached within the limits. The message then gives the best power that is.

    Notes
    -----
    In a simulation, the least N, K and ε are those where a line through the normal quantiles of simulated
    powers crosses the requested one (`RootSearch`). If K is open too, a first step compares a ladder of K: a
    normal approximation for additive metrics under sign flips (`nbyk.planning.item_moments`), coarse
    simulations for others. Full simulations then compare the best few. The power at the answer is always
    simulated on fresh test sets.

    If a pilot is the source and you state the difference, the plan has another one beside it (`assured`): the
    one that has its power in four of five such pilots.
    """
    given = {name: value for name, value in locals().items() if name not in ("source", "metric")}
    of_labels = isinstance(source, ItemSource) and source.of_labels
    if metric is None:
        metric = usual_metric("classes" if of_labels else "numbers", has_gold=True)
    specs = [metric] if isinstance(metric, str | Metric) else list(metric)
    metrics = [_metric(spec, of_labels=of_labels) for spec in specs]
    if len(metrics) != 1:
        return _by_each(source, metrics, given)
    (chosen,) = metrics
    if isinstance(source, JudgedSystems):
        source = Pilot.of_judged(source)
    with_people = any(given[name] is not None for name in ("solve", *_SHARED_ONLY))
    if isinstance(source, LabelPrior | LabelledItems) and not source.of_pair and with_people:
        names = [name for name in _SIMULATED_ONLY if name != "precision"]
        _refuse(given, names, "does not go with raters; leave it out")
        return plan_by_raters(source, chosen, given)
    if isinstance(source, Spread | ResponseSet | Pilot):
        if epsilon is not None:
            raise NbykError(
                f"found {epsilon:g}, and ε is about simulated systems; give `effect` instead, by how much A "
                "is better on the metric",
                argument="epsilon",
            )
        _refuse(
            given,
            _SIMULATED_ONLY,
            "does not go with raters and runs: their power has a closed form; leave it out",
        )
        with renaming({"ratings_per_item": "k_responses"}):
            return plan_by_formula(source, chosen, given)
    return _by_simulation(source, chosen, given)


def _metric(spec: str | Metric, *, of_labels: bool) -> Metric:
    """Return a metric; of labels, one of classes or their distributions that is a mean over items."""
    if not of_labels:
        return spec if isinstance(spec, Metric) else get(spec)
    chosen = spec if isinstance(spec, Metric) else get(spec, kind_scored(spec) or "classes")
    if not {"classes", "distributions"}.intersection(chosen.kinds):
        chosen.check_kind("classes")
    if not chosen.additive:
        raise NbykError(
            f"{chosen.name} is no mean over items, and a plan for labels takes such a mean alone; choose "
            "accuracy or js_divergence, or another one that is",
            argument="metric",
        )
    return chosen


def _by_each(source: Source, metrics: Sequence[Metric], given: Mapping[str, Any]) -> Plan:
    """Return the best plan over metrics, with those by the others: the largest power, or the lowest cost."""
    names = [metric.name for metric in metrics]
    if len(set(names)) < max(2, len(names)):
        raise NbykError(f"found {', '.join(names) or 'none'}; expected different metrics", argument="metric")
    for metric in metrics:
        if not metric.needs_gold:
            raise NbykError(
                f"found {metric.name}, which needs no gold, so ε has another meaning; plan with it alone",
                argument="metric",
            )
    if given["effect"] is not None or (given["epsilon"] is None and not _of_pair(source)):
        raise NbykError(
            "several metrics are compared at one ε: give `epsilon`, and leave out `effect`, which is of one "
            "metric"
        )
    given = {**given, "seed": as_seed(given["seed"])}
    plans = [plan(source, metric=metric, **given) for metric in metrics]
    best, *others = sorted(plans, key=lambda one: -one.power if one.open[-1] == "power" else one.cost)
    warning = "choose the metric now and keep to it: testing by several and reporting one is no valid test"
    return replace(best, others=tuple(others), warnings=(*best.warnings, warning))


def _of_pair(source: Source) -> bool:
    return isinstance(source, ItemSource) and source.of_pair


def _refuse(given: Mapping[str, Any], names: Sequence[str], why: str) -> None:
    """Raise NbykError about an argument that is not at its default."""
    defaults = plan.__kwdefaults__ or {}
    for name in names:
        if given[name] != defaults[name]:
            raise NbykError(f"found {given[name]}, which {why}", argument=name)


def _request(prior: Any, metric: Metric, given: Mapping[str, Any], typed: tuple[str, ...]) -> Request:
    """Return the request of a simulated plan, whose ε still lacks if the effect is given."""
    _refuse(
        given,
        _SHARED_ONLY,
        "goes with raters and runs that items share: give variances, or a pilot with ids, as the source",
    )
    if given["precision"] is not None:
        check_precision(given["precision"])
    unit = unit_of(as_scale(given["scale"]), getattr(prior, "response", None))
    for name in ("epsilon", "epsilon_a"):
        if unit != 1.0 and not 0.0 <= (given[name] or 0.0) <= unit * (1.0 + 1e-12):
            raise NbykError(
                f"found {given[name]}, expected a number from 0 to {unit:g}, in the unit of the scale",
                argument=name,
            )
    n_runs = given["n_runs"]
    source = Simulated(
        prior,
        SystemTest(given["test"], metric, given["alpha"], given["alternative"], given["n_resamples"]),
        _runs("K" if n_runs is None and metric.needs == "distributions" else n_runs, metric),
        given["epsilon_a"] / unit,
    )
    epsilon = None if given["epsilon"] is None else given["epsilon"] / unit
    more = {"unit": unit, "epsilon": epsilon, "noun": noun_of(metric)}
    request = request_of(source, given, 1 if metric.needs_gold else 2, typed, **more)
    if solved_for(given) in ("raters", "runs", "calls"):
        raise NbykError(
            f"found {given['solve']}, but every simulated item has its own raters and runs; give variances, "
            "or a pilot with ids, as the source",
            argument="solve",
        )
    return request


def _by_simulation(prior: Any, metric: Metric, given: dict[str, Any]) -> Plan:
    typed = typed_in(given)
    given, seed = dict(given), as_seed(given["seed"])
    if _of_pair(prior):
        prior, given["epsilon"] = _better_first(prior, metric, given), 0.0
    effect = given["effect"]
    request = _request(prior, metric, given, typed)
    world, unit = request.world, request.unit**metric.unit_power
    if effect is not None:
        both = {"epsilon": given["epsilon"], "unit": unit}
        at = epsilon_for_effect(partial(world.population, 2, 1), metric, effect / unit, seed, **both)
        request = replace(request, epsilon=at)
    opened, fewest = request.open, world.test.fewest_items
    if opened[-1] != "power" and (request.n_items or fewest) < fewest:
        raise NbykError(
            f"found {request.n_items}, on which {world.test.name} cannot reject at α = {request.alpha:g}; "
            f"give at least {fewest}",
            argument="n_items",
        )
    precision = given["precision"]
    simulation = PlanSimulation(
        request,
        seed=seed,
        threads=given["threads"],
        report=given["progress"],
        patient=precision is not None,
    )
    search = PlanSearch(simulation)
    answer = search.solved(opened, precision or _PRECISION)
    answer = replace(answer, request=request, open=opened, asked_effect=effect, seed=seed)
    if simulation.is_large(answer.n_items, answer.k_responses):
        finely = argument_with("precision", f"{_PRECISION:g}")
        answer = replace(
            answer,
            warnings=(
                "so many ratings take minutes to simulate: a normal approximation stands for the search, and "
                f"{answer.simulated.n_sets if answer.simulated else 0} test sets check its power; {finely} "
                "simulates all of it",
            ),
        )
    if not world.of_pair:
        answer = replace(answer, assured=assured_size(answer, seed))
        if isinstance(prior, PilotItems) and metric.needs_gold:
            answer = replace(answer, warnings=(*answer.warnings, *_about_few_ratings(prior)))
    return replace(
        answer,
        effect=_effect(answer, seed, unit),
        curves=search.figure_curves(answer) if given["curves"] else (),
        scale=ends_of(given["scale"]),
    ).in_unit(request.unit)


def _about_few_ratings(pilot: PilotItems) -> Iterator[str]:
    """Yield a caution if a pilot has so few ratings of an item that how people differ is hardly known."""
    if pilot.ratings_each < ENOUGH_RATINGS:
        yield (
            f"the pilot has {pilot.ratings_each:.2g} ratings of an item, which tell little of how people "
            "differ on it: such plans of .8 had a power of .76 to .83 on average, "
            "but of .47 where people are of two camps (docs/planning.md)"
        )


def _better_first(pilot: Any, metric: Metric, given: Mapping[str, Any]) -> Any:
    """Return a pilot whose system A is the one that looks better, with gold only if the metric needs it."""
    for name in ("epsilon", "effect", "n_runs", "epsilon_a"):
        if given[name] is not None and (name != "epsilon_a" or given[name]):
            takes = 'leave it out, or plan for people with `solve="raters"`, which takes it'
            raise NbykError(
                f"found {given[name]}, but the two systems are given, with the difference that they show; "
                f"{takes if name == 'effect' else 'leave it out'}",
                argument=name,
            )
    if pilot.of_labels:
        effect = pilot.effect(metric)
        if effect == 0.0:
            raise _no_difference(pilot, metric)
        return pilot if effect > 0.0 else pilot.swapped()
    if not metric.needs_gold:
        pilot = replace(pilot, ratings=None)
    elif pilot.ratings is None:
        raise NbykError(f"metric {metric.name} needs gold ratings, but the pilot has none; give them")
    a, b = pilot.pair
    if metric.needs == "responses" and pilot.ratings is not None and pilot.answers.shape[-1] != a.shape[1]:
        raise NbykError(
            f"metric {metric.name} needs every answer, but some items have fewer than others; choose "
            "another metric, or keep items with all answers"
        )
    effect = float(observed_effects(response_set(pilot.ratings, a, b), metric)[0])
    if effect == 0.0:
        raise _no_difference(pilot, metric)
    if effect > 0.0:
        return pilot
    return replace(pilot, systems=(b, a), system_names=pilot.system_names[::-1])


def _no_difference(pilot: Any, metric: Metric) -> NbykError:
    names = " and ".join(pilot.system_names)
    return NbykError(f"{names} do not differ on {metric.name}: there is no difference to plan for")


def _runs(n_runs: object, metric: Metric) -> int | None:
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
    try:
        check_count("n_runs", n_runs, 1)
    except NbykError as error:
        raise NbykError(f"{error.problem}, or K for as many as ratings per item", argument="n_runs") from None
    return int(n_runs)  # type: ignore[call-overload,no-any-return]


def _effect(answer: Plan, seed: int, unit: float) -> float | None:
    world, epsilon = answer.request.world, answer.epsilon or 0.0
    try:
        return unit * long_run_effect(world.population(2, 1, epsilon), world.test.metric, seed)
    except NbykError:
        return None
