"""Which rater or run gave each response: from files of every form, arrays and simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import nbyk
from nbyk.data import Ratings, read_ratings, read_systems, response_set
from nbyk.data.units import Units
from tests.data.lm_eval_log import runs


def by_name(units: Units, matrix: np.ndarray) -> list[dict[str, float]]:
    """Return each item's responses by the names of their units."""
    assert units.index is not None
    assert units.index.shape == matrix.shape
    assert_array_equal(units.index < 0, np.isnan(matrix))
    return [
        {units.names[unit]: value for unit, value in zip(row, values, strict=True) if unit >= 0}
        for row, values in zip(units.index, matrix.tolist(), strict=True)
    ]


LONG = "item,rater,value\nq1,ann,0.1\nq2,bob,0.2\nq1,bob,0.3\nq2,cem,0.4\n"
WIDE = "item,ann,bob,cem\nq1,0.1,0.3,\nq2,,0.2,0.4\n"
LINES = (
    '{"item": "q1", "rater": "ann", "value": 0.1}\n{"item": "q2", "rater": "bob", "value": 0.2}\n'
    '{"item": "q1", "rater": "bob", "value": 0.3}\n{"item": "q2", "rater": "cem", "value": 0.4}\n'
)


@pytest.mark.parametrize(("name", "content"), [("r.csv", LONG), ("r.csv", WIDE), ("r.jsonl", LINES)])
def test_files_say_who_gave_each_rating(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    ratings = read_ratings(path)
    units = ratings.units()
    assert by_name(units, ratings.matrix()) == [{"ann": 0.1, "bob": 0.3}, {"bob": 0.2, "cem": 0.4}]
    assert units.known_by == "ids"
    assert (units.n_shared, units.most_items) == (1, 2)


def test_columns_of_an_array_are_units_and_a_vector_says_nothing(tmp_path: Path) -> None:
    matrix = np.array([[np.nan, 0.2, 0.3], [0.4, 0.5, np.nan]])
    np.save(tmp_path / "matrix.npy", matrix)
    np.save(tmp_path / "vector.npy", matrix[:, 1])
    ratings = read_ratings(tmp_path / "matrix.npy")
    data = response_set(matrix, matrix[:, 1], matrix)
    for units, values in ((ratings.units(), ratings.matrix()), (data.units["gold"], data.gold)):
        assert by_name(units, values) == [
            {"column 1": 0.2, "column 2": 0.3},
            {"column 0": 0.4, "column 1": 0.5},
        ]
        assert units.n_shared == 1
    assert data.units["a"].known_by == read_ratings(tmp_path / "vector.npy").units().known_by == "vector"


def test_numbers_within_an_item_are_no_raters(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(LONG)
    assert read_ratings(path, rater=None).units().known_by == "unknown"
    path.write_text("item,value\nq1,0.1\nq2,0.2\n")
    assert read_ratings(path, rater=None).units().known_by == "vector"


def test_a_log_of_lm_eval_has_its_runs(tmp_path: Path) -> None:
    logs = runs(tmp_path, [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    systems = read_systems({"a": logs, "b": logs})
    assert (systems.units["a"].known_by, systems.units["a"].n_shared) == ("ids", 2)
    assert systems.gold_units is None


def test_units_follow_items_that_are_dropped_or_in_another_order() -> None:
    gold = Ratings.from_columns(["x", "y", "y", "z"], ["ann", "ann", "bob", "cem"], [0.1, 0.2, 0.3, 0.4])
    a = Ratings.from_columns(["z", "y", "w", "w"], ["s1", "s1", "s1", "s2"], [0.5, 0.6, 0.7, 0.8])
    systems = read_systems({"a": a, "b": a}, gold, on_missing="drop")
    data = systems.pair("a", "b")
    assert by_name(data.units["gold"], data.gold) == [{"ann": 0.2, "bob": 0.3}, {"cem": 0.4}]
    assert by_name(data.units["a"], data.a) == [{"s1": 0.6}, {"s1": 0.5}]
    assert (data.units["gold"].n_shared, data.units["a"].n_shared) == (0, 1)
    whole = Ratings.from_columns(["z", "y", "x"], ["s1", "s1", "s2"], [0.5, 0.6, 0.7])
    aligned = read_systems({"a": whole, "b": whole}, gold).pair("a", "b")
    assert by_name(aligned.units["a"], aligned.a) == [{"s2": 0.7}, {"s1": 0.6}, {"s1": 0.5}]


def test_simulated_units_are_fresh_and_no_part_of_the_fingerprint() -> None:
    prior = nbyk.published_prior("toxicity")
    data = nbyk.simulate(nbyk.Population(prior, 5, 3, 0.1), seed=1)
    assert {units.known_by for units in data.units.values()} == {"fresh"}
    arrays = response_set(data.gold, data.a, data.b)
    assert {units.known_by for units in arrays.units.values()} == {"ids"}
    assert arrays.fingerprint() == data.fingerprint()


def test_units_whose_items_are_all_gone_are_gone_too() -> None:
    units = Units("ids", ("ann", "bob", "cem"), np.array([[0, -1], [2, 1], [2, 0]], np.int32))
    taken = units.taken([1, 2], [0])
    assert taken.names == ("cem",)
    assert_array_equal(taken.index, [[0], [0]])
    assert taken.n_shared == 1
    swapped = units.taken(np.array([False, True, False]))
    assert swapped.names == ("bob", "cem")
    assert_array_equal(swapped.index, [[1, 0]])
