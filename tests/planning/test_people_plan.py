"""Planning with people: any one quantity, or the best collection for a budget, is solved for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_set
from nbyk.data.units import ALL_FRESH, Units
from nbyk.errors import NbykError
from nbyk.planning.closed_form import _affordable, solved
from nbyk.planning.request import Costs, Request
from nbyk.planning.result import Plan
from nbyk.testing.shared_units.collection import Crew
from nbyk.testing.shared_units.power import Aim, power_with_people

SPREAD = nbyk.Spread(items=0.04, raters=0.002, ratings=0.05)


def planned(spread: nbyk.Spread, asked: dict[str, Any]) -> Plan:
    """Return a plan; `costs` stand for the prices."""
    given = dict(asked)
    costs = given.pop("costs", Costs())
    prices = {f"cost_per_{name}": getattr(costs, name) for name in ("item", "rating", "rater", "run")}
    return nbyk.plan(spread, **prices, **given)


def test_any_one_is_solved_for_and_comes_back() -> None:
    given = {
        "n_items": 300, "raters": 10, "k_responses": 5, "runs": 4, "effect": 0.07, "power": 0.7
    }  # fmt: skip
    spread = nbyk.Spread(0.04, 0.002, 0.05, 0.0005, 0.01)
    for opened in ("n_items", "raters", "k_responses", "runs", "effect", "power"):
        found = planned(spread, {**given, opened: None})
        assert found.open == (opened,)
        assert found.reachable
        if opened != "power":
            assert found.power >= 0.7 - 1e-6
        if opened in ("n_items", "raters", "k_responses", "runs"):
            count, field = found.number(opened), {"k_responses": "ratings_per_item"}.get(opened, opened)
            fewer = replace(found.crew, **{field: count - 1})
            least = {"n_items": 2, "k_responses": 1}.get(opened, 3)
            assert count == least or power_with_people(spread, fewer, 0.07) < 0.7


def test_the_power_of_a_formula_has_no_monte_carlo_error() -> None:
    found = planned(SPREAD, {"n_items": 300, "raters": 10, "k_responses": 5, "runs": 0, "effect": 0.06})
    assert found.standard_error == 0.0
    assert found.interval == (found.power, found.power)
    assert found.sentence in found._repr_html_()


def test_no_number_of_items_helps_and_the_sentence_says_how_many_raters_would() -> None:
    asked = {"k_responses": 5, "runs": 0, "effect": 0.05, "power": 0.8}
    found = planned(SPREAD, dict(raters=5, **asked))
    assert not found.reachable
    (other,) = found.others
    raters = other.crew.raters
    assert found.sentence == f"With 5 raters, no number of items is enough: take at least {raters} raters."
    assert planned(SPREAD, dict(raters=raters, **asked)).reachable
    assert not planned(SPREAD, dict(raters=raters - 1, **asked)).reachable
    two = planned(SPREAD, dict(raters=2, **{**asked, "k_responses": 2}))
    assert two.power == 0.0


def test_left_out_ratings_mean_that_everybody_rates_everything_and_costs_add_up() -> None:
    found = planned(
        SPREAD,
        {
            "n_items": 300,
            "raters": None,
            "k_responses": None,
            "runs": 3,
            "effect": 0.05,
            "power": 0.8,
            "costs": Costs(item=1.0, rating=0.1, rater=20.0, run=5.0),
        },
    )
    crew = found.crew
    assert crew.ratings_per_item == crew.raters
    assert crew.items_per_rater == 300
    assert found.cost == pytest.approx(300 + 0.1 * 300 * crew.raters + 20 * crew.raters + 30)
    assert found.to_dict()["sentence"] == found.sentence


def test_items_in_clusters_are_solved_for_and_one_cluster_is_refused() -> None:
    asked = {"raters": 0, "k_responses": 1, "runs": 0, "items_per_cluster": 10, "effect": 0.1, "power": 0.8}
    spread = nbyk.Spread(0.04, clusters=0.02)
    found = planned(spread, asked)
    assert found.power >= 0.8
    assert found.crew.n_items % 10 == 0
    assert power_with_people(spread, replace(found.crew, n_items=found.crew.n_items - 10), 0.1) < 0.8
    bought = planned(spread, asked | {"power": None, "budget": 97.0})
    assert (bought.crew.n_items, bought.crew.clusters) == (90, 9)
    assert (
        f"{found.crew.n_items} items in {found.crew.clusters} clusters with 1 rating each" in found.sentence
    )
    assert "over new clusters of items" in found.lines[1]
    with pytest.raises(NbykError, match="items_per_cluster: found 10, and there are 9 items: one cluster"):
        planned(spread, asked | {"n_items": 9, "power": None})


COSTS = Costs(item=1.0, rating=0.5, rater=20.0)


def every_crew(most: float) -> list[Crew]:
    """Return every crew of up to 30 raters and 6 ratings per item that costs at most so much."""
    crews = [
        Crew(int((most - 20.0 * j) / (1.0 + 0.5 * k)), j, k, 0)
        for j in range(3, 31)
        for k in range(1, min(j, 6) + 1)
    ]
    return [crew for crew in crews if crew.n_items >= 2 and COSTS.of(crew) <= most]


def test_a_budget_buys_the_largest_power_of_all_collections() -> None:
    asked = {"runs": 0, "effect": 0.05, "costs": COSTS, "budget": 700.0}
    found = planned(SPREAD, asked)
    assert found.cost <= 700.0
    assert found.open == ("n_items", "raters", "k_responses", "power")
    best = max(power_with_people(SPREAD, crew, 0.05) for crew in every_crew(700.0))
    # Of more than twenty raters, some numbers are tried.
    assert best - 0.003 <= found.power
    assert f", cost {found.cost:g} of 700)" in found.sentence


def test_a_budget_finds_the_least_effect_of_all_collections() -> None:
    found = planned(SPREAD, {"runs": 0, "power": 0.8, "costs": COSTS, "budget": 700.0})
    assert found.power == pytest.approx(0.8)
    assert max(power_with_people(SPREAD, crew, 0.98 * found.effect) for crew in every_crew(700.0)) < 0.8


@pytest.mark.parametrize("asked", [{"effect": 0.05}, {"power": 0.8}])
def test_what_a_budget_buys_is_the_best_of_all_that_it_buys(asked: dict[str, Any]) -> None:
    """Collections whose variance is too large are passed over: before, each of 2,400 took a look."""
    prices = Costs(item=1.0, rating=0.5, rater=20.0, run=50.0)
    spread = replace(SPREAD, runs=0.002, answers=0.02)
    request = Request(source=spread, calls=0, budget=1200.0, costs=prices, **asked)
    power_with_people.cache_clear()
    found = solved(request)
    assert power_with_people.cache_info().misses < 1200
    crews = _affordable(request, ["n_items", "raters", "k_responses", "runs"])
    assert len(crews) > 1500
    effect = 0.05 if found.effect is None else found.effect
    assert found.power == pytest.approx(max(request.power_of(crew, effect) for crew in crews), abs=1e-9)


def test_the_cheapest_collection_has_the_power_and_nothing_cheaper_does() -> None:
    found = planned(SPREAD, {"runs": 0, "effect": 0.05, "power": 0.8, "costs": COSTS})
    assert found.power >= 0.8
    cheaper = max(power_with_people(SPREAD, crew, 0.05) for crew in every_crew(0.99 * found.cost))
    assert cheaper < 0.8


def test_where_several_numbers_are_open_and_none_is_enough_the_answer_says_so() -> None:
    spread = replace(SPREAD, runs=0.001)
    found = planned(spread, {"raters": 3, "effect": 0.001, "power": 0.9})
    assert not found.reachable
    assert found.open == ("n_items", "k_responses", "runs")
    assert found.k_responses == 3
    start = "With 3 raters, no items, ratings per item or runs that nbyk tries (up to 100) are enough."
    assert found.sentence == start
    with pytest.raises(NbykError, match="found 5, and there are 3 raters"):
        planned(SPREAD, {"raters": 3, "k_responses": 5, "effect": 0.01, "power": 0.9})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 50.0}, "budget: found 50, which is too little: the smallest collection costs 63"),
        ({"power": 0.8}, "nothing is left to solve for. Leave out one quantity"),
        ({"effect": None}, "more than one of .*`effect`, `power` is open"),
        (
            {"n_items": 9, "raters": 3, "k_responses": 1},
            "the numbers already fix the cost; drop `budget`, or the numbers that it should pay for",
        ),
        ({"budget": -1.0}, "budget: found -1, expected a sum above 0"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(given: dict[str, object], message: str) -> None:
    asked = {"runs": 0, "effect": 0.05, "budget": 500.0, "costs": COSTS}
    with pytest.raises(NbykError, match=message):
        planned(SPREAD, {**asked, **given})


def test_the_load_of_a_rater_says_how_many_there_are() -> None:
    found = planned(
        SPREAD,
        {
            "n_items": None,
            "raters": None,
            "k_responses": 3,
            "runs": 0,
            "items_per_rater": 50,
            "effect": 0.05,
            "power": 0.8,
        },
    )
    assert found.crew.raters == -(-3 * found.crew.n_items // 50)
    assert found.power >= 0.8
    with pytest.raises(NbykError, match="items_per_rater: found 50, expected"):
        planned(
            SPREAD,
            {
                "n_items": None,
                "raters": 9,
                "k_responses": 3,
                "runs": 0,
                "items_per_rater": 50,
                "effect": 0.05,
                "power": 0.8,
            },
        )


def test_settle_says_which_of_items_raters_and_runs_would_settle_the_broad_claim() -> None:
    """Five people rate both systems' answers and disagree on which is better: items do not help."""
    generator = np.random.default_rng(12)
    opinion = np.array([-0.06, 0.0, 0.03, 0.06, 0.11])
    a = 0.5 + opinion + generator.normal(0.0, 0.1, (60, 5))
    b = 0.5 + generator.normal(0.0, 0.1, (60, 5))
    names = [f"p{j}" for j in range(5)]
    units = Units("ids", tuple(names), np.tile(np.arange(5, dtype=np.int32), (60, 1)))
    found = nbyk.settle(response_set(None, a, b, units={"a": units, "b": units}), metric="mean")
    assert (found.open, found.others) == (("raters",), ())  # no number of items is enough
    assert 15 < found.crew.raters < 120
    assert found.sentence.endswith(f"by {found.crew.raters} raters.")
    fresh = nbyk.settle(ResponseSet(np.empty((60, 0)), a, b, ALL_FRESH), metric="mean")
    assert fresh.sentence.startswith("Collect nothing more: p = ")


