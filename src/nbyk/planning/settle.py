"""The numbers of items, ratings per item, or both that would settle an undecided comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from nbyk.data.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import FROM_0_TO_1, GivenScale, Scale, as_scale
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.fitted_systems import FittedSystems
from nbyk.planning.long_run import ends_of, unit_of
from nbyk.planning.pilot import Pilot, check_clusters
from nbyk.planning.plan import plan
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.request import MAX_ITEMS, MAX_RESPONSES, SIZES, Costs, Request, check_power
from nbyk.planning.result import Plan
from nbyk.planning.settled_sizes import (
    Outlook,
    Present,
    Qualities,
    SimulatedSizes,
    Size,
    Sizes,
    about_k,
    relative_error,
)
from nbyk.resampling.effects import Threads, as_metrics
from nbyk.resampling.streams import as_seed
from nbyk.testing.decision import check_level
from nbyk.testing.engine.inputs import as_response_set
from nbyk.testing.pvalues import Alternative, tie_tolerance
from nbyk.testing.results import Pair
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, Crew, check_count, too_few
from nbyk.testing.shared_units.power import Aim
from nbyk.testing.systems.compare import compare
from nbyk.testing.systems.items_alone import item_effects
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.systems.variance import variance_shares
from nbyk.testing.unit_cautions import about_units, named_units
from nbyk.words import listed, number

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
) -> Plan:
    """Return the plan that would decide a comparison, if the effect stays as it is.

    It is the plan by the number that is enough by itself: of items, ratings per item, raters or runs, in this
    order. Those by the others are beside it (`Plan.others`), and the present size with its power
    (`Plan.present`).

    Parameters
    ----------
    gold, a, b, cluster, metric, alternative, alpha, confidence_level, n_resamples, pair_runs, seed, threads
        As for `nbyk.compare`.
    null
        "swap_items" or "shifted": that A and B are equally good.
    power
        The requested power, between α and 1.
    scale
        The scale of the ratings before they were put on [0, 1], in whose unit the plan is: that which they
        carry if none is given. Without one, they
        are taken as numbers in [0, 1], or as yes and no if gold has only 0 and 1.
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

    The effect itself is uncertain, and the size with it (Hoenig and Heisey 2001, The abuse of power).

    If items come in clusters, whole clusters are drawn. The plan then only adds clusters, each with the
    present mean number of items.

    Those sizes are for the claim over only new items, or clusters of them. If items share raters or runs, all
    numbers are for the claim over new ones too, by the closed form of `nbyk.plan`.
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
    declared = as_scale(scale) or (None if data.scale == FROM_0_TO_1 else data.scale)
    data = replace(data, scale=FROM_0_TO_1)  # its effects are on [0, 1]; the pilot has the unit
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
    now = Present(
        _unless_rounding(result.effect, result),
        _interval(result),
        alternative,
        alpha,
        power,
        data.n_items,
        float((~np.isnan(rated)).sum(axis=1).mean()),
        data.n_clusters,
        max_items,
        max_responses,
    )
    pilot = Pilot(
        (data,), chosen, pair_runs=pair_runs, unit=unit_of(declared) ** chosen.unit_power, scale=declared
    )
    broad, note = _over_people(pilot, now)
    if broad is not None:
        return broad
    made = partial(_plan_of_items, pilot, now, costs)
    if result.significant:
        p = number(result.claims[-1].p)
        return made({}, reason=f"Collect nothing more: p = {p} is already at most α = {alpha:g}.")
    sizes, details = _sizes(now, result, data, chosen, costs, declared, threads)
    sharing = about_units(named_units(data), data.n_items, has_gold=data.has_gold, claim="size")
    details["warnings"] = (*details["warnings"], *note, *sharing)
    if not sizes and "reason" not in details:
        details["reason"] = (
            f"Neither {max_items} items nor {max_responses} ratings per item are enough."
            if chosen.needs_gold and not now.n_clusters
            else f"Even {max_items} items are not enough."
        )
    return made(sizes, **details)


