"""The paired bootstrap of corpus metrics against scikit-learn, sacrebleu and direct resampling."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

import nbyk
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric, get, register
from nbyk.testing.engine.draws import ItemStreams
from nbyk.testing.engine.forms import form_of
from nbyk.testing.engine.rows import Rows
from nbyk.testing.scores.paired_bootstrap import SummedOutputs

SKLEARN = {
    "accuracy": sklearn_metrics.accuracy_score,
    "precision_macro": lambda y, p: sklearn_metrics.precision_score(y, p, average="macro", zero_division=0),
    "recall_macro": lambda y, p: sklearn_metrics.recall_score(y, p, average="macro", zero_division=0),
    "f1_macro": lambda y, p: sklearn_metrics.f1_score(y, p, average="macro", zero_division=0),
}


def score(outputs: Any, references: Any) -> float:
    """Return one system's BLEU."""
    metric = get("bleu", "outputs")
    return float(metric.score_sums(metric.item_statistics(outputs, references).sum(axis=0)))


def summed(name: str, statistics: Any, score_of_sums: Any) -> Metric:
    return Metric(name, score_of_sums, "higher", "", needs="outputs", statistics=statistics)


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
    known: dict[Any, float] = {}

    def by_scikit_learn(outputs: Any, references: Any) -> float:
        pairs = tuple(sorted(zip(outputs.tolist(), references.tolist(), strict=True)))
        if pairs not in known:
            known[pairs] = float(metric(references, outputs))
        return known[pairs]

    result = nbyk.paired_bootstrap(
        a, b, gold, metric=by_scikit_learn, n_resamples=20_000, keep_null=True, alternative="greater"
    )
    assert result.statistic == pytest.approx(delta)
    exact = (null >= 2 * delta - 1e-12).mean()
    assert abs(result.p - exact) < 4.5 * result.pvalue.standard_error + 1e-5
    assert result.null is not None
    assert result.null.mean() + delta == pytest.approx(null.mean(), abs=4.5 * null.std() / np.sqrt(2e4))
    assert set(np.round(result.null + delta, 9) + 0.0) <= set(np.round(null, 9) + 0.0)


def test_the_mean_is_the_bootstrap_of_pairs() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.normal(0.2, 1, 40), generator.normal(0, 1, 40)
    for alternative in ("greater", "less", "two-sided"):
        corpus = nbyk.paired_bootstrap(a, b, alternative=alternative, n_resamples=50_000)
        pairs = nbyk.score_test("paired_bootstrap", a, b, alternative=alternative, n_resamples=50_000)
        assert corpus.statistic == pytest.approx(pairs.statistic)
        assert abs(corpus.p - pairs.p) < 4.5 * np.sqrt(2) * pairs.pvalue.standard_error


def test_metrics_share_their_resamples_and_threads_change_nothing() -> None:
    gold, a, b = classified(200, 2)
    right = summed("right", lambda of, given: ones_of(of == given), lambda s: s[..., 0] / s[..., 1])
    options: dict[str, Any] = {"n_resamples": 1000, "keep_null": True}
    together = {
        name: nbyk.paired_bootstrap(a, b, gold, metric=metric, **options)
        for name, metric in (("right", right), ("error_rate", error_rate))
    }
    np.testing.assert_allclose(together["right"].null, together["error_rate"].null, atol=1e-12)  # type: ignore[arg-type]
    alone = nbyk.paired_bootstrap(a, b, gold, metric=right, threads=3, **options)
    np.testing.assert_array_equal(alone.null, together["right"].null)
    longer = nbyk.paired_bootstrap(a, b, gold, metric=right, n_resamples=2500, keep_null=True)
    np.testing.assert_array_equal(longer.null[:1000], together["right"].null)  # type: ignore[index]
    accuracy = nbyk.paired_bootstrap((a == gold), (b == gold), **options)
    np.testing.assert_allclose(accuracy.null, together["right"].null, atol=1e-12)  # type: ignore[arg-type]


def ones_of(right: Any) -> NDArray[np.float64]:
    return np.stack([np.asarray(right, np.float64), np.ones(len(right))], axis=1)


def error_rate(outputs: Any, references: Any) -> float:
    return -float(np.mean(outputs != references))


