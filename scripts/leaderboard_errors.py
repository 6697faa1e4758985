"""Measure how often leaderboards err: `python scripts/leaderboard_errors.py`.

This is the table of leaderboards in docs/method.md. Items, ratings and systems are drawn anew for each.
Systems of one spread have the same true mean absolute error; those called unlike have it by errors of
different shapes, so that their rows are not exchangeable and no test is exact.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import nbyk
from nbyk.testing.corrections import correct_p_values

Floats = NDArray[np.float64]
Shape = Callable[[np.random.Generator, tuple[int, ...]], Floats]

K, NOISE, ALPHA, DRAWS = 3, 0.1, 0.05, 2399
CORRECTIONS = ("holm", "benjamini_hochberg", "none")
SHAPES: dict[str, Shape] = {
    "normal": lambda generator, shape: generator.standard_normal(shape),
    "uniform": lambda generator, shape: generator.uniform(-1.0, 1.0, shape),
    "one item in ten": lambda generator, shape: (
        generator.standard_normal(shape) * (generator.random(shape) < 0.1)
    ),
    "too high": lambda generator, shape: generator.exponential(1.0, shape),
}
SETTINGS: dict[str, list[tuple[str, float]]] = {
    "four equal": [("normal", 0.2)] * 4,
    "four unlike, equal": [(shape, 0.2) for shape in SHAPES],
    "three equal, one worse": [("normal", 0.1)] * 3 + [("normal", 0.2)],
    "two equal, two worse": [("normal", 0.05), ("normal", 0.05), ("normal", 0.12), ("normal", 0.2)],
}
"""Of each setting, the systems' shapes of error, and the spread of a normal error as large on average."""


def widened(shape: str, spread: float) -> float:
    """Return the factor at which a shape's mean error, with the noise of responses, is a normal's."""
    generator = np.random.default_rng(1)
    noise = NOISE * np.sqrt(2.0 / K) * generator.standard_normal(1_000_000)
    errors = SHAPES[shape](generator, noise.shape)
    wanted = np.sqrt(2.0 / np.pi * (spread**2 + 2.0 * NOISE**2 / K))
    return float(brentq(lambda factor: np.abs(factor * errors + noise).mean() - wanted, 0.0, 50.0))


def setting(name: str, n: int, replicates: int) -> list[float]:
    """Return the measured chances and shares of one setting, in the order of the table."""
    systems = [(shape, spread, widened(shape, spread)) for shape, spread in SETTINGS[name]]
    spreads = np.array([spread for _, spread, _ in systems])
    true_low = [1 + int((spreads < spread).sum()) for spread in spreads]
    true_high = [int((spreads <= spread).sum()) for spread in spreads]
    pairs = list(combinations(range(len(systems)), 2))
    any_false = dict.fromkeys(CORRECTIONS, 0)
    share_false, covered, widths = 0.0, 0, 0.0
    for replicate in range(replicates):
        generator = np.random.default_rng([replicate, n])
        mean = generator.random((n, 1))

        def responses(
            off: Floats | float, mean: Floats = mean, source: np.random.Generator = generator
        ) -> Floats:
            return mean + off + NOISE * source.standard_normal((n, K))

        gold = responses(0.0)
        board = nbyk.compare(
            gold,
            [responses(factor * SHAPES[shape](generator, (n, 1))) for shape, _, factor in systems],
            n_resamples=DRAWS,
            max_resamples=DRAWS,
            seed=replicate,
        )
        p = np.array([pair.claims[-1].p for pair in board.pairs])
        a_looks_better = np.array([pair.effect > 0.0 for pair in board.pairs])
        a_is_better = np.array([np.sign(spreads[b] - spreads[a]) for a, b in pairs])
        wrong = a_is_better != np.where(a_looks_better, 1.0, -1.0)
        for correction in CORRECTIONS:
            claimed = correct_p_values(p, correction) <= ALPHA
            any_false[correction] += bool((claimed & wrong).any())
            if correction == "benjamini_hochberg" and claimed.any():
                share_false += (claimed & wrong).sum() / claimed.sum()
        found = [board.standing(f"system {system}") for system in range(len(systems))]
        ends = list(zip(found, true_low, true_high, strict=True))
        covered += all(of.rank_low <= low and high <= of.rank_high for of, low, high in ends)
        widths += float(np.mean([of.rank_high - of.rank_low + 1 for of in found]))
    counts = [any_false["holm"], any_false["none"], share_false, covered, widths]
    return [count / replicates for count in counts]


def main() -> None:
    """Print a table row per setting and number of items."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=2000)
    replicates = parser.parse_args().replicates
    print(
        "| systems | N | any false claim, Holm | uncorrected | false share, Benjamini–Hochberg "
        "| all sets cover | mean set |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in SETTINGS:
        for n in (40, 200):
            start = time.monotonic()
            *shares, width = setting(name, n, replicates)
            shown = " | ".join(f"{share:.3f}".lstrip("0") for share in shares)
            print(f"| {name} | {n} | {shown} | {width:.1f} |", flush=True)
            print(f"{name} {n}: {time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
