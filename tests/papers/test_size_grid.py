"""Expected p-values over many sizes: against exact enumeration, and against one size at a time."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Constant
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulated_effects
from nbyk.testing.pvalues import expected_p
from nbyk_papers.homan2025.size_draws import HYPOTHESES, RESAMPLINGS, NestedDraws
from nbyk_papers.homan2025.size_grid import size_grid
from nbyk_papers.homan2025.size_patterns import PatternDraws, few_patterns, pattern_chances
from tests.oracles.chisquare import assert_drawn_from

METRICS = ["mae", "wins_mae", "mean_of_emds", "histogram_mean_of_emds(bins=5)"]


def of_sizes(prior: TwoStagePrior, sizes: list[tuple[int, int]], epsilon_b: float) -> list[Population]:
    return [Population(prior, n, k, epsilon_b) for n, k in sizes]


Distribution = dict[float, float]
Pattern = tuple[int, int, int]


def exact_effects(n_items: int) -> dict[tuple[str, str], Distribution]:
    """Exact distributions of the MAE effect of N items with one binary response each, by enumeration.

    Every item has gold and A responses with chance .7 of a one, and B's with chance Φ(z/2), z = Φ⁻¹(.7).
    """
    p_a, p_b = chances()
    of_one = {"alternative": {}, "multistage": {}}
    for g, a, b in product((0, 1), repeat=3):
        for name, (one_a, one_b) in {
            "alternative": (p_a, p_b),
            "multistage": ((p_a + p_b) / 2,) * 2,
        }.items():
            of_one[name][g, a, b] = np.prod(
                [p if x else 1 - p for x, p in ((g, p_a), (a, one_a), (b, one_b))]
            )
    of_one["flat"] = defaultdict(float)
    for (g, a, b), chance in of_one["alternative"].items():
        for pair in product((a, b), repeat=2):
            of_one["flat"][g, *pair] += chance / 4
    return {
        (semantics, name): (bootstrapped if semantics == "published" else summed)(patterns, n_items)
        for semantics in RESAMPLINGS
        for name, patterns in of_one.items()
    }


def chances() -> tuple[float, float]:
    return float(ndtr(0.5)), float(ndtr(0.25))


def effect(pattern: Pattern) -> int:
    g, a, b = pattern
    return abs(b - g) - abs(a - g)


def summed(patterns: dict[Pattern, float], n_items: int) -> Distribution:
    total: Distribution = defaultdict(float)
    for items in product(patterns, repeat=n_items):
        total[sum(map(effect, items)) / n_items] += np.prod([patterns[item] for item in items])
    return total


def bootstrapped(patterns: dict[Pattern, float], n_items: int) -> Distribution:
    total: Distribution = defaultdict(float)
    for items in product(patterns, repeat=n_items):
        chance = np.prod([patterns[item] for item in items]) / n_items**n_items
        for resample in product(items, repeat=n_items):
            total[sum(map(effect, resample)) / n_items] += chance
    return total


@pytest.mark.parametrize("engine", [NestedDraws, PatternDraws])
def test_effects_have_the_exact_distribution(engine: type[NestedDraws] | type[PatternDraws]) -> None:
    """σ = 1 and μ = 1: gold and A are ones with chance Φ(.5); B's σ is double, so Φ(.25)."""
    prior = TwoStagePrior("known", Constant(1.0), Constant(1.0), Response("binary"))
    population = Population(prior, 2, 1, 0.0, sd_scale_b=2.0)
    source = engine(population, [get("mae"), get("wins_mae")], seed=5)
    draws = np.concatenate([source.draw([2, 3], chunk, 64) for chunk in range(60)], axis=-1)
    for place, n_items in enumerate((2, 3)):
        exact = exact_effects(n_items)
        for r, semantics in enumerate(RESAMPLINGS):
            for h, hypothesis in enumerate(HYPOTHESES):
                assert_drawn_from(draws[r, h, 0, place], exact[semantics, hypothesis])
    assert (draws[:, :, 1] == draws[:, :, 0]).all(), "with one binary response wins are absolute errors"


def test_pattern_chances_are_integrals_over_the_prior() -> None:
    population = Population(published_prior("hs_brexit"), 1000, 1, 0.1)
    prior = population.prior
    chance = pattern_chances(population)[0].reshape(2, 2, 2)
    whole = [float(np.diff(ndtr((np.array([0, 1]) - of.mean) / of.sd))[0]) for of in (prior.mu, prior.sigma)]

    def both_ones(mu: float, sigma: float) -> float:
        z = [(value - of.mean) / of.sd for value, of in ((mu, prior.mu), (sigma, prior.sigma))]
        density = np.exp(-0.5 * (z[0] ** 2 + z[1] ** 2)) / (2 * np.pi * prior.mu.sd * prior.sigma.sd)
        return float(ndtr((mu - 0.5) / sigma) ** 2 * density / (whole[0] * whole[1]))

    # The first of the two combinations of one response is a one.
    assert chance[0, 0].sum() == pytest.approx(dblquad(both_ones, 0, 1, 0, 1, epsrel=1e-5)[0], rel=2e-4)
    assert pattern_chances(population, 17) == pytest.approx(pattern_chances(population), abs=2e-5)


