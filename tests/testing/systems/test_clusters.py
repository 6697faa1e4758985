"""Clusters of items: swapped, drawn and left out whole, by every kind of metric."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import nbyk
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.data.responses import as_systems, response_set
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.resampling.resample import observed_effects
from nbyk.testing.decision import Decision
from nbyk.testing.engine.draws import Draws
from nbyk.testing.engine.rows import Rows
from nbyk.testing.engine.swaps import DRAWS
from nbyk.testing.pvalues import p_value
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.systems.scored import ScoredSystems
from nbyk.testing.systems.variance import variance_shares, variances_of_clusters

METRICS = ("mae", "rmse", "spearman", "emd_aggregated", "max_error", "mean_of_emds", "wins_mae", "f1")
"""A sum over items, a root of one, each kind of scan, and metrics that need the rows or no gold order."""

QUICK: Any = {"n_resamples": 199, "max_resamples": 199}


def sets(n: int = 21, n_clusters: int = 6, seed: int = 0, k: int = 3) -> tuple[ResponseSet, list[str]]:
    """Return responses to items in clusters of unlike sizes, in no order, and the clusters' names."""
    rng = np.random.default_rng(seed)
    cluster = rng.permutation([*range(n_clusters), *rng.integers(n_clusters // 2, size=n - n_clusters)])
    shared = rng.normal(0.0, 0.3, (2, n_clusters))[:, cluster]
    mean = rng.uniform(0.3, 0.7, n)
    a, b = (np.round(mean + of_system, 2)[:, None] + rng.normal(0, 0.1, (n, k)) for of_system in shared)
    gold = mean[:, None] + rng.normal(0, 0.1, (n, k))
    names = [f"text {number}" for number in cluster]
    return response_set(gold, a, b, cluster=names), names


def as_swapped(data: ResponseSet, metric: str) -> ResponseSet:
    """Return A's and B's responses as a metric's swaps exchange them: ranks if it sees only these."""
    a, b = Rows(data.gold, stack_responses(data.a, data.b)).as_scored(get(metric)).systems
    return ResponseSet(data.gold, a, b, clusters=data.clusters)


def taken(data: ResponseSet, items: Any, swapped: Any = False) -> ResponseSet:
    """Return some items, of which some have the systems' rows swapped."""
    swapped = np.broadcast_to(swapped, len(data.gold))[items, None]
    a, b = data.a[items], data.b[items]
    return ResponseSet(data.gold[items], np.where(swapped, b, a), np.where(swapped, a, b))


@pytest.mark.parametrize("metric", METRICS)
def test_the_null_is_every_swap_of_whole_clusters(metric: str) -> None:
    data, names = sets()
    assert data.clusters is not None
    over = ("items", "clusters")
    result = nbyk.compare(data, metric=metric, generalise=over)
    named = nbyk.compare(data.gold, data.a, data.b, cluster=names, metric=metric, generalise=over)
    every, seen = np.arange(data.n_items), as_swapped(data, metric)
    effects = [
        float(observed_effects(taken(seen, every, np.array(flips)[data.clusters]), metric)[0])
        for flips in product([False, True], repeat=6)
    ]
    drawn = result.pair.drawn
    assert (drawn.exact, result.sample.n_clusters, drawn.n_resamples) == (True, 6, 63)
    assert_allclose(np.sort(result.pair.drawn.null), np.sort(effects[1:]), atol=1e-12)
    share = np.mean(np.abs(effects) >= abs(effects[0]) - 1e-9)
    assert result.p >= share - 1e-9  # two-sided p is twice the smaller tail
    greater = np.mean(np.array(effects) >= effects[0] - 1e-9)
    one_sided = nbyk.compare(data, metric=metric, generalise=over, alternative="greater")
    assert one_sided.claims[-1].p == pytest.approx(greater)
    assert result.claims[-1].standard_error == 0.0
    assert named.p == result.p


@pytest.mark.parametrize("metric", METRICS)
def test_random_swaps_draws_and_jackknife_take_whole_clusters(metric: str) -> None:
    data, _ = sets(n=40, n_clusters=15, seed=1)
    assert data.clusters is not None
    order = np.argsort(data.clusters, kind="stable")
    chosen = get(metric)
    draws = Draws(data, [chosen], seed=3)
    coins = draws._streams.swaps(0).swapped
    weights = draws._streams.items("bootstrap", 0).weights
    assert coins.shape == (DRAWS, 40)
    for number in range(15):
        of_cluster = data.clusters[order] == number
        assert len({tuple(column) for column in coins[:, of_cluster].T}) == 1
        assert len({tuple(row) for row in weights[of_cluster]}) == 1
    swapped = draws.swapped([0], DRAWS)[0]
    drawn = draws.bootstrapped([0], DRAWS, "bootstrap")[0]
    ordered = taken(data, order)
    for draw in (0, 7, 63):
        flipped = taken(as_swapped(ordered, metric), np.arange(40), coins[draw])
        assert swapped[draw] == pytest.approx(float(observed_effects(flipped, chosen)[0]), abs=1e-12)
        items = np.repeat(np.arange(40), weights[:, draw])
        assert drawn[draw] == pytest.approx(
            float(observed_effects(taken(ordered, items), chosen)[0]), abs=1e-12
        )
    sizes = weights.sum(axis=0)
    assert len(set(sizes.tolist())) > 1
    for number, left in enumerate(draws.jackknifed()[0]):
        kept = taken(data, np.flatnonzero(data.clusters != number))
        assert left == pytest.approx(float(observed_effects(kept, chosen)[0]), abs=1e-12)


@pytest.mark.parametrize("metric", ["mae", "spearman", "mean_of_emds"])
def test_items_that_are_clusters_of_their_own_give_what_items_give(metric: str) -> None:
    data, _ = sets(n=30)
    items = ResponseSet(data.gold, data.a, data.b)
    alone = ResponseSet(data.gold, data.a, data.b, clusters=np.arange(30))
    expected, found = (nbyk.compare(of, metric=metric, interval="bca", **QUICK) for of in (items, alone))
    assert (found.p, found.claims[-1].interval) == (expected.p, expected.claims[-1].interval)
    assert_array_equal(found.pair.drawn.null, expected.pair.drawn.null)
    assert_array_equal(found.pair.drawn.bootstrapped, expected.pair.drawn.bootstrapped)


def test_swaps_of_clusters_hold_the_level_where_swaps_of_items_do_not() -> None:
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(9), 8)
    rejected = np.zeros(2)
    for _ in range(300):
        a, b = (rng.normal(size=72) + rng.normal(size=9)[cluster] for _ in "ab")
        empty = np.empty((72, 0))
        for place, clusters in enumerate((cluster, None)):
            data = ResponseSet(empty, a[:, None], b[:, None], clusters=clusters)
            draws = Draws(data, [get("mean")], seed=1)
            null = draws.swapped([0], 511, exact=place == 0)[0]
            p = p_value(float(draws.observed[0]), null, alternative="two-sided").p
            rejected[place] += p <= 0.05
    whole, items = rejected / 300  # standard errors .012 and .03
    assert 0.015 <= whole <= 0.085
    assert items > 0.3


def test_a_leaderboard_and_its_pairs_draw_whole_clusters() -> None:
    data, names = sets(n=60, n_clusters=20, seed=2)
    third = np.random.default_rng(5).uniform(0.2, 0.9, (60, 3))
    systems = {"a": data.a, "b": data.b, "c": third}
    board = nbyk.compare(data.gold, systems, cluster=names, **QUICK)
    pair = next(pair for pair in board.pairs if (pair.a, pair.b) == ("a", "b"))
    alone = nbyk.compare(data.gold, data.a, data.b, cluster=names, **QUICK)
    assert pair.claims[-1].p == alone.claims[-1].p  # the broad one learns from the other pairs
    assert pair.sample.n_clusters == 20
    assert_allclose(pair.drawn.bootstrapped, alone.pair.drawn.bootstrapped, atol=1e-12)
    assert "60 items in 20 clusters" in board.sentence
    scored = ScoredSystems.of(as_systems(data.gold, systems, cluster=names), "mae")
    asked = Asked(Decision("two-sided", 0.05, 999, 999))
    of_items, of_clusters = (scored.bootstrapped(asked, of_clusters=whole) for whole in (False, True))
    assert of_clusters[0].std() > 1.3 * of_items[0].std()
    few = nbyk.compare(data.gold, systems, cluster=np.arange(60) // 20, **QUICK)
    assert few.pairs[0].drawn.exact
    assert "arrangements of so few clusters" in " ".join(few.warnings)


def test_claims_speak_of_new_clusters_or_of_these() -> None:
    data, _ = sets(n=60, n_clusters=20, seed=2)
    runs = "with these 3 raters and these 3 runs of each system"
    broad, narrow = nbyk.compare(data, **QUICK).claims
    assert broad.over == ("items", "clusters", "raters", "runs of A", "runs of B")
    assert broad.population == "new clusters of items, raters and runs"
    assert narrow.over == ("items", "clusters")
    assert narrow.population == f"new clusters of items, {runs}"
    (items,) = nbyk.compare(data, generalise=("items",), **QUICK).claims
    today = nbyk.compare(data.gold, data.a, data.b, generalise=("items",), **QUICK)
    assert (
        items.population
        == "new items, with these 20 clusters, these 3 raters and these 3 runs of each system"
    )
    assert (items.p, items.interval[0]) == (today.p, today.claims[0].interval[0])
    whole = nbyk.compare(data, generalise=("items", "clusters"), **QUICK)
    assert [claim.over for claim in whole.claims] == [("items", "clusters")]
    assert whole.p == narrow.p
    text = whole.sentence
    assert "for new clusters of items, with these 3 raters" in text
    assert "60 items in 20 clusters" in whole.head.about
    assert "swap test of whole clusters" in whole.pair.method
    fixed = panel_of(data, ("items", "raters"))
    assert fixed.responses is not None
    assert not fixed.responses.clustered
    assert panel_of(data, None).responses.clustered  # type: ignore[union-attr]


def test_two_clusters_cannot_speak_for_others() -> None:
    data, _ = sets(n=20, n_clusters=6)
    two = response_set(data.gold, data.a, data.b, cluster=np.arange(20) % 2)
    broad, items = nbyk.compare(two, **QUICK).claims
    assert broad.reason == "two clusters are too few; collect 3 or more"
    assert np.isnan(broad.p)
    assert items.population.startswith("new items, with these 2 clusters")
    assert "Undecided on mae, for new clusters of items" in nbyk.compare(two, **QUICK).sentence
    three = response_set(data.gold, data.a[:, :1], data.b[:, :1], cluster=np.arange(20) % 3)
    cautions = " ".join(nbyk.compare(three, **QUICK).warnings)
    assert "three clusters and three raters are few to speak for others: if some of those are" in cautions
    assert "the smallest p that the 8 arrangements of so few clusters can give is 0.25" in cautions
    assert nbyk.compare(three, **QUICK).claims[-1].interval == (-math.inf, math.inf)
    uneven = np.repeat(np.arange(30), [100, *[2] * 29])
    data = response_set(None, *np.random.default_rng(1).random((2, 158)), cluster=uneven)
    found = nbyk.compare(data, metric="mean", **QUICK).warnings
    assert any(text.startswith("30 clusters of unlike sizes, worth 2 of one size") for text in found)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"cluster": ["x"] * 21}, "all 21 items are in one cluster, 'x'"),
        ({"cluster": [0, 1]}, "expected one cluster for each of 21 items"),
        ({"cluster": [None, *range(20)]}, "item 0 has no cluster"),
        ({"cluster": [0.5, float("nan"), *range(19)]}, "item 1 has no cluster"),
        ({"cluster": [[0], *range(20)]}, "give text or whole numbers"),
        ({"generalise": ("items", "clusters")}, "items have none here"),
        ({"cluster": [*range(7)] * 3, "null": "permutation"}, "items come in clusters"),
    ],
)
def test_what_is_no_cluster_is_refused_in_one_line(options: dict[str, Any], found: str) -> None:
    data, _ = sets()
    with pytest.raises(NbykError, match=found) as error:
        nbyk.compare(data.gold, data.a, data.b, **options)
    assert "\n" not in str(error.value)


