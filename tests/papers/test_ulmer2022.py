"""The study's published rates as data, its simulated scores, and error rates against theory.

Rates are of 4000 simulations; the bands hold 99.9 % of what a rate as stated gives. Seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from nbyk.errors import NbykError
from nbyk.studies.steps import Work
from nbyk.testing.scores.aso import aso_batch
from nbyk.testing.scores.facts import TESTS as BATTERY
from nbyk_papers.ulmer2022 import score_cells
from nbyk_papers.ulmer2022.design import (
    ASO,
    ASO_SIMULATIONS,
    DIFFERENCE,
    DISTRIBUTIONS,
    FURTHER_DISTRIBUTIONS,
    FURTHER_TESTS,
    SAMPLE_SIZES,
    SEMANTICS,
    TABLES,
    TESTS,
    THRESHOLDS,
    TYPE_1,
    TYPE_2,
    Setting,
    get_semantics,
    papers_settings,
    published_rates,
    settings,
)
from nbyk_papers.ulmer2022.score_cells import (
    MIXTURES,
    ScoreDistribution,
    distribution_named,
    simulated_scores,
)

Floats = NDArray[np.float64]

SIMULATIONS = 4000
FIVE, TEN, TWENTY = (Setting(TYPE_1, n, 0.0) for n in (5, 10, 20))
ALL = {(name, setting.error) for name in DISTRIBUTIONS for setting in papers_settings(name)}


def test_the_paper_has_1152_rates_of_whole_numbers_of_errors() -> None:
    table = published_rates()
    assert len(table) == 1152
    assert len(table.drop_duplicates(["table", "sample_size", "lead", "threshold", "test"])) == 1152
    assert set(table["test"]) == set(TESTS)
    assert set(table["threshold"]) == set(THRESHOLDS)
    assert table.groupby("table").size().to_dict() == {f"Table {n}": 144 for n in range(1, 9)}
    # Printed to three decimals, 500 simulations give even thousandths, and no rate is rounded.
    errors = table["published_rate"] * table["published_simulations"]
    np.testing.assert_allclose(errors, table["published_errors"], atol=1e-9)


def test_every_published_rate_is_of_a_setting_of_ours() -> None:
    columns = ["distribution", "error", "sample_size", "lead"]
    theirs = set(published_rates()[columns].itertuples(index=False, name=None))
    ours = {(name, *setting) for name in DISTRIBUTIONS for setting in papers_settings(name)}
    assert theirs == ours
    assert set(TABLES) == ALL


def test_tests_and_distributions_exist_under_their_names() -> None:
    assert {*TESTS, *FURTHER_TESTS} == {ASO, *BATTERY}
    for semantics in SEMANTICS.values():
        for name in (*DISTRIBUTIONS, *FURTHER_DISTRIBUTIONS):
            assert distribution_named(name, semantics).name
        assert set(semantics.options) <= set(BATTERY)
    with pytest.raises(NbykError, match="did you mean laplace"):
        distribution_named("laplac", SEMANTICS["published"])
    with pytest.raises(NbykError, match="did you mean published"):
        get_semantics("publishd")


def test_settings_have_type_two_errors_only_with_a_lead() -> None:
    assert settings([5, 7], None, [0.25]) == [FIVE, Setting(TYPE_1, 7, 0.0)]
    assert settings([7], 0.5, [0.25, 1]) == [
        Setting(TYPE_1, 7, 0.0),
        Setting(TYPE_2, 7, 0.5),
        Setting(DIFFERENCE, 5, 0.25),
        Setting(DIFFERENCE, 5, 1.0),
    ]


@pytest.mark.parametrize(
    "distribution", [*score_cells.DISTRIBUTIONS.values(), *MIXTURES.values()], ids=lambda each: each.name
)
def test_scores_have_the_density_that_is_drawn(distribution: ScoreDistribution) -> None:
    """20,000 scores of each system, Kolmogorov-Smirnov; A's mean is off by the lead, where it applies."""
    x = np.linspace(-60.0, 60.0, 240_001)
    cumulated = np.cumsum(distribution.density(x)) * (x[1] - x[0])
    assert cumulated[-1] == pytest.approx(1.0, abs=2e-3)
    a, b = simulated_scores(distribution, sample_size=20, lead=0.5, n_simulations=1000, seed=1)
    assert stats.kstest(b.ravel(), lambda score: np.interp(score, x, cumulated)).pvalue > 1e-3
    expected = 0.5 * distribution.weight
    assert abs(a.mean() - b.mean() - expected) < 4.0 * np.sqrt((a.var() + b.var()) / a.size)
    assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 4.5 / np.sqrt(a.size) + 0.8 * distribution.in_blocks


def test_the_mixture_as_run_has_its_components_in_blocks() -> None:
    """int(.7 n) scores of the wide component, then the others, so that pairs share their component."""
    for n, wide in ((5, 3), (10, 7), (15, 10), (20, 14)):
        _, b = simulated_scores(MIXTURES["as_run"], sample_size=n, lead=0.0, n_simulations=2000, seed=2)
        means, spreads = b.mean(axis=0), b.std(axis=0)
        np.testing.assert_allclose(means, [1.5] * wide + [-0.5] * (n - wide), atol=4.5 / 2000**0.5)
        np.testing.assert_allclose(spreads, [1.0] * wide + [0.25] * (n - wide), rtol=0.08)


def results(
    distribution: str,
    semantics: str,
    at: Sequence[Setting],
    tests: Sequence[str],
    *,
    threads: int = 1,
    **asked: int,
) -> pd.DataFrame:
    told: dict[str, Any] = {"distribution": distribution, "semantics": semantics, "at": at, "tests": tests}
    table, _ = score_cells.scores(**told, **asked, work=Work("test", threads))
    return table.to_pandas().astype({"error": str, "test": str})


