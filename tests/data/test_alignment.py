"""Three rating tables as one response set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nbyk.data import Ratings, align
from nbyk.errors import NbykError


def ratings(items: list[str], offset: float = 0.0) -> Ratings:
    """Two ratings per item, worth its own number and a half more."""
    names = [item for item in items for _ in range(2)]
    values = [float(item) + offset + half for item in items for half in (0.0, 0.5)]
    return Ratings.from_columns(names, ["r1", "r2"] * len(items), np.array(values))


@given(st.permutations(["1", "2", "3", "4"]), st.permutations(["1", "2", "3", "4"]))
def test_rows_follow_gold_whatever_the_order_of_the_others(order_a: list[str], order_b: list[str]) -> None:
    data = align(ratings(["3", "1", "4", "2"]), ratings(order_a, 10), ratings(order_b, 20))
    assert_array_equal(data.gold, [[3, 3.5], [1, 1.5], [4, 4.5], [2, 2.5]])
    assert_array_equal(data.a, data.gold + 10)
    assert_array_equal(data.b, data.gold + 20)


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
        align(ratings(["1", "2", "3"]), ratings(a), ratings(b))
