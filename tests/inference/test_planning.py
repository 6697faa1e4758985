"""The planner: all combinations of givens, plans that hold when simulated again, round trips, refusals."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from nbyk.data import load_source, source
from nbyk.errors import NbykError
from nbyk.inference.planning.answer import Reached, not_found
from nbyk.inference.planning.item_moments import PowerCurve, smoothed
from nbyk.inference.planning.long_run import epsilon_for_effect, long_run_effect, response_mean
from nbyk.inference.planning.plan import Plan, plan
from nbyk.inference.planning.request import OPEN
from nbyk.inference.planning.root_search import RootSearch
from nbyk.inference.power.estimate import power_of_test
from nbyk.metrics import get
from nbyk.priors import Response, published_prior
from nbyk.priors.likelihood_fit import fit_by_likelihood
from nbyk.resampling.population import Population

TOXICITY = published_prior("toxicity")
QUANTITIES = {"n_items": 60, "k_responses": 5, "epsilon": 0.3, "power": 0.8, "budget": 400.0}
SETS = [set(names) for size in range(6) for names in combinations(QUANTITIES, size)]


def planned(**given: object) -> Plan:
    return plan(TOXICITY, precision=0.02, threads=2, **given)  # type: ignore[arg-type]


def power_again(found: Plan, test: str = "swap_items", metric: str = "mae") -> float:
    """Return the power at a plan's size and ε, from 3000 test sets of another seed."""
    size = Population(TOXICITY, found.n_items, found.k_responses, found.epsilon)
    return power_of_test(size, metric, test=test, n_sets=3000, seed=77, threads=2).power


@pytest.mark.parametrize("names", SETS, ids=lambda names: "+".join(sorted(names)) or "nothing")
def test_exactly_one_of_five_is_open(names: set[str]) -> None:
    given = {name: QUANTITIES[name] for name in QUANTITIES if name in names}
    if frozenset(names) in OPEN:
        found = plan(TOXICITY, precision=0.04, threads=2, max_responses=20, **given)  # type: ignore[arg-type]
        assert found.open == OPEN[frozenset(names)]
        assert found.open not in names
        for name in names - {"budget", "power"}:
            assert getattr(found, name) == given[name]
        assert found.cost == found.n_items * found.k_responses
        assert found.cost <= given.get("budget", math.inf)
        assert found.low <= found.high
    else:
        with pytest.raises(NbykError, match="plan: given") as refused:
            plan(TOXICITY, **given)  # type: ignore[arg-type]
        assert all(name in str(refused.value) for name in names)
        assert "give epsilon and power for the cheapest size" in str(refused.value)


@pytest.mark.parametrize("power", [1.0, 0.9, 0.82])
@pytest.mark.parametrize(("low", "high", "slope"), [(1e-4, 1.0, 3.0), (2, 100_000, 1.25)])
def test_a_power_that_is_always_reached_is_reached_at_the_lower_limit(
    power: float, low: float, high: float, slope: float
) -> None:
    generator = np.random.default_rng(7)
    drawn = 0

    def evaluate(x: float, n_sets: int) -> tuple[int, int]:
        nonlocal drawn
        drawn += n_sets
        return int(generator.binomial(n_sets, power)), n_sets

    root = RootSearch(evaluate, 0.8, low, high, slope, whole=low > 1).run(min(high, 500.0) / 5, 0.005)
    assert (root.x, root.low, root.high) == (low, low, low)
    assert drawn < 40_000


def test_a_search_that_does_not_settle_is_no_power_out_of_reach() -> None:
    """A power that jumps about has no root; the error does not say that the target is out of reach."""
    powers = iter([0.3, 0.95] * 1000)
    root = RootSearch(lambda x, n: (round(next(powers) * n), n), 0.8, 1e-4, 1.0, 3.0, whole=False).run(
        0.1, 1e-5
    )
    assert math.isnan(root.x)
    assert not root.settled
    asked = planned(epsilon=0.4, n_items=60, power=0.6, max_responses=9).request
    error = str(not_found(asked, [root], [Reached(0.95, 20, 2, 0.3)]))
    assert "did not settle" in error
    assert "not reached" not in error


def test_any_difference_is_found_where_b_is_noisier_anyhow() -> None:
    found = planned(n_items=60, k_responses=3, power=0.6, sd_scale_b=4.0)
    assert found.epsilon == pytest.approx(1e-4)
    assert found.power.power > 0.9
    assert "any perturbation, however small (ε ≤ 0.0001)" in found.sentence
    assert "the spread of B's responses times 4" in found.sentence


