"""The paired bootstrap against exact enumeration, direct resampling and its definitions."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats

from nbyk import metrics
from nbyk.errors import UndefinedMetricError
from nbyk.metrics.class_metrics import CLASS_METRICS, DISTRIBUTION_METRICS
from nbyk_papers.boostsa2022 import label_scorer
from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap, label_scores
from tests.oracles.chisquare import assert_drawn_from


def names_of(kind: str) -> list[str]:
    """Return the names of the metrics of a kind of labels."""
    return [metric.name for metric in (CLASS_METRICS if kind == "hard" else DISTRIBUTION_METRICS)]


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
    labels = np.unique(target) if np.ndim(target) == 1 else None
    sign = -1 if score in ("cross_entropy", "js_divergence", "js_distance") else 1
    effects: dict[tuple[int, ...], float] = {}
    resamples = [tuple(sorted(items)) for items in product(range(n), repeat=n_drawn or n)]
    for items in set(resamples):
        i = list(items)
        of_a, of_b = (of(target[i], x[i], score, labels) for x in (a, b))
        effects[items] = sign * (of_a - of_b)
    return distribution([effects[items] for items in resamples])


def of(target: Any, prediction: Any, score: str, labels: Any = None) -> float:
    return label_scores(target, prediction, score, labels=labels)[score]


@pytest.mark.parametrize("score", ["accuracy", "f1_macro", "precision_weighted", "recall(0)"])
@pytest.mark.parametrize("as_cells", [False, True], ids=["items", "multinomial"])
def test_hard_effects_have_the_exact_distribution(
    score: str, as_cells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 5⁵ resamples of five items, two of which are alike; both ways of drawing."""
    monkeypatch.setattr(label_scorer, "_ITEMS_PER_BINOMIAL", 0 if as_cells else 50)
    target, a, b = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 0]), np.array([0, 0, 0, 1, 1])
    drawn = label_bootstrap(target, a, b, score, n_resamples=8_000, seed=3).draws[0]
    assert_drawn_from(drawn, enumerated(target, a, b, score))


@pytest.mark.parametrize("score", ["cross_entropy", "js_divergence", "js_distance", "entropy_similarity"])
def test_soft_effects_have_the_exact_distribution(score: str) -> None:
    target, a, b = soft_data(4, seed=5)
    drawn = label_bootstrap(target, a, b, score, n_resamples=8_000).draws[0]
    assert_drawn_from(drawn, enumerated(target, a, b, score))


def test_entropy_correlation_has_the_exact_distribution_and_says_where_it_is_undefined() -> None:
    """Of the 5⁵ resamples of five items, the five of one item alone have no correlation."""
    target, a, b = soft_data(5, seed=6)
    test = label_bootstrap(target, a, b, "entropy_correlation", n_resamples=8_000)
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
    test = label_bootstrap(target, a, b, "accuracy", fraction=0.5, n_resamples=8_000)
    assert test.n_drawn == 3
    assert_drawn_from(test.draws[0], enumerated(target, a, b, "accuracy", 3))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_effects_are_those_of_resampled_indices(n_classes: int) -> None:
    """Of 800 items, as a multinomial over 8 cells and one by one in up to 64, against scikit-learn."""
    target, a, b = hard_data(800, n_classes=n_classes)
    test = label_bootstrap(target, a, b, "f1_macro", n_resamples=2000)
    generator = np.random.default_rng(1)
    direct = []
    for _ in range(300):
        i = generator.integers(0, 800, 800)
        of_a, of_b = (sklearn.metrics.f1_score(target[i], x[i], average="macro") for x in (a, b))
        direct.append(of_a - of_b)
    assert stats.ks_2samp(test.draws[0], direct).pvalue > 1e-3


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_p_values_and_intervals_are_their_definitions(kind: str) -> None:
    for seed in range(5):
        target, a, b = data_for(kind, 40, seed)
        test = label_bootstrap(target, a, b, names_of(kind), n_resamples=999, seed=seed)  # type: ignore[arg-type]
        for comparison, drawn in zip(test.comparisons, test.draws, strict=True):
            d = comparison.effect
            greater, less = (
                ((drawn >= 2 * d - 1e-9).sum() + 1) / 1000,
                ((drawn <= 2 * d + 1e-9).sum() + 1) / 1000,
            )
            assert comparison.p_greater == greater
            assert comparison.p_two_sided == min(1.0, 2 * min(greater, less))
            assert comparison.interval == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
            expected = comparison.score.sign * (comparison.score_a - comparison.score_b)
            assert d == pytest.approx(expected)
            assert test[comparison.score.name] is comparison


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_identical_predictions_give_a_p_of_one(kind: str) -> None:
    target, a, _ = data_for(kind, 100)
    test = label_bootstrap(target, a, a, names_of(kind), n_resamples=500)  # type: ignore[arg-type]
    for comparison in test.comparisons:
        assert (comparison.effect, comparison.p, comparison.p_two_sided) == (0.0, 1.0, 1.0)
        assert comparison.interval == (0.0, 0.0)


