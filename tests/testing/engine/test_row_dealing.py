"""The compiled passes over items against rows that are dealt, taken or left out one draw at a time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.data.responses import response_set
from nbyk.metrics import get
from nbyk.resampling.effects import score
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.streams import CHUNK
from nbyk.testing.engine.draws import Draws, ItemStreams
from nbyk.testing.engine.forms import RowByRow, Sums, form_of
from nbyk.testing.engine.rows import Rows, Swaps
from nbyk.testing.engine.tables import Tables
from tests.oracles import enumerate as exact
from tests.oracles.chisquare import assert_drawn_from

METRICS = [
    get(name)
    for name in (
        *("mae", "mse", "inverse_mse", "rmse", "max_error", "wins_mae", "spearman", "mean", "emd_aggregated"),
        *("mean_of_emds", "cosine", "wins_mae_vectorized", "f1", "emd_aggregated_vectorized"),
        *("kendall", "auc", "accuracy(threshold=0.3)", "precision", "recall", "pearson"),
    )
]
SHAPES = {
    "continuous": (70, 3, None),
    "levels": (70, 2, 4),
    "few": (5, 1, 3),
    "one response": (130, 1, None),
    "complete": (70, 3, None, 0.0),
    "complete levels": (70, 3, 4, 0.0),
}


def random_set(n: int, k: int, levels: int | None, missing: float = 0.2, seed: int = 0) -> ResponseSet:
    """Responses of which a share is missing, rounded to levels where there are some, so that means tie."""
    generator = np.random.default_rng(seed)
    matrices = generator.random((3, n, k))
    matrices[generator.random((3, n, k)) < missing] = np.nan
    matrices[:, :, 0] = generator.random((3, n))
    if levels is not None:
        matrices = np.floor(matrices * levels) / levels
    matrices[:, :2, 0] = [0.0, 0.75]  # no constant
    return response_set(*matrices)


@pytest.fixture(params=SHAPES)
def data(request: pytest.FixtureRequest) -> ResponseSet:
    return random_set(*SHAPES[request.param])


def scores_of(metric, systems, gold):  # type: ignore[no-untyped-def]
    """One draw's scores, shape (S,), a comparison's number beside zeros."""
    if metric.needs == "item_means":
        systems, gold = np.nanmean(systems, axis=-1), np.nanmean(gold, axis=-1)
    if metric.kind == "comparison":
        return np.append(metric.effects(systems[:, None], gold[None])[0], np.zeros(len(systems) - 1))
    return metric.scores(systems[:, None], gold[None])[:, 0]


def assert_scores(found, expected, metric):  # type: ignore[no-untyped-def]
    """Item means have thirteen digits, and a correlation near 0 no more."""
    assert_allclose(found, expected, rtol=1e-10, atol=1e-12 if metric.name == "pearson" else 1e-14)


def dealt(systems, words):  # type: ignore[no-untyped-def]
    """Both systems' rows after each draw's swaps, shape (64, 2, N, K)."""
    n = systems.shape[1]
    coins = (words[:, np.arange(n) // 64] >> np.arange(n, dtype=np.uint64) % np.uint64(64)) & np.uint64(1)
    swapped = coins.astype(bool)[:, None, :, None]
    return np.where(swapped, systems[::-1][None], systems[None])


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_swapped_scores_are_those_of_the_swapped_rows(metric, data: ResponseSet) -> None:  # type: ignore[no-untyped-def]
    rows = Rows(data.gold, stack_responses(data.a, data.b))
    words = np.random.default_rng(3).integers(0, 2**64, (CHUNK, -(-data.n_items // 64)), dtype=np.uint64)
    found = form_of(metric, rows).swapped(Swaps(words, data.n_items))
    for draw, systems in enumerate(dealt(rows.systems, words)):
        assert_scores(found[:, draw], scores_of(metric, systems, data.gold), metric)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_drawn_scores_are_those_of_the_drawn_rows(metric, data: ResponseSet) -> None:  # type: ignore[no-untyped-def]
    more = () if metric.kind == "comparison" else (random_set(data.n_items, 4, None, seed=5).a,)
    rows = Rows(data.gold, stack_responses(data.a, data.b, *more))
    drawn = ItemStreams(1, Rows(data.gold, data.a[None])).items("bootstrap", 0)
    found = form_of(metric, rows).drawn(drawn)
    for draw, items in enumerate(drawn.items[:20]):
        expected = scores_of(metric, rows.systems[:, items], data.gold[items])
        assert_scores(found[:, draw], expected, metric)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_scores_without_runs_of_items(metric, data: ResponseSet) -> None:  # type: ignore[no-untyped-def]
    rows = Rows(data.gold, stack_responses(data.a, data.b))
    starts = np.array([0, 1, 2, 4]) if data.n_items < 10 else np.arange(0, data.n_items, 3)
    found = form_of(metric, rows).without(starts)
    for run, (start, stop) in enumerate(zip(starts, [*starts[1:], data.n_items], strict=True)):
        kept = np.delete(np.arange(data.n_items), np.arange(start, stop))
        expected = scores_of(metric, rows.systems[:, kept], data.gold[kept])
        assert_scores(found[:, run], expected, metric)


@pytest.mark.parametrize("name", ["kendall", "auc", "accuracy", "precision", "recall", "f1(threshold=0.3)"])
@pytest.mark.parametrize("k", [1, 3])
def test_scores_of_tables_are_those_of_rows_to_the_last_bit(name: str, k: int) -> None:
    data = random_set(90, k, 4)
    metric, rows = get(name), Rows(data.gold, stack_responses(data.a, data.b))
    tables, by_row = form_of(metric, rows), RowByRow(metric, rows)
    assert isinstance(tables, Tables)
    words = np.random.default_rng(5).integers(0, 2**64, (CHUNK, 2), dtype=np.uint64)
    assert_array_equal(tables.swapped(Swaps(words, 90)), by_row.swapped(Swaps(words, 90)))
    drawn = ItemStreams(1, rows).items("bootstrap", 0)
    assert_array_equal(tables.drawn(drawn), by_row.drawn(drawn))
    starts = np.arange(0, 90, 7)
    assert_array_equal(tables.without(starts), by_row.without(starts))


def test_weighted_ranks_and_distances_are_scipys_on_the_expanded_items() -> None:
    data = random_set(40, 1, 6)
    rows = Rows(data.gold, stack_responses(data.a, data.b))
    drawn = ItemStreams(2, Rows(data.gold, data.a[None])).items("bootstrap", 3)
    ranks, distances = (form_of(get(name), rows).drawn(drawn) for name in ("spearman", "emd_aggregated"))
    for draw, items in enumerate(drawn.items):
        for system, values in enumerate((data.a[items, 0], data.b[items, 0])):
            gold = data.gold[items, 0]
            assert_allclose(ranks[system, draw], stats.spearmanr(values, gold)[0], atol=1e-12)
            assert_allclose(distances[system, draw], stats.wasserstein_distance(values, gold), atol=1e-12)


def test_the_metrics_of_item_means_have_forms_of_their_own() -> None:
    rows = Rows(*(lambda data: (data.gold, stack_responses(data.a, data.b)))(random_set(8, 2, None)))
    row_by_row = {metric.name for metric in METRICS[:11] if isinstance(form_of(metric, rows), RowByRow)}
    assert not row_by_row


def test_all_arrangements_are_gone_through_once() -> None:
    data = random_set(5, 2, None)
    engine = Draws(data, [get("mae")], seed=0)
    found = engine.swapped([0], engine.n_arrangements, exact=True)[0]
    distribution = exact.effects(*as_rows(data), "all_items/all", "swap_items", mae_effect)
    assert found.size == 31
    everything = np.append(found, engine.observed)
    values, counts = np.unique(np.round(everything, 9), return_counts=True)
    assert_allclose(values, sorted(distribution), atol=1e-9)
    assert_allclose(counts / 32, [distribution[key] for key in sorted(distribution)])


def as_rows(data: ResponseSet) -> tuple[exact.Matrix, ...]:
    return tuple(
        tuple(tuple(row[~np.isnan(row)].tolist()) for row in matrix) for matrix in (data.gold, data.a, data.b)
    )


def mae_effect(gold: exact.Row, a: exact.Row, b: exact.Row) -> float:
    mean_gold, mean_a, mean_b = (sum(row) / len(row) for row in (gold, a, b))
    return abs(mean_b - mean_gold) - abs(mean_a - mean_gold)


@pytest.mark.parametrize(
    ("sampler", "null"), [("all_items/all", "swap_items"), ("bootstrap_items/all", None)]
)
def test_draws_have_the_enumerated_distribution(sampler: str, null: str | None) -> None:
    data = random_set(3, 2, None, seed=4)
    engine = Draws(data, [get("mae")], seed=1)
    drawn = engine.swapped([0], 20_000) if null else engine.bootstrapped([0], 20_000, "bootstrap")
    assert_drawn_from(drawn[0], exact.effects(*as_rows(data), sampler, null, mae_effect))


@pytest.mark.parametrize("name", ["mae", "spearman", "emd_aggregated", "max_error", "cosine"])
def test_draws_agree_with_resampled_effects_in_distribution(name: str) -> None:
    """Two-sample KS of 2000 draws each: p above 10⁻⁴ at a fixed seed."""
    data = random_set(60, 3, None, seed=2)
    engine = Draws(data, [get(name)], seed=3)
    settings = {"n_resamples": 2000, "seed": 4}
    swapped = resampled_effects(data, name, sampler="all_items/all", null="swap_items", **settings)
    bootstrapped = resampled_effects(data, name, sampler="bootstrap_items/all", **settings)
    for own, other in (
        (engine.swapped([0], 2000)[0], swapped.null[0]),
        (engine.bootstrapped([0], 2000, "bootstrap")[0], bootstrapped.alternative[0]),
    ):
        # Effects that are equal on paper differ by rounding in one of the two.
        assert stats.ks_2samp(np.round(own, 9), np.round(other, 9)).pvalue > 1e-4


def test_draws_are_scored_as_resampled_effects_scores_them() -> None:
    """The very same draws, dealt by hand from the engine's own streams and scored by the common scorer."""
    data = random_set(70, 3, None)
    engine = Draws(data, METRICS, seed=9, raw_swaps=True)
    every = range(len(METRICS))
    swapped, bootstrapped = engine.swapped(every, 70), engine.bootstrapped(every, 70, "bootstrap")
    systems = stack_responses(data.a, data.b)
    streams = ItemStreams(9, Rows(data.gold, data.a[None]))
    for chunk, (first, last) in enumerate(((0, 64), (64, 70))):
        words = streams.swaps(chunk).words
        rows = np.ascontiguousarray(dealt(systems, words).swapaxes(0, 1))
        gold = np.broadcast_to(data.gold, (CHUNK, *data.gold.shape))
        expected = score(METRICS, rows, gold)[:, : last - first]
        assert_allclose(swapped[:, first:last], expected, rtol=1e-9, atol=1e-13)
        items = streams.items("bootstrap", chunk).items
        expected = score(METRICS, np.ascontiguousarray(systems[:, items]), data.gold[items])
        assert_allclose(bootstrapped[:, first:last], expected[:, : last - first], rtol=1e-9, atol=1e-13)


