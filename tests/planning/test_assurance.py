"""What a plan from a pilot promises: the assured size holds in four of five pilots."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import nbyk
from nbyk.data import load_source
from nbyk.data.units import Units
from nbyk.metrics import get
from nbyk.planning.assurance import assured_size
from nbyk.planning.long_run import epsilon_for_effect
from nbyk.planning.pilot import Pilot
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.request import Request, Simulated
from nbyk.planning.result import Plan
from nbyk.priors import Response
from nbyk.resampling.item_effects import item_effects
from nbyk.testing.shared_units import responses, shared_units_test
from tests.resampling.test_pilot_items import dirichlet_ratings

LIKERT = Response("likert", 5)
MAE = get("mae")
EFFECT, K = 0.02, 3
Z_ALPHA, Z_POWER = norm.ppf(0.975), norm.ppf(0.8)


def signal(items: nbyk.PilotItems) -> tuple[float, Simulated, float]:
    """Return μ/s of an item's contribution where the effect is .02, what is simulated, and its ε."""
    world = Simulated(items, SystemTest("swap_items", MAE, 0.05, "two-sided"))
    epsilon = epsilon_for_effect(lambda at: world.population(2, 1, at), MAE, EFFECT)
    effects = item_effects(world.population(2000, K, epsilon), MAE, chunk=0)
    return float(effects.mean() / effects.std()), world, epsilon


def plans(items: nbyk.PilotItems) -> tuple[int, int]:
    """Return the items of the best guess by the closed form, and those of the assured plan beside it."""
    by_item, world, epsilon = signal(items)
    n = math.ceil(((Z_ALPHA * math.sqrt(1.0 + by_item**2) + Z_POWER) / by_item) ** 2)
    request = Request(source=world, k_responses=K, epsilon=epsilon, power=0.8)
    crew = nbyk.plan(nbyk.Spread(1.0), n_items=n, k_responses=K, effect=1.0).crew
    best = Plan(request, crew, 0.8, n, n, ("n_items",), asked_effect=EFFECT, epsilon=epsilon)
    sure = assured_size(best, 0)
    assert sure is not None
    return n, sure.n_items


@pytest.mark.statistics
def test_the_assured_items_have_the_power_in_four_of_five_pilots_of_convabuse() -> None:
    """20 pilots of 80 items: a share of .8 has a standard error of .09. The truth is that of all 4,050."""
    ratings = load_source("convabuse").matrix()
    truth, *_ = signal(nbyk.PilotItems("all", ratings, LIKERT))
    generator, held = np.random.default_rng(1), []
    for _ in range(20):
        chosen = generator.choice(len(ratings), 80, replace=False)
        sizes = np.array(plans(nbyk.PilotItems("some", ratings[chosen], LIKERT)))
        power = norm.cdf(np.sqrt(sizes) * truth - Z_ALPHA * math.sqrt(1.0 + truth**2))
        held.append(power >= 0.8)
    guess, sure = np.mean(held, axis=0)
    assert sure >= 0.8 - 3.0 * 0.09
    assert guess < sure


def test_a_plan_from_a_pilots_items_says_what_is_assured() -> None:
    items = nbyk.PilotItems("these", dirichlet_ratings(60), LIKERT)
    given = {"effect": 0.05, "k_responses": 3, "precision": 0.05, "n_resamples": 199}
    plan = nbyk.plan(items, power=0.8, **given)  # type: ignore[arg-type]
    assert plan.assured is not None
    assert plan.assured.n_items > plan.n_items
    safe = f"To be safe, collect {plan.assured.n_items} items with 3 ratings each"
    assert any(line.startswith(safe) for line in plan.lines)
    assert "this power in four of five such pilots" in " ".join(plan.lines)
    assert plan.to_dict()["assured"]["n_items"] == plan.assured.n_items
    # The same items four times over: a pilot that tells more.
    more = replace(items, ratings=np.concatenate([items.ratings] * 4))  # type: ignore[list-item]
    large = assured_size(
        replace(plan, request=replace(plan.request, source=replace(plan.request.world, prior=more))), 0
    )
    assert large is not None
    assert plan.n_items <= large.n_items < plan.assured.n_items
    size = nbyk.plan(items, n_items=plan.n_items, **given)  # type: ignore[arg-type]
    assert size.assured is not None
    assert size.assured.power < size.power
    least = nbyk.plan(items, n_items=plan.n_items, power=0.8, k_responses=3, precision=0.05)
    assert least.assured is not None
    assert (least.assured.epsilon or 0.0) > (least.epsilon or 1.0)
    prior = nbyk.plan(nbyk.published_prior("toxicity"), n_items=30, k_responses=3, epsilon=0.3, precision=0.1)
    assert prior.assured is None


