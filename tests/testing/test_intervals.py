"""Intervals of zeros and ones by exact enumeration; of what does not vary; the step for skewed means."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import xlogy

from nbyk.testing.intervals import (
    constant_interval,
    difference_of_proportions,
    proportion_interval,
    signs_interval,
)
from nbyk.testing.skewness import corrected, reaches, skewness_of_mean

LEVEL = 0.95
LEAST = 0.93
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
CORRELATIONS = (-0.5, -0.3, 0.0, 0.3, 0.5, 0.7, 0.9)


def paired_cells() -> np.ndarray:
    """Return the shares of items on which only A, and only B, is right, of all marginals and correlations."""
    cells = []
    for a in SHARES:
        for b in SHARES:
            for correlation in CORRELATIONS:
                both = a * b + correlation * math.sqrt(a * (1 - a) * b * (1 - b))
                cell = (a - both, b - both)
                if min(*cell, both, 1 - a - b + both) >= 0.0:
                    cells.append(cell)
    return np.array(cells)


@cache
def all_sign_intervals(n: int, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Return the possible numbers of 1 and −1, shape (2, M), and their intervals, shape (2, M)."""
    counts = [(plus, minus) for plus in range(n + 1) for minus in range(n + 1 - plus)]
    ends = [signs_interval(*pair, n, level) for pair in counts]
    return np.array(counts).T, np.array(ends).T


@pytest.mark.parametrize("n", [10, 11, 12, 13, 14, 17, 25, 50, 80])
def test_intervals_of_paired_zeros_and_ones_cover_on_the_whole_grid(n: int) -> None:
    (plus, minus), (low, high) = all_sign_intervals(n)
    cells = paired_cells()
    assert len(cells) > 500
    of_a, of_b = cells.T
    neither = n - plus - minus
    log_chance = stats.multinomial.logpmf(np.stack([plus, minus, neither], axis=1), n, [1 / 3] * 3)
    log_chance = log_chance + n * math.log(3.0)
    chance = np.exp(
        log_chance[:, None]
        + xlogy(plus[:, None], of_a)
        + xlogy(minus[:, None], of_b)
        + xlogy(neither[:, None], 1.0 - of_a - of_b)
    )
    np.testing.assert_allclose(chance.sum(axis=0), 1.0, rtol=1e-9)
    truth = of_a - of_b
    covers = (low[:, None] <= truth + 1e-12) & (truth - 1e-12 <= high[:, None])
    assert (chance * covers).sum(axis=0).min() >= LEAST


@pytest.mark.parametrize("n", [10, 11, 12, 15, 20, 30, 50, 100, 300])
def test_intervals_of_one_share_cover_at_every_p(n: int) -> None:
    p = np.linspace(0.02, 0.98, 961)
    low, high = np.array([proportion_interval(count, n, LEVEL) for count in range(n + 1)]).T
    chance = stats.binom.pmf(np.arange(n + 1)[:, None], n, p)
    covered = (chance * ((low[:, None] <= p) & (p <= high[:, None]))).sum(axis=0)
    assert covered.min() >= LEVEL - 1e-12


@pytest.mark.parametrize("sizes", [(10, 10), (12, 12), (10, 25), (40, 40)])
def test_intervals_of_two_shares_cover_on_a_grid(sizes: tuple[int, int]) -> None:
    n, m = sizes
    ends = [difference_of_proportions((i, j), sizes, LEVEL) for i in range(n + 1) for j in range(m + 1)]
    low, high = np.array(ends).reshape(n + 1, m + 1, 2).transpose(2, 0, 1)
    for a in SHARES:
        for b in SHARES:
            chance = np.outer(stats.binom.pmf(range(n + 1), n, a), stats.binom.pmf(range(m + 1), m, b))
            covers = (low <= a - b + 1e-12) & (a - b - 1e-12 <= high)
            assert chance[covers].sum() >= LEAST


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("n", [5, 12, 29])
def test_the_interval_of_signs_excludes_zero_exactly_if_the_sign_test_rejects(n: int, level: float) -> None:
    (plus, minus), (low, high) = all_sign_intervals(n, level)
    p = np.minimum(1.0, 2.0 * stats.binom.cdf(np.minimum(plus, minus), plus + minus, 0.5))
    np.testing.assert_array_equal((low > 0.0) | (high < 0.0), p <= (1.0 - level) * (1.0 + 1e-9))


