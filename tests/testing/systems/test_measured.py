"""What `nbyk.compare` says where a test was measured, or is bound, not to hold its level."""

from __future__ import annotations

import numpy as np
import pytest

import nbyk
from nbyk.resampling.samplers import NULLS
from nbyk.testing.pvalues import attained_level
from nbyk.testing.systems.cautions import PERCENTILE, measured, nearest_measured

TOXICITY, SIMULATED = nbyk.published_prior("toxicity"), nbyk.published_prior("simulated")


def warnings(data: nbyk.ResponseSet, **options: object) -> str:
    options = {"n_resamples": 999, "max_resamples": 999} | options
    return "\n".join(nbyk.compare(data, **options).warnings)  # type: ignore[arg-type]


def test_every_test_is_measured_by_every_metric_at_every_size() -> None:
    table = measured()
    assert {row.test for row in table} == {*NULLS, PERCENTILE}
    cells = {(row.metric, row.n_items, row.k_responses) for row in table}
    assert len(table) == len(cells) * (len(NULLS) + 1)
    assert all(0.0 <= row.rate <= 1.0 and 0.05 < row.bound < 0.1 for row in table)


def test_the_nearest_size_counts_responses_first() -> None:
    sizes = {(row.n_items, row.k_responses) for row in measured()}
    for size in sizes:
        found = nearest_measured("shifted", "mae", *size)
        assert found is not None
        assert (found.n_items, found.k_responses) == size
    few, many = (nearest_measured("shifted", "mae", n, k) for n, k in ((5, 1.2), (10**6, 40.0)))
    assert few is not None
    assert many is not None
    assert (few.n_items, few.k_responses) == (min(n for n, k in sizes if k == 1), 1)
    assert (many.n_items, many.k_responses) == (max(n for n, k in sizes if k > 1), max(k for _, k in sizes))
    assert nearest_measured("shifted", "mean", 50, 1) is None


def test_the_default_is_never_said_to_reject_too_often() -> None:
    assert not any(row.too_often for row in measured() if row.test == "swap_items")


@pytest.mark.parametrize(
    ("null", "metric"), [("shifted", "max_error"), ("permutation", "mae"), ("pooled", "spearman")]
)
def test_a_test_that_rejects_too_often_says_so(null: str, metric: str) -> None:
    data = nbyk.simulate(nbyk.Population(SIMULATED, 50, 5, 0.1), seed=1)
    row = nearest_measured(null, metric, 50, 5)
    assert row is not None
    said = (
        f"{null} rejects too often on {metric}: it rejected for up to {row.rate:.2g} of equally good systems "
        "at α = 0.05"
    )
    assert said in warnings(data, metric=metric, null=null)
    assert "rejects too often" not in warnings(data, metric=metric)


def test_an_interval_that_is_too_narrow_says_so() -> None:
    data = nbyk.simulate(nbyk.Population(TOXICITY, 50, 5, 0.1), seed=1)
    assert "percentile intervals of rmse are too narrow" in warnings(data, metric="rmse")
    assert "too narrow" not in warnings(data)


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


def test_ties_leave_on_average_the_rate_that_was_measured() -> None:
    """Binary, 50 × 1, strong null: .011 of 1000 sets; the mean of 150 levels has an error of .001."""
    prior, levels = nbyk.published_prior("hs_brexit"), []
    for index in range(150):
        data = nbyk.simulate(nbyk.Population(prior, 50, 1, 0.0), seed=2, index=index)
        result = nbyk.compare(data, n_resamples=999, max_resamples=999)
        levels.append(attained_level(result.effect, result.pair.drawn.null, 0.05, alternative="two-sided"))
    assert np.std(levels) / 150**0.5 < 0.0013
    assert np.mean(levels) == pytest.approx(0.011, abs=4 * (0.0033**2 + 0.0013**2) ** 0.5)
