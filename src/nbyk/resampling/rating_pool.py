"""Items with their own ratings to draw again, and a Dirichlet step for ratings by other people.

Item i has n_i ratings. Its prior distribution is Dirichlet with the ratings of all items as base and a
concentration c. Its posterior distribution adds c ratings from the base to its own n_i (Ferguson 1973). New
ratings of the item are its own, without replacement, and then draws from that distribution. c is the ratio of
the variance within items to that between them, so that both variances are those of the ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import discard_older_caches, njit
from nbyk.sums import product

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_BASE_ATOMS = 16
_ROWS = 60_000
_FEWEST, _MOST = 8, 64
_ONE_DISTRIBUTION = 1e6
"""Concentration if items do not differ more than raters of one item."""


discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def _fill(rows: Any, kept: Any, own: Any, atoms: Any, cumulative: Any, out: Any) -> None:
    """Replace uniforms (draws, K) by the first `kept` ratings of each row, and then by atoms."""
    last = atoms.shape[1] - 1
    for i in range(rows.size):
        row = rows[i]
        for k in range(out.shape[1]):
            if k < kept[row]:
                out[i, k] = own[row, k]
            else:
                atom = 0
                while atom < last and out[i, k] > cumulative[row, atom]:
                    atom += 1
                out[i, k] = atoms[row, atom]


@dataclass(frozen=True, eq=False)
class RatingPool:
    """Rows of possible items: each pilot item several times, with a distribution drawn from its Dirichlet.

    Attributes
    ----------
    own : ndarray, shape (rows, width)
        The item's own ratings in random order, then NaN.
    counts : ndarray of int, shape (rows,)
        The number of these ratings.
    atoms : ndarray, shape (rows, atoms)
        The possible values of a further rating.
    cumulative : ndarray, shape (rows, atoms)
        Their cumulative probabilities.
    means : ndarray, shape (rows,)
        The expected rating: the mean of infinitely many raters.
    """

    own: Floats
    counts: Indices
    atoms: Floats
    cumulative: Floats
    means: Floats

    @classmethod
    def of(cls, ratings: Floats, levels: Floats, generator: np.random.Generator) -> RatingPool:
        """Return the pool of ratings (N, K), NaN where missing, on levels (L,), which may be empty.

        Row r is of item r mod N, so that pools of the same items match.
        """
        n_items = len(ratings)
        repeats = int(np.clip(-(-_ROWS // n_items), _FEWEST, _MOST))
        own = np.tile(ratings, (repeats, 1))
        # Missing ratings come last, the others in random order.
        order = np.argsort(np.where(np.isnan(own), 2.0, generator.random(own.shape)), axis=1)
        own = np.take_along_axis(own, order, axis=1)
        every = np.sort(ratings[~np.isnan(ratings)])
        c = concentration(ratings)
        if len(levels):
            nearest = np.abs(np.nan_to_num(own)[..., None] - levels).argmin(axis=-1)
            held = (nearest[..., None] == np.arange(len(levels))) & ~np.isnan(own)[..., None]
            everybody = np.abs(every[:, None] - levels).argmin(axis=1)
            shares = np.bincount(everybody, minlength=len(levels)) / len(every)
            atoms = np.tile(levels, (len(own), 1))
            weights = held.sum(axis=1) + c * shares
        else:
            base = np.array([part.mean() for part in np.array_split(every, min(_BASE_ATOMS, len(every)))])
            atoms = np.concatenate([np.nan_to_num(own), np.broadcast_to(base, (len(own), len(base)))], axis=1)
            weights = np.concatenate([~np.isnan(own), np.full((len(own), len(base)), c / len(base))], axis=1)
        shares = generator.standard_gamma(weights)
        shares /= shares.sum(axis=1, keepdims=True)
        counts = (~np.isnan(own)).sum(axis=1)
        return cls(own, counts, atoms, np.cumsum(shares, axis=1), (shares * atoms).sum(axis=1))

    def take(self, rows: Indices, k: int, generator: np.random.Generator) -> Floats:
        """Return K new ratings of each row's item, shape (*rows.shape, K): its own first."""
        if k <= int(self.counts.min()):
            return self.own[rows, :k]
        return self._filled(rows, np.minimum(self.counts, k), k, generator)

    def draw(self, rows: Indices, k: int, generator: np.random.Generator) -> Floats:
        """Return K draws from each row's distribution, shape (*rows.shape, K)."""
        return self._filled(rows, np.zeros_like(self.counts), k, generator)

    def _filled(self, rows: Indices, kept: Indices, k: int, generator: np.random.Generator) -> Floats:
        out = generator.random((*rows.shape, k))
        _fill(rows.reshape(-1), kept, self.own, self.atoms, self.cumulative, out.reshape(-1, k))
        return out

    def expected(self, values: Floats) -> Floats:
        """Return the expectation of a function of a rating, (rows,), given its values at the atoms."""
        shares = np.diff(self.cumulative, axis=1, prepend=0.0)
        expected: Floats = (shares * values).sum(axis=1)
        return expected


def concentration(ratings: Floats) -> float:
    """Return the variance within items over that between them, of ratings (N, K) with NaN where missing.

    Both are from an analysis of variance of unequal groups. If items do not differ more than raters, the
    result is a million. At least one item must have two ratings.
    """
    counts = (~np.isnan(ratings)).sum(axis=1).astype(np.float64)
    means = np.nanmean(ratings, axis=1)
    n_ratings, n_items = counts.sum(), len(counts)
    within = float(np.nansum((ratings - means[:, None]) ** 2) / max(1.0, n_ratings - n_items))
    mean = product(counts, means) / n_ratings
    of_items = float((counts * (means - mean) ** 2).sum() / (n_items - 1))
    size = (n_ratings - (counts**2).sum() / n_ratings) / (n_items - 1)
    between = (of_items - within) / size
    return min(_ONE_DISTRIBUTION, within / between) if between > 0.0 else _ONE_DISTRIBUTION