def _plan_of_items(pilot: Pilot, now: Present, costs: Costs, sizes: Sizes, **details: Any) -> Plan:
    """Return the plan for new items alone: by the first of the sizes, with the others beside it."""
    per_cluster = round(now.n_items / now.n_clusters) if now.n_clusters else 1
    numbers: dict[str, Any] = {"n_items": now.n_items, "k_responses": max(1, round(now.k_responses))}
    given: dict[str, Any] = {
        "alpha": now.alpha,
        "alternative": "two-sided" if now.alternative == "two-sided" else "greater",
        "effect": pilot.unit * abs(now.effect) or None,
        "items_per_cluster": per_cluster,
        "costs": replace(costs, rated_systems=1 if pilot.metric.needs_gold else 2),
    }
    shown: dict[str, Any] = {"metric": pilot.metric.name, "scale": ends_of(pilot.scale)}
    bare = Request(source=pilot.spread, raters=0, runs=0, **numbers, **given)
    crew = Crew(now.n_items, 0, numbers["k_responses"], 0, per_cluster)
    power_now = details.pop("power_now", math.nan)
    present = Plan(bare, crew, power_now, power_now, power_now, ("power",), bare.effect, **shown)
    plans = []
    for name, size in sizes.items():
        opened = ("n_items", "k_responses") if name == "both" else (name,)
        request = replace(bare, power=now.target, **dict.fromkeys(opened))  # type: ignore[arg-type]
        to_collect = replace(crew, n_items=size.n_items, ratings_per_item=max(1, round(size.k_responses)))
        more = {"simulated": size.simulated, "present": present, **shown}
        plans.append(replace(Plan.by_formula(request, to_collect, size.power, **more), open=opened))
    if not plans:
        return replace(present, reachable=False, present=present, **details)
    return replace(plans[0], others=tuple(plans[1:]), **details)


def _sizes(
    now: Present,
    result: Pair,
    data: ResponseSet,
    metric: Metric,
    costs: Costs,
    scale: Scale | None,
    threads: Threads,
) -> tuple[Sizes, dict[str, Any]]:
    """Return the sizes that would settle an undecided comparison, and further attributes of their plan."""
    spread = _unless_rounding(float(_drawn(result)[1].std(ddof=1)), result)
    outlook = Outlook.of(now, spread, result.question.test)
    details: dict[str, Any] = {
        "power_now": outlook.power(now.n_items),
        "least_items": outlook.least_items(),
        "warnings": (),
    }
    if outlook.effect <= 0.0:
        why = "is 0" if now.effect == 0.0 else "points to the other side"
        return {}, details | {"reason": f"No size would show it: the difference on {metric.name} {why}."}
    items = outlook.size(outlook.items_for(), now.k_responses)
    sizes = {} if items is None else {"n_items": items}
    if now.n_clusters:
        per_cluster = f"{now.n_items / now.n_clusters:.3g} items each"
        return sizes, details | {"warnings": (f"nbyk plans only more clusters, with {per_cluster}",)}
    try:
        if outlook.spread == 0.0:
            raise NbykError("the effect is the same on every bootstrapped test set")
        if not metric.needs_gold:
            sizes |= _from_shares(now, outlook, data, metric, costs, result.question.seed)
        else:
            seen = data if result.effect > 0.0 else ResponseSet(data.gold, data.b, data.a)
            fitted = FittedSystems.of(seen, metric, abs(now.effect), scale, result.question.seed)
            n_resamples = max(_RESAMPLES, math.ceil(1.0 / now.one_sided_alpha))
            test = SystemTest(result.question.test, metric, now.one_sided_alpha, n_resamples=n_resamples)
            of_spread = relative_error(item_effects(data, metric))
            simulated = SimulatedSizes(fitted.beside(seen), outlook, of_spread, test, threads)
            sizes = simulated.settled(now, items, costs)
            caution = fitted.population.prior.caution
            details["warnings"] = (caution,) if caution else ()
    except NbykError as error:
        return sizes, details | {"warnings": (f"nbyk can plan only more items: {error}",)}
    return sizes, details | {"warnings": (*details["warnings"], *about_k(now, sizes))}


def _unless_rounding(value: float, result: Pair) -> float:
    """Return an effect, or 0 if it is a rounding error for scores or effects of that size."""
    scores = [score for score in result.scores if score is not None]
    tolerance = tie_tolerance(*_drawn(result), np.array([0.0, *scores]))
    return 0.0 if abs(value) <= tolerance else value


def _interval(result: Pair) -> tuple[float, float]:
    low, high = (_unless_rounding(end, result) for end in result.claims[-1].interval)
    return low, high


def _drawn(result: Pair) -> tuple[Floats, Floats]:
    """Return the effects under the null, and of bootstrapped test sets."""
    drawn = result.drawn
    assert drawn is not None
    assert drawn.null is not None
    assert drawn.bootstrapped is not None
    return drawn.null, drawn.bootstrapped


