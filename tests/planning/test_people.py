"""Planning with people: the closed power is that of simulated collections; any one quantity is solved for."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import nbyk
from nbyk.data.response_set import ResponseSet, response_set
from nbyk.data.units import ALL_FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.people import (
    Costs,
    Crew,
    Spread,
    pilot_test,
    power_with_people,
    spread_of,
    variance_of,
)
from nbyk.planning.people_plan import CrewRequest, plan_with_people
from nbyk.testing.shared_units import responses, shared_units_test

MEAN = get("mean")
SPREAD = Spread(items=0.04, raters=0.002, ratings=0.05)
SETS = 500


def rejected(world: str, effect: float, generator: np.random.Generator) -> tuple[bool, float]:
    """Return whether the t-test finds an effect in one simulated collection, and its degrees of freedom."""
    n, raters, runs = 80, 6, 4
    item = generator.normal(0.0, 0.2, (n, 1))
    if world == "clusters":
        clusters = np.repeat(np.arange(20), 4)
        a = effect + item + generator.normal(0.0, 0.1, 20)[clusters, np.newaxis]
        found = shared_units_test(MEAN, responses(a, np.zeros(a.shape), clusters=clusters), sources=[])
    elif world == "runs":
        a, b = (
            sign * 0.5 * (item + effect)
            + generator.normal(0.0, 0.04, runs)
            + generator.normal(0.0, 0.1, (n, runs))
            for sign in (1, -1)
        )
        units = np.tile(np.arange(runs), (n, 1))
        found = shared_units_test(MEAN, responses(a, b, a_units=units, b_units=units))
    else:
        who = np.argsort(generator.random((n, raters)), axis=1)[:, : 6 if world == "raters" else 3]
        a = effect + item + generator.normal(0.0, 0.08, raters)[who] + generator.normal(0.0, 0.2, who.shape)
        found = shared_units_test(
            MEAN, responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True)
        )
    return found.p_value() <= 0.05, found.df


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("world", "spread", "crew"),
    [
        ("raters", Spread(0.04, raters=0.08**2, ratings=0.04), Crew(80, 6, 6, 0)),
        ("sparse", Spread(0.04, raters=0.08**2, ratings=0.04), Crew(80, 6, 3, 0)),
        ("runs", Spread(0.04, runs=2 * 0.04**2, answers=0.02), Crew(80, 0, 1, 4)),
        ("clusters", Spread(0.04, clusters=0.01), Crew(80, 0, 1, 0, items_per_cluster=4)),
    ],
)
def test_the_power_is_that_of_simulated_collections(world: str, spread: Spread, crew: Crew) -> None:
    """500 sets: a power of .7 has a standard error of .02."""
    generator = np.random.default_rng(8)
    effect = 2.9 * np.sqrt(variance_of(spread, crew)[0])
    shares = np.mean([rejected(world, effect, generator)[0] for _ in range(SETS)])
    assert power_with_people(spread, crew, effect) == pytest.approx(shares, abs=0.065)


def test_without_shared_units_it_is_the_power_of_a_t_test() -> None:
    from scipy import stats

    spread, crew = Spread(0.03, raters=0.004, ratings=0.02), Crew(50, 0, 2, 0)
    variance, df = variance_of(spread, crew)
    assert (variance, df) == pytest.approx(((0.03 + 0.012) / 50, 49.0))
    critical, shift = stats.t.isf(0.025, 49), 0.07 / np.sqrt(variance)
    expected = stats.nct.sf(critical, 49, shift) + stats.nct.cdf(-critical, 49, shift)
    assert power_with_people(spread, crew, 0.07) == pytest.approx(expected, abs=1e-9)
    one_sided = stats.nct.sf(stats.t.isf(0.05, 49), 49, shift)
    assert power_with_people(spread, crew, 0.07, alternative="greater") == pytest.approx(one_sided, abs=1e-9)
    assert power_with_people(spread, crew, -0.07, alternative="greater") == pytest.approx(one_sided, abs=1e-9)


def test_a_one_sided_plan_is_that_of_a_test_at_twice_the_level() -> None:
    asked = CrewRequest(raters=6, ratings_per_item=3, runs=0, effect=0.1, power=0.8)
    two_sided = plan_with_people(SPREAD, replace(asked, alpha=0.1))
    one_sided = plan_with_people(SPREAD, replace(asked, alternative="greater"))
    assert one_sided.crew == two_sided.crew
    assert "(one-sided, α = 0.05)" in one_sided.sentence
    with pytest.raises(NbykError, match="a plan takes B for the worse system"):
        plan_with_people(SPREAD, replace(asked, alternative="less"))


def test_any_one_is_solved_for_and_comes_back() -> None:
    given = {
        "n_items": 300, "raters": 10, "ratings_per_item": 5, "runs": 4, "effect": 0.06, "power": 0.7
    }  # fmt: skip
    spread = Spread(0.04, 0.002, 0.05, 0.0005, 0.01)
    for opened in ("n_items", "raters", "ratings_per_item", "runs", "effect", "power"):
        found = plan_with_people(spread, CrewRequest(**{**given, opened: None}))  # type: ignore[arg-type]
        assert found.open == (opened,)
        assert found.reachable
        if opened != "power":
            assert found.power >= 0.7 - 1e-6
        if opened in ("n_items", "raters", "ratings_per_item", "runs"):
            count = getattr(found.crew, opened)
            fewer = replace(found.crew, **{opened: count - 1})
            least = {"n_items": 2, "ratings_per_item": 1}.get(opened, 3)
            assert count == least or power_with_people(spread, fewer, 0.06) < 0.7


def test_no_number_of_items_helps_and_the_sentence_says_how_many_raters_would() -> None:
    asked = {"ratings_per_item": 5, "runs": 0, "effect": 0.05, "power": 0.8}
    found = plan_with_people(SPREAD, CrewRequest(raters=5, **asked))  # type: ignore[arg-type]
    assert not found.reachable
    raters = found.instead["raters"]
    assert f"No number of items settles this with 5 raters; {raters} raters would." in found.sentence
    assert plan_with_people(SPREAD, CrewRequest(raters=raters, **asked)).reachable  # type: ignore[arg-type]
    assert not plan_with_people(SPREAD, CrewRequest(raters=raters - 1, **asked)).reachable  # type: ignore[arg-type]
    two = plan_with_people(SPREAD, CrewRequest(raters=2, **{**asked, "ratings_per_item": 2}))  # type: ignore[arg-type]
    assert two.power == 0.0


def test_left_out_ratings_mean_that_everybody_rates_everything_and_costs_add_up() -> None:
    found = plan_with_people(
        SPREAD,
        CrewRequest(
            n_items=300,
            raters=None,
            ratings_per_item=None,
            runs=3,
            effect=0.05,
            power=0.8,
            costs=Costs(item=1.0, rating=0.1, rater=20.0, run=5.0),
        ),
    )
    crew = found.crew
    assert crew.ratings_per_item == crew.raters
    assert crew.items_per_rater == 300
    assert found.cost == pytest.approx(300 + 0.1 * 300 * crew.raters + 20 * crew.raters + 30)
    assert found.to_dict()["sentence"] == found.sentence


def test_clusters_of_one_item_and_clusters_alike_change_nothing() -> None:
    alone, in_clusters = Crew(80, 6, 3, 4), Crew(80, 6, 3, 4, items_per_cluster=4)
    spread = Spread(0.04, 0.002, 0.05, 0.0005, 0.01)
    of_clusters = replace(spread, clusters=0.01)
    # A cluster of one item is an item: their variances add up.
    as_items = replace(spread, items=0.05)
    assert variance_of(of_clusters, alone) == pytest.approx(variance_of(as_items, alone))
    assert variance_of(spread, in_clusters)[0] == pytest.approx(variance_of(spread, alone)[0])
    assert variance_of(of_clusters, in_clusters)[0] - variance_of(spread, alone)[0] == pytest.approx(
        0.01 / 20
    )
    assert variance_of(Spread(0.04, clusters=0.01), Crew(80, 0, 1, 0, 4))[1] == 19.0


def test_items_in_clusters_are_solved_for_and_one_cluster_is_refused() -> None:
    asked = CrewRequest(raters=0, ratings_per_item=1, runs=0, items_per_cluster=10, effect=0.1, power=0.8)
    spread = Spread(0.04, clusters=0.02)
    found = plan_with_people(spread, asked)
    assert found.power >= 0.8
    assert found.crew.n_items % 10 == 0
    assert power_with_people(spread, replace(found.crew, n_items=found.crew.n_items - 10), 0.1) < 0.8
    bought = plan_with_people(spread, replace(asked, power=None, budget=97.0))
    assert (bought.crew.n_items, bought.crew.clusters) == (90, 9)
    assert f"{found.crew.n_items} items in {found.crew.clusters} clusters, 1 rating each" in found.sentence
    assert "over new clusters of items" in found.sentence
    with pytest.raises(NbykError, match="items_per_cluster: found 10, and there are 9 items: one cluster"):
        plan_with_people(spread, replace(asked, n_items=9, power=None))


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
    asked = CrewRequest(runs=0, effect=0.05, costs=COSTS, budget=700.0)
    found = plan_with_people(SPREAD, asked)
    assert found.cost <= 700.0
    assert found.open == ("n_items", "raters", "ratings_per_item", "power")
    best = max(power_with_people(SPREAD, crew, 0.05) for crew in every_crew(700.0))
    # Of more than twenty raters, some numbers are tried.
    assert best - 0.003 <= found.power
    assert f"at a cost of {found.cost:g} of 700, " in found.sentence


def test_a_budget_finds_the_least_effect_of_all_collections() -> None:
    found = plan_with_people(SPREAD, CrewRequest(runs=0, power=0.8, costs=COSTS, budget=700.0))
    assert found.power == pytest.approx(0.8)
    assert max(power_with_people(SPREAD, crew, 0.98 * found.effect) for crew in every_crew(700.0)) < 0.8


def test_the_cheapest_collection_has_the_power_and_nothing_cheaper_does() -> None:
    found = plan_with_people(SPREAD, CrewRequest(runs=0, effect=0.05, power=0.8, costs=COSTS))
    assert found.power >= 0.8
    cheaper = max(power_with_people(SPREAD, crew, 0.05) for crew in every_crew(0.99 * found.cost))
    assert cheaper < 0.8


def test_where_several_numbers_are_open_and_none_is_enough_the_answer_says_so() -> None:
    found = plan_with_people(SPREAD, CrewRequest(raters=3, effect=0.001, power=0.9))
    assert not found.reachable
    assert found.open == ("n_items", "ratings_per_item", "runs")
    assert found.crew.ratings_per_item == 3
    limit = "(up to 100 ratings per item and runs)"
    start = "No number of items, ratings per item or runs settles this with 3 raters among those that"
    assert found.sentence.startswith(f"{start} nbyk tries if several are open {limit}. ")
    with pytest.raises(NbykError, match="found 5, and there are 3 raters"):
        plan_with_people(SPREAD, CrewRequest(raters=3, ratings_per_item=5, effect=0.01, power=0.9))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 50.0}, "budget: found 50, which is too little: the smallest collection costs 63"),
        ({"power": 0.8}, "budget: found 500 with an effect and a power; expected one of the two"),
        ({"effect": None}, "budget: found 500 with neither an effect nor a power; expected one of"),
        (
            {"n_items": 9, "raters": 3, "ratings_per_item": 1},
            "budget: found 500, but you gave all numbers of items",
        ),
        ({"budget": -1.0}, "budget: found -1, expected a number above 0"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(given: dict[str, object], message: str) -> None:
    asked = {"runs": 0, "effect": 0.05, "budget": 500.0, "costs": COSTS}
    with pytest.raises(NbykError, match=message):
        plan_with_people(SPREAD, CrewRequest(**{**asked, **given}))  # type: ignore[arg-type]


@pytest.mark.statistics
def test_a_comparison_with_ids_gives_its_variances_back() -> None:
    """Means over 60 pilots of 100 items and 8 raters; raters' variance is known to about 7 % then."""
    generator = np.random.default_rng(3)
    found = []
    for _ in range(60):
        who = np.tile(np.arange(8), (100, 1))
        a = (
            generator.normal(0.0, 0.2, (100, 1))
            + generator.normal(0.0, 0.1, 8)
            + generator.normal(0.0, 0.3, (100, 8))
        )
        test = shared_units_test(MEAN, responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True))
        found.append(Spread.of(test, rated=True))
    for name, variance in (("items", 0.04), ("raters", 0.01), ("ratings", 0.09)):
        assert np.mean([getattr(spread, name) for spread in found]) == pytest.approx(variance, rel=0.2)


