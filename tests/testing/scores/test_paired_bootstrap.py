"""The paired bootstrap of corpus metrics against scikit-learn, sacrebleu and direct resampling."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

import nbyk
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import get
from nbyk.testing.scores.outputs import LabelOutputs, SummedOutputs

SKLEARN = {
    "accuracy": sklearn_metrics.accuracy_score,
    "precision_macro": lambda y, p: sklearn_metrics.precision_score(y, p, average="macro", zero_division=0),
    "recall_macro": lambda y, p: sklearn_metrics.recall_score(y, p, average="macro", zero_division=0),
    "f1_macro": lambda y, p: sklearn_metrics.f1_score(y, p, average="macro", zero_division=0),
}
labels = st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), min_size=2, max_size=25)


def score(name: str, outputs: Any, references: Any) -> float:
    """Return one system's score, by its lead over a system that is never right or says nothing."""
    if name == "bleu":
        metric = get("bleu", "outputs")
        return float(metric.score(metric.statistics(outputs, references).sum(axis=0)))
    wrong = ["none of them"] * len(references)
    return LabelOutputs(get(name, "labels"), outputs, wrong, references).observed


@given(rows=labels, name=st.sampled_from(sorted(SKLEARN)))
@settings(max_examples=200, deadline=None)
def test_label_metrics_are_scikit_learns(rows: list[tuple[str, str, str]], name: str) -> None:
    gold, predicted, _ = zip(*rows, strict=True)
    assert score(name, predicted, gold) == pytest.approx(SKLEARN[name](gold, predicted), abs=1e-12)


