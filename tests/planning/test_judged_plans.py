"""Plans for people and a judge: the variances that a comparison shows, and the power that it has."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import nbyk
from nbyk.planning.pilot import Pilot
from nbyk.testing.judged.corrected import Weighing, corrected
from nbyk.testing.shared_units.power import power_with_people, variance_of
from tests.testing.judged.test_corrected import judged, simulated


def test_the_plan_has_the_variance_of_the_comparison() -> None:
    data = simulated(1, raters=8, severity=0.3, systems=2)
    pilot = Pilot.of_judged(data)
    found = corrected(Weighing(data), 0, 1)
    assert found.broad is not None
    assert pilot.effect == pytest.approx(abs(found.items.effect), abs=1e-12)
    assert pilot.crew.calls == 2000
    parts = {part.source: part.variance for part in found.parts}
    assert pilot.spread.calls / 2000 == pytest.approx(parts["items that only the judge scored"], rel=1e-9)
    # the same number of ratings an item and nearly equal loads: the closed form is the estimate's variance
    assert variance_of(pilot.spread, pilot.crew) == pytest.approx(found.broad.variance, rel=0.15)


@pytest.mark.parametrize("common", [60, 30, 0])
def test_other_outputs_of_either_system_are_planned_as_many_as_people_rated(common: int) -> None:
    """All four people rate 60 outputs of each: the plan's variance is the comparison's, which is I − W + T.

    Before, 90 or 120 items of one rating each, and raters who differ by 1.5 or 2 times as much.
    """
    rng, outputs = np.random.default_rng(3), [np.arange(60), np.arange(60 - common, 120 - common)]
    item = np.concatenate([np.repeat(of, 4) for of in outputs])
    system, rater = np.repeat([0, 1], 240), np.tile(np.arange(4), 120)
    quality = 0.6 + 0.15 * rng.standard_normal((1000, 2))
    values = quality[item, system] + 0.1 * rng.standard_normal((2, 4))[system, rater]
    values += 0.1 * rng.standard_normal(len(values))
    data = judged(quality + 0.1 * rng.standard_normal(quality.shape), item, rater, values, system)
    pilot, found = Pilot.of_judged(data), corrected(Weighing(data), 0, 1).broad
    assert found is not None
    assert variance_of(pilot.spread, pilot.crew) == pytest.approx(found.variance, rel=1e-9)
    size = {"n_items": 60, "k_responses": 4, "raters": 4, "calls": 2000}
    assert nbyk.plan(data, effect=0.05, **size).cost == len(values)


@pytest.mark.parametrize("raters", [2, 3])
def test_two_people_are_people_too(raters: int) -> None:
    crew = Pilot.of_judged(simulated(1, raters=raters, severity=0.3, systems=2)).crew
    assert (crew.raters, crew.runs) == (raters, 0)


def test_people_or_calls_are_solved_for_and_prices_weigh_them() -> None:
    data = simulated(2, raters=6, severity=0.3)
    few = nbyk.plan(data, solve="raters", effect=0.2, power=0.95)
    assert few.present is not None
    more = few.crew.raters - few.present.crew.raters
    assert few.sentence.startswith(f"Ask {more} more people, {round(200 / 6)} items each: ")
    assert few.power >= 0.95 > few.present.power
    calls = nbyk.plan(data, solve="calls", effect=0.6, power=0.8)
    assert calls.open == ("calls",)
    assert calls.power >= 0.8
    assert calls.crew.calls > calls.n_items  # the judge scores what people rate: before, 4 calls
    none = nbyk.plan(replace(data, answers=20 * data.answers), solve="calls", effect=0.25, power=0.999)
    assert none.present is not None
    assert none.power >= none.present.power - 0.001  # of 256 points; before, with half of the calls at hand
    dear, cheap = (
        nbyk.plan(data, effect=0.3, power=0.8, cost_per_rater=price, cost_per_call=0.01, calls=1000)
        for price in (100.0, 0.1)
    )
    assert dear.crew.raters < cheap.crew.raters
    assert dear.cost == dear.crew.raters * 100.0 + dear.n_items * dear.k_responses + 10.0


def test_the_cheapest_of_four_numbers_is_that_of_all_of_them() -> None:
    """Numbers that cannot be the cheapest are passed over: before, each of 8,700 took twenty looks."""
    pilot = Pilot.of_judged(simulated(2, raters=6, severity=0.3, systems=2))
    prices = {"cost_per_rater": 20.0, "cost_per_call": 0.01, "cost_per_item": 0.5}
    power_with_people.cache_clear()
    found = nbyk.plan(pilot, effect=0.15, power=0.8, **prices)
    assert power_with_people.cache_info().misses < 1500
    for raters, k, calls in product((3, 4, 5, 6, 8), (1, 2, 3), (200, 300, 500, 1000)):
        given = {"raters": raters, "k_responses": k, "calls": calls}
        one = nbyk.plan(pilot, effect=0.15, power=0.8, max_items=2000, **given, **prices)
        assert not one.reachable or one.cost >= found.cost


def test_ratings_of_both_systems_count_and_cost() -> None:
    data = simulated(1, raters=8, systems=2)
    now = nbyk.plan(data, effect=0.05, cost_per_rating=2.0, n_items=100, k_responses=2, raters=8, calls=2000)
    assert now.cost == 2.0 * len(data.values)
    assert f"({len(data.values)} ratings, cost {now.cost:g})" in now.sentence
    first = replace(data, systems=("A",), judge=data.judge[:, :1], answers=data.answers[:, :1])
    mine = data.system == 0
    alone = {name: getattr(data, name)[mine] for name in ("item", "system", "rater", "values")}
    one = nbyk.plan(
        replace(first, answer_variance=data.answer_variance[:, :1], **alone),
        **{"effect": 0.05, "n_items": 100, "k_responses": 2, "raters": 8, "calls": 1000},
    )
    assert one.cost == mine.sum()


def test_one_systems_mean_is_no_effect_to_plan_for() -> None:
    with pytest.raises(nbyk.NbykError, match="half the width of the interval"):
        nbyk.plan(simulated(1), solve="items", power=0.8)


@pytest.mark.statistics
def test_the_planned_power_is_that_of_comparisons() -> None:
    # two standard errors of a power of about .5 are .06, and the 60 pilots' plans vary too
    size = {"n_items": 100, "k_responses": 2, "raters": 8, "calls": 2000}
    pilots = [simulated(seed, systems=2) for seed in range(60)]
    planned = [nbyk.plan(data, effect=0.05, **size).power for data in pilots]
    found = []
    for seed in range(300):
        data = simulated(seed, systems=2)
        better = replace(data, values=data.values + np.where(data.system == 0, 0.05, 0.0))
        broad = corrected(Weighing(better), 0, 1).broad
        assert broad is not None
        found.append(broad.p_value() <= 0.05)
    assert np.mean(found) == pytest.approx(np.mean(planned), abs=0.08)
