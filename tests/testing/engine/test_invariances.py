"""A test and its interval share the metric's invariances: what changes no score changes no p."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbyk
from nbyk.metrics import Metric, get, register
from nbyk.metrics.metric import Change
from tests.metrics.test_traits import every_metric

Map = Callable[[Any], Any]
SIDES = ("two-sided", "greater", "less")


def answers(metric: Metric, gold: Any, a: Any, b: Any) -> list[float]:
    """Return all that a comparison says about new items."""
    numbers: list[float] = []
    for alternative, interval in (("two-sided", "percentile"), ("greater", "bca"), ("less", "bca")):
        result = nbyk.compare(
            gold if metric.needs_gold else None,
            a,
            b,
            metric=metric,
            alternative=alternative,  # type: ignore[arg-type]
            interval=interval,  # type: ignore[arg-type]
            generalise=("items",),
            n_resamples=299,
            max_resamples=299,
        )
        numbers += [result.effect, result.p, *result.interval]
    return numbers


def responses(seed: int, n: int, k: int, *, levels: bool = False) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    gold = rng.random((n, k))
    a, b = (np.clip(0.2 + 0.6 * gold + rng.normal(0, s, (n, k)), 0.01, 0.99) for s in (0.1, 0.3))
    if levels:
        gold, a, b = (np.round(values * 4) / 4 for values in (gold, a, b))
    return gold, a, b


@st.composite
def maps(draw: st.DrawFn, change: Change) -> Map:
    """Return a change of one system's responses, which lie between 0 and 1."""
    if change == "location":
        by = draw(st.floats(-5, 5))
        return lambda x: x + by
    if change == "scale":
        by = draw(st.floats(0.05, 20))
        return lambda x: x * by
    power, turn = draw(st.floats(0.3, 4)), draw(st.floats(-3, 3))
    return lambda x: np.exp(turn * x) * x**power if turn >= 0 else x**power


INVARIANT = [(metric, change) for metric in every_metric() for change in metric.unchanged_by]


@pytest.mark.parametrize(("metric", "change"), INVARIANT, ids=lambda value: getattr(value, "name", value))
@settings(max_examples=12, deadline=None)
@given(data=st.data(), seed=st.integers(0, 50), n=st.sampled_from([8, 40]), levels=st.booleans())
def test_p_and_intervals_ignore_what_the_metric_ignores(
    metric: Metric, change: Change, data: st.DataObject, seed: int, n: int, levels: bool
) -> None:
    # Of several responses the items' means are ranked, and only one response keeps its order with its mean.
    k = 1 if change == "monotone" and metric.needs == "item_means" else 2
    gold, a, b = responses(seed, n, k, levels=levels)
    changed = data.draw(maps(change))
    try:
        expected = answers(metric, gold, a, b)
    except nbyk.NbykError:  # undefined on these data, such as an AUC without a positive item
        return
    for pair in ((changed(a), b), (a, changed(b)), (changed(a), changed(b))):
        np.testing.assert_allclose(answers(metric, gold, *pair), expected, rtol=1e-7, atol=1e-9)


def _kinds() -> list[tuple[str, Change]]:
    @register(direction="higher")
    def own_spearman(system, gold):
        ranks = [
            np.searchsorted(np.sort(x), x) + np.searchsorted(np.sort(x), x, side="right")
            for x in (system, gold)
        ]
        return np.corrcoef(*ranks)[0, 1]

    @register(direction="higher", unchanged_by=("location", "scale"))
    def own_pearson(system, gold):
        return np.corrcoef(system, gold)[0, 1]

    @register(direction="higher", kind="comparison")
    def own_duel(a, b, gold):
        return np.corrcoef(a, gold)[0, 1] ** 3 - np.corrcoef(b, gold)[0, 1] ** 3

    return [
        ("own_spearman", "monotone"),
        ("own_pearson", "scale"),
        ("own_duel", "location"),
        ("own_duel", "scale"),
    ]


def test_registered_metrics_share_it_whether_they_say_so_or_not() -> None:
    for name, change in _kinds():
        metric = get(name)
        assert change in metric.unchanged_by
        gold, a, b = responses(3, 60, 1)
        changed: Map = {"location": lambda x: x - 0.4, "scale": lambda x: 7 * x, "monotone": np.exp}[change]
        expected = answers(metric, gold, a, b)
        np.testing.assert_allclose(answers(metric, gold, a, changed(b)), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("metric", every_metric(), ids=lambda metric: metric.name)
def test_what_is_not_declared_changes_scores(metric: Metric) -> None:
    gold, a, b = responses(1, 200, 1 if metric.needs == "item_means" else 3)
    systems = np.stack([a, b])[:, None]
    if metric.needs == "item_means":
        systems, gold = systems[..., 0], gold[:, 0]
    expected = metric.effects(systems, gold[None])
    changes: dict[Change, Map] = {
        "location": lambda x: x + 0.3,
        "scale": lambda x: 1.6 * x,
        "monotone": lambda x: 1.2 * x**6,  # across 1, so that trials pass
    }
    for change, changed in changes.items():
        moved = systems.copy()
        moved[1] = changed(systems[1])
        is_same = np.allclose(metric.effects(moved, gold[None]), expected, rtol=1e-9, atol=1e-12)
        assert is_same is (change in metric.unchanged_by), change


def test_an_offset_costs_no_power() -> None:
    """150 items, B noisier and shifted: the swap of raw values then gave p near 1."""
    rng = np.random.default_rng(3)
    gold = rng.normal(size=150)
    a, b = gold + 0.8 * rng.normal(size=150), gold + 1.6 * rng.normal(size=150)
    plain = nbyk.compare(gold, a, b, metric="spearman", generalise=("items",))
    shifted = nbyk.compare(gold, a, b + 3.0, metric="spearman", generalise=("items",))
    assert plain.p == shifted.p < 0.01


@pytest.mark.parametrize("metric", ["spearman", "pearson", "cosine"])
def test_a_leaderboard_shares_it(metric: str) -> None:
    gold, a, b = responses(4, 60, 1)
    c = np.random.default_rng(9).random((60, 1))
    boards = [
        nbyk.compare(gold, {"a": a, "b": b * factor, "c": c}, metric=metric, generalise=("items",))
        for factor in (1.0, 30.0)
    ]
    for one, other in zip(boards[0].pairs, boards[1].pairs, strict=True):
        assert (one.a, one.b, one.p) == (other.a, other.b, pytest.approx(other.p, abs=1e-12))
    for one, other in zip(boards[0].standings, boards[1].standings, strict=True):
        assert (one.name, one.rank_low, one.rank_high) == (other.name, other.rank_low, other.rank_high)
