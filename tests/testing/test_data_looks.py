"""Looks as data come in: Pocock's bounds, and the level of all looks together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.testing.decision import at_each_look
from nbyk.testing.shared_units import responses, shared_units_test


@pytest.mark.parametrize(
    ("looks", "bound"), [(1, 1.960), (2, 2.178), (3, 2.289), (4, 2.361), (5, 2.413), (10, 2.555)]
)
def test_bounds_are_those_of_pocock(looks: int, bound: float) -> None:
    """Pocock 1977, table 1; Jennison and Turnbull 2000, table 2.1."""
    alpha, level = at_each_look(0.05, 0.95, looks, "two-sided")
    assert_allclose(stats.norm.isf(alpha / 2), bound, atol=6e-4)
    assert_allclose(level, 1 - alpha)
    one_sided, _ = at_each_look(0.025, 0.95, looks, "greater")
    assert_allclose(one_sided, alpha / 2, rtol=1e-3)


def test_a_result_says_the_level_of_a_look() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.52, 0.1, 100), rng.normal(0.5, 0.1, 100)
    once, often = nbyk.compare(None, a, b), nbyk.compare(None, a, b, looks=5)
    assert_allclose(often.question.alpha, 0.0158, atol=5e-5)
    assert np.diff(often.interval) > np.diff(once.interval)
    assert "at each of 5 looks" in often.sentence
    assert "(α = 0.016 at each of 5 looks)" in repr(often)


@pytest.mark.parametrize("looks", [0, 51, 2.5])
def test_looks_that_are_no_number_of_looks_are_refused(looks: float) -> None:
    with pytest.raises(NbykError, match="looks: found"):
        nbyk.compare(None, np.ones(5), np.zeros(5), looks=looks)  # type: ignore[arg-type]


@pytest.mark.parametrize("alpha", [0.01, 0.5, 0.7, 0.95])
def test_one_sided_bounds_are_those_of_the_normal_sums(alpha: float) -> None:
    """The chance that no sum of three steps passes the bound, by scipy's integral."""
    bound = stats.norm.isf(at_each_look(alpha, 0.95, 3, "greater")[0])
    steps = np.arange(1, 4)
    correlations = np.sqrt(np.minimum.outer(steps, steps) / np.maximum.outer(steps, steps))
    chance = stats.multivariate_normal(cov=correlations).cdf(np.full(3, bound))
    assert_allclose(chance, 1.0 - alpha, atol=1e-5)


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"alpha": 2.0}, "alpha: found 2.0"),
        ({"alpha": float("nan")}, "alpha: found nan"),
        ({"confidence_level": -1.0}, "confidence_level: found -1.0"),
        ({"confidence_level": 1.0}, "confidence_level: found 1.0"),
    ],
)
def test_levels_out_of_range_are_refused_beside_looks(asked: dict[str, float], line: str) -> None:
    with pytest.raises(NbykError, match=line):
        nbyk.compare(None, np.ones(5), np.zeros(5), looks=3, **asked)  # type: ignore[arg-type]


@pytest.mark.statistics
@pytest.mark.parametrize("severity", [0.0, 0.1])
def test_the_level_holds_over_all_looks_with_raters_who_come_again(severity: float) -> None:
    """150 sets of 5 looks at 20 to 100 items, by 5 raters: a level of .05 has a standard error of .018."""
    rng, rejected, once, mean = np.random.default_rng(3), 0, 0, get("mean")
    who = np.tile(np.arange(5), (100, 1))
    for number in range(150):
        items, raters = rng.normal(0.5, 0.1, (100, 1)), rng.normal(0.0, severity, 5)
        a, b = (items + rng.normal(0.0, 0.1, (100, 5)) + side * raters / 2 for side in (1.0, -1.0))
        p = []
        for n in range(20, 101, 20):
            data = responses(a[:n], b[:n], a_units=who[:n], b_units=who[:n], paired=True)
            p.append(shared_units_test(mean, data).p_value())
        if number == 0:
            found = nbyk.compare(None, a, b, pair_runs=True, n_resamples=199, max_resamples=199)
            assert found.p == max(p[-1], found.claims[-1].p)
        rejected, once = (
            rejected + (min(p) <= at_each_look(0.05, 0.95, 5, "two-sided")[0]),
            once + (min(p) <= 0.05),
        )
    assert rejected / 150 <= 0.05 + 2 * 0.018
    assert once > rejected