def test_clusters_of_a_series_go_by_its_index() -> None:
    pd = pytest.importorskip("pandas")
    data, names = sets()
    index = [f"item {number}" for number in range(21)]
    frames = [pd.DataFrame(matrix, index=index) for matrix in (data.gold, data.a, data.b)]
    shuffled = pd.Series(names, index=index).sample(frac=1.0, random_state=1)
    assert nbyk.compare(*frames, cluster=shuffled, **QUICK).p == nbyk.compare(data, **QUICK).p


def test_variance_of_balanced_clusters_is_the_textbooks() -> None:
    rng = np.random.default_rng(3)
    n_clusters, size = 30, 4
    cluster = np.repeat(np.arange(n_clusters), size)
    d = rng.normal(size=120) + rng.normal(size=n_clusters)[cluster]
    shares = variance_shares(None, d, np.zeros(120), cluster=cluster, metric="mean")
    means = d.reshape(n_clusters, size).mean(axis=1)
    mean_square = size * means.var(ddof=1)
    within = d.reshape(n_clusters, size).var(axis=1, ddof=1).mean()
    assert shares.clusters is not None
    assert shares.standard_error**2 == pytest.approx(mean_square / 120)
    assert shares.clusters.variance == pytest.approx((mean_square - within) / size / n_clusters)
    assert shares.items.variance == pytest.approx(within / 120)