@pytest.mark.parametrize("name", metrics.names("classes"))
@pytest.mark.parametrize("semantics", ["recommended", "published"])
def test_the_better_system_wins_from_either_side(name: str, semantics: Any) -> None:
    """The sign of every score: A better gives a positive effect and a small p, B better neither."""
    kind = "soft" if name in metrics.names("distributions") else "hard"
    target, better, worse = data_for(kind, 400)
    options: Any = {"semantics": semantics, "fraction": 1.0, "n_resamples": 1000}
    forward = label_bootstrap(target, better, worse, name, **options)[name]
    backward = label_bootstrap(target, worse, better, name, **options)[name]
    assert forward.effect > 0
    assert forward.p_greater < 0.05
    assert backward.effect == -forward.effect
    assert backward.p_greater > 0.95


@pytest.mark.parametrize("kind", ["hard", "soft"])
@pytest.mark.parametrize("n", [60, 2000])
def test_exchanging_the_systems_mirrors_everything(kind: str, n: int) -> None:
    target, a, b = data_for(kind, n)
    forward, backward = (label_bootstrap(target, *pair, n_resamples=300) for pair in ((a, b), (b, a)))
    np.testing.assert_array_equal(forward.draws, -backward.draws)
    for x, y in zip(forward.comparisons, backward.comparisons, strict=True):
        assert x.p_two_sided == y.p_two_sided
        assert (x.score_a, x.score_b) == (y.score_b, y.score_a)
        np.testing.assert_allclose(x.interval, [-y.interval[1], -y.interval[0]], atol=1e-15)


@pytest.mark.parametrize("n", [60, 2000])
def test_renaming_the_classes_changes_nothing(n: int) -> None:
    target, a, b = hard_data(n)
    names = np.array(["zebra", "ant", "mule"])
    numbered = label_bootstrap(target, a, b, n_resamples=300)
    named = label_bootstrap(names[target], names[a], names[b], n_resamples=300)
    np.testing.assert_allclose(named.draws, numbered.draws, atol=1e-14)
    assert [c.p for c in named.comparisons] == [c.p for c in numbered.comparisons]
    target, a, b = soft_data(60)
    columns = [2, 0, 1]
    moved = label_bootstrap(target[:, columns], a[:, columns], b[:, columns], n_resamples=300)
    np.testing.assert_allclose(moved.draws, label_bootstrap(target, a, b, n_resamples=300).draws, atol=1e-12)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_the_order_of_the_items_changes_no_effect_and_no_distribution(kind: str) -> None:
    target, a, b = data_for(kind, 150)
    order = np.random.default_rng(7).permutation(150)
    given = label_bootstrap(target, a, b, n_resamples=2000)
    permuted = label_bootstrap(target[order], a[order], b[order], n_resamples=2000)
    for x, y, drawn_x, drawn_y in zip(
        given.comparisons, permuted.comparisons, given.draws, permuted.draws, strict=True
    ):
        assert x.effect == pytest.approx(y.effect, abs=1e-12)
        assert stats.ks_2samp(drawn_x, drawn_y).pvalue > 1e-3


@pytest.mark.parametrize("kind", ["hard", "soft"])
@pytest.mark.parametrize("n", [60, 2000])
def test_numbers_depend_on_neither_threads_nor_length_nor_company(kind: str, n: int) -> None:
    target, a, b = data_for(kind, n)
    runs_a, runs_b = [a, b, a], [b, a]
    long = label_bootstrap(target, runs_a, runs_b, n_resamples=200, threads=2)
    short = label_bootstrap(target, runs_a, runs_b, n_resamples=130)
    np.testing.assert_array_equal(short.draws, long.draws[:, :130])
    name = long.comparisons[-1].score.name
    alone = label_bootstrap(target, runs_a, runs_b, name, n_resamples=200)
    np.testing.assert_array_equal(alone.draws[0], long.draws[-1])
    other = label_bootstrap(target, runs_a, runs_b, n_resamples=200, seed=1)
    assert not np.array_equal(other.draws, long.draws)


