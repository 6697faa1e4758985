"""The planner: all combinations of givens, plans that hold when simulated again, round trips."""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
import pytest

import nbyk
from nbyk import plan
from nbyk.data import load_source, source
from nbyk.errors import NbykError
from nbyk.planning.power.estimate import power_of_test
from nbyk.planning.result import Plan
from nbyk.priors import Response, fit_prior, published_prior
from nbyk.resampling.population import Population

TOXICITY = published_prior("toxicity")
QUANTITIES = {"n_items": 60, "k_responses": 5, "epsilon": 0.3, "power": 0.8, "budget": 400.0}
OPEN = {
    frozenset({"n_items", "k_responses", "epsilon"}): ("power",),
    frozenset({"n_items", "k_responses", "power"}): ("epsilon",),
    frozenset({"n_items", "epsilon", "power"}): ("k_responses",),
    frozenset({"k_responses", "epsilon", "power"}): ("n_items",),
    frozenset({"epsilon", "power"}): ("n_items", "k_responses"),
    frozenset({"budget", "epsilon"}): ("n_items", "k_responses", "power"),
    frozenset({"budget", "power"}): ("n_items", "k_responses", "epsilon"),
    frozenset({"budget", "n_items", "epsilon"}): ("k_responses", "power"),
    frozenset({"budget", "k_responses", "epsilon"}): ("n_items", "power"),
    frozenset({"budget", "n_items", "power"}): ("k_responses", "epsilon"),
    frozenset({"budget", "k_responses", "power"}): ("n_items", "epsilon"),
}
"""The quantities solved for, by those given."""

SETS = [set(names) for size in range(6) for names in combinations(QUANTITIES, size)]


def planned(**given: object) -> Plan:
    given = {"n_runs": "K", "precision": 0.02, "n_resamples": 999} | given
    return plan(TOXICITY, **given)  # type: ignore[arg-type]


def power_again(found: Plan, test: str = "swap_items", metric: str = "mae") -> float:
    """Return the power at a plan's size and ε, from 1500 test sets of another seed."""
    size = Population(TOXICITY, found.n_items, found.k_responses, found.epsilon)
    return power_of_test(
        size, metric, test=test, alternative="two-sided", n_sets=1500, n_resamples=999, seed=77
    ).power


@pytest.mark.parametrize("names", SETS, ids=lambda names: "+".join(sorted(names)) or "nothing")
def test_exactly_one_of_five_is_open(names: set[str]) -> None:
    given = {name: QUANTITIES[name] for name in QUANTITIES if name in names}
    if frozenset(names) in OPEN:
        found = planned(precision=0.08, max_responses=8, **given)
        assert found.open == OPEN[frozenset(names)]
        assert not names & set(found.open)
        for name in names - {"budget", "power"}:
            assert getattr(found, name) == given[name]
        assert found.cost == found.n_items * found.k_responses
        assert found.cost <= given.get("budget", math.inf)
        assert found.low <= found.high
    else:
        with pytest.raises(NbykError, match=r"plan: (given|more than one)") as refused:
            plan(TOXICITY, **given)  # type: ignore[arg-type]
        assert all(name in str(refused.value) for name in names)
        assert "give `epsilon` and `power` for the cheapest numbers" in str(refused.value)


def test_the_cheapest_size_holds_and_no_other_k_is_cheaper() -> None:
    found = planned(epsilon=0.2, power=0.8, cost_per_item=2.0, cost_per_rating=0.5, max_responses=25)
    assert abs(power_again(found) - 0.8) < 0.05
    assert abs(found.power - 0.8) < 0.08
    assert found.cost == found.n_items * (2.0 + 0.5 * found.k_responses)
    assert len(found.candidates) > 10
    simulated = [row.cost for row in found.candidates if row.by == "simulation"]
    assert len(simulated) > 1
    assert found.cost <= 1.01 * min(simulated)
    for k in (2, 25):
        other = planned(epsilon=0.2, power=0.8, k_responses=k, cost_per_item=2.0, cost_per_rating=0.5)
        assert other.cost >= 0.85 * found.cost


def test_round_trips_from_a_size() -> None:
    """Power at (N, K, ε), and from that power back to N, to ε, and to a budget that buys it."""
    size = {"n_items": 150, "k_responses": 4, "epsilon": 0.25}
    start = planned(**size)
    power = start.power
    assert 0.5 < power < 0.98
    items = planned(k_responses=4, epsilon=0.25, power=power)
    assert items.interval[0] / 1.2 <= 150 <= 1.2 * items.interval[1]
    assert abs(power_again(items) - power) < 0.06
    epsilon = planned(n_items=150, k_responses=4, power=power)
    assert epsilon.epsilon == pytest.approx(0.25, rel=0.07)
    assert abs(power_again(epsilon) - power) < 0.06
    responses = planned(n_items=150, epsilon=0.25, power=power - 0.03)
    assert responses.k_responses in (3, 4)
    bought = planned(budget=600.0, k_responses=4, epsilon=0.25)
    assert (bought.n_items, bought.open) == (150, ("n_items", "power"))
    assert abs(bought.power - power) < 0.08


