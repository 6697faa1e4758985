"""Item means and deviations of responses, and whether a prior makes data sets like the given one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Booleans, Floats
from nbyk.data.responses import response_matrix
from nbyk.errors import NbykError
from nbyk.priors.families import open_uniforms
from nbyk.priors.family import Family
from nbyk.priors.prior import Prior
from nbyk.priors.two_stage import TwoStagePrior

LEVEL = 0.05
"""A check rejects a prior if one of its three p-values is at most a third of this (Bonferroni)."""

_REFERENCE_ITEMS = 1_000_000


Moments = tuple[Floats, Floats, float]
"""The item means, the item standard deviations and the overall mean of a data set."""

Data = TypeVar("Data")
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
class FamilyFit:
    """One pair of families, fitted: with the parameters of both, and the log-likelihood of the responses."""

    mu: Family
    sigma: Family
    n_parameters: int
    log_likelihood: float

    @property
    def aic(self) -> float:
        """2 × parameters − 2 × log-likelihood: the smallest is best."""
        return 2.0 * (self.n_parameters - self.log_likelihood)


AnyPrior = TypeVar("AnyPrior", bound=Prior)
AnyCheck = TypeVar("AnyCheck", bound=Check)


@dataclass(frozen=True)
class FittedPrior(Generic[AnyPrior, AnyCheck]):
    """A prior fitted to ratings or labels, whose `caution` is a sentence if the check rejects it.

    The `candidates` for ratings are all pairs of families, the smallest AIC first: the prior's.
    """

    prior: AnyPrior
    check: AnyCheck
    candidates: tuple[FamilyFit, ...] = ()

    @classmethod
    def of(
        cls, prior: AnyPrior, check: AnyCheck, candidates: tuple[FamilyFit, ...] = ()
    ) -> FittedPrior[AnyPrior, AnyCheck]:
        """Return a prior with its check, and with a caution if that rejects it."""
        what = "labels" if prior.of_labels else "ratings"
        caution = (
            f"The prior fitted to {prior.name} does not describe its {what} well: {what} simulated from it "
            f"differ in {' and '.join(check.misfits)}"
        )
        cautious = replace(prior, caution=caution if check.rejected else "")  # type: ignore[type-var]
        return cls(cautious, check, candidates)


def beside_simulated(
    data: Data,
    simulated: Callable[[], Data],
    against: Callable[[list[Data]], Callable[[Data], Floats]],
    n_items: int,
    n_sets: int,
) -> tuple[Floats, Floats]:
    """Return the distances of data from a pool of simulated sets by `against`, and their p, (D,) each."""
    if n_sets < 1:
        raise NbykError(f"number of simulated data sets is {n_sets}; expected at least 1")
    n_pool = min(n_sets, max(20, -(-_REFERENCE_ITEMS // n_items)))
    distances = against([simulated() for _ in range(n_pool)])
    observed = distances(data)
    as_far = np.sum([distances(simulated()) >= observed for _ in range(n_sets)], axis=0)
    return observed, (1 + as_far) / (1 + n_sets)


@dataclass(frozen=True)
class PredictiveCheck(Check):
    """A data set compared with `n_sets` that a prior makes.

    `means_ks` and `sds_ks` are the Kolmogorov-Smirnov distances between the data's item means (standard
    deviations) and those of many simulated sets together, `mean_data` and `mean_prior` the means of all
    responses. Each p-value is (1 + number of simulated sets at least as far) / (1 + n_sets).
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


RatingFit = FittedPrior[TwoStagePrior, PredictiveCheck]
"""A two-stage prior fitted to ratings."""


def predictive_check(
    prior: TwoStagePrior, matrix: ArrayLike, seed: int = 0, n_sets: int = 200
) -> PredictiveCheck:
    """Simulate `n_sets` data sets of the same shape from a prior and compare them with data.

    `matrix`, (N, K), has NaN for missing responses. A simulated set has as many fresh items, and as many
    responses to each, which pass the prior's response stage: the check accounts for few levels, few ratings
    per item and rounding. The distances are to a pool of further sets. If the prior were true, the data would
    be one more set, given the pool. So the p-values are exact for a prior fixed beforehand, and too large for
    one fitted to the same data.
    """
    responses = prior.response.on_scale(matrix)
    item_parameters(responses)
    present = ~np.isnan(responses)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    mean_prior = np.nan

    def shown(of_set: Floats) -> Moments:
        return *moments(of_set, present), float(of_set[present].mean())

    def simulated() -> Moments:
        mu, sigma = prior.draw_items(open_uniforms(rng, (len(present), prior.n_uniforms)))
        normals = rng.standard_normal(present.shape)
        return shown(prior.response.respond(mu[:, np.newaxis], sigma[:, np.newaxis], normals))

    def against(reference: list[Moments]) -> Callable[[Moments], Floats]:
        nonlocal mean_prior
        means, sds, overall = zip(*reference, strict=True)
        all_means, all_sds = (np.sort(np.concatenate(part)) for part in (means, sds))
        mean_prior = float(np.mean(overall))

        def distances(of_set: Moments) -> Floats:
            ks = ks_distance(of_set[0], all_means), ks_distance(of_set[1], all_sds)
            return np.array([*ks, abs(of_set[2] - mean_prior)])

        return distances

    data = shown(responses)
    observed, p = beside_simulated(data, simulated, against, len(responses), n_sets)
    means_ks, means_p, sds_ks, sds_p, _, mean_p = np.column_stack([observed, p]).ravel().tolist()
    return PredictiveCheck(n_sets, means_ks, means_p, sds_ks, sds_p, data[2], mean_prior, mean_p)


def item_parameters(matrix: ArrayLike) -> tuple[Floats, Floats]:
    """Return every item's mean, (N,), and standard deviation (ddof = 1) where it has two responses, (n,).

    `matrix`, (N, K), has NaN for missing responses (Wein et al. 2023, appendix B). Both are rounded to 12
    decimals, so that the same ratings in another order give the same number: histograms and
    Kolmogorov-Smirnov distances depend on ties being ties.
    """
    responses = response_matrix(matrix, "matrix")
    present = ~np.isnan(responses)
    if present.sum(axis=1).max() == 1:
        raise NbykError(
            "every item has a single response, so sigma is not identified; "
            "collect at least two responses for some items, or set sigma by hand"
        )
    return moments(responses, present)


def moments(responses: Floats, present: Booleans) -> tuple[Floats, Floats]:
    """Return the same as `item_parameters`, for a valid matrix and a mask of its responses."""
    counts = present.sum(axis=1)
    means = np.where(present, responses, 0.0).sum(axis=1) / counts
    squares = (np.where(present, responses - means[:, np.newaxis], 0.0) ** 2).sum(axis=1)
    several = counts > 1
    return np.round(means, 12), np.round(np.sqrt(squares[several] / (counts[several] - 1)), 12)


def ks_distance(values: ArrayLike, pool: Floats) -> float:
    """Return sup |F_n(x) − F_m(x)| of a sample, (n,), and an ascending one, (m,); equal values are tied."""
    steps, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    below = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    # The difference of two step functions is largest at a step of the first or just before it, because
    # between two of these steps the second function only grows.
    pool_at, pool_before = (np.searchsorted(pool, steps, side) / len(pool) for side in ("right", "left"))
    return float(max(np.abs(below[1:] - pool_at).max(), np.abs(below[:-1] - pool_before).max()))
