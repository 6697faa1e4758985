"""What each test says of one test set, against the functions that users call and exact counts."""

from __future__ import annotations

import numpy as np
import pytest

import nbyk
from nbyk.testing.intervals import bca_interval, percentile_interval
from nbyk_papers.calibration.verdicts import (
    EXPECTED_P,
    P_VALUE,
    Method,
    expected_p_values,
    p_of_intervals,
    p_of_null,
    p_with_ties_at_random,
)


@pytest.mark.parametrize("levels", [3, 1000])
def test_p_values_are_those_that_users_get(levels: int) -> None:
    generator = np.random.default_rng(levels)
    for _ in range(50):
        alternative, null = generator.integers(-levels, levels, (2, 41)) / levels
        null = null + generator.choice([-0.3, 0.0, 0.3])
        observed = float(alternative[0])
        assert p_of_null(observed, null) == (
            nbyk.p_value(observed, null, alternative="two-sided").p,
            nbyk.p_value(observed, null, alternative="greater").p,
        )
        expected = nbyk.expected_p(alternative, null)
        folded, greater = expected_p_values(alternative, null)
        assert folded == pytest.approx(expected.p)
        assert greater == pytest.approx(nbyk.expected_p(alternative, null).p) or expected.flipped
        pairs = (null[None] >= alternative[:, None] - 1e-12).mean()
        assert greater == pytest.approx(pairs)


def test_an_undefined_draw_leaves_no_p_value_and_no_rejection() -> None:
    null = np.array([0.1, np.nan, 0.3])
    for p in (p_of_null(0.2, null), p_with_ties_at_random(0.2, null, 0.5), expected_p_values(null, null)):
        assert np.isnan(p).all()
    assert np.isnan(p_of_intervals(np.full(9, np.nan), 0.0, 0.0)).all()
    method = Method(P_VALUE, "all_items/all", "swap_items", "greater", 19)
    assert method.rejects(np.array([np.nan, 0.05, 0.051]), 0.05).tolist() == [False, True, False]


def test_expected_p_rejects_below_the_level_and_p_values_at_it() -> None:
    p = np.array([0.05, 10 / 200, 0.0499])
    expected = Method(EXPECTED_P, "bootstrap_items/all", "pooled", "folded", 64)
    assert expected.rejects(p, 0.05).tolist() == [False, False, True]
    assert Method(P_VALUE, "all_items/all", "pooled", "greater", 199).rejects(p, 0.05).all()


def test_with_ties_at_random_every_rank_is_as_likely() -> None:
    """20 exchangeable effects, each observed in turn: exactly one in 20 has each rank, ties or none."""
    effects = np.array([0.0] * 9 + [0.25] * 4 + [0.5] * 6 + [1.0])
    uniforms = (np.arange(180) + 0.5) / 180  # a multiple of all numbers of tied effects
    found = np.array(
        [
            p_with_ties_at_random(float(effect), np.delete(effects, index), uniform)
            for index, effect in enumerate(effects)
            for uniform in uniforms
        ]
    )
    for count in range(1, 21):
        assert (found[:, 1] <= count / 20 + 1e-12).mean() == pytest.approx(count / 20)
        assert (found[:, 0] <= 2 * count / 20 + 1e-12).mean() == pytest.approx(min(1.0, 2 * count / 20))
    # Without them ties are all as extreme, and the test keeps below its level.
    tied = np.array([p_of_null(float(e), np.delete(effects, i))[1] for i, e in enumerate(effects)])
    assert (tied <= 0.2).mean() == pytest.approx(1 / 20)


def test_intervals_leave_out_zero_from_the_level_that_is_given() -> None:
    generator = np.random.default_rng(4)
    for _ in range(60):
        draws = generator.gamma(2.0, size=9_999) - generator.uniform(0.0, 6.0)
        observed = float(np.quantile(draws, generator.uniform(0.3, 0.7)))
        acceleration = generator.uniform(-0.1, 0.1)
        by_percentiles, by_bca = p_of_intervals(draws, observed, acceleration)
        for level in (0.9, 0.95, 0.99):
            low, high = percentile_interval(draws, level)
            assert (low > 0.0 or high < 0.0) == (by_percentiles <= 1.0 - level + 1e-12)
            low, high = bca_interval(draws, observed, acceleration, level)
            assert (low > 0.0 or high < 0.0) == (by_bca <= 1.0 - level + 1e-12)


def test_few_draws_of_an_exact_bootstrap_cover_as_many_would() -> None:
    """Of 39 draws and the truth from one distribution, each end leaves out the truth once in 40 times."""
    draws = np.random.default_rng(5).standard_normal((4000, 40))
    rejected = [p_of_intervals(row[1:] - row[0], 0.0, 0.0)[0] <= 0.05 for row in draws]
    assert np.mean(rejected) == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 4000) ** 0.5)
