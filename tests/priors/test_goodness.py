"""Distances between a family and values, against scipy and brute force."""

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.priors.families import Clamped, Constant, Mixture, Normal, Uniform, open_uniforms
from nbyk.priors.goodness import (
    ReferenceSample,
    bar_probabilities,
    histogram_counts,
    histogram_mae,
    ks_distance,
)

RNG = np.random.default_rng(11)


def test_ks_of_a_continuous_family_is_scipys():
    values = RNG.normal(0.5, 0.2, 200)
    expected = stats.kstest(values, stats.norm(0.4, 0.2).cdf).statistic
    assert ks_distance(Normal(0.4, 0.2), values) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("family", "values"),
    [
        (Clamped(Normal(0.1, 0.3), 0, 0.8), np.clip(RNG.normal(0.2, 0.3, 300), 0, 0.8)),
        (Clamped(Normal(0.1, 0.3), 0, 0.8), RNG.uniform(0.1, 0.7, 50)),
        (Mixture((0.5, 0.5), (Constant(0.5), Uniform(0, 1))), np.repeat([0.2, 0.5, 0.7], [3, 9, 4])),
        (Uniform(0, 1), np.round(RNG.random(100), 1)),
    ],
)
def test_ks_with_atoms_and_ties_is_the_supremum(family, values):
    # Atoms and ties are where they are; on either side of each, and everywhere on a fine grid, look.
    places = np.concatenate([values, [value for value, _ in family.atoms]])
    grid = np.concatenate([np.linspace(-0.5, 1.5, 20_001), places, places - 1e-9, places + 1e-9])
    empirical = (values[:, np.newaxis] <= grid).mean(axis=0)
    brute = np.abs(empirical - family.cdf(grid)).max()
    assert ks_distance(family, values) == pytest.approx(brute, abs=1e-6)


def test_ks_is_zero_for_the_same_atom():
    assert ks_distance(Constant(0.3), [0.3, 0.3]) == 0
    assert ks_distance(Constant(0.3), [0.3, 0.4]) == 0.5
    assert ks_distance(Constant(0.3), [0.4, 0.4]) == 1
    with pytest.raises(NbykError, match="no values"):
        ks_distance(Constant(0.3), [])


@pytest.mark.parametrize("decimals", [1, 6])
def test_two_sample_ks_is_scipys(decimals):
    first, second = (np.round(RNG.random(size), decimals) for size in (37, 150))
    expected = stats.ks_2samp(first, second).statistic
    assert ReferenceSample.of(second).ks_distance(first) == pytest.approx(expected, abs=1e-14)
    assert ReferenceSample.of(first).ks_distance(second) == pytest.approx(expected, abs=1e-14)


def test_bars_take_values_that_are_off_an_edge_by_rounding():
    # 0.1 + 0.2 and 0.7 − 0.1 miss the edges 6/20 and 12/20 by one unit in the last place, on either side.
    values = [0.1 + 0.2, 0.3, 0.7 - 0.1, 0.6, 1.0, 1 + 1e-12, 0.0, -0.2, 1.2]
    counts = histogram_counts(values)
    assert {bar: count for bar, count in enumerate(counts) if count} == {0: 1, 6: 2, 12: 2, 19: 2}


def test_bar_probabilities_count_atoms_in_the_bar_they_open():
    family = Clamped(Normal(0.4, 0.3), 0, 0.8)
    bars = bar_probabilities(family)
    norm = stats.norm(0.4, 0.3)
    assert bars.sum() == pytest.approx(1)
    assert bars[0] == pytest.approx(norm.cdf(0.05))
    assert bars[16] == pytest.approx(norm.sf(0.8))
    assert bars[15] == pytest.approx(norm.cdf(0.8) - norm.cdf(0.75))
    assert bar_probabilities(Clamped(Normal(0.4, 0.3), 0, 1))[-1] == pytest.approx(norm.sf(0.95))


def test_bars_and_counts_agree_on_a_large_sample():
    family, n = Clamped(Normal(0.4, 0.3), 0, 0.8), 100_000
    values = family.draw(open_uniforms(np.random.default_rng(2), (n, 1)))
    expected = n * bar_probabilities(family)
    counts = histogram_counts(values)
    assert stats.chisquare(counts[expected > 0], expected[expected > 0]).pvalue > 0.001
    assert histogram_mae(family, values) == pytest.approx(np.abs(counts - expected).mean())


def test_refuses_a_histogram_without_bars():
    with pytest.raises(NbykError, match="bins is 0"):
        histogram_counts([0.5], 0)
