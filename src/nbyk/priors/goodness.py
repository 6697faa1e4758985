"""The distance between a family and the values that it should describe.

Two distances: the Kolmogorov-Smirnov distance, atoms included, and the error between histogram bars that
Wein et al. (2023, appendix B) minimise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.errors import NbykError
from nbyk.priors.family import Family

Floats = NDArray[np.float64]

N_BINS = 20
"""Default number of bars of a histogram on [0, 1]; the paper does not give its own."""


def ks_distance(family: Family, values: ArrayLike) -> float:
    """Return the Kolmogorov-Smirnov distance sup |F_n(x) − F(x)|.

    Both functions jump at their atoms, so the search for the supremum covers both sides of every value and of
    every atom of the family.

    Parameters
    ----------
    family
        The distribution F.
    values : array_like, shape (n,)
        The sample whose distribution function is F_n.

    Returns
    -------
    float
        Between 0 and 1.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size == 0:
        raise NbykError("no values to compare the family with; expected at least one")
    places = ordered
    if family.atoms:
        places = np.sort(np.concatenate([ordered, [value for value, _ in family.atoms]]))
    at = np.searchsorted(ordered, places, side="right") / ordered.size
    before = np.searchsorted(ordered, places, side="left") / ordered.size
    cdf = family.cdf(places)
    cdf_left = family.cdf_left(places) if family.atoms else cdf
    return float(max(np.abs(at - cdf).max(), np.abs(before - cdf_left).max()))


@dataclass(frozen=True)
class ReferenceSample:
    """A sample that many others are compared with.

    Attributes
    ----------
    values : ndarray, shape (n,)
        Its different values in ascending order.
    below : ndarray, shape (n + 1,)
        The share of the sample below each of them, and 1.
    """

    values: Floats
    below: Floats

    @classmethod
    def of(cls, sample: ArrayLike) -> ReferenceSample:
        """Return a sample of shape (m,), counted."""
        values, counts = np.unique(np.asarray(sample, dtype=np.float64), return_counts=True)
        return cls(values, np.concatenate([[0], np.cumsum(counts)]) / counts.sum())

    def ks_distance(self, values: ArrayLike) -> float:
        """Return sup |F_n(x) − F_m(x)| between a sample, (n,), and this one; only equal values are tied."""
        first, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
        below = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
        # The difference of two step functions is largest at a step of the first or just before it, because
        # between two of these steps the second function only grows.
        other_at = self.below[np.searchsorted(self.values, first, side="right")]
        other_before = self.below[np.searchsorted(self.values, first, side="left")]
        return float(max(np.abs(below[1:] - other_at).max(), np.abs(below[:-1] - other_before).max()))


def histogram_counts(values: ArrayLike, bins: int = N_BINS) -> Floats:
    """Return the number of values in each of `bins` equal bars on [0, 1], shape (bins,).

    Bars are closed on the left, and the last one on the right too. A value that is off an edge only by
    rounding counts as on the edge: means of ratings lie on the edges, and the side on which
    0.6000000000000001 or 0.5999999999999999 lies is an accident. Values outside [0, 1] are in no bar.
    """
    if bins < 1:
        raise NbykError(f"histogram: bins is {bins}; expected at least 1")
    scaled = np.round(np.asarray(values, dtype=np.float64) * bins, 9)
    inside = scaled[(scaled >= 0) & (scaled <= bins)]
    return np.bincount(np.minimum(inside.astype(np.int64), bins - 1), minlength=bins).astype(np.float64)


def bar_probabilities(family: Family, bins: int = N_BINS) -> Floats:
    """Return the probability of each of the bars of `histogram_counts`, shape (bins,)."""
    edges = np.arange(bins + 1) / bins
    below = family.cdf_left(edges)
    below[-1] = family.cdf(1.0)
    return np.asarray(np.diff(below))


def histogram_mae(family: Family, values: ArrayLike, bins: int = N_BINS) -> float:
    """Return the mean absolute error between the bars of two histograms, in counts.

    The bars are the observed counts and n times the family's probability, for n values (Wein et al. 2023,
    appendix B). Divide by n to compare data sets of different sizes.
    """
    counts = histogram_counts(values, bins)
    return float(np.abs(np.asarray(values).size * bar_probabilities(family, bins) - counts).mean())
