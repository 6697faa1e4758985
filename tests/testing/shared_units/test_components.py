"""Variance components: textbook analysis of variance, a published table, and statsmodels' robust errors."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from nbyk.metrics import get
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.components import less_explained
from tests.oracles.d_study import projected_variance

# Shrout and Fleiss 1979, Intraclass correlations, Table 2: six persons, four judges; mean squares of Table 3.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)


def of_a_alone(values: np.ndarray, **options):
    """Return the test of the mean of A's ratings; B's are 0 and have no units."""
    units = np.tile(np.arange(values.shape[1]), (len(values), 1))
    data = responses(values, np.zeros((len(values), 1)), a_units=units, **options)
    return shared_units_test(get("mean"), data)


def test_mean_squares_of_a_published_table():
    test = of_a_alone(SHROUT_FLEISS)
    n, j = SHROUT_FLEISS.shape
    judges = test.sources["runs of A"]
    assert round(test.items.total * n * j, 2) == 11.24
    assert round(judges.total * n * j, 2) == 32.49
    assert round(judges.within * n * j, 2) == 1.02
    assert test.items.df == n - 1
    assert judges.df == pytest.approx(j - 1, rel=0.01)  # less the little by which judges' noise differs


@pytest.mark.parametrize(("n", "j"), [(12, 3), (40, 5), (9, 8)])
def test_balanced_data_give_the_analysis_of_variance(n: int, j: int):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, 1)) + rng.normal(size=j) + rng.normal(size=(n, j))
    rows, columns, whole = x.mean(1, keepdims=True), x.mean(0), x.mean()
    items = j * np.sum((rows - whole) ** 2) / (n - 1)
    units = n * np.sum((columns - whole) ** 2) / (j - 1)
    residual = np.sum((x - rows - columns + whole) ** 2) / ((n - 1) * (j - 1))
    test = of_a_alone(x)
    part = test.sources["runs of A"]
    assert test.effect == pytest.approx(whole, rel=1e-12)
    assert test.items.total == pytest.approx(items / (n * j), rel=1e-10)
    assert part.total == pytest.approx(units / (n * j), rel=1e-10)
    assert part.within == pytest.approx(residual / (n * j), rel=1e-10)
    assert part.between == pytest.approx((units - residual) / (n * j), rel=1e-9)
    assert test.stretch == pytest.approx(1.0)


@pytest.mark.parametrize("per_item", [2, 3, 6])
def test_parts_are_true_where_some_of_the_raters_rate_an_item(per_item: int):
    """The mean of 400 sets of 60 items by K of 6 raters; the standard errors are below 2 %."""
    rng = np.random.default_rng(per_item)
    n, raters, sd_item, sd_noise = 60, 6, 0.5, 1.0
    found = np.zeros(3)
    for _ in range(400):
        who = np.argsort(rng.random((n, raters)), axis=1)[:, :per_item]
        x = rng.normal(0.0, sd_item, (n, 1)) + rng.normal(0.0, 0.3, raters)[who]
        x += rng.normal(0.0, sd_noise, who.shape)
        data = responses(x, np.zeros((n, 1)), a_units=who)
        found += [part.variance for part in shared_units_test(get("mean"), data, weighted=False).parts]
    items, of_raters, single = found / 400
    # which raters an item has counts as the item's
    truth = (sd_item**2 + 0.09 * (1.0 / per_item - 1.0 / raters)) / n
    assert items == pytest.approx(truth, rel=0.08)
    assert of_raters == pytest.approx(0.09 / raters, rel=0.1)
    assert single == pytest.approx(sd_noise**2 / (n * per_item), rel=0.04)


def test_robust_errors_are_those_of_statsmodels():
    rng = np.random.default_rng(3)
    n, j = 30, 6
    x = rng.normal(size=(n, 1)) + rng.normal(size=j) + rng.normal(size=(n, j))
    item, unit = (index.ravel() for index in np.indices(x.shape))
    fitted = sm.OLS(x.ravel(), np.ones(x.size)).fit()
    test = of_a_alone(x)
    part = test.sources["runs of A"]
    for groups, variance in ((item, test.items.total), (unit, part.total)):
        robust = sm.OLS(x.ravel(), np.ones(x.size)).fit(cov_type="cluster", cov_kwds={"groups": groups})
        assert np.sqrt(variance) == pytest.approx(robust.bse[0], rel=1e-10)
    # statsmodels subtracts the squares of all residuals, we those of two-way residuals
    size = n * j
    squares = (n - 1) * size * test.items.total + (j - 1) * size * part.total
    squares += (n - 1) * (j - 1) * size * part.within
    two_way = test.items.total + part.total - squares / size / (size - 1)
    assert two_way == pytest.approx(cov_cluster_2groups(fitted, item, unit)[0][0, 0], rel=1e-10)


def test_clusters_of_one_size_are_those_of_statsmodels():
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(8), 5)
    effects = rng.normal(size=8)[clusters] + rng.normal(size=40)
    data = responses(effects[:, None], np.zeros((40, 1)), clusters=clusters)
    test = shared_units_test(get("mean"), data)
    robust = sm.OLS(effects, np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    assert np.sqrt(test.variance) == pytest.approx(robust.bse[0], rel=1e-10)
    assert test.df == pytest.approx(7)


def test_components_are_unbiased_where_raters_rate_some_items():
    """3 of 8 raters, unequal loads: the mean of T − W is the variance that severities give the effect."""
    rng = np.random.default_rng(5)
    n, j, k, sd = 60, 8, 3, 0.5
    units = np.argsort(rng.exponential(size=(n, j)) * np.arange(1, j + 1), axis=1)[:, :k]
    loads = np.bincount(units.ravel(), minlength=j) / (n * k)
    found = []
    for _ in range(600):
        x = rng.normal(size=(n, 1)) + sd * rng.normal(size=j)[units] + rng.normal(size=(n, k))
        data = responses(x, np.zeros((n, 1)), a_units=units)
        found.append(shared_units_test(get("mean"), data, weighted=False).sources["runs of A"].between)
    expected = sd**2 * np.sum(loads**2)
    assert abs(np.mean(found) - expected) < 3.5 * np.std(found) / np.sqrt(len(found))


def test_variance_at_other_numbers():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(50, 1)) + 2.0 * rng.normal(size=6) + rng.normal(size=(50, 6))
    test = of_a_alone(x)
    part = test.sources["runs of A"]
    assert part.between > 0
    assert projected_variance(test) == pytest.approx(test.variance)
    # with ever more items, the units' own variance stays
    assert projected_variance(test, items=10**9) == pytest.approx(part.between, rel=1e-6)
    assert projected_variance(test, items=10**9, units={"runs of A": 12}) == pytest.approx(
        part.between / 2, rel=1e-6
    )


def test_intervals_of_components_cover():
    rng = np.random.default_rng(7)
    covered = []
    for _ in range(400):
        x = rng.normal(size=(40, 1)) + rng.normal(size=6) + rng.normal(size=(40, 6))
        part = of_a_alone(x).sources["runs of A"]
        _, low, high = less_explained(part.total, part.df, part.within, 0.9)
        covered.append(low <= 1.0 / 6.0 <= high)
        _, low, high = less_explained(part.within, part.within_df, 0.0, 0.9)
        covered.append(low <= 1.0 / 240.0 <= high)
    assert np.mean(covered) == pytest.approx(0.9, abs=0.045)


def test_parts_are_those_of_the_analysis_of_variance_and_add_up():
    rng = np.random.default_rng(8)
    n, j = 30, 7
    x = rng.normal(size=(n, 1)) + 2.0 * rng.normal(size=j) + 0.5 * rng.normal(size=(n, j))
    test = of_a_alone(x)
    rows, columns = x.mean(axis=1, keepdims=True), x.mean(axis=0)
    residual = np.sum((x - rows - columns + x.mean()) ** 2) / ((n - 1) * (j - 1))
    of_items, of_units = j * rows.var(ddof=1), n * columns.var(ddof=1)
    expected = {
        "items": (of_items - residual) / j / n,
        "runs of A": (of_units - residual) / n / j,
        "runs of A × items": residual / (n * j),
    }
    assert {part.source: part.variance for part in test.parts} == pytest.approx(expected)
    assert sum(part.variance for part in test.parts) == pytest.approx(test.variance)
    assert sum(part.share for part in test.parts) == pytest.approx(1.0)
    assert all(part.low <= part.variance <= part.high for part in test.parts)


def test_a_part_that_is_estimated_as_negative_is_0_and_its_interval_begins_there():
    rng = np.random.default_rng(11)
    x = rng.normal(size=(50, 6))
    x += x.mean() - x.mean(axis=0)  # units that are all alike
    part = next(part for part in of_a_alone(x).parts if part.source == "runs of A")
    assert (part.variance, part.share, part.low) == (0.0, 0.0, 0.0)


def test_intervals_of_parts_cover():
    """400 sets at 95 %: a standard error of .011."""
    rng = np.random.default_rng(12)
    covered = []
    for _ in range(400):
        x = rng.normal(size=(40, 1)) + 0.5 * rng.normal(size=6) + rng.normal(size=(40, 6))
        parts = {part.source: part for part in of_a_alone(x).parts}
        true = {"items": 1.0 / 40, "runs of A": 0.25 / 6, "runs of A × items": 1.0 / 240}
        covered.append([parts[source].low <= true[source] <= parts[source].high for source in true])
    assert np.mean(covered, axis=0) == pytest.approx([0.95] * 3, abs=0.04)


def test_the_parts_of_the_test_have_intervals_only_where_they_hold():
    """See `benchmarks/shared_units/parts.py`."""
    rng = np.random.default_rng(13)
    gold, a, b = (rng.normal(size=(60, 1)) + 0.3 * rng.normal(size=(60, 6)) for _ in range(3))
    units = np.tile(np.arange(6), (60, 1))
    data = responses(a, b, gold=gold, a_units=units, b_units=units, gold_units=units)
    shown = {
        name: shared_units_test(get(name), data).parts
        for name in ("mean", "mae", "spearman", "accuracy(threshold=0)", "wins_mae", "max_error")
    }
    with_interval = {
        name: {part.source for part in parts if not math.isnan(part.low)} for name, parts in shown.items()
    }
    assert with_interval["mean"] == {part.source for part in shown["mean"]}
    assert with_interval["mae"] == with_interval["spearman"] == {"raters", "runs of A", "runs of B"}
    for name in ("accuracy(threshold=0)", "wins_mae", "max_error"):
        assert all(math.isnan(number) for part in shown[name] for number in astuple(part)[1:])


def test_clusters_and_raters_together_are_those_of_statsmodels():
    """Six raters on all items of nine clusters of four: the two-way robust variance by cluster and rater."""
    rng = np.random.default_rng(9)
    n, j, n_clusters = 36, 6, 9
    clusters = np.repeat(np.arange(n_clusters), 4)
    x = rng.normal(size=n_clusters)[clusters][:, None] + rng.normal(size=j) + rng.normal(size=(n, j))
    of_response = np.repeat(clusters, j)
    unit = np.tile(np.arange(j), n)
    fitted = sm.OLS(x.ravel(), np.ones(x.size)).fit()
    test = of_a_alone(x, clusters=clusters)
    part = test.sources["runs of A"]
    robust = [
        np.sqrt(cov_cluster_2groups(fitted, of_response, unit)[place][0, 0]) for place in (1, 2)
    ]  # by cluster alone, by rater alone
    assert np.sqrt(test.items.total) == pytest.approx(robust[0], rel=1e-10)
    assert np.sqrt(part.total) == pytest.approx(robust[1], rel=1e-10)
    # Means of four items of a rater are the cells: on them, ours and statsmodels' two-way variances differ by
    # the residuals' squares alone, as they do without clusters.
    cells = x.reshape(n_clusters, 4, j).mean(axis=1)
    of_cells = of_a_alone(cells)
    assert test.items.total == pytest.approx(of_cells.items.total, rel=1e-10)
    assert part.within == pytest.approx(of_cells.sources["runs of A"].within, rel=1e-10)
    assert test.variance == pytest.approx(of_cells.variance, rel=1e-10)
