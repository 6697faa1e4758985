"""Weights by precision: the crossed model against whole covariance matrices, and analysis of variance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.stats import t as student

from nbyk.metrics import get
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.precision import UNEQUAL, Crossed, components_of, fit_at, fitted
from nbyk.testing.shared_units.statistic import ratings_of


def unbalanced(seed: int, n: int = 9, j: int = 5) -> Crossed:
    """Return ratings of items by one to four of the raters, each of whom rates something."""
    rng = np.random.default_rng(seed)
    there = rng.random((n, j)) < np.linspace(0.9, 0.3, j)
    there[np.arange(n), rng.integers(0, j, n)] = True
    there[rng.integers(0, n, j), np.arange(j)] = True
    items, units = np.nonzero(there)
    values = rng.normal(size=n)[items] + 0.8 * rng.normal(size=j)[units] + 0.6 * rng.normal(size=len(items))
    return Crossed(items, units, 0.3 + values)


def balanced(seed: int, n: int = 12, j: int = 5) -> tuple[Crossed, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 1)) + rng.normal(size=j) + 0.5 * rng.normal(size=(n, j))
    items, units = (index.ravel() for index in np.indices(x.shape))
    return Crossed(items, units, x.ravel()), x


class Dense:
    """The same model with its whole covariance matrix."""

    def __init__(self, data: Crossed, noise: float, item: float, unit: float) -> None:
        self.of_item = (data.items[:, None] == np.arange(data.items.max() + 1)).astype(float)
        self.of_unit = (data.units[:, None] == np.arange(data.n_units)).astype(float)
        self.covariance = noise * np.eye(len(data.values))
        self.covariance += item * self.of_item @ self.of_item.T + unit * self.of_unit @ self.of_unit.T
        inverse = np.linalg.inv(self.covariance)
        self.precision = inverse.sum()
        self.weights = inverse.sum(axis=0) / self.precision
        self.mean = self.weights @ data.values
        left = data.values - self.mean
        self.square = left @ inverse @ left
        # twice the negative restricted log-likelihood, but for a constant
        self.criterion = np.linalg.slogdet(self.covariance)[1] + np.log(self.precision) + float(self.square)

    def of_parts(self, columns: np.ndarray) -> np.ndarray:
        """Return the covariance of h = Z′ diag(ω) r for residuals r from the weighted mean."""
        left = np.eye(len(self.weights)) - np.outer(np.ones(len(self.weights)), self.weights)
        parts = columns.T * self.weights
        return parts @ left @ self.covariance @ left.T @ parts.T


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("item_ratio", "unit_ratio"), [(1e-6, 1e-6), (0.7, 2.5), (30.0, 0.01), (1e3, 1e4)])
def test_weights_and_likelihood_are_those_of_the_whole_matrix(
    seed: int, item_ratio: float, unit_ratio: float
):
    data = unbalanced(seed)
    fit = fit_at(data, item_ratio, unit_ratio)
    dense = Dense(data, 1.0, item_ratio, unit_ratio)
    np.testing.assert_allclose(fit.weights, dense.weights, rtol=1e-8, atol=1e-12)
    assert fit.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert fit.mean == pytest.approx(dense.mean, rel=1e-8)
    assert fit.noise == pytest.approx(dense.square / (len(data.values) - 1), rel=1e-8)
    assert (fit.item, fit.unit) == pytest.approx((fit.noise * item_ratio, fit.noise * unit_ratio))
    whole = Dense(data, fit.noise, fit.item, fit.unit)
    assert whole.square == pytest.approx(len(data.values) - 1, rel=1e-8)
    constant = len(data.values) - 1
    assert -2.0 * fit.log_likelihood + constant == pytest.approx(whole.criterion, rel=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_maximises_the_restricted_likelihood(seed: int):
    """Against a simplex search over the ratios with whole matrices, from several starts."""
    data = unbalanced(seed, n=10, j=4)
    count = len(data.values) - 1

    def criterion(logs: np.ndarray) -> float:
        dense = Dense(data, 1.0, *np.exp(np.clip(logs, np.log(1e-6), np.log(1e4))))
        determinant = dense.criterion - float(dense.square)
        return float(determinant + count * np.log(dense.square / count))

    starts = [np.log([one, other]) for one in (0.05, 2.0) for other in (0.05, 2.0)]
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    best = min(minimize(criterion, start, method="Nelder-Mead", options=options).fun for start in starts)
    fit = fitted(data)
    assert -2.0 * fit.log_likelihood == pytest.approx(best, abs=1e-3)
    assert -2.0 * fit.log_likelihood >= best - 1e-8


def test_the_fit_is_that_of_statsmodels():
    """One group with crossed variance components: statsmodels' way to write the model."""
    data = unbalanced(3, n=30, j=6)
    frame = {"y": data.values, "item": data.items, "unit": data.units, "whole": np.zeros(len(data.values))}
    model = sm.MixedLM.from_formula(
        "y ~ 1",
        groups="whole",
        vc_formula={"item": "0 + C(item)", "unit": "0 + C(unit)"},
        data=pd.DataFrame(frame),
    )
    oracle = model.fit(reml=True)
    fit = fitted(data)
    assert fit.mean == pytest.approx(float(oracle.fe_params.iloc[0]), abs=2e-3)
    assert fit.noise == pytest.approx(float(oracle.scale), rel=0.01)
    assert (fit.item, fit.unit) == pytest.approx(tuple(oracle.vcomp), rel=0.02)


