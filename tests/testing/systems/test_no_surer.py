"""A claim over a population is no surer than one over a part of it: in p, interval, margin and reserve.

One over clusters has p, interval and margin of its own test.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.metrics import get
from nbyk.testing.results import NONE, Board, Claim, Doubt, Interval, Margin
from nbyk.testing.shared_units import responses, shared_units_test

N = 24
FEW = Doubt("few")


def ratings(rng: np.random.Generator, units: int, sd: float) -> np.ndarray:
    """Return what units who differ by sd say of items, from 0 to 1, in steps of a hundredth."""
    items = rng.uniform(0.2, 0.8, (N, 1)) if rng.random() < 0.5 else rng.beta(0.5, 3.0, (N, 1))
    values = items + sd * rng.standard_normal(units) + 0.2 * rng.standard_normal((N, units))
    return np.clip(np.round(values, 2), 0.0, 1.0)


def holds(outer: Interval, inner: Interval) -> bool:
    return not (outer[0] > inner[0] or outer[1] < inner[1])


def check(broad: Claim, narrow: Claim, alpha: float = 0.05) -> None:
    if broad.is_conclusive and narrow.is_conclusive:
        is_bound = narrow.standard_error > 0.0 and narrow.p == narrow.least_p <= alpha
        assert broad.p >= narrow.p or is_bound
        assert holds(broad.interval, narrow.interval)
        if broad.p <= alpha and narrow.reserve:
            assert broad.reserve
    of_broad, of_narrow = broad.margin, narrow.margin
    if of_broad is not None and of_narrow is not None and not (of_broad.reason or of_narrow.reason):
        check_margin(of_broad, of_narrow)


def check_margin(broad: Margin, narrow: Margin) -> None:
    for p in ("p_not_worse", "p_worse", "p_equivalent"):
        assert getattr(broad, p) >= getattr(narrow, p)
    assert holds(broad.interval, narrow.interval)


def checked(board: Board) -> int:
    """Check all pairs, and return how many have a broader claim with the p of the narrower one."""
    for pair in board.pairs:
        check(pair.claims[0], pair.claims[-1])
    return sum(pair.claims[0].p == pair.claims[-1].p for pair in board.pairs if len(pair.claims) > 1)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("metric", ["mean", "mae", "mse", "accuracy", "spearman", "mean_of_emds"])
def test_new_items_and_units_are_no_surer_than_new_items(
    metric: str, alternative: nbyk.testing.pvalues.Alternative, paired: bool
) -> None:
    rng, raised = np.random.default_rng([41, len(metric), paired]), 0
    for number in range(16 if metric == "mean" else 8):
        units, sd = int(rng.integers(3, 7)), float(rng.choice([0.0, 0.0, 0.1]))
        gold = None if metric == "mean" else ratings(rng, units, sd)
        first = ratings(rng, units, sd)
        noise = 0.15 * rng.standard_normal((N, units))
        second = np.clip(np.round(first + 0.02 * (number % 6) + noise, 2), 0.0, 1.0)
        board = nbyk.compare(
            gold,
            first,
            second,
            metric=metric,
            alternative=alternative,
            pair_runs=paired,
            margin=0.1,
            n_resamples=199,
            max_resamples=199,
            parts=False,
        )
        raised += checked(board)
    assert raised or metric == "spearman"  # else nothing here shows that a broad claim gives way


def test_pairs_of_a_leaderboard_are_no_surer_either() -> None:
    rng = np.random.default_rng(40)
    raised = 0
    for _ in range(3):
        first = ratings(rng, 5, 0.0)
        systems = {f"s{k}": np.clip(first + 0.2 * rng.standard_normal((N, 5)), 0.0, 1.0) for k in range(4)}
        raised += checked(nbyk.compare(None, systems, n_resamples=499, max_resamples=499))
    assert raised


@pytest.mark.parametrize("metric", ["mean", "mae", "spearman"])
def test_scores_of_a_leaderboard_are_no_surer_either(metric: str) -> None:
    rng, wider = np.random.default_rng(43), 0
    units = 5 if metric == "mean" else 20
    options: dict[str, Any] = {"metric": metric, "n_resamples": 499, "max_resamples": 499}
    for _ in range(4):
        systems = {f"s{place}": ratings(rng, units, 0.0) for place in range(3)}
        gold = None if metric == "mean" else ratings(rng, units, 0.0)
        broad = nbyk.compare(gold, systems, **options)
        narrow = nbyk.compare(gold, systems, generalise=["items"], **options)
        for standing in broad.standings:
            of_items = narrow.standing(standing.name).interval
            assert holds(standing.interval, of_items)
            wider += any(np.equal(standing.interval, of_items))
    assert wider  # else no test of new items and units alone would have been surer


def test_a_score_against_a_bar_is_no_surer_either() -> None:
    rng = np.random.default_rng(41)
    raised = 0
    for _ in range(8):
        board = nbyk.compare(None, {"one": ratings(rng, 5, 0.0)}, against=0.4, margin=0.1)
        raised += checked(board)
    assert raised


@pytest.mark.parametrize("metric", ["mean", "mae", "spearman"])
def test_a_claim_over_clusters_has_the_numbers_of_its_own_test(metric: str) -> None:
    rng, surer, narrower = np.random.default_rng([44, len(metric)]), 0, 0
    who, cluster = np.tile(np.arange(5), (N, 1)), np.arange(N) // 2
    for _ in range(6):
        gold = None if metric == "mean" else ratings(rng, 5, 0.0)
        first = ratings(rng, 5, 0.0)
        second = np.clip(first + 0.15 * rng.standard_normal((N, 5)), 0.0, 1.0)
        board = nbyk.compare(
            gold, first, second, metric=metric, cluster=cluster, margin=0.1, parts=False, n_resamples=499
        )
        of_gold: Any = {} if gold is None else {"gold": gold, "gold_units": who}
        data = responses(first, second, a_units=who, b_units=who, clusters=cluster, **of_gold)
        test, (broad, narrow) = shared_units_test(get(metric), data), board.claims
        assert {"items", "clusters", "runs of A", "runs of B"} <= {*broad.over}
        assert broad.p == pytest.approx(test.p_value(), rel=1e-9)
        assert broad.interval == pytest.approx(test.interval(), rel=1e-9)
        assert broad.margin is not None
        p = (broad.margin.p_not_worse, broad.margin.p_worse)
        assert p == pytest.approx((test.p_value("greater", null=-0.1), test.p_value("less", null=-0.1)))
        assert broad.margin.interval == pytest.approx(test.interval(0.9), rel=1e-9)
        surer += broad.p < narrow.p
        narrower += not holds(broad.interval, narrow.interval)
    assert min(surer, narrower) > 0  # else nothing here shows that the rule is not applied


def test_a_score_for_new_clusters_has_the_interval_of_its_own_test() -> None:
    rng, who, cluster = np.random.default_rng(45), np.tile(np.arange(5), (N, 1)), np.arange(N) // 2
    options: dict[str, Any] = {"cluster": cluster, "n_resamples": 499, "max_resamples": 499}
    alone = []
    for _ in range(4):
        systems = {f"s{place}": rng.uniform(0.0, 1.0, (N, 5)) for place in range(3)}
        broad = nbyk.compare(None, systems, **options)
        narrow = nbyk.compare(None, systems, generalise=["items", "clusters"], **options)
        for name, values in systems.items():
            data = responses(values, np.zeros((N, 1)), a_units=who, clusters=cluster)
            found, test = broad.standing(name).interval, shared_units_test(get("mean"), data)
            expected = NONE if test.roughness else test.interval()
            assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)
            alone.append(holds(found, narrow.standing(name).interval))
    assert not all(alone)


def test_a_claim_over_clusters_takes_only_the_reserve() -> None:
    over = ("items", "clusters")
    claim = Claim(over, "", 0.1, (0.0, 0.2), 0.04, 0.0, "swap_items", "better", doubts=(FEW,))
    broad = Claim((*over, "runs"), "", 0.1, (0.05, 0.15), 0.01, 0.0, "t", "better")
    joint = broad.no_surer_than(claim, 0.05)
    assert (joint.p, joint.interval, joint.method, joint.reserve) == (0.01, (0.05, 0.15), "t", "few")
    of_part = Margin(0.1, 0.04, 0.9, 0.04, (0.0, 0.2), 0.05, doubts=(FEW,))
    margin = Margin(0.1, 0.01, 0.99, 0.02, (0.05, 0.15), 0.05)
    assert margin.no_surer_than(of_part, keeps_p=True) == replace(margin, doubts=(FEW,))
    assert margin.no_surer_than(of_part, keeps_p=False) == replace(of_part, p_worse=0.99)


def test_a_claim_by_precision_takes_only_the_reserve() -> None:
    claim = Claim(("items",), "", 0.1, (0.0, 0.2), 0.04, 0.0, "swap_items", "better", doubts=(FEW,))
    by_precision = Claim(
        ("items", "raters"), "", 0.12, (0.05, 0.15), 0.01, 0.0, "t", "better", by_precision=True
    )
    assert by_precision.no_surer_than(claim, 0.05) == replace(by_precision, doubts=(FEW,))


def test_two_claims_that_favour_different_systems_show_nothing() -> None:
    claim = Claim(("items",), "", 0.1, (0.05, 0.15), 0.01, 0.0, "swap_items", "better")
    other = Claim(("items", "runs"), "", -0.1, (-0.15, -0.05), 0.01, 0.0, "t", "worse")
    joint = other.no_surer_than(claim, 0.05)
    assert (joint.p, joint.interval) == (1.0, (-0.15, 0.15))


def test_a_p_that_no_draw_reached_is_a_bound_and_says_nothing() -> None:
    rng = np.random.default_rng(42)
    first = ratings(rng, 5, 0.1)
    second = 0.3 * first + 0.5 + rng.normal(0.0, 0.02, first.shape)
    board = nbyk.compare(None, 0.3 * first, second, n_resamples=499, max_resamples=499)
    broad, narrow = board.pairs[0].claims
    assert narrow.p == narrow.least_p == 2 / 500
    assert broad.p < 1e-6
    assert holds(broad.interval, narrow.interval)


def test_large_differences_of_many_systems_are_told_apart_where_only_a_bound_stands_for_p_of_items() -> None:
    rng = np.random.default_rng(7)
    items = rng.uniform(0.2, 0.3, (18, 1))
    systems = {f"s{k}": items + 0.4 * (k > 3) + 0.02 * rng.standard_normal((18, 5)) for k in range(8)}
    board = nbyk.compare(None, systems, n_resamples=999, max_draws=28 * 999)
    far = [pair for pair in board.pairs if abs(pair.effect) > 0.3 and pair.claims[0].is_conclusive]
    for pair in far:
        broad, narrow = pair.claims
        assert narrow.p < narrow.least_p
        assert broad.p < 1e-5
        assert pair.significant
    assert len(far) > 8


def test_a_p_of_all_arrangements_is_no_bound() -> None:
    claim = Claim(("items",), "", 0.1, (0.05, 0.15), 0.002, 0.0, "swap_items", "better", least_p=0.002)
    broad = Claim(("items", "runs"), "", 0.1, (0.05, 0.15), 1e-9, 0.0, "t", "better")
    assert broad.no_surer_than(claim, 0.05).p == 0.002


def test_a_claim_without_an_interval_leaves_that_of_the_broader_one() -> None:
    nan = float("nan")
    claim = Claim(("items",), "", 0.1, (nan, nan), 0.01, 0.0, "swap_items", "better", doubts=(FEW,))
    broad = Claim(("items", "runs"), "", 0.1, (0.05, 0.15), 0.02, 0.0, "t", "better")
    joint = broad.no_surer_than(claim, 0.05)
    assert (joint.p, joint.interval, joint.reserve) == (0.02, (0.05, 0.15), "few")
