"""Grids: which points share a file, and how its name says so."""

from __future__ import annotations

import random

import pytest

from nbyk_papers.batches import Field, Grid, Point

GRID = Grid((Field("epsilon", float), Field("n", int), Field("k", int)))


@pytest.mark.parametrize(
    ("points", "key"),
    [
        ([(0.1, 1000, 5)], "epsilon-0.1_n-1000_k-5"),
        ([(0.0, 40, 2), (0.7, 40, 2)], "epsilon-0.0-and-0.7_n-40_k-2"),
        ([(1e-05, n, 1) for n in range(10, 60, 10)], "epsilon-1e-05_n-10-to-50-by-10_k-1"),
        (
            [(epsilon, n, 3) for epsilon in (0.1, 0.2, 0.3, 0.7) for n in (5, 7, 12)],
            "epsilon-0.1-to-0.3-by-0.1-and-0.7_n-5-and-7-and-12_k-3",
        ),
    ],
)
def test_a_name_says_which_points_a_file_has(points: list[Point], key: str) -> None:
    assert GRID.key(points) == key
    assert GRID.points(key) == points


@pytest.mark.parametrize(
    "key",
    ["", "epsilon-0.1", "epsilon-0.1_n-5_m-5", "epsilon-x_n-5_k-5", "epsilon-0.1_n-1-to-9_k-5", "wein2023",
     "epsilon-0.1_n-1-to-9-by-0_k-5"],
)  # fmt: skip
def test_other_names_have_no_points(key: str) -> None:
    assert GRID.points(key) == []


@pytest.mark.parametrize("seed", range(30))
def test_shares_hold_every_point_once_within_the_limits(seed: int) -> None:
    draw = random.Random(seed)
    values = (
        [round(draw.uniform(0, 1), draw.randint(1, 3)) for _ in range(12)],
        [draw.randint(2, 2000) for _ in range(15)],
        list(range(1, 8)),
    )
    points = [tuple(map(draw.choice, values)) for _ in range(draw.randint(1, 600))]
    limit = draw.uniform(1.0, 200.0)

    def seconds(point: Point) -> float:
        return point[1] * point[2] / 100

    shares = GRID.shares(points, seconds, limit)
    assert sorted(point for share in shares for point in share) == sorted(set(points))
    for share in shares:
        key = GRID.key(share)
        assert GRID.points(key) == share
        assert len(share) == 1 or (len(key) <= 100 and sum(map(seconds, share)) <= limit + 1e-9)
    draw.shuffle(points)
    assert GRID.shares(points, seconds, limit) == shares


def test_a_usual_value_is_left_out_of_names() -> None:
    grid = Grid((Field("epsilon", float), Field("a", float, 0.0), Field("n", int)))
    for points, key in (
        ([(0.1, 0.0, 5), (0.3, 0.0, 5)], "epsilon-0.1-and-0.3_n-5"),
        ([(0.1, 0.2, 5), (0.1, 0.2, 6)], "epsilon-0.1_a-0.2_n-5-and-6"),
        ([(0.1, 0.0, 5), (0.1, 0.2, 5)], "epsilon-0.1_a-0.0-and-0.2_n-5"),
    ):
        assert grid.key(points) == key
        assert grid.points(key) == points
    assert grid.points("epsilon-0.1_a-0.2") == []


def test_small_points_come_together() -> None:
    points = [(e / 20, n, k) for e in range(20) for n in range(10, 1010, 10) for k in (1, 5)]
    assert len(GRID.shares(points, lambda _: 1.0, 500.0)) == 8
    assert len(GRID.shares(points, lambda _: 600.0, 500.0)) == len(points)