def test_numbers_do_not_depend_on_threads_m_or_other_metrics() -> None:
    data = random_set(70, 3, None)
    every = range(len(METRICS))

    def drawn(metrics, which, threads, n, start=0):  # type: ignore[no-untyped-def]
        engine = Draws(data, metrics, seed=5, threads=threads)
        return [
            engine.swapped(which, n, start=start),
            engine.bootstrapped(which, n, "bootstrap", start=start),
            engine.redrawn(which, n, "all_items/all", "permutation", start=start),
        ]

    whole = drawn(METRICS, every, 1, 200)
    for one, threaded, shorter, later, alone in zip(
        whole,
        drawn(METRICS, every, 3, 200),
        drawn(METRICS, every, 1, 70),
        drawn(METRICS, every, 1, 200, start=70),
        drawn(METRICS[6:7], [0], 1, 200),
        strict=True,
    ):
        assert_array_equal(threaded, one)
        assert_array_equal(shorter, one[:, :70])
        assert_array_equal(later, one[:, 70:])
        assert_array_equal(alone[0], one[6])


def test_a_jackknife_of_many_items_leaves_groups_out() -> None:
    data = random_set(50, 2, None)
    engine = Draws(data, METRICS, seed=0)
    assert engine.jackknifed().shape == (len(METRICS), 50)
    groups = engine.jackknifed(8)
    assert groups.shape == (len(METRICS), 8)
    without_first = response_set(*(matrix[6:] for matrix in (data.gold, data.a, data.b)))
    expected = score(
        METRICS, stack_responses(without_first.a, without_first.b)[:, None], without_first.gold[None]
    )
    assert_allclose(groups[:, 0], expected[:, 0], rtol=1e-10)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_swaps_of_many_systems_are_those_of_each_pair(metric: str, clustered: bool) -> None:
    """Eighteen systems do not fit one table of sums; a draw does not depend on those taken with it."""
    generator = np.random.default_rng(4)
    gold, systems = generator.random((70, 2)), generator.random((18, 70, 2))
    clusters = np.sort(generator.integers(0, 9, 70)) if clustered else None
    clusters = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    rows = Rows.of(gold, systems, clusters)
    streams, form = ItemStreams(3, rows), form_of(get(metric), rows)
    assert isinstance(form, Sums)
    pairs = [(0, 1), (17, 2), (5, 16)]
    together = form.swapped_pairs(streams.swaps(0, 3 * CHUNK), pairs)
    for (a, b), scores in zip(pairs, together, strict=True):
        alone = form_of(get(metric), Rows.of(gold, systems[[a, b]], clusters))
        parts = [alone.swapped(streams.swaps(chunk)) for chunk in range(3)]
        assert_array_equal(alone.swapped(streams.swaps(0, 3 * CHUNK)), np.concatenate(parts, axis=1))
        assert_allclose(scores, np.concatenate(parts, axis=1), rtol=1e-12)
        dealt_rows = RowByRow(get(metric), Rows.of(gold, systems[[a, b]], clusters))
        assert_allclose(parts[0], dealt_rows.swapped(streams.swaps(0)), rtol=1e-12)
