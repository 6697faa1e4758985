"""Column sort and ranks against numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from nbyk.metrics.correlations import doubled_ranks
from nbyk.metrics.distributional import LANES, sort_columns


def _ranks(values):
    return doubled_ranks(values) / 2


def _likert_means(rng, n):
    """Return sums of fifths in different orders: many are equal but for one rounding."""
    return (rng.integers(0, 6, (n, 5)) / 5).sum(axis=1) / 5


SHAPES = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "clipped": lambda rng, n: rng.normal(0.5, 0.5, n).clip(0, 1),
    "likert": lambda rng, n: rng.integers(0, 6, n) / 5,
    "likert means": _likert_means,
    "fine means": lambda rng, n: rng.integers(0, 1 + n // 12, n) / 7,
    "levels and noise": lambda rng, n: rng.integers(0, 5, n) + 1e-6 * rng.integers(0, 30, n),
    "constant": lambda rng, n: np.full(n, 0.3),
    "binary": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "one outlier": lambda rng, n: np.append(rng.random(n - 1), 1e12),
    "heavy tails": lambda rng, n: np.exp(rng.normal(0, 20, n)),
    "subnormal spread": lambda rng, n: rng.integers(0, 50, n) * 5e-324,
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.1, np.inf, rng.normal(size=n)),
    "both infinities": lambda rng, n: rng.choice([-np.inf, 0.0, 1.0, np.inf], n),
    "overflowing spread": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "descending": lambda rng, n: np.arange(n, 0, -1.0),
    "neighbours": lambda rng, n: 1 + rng.integers(0, 40, n) * 2.0**-52,
}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 33, 1000])
@pytest.mark.parametrize("shape", SHAPES)
def test_average_ranks_equal_scipys(shape, n):
    values = SHAPES[shape](np.random.default_rng(n), n)
    kept = values.copy()
    np.testing.assert_array_equal(_ranks(values), rankdata(values))
    np.testing.assert_array_equal(values, kept)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=False) | st.sampled_from([0.0, 0.2, 0.6, 1.0]), min_size=1, max_size=120))
def test_any_doubles_are_ranked(numbers):
    values = np.array(numbers)
    np.testing.assert_array_equal(_ranks(values), rankdata(values))


@pytest.mark.parametrize("place", [0, 40, 99])
def test_nan_has_no_rank_and_breaks_nothing(place):
    values = np.random.default_rng(2).random(100)
    values[place] = np.nan
    assert (doubled_ranks(values) == 0).all()


@pytest.mark.parametrize("n", [*range(1, 20), 31, 32, 33, 100, 257])
def test_columns_are_sorted_each_by_itself(n):
    rng = np.random.default_rng(n)
    block = rng.normal(size=(n, LANES))
    block[:, 1] = rng.integers(0, 3, n)
    block[n // 2 :, 2] = np.inf
    expected = np.sort(block, axis=0)
    sort_columns(block)
    np.testing.assert_array_equal(block, expected)


@pytest.mark.parametrize("n", range(1, 10))
def test_the_column_network_sorts_every_pattern_of_zeros_and_ones(n):
    """By the zero-one principle a comparison network that does so sorts everything."""
    patterns = (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(float)
    padded = np.vstack([patterns, np.zeros((-len(patterns) % LANES, n))])
    for start in range(0, len(padded), LANES):
        block = np.ascontiguousarray(padded[start : start + LANES].T)
        sort_columns(block)
        assert (np.diff(block, axis=0) >= 0).all()
