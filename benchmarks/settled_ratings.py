"""The power that ratings per item named by `nbyk.settle` reach, over simulated pilots whose truth is known.

Run ``python -m benchmarks.settled_ratings``. Systems are off by uniform amounts and judged by squared errors,
so that the spread of an item's effect has a closed form, in the truth as in the fitted population. The rule
of `settle` for "ratings on each of the present items" then takes milliseconds a pilot. The true effect is the
observed one.
"One fit" takes the likeliest population alone, with the spread of the pilot's own effect.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]

WORLDS = ((200, 3, 0.12, 0.1), (200, 3, 0.14, 0.2), (200, 5, 0.13, 0.2), (100, 3, 0.15, 0.2))
"""Items, ratings per item, how far off B is at most, and the standard deviation of a rating."""
OFF_A = 0.1
TARGET = 0.8
Z = float(ndtri(0.975))
NODES = ((2 / 3, 0.0), (1 / 6, -math.sqrt(3)), (1 / 6, math.sqrt(3)))
DOUBT = 3.0


def spread(off_a: float, off_b: float, gold: float, systems: float, k: Floats) -> Floats:
    """Return the standard deviation of an item's effect with K responses of these variances."""
    fourths, seconds, one = np.zeros_like(k), np.zeros_like(k), systems / k
    for off in (off_a, off_b):
        second = off**2 / 3 + one
        fourths = fourths + off**4 / 5 + 2 * off**2 * one + 3 * one**2 - second**2
        seconds = seconds + second
    return np.sqrt(fourths + 4 * gold / k * seconds)


def pilot(world: tuple[int, int, float, float], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return the responses of gold, A and B, of which A looks better."""
    n, k, off_b, noise = world
    off = np.array([0.0, OFF_A, off_b])[:, None, None] * rng.uniform(-1, 1, (3, n, 1))
    gold, a, b = off + noise * rng.standard_normal((3, n, k))
    errors = [(system.mean(1) - gold.mean(1)) ** 2 for system in (a, b)]
    return (gold, a, b) if errors[0].mean() <= errors[1].mean() else (gold, b, a)


def named(world: tuple[int, int, float, float], rng: np.random.Generator, *, one_fit: bool) -> Floats | None:
    """Return the power stated for the ratings that are named and the power that they have.

    None if the pilot is decided; NaN if no number of ratings up to 100 is named.
    """
    n, k_now, _, noise = world
    gold, a, b = pilot(world, rng)
    raw, of_b = ((system.mean(1) - gold.mean(1)) ** 2 for system in (a, b))
    effects = of_b - raw
    effect, now = float(effects.mean()), float(effects.std(ddof=1))
    if effect / now * math.sqrt(n) >= Z:
        return None
    v_gold, v_a, v_b = (role.var(1, ddof=1) for role in (gold, a, b))
    within = float(v_gold.mean()), float(0.5 * (v_a + v_b).mean())
    error = float((raw - v_gold / k_now - v_a / k_now).std(ddof=1)) / math.sqrt(n)
    squares = (effects - effect) ** 2
    of_spread = float(squares.std(ddof=1)) / (2 * float(squares.mean()) * math.sqrt(n))
    more = np.arange(k_now + 1.0, 101.0)
    power, keeps = np.zeros_like(more), None
    for weight, place in ((1.0, 0.0),) if one_fit else NODES:
        off_a = math.sqrt(3 * max(float(raw.mean()) + place * error - sum(within) / k_now, 0.0))
        off_b = math.sqrt(off_a**2 + 3 * effect)
        fitted = float(spread(off_a, off_b, *within, np.array(float(k_now))))
        if keeps is None:
            keeps = one_fit or abs(math.log(now / fitted)) > DOUBT * of_spread
        at = spread(off_a, off_b, *within, more) * (now / fitted if keeps else 1.0)
        power += weight * ndtr(effect / at * math.sqrt(n) - Z)
    enough = np.flatnonzero(power >= TARGET)
    if not len(enough):
        return np.full(2, np.nan)
    true = spread(OFF_A, math.sqrt(OFF_A**2 + 3 * effect), noise**2, noise**2, more[enough[:1]])
    reached = ndtr(effect / true * math.sqrt(n) - Z)
    return np.array([power[enough[0]], reached[0]])


def measured(world: tuple[int, int, float, float], n_pilots: int, *, one_fit: bool, seed: int = 0) -> Floats:
    """Return stated and reached power of the undecided pilots that have an answer, (pilots, 2)."""
    rng = np.random.default_rng(seed)
    found: list[Floats] = []
    while len(found) < n_pilots:
        powers = named(world, rng, one_fit=one_fit)
        if powers is not None:
            found.append(powers)
    every = np.array(found)
    return every[np.isfinite(every[:, 0])]


def main() -> None:
    """Print stated and reached power of each world, and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pilots", type=int, default=300)
    options = parser.parse_args()
    for one_fit in (True, False):
        parts = [measured(world, options.pilots, one_fit=one_fit) for world in WORLDS]
        for world, part in [*zip(WORLDS, parts, strict=True), ("all", np.concatenate(parts))]:
            low, high = np.quantile(part[:, 1], [0.05, 0.95])
            stated, reached = part.mean(0)
            name = "one fit" if one_fit else "mean"
            reach = f"reached {reached:.3f} ({low:.2f} to {high:.2f})"
            print(f"{name} {world}: {len(part)} named, stated {stated:.3f}, {reach}")


if __name__ == "__main__":
    main()
