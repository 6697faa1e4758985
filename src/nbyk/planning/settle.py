"""The numbers of items, ratings per item, or both that would settle an undecided comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nbyk.data.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import GivenScale, Scale, as_scale
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.fitted_systems import FittedSystems
from nbyk.planning.pilot import Pilot, check_clusters
from nbyk.planning.plan import plan
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.request import MAX_ITEMS, MAX_RESPONSES, SIZES, Costs, Request, check_power
from nbyk.planning.result import Plan
from nbyk.planning.settled_sizes import Outlook, Qualities, SimulatedSizes, about_k, relative_error
from nbyk.planning.settlement import Settlement, Size
from nbyk.resampling.effects import Threads, as_metrics
from nbyk.resampling.streams import as_seed
from nbyk.testing.decision import check_level
from nbyk.testing.engine.inputs import as_response_set
from nbyk.testing.intervals import ConfidenceInterval
from nbyk.testing.pvalues import Alternative, tie_tolerance
from nbyk.testing.results import Pair
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, Crew, check_count
from nbyk.testing.shared_units.power import Aim
from nbyk.testing.systems.compare import compare
from nbyk.testing.systems.evidence import item_effects
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.systems.variance import variance_shares
from nbyk.testing.unit_cautions import about_units, named_units
from nbyk.words import listed

NULLS = ("swap_items", "shifted")
_RESAMPLES = 1_999


def settle(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metric: str | Metric = "mae",
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float = 0.95,
    scale: GivenScale | None = None,
    cost_per_item: float = 0.0,
    cost_per_rating: float = 1.0,
    max_items: int = MAX_ITEMS,
    max_responses: int = MAX_RESPONSES,
    n_resamples: int = 9_999,
    pair_runs: bool = False,
    seed: Any = 0,
    threads: Threads = 1,
) -> Settlement:
    """Return the number of items or ratings that would decide a comparison, if the effect stays as it is.

    Parameters
    ----------
    gold, a, b, cluster, metric, alternative, alpha, confidence_level, n_resamples, pair_runs, seed, threads
        As for `nbyk.compare`.
    null
        "swap_items" or "shifted": that A and B are equally good.
    power
        The requested power, between α and 1.
    scale
        The scale of the ratings before they were put on [0, 1]. Without it, they are taken as numbers in [0,
        1], or as yes and no if gold has only 0 and 1.
    cost_per_item, cost_per_rating
        A size costs N (cost_per_item + K cost_per_rating).
    max_items, max_responses
        The largest N and K that are realistic.

    Raises
    ------
    NbykError
        As `nbyk.compare`, or if the null, the power or a cost is out of range, or there are too few clusters
        for a claim about others.

    Notes
    -----
    The standard error of the effect, s/√N, is that of its bootstrap. With z for the level and for the power,
    an effect δ needs N = ((z_α + z_power) s/δ)² items (two-sided, z of α/2). The changes of δ and s with K
    come from populations like the data (`FittedSystems`): a prior fitted to gold, A perturbed to its mean
    squared error, and B to the effect. More ratings remove the part of A's error that is noise, and this part
    is uncertain. The power at another K is therefore the mean over three populations, with A's error as it is
    and √3 standard errors to each side. If the data's s differs from the population's by three standard
    errors (real systems err on the same items), the data's s is kept. One item of the data then equals a
    number of population items: the ratio of the squares. The power at the answers is simulated. An answer
    must reach the requested power within twice its Monte-Carlo error. If it does not, as with effects of few
    values, N or K grows. Without gold, the effect of an additive metric does not change with K, and its
    variance changes as `variance_shares` shows.

    The effect itself is uncertain, and the size with it (Hoenig and Heisey 2001, The abuse of power):
    `least_items` is the N needed even at the far end of the interval.

    If items come in clusters, whole clusters are drawn. The plan then only adds clusters, each with the
    present mean number of items.

    Those sizes are for the claim over only new items, or clusters of them. If items share raters or runs, all
    sizes are for the claim over new ones too, by the closed form of `nbyk plan` (`people` says them).
    """
    if null not in NULLS:
        raise NbykError(
            f"found {null!r}, expected {' or '.join(NULLS)}, which test whether A and B are equally good",
            argument="null",
        )
    check_level(alpha)
    check_power(power, alpha)
    costs = Costs(cost_per_item, cost_per_rating)
    costs.check_of_size()
    check_count("max_items", max_items, 2)
    check_count("max_responses", max_responses, 1)
    (chosen,) = as_metrics(metric)
    data, seed = as_response_set(gold, a, b, cluster=cluster), as_seed(seed)
    check_clusters(data)
    result = compare(
        data,
        metric=chosen,
        null=null,
        alternative=alternative,
        alpha=alpha,
        confidence_level=confidence_level,
        generalise=("items", "clusters") if data.n_clusters else ("items",),
        n_resamples=n_resamples,
        pair_runs=pair_runs,
        seed=seed,
        threads=threads,
    ).pair
    rated = data.gold if data.has_gold else data.a
    found = Settlement(
        metric=chosen.name,
        effect=_unless_rounding(result.effect, result),
        interval=_interval(result),
        p=result.claims[-1].p,
        alternative=alternative,
        alpha=alpha,
        target=power,
        decided=result.significant,
        n_items=data.n_items,
        n_clusters=data.n_clusters,
        k_responses=float((~np.isnan(rated)).sum(axis=1).mean()),
        max_items=max_items,
        max_responses=max_responses,
    )
    found, over_people = _with_people(data, chosen, found, pair_runs=pair_runs)
    if result.significant or over_people:
        return replace(found, of_people=over_people)
    settled = _settled(found, result, data, chosen, costs, as_scale(scale), threads)
    sharing = about_units(named_units(data), data.n_items, has_gold=data.has_gold, claim="size")
    return replace(settled, warnings=(*settled.warnings, *sharing))


def _settled(
    found: Settlement,
    result: Pair,
    data: ResponseSet,
    metric: Metric,
    costs: Costs,
    scale: Scale | None,
    threads: Threads,
) -> Settlement:
    """Return the sizes that would settle an undecided comparison."""
    spread = _unless_rounding(float(_drawn(result)[1].std(ddof=1)), result)
    outlook = Outlook.of(found, spread, result.question.test)
    found = replace(found, power=outlook.power(found.n_items), least_items=outlook.least_items())
    if outlook.effect <= 0.0:
        return found
    found = replace(found, items=outlook.size(outlook.items_for(), found.k_responses))
    if found.n_clusters:
        size = f"{found.n_items / found.n_clusters:.3g} items each"
        return replace(found, warnings=(f"nbyk plans only more clusters, with {size} like the present ones",))
    try:
        if outlook.spread == 0.0:
            raise NbykError("the effect is the same on every bootstrapped test set")
        if not metric.needs_gold:
            return _from_shares(found, outlook, data, metric, costs, result.question.seed)
        towards_a = result.effect > 0.0
        seen = data if towards_a else ResponseSet(data.gold, data.b, data.a)
        fitted = FittedSystems.of(seen, metric, abs(result.effect), scale, result.question.seed)
    except NbykError as error:
        return replace(found, warnings=(f"nbyk can plan only more items: {error}",))
    n_resamples = max(_RESAMPLES, math.ceil(1.0 / found.one_sided_alpha))
    test = SystemTest(result.question.test, metric, found.one_sided_alpha, n_resamples=n_resamples)
    of_spread = relative_error(item_effects(data, metric))
    return SimulatedSizes(fitted.beside(seen), outlook, of_spread, test, threads).settled(found, costs)


def _unless_rounding(value: float, result: Pair) -> float:
    """Return an effect, or 0 if it is a rounding error for scores or effects of that size."""
    scores = [score for score in result.scores if score is not None]
    tolerance = tie_tolerance(*_drawn(result), np.array([0.0, *scores]))
    return 0.0 if abs(value) <= tolerance else value


def _interval(result: Pair) -> ConfidenceInterval:
    low, high = (_unless_rounding(end, result) for end in result.claims[-1].interval)
    sampler = "" if result.drawn is None else result.drawn.sampler
    return ConfidenceInterval(low, high, result.question.confidence_level, "percentile", sampler)


def _drawn(result: Pair) -> tuple[Floats, Floats]:
    """Return the effects under the null, and of bootstrapped test sets."""
    drawn = result.drawn
    assert drawn is not None
    assert drawn.null is not None
    assert drawn.bootstrapped is not None
    return drawn.null, drawn.bootstrapped


def _from_shares(
    found: Settlement,
    outlook: Outlook,
    data: ResponseSet,
    metric: Metric,
    costs: Costs,
    seed: int,
) -> Settlement:
    """Return the answer for an additive metric without gold, whose effect is the same at every K."""
    shares = variance_shares(None, data.a, data.b, metric=metric, seed=seed)
    items = shares.items.share if shares.a.share is not None or shares.b.share is not None else None
    if items is None:
        raise NbykError("one response per item does not show how more would help")
    k_now, of_items = found.k_responses, items

    def quality(k: float) -> Qualities:
        return ((1.0, 1.0 / math.sqrt(of_items + (1.0 - of_items) * k_now / k)),)

    wanted = found.n_items / outlook.items_for() - of_items
    k_responses = (1.0 - of_items) * k_now / wanted if wanted > 0.0 else math.inf
    responses = None
    if k_responses <= found.max_responses:
        k = math.ceil(k_responses)
        responses = Size(found.n_items, k, outlook.power(found.n_items, quality(k)), None)
    both = outlook.cheapest(k_now, quality, costs, found.max_responses)
    found = replace(found, responses=responses, both=both)
    return replace(found, warnings=about_k(found))


def _with_people(
    data: ResponseSet, metric: Metric, found: Settlement, *, pair_runs: bool
) -> tuple[Settlement, bool]:
    """Return what would settle the claim over new items, raters and runs, and whether that is the answer.

    It is not if items share neither raters nor runs, if that claim is settled, or if the metric jumps. The
    effect is taken to stay as it is, with the variance that a comparison with ids shows
    (`nbyk.testing.shared_units.power`).
    """
    panel = panel_of(data, None, pair_runs=pair_runs)
    if panel.responses is None or not panel.sources:
        return found, False
    over = f"For {panel.population(panel.sources, of_clusters=panel.of_clusters)}"
    few = [source for source in panel.sources if panel.size(source) < FEWEST_UNITS]
    if few:
        named = " and ".join(f"{panel.size(source)} {panel.in_words(source)}" for source in few)
        return replace(
            found, people=f"{over}, {named} cannot settle it: they cannot speak for others."
        ), False
    if metric.smoothness == "jumps":
        return found, False  # its parts are far off, and so would be the numbers
    test, alternative = shared_units_test(metric, panel.responses), found.alternative
    if test.p_value(alternative) <= found.alpha:
        p = f"{test.p_value(alternative):.3g}"
        return replace(found, people=f"{over}, there is nothing to settle (p = {p})."), False
    if test.effect == 0.0 or (
        alternative != "two-sided" and (test.effect > 0.0) != (alternative == "greater")
    ):
        return found, False
    pilot = Pilot((data,), metric, pair_runs=pair_runs)
    aim = Aim(
        pilot.spread,
        pilot.crew,
        pilot.effect,
        max(found.target, 1.001 * found.alpha),
        found.alpha,
        "two-sided" if alternative == "two-sided" else "greater",
    )
    now = aim.now
    question: dict[str, Any] = {"power": aim.power, "alpha": aim.alpha, "alternative": aim.alternative}
    numbers = {"items": "n_items", "ratings": "k_responses", "raters": "raters", "runs": "runs"}
    if now.raters and now.ratings_per_item >= now.raters:
        del numbers["ratings"]
    plans = {
        name: plan(pilot, solve=word, **question)
        for word, name in numbers.items()
        if name not in ("raters", "runs") or getattr(now, name)
    }
    limits = {"n_items": found.max_items, "k_responses": found.max_responses}
    hopeless = [SIZES[name] for name, way in plans.items() if not way.reachable]
    least_within = {
        name: way.number(name)
        for name, way in plans.items()
        if way.reachable and way.number(name) <= limits.get(name, way.number(name))
    }
    ways = [
        f"{count} {SIZES[name]}{' of each system' * (name == 'runs')}" for name, count in least_within.items()
    ]
    if ways:
        no = f"; more {_any_of(hopeless)} alone would not" if hopeless else ""
        says = f"{over}, it takes {' or '.join(ways)} in all (t, power {found.target:g}){no}."
    elif not hopeless:
        says = (
            f"{over}, no number of items or ratings within the limits settles it (t, power {found.target:g})."
        )
    else:
        says = f"{over}, more {_any_of(hopeless)} alone would not settle it{_together(aim)}."

    ratings = {"n_items": found.k_responses, "k_responses": least_within.get("k_responses", 0)}
    sizes = {
        name: Size(plans[name].n_items, ratings[name], plans[name].power, None)
        for name in ratings
        if name in least_within
    }
    return replace(
        found,
        people=says,
        power=aim.reached(now),
        items=sizes.get("n_items"),
        responses=sizes.get("k_responses"),
    ), True


def _together(aim: Aim) -> str:
    """Return how many items, raters and runs settle it together; "" if far too many."""
    crew = aim.together()
    if crew is None:
        return ""
    parts = [f"{crew.n_items} items"]
    parts += [f"{crew.raters} raters"] if crew.raters else []
    parts += [f"{crew.runs} runs of each system"] if crew.runs else []
    return f"; {listed(parts)} together would (t, power {aim.power:g})"


def _any_of(names: Sequence[str]) -> str:
    """Return names as an English list of alternatives."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def plan_of_strangers(pilot: Pilot, solve: str, asked: Mapping[str, Any]) -> Plan | None:
    """Return the plan of a pilot whose items share neither raters nor runs, for the effect that it shows.

    It is that of `settle`. None if that has no least number of items, because the effect is already found.

    Parameters
    ----------
    solve
        "n_items" or "k_responses".
    asked
        The arguments of `nbyk.plan`.
    """
    if asked["power"] is None or asked["alternative"] == "less":
        return None
    names = ("alpha", "alternative", "power", "cost_per_item", "cost_per_rating", "seed", "threads")
    found = settle(
        pilot.data,
        metric=pilot.metric,
        scale=pilot.scale,
        max_items=asked["max_items"] or MAX_ITEMS,
        max_responses=asked["max_responses"] or MAX_RESPONSES,
        **{name: asked[name] for name in names},
    )
    size = found.items if solve == "n_items" else found.responses
    if size is None and solve == "k_responses":
        why = found.warnings[0] if found.warnings else found.sentence
        raise NbykError(
            f"found ratings, but no number of them is known to settle it: {why}", argument="solve"
        )
    if size is None:
        return None
    k, effect = max(1, round(size.k_responses)), pilot.unit * abs(found.effect)
    numbers = {"n_items": found.n_items, "k_responses": max(1, round(found.k_responses)), solve: None}
    given: dict[str, Any] = {**numbers, **{name: asked[name] for name in ("power", "alpha", "alternative")}}
    request = Request(
        source=pilot.spread,
        raters=0,
        runs=0,
        effect=effect,
        items_per_cluster=pilot.crew.items_per_cluster,
        costs=Costs(asked["cost_per_item"], asked["cost_per_rating"]),
        **given,
    )
    crew = Crew(size.n_items, 0, k, 0, pilot.crew.items_per_cluster)
    return Plan.by_formula(request, crew, size.power, warnings=found.warnings)
