"""The tests of Figure 6 beside nbyk's own: against enumeration, scipy and the sampler of the papers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk.data.responses import response_set
from nbyk.metrics import get
from nbyk.planning.power.battery import SimulatedSets
from nbyk.planning.power.estimate import rejections
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import observed_effects, resampled_effects
from nbyk.testing.looks import looks
from nbyk_papers.homan2025 import power_study
from nbyk_papers.homan2025.power_study import StudyTest, counts_of, errors_of

TOXICITY = published_prior("toxicity")
MAE = get("mae")


def population(n: int, k: int = 3, epsilon: float = 0.2) -> Population:
    return Population(TOXICITY, n, k, epsilon)


@pytest.mark.parametrize("name", ["multistage_bootstrap", "paired_permutation", "unpaired_permutation"])
def test_stopping_early_decides_as_all_draws_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = name == "multistage_bootstrap"
    n_sets, m = (64, 1024) if slow else (320, 2000)
    sizes = population(30 if slow else 60)
    decided = rejections([StudyTest(name, m)], sizes, n_sets, threads=2)[0]
    monkeypatch.setattr(power_study, "looks", lambda m, critical, **_: looks(m, critical, first=m))
    whole = rejections([StudyTest(name, m)], sizes, n_sets, threads=2)[0]
    np.testing.assert_array_equal(decided[0], whole[0])
    assert set(whole[1]) == {float(m)}
    assert decided[1].mean() < 0.9 * m
    assert 0 < decided[0].sum() < n_sets


def test_errors_from_counts_are_those_of_the_contributions() -> None:
    sets = SimulatedSets(population(20), 3, 7, 0)
    a, b = errors_of(sets)
    np.testing.assert_allclose(b - a, sets.contributions(MAE), atol=1e-11)


@pytest.mark.parametrize(
    ("k", "shares"), [(1, [0.2, 0.8]), (5, [0.4, 0.0, 0.2, 0.0, 0.4]), (12, [0.25, 0.5, 0.25])]
)
def test_tables_of_sums_hold_the_exact_chances(k: int, shares: list[float]) -> None:
    n_responses, n_levels = 20, len(shares)
    counts = np.round(np.array(shares) * n_responses)
    at_least = np.cumsum(counts[::-1])[::-1][1:, None].astype(np.int32)
    table = np.empty((1, k * (n_levels - 1) + 1), np.uint64)
    power_study.fill_sum_tables(at_least, n_responses, k, table)
    stay, other = (table[0] >> np.uint64(32)) / 2.0**32, (table[0] & np.uint64(0xFFFFFFFF)).astype(int)
    chances = stay / table.size
    np.add.at(chances, other, (1.0 - stay) / table.size)
    expected = np.ones(1)
    for _ in range(k):
        expected = np.convolve(expected, counts / n_responses)
    np.testing.assert_allclose(chances, expected, atol=1e-8)


def test_the_compiled_multistage_bootstrap_has_the_null_of_the_sampler() -> None:
    """Its decisions at levels two standard errors to either side of p enclose the p of resampled effects."""
    sets = SimulatedSets(population(25, 4, 0.5), 0, 6, 2)
    (_, counts), *_ = counts_of(sets)
    values = TOXICITY.response.values
    m, agree = 4000, 0
    for r in range(6):
        gold, a, b = (responses_of(c[:, r], 4, values) for c in (counts.gold, counts.a, counts.b))
        data = response_set(gold, a, b)
        null = resampled_effects(
            data, MAE, sampler="bootstrap_items/sample(K)", null="pooled", n_resamples=m
        ).null[0]
        p = float((null >= observed_effects(data, MAE)[0] - 1e-12).mean())
        margin = 5.0 * np.sqrt(2.0 * max(p, 0.01) * (1.0 - p) / m)
        decisions = []
        for level in (p - margin, p + margin):
            if 0.0 < level < 1.0:
                test = StudyTest("multistage_bootstrap", m, level)
                decisions.append(test.rejections(sets)[r, 0] == (level > p))
        agree += all(decisions)
    assert agree == 6


def responses_of(at_least: np.ndarray, k: int, values: np.ndarray) -> np.ndarray:
    levels = (np.arange(k)[None, :, None] < at_least.T[:, None, :]).sum(axis=2)
    return values[levels]


def test_welch_and_wilcoxon_are_those_of_scipy() -> None:
    sets = SimulatedSets(population(40), 0, 30, 4)
    a, b = errors_of(sets)
    welch = StudyTest("welch_t", 99).rejections(sets)[:, 0]
    expected = [
        stats.ttest_ind(y, x, equal_var=False, alternative="greater").pvalue
        for x, y in zip(a, b, strict=True)
    ]
    np.testing.assert_array_equal(welch, np.array(expected) <= 0.05)
    difference = np.round(b - a, 12)
    p = [stats.wilcoxon(row, alternative="greater", method="asymptotic").pvalue for row in difference]
    wilcoxon = StudyTest("wilcoxon", 99).rejections(sets)[:, 0]
    np.testing.assert_array_equal(wilcoxon, np.array(p) <= 0.05)


def test_systems_with_equal_errors_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = SimulatedSets(population(30), 0, 4, 4)
    a, _ = errors_of(sets)
    monkeypatch.setattr(power_study, "errors_of", lambda _: (a, a))
    for name in ("welch_t", "wilcoxon"):
        assert not StudyTest(name, 99).rejections(sets)[:, 0].any()