@pytest.mark.parametrize(
    ("asked", "start"),
    [
        ({"raters": 30, "max_items": 50}, "With 30 raters, no number of items up to 50 is enough: "),
        ({"n_items": 150, "max_responses": 5}, "With 150 items, no number of raters up to 5 is enough: "),
        (
            {"solve": "ratings", "raters": 30, "n_items": 160, "max_responses": 2},
            "With 30 raters and 160 items, no number of ratings per item up to 2 is enough: ",
        ),
    ],
)
def test_a_limit_of_the_search_is_kept_and_said(asked: dict[str, Any], start: str) -> None:
    found = planned(SPREAD, {"runs": 0, "power": 0.8, "effect": 0.055, **asked})
    assert not found.reachable
    assert found.sentence.startswith(start)


def test_a_limit_of_ratings_is_none_of_raters() -> None:
    asked = {"effect": 0.05, "power": 0.8, "max_responses": 2}
    found = planned(SPREAD, {**asked, "n_items": 400, "k_responses": 2, "runs": 0})
    assert found.reachable
    assert found.crew.raters > 2
    costs = Costs(item=10.0, rating=0.01, rater=0.01)
    cheapest = planned(SPREAD, {**asked, "max_responses": None, "costs": costs})
    assert cheapest.k_responses > 2
    assert planned(SPREAD, {**asked, "costs": costs}).k_responses == 2


