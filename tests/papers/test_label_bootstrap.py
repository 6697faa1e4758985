"""The paired bootstrap against exact enumeration, direct resampling and its definitions."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats

from nbyk.errors import NbykError
from nbyk.testing.engine.item_draws import KindStreams
from nbyk_papers.boostsa2022.design import HARD_SCORES, SOFT_SCORES
from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap
from tests.oracles.chisquare import assert_drawn_from
from tests.oracles.label_scores import label_scores


def names_of(kind: str) -> list[str]:
    """Return the names of the scores of a kind of labels."""
    return list(HARD_SCORES if kind == "hard" else SOFT_SCORES)


CLASSES_ALIKE = ("accuracy", "precision_macro", "recall_macro", "f1_macro")
SCORES = {kind: names_of(kind) for kind in ("hard", "soft")}


def hard_data(n: int, seed: int = 0, n_classes: int = 3) -> tuple[Any, Any, Any]:
    """Return targets and predictions of which the first are right more often."""
    generator = np.random.default_rng(seed)
    target = generator.integers(0, n_classes, n)
    target[:n_classes] = np.arange(n_classes)
    a, b = (
        np.where(generator.random(n) < right, target, generator.integers(0, n_classes, n))
        for right in (0.7, 0.5)
    )
    return target, a, b


def soft_data(n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Return targets and predictions of which the first are nearer."""
    generator = np.random.default_rng(seed)
    target, noise_a, noise_b = generator.dirichlet([1.0, 0.8, 0.6], (3, n))
    return target, 0.7 * target + 0.3 * noise_a, 0.3 * target + 0.7 * noise_b


