"""Quantiles of many shares by the compiled steps are those of few shares, and scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk.priors.curves import beta_quantile, truncated_normal_quantile

EXTREME = (2.0**-53, 1e-15, 0.25, 0.5, np.nextafter(0.5, 1.0), 1.0 - 2.0**-53)


def shares(n: int) -> np.ndarray:
    return np.concatenate([EXTREME, np.random.default_rng(1).random(n)])


@pytest.mark.parametrize(("a", "b"), [(1.9, 2.1), (0.05, 3.0), (200.0, 1.0), (0.5, 0.5), (1e-3, 1e3)])
def test_many_beta_quantiles_are_those_of_few(a: float, b: float) -> None:
    u = shares(6000)
    many = beta_quantile(u, a, b)
    few = np.concatenate([beta_quantile(part, a, b) for part in np.array_split(u, 6)])
    np.testing.assert_array_equal(many, few)
    np.testing.assert_array_equal(beta_quantile(u[::-1].reshape(-1, 2), a, b).ravel(), many[::-1])
    np.testing.assert_allclose(many, stats.beta.ppf(u, a, b), rtol=1e-7, atol=1e-8)


def test_many_truncated_normal_quantiles_are_those_of_few() -> None:
    u = shares(6000)
    many = truncated_normal_quantile(u, 0.3, 0.4, 0.0, 1.0)
    few = [truncated_normal_quantile(part, 0.3, 0.4, 0.0, 1.0) for part in np.array_split(u, 6)]
    np.testing.assert_allclose(many, np.concatenate(few), rtol=1e-12, atol=1e-15)