def test_settle_has_its_prices_and_its_most_items_with_people_too() -> None:
    generator = np.random.default_rng(1)
    mean = generator.uniform(0.3, 0.7, (60, 1))
    gold = np.clip(mean + generator.normal(0.0, 0.2, (60, 6)), 0.0, 1.0)
    a, b = (mean + 0.1 * generator.standard_normal((60, 1)) + off for off in (0.1, 0.12))
    data = response_set(gold, a, b)
    found = nbyk.settle(data, cost_per_item=10.0, cost_per_rating=0.5)
    assert (found.open, found.reachable) == (("n_items",), True)
    assert found.n_items > 100
    assert found.cost == found.n_items * (10.0 + 0.5 * found.k_responses)
    few = nbyk.settle(data, max_items=100)
    assert not few.reachable
    assert few.sentence.startswith("With 6 raters, no number of items up to 100 is enough: ")
    assert all(other.n_items <= 100 for other in few.others)


def test_what_settles_together_has_the_fewest_items_for_its_raters() -> None:
    aim = Aim(replace(SPREAD, items=0.3), Crew(40, 4, 4, 0), 0.07, 0.8)
    assert aim.least("n_items") is aim.least("raters") is None
    found = aim.together()
    assert found is not None
    assert found.ratings_per_item == found.raters > 4
    assert aim.reached(found) >= 0.8 > aim.reached(replace(found, n_items=found.n_items - 1))
    asked = {"runs": 0, "effect": 0.07, "power": 0.8, "raters": found.raters}
    assert planned(aim.spread, asked).n_items == found.n_items


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"power": None, "effect": None},
            "more than one of `effect`, `power` is open. Leave out one",
        ),
        ({}, "nothing is left to solve for. Leave out one quantity"),
        (
            {"power": None, "raters": None},
            "more than one of `raters`, `power` is open; give `power` too, or a `budget`",
        ),
        (
            {"effect": None, "runs": None, "n_items": None},
            "`effect` is open; give `effect` too, or a `budget`",
        ),
        ({"power": 1.5, "n_items": None}, "power: found 1.5"),
        ({"effect": 0.0, "n_items": None}, "effect: found 0.0, expected a number other than 0"),
        ({"k_responses": 11, "n_items": None}, "found 11, and there are 10 raters"),
        ({"n_items": 1, "power": None}, "n_items: found 1, expected a whole number of at least 2"),
    ],
)
def test_what_makes_no_sense_is_named(given: dict[str, object], message: str) -> None:
    whole = {
        "n_items": 300, "raters": 10, "k_responses": 5, "runs": 4, "effect": 0.06, "power": 0.8
    }  # fmt: skip
    with pytest.raises(NbykError, match=message):
        planned(SPREAD, {**whole, **given})
    with pytest.raises(NbykError, match="raters: found -1"):
        nbyk.Spread(0.1, raters=-1.0)


def test_runs_that_do_not_vary_are_the_fewest_that_there_can_be() -> None:
    given = {"cost_per_run": 1.0, "effect": 0.05, "power": 0.8, "raters": 12, "k_responses": 2}
    cheapest, fewest = (nbyk.plan(SPREAD, **given, **runs) for runs in ({}, {"runs": 3}))  # type: ignore[arg-type]
    assert cheapest.crew == fewest.crew


def test_runs_that_each_item_has_of_its_own_are_variance_of_items_with_one_rating_too() -> None:
    asked = {"n_items": 200, "raters": 5, "k_responses": 1, "runs": 0, "effect": 0.4}
    of_runs = nbyk.plan(nbyk.Spread(items=1.0, raters=0.01, ratings=0.2, runs=3.0), **asked)
    of_items = nbyk.plan(nbyk.Spread(items=4.0, raters=0.01, ratings=0.2), **asked)
    assert of_runs.power == pytest.approx(of_items.power, rel=1e-9)