def nested(seed: int, sd: float) -> Crossed:
    """Return ratings of items by one rater each, who rate very unlike numbers of items."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(8), [60, 24, 14, 10, 8, 6, 5, 4])
    values = sd * rng.normal(size=8)[units] + 0.6 * rng.normal(size=len(units))
    return Crossed(np.arange(len(units)), units, values)


def test_items_of_one_rating_each_are_noise_of_the_units():
    """The model is one of random intercepts; nothing says how much of the rest is the items'."""
    data = nested(3, 0.5)
    oracle = sm.MixedLM(data.values, np.ones_like(data.values), groups=data.units).fit(reml=True)
    fit = fitted(data)
    assert fit.mean == pytest.approx(float(oracle.fe_params[0]), abs=2e-3)
    assert fit.noise == pytest.approx(float(oracle.scale), rel=0.01)
    assert fit.unit == pytest.approx(float(oracle.cov_re[0, 0]), rel=0.02)
    assert fit.item < 1e-5 * fit.noise


def test_raters_alike_by_chance_keep_the_variance_of_few():
    """The variance over units was 0 where their fitted variance was, and a fifth of such sets erred."""
    lost = 0
    for seed in range(40):
        data = nested(seed, 0.1)
        unit = components_of(data, fitted(data))[1]
        lost += unit.total < 1e-4 * unit.weight_squares
    assert lost == 0


@pytest.mark.parametrize("seed", range(4))
def test_balanced_data_have_equal_weights_and_the_analysis_of_variance(seed: int):
    data, x = balanced(seed)
    n, j = x.shape
    rows, columns, whole = x.mean(1, keepdims=True), x.mean(0), x.mean()
    items = j * np.sum((rows - whole) ** 2) / (n - 1)
    units = n * np.sum((columns - whole) ** 2) / (j - 1)
    residual = np.sum((x - rows - columns + whole) ** 2) / ((n - 1) * (j - 1))
    fit = fitted(data)
    np.testing.assert_allclose(fit.weights, 1.0 / (n * j), rtol=1e-10)
    assert fit.mean == pytest.approx(whole)
    # the search steps by a hundredth of a logarithm at last
    expected = (residual, (items - residual) / j, (units - residual) / n)
    assert (fit.noise, fit.item, fit.unit) == pytest.approx(expected, rel=0.02)
    # exactly, at the ratios of the analysis of variance
    fit = fit_at(data, expected[1] / residual, expected[2] / residual)
    assert (fit.noise, fit.item, fit.unit) == pytest.approx(expected, rel=1e-9)
    item, unit = components_of(data, fit)
    assert item.total == pytest.approx(items / (n * j), rel=1e-9)
    assert unit.total == pytest.approx(units / (n * j), rel=1e-9)
    assert unit.within == pytest.approx(residual / (n * j), rel=1e-9)
    assert (item.df, unit.df) == pytest.approx((n - 1, j - 1), rel=1e-9)
    assert (item.effective_units, unit.effective_units) == pytest.approx((n, j))
    # and the third moments are those of the means
    of_units = np.sum((columns - whole) ** 3) / (j * (j - 1) * (j - 2))
    of_items = np.sum((rows - whole) ** 3) / (n * (n - 1) * (n - 2))
    assert (item.third, unit.third) == pytest.approx((of_items, of_units), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("item_ratio", "unit_ratio"), [(1e-6, 1e-6), (0.7, 2.5), (30.0, 0.01)])