@pytest.mark.parametrize("target", [0.5, 0.8, 0.95])
def test_a_root_lies_within_its_interval(target: float) -> None:
    """Of 60 searches on a known curve, Φ(.1 √N − 1.6), the 95 % interval holds the true N in at least 50."""
    truth = ((stats.norm.ppf(target) + 1.6) / 0.1) ** 2
    generator = np.random.default_rng(5)

    def evaluate(n: float, n_sets: int) -> tuple[int, int]:
        return int(generator.binomial(n_sets, stats.norm.cdf(0.1 * math.sqrt(n) - 1.6))), n_sets

    inside = 0
    for guess in [3.0, 300.0, 20_000.0] * 20:
        root = RootSearch(evaluate, target, 2, 100_000, 1.25).run(guess, 0.01)
        inside += root.low <= truth <= root.high
        assert abs(math.log(root.x / truth)) < 0.3
        assert root.high <= 100_000
    assert inside >= 50


def test_a_root_among_few_whole_numbers_is_the_least_that_reaches() -> None:
    powers = {1: 0.1, 2: 0.4, 3: 0.75, 4: 0.86, 5: 0.95}
    generator = np.random.default_rng(6)

    def evaluate(k: float, n_sets: int) -> tuple[int, int]:
        return int(generator.binomial(n_sets, powers[min(5, round(k))])), n_sets

    for guess in (1.0, 5.0, 90.0):
        assert RootSearch(evaluate, 0.8, 1, 100, 1.0).run(guess, 0.005).x == 4


def test_the_cheapest_size_holds_and_no_other_k_is_cheaper() -> None:
    found = planned(epsilon=0.2, power=0.8, cost_per_item=2.0, cost_per_rating=0.5, max_responses=50)
    assert abs(power_again(found) - 0.8) < 0.05
    assert abs(found.power.power - 0.8) < 0.08
    assert found.cost == found.n_items * (2.0 + 0.5 * found.k_responses)
    assert len(found.candidates) > 10
    simulated = [row.cost for row in found.candidates if row.by == "simulation"]
    assert len(simulated) > 1
    assert found.cost <= 1.01 * min(simulated)
    for k in (2, 10, 50):
        other = planned(epsilon=0.2, power=0.8, k_responses=k, cost_per_item=2.0, cost_per_rating=0.5)
        assert other.cost >= 0.85 * found.cost


def test_round_trips_from_a_size() -> None:
    """Power at (N, K, ε), and from that power back to N, to ε, and to a budget that buys it."""
    size = {"n_items": 150, "k_responses": 4, "epsilon": 0.25}
    start = planned(**size)
    power = start.power.power
    assert 0.5 < power < 0.98
    items = planned(k_responses=4, epsilon=0.25, power=power)
    assert items.low / 1.2 <= 150 <= 1.2 * items.high
    assert abs(power_again(items) - power) < 0.06
    epsilon = planned(n_items=150, k_responses=4, power=power)
    assert epsilon.epsilon == pytest.approx(0.25, rel=0.07)
    assert abs(power_again(epsilon) - power) < 0.06
    responses = planned(n_items=150, epsilon=0.25, power=power - 0.03)
    assert responses.k_responses in (3, 4)
    bought = planned(budget=600.0, k_responses=4, epsilon=0.25)
    assert (bought.n_items, bought.open) == (150, "power")
    assert abs(bought.power.power - power) < 0.08


def test_a_budget_round_trip() -> None:
    """The cheapest size costs what buys, as a budget, no less power and no larger smallest ε."""
    costs = {"cost_per_item": 1.0, "cost_per_rating": 0.2, "max_responses": 30}
    cheapest = planned(epsilon=0.3, power=0.8, **costs)
    best = planned(epsilon=0.3, budget=cheapest.cost, **costs)
    assert best.cost <= cheapest.cost
    assert abs(best.power.power - 0.8) < 0.08
    smallest = planned(power=0.8, budget=cheapest.cost, **costs)
    assert smallest.epsilon == pytest.approx(0.3, rel=0.12)