def classified(n: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    generator = np.random.default_rng(seed)
    gold = generator.choice(["x", "y", "z"], n, p=[0.6, 0.3, 0.1])
    a, b = (
        np.where(generator.random(n) < right, gold, generator.choice(["x", "y", "z"], n))
        for right in (0.8, 0.7)
    )
    return gold, a, b


@pytest.mark.parametrize("name", sorted(SKLEARN))
def test_p_is_that_of_scoring_all_resamples_with_scikit_learn(name: str) -> None:
    """All 5⁵ resamples of five items, a class absent from some; 4.5 Monte-Carlo standard errors."""
    gold, a, b = np.array(list("xxyyz")), np.array(list("xyyyz")), np.array(list("xxyxx"))
    metric = SKLEARN[name]
    delta = metric(gold, a) - metric(gold, b)
    scored: dict[tuple[int, ...], float] = {}
    for items in product(range(5), repeat=5):
        key = tuple(sorted(items))
        if key not in scored:
            chosen = list(key)
            scored[key] = metric(gold[chosen], a[chosen]) - metric(gold[chosen], b[chosen])
    null = np.array([scored[tuple(sorted(items))] for items in product(range(5), repeat=5)])
    result = nbyk.paired_bootstrap(
        a, b, gold, metric=name, n_resamples=100_000, keep_null=True, alternative="greater"
    )
    assert result.statistic == pytest.approx(delta)
    exact = (null >= 2 * delta - 1e-12).mean()
    assert abs(result.p - exact) < 4.5 * result.pvalue.standard_error + 1e-5
    assert result.null is not None
    assert result.null.mean() + delta == pytest.approx(null.mean(), abs=4.5 * null.std() / np.sqrt(1e5))
    assert set(np.round(result.null + delta, 9) + 0.0) <= set(np.round(null, 9) + 0.0)


def test_the_mean_is_the_bootstrap_of_pairs() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.normal(0.2, 1, 40), generator.normal(0, 1, 40)
    for alternative in ("greater", "less", "two-sided"):
        corpus = nbyk.paired_bootstrap(a, b, alternative=alternative, n_resamples=50_000)
        pairs = nbyk.bootstrap_test(a, b, paired=True, alternative=alternative, n_resamples=50_000)
        assert corpus.statistic == pytest.approx(pairs.statistic)
        assert abs(corpus.p - pairs.p) < 4.5 * np.sqrt(2) * pairs.pvalue.standard_error


def test_metrics_share_their_resamples_and_threads_change_nothing() -> None:
    gold, a, b = classified(200, 2)
    names = ["f1_macro", "accuracy"]
    together = nbyk.paired_bootstraps(a, b, gold, metrics=names, n_resamples=1000, keep_null=True)
    assert list(together) == names
    for name in names:
        alone = nbyk.paired_bootstrap(a, b, gold, metric=name, n_resamples=1000, threads=3, keep_null=True)
        np.testing.assert_array_equal(alone.null, together[name].null)
        longer = nbyk.paired_bootstrap(a, b, gold, metric=name, n_resamples=2500, keep_null=True)
        np.testing.assert_array_equal(longer.null[:1000], together[name].null)  # type: ignore[index]
    accuracy = nbyk.paired_bootstrap((a == gold), (b == gold), n_resamples=1000, keep_null=True)
    np.testing.assert_allclose(accuracy.null, together["accuracy"].null, atol=1e-12)  # type: ignore[arg-type]


def test_a_metric_of_ones_own_and_its_direction() -> None:
    """Root mean squared error: lower is better, so that A's effect is B's error minus A's."""

    def squares(outputs: Any, references: Any) -> NDArray[np.float64]:
        errors = np.asarray(outputs) - np.asarray(references)
        return np.stack([errors**2, np.ones(len(errors))], axis=1)

    rmse = nbyk.CorpusMetric("rmse", squares, lambda sums: np.sqrt(sums[..., 0] / sums[..., 1]), "lower")
    generator = np.random.default_rng(3)
    gold = generator.normal(size=100)
    a, b = gold + generator.normal(0, 0.5, 100), gold + generator.normal(0, 1.5, 100)
    result = nbyk.paired_bootstrap(a, b, gold, metric=rmse, n_resamples=1000, alternative="greater")
    assert result.statistic == pytest.approx(
        np.sqrt(np.mean((b - gold) ** 2)) - np.sqrt(np.mean((a - gold) ** 2))
    )
    assert result.p == 1 / 1001
    assert nbyk.paired_bootstrap(b, a, gold, metric=rmse, n_resamples=1000, alternative="greater").p > 0.99


def test_any_function_of_outputs_sees_the_same_resamples() -> None:
    gold, a, b = classified(60, 5)
    f1 = nbyk.paired_bootstrap(a, b, gold, metric="f1_macro", n_resamples=600, keep_null=True)

    def by_scikit_learn(outputs: Any, references: Any) -> float:
        return float(SKLEARN["f1_macro"](references, outputs))

    both = nbyk.paired_bootstraps(
        a, b, gold, metrics=[by_scikit_learn, "f1_macro"], n_resamples=600, keep_null=True
    )
    assert list(both) == ["by_scikit_learn", "f1_macro"]
    for result in both.values():
        np.testing.assert_allclose(result.null, f1.null, atol=1e-12)  # type: ignore[arg-type]
        assert (result.p, result.n_a) == (f1.p, 60)


def test_a_function_takes_what_no_sums_give() -> None:
    """The median of scores, and of sentences of several lengths; progress counts every draw."""
    scores = np.random.default_rng(6).normal([[1.0], [0.0]], size=(2, 41))
    done: list[int] = []

    def median(outputs: Any, references: Any) -> float:
        assert references is None
        return float(np.median(outputs))

    result = nbyk.paired_bootstrap(
        *scores, metric=median, n_resamples=700, keep_null=True, progress=done.append, alternative="greater"
    )
    assert result.statistic == np.median(scores[0]) - np.median(scores[1])
    assert (sum(done), len(result.null)) == (700, 700)  # type: ignore[arg-type]
    assert result.p == (1 + int((result.null >= result.statistic - 1e-12).sum())) / 701  # type: ignore[operator]
    words: list[list[str]] = [["a", "b"], ["c"], ["d", "e", "f"]]
    lengths = nbyk.paired_bootstrap(
        words,
        [w[:1] for w in words],
        metric=lambda of, _: np.mean([len(w) for w in of]),
        n_resamples=9,
        alternative="greater",
    )
    assert lengths.statistic == 1.0


def test_kinds_of_items_keep_every_item() -> None:
    gold, a, b = classified(300, 4)
    mean = get("mean", "outputs")
    of_a, of_b = (mean.statistics(of == gold, None) for of in (a, b))
    items = SummedOutputs(mean, of_a, of_b)
    assert len(items.features) == 4
    np.testing.assert_array_equal(items.features[items.kind_of], np.concatenate([of_a, of_b], axis=1))


def test_bleu_is_sacrebleus() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    generator = np.random.default_rng(5)
    words = np.array(
        ["the", "a", "cat", "dog", "sat", "ran", "on", "in", "mat", "house", "far", "away", ",", "."]
    )
    references = [" ".join(generator.choice(words, length)) for length in generator.integers(1, 12, 60)]

    def noisy(share: float) -> list[str]:
        return [
            " ".join(
                w for w in np.where(generator.random(len(t)) < share, generator.choice(words, len(t)), t)
            )
            for t in (sentence.split() for sentence in references)
        ]

    a, b = noisy(0.2), noisy(0.4)
    for chosen in (slice(None), slice(0, 1), slice(3, 5), slice(10, 40)):
        expected = sacrebleu.corpus_bleu(a[chosen], [references[chosen]]).score
        assert score("bleu", a[chosen], references[chosen]) == pytest.approx(expected, abs=1e-9)
    assert score("bleu", ["no match"], ["at all"]) == 0.0
    result = nbyk.paired_bootstrap(a, b, references, metric="bleu", n_resamples=500)
    assert result.statistic > 0.0
    assert result.p < 0.05


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nbyk.paired_bootstrap([1], [1, 2]), NbykError, "statistics: found shapes"),
        (lambda: nbyk.paired_bootstrap([1.0], [0.0]), NbykError, "found 1 items, expected at least 2"),
        (lambda: nbyk.paired_bootstrap(["x"], ["y"], metric="accuracy"), NbykError, "give references"),
        (
            lambda: nbyk.paired_bootstrap(["x"], ["y"], ["x", "y"], metric="accuracy"),
            NbykError,
            "1 labels for 2",
        ),
        (
            lambda: nbyk.paired_bootstrap(["x", None], ["y", "x"], ["x", "y"], metric="accuracy"),
            NbykError,
            "label 1",
        ),
        (
            lambda: nbyk.paired_bootstrap(["x", 1], ["y", "x"], ["x", 2], metric="macro_f1"),
            NbykError,
            "did you mean",
        ),
        (lambda: nbyk.paired_bootstrap([[1]], [[1]], [1], metric="accuracy"), NbykError, "flat list"),
        (lambda: nbyk.paired_bootstrap([1.0, np.nan], [1.0, 2.0]), NbykError, "score 1 is nan"),
        (
            lambda: nbyk.paired_bootstrap(
                [1, 0], pd.Series([0, 1]), pd.Series([1, 0], [1, 0]), metric="accuracy"
            ),
            NbykError,
            "Series have different indices",
        ),
        (
            lambda: nbyk.paired_bootstrap(
                [1.0, 2.0], [0.0, 1.0], metric=nbyk.CorpusMetric("sum", ones, lambda s: s)
            ),
            NbykError,
            "must keep all axes but the last",
        ),
        (
            lambda: nbyk.paired_bootstrap(
                [1.0, 2.0], [0.0, 1.0], metric=nbyk.CorpusMetric("none", ones, lambda s: 0 / (s[..., 0] - 2))
            ),
            UndefinedMetricError,
            "undefined on 1 of 1",
        ),
        (
            lambda: nbyk.paired_bootstrap([1.0, 2.0], [0.0, 1.0], [1.0], metric=error_of),
            NbykError,
            "found 2, 2, 1 items",
        ),
        (lambda: nbyk.paired_bootstrap([1.0], [0.0], metric=error_of), NbykError, "found 1, 1 items"),
        (
            lambda: nbyk.paired_bootstrap([1.0, 2.0], [0.0, 1.0], metric=error_of),
            UndefinedMetricError,
            "metric 'error_of' has no number",
        ),
        (
            lambda: nbyk.paired_bootstrap([1.0, 2.0], [0.0, 1.0], metric=lambda of, _: np.nan),
            UndefinedMetricError,
            "is undefined on a resample",
        ),
        (
            lambda: nbyk.paired_bootstraps([1.0, 2.0], [0.0, 1.0], metrics=["mean", "mean"]),
            NbykError,
            "found 2 with 1 names",
        ),
        (
            lambda: nbyk.paired_bootstrap([1.0, 2.0], [0.0, 1.0], n_resamples=1e3),
            NbykError,
            "found 1000.0, expected a whole number",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def error_of(outputs: Any, references: Any) -> Any:
    return np.abs(outputs - references).mean()


def ones(outputs: Any, references: Any) -> NDArray[np.float64]:
    return np.ones((len(outputs), 1))
