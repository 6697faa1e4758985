"""Item means and deviations of responses, and whether a prior makes data sets like the given one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.response_set import response_matrix
from nbyk.errors import NbykError
from nbyk.priors.families import open_uniforms
from nbyk.priors.two_stage import TwoStagePrior

Floats = NDArray[np.float64]

LEVEL = 0.05
"""A check rejects a prior if one of its three p-values is at most a third of this (Bonferroni)."""

_REFERENCE_ITEMS = 1_000_000


Tests = tuple[tuple[str, str, float], ...]
"""What data and a prior are compared by, the distance in words, and its p-value."""


class Check(ABC):
    """Data compared with those that a prior makes: a data class, for each kind of responses."""

    @abstractmethod
    def tests(self) -> Tests:
        """Return what differs, by how much, and how likely by chance."""

    @property
    def misfits(self) -> tuple[str, ...]:
        """Differences of data and prior beyond chance, in words with distances; empty if there are none."""
        tests = self.tests()
        return tuple(f"{what} ({how}, p = {p:.3f})" for what, how, p in tests if p <= LEVEL / len(tests))

    @property
    def rejected(self) -> bool:
        """Whether the data differ from those that the prior makes."""
        return bool(self.misfits)

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON can hold it."""
        return {**asdict(self), "rejected": self.rejected}  # type: ignore[call-overload]


@dataclass(frozen=True)
class PredictiveCheck(Check):
    """A data set compared with those that a prior makes.

    Attributes
    ----------
    n_sets
        Simulated data sets behind each p-value.
    means_ks, sds_ks
        Kolmogorov-Smirnov distance between the data's item means (standard deviations) and those of many
        simulated data sets together.
    means_p, sds_p
        P-values of these distances: (1 + number of simulated data sets at least as far) / (1 + n_sets).
    mean_data, mean_prior
        Mean of all responses, in the data and in the simulated data sets.
    mean_p
        P-value, computed likewise, of the distance between these two; two-sided.
    """

    n_sets: int
    means_ks: float
    means_p: float
    sds_ks: float
    sds_p: float
    mean_data: float
    mean_prior: float
    mean_p: float

    def tests(self) -> Tests:
        """Return what differs, by how much, and how likely by chance."""
        return (
            ("the item means", f"KS distance {self.means_ks:.3f}", self.means_p),
            ("the spread within items", f"KS distance {self.sds_ks:.3f}", self.sds_p),
            ("the overall mean", f"{self.mean_data:.3f} against {self.mean_prior:.3f}", self.mean_p),
        )


def predictive_check(
    prior: TwoStagePrior, matrix: ArrayLike, seed: int = 0, n_sets: int = 200
) -> PredictiveCheck:
    """Simulate data sets of the same shape from a prior and compare them with the data.

    Every simulated data set has as many items as the data, and as many responses to each. Its items'
    parameters are fresh, and its responses pass the prior's response stage. The check therefore accounts for
    ratings on few levels, few ratings per item and rounding of responses; a comparison of a family with item
    means does not. The distances are to a pool of further simulated data sets. If the prior were true, the
    data would be one more simulated set, given the pool. The p-values are therefore exact for a prior fixed
    beforehand. For a prior fitted to the same data they are too large.

    Parameters
    ----------
    prior
        The prior to check.
    matrix : array_like, shape (N, K)
        Responses, with NaN for missing ones.
    seed
        Fixes the simulated data.
    n_sets
        Number of simulated data sets that the data are compared with.
    """
    if n_sets < 1:
        raise NbykError(f"number of simulated data sets is {n_sets}; expected at least 1")
    responses = prior.response.on_scale(matrix)
    item_parameters(responses)
    present = ~np.isnan(responses)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    n_reference = min(n_sets, max(20, -(-_REFERENCE_ITEMS // len(responses))))
    reference = list(_simulated(prior, present, n_reference, rng))
    all_means = ReferenceSample.of(np.concatenate([means for means, _, _ in reference]))
    all_sds = ReferenceSample.of(np.concatenate([sds for _, sds, _ in reference]))
    mean_prior = float(np.mean([mean for _, _, mean in reference]))

    def distances(means: Floats, sds: Floats, mean: float) -> Floats:
        return np.array([all_means.ks_distance(means), all_sds.ks_distance(sds), abs(mean - mean_prior)])

    mean_data = float(responses[present].mean())
    observed = distances(*moments(responses, present), mean_data)
    as_far = np.zeros(3)
    for simulated in _simulated(prior, present, n_sets, rng):
        as_far += distances(*simulated) >= observed
    p = (1 + as_far) / (1 + n_sets)
    return PredictiveCheck(
        n_sets=n_sets,
        means_ks=float(observed[0]),
        means_p=float(p[0]),
        sds_ks=float(observed[1]),
        sds_p=float(p[1]),
        mean_data=mean_data,
        mean_prior=mean_prior,
        mean_p=float(p[2]),
    )


def item_parameters(matrix: ArrayLike) -> tuple[Floats, Floats]:
    """Return every item's mean and standard deviation (Wein et al. 2023, appendix B).

    Parameters
    ----------
    matrix : array_like, shape (N, K)
        Responses, with NaN for missing ones.

    Returns
    -------
    means : ndarray, shape (N,)
    sds : ndarray, shape (n,), n ≤ N
        Computed with ddof = 1; items with a single response are left out.

    Notes
    -----
    Both are rounded to 12 decimals, so that the same ratings in another order give the same number:
    histograms and Kolmogorov-Smirnov distances depend on ties being ties.
    """
    responses = response_matrix(matrix, "matrix")
    present = ~np.isnan(responses)
    if present.sum(axis=1).max() == 1:
        raise NbykError(
            "every item has a single response, so sigma is not identified; "
            "collect at least two responses for some items, or set sigma by hand"
        )
    return moments(responses, present)


def moments(responses: Floats, present: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the same as `item_parameters`, for a valid matrix and a mask of its responses."""
    counts = present.sum(axis=1)
    means = np.where(present, responses, 0.0).sum(axis=1) / counts
    squares = (np.where(present, responses - means[:, np.newaxis], 0.0) ** 2).sum(axis=1)
    several = counts > 1
    return np.round(means, 12), np.round(np.sqrt(squares[several] / (counts[several] - 1)), 12)


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


def _simulated(
    prior: TwoStagePrior, present: NDArray[np.bool_], n_sets: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, Floats, float]]:
    """Yield the item means, item standard deviations and overall mean of simulated data sets."""
    for _ in range(n_sets):
        mu, sigma = prior.draw_items(open_uniforms(rng, (len(present), prior.n_uniforms)))
        draws = mu[:, np.newaxis] + sigma[:, np.newaxis] * rng.standard_normal(present.shape)
        responses = prior.response.apply(draws)
        means, sds = moments(responses, present)
        yield means, sds, float(responses[present].mean())
