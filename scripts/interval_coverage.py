"""Measure how often intervals cover the true effect: `python scripts/interval_coverage.py > coverage.md`.

This is the table of docs/method.md. A true effect is the mean over test sets of very many items with as many
responses; each replicate is a simulated test set, whose intervals come from the draws of `nbyk.compare`.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from nbyk.data.responses import response_set
from nbyk.metrics import get
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulate, simulated_effects
from nbyk.testing.engine.draws import Draws
from nbyk.testing.intervals import acceleration, bca_interval, percentile_interval

METRICS = ("mae", "rmse", "wins_mae", "spearman", "emd_aggregated", "inverse_mse")
SAMPLERS = ("bootstrap_items/all", "bootstrap_items/sample(K)")
EPSILON, LEVEL, DRAWS = 0.1, 0.95, 999


def intervals(effects: np.ndarray, observed: float, skewness: float) -> list[tuple[float, float]]:
    """Return the percentile and the BCa interval."""
    drawn = effects[np.isfinite(effects)]
    return [percentile_interval(drawn, LEVEL), bca_interval(drawn, observed, skewness, LEVEL)]


def cell(source: str, n: int, k: int, replicates: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the coverage and the mean width, shape (metrics, samplers, methods)."""
    prior = published_prior(source)
    truth = simulated_effects(
        Population(prior, 20_000, k, EPSILON), METRICS, n_draws=256, seed=1
    ).alternative.mean(axis=1)
    covered = np.zeros((len(METRICS), len(SAMPLERS), 2))
    width = np.zeros_like(covered)
    every = range(len(METRICS))
    for replicate in range(replicates):
        data = simulate(Population(prior, n, k, EPSILON), seed=10_000 + replicate)
        draws = Draws(
            response_set(data.gold, data.a, data.b), [get(name) for name in METRICS], seed=replicate
        )
        skewness = [acceleration(left_out) for left_out in draws.jackknifed()]
        for s, sampler in enumerate(SAMPLERS if k > 1 else SAMPLERS[:1]):
            if sampler == "bootstrap_items/all":
                effects = draws.bootstrapped(every, DRAWS, "bootstrap")
            else:
                effects = draws.redrawn(every, DRAWS, sampler, None)
            for m in every:
                found = intervals(effects[m], float(draws.observed[m]), skewness[m])
                for i, (low, high) in enumerate(found):
                    covered[m, s, i] += low <= truth[m] <= high
                    width[m, s, i] += high - low
    return covered / replicates, width / replicates


def main() -> None:
    """Print a table row per source, size and metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--sources", nargs="+", default=["simulated", "toxicity"])
    options = parser.parse_args()
    replicates = options.replicates
    columns = [f"{sampler}, {method}" for sampler in SAMPLERS for method in ("percentile", "BCa")]
    print("| source | N | K | metric | " + " | ".join(columns) + " | width ratio |")
    print("|---|---|---|---|" + "---|" * (len(columns) + 1))
    for source in options.sources:
        for n in (50, 150):
            for k in (1, 5):
                start = time.monotonic()
                coverage, width = cell(source, n, k, replicates)
                for m, metric in enumerate(METRICS):
                    shown = [f"{value:.3f}" for value in coverage[m, : 2 if k > 1 else 1].ravel()]
                    shown += [""] * (4 - len(shown))
                    ratio = f"{width[m, 1, 0] / width[m, 0, 0]:.2f}" if k > 1 else ""
                    print(
                        f"| {source} | {n} | {k} | `{metric}` | {' | '.join(shown)} | {ratio} |", flush=True
                    )
                print(f"{source} {n} {k}: {time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
