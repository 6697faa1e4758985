"""Agreement of two Monte-Carlo p-values: z and χ² have their stated distributions when nothing differs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk.inference.agreement import chi_square, pooled_variances
from nbyk.inference.pvalues import expected_p


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