@pytest.mark.statistics
@pytest.mark.parametrize("loads", [np.ones(8), np.arange(1.0, 9.0) ** 2], ids=["alike", "unlike"])
def test_a_sparse_pilot_gives_its_variances_back(loads: np.ndarray) -> None:
    """Means over 100 pilots of 200 items, each rated by three of eight people, who may rate unlike numbers.

    Raters' variance is known to 8 % then (standard error), the others to 3 %. Divided by J in place of
    1 / Σ w², that of unlike raters was 1.5 times too large; single ratings were 3.5 times too noisy.
    """
    generator = np.random.default_rng(1)
    found = []
    for _ in range(100):
        order = np.log(loads) + generator.gumbel(size=(200, 8))
        who = np.argsort(-order, axis=1)[:, :3]
        severity = generator.normal(0.0, 0.1, 8)
        a = generator.normal(0.0, 0.2, (200, 1)) + severity[who] + generator.normal(0.0, 0.3, (200, 3))
        test = shared_units_test(MEAN, responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True))
        found.append(Spread.of(test, rated=True))
    for name, variance, error in (("items", 0.04, 0.03), ("raters", 0.01, 0.08), ("ratings", 0.09, 0.03)):
        mean = np.mean([getattr(spread, name) for spread in found])
        assert mean == pytest.approx(variance, rel=3.3 * error), name


