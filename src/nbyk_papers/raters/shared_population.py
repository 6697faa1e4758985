"""A population in which items share raters, runs and clusters, and the response sets drawn from it.

A single response has the distribution that `Population` gives it. Sharing only ties responses together: rater
j rates item i as N(μ_i, σ_i²) with the standardised noise

    √ρ s_j + √κ g_i t_j + √(1 − ρ − κ g_i²) e_ij,

where s_j, t_j and e_ij are standard normal and independent. The severity s_j is the same on all items. The
sensitivity t_j moves the ratings along the item's place g_i (`item_places`): a rater with t_j > 0 spreads the
items out, one with t_j < 0 presses them together. The same holds for runs of a system, with a share of their
own and without sensitivities. The items of a cluster have tied means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from nbyk.data.response_set import ResponseSet
from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError
from nbyk.priors import TwoStagePrior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import respond_in_place
from nbyk.resampling.streams import Streams

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Sharing:
    """The raters, runs and clusters that items share.

    Attributes
    ----------
    n_raters
        People J who rate the items; None if each rating is by another person.
    rater_share
        Share ρ of the variance within an item that is severity, in [0, 1]: a rater's effect on all items.
    sensitivity_share
        Share κ of the variance within an item that is raters' sensitivity, averaged over items. It is κ g² on
        an item of place g, so that ρ + 3 κ is at most 1.
    items_per_panel
        Number of consecutive items that the same people rate, at least 1. Each such batch has K of the J
        raters, drawn at random.
    share_runs
        Whether the same runs of a system answer all items; otherwise each item has its own runs.
    run_share
        As `rater_share`, for a system's runs.
    cluster_size
        Items in a cluster, at least 1; 1 without clusters.
    cluster_share
        Correlation of the normal scores of two item means in a cluster, in [0, 1].
    """

    n_raters: int | None = None
    rater_share: float = 0.0
    items_per_panel: int = 1
    share_runs: bool = False
    run_share: float = 0.0
    cluster_size: int = 1
    cluster_share: float = 0.0
    sensitivity_share: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rater_share", "run_share", "cluster_share", "sensitivity_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise NbykError(f"found {getattr(self, name)}, expected a share from 0 to 1", argument=name)
        most = most_sensitivity(self.rater_share)
        if self.sensitivity_share > most * (1.0 + _ROUNDING):
            raise NbykError(
                f"found {self.sensitivity_share:g} beside a `rater_share` of {self.rater_share:g}, expected "
                f"at most {most:.3g}, so that ρ + 3 κ ≤ 1; lower one of the two shares",
                argument="sensitivity_share",
            )
        for name in ("n_raters", "items_per_panel", "cluster_size"):
            count = getattr(self, name)
            if count is not None and count < 1:
                raise NbykError(f"found {count}, expected at least 1", argument=name)


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
    """Draw one response set whose items share raters, runs or clusters, with the names of these.

    Parameters
    ----------
    population
        Items, responses and systems: N items with K ratings each, and the runs of each system.
    sharing
        The raters, runs and clusters that items share.
    seed
        Seed of the draw.
    index
        The number of the response set to return among those of the seed, from 0.

    Returns
    -------
    ResponseSet
        With units named "rater 1" … and "run 1" … if they are shared, and with clusters if items have any.
    """
    n, k = population.n_items, population.k_responses
    if sharing.n_raters is not None and sharing.n_raters < k:
        raise NbykError(
            f"found {sharing.n_raters}, and each item has {k} ratings; expected as many raters at least",
            argument="n_raters",
        )
    if 1 < sharing.cluster_size >= n:
        raise NbykError(
            f"found {sharing.cluster_size}, and there are {n} items; expected two clusters or more",
            argument="cluster_size",
        )
    streams = Streams(population.key(seed, "shared units"), index)
    items = population.draw_items(_Clustered(streams, sharing), 1)
    n_runs = population.n_runs or k
    raters = _panels(streams, sharing, n, k)
    runs = np.broadcast_to(np.arange(n_runs, dtype=np.int32), (n, n_runs)) if sharing.share_runs else None
    slopes = np.sqrt(sharing.sensitivity_share) * item_places(population.prior, items.gold[0])
    gold_noise = _noise(streams, "gold", (n, k), raters, sharing.rater_share, slopes)
    response = population.prior.response
    gold = respond_in_place(response, items.gold, items.sd_gold, gold_noise)[0]
    a, b = (
        respond_in_place(response, mean, sd, _noise(streams, role, (n, n_runs), runs, sharing.run_share))[0]
        for role, mean, sd in (("a", items.a, items.sd_a), ("b", items.b, items.sd_b))
    )
    units = {"gold": _units("rater", raters, sharing.n_raters or 0)}
    units |= {role: _units("run", runs, n_runs) for role in ("a", "b")}
    clusters = np.arange(n) // sharing.cluster_size if sharing.cluster_size > 1 else None
    return ResponseSet(gold, a, b, units, clusters)


@dataclass(frozen=True)
class _Clustered:
    """Streams whose uniforms for item means are tied within clusters, and still uniform."""

    streams: Streams
    sharing: Sharing

    def uniforms(self, role: str, shape: tuple[int, ...]) -> Floats:
        own = self.streams.uniforms(role, shape)
        share = self.sharing.cluster_share
        if role != "mu" or share == 0.0:
            return own
        n_clusters = -(-shape[1] // self.sharing.cluster_size)
        common = ndtri(self.streams.uniforms("clusters", (shape[0], n_clusters, *shape[2:])))
        of_items = np.repeat(common, self.sharing.cluster_size, axis=1)[:, : shape[1]]
        tied: Floats = ndtr(np.sqrt(share) * of_items + np.sqrt(1.0 - share) * ndtri(own))
        return tied


def _panels(streams: Streams, sharing: Sharing, n_items: int, k: int) -> Integers | None:
    """Return the rater of each rating, shape (N, K), or None if each is by another person."""
    if sharing.n_raters is None:
        return None
    n_panels = -(-n_items // sharing.items_per_panel)
    order = np.argsort(streams.uniforms("panels", (n_panels, sharing.n_raters)), axis=1)
    panels = np.sort(order[:, :k], axis=1).astype(np.int32)
    return np.repeat(panels, sharing.items_per_panel, axis=0)[:n_items]


def _noise(
    streams: Streams,
    role: str,
    shape: tuple[int, int],
    units: Integers | None,
    share: float,
    slopes: Floats | None = None,
) -> Floats:
    """Return standardised noise (1, N, K) with units' severities and, times `slopes` (N,), sensitivities."""
    noise = np.empty((1, *shape))
    streams.fill_normals(role, noise)
    if units is None:
        return noise

    def of_units(name: str) -> Floats:
        drawn = np.empty((1, int(units.max()) + 1))
        streams.fill_normals(f"{name} of {role}", drawn)
        per_response: Floats = drawn[0][units]
        return per_response

    moved, rest = np.zeros(shape), np.full((shape[0], 1), 1.0 - share)
    if share > 0.0:
        moved += np.sqrt(share) * of_units("units")
    if slopes is not None and slopes.any():
        moved += slopes[:, np.newaxis] * of_units("sensitivities")
        rest -= slopes[:, np.newaxis] ** 2
    combined: Floats = np.sqrt(np.maximum(rest, 0.0)) * noise + moved
    return combined


def _units(name: str, index: Integers | None, count: int) -> Units:
    if index is None:
        return FRESH
    return Units("ids", tuple(f"{name} {place + 1}" for place in range(count)), index)
