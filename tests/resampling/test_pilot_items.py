"""Collections from a pilot's own items: its ratings first, a Dirichlet step beyond, systems of two kinds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.planning.plan import plan
from nbyk.planning.power.estimate import power_of_test
from nbyk.priors import Response, TwoStagePrior
from nbyk.priors.families import TruncatedNormal
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.pilot_items import PilotItems, RedrawnPilot
from nbyk.resampling.rating_pool import RatingPool, concentration, correlation_left
from nbyk.resampling.streams import Streams, stream_key

LIKERT = Response("likert", 5)
NAN = np.nan


def dirichlet_ratings(n: int = 3000, k: int = 6) -> np.ndarray:
    """Return ratings on five levels whose items have shares from a Dirichlet of concentration 4.5."""
    generator = np.random.default_rng(0)
    shares = generator.dirichlet(0.6 * np.array([1.0, 2.0, 3.0, 1.0, 0.5]), size=n)
    return (generator.random((n, k, 1)) > np.cumsum(shares, axis=1)[:, None, :-1]).sum(axis=2) / 5.0


def drawn(population: RedrawnPilot, n_sets: int = 64) -> tuple[np.ndarray, np.ndarray]:
    return population.draw(Streams(stream_key(3, purpose="test"), 0), n_sets)


def test_concentration_is_the_ratio_of_an_analysis_of_variance() -> None:
    ratings = dirichlet_ratings()
    within = ratings.var(axis=1, ddof=1).mean()
    between = ratings.mean(axis=1).var(ddof=1) - within / 6
    assert concentration([ratings]) == pytest.approx(within / between)
    assert concentration([ratings]) == pytest.approx(4.5, abs=0.35)  # three standard errors
    ratings[::2, 3:] = NAN
    assert concentration([ratings]) == pytest.approx(4.5, abs=0.45)
    assert concentration([np.tile([0.2, 0.4, 0.6], (50, 1))]) == 1e6


def test_no_more_ratings_than_there_are_are_drawn_without_replacement() -> None:
    ratings = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, NAN], [0.6, 0.7, 0.8]])
    pool = RatingPool.of(ratings, np.empty(0))
    rows = np.arange(192)
    two = pool.take(rows, 2, np.random.default_rng(2))
    for row, pair in zip(rows, two, strict=True):
        own = ratings[row % 3][~np.isnan(ratings[row % 3])].tolist()
        assert len(set(pair)) == 2
        assert set(pair) <= set(own)
    three = pool.take(rows, 3, np.random.default_rng(2))
    assert all(set(three[row]) == {0.6, 0.7, 0.8} for row in range(2, 192, 3))


@pytest.mark.parametrize("levels", [np.arange(5) / 5, np.empty(0)], ids=["levels", "continuous"])
@pytest.mark.parametrize("known", [2, 3])
def test_beyond_the_ratings_items_and_raters_vary_as_with_all_of_them(known: int, levels: np.ndarray) -> None:
    """Six ratings made of the first two or three have the variances of six real ones, within 7 %."""
    ratings = dirichlet_ratings()
    pool = RatingPool.of(ratings[:, :known], levels)
    others = pool.distributions(20, np.random.default_rng(1))
    six = pool.take(np.arange(len(others.means)), 6, np.random.default_rng(2), others)
    assert six.mean(axis=1).var() == pytest.approx(ratings.mean(axis=1).var(), rel=0.07)
    assert six.var(axis=1, ddof=1).mean() == pytest.approx(ratings.var(axis=1, ddof=1).mean(), rel=0.07)
    if len(levels):
        assert set(six.ravel()) <= set(levels)


@pytest.mark.parametrize(
    ("kind", "levels", "name"),
    [
        ("normal", np.arange(5) / 5, "likert"),
        ("normal", np.empty(0), "clamped"),
        ("normal", np.array([0.0, 1.0]), "binary"),
        ("dirichlet", np.arange(5) / 5, "likert"),
    ],
)
def test_further_ratings_are_by_what_the_own_ones_are_likelier_by(
    kind: str, levels: np.ndarray, name: str
) -> None:
    """Two ratings of 600 items tell normal raters from a Dirichlet; yes and no cannot, and it has less."""
    ratings = dirichlet_ratings(600, 2)
    response = Response(name, len(levels))
    if kind == "normal":
        generator = np.random.default_rng(3)
        latent = generator.uniform(0.1, 0.9, (600, 1)) + generator.normal(0.0, 0.12, (600, 2))
        ratings = response.apply(latent)
    pilot = PilotItems("these", ratings, response)
    assert (len(pilot.take(np.arange(600)).families) == 1) == (kind == "normal" and len(levels) != 2)
    assert replace(pilot, families=()).take(np.arange(9)).families == ()


@pytest.mark.parametrize("levels", [5, 0])
def test_further_ratings_by_a_prior_have_the_moments_of_its_items(levels: int) -> None:
    """Of 20,000 items by the prior with two ratings each: a third, given these, is of whom gave them."""
    response = Response("likert", 5) if levels else Response("clamped")
    prior = TwoStagePrior("these", TruncatedNormal(0.5, 0.2), TruncatedNormal(0.15, 0.05), response)
    generator = np.random.default_rng(4)
    mu, sigma = prior.draw_items(generator.uniform(1e-12, 1.0, (20_000, 2)))
    three = response.respond(mu[:, None], sigma[:, None], generator.normal(size=(20_000, 3)))
    pool = RatingPool.of(three[:, :2], response.values, prior)
    others = pool.distributions(1, generator)
    third = others.draw(np.arange(20_000), 1, generator)[:, 0]
    away = np.abs(three[:, :2].mean(axis=1) - third), np.abs(three[:, :2].mean(axis=1) - three[:, 2])
    for power in (1.0, 2.0):
        one, other = away[0] ** power, away[1] ** power
        assert one.mean() == pytest.approx(other.mean(), abs=4.0 * np.hypot(one.std(), other.std()) / 141)
    assert others.means.std() == pytest.approx(response.mean(mu, sigma).std(), rel=0.03)


def test_what_two_systems_ratings_leave_open_is_as_alike_as_normal_means_are() -> None:
    """The posterior of two normal means has the precision Σ⁻¹ + K/σ²: of 20,000 items, within .03."""
    rng, true = np.random.default_rng(1), np.array([[1.0, 0.6], [0.6, 1.5]])
    means = rng.multivariate_normal([0.0, 0.0], true, 20_000)
    ratings = [
        means[:, :1] + rng.normal(0.0, 1.0, (20_000, 2)),
        means[:, 1:] + rng.normal(0.0, 1.3, (20_000, 3)),
    ]
    left = np.linalg.inv(np.linalg.inv(true) + np.diag([2.0, 3.0 / 1.69]))
    expected = left[0, 1] / np.sqrt(left[0, 0] * left[1, 1])
    assert correlation_left(ratings) == pytest.approx(expected, abs=0.03)
    assert correlation_left([ratings[0][:, :1], ratings[1]]) == 0.0  # without noise nothing is open


def test_two_systems_that_are_good_on_the_same_items_need_no_more_of_them() -> None:
    """N is ((z_α + z_power) s/δ)² with s² = .03² + 2 (.15²)/10; before, twice as many."""
    sizes, needed = [], (1.95996 + 0.84162) ** 2 * (0.03**2 + 2.0 * 0.15**2 / 10) / 0.02**2
    for seed in range(3):
        rng = np.random.default_rng(seed)
        common, apart = rng.normal(0.0, 0.2, 400), rng.normal(0.02, 0.03, 400)
        a, b = (
            (0.5 + common + side * apart)[:, None] + rng.normal(0.0, 0.15, (400, 2)) for side in (0.5, -0.5)
        )
        a += 0.02 - (a - b).mean()
        low, length = min(a.min(), b.min()), np.ptp([a, b])
        pair = ((a - low) / length, (b - low) / length)
        pilot = PilotItems("pilot", None, Response("clamped"), systems=pair)
        sizes.append(plan(pilot, metric="mean", k_responses=10, power=0.8, precision=0.03).n_items)
    assert np.mean(sizes) == pytest.approx(needed, rel=0.25)


@pytest.mark.parametrize("gold", [True, False])
def test_further_ratings_of_a_real_pair_know_its_answers(gold: bool) -> None:
    """Two ratings of an item stand for ten as twelve do. Before, N was three times as many."""
    generator, n = np.random.default_rng(4), 4000
    mu = generator.uniform(0.2, 0.8, n)
    ratings = np.clip(mu[:, None] + generator.normal(0.0, 0.15, (n, 12)), 0.0, 1.0)
    answers = [(mu + generator.normal(0.0, sd, n))[:, None] for sd in (0.05, 0.15)]
    if not gold:  # people rate both answers, whose quality has half its variance in common
        own = mu[:, None] + generator.normal((0.0, 0.03), 0.17, (n, 2))
        answers = [np.clip(of[:, None] + generator.normal(0.0, 0.15, (n, 12)), 0.0, 1.0) for of in own.T]
    signals = []
    for known in (2, 12):
        pair = tuple(of[:, :known] for of in answers)
        pilot = PilotItems("pilot", ratings[:, :known] if gold else None, LIKERT, systems=pair)  # type: ignore[arg-type]
        effects = item_effects(RedrawnPilot(pilot, 1024, 10, 0.0), "mae" if gold else "mean", chunk=0)[0]
        signals.append(abs(float(effects.mean())) / float(effects.std()))
    few, many = signals
    assert few == pytest.approx(many, rel=0.15)


def small_pair(n: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return whole ratings (n, 5) from 1 to 5, and the answers of a better and of a worse system."""
    generator = np.random.default_rng(11)
    mu = generator.normal(3.0, 0.9, (n, 1))
    gold, a, b = (
        np.clip(np.round(mu + generator.normal(0.0, sd, (n, width))), 1, 5)
        for sd, width in ((1.2, 5), (0.4, 1), (0.9, 1))
    )
    return gold, a, b


