"""Simulation against closed forms, exact enumeration and a plain rewriting of Algorithm 3."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Constant, Uniform
from nbyk.resampling.count_sets import draw_count_sets
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import (
    simulate,
    simulated_effects,
)
from nbyk.resampling.streams import ReplicateStreams, chunks
from nbyk_papers.wein2023.cells import simulate_systems
from tests.oracles.chisquare import assert_drawn_from

SIMULATED = published_prior("simulated", "published")
TOXICITY = published_prior("toxicity", "published")
POPULATION = Population(SIMULATED, n_items=40, k_responses=3, epsilon_b=0.3)


def constant_prior(mu: float, sigma: float, response: Response) -> TwoStagePrior:
    return TwoStagePrior("constant", Constant(mu), Constant(sigma), response)


def test_response_moments_are_those_of_the_prior() -> None:
    """U(0, 1) means and U(0, .3) deviations: responses have mean .5 and variance 1/12 + .03."""
    data = simulate(Population(SIMULATED, 60_000, 4, 0.3), seed=1)
    for matrix in (data.gold, data.a):
        assert abs(matrix.mean() - 0.5) < 5 * np.sqrt(1 / 12 / 60_000)
        assert abs(matrix.var() - (1 / 12 + 0.03)) < 0.002
        assert abs(matrix.var(axis=1, ddof=1).mean() - 0.03) < 0.001
    assert abs(np.cov(data.gold[:, 0], data.a[:, 0])[0, 1] - 1 / 12) < 0.002
    assert data.gold.min() < 0.0 < 1.0 < data.gold.max(), "continuous responses are not clamped"


def test_b_is_perturbed_and_clamped() -> None:
    """At σ = 0 the responses are the means: A is gold, B is off by U(−ε, ε) and stays in [0, 1]."""
    prior = TwoStagePrior("sharp", Uniform(0, 1), Constant(0.0), Response("normal"))
    data = simulate(Population(prior, 50_000, 1, 0.3), seed=2)
    assert_array_equal(data.a, data.gold)
    off = (data.b - data.gold)[(data.gold > 0.3) & (data.gold < 0.7)]
    assert stats.kstest(off, stats.uniform(-0.3, 0.6).cdf).pvalue > 0.01
    assert data.b.min() == 0.0
    assert data.b.max() == 1.0


def binary_means(probabilities: list[float], k: int) -> dict[tuple[float, ...], float]:
    """Joint distribution of N independent means of K binary responses."""
    joint = {}
    for counts in product(range(k + 1), repeat=len(probabilities)):
        weight = 1.0
        for count, p in zip(counts, probabilities, strict=True):
            weight *= comb(k, count) * p**count * (1 - p) ** (k - count)
        joint[tuple(count / k for count in counts)] = weight
    return joint


def counted_effects(population: Population, hypothesis: str, n_draws: int, seed: int) -> np.ndarray:
    """Effects in MAE of sets of which only the counts of responses are drawn."""
    key, parts = population.key(seed, f"true {hypothesis} sufficient"), []
    for chunk, size in chunks(n_draws):
        *_, sets = draw_count_sets(population, ReplicateStreams(key, chunk), size, null=hypothesis == "null")
        units, unit = sets.item_units(get("mae"))
        parts.append(unit * units.mean(axis=1))
    return np.concatenate(parts)


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("hypothesis", ["alternative", "null"])
def test_binary_effects_have_the_enumerated_distribution(counted: bool, hypothesis: str) -> None:
    """N = 2, K = 2, μ = .6, σ = .5, ε = 0: every outcome of the effect in MAE has a known probability."""
    p = float(stats.norm.cdf(0.1 / 0.5))
    joint = binary_means([p] * 6, 2)
    exact: dict[float, float] = defaultdict(float)
    for means, weight in joint.items():
        gold, a, b = (np.array(means[start : start + 2]) for start in (0, 2, 4))
        effect = round(float(np.abs(b - gold).mean() - np.abs(a - gold).mean()), 9) + 0.0
        exact[effect] += weight
    population = Population(constant_prior(0.6, 0.5, Response("binary")), 2, 2, 0.0)
    if counted:
        effects = counted_effects(population, hypothesis, 8_000, 3)
    else:
        effects = getattr(simulated_effects(population, "mae", n_draws=8_000, seed=3), hypothesis)[0]
    assert_drawn_from(effects, exact)


def plain_effects(hypothesis: str, k: int, likert: bool, m: int) -> np.ndarray:
    """Algorithm 3 and the null of section 3.2.2, one response at a time, with numpy's own generator."""
    generator = np.random.default_rng(4)
    effects = []
    for _ in range(m):
        if likert:
            mu = np.minimum(np.abs(generator.normal(0, 0.28, 40)), 0.8)
            sigma = np.clip(generator.triangular(-0.05, 0.21, 0.45, 40), 0, 1)
        else:
            mu, sigma = generator.uniform(0, 1, 40), generator.uniform(0, 0.3, 40)
        mean_b = np.clip(mu + generator.uniform(-0.3, 0.3, 40), 0, 1)
        shape = (40, k)

        def respond(
            mean: np.ndarray, sigma: np.ndarray = sigma, shape: tuple[int, int] = shape
        ) -> np.ndarray:
            x = generator.normal(mean, sigma[:, None], shape)
            if not likert:
                return x
            x = np.floor(np.clip(x, 0, 1) * 5) / 5
            return np.minimum(x, 0.8)

        gold = respond(mu[:, None])
        if hypothesis == "alternative":
            a, b = respond(mu[:, None]), respond(mean_b[:, None])
        else:
            a, b = (
                respond(np.where(generator.random(shape) < 0.5, mu[:, None], mean_b[:, None]))
                for _ in range(2)
            )
        errors = [np.abs(system.mean(axis=1) - gold.mean(axis=1)).mean() for system in (a, b)]
        effects.append(errors[1] - errors[0])
    return np.array(effects)


