"""Planning with people: a pilot with ids gives its variances back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import ALL_FRESH, FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.closed_form import solved, with_assurance
from nbyk.planning.pilot import Pilot
from nbyk.planning.request import Request
from nbyk.priors import Response
from nbyk.report.plan import plan_answer
from nbyk.resampling.pilot_items import PilotItems
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.collection import Crew, Spread
from nbyk.testing.shared_units.power import power_with_people, variance_of

MEAN = get("mean")


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
        data = responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True)
        test = shared_units_test(MEAN, data, weighted=False)
        found.append(Spread.of(test, rated=True))
    for name, variance, error in (("items", 0.04, 0.03), ("raters", 0.01, 0.08), ("ratings", 0.09, 0.03)):
        mean = np.mean([getattr(spread, name) for spread in found])
        assert mean == pytest.approx(variance, rel=3.3 * error), name


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
    return pilot_of(nbyk.response_set(None, a, b, cluster=clusters.tolist())).spread


def pilot_of(data: ResponseSet, **declared: float) -> Pilot:
    return Pilot((data,), MEAN, declared=declared)


def test_a_plan_of_the_pilots_own_sizes_has_the_pilots_variance() -> None:
    # Also where clusters are unequal: the mean of those that are planned is that of the pilot's
    a, b, clusters = clustered_pilot([2, 6] * 20, 3)
    spread = nbyk_spread(a, b, clusters)
    test = pilot_of(nbyk.response_set(None, a, b, cluster=clusters.tolist())).test
    planned = variance_of(spread, Crew(160, 8, 8, 0, items_per_cluster=4))
    assert planned == pytest.approx(test.variance, rel=0.002)


def test_clusters_alone_are_a_pilot_and_two_are_none() -> None:
    a, b, clusters = clustered_pilot([5] * 30, 4)
    fresh = ResponseSet(np.empty((150, 0)), a[:, :1], b[:, :1], ALL_FRESH, clusters)
    spread = pilot_of(fresh).spread
    assert spread.clusters > 0.0
    assert (spread.raters, spread.ratings, spread.runs, spread.answers) == (0.0, 0.0, 0.0, 0.0)
    with pytest.raises(NbykError, match="cluster: 2 clusters are too few; collect 3 or more, or leave"):
        assert pilot_of(replace(fresh, clusters=np.arange(150) % 2)).spread


def ratings_of_pilot(raters: int, generator: np.random.Generator, severity: float = 0.1) -> np.ndarray:
    a = generator.normal(0.0, 0.2, (100, 1)) + generator.normal(0.0, severity, raters)
    return a + generator.normal(0.0, 0.2, (100, raters))


@pytest.mark.statistics
@pytest.mark.parametrize("raters", [3, 5, 10])
def test_the_assured_plan_holds_in_four_of_five_pilots(raters: int) -> None:
    """60 pilots for one truth: a share of .8 has a standard error of .05. The best guess holds in half."""
    truth, effect = Spread(0.04, 0.01, 0.04), 0.1
    asked = Request(source=truth, n_items=400, runs=0, effect=effect, power=0.8)
    generator, held, guessed = np.random.default_rng(raters), 0, 0
    for _ in range(60):
        a = ratings_of_pilot(raters, generator)
        pilot = pilot_of(nbyk.response_set(None, a, np.zeros(a.shape)))
        crews = [solved(replace(asked, source=source)).crew for source in (pilot.law(), pilot.spread)]
        sure, guess = (power_with_people(truth, crew, effect) >= 0.8 for crew in crews)
        held, guessed = held + sure, guessed + guess
    assert held / 60 >= 0.8 - 3 * 0.052
    assert guessed < held


def test_a_pilot_of_few_raters_says_what_pilot_would_tell() -> None:
    a = ratings_of_pilot(3, np.random.default_rng(4))
    data = nbyk.response_set(None, a, np.zeros(a.shape))
    pilot = pilot_of(data)
    asked = Request(source=pilot.spread, n_items=400, runs=0, effect=0.1, power=0.8)
    best = solved(asked)
    found = with_assurance(best, pilot)
    assert found.assured is not None
    assert found.assured.crew.raters > 2 * best.crew.raters
    assert f"by {best.crew.raters} to {found.assured.crew.raters} raters" in found.sentence
    assert 3 < found.pilot_that_tells <= 50
    assert f"A pilot of {found.pilot_that_tells} raters would tell more." in " ".join(found.lines)
    # A larger pilot with the same estimates assures with fewer raters
    sizes = [solved(replace(asked, source=pilot.law(times))).crew.raters for times in (1.0, 3.0, 10.0, 100.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= 1.3 * best.crew.raters + 1
    # The assured power of the best guess's crew is below the promise, and that of a known world is not
    known = pilot_of(data, items=0.04, raters=0.01, ratings=0.04)
    crew = replace(asked, raters=20, k_responses=20, power=None)
    powers = [solved(replace(crew, source=of.law())).power for of in (pilot, known)]
    assert powers[0] < powers[1]


def strangers(**declared: float) -> Pilot:
    """Return 60 items that four people rate who rate no other, and two systems that answer once."""
    generator = np.random.default_rng(6)
    mean = generator.uniform(0.3, 0.7, (60, 1))
    gold = np.clip(mean + generator.normal(0.0, 0.2, (60, 4)), 0.0, 1.0)
    a, b = (mean + generator.normal(off, 0.1, (60, 1)) for off in (0.1, 0.12))
    return Pilot((ResponseSet(gold, a, b, ALL_FRESH),), get("mae"), declared=declared)


@pytest.mark.parametrize(
    "asked",
    [
        {"solve": "items", "effect": 0.05, "k_responses": 1},
        {"solve": "items", "k_responses": 10},
        {"solve": "raters", "effect": 0.05, "k_responses": 2},
        {"solve": "ratings", "effect": 0.05},
        {"solve": "ratings", "n_items": 500},
    ],
)
def test_strangers_do_not_show_what_another_number_of_ratings_does(asked: dict[str, Any]) -> None:
    with pytest.raises(
        NbykError,
        match="no rater of the pilot rates two items, so it does not show what another number than 4",
    ):
        nbyk.plan(strangers(), power=0.8, **asked)
    known = nbyk.plan(strangers(ratings=0.16), power=0.8, **{"effect": 0.05, **asked})
    assert known.request.spread.ratings == 0.16


def test_what_is_asked_of_strangers_is_not_passed_over() -> None:
    alone = nbyk.plan(strangers(), solve="items", power=0.8)
    assert nbyk.plan(strangers(), solve="items", power=0.8, k_responses=4).lines == alone.lines
    declared = nbyk.plan(strangers(items=0.36), solve="items", power=0.8)
    assert declared.n_items == pytest.approx(
        0.36 * (2.8016 / (declared.effect or 0.0)) ** 2, rel=0.01
    )  # (z + z) s / δ
    assert nbyk.plan(strangers(), solve="items", power=0.8, raters=5).crew.raters == 5
    with pytest.raises(NbykError, match="nothing is left to solve for"):
        nbyk.plan(strangers(), solve="items", power=0.8, budget=100.0)
    few = nbyk.plan(strangers(), raters=8, effect=0.05, power=0.8)
    assert few.to_frame()["ratings each"].min() == 4
    explorer = plan_answer(few, for_page=True).details["explorer"]
    assert explorer["axes"]["ratings"] == [4]
    assert explorer["axes"]["raters"][0] == 4


def test_more_runs_keep_the_ratings_of_strangers() -> None:
    generator = np.random.default_rng(7)
    mean = generator.uniform(0.3, 0.7, (80, 1))
    gold = mean + generator.normal(0.0, 0.2, (80, 3))
    a, b = (mean + off + generator.normal(0.0, 0.02, 4) for off in (0.1, 0.15))
    data = nbyk.response_set(gold, a, b)
    pilot = Pilot((replace(data, units={**data.units, "gold": FRESH}),), get("mae"), about_runs=True)
    plan = nbyk.plan(pilot, runs=15, effect=0.05, power=0.8)
    assert (plan.crew.runs, plan.crew.raters, plan.k_responses) == (15, 0, 3)


def test_one_rating_an_item_does_not_tell_items_from_ratings() -> None:
    """The pilot's noise is then the items': more ratings are no way to fewer items, as they once were."""
    generator, found = np.random.default_rng(4), []
    for _ in range(40):
        who = generator.permutation(np.arange(120) % 6)[:, np.newaxis]
        a = generator.normal(0.0, 0.15, (120, 1)) + generator.normal(0.0, 0.1, (120, 1))
        data = responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True)
        found.append(Spread.of(shared_units_test(MEAN, data, weighted=False), rated=True))
    assert np.mean([spread.items for spread in found]) == pytest.approx(0.0225 + 0.01, rel=0.05)
    assert {spread.ratings for spread in found} == {0.0}
    matrix = np.full((120, 6), np.nan)
    np.put_along_axis(matrix, who, a, axis=1)
    index = np.where(np.isnan(matrix), -1, np.arange(6)).astype(np.int32)
    units = Units("ids", tuple("abcdef"), index)
    pilot = pilot_of(nbyk.response_set(None, matrix, 0.0 * matrix, units={"a": units, "b": units}))
    assert (pilot.crew.raters, pilot.crew.ratings_per_item) == (6, 1)
    for asked in ({"solve": "items", "k_responses": 6}, {"solve": "ratings"}):
        with pytest.raises(NbykError, match="but the pilot has one rating of an item, so it does not show"):
            nbyk.plan(pilot, effect=0.1, power=0.8, **asked)


def test_what_would_settle_runs_on_the_gold_of_strangers_is_no_number_of_ratings() -> None:
    generator = np.random.default_rng(3)
    mean = generator.uniform(0.3, 0.7, (80, 1))
    gold = mean + generator.normal(0.0, 0.2, (80, 3))
    a, b = (
        mean + off + generator.normal(0.0, 0.05, 4) + generator.normal(0.0, 0.05, (80, 4))
        for off in (0.1, 0.12)
    )
    data = nbyk.response_set(gold, a, b)
    found = nbyk.settle(replace(data, units={**data.units, "gold": FRESH}))
    assert found.crew.runs > 0
    assert all("k_responses" not in way.open for way in (found, *found.others))


def test_people_rate_both_systems_whether_they_share_items_or_not() -> None:
    generator = np.random.default_rng(9)
    a, b = (generator.normal(mean, 0.2, (60, 1)) for mean in (0.55, 0.5))
    pilot = pilot_of(ResponseSet(np.empty((60, 0)), a, b, ALL_FRESH))
    found = nbyk.plan(pilot, solve="items", effect=0.1, power=0.8, cost_per_rating=2.0)
    assert found.cost == 4.0 * found.n_items
    assert f"1 rating of each system's answer ({2 * found.n_items} ratings" in found.sentence
    assert "as in the pilot, 1 rating per item" in " ".join(found.lines)


def test_trials_belong_to_their_items_as_they_do_in_a_comparison() -> None:
    rng = np.random.default_rng(1)
    a, b = (np.array(rng.random((50, 5)) < share, float) for share in (0.7, 0.5))
    runs = Units(
        "ids", tuple(f"run{run}" for run in range(5)), np.tile(np.arange(5, dtype=np.int32), (50, 1))
    )
    data = ResponseSet(np.empty((50, 0)), a, b, {"a": runs, "b": runs})
    plan = nbyk.plan(data, metric="pass^2", solve="items", effect=0.1, power=0.8)
    assert (plan.crew.runs, plan.crew.raters, plan.k_responses) == (0, 0, 5)
    passed = [of.sum(axis=1) * (of.sum(axis=1) - 1.0) / 20.0 for of in (a, b)]
    needed = (passed[0] - passed[1]).var(ddof=1) * ((1.95996 + 0.84162) / 0.1) ** 2
    assert needed <= plan.n_items <= needed + 5.0
    assert f"with 5 trials of each system ({plan.n_items * 10} trials)" in plan.sentence
    assert "rating" not in " ".join(plan.lines)
    assert plan_answer(plan, for_page=True).details["explorer"]["noun"] == "trial"
    assert not plan.warnings
    found = nbyk.settle(None, a[:, :3], b[:, 2:], metric="pass^2", alpha=1e-6, power=0.8)
    assert [way.open for way in (found, *found.others)] == [("n_items",)]
    assert found.warnings == ("nbyk plans only more items, with 3 trials each",)
    for solve, why in (("runs", "a trial belongs to its item"), ("ratings", "no number of them is known")):
        with pytest.raises(nbyk.NbykError, match=why):
            nbyk.plan(data, metric="pass^2", solve=solve, alpha=1e-6, power=0.8)


def test_a_simulated_plan_of_trials_has_as_many_as_the_metric_takes() -> None:
    rng = np.random.default_rng(2)
    a, b = (np.array(rng.random((40, 4)) < share, float) for share in (0.7, 0.5))
    pilot = PilotItems("trials", None, Response("clamped"), (a, b), ("ours", "theirs"))
    how = {"metric": "pass^3", "precision": 0.05}
    with pytest.raises(nbyk.NbykError, match="found 2, expected a whole number of at least 3"):
        nbyk.plan(pilot, n_items=100, k_responses=2, **how)
    by_items = nbyk.plan(pilot, n_items=150, power=0.8, **how)
    assert by_items.k_responses >= 3
    cheapest = nbyk.plan(pilot, power=0.8, **how)
    assert min(row.k_responses for row in cheapest.candidates) >= 3
    assert "each with trials of its own" in " ".join(cheapest.lines)
    assert "rating" not in f"{cheapest}"
