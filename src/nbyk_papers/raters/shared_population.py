"""A population in which items share raters, and the response sets drawn from it.

A single response has the distribution that `Population` gives it. Sharing only ties responses together: rater
j rates item i as N(μ_i, σ_i²) with the standardised noise

    √ρ s_j + √κ g_i t_j + √(1 − ρ − κ g_i²) e_ij,

where s_j, t_j and e_ij are standard normal and independent. The severity s_j is the same on all items. The
sensitivity t_j moves the ratings along the item's place g_i (`item_places`): a rater with t_j > 0 spreads the
items out, one with t_j < 0 presses them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import FRESH, Units
from nbyk.priors import TwoStagePrior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import respond_in_place
from nbyk.resampling.streams import Streams

Integers = NDArray[np.int32]


@dataclass(frozen=True)
class Sharing:
    """The raters that items share.

    Attributes
    ----------
    n_raters
        People J who rate the items, K of them each, drawn at random; None if each rating is by another
        person.
    rater_share
        Share ρ of the variance within an item that is severity, in [0, 1]: a rater's effect on all items.
    sensitivity_share
        Share κ of the variance within an item that is raters' sensitivity, averaged over items. It is κ g² on
        an item of place g, so that ρ + 3 κ is at most 1.
    """

    n_raters: int | None = None
    rater_share: float = 0.0
    sensitivity_share: float = 0.0


def most_sensitivity(rater_share: float) -> float:
    """Return the largest sensitivity share κ beside a severity share ρ: (1 − ρ) / 3."""
    return (1.0 - rater_share) / 3.0


def item_places(prior: TwoStagePrior, means: Floats) -> Floats:
    """Return the place g of items among all items of a prior, from −√3 to √3.

    It is g = √3 (2 u − 1), where u is the share of items with a smaller mean and half of those with an equal
    one. Its mean is 0, and its variance is 1 unless several items have equal means.
    """
    ranks = 0.5 * (prior.mu.cdf(means) + prior.mu.cdf_left(means))
    places: Floats = np.sqrt(3.0) * (2.0 * ranks - 1.0)
    return places


def simulate_shared(
    population: Population, sharing: Sharing, *, seed: int = 0, index: int = 0
) -> ResponseSet:
    """Return a response set whose items share raters, with the names of these, "rater 1" ….

    It is the set of that number, from 0, among those of the seed.
    """
    n, k = population.n_items, population.k_responses
    streams = Streams(population.key(seed, "shared units"), index)
    items = population.draw_items(streams, 1)
    means, sds = {"gold": items.gold, "a": items.a, "b": items.b}, (items.sd_gold, items.sd_a, items.sd_b)
    noise = {"gold": np.empty((1, n, k))}
    noise |= {role: np.empty((1, n, population.n_runs or k)) for role in ("a", "b")}
    for role, numbers in noise.items():
        streams.fill_normals(role, numbers)
    units = dict.fromkeys(means, FRESH)
    if sharing.n_raters is not None:
        order = np.argsort(streams.uniforms("panels", (n, sharing.n_raters)), axis=1)
        raters = np.sort(order[:, :k], axis=1).astype(np.int32)
        units["gold"] = Units("ids", tuple(f"rater {place + 1}" for place in range(sharing.n_raters)), raters)
        slopes = np.sqrt(sharing.sensitivity_share) * item_places(population.prior, items.gold[0])
        noise["gold"] = _of_raters(streams, noise["gold"], raters, sharing, slopes)
    gold, a, b = (
        respond_in_place(population.prior.response, means[role], sd, noise[role])[0]
        for role, sd in zip(means, sds, strict=True)
    )
    return ResponseSet(gold, a, b, units)


def _of_raters(streams: Streams, noise: Floats, raters: Integers, sharing: Sharing, slopes: Floats) -> Floats:
    """Return standardised noise (1, N, K) with raters' severities and, times `slopes` (N,), sensitivities."""

    def of_each(name: str) -> Floats:
        drawn = np.empty((1, int(raters.max()) + 1))
        streams.fill_normals(f"{name} of gold", drawn)
        per_response: Floats = drawn[0][raters]
        return per_response

    moved, rest = np.zeros(raters.shape), np.full((len(raters), 1), 1.0 - sharing.rater_share)
    if sharing.rater_share > 0.0:
        moved += np.sqrt(sharing.rater_share) * of_each("units")
    if slopes.any():
        moved += slopes[:, np.newaxis] * of_each("sensitivities")
        rest -= slopes[:, np.newaxis] ** 2
    combined: Floats = np.sqrt(np.maximum(rest, 0.0)) * noise + moved
    return combined
