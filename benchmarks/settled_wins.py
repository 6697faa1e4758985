"""The power that items named by `nbyk.settle` reach by Wins, whose ties are many.

Run ``python -m benchmarks.settled_wins``. Pilots are items of ConvAbuse with three ratings, and two made-up
systems. A new test set draws items of the pilot, so that the true effect is the observed one. The swap test
of Wins is the sign test, which is exact.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

import nbyk
from nbyk.data import load_source
from nbyk.planning.result import Plan

Floats = NDArray[np.float64]

SIZES, RESPONSES, OFF_B = (100, 200), (1, 3), (0.25, 0.3)
OFF_A, SPREAD, LEVELS = 0.2, 0.1, 4
LEAST_EFFECT = 0.02
SETS = 2_000


def pilot(rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return gold ratings (N, 3) and the answers (N, K) of A and B, on five levels."""
    ratings = load_source("convabuse").matrix()
    whole = ratings[(~np.isnan(ratings)).sum(axis=1) >= 3][:, :3]
    n, k = int(rng.choice(SIZES)), int(rng.choice(RESPONSES))
    gold = whole[rng.integers(0, len(whole), n)]
    a, b = (
        gold.mean(axis=1, keepdims=True)
        + rng.uniform(-off, off, (n, 1))
        + SPREAD * rng.standard_normal((n, k))
        for off in (OFF_A, float(rng.choice(OFF_B)))
    )
    return gold, *(np.round(LEVELS * np.clip(side, 0.0, 1.0)) / LEVELS for side in (a, b))


def wins(gold: Floats, a: Floats, b: Floats) -> Floats:
    """Return 1 where A is nearer to gold's mean, −1 where B is, and 0 where neither is."""
    error_a, error_b = (np.abs(side.mean(axis=1) - gold.mean(axis=1)) for side in (a, b))
    return np.where(np.isclose(error_a, error_b, atol=1e-9), 0.0, np.sign(error_b - error_a))


def power(of_items: Floats, n_items: int, rng: np.random.Generator) -> float:
    """Return how often the two-sided sign test of N items, drawn from these, rejects at .05."""
    drawn = rng.choice(of_items, (SETS, n_items))
    untied, lead = (drawn != 0).sum(axis=1), np.abs(drawn.sum(axis=1))
    p = np.minimum(1.0, 2.0 * binom.sf((untied + lead) // 2 - 1, untied, 0.5))
    return float(np.mean(p <= 0.05))


def measured(n_pilots: int, seed: int = 1) -> Iterator[tuple[Plan, int, float, float]]:
    """Yield each undecided pilot's plan and present N, the power stated for its items, and their power."""
    rng = np.random.default_rng(seed)
    found = 0
    while found < n_pilots:
        gold, a, b = pilot(rng)
        of_items = wins(gold, a, b)
        if of_items.mean() <= LEAST_EFFECT:
            continue
        # More ratings per item are not asked about.
        settled = nbyk.settle(gold, a, b, metric="wins_mae", max_responses=3)
        if settled.open != ("n_items",) or settled.simulated is None:
            continue
        found += 1
        yield settled, len(gold), settled.simulated.power, power(of_items, settled.n_items, rng)


def main() -> None:
    """Print a line for each undecided pilot, and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pilots", type=int, default=20)
    wanted = parser.parse_args().pilots
    found = []
    for settled, now, stated, reached in measured(wanted):
        found.append((stated, reached))
        of = f"{now} items, effect {settled.effect:.3f}"
        print(f"{of}: {settled.n_items} items, power {found[-1]}", flush=True)
    mean_stated, mean_reached = np.mean(found, axis=0)
    error = np.std([row[1] for row in found]) / np.sqrt(len(found))
    print(
        f"{wanted} pilots: stated {mean_stated:.3f}, reached {mean_reached:.3f} (standard error {error:.3f})"
    )


if __name__ == "__main__":
    main()