@pytest.mark.parametrize(("source", "k"), [("armis", 3), ("toxicity", 1)])
def test_patterns_and_items_draw_the_same_effects(source: str, k: int) -> None:
    population = Population(published_prior(source), 2, k, 0.2, epsilon_a=0.1)
    metrics = [get(name) for name in (*METRICS, "spearman")]
    engines = NestedDraws(population, metrics, 3), PatternDraws(population, metrics, 3)
    draws = [
        np.concatenate([engine.draw([60, 100], chunk, 64) for chunk in range(8)], axis=-1)
        for engine in engines
    ]
    mean, sd = (np.stack([getattr(np, moment)(d, axis=-1) for d in draws]) for moment in ("mean", "std"))
    error = np.sqrt((sd**2).sum(axis=0) / (8 * 64))
    assert (np.abs(mean[0] - mean[1]) <= 4.2 * error).all()
    assert sd[0] == pytest.approx(sd[1], rel=0.2)


def test_recommended_p_values_are_those_of_fresh_draws() -> None:
    prior = published_prior("multidomain")
    grid = size_grid(of_sizes(prior, [(40, 5)], 0.2), METRICS, n_draws=2000, seed=1).to_pandas()
    plain = simulated_effects(Population(prior, 40, 5, 0.2), METRICS, n_draws=2000, seed=2)
    grid = grid[(grid["semantics"] == "recommended") & (grid["bootstrap"] == "multistage")]
    for row, (_, of_metric) in enumerate(grid.iterrows()):
        expected = expected_p(plain.alternative[row], plain.null[row])
        error = np.hypot(expected.standard_error, of_metric["standard_error"])
        assert abs(of_metric["p"] - expected.p) < 4 * error
        spread = of_metric["effect_sd"] * (1 / of_metric["n_draws"] + 1 / 2000) ** 0.5
        assert abs(of_metric["effect"] - plain.alternative[row].mean()) < 4 * spread


def test_published_p_values_are_larger_and_flat_ones_larger_still() -> None:
    grid = size_grid(of_sizes(published_prior("toxicity"), [(20, 50)], 0.1), "mae", n_draws=4000).to_pandas()
    p = grid.set_index(["semantics", "bootstrap"])["p"]
    assert 2 < p["published", "multistage"] / p["recommended", "multistage"] < 12
    assert (p[:, "flat"] > p[:, "multistage"]).all()


def test_a_cell_does_not_depend_on_what_else_is_asked_for() -> None:
    prior = published_prior("hs_brexit")
    asked = {"n_draws": 200, "seed": 8}
    several = size_grid(
        of_sizes(prior, [(2000, 1), (30, 4), (90, 4), (30, 9)], 0.3),
        [*METRICS, "spearman"],
        **asked,
        threads=2,
    ).to_pandas()
    for size in ((2000, 1), (30, 4), (30, 9)):
        alone = size_grid(of_sizes(prior, [size], 0.3), METRICS[1:3], **asked).to_pandas()
        same = several.merge(alone, on=["n_items", "k_responses", "metric", "semantics", "bootstrap"])
        assert len(same) == len(alone) == 8
        for name in ("p", "standard_error", "effect", "effect_sd", "n_draws"):
            assert (same[f"{name}_x"] == same[f"{name}_y"]).all()


def test_draws_stop_where_a_p_value_is_settled() -> None:
    prior = published_prior("amazon")
    grid = size_grid(of_sizes(prior, [(10, 1), (40, 100)], 0.1), "mae", n_draws=5000).to_pandas()
    first, second = (grid[grid["n_items"] == n] for n in (10, 40))
    assert (first["n_draws"] == 1024).all()
    assert (first["p"] > 0.2).all()
    small = second[second["p"] < 0.2]
    assert (small["n_draws"] == 5000).all()
    assert (small["standard_error"] > 0.02 * small["p"]).all()


def test_few_patterns_only_where_they_are_fewer_than_the_items() -> None:
    binary, likert = Response("binary"), Response("likert", 5)
    assert few_patterns(binary, 64, 1)
    assert not few_patterns(binary, 63, 1)
    assert few_patterns(likert, 1000, 1)
    assert not few_patterns(likert, 100_000, 5)
    assert not few_patterns(Response("normal"), 100_000, 1)


def test_an_undefined_correlation_has_no_p_value() -> None:
    prior = TwoStagePrior("sure", Constant(0.9), Constant(0.01), Response("binary"))
    grid = size_grid(of_sizes(prior, [(3, 2)], 0.0), ["spearman", "mae"], n_draws=64).to_pandas()
    by_metric = grid.set_index("metric")
    assert by_metric.loc["spearman", ["p", "standard_error", "effect", "effect_sd"]].isna().all(axis=None)
    assert (by_metric.loc["mae", "p"] == 1.0).all()


@pytest.mark.parametrize(
    ("metrics", "sizes", "message"),
    [
        ([], [(10, 2)], "at least one metric"),
        (["mae"], [], "at least one metric and one size"),
        (["cosine"], [(10, 2)], "cosine needs single responses"),
        (["mae"], [(1, 2)], "n_items: found 1"),
        (["mae"], [(10, 0)], "k_responses: found 0"),
    ],
)
def test_bad_grids_are_refused(metrics: list[str], sizes: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        size_grid(of_sizes(published_prior("amazon"), sizes, 0.1), metrics)
    with pytest.raises(NbykError, match="continuous"):
        size_grid(of_sizes(published_prior("simulated"), [(10, 2)], 0.1), "mae")
    with pytest.raises(NbykError, match="more than N and K"):
        size_grid([Population(published_prior("amazon"), 10, 2, epsilon) for epsilon in (0.1, 0.2)], "mae")
