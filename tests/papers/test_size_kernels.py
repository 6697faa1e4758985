"""Sums of items' units are numpy's, and the items are those of the stream."""

from __future__ import annotations

import numpy as np
import pytest

from nbyk.resampling.lanes import LANES, fill_words
from nbyk_papers.homan2025.size_draws import (
    bootstrapped_items,
    draw_items,
    sum_bootstrapped_items,
    sum_items,
)

N = 1000
SIZES = np.array([2, 64, 65, N])


@pytest.mark.parametrize("most", [1, 1049, 2147484])
@pytest.mark.parametrize("of_one_sign", [False, True])
def test_sums_of_units_are_numpys(most: int, of_one_sign: bool) -> None:
    rng = np.random.default_rng(most)
    units = rng.integers(-most, most, (N, 7), endpoint=True).astype(np.int32)
    if of_one_sign:
        units[:] = np.array([most, -most, -most, most, -1, 0, 1])
    out = np.empty((len(SIZES), 7), np.int64)
    sum_items(units, SIZES, out)
    assert (out == np.stack([units[:n].sum(axis=0, dtype=np.int64) for n in SIZES])).all()

    sum_bootstrapped_items(units, np.uint64(5), 3, SIZES, out)
    for row, n in zip(out, SIZES.tolist(), strict=True):
        items = np.empty((1, n), np.int64)
        bootstrapped_items(np.uint64(5), 3, items)
        assert (row == units[items[0]].sum(axis=0, dtype=np.int64)).all()


@pytest.mark.parametrize("size", [2, 31, 64, 65, 200])
def test_items_are_drawn_by_the_halves_of_random_words(size: int) -> None:
    n_rows = -(-size // (2 * LANES))
    words = np.empty((1, n_rows * LANES), np.uint64)
    fill_words(np.uint64(7 + size), 4, words)
    rows = words.reshape(n_rows, LANES)
    halves = np.concatenate([rows >> np.uint64(32), rows & np.uint64(0xFFFFFFFF)], axis=1).ravel()[:size]
    items = np.empty(n_rows * 2 * LANES, np.int32)
    draw_items(np.uint64(7), 4, size, items)
    assert items[:size].tolist() == [int(word) * size >> 32 for word in halves]