@pytest.mark.parametrize(
    ("test", "metric"),
    [("wilcoxon", "mae"), ("multistage_bootstrap", "wins_mae"), ("shifted", "mean_of_emds")],
)
def test_other_tests_and_metrics_are_planned_too(test: str, metric: str) -> None:
    found = planned(test=test, metric=metric, epsilon=0.4, power=0.8, k_responses=4)
    assert abs(power_again(found, test, metric) - 0.8) < 0.07


def test_sizes_are_compared_for_a_test_without_an_approximation() -> None:
    found = planned(test="wilcoxon", epsilon=0.4, power=0.8, cost_per_item=3.0, max_responses=10, curves=True)
    assert abs(power_again(found, "wilcoxon") - 0.8) < 0.07
    assert {row.by for row in found.candidates} == {"simulation"}
    assert len(found.curves) >= 3


@pytest.mark.parametrize(
    ("test", "metric", "epsilon"),
    [("expected_p", "mae", 0.5), ("permutation", "mae", 0.7), ("swap_items", "spearman", 1.0)],
)
def test_the_cheapest_size_of_slow_tests(test: str, metric: str, epsilon: float) -> None:
    lines: list[str] = []
    found = plan(
        TOXICITY,
        test=test,
        metric=metric,
        epsilon=epsilon,
        power=0.7,
        precision=0.05,
        max_items=500,
        max_responses=5,
        n_resamples=199,
        threads=2,
        progress=lines.append,
    )
    size = Population(TOXICITY, found.n_items, found.k_responses, epsilon)
    again = power_of_test(size, metric, test=test, n_sets=256, n_resamples=199, seed=77, threads=2)
    assert abs(again.power - 0.7) < 0.05 * 3 + 4 * again.standard_error
    announced = [line for line in lines if "simulating" in line]
    assert len(announced) == sum(": power " in line for line in lines)
    assert len(announced) < 60


def test_a_plan_on_convabuse_holds_for_another_seed() -> None:
    """On a prior fitted to the embedded ratings, by a bounded number of simulated sets."""
    data = source("convabuse")
    ratings = load_source("convabuse")
    prior = fit_by_likelihood("convabuse", ratings.matrix(), Response.on(data.scale)).prior
    lines: list[str] = []
    found = plan(
        prior,
        epsilon=0.1,
        power=0.8,
        cost_per_item=1.0,
        cost_per_rating=0.1,
        threads=2,
        progress=lines.append,
    )
    size = Population(prior, found.n_items, found.k_responses, 0.1)
    again = power_of_test(size, n_sets=4000, seed=77, threads=2)
    error = math.hypot(0.01, again.standard_error)
    assert 0.8 - 3.0 * error < again.power < 0.8 + 4.0 * error
    sets = sum(int(line.split("simulating ")[1].split()[0]) for line in lines if "simulating" in line)
    assert sets < 120_000


def test_the_best_power_of_a_budget_is_simulated_once_more() -> None:
    lines: list[str] = []
    found = planned(epsilon=0.2, budget=400.0, max_responses=10, progress=lines.append)
    seen = [line for line in lines if ": power " in line]
    assert seen[-1].startswith(f"N = {found.n_items}, K = {found.k_responses},")
    assert found.power.n_sets <= sum(int(line.split(" on ")[1].split()[0]) for line in seen[-4:])


def test_limits_and_systems_are_said() -> None:
    capped = planned(epsilon=0.1, n_items=30, budget=100_000.0, max_responses=20)
    assert capped.k_responses == 20
    assert "K = 20 (max_responses) is the most that the search allowed, and the budget would buy more." in (
        capped.sentence
    )
    odd = planned(epsilon=0.3, n_items=30, k_responses=3, epsilon_a=0.1, sd_scale_a=2.0)
    assert (
        "with A's item means off by up to ε_A = 0.1 and the spread of A's responses times 2" in odd.sentence
    )
    assert "search allowed" not in odd.sentence


def test_approximated_candidates_have_no_power() -> None:
    found = planned(epsilon=0.1, power=0.8, max_responses=10)
    by = {row.by: row.power for row in found.candidates}
    assert set(by) == {"approximation", "simulation"}
    assert by["approximation"] is None


