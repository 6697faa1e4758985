"""Scores against scikit-learn and scipy, their directions, and the registry."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from nbyk.errors import NbykError
from nbyk.metrics import get, names
from nbyk_papers.boostsa2022.design import HARD_SCORES, SOFT_SCORES
from tests.oracles.label_scores import label_scores

LABELS = ["ham", "spam", "viagra", "zebra"]
AVERAGED = {
    "precision": sklearn.metrics.precision_score,
    "recall": sklearn.metrics.recall_score,
    "f1": sklearn.metrics.f1_score,
}
pairs = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2, max_size=40)


@given(pairs=pairs)
@settings(max_examples=60, deadline=None)
def test_hard_scores_are_scikit_learns(pairs: list[tuple[str, str]]) -> None:
    """Over four classes of which any may be missing from targets, predictions or both."""
    target, prediction = (list(column) for column in zip(*pairs, strict=True))
    of_a_class = (f"{measure}({label})" for measure in AVERAGED for label in range(len(LABELS)))
    asked = [*HARD_SCORES, *of_a_class]
    codes = ([LABELS.index(label) for label in column] for column in (target, prediction))
    found = label_scores(*codes, asked, len(LABELS))
    expected = {"accuracy": sklearn.metrics.accuracy_score(target, prediction)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for measure, function in AVERAGED.items():
            for average in ("macro", "micro", "weighted"):
                value = function(target, prediction, labels=LABELS, average=average)
                expected[f"{measure}_{average}"] = value
            of_classes = function(target, prediction, labels=LABELS, average=None)
            expected |= {f"{measure}({place})": v for place, v in enumerate(of_classes)}
    assert found == pytest.approx(expected, abs=1e-12)


def test_without_declared_classes_scores_are_scikit_learns_defaults() -> None:
    generator = np.random.default_rng(1)
    target, prediction = generator.integers(0, 3, 200), generator.integers(0, 3, 200)
    for measure, function in AVERAGED.items():
        expected = function(target, prediction, average="macro")
        assert label_scores(target, prediction, f"{measure}_macro")[f"{measure}_macro"] == pytest.approx(
            expected, abs=1e-12
        )


def some_rows(generator: np.random.Generator, n: int, n_classes: int) -> np.ndarray:
    """Return distributions among which some are certain, some even, and some have zeros."""
    rows = generator.dirichlet(np.full(n_classes, 0.7), n)
    rows[generator.random((n, n_classes)) < 0.2] = 0.0
    rows[rows.sum(axis=1) == 0.0] = 1.0
    rows /= rows.sum(axis=1, keepdims=True)
    rows[0] = 1.0 / n_classes
    return rows


@given(seed=st.integers(0, 10_000), n=st.integers(3, 30), n_classes=st.integers(2, 6))
@settings(max_examples=100, deadline=None)
def test_soft_scores_are_scipys(seed: int, n: int, n_classes: int) -> None:
    generator = np.random.default_rng(seed)
    target, prediction = some_rows(generator, n, n_classes), some_rows(generator, n, n_classes)
    of_scipy = scipy.spatial.distance.jensenshannon(target, prediction, axis=1)
    x, y = (scipy.stats.entropy(rows, axis=1) / np.log(n_classes) for rows in (target, prediction))
    # Of p and q, the cross entropy is the entropy of p plus the divergence of q from it.
    floored = np.maximum(prediction, 1e-12)
    crossed = scipy.special.rel_entr(target, floored).sum(axis=1) + scipy.stats.entropy(target, axis=1)
    expected = {
        "cross_entropy": crossed.mean(),
        "js_divergence": (of_scipy**2).mean(),
        "js_distance": of_scipy.mean(),
    }
    if x.std() > 1e-6 and y.std() > 1e-6:
        expected["entropy_similarity"] = 1.0 - scipy.spatial.distance.cosine(x, y)
        expected["entropy_correlation"] = scipy.stats.pearsonr(x, y)[0]
    assert label_scores(target, prediction, list(expected)) == pytest.approx(expected, abs=1e-7)


def test_cross_entropy_of_certain_targets_is_scikit_learns_log_loss() -> None:
    generator = np.random.default_rng(2)
    prediction = generator.dirichlet([1, 2, 3], 50)
    labels = generator.integers(0, 3, 50)
    expected = sklearn.metrics.log_loss(labels, prediction)
    assert label_scores(np.eye(3)[labels], prediction, "cross_entropy")["cross_entropy"] == pytest.approx(
        expected, rel=1e-12
    )


def test_a_probability_of_zero_has_a_finite_cross_entropy() -> None:
    target = np.array([[1.0, 0.0], [0.5, 0.5]])
    found = label_scores(target, target[::-1], "cross_entropy")["cross_entropy"]
    assert found == pytest.approx((np.log(2) - 0.5 * np.log(1e-12)) / 2)


@pytest.mark.parametrize("name", [*HARD_SCORES, *SOFT_SCORES])
def test_perfect_predictions_have_the_best_score(name: str) -> None:
    generator = np.random.default_rng(3)
    score = get(name, "classes")
    if score.needs == "classes":
        target = generator.integers(0, 3, 60)
        worse = np.where(generator.random(60) < 0.4, (target + 1) % 3, target)
    else:
        target = generator.dirichlet([1, 1, 1], 60)
        worse = 0.5 * target + 0.5 * generator.dirichlet([1, 1, 1], 60)
    best, other = (label_scores(target, prediction, name)[name] for prediction in (target, worse))
    assert score.sign * best > score.sign * other
    assert score.sign == (1.0 if score.direction == "higher" else -1.0)


@pytest.mark.parametrize(
    ("target", "prediction"),
    [
        ([[1, 0], [0, 1], [1, 0]], [[0.3, 0.7], [0.6, 0.4], [0.5, 0.5]]),
        ([[0.3, 0.7], [0.6, 0.4], [0.5, 0.5]], [[1, 0], [0, 1], [1, 0]]),
    ],
)
def test_entropy_scores_of_certain_labels_are_undefined(
    target: list[list[float]], prediction: list[list[float]]
) -> None:
    for name in ("entropy_similarity", "entropy_correlation"):
        assert np.isnan(label_scores(target, prediction, name)[name])


def test_entropies_that_differ_by_rounding_are_constant() -> None:
    rows = np.array([[0.2, 0.3, 0.5], [0.5, 0.2, 0.3], [0.3, 0.5, 0.2], [0.2, 0.5, 0.3]])
    assert np.isnan(
        label_scores(np.random.default_rng(4).dirichlet([1, 1, 1], 4), rows, "entropy_correlation")[
            "entropy_correlation"
        ]
    )


@pytest.mark.quick
def test_every_score_says_what_it_is() -> None:
    for name in names("classes"):
        score = get(name, "classes")
        assert score.name == name
        assert score.summary.endswith((".", "”."))
        assert score.source or name == "accuracy"
    assert get(" f1 ( spam )", "classes").name == "f1(spam)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("f1", r"choose f1_macro, f1_micro, f1_weighted, or f1\(CLASS\)"),
        ("f1_makro", "did you mean f1_macro"),
        ("accuracy(1)", "accuracy takes no parameters"),
    ],
)
def test_unknown_scores_are_refused_with_the_nearest(name: str, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        get(name, "classes")