def of_small_pair() -> PilotItems:
    gold, a, b = small_pair()
    return PilotItems("these", gold / 5, Response("clamped"), (a / 5, b / 5))


def test_every_set_draws_the_order_of_an_items_ratings_afresh() -> None:
    """Effects on single items have the mean and the variance of all pairs of ratings of all items."""
    gold, a, b = small_pair()
    pairs = np.stack([gold[:, list(pair)].mean(axis=1) for pair in combinations(range(5), 2)], axis=1) / 5
    every = np.abs(pairs - b / 5) - np.abs(pairs - a / 5)
    of_sets = np.concatenate(
        [
            item_effects(RedrawnPilot(of_small_pair(), 2000, 2, 0.0), "mae", chunk=chunk)[0].ravel()
            for chunk in range(10)
        ]
    )
    error = every.std() / np.sqrt(of_sets.size)
    assert abs(of_sets.mean() - every.mean()) < 4.0 * error
    assert of_sets.var() == pytest.approx(every.var(), rel=0.01)  # five standard errors


def test_each_combination_of_an_items_ratings_is_as_frequent() -> None:
    ratings = np.tile([0.1, 0.2, 0.3, 0.4, 0.5], (2, 1))
    two = RatingPool.of(ratings, np.empty(0)).take(np.zeros(40_000, int), 2, np.random.default_rng(2))
    _, counts = np.unique(two, axis=0, return_counts=True)
    assert len(counts) == 20
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.statistics
@pytest.mark.parametrize("seed", [0, 1])
def test_a_real_pair_has_the_power_of_exact_redraws(seed: int) -> None:
    """Items, and two of their five ratings, are drawn 8,000 times in numpy, which also does the swap test."""
    gold, a, b = small_pair()
    found = power_of_test(
        RedrawnPilot(of_small_pair(), 100, 2, 0.0), alternative="two-sided", n_sets=8000, seed=seed
    )
    generator = np.random.default_rng(3)
    items = generator.integers(len(gold), size=(8000, 100))
    order = generator.random((*items.shape, 5)).argsort(axis=-1)[..., :2]
    mean = np.take_along_axis(gold[items], order, axis=-1).mean(axis=-1)
    d = np.abs(mean - b[items, 0]) - np.abs(mean - a[items, 0])
    rejected = []
    for some in np.split(np.rint(2 * d), 80):  # whole numbers, so that ties are ties
        swapped = some @ generator.choice([-1.0, 1.0], size=(100, 2000))
        observed = some.sum(axis=1, keepdims=True)
        tails = np.minimum((swapped >= observed).sum(axis=1), (swapped <= observed).sum(axis=1))
        rejected.append(2 * (1 + tails) / 2001 <= 0.05)
    # three standard errors of the difference
    assert found.power == pytest.approx(np.concatenate(rejected).mean(), abs=0.023)


