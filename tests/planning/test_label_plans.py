"""Plans for labels: test sets against exact enumeration, pilots, real systems, and refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import dirichlet_multinomial

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.item_moments import curve_from_moments
from nbyk.planning.plan import plan
from nbyk.planning.power.estimate import power_of_test
from nbyk.priors import ClassPrior
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.labels import LabelledItems, LabelPopulation, counts_among
from nbyk.resampling.simulate import simulated_effects
from nbyk.resampling.streams import Streams, stream_key
from tests.oracles.chisquare import assert_drawn_from

PRIOR = ClassPrior("mine", (2.0, 0.5, 1.0), ("no", "maybe", "yes"))
ACCURACY, DIVERGENCE = get("accuracy", "classes"), get("js_divergence", "distributions")


def streams(seed: int = 0) -> Streams:
    return Streams(stream_key(seed, purpose="labels"), 0)


def accuracy_by_enumeration(prior: ClassPrior, k: int, epsilon: float) -> float:
    """Return A's accuracy minus B's, one label each, against the plurality of K labels; ties are shared.

    A's label joins gold's as one more draw of the item, so both are one Dirichlet-multinomial. B's is noise
    with the chance ε, and then any class is as likely.
    """
    m, alpha = prior.levels, np.array(prior.alpha)
    accuracy = 0.0
    for row in itertools.product(range(k + 1), repeat=m):
        if sum(row) == k:
            counts = np.array(row)
            best = counts == counts.max()
            given = (alpha + counts) / (alpha.sum() + k)
            accuracy += (
                float(dirichlet_multinomial(alpha, k).pmf(counts))
                * (given[best].sum() - 1.0 / m * best.sum())
                / best.sum()
            )
    return epsilon * accuracy


@pytest.mark.parametrize(("k", "epsilon"), [(1, 0.3), (3, 0.6)])
def test_accuracy_of_simulated_labels_is_that_of_every_outcome(k: int, epsilon: float) -> None:
    effects = item_effects(LabelPopulation(PRIOR, 1000, k, epsilon), ACCURACY, chunk=0, size=64)
    error = effects.std() / np.sqrt(effects.size)
    assert abs(effects.mean() - accuracy_by_enumeration(PRIOR, k, epsilon)) < 4.5 * error + 0.002


def test_single_labels_and_counted_ones_have_one_distribution() -> None:
    population = LabelPopulation(PRIOR, 2000, 3, 0.5, n_runs=2)
    gold, systems = population.draw(streams(), 5)
    sets = population.sets(streams(1), 5)
    both = [counts_among(gold, 3), np.round(3 * sets.gold).astype(int)]
    outcomes = [row for row in itertools.product(range(4), repeat=3) if sum(row) == 3]
    chances = dict(enumerate(dirichlet_multinomial(PRIOR.alpha, 3).pmf(np.array(outcomes)).tolist()))
    place = {row: number for number, row in enumerate(outcomes)}
    for counts in both:
        assert_drawn_from(np.array([place[tuple(row)] for row in counts.reshape(-1, 3).tolist()]), chances)
    shares = [counts_among(systems[1], 3).mean(axis=(0, 1)) / 2, sets.systems[1].mean(axis=(0, 1))]
    expected = 0.5 * PRIOR.shares + 0.5 / 3
    assert np.abs(np.array(shares) - expected).max() < 0.02
    assert np.array_equal(counts_among(sets.labels, 3), np.round(2 * sets.systems).astype(int))


def test_wins_by_a_distance_are_of_the_items_that_either_system_is_nearer_on() -> None:
    sets = LabelPopulation(PRIOR, 300, 4, 0.5, n_runs=None).sets(streams(2), 2)
    nearer = get("tv_sum", "distributions"), get("wins(tv_sum)", "distributions")
    effects, wins = sets.item_effects(nearer, PRIOR.classes)
    assert np.array_equal(wins, np.sign(np.round(effects, 9)))
    assert (wins.mean(axis=1) > 0.0).all()


def test_fresh_labels_under_the_null_have_no_effect_and_a_pilots_answers_have_no_null() -> None:
    population = LabelPopulation(PRIOR, 400, 3, 0.6)
    metric = ACCURACY.bound(PRIOR.classes, np.eye(3))
    drawn = simulated_effects(population, metric, n_draws=128)
    (effect, error), (of_null, other) = (
        (draws.mean(), draws.std() / 128**0.5) for draws in (drawn.alternative, drawn.null)
    )
    assert abs(effect - accuracy_by_enumeration(PRIOR, 3, 0.6)) < 4.5 * error + 0.004
    assert abs(of_null) < 4.5 * other < 0.5 * effect
    answers = (np.zeros((2, 1)), np.ones((2, 1)))
    of_pilot = LabelPopulation(LabelledItems(PRIOR, np.array([[3, 1, 0], [0, 2, 2]]), answers), 10, 2, 0.0)
    with pytest.raises(NbykError, match="found real systems, whose answers stand"):
        simulated_effects(of_pilot, metric, n_draws=2)


def test_no_noise_is_no_effect_and_more_is_more() -> None:
    for metric in (ACCURACY, DIVERGENCE):
        runs = None if metric is DIVERGENCE else 1
        effects = [
            LabelPopulation(PRIOR, 50, 1, epsilon, n_runs=runs).long_run_effect(metric, 0)
            for epsilon in (0.0, 0.2, 0.6)
        ]
        assert abs(effects[0]) < 0.01
        assert effects[0] < effects[1] < effects[2]


def test_a_pilots_items_are_its_posterior() -> None:
    """An item with many labels has their shares, whatever the prior says."""
    counts = np.array([[900, 50, 50], [0, 0, 1000]])
    population = LabelPopulation(LabelledItems(PRIOR, counts), 2000, 1, 0.0)
    shares = population.sets(streams(), 4).gold.mean(axis=(0, 1))
    expected = ((np.array(PRIOR.alpha) + counts) / (sum(PRIOR.alpha) + 1000)).mean(axis=0)
    assert np.abs(shares - expected).max() < 0.02


def test_each_metric_has_its_own_size_and_the_metric_decides() -> None:
    found = plan(
        ClassPrior("classes", (10.0, 3.0, 3.0)),
        metric=["accuracy", "js_divergence"],
        epsilon=0.5,
        power=0.8,
        precision=0.04,
        max_responses=20,
    )
    assert "By accuracy: " in found.sentence
    assert "By js_divergence: " in found.sentence
    assert found.sentence.endswith("The metric decides.")
    (other,) = found.others
    assert found.cost <= other.cost
    assert "labels" in found.sentence


def test_a_real_pair_is_planned_with_its_own_answers() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 200)
    counts = np.stack([rng.multinomial(4, 0.7 * np.eye(3)[c] + 0.1) for c in truth])
    a, b = (np.where(rng.random(200) < share, truth, rng.integers(0, 3, 200)) for share in (0.4, 0.9))
    items = LabelledItems(PRIOR, counts, (a[:, None].astype(float), b[:, None].astype(float)))
    found = plan(items, n_items=200, k_responses=4, precision=0.03)
    assert "that B is better than A" in found.lines[1]
    assert found.power > 0.8
    again = LabelledItems(PRIOR, counts[::-1], (a[::-1, None].astype(float), b[::-1, None].astype(float)))
    assert again.key() == items.key()


def labelled(n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return counts of K labels of items whose likeliest class two systems know, and the systems' answers."""
    rng = np.random.default_rng(2)
    shares = rng.dirichlet((2.0, 2.0, 2.0), n)
    known = [rng.random((n, 1)) < share for share in (0.8, 0.6)]
    answers = [np.where(one, shares.argmax(axis=1)[:, None], rng.integers(0, 3, (n, 1))) for one in known]
    return rng.multinomial(k, shares), *answers


