"""The numbers of items, ratings per item, or both that would settle an undecided comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.responses import response_set
from nbyk.data.scales import FROM_0_TO_1, GivenScale, as_scale
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.closed_form import solved
from nbyk.planning.item_moments import PowerCurve, SeenEffect, quantile
from nbyk.planning.long_run import ends_of
from nbyk.planning.pilot import Pilot, check_clusters
from nbyk.planning.plan import plan
from nbyk.planning.power.battery import SystemTest, fewest_items
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import LADDER, MAX_ITEMS, MAX_RESPONSES, SIZES, Costs, Request, Simulated, noun_of
from nbyk.planning.result import Plan
from nbyk.planning.root_search import confirmed
from nbyk.planning.search import PlanSearch
from nbyk.planning.simulation import PlanSimulation, Point
from nbyk.priors import Response
from nbyk.resampling.effects import Threads, as_metrics
from nbyk.resampling.pilot_items import PilotItems
from nbyk.resampling.streams import as_seed
from nbyk.testing.pvalues import Alternative, tie_tolerance
from nbyk.testing.results import Pair, is_behind
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, Spread, too_few
from nbyk.testing.shared_units.power import Aim
from nbyk.testing.systems.compare import compare
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.systems.variance import variance_shares
from nbyk.testing.unit_cautions import about_units, named_units
from nbyk.words import listed, number

NULLS = ("swap_items", "shifted")
_RESAMPLES = 1_999
_FAR = 3.0
_PRECISION, _ROUGHLY = 0.01, 0.025
"""The standard error of the power of more items, and of other plans or by slow tests."""
_MOST_SIMULATED = 200_000
_SHORT = 2.0
"""A simulated power may be so many standard errors below the requested one."""


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
    are those of the data's own items: drawn again, with their ratings and others that these let expect, and
    with the systems' answers, as `nbyk.plan` does for two systems. The power at the answers is simulated, and
    must be the requested one within twice its Monte-Carlo error. If it is not, as with effects of few values,
    N or K grows. Without gold, the effect of an additive metric does not change with K, and its variance
    changes as `variance_shares` shows.

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
    costs = Costs(cost_per_item, cost_per_rating)
    costs.check_of_size()
    (chosen,) = as_metrics(metric)
    data, seed = response_set(gold, a, b, cluster=cluster), as_seed(seed)
    check_clusters(data)
    rated = data.gold if data.has_gold else data.a
    k_now = float((~np.isnan(rated)).sum(axis=1).mean())
    request = Request(
        source=Spread(0.0),
        n_items=data.n_items,
        raters=0,
        k_responses=max(1, round(k_now)),
        runs=0,
        items_per_cluster=round(data.n_items / data.n_clusters) if data.n_clusters else 1,
        power=power,
        alpha=alpha,
        alternative="two-sided" if alternative == "two-sided" else "greater",
        costs=replace(costs, rated_systems=1 if chosen.needs_gold else 2),
        max_items=max_items,
        max_responses=max_responses,
        noun=noun_of(chosen),
    )
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
    pilot = Pilot.of(data, chosen, declared, pair_runs=pair_runs)
    broad, note = _over_people(pilot, request, result, (max_items, max_responses))
    if broad is not None:
        return broad
    effect = pilot.unit * abs(_unless_rounding(result.effect, result)) or None
    request = replace(request, source=pilot.spread, effect=effect)
    made = partial(_plan_of_items, pilot, request)
    if result.significant:
        p = number(result.claims[-1].p)
        return made({}, reason=f"Collect nothing more: p = {p} is already at most α = {alpha:g}.")
    effects = {"two-sided": abs(result.effect), "greater": result.effect, "less": -result.effect}
    low, high = (_unless_rounding(end, result) for end in result.claims[-1].interval)
    farthest = {"two-sided": max(-low, high), "greater": high, "less": -low}[alternative]
    rows = fewest_items(null, request.one_sided_alpha)
    fewest = math.ceil(rows * (data.n_items / data.n_clusters if data.n_clusters else 1.0))
    signal = _signal(effects[alternative], result)
    seen = SeenEffect(signal, fewest, k_now)
    far = PowerCurve(1, _signal(farthest, result), -quantile(request.one_sided_alpha), 0.0).items_for(power)
    details: dict[str, Any] = {
        "power_now": seen.power(data.n_items, 1, request.one_sided_alpha),
        "least_items": max(data.n_items, fewest, math.ceil(far)) if math.isfinite(far) else None,
    }
    plans: dict[str, Plan] = {}
    cautions: tuple[str, ...] = ()
    if signal <= 0.0:
        why = "is 0" if effect is None else "points to the other side"
        details["reason"] = f"No size would show it: the difference on {chosen.name} {why}."
    else:
        at_hand = {"n_items": data.n_items, "k_responses": math.floor(k_now)}
        asked = replace(request, source=seen, items_per_cluster=1, at_hand=at_hand)
        plans, cautions = _plans(asked, result, pilot, k_now, threads)
    sharing = (
        () if chosen.takes_trials else about_units(named_units(data), has_gold=data.has_gold, claim="size")
    )
    details["warnings"] = (*cautions, *note, *sharing)
    if not plans and "reason" not in details:
        details["reason"] = (
            f"Neither {max_items} items nor {max_responses} ratings per item are enough."
            if chosen.needs_gold and not data.n_clusters
            else f"Even {max_items} items are not enough."
        )
    return made(plans, **details)


def _plan_of_items(pilot: Pilot, request: Request, plans: Mapping[str, Plan], **details: Any) -> Plan:
    """Return the plan for new items alone: the first of the plans, with the others beside it."""
    shown: dict[str, Any] = {"metric": pilot.metric.name, "scale": ends_of(pilot.scale)}
    power_now, bare = details.pop("power_now", math.nan), replace(request, power=None)
    present = Plan(bare, request.crew(), power_now, power_now, power_now, ("power",), bare.effect, **shown)
    ways = [
        replace(
            plan,
            request=replace(request, **dict.fromkeys(plan.open)),  # type: ignore[arg-type]
            crew=replace(plan.crew, items_per_cluster=request.items_per_cluster),
            effect=request.effect,
            low=plan.power,
            high=plan.power,
            others=(),
            present=present,
            **shown,
        )
        for plan in plans.values()
    ]
    if not ways:
        return replace(present, reachable=False, present=present, **details)
    return replace(ways[0], others=tuple(ways[1:]), **details)


def _plans(
    request: Request, result: Pair, pilot: Pilot, k_now: float, threads: Threads
) -> tuple[dict[str, Plan], tuple[str, ...]]:
    """Return the plans that would settle an undecided comparison, and cautions about them."""
    data, metric = pilot.data, pilot.metric
    items = solved(replace(request, n_items=None))
    plans = {"n_items": items} if items.reachable else {}
    if data.n_clusters:
        per_cluster = f"{data.n_items / data.n_clusters:.3g} items each"
        return plans, (f"nbyk plans only more clusters, with {per_cluster}",)
    if metric.takes_trials:
        return plans, (f"nbyk plans only more items, with {k_now:.3g} trials each",)
    try:
        if math.isinf(cast("SeenEffect", request.source).signal):
            raise NbykError("the effect is the same on every bootstrapped test set")
        if metric.needs_gold:
            plans = _by_redrawing(request, result, pilot, items, threads)
        else:
            plans |= _by_shares(request, result, pilot)
    except NbykError as error:
        return plans, (f"nbyk can plan only more items: {error}",)
    if "both" in plans and "n_items" in plans and plans["both"].cost >= plans["n_items"].cost:
        del plans["both"]
    return plans, tuple(_about_ratings(plans, request, k_now))


def _by_redrawing(
    request: Request, result: Pair, pilot: Pilot, items: Plan, threads: Threads
) -> dict[str, Plan]:
    """Return the plans by items, with their power, and by ratings, all on the data's items drawn again.

    They come with their own ratings, others as these let expect, and the systems' answers.
    """
    data, metric, target = pilot.data, pilot.metric, request.power or 0.0
    if data.categories is not None:
        raise NbykError("nbyk.plan says what more labels of an item would do")
    if (~np.isnan(data.gold)).sum(axis=1).max() == 1:
        raise NbykError(
            "gold has one response per item, so it does not show how raters of an item differ, or how more "
            "ratings per item would help"
        )
    pair = (data.a, data.b) if result.effect > 0.0 else (data.b, data.a)
    n_resamples = max(_RESAMPLES, math.ceil(1.0 / request.one_sided_alpha))
    test = SystemTest(result.question.test, metric, request.alpha, request.alternative, n_resamples)
    world = Simulated(PilotItems("these items", data.gold, Response("clamped"), pair), test)
    drawn = replace(request, source=world, epsilon=0.0, effect=None)
    precision = _PRECISION if test.is_compiled else _ROUGHLY

    def simulation(asked: Request) -> PlanSimulation:
        return PlanSimulation(asked, seed=result.question.seed, threads=threads, patient=False)

    def simulate(sized: Plan) -> Power | None:
        at = Point(sized.n_items, sized.k_responses, 0.0)
        known = sized.reachable and at.n_items <= _MOST_SIMULATED
        return simulation(drawn).confirm(at, precision) if known else None

    def solve(aim: float) -> Plan:
        return solved(replace(request, n_items=None, power=aim))

    larger, power = confirmed(solve, simulate, target, _SHORT)
    plans = {}
    if larger.reachable and (power is None or power.power >= target - _SHORT * power.standard_error):
        reached = larger.power if power is None else power.power
        plans["n_items"] = replace(larger, request=items.request, power=reached, simulated=power)
    for name, opened in {"k_responses": ("k_responses",), "both": ("n_items", "k_responses")}.items():
        most = request.max_responses
        if name == "both" and "n_items" in plans:  # with more, the present items cost as much as more items
            most = min(most, drawn.affordable("k_responses", plans["n_items"].cost))
        if most > request.at_hand["k_responses"]:
            with suppress(NbykError):
                asked = replace(drawn, max_responses=most, **cast("Any", dict.fromkeys(opened)))
                plans[name] = PlanSearch(simulation(asked)).solved(opened, _ROUGHLY)
    return plans


def _by_shares(request: Request, result: Pair, pilot: Pilot) -> dict[str, Plan]:
    """Return plans by ratings for an additive metric without gold, whose effect is the same at any K."""
    data, seen = pilot.data, cast("SeenEffect", request.source)
    shares = variance_shares(None, data.a, data.b, metric=pilot.metric, seed=result.question.seed)
    share = shares.items.share if shares.a.share is not None or shares.b.share is not None else None
    if share is None:
        raise NbykError("one response per item does not show how more would help")
    asked = replace(request, source=replace(seen, of_items=share))
    tried = [k for k in LADDER if request.least("k_responses") <= k <= request.max_responses]
    sizes = [solved(replace(asked, n_items=None, k_responses=k)) for k in tried]
    both = min((size for size in sizes if size.reachable), key=lambda size: size.cost, default=None)
    ways = {"k_responses": solved(replace(asked, k_responses=None))}
    if both is not None:
        ways["both"] = replace(both, open=("n_items", "k_responses"))
    return {name: way for name, way in ways.items() if way.reachable}


def _about_ratings(plans: Mapping[str, Plan], request: Request, k_now: float) -> Iterator[str]:
    """Yield the cautions about numbers of ratings per item."""
    if "k_responses" not in plans:
        yield f"up to {request.max_responses} ratings per item are not enough on {request.n_items} items"
    most = max((plans[name].k_responses for name in ("k_responses", "both") if name in plans), default=0)
    if most:
        far = f"{most} ratings per item extrapolate from {k_now:.3g}: " if most > _FAR * k_now else ""
        yield (
            f"{far}ratings named for a power of 0.8 had 0.82 on average where the truth was known, nine in "
            "ten of them 0.55 to 0.95"  # benchmarks/settled_ratings.py
        )


def _signal(effect: float, result: Pair) -> float:
    """Return an effect over √N times its standard error."""
    effect, spread = _unless_rounding(effect, result), _spread(result)
    if spread == 0.0:
        return math.copysign(math.inf, effect) if effect else 0.0
    return effect / spread


def _spread(result: Pair) -> float:
    spread = float(_drawn(result)[1].std(ddof=1))
    return _unless_rounding(spread, result) * math.sqrt(result.sample.n_items)


def _unless_rounding(value: float, result: Pair) -> float:
    """Return an effect, or 0 if it is a rounding error for scores or effects of that size."""
    scores = [score for score in result.scores if score is not None]
    tolerance = tie_tolerance(*_drawn(result), np.array([0.0, *scores]))
    return 0.0 if abs(value) <= tolerance else value


def _drawn(result: Pair) -> tuple[Floats, Floats]:
    """Return the effects under the null, and of bootstrapped test sets."""
    drawn = result.drawn
    assert drawn is not None
    assert drawn.null is not None
    assert drawn.bootstrapped is not None
    return drawn.null, drawn.bootstrapped


def _over_people(
    pilot: Pilot, request: Request, result: Pair, most: tuple[int, int]
) -> tuple[Plan | None, tuple[str, ...]]:
    """Return the plan for the claim over new items, raters and runs, if that is the answer; and a note.

    It is not if items share neither raters nor runs, if there are too few of them, if that claim is settled,
    or if the metric jumps. The effect is taken to stay as it is. `most` are the realistic items and ratings.
    """
    panel = panel_of(pilot.data, None, pair_runs=pilot.pair_runs)
    if panel.responses is None or not panel.sources:
        return None, ()
    few = [source for source in panel.sources if panel.sizes[source] < FEWEST_UNITS]
    if few:
        named = listed([f"{panel.sizes[source]} {panel.in_words(source)}" for source in few])
        return None, (too_few(named),)
    if pilot.metric.smoothness == "jumps":
        return None, ()  # its parts are far off, and so would be the numbers
    test, alternative = shared_units_test(pilot.metric, panel.responses), result.question.alternative
    p = test.p_value(alternative)
    if p <= request.alpha:
        over = panel.population(panel.sources, of_clusters=panel.of_clusters)
        return None, (f"for {over}, nothing is to settle (p = {p:.3g})",)
    if test.effect == 0.0 or is_behind(test.effect, alternative):
        return None, ()
    question = {name: getattr(request, name) for name in ("power", "alpha", "alternative")}
    crew = pilot.crew
    counted = ("items", *(name for name in ("raters", "runs") if getattr(crew, name)))
    if pilot.shows_ratings and crew.ratings_per_item < crew.raters:
        counted = ("items", "ratings", *counted[1:])
    prices = {"cost_per_item": request.costs.item, "cost_per_rating": request.costs.rating}
    asked: dict[str, Any] = {"metric": pilot.metric, "scale": pilot.scale, **question, **prices}
    plans = [plan(pilot, solve=name, **asked) for name in counted]
    power_now = plans[0].request.power_of(crew)
    present = replace(plans[0], crew=crew, power=power_now, open=("power",), reachable=True, others=())
    limits = {"n_items": max(most[0], crew.n_items)}
    if most[1] < MAX_RESPONSES:  # by itself it limits no number of people
        limits["k_responses"] = max(most[1], crew.ratings_per_item)

    def is_realistic(way: Plan) -> bool:
        return way.reachable and all(way.number(name) <= limit for name, limit in limits.items())

    enough = [way for way in plans if is_realistic(way)]
    if enough:
        return replace(enough[0], others=tuple(enough[1:]), present=present), ()
    by_items = plans[0]
    if by_items.reachable:
        by_items = plan(pilot, solve="items", max_items=most[0], **asked)
    size = Aim(pilot.spread, crew, pilot.effect, **question).together()
    if size is None:
        return replace(by_items, others=(), present=present), ()
    bare = replace(by_items.request, **cast("Any", dict.fromkeys(SIZES)))
    both = Plan.by_formula(bare, size, request.power or 0.0, metric=pilot.metric.name, scale=present.scale)
    both = replace(both, open=tuple(name for name in SIZES if both.number(name) != present.number(name)))
    return replace(by_items, others=(both,) if is_realistic(both) else (), present=present), ()


def plan_of_strangers(pilot: Pilot, solve: str, asked: Mapping[str, Any]) -> Plan | None:
    """Return the plan of a pilot whose items share neither raters nor runs, for the effect that it shows.

    It is that of `settle`, by "n_items" or "k_responses", with the arguments of `nbyk.plan`. None if that has
    no least number of items, because the effect is already found.
    """
    if asked["power"] is None or asked["alternative"] == "less":
        return None
    names = ("alpha", "alternative", "power", "cost_per_item", "cost_per_rating", "seed", "threads")
    settled = settle(
        pilot.data,
        metric=pilot.metric,
        scale=pilot.scale,
        max_items=asked["max_items"] or MAX_ITEMS,
        max_responses=asked["max_responses"] or MAX_RESPONSES,
        **{name: asked[name] for name in names},
    )
    way = next((one for one in (settled, *settled.others) if one.open == (solve,)), None)
    if way is None and solve == "k_responses":
        why = settled.warnings[0] if settled.warnings else settled.sentence
        raise NbykError(
            f"found ratings, but no number of them is known to settle it: {why}", argument="solve"
        )
    if way is None:
        return None
    return replace(way, others=(), warnings=settled.warnings)