def test_the_load_of_a_rater_says_how_many_there_are() -> None:
    found = plan_with_people(
        SPREAD,
        CrewRequest(
            n_items=None,
            raters=None,
            ratings_per_item=3,
            runs=0,
            items_per_rater=50,
            effect=0.05,
            power=0.8,
        ),
    )
    assert found.crew.raters == -(-3 * found.crew.n_items // 50)
    assert found.power >= 0.8
    with pytest.raises(NbykError, match="items_per_rater: found 50, expected"):
        plan_with_people(
            SPREAD,
            CrewRequest(
                n_items=None,
                raters=9,
                ratings_per_item=3,
                runs=0,
                items_per_rater=50,
                effect=0.05,
                power=0.8,
            ),
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
    assert found.decided
    raters = int(re.search(r"it takes (\d+) raters in all", found.people)[1])  # type: ignore[index]
    assert 15 < raters < 120
    assert "more items alone would not" in found.people
    assert found.sentence.endswith(found.people)
    fresh = nbyk.settle(ResponseSet(np.empty((60, 0)), a, b, ALL_FRESH), metric="mean")
    assert fresh.people == ""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"power": None, "effect": None}, "found `effect`, `power` left out; leave out one"),
        ({}, "found nothing left out"),
        ({"power": 1.5, "n_items": None}, "power: found 1.5"),
        ({"effect": 0.0, "n_items": None}, "effect: found 0.0"),
        ({"ratings_per_item": 11, "n_items": None}, "found 11, and there are 10 raters"),
        ({"n_items": 1, "power": None}, "n_items: found 1, expected a whole number of at least 2"),
    ],
)
def test_what_makes_no_sense_is_named(given: dict[str, object], message: str) -> None:
    whole = {
        "n_items": 300, "raters": 10, "ratings_per_item": 5, "runs": 4, "effect": 0.06, "power": 0.8
    }  # fmt: skip
    with pytest.raises(NbykError, match=message):
        plan_with_people(SPREAD, CrewRequest(**{**whole, **given}))  # type: ignore[arg-type]
    with pytest.raises(NbykError, match="raters: found -1"):
        Spread(0.1, raters=-1.0)


