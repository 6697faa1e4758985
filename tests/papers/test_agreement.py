"""Agreement of two Monte-Carlo p-values: z and χ² have their stated distributions when nothing differs.

And of two rates: exact limits, against all there is to enumerate and against scipy.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk.testing.pvalues import expected_p
from nbyk_papers.agreement import chi_square, equal_chance_p, pooled_variances, predicted_counts


@pytest.mark.parametrize(("shift", "draws"), [(0.5, 300), (2.5, 300), (3.8, 300)])
def test_z_is_standard_normal_where_nothing_differs(shift: float, draws: int) -> None:
    """Two runs of one pair of normals, 1000 times; p from .36 to .004: few draws on the wrong side."""
    generator = np.random.default_rng(1)
    runs = [expected_p(generator.normal(shift, 1, draws), generator.normal(0, 1, draws)) for _ in range(2000)]
    p, error = np.array([[run.p, run.standard_error] for run in runs]).T
    ours, theirs = pooled_variances(p[:1000], error[:1000], np.full(1000, draws), p[1000:], draws)
    z = (p[:1000] - p[1000:]) / np.sqrt(ours + theirs)
    assert abs(z.mean()) < 0.12
    assert 0.8 < z.std() < 1.12
    assert (np.abs(z) > 3).mean() < 0.01


def test_an_estimate_of_zero_does_not_make_everything_differ() -> None:
    """None of a thousand draws against about one: not more than three and a half standard errors."""
    ours, theirs = pooled_variances([0.0], [1e-9], [1000], [0.001], 1000)
    assert 2.0 < 0.001 / np.sqrt(ours + theirs)[0] < 4.0


def test_few_draws_change_the_error_continuously() -> None:
    p = np.array([0.0, 1e-12, 1e-9, 1e-7])
    ours, theirs = pooled_variances(p, 1e-3 * p, np.full(4, 1000), np.full(4, 8e-4), 1000)
    assert np.ptp(np.sqrt(ours + theirs)) < 0.01 * np.sqrt(ours + theirs)[0]


def test_chi_square_accounts_for_what_is_shared() -> None:
    """Three of theirs against one of ours: χ² with three degrees of freedom (KS, 4000 draws)."""
    generator = np.random.default_rng(2)
    found = []
    for _ in range(4000):
        chi2, dof = chi_square(generator.normal(0.3, 0.02), 0.02**2, generator.normal(0.3, 0.01, 3), 0.01**2)
        assert dof == 3
        found.append(chi2)
    assert stats.kstest(found, stats.chi2(3).cdf).pvalue > 0.01


def test_equal_chances_are_tested_as_by_fisher() -> None:
    generator = np.random.default_rng(4)
    x, y = generator.integers(0, 31, 60), generator.integers(0, 21, 60)
    p = equal_chance_p(x, np.full(60, 30), y, np.full(60, 20))
    for found, other, value in zip(x, y, p, strict=True):
        table = [[found, 30 - found], [other, 20 - other]]
        sides = [stats.fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        assert value == pytest.approx(min(1.0, 2.0 * min(sides)), rel=1e-9)


def test_predicted_counts_are_those_that_equal_chances_do_not_refuse() -> None:
    found, trials, others = np.array([0, 1, 7, 20, 40]), np.array([40, 40, 25, 40, 40]), 30
    for confidence in (0.9, 0.999):
        low, high = predicted_counts(found, trials, np.full(5, others), confidence=confidence)
        for row in range(5):
            y = np.arange(others + 1)
            p = equal_chance_p(np.full(31, found[row]), np.full(31, trials[row]), y, np.full(31, others))
            inside = y[p >= 1.0 - confidence - 1e-12]
            assert (low[row], high[row]) == (inside[0], inside[-1])
            assert len(inside) == high[row] - low[row] + 1


@pytest.mark.parametrize("chance", [0.004, 0.05, 0.3, 0.5])
def test_predicted_counts_hold_the_other_count(chance: float) -> None:
    """The exact coverage over all pairs of counts of 60 and 90 trials."""
    low, high = predicted_counts(np.arange(61), np.full(61, 60), np.full(61, 90), confidence=0.95)
    other = stats.binom(90, chance)
    covered = other.cdf(high) - other.cdf(low - 1)
    coverage = float((stats.binom(60, chance).pmf(np.arange(61)) * covered).sum())
    assert coverage >= 0.95
    assert coverage < 0.99 or chance < 0.1