@pytest.mark.parametrize(("likert", "counted"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("hypothesis", ["alternative", "null"])
def test_effects_have_the_distribution_of_a_plain_simulation(
    likert: bool, hypothesis: str, counted: bool
) -> None:
    """Two-sample KS, 2000 draws each; the shortcut of counts included."""
    population = replace(POPULATION, prior=TOXICITY if likert else SIMULATED)
    if counted:
        effects = counted_effects(population, hypothesis, 2000, 5)
    else:
        effects = getattr(simulated_effects(population, "mae", n_draws=2000, seed=5), hypothesis)[0]
    plain = plain_effects(hypothesis, 3, likert, 2000)
    assert stats.ks_2samp(*np.round([effects, plain], 9)).pvalue > 0.005  # ties differ by rounding


def test_epsilon_a_mirrors_epsilon_b() -> None:
    """Swapping ε_A and ε_B turns the effect round; KS of 2000 draws each."""
    one = simulated_effects(Population(SIMULATED, 30, 2, 0.4, 0.1), "mae", n_draws=2000, seed=6)
    other = simulated_effects(Population(SIMULATED, 30, 2, 0.1, 0.4), "mae", n_draws=2000, seed=7)
    assert stats.ks_2samp(one.alternative[0], -other.alternative[0]).pvalue > 0.005
    assert one.alternative.mean() > 0.05


METRICS = ("mae", "spearman", "cosine", "histogram_mean_of_emds(bins=5)")


@pytest.mark.parametrize("prior", [SIMULATED, TOXICITY], ids=["simulated", "toxicity"])
def test_numbers_do_not_depend_on_threads_batches_metrics_or_m(
    prior: TwoStagePrior, monkeypatch: pytest.MonkeyPatch
) -> None:
    population = replace(POPULATION, prior=prior)
    whole = simulated_effects(population, METRICS, n_draws=150, seed=8)
    threaded = simulated_effects(population, METRICS, n_draws=150, threads=3, seed=8)
    alone = simulated_effects(population, "cosine", n_draws=150, seed=8)
    shorter = simulated_effects(population, METRICS, n_draws=70, seed=8)
    monkeypatch.setattr("nbyk.resampling.effects._BATCH_VALUES", 1)
    one_by_one = simulated_effects(population, METRICS, n_draws=150, seed=8)
    for field in ("alternative", "null"):
        numbers = getattr(whole, field)
        assert_array_equal(getattr(threaded, field), numbers)
        assert_array_equal(getattr(one_by_one, field), numbers)
        assert_array_equal(getattr(alone, field)[0], numbers[2])
        assert_array_equal(getattr(shorter, field), numbers[:, :70])


def test_seeds_indices_and_cells_have_streams_of_their_own() -> None:
    sets = [
        simulate(POPULATION),
        simulate(POPULATION, seed=1),
        simulate(POPULATION, index=1),
        simulate(replace(POPULATION, epsilon_b=0.31)),
        simulate(POPULATION, hypothesis="null"),
    ]
    firsts = {float(data.gold[0, 0]) for data in sets}
    assert len(firsts) == len(sets)
    again = simulate(POPULATION)
    assert_array_equal(again.b, sets[0].b)


def test_systems_on_real_gold_have_its_item_moments() -> None:
    """A's responses to an item have the gold responses' mean and standard deviation."""
    gold = np.repeat([[0.2, 0.4, np.nan], [0.5, 0.7, 0.9]], 3000, axis=0)
    data = simulate_systems(gold, Response("normal"), k_responses=4, epsilon_b=0.2, seed=9)
    assert_array_equal(data.gold, gold)
    for rows, mean, sd in ((slice(0, 3000), 0.3, 0.02**0.5), (slice(3000, None), 0.7, 0.2)):
        assert abs(data.a[rows].mean() - mean) < 5 * sd / np.sqrt(12_000)
        assert abs(data.a[rows].std() - sd) < 0.01
    assert data.b.var() > data.a.var()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_items": 1}, "n_items: found 1"),
        ({"k_responses": 0}, "k_responses: found 0"),
        ({"epsilon_b": 1.2}, "epsilon_b: found 1.2"),
        ({"epsilon_a": -0.1}, "epsilon_a: found -0.1"),
        ({"epsilon_b": float("nan")}, "epsilon_b: found nan"),
    ],
)
def test_out_of_range_arguments_are_named(change: dict[str, float], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        replace(POPULATION, **change)  # type: ignore[arg-type]


def test_single_gold_responses_give_no_system() -> None:
    with pytest.raises(NbykError, match="1 of 2 items have a single gold response"):
        simulate_systems(
            np.array([[0.2, np.nan], [0.3, 0.4]]), Response("normal"), k_responses=2, epsilon_b=0.1
        )
