"""How often each test rejects when A and B are equally good, against what theory says it should.

20,000 simulated pairs of samples per test and a band of 99.9 %: ±.0051 about .05. Seeds are fixed.
"""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from nbyk.testing.scores.aso import aso_batch
from nbyk.testing.scores.battery import p_values

pytestmark = pytest.mark.statistics

SIMULATIONS = 20_000
ALPHA = 0.05
Floats = NDArray[np.float64]


def samples(n: int, m: int, key: int) -> tuple[Floats, Floats]:
    """Pairs of exponential samples, so that no test owes its level to normality."""
    generator = np.random.default_rng([11, key])
    return generator.exponential(size=(SIMULATIONS, n)), generator.exponential(size=(SIMULATIONS, m))


def assert_rate(p: Floats, expected: float, slack: float = 0.0) -> None:
    low, high = stats.binom.interval(0.999, len(p), expected)
    assert low - slack * len(p) <= (p <= ALPHA).sum() <= high + slack * len(p)


def attained(null: list[float]) -> float:
    """Return the size of an exact test at level α: how much of its null has a p-value of at most α."""
    values = np.array(null)
    p = np.array([(values >= value).mean() for value in values])
    return float((p <= ALPHA).mean())


def test_exact_permutation_and_randomisation() -> None:
    assert_rate(p_values("permutation", *samples(7, 6, 1)), np.floor(ALPHA * 1716) / 1716)
    assert_rate(p_values("approximate_randomisation", *samples(8, 8, 2)), np.floor(ALPHA * 256) / 256)


@pytest.mark.parametrize("test", ["permutation", "approximate_randomisation"])
def test_drawn_nulls_are_exact_at_every_level(test: str) -> None:
    """(1 + count)/(1 + 199) is uniform on its 200 values: at .01, .05 and .5 alike."""
    p = p_values(test, *samples(20, 20, 3), n_resamples=199, exact_up_to=0)
    for level in (0.01, 0.05, 0.5):
        low, high = stats.binom.interval(0.999, SIMULATIONS, level)
        assert low <= (p <= level + 1e-12).sum() <= high


def test_ranks() -> None:
    signed = [float(np.dot(signs, range(1, 9))) for signs in product((0, 1), repeat=8)]
    assert_rate(p_values("wilcoxon", *samples(8, 8, 4), alternative="greater"), attained(signed))
    ranked = [float(sum(chosen)) for chosen in combinations(range(12), 6)]
    assert_rate(p_values("mann_whitney", *samples(6, 6, 5), alternative="greater"), attained(ranked))


def normals(n: int, m: int, sd: float, key: int) -> tuple[Floats, Floats]:
    generator = np.random.default_rng([12, key])
    return generator.normal(0, 1, (SIMULATIONS, n)), generator.normal(0, sd, (SIMULATIONS, m))


def test_welch_holds_its_level_under_unequal_variances() -> None:
    """Welch's approximation is good to .001 at these sizes, where the pooled t is off by .04."""
    a, b = normals(10, 25, 3.0, 1)
    assert_rate(p_values("welch_t", a, b), ALPHA, slack=0.001)
    pooled = stats.ttest_ind(a, b, axis=1, alternative="greater").pvalue
    with pytest.raises(AssertionError):
        assert_rate(pooled, ALPHA, slack=0.001)


def test_the_bootstrap_is_as_liberal_as_its_variance_is_small() -> None:
    """δ* is nearly N(δ, (n − 1)/n times the usual variance): it rejects where t exceeds z √((n − 1)/n).

    The normal is good to .002 at n = 20; the nominal level itself lies outside the band.
    """
    n, border = 20, stats.norm.ppf(0.95) * np.sqrt(19 / 20)
    a, b = normals(n, n, 1.0, 2)
    for paired, df in ((False, 2 * n - 2), (True, n - 1)):
        p = p_values("paired_bootstrap" if paired else "bootstrap", a, b, n_resamples=999)
        assert_rate(p, stats.t.sf(border, df), slack=0.002)
        with pytest.raises(AssertionError):
            assert_rate(p, ALPHA, slack=0.001)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (2, 4)])
def test_few_scores_give_a_bound_of_zero_as_often_as_the_warning_says(n: int, m: int) -> None:
    """eps_min is 0 where all of A's scores are above all of B's: once in C(n + m, n), at any confidence."""
    a, b = samples(n, m, 7)
    bounds = aso_batch(a, b, n_resamples=50, confidence_level=0.999).eps_min
    assert_rate(np.where(bounds == 0.0, 0.0, 1.0), 1.0 / math.comb(n + m, n))


@pytest.mark.parametrize("paired", [False, True])
def test_the_least_p_value_is_met_as_often_as_it_says(paired: bool) -> None:
    """Where p can be no smaller than its level, exact tests still reject at that level that often."""
    a, b = samples(4, 4, 8)
    p = (
        p_values("approximate_randomisation", a, b, alternative="greater")
        if paired
        else p_values("permutation", a, b, alternative="greater")
    )
    least = 1 / 16 if paired else 1 / 70
    assert p.min() == pytest.approx(least)
    low, high = stats.binom.interval(0.999, SIMULATIONS, least)
    assert low <= (p <= least + 1e-12).sum() <= high