@pytest.mark.parametrize(
    ("given", "said", "unsaid"),
    [
        ({"n_items": 6, "k_responses": 1, "power": 0.95}, "ε up to 1; ", "max_"),
        (
            {"epsilon": 0.05, "power": 0.9, "k_responses": 2, "max_items": 50},
            "within 50 items; ",
            "responses per",
        ),
        (
            {"epsilon": 0.05, "power": 0.9, "n_items": 20, "max_responses": 6},
            "within 6 responses per item; ",
            " items",
        ),
        ({"budget": 8.0, "power": 0.95}, "raise the budget", "max_items"),
        (
            {"epsilon": 0.01, "power": 0.8, "max_items": 300, "max_responses": 2},
            "300 items and 2 responses",
            "budget",
        ),
    ],
)
def test_only_the_limits_that_were_searched_are_named(
    given: dict[str, object], said: str, unsaid: str
) -> None:
    with pytest.raises(NbykError, match=r"the best reachable is 0\.\d+ at N = \d+, K = \d+, ε = ") as refused:
        planned(**given)
    assert said in str(refused.value)
    assert unsaid not in str(refused.value).replace("swap_items", "")


def test_the_plan_depends_on_the_seed_alone() -> None:
    given = {"k_responses": 5, "epsilon": 0.3, "power": 0.8, "precision": 0.02}
    first, again = plan(TOXICITY, **given), plan(TOXICITY, threads=2, **given)  # type: ignore[arg-type]
    assert first == again
    assert plan(TOXICITY, seed=1, **given).power != first.power  # type: ignore[arg-type]


def test_an_effect_stands_for_an_epsilon() -> None:
    size = Population(TOXICITY, 2, 1, 0.2)
    effect = long_run_effect(size, get("mae"))
    assert epsilon_for_effect(size, get("mae"), effect) == pytest.approx(0.2, abs=2e-4)
    found = planned(effect=effect, n_items=100, k_responses=5)
    assert found.epsilon == pytest.approx(0.2, abs=2e-4)
    assert found.effect == pytest.approx(effect, rel=1e-3)


def test_the_long_run_effect_is_that_of_very_many_responses() -> None:
    """On unclamped normal responses, whose item means are μ: E|v| for v uniform, clamped at 0 and 1."""
    prior = published_prior("simulated")
    effect = long_run_effect(Population(prior, 2, 1, 0.2), get("mae"))
    generator = np.random.default_rng(8)
    mu = generator.random(400_000)
    moved = np.clip(mu + generator.uniform(-0.2, 0.2, mu.size), 0, 1)
    assert effect == pytest.approx(np.abs(moved - mu).mean(), rel=0.02)


@pytest.mark.parametrize("response", [Response("clamped"), Response("likert", 5), Response("binary")])
def test_expected_responses(response: Response) -> None:
    mean, sd = np.array([0.1, 0.5, 0.9, 0.3]), np.array([0.4, 0.1, 0.3, 0.0])
    draws = mean + sd * np.random.default_rng(9).normal(size=(200_000, 4))
    np.testing.assert_allclose(
        response_mean(response, mean, sd), response.apply(draws).mean(axis=0), atol=0.004
    )


