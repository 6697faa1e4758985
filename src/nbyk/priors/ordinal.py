"""Priors of ordered levels: steps of a latent normal scale between thresholds, a cumulative probit.

Item i lies at m_i ~ N(0, s²) on the latent scale. A response is m_i + b_r + N(0, 1), where b_r ~ N(0, τ²) is
how far rater r's own cut-points lie from the common ones, and its level is the number of thresholds that it
reaches. Levels have an order and no distances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError, errors_about
from nbyk.files import read_json
from nbyk.priors.families import rounded
from nbyk.priors.family import check_fields
from nbyk.priors.nominal import (
    ClassCheck,
    ClassPrior,
    LabelPrior,
    as_counts,
    check_classes,
    check_differ,
    labels_of,
)
from nbyk.priors.predictive import FittedPrior
from nbyk.sums import product

_FURTHEST = 6.0
"""Standard deviations from the middle to the outermost nodes."""

_FEWEST_NODES = 31
_MOST_NODES = 1001
_PULL_SD = 2.0
_TINY = 1e-300


@dataclass(frozen=True)
class OrdinalPrior(LabelPrior):
    """A distribution of whole data sets of levels.

    Attributes
    ----------
    name, caution : str
        As for `TwoStagePrior`.
    thresholds : tuple of float, length L − 1
        The thresholds between the levels, ascending.
    item_sd, rater_sd : float
        Standard deviations of the items on the latent scale, s, and of the raters' cut-points, τ; at least 0.
    classes : tuple of str
        The levels' names, lowest first; "1" to "L" by default.

    Raises
    ------
    NbykError
        If one of them is out of range, or the levels are not as many different names.
    """

    confusion: ClassVar[float] = 0.0
    perturbed: ClassVar[str] = "places on the latent scale are off by up to"

    name: str
    thresholds: tuple[float, ...]
    item_sd: float
    rater_sd: float = 0.0
    classes: tuple[str, ...] = ()
    caution: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        cuts = np.array(self.thresholds, dtype=np.float64)
        if cuts.ndim != 1 or not cuts.size or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0.0).any():
            raise NbykError(
                f"found {', '.join(f'{cut:g}' for cut in cuts.ravel()) or 'none'}, expected thresholds in "
                "ascending order, one fewer than there are levels; sort them, and leave out equal ones",
                argument="thresholds",
            )
        for argument in ("item_sd", "rater_sd"):
            sd = getattr(self, argument)
            if not 0.0 <= sd < np.inf:
                raise NbykError(f"found {sd}, expected a standard deviation of at least 0", argument=argument)
        object.__setattr__(self, "thresholds", tuple(cuts.tolist()))
        self.check_names(len(cuts) + 1, "level", first=1)

    @property
    def leaning(self) -> float:
        """The share of a response's noise that is its rater's, the spread of the raters' cut-points."""
        return self.rater_sd**2 / (1.0 + self.rater_sd**2)

    def with_raters(self, leaning: float, confusion: float) -> Self:
        """Return the prior of the same single responses, with a share of their noise the raters'."""
        spread = np.sqrt((1.0 + self.rater_sd**2) * (1.0 - leaning))
        cuts = tuple((np.array(self.thresholds) / spread).tolist())
        rater_sd = float(np.sqrt(leaning / (1.0 - leaning)))
        return replace(self, thresholds=cuts, item_sd=float(self.item_sd / spread), rater_sd=rater_sd)

    @property
    def n_noises(self) -> int:
        """The number of standard normals for one response: one."""
        return 1

    def labels(self, above: Floats, noise: Floats) -> Floats:
        """Return responses (N, K), as places of levels, of items (L − 1, N), from normals (1, N, K)."""
        return labels_of(above, ndtr(-noise[0])).astype(np.float64)

    @property
    def n_uniforms(self) -> int:
        """The number of uniforms for one item: one."""
        return 1

    def draw(self, u: ArrayLike) -> Floats:
        """Return items' chances of a level from l on, (L − 1, …), from uniforms of shape (…, 1)."""
        return self.above(self.places(np.asarray(u)[..., 0]))

    @property
    def shares(self) -> Floats:
        """The shares of the levels among all responses, (L,)."""
        spread = np.sqrt(1.0 + self.item_sd**2 + self.rater_sd**2)
        return np.diff(np.concatenate([[0.0], ndtr(np.array(self.thresholds) / spread), [1.0]]))

    @property
    def in_words(self) -> tuple[str, ...]:
        """Where each level begins on the latent scale."""
        return ("lowest, ", *(f"from {cut:.3g}, " for cut in self.thresholds))

    def places(self, u: ArrayLike) -> Floats:
        """Return items' places on the latent scale from uniforms in (0, 1), of the same shape."""
        return np.asarray(self.item_sd * ndtri(np.asarray(u, dtype=np.float64)))

    def above(self, places: ArrayLike) -> Floats:
        """Return the chances of a level from l on, (L − 1, …), of items at these places on the latent scale.

        A system that is off by some distance there is off by it here. Each response is by another rater.
        """
        at = np.asarray(places, dtype=np.float64)
        cuts = np.array(self.thresholds).reshape(-1, *(1,) * at.ndim)
        return np.asarray(ndtr((at - cuts) / np.sqrt(1.0 + self.rater_sd**2)))

    def pool(self, generator: np.random.Generator, n: int) -> MovedPool:
        """Draw n items, and the directions in which A and B are off on each."""
        places = self.item_sd * generator.standard_normal(n)
        return MovedPool(self, places, *generator.uniform(-1.0, 1.0, (2, n)))

    def log_likelihood(self, counts: ArrayLike) -> float:
        """Return the log-probability of counts by item and level, (N, L), each response by another rater."""
        rows, times = np.unique(as_counts(counts, self.levels), axis=0, return_counts=True)
        spread = np.sqrt(1.0 + self.rater_sd**2)
        return _log_likelihood(np.array(self.thresholds) / spread, self.item_sd / spread, rows, times)

    def _content(self) -> dict[str, Any]:
        spreads = {"item_sd": self.item_sd, "rater_sd": self.rater_sd}
        return {"thresholds": list(self.thresholds), **spreads}


