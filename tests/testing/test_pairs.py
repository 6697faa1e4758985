"""Pairs of systems: all of them, or each system with the baseline."""

from __future__ import annotations

import pytest

from nbyk.errors import NbykError
from nbyk.testing.family import choose_pairs


def test_all_pairs_or_all_with_the_baseline() -> None:
    assert choose_pairs("abc", None, "two-sided") == [(0, 1), (0, 2), (1, 2)]
    assert choose_pairs("abc", "b", "greater") == [(0, 1), (2, 1)]
    assert choose_pairs("ab", None, "less") == [(0, 1)]


def test_a_side_of_many_needs_a_baseline_among_them() -> None:
    with pytest.raises(NbykError, match=r"^alternative: found 'less' for all pairs, where neither system"):
        choose_pairs("abc", None, "less")
    with pytest.raises(NbykError, match=r"^against: unknown system 'd'; known: a, b, c"):
        choose_pairs("abc", "d", "two-sided")