@given(counts=st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)))
@settings(max_examples=100, deadline=None)
def test_the_interval_of_signs_is_a_mirror_holds_the_mean_and_is_never_a_point(
    counts: tuple[int, int, int],
) -> None:
    plus, minus, _ = counts
    n = sum(counts)
    if n == 0:
        return
    low, high = signs_interval(plus, minus, n, LEVEL)
    assert signs_interval(minus, plus, n, LEVEL) == (-high, -low)
    assert -1.0 <= low <= (plus - minus) / n <= high <= 1.0
    assert high - low > 0.0


def test_intervals_at_the_boundaries_are_their_closed_forms() -> None:
    assert proportion_interval(12, 12, LEVEL) == pytest.approx((0.025 ** (1 / 12), 1.0))
    # A's share may be as low as Clopper and Pearson's end, and B's as high as one minus it
    assert signs_interval(12, 0, 12, LEVEL) == pytest.approx((2.0 * 0.025 ** (1 / 12) - 1.0, 1.0))
    other = 1.0 - 0.025 ** (1 / 30)
    assert signs_interval(0, 0, 30, LEVEL) == pytest.approx((-other, other))
    for n in (1, 7, 40):
        assert constant_interval(1.0, n, LEVEL, (0.0, 1.0)) == pytest.approx(proportion_interval(n, n, LEVEL))
    low, high = difference_of_proportions((12, 0), (12, 12), LEVEL)
    assert low == pytest.approx(1.0 - math.sqrt(2.0) * (1.0 - 0.025 ** (1 / 12)))
    assert high == 1.0


skews = st.floats(-0.6, 0.6)


@given(t=st.floats(-8, 8), g=skews, c=st.floats(1.0, 3.0))
@settings(max_examples=200, deadline=None)
def test_the_step_shrinks_only_the_tail_that_is_too_often_reached(t: float, g: float, c: float) -> None:
    after = corrected(t, g, c)
    assert abs(after) <= abs(t)
    assert after == 0.0 or math.copysign(1.0, after) == math.copysign(1.0, t)
    assert corrected(-t, -g, c) == -after
    if (t >= 0.0) == (g >= 0.0) or g == 0.0:
        assert after == t
    elif after != 0.0:
        q, a = abs(after), c * abs(g) / 6.0
        assert q + a * (1.0 + 2.0 * q**2) == pytest.approx(abs(t))
    else:
        assert abs(t) <= c * abs(g) / 6.0 or t == 0.0


@given(quantile=st.floats(0.1, 5), g=skews, c=st.floats(1.0, 3.0))
@settings(max_examples=200, deadline=None)
def test_an_interval_ends_where_the_step_gives_its_quantile(quantile: float, g: float, c: float) -> None:
    down, up = reaches(quantile, g, c)
    # d − down·SE is the value under which the observed mean is `down` standard errors high
    assert corrected(down, g, c) == pytest.approx(quantile, rel=1e-9)
    assert corrected(-up, g, c) == pytest.approx(-quantile, rel=1e-9)
    assert reaches(quantile, -g, c) == (up, down)


def test_the_skewness_of_a_mean_is_scipys_over_the_root_of_n() -> None:
    values = np.random.default_rng(3).exponential(size=40)
    assert skewness_of_mean(values) == pytest.approx(stats.skew(values, bias=False) / math.sqrt(40))
    assert skewness_of_mean(-values) == -skewness_of_mean(values)
    assert skewness_of_mean(1e-200 * values) == pytest.approx(skewness_of_mean(values))
    assert skewness_of_mean(np.full(9, 0.3)) == 0.0
    assert skewness_of_mean(np.array([0.0, 1.0])) == 0.0
