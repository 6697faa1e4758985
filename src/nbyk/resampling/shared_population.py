"""A population in which items share raters, runs and clusters, and the response sets drawn from it.

A single response has the distribution that `Population` gives it. Sharing only ties responses together: rater
j rates item i as N(μ_i, σ_i²) with the standardised noise √ρ s_j + √(1 − ρ) e_ij, where the severity s_j is
the same on all items. The same holds for runs of a system, with their own share. The items of a cluster have
tied means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from nbyk.data.response_set import ResponseSet
from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import respond_in_place
from nbyk.resampling.streams import Streams

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True)
class Sharing:
    """The raters, runs and clusters that items share.

    Attributes
    ----------
    n_raters
        People J who rate the items; None if each rating is by another person.
    rater_share
        Share ρ of the variance within an item that is severity, in [0, 1]: a rater's effect on all items.
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

    Raises
    ------
    NbykError
        If a share or a number is out of range.
    """

    n_raters: int | None = None
    rater_share: float = 0.0
    items_per_panel: int = 1
    share_runs: bool = False
    run_share: float = 0.0
    cluster_size: int = 1
    cluster_share: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rater_share", "run_share", "cluster_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise NbykError(f"found {getattr(self, name)}, expected a share from 0 to 1", argument=name)
        for name in ("n_raters", "items_per_panel", "cluster_size"):
            count = getattr(self, name)
            if count is not None and count < 1:
                raise NbykError(f"found {count}, expected at least 1", argument=name)


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

    Raises
    ------
    NbykError
        If there are fewer raters than ratings per item, or one cluster holds all items.
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
    gold = _responses(
        population, (items.gold, items.sd_gold), streams, "gold", k, raters, sharing.rater_share
    )
    a, b = (
        _responses(population, moments, streams, role, n_runs, runs, sharing.run_share)
        for role, moments in (("a", (items.a, items.sd_a)), ("b", (items.b, items.sd_b)))
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


def _responses(
    population: Population,
    moments: tuple[Floats, Floats],
    streams: Streams,
    role: str,
    k: int,
    units: Integers | None,
    share: float,
) -> Floats:
    """Return responses (N, K) to items with these means and standard deviations, each (1, N)."""
    noise = np.empty((1, population.n_items, k))
    streams.fill_normals(role, noise)
    if units is not None and share > 0.0:
        severities = np.empty((1, int(units.max()) + 1))
        streams.fill_normals(f"units of {role}", severities)
        noise = np.sqrt(1.0 - share) * noise + np.sqrt(share) * severities[0][units]
    responses: Floats = respond_in_place(population.prior.response, *moments, noise)[0]
    return responses


def _units(name: str, index: Integers | None, count: int) -> Units:
    if index is None:
        return FRESH
    return Units("ids", tuple(f"{name} {place + 1}" for place in range(count)), index)
