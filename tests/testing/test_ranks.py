"""Ranks, rank sets and groups against brute force on everything small."""

from __future__ import annotations

from itertools import chain, combinations, permutations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nbyk.testing.ranks import (
    groups,
    letters,
    rank_sets,
    ranks,
)


def subsets(members):  # type: ignore[no-untyped-def]
    every = list(members)
    return chain.from_iterable(combinations(every, size) for size in range(len(every) + 1))


def largest_groups(n: int, different: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return every group without a different pair that no other such group contains."""
    free = [
        group
        for group in subsets(range(n))
        if group and not any(p in different for p in combinations(group, 2))
    ]
    return sorted(group for group in free if not any(set(group) < set(other) for other in free))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_groups_are_the_largest_without_a_different_pair_on_every_graph(n: int) -> None:
    for different in subsets(combinations(range(n), 2)):
        assert groups(n, different) == largest_groups(n, set(different))


def test_groups_do_not_depend_on_the_order_of_the_pairs() -> None:
    generator = np.random.default_rng(3)
    pairs = [pair for pair in combinations(range(12), 2) if generator.random() < 0.5]
    expected = groups(12, pairs)
    for _ in range(10):
        generator.shuffle(pairs)
        assert groups(12, [tuple(pair) for pair in pairs]) == expected


def test_letters_follow_the_groups() -> None:
    assert letters(3, [(0, 1), (1, 2)]) == ["a", "ab", "b"]
    alone = letters(54, [(system,) for system in range(54)])
    assert alone[25:28] + alone[51:] == ["z", "A", "B", "Z", "[53]", "[54]"]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_rank_sets_are_the_ranks_in_orders_that_agree_with_the_decisions(n: int) -> None:
    for decided in subsets(combinations(range(n), 2)):
        better = np.zeros((n, n), np.bool_)
        for above, below in decided:
            better[above, below] = True
        places = np.array(
            [
                [order.index(system) + 1 for system in range(n)]
                for order in permutations(range(n))
                if all(order.index(above) < order.index(below) for above, below in decided)
            ]
        )
        low, high = rank_sets(better)
        assert_array_equal(low, places.min(axis=0))
        assert_array_equal(high, places.max(axis=0))


def test_ties_share_the_better_rank() -> None:
    assert_array_equal(ranks(np.array([0.5, 0.3, 0.3])), [1, 2, 2])
    assert_array_equal(ranks(np.array([0.1, 0.1, 0.2])), [2, 2, 1])


def test_rounding_is_no_difference_of_rank() -> None:
    assert_array_equal(ranks(np.array([0.1 + 0.2, 0.3])), [1, 1])
