"""What is equal on paper is equal: no number hangs on the order of raters, or on how the scale is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbyk
from nbyk.metrics.item_means import without_rounding

LIKERT = np.arange(1.0, 6.0)


def likert(seed: int, n_items: int = 30, k: int = 3) -> list[Any]:
    """Return gold, a good system's and a worse one's responses on 1 to 5."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, 6, (n_items, 1))
    spreads = (1.0, 1.2, 1.7)
    return [np.clip(np.rint(truth + generator.normal(0, s, (n_items, k))), 1, 5) for s in spreads]


def p_of(data: list[Any], metric: str) -> tuple[float, ...]:
    options = {"metric": metric, "generalise": ("items",), "n_resamples": 499, "max_resamples": 499}
    return tuple(
        nbyk.compare(*data, alternative=side, **options).p  # type: ignore[arg-type]
        for side in ("two-sided", "greater", "less")
    )


@pytest.mark.parametrize(
    "metric",
    ["spearman", "kendall", "pearson", "auc(threshold=3)", "accuracy(threshold=3)", "mae", "wins_mae"],
)
@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_raters_gives_the_same_p(metric: str, seed: int) -> None:
    data = likert(seed)
    generator = np.random.default_rng(seed)
    shuffled = [generator.permuted(matrix, axis=1) for matrix in data]
    assert p_of(shuffled, metric) == p_of(data, metric) == p_of([m[:, ::-1] for m in data], metric)


@pytest.mark.parametrize(
    "metric", ["spearman", "kendall", "pearson", "mae", "mse", "emd_aggregated", "mean_of_emds", "max_error"]
)
@pytest.mark.parametrize(("factor", "shift"), [(0.25, -0.25), (0.2, 0.0), (1.0, 7.0), (100 / 3, 1 / 3)])
def test_any_affine_scale_gives_the_same_p(metric: str, factor: float, shift: float) -> None:
    data = likert(7)
    assert p_of([factor * matrix + shift for matrix in data], metric) == p_of(data, metric)


@given(
    counts=st.lists(st.tuples(*[st.integers(0, 5)] * 5), min_size=2, max_size=12),
    factor=st.sampled_from([0.2, 0.25, 1 / 3, 1.0, 1e6, 1e-6, 1e300, 1e-290, 1e-305]),
)
@settings(max_examples=200, deadline=None)
def test_means_of_the_same_counts_are_the_same_number(counts: list[tuple[int, ...]], factor: float) -> None:
    rows = factor * np.array(counts)
    means = without_rounding(np.array([sum(row) / 5 for row in rows]))
    backwards = without_rounding(np.array([sum(row[::-1]) / 5 for row in rows]))
    np.testing.assert_array_equal(means, backwards)
    sums = np.array(counts).sum(axis=1)
    np.testing.assert_array_equal(means[:, None] < means, sums[:, None] < sums)


@pytest.mark.parametrize("metric", ["spearman", "kendall", "auc(threshold=0.5)"])
def test_means_on_both_sides_of_the_middle_of_two_steps_tie(metric: str) -> None:
    """Rounding to thirteen digits takes .12345678901235 and its neighbours apart."""
    middle = 0.12345678901235
    sides = [middle * (1.0 - 4e-16), middle * (1.0 + 4e-16)]
    assert len(set(np.round(sides, 13))) == 2
    rng = np.random.default_rng(2)
    gold, b = np.arange(12.0)[:, None] / 11.0, rng.random((12, 1))
    a = rng.random((12, 1))
    a[3:9] = middle
    apart = a.copy()
    apart[3:9, 0] = sides * 3
    assert p_of([gold, apart, b], metric) == p_of([gold, a, b], metric)
    effects = [
        nbyk.compare(gold, of_a, b, metric=metric, generalise=("items",)).effect for of_a in (apart, a)
    ]
    assert effects[0] == effects[1]
