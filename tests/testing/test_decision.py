"""When drawing stops, and how often that is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.testing.decision import Decision
from nbyk.testing.looks import certain_looks, schedule
from nbyk.testing.pvalues import p_values


def chance_of_settling(draws: tuple[int, ...], alpha: float, error: float, p: float) -> tuple[float, float]:
    """Return the exact chances that counts of draws of chance `p` settle on p ≤ α and on p > α."""
    at = certain_looks(draws, alpha, error=error)
    open_counts, before = np.array([1.0]), 0
    below = above = 0.0
    for look, m in enumerate(draws):
        step = stats.binom.pmf(np.arange(m - before + 1), m - before, p)
        open_counts = np.convolve(open_counts, step)
        counts = np.arange(m + 1)
        low, high = counts <= at.reject_to[look], counts >= at.keep_from[look]
        below, above = below + open_counts[low].sum(), above + open_counts[high].sum()
        open_counts[low | high] = 0.0
        before = m
    return float(below), float(above)


@pytest.mark.parametrize("error", [0.001, 0.05])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_a_settled_decision_is_wrong_as_rarely_as_stated(alpha: float, error: float) -> None:
    draws = tuple(schedule(2000, 50, 4.0))
    for p in (alpha * 1.0001, alpha * 1.1, 1.0):
        assert chance_of_settling(draws, alpha, error, min(1.0, p))[0] <= error
    for p in (0.0, alpha * 0.9, alpha):
        assert chance_of_settling(draws, alpha, error, p)[1] <= error
    # And it is not merely that nothing is ever settled.
    assert chance_of_settling(draws, alpha, error, 2.0 * alpha)[1] > 0.9
    assert chance_of_settling(draws, alpha, error, 0.3 * alpha)[0] > 0.9


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5])
def test_settled_counts_agree_with_the_p_value(alpha: float) -> None:
    at = certain_looks((99, 399, 9_999), alpha, error=0.01)
    for m, reject_to, keep_from in zip(at.draws, at.reject_to, at.keep_from, strict=True):
        if reject_to >= 0:
            assert (1 + reject_to) / (1 + m) <= alpha * (1 + 1e-9)
        assert (1 + keep_from) / (1 + m) > alpha


def test_either_side_settles_a_two_sided_test_for_and_both_against() -> None:
    decision = Decision("two-sided", 0.05, 999, 999, 0.01)
    null = np.linspace(-1.0, 1.0, 999)
    for observed, p_is_below in ((0.999, True), (-0.999, True), (0.0, False), (0.8, False)):
        assert decision.settled(observed, null, 0)
        assert (p_values(observed, null)["two-sided"].p <= 0.05) == p_is_below
    assert not decision.settled(0.952, null, 0)


def test_only_an_open_decision_is_drawn_on() -> None:
    effects = np.random.default_rng(0).standard_normal((1, 20_000))
    at_the_border = float(np.quantile(effects, 0.95))
    for observed, is_settled in ((0.0, True), (at_the_border, False), (5.0, True)):
        asked = []

        def draw(which: list[int], n_draws: int, *, start: int, asked: list = asked) -> np.ndarray:
            asked.append((which, start, n_draws))
            return effects[which, start:n_draws]

        null, settled = Decision("greater", 0.05, 100, 6_400, 0.001).draw(draw, observed)
        assert settled is is_settled
        assert asked[0] == ([0], 0, 100)
        assert (asked[-1] == ([0], 1_600, 6_400)) is not is_settled
        np.testing.assert_array_equal(null, effects[0, : asked[-1][2]])


def test_a_level_that_no_draw_can_reach_is_never_settled_for() -> None:
    assert certain_looks((9,), 0.05, error=0.01).reject_to[0] == -1
    with pytest.raises(NbykError, match="found 1, expected a level"):
        Decision("greater", 1, 9, 9, 0.01)
