"""What a plan assumes of its two systems: how often they answer, and what makes B worse without gold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk import plan
from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.power.battery import SimulatedSets, SystemTest
from nbyk.planning.power.estimate import power_of_test
from nbyk.planning.result import Plan
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import observed_effects
from nbyk_papers.homan2025.power_study import errors_of
from tests.planning.test_plan import TOXICITY, planned


@pytest.mark.parametrize(
    "metric", ["mae", "mse", "wins_mae", "mean_of_emds", "histogram_mean_of_emds(5)", "rmse"]
)
@pytest.mark.parametrize(("n_runs", "spread"), [(1, 0.0), (3, 1.0), (8, 0.5)])
def test_counts_and_responses_of_other_numbers_of_runs_have_the_same_effects(
    metric: str, n_runs: int, spread: float
) -> None:
    """One effect is from counts on a common multiple of 4 ratings and the runs, one from every response."""
    population = Population(TOXICITY, 40, 4, 0.4, 0.1, spread, spread, n_runs=n_runs)
    chosen = get(metric)
    direct = []
    for chunk in range(5):
        sets = list(SimulatedSets(population, chunk, 64, seed=1).responses())
        assert {found.a.shape for found in sets} == {(40, n_runs)}
        assert {found.gold.shape for found in sets} == {(40, 4)}
        direct += [observed_effects(found, chosen)[0] for found in sets]
    if not chosen.additive:
        a, b = errors_of(SimulatedSets(population, 0, 64, seed=1))
        quick = np.sqrt((b**2).mean(axis=1)) - np.sqrt((a**2).mean(axis=1))
    else:
        quick = np.concatenate(
            [
                SimulatedSets(population, chunk, 64, seed=1).contributions(chosen).mean(axis=1)
                for chunk in range(5)
            ]
        )
    error = np.hypot(stats.sem(direct), stats.sem(quick))
    assert abs(np.mean(direct) - quick.mean()) <= 4.0 * error
    assert np.std(direct) == pytest.approx(quick.std(), rel=0.25)


def test_one_deterministic_answer_is_that_of_a_system_which_repeats_itself() -> None:
    once = Population(TOXICITY, 60, 5, 0.3, 0.0, 0.0, 0.0, n_runs=1)
    often = Population(TOXICITY, 60, 5, 0.3, 0.0, 0.0, 0.0)
    powers = [power_of_test(size, n_sets=2000, threads=2).power for size in (once, often)]
    assert powers[0] == pytest.approx(powers[1], abs=0.05)


@pytest.mark.parametrize("test", ["permutation", "pooled_twice"])
def test_tests_that_draw_responses_see_the_runs_as_they_are(test: str) -> None:
    """With one answer each, a pool holds two answers, however many people rate the item."""
    population = Population(TOXICITY, 30, 6, 0.6, 0.0, 0.0, 0.0, n_runs=1)
    sets = SimulatedSets(population, 0, 8, seed=3)
    chosen = SystemTest(test, get("mae"), n_resamples=399)
    assert not chosen.is_compiled
    decided = chosen.rejections(sets)
    assert decided.shape == (8, 2)
    assert all(isinstance(found, ResponseSet) and found.a.shape[1] == 1 for found in sets.responses())


def test_sums_too_large_for_counts_are_drawn_one_by_one() -> None:
    assert Population(TOXICITY, 10, 7, 0.1, n_runs=3).countable
    assert not Population(TOXICITY, 10, 97, 0.1, n_runs=101).countable
    assert Population(TOXICITY, 10, 9_999, 0.1).countable


def said(found: Plan) -> str:
    return " ".join(found.lines)


def test_systems_answer_once_unless_told_otherwise_and_the_sentence_says_so() -> None:
    given = {"k_responses": 5, "epsilon": 0.3, "power": 0.8, "precision": 0.02}
    once, often = (plan(TOXICITY, n_runs=runs, **given) for runs in (None, "K"))  # type: ignore[arg-type]
    assert once.n_items < 0.85 * often.n_items
    assert "each system answers an item once, and would answer the same again" in said(once)
    assert "as often as people rate it, and its answers vary as ratings do" in said(often)
    assert (once.to_dict()["n_runs"], often.to_dict()["n_runs"]) == (1, "K")
    three = planned(n_items=40, k_responses=5, epsilon=0.3, n_runs=3)
    assert "answers an item 3 times, and its answers vary as people's ratings do" in said(three)


@pytest.mark.parametrize("n_runs", [0, -1, 1.5, "many"])
def test_a_wrong_number_of_runs_is_named(n_runs: object) -> None:
    with pytest.raises(
        NbykError, match=f"n_runs: found {n_runs}, expected a whole number of at least 1, or K"
    ):
        planned(epsilon=0.3, power=0.8, n_runs=n_runs)


@pytest.mark.parametrize("prior", ["toxicity", "amazon"])
def test_without_gold_b_is_shifted_and_a_t_test_has_the_same_power(prior: str) -> None:
    found = plan(published_prior(prior), metric="mean", epsilon=0.08, power=0.8, k_responses=5, threads=2)
    assert found.cost == found.n_items * 5 * 2
    assert "a system B whose item means are lower by ε = 0.08" in said(found)
    assert f"{found.n_items} items with 5 ratings of each system's answer" in found.sentence
    items = published_prior(prior)
    generator = np.random.default_rng(5)
    shape = (3000, found.n_items)

    def drawn(family: object) -> np.ndarray:
        return family.draw(generator.uniform(size=(*shape, family.n_uniforms)))  # type: ignore[attr-defined]

    mu, sd = drawn(items.mu), drawn(items.sigma)
    a, b = (
        items.response.apply(
            np.clip(mu - shift, 0.0, 1.0)[..., None] + sd[..., None] * generator.normal(size=(*shape, 5))
        ).mean(axis=-1)
        for shift in (0.0, 0.08)
    )
    power = (stats.ttest_rel(a, b, axis=1).pvalue <= 0.05).mean()
    assert found.power == pytest.approx(power, abs=0.05)


def test_without_gold_the_effect_asked_for_is_that_of_the_shift() -> None:
    found = planned(metric="mean", effect=0.05, power=0.8, k_responses=5, n_runs=None)
    assert found.effect == pytest.approx(0.05, abs=1e-3)
    assert "a system B that is worse by 0.05 on mean:" in said(found)
    assert found.to_dict()["given"] == {"k_responses": 5, "power": 0.8, "effect": 0.05}
    smallest = planned(metric="mean", n_items=found.n_items, k_responses=5, power=0.8, n_runs=None)
    assert smallest.epsilon == pytest.approx(found.epsilon, rel=0.1)
    assert f"find an ε of {smallest.epsilon:.3g} or more" in smallest.sentence


def test_without_gold_there_are_no_runs_to_plan() -> None:
    with pytest.raises(
        NbykError, match="n_runs: found 1, but mean needs no gold: people rate either system's"
    ):
        planned(metric="mean", epsilon=0.1, power=0.8, n_runs=1)


def test_a_budget_without_gold_pays_for_the_ratings_of_both_systems() -> None:
    found = planned(metric="mean", epsilon=0.1, budget=600.0, k_responses=5, n_runs=None)
    assert (found.n_items, found.cost) == (60, 600.0)
    by_items = planned(metric="mean", epsilon=0.1, budget=600.0, n_items=60, n_runs=None)
    assert by_items.k_responses == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_runs": 0}, "n_runs: found 0, expected at least 1"),
        ({"shift_b": 1.5}, "shift_b: found 1.5, expected a shift between -1 and 1"),
    ],
)
def test_a_population_names_a_wrong_number(given: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        Population(TOXICITY, 10, 5, 0.1, **given)  # type: ignore[arg-type]
