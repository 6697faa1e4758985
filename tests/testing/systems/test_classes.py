"""Classes and distributions on the one road: scikit-learn, scipy and enumeration as oracles."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, pearsonr, wasserstein_distance

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import register

CLASSES = np.array(["neg", "neutral", "pos"])
CLASS_METRICS = {
    "accuracy": sklearn.metrics.accuracy_score,
    "f1(pos)": lambda t, p: sklearn.metrics.f1_score(t, p, labels=["pos"], average="macro", zero_division=0),
    "quadratic_kappa": lambda t, p: sklearn.metrics.cohen_kappa_score(
        t, p, labels=CLASSES, weights="quadratic"
    ),
    **{
        f"{name}_{average}": lambda t, p, of=of, average=average: of(
            t, p, labels=CLASSES, average=average, zero_division=0
        )
        for name, of in (
            ("precision", sklearn.metrics.precision_score),
            ("recall", sklearn.metrics.recall_score),
            ("f1", sklearn.metrics.f1_score),
        )
        for average in ("macro", "micro", "weighted")
    },
}
DISTRIBUTION_METRICS = {
    "cross_entropy": lambda t, p: -(t * np.log(p)).sum(1).mean(),
    "js_divergence": lambda t, p: (jensenshannon(t, p, axis=1) ** 2).mean(),
    "js_distance": lambda t, p: jensenshannon(t, p, axis=1).mean(),
    "kl_divergence": lambda t, p: entropy(t, p, axis=1).mean(),
    "tv_sum": lambda t, p: np.abs(t - p).sum(1).mean(),
    "tv_mean": lambda t, p: np.abs(t - p).mean(),
    "brier": lambda t, p: sklearn.metrics.mean_squared_error(t, p) * t.shape[1],
    "emd_levels": lambda t, p: np.mean(
        [wasserstein_distance(range(3), range(3), *of) for of in zip(t, p, strict=True)]
    ),
    "entropy_similarity": lambda t, p: _cosine(entropy(t, axis=1), entropy(p, axis=1)),
    "entropy_correlation": lambda t, p: pearsonr(entropy(t, axis=1), entropy(p, axis=1)).statistic,
}


def _cosine(x: Any, y: Any) -> Any:
    return (x @ y) / np.sqrt((x @ x) * (y @ y))


def drawn(n: int, seed: int = 0, runs: int = 1) -> tuple[Any, Any, Any]:
    """Return targets, and runs of two systems of which the first is right more often."""
    draw = np.random.default_rng(seed)
    target = draw.integers(0, 3, n)
    systems = []
    for right in (0.7, 0.55):
        wrong = draw.random((n, runs)) > right
        systems.append(CLASSES[np.where(wrong, draw.integers(0, 3, (n, runs)), target[:, None])])
    return CLASSES[target], systems[0], systems[1]


def shares(n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(seed)
    target, noise_a, noise_b = draw.dirichlet([1.0, 0.8, 0.6], (3, n))
    return target, 0.7 * target + 0.3 * noise_a, 0.3 * target + 0.7 * noise_b


@pytest.mark.parametrize("metric", CLASS_METRICS)
def test_scores_of_classes_are_those_of_scikit_learn(metric: str) -> None:
    target, a, b = drawn(60, runs=3)
    found = nbyk.compare(target, a, b, metric=metric, classes=CLASSES, n_resamples=199)
    for score, runs in zip(found.pair.scores, (a, b), strict=True):
        assert score == pytest.approx(np.mean([CLASS_METRICS[metric](target, run) for run in runs.T]))


@pytest.mark.parametrize("metric", DISTRIBUTION_METRICS)
def test_scores_of_distributions_are_those_of_scipy(metric: str) -> None:
    target, a, b = shares(60)
    found = nbyk.compare(target, a, b, metric=metric, n_resamples=199)
    assert found.pair.scores == pytest.approx([DISTRIBUTION_METRICS[metric](target, of) for of in (a, b)])


@pytest.mark.parametrize("ties", ["first", "split", "refused"])
def test_plurality_takes_a_systems_responses_for_votes(ties: str) -> None:
    """By enumeration: every vote of three people and of three responses, over three classes."""
    votes = np.array(list(product(CLASSES, repeat=3)))
    gold, a = (votes[place.reshape(-1)] for place in np.indices((27, 27)))

    def chosen(row: Any) -> Any:
        counts = np.array([(row == name).sum() for name in CLASSES])
        best = counts == counts.max()
        if best.sum() == 1 or ties == "split":
            return best / best.sum()
        return np.eye(3)[counts.argmax()] if ties == "first" else np.zeros(3)

    expected = np.mean([chosen(x) @ chosen(y) for x, y in zip(gold, a, strict=True)])
    metric = f"plurality_{ties}"
    found = nbyk.compare(gold, a, a[::-1], metric=metric, classes=CLASSES, generalise=["items"])
    assert found.pair.scores[0] == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["tv_mean", "brier", "js_distance", "emd_levels"])
def test_a_pooled_distance_is_that_of_the_shares_of_all_responses(metric: str) -> None:
    draw = np.random.default_rng(6)
    gold, a, b = (
        CLASSES[draw.choice(3, (40, 30), p=p)] for p in ([0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.6, 0.2, 0.2])
    )
    counted = [np.stack([(of == name).mean(1) for name in CLASSES], axis=1) for of in (gold, a, b)]
    found = nbyk.compare(gold, a, b, metric=f"{metric}(pooled=1)", classes=CLASSES, generalise=["items"])
    expected = [DISTRIBUTION_METRICS[metric](counted[0], of) for of in counted[1:]]
    assert found.pair.scores == pytest.approx(expected)
    assert (
        nbyk.compare(gold, a, b, metric=metric, classes=CLASSES, generalise=["items"]).pair.scores[0]
        > expected[0]
    )


def test_wins_count_the_items_that_a_system_is_nearer_on() -> None:
    target, a, b = shares(50)
    lead = np.abs(target - b).sum(1) - np.abs(target - a).sum(1)
    found = nbyk.compare(target, a, b, metric="wins(tv_sum)", kind="distributions", n_resamples=199)
    assert found.effect == pytest.approx(np.sign(lead).mean())
    labels = drawn(50)
    accuracy, wins = (nbyk.compare(*labels, metric=name) for name in ("accuracy", "wins(accuracy)"))
    assert (wins.effect, wins.p) == pytest.approx((accuracy.effect, accuracy.p))
    with pytest.raises(NbykError, match="f1_macro is not a mean over items"):
        nbyk.compare(*labels, metric="wins(f1_macro)")


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "recall(pos)", "quadratic_kappa"])
@pytest.mark.parametrize("runs", [1, 2])
def test_the_null_is_every_way_to_exchange_the_systems_item_by_item(metric: str, runs: int) -> None:
    target, a, b = drawn(8, seed=3, runs=runs)
    found = nbyk.compare(target, a, b, metric=metric, classes=CLASSES)
    of = CLASS_METRICS.get(metric) or (
        lambda t, p: sklearn.metrics.recall_score(t, p, labels=["pos"], average="macro", zero_division=0)
    )

    def effect(swapped: Any) -> float:
        one, other = (np.where(np.array(swapped)[:, None], y, x) for x, y in ((a, b), (b, a)))
        return float(
            np.mean([of(target, run) for run in one.T]) - np.mean([of(target, run) for run in other.T])
        )

    every = np.array([effect(swapped) for swapped in product((False, True), repeat=8)])
    p = np.mean(np.abs(every) >= abs(every[0]) - 1e-9)
    items = found.claims[-1]
    assert found.pair.drawn.exact
    assert items.p == pytest.approx(p)


@settings(max_examples=15, deadline=None)
@given(st.permutations(["ugly", "nice", "so-so"]), st.integers(0, 1000))
def test_names_of_classes_change_nothing(names: list[str], seed: int) -> None:
    target, a, b = drawn(30, seed)
    new = dict(zip(CLASSES, names, strict=True))
    renamed = (np.vectorize(new.get)(values) for values in (target, a, b))
    options: dict[str, Any] = {"metric": "f1_macro", "n_resamples": 199}
    found = nbyk.compare(target, a, b, classes=CLASSES, **options)
    again = nbyk.compare(*renamed, classes=names, **options)
    assert (found.p, found.effect) == pytest.approx((again.p, again.effect))


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_exchanging_the_systems_mirrors_the_answer(metric: str) -> None:
    target, a, b = drawn(80, runs=4)
    found, mirrored = (nbyk.compare(target, *pair, metric=metric) for pair in ((a, b), (b, a)))
    assert found.effect == pytest.approx(-mirrored.effect)
    assert [claim.p for claim in found.claims] == pytest.approx([claim.p for claim in mirrored.claims])
    assert found.interval == pytest.approx([-end for end in reversed(mirrored.interval)])


def test_the_order_of_rows_with_ids_changes_nothing() -> None:
    target, a, b = drawn(50)
    frames = [pd.Series(values.reshape(-1), [f"i{row}" for row in range(50)]) for values in (target, a, b)]
    order = np.random.default_rng(1).permutation(50)
    shuffled = [frame.iloc[order] for frame in frames]
    options: dict[str, Any] = {"metric": "f1_macro", "n_resamples": 199}
    assert nbyk.compare(*frames, **options).p == nbyk.compare(*shuffled, **options).p


@pytest.mark.parametrize("runs", [1, 4])
def test_classes_give_the_numbers_of_right_and_wrong(runs: int) -> None:
    target, a, b = drawn(200, runs=runs)
    right = [(system == target[:, None]).astype(float) for system in (a, b)]
    classes = nbyk.compare(target, a, b)
    numbers = nbyk.compare(None, *right)
    assert classes.question.metric == "accuracy"
    assert [claim.p for claim in classes.claims] == pytest.approx([claim.p for claim in numbers.claims])
    assert classes.interval == pytest.approx(numbers.interval)


@pytest.mark.parametrize("people", [1, 2, 4])
@pytest.mark.parametrize("metric", ["f1_weighted", "precision_macro", "quadratic_kappa"])
def test_scores_by_counts_are_those_by_rows(metric: str, people: int) -> None:
    """Of one target, and of people who tie on half of the items or fewer."""
    from nbyk.data.responses import as_systems
    from nbyk.metrics import get
    from nbyk.testing.engine.forms import RowByRow, form_of
    from nbyk.testing.engine.item_draws import ItemDraws
    from nbyk.testing.engine.rows import Rows
    from nbyk.testing.engine.tables import Tables

    target, a, b = drawn(40, runs=3)
    draw = np.random.default_rng(people)
    gold = np.where(draw.random((40, people)) < 0.7, target[:, None], draw.choice(CLASSES, (40, people)))
    systems = as_systems(gold, {"a": a, "b": b})
    table = systems.categories.table
    rows = Rows(systems.gold, np.stack([*systems.responses.values()]), table=table)
    bound = get(metric, "classes").bound(systems.classes, table)
    counted, by_rows = form_of(bound, rows), RowByRow(bound, rows)
    assert isinstance(counted, Tables)
    items = np.random.default_rng(0).integers(0, 40, (64, 40)).astype(np.uint32)
    draws = ItemDraws(items, 40)
    np.testing.assert_allclose(counted.drawn(draws), by_rows.drawn(draws))
    starts = np.arange(0, 40, 4)
    np.testing.assert_allclose(counted.without(starts), by_rows.without(starts))


@pytest.mark.parametrize("null", ["permutation", "pooled", "pooled_twice"])
def test_nulls_that_redraw_responses_take_classes_as_they_take_right_and_wrong_answers(null: str) -> None:
    """One run each: the accuracy is the mean of right answers, which the same nulls redraw; 4.5 errors."""
    target, a, b = drawn(40)
    options: dict[str, Any] = {"null": null, "n_resamples": 4000, "max_resamples": 4000, "seed": 2}
    classes = nbyk.compare(target, a, b, metric="accuracy", **options)
    right = [(of.reshape(-1) == target).astype(float) for of in (a, b)]
    numbers = nbyk.compare(None, *right, metric="mean", **options)
    assert classes.effect == pytest.approx(numbers.effect)
    assert abs(classes.p - numbers.p) < 4.5 * np.hypot(
        classes.claims[0].standard_error, numbers.claims[0].standard_error
    )
    assert classes.pair.drawn.null.std() == pytest.approx(numbers.pair.drawn.null.std(), rel=0.06)


def test_a_metric_of_classes_of_ones_own_is_found_by_its_name() -> None:
    @register(direction="higher", needs="classes")
    def chosen_by_anybody(system: Any, gold: Any) -> float:
        """Share of answers that anybody chose."""
        return float(np.mean(gold[np.arange(len(gold)), system[:, 0].astype(int)] > 0.0))

    _, a, b = drawn(60)
    people = np.random.default_rng(3).choice(CLASSES, (60, 2))
    result = nbyk.compare(people, a, b, metric="chosen_by_anybody", generalise=["items"])
    scores = [np.mean((of.reshape(-1, 1) == people).any(axis=1)) for of in (a, b)]
    assert list(result.pair.scores) == pytest.approx(scores)
    with pytest.raises(NbykError, match="'chosen_by_anybody' scores classes, and these are numbers"):
        nbyk.compare([1, 2, 3], [1, 2, 3], [3, 2, 1], metric="chosen_by_anybody", kind="numbers")


def test_targets_are_the_class_that_most_people_chose_and_ties_share_the_item() -> None:
    gold = [["pos", "pos", "neg"], ["neg", "pos", None], ["neg", "neg", "neg"]] * 4
    a, b = ["pos", "pos", "neg"] * 4, ["neg", "neg", "neg"] * 4
    found = nbyk.compare(gold, a, b, generalise=["items"])
    assert found.pair.scores == pytest.approx(((1 + 0.5 + 1) / 3, (0 + 0.5 + 1) / 3))


def test_distributions_may_have_classes_of_people_as_gold() -> None:
    target, a, b = shares(40)
    draw = np.random.default_rng(0)
    people = CLASSES[(draw.random((40, 6, 1)) > target[:, None].cumsum(-1)).sum(-1)]
    found = nbyk.compare(people, a, b, kind="distributions", classes=CLASSES)
    counted = np.stack([(people == name).mean(1) for name in CLASSES], axis=1)
    assert found.pair.scores[0] == pytest.approx(-(counted * np.log(a)).sum(1).mean())
    assert "new items and raters" in found.claims[0].population


def test_a_leaderboard_of_classes() -> None:
    target, a, b = drawn(120, runs=3)
    board = nbyk.compare(target, {"a": a, "b": b, "c": b[:, ::-1]}, metric="f1_macro")
    assert board.pairs[0].a == "a"
    assert "new items and runs" in board.sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], ["a", "b"], ["a", "b"]), "number"),
        (
            (["a", "b"], ["a", "c"], ["a", "b"]),
            "A, item 1: found 'c', expected one of the classes a and b; mend it, or add it to the classes",
        ),
        (([["a", "b"], [None, None]], ["a", "b"], ["a", "b"]), "gold, item 1: there is no response"),
        (
            (["a", "a"], ["a", "a"], ["a", "a"]),
            "'a' is the only class, expected two or more; name them all with `classes`",
        ),
        ((["a", "b"], ["a", " "], ["a", "b"]), "A, item 1: there is no response"),
    ],
)
def test_bad_classes_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        nbyk.compare(*arguments)


def test_classes_have_no_third_dimension() -> None:
    with pytest.raises(NbykError, match="A: found an array of 3 dimensions, expected two"):
        nbyk.compare(np.eye(3), np.ones((2, 3, 4)), np.eye(3), kind="classes")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("mae", "choose|scores"),
        ("cross_entropies", "unknown"),
        ("recall(good)", "no such class; the classes are neg, neutral, pos"),
    ],
)
def test_a_metric_of_other_responses_is_refused(metric: str, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        nbyk.compare(*drawn(30), metric=metric)


@pytest.mark.parametrize(
    "metric", ["quadratic_kappa", "emd_levels", "wins(emd_levels)", "emd_levels(pooled=1)"]
)
def test_an_order_that_nobody_gave_is_refused(metric: str) -> None:
    target, a, b = drawn(40)
    with pytest.raises(NbykError, match="nothing says how neg, neutral, pos are ordered; name them with `cl"):
        nbyk.compare(target, a, b, metric=metric)
    with pytest.raises(
        NbykError, match="found 'neg', 'pos', 'neg', expected at least two classes, each once"
    ):
        nbyk.compare(target, a, b, metric=metric, classes=["neg", "pos", "neg"])
    numbers = dict(zip(CLASSES, (1, 2, 3), strict=True))
    as_numbers = (np.vectorize(numbers.get)(of) for of in (target, a, b))
    found = nbyk.compare(*as_numbers, metric=metric, kind="classes")
    assert found.effect == nbyk.compare(target, a, b, metric=metric, classes=CLASSES).effect


def test_rows_that_do_not_sum_to_one_are_refused() -> None:
    target, a, b = shares(10)
    with pytest.raises(NbykError, match=r"A, item 0: sums to 2, 1 more than one \(10 rows of 10 off\)"):
        nbyk.compare(target, 2.0 * a, b, kind="distributions")