@dataclass(frozen=True)
class MovedPool:
    """Places of n items on the latent scale, and directions in which A and B are off, (n,) each."""

    prior: OrdinalPrior
    places: Floats
    directions_a: Floats
    directions_b: Floats

    def at(self, epsilon_a: float, epsilon_b: float) -> tuple[Floats, Floats, Floats]:
        """Return the chances of a level from l on of gold, A and B, (L − 1, n), moved by at most ε."""
        moved = (0.0, epsilon_a * self.directions_a, epsilon_b * self.directions_b)
        gold, a, b = (self.prior.above(self.places + by) for by in moved)
        return gold, a, b


def fit_levels(
    name: str, counts: ArrayLike, classes: Sequence[str] = (), *, n_sets: int = 200, seed: int = 0
) -> FittedPrior[OrdinalPrior, ClassCheck]:
    """Fit thresholds and the spread of items to levels, as `fit_classes` fits classes, and check them.

    `classes` are the levels, lowest first, and `counts`, (N, L), those of responses on each. A level without
    a response is an error. Raters are not told apart, so their cut-points' spread is part of the noise, whose
    standard deviation is 1. The likelihood is a sum over even steps of items' places, as fine as responses
    place an item, and the penalty is on log s alone.
    """
    from scipy.optimize import minimize

    data = as_counts(counts)
    check_differ(data, classes)
    totals = data.sum(axis=0)
    if (totals == 0).any():
        empty = int(np.flatnonzero(totals == 0)[0])
        raise NbykError(
            f"level {classes[empty] if len(classes) else empty + 1} of {len(totals)} has no response, which "
            "leaves its thresholds open; leave out the level"
        )
    rows, times = np.unique(data, axis=0, return_counts=True)

    def thresholds(point: Floats) -> Floats:
        return np.cumsum(np.concatenate([point[:1], np.exp(point[1:-1])]))

    def cost(point: Floats) -> float:
        pull = point[-1] / _PULL_SD
        likelihood = _log_likelihood(thresholds(point), float(np.exp(point[-1])), rows, times)
        return float((0.5 * pull * pull - likelihood) / times.sum())

    start = np.sqrt(2.0) * ndtri(np.cumsum(totals)[:-1] / totals.sum())
    point = np.concatenate([start[:1], np.log(np.diff(start)), [0.0]])
    end = minimize(cost, point, method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-7}).x
    cuts, item_sd = thresholds(end), float(np.exp(end[-1]))
    prior = OrdinalPrior(name, *rounded((tuple(cuts.tolist()), item_sd)), classes=tuple(classes))
    return FittedPrior.of(prior, check_classes(prior, data, seed, n_sets))


def label_prior_in(path: Path) -> LabelPrior | None:
    """Return the prior of labels in a file, as `nbyk fit` writes it; None if it is one of numbers."""
    with errors_about(file=path):
        content = read_json(path, way_out="give a prior that `nbyk fit` wrote, or write it again")
        if not isinstance(content, Mapping):
            return None
        if "alpha" in content:
            check_fields(content, "prior of labels", ClassPrior)
            return ClassPrior(**content)
        if "thresholds" in content:
            check_fields(content, "prior of levels", OrdinalPrior)
            return OrdinalPrior(**content)
        return None


def _log_likelihood(cuts: Floats, item_sd: float, rows: Integers, times: Integers) -> float:
    # K responses place an item to within 1/√K at best; steps that long leave the sum off by e^(−2π²)
    n_nodes = math.ceil(2.0 * _FURTHEST * item_sd * math.sqrt(rows.sum(axis=1).max()))
    nodes = np.linspace(-_FURTHEST, _FURTHEST, min(max(n_nodes, _FEWEST_NODES), _MOST_NODES))
    weights = np.exp(-0.5 * nodes**2)
    above = ndtr(item_sd * nodes - cuts[:, np.newaxis])
    edges = np.concatenate([np.ones((1, len(nodes))), above, np.zeros((1, len(nodes)))])
    logs = product(rows.astype(np.float64), np.log(np.maximum(edges[:-1] - edges[1:], _TINY)))
    most = logs.max(axis=1)
    likelihood = product(np.exp(logs - most[:, np.newaxis]), weights / weights.sum())
    return float(product(times.astype(np.float64), most + np.log(likelihood)))