def test_variance_of_unequal_clusters_with_ratings_adds_up() -> None:
    data, _ = sets(n=90, n_clusters=25, seed=4, k=6)
    shares = variance_shares(data)
    parts = [shares.clusters, shares.items, shares.gold, shares.a, shares.b]
    assert sum(part.share for part in parts if part) == pytest.approx(1.0)  # type: ignore[misc]
    without = variance_shares(data.gold, data.a, data.b)
    assert without.clusters is None
    assert shares.standard_error > without.standard_error


def test_sensitivity_leaves_out_what_draws_items_one_by_one() -> None:
    data, _ = sets(n=40, n_clusters=15)
    found = nbyk.sensitivity(data, metrics=["mae"], n_resamples=199)
    assert {choice.null for choice in found.choices} == {"swap_items", "shifted"}
    assert "permutation" in found.warnings[0]
    alone = nbyk.compare(data, generalise=("items", "clusters"), n_resamples=199, max_resamples=199)
    by_null = {choice.null: choice.p for choice in found.choices if choice.sampler is None}
    assert by_null["swap_items"] == alone.p


def test_variance_components_of_a_published_table() -> None:
    """Davies 1947: yields of dyestuff from 6 batches of 5 samples; components 1764 and 2451."""
    yields = [
        [1545, 1440, 1440, 1520, 1580],
        [1540, 1555, 1490, 1560, 1495],
        [1595, 1550, 1605, 1510, 1560],
        [1445, 1440, 1595, 1465, 1545],
        [1595, 1630, 1515, 1635, 1625],
        [1520, 1455, 1450, 1480, 1445],
    ]
    d, batch = np.array(yields, float).ravel(), np.repeat(np.arange(6), 5)
    shares = variance_shares(None, d, np.zeros(30), cluster=batch, metric="mean")
    assert shares.clusters is not None
    assert round(6 * shares.clusters.variance) == 1764  # type: ignore[operator]
    assert round(30 * shares.items.variance) == 2451  # type: ignore[operator]
    assert round(30 * shares.standard_error**2) == 11272


