"""Planning with people: the power in closed form is that of simulated collections."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.collection import Crew, Spread
from nbyk.testing.shared_units.power import power_with_people, unit_parts, variance_of

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
    effect = 2.9 * np.sqrt(variance_of(spread, crew))
    shares = np.mean([rejected(world, effect, generator)[0] for _ in range(SETS)])
    assert power_with_people(spread, crew, effect) == pytest.approx(shares, abs=0.065)


def test_without_shared_units_it_is_the_power_of_a_t_test() -> None:
    from scipy import stats

    spread, crew = Spread(0.03, raters=0.004, ratings=0.02), Crew(50, 0, 2, 0)
    variance = variance_of(spread, crew)
    assert variance == pytest.approx((0.03 + 0.012) / 50)
    critical, shift = stats.t.isf(0.025, 49), 0.07 / np.sqrt(variance)
    expected = stats.nct.sf(critical, 49, shift) + stats.nct.cdf(-critical, 49, shift)
    assert power_with_people(spread, crew, 0.07) == pytest.approx(expected, abs=1e-9)
    one_sided = stats.nct.sf(stats.t.isf(0.05, 49), 49, shift)
    assert power_with_people(spread, crew, 0.07, alternative="greater") == pytest.approx(one_sided, abs=1e-9)
    assert power_with_people(spread, crew, -0.07, alternative="greater") == pytest.approx(one_sided, abs=1e-9)


def test_a_one_sided_plan_is_that_of_a_test_at_twice_the_level() -> None:
    asked = {"raters": 6, "k_responses": 3, "effect": 0.1, "power": 0.8}
    two_sided = nbyk.plan(SPREAD, alpha=0.1, **asked)
    one_sided = nbyk.plan(SPREAD, alternative="greater", **asked)
    assert one_sided.crew == two_sided.crew
    assert "one-sided, α = 0.05." in " ".join(one_sided.lines)
    with pytest.raises(NbykError, match="a plan takes B for the worse system"):
        nbyk.plan(SPREAD, alternative="less", **asked)


def test_clusters_of_one_item_and_clusters_alike_change_nothing() -> None:
    alone, in_clusters = Crew(80, 6, 3, 4), Crew(80, 6, 3, 4, items_per_cluster=4)
    spread = Spread(0.04, 0.002, 0.05, 0.0005, 0.01)
    of_clusters = replace(spread, clusters=0.01)
    # A cluster of one item is an item: their variances add up.
    as_items = replace(spread, items=0.05)
    assert variance_of(of_clusters, alone) == pytest.approx(variance_of(as_items, alone))
    assert variance_of(spread, in_clusters) == pytest.approx(variance_of(spread, alone))
    assert variance_of(of_clusters, in_clusters) - variance_of(spread, alone) == pytest.approx(0.01 / 20)


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


@pytest.mark.statistics
@pytest.mark.parametrize("raters", [3, 5, 8, 20])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_few_raters_have_the_power_of_the_test_itself(raters: int, share: float) -> None:
    """2000 tests of normal ratings: a power of .7 has a standard error of .01. `share` is that of raters.

    A noncentral t with Satterthwaite's degrees of freedom promises .66 for .80 with three raters.
    """
    n, generator = 40, np.random.default_rng(raters)
    spread = Spread(0.7 * (1.0 - share) * n, share * raters, 0.3 * (1.0 - share) * n * raters)
    crew, effect = Crew(n, raters, raters, 0), 4.5 if raters < 5 else 3.2
    who = np.tile(np.arange(raters), (n, 1))
    found = 0
    for _ in range(2000):
        a = effect + generator.normal(0.0, spread.items**0.5, (n, 1))
        a = a + generator.normal(0.0, spread.raters**0.5, raters)
        a = a + generator.normal(0.0, spread.ratings**0.5, (n, raters))
        data = responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True)
        found += shared_units_test(MEAN, data).p_value() <= 0.05
    assert power_with_people(spread, crew, effect) == pytest.approx(found / 2000, abs=0.03)


@pytest.mark.parametrize(
    ("spread", "crew"),
    [
        (Spread(0.0225, raters=0.0003, ratings=0.01), Crew(120, 6, 1, 0)),
        (Spread(0.0225, raters=0.001, ratings=0.01, clusters=0.01), Crew(120, 6, 1, 0, items_per_cluster=4)),
        (Spread(0.0225, raters=0.001, ratings=0.01, runs=0.001, answers=0.02), Crew(120, 6, 1, 3)),
        (Spread(0.0225, raters=0.001, ratings=0.01, runs=0.001, answers=0.02), Crew(120, 6, 6, 3)),
    ],
)
def test_the_parts_of_units_are_those_that_a_test_shows(spread: Spread, crew: Crew) -> None:
    """Means over 40 sets, by `mae` where it is linear: A is too high by 50, and B too low."""
    generator, n, runs, shown = np.random.default_rng(1), crew.n_items, crew.runs, []
    clusters = np.arange(n) // crew.items_per_cluster
    for _ in range(40):
        who = (generator.permutation(n)[:, np.newaxis] + np.arange(crew.ratings_per_item)) % crew.raters
        item = generator.normal(0.0, spread.items**0.5, (n, 1))
        item = item + generator.normal(0.0, spread.clusters**0.5, n)[clusters, np.newaxis]
        gold = 0.5 * generator.normal(0.0, spread.raters**0.5, crew.raters)[who]
        gold = gold + 0.5 * generator.normal(0.0, spread.ratings**0.5, who.shape)
        units, width = np.tile(np.arange(runs), (n, 1)), max(runs, 1)
        a, b = (
            side
            - 0.5 * item
            + generator.normal(0.0, (0.5 * spread.runs) ** 0.5, width)
            + generator.normal(0.0, (0.5 * spread.answers) ** 0.5, (n, width))
            for side in (50.0, -50.0)
        )
        given: dict[str, Any] = {"a_units": units, "b_units": units} if runs else {}
        given |= {"clusters": clusters} if crew.items_per_cluster > 1 else {}
        data = responses(a, b, gold=gold, gold_units=who, **given)
        shown.append([part.within for part in shared_units_test(get("mae"), data).sources.values()])
    expected = [part.within for part in unit_parts(spread, crew)]
    np.testing.assert_allclose(np.mean(shown, axis=0), expected, rtol=0.06)


@pytest.mark.statistics
def test_raters_who_share_no_item_have_the_power_of_the_test_itself() -> None:
    """1500 tests: a power of .6 has a standard error of .013. It was said to be .75 once."""
    spread, crew, effect = Spread(0.0225, raters=0.000256, ratings=0.01), Crew(120, 6, 1, 0), 0.0515
    generator, found = np.random.default_rng(3), 0
    for _ in range(1500):
        who = generator.permutation(np.arange(120) % 6)[:, np.newaxis]
        a = effect + generator.normal(0.0, 0.15, (120, 1)) + generator.normal(0.0, 0.016, 6)[who]
        a = a + generator.normal(0.0, 0.1, (120, 1))
        data = responses(a, np.zeros(a.shape), a_units=who, b_units=who, paired=True)
        found += shared_units_test(MEAN, data).p_value() <= 0.05
    assert power_with_people(spread, crew, effect) == pytest.approx(found / 1500, abs=0.06)


@pytest.mark.parametrize("half_width", [0.02, 0.05, 0.1])
def test_a_half_width_is_an_effect_that_is_found_in_half_of_all_collections(half_width: float) -> None:
    sd = 0.2
    size: dict[str, Any] = {"k_responses": 1, "raters": 0, "runs": 0, "power": 0.5}
    n = nbyk.plan(nbyk.Spread(sd**2), effect=half_width, **size).n_items
    of, more = (t.ppf(0.975, items - 1) * sd / math.sqrt(items) for items in (n - 1, n))
    assert more <= half_width < of
