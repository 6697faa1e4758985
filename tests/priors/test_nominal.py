"""The nominal family against closed forms, exact enumeration and scipy; fits of what it draws."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom, dirichlet, dirichlet_multinomial, kstest

import nbyk
from nbyk.errors import NbykError
from nbyk.priors import ClassPrior, OrdinalPrior, Response, TwoStagePrior, fit_classes
from nbyk.priors.families import Constant, Normal, open_uniforms
from nbyk.priors.nominal import check_classes, labels_of, mixed, shares_of
from nbyk.priors.ordinal import label_prior_in
from nbyk.resampling.count_sets import as_thresholds, draw_counts
from nbyk.resampling.labels import LabelPopulation
from nbyk.resampling.streams import ReplicateStreams, Streams, stream_key
from tests.oracles.chisquare import assert_drawn_from

ALPHAS = [(1.37, 1.33), (5.22, 0.86, 2.75), (10.0, 3, 3, 3, 3), (0.2, 0.2, 0.2, 0.2), (900.0, 40, 60)]
N_DRAWS = 100_000


def drawn(prior: ClassPrior, n_items: int, seed: int = 0) -> np.ndarray:
    return prior.draw(open_uniforms(np.random.default_rng(seed), (n_items, prior.n_uniforms)))


def counts_from(prior: ClassPrior, n_items: int, k: int, seed: int = 0) -> np.ndarray:
    """Return counts of K labels to each item, (N, M), by the compiled draw."""
    above = drawn(prior, n_items, seed)[:, np.newaxis]
    out = np.empty(above.shape, np.int32)
    streams = ReplicateStreams(stream_key(seed, purpose="nominal"), 0)
    draw_counts(*streams.take("gold", 1), k, as_thresholds(above), out)
    at_least = np.concatenate([np.full((1, n_items), k), out[:, 0], np.zeros((1, n_items), np.int32)])
    return (at_least[:-1] - at_least[1:]).T


@pytest.mark.parametrize("alpha", ALPHAS)
def test_shares_have_the_moments_of_a_dirichlet(alpha: tuple[float, ...]) -> None:
    """Within 5 standard errors; each share is a beta draw by the Kolmogorov-Smirnov test too."""
    prior = ClassPrior("mine", alpha)
    shares = shares_of(drawn(prior, N_DRAWS))
    law = dirichlet(alpha)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert np.allclose(prior.shares, law.mean())
    assert (np.abs(shares.mean(axis=0) - law.mean()) < 5 * np.sqrt(law.var() / N_DRAWS)).all()
    centred = shares - law.mean()
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(N_DRAWS)
    assert (np.abs(products.mean(axis=0) - law.cov()) < 5 * error).all()
    for c, a in enumerate(alpha):
        assert kstest(shares[:, c], "beta", (a, sum(alpha) - a)).pvalue > 1e-4


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("k", [1, 2, 4])
def test_counts_have_the_probabilities_of_every_outcome(alpha: tuple[float, ...], k: int) -> None:
    prior = ClassPrior("mine", alpha)
    outcomes = [row for row in itertools.product(range(k + 1), repeat=len(alpha)) if sum(row) == k]
    chances = dirichlet_multinomial(alpha, k).pmf(np.array(outcomes))
    place = {row: number for number, row in enumerate(outcomes)}
    rows = counts_from(prior, 20_000, k, seed=k)
    assert_drawn_from(np.array([place[tuple(row)] for row in rows.tolist()]), dict(enumerate(chances)))


@pytest.mark.parametrize("world", ["binary", "classes"])
def test_binary_ratings_are_labels_of_two_classes(world: str) -> None:
    """With μ ~ N(½, σ²) the share of 1 is uniform, a Dirichlet(1, 1): gold's count and A's answer agree."""
    k, n_items = 4, 40_000
    if world == "binary":
        prior = TwoStagePrior("mine", Normal(0.5, 0.01), Constant(0.01), Response("binary"))
        drawn = nbyk.simulate(nbyk.Population(prior, n_items, k, 0.0, n_runs=1))
        ones, answer = drawn.gold.sum(axis=1), drawn.a[:, 0]
    else:
        labels = LabelPopulation(ClassPrior("mine", (1, 1)), n_items, k, 0.0)
        gold, systems = labels.draw(Streams(stream_key(0, purpose="two classes"), 0), 1)
        ones, answer = gold[0].sum(axis=1), systems[0, 0, :, 0]
    chances = {
        2 * of_gold + of_a: betabinom.pmf(of_gold + of_a, k + 1, 1, 1)
        * math.comb(k, of_gold)
        / math.comb(k + 1, of_gold + of_a)
        for of_gold, of_a in itertools.product(range(k + 1), range(2))
    }
    assert sum(chances.values()) == pytest.approx(1.0)
    assert_drawn_from((2 * ones + answer).astype(int), chances)


def test_log_likelihood_is_scipys_without_the_coefficient() -> None:
    prior = ClassPrior("mine", (5.22, 0.86, 2.75))
    counts = counts_from(prior, 50, 4)
    coefficient = sum(
        float(dirichlet_multinomial.logpmf(row, prior.alpha, 4)) - prior.log_likelihood(row[None])
        for row in counts
    )
    from scipy.special import gammaln

    assert coefficient == pytest.approx((gammaln(5) - gammaln(counts + 1).sum(axis=1)).sum())
    two = ClassPrior("two", (1.37, 1.33))
    single = [two.log_likelihood([[3 - n, n]]) for n in range(4)]
    expected = [betabinom.logpmf(n, 3, 1.33, 1.37) - np.log([1, 3, 3, 1][n]) for n in range(4)]
    assert single == pytest.approx(expected)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(0.01, 300), min_size=2, max_size=12), st.floats(0, 1))
def test_mixing_moves_shares_towards_noise(alpha: list[float], epsilon: float) -> None:
    prior = ClassPrior("mine", tuple(alpha))
    own, noise = drawn(prior, 20), drawn(prior.noise, 20, seed=1)
    both = shares_of(mixed(own, noise, epsilon))
    assert (both >= -1e-12).all()
    assert np.allclose(both, (1 - epsilon) * shares_of(own) + epsilon * shares_of(noise))
    assert np.array_equal(mixed(own, noise, 0.0), own)


def test_single_labels_are_those_of_the_shares() -> None:
    prior = ClassPrior("mine", (5.22, 0.86, 2.75))
    u = open_uniforms(np.random.default_rng(3), (5000, 2))
    labels = labels_of(drawn(prior, 5000), u)
    pairs = dirichlet_multinomial(prior.alpha, 2)
    chances = [
        float(pairs.pmf(np.bincount([first, second], minlength=3))) / (1 if first == second else 2)
        for first, second in itertools.product(range(3), repeat=2)
    ]
    assert_drawn_from(labels[:, 0] * 3 + labels[:, 1], dict(enumerate(chances)))


@pytest.mark.parametrize("alpha", ALPHAS[:4])
def test_a_fit_of_drawn_labels_draws_such_labels(alpha: tuple[float, ...]) -> None:
    """The fit is within 4 standard errors of α, measured by 8 other sets; it passes its check."""
    prior = ClassPrior("mine", alpha)
    fits = [fit_classes("drawn", counts_from(prior, 600, 5, seed), n_sets=1) for seed in range(1, 9)]
    logs = np.log([fitted.prior.alpha for fitted in fits])
    assert (np.abs(logs.mean(axis=0) - np.log(alpha)) < 4 * logs.std(axis=0, ddof=1) / np.sqrt(8)).all()
    again = counts_from(fits[0].prior, 4000, 5, seed=99)
    assert (np.abs(again.mean(axis=0) / 5 - prior.shares) < 0.05).all()
    fitted = fit_classes("drawn", counts_from(prior, 600, 5), n_sets=60)
    assert not fitted.check.rejected, fitted.check
    assert fitted.prior.caution == ""
    data = counts_from(prior, 600, 5)
    assert (
        fitted.prior.log_likelihood(data) >= prior.log_likelihood(data) - 2.0
    )  # the penalty may cost that much


def test_a_fit_of_other_labels_says_where_they_differ() -> None:
    """Half of the items are certain, half are torn between two of four classes: no Dirichlet is."""
    rng = np.random.default_rng(4)
    certain = 5 * np.eye(4, dtype=int)[rng.integers(0, 4, 300)]
    torn = rng.multinomial(5, [0.5, 0.5, 0, 0], 300)
    fitted = fit_classes("odd", np.vstack([certain, torn]), ["a", "b", "c", "d"], n_sets=60)
    assert fitted.check.rejected
    assert fitted.prior.caution.startswith("The prior fitted to odd does not describe its labels well")
    assert "the classes that meet in an item" in fitted.prior.caution


def test_the_check_holds_its_level() -> None:
    """Of 30 sets of the prior itself, about 5 % are rejected: 6 or more with a chance of .003."""
    prior = ClassPrior("mine", (5.22, 0.86, 2.75))
    rejected = sum(
        check_classes(prior, counts_from(prior, 40, 3, seed), seed, n_sets=39).rejected for seed in range(200)
    )
    assert rejected <= 20


def test_it_survives_a_file(tmp_path: Path) -> None:
    prior = ClassPrior("mine", (0.1, 2 / 3), ("no", "yes"), caution="Careful.")
    levels = OrdinalPrior("mine", (-1.0, 2 / 3), 0.3, 0.1, ("low", "mid", "high"), "Careful.")
    for one in (prior, levels):
        (tmp_path / "prior.json").write_text(json.dumps(one.to_dict()))
        again = label_prior_in(tmp_path / "prior.json")
        assert again == one
        assert again is not None
        assert again.caution == "Careful."
    assert prior.key() == ClassPrior("other", (0.1, 2 / 3)).key()


@pytest.mark.parametrize(
    ("alpha", "classes", "problem"),
    [
        ((1.0, 0.0), (), "alpha: found 0 for class 2 of 2, expected a number above 0"),
        ((1.0, -3.0), (), "found -3 for class 2"),
        ((1.0,), (), "expected a number for each of two classes"),
        ((1.0, float("nan")), (), "found nan"),
        ((1.0, 2.0), ("a", "a"), "expected 2 different names"),
        ((1.0, 2.0), ("a",), "expected 2 different names"),
    ],
)
def test_bad_priors_are_refused(alpha: tuple[float, ...], classes: tuple[str, ...], problem: str) -> None:
    with pytest.raises(NbykError) as error:
        ClassPrior("mine", alpha, classes)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ([[3, 0], [2, 0]], "all 5 labels are no"),
        ([[1, 0], [0, 1]], "every item has a single label"),
        ([[2, 1], [0, 0]], "item 1 has no label"),
        ([[2, 1], [0.5, 1]], "whole numbers"),
        ([[2], [1]], "expected (items, at least 2 classes)"),
    ],
)
def test_labels_that_show_no_spread_are_refused(counts: list[list[float]], problem: str) -> None:
    with pytest.raises(NbykError) as error:
        fit_classes("mine", counts, ["no", "yes"])
    assert problem in str(error.value)
