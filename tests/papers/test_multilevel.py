"""The sampler that draws raters with the items that they share, against exact enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_set
from nbyk.data.units import Units
from nbyk_papers.raters.multilevel import effects_over_raters
from tests.oracles import enumerate as exact
from tests.oracles.chisquare import assert_drawn_from

M = 2_000
NAN = float("nan")
A = np.array([[0.1], [0.5], [0.85]])
B = np.array([[0.3], [0.45], [0.6]])
RATED = {
    "crossed": {
        (0, "x"): 0.11,
        (0, "y"): 0.93,
        (1, "x"): 0.37,
        (1, "y"): 0.58,
        (2, "x"): 0.02,
        (2, "y"): 0.71,
    },
    "sparse": {(0, "x"): 0.11, (0, "y"): 0.93, (1, "x"): 0.37, (2, "x"): 0.02, (2, "y"): 0.71},
}
"""The rating that a rater gave to an item."""


def rated_set(rated: dict[tuple[int, str], float]) -> ResponseSet:
    """Three items whose ratings stand in the order of RATED, with the raters y and x numbered backwards."""
    rows = [[(rater, value) for (item, rater), value in rated.items() if item == i] for i in range(3)]
    gold = np.array([[value for _, value in row] + [NAN] * (2 - len(row)) for row in rows])
    index = np.array([[("y", "x").index(name) for name, _ in row] + [-1] * (2 - len(row)) for row in rows])
    return response_set(gold, A, B, units={"gold": Units("ids", ("y", "x"), index.astype(np.int32))})


def mae_effect(items: list[int], golds: list[list[float]]) -> float:
    errors = [
        abs(B[i, 0] - np.mean(g)) - abs(A[i, 0] - np.mean(g)) for i, g in zip(items, golds, strict=True)
    ]
    return float(np.mean(errors))


def crossed_effects(rated: dict[tuple[int, str], float]) -> dict[float, float]:
    """Every draw of three items and of two raters, each as likely, but for those without a rating."""
    found: Counter[float] = Counter()
    for items in product(range(3), repeat=3):
        for raters in product("xy", repeat=2):
            golds = [[rated[i, rater] for rater in raters if (i, rater) in rated] for i in items]
            kept = [(i, gold) for i, gold in zip(items, golds, strict=True) if gold]
            if kept:
                found[round(mae_effect([i for i, _ in kept], [gold for _, gold in kept]), 12)] += 1
    return {effect: count / sum(found.values()) for effect, count in found.items()}


@pytest.mark.parametrize("design", RATED)
def test_items_and_raters_have_the_enumerated_distribution(design: str) -> None:
    # In the sparse design rater y leaves item 1 without a rating, and it leaves
    (effects,) = effects_over_raters(rated_set(RATED[design]), ["mae"], null=None, n_resamples=M, seed=3)
    assert_drawn_from(effects, crossed_effects(RATED[design]))


@pytest.mark.parametrize("null", [None, "pooled", "swap_items"])
def test_beside_raters_the_responses_of_systems_are_those_of_today(null: str | None) -> None:
    # The mean needs no gold: items and answers are drawn as bootstrap_items/sample(K) draws them.
    a, b = ((0.1, 0.4), (0.35, 0.9)), ((0.2, 0.25), (0.6, 0.95))
    gold = Units("ids", ("x", "y"), np.array([[0, 1], [1, 0]], np.int32))
    data = response_set([[0.1, 0.2], [0.3, 0.5]], a, b, units={"gold": gold})
    (effects,) = effects_over_raters(data, ["mean"], null=null, n_resamples=M, seed=5)
    oracle = exact.effects(
        a, a, b, "bootstrap_items/sample(K)", null, lambda _, x, y: sum(x) / 2 - sum(y) / 2
    )
    assert_drawn_from(effects, oracle)


def test_a_longer_run_continues_the_same_draws() -> None:
    data = rated_set(RATED["sparse"])
    for null in (None, "pooled"):
        short = effects_over_raters(data, ["mae"], null=null, n_resamples=70, seed=1)
        long = effects_over_raters(data, ["mae"], null=null, n_resamples=140, seed=1, threads=2)
        assert_array_equal(long[:, :70], short)