def _from_shares(
    now: Present, outlook: Outlook, data: ResponseSet, metric: Metric, costs: Costs, seed: int
) -> Sizes:
    """Return the sizes for an additive metric without gold, whose effect is the same at every K."""
    shares = variance_shares(None, data.a, data.b, metric=metric, seed=seed)
    items = shares.items.share if shares.a.share is not None or shares.b.share is not None else None
    if items is None:
        raise NbykError("one response per item does not show how more would help")
    k_now, of_items = now.k_responses, items

    def quality(k: float) -> Qualities:
        return ((1.0, 1.0 / math.sqrt(of_items + (1.0 - of_items) * k_now / k)),)

    wanted = now.n_items / outlook.items_for() - of_items
    k_responses = (1.0 - of_items) * k_now / wanted if wanted > 0.0 else math.inf
    sizes: Sizes = {}
    if k_responses <= now.max_responses:
        k = math.ceil(k_responses)
        sizes["k_responses"] = Size(now.n_items, k, outlook.power(now.n_items, quality(k)))
    both = outlook.cheapest(k_now, quality, costs, now.max_responses)
    return sizes if both is None else sizes | {"both": both}


def _over_people(pilot: Pilot, now: Present) -> tuple[Plan | None, tuple[str, ...]]:
    """Return the plan for the claim over new items, raters and runs, if that is the answer; and a note.

    It is not if items share neither raters nor runs, if there are too few of them, if that claim is settled,
    or if the metric jumps. The effect is taken to stay as it is.
    """
    panel = panel_of(pilot.data, None, pair_runs=pilot.pair_runs)
    if panel.responses is None or not panel.sources:
        return None, ()
    few = [source for source in panel.sources if panel.size(source) < FEWEST_UNITS]
    if few:
        named = listed([f"{panel.size(source)} {panel.in_words(source)}" for source in few])
        return None, (too_few(named),)
    if pilot.metric.smoothness == "jumps":
        return None, ()  # its parts are far off, and so would be the numbers
    test = shared_units_test(pilot.metric, panel.responses)
    if test.p_value(now.alternative) <= now.alpha:
        over = panel.population(panel.sources, of_clusters=panel.of_clusters)
        return None, (f"for {over}, nothing is to settle (p = {test.p_value(now.alternative):.3g})",)
    against = now.alternative != "two-sided" and (test.effect > 0.0) != (now.alternative == "greater")
    if test.effect == 0.0 or against:
        return None, ()
    question: dict[str, Any] = {
        "power": max(now.target, 1.001 * now.alpha),
        "alpha": now.alpha,
        "alternative": "two-sided" if now.alternative == "two-sided" else "greater",
        "scale": pilot.scale,
    }
    crew = pilot.crew
    words = {"items": "n_items", "ratings": "k_responses", "raters": "raters", "runs": "runs"}
    if crew.raters and crew.ratings_per_item >= crew.raters:
        del words["ratings"]
    plans = [plan(pilot, solve=word, **question) for word, name in words.items() if _counts(crew, name)]
    present = replace(
        plans[0],
        crew=crew,
        power=plans[0].request.power_of(crew),
        open=("power",),
        reachable=True,
        others=(),
    )
    limits = {"n_items": now.max_items, "k_responses": now.max_responses}
    enough = [
        way for way in plans if way.reachable and way.number(way.open[0]) <= limits.get(way.open[0], math.inf)
    ]
    if enough:
        best, *others = enough
        return replace(best, others=tuple(others), present=present), ()
    together = Aim(
        pilot.spread, crew, pilot.effect, **{k: question[k] for k in ("power", "alpha", "alternative")}
    )
    found = together.together()
    if found is None:
        return replace(plans[0], others=(), present=present), ()
    bare = replace(plans[0].request, **cast("Any", dict.fromkeys(SIZES)))
    both = Plan.by_formula(bare, found, question["power"], metric=pilot.metric.name, scale=present.scale)
    both = replace(both, open=tuple(name for name in SIZES if both.number(name) != present.number(name)))
    return replace(plans[0], others=(both,), present=present), ()


def _counts(crew: Crew, name: str) -> bool:
    return name not in ("raters", "runs") or bool(getattr(crew, name))


def plan_of_strangers(pilot: Pilot, solve: str, asked: Mapping[str, Any]) -> Plan | None:
    """Return the plan of a pilot whose items share neither raters nor runs, for the effect that it shows.

    It is that of `settle`, by "n_items" or "k_responses", with the arguments of `nbyk.plan`. None if that has
    no least number of items, because the effect is already found.
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
    way = next((one for one in (found, *found.others) if one.open == (solve,)), None)
    if way is None and solve == "k_responses":
        why = found.warnings[0] if found.warnings else found.sentence
        raise NbykError(
            f"found ratings, but no number of them is known to settle it: {why}", argument="solve"
        )
    if way is None:
        return None
    return replace(way, others=(), warnings=found.warnings)