def data_for(kind: str, n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    return hard_data(n, seed) if kind == "hard" else soft_data(n, seed)


def distribution(outcomes: list[float]) -> dict[float, float]:
    """Return the chances of equally likely outcomes, those that differ by rounding as one."""
    chances: dict[float, float] = defaultdict(float)
    for outcome in outcomes:
        chances[round(outcome, 9) + 0.0] += 1 / len(outcomes)
    return dict(chances)


def enumerated(target: Any, a: Any, b: Any, score: str, n_drawn: int | None = None) -> dict[float, float]:
    """Return the exact distribution of the effect over all resamples of the items; orders score alike."""
    n = len(target)
    n_classes = int(target.max()) + 1 if np.ndim(target) == 1 else 0
    sign = -1 if score in ("cross_entropy", "js_divergence", "js_distance") else 1
    effects: dict[tuple[int, ...], float] = {}
    resamples = [tuple(sorted(items)) for items in product(range(n), repeat=n_drawn or n)]
    for items in set(resamples):
        i = list(items)
        of_a, of_b = (of(target[i], x[i], score, n_classes) for x in (a, b))
        effects[items] = sign * (of_a - of_b)
    return distribution([effects[items] for items in resamples])


def of(target: Any, prediction: Any, score: str, n_classes: int = 0) -> float:
    return label_scores(target, prediction, score, n_classes)[score]


@pytest.mark.parametrize("score", ["accuracy", "f1_macro", "precision_weighted", "recall(0)"])
@pytest.mark.parametrize("as_cells", [False, True], ids=["items", "multinomial"])
def test_hard_effects_have_the_exact_distribution(
    score: str, as_cells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 5⁵ resamples of five items, two of which are alike; both ways of drawing."""
    monkeypatch.setitem(KindStreams.__init__.__kwdefaults__, "at_least", 0 if as_cells else 50)
    target, a, b = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 0]), np.array([0, 0, 0, 1, 1])
    drawn = label_bootstrap(target, a, b, [score], n_resamples=8_000, seed=3).draws[0]
    assert_drawn_from(drawn, enumerated(target, a, b, score))


@pytest.mark.parametrize("score", ["cross_entropy", "js_divergence", "js_distance", "entropy_similarity"])
def test_soft_effects_have_the_exact_distribution(score: str) -> None:
    target, a, b = soft_data(4, seed=5)
    drawn = label_bootstrap(target, a, b, [score], n_resamples=8_000).draws[0]
    assert_drawn_from(drawn, enumerated(target, a, b, score))


def test_entropy_correlation_has_the_exact_distribution_and_says_where_it_is_undefined() -> None:
    """Of the 5⁵ resamples of five items, the five of one item alone have no correlation."""
    target, a, b = soft_data(5, seed=6)
    test = label_bootstrap(target, a, b, ["entropy_correlation"], n_resamples=8_000)
    defined = test.draws[0][np.isfinite(test.draws[0])]
    n_undefined = 8_000 - defined.size
    assert stats.binomtest(n_undefined, 8_000, 5**-4).pvalue > 1e-3
    resamples = [tuple(sorted(items)) for items in product(range(5), repeat=5) if len(set(items)) > 1]
    effects = {}
    for items in set(resamples):
        i = list(items)
        of_a, of_b = (of(target[i], x[i], "entropy_correlation") for x in (a, b))
        effects[items] = of_a - of_b
    assert_drawn_from(defined, distribution([effects[items] for items in resamples]))


def test_a_fraction_draws_fewer_items() -> None:
    target, a, b = hard_data(6, n_classes=2)
    test = label_bootstrap(target, a, b, ["accuracy"], fraction=0.5, n_resamples=8_000)
    assert test.n_drawn == 3
    assert_drawn_from(test.draws[0], enumerated(target, a, b, "accuracy", 3))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_effects_are_those_of_resampled_indices(n_classes: int) -> None:
    """Of 800 items, as a multinomial over 8 cells and one by one in up to 64, against scikit-learn."""
    target, a, b = hard_data(800, n_classes=n_classes)
    test = label_bootstrap(target, a, b, ["f1_macro"], n_resamples=2000)
    generator = np.random.default_rng(1)
    direct = []
    for _ in range(300):
        i = generator.integers(0, 800, 800)
        of_a, of_b = (sklearn.metrics.f1_score(target[i], x[i], average="macro") for x in (a, b))
        direct.append(of_a - of_b)
    assert stats.ks_2samp(test.draws[0], direct).pvalue > 1e-3


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_p_values_are_their_definitions(kind: str) -> None:
    for seed in range(5):
        target, a, b = data_for(kind, 40, seed)
        test = label_bootstrap(target, a, b, SCORES[kind], n_resamples=999, seed=seed)
        for comparison, drawn in zip(test.comparisons, test.draws, strict=True):
            d = comparison.effect
            assert comparison.p == ((drawn >= 2 * d - 1e-9).sum() + 1) / 1000
            expected = comparison.score.sign * (comparison.score_a - comparison.score_b)
            assert d == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_identical_predictions_give_a_p_of_one(kind: str) -> None:
    target, a, _ = data_for(kind, 100)
    test = label_bootstrap(target, a, a, SCORES[kind], n_resamples=500)
    for comparison in test.comparisons:
        assert (comparison.effect, comparison.p) == (0.0, 1.0)


@pytest.mark.parametrize("name", [*HARD_SCORES, *SOFT_SCORES])
@pytest.mark.parametrize("semantics", ["recommended", "published"])
def test_the_better_system_wins_from_either_side(name: str, semantics: Any) -> None:
    """The sign of every score: A better gives a positive effect and a small p, B better neither."""
    kind = "soft" if name in SOFT_SCORES else "hard"
    target, better, worse = data_for(kind, 400)
    options: Any = {"semantics": semantics, "fraction": 1.0, "n_resamples": 1000}
    (forward,) = label_bootstrap(target, better, worse, [name], **options).comparisons
    (backward,) = label_bootstrap(target, worse, better, [name], **options).comparisons
    assert forward.effect > 0
    assert forward.p < 0.05
    assert backward.effect == -forward.effect
    assert backward.p > 0.95


@pytest.mark.parametrize("kind", ["hard", "soft"])
@pytest.mark.parametrize("n", [60, 2000])
def test_exchanging_the_systems_mirrors_everything(kind: str, n: int) -> None:
    target, a, b = data_for(kind, n)
    forward, backward = (
        label_bootstrap(target, *pair, SCORES[kind], n_resamples=300) for pair in ((a, b), (b, a))
    )
    np.testing.assert_array_equal(forward.draws, -backward.draws)
    for x, y in zip(forward.comparisons, backward.comparisons, strict=True):
        assert x.effect == -y.effect
        assert (x.score_a, x.score_b) == (y.score_b, y.score_a)


@pytest.mark.parametrize("n", [60, 2000])
def test_renaming_the_classes_changes_nothing(n: int) -> None:
    target, a, b = hard_data(n)
    names, of_all = np.array([2, 0, 1]), CLASSES_ALIKE
    numbered = label_bootstrap(target, a, b, of_all, n_resamples=300)
    named = label_bootstrap(names[target], names[a], names[b], of_all, n_resamples=300)
    np.testing.assert_allclose(named.draws, numbered.draws, atol=1e-14)
    assert [c.p for c in named.comparisons] == [c.p for c in numbered.comparisons]
    target, a, b = soft_data(60)
    columns = [2, 0, 1]
    moved = label_bootstrap(target[:, columns], a[:, columns], b[:, columns], SCORES["soft"], n_resamples=300)
    given = label_bootstrap(target, a, b, SCORES["soft"], n_resamples=300)
    np.testing.assert_allclose(moved.draws, given.draws, atol=1e-12)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_the_order_of_the_items_changes_no_effect_and_no_distribution(kind: str) -> None:
    target, a, b = data_for(kind, 150)
    order = np.random.default_rng(7).permutation(150)
    given = label_bootstrap(target, a, b, SCORES[kind], n_resamples=2000)
    permuted = label_bootstrap(target[order], a[order], b[order], SCORES[kind], n_resamples=2000)
    for x, y, drawn_x, drawn_y in zip(
        given.comparisons, permuted.comparisons, given.draws, permuted.draws, strict=True
    ):
        assert x.effect == pytest.approx(y.effect, abs=1e-12)
        assert stats.ks_2samp(drawn_x, drawn_y).pvalue > 1e-3


@pytest.mark.parametrize("kind", ["hard", "soft"])
@pytest.mark.parametrize("n", [60, 2000])
def test_numbers_depend_on_neither_threads_nor_length_nor_company(kind: str, n: int) -> None:
    target, a, b = data_for(kind, n)
    long = label_bootstrap(target, a, b, SCORES[kind], n_resamples=200, threads=2)
    short = label_bootstrap(target, a, b, SCORES[kind], n_resamples=130)
    np.testing.assert_array_equal(short.draws, long.draws[:, :130])
    name = long.comparisons[-1].score.name
    alone = label_bootstrap(target, a, b, [name], n_resamples=200)
    np.testing.assert_array_equal(alone.draws[0], long.draws[-1])
    other = label_bootstrap(target, a, b, SCORES[kind], n_resamples=200, seed=1)
    assert not np.array_equal(other.draws, long.draws)


def test_published_scores_are_rounded_and_a_resample_has_an_item() -> None:
    target, a, b = hard_data(300)
    test = label_bootstrap(target, a, b, SCORES["hard"], semantics="published", fraction=0.1, n_resamples=200)
    assert test.n_drawn == 30
    for comparison in test.comparisons:
        for value in (comparison.score_a, comparison.score_b, comparison.effect):
            assert value == round(value, 4)
    with pytest.raises(NbykError, match=r"0.001 of 300 items is none; expected at least 0.0033"):
        label_bootstrap(target, a, b, ["accuracy"], fraction=0.001)