@cache
def scores(
    distribution: str, semantics: str, setting: Setting, tests: Sequence[str], n_resamples: int = 199
) -> pd.DataFrame:
    many = {"n_simulations": SIMULATIONS, "aso_simulations": SIMULATIONS, "n_resamples": n_resamples}
    table = results(distribution, semantics, [setting], tests, **many, seed=5)
    return table.pivot(index="simulation", columns="test", values="score")


def assert_rate(score: pd.Series, threshold: float, expected: float, slack: float = 0.0) -> None:
    low, high = stats.binom.interval(0.999, len(score), expected)
    assert low - slack * len(score) <= (score <= threshold).sum() <= high + slack * len(score)


@pytest.mark.parametrize("distribution", ["normal", "laplace", "rayleigh", "normal_mixture"])
def test_exact_tests_of_five_scores_reject_as_often_as_they_can(distribution: str) -> None:
    """Of 2⁵ swaps one has p = 1/32, and of C(10, 5) deals by rank 12 have p at most 12/252."""
    tests = ("approximate_randomisation", "wilcoxon", "mann_whitney", "permutation")
    found = scores(distribution, "recommended", FIVE, tests)
    assert_rate(found["approximate_randomisation"], 0.05, 1 / 32)
    assert_rate(found["wilcoxon"], 0.05, 1 / 32)
    assert_rate(found["mann_whitney"], 0.05, 12 / 252)
    assert_rate(found["permutation"], 0.05, 12 / 252)
    assert_rate(found["approximate_randomisation"], 0.5, 16 / 32)
    assert_rate(found["wilcoxon"], 0.1, 3 / 32)


def test_drawn_swaps_hold_every_level_and_welchs_nearly() -> None:
    """(1 + count)/200 is uniform on its values; Welch's t of normals is exact to .001 where n = m."""
    found = scores("normal", "published", TEN, ("approximate_randomisation", "welch_t"))
    for level in (0.05, 0.2, 0.5):
        assert_rate(found["approximate_randomisation"], level + 1e-12, level)
        assert_rate(found["welch_t"], level, level, slack=0.001)


def test_blocks_make_unpaired_tests_timid_and_leave_paired_ones_exact() -> None:
    """What the mixture of the authors' program does, and that of the text does not (Table 4)."""
    tests = ("welch_t", "mann_whitney", "bootstrap", "approximate_randomisation")
    run, printed = (scores("normal_mixture", name, TWENTY, tests) for name in ("published", "recommended"))
    for test in tests[:3]:
        assert (run[test] <= 0.05).mean() < 0.02 < 0.04 < (printed[test] <= 0.05).mean() < 0.075
    for of in (run, printed):
        assert_rate(of["approximate_randomisation"], 0.05 + 1e-12, 0.05)


def test_a_run_with_fewer_simulations_has_the_first_of_a_longer_one() -> None:
    lead, tests = Setting(TYPE_2, 10, 0.5), (*TESTS, "permutation")
    few = {"n_simulations": 90, "aso_simulations": 70, "n_resamples": 99, "seed": 3}
    many = {**few, "n_simulations": 150, "aso_simulations": 150, "threads": 2}
    for semantics in SEMANTICS:
        small = results("normal_mixture", semantics, [lead], tests, **few)
        large = results("normal_mixture", semantics, [TWENTY, lead], tests, **many)
        both = small.merge(large, on=["error", "sample_size", "lead", "test", "simulation"])
        assert len(both) == len(small) == 90 * (len(tests) - 1) + 70
        assert (both["score_x"] == both["score_y"]).all()


def test_tests_with_one_semantics_have_one_number() -> None:
    published, recommended = (
        scores("normal", name, FIVE, ("aso", "welch_t", "bootstrap")) for name in ("published", "recommended")
    )
    assert (published[["aso", "welch_t"]] == recommended[["aso", "welch_t"]]).all(axis=None)
    np.testing.assert_allclose((1 + 199 * published["bootstrap"]) / 200, recommended["bootstrap"])


def grid_without_ends(a: Floats, b: Floats) -> Floats:
    """Return ratios on t = .005, .010, …, .995, the first left out of the numerator: the authors' program."""
    t = np.arange(0.005, 1, 0.005)
    at = [np.clip(np.ceil(x.shape[-1] * t).astype(int) - 1, 0, x.shape[-1] - 1) for x in (a, b)]
    difference = np.sort(b)[..., at[1]] - np.sort(a)[..., at[0]]
    violated = np.where(difference > 0.0, difference**2, 0.0)[..., 1:].sum(axis=-1)
    return violated / (difference**2).sum(axis=-1)


@pytest.mark.parametrize("n", SAMPLE_SIZES)
def test_the_authors_grid_hardly_moves_the_rates_of_aso(n: int) -> None:
    """On 300 pairs of normal samples, by less than the standard error of a rate of 500 simulations."""
    generator = np.random.default_rng(n)
    a, b = simulated_scores(
        score_cells.DISTRIBUTIONS["normal"], sample_size=n, lead=0.0, n_simulations=300, seed=7
    )
    bounds = np.empty(len(a))
    for row, (of_a, of_b) in enumerate(zip(a, b, strict=True)):
        resampled = (generator.choice(x, (500, n)) for x in (of_a, of_b))
        error = grid_without_ends(*resampled).std()
        bounds[row] = np.clip(grid_without_ends(of_a, of_b) + 1.6448536269514722 * error, 0.0, 1.0)
    exact = aso_batch(a, b, n_resamples=2000)
    for threshold in THRESHOLDS:
        moved = (bounds <= threshold).mean() - (exact <= threshold).mean()
        assert abs(moved) < np.sqrt(0.25 / ASO_SIMULATIONS)
