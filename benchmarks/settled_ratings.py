"""The power that ratings per item named by `nbyk.settle` reach, over simulated pilots whose truth is known.

Run ``python -m benchmarks.settled_ratings``. Systems answer once, are off by uniform amounts and judged by
squared errors, so that the spread of an item's effect has a closed form. The true effect is the observed one.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import nbyk
from nbyk.data.units import ALL_FRESH

Floats = NDArray[np.float64]

WORLDS = ((200, 3, 0.12, 0.1), (200, 3, 0.14, 0.2), (200, 5, 0.13, 0.2), (100, 3, 0.15, 0.2))
"""Items, ratings per item, how far off B is at most, and the standard deviation of a rating."""
OFF_A = 0.1
Z = float(ndtri(0.975))


def spread(off_a: float, off_b: float, one: float) -> float:
    """Return the standard deviation of an item's effect if gold's mean has this variance."""
    fourths = seconds = 0.0
    for off in (off_a, off_b):
        second = off**2 / 3
        fourths += off**4 / 5 - second**2
        seconds += second
    return math.sqrt(fourths + 4 * one * seconds)


def pilot(world: tuple[int, int, float, float], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return the ratings of gold and the answers of A and B."""
    n, k, off_b, noise = world
    a, b = (0.5 + off * rng.uniform(-1, 1, (n, 1)) for off in (OFF_A, off_b))
    return 0.5 + noise * rng.standard_normal((n, k)), a, b


def named(world: tuple[int, int, float, float], rng: np.random.Generator) -> tuple[float, float] | None:
    """Return the power stated for the ratings that are named, and the power that they have.

    None if the pilot is decided, B looks better, or no number of ratings up to 100 is named.
    """
    n, _, _, noise = world
    gold, a, b = pilot(world, rng)
    gains = ((b - gold.mean(1, keepdims=True)) ** 2 - (a - gold.mean(1, keepdims=True)) ** 2)[:, 0]
    effect = float(gains.mean())
    if not 0.0 < effect / float(gains.std(ddof=1)) * math.sqrt(n) < Z:
        return None
    data = replace(nbyk.response_set(gold, a, b), units=ALL_FRESH)
    found = nbyk.settle(data, metric="mse", max_items=n + 1, n_resamples=999)
    ways = [way for way in (found, *found.others) if way.open == ("k_responses",)]
    if not found.reachable or not ways:
        return None
    off_b = math.sqrt(OFF_A**2 + 3 * effect)
    true = spread(OFF_A, off_b, noise**2 / ways[0].k_responses)
    return ways[0].power, float(ndtr(effect / true * math.sqrt(n) - Z))


def measured(world: tuple[int, int, float, float], n_named: int, *, seed: int = 0) -> Floats:
    """Return stated and reached power of undecided pilots that have an answer, (pilots, 2)."""
    rng = np.random.default_rng(seed)
    found: list[tuple[float, float]] = []
    while len(found) < n_named:
        powers = named(world, rng)
        found += [powers] if powers else []
    return np.array(found)


def main() -> None:
    """Print stated and reached power of each world, and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pilots", type=int, default=300)
    parts = [measured(world, parser.parse_args().pilots) for world in WORLDS]
    for world, part in [*zip(WORLDS, parts, strict=True), ("all", np.concatenate(parts))]:
        low, high = np.quantile(part[:, 1], [0.05, 0.95])
        stated, reached = part.mean(0)
        reach = f"reached {reached:.3f} ({low:.2f} to {high:.2f})"
        print(f"{world}: {len(part)} named, stated {stated:.3f}, {reach}")


if __name__ == "__main__":
    main()