def test_curves_invert() -> None:
    curve = PowerCurve(5, 0.1, 1.7, 0.02)
    assert curve.power(curve.items_for(0.83)) == pytest.approx(0.83)
    assert PowerCurve.through(5, 90.0, 0.7, 0.05).power(90.0) == pytest.approx(0.7)
    assert curve.moved_through(100, 600, 1000).power(100) == pytest.approx(0.6, abs=0.002)
    assert PowerCurve(5, 0.0, 0.0, math.inf).items_for(0.8) == math.inf
    exact = {k: PowerCurve(k, 0.1 * k**0.4, 1.7, 0.05) for k in (1, 2, 3, 5, 8, 13, 21)}
    for k, smooth in smoothed({**exact, 34: PowerCurve(34, 0.0, 0.0, math.inf)}).items():
        assert smooth.slope == pytest.approx(exact[k].slope)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"n_items": 1, "k_responses": 5, "epsilon": 0.1},
            "n_items: found 1, expected a whole number of at least 2",
        ),
        ({"n_items": 9, "k_responses": 0, "epsilon": 0.1}, "k_responses: found 0"),
        ({"n_items": 9, "k_responses": 2.5, "epsilon": 0.1}, "k_responses: found 2.5"),
        (
            {"n_items": 9, "k_responses": 5, "epsilon": 1.5},
            "found 1.5, expected a perturbation between 0 and 1",
        ),
        ({"n_items": 9, "k_responses": 5, "epsilon": math.nan}, "found nan"),
        ({"epsilon": 0.1, "power": 1.0}, "power: found 1.0"),
        ({"epsilon": 0.1, "power": 0.01}, "power: found 0.01, expected a number between α = 0.05 and 1"),
        ({"epsilon": 0.1, "power": 0.8, "alpha": 0.0}, "alpha: found 0.0"),
        ({"epsilon": 0.1, "power": 0.8, "cost_per_item": -1.0}, "cost_per_item: found -1.0"),
        ({"epsilon": 0.1, "power": 0.8, "cost_per_rating": math.inf}, "cost_per_rating: found inf"),
        ({"epsilon": 0.1, "power": 0.8, "cost_per_rating": 0.0}, "costs: found 0 per item and 0 per rating"),
        ({"epsilon": 0.1, "budget": 0.0}, "budget: found 0.0"),
        ({"epsilon": 0.1, "budget": 1.0}, "does not buy 2 items of one rating each, which cost 2"),
        (
            {"epsilon": 0.1, "budget": 9.0, "k_responses": 5},
            "does not buy 2 items of 5 ratings, which cost 10",
        ),
        ({"epsilon": 0.1, "budget": 9.0, "n_items": 10}, "does not buy 10 items of one rating each"),
        ({"epsilon": 0.1, "power": 0.8, "metric": "ma"}, "unknown metric 'ma'; did you mean mae"),
        ({"epsilon": 0.1, "power": 0.8, "test": "swap"}, "unknown test 'swap'; did you mean swap_items"),
        ({"epsilon": 0.1, "power": 0.8, "precision": 0.0}, "precision: found 0.0"),
        ({"epsilon": 0.1, "effect": 0.1, "power": 0.8}, "both epsilon and effect"),
        ({"effect": 0.9, "power": 0.8}, "out of reach: at ε = 1"),
        ({"effect": -0.1, "power": 0.8}, "effect: found -0.1"),
        ({"effect": 0.5, "power": 0.8, "metric": "wins_mae"}, "counts which system is nearer"),
        ({"effect": 0.5, "power": 0.8, "metric": "mean_of_emds"}, "needs single responses"),
        ({"effect": 0.5, "power": 0.8, "metric": "inverse_mse"}, "without noise"),
        ({"epsilon": 0.1, "power": 0.8, "sd_scale_b": -1.0}, "sd_scale_b: found -1.0"),
        ({"epsilon": 0.1, "power": 0.8, "max_items": 1}, "max_items: found 1"),
        ({"epsilon": 0.1, "n_items": 60, "k_responses": 3, "max_items": 1}, "max_items: found 1"),
        ({"epsilon": 0.1, "n_items": 9, "k_responses": 3, "power": 0.8}, "N and K already fix the power"),
        ({"epsilon": 0.1, "power": 0.8, "budget": 90.0}, "drop budget to see what the power costs"),
    ],
)
def test_bad_input_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        plan(TOXICITY, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        {"epsilon": 0.05, "power": 0.9, "max_items": 40, "max_responses": 8},
        {"epsilon": 0.05, "power": 0.9, "k_responses": 2, "max_items": 50},
        {"epsilon": 0.05, "power": 0.9, "n_items": 20, "max_responses": 6},
        {"n_items": 6, "k_responses": 1, "power": 0.95},
        {"epsilon": 0.0, "power": 0.8, "k_responses": 3, "max_items": 30},
        {"epsilon": 0.1, "power": 0.9, "test": "welch_t", "max_items": 20, "max_responses": 3},
    ],
)
def test_a_power_out_of_reach_says_what_is_in_reach(given: dict[str, object]) -> None:
    with pytest.raises(NbykError, match=r"power 0\.\d+ is not reached .* the best reachable is 0\.\d+ at .*"):
        planned(**given)


def test_a_plan_says_itself_in_one_sentence() -> None:
    found = planned(epsilon=0.3, power=0.8, k_responses=5)
    assert found.sentence.count("; ") == 1
    for part in (
        "0.8",
        "swap_items on mae",
        "ε = 0.3",
        "toxicity",
        f"{found.n_items} items with 5 ratings each",
    ):
        assert part in found.sentence
    content = found.to_dict()
    assert content["given"] == {"k_responses": 5, "epsilon": 0.3, "power": 0.8}
    assert content["power"]["low"] <= content["power"]["power"] <= content["power"]["high"]