def clustered_pilot(
    sizes: list[int], seed: int, *, cluster_sd: float = 0.1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ratings of A's and B's answers by the same eight people, and the cluster of each item."""
    generator = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    effect = 0.05 + generator.normal(0.0, cluster_sd, len(sizes))[clusters]
    effect = effect + generator.normal(0.0, 0.2, len(clusters))
    a = (
        effect[:, np.newaxis]
        + generator.normal(0.0, 0.08, 8)
        + generator.normal(0.0, 0.2, (len(clusters), 8))
    )
    return 5.0 + a, np.full(a.shape, 5.0), clusters


def test_the_variance_between_clusters_comes_back() -> None:
    """20 pilots of 60 clusters of 4: a mean variance of .01 has a standard error of .02 √(2/59) / √20."""
    found = []
    for seed in range(20):
        a, b, clusters = clustered_pilot([4] * 60, seed)
        found.append(nbyk_spread(a, b, clusters))
    means = {
        name: np.mean([getattr(one, name) for one in found]) for name in ("clusters", "items", "ratings")
    }
    assert means["clusters"] == pytest.approx(0.01, abs=4 * 0.02 * np.sqrt(2 / 59 / 20))
    assert means["items"] == pytest.approx(0.04, abs=4 * 0.04 * np.sqrt(2 / 240 / 20))
    assert means["ratings"] == pytest.approx(0.04, rel=0.05)
    alike = [nbyk_spread(*clustered_pilot([4] * 60, seed, cluster_sd=0.0)).clusters for seed in range(20)]
    assert np.mean(alike) < 0.002


def nbyk_spread(a: np.ndarray, b: np.ndarray, clusters: np.ndarray) -> Spread:
    return spread_of(None, a, b, cluster=clusters.tolist(), metric="mean")


def test_a_plan_of_the_pilots_own_sizes_has_the_pilots_variance() -> None:
    # Also where clusters are unequal: the mean of those that are planned is that of the pilot's
    a, b, clusters = clustered_pilot([2, 6] * 20, 3)
    spread = nbyk_spread(a, b, clusters)
    test = pilot_test(nbyk.response_set(None, a, b, cluster=clusters.tolist()), MEAN)
    planned = variance_of(spread, Crew(160, 8, 8, 0, items_per_cluster=4))[0]
    assert planned == pytest.approx(test.variance, rel=0.002)


def test_clusters_alone_are_a_pilot_and_two_are_none() -> None:
    a, b, clusters = clustered_pilot([5] * 30, 4)
    fresh = ResponseSet(np.empty((150, 0)), a[:, :1], b[:, :1], ALL_FRESH, clusters)
    spread = spread_of(fresh, metric="mean")
    assert spread.clusters > 0.0
    assert (spread.raters, spread.ratings, spread.runs, spread.answers) == (0.0, 0.0, 0.0, 0.0)
    with pytest.raises(NbykError, match="no rater and no run of this pilot answers two items"):
        spread_of(replace(fresh, clusters=None), metric="mean")
    with pytest.raises(NbykError, match="cluster: found 2 clusters, which cannot speak for others"):
        spread_of(replace(fresh, clusters=np.arange(150) % 2), metric="mean")


@pytest.mark.parametrize(
    ("crew", "alternative", "power"),
    [
        (Crew(4, 0, 1, 0), "two-sided", 0.0),  # 2 / 2⁴ > .05
        (Crew(5, 0, 1, 0), "two-sided", 0.0),
        (Crew(5, 0, 1, 0), "greater", 1.0),  # 1 / 2⁵ ≤ .05
        (Crew(6, 0, 1, 0), "two-sided", 1.0),
        (Crew(25, 0, 1, 0, 5), "two-sided", 0.0),  # five clusters are swapped whole
        (Crew(30, 0, 1, 0, 5), "two-sided", 1.0),
        (Crew(10, 4, 1, 0, 5), "two-sided", 0.0),  # two clusters
        (Crew(5, 0, 1, 10), "two-sided", 0.0),  # no five normal effects share the work equally
        (Crew(100, 0, 1, 10), "two-sided", 1.0),
    ],
)
def test_a_plan_has_no_power_where_the_test_cannot_reject(crew: Crew, alternative: str, power: float) -> None:
    spread = Spread(items=0.01, answers=0.001)
    assert power_with_people(spread, crew, 5.0, alternative=alternative) == pytest.approx(power)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "runs", "effect"), [(7, 0, 0.15), (10, 0, 0.1), (15, 4, 0.1), (25, 4, 0.07)])
def test_with_few_items_the_power_is_that_of_the_comparison(n: int, runs: int, effect: float) -> None:
    spread = Spread(items=0.01, answers=2 * 0.02**2, runs=2 * 0.01**2)
    planned = power_with_people(spread, Crew(n, 0, 1, runs), effect)
    generator, n_sets, found = np.random.default_rng(n), 300, 0
    width = max(runs, 1)
    for _ in range(n_sets):
        b = generator.random((n, 1)) + generator.normal(0.0, 0.02, (n, width))
        a = b.mean(axis=1, keepdims=True) + generator.normal(effect, 0.1, (n, 1))
        a = a + generator.normal(0.0, 0.02, (n, width)) + generator.normal(0.0, 0.01, (1, width)) * bool(runs)
        b = b + generator.normal(0.0, 0.01, (1, width)) * bool(runs)
        result = nbyk.compare(None, a, b, metric="mean", n_resamples=499, max_resamples=499)
        found += result.p <= 0.05
    assert found / n_sets == pytest.approx(planned, abs=0.1)  # 3 Monte-Carlo errors and .02
