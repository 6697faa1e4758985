"""Every built-in metric against numpy, scipy or scikit-learn, one replicate and system at a time."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cosine
from scipy.stats import kendalltau, pearsonr, spearmanr, wasserstein_distance
from sklearn import metrics as sk

from nbyk.metrics import get
from nbyk.metrics.builtin import BUILTIN
from nbyk.metrics.item_means import item_means
from nbyk_papers.metrics import METRICS


def _histogram(values, bins):
    return np.histogram(values[~np.isnan(values)], bins=[k / bins for k in range(bins + 1)])[0]


def _emd(x, y):
    return wasserstein_distance(x[~np.isnan(x)], y[~np.isnan(y)])


def _paired(a, g):
    width = min(a.shape[1], g.shape[1])
    a, g = a[:, :width], g[:, :width]
    present = ~np.isnan(a) & ~np.isnan(g)
    return a[present], g[present]


def _inverse_mse(a, g):
    error = np.mean((a - g) ** 2)
    return 1 / error if error else np.inf


def _correlation(of, rounding=0.0):
    def constant(x):
        return (np.abs(x - x[0]) <= rounding * abs(x[0])).all()

    return lambda a, g: np.nan if constant(a) or constant(g) else of(a, g).statistic


def _cosine(a, g):
    a, g = _paired(a, g)
    return cosine(a, g) if a.any() and g.any() else np.nan


def _auc(a, g, threshold):
    positive = g >= threshold
    return sk.roc_auc_score(positive, a) if 0 < positive.sum() < len(g) else np.nan


SCORES = {
    "mae": lambda a, g: np.mean(np.abs(a - g)),
    "mse": lambda a, g: sk.mean_squared_error(g, a),
    "inverse_mse": _inverse_mse,
    "rmse": lambda a, g: np.sqrt(np.mean((a - g) ** 2)),
    "max_error": lambda a, g: sk.max_error(g, a),
    "mean": lambda a, g: np.mean(a),
    "mean_cost": lambda a, g: np.mean(a),
    "spearman": _correlation(spearmanr),
    "pearson": _correlation(pearsonr, 1e-12),
    "kendall": _correlation(kendalltau),
    "cosine": _cosine,
    "emd_aggregated": wasserstein_distance,
    "emd_aggregated_vectorized": _emd,
    "mean_of_emds": lambda a, g: np.mean([_emd(x, y) for x, y in zip(a, g, strict=True)]),
    "histogram_emd_aggregated(50)": lambda a, g: wasserstein_distance(_histogram(a, 50), _histogram(g, 50)),
    "histogram_emd_aggregated(7)": lambda a, g: wasserstein_distance(_histogram(a, 7), _histogram(g, 7)),
    "histogram_emd_aggregated_vectorized(50)": lambda a, g: wasserstein_distance(
        _histogram(a, 50), _histogram(g, 50)
    ),
    "histogram_mean_of_emds(5)": lambda a, g: np.mean(
        [wasserstein_distance(_histogram(x, 5), _histogram(y, 5)) for x, y in zip(a, g, strict=True)]
    ),
    "histogram_mean_of_emds(33)": lambda a, g: np.mean(
        [wasserstein_distance(_histogram(x, 33), _histogram(y, 33)) for x, y in zip(a, g, strict=True)]
    ),
    "accuracy": lambda a, g: sk.accuracy_score(g >= 0.5, a >= 0.5),
    "accuracy(threshold=0.6)": lambda a, g: sk.accuracy_score(g >= 0.6, a >= 0.6),
    "precision": lambda a, g: sk.precision_score(g >= 0.5, a >= 0.5, zero_division=0),
    "recall": lambda a, g: sk.recall_score(g >= 0.5, a >= 0.5, zero_division=0),
    "f1": lambda a, g: sk.f1_score(g >= 0.5, a >= 0.5, zero_division=0),
    "f1(threshold=0.8)": lambda a, g: sk.f1_score(g >= 0.8, a >= 0.8, zero_division=0),
    "auc": lambda a, g: _auc(a, g, 0.5),
    "auc(threshold=0.7)": lambda a, g: _auc(a, g, 0.7),
}
SCORES |= {
    f"{name}(k={k})": lambda a, g, k=k, of_subset=of_subset: np.mean(
        [np.mean([of_subset(chosen) for chosen in combinations(row[~np.isnan(row)], k)]) for row in a]
        if (np.sum(~np.isnan(a), axis=1) >= k).all()
        else [np.nan]
    )
    for k in (1, 2, 3)
    for name, of_subset in {
        "pass_at": lambda chosen: max(chosen) >= 1.0,
        "pass_hat": lambda chosen: min(chosen) >= 1.0,
        "best_of": max,
        "majority_of": lambda chosen: 0.5 + 0.5 * np.sign(np.mean(np.array(chosen) >= 1.0) - 0.5),
    }.items()
}
"""The scores of trials are their means over all choices of k: every one is enumerated."""

COMPARISONS = {
    "wins_mae": lambda a, b, g: np.mean(_sign(np.abs(b - g) - np.abs(a - g))),
    "wins_mae(tolerance=0)": lambda a, b, g: np.mean(np.sign(np.abs(b - g) - np.abs(a - g))),
    "wins_mae_vectorized": lambda a, b, g: _mean_win(a, b, g),
}


def _mean_win(a, b, g):
    width = min(a.shape[1], b.shape[1], g.shape[1])
    lead = np.abs(b[:, :width] - g[:, :width]) - np.abs(a[:, :width] - g[:, :width])
    return np.mean(_sign(lead[~np.isnan(lead)]))


def _sign(lead):
    return np.sign(np.where(np.abs(lead) > 1e-9, lead, 0.0))


def test_every_metric_of_ratings_that_comes_with_nbyk_is_held_to_other_code() -> None:
    held = {get(spec).base_name for spec in (*SCORES, *COMPARISONS)}
    assert {metric.name for metric in (*BUILTIN, *METRICS)} == held


KINDS = ("uniform", "normal", "likert", "binary", "constant", "zeros")


def _responses(rng, kind, shape, ragged):
    match kind:
        case "uniform":
            values = rng.random(shape)
        case "normal":
            values = rng.normal(0.5, 0.4, shape)
        case "likert":
            values = rng.integers(0, 6, shape) / 5
        case "binary":
            values = rng.integers(0, 2, shape).astype(float)
        case "constant":
            values = np.full(shape, 0.6)
        case _:
            values = np.zeros(shape)
    if ragged:
        sizes = rng.integers(1, shape[-1] + 1, shape[:-1])
        values[np.arange(shape[-1]) >= sizes[..., np.newaxis]] = np.nan
    return values


@st.composite
def batches(draw):
    """Systems (S, R, N, K) and gold (R, N, K_gold) of any kind of values, ragged or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    replicates, items = draw(st.integers(1, 3)), draw(st.integers(2, 60))
    width, gold_width = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    if draw(st.booleans()):
        gold_width = width
    ragged = draw(st.booleans())
    systems = _responses(rng, draw(st.sampled_from(KINDS)), (2, replicates, items, width), ragged)
    gold = _responses(rng, draw(st.sampled_from(KINDS)), (replicates, items, gold_width), ragged)
    return systems, gold