def test_components_are_those_of_the_whole_matrix(seed: int, item_ratio: float, unit_ratio: float):
    data = unbalanced(seed)
    fit = fit_at(data, item_ratio, unit_ratio)
    dense = Dense(data, fit.noise, fit.item, fit.unit)
    residuals = data.values - fit.mean
    squares = np.sum(fit.weights**2)
    item, unit = components_of(data, fit)
    for part, columns, variance in (
        (item, dense.of_item, fit.item),
        (unit, dense.of_unit, fit.unit),
    ):
        covariance = dense.of_parts(columns)
        sizes = columns.T @ fit.weights
        expected = variance * np.sum(sizes**2) + fit.noise * squares
        of_parts = np.sum((columns.T @ (fit.weights * residuals)) ** 2)
        assert part.total == pytest.approx(of_parts * expected / np.trace(covariance), rel=1e-8)
        degrees = np.trace(covariance) ** 2 / np.sum(covariance**2)
        assert part.df == pytest.approx(max(1.0, degrees), rel=1e-8)
        assert part.weight_squares == pytest.approx(np.sum(sizes**2), rel=1e-10)
    assert unit.within == pytest.approx(fit.noise * squares, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_names_and_order_do_not_matter(seed: int):
    data = unbalanced(seed)
    rng = np.random.default_rng(seed)
    items = rng.permutation(data.items.max() + 1)[data.items]
    units = rng.permutation(data.n_units)[data.units]
    order = np.lexsort([rng.random(len(items)), items])
    other = Crossed(items[order], units[order], data.values[order])
    one, again = fitted(data), fitted(other)
    np.testing.assert_allclose(again.weights, one.weights[order], rtol=1e-9)
    for part, same in zip(components_of(data, one), components_of(other, again), strict=True):
        assert (same.total, same.df, same.third) == pytest.approx((part.total, part.df, part.third), rel=1e-9)


def of_people(seed: int, power: float, n: int = 60, j: int = 12, k: int = 3, runs: int = 0):
    """Return the arguments of `responses`: people rate outputs, unit u in proportion to (u + 1)^−power."""
    rng = np.random.default_rng(seed)
    times = rng.standard_exponential((n, j)) * np.arange(1, j + 1) ** power
    units = np.argsort(times, axis=1)[:, :k]
    base = rng.normal(size=(n, 1)) + rng.normal(size=(n, k))
    a = base + 0.4 * rng.normal(size=j)[units] + 0.5 * rng.normal(size=(n, k))
    b = base + 0.5 * rng.normal(size=(n, k))
    return {"a": a, "b": b, "a_units": units, "b_units": units, "paired": True}


def test_the_effect_of_a_comparison_is_the_weighted_mean_of_its_ratings():
    given = of_people(1, 1.5)
    data = responses(**given)
    test = shared_units_test(get("mean"), data)
    assert test.by_precision
    items, units, values = ratings_of(get("mean"), data, data.source_units["runs"])
    differences = given["a"] - given["b"]
    for item in range(60):
        shown = dict(zip(units[items == item].tolist(), values[items == item].tolist(), strict=True))
        by_name = dict(zip(given["a_units"][item].tolist(), differences[item].tolist(), strict=True))
        assert shown == pytest.approx(by_name)
    fit = fitted(Crossed(items, units, values))
    assert test.effect == pytest.approx(fit.weights @ values, rel=1e-12)
    dense = Dense(Crossed(items, units, values), fit.noise, fit.item, fit.unit)
    assert test.effect == pytest.approx(dense.mean, rel=1e-9)


def test_equal_loads_never_weight():
    for seed in range(10):
        test = shared_units_test(get("mean"), responses(**of_people(seed, 0.0, j=8)))
        assert not test.by_precision
        (part,) = test.sources.values()
        assert part.units * part.weight_squares < UNEQUAL
        assert shared_units_test(get("mean"), responses(**of_people(seed, 1.5))).by_precision


def test_whether_ratings_are_weighted_depends_on_the_design_alone():
    for seed in range(4):
        given = of_people(seed, 1.5)
        louder = {**given, "a": given["a"] + 9.0 * np.sin(given["a_units"])}
        tests = [shared_units_test(get("mean"), responses(**one)) for one in (given, louder)]
        assert all(test.by_precision for test in tests)


@pytest.mark.parametrize("metric", ["mean", "mae", "mse"])
def test_a_weighted_effect_depends_neither_on_names_of_raters_nor_on_the_order_of_items(metric: str):
    rng = np.random.default_rng(5)
    given = of_people(5, 1.5)
    if metric != "mean":
        values = rng.normal(size=(60, 1))
        gold, systems = given["a"], [values + rng.normal(size=(60, 1)) for _ in range(2)]
        given = {"a": systems[0], "b": systems[1], "gold": gold, "gold_units": given["a_units"]}
    test = shared_units_test(get(metric), responses(**given))
    assert test.by_precision
    order, names = rng.permutation(60), rng.permutation(50)
    moved = {
        name: values if name == "paired" else (names[values] if "units" in name else values)[order]
        for name, values in given.items()
    }
    other = shared_units_test(get(metric), responses(**moved))
    assert (other.effect, other.p_value()) == pytest.approx((test.effect, test.p_value()), rel=1e-9)


def test_swapped_systems_mirror_a_weighted_effect():
    given = of_people(6, 1.5)
    swapped = {**given, "a": given["b"], "b": given["a"]}
    one, other = (shared_units_test(get("mean"), responses(**pair)) for pair in (given, swapped))
    assert other.effect == pytest.approx(-one.effect, rel=1e-9)
    assert other.p_value("less") == pytest.approx(one.p_value("greater"), rel=1e-8)


def test_metrics_that_jump_and_clusters_keep_equal_weights():
    given = of_people(7, 1.5)
    clustered = responses(**given, clusters=np.arange(60) // 3)
    assert not shared_units_test(get("mean"), clustered).by_precision
    gold = np.zeros((60, 1))
    assert not shared_units_test(get("accuracy(threshold=0)"), responses(**given, gold=gold)).by_precision
    assert not shared_units_test(get("mean"), responses(**given), weighted=False).by_precision


@pytest.mark.statistics
def test_level_and_power_where_a_few_people_give_most_ratings():
    """Three of 20 people an item by a power law, 400 sets at each truth: SE of .05 .011, of .5 .025."""
    rng = np.random.default_rng(39)
    sets, n, j, k = 400, 100, 20, 3
    pivots = np.empty((2, sets, 2))
    p = np.empty((2, sets, 2))
    for number in range(sets):
        times = rng.standard_exponential((n, j)) * np.arange(1, j + 1) ** 1.5
        units = np.argsort(times, axis=1)[:, :k]
        a = 0.1 * rng.normal(size=j)[units] + 0.1 * rng.normal(size=(n, 1)) + 0.05 * rng.normal(size=(n, k))
        for truth, better in enumerate((0.0, 0.12)):
            data = responses(a + better, np.zeros((n, k)), a_units=units, b_units=units, paired=True)
            for place, weighted in enumerate((True, False)):
                test = shared_units_test(get("mean"), data, weighted=weighted)
                assert test.by_precision is weighted
                p[truth, number, place] = test.p_value()
                pivots[truth, number, place] = test.effect
    level = np.mean(p[0] <= 0.05, axis=0)
    assert 0.05 - 0.033 <= level[0] <= 0.05 + 0.033
    # size-adjusted, as the rates of the worlds are
    power = [np.mean(p[1, :, place] <= np.quantile(p[0, :, place], 0.05)) for place in (0, 1)]
    assert power[0] > power[1] + 0.1
    errors = pivots[0].std(axis=0)
    assert errors[0] < 0.9 * errors[1]
    # a test that knew the SD of its weighted mean, with as many degrees of freedom as people
    known = np.mean(2.0 * student.sf(np.abs(pivots[1, :, 0]) / errors[0], j - 1) <= 0.05)
    assert power[0] > known - 0.15
