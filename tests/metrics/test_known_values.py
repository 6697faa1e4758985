"""The distance of pooled responses whose values are known, against the one that sorts them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nbyk.data.response_set import response_set
from nbyk.metrics import get
from nbyk.metrics.distributional import for_redrawn, known_values
from nbyk.resampling.resample import hypothesis_effects

POOLED = get("emd_aggregated_vectorized")


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5, 40]), st.sampled_from([-1.0, 0.3, 1.0, 6.0]))
def test_distances_of_known_values_are_those_of_sorted_ones(seed: int, n_values: int, power: float) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=n_values) * 10.0 ** (power * generator.integers(-3, 4, n_values))
    drawn = generator.choice(values, (3, 4, 7, 3))
    drawn[..., 1:][generator.random((3, 4, 7, 2)) < 0.3] = np.nan
    drawn = np.sort(drawn, axis=-1)
    (known,) = for_redrawn([POOLED], [values, drawn[0, 0]])
    assert known is not POOLED
    largest = np.abs(values).max()
    assert_allclose(
        known.scores(drawn[1:], drawn[0]), POOLED.scores(drawn[1:], drawn[0]), rtol=1e-9, atol=1e-12 * largest
    )


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=60))
def test_every_value_stands_in_its_bucket(responses: list[float]) -> None:
    known = known_values(np.unique(responses))
    buckets = ((known.values - known.values[0]) * known.scale).astype(int)
    for place, bucket in enumerate(buckets):
        assert known.starts[bucket] <= place < known.starts[bucket + 1]


@pytest.mark.parametrize("null", [None, "swap_items", "permutation"])
def test_effects_of_a_comparison_are_those_of_redrawn_responses(null: str | None) -> None:
    generator = np.random.default_rng(5)
    data = response_set(*np.sort(generator.integers(0, 5, (3, 30, 4)) / 4.0, axis=2))
    effects = [
        hypothesis_effects(
            data, POOLED, sampler="all_items/sample(K)", null=null, n_resamples=64, on_paper=on_paper
        )
        for on_paper in (True, False)
    ]
    assert effects[0].std() > 0.0
    assert_allclose(effects[0].mean(), effects[1].mean(), atol=4.0 * effects[1].std() / np.sqrt(32.0))


def test_other_metrics_and_many_values_are_left_as_they_are() -> None:
    many = np.random.default_rng(0).random((1001, 1))
    assert for_redrawn([get("mae"), POOLED], [many]) == (get("mae"), POOLED)
    assert for_redrawn([get("mae")], [many[:5]]) == (get("mae"),)