def _as_needed(metric, systems, gold):
    if metric.needs == "responses":
        return systems, gold
    return np.nanmean(systems, axis=-1), np.nanmean(gold, axis=-1)


def _expected_scores(oracle, systems, gold):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([[oracle(system[r], gold[r]) for r in range(len(gold))] for system in systems])


@pytest.mark.parametrize("spec", SCORES)
@settings(max_examples=40, deadline=None)
@given(batch=batches())
def test_scores_equal_the_oracle(spec, batch):
    metric = get(spec)
    systems, gold = _as_needed(metric, *batch)
    expected = _expected_scores(SCORES[spec], systems, gold)
    np.testing.assert_allclose(metric.scores(systems, gold), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("spec", COMPARISONS)
@settings(max_examples=60, deadline=None)
@given(batch=batches())
def test_wins_equal_the_oracle(spec, batch):
    metric = get(spec)
    systems, gold = _as_needed(metric, *batch)
    expected = [COMPARISONS[spec](systems[0, r], systems[1, r], gold[r]) for r in range(len(gold))]
    np.testing.assert_allclose(metric.effects(systems, gold), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["normal", "likert"])
@pytest.mark.parametrize("spec", SCORES)
def test_scores_at_the_size_of_a_study(spec, kind):
    rng = np.random.default_rng(5)
    metric = get(spec)
    systems, gold = _as_needed(
        metric, _responses(rng, kind, (2, 1, 1000, 5), False), _responses(rng, kind, (1, 1000, 5), False)
    )
    expected = _expected_scores(SCORES[spec], systems, gold)
    np.testing.assert_allclose(metric.scores(systems, gold), expected, rtol=1e-9)


@pytest.mark.parametrize(("width", "gold_width"), [(40, 40), (100, 100), (100, 30), (300, 1)])
def test_mean_of_emds_with_many_responses_an_item(width, gold_width):
    rng = np.random.default_rng(6)
    systems, gold = rng.normal(size=(2, 1, 19, width)), rng.normal(size=(1, 19, gold_width))
    expected = _expected_scores(SCORES["mean_of_emds"], systems, gold)
    np.testing.assert_allclose(get("mean_of_emds").scores(systems, gold), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("spec", "system", "gold", "expected"),
    [
        ("inverse_mse", [0.2, 0.4], [0.2, 0.4], np.inf),
        ("spearman", [0.2, 0.2], [0.2, 0.4], np.nan),
        ("spearman", [0.2, 0.4], [0.3, 0.3], np.nan),
        ("spearman", [0.1, 0.2, 0.9], [0.0, 0.5, 0.6], 1.0),
        ("spearman", [0.9, 0.2, 0.1], [0.0, 0.5, 0.6], -1.0),
        ("pearson", [0.1, 0.1, 0.1], [0.2, 0.4, 0.5], np.nan),
        ("pearson", [0.1, 0.3, 0.2], [0.1, 0.1, 0.1], np.nan),
        ("pearson", [0.1, 0.2, 0.9], [0.1, 0.2, 0.9], 1.0),
        ("pearson", [0.1, 0.3, 0.2], [0.6, 0.6 + 1e-16, 0.6 - 2e-16], np.nan),
        ("kendall", [0.2, 0.2], [0.2, 0.4], np.nan),
        ("kendall", [0.2, 0.4], [0.3, 0.3], np.nan),
        ("kendall", [0.1, 0.2, 0.9], [0.0, 0.5, 0.6], 1.0),
        ("kendall", [0.9, 0.2, 0.1], [0.0, 0.5, 0.6], -1.0),
        ("precision", [0.1, 0.2], [0.9, 0.1], 0.0),
        ("recall", [0.9, 0.2], [0.1, 0.1], 0.0),
        ("f1", [0.1, 0.2], [0.1, 0.1], 0.0),
        ("auc", [0.1, 0.2], [0.9, 0.8], np.nan),
        ("auc", [0.4, 0.4], [0.9, 0.1], 0.5),
        ("accuracy", [0.5, 0.5], [0.5, 0.4], 0.5),
    ],
)
def test_degenerate_values_are_the_documented_ones(spec, system, gold, expected):
    score = get(spec).scores(np.array(system).reshape(1, 1, -1), np.array(gold).reshape(1, -1))
    np.testing.assert_array_equal(score, [[expected]])


@pytest.mark.parametrize("n_items", [63, 64, 65, 4095, 4096, 4097, 13_000])
@pytest.mark.parametrize("levels", [2, 5, 1000, None])
def test_kendall_counts_pairs_across_words_and_blocks_of_bits(n_items, levels):
    rng = np.random.default_rng(n_items)
    gold = rng.random(n_items)
    system = gold + rng.normal(0.0, 0.3, n_items)
    if levels:
        gold, system = np.round(gold * levels), np.round(system * levels)
    score = get("kendall").scores(system.reshape(1, 1, -1), gold.reshape(1, -1))[0, 0]
    assert score == pytest.approx(kendalltau(system, gold).statistic, rel=1e-12)


def test_cosine_of_zeros_is_nan():
    gold = np.ones((1, 2, 3))
    np.testing.assert_array_equal(get("cosine").scores(0 * gold[np.newaxis], gold), [[np.nan]])


def test_two_perfect_systems_under_inverse_mse_have_no_effect_to_name():
    gold = np.random.default_rng(3).random((2, 5))
    effects = get("inverse_mse").effects(np.stack([gold, gold]), gold)
    assert np.isnan(effects).all()


@pytest.mark.parametrize("bins", [1, 2, 3, 5, 7, 10, 33, 50, 100, 1000, 2000])
def test_histograms_put_values_at_and_beside_edges_where_numpy_does(bins):
    """0.58 · 50 rounds to below 29 although 29 / 50 is 0.58: the edge decides, not the product."""
    edges = np.array([k / bins for k in range(bins + 1)])
    decimals = np.arange(101) / 100
    beside = [np.nextafter(edges, -1), edges, np.nextafter(edges, 2), decimals, [-0.1, 1.1, 1.0, -0.0]]
    values = np.concatenate(beside)
    counts = np.array([_histogram(np.array([value]), bins) for value in values])
    inside = counts.any(axis=1)
    middle = (counts.argmax(axis=1) + 0.5) / bins
    # Beside a value from the middle of its bin it makes a count of 2, from any other bin two counts of 1.
    systems = np.stack([values, middle], axis=-1)[np.newaxis]
    gold = np.stack([np.where(inside, middle, -1.0), middle], axis=-1)
    scores = get(f"histogram_emd_aggregated({bins})").scores(systems, gold)
    np.testing.assert_array_equal(scores, 0)


@pytest.mark.parametrize("bins", [3, 10, 50, 2000])
@pytest.mark.parametrize("first_edge", [0, 700, 2999, None])
def test_histograms_of_many_values_equal_numpys_wherever_the_first_value_on_an_edge_is(bins, first_edge):
    """From the first value near an edge on, values are compared with edges."""
    rng = np.random.default_rng(bins)
    system, gold = rng.uniform(-0.2, 1.2, (2, 3000))
    system[[5, 6, 7]] = -1e300, 1e300, 1e9
    if first_edge is not None:
        steps = rng.integers(0, bins + 1, 3000 - first_edge)
        system[first_edge:] = np.where(rng.random(len(steps)) < 0.5, steps / bins, system[first_edge:])
    counts = [np.sort(_histogram(values, bins)) for values in (system, gold)]
    expected = np.abs(counts[0] - counts[1]).sum() / bins
    score = get(f"histogram_emd_aggregated({bins})").scores(system.reshape(1, 1, -1), gold[np.newaxis])[0, 0]
    assert score == expected


def test_published_histogram_distance_ignores_where_the_bins_are():
    """The reason for its separate name: everything at one end against everything at the other is 0."""
    low, high = np.full((1, 1, 20, 5), 0.1), np.full((1, 20, 5), 0.9)
    assert get("histogram_mean_of_emds(5)").scores(low, high)[0, 0] == 0
    assert get("mean_of_emds").scores(low, high)[0, 0] == pytest.approx(0.8)


def test_item_means_sum_left_to_right_whatever_the_leading_shape():
    rng = np.random.default_rng(8)
    responses = _responses(rng, "uniform", (2, 3, 11, 6), ragged=True)
    means = item_means(responses)
    assert means.shape == (2, 3, 11)
    for index in np.ndindex(means.shape):
        row = responses[index]
        row = row[~np.isnan(row)]
        assert means[index] == sum(row.tolist()) / len(row)
    np.testing.assert_array_equal(item_means(responses[:, ::2]), means[:, ::2])
    np.testing.assert_array_equal(item_means(responses[0, 0]), means[0, 0])
