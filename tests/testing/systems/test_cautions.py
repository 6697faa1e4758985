"""What `nbyk.compare` says where a test is bound not to hold its level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

import nbyk
from nbyk.testing.pvalues import attained_level

SIMULATED = nbyk.published_prior("simulated")


def warnings(data: nbyk.ResponseSet, **options: object) -> str:
    options = {"n_resamples": 999, "max_resamples": 999} | options
    return "\n".join(nbyk.compare(data, **options).warnings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("null", "metric", "said"),
    [
        (
            "shifted",
            "max_error",
            "null shifted may reject too often on max_error",
        ),
        ("permutation", "mae", "the test may reject for two systems that differ but are equally good"),
        ("pooled", "spearman", "the test may reject for two systems that differ but are equally good"),
    ],
)
def test_a_null_that_does_not_hold_its_level_says_so(null: str, metric: str, said: str) -> None:
    data = nbyk.simulate(nbyk.Population(SIMULATED, 50, 5, 0.1), seed=1)
    assert said in warnings(data, metric=metric, null=null)
    assert "may reject" not in warnings(data, metric=metric)
    assert "may reject" not in warnings(data, null="shifted")


@pytest.mark.parametrize(
    ("metric", "n_items", "said"),
    [
        (
            "max_error",
            50,
            "max_error depends on single items, so do not rely on its bootstrapped intervals: ",
        ),
        ("max_error", 200, "missed the true effect in up to .14 of cases"),
        (
            "spearman",
            50,
            "spearman goes by ranks, and its bootstrapped intervals are too narrow below about 100",
        ),
        ("auc(threshold=0.3)", 99, "missed the true effect in up to .12 of cases"),
        ("spearman", 100, ""),
        ("mse", 50, ""),
        ("mae", 50, ""),
    ],
)
def test_bootstrapped_intervals_that_are_too_narrow_say_so_by_what_the_metric_is(
    metric: str, n_items: int, said: str
) -> None:
    told = warnings(nbyk.simulate(nbyk.Population(SIMULATED, n_items, 1, 0.3), seed=1), metric=metric)
    assert said in told
    assert ("missed the true effect" in told) is bool(said)


def test_ties_that_keep_an_exact_test_from_its_level_are_said() -> None:
    """Of twelve items on which A and B differ by one, sums of ± 1 reach 8 or more with chance 158/4096."""
    gold = np.zeros(12)
    a = np.repeat([0.0, 1.0], [3, 9])
    said = (
        "mae takes few values on these data: because of ties, the test rejects no more than 0.039 of equally"
    )
    assert said in warnings(nbyk.response_set(gold, a, 1.0 - a), n_resamples=9_999)
    continuous = nbyk.simulate(nbyk.Population(SIMULATED, 50, 5, 0.1), seed=1)
    assert "because of ties" not in warnings(continuous)
    alike = nbyk.response_set(gold, a, np.where(np.arange(12) < 4, 1.0 - a, a))
    assert "because of ties, the test rejects none of the equally good systems" in warnings(
        alike, n_resamples=9_999
    )
    few_draws = nbyk.response_set(gold, a, 1.0 - a)
    assert "because of ties" not in warnings(few_draws, n_resamples=9, max_resamples=9)


def test_ties_of_so_many_items_that_their_least_p_rounds_to_0_are_said() -> None:
    """McNemar's p of 3 against 9 items, whatever the other 1188 are; before, a division by 0."""
    a, b = np.zeros((2, 1200))
    a[:3], b[3:12] = 1.0, 1.0
    found = nbyk.compare(np.zeros(1200), a, b, n_resamples=999)
    assert found.p == pytest.approx(binomtest(3, 12).pvalue)
    assert any("because of ties" in text for text in found.warnings)


def test_ties_leave_on_average_the_rate_that_was_measured() -> None:
    """Binary, 50 × 1, strong null: .011 of 1000 sets; the mean of 150 levels has an error of .001."""
    prior, levels = nbyk.published_prior("hs_brexit"), []
    for index in range(150):
        data = nbyk.simulate(nbyk.Population(prior, 50, 1, 0.0), seed=2, index=index)
        result = nbyk.compare(data, n_resamples=999, max_resamples=999)
        levels.append(attained_level(result.effect, result.pair.drawn.null, 0.05, alternative="two-sided"))
    assert np.std(levels) / 150**0.5 < 0.0013
    assert np.mean(levels) == pytest.approx(0.011, abs=4 * (0.0033**2 + 0.0013**2) ** 0.5)
