"""`nbyk.compare` against scipy on the mean difference of two paired vectors, and its time at two sizes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.timing import Line, interleaved, line, seconds
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import as_systems, response_set
from nbyk.metrics import get
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulate
from nbyk.testing.decision import Decision
from nbyk.testing.engine.draws import Draws
from nbyk.testing.intervals import acceleration, bca_interval
from nbyk.testing.pvalues import p_values
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.board import board_of
from nbyk.testing.systems.scored import ScoredSystems

Floats = NDArray[np.float64]

N_ITEMS, RESAMPLES = 1000, 9_999
METRICS = (
    *("mae", "mse", "inverse_mse", "rmse", "max_error", "wins_mae"),
    *("spearman", "mean", "emd_aggregated"),
)
TARGETS = {1_000: 1.0, 100_000: 60.0}
"""Seconds for the test and both intervals by all metrics on item means, K = 5 and two threads, by N."""


def _mean_difference(x: Floats, y: Floats, axis: int = -1) -> Floats:
    return np.asarray(x.mean(axis=axis) - y.mean(axis=axis))


def against_scipy(repeats: int) -> Iterator[Line]:
    """Time the test against scipy's, and the BCa interval against scipy's, on as many resamples."""
    a, b = np.random.default_rng(0).random((2, N_ITEMS))
    data = response_set(None, a, b)

    def own_test() -> None:
        draws = Draws(data, [get("mean")], seed=0)
        p_values(draws.observed[0], draws.swapped([0], RESAMPLES)[0])

    def own_interval() -> None:
        draws = Draws(data, [get("mean")], seed=0)
        effects = draws.bootstrapped([0], RESAMPLES, "bootstrap")[0]
        bca_interval(effects, draws.observed[0], acceleration(draws.jackknifed()[0]), 0.95)

    def scipys_test() -> None:
        stats.permutation_test(
            (a, b), _mean_difference, permutation_type="samples", n_resamples=RESAMPLES, vectorized=True
        )

    def scipys_interval() -> None:
        stats.bootstrap((a, b), _mean_difference, paired=True, n_resamples=RESAMPLES, vectorized=True)

    for name, peer, own in (
        ("permutation_test", scipys_test, own_test),
        ("bootstrap, BCa", scipys_interval, own_interval),
    ):
        own()
        theirs, ours = interleaved(peer, own, repeats)
        what = f"mean difference of two paired vectors, N = {N_ITEMS}, {RESAMPLES} resamples"
        yield line(f"{what}, scipy's {name}", ("scipy", theirs), ("nbyk", ours), 5.0)


def against_targets(repeats: int) -> Iterator[Line]:
    """Time all metrics on item means at two sizes over what they may take."""
    prior = published_prior("simulated")
    for n_items, target in TARGETS.items():
        data = simulate(Population(prior, n_items, 5, 0.1))

        asked = Asked(Decision("two-sided", 0.05, 10_000, 10_000), threads=2)

        def own(data: ResponseSet = data, asked: Asked = asked) -> None:
            for name in METRICS:
                board_of(ScoredSystems.of(as_systems(data), name), asked)

        took = statistics.median(seconds(own) for _ in range(repeats if n_items <= N_ITEMS else 1))
        yield Line(
            f"compare by nine metrics, N = {n_items}, K = 5, M = 10,000: {took:.2f} s of {target:g}",
            took / target,
            {"nbyk": took, "target": target},
            1.5,
            "at most",
            1.0,
        )
