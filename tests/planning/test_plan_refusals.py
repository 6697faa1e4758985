"""What the planner refuses, and what it says is in reach instead."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import nbyk
from nbyk import plan, response_set
from nbyk.errors import NbykError
from nbyk.resampling.population import Population
from tests.planning.test_plan import TOXICITY, planned


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
        (
            {"epsilon": 0.1, "power": 0.8, "cost_per_rating": 0.0},
            "cost_per_rating: found 0, and `cost_per_item`",
        ),
        ({"epsilon": 0.1, "budget": 0.0}, "budget: found 0, expected a sum"),
        (
            {"epsilon": 0.1, "budget": 1e300},
            r"budget: found 1e\+300, which buys more than .* 100000 items of 100 ratings for 1e\+07; ",
        ),
        ({"epsilon": 0.1, "budget": 1.0}, "found 1, which is too little: 2 items of one rating each cost 2"),
        (
            {"epsilon": 0.1, "budget": 9.0, "k_responses": 5},
            "found 9, which is too little: 2 items of 5 ratings cost 10",
        ),
        ({"epsilon": 0.1, "budget": 9.0, "n_items": 10}, "too little: 10 items of one rating each cost 10"),
        ({"epsilon": 0.1, "power": 0.8, "metric": "ma"}, "unknown metric 'ma'; did you mean mae"),
        ({"epsilon": 0.1, "power": 0.8, "test": "swap"}, "unknown test 'swap'; did you mean swap_items"),
        ({"epsilon": 0.1, "power": 0.8, "precision": 0.0}, "precision: found 0.0"),
        ({"epsilon": 0.1, "effect": 0.1, "power": 0.8}, "both `epsilon` and `effect`"),
        ({"effect": 0.9, "power": 0.8}, "out of reach: at the largest ε"),
        ({"effect": -0.1, "power": 0.8}, "effect: found -0.1"),
        ({"effect": 0.5, "power": 0.8, "metric": "wins_mae"}, "counts which system is nearer"),
        ({"effect": 0.5, "power": 0.8, "metric": "mean_of_emds"}, "needs single responses"),
        ({"effect": 0.5, "power": 0.8, "metric": "inverse_mse", "n_runs": "K"}, "without noise"),
        ({"epsilon": 0.1, "power": 0.8, "max_items": 1}, "max_items: found 1"),
        ({"epsilon": 0.1, "n_items": 60, "k_responses": 3, "max_items": 1}, "max_items: found 1"),
        (
            {"epsilon": 0.1, "n_items": 9, "k_responses": 3, "power": 0.8},
            "nothing is left to solve for. Leave out one quantity",
        ),
        (
            {"epsilon": 0.1, "power": 0.8, "budget": 90.0},
            "nothing is left to solve for. Leave out one quantity",
        ),
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
        {"epsilon": 0.1, "power": 0.9, "test": "pooled", "max_items": 20, "max_responses": 3},
    ],
)
def test_a_power_out_of_reach_says_what_is_in_reach(given: dict[str, object]) -> None:
    with pytest.raises(NbykError, match=r"power: 0\.\d+ is not reached .* the best reachable is 0\.\d+ at "):
        planned(**given)


@pytest.mark.parametrize("given", ["convabuse", np.zeros((4, 2)), None])
def test_what_is_no_prior_is_named(given: object) -> None:
    with pytest.raises(NbykError, match=r"source: found (str|ndarray|NoneType), expected a pilot's items"):
        plan(given, epsilon=0.1, power=0.8)  # type: ignore[arg-type]
    with pytest.raises(NbykError, match=r"prior: found (str|ndarray|NoneType), expected a prior"):
        Population(given, 10, 2, 0.1)  # type: ignore[arg-type]


def test_an_effect_beyond_the_scale_is_refused_in_python_too() -> None:
    """A tenth typed as 10 (per cent), on answers from 0 to 1 or on a scale that is declared."""
    rng = np.random.default_rng(1)
    a, b = rng.random((30, 4)), rng.random((30, 4))
    pair = response_set(None, a, b)
    asked = {"metric": "mean", "power": 0.8, "solve": "items"}
    with pytest.raises(NbykError, match=r"on 0\.\S+ to 0\.\S+ no effect on mean is beyond 0\."):
        plan(pair, effect=10, **asked)
    with pytest.raises(NbykError, match="on 1 to 5 no effect on mean is beyond 4"):
        plan(pair, effect=10, scale="1..5", **asked)
    assert plan(pair, effect=2, scale="1..5", **asked).reachable
    with pytest.raises(NbykError, match=r"epsilon: found 0\.1, and ε is about simulated systems; give"):
        plan(pair, epsilon=0.1, metric="mean", power=0.8)


def test_what_is_no_source_names_the_call_that_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "pilot.csv"
    rows = "".join(f"i{i},r{r},{1 + (i + r) % 5}\n" for i in range(10) for r in range(3))
    path.write_text(f"item,rater,rating\n{rows}", encoding="utf-8")
    with pytest.raises(NbykError) as refused:
        plan(str(path), solve="raters", effect=0.4, power=0.8)  # type: ignore[arg-type]
    assert "nbyk plan --pilot FILE --solve raters" in str(refused.value)
    call = str(refused.value).partition("as in ")[2].partition("; or")[0]
    pilot = eval(call, {"nbyk": nbyk, "path": path})
    assert plan(pilot, n_items=10, k_responses=2, epsilon=2.0, scale="1..5", n_resamples=99).power > 0.0


@pytest.mark.parametrize("given", [{"k_responses": 5}, {"max_items": 2000, "max_responses": 3}])
def test_a_difference_that_single_items_do_not_show_is_out_of_reach(given: dict[str, int]) -> None:
    """It needs more items than the search allows, by the approximation too: no traceback, and no plan."""
    with pytest.raises(NbykError, match=r"0\.8 is not reached .*; the best reachable is 0\.0\d+ at N = \d+"):
        plan(TOXICITY, n_runs="K", epsilon=0.004, power=0.8, **given)  # type: ignore[arg-type]