def drawn_runs(n_runs: int) -> list[tuple[int, ...]]:
    return list(product(range(n_runs), repeat=max(1, n_runs - 1)))


@pytest.mark.parametrize(("n_a", "n_b"), [(2, 2), (3, 2), (1, 2)])
@pytest.mark.parametrize("score", ["accuracy", "f1_macro"])
def test_items_and_independent_runs_are_drawn_as_enumerated(n_a: int, n_b: int, score: str) -> None:
    """Two items, and R − 1 of R runs of either system; a score is the mean over the drawn runs."""
    target = np.array([0, 1])
    a = np.array([[0, 1], [1, 1], [0, 0]])[:n_a]
    b = np.array([[0, 0], [1, 0]])[:n_b]
    effects = []
    for items, of_a, of_b in product(product(range(2), repeat=2), drawn_runs(n_a), drawn_runs(n_b)):
        i = list(items)
        means = [
            np.mean([of(target[i], x[run][i], score, [0, 1]) for run in drawn])
            for x, drawn in ((a, of_a), (b, of_b))
        ]
        effects.append(means[0] - means[1])
    test = label_bootstrap(target, a, b, score, n_resamples=8_000)
    assert_drawn_from(test.draws[0], distribution(effects))


def test_paired_runs_are_drawn_together() -> None:
    target = np.array([0, 1])
    a, b = np.array([[0, 1], [1, 1], [0, 0]]), np.array([[0, 0], [1, 0], [0, 1]])
    effects = []
    for items, drawn in product(product(range(2), repeat=2), drawn_runs(3)):
        i, runs = list(items), list(drawn)
        effects.append(np.mean(a[runs][:, i] == target[i]) - np.mean(b[runs][:, i] == target[i]))
    test = label_bootstrap(target, a, b, "accuracy", runs="paired", n_resamples=8_000)
    assert_drawn_from(test.draws[0], distribution(effects))


def test_fixed_runs_are_not_drawn() -> None:
    target = np.array([0, 1, 1])
    a, b = np.array([[0, 1, 0], [1, 1, 1]]), np.array([[0, 0, 1]])
    effects = []
    for items in product(range(3), repeat=3):
        i = list(items)
        effects.append(np.mean(a[:, i] == target[i]) - np.mean(b[:, i] == target[i]))
    test = label_bootstrap(target, a, b, "accuracy", runs="fixed", n_resamples=8_000)
    assert_drawn_from(test.draws[0], distribution(effects))


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_concatenated_runs_are_one_long_run(kind: str) -> None:
    target, a, b = data_for(kind, 50)
    concatenated = label_bootstrap(target, [a, b, a], [b, b, a], runs="concatenated", n_resamples=300)
    long = label_bootstrap(
        np.concatenate([target] * 3), np.concatenate([a, b, a]), np.concatenate([b, b, a]), n_resamples=300
    )
    np.testing.assert_array_equal(concatenated.draws, long.draws)
    assert concatenated.n_drawn == 150


def test_runs_vary_as_the_mean_of_runs_does() -> None:
    """Runs that differ as wholes, on many items: the variance is s²/R, within 5 % (its error: 1 %)."""
    target = np.zeros(5000, dtype=int)
    right = [0.5, 0.52, 0.55, 0.61]
    runs = np.stack([np.arange(5000) % 100 >= 100 * share for share in right]).astype(int)
    test = label_bootstrap(target, runs, target, "accuracy", labels=[0, 1], n_resamples=8_000)
    items = np.mean([np.mean(runs == 0, axis=0).var() / 5000])
    expected = np.var(right, ddof=1) / len(right)
    assert expected > 10 * items
    assert test.draws[0].var() == pytest.approx(expected + items, rel=0.05)


def test_an_undefined_score_is_refused() -> None:
    target, a, _ = soft_data(20)
    with pytest.raises(UndefinedMetricError, match="'entropy_correlation' of b is undefined"):
        label_bootstrap(target, a, np.full((20, 3), 1 / 3), "entropy_correlation")


def test_published_defaults_are_boostsas() -> None:
    target, a, b = hard_data(300)
    test = label_bootstrap(target, a, b, semantics="published", n_resamples=200)
    assert (test.n_drawn, test.runs) == (30, "concatenated")
    for comparison in test.comparisons:
        assert comparison.p_two_sided is None
        for value in (comparison.score_a, comparison.score_b, comparison.effect):
            assert value == round(value, 4)
    worse = label_bootstrap(target, b, a, semantics="published", fraction=1.0, n_resamples=200)
    assert {c.stars for c in worse.comparisons} == {"!"}
