"""Counts of responses: their chances, their draws, and the test sets made of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Constant
from nbyk.resampling import count_sets as counts
from nbyk.resampling import lanes
from nbyk.resampling.count_sets import check_countable, draw_count_sets
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulate, simulated_effects
from nbyk.resampling.streams import ReplicateStreams, stream_key
from tests.oracles.chisquare import assert_drawn_from

KEY = stream_key(7, purpose="test")


def test_thresholds_are_normal_chances() -> None:
    rng = np.random.default_rng(1)
    mean, sd = rng.uniform(-0.5, 1.5, 5000), rng.uniform(0.0, 0.6, 5000) ** 3
    sd[:50] = 0.0
    mean[:10] = 0.4
    edges = np.array([0.2, 0.4, 0.6, 0.8])
    out = np.empty((4, 5000), np.uint32)
    counts.thresholds(mean, sd, edges, out)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (mean - edges[:, None]) / sd
    expected = ndtr(np.where(mean == edges[:, None], np.where(sd == 0, np.inf, 0.0), z))
    assert np.abs(out / 2.0**32 - expected).max() < 4e-10


def test_thresholds_are_cubics_to_the_last_bit() -> None:
    """Against the same arithmetic in Python, where a response is certain and far out as well."""
    rng = np.random.default_rng(2)
    mean, sd = rng.uniform(-0.5, 1.5, 700), rng.uniform(0.0, 0.6, 700) ** 4
    sd[::9] = 0.0
    mean[:27] = 0.5
    out = np.empty((1, 700), np.uint32)
    counts.thresholds(mean, sd, np.array([0.5]), out)
    for m, s, threshold in zip(mean.tolist(), sd.tolist(), out[0].tolist(), strict=True):
        distance = m - 0.5
        chance = float(distance >= 0.0)
        if s > 0.0:
            place = (min(max(distance / s, -8.5), 8.5) + 8.5) * 64
            cell = min(int(place), 2 * 544 - 1)
            t, (c0, c1, c2, c3) = place - cell, counts._TABLE[cell].tolist()
            chance = c0 + t * (c1 + t * (c2 + t * c3))
        assert threshold == int(min(max(chance * 2.0**32, 0.0), 2.0**32 - 1))


def test_mixed_thresholds_are_means() -> None:
    a, b = np.random.default_rng(3).integers(0, 2**32, (2, 3, 90), dtype=np.uint32)
    a[0, :2], b[0, :2] = 2**32 - 1, (2**32 - 1, 2**32 - 2)
    out = np.empty_like(a)
    counts.mixed_thresholds(a, b, out)
    assert (out == (a.astype(np.uint64) + b) // 2).all()


def test_counts_are_those_of_random_words_below_the_thresholds() -> None:
    levels, n_sets, n, k = 3, 2, 150, 7
    threshold = np.random.default_rng(4).integers(0, 2**32, (levels, n_sets, n), dtype=np.uint32)
    out = np.empty(threshold.shape, np.int32)
    counts.draw_counts(np.uint64(8), 5, k, threshold, out)
    # A block of 64 items takes a row of words for each response.
    blocks = -(-n // counts.BLOCK)
    rows = np.empty((n_sets, blocks * k * lanes.LANES), np.uint64)
    lanes.fill_words(np.uint64(8), 5, rows)
    words = rows.view(np.uint32).reshape(n_sets, blocks, k, counts.BLOCK)
    by_item = words.transpose(0, 1, 3, 2).reshape(n_sets, -1, k)[:, :n]
    assert (out == (by_item < threshold[..., None]).sum(axis=-1)).all()


@pytest.mark.parametrize("k", [1, 4, 33])
def test_counts_are_binomial(k: int) -> None:
    chance = 0.3
    threshold = np.full((1, 300, 100), round(chance * 2**32), np.uint32)
    out = np.empty(threshold.shape, np.int32)
    counts.draw_counts(*ReplicateStreams(KEY, 0).take("gold", 300), k, threshold, out)
    assert_drawn_from(out.ravel(), {x: binom.pmf(x, k, chance) for x in range(k + 1)})


def test_levels_of_one_item_share_their_responses() -> None:
    threshold = np.empty((2, 50, 90), np.uint32)
    threshold[0], threshold[1] = round(0.7 * 2**32), round(0.2 * 2**32)
    out = np.empty(threshold.shape, np.int32)
    counts.draw_counts(*ReplicateStreams(KEY, 0).take("gold", 50), 10, threshold, out)
    assert (out[1] <= out[0]).all()
    # Given how many reach the lower level, those that reach the upper one are binomial(·, .2 / .7).
    assert out[1].sum() / out[0].sum() == pytest.approx(0.2 / 0.7, abs=4 * (0.2 / 35_000) ** 0.5)


def test_words_are_fair_and_independent_of_how_many_are_drawn() -> None:
    few, many = np.empty((3, 40), np.uint64), np.empty((3, 5000), np.uint64)
    lanes.fill_words(np.uint64(9), 0, few)
    lanes.fill_words(np.uint64(9), 0, many)
    assert (many[:, :40] == few).all()
    assert len(np.unique(many)) == many.size
    for bit in (0, 1, 31, 32, 63):
        share = ((many >> np.uint64(bit)) & np.uint64(1)).mean()
        assert share == pytest.approx(0.5, abs=4 * 0.5 / many.size**0.5)


@pytest.mark.parametrize("source", ["toxicity", "armis"])
def test_the_first_items_of_a_large_set_are_those_of_a_small_one(source: str) -> None:
    large = Population(published_prior(source), 300, 5, 0.1, epsilon_a=0.05)
    key = large.key(1, "test", any_size=True)
    few = draw_count_sets(replace(large, n_items=37), ReplicateStreams(key, 0), 4, null=True)
    many = draw_count_sets(large, ReplicateStreams(key, 0), 4, null=True)
    for small, big in zip(few, many, strict=True):
        for name in ("gold", "a", "b"):
            assert (getattr(small, name) == getattr(big, name)[:, :, :37]).all()


def test_null_counts_come_from_either_system() -> None:
    prior = TwoStagePrior("two", Constant(0.5), Constant(0.2), Response("binary"))
    population = Population(prior, 2000, 8, 0.5, sd_scale_a=0.5, sd_scale_b=3.0)
    alternative, null = draw_count_sets(population, ReplicateStreams(KEY, 0), 20, null=True)
    assert (null.gold == alternative.gold).all()
    error = 4 * 0.5 / (2000 * 20 * 8) ** 0.5
    # Both systems have means around one half, so either is 1 half of the time, however it is scaled.
    for matrix in (alternative.a, alternative.b, null.a, null.b):
        assert matrix.mean() / 8 == pytest.approx(0.5, abs=2 * error)
    # B's items differ, A's do not: a null system's variance between items is that of a half share of B.
    between = [matrix.var() / 64 - 0.25 / 8 for matrix in (alternative.a, alternative.b, null.a)]
    assert between[0] == pytest.approx(0.0, abs=0.001)
    assert between[2] == pytest.approx(between[1] / 4, rel=0.15)


@pytest.mark.parametrize("source", ["hs_brexit", "amazon"])
def test_systems_with_their_own_variance(source: str) -> None:
    """The two ways to simulate agree where σ is scaled and ε_A is not zero."""
    metrics = ["mae", "wins_mae", "mean_of_emds"]
    population = Population(published_prior(source), 60, 6, 0.2, 0.1, 0.5, 1.5)
    slow = simulated_effects(population, metrics, n_draws=3000, seed=4)
    counted = draw_count_sets(population, ReplicateStreams(KEY, 0), 3000, null=True)
    for one, sets in zip((slow.alternative, slow.null), counted, strict=True):
        units = (sets.item_units(get(metric)) for metric in metrics)
        other = np.stack([unit * whole.mean(axis=1) for whole, unit in units])
        error = np.sqrt((one.var(axis=1) + other.var(axis=1)) / 3000)
        assert (np.abs(one.mean(axis=1) - other.mean(axis=1)) < 4 * error).all()
        assert one.std(axis=1) == pytest.approx(other.std(axis=1), rel=0.07)


def test_a_system_without_variance_answers_alike() -> None:
    prior = TwoStagePrior("one", Constant(0.55), Constant(0.3), Response("likert", 5))
    data = simulate(Population(prior, 20, 9, 0.0, sd_scale_a=0.0), seed=1)
    assert (data.a == 0.4).all()
    assert data.b.std() > 0.1


@pytest.mark.parametrize("source", ["multidomain", "simulated"])
def test_item_effects_average_to_the_effects(source: str) -> None:
    metrics = ["mae", "wins_mae", "mse", "mean", "mean_of_emds"]
    population = Population(published_prior(source), 150, 4, 0.3)
    effects = item_effects(population, metrics, chunk=0, seed=2)
    assert effects.shape == (5, 64, 150)
    whole = simulated_effects(
        Population(population.prior, 150, 4, 0.3), metrics, n_draws=2000, seed=3
    ).alternative
    means = np.concatenate(
        [item_effects(population, metrics, chunk=chunk, seed=2).mean(axis=2) for chunk in range(8)], axis=1
    )
    error = np.sqrt(whole.var(axis=1) * (1 / 2000 + 1 / 512))
    assert (np.abs(means.mean(axis=1) - whole.mean(axis=1)) < 4 * error).all()
    assert (item_effects(population, metrics, chunk=0, size=10, seed=2) == effects[:, :10]).all()


def test_item_effects_of_a_correlation_do_not_exist() -> None:
    with pytest.raises(NbykError, match="spearman is not a mean over items"):
        item_effects(Population(published_prior("amazon"), 10, 2, 0.1), "spearman", chunk=0)


def test_metrics_and_responses_without_counts_are_refused() -> None:
    with pytest.raises(NbykError, match="response normal is continuous"):
        check_countable([get("mae")], Response("normal"))
    with pytest.raises(NbykError, match="cosine needs single responses, in their order"):
        check_countable([get("cosine")], Response("binary"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_items": 1}, "n_items: found 1"),
        ({"k_responses": 0}, "k_responses: found 0"),
        ({"epsilon_b": 1.5}, "epsilon_b: found 1.5"),
        ({"epsilon_a": -0.1}, "epsilon_a: found -0.1"),
        ({"sd_scale_a": -1.0}, "sd_scale_a: found -1.0"),
        ({"sd_scale_b": float("nan")}, "sd_scale_b: found nan"),
    ],
)
def test_bad_populations_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        Population(
            **{"prior": published_prior("amazon"), "n_items": 9, "k_responses": 2, "epsilon_b": 0.1} | change
        )
