"""Scores of many systems on shared bootstrapped items."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.testing.systems.leaderboard import bootstrap_scores, system_scores

METRICS = ("mae", "rmse", "spearman", "emd_aggregated", "max_error", "cosine", "mean")


@pytest.fixture
def arrays():  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(0)
    gold = generator.random((40, 3))
    return gold, {f"s{i}": gold + 0.1 * (i + 1) * generator.standard_normal((40, 3)) for i in range(4)}


def test_two_systems_scores_differ_by_their_comparison(arrays) -> None:  # type: ignore[no-untyped-def]
    gold, systems = arrays
    scores = bootstrap_scores(gold, systems, METRICS, n_resamples=150, seed=7)
    assert scores.shape == (len(METRICS), 4, 150)
    for metric, of_metric, own in zip(METRICS, scores, system_scores(gold, systems, METRICS), strict=True):
        result = nbyk.compare(
            gold, systems["s1"], systems["s3"], metric=metric, n_resamples=150, max_resamples=0, seed=7
        )
        effects = get(metric).sign * (of_metric[1] - of_metric[3])
        assert_allclose(effects, result.bootstrap_distribution, rtol=1e-9, atol=1e-13)
        assert_allclose(own[[1, 3]], (result.score_a, result.score_b), rtol=1e-12)


def test_a_systems_scores_do_not_depend_on_the_others_or_on_threads(arrays) -> None:  # type: ignore[no-untyped-def]
    gold, systems = arrays
    every = bootstrap_scores(gold, systems, METRICS, n_resamples=150)
    alone = bootstrap_scores(gold, [systems["s2"]], METRICS, n_resamples=70, threads=2)
    assert_array_equal(alone[:, 0], every[:, 2, :70])


def test_without_gold() -> None:
    a, b = np.random.default_rng(1).random((2, 30))
    scores = bootstrap_scores(None, [a, b], "mean", n_resamples=50)
    assert_allclose(scores[0].mean(axis=1), (a.mean(), b.mean()), atol=0.05)


def test_malformed_requests_are_named(arrays) -> None:  # type: ignore[no-untyped-def]
    gold, systems = arrays
    for arguments, message in (
        ((gold, systems, "wins_mae"), "compares two systems and scores neither"),
        ((None, systems, "mae"), "needs gold"),
        ((gold, {}, "mae"), "found no systems"),
        ((gold, {"gold": gold}, "mae"), "a system is called gold"),
        ((gold, {"x": gold, "y": gold[:5]}, "mae"), "x has 40, y has 5"),
    ):
        with pytest.raises(NbykError, match=message):
            bootstrap_scores(*arguments)
