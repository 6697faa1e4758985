"""The test over new items and new units: invariances, duality, brute force, level, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from nbyk import compare, response_set
from nbyk.data.response_set import Categories
from nbyk.errors import NbykError
from nbyk.metrics import get, metrics_of, register
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.collection import Spread
from nbyk.testing.shared_units.components import item_component
from nbyk.testing.shared_units.statistic import changes
from nbyk.testing.systems.items_alone import item_effects
from tests.oracles.d_study import projected_variance

METRICS = (
    "mean",
    "mae",
    "mse",
    "rmse",
    "wins_mae",
    "spearman",
    "emd_aggregated",
    "mean_of_emds",
    "cosine",
    "accuracy",
    "f1",
    "auc",
)


def arrays(
    seed: int = 0, n: int = 30, raters: int = 6, ratings: int = 4, runs: int = 3
) -> dict[str, np.ndarray]:
    """Return gold by some of the raters, and two systems of all runs, with their units."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.2, 0.8, (n, 1))
    units = np.argsort(rng.random((n, raters)), axis=1)[:, :ratings]
    gold = values + 0.1 * rng.normal(size=raters)[units] + 0.1 * rng.normal(size=(n, ratings))
    a = values + 0.05 + 0.02 * rng.normal(size=runs) + 0.1 * rng.normal(size=(n, runs))
    b = values - 0.04 + 0.02 * rng.normal(size=runs) + 0.12 * rng.normal(size=(n, runs))
    run_units = np.tile(np.arange(runs), (n, 1))
    return {"a": a, "b": b, "gold": gold, "a_units": run_units, "b_units": run_units, "gold_units": units}


def result_of(metric: str, given: dict[str, np.ndarray], **options):
    return shared_units_test(get(metric), responses(**given, **options))


