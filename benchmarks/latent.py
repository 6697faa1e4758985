"""Coverage of the interval of the ordinal model's effect, for new items and for new raters.

Run ``python -m benchmarks.latent``; it prints the table of docs/classes.md. On a latent scale, items and the
noise of a rating are normal with a standard deviation of 1. A rater's thresholds lie higher or lower than
another's by .5 for both systems, and by `apart` more for each system. In a world of own steps, a rater's
distances between thresholds are longer or shorter by a factor, too, which the model does not know. The true
effect is that of a million ratings, each by a rater of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import responses_and_units
from nbyk.data.scales import FROM_0_TO_1
from nbyk.data.units import FRESH
from nbyk.metrics import get
from nbyk.testing.results import NONE, Claim
from nbyk.testing.systems.latent import cumulative_probit, with_latent
from nbyk.testing.systems.panel import panel_of

Floats = NDArray[np.float64]

SEED, SETS, LEVEL = 20261127, 1_000, 0.95
EFFECTS = (0.0, 0.6)
CUTS = {3: (-0.5, 1.2), 5: (-1.5, -0.6, 0.3, 1.6)}


class World(NamedTuple):
    """Items, raters of each item, levels; whether raters are the same for all, and how they differ."""

    n_items: int
    n_raters: int
    n_levels: int
    shared: bool
    apart: float = 0.0
    own_steps: float = 0.0


WORLDS = {
    "3 raters of its own": World(100, 3, 5, shared=False),
    "3 raters of its own, 3 levels": World(100, 3, 3, shared=False),
    "the same 3 raters": World(100, 3, 5, shared=True, apart=0.2),
    "the same 5 raters": World(100, 5, 5, shared=True, apart=0.2),
    "the same 5 raters, own steps": World(100, 5, 5, shared=True, apart=0.2, own_steps=0.3),
    "the same 8 raters": World(100, 8, 5, shared=True, apart=0.2),
    "the same 8 raters, 500 items": World(500, 8, 5, shared=True, apart=0.2),
}


def ratings(rng: np.random.Generator, world: World, effect: float) -> tuple[Floats, Floats]:
    """Return levels from 0, (N, K), of A, which lies `effect` higher on the latent scale, and of B."""
    n, k = world.n_items, world.n_raters
    raters = (1 if world.shared else n, k)
    items, lean = rng.standard_normal((n, 1)), 0.5 * rng.standard_normal(raters)
    steps = np.exp(world.own_steps * rng.standard_normal(raters))
    cuts = np.array(CUTS[world.n_levels])
    a, b = (
        np.sum(
            (items + lean + of + world.apart * rng.standard_normal(raters) + rng.standard_normal((n, k)))[
                ..., None
            ]
            >= cuts * steps[..., None],
            axis=2,
        ).astype(np.float64)
        for of in (effect, 0.0)
    )
    return a, b


@cache
def true_effect(world: World, effect: float) -> float:
    """Return the effect of a million ratings, each by a rater of its own."""
    many = world._replace(n_items=1_000_000, n_raters=1, shared=False)
    drawn = ratings(np.random.default_rng(SEED), many, effect)
    found = cumulative_probit(
        [np.bincount(of[:, 0].astype(int), minlength=world.n_levels) / 1e6 for of in drawn]
    )
    assert found is not None
    return found[0]


def coverage(world: World, effect: float, n_sets: int = SETS) -> tuple[float, float]:
    """Return the shares of sets whose broadest interval lies below the truth, and above it."""
    rng, metric, truth = np.random.default_rng([SEED, world.n_items]), get("mean"), true_effect(world, effect)
    missed = np.zeros(2)
    for _ in range(n_sets):
        (a, of_a), (b, of_b) = (responses_and_units(of, "ratings") for of in ratings(rng, world, effect))
        units = {"a": of_a, "b": of_b} if world.shared else {"a": FRESH, "b": FRESH}
        data = ResponseSet(np.empty((world.n_items, 0)), a, b, units)
        panel = panel_of(data, None, pair_runs=True)
        nothing = Claim(panel.factors, "", 0.0, NONE, 1.0, 0.0, "t", "undecided")
        (claim,) = with_latent([nothing], metric, data, panel, FROM_0_TO_1, LEVEL)
        assert claim.latent is not None
        low, high = claim.latent.interval
        missed += high < truth, low > truth
    below, above = missed / n_sets
    return float(below), float(above)


def table(n_sets: int = SETS) -> Iterator[str]:
    """Yield the lines of a table of coverage."""
    yield "| raters of an item | true effect, SD | covered | too low | too high |"
    yield "|---|---|---|---|---|"
    for name, world in WORLDS.items():
        for effect in EFFECTS:
            below, above = coverage(world, effect, n_sets)
            covered = 1.0 - below - above
            cells = [
                name,
                f"{true_effect(world, effect):.2f}",
                *(f"{x:.3f}".lstrip("0") for x in (covered, below, above)),
            ]
            yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print("\n".join(table()))
