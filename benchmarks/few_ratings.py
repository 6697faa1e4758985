"""True power of plans from pilots of few ratings of an item, over worlds in which all is known.

    python -m benchmarks.few_ratings [--ratings 2 3 5] [--pilots 10] [--items 300] [--responses 1] [WORLD ...]

For each world nbyk draws pilots, and for each of them the size with a power of .8 (swap test on `mae`, an ε
of a quarter of the scale), by the closed form for single items' effects. The true power there is by the true
distributions of the world's items, in numpy. "Dirichlet" draws further ratings by a Dirichlet step alone,
"as nbyk does" as `nbyk plan` does: below four ratings, by the prior that the pilot's are likeliest under.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nbyk.planning.item_moments import PowerCurve, curve_from_moments, quantile
from nbyk.priors import Response
from nbyk.priors.families import Beta, TruncatedNormal
from nbyk.priors.family import Family
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.pilot_items import PilotItems, RedrawnPilot

Floats = NDArray[np.float64]
World = tuple[Callable[[int, np.random.Generator], Floats], Response]
"""What draws shares of the levels, (N, L), and the response; without levels, of a hundred parts."""

_EPSILON, _ALPHA, _POWER = 0.25, 0.025, 0.8
_ITEMS = 200_000


def two_stage(mu: Family, sigma: Family, levels: int = 5, careless: float = 0.0) -> World:
    """Return a world of normal ratings, a share of which is drawn from all levels alike; 0 for no levels."""
    parts = Response("likert", levels or 100)

    def draw(n: int, generator: np.random.Generator) -> Floats:
        u = generator.uniform(1e-12, 1.0, (2, n, 1))
        shares = parts.probabilities(mu.draw(u[0]), sigma.draw(u[1]))
        return (1.0 - careless) * shares + careless / parts.levels

    return draw, parts if levels else Response("clamped")


def dirichlet(*alpha: float) -> World:
    """Return a world of shares from a Dirichlet distribution."""
    return lambda n, generator: generator.dirichlet(alpha, n), Response("likert", len(alpha))


def two_camps() -> World:
    """Return a world in which some people rate high and others low, whatever is in between."""
    low = np.array([0.7, 0.25, 0.05, 0.0, 0.0])

    def draw(n: int, generator: np.random.Generator) -> Floats:
        share = generator.beta(0.6, 0.9, (n, 1))
        return np.asarray(share * low[::-1] + (1.0 - share) * low)

    return draw, Response("likert", 5)


def tn(mean: float, sd: float) -> Family:
    """Return a normal family truncated to [0, 1]."""
    return TruncatedNormal(mean, sd)


WORLDS: dict[str, World] = {
    "people alike on all items": two_stage(tn(0.5, 0.2), tn(0.15, 0.05)),
    "people hardly differ": two_stage(tn(0.5, 0.2), tn(0.06, 0.03)),
    "people differ much": two_stage(tn(0.5, 0.2), tn(0.3, 0.08)),
    "differing from item to item": two_stage(tn(0.45, 0.25), Beta(1.0, 4.0)),
    "most items low": two_stage(Beta(0.8, 3.0), tn(0.15, 0.1)),
    "three levels": two_stage(tn(0.5, 0.3), tn(0.2, 0.1), 3),
    "seven levels": two_stage(tn(0.5, 0.2), tn(0.15, 0.05), 7),
    "one in ten careless": two_stage(tn(0.5, 0.2), tn(0.12, 0.05), careless=0.1),
    "no levels": two_stage(tn(0.5, 0.2), tn(0.15, 0.05), 0),
    "no levels, most items low": two_stage(Beta(0.8, 3.0), tn(0.15, 0.1), 0),
    "Dirichlet, c = 1": dirichlet(0.13, 0.27, 0.4, 0.13, 0.07),
    "Dirichlet, c = 4.5": dirichlet(0.6, 1.2, 1.8, 0.6, 0.3),
    "two camps of people": two_camps(),
}


def values_of(response: Response) -> Floats:
    """Return the values of a world's levels or parts."""
    return response.values if response.levels else np.linspace(0.0, 1.0, 100)


def ratings_of(shares: Floats, response: Response, k: int, generator: np.random.Generator) -> Floats:
    """Return K ratings of each item, (N, K)."""
    above = generator.random((len(shares), k, 1)) > np.cumsum(shares, axis=1)[:, np.newaxis, :-1]
    return np.asarray(values_of(response)[above.sum(axis=-1)])


def true_signal(world: World, k: int) -> float:
    """Return the mean over the SD of items' effects, with K ratings, one answer of each system."""
    (draw, response), generator = world, np.random.default_rng(1)
    shares = draw(_ITEMS, generator)
    means, steps = shares @ values_of(response), response.levels

    def answers(mean: Floats) -> Floats:
        at = np.clip(mean, 0.0, response.top)
        return np.floor(at * steps + 0.5) / steps if steps else at

    gold = ratings_of(shares, response, k, generator).mean(axis=1)
    a, b = answers(means), answers(means + _EPSILON * generator.uniform(-1.0, 1.0, _ITEMS))
    effects = np.abs(b - gold) - np.abs(a - gold)
    return float(effects.mean() / effects.std())


def planned_power(pilot: PilotItems, k: int, signal: float) -> float:
    """Return the true power of the size that a pilot asks for."""
    population = RedrawnPilot(pilot, 1024, k, _EPSILON, 0.0, 0.0, 0.0, 1)
    effects = np.concatenate([item_effects(population, "mae", chunk=chunk) for chunk in range(3)])
    moments = float(effects.mean()), float(effects.std()), effects.size
    n_items = curve_from_moments(k, *moments, _ALPHA).items_for(_POWER)
    true = PowerCurve(k, signal, quantile(1.0 - _ALPHA) * math.sqrt(1.0 + signal**2), 0.0)
    return true.power(n_items)


def powers(name: str, n_ratings: int, k: int, n_items: int, n_pilots: int) -> tuple[Floats, Floats]:
    """Return the true powers of plans by a Dirichlet step and by nbyk's choice, (pilots,) each."""
    draw, response = WORLDS[name]
    signal, pairs = true_signal(WORLDS[name], k), []
    for seed in range(n_pilots):
        generator = np.random.default_rng([7, seed])
        ratings = ratings_of(draw(n_items, generator), response, n_ratings, generator)
        pilot = PilotItems("pilot", ratings, response)
        pairs.append([planned_power(one, k, signal) for one in (replace(pilot, families=()), pilot)])
    by_dirichlet, chosen = np.transpose(pairs)
    return by_dirichlet, chosen


def main() -> None:
    """Print a row for every world and number of ratings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", nargs="*", metavar="WORLD")
    parser.add_argument("--ratings", type=int, nargs="+", default=[2, 3, 5])
    parser.add_argument("--responses", type=int, default=1)
    parser.add_argument("--pilots", type=int, default=10)
    parser.add_argument("--items", type=int, default=300)
    options = parser.parse_args()
    print("| world | ratings | Dirichlet | as nbyk does |\n|---|---|---|---|")
    for name in options.worlds or WORLDS:
        for n_ratings in options.ratings:
            both = powers(name, n_ratings, options.responses, options.items, options.pilots)
            cells = [f"{of.mean():.2f} ± {of.std(ddof=1):.2f}" for of in both]
            print(f"| {name} | {n_ratings} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
