"""A χ² test of draws against an exactly known discrete distribution."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import stats


def assert_drawn_from(draws: np.ndarray, distribution: Mapping[float, float]) -> None:
    """χ² test of draws against exact probabilities, outcomes expected fewer than five times pooled."""
    outcomes = np.array(sorted(distribution))
    probabilities = np.array([float(distribution[outcome]) for outcome in outcomes])
    nearest = np.searchsorted(outcomes, draws - 1e-7)
    assert nearest.max() < len(outcomes), "an effect was drawn that no resample has"
    np.testing.assert_allclose(outcomes[nearest], draws, atol=1e-7)
    observed = np.bincount(nearest, minlength=len(outcomes))
    order = np.argsort(probabilities)
    group = np.floor(np.cumsum(probabilities[order]) * len(draws) / 5.0).astype(int)
    expected = np.bincount(group, probabilities[order] * len(draws))
    counted = np.bincount(group, observed[order])
    kept = expected > 0
    expected, counted = expected[kept], counted[kept]
    if len(expected) > 1 and expected[-1] < 5:
        expected = np.append(expected[:-2], expected[-2:].sum())
        counted = np.append(counted[:-2], counted[-2:].sum())
    if len(expected) > 1:
        assert stats.chisquare(counted, expected * counted.sum() / expected.sum()).pvalue > 1e-4