@pytest.mark.parametrize("metric", METRICS)
def test_the_effect_is_the_metrics_own(metric: str):
    given = arrays()
    chosen = get(metric)
    systems = np.stack([given["a"], given["b"]])[:, None]
    gold = given["gold"][None]
    if chosen.needs == "item_means":
        systems, gold = systems.mean(-1), gold.mean(-1)
    elif systems.shape[-1] != gold.shape[-1]:
        gold = gold[..., : systems.shape[-1]]
        given["gold"], given["gold_units"] = given["gold"][:, :3], given["gold_units"][:, :3]
    assert result_of(metric, given).effect == pytest.approx(chosen.effects(systems, gold)[0], rel=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("paired", [False, True])
def test_mirror(metric: str, paired: bool):
    given = arrays(1)
    swapped = {**given, "a": given["b"], "b": given["a"]}
    one, other = result_of(metric, given, paired=paired), result_of(metric, swapped, paired=paired)
    assert other.effect == pytest.approx(-one.effect)
    assert other.p_value() == pytest.approx(one.p_value(), rel=1e-8)
    assert other.p_value("less") == pytest.approx(one.p_value("greater"), rel=1e-8)
    assert other.interval() == pytest.approx([-end for end in reversed(one.interval())])


@pytest.mark.parametrize("metric", METRICS)
def test_order_and_names_of_units_do_not_matter(metric: str):
    given = arrays(2)
    rng = np.random.default_rng(0)
    names = np.array([40, 7, 1000, 3, 12, 5])
    shuffled = dict(given)
    for role in ("a", "b", "gold"):
        if get(metric).base_name == "cosine":
            break  # pairs the responses by their places
        order = rng.permuted(np.tile(np.arange(given[role].shape[1]), (30, 1)), axis=1)
        shuffled[role] = np.take_along_axis(given[role], order, 1)
        shuffled[f"{role}_units"] = np.take_along_axis(given[f"{role}_units"], order, 1)
    shuffled["gold_units"] = names[shuffled["gold_units"]]
    one, other = result_of(metric, given), result_of(metric, shuffled)
    assert other.effect == pytest.approx(one.effect, rel=1e-9)
    assert other.p_value() == pytest.approx(one.p_value(), rel=1e-6)


@pytest.mark.parametrize("metric", ["mean", "mae", "mse", "spearman", "mean_of_emds"])
def test_scale_does_not_matter(metric: str):
    given = arrays(3)
    scaled = {name: 4.0 * values - 1.0 if "units" not in name else values for name, values in given.items()}
    one, other = result_of(metric, given), result_of(metric, scaled)
    assert other.p_value() == pytest.approx(one.p_value(), rel=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_p_is_small_exactly_where_the_interval_leaves_0_out(metric: str, alpha: float):
    for seed in range(6):
        test = result_of(metric, arrays(seed, n=12))
        if test.is_constant:
            assert (test.p_value(), test.interval()) == (1.0, (0.0, 0.0))
            continue
        for side in ("two-sided", "greater", "less"):
            low, high = test.interval(1.0 - alpha, side)
            assert (test.p_value(side) <= alpha) == (low >= 0.0 or high <= 0.0)


@pytest.mark.parametrize("metric", ["mean", "mse", "mae", "accuracy", "mean_of_emds"])
def test_leaving_a_unit_out_is_what_it_says(metric: str):
    """Up to a constant that all units of a source share on an item, which is no difference between them."""
    given = arrays(4, raters=5, ratings=5, runs=4)
    data = responses(**given)
    found = changes(get(metric), data)
    for role, units in zip(("gold", "a", "b"), data.source_units.values(), strict=True):
        brute = []
        for unit in range(len(units)):
            fewer = {**given, role: np.where(given[f"{role}_units"] == unit, np.nan, given[role])}
            brute.append(changes(get(metric), responses(**fewer)).effect - found.effect)
        assert found.units[units] == pytest.approx(np.array(brute) - np.mean(brute), abs=1e-12)


@pytest.mark.parametrize("metric", ["rmse", "spearman", "cosine", "f1"])
def test_leaving_a_unit_out_of_what_is_no_mean_over_items(metric: str):
    given = arrays(5, raters=4, ratings=4, runs=4)
    data = responses(**given)
    found = changes(get(metric), data)
    units = data.source_units["runs of A"]
    brute = []
    for unit in range(len(units)):
        fewer = {**given, "a": np.where(given["a_units"] == unit, np.nan, given["a"])}
        if metric == "cosine":
            return  # lengths must agree: covered by the others
        brute.append(changes(get(metric), responses(**fewer)).effect - found.effect)
    assert found.units[units] == pytest.approx(np.array(brute) - np.mean(brute), abs=1e-12)


def test_an_own_metric_without_gold_need_be_no_mean_over_items():
    @register(direction="higher", needs_gold=False)
    def size_of_item_means(system):
        "Root of the mean square of the item means."
        return size(system)

    def size(values):
        return np.sqrt(np.mean(np.square(values)))

    given = {**arrays(6), "gold": None, "gold_units": None}
    found = changes(get("size_of_item_means"), responses(**given))
    a, b = given["a"].mean(axis=1), given["b"].mean(axis=1)
    assert found.effect == pytest.approx(size(a) - size(b))
    left = [size(np.delete(a, item)) - size(np.delete(b, item)) for item in range(len(a))]
    assert np.sort(found.groups) == pytest.approx(np.sort(left) - np.mean(left))


def test_items_without_a_rating_leave_with_their_rater():
    values = np.array([[0.1, np.nan], [0.4, 0.6], [0.9, np.nan], [0.3, np.nan]])
    units = np.array([[0, -1], [0, 1], [1, -1], [1, -1]])
    data = responses(values, np.zeros((4, 1)), a_units=units)
    found = changes(get("mean"), data)
    whole = np.mean([0.1, 0.5, 0.9, 0.3])
    without_first = np.mean([0.6, 0.9, 0.3])
    without_second = np.mean([0.1, 0.4])
    assert found.effect == pytest.approx(whole)
    assert found.units == pytest.approx([without_first - whole, without_second - whole])


@pytest.mark.parametrize("n", [300, 305])
def test_items_of_a_mean_without_the_largest_tenth_vary_as_they_do(n):
    """From 300 items to 299, 29 are left out in place of 30: each item shifted the score by as much.

    Its variance over items is that of the answers with the largest made as small as the largest kept one
    (Tukey and McLaughlin 1963).
    """

    @register(direction="higher", needs_gold=False)
    def mean_without_the_largest(system):
        "Mean without the largest tenth."
        return np.sort(system)[: len(system) - len(system) // 10].mean()

    metric = get("mean_without_the_largest")
    a = np.random.default_rng(4).normal(0.5, 0.1, n)
    b = np.full(n, 0.5)
    kept = n - n // 10
    expected = np.minimum(a, np.sort(a)[kept - 1]).std(ddof=1) / (kept / n) / np.sqrt(n)
    data = responses(a[:, None], b[:, None])
    items = item_component(data, changes(metric, data))
    assert np.sqrt(items.total) == pytest.approx(expected, rel=0.02)
    effects = item_effects(response_set(None, a, b), metric)
    assert effects is not None
    assert effects.mean() == pytest.approx(np.sort(a)[:kept].mean() - 0.5)


@pytest.mark.statistics
def test_level_where_runs_are_shared_and_where_they_do_not_differ():
    rng = np.random.default_rng(8)
    n, runs, sets = 60, 4, 500
    units = np.tile(np.arange(runs), (n, 1))
    for sd in (0.0, 0.3):
        rejected = np.zeros(2)
        for _ in range(sets):
            a, b = (sd * rng.normal(size=runs) + rng.normal(size=(n, runs)) for _ in range(2))
            data = responses(a, b, a_units=units, b_units=units)
            broad = shared_units_test(get("mean"), data)
            items = shared_units_test(get("mean"), data, sources=())
            rejected += broad.p_value() <= 0.05, items.p_value() <= 0.05
        broad_rate, items_rate = rejected / sets
        assert 0.02 <= broad_rate <= 0.085  # .05 and three standard errors of 500 sets
        assert (items_rate > 0.3) == (sd > 0)


@pytest.mark.statistics
def test_level_of_a_median():
    """Left out one by one, items show nothing of how a median varies: .20 at .05, and .14 at .01."""

    @register(direction="higher", needs_gold=False)
    def median_of_answers(system):
        "Median of a system's answers."
        return np.median(system)

    metric = get("median_of_answers")
    assert metric.follows_one_item
    rng = np.random.default_rng(3)
    sets, rejected = 1000, np.zeros(2)
    for _ in range(sets):
        a, b = rng.normal(0.5, 0.1, (2, 120, 1))
        test = shared_units_test(metric, responses(a, b), sources=())
        assert not test.roughness
        rejected += test.p_value() <= np.array([0.05, 0.01])
    at_05, at_01 = rejected / sets
    assert 0.03 <= at_05 <= 0.071  # .05 and three standard errors of 1,000 sets
    assert at_01 <= 0.025


def test_stretch_reaches_beyond_where_errors_level_off():
    given = arrays(9, n=200, raters=5, ratings=5)
    given["gold"] = given["gold"] + 0.06
    assert result_of("mse", given).stretch == pytest.approx(1.0, abs=0.05)
    test = result_of("mae", given)
    assert test.effect > 0
    assert test.stretch > 1.02


def test_stretch_of_labels_is_for_metrics_that_level_off_alone():
    """Five people who lean to one class: accuracy levels off, the Brier score of certain answers does not."""
    rng = np.random.default_rng(2)
    places, lean = rng.normal(0.0, 1.5, (200, 1)), 0.8 + rng.normal(size=5)
    gold = np.float64(places + lean + rng.logistic(size=(200, 5)) > 0)
    systems = (np.float64(places + err + 0.5 * rng.normal(size=(200, 1)) > 0) for err in (0.4, -0.4))
    data = responses(*systems, gold=gold, gold_units=np.tile(np.arange(5), (200, 1)), table=np.eye(2))
    metrics = metrics_of(Categories(("no", "yes"), np.eye(2), "classes"), ["accuracy", "brier"])
    tests = [shared_units_test(metric, data) for metric in metrics]
    assert tests[0].stretch > 1.02
    assert tests[1].stretch == pytest.approx(1.0)


def test_a_maximum_is_too_rough():
    given = arrays(10, n=150)
    assert result_of("max_error", given).roughness
    assert not result_of("mae", given).roughness


def test_pairs_are_one_unit_and_the_rest_stay_unpaired():
    given = arrays(11, runs=5)
    given["b_units"] = given["b_units"] + 2  # runs 2, 3, 4 of both; 0, 1 of A; 5, 6 of B
    test = result_of("mean", given, paired=True)
    assert {source: part.units for source, part in test.sources.items()} == {
        "raters": 6,
        "runs": 3,
        "runs of A": 2,
        "runs of B": 2,
    }
    assert set(result_of("mean", given).sources) == {"raters", "runs of A", "runs of B"}


def test_what_pairs_share_takes_nothing_away():
    """A shift that run r of both systems has: paired, it is no noise."""
    given = arrays(12, runs=4)
    shift = np.array([0.5, -0.2, 0.1, -0.4])
    shifted = {**given, "a": given["a"] + shift, "b": given["b"] + shift}
    paired = result_of("mean", shifted, paired=True)
    assert paired.variance == pytest.approx(result_of("mean", given, paired=True).variance)
    assert paired.variance < 0.2 * result_of("mean", shifted).variance


def test_one_unit_is_fixed_and_fresh_units_belong_to_items():
    given = arrays(13)
    fresh = {**given, "a_units": np.full((30, 3), -1)}
    assert "runs of A" not in result_of("mae", fresh).sources
    one = {**given, "a": given["a"][:, :1], "a_units": np.zeros((30, 1), int)}
    assert "runs of A" not in result_of("mae", one).sources
    items = shared_units_test(get("mae"), responses(**given), sources=())
    assert items.variance == items.items.total


def test_no_difference_at_all():
    same = np.full((10, 2), 0.5)
    units = np.tile([0, 1], (10, 1))
    test = shared_units_test(get("mean"), responses(same, same, a_units=units, b_units=units))
    assert test.p_value() == 1.0
    assert test.p_value("greater") == 0.5
    assert test.interval() == (0.0, 0.0)
    assert projected_variance(test, items=100) == 0.0


@pytest.mark.parametrize("metric", ["pearson", "spearman", "kendall"])
def test_an_effect_that_is_undefined_without_an_item_has_no_claim(metric: str) -> None:
    """Without item 1, all that system B answers is the same."""
    gold = [[0.1, 0.3, 0.2], [0.6, 0.5, 0.4], [0.9, 0.8, 0.7], [0.4, 0.2, 0.5]]
    a = [[0.2], [0.5], [0.7], [0.4]]
    b = [[0.5], [0.3], [0.3], [0.3]]
    (broad, narrow) = compare(gold, a, b, metric=metric).claims
    assert not broad.is_conclusive
    assert "undefined without some items, raters or runs; collect more items" in broad.reason
    assert narrow.is_conclusive
    of_raters = responses(a, b, gold=gold, gold_units=np.tile(np.arange(3), (4, 1)))
    with pytest.raises(NbykError, match="undefined without some items"):
        Spread.of(shared_units_test(get(metric), of_raters))


@pytest.mark.parametrize("metric", ["spearman", "rmse", "f1", "mean_of_emds", "emd_aggregated_vectorized"])
@pytest.mark.parametrize("clustered", [False, True])
def test_p_depends_neither_on_the_order_of_items_nor_on_names(metric: str, clustered: bool) -> None:
    generator = np.random.default_rng(4)
    n, j = 150, 8
    gold, a, b = ((generator.random((n, width)) < 0.6).astype(float) for width in (3, 1, 1))
    units = np.argsort(generator.random((n, j)), axis=1)[:, :3]
    clusters = np.sort(generator.integers(0, 40, n)) if clustered else None
    found = []
    for _ in range(4):
        items, slots, names = generator.permutation(n), generator.permutation(3), generator.permutation(j)
        data = responses(
            a[items],
            b[items],
            gold=gold[items][:, slots],
            gold_units=names[units][items][:, slots],
            clusters=None if clusters is None else clusters[items],
        )
        test = shared_units_test(get(metric), data)
        found.append((test.effect, test.variance, test.df, test.groups_at_work))
    np.testing.assert_allclose(found, np.broadcast_to(found[0], (4, 4)), rtol=1e-9)


def runs_of(names: list[int]) -> np.ndarray:
    return np.broadcast_to(np.array(names), (60, len(names)))


@pytest.mark.parametrize(
    ("of_a", "of_b", "sizes"),
    [
        ([1, 2, 3], [1, 2, 3], {"runs": 3}),
        ([1, 2], [2, 3], {"runs of A": 2, "runs of B": 2}),  # one common run is no pair
        ([1, 2, 3, 4, 5], [1], {"runs of A": 5}),
        ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], {"runs": 7}),
        ([1, 2, 3, 4, 5], [1, 2, 3], {"runs": 3, "runs of A": 2}),
        ([1], [1], {}),
    ],
)
def test_no_run_is_lost_where_only_some_are_paired(of_a: list, of_b: list, sizes: dict) -> None:
    generator = np.random.default_rng(0)
    a, b = generator.random((60, len(of_a))), generator.random((60, len(of_b)))
    data = responses(a, b, a_units=runs_of(of_a), b_units=runs_of(of_b), paired=True)
    assert {source: len(units) for source, units in data.source_units.items()} == sizes


def test_partly_paired_runs_hold_the_level() -> None:
    """Six seeds each, five in common, whose luck is common: N = 60, 400 sets."""
    generator = np.random.default_rng(1)
    of_a, of_b, n_sets, rejected = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], 400, 0
    for _ in range(n_sets):
        luck = generator.normal(0.0, 0.2, 8)
        item = generator.normal(0.5, 0.2, (60, 1))
        a, b = (item + luck[of] + generator.normal(0.0, 0.05, (60, 6)) for of in (of_a, of_b))
        data = responses(a, b, a_units=runs_of(of_a), b_units=runs_of(of_b), paired=True)
        rejected += shared_units_test(get("mean"), data).p_value() <= 0.05
    assert rejected / n_sets <= 0.08 + 3.3 * np.sqrt(0.08 * 0.92 / n_sets)


@pytest.mark.parametrize("j", [3, 5, 8])
def test_noise_of_single_ratings_is_what_it_is_where_items_leave_with_their_rater(j: int) -> None:
    generator = np.random.default_rng(j)
    totals, within = [], []
    for _ in range(200):
        a = generator.normal(size=(200, 1))
        units = generator.integers(0, j, (200, 1))
        data = responses(a, np.zeros((200, 1)), a_units=units)
        part = shared_units_test(get("mean"), data).sources["runs of A"]
        totals.append(part.total)
        within.append(part.within)
    error = np.std(totals) / np.mean(totals) / np.sqrt(200)
    assert np.mean(within) / np.mean(totals) == pytest.approx(1.0, abs=4.0 * error)
