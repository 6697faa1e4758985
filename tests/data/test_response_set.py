from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nbyk.data import response_matrix, response_set
from nbyk.errors import NbykError

nan = np.nan

matrices = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 6), st.integers(1, 5)),
    elements=st.one_of(st.floats(-1e9, 1e9), st.just(nan)),
).filter(lambda matrix: not np.isnan(matrix).all(axis=1).any())


@given(matrices)
def test_rows_are_packed_to_the_left_in_order_and_cut_to_the_longest(values):
    packed = response_matrix(values, "gold")
    kept = [row[~np.isnan(row)] for row in values]
    assert packed.shape == (len(values), max(map(len, kept)))
    for row, expected in zip(packed, kept, strict=True):
        np.testing.assert_array_equal(row[: len(expected)], expected)
        assert np.isnan(row[len(expected) :]).all()


@given(matrices)
def test_packing_leaves_the_callers_array_alone_and_is_idempotent(values):
    before = values.copy()
    once = response_matrix(values, "gold")
    once[0, 0] = 5.5
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(response_matrix(once, "gold"), once)


def test_k_may_differ_and_a_vector_is_one_response_per_item():
    data = response_set([[1, 0, 1], [0, 0, nan]], [0.5, 0.25], [[0.5, 1], [nan, 0]])
    assert data.n_items == 2
    assert (data.gold.shape, data.a.shape, data.b.shape) == ((2, 3), (2, 1), (2, 2))
    np.testing.assert_array_equal(data.b, [[0.5, 1], [0, nan]])


def test_fingerprints_tell_data_apart_and_nothing_else():
    gold, a, b = [[1, 0], [0, nan]], [[1, 1], [0, 0]], [[0, 1], [0, 0]]
    same = response_set(gold, a, b).fingerprint()
    # A missing response's place and the sign of zero are not data.
    assert response_set([[1, 0], [nan, 0]], a, np.array(b) * 1.0).fingerprint() == same
    assert response_set(gold, a, [[-0.0, 1], [0, 0]]).fingerprint() == same
    assert response_set(gold, b, a).fingerprint() != same
    assert response_set(gold, [[1, 1], [0, 1]], b).fingerprint() != same
    assert response_set(None, a, b).fingerprint() not in (same, response_set(None, b, a).fingerprint())
    # The same bytes in another shape.
    two_items, four_items = np.arange(8.0).reshape(2, 4), np.arange(8.0).reshape(4, 2)
    assert response_set(two_items, two_items, two_items).fingerprint() != (
        response_set(four_items, four_items, four_items).fingerprint()
    )


def test_without_gold_there_are_no_columns_of_it():
    data = response_set(None, [[1, 0], [nan, 1]], [0.5, 0.25])
    assert data.gold.shape == (2, 0)
    assert data.n_items == 2
    assert not data.has_gold
    assert response_set([1, 0], [1, 0], [0, 1]).has_gold
    with pytest.raises(NbykError, match="found 2 items of A and 3 of B, expected the same items in all"):
        response_set(None, [1, 0], [1, 0, 1])


@pytest.mark.parametrize(
    ("gold", "says"),
    [
        ([], "gold: the array is empty"),
        ([[], []], "gold: the array is empty"),
        ([[1, 2]], "gold: only one item"),
        ([[1], ["x"]], "gold: found 'x', expected numbers alone"),
        (np.zeros((2, 2, 2)), "gold: found an array of 3 dimensions"),
        ([[1, 2], [3, np.inf]], "gold, item 1: response 1 is inf"),
        ([[1, 2], [nan, nan], [nan, nan]], "gold, item 1: there is no response"),
        ([1, 2, 3], "found 3 items of gold and 2 of A"),
    ],
)
def test_bad_responses_are_refused(gold, says):
    with pytest.raises(NbykError, match=says):
        response_set(gold, [0, 1], [1, 0])