def collected(severity: float, n: int, generator: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return ratings of n items by eight people, and the answers of A (right) and B (off by up to .12)."""
    mean = generator.uniform(0.2, 0.8, (n, 1))
    gold = mean + generator.normal(0.0, severity, 8) + generator.normal(0.0, 0.15, (n, 8))
    return np.clip(gold, 0.0, 1.0), mean, mean + generator.uniform(-0.12, 0.12, (n, 1))


@pytest.mark.statistics
@pytest.mark.parametrize("severity", [0.0, 0.1, 0.2])
def test_ratings_alone_show_how_raters_limit_the_power(severity: float) -> None:
    """The mean effect of six pilots of 60 items is that of 300 collections within .003 (SD of one .004).

    Before, .0048 less with the largest severity, which counted twice: for raters, and for each item. The mean
    power planned is theirs within .13 (pilots differ by an SD of .12), or with that severity lower.
    """
    generator, n = np.random.default_rng(7), 60
    who, effects, rejected = np.tile(np.arange(8), (n, 1)), [], 0
    for _ in range(300):
        gold, a, b = collected(severity, n, generator)
        test = shared_units_test(MAE, responses(a, b, gold=gold, gold_units=who), weighted=False)
        effects.append(test.effect)
        rejected += test.p_value() <= 0.05
    powers, stated = [], []
    for _ in range(6):
        gold, *_ = collected(severity, n, generator)
        units = nbyk.response_set(gold, gold[:, :1], gold[:, :1]).units["gold"]
        items = nbyk.PilotItems("these", gold, Response("clamped"))
        pilot = Pilot.of_ratings(items, units, MAE, epsilon=0.12)
        stated.append(pilot.stated or 0.0)
        powers.append(nbyk.plan(pilot, n_items=n, raters=8, k_responses=8).power)
    assert np.mean(stated) == pytest.approx(np.mean(effects), abs=0.003)
    assert np.mean(powers) < rejected / 300 + 0.13
    assert severity == 0.2 or np.mean(powers) > rejected / 300 - 0.13


def test_an_effect_is_that_by_infinitely_many_ratings_whether_raters_are_shared_or_not() -> None:
    """B is off by U(−ε, ε), so by ε/2 on average; before, with shared raters by what the pilot's K showed."""
    gold, *_ = collected(0.05, 200, np.random.default_rng(3))
    units = nbyk.response_set(gold, gold[:, :1], gold[:, :1]).units["gold"]
    items = nbyk.PilotItems("these", gold[:, :3], Response("clamped"))
    alone = nbyk.plan(items, effect=0.06, n_items=50, k_responses=3, precision=0.1)
    assert alone.epsilon == pytest.approx(0.12, abs=0.002)
    assert units.index is not None
    units = replace(units, index=units.index[:, :3])
    pilot = Pilot.of_ratings(items, units, MAE, 0.06)
    assert f"ε = {alone.epsilon:.3g}, which gives an effect of 0.06 by infinitely many" in pilot.assumed
    assert pilot.stated is not None
    assert pilot.stated < 0.05
    shared = nbyk.plan(pilot, effect=0.06, n_items=50, k_responses=3, raters=8)
    assert (shared.effect, shared.asked_effect) == (pilot.stated, 0.06)
    with pytest.raises(nbyk.NbykError, match="given both"):
        Pilot.of_ratings(items, units, MAE, 0.06, epsilon=0.12)


def test_epsilon_is_in_the_unit_of_the_scale_whatever_the_metric_is_in() -> None:
    """A correlation has no unit: before, an ε of .5 on 1 to 5 was half of the scale, and 2 was refused."""
    gold, *_ = collected(0.05, 60, np.random.default_rng(3))
    units = nbyk.response_set(gold, gold[:, :1], gold[:, :1]).units["gold"]
    items, pearson = nbyk.PilotItems("these", gold, Response("clamped")), get("pearson")
    share = Pilot.of_ratings(items, units, pearson, epsilon=0.5)
    scaled = Pilot.of_ratings(items, units, pearson, length=4.0, epsilon=2.0)
    assert "ε = 2," in scaled.assumed
    assert (scaled.stated, scaled.spread) == (share.stated, share.spread)
    assert Pilot.of_ratings(items, units, get("mse"), length=4.0, epsilon=2.0).unit == 16.0


def test_who_shares_items_once_shows_no_severity_but_what_single_ratings_do() -> None:
    """Five people rate ten items each, two of which a second one rates: before, a division by zero."""
    rng, n = np.random.default_rng(0), 50
    gold, who = np.full((n, 2), np.nan), np.full((n, 2), -1, np.int32)
    gold[:, 0], who[:, 0] = rng.random(n), np.arange(n) % 5
    gold[[0, 7], 1], who[[0, 7], 1] = rng.random(2), (1, 3)
    items = nbyk.PilotItems("these", gold, Response("clamped"))
    pilot = Pilot.of_ratings(items, Units("ids", tuple("abcde"), who), MAE, epsilon=0.3)
    assert pilot.stated is not None
    assert pilot.stated > 0.0
    assert pilot.crew.raters == 5
    assert all(np.isfinite(data.a).all() for data in pilot.pairs)


def test_paired_runs_are_planned_as_one_source() -> None:
    """Runs of one name share noise: with them paired, few runs settle what unpaired ones do not."""
    generator, n, runs = np.random.default_rng(5), 100, 4
    shared = generator.normal(0.0, 0.06, runs)
    item = generator.normal(0.0, 0.1, (n, 1))
    a, b = (0.5 + effect + item + shared + generator.normal(0.0, 0.15, (n, runs)) for effect in (0.012, 0.0))
    data = nbyk.response_set(None, a, b)
    apart = Pilot.of(data, metric="mean")
    paired = replace(apart, pair_runs=True, about_runs=True)
    assert paired.crew.paired_runs
    assert paired.spread.runs < 0.5 * replace(apart, about_runs=True).spread.runs
    found = nbyk.settle(data, metric="mean", pair_runs=True)
    assert not nbyk.compare(data, metric="mean", pair_runs=True).pair.significant
    planned = nbyk.plan(replace(paired, about_runs=False), solve="items", power=0.8)
    assert found.open == ("n_items",)
    assert planned.n_items == found.n_items
    assert ", paired" in planned.crew.words or planned.crew.raters


def test_the_power_with_paired_runs_is_that_of_simulated_comparisons() -> None:
    """400 sets: a power of .7 has a standard error of .023."""
    generator, n, runs, found = np.random.default_rng(3), 60, 6, 0
    spread = nbyk.Spread(items=0.02, runs=0.004, answers=0.03)
    crew = replace(nbyk.plan(spread, n_items=n, runs=runs, effect=0.1).crew, paired_runs=True)
    request = Request(
        source=spread, n_items=n, raters=0, k_responses=1, runs=runs, effect=0.1, paired_runs=True
    )
    assert request.crew() == crew
    units = np.tile(np.arange(runs), (n, 1))
    for _ in range(400):
        a = 0.1 + generator.normal(0.0, 0.02**0.5, (n, 1)) + generator.normal(0.0, 0.004**0.5, runs)
        a = a + generator.normal(0.0, 0.03**0.5, (n, runs))
        data = responses(a, np.zeros(a.shape), a_units=units, b_units=units, paired=True)
        found += shared_units_test(get("mean"), data, weighted=False).p_value() <= 0.05
    assert request.power_of(crew) == pytest.approx(found / 400, abs=0.07)