@pytest.mark.parametrize("k", [2, 8])
@pytest.mark.parametrize("has_systems", [True, False])
def test_the_order_of_items_and_of_raters_changes_no_number(k: int, has_systems: bool) -> None:
    gold, a, b = (matrix / 5 for matrix in small_pair())
    gold[3, 2:] = NAN
    rows, columns = np.random.default_rng(1).permutation(40), np.random.default_rng(2).permutation(5)

    def population(gold: np.ndarray, a: np.ndarray, b: np.ndarray) -> RedrawnPilot:
        if has_systems:
            return RedrawnPilot(PilotItems("these", gold, Response("clamped"), (a, b)), 30, k, 0.0)
        return RedrawnPilot(PilotItems("these", gold, Response("likert", 6)), 30, k, 0.1)

    one, other = population(gold, a, b), population(gold[rows][:, columns], a[rows], b[rows])
    assert one.key(3, "test") == other.key(3, "test")
    for first, second in ((one.long_run(3), other.long_run(3)), (drawn(one), drawn(other))):
        for before, after in zip(first, second, strict=True):
            assert np.array_equal(before, after)


def test_further_ratings_are_of_the_seed() -> None:
    pilot = PilotItems("these", dirichlet_ratings(40), LIKERT)
    one, again, other = (pilot.distributions(seed)[0].means for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert len(one) >= 100_000
    assert (one != other).mean() > 0.99


def test_answers_stay_on_the_levels_and_keep_their_mean() -> None:
    pilot = PilotItems("these", dirichlet_ratings(400), LIKERT)
    once = RedrawnPilot(pilot, 400, 3, 0.3, 0.0, 0.0, 0.0, 1)
    gold, (a, b) = drawn(once)
    assert gold.shape == (64, 400, 3)
    assert a.shape == b.shape == (64, 400, 1)
    assert set(np.round(5 * np.concatenate([gold.ravel(), a.ravel(), b.ravel()]), 9)) <= {0, 1, 2, 3, 4}
    varied = RedrawnPilot(pilot, 400, 3, 0.05, 0.0, 1.0, 1.0, 4)
    _, systems = drawn(varied)
    _, of_a, of_b = varied.long_run(0)
    for found, expected in zip(systems, (of_a, of_b), strict=True):
        error = expected.std() / np.sqrt(64 * 400)
        assert abs(found.mean() - expected.mean()) < 4.0 * error


def test_a_tiny_perturbation_has_a_tiny_effect_on_levels() -> None:
    pilot = PilotItems("these", dirichlet_ratings(400), LIKERT)
    for spread in (0.0, 1.0):
        _, a, b = RedrawnPilot(pilot, 2, 1, 1e-6, 0.0, spread, spread).long_run(0)
        assert np.abs(a - b).mean() < 1e-4


@pytest.mark.statistics
def test_a_real_pair_has_the_power_of_a_t_test_on_bootstrapped_items() -> None:
    generator = np.random.default_rng(4)
    gold = dirichlet_ratings(500)
    a = np.clip(gold.mean(axis=1) + generator.normal(0.0, 0.1, 500), 0, 1)[:, None]
    b = np.clip(gold.mean(axis=1) + generator.normal(0.0, 0.14, 500), 0, 1)[:, None]
    pilot = PilotItems("these", gold, Response("clamped"), (a, b))
    found = power_of_test(RedrawnPilot(pilot, 150, 6, 0.0), alternative="two-sided", n_sets=2000)
    d = (np.abs(b[:, 0] - gold.mean(axis=1)) - np.abs(a[:, 0] - gold.mean(axis=1)))[
        generator.integers(500, size=(2000, 150))
    ]
    power = (stats.ttest_1samp(d, 0.0, axis=1).pvalue <= 0.05).mean()
    assert found.power == pytest.approx(power, abs=0.05)  # three standard errors of the difference


def test_items_without_ratings_and_single_items_are_refused() -> None:
    with pytest.raises(NbykError, match="item 1 has no rating"):
        PilotItems("these", np.array([[0.1], [NAN]]), LIKERT)
    with pytest.raises(NbykError, match="found 1 item"):
        PilotItems("these", np.array([[0.1]]), LIKERT)
    with pytest.raises(NbykError, match="neither ratings nor systems"):
        PilotItems("these", None, LIKERT)
    with pytest.raises(NbykError, match="differ in their items"):
        PilotItems("these", np.ones((3, 2)), LIKERT, (np.ones((2, 1)), np.ones((3, 1))))