def test_clusters_that_differ_less_than_their_items_add_no_variance() -> None:
    d, cluster = np.array([1.0, -1.0] * 60), np.array([0] * 116 + [1, 1, 2, 2])
    of_mean, within = variances_of_clusters(d, cluster)
    assert of_mean + within / len(d) < 0.0
    shares = variance_shares(None, d, np.zeros(len(d)), cluster=cluster, metric="mean")
    assert shares.clusters is not None
    assert shares.clusters.variance == 0.0
    assert shares.items.variance == pytest.approx(within / len(d))
    assert shares.standard_error**2 == pytest.approx(within / len(d))


def test_variance_of_unequal_clusters_is_without_bias() -> None:
    """Clusters of 1 to 9 items, variance .5 between and 1 within: the mean over sets is the truth's."""
    rng = np.random.default_rng(12)
    sizes = np.array([1, 1, 2, 2, 3, 5, 7, 9])
    cluster = np.repeat(np.arange(8), sizes)
    found = []
    for _ in range(1500):
        d = rng.normal(size=30) + np.sqrt(0.5) * rng.normal(size=8)[cluster]
        of_mean, within = variances_of_clusters(d, cluster)
        found.append(of_mean + within / 30)
    expected = 0.5 * np.sum(sizes**2) / 30**2 + 1.0 / 30
    assert abs(np.mean(found) - expected) < 3.5 * np.std(found) / np.sqrt(1500)


@pytest.mark.parametrize("metric", ["wins_mae", "wins(mse)", "accuracy"])
@pytest.mark.parametrize("n_clusters", [4, 6])
def test_shares_of_items_have_bounds_whatever_the_ratings_scale(metric: str, n_clusters: int) -> None:
    rng = np.random.default_rng(0)
    truth = rng.permuted(np.tile([-1.0, 2.0], 6))
    near, far = truth + rng.normal(0.0, 0.1, 12), truth + 3.0
    clusters = [f"text {item % n_clusters}" for item in range(12)]
    found = []
    for of in (lambda x: x, lambda x: 0.5 + (x - 0.5) / 20.0):
        ratings = (of(truth), of(near), of(far))
        result = nbyk.compare(*ratings, metric=metric, cluster=clusters, kind="numbers", margin=0.5)
        (claim,) = result.claims
        assert claim.margin is not None
        found.append((*claim.interval, *claim.margin.interval, claim.margin.p_not_worse, len(claim.doubts)))
    assert found[0] == pytest.approx(found[1])
    assert -1.0 <= found[0][0] < found[0][1] <= 1.0
