"""Labels from ratings: shares of levels, smoothing, majorities and their ties."""

from __future__ import annotations

import numpy as np
import pytest

from nbyk.data import Binary, Levels, Ratings
from nbyk.errors import NbykError
from nbyk.labels import label_scores, majority_labels, shares_of_counts, soft_labels

NAN = np.nan
MATRIX = [[1, 1, 3], [2, NAN, 3], [3, 3, 3]]
TABLE = Ratings.from_columns(
    ["x", "x", "x", "y", "y", "z", "z", "z"],
    ["p", "q", "r", "p", "r", "p", "q", "r"],
    [1, 1, 3, 2, 3, 3, 3, 3],
)
SHARES = [[2 / 3, 0, 1 / 3], [0, 1 / 2, 1 / 2], [0, 0, 1]]


@pytest.mark.parametrize("ratings", [MATRIX, TABLE], ids=["matrix", "table"])
@pytest.mark.parametrize("levels", [[1, 2, 3], Levels((1, 2, 3))], ids=["list", "scale"])
def test_soft_labels_are_shares_of_the_levels(ratings: object, levels: object) -> None:
    np.testing.assert_allclose(soft_labels(ratings, levels), SHARES)  # type: ignore[arg-type]


def test_smoothing_adds_ratings_to_every_level() -> None:
    expected = [[3 / 6, 1 / 6, 2 / 6], [1 / 5, 2 / 5, 2 / 5], [1 / 6, 1 / 6, 4 / 6]]
    np.testing.assert_allclose(soft_labels(MATRIX, [1, 2, 3], smoothing=1.0), expected)


def test_levels_of_normalised_ratings_are_found_despite_rounding() -> None:
    scale = Levels((1, 2, 3))
    levels = [0.0, 0.1 + 0.7 / 3, 2 / 3]
    np.testing.assert_allclose(soft_labels(TABLE.normalised(scale), levels), SHARES)


def test_binary_ratings_have_two_levels() -> None:
    np.testing.assert_allclose(soft_labels([[0, 1, 1], [0, 0, NAN]], Binary()), [[1 / 3, 2 / 3], [1, 0]])


def test_majorities_declare_their_ties() -> None:
    labels, tied = majority_labels(MATRIX, [1, 2, 3], ties="lowest")
    assert labels.tolist() == [1, 2, 3]
    assert tied.tolist() == [False, True, False]
    assert majority_labels(TABLE, [1, 2, 3], ties="highest").labels.tolist() == [1, 3, 3]


@pytest.mark.parametrize(("ratings", "item"), [(TABLE, "'y'"), (MATRIX, "1")])
def test_ties_are_refused_by_default(ratings: object, item: str) -> None:
    with pytest.raises(
        NbykError, match=rf"1 of 3 items without .*, the first is {item}; choose `ties` lowest"
    ):
        majority_labels(ratings, [1, 2, 3])  # type: ignore[arg-type]


def test_bad_ratings_are_refused() -> None:
    with pytest.raises(NbykError, match="ratings, item 'y': found 2; expected one of the levels 1, 3"):
        soft_labels(TABLE, [1, 3])
    with pytest.raises(NbykError, match="ratings, item '1': found 2; expected one of the levels 1, 3"):
        soft_labels(MATRIX, [1, 3])
    with pytest.raises(NbykError, match="item 1 has no response"):
        soft_labels([[1, 2], [NAN, NAN]], [1, 2])
    with pytest.raises(NbykError, match="at least two"):
        soft_labels(MATRIX, [1])
    with pytest.raises(NbykError, match="smoothing: found -1"):
        soft_labels(MATRIX, [1, 2, 3], smoothing=-1)
    with pytest.raises(NbykError, match="unknown way to break ties 'random'"):
        majority_labels(MATRIX, [1, 2, 3], ties="random")  # type: ignore[arg-type]


COUNTS = [[2, 0, 1], [0, 1, 1], [0, 0, 3]]


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_counts_of_ratings_make_the_labels_that_the_ratings_make(smoothing: float) -> None:
    of_ratings = soft_labels(MATRIX, [1, 2, 3], smoothing=smoothing)
    np.testing.assert_array_equal(shares_of_counts(COUNTS, smoothing=smoothing), of_ratings)


def test_an_item_without_ratings_has_labels_only_by_smoothing() -> None:
    np.testing.assert_array_equal(shares_of_counts([[0, 0], [1, 1]], smoothing=1), [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(
        NbykError, match="counts, row 0: has no rating; leave the item out everywhere, or add"
    ):
        shares_of_counts([[0, 0], [1, 1]])


@pytest.mark.parametrize("wrong", [0.5, -1, NAN, np.inf, 2.0**60])
def test_a_count_is_a_whole_number(wrong: float) -> None:
    with pytest.raises(NbykError, match=r"counts, row 1: class 0 is .*; expected a count of ratings"):
        shares_of_counts([[1, 2], [wrong, 1]])


@pytest.mark.parametrize("wrong", [[], [1, 2], [[1], [2]], [[[1, 2]]], [[1, 2], [3]], [["a", "b"]]])
def test_counts_are_rows_of_numbers(wrong: object) -> None:
    with pytest.raises(NbykError, match="counts: "):
        shares_of_counts(wrong)  # type: ignore[arg-type]


def test_counts_in_place_of_probabilities_are_refused_with_the_way_out() -> None:
    with pytest.raises(NbykError, match=r"sums to 3, 2 more than one .* ratings, call shares_of_counts"):
        label_scores(COUNTS, shares_of_counts(COUNTS))
