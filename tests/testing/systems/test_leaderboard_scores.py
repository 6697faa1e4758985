"""Scores of many systems on shared bootstrapped items."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import nbyk
from nbyk.data.responses import as_systems
from nbyk.errors import NbykError
from nbyk.testing.decision import Decision
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.scored import ScoredSystems

METRICS = ("mae", "rmse", "spearman", "emd_aggregated", "max_error", "cosine", "mean")


def asked(n_resamples: int, **options: int) -> Asked:
    return Asked(Decision("two-sided", 0.05, n_resamples, n_resamples), **options)  # type: ignore[arg-type]


@pytest.fixture
def arrays():  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(0)
    gold = generator.random((40, 3))
    return gold, {f"s{i}": gold + 0.1 * (i + 1) * generator.standard_normal((40, 3)) for i in range(4)}


def test_two_systems_scores_differ_by_their_comparison(arrays) -> None:  # type: ignore[no-untyped-def]
    gold, systems = arrays
    for metric in METRICS:
        scored = ScoredSystems.of(as_systems(gold, systems), metric)
        scores = scored.bootstrapped(asked(150, seed=7), of_clusters=False)
        assert scores.shape == (4, 150)
        result = nbyk.compare(
            gold, systems["s1"], systems["s3"], metric=metric, n_resamples=150, max_resamples=0, seed=7
        )
        effects = scored.metric.sign * (scores[1] - scores[3])
        assert_allclose(effects, result.pair.drawn.bootstrapped, rtol=1e-9, atol=1e-13)
        assert_allclose(scored.scores[[1, 3]], result.pair.scores, rtol=1e-12)


def test_a_systems_scores_do_not_depend_on_the_others_or_on_threads(arrays) -> None:  # type: ignore[no-untyped-def]
    gold, systems = arrays
    for metric in METRICS:
        every = ScoredSystems.of(as_systems(gold, systems), metric).bootstrapped(
            asked(150), of_clusters=False
        )
        two = ScoredSystems.of(as_systems(gold, [systems["s2"], systems["s0"]]), metric)
        assert_array_equal(two.bootstrapped(asked(70, threads=2), of_clusters=False), every[[2, 0], :70])


def test_without_gold() -> None:
    a, b = np.random.default_rng(1).random((2, 30))
    scores = ScoredSystems.of(as_systems(None, [a, b]), "mean").bootstrapped(asked(50), of_clusters=False)
    assert_allclose(scores.mean(axis=1), (a.mean(), b.mean()), atol=0.05)


def test_malformed_requests_are_named(arrays) -> None:  # type: ignore[no-untyped-def]
    gold, systems = arrays
    for (*given, metric), message in (
        ((gold, systems, "wins_mae"), "compares two systems and scores neither"),
        ((None, systems, "mae"), "needs gold"),
        ((gold, {}, "mae"), "found 0, expected at least two"),
        ((gold, {"gold": gold}, "mae"), "a system is called gold"),
        ((gold, {"x": gold, "y": gold[:5]}, "mae"), "found 40 items of gold and 5 of y"),
    ):
        with pytest.raises(NbykError, match=message):
            ScoredSystems.of(as_systems(*given), metric)