def test_a_budget_round_trip() -> None:
    """The cheapest size costs what buys, as a budget, no less power and no larger smallest ε."""
    costs = {"cost_per_item": 1.0, "cost_per_rating": 0.2, "max_responses": 15}
    cheapest = planned(epsilon=0.3, power=0.8, **costs)
    best = planned(epsilon=0.3, budget=cheapest.cost, **costs)
    assert best.cost <= cheapest.cost
    assert abs(best.power - 0.8) < 0.08
    smallest = planned(power=0.8, budget=cheapest.cost, **costs)
    assert smallest.epsilon == pytest.approx(0.3, rel=0.12)


@pytest.mark.parametrize(
    ("test", "metric"),
    [
        pytest.param("pooled", "wins_mae", marks=pytest.mark.statistics),
        ("shifted", "mean_of_emds"),
    ],
)
def test_other_tests_and_metrics_are_planned_too(test: str, metric: str) -> None:
    found = planned(test=test, metric=metric, epsilon=0.4, power=0.8, k_responses=4, precision=0.04)
    assert abs(power_again(found, test, metric) - 0.8) < 0.08


@pytest.mark.parametrize(
    ("test", "metric", "epsilon"),
    [
        ("permutation", "mae", 0.7),
        ("swap_items", "spearman", 1.0),
    ],
)
def test_the_cheapest_size_of_slow_tests(test: str, metric: str, epsilon: float) -> None:
    lines: list[str] = []
    found = planned(
        test=test,
        metric=metric,
        epsilon=epsilon,
        power=0.7,
        precision=0.05,
        max_items=500,
        max_responses=3,
        n_resamples=99,
        curves=True,
        progress=lines.append,
    )
    assert {row.by for row in found.candidates} == {"simulation"}
    assert len(found.curves) == 3
    size = Population(TOXICITY, found.n_items, found.k_responses, epsilon)
    again = power_of_test(
        size, metric, test=test, alternative="two-sided", n_sets=256, n_resamples=99, seed=77
    )
    assert abs(again.power - 0.7) < 0.05 * 3 + 4 * again.standard_error
    announced = [line for line in lines if "simulating" in line]
    assert len(announced) == sum(": power " in line for line in lines)
    assert len(announced) < 60


def test_the_least_number_of_ratings_that_reaches_the_power_is_sought_by_halves() -> None:
    """By the largest error, one rating reaches it with no number of items: the most are tried next."""
    lines: list[str] = []
    found = planned(
        metric="max_error",
        epsilon=0.8,
        power=0.7,
        precision=0.15,
        max_items=60,
        max_responses=20,
        n_resamples=99,
        progress=lines.append,
    )
    tried = list(dict.fromkeys(re.findall(r"K = (\d+), ε = 0.8: simulating", " ".join(lines))))
    assert tried[:2] == ["1", "20"]
    assert found.k_responses <= 5
    assert len(tried) < 7  # of eight


def test_without_a_difference_a_slow_test_has_no_curves() -> None:
    found = planned(
        test="permutation", epsilon=0.0, n_items=9, k_responses=2, n_resamples=99, precision=0.2, curves=True
    )
    assert found.curves == ()
    assert found.power < 0.5


def test_a_plan_on_convabuse_holds_for_another_seed() -> None:
    """On a prior fitted to the embedded ratings, by a bounded number of simulated sets."""
    data = source("convabuse")
    ratings = load_source("convabuse")
    prior = fit_prior("convabuse", ratings.matrix(), Response.on(data.scale), n_sets=20).prior
    lines: list[str] = []
    found = plan(
        prior,
        epsilon=0.2,
        power=0.8,
        cost_per_item=1.0,
        cost_per_rating=0.1,
        max_responses=10,
        precision=0.02,
        n_resamples=999,
        progress=lines.append,
    )
    size = Population(prior, found.n_items, found.k_responses, 0.2, 0.0, 0.0, 0.0, n_runs=1)
    again = power_of_test(size, alternative="two-sided", n_sets=1500, n_resamples=999, seed=77)
    error = math.hypot(0.02, again.standard_error)
    assert 0.8 - 3.0 * error < again.power < 0.8 + 4.0 * error
    sets = sum(int(line.split("simulating ")[1].split()[0]) for line in lines if "simulating" in line)
    assert sets < 30_000


def test_the_best_power_of_a_budget_is_simulated_once_more() -> None:
    lines: list[str] = []
    found = planned(epsilon=0.2, budget=400.0, max_responses=10, progress=lines.append)
    seen = [line for line in lines if ": power " in line]
    assert seen[-1].startswith(f"N = {found.n_items}, K = {found.k_responses},")
    assert found.simulated.n_sets <= sum(int(line.split(" on ")[1].split()[0]) for line in seen[-4:])