def test_a_metric_of_ones_own_and_its_direction() -> None:
    """Root mean squared error: lower is better, so that A's effect is B's error minus A's."""

    def squares(outputs: Any, references: Any) -> NDArray[np.float64]:
        errors = np.asarray(outputs) - np.asarray(references)
        return np.stack([errors**2, np.ones(len(errors))], axis=1)

    @register(direction="lower", statistics=squares)
    def rmse(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Root mean squared error."""
        return np.asarray(np.sqrt(sums[..., 0] / sums[..., 1]))

    assert get("rmse", "outputs").summary == "Root mean squared error."
    assert get("rmse").summary != get("rmse", "outputs").summary
    generator = np.random.default_rng(3)
    gold = generator.normal(size=100)
    a, b = gold + generator.normal(0, 0.5, 100), gold + generator.normal(0, 1.5, 100)
    result = nbyk.paired_bootstrap(a, b, gold, metric="rmse", n_resamples=1000, alternative="greater")
    assert result.statistic == pytest.approx(
        np.sqrt(np.mean((b - gold) ** 2)) - np.sqrt(np.mean((a - gold) ** 2))
    )
    assert result.p == 1 / 1001
    assert result.sentence.startswith("A is better than B on rmse, for new items like these: ")
    assert " lower rmse (95 % interval " in result.sentence
    assert repr(result).splitlines()[0].endswith(" rmse, 100 items")
    assert nbyk.paired_bootstrap(b, a, gold, metric="rmse", n_resamples=1000, alternative="greater").p > 0.99


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
    of_a, of_b = (mean.item_statistics(of == gold) for of in (a, b))
    outputs = SummedOutputs(mean, a == gold, b == gold, None)
    kinds = outputs.sums.features
    assert len(kinds) == 4
    np.testing.assert_array_equal(kinds[outputs.kind_of], np.concatenate([of_a, of_b], axis=1))


def test_the_engine_swaps_draws_and_leaves_out_outputs_like_any_responses() -> None:
    """F1 of tokens by its sums, on the statistics of each arrangement of items added up one by one."""
    generator = np.random.default_rng(8)
    f1 = summed("token_f1", lambda of, _: of, lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1]))
    table = generator.integers(0, 6, (2 * 30, 2)).astype(float)
    a, b = table[:30], table[30:]
    f1 = replace(f1, table=table)
    rows = Rows(np.empty((30, 0)), np.arange(60.0).reshape(2, 30, 1), table=table)
    form, streams = form_of(f1, rows), ItemStreams(3, rows)
    score_a, score_b = (f1.score_sums(of.sum(axis=0)) for of in (a, b))
    assert rows.scores(f1).tolist() == [score_a, score_b]
    assert rows.effect(f1) == score_a - score_b
    swaps = streams.swaps(0)
    for draw, swapped in enumerate(swaps.swapped):
        dealt = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
        expected = [f1.score_sums(of.sum(axis=0)) for of in dealt]
        np.testing.assert_allclose(form.swapped(swaps)[:, draw], expected, rtol=1e-14)
    draws = streams.items("bootstrap", 0)
    for draw, items in enumerate(draws.items):
        expected = [f1.score_sums(of[items].sum(axis=0)) for of in (a, b)]
        np.testing.assert_allclose(form.drawn(draws)[:, draw], expected, rtol=1e-14)
    starts = np.arange(0, 30, 3)
    for system, of in enumerate((a, b)):
        expected = [f1.score_sums(np.delete(of, np.s_[k : k + 3], 0).sum(axis=0)) for k in starts]
        np.testing.assert_allclose(form.without(starts)[system], expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"needs": "outputs"}, "one that needs outputs has statistics"),
        ({"statistics": "json:loads"}, "one that needs outputs has statistics"),
        ({"direction": "up"}, "unknown metric direction 'up'"),
    ],
)
def test_a_metric_that_cannot_be_is_refused_where_it_is_made(how: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        Metric(**{"name": "f", "implementation": max, "direction": "higher", "summary": "", **how})


def test_a_metric_of_ratings_is_no_metric_of_outputs() -> None:
    with pytest.raises(NbykError, match="metric 'mae' scores numbers, and these are outputs"):
        nbyk.paired_bootstrap([1.0, 2.0], [0.0, 1.0], metric=get("mae"))
    with pytest.raises(NbykError, match="metric 'bleu' scores outputs, and these are numbers"):
        nbyk.compare([1, 2, 3], [1, 2, 3], [3, 2, 1], metric=get("bleu", "outputs"))


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
        assert score(a[chosen], references[chosen]) == pytest.approx(expected, abs=1e-9)
    assert score(["no match"], ["at all"]) == 0.0
    result = nbyk.paired_bootstrap(a, b, references, metric="bleu", n_resamples=500)
    assert result.statistic > 0.0
    assert result.p < 0.05


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nbyk.paired_bootstrap([1], [1, 2]), NbykError, "statistics: found shapes"),
        (lambda: nbyk.paired_bootstrap([1.0], [0.0]), NbykError, "found 1 items, expected at least 2"),
        (
            lambda: nbyk.paired_bootstrap(["x", "y"], ["y", "x"], ["x", "y"], metric="f1_macro"),
            NbykError,
            "call nbyk.compare(references, a, b, metric='f1_macro')".replace("(", r"\(").replace(")", r"\)"),
        ),
        (lambda: nbyk.paired_bootstrap([1.0, np.nan], [1.0, 2.0]), NbykError, "score 1 is nan"),
        (
            lambda: nbyk.paired_bootstrap(
                [1, 0], pd.Series([0, 1]), pd.Series([1, 0], [1, 0]), metric=error_of
            ),
            NbykError,
            "Series have different indices",
        ),
        (
            lambda: nbyk.paired_bootstrap([1.0, 2.0], [0.0, 1.0], metric=summed("sum", ones, lambda s: s)),
            NbykError,
            "must keep all axes but the last",
        ),
        (
            lambda: nbyk.paired_bootstrap(
                [1.0, 2.0], [0.0, 1.0], metric=summed("none", ones, lambda s: 0 / (s[..., 0] - 2))
            ),
            UndefinedMetricError,
            "none is undefined on these data",
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