def test_a_real_pair_differs_by_what_its_own_labels_show() -> None:
    """One of an item's own labels is right for A, for B or for neither: a closed form of N.

    Before, labels were drawn by a posterior that does not know the answers, and N was nine times as many.
    """
    counts, a, b = labelled(4000, 3)
    own = counts / counts.sum(axis=1, keepdims=True)
    right_a, right_b = (np.take_along_axis(own, of, axis=1)[:, 0] for of in (a, b))
    mean, square = (right_a - right_b).mean(), np.where((a == b)[:, 0], 0.0, right_a + right_b).mean()
    expected = curve_from_moments(1, mean, np.sqrt(square - mean**2), 10**6, 0.025).items_for(0.8)
    items = LabelledItems(PRIOR, counts, (a.astype(float), b.astype(float)))
    found = plan(items, k_responses=1, power=0.8, precision=0.03)
    assert found.n_items == pytest.approx(expected, rel=0.1)  # the error of 65,536 items


@pytest.mark.parametrize("k", [2, 10])
def test_further_labels_of_a_real_pair_know_its_answers(k: int) -> None:
    """Three labels of an item stand for ten as ten of its own do; before, with a fifth of the effect."""
    counts, a, b = labelled(20_000, 13)
    few = np.array(
        [np.random.default_rng(item).multivariate_hypergeometric(row, 3) for item, row in enumerate(counts)]
    )
    effects = [
        item_effects(
            LabelPopulation(LabelledItems(PRIOR, of, (a.astype(float), b.astype(float))), 1024, k, 0.0),
            DIVERGENCE,
            chunk=0,
        ).ravel()
        for of in (few, counts)
    ]
    signal, expected = (float(of.mean() / of.std()) for of in effects)
    assert signal == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(
    ("metric", "problem"),
    [
        ("mae", "scores numbers, and these are classes"),
        ("f1_macro", "f1_macro is no mean over items"),
    ],
)
def test_metrics_that_labels_have_no_plan_for_are_refused(metric: str, problem: str) -> None:
    with pytest.raises(NbykError) as error:
        plan(PRIOR, metric=metric, n_items=10, k_responses=2, epsilon=0.3)
    assert problem in str(error.value)


def test_a_metric_by_name_is_that_of_labels() -> None:
    """The accuracy of numbers, with a threshold, took the classes' places for ratings."""
    population = LabelPopulation(PRIOR, 100, 3, 0.4, n_runs=3)
    by_name, by_metric = (power_of_test(population, of, n_sets=128) for of in ("accuracy", ACCURACY))
    assert by_name == by_metric
    assert by_name.power > 0.1