def test_limits_and_systems_are_said() -> None:
    capped = planned(epsilon=0.1, n_items=30, budget=100_000.0, max_responses=20)
    assert capped.k_responses == 20
    assert "K = 20 (max_responses) is the most that the search allowed, and the budget would buy more." in (
        capped.lines
    )
    rich = planned(epsilon=0.1, budget=100_000.0, max_items=30, max_responses=2)
    assert (rich.n_items, rich.k_responses) == (30, 2)
    assert (
        "K = 2 (max_responses) and N = 30 (max_items) is the most that the search allowed, and the budget "
        "would buy more." in rich.lines
    )
    odd = planned(epsilon=0.3, n_items=30, k_responses=3, epsilon_a=0.1)
    assumed = odd.lines[-1]
    assert "A's item means are off by up to ε_A = 0.1; each system answers an item as often as" in assumed
    assert "search allowed" not in " ".join(odd.lines)


@pytest.fixture(scope="module")
def many_items() -> Plan:
    """Return a plan of so many items that some of its K are not simulated."""
    return planned(epsilon=0.1, power=0.8, max_responses=6, precision=0.08)


def test_approximated_candidates_have_no_power(many_items: Plan) -> None:
    by = {row.by: row.power for row in many_items.candidates}
    assert set(by) == {"approximation", "simulation"}
    assert by["approximation"] is None


def test_the_plan_depends_on_the_seed_alone() -> None:
    given = {"k_responses": 5, "epsilon": 0.3, "power": 0.8, "precision": 0.05, "n_resamples": 999}
    first, again = plan(TOXICITY, **given), plan(TOXICITY, threads=2, **given)  # type: ignore[arg-type]
    assert first == again
    assert plan(TOXICITY, seed=1, **given).power != first.power  # type: ignore[arg-type]


def test_a_plan_says_itself_in_one_sentence() -> None:
    found = planned(epsilon=0.3, power=0.8, k_responses=5)
    assert found.sentence == f"Collect {found.n_items} items with 5 ratings each ({found.cost:.0f} ratings)."
    for part in ("Power 0.", "swap test on mae, two-sided, α = 0.05", "ε = 0.3", "toxicity"):
        assert part in " ".join(found.lines)
    assert repr(found).startswith(found.sentence)
    assert found.sentence in found._repr_html_()
    content = found.to_dict()
    assert content["given"] == {"k_responses": 5, "epsilon": 0.3, "power": 0.8}
    assert content["simulated"]["low"] <= content["power"] <= content["simulated"]["high"]


def test_a_plan_is_two_sided_unless_asked_otherwise() -> None:
    """One-sided, α is that of either side of a two-sided test of twice the level."""
    given = {"n_items": 60, "k_responses": 5, "epsilon": 0.25}
    both, greater = planned(**given), planned(alternative="greater", **given)
    half = planned(alternative="greater", alpha=0.025, **given)
    assert (both.request.alternative, greater.request.alternative) == ("two-sided", "greater")
    assert abs(both.power - half.power) < 0.06 < greater.power - both.power
    assert "two-sided, α = 0.05" in both.lines[1]
    assert "one-sided, α = 0.05" in greater.lines[1]


def test_the_approximation_is_of_the_sides_of_the_test(many_items: Plan) -> None:
    """A two-sided test of candidates that are not simulated takes as many more items as its bound says."""
    greater = planned(epsilon=0.1, power=0.8, max_responses=6, precision=0.08, alternative="greater")
    pairs = list(zip(many_items.candidates, greater.candidates, strict=True))
    by_formula = [(both, one) for both, one in pairs if both.by == one.by == "approximation"]
    assert len(by_formula) >= 2
    for both, one in by_formula:
        assert both.n_items / one.n_items == pytest.approx(((1.96 + 0.84) / (1.645 + 0.84)) ** 2, rel=0.05)


def test_a_plan_of_large_sets_is_quick_and_says_so() -> None:
    """A difference of a fortieth of the scale takes 16,000 items: the normal approximation finds them."""
    latent = np.random.default_rng(1).beta(4.0, 3.6, (60, 1)) + np.random.default_rng(2).normal(
        0, 0.17, (60, 5)
    )
    items = nbyk.PilotItems("mine", np.clip(np.floor(5 * latent), 0, 4) / 5, nbyk.Response("likert", 5))
    lines: list[str] = []
    asked = {"epsilon": 0.1, "scale": "1,2,3,4,5", "k_responses": 5, "threads": 2}
    found = nbyk.plan(items, power=0.8, progress=lines.append, **asked)
    sets = [re.match(r"N = (\d+), .*simulating (\d+) test sets", line) for line in lines]
    assert sum(int(of[1]) * int(of[2]) for of in sets if of) < 640 * found.n_items
    assert found.n_items > 10_000
    assert found.low < 0.97 * found.n_items < 1.03 * found.n_items < found.high
    assert "a normal approximation stands for the search" in " ".join(found.warnings)
    other = nbyk.plan(items, n_items=found.n_items, precision=0.02, **asked)
    assert other.power == pytest.approx(0.8, abs=0.06)
    assert not any("normal approximation" in text for text in other.warnings)
