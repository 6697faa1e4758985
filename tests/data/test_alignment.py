"""Ratings of the same items, whatever their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nbyk.data import Ratings, read_systems
from nbyk.errors import NbykError


def ratings(items: list[str], offset: float = 0.0) -> Ratings:
    """Two ratings per item, worth its own number and a half more."""
    names = [item for item in items for _ in range(2)]
    values = [float(item) + offset + half for item in items for half in (0.0, 0.5)]
    return Ratings.from_columns(names, ["r1", "r2"] * len(items), np.array(values))


@given(st.permutations(["1", "2", "3", "4"]), st.permutations(["1", "2", "3", "4"]))
def test_rows_are_in_the_order_of_ids_whatever_the_tables(order_a: list[str], order_b: list[str]) -> None:
    systems = {"a": ratings(order_a, 10), "b": ratings(order_b, 20)}
    read = read_systems(systems, ratings(["3", "1", "4", "2"]), scale=(0, 32))
    data = read.pair("a", "b")
    assert_array_equal(data.gold * 32, [[1, 1.5], [2, 2.5], [3, 3.5], [4, 4.5]])
    assert_array_equal(data.a * 32, data.gold * 32 + 10)
    assert_array_equal(data.b * 32, data.gold * 32 + 20)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (["1", "2"], ["1", "2", "3"], r"a: lacks 1 of gold's items \(3\); give all files the same items"),
        (["1", "2", "3"], ["1", "2", "3", "9"], r"b: has 1 that gold lacks \(9\)"),
        (["4", "5", "6", "7"], ["1", "2", "3"], r"a: lacks 3 .*\(1, 2, 3\) and has 4 .*\(4, 5, 6, …\)"),
    ],
)
def test_items_that_do_not_match_are_named(a: list[str], b: list[str], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        read_systems({"a": ratings(a), "b": ratings(b)}, ratings(["1", "2", "3"]), scale=(0, 32))
