"""Gold classes of several people, without a majority vote: what must change no claim, by every metric."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbyk

CLASSES = ("joy", "anger", "fear", "awe")
OF_ONE_ORDER = ("quadratic_kappa", "emd_levels", "plurality_first")
"""Metrics that go by the order of the classes; the last one where people tie."""

PER_ITEM = (
    *("accuracy", "tv_sum", "tv_mean", "kl_divergence", "js_divergence", "js_distance", "brier"),
    *("cross_entropy", "emd_levels", "plurality_first", "plurality_split", "plurality_refused"),
)
METRICS = (
    *PER_ITEM,
    *("f1_macro", "precision_macro", "recall_weighted", "quadratic_kappa"),
    *(f"wins({metric})" for metric in PER_ITEM),
)
SOFT = tuple(metric for metric in METRICS if "accuracy" not in metric and "_macro" not in metric)
SOFT = tuple(metric for metric in SOFT if metric not in ("recall_weighted", "quadratic_kappa"))


@cache
def labelled(n: int = 50, people: int = 4, seed: int = 4) -> tuple[Any, Any, Any]:
    """Return gold of people who lean to a class each, and the labels of two systems, with names of all."""
    draw = np.random.default_rng(seed)
    items = draw.normal(0.0, 1.2, (n, 1, 4))
    lean = draw.normal(0.0, 0.6, (1, people, 4))

    def labels(logits: Any) -> Any:
        return np.array(CLASSES)[(logits + draw.gumbel(size=logits.shape)).argmax(axis=-1)]

    index = [f"item {place}" for place in range(n)]
    gold = pd.DataFrame(labels(items + lean), index, [f"person {place}" for place in range(people)])
    a, b = (pd.Series(labels(sure * items)[:, 0], index) for sure in (1.5, 0.7))
    return gold, a, b


@cache
def soft(n: int = 50) -> tuple[Any, Any]:
    """Return probabilities of two systems for the items of `labelled`."""
    gold = labelled(n)[0].to_numpy()
    shares = np.stack([(gold == name).mean(axis=1) for name in CLASSES], axis=1)
    noise = np.random.default_rng(9).dirichlet(np.ones(4), (2, n))
    return 0.6 * shares + 0.4 * noise[0], 0.4 * shares + 0.6 * noise[1]


def numbers(metric: str, gold: Any, a: Any, b: Any, classes: Any = CLASSES, **more: Any) -> Any:
    """Return the effect and each claim's p and interval, without the p that is drawn by place."""
    found = nbyk.compare(gold, a, b, metric=metric, classes=classes, n_resamples=199, parts=False, **more)
    assert [claim.over for claim in found.claims] == [("items", "raters"), ("items",)]
    assert all(claim.is_conclusive for claim in found.claims)
    broad, items = found.claims
    return np.array([found.effect, broad.p, *broad.interval, items.p, *items.interval])


@pytest.mark.parametrize("metric", METRICS)
def test_the_order_of_rows_and_of_people_changes_no_claim(metric: str) -> None:
    gold, a, b = labelled()
    draw = np.random.default_rng(1)
    rows, people = draw.permutation(len(gold)), draw.permutation(gold.shape[1])
    moved = gold.iloc[rows, people], a.iloc[rows], b.iloc[rows]
    np.testing.assert_allclose(numbers(metric, gold, a, b), numbers(metric, *moved), atol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_exchanging_the_systems_mirrors_every_claim(metric: str) -> None:
    gold, a, b = labelled()
    effect, p, low, high, of_items, least, most = numbers(metric, gold, a, b)
    exchanged = numbers(metric, gold, b, a)
    np.testing.assert_allclose(exchanged, [-effect, p, -high, -low, of_items, -most, -least], atol=1e-9)


@pytest.mark.parametrize(
    "metric", [metric for metric in METRICS if not any(of in metric for of in OF_ONE_ORDER)]
)
def test_the_order_and_the_names_of_classes_change_no_claim(metric: str) -> None:
    gold, a, b = labelled()
    reordered = numbers(metric, gold, a, b, classes=CLASSES[::-1])
    np.testing.assert_allclose(numbers(metric, gold, a, b), reordered, atol=1e-9)
    names = dict(zip(CLASSES, ("z", "y", "x", "w"), strict=True))
    renamed = (of.replace(names) for of in (gold, a, b))
    other = numbers(metric, *renamed, classes=[names[name] for name in CLASSES])
    np.testing.assert_allclose(numbers(metric, gold, a, b), other, atol=1e-9)


@pytest.mark.parametrize("metric", ["quadratic_kappa", "emd_levels", "wins(emd_levels)"])
def test_the_reversed_order_of_levels_changes_no_claim(metric: str) -> None:
    gold, a, b = labelled()
    reordered = numbers(metric, gold, a, b, classes=CLASSES[::-1])
    np.testing.assert_allclose(numbers(metric, gold, a, b), reordered, atol=1e-9)


@pytest.mark.parametrize("metric", SOFT)
def test_soft_answers_beside_people_keep_their_claims_if_all_is_reordered(metric: str) -> None:
    gold, a, b = labelled()[0].to_numpy(), *soft()
    kept = numbers(metric, gold, a, b, kind="distributions")
    people = np.random.default_rng(2).permutation(gold.shape[1])
    np.testing.assert_allclose(kept, numbers(metric, gold[:, people], a, b, kind="distributions"), atol=1e-9)
    if not any(of in metric for of in OF_ONE_ORDER):
        places = np.array([2, 0, 3, 1])
        moved = numbers(
            metric, gold, a[:, places], b[:, places], [CLASSES[of] for of in places], kind="distributions"
        )
        np.testing.assert_allclose(kept, moved, atol=1e-9)
    effect, p, low, high, of_items, least, most = kept
    exchanged = numbers(metric, gold, b, a, kind="distributions")
    np.testing.assert_allclose(exchanged, [-effect, p, -high, -low, of_items, -most, -least], atol=1e-9)


@pytest.mark.parametrize("metric", METRICS[: METRICS.index("wins(accuracy)")])
def test_a_leaderboard_speaks_for_new_people_too(metric: str) -> None:
    gold, a, b = labelled()
    systems = {"a": a, "b": b, "c": b.iloc[::-1].set_axis(b.index)}
    board = nbyk.compare(gold, systems, metric=metric, classes=CLASSES, n_resamples=199)
    assert {pair.claims[0].over for pair in board.pairs} == {("items", "raters")}
    assert all(np.isfinite([pair.p, *pair.interval]).all() for pair in board.pairs)
    asked = nbyk.compare(
        gold, systems, metric=metric, classes=CLASSES, n_resamples=199, generalise=["items", "raters"]
    )
    assert [pair.p for pair in asked.pairs] == [pair.p for pair in board.pairs]


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "tv_sum", "plurality_refused"])
def test_people_who_label_no_two_items_are_no_population(metric: str) -> None:
    gold, a, b = labelled()
    own = [list(row) if place % 2 else [*row, "joy"] for place, row in enumerate(gold.to_numpy())]
    found = nbyk.compare(own, a.to_numpy(), b.to_numpy(), metric=metric, classes=CLASSES, n_resamples=199)
    assert [claim.over for claim in found.claims] == [("items",)]
    with pytest.raises(nbyk.NbykError, match="items share no two raters here"):
        nbyk.compare(
            own, a.to_numpy(), b.to_numpy(), metric=metric, classes=CLASSES, generalise=["items", "raters"]
        )
