"""Numbers that a plan with people does not take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.cli.plan_source import variances_of
from nbyk.errors import NbykError
from nbyk.planning.request import Costs
from nbyk.priors import published_prior
from nbyk.testing.shared_units.collection import Crew, Spread
from nbyk.testing.shared_units.power import power_with_people

SPREAD = Spread(0.04, 0.002, 0.05)
COUNTS = ("n_items", "raters", "k_responses", "runs", "items_per_rater", "items_per_cluster")


@pytest.mark.parametrize("wrong", [-1, 2.5, math.nan, math.inf, "three", 10**400])
@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_whole_numbers_in_range(name: str, wrong: Any) -> None:
    with pytest.raises(NbykError, match=f"^{name}: found {wrong}, expected "):
        nbyk.plan(SPREAD, **{name: wrong})


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["alpha", "power", "budget"])
def test_levels_powers_and_budgets_are_in_range(name: str, wrong: float) -> None:
    with pytest.raises(NbykError, match=f"^{name}: found {wrong:g}"):
        nbyk.plan(SPREAD, **{name: wrong})


@pytest.mark.parametrize("wrong", [0.0, math.nan, math.inf])
def test_an_effect_is_a_number_other_than_zero(wrong: float) -> None:
    with pytest.raises(NbykError, match=f"^effect: found {wrong}"):
        nbyk.plan(SPREAD, effect=wrong)


@pytest.mark.parametrize("wrong", [-5.0, math.nan, math.inf])
def test_costs_are_numbers_of_at_least_zero(wrong: float) -> None:
    for name in ("item", "rating", "rater", "run"):
        with pytest.raises(NbykError, match=f"^cost_per_{name}: found {wrong}, expected a cost"):
            Costs(**{name: wrong})
    ratings = np.linspace(0.0, 1.0, 12)
    for name in ("cost_per_item", "cost_per_rating"):
        for call in (
            lambda costs: nbyk.settle(ratings, ratings, 1.0 - ratings, **costs),
            lambda costs: nbyk.plan(published_prior("simulated"), epsilon=0.3, power=0.5, **costs),
        ):
            with pytest.raises(NbykError, match=f"^{name}: found {wrong}, expected a cost"):
                call({name: wrong})
    with pytest.raises(NbykError, match=r"^cost_per_rating: found 0, and `cost_per_item` is 0 too"):
        nbyk.settle(ratings, ratings, 1.0 - ratings, cost_per_rating=0.0)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf, 1e300])
def test_standard_deviations_and_variances_can_be_squared(wrong: float) -> None:
    for name in ("item_sd", "cluster_sd", "severity_sd", "rating_sd", "run_sd", "answer_sd"):
        with pytest.raises(NbykError) as refused:
            variances_of({name: wrong})
        assert str(refused.value).startswith(f"{name}: found {wrong:g}, expected a standard deviation")
    with pytest.raises(NbykError, match=r"^items: found "):
        Spread(wrong)


def test_the_largest_standard_deviations_give_a_power() -> None:
    names = ("item_sd", "cluster_sd", "severity_sd", "rating_sd", "run_sd", "answer_sd")
    spread = Spread(**variances_of(dict.fromkeys(names, 1e75)))
    assert (spread.items, spread.runs) == pytest.approx((1e150, 2e150))
    assert 0.02 < power_with_people(spread, Crew(60, 5, 2, 4, 3), 0.1) <= 0.05  # the level of the mixture
