"""Almost Stochastic Order: how far A is from having the better quantile everywhere, with an upper bound.

del Barrio, Cuesta-Albertos and Matrán 2018; Dror, Shlomov and Reichart 2019; Ulmer, Hardmeier and Frellsen
2022.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.arrays import as_row_pairs, as_scores
from nbyk.errors import NbykError
from nbyk.resampling.effects import Progress
from nbyk.resampling.streams import as_seed
from nbyk.testing.decision import check_draws
from nbyk.testing.intervals import check_confidence_level
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.means import difference_of_means
from nbyk.testing.scores.nulls import equal_on_paper, near_one
from nbyk.testing.scores.violation_ratio import fill_ratios, resampled_ratios, segments

FEW_SCORES = 5
"""If a system has fewer scores than this, `aso` warns."""

_VALUES_AT_ONCE = 1 << 23


@dataclass(frozen=True)
class AsoResult:
    """How nearly A is stochastically larger than B. There is no p-value: `eps_min` decides.

    Attributes
    ----------
    eps_min
        Upper confidence bound of the violation ratio, clamped to [0, 1]. Below 0.5, A is almost
        stochastically larger than B at the chosen confidence; at 0 it has the better quantile everywhere.
    violation_ratio
        The ratio of the samples, in [0, 1]; 0.5 if they are equal.
    standard_error
        The ratio's standard deviation over bootstrap resamples of both samples.
    monte_carlo_error
        The standard error of `eps_min` from the number of resamples alone.
    bound
        The settings: the confidence, the number of comparisons for which it holds, resamples and seed.
    n_a, n_b
        Number of scores of each system.
    effect
        mean(a) − mean(b): positive if A is better on average.
    resampled : ndarray, shape (n_resamples,), or None
        The ratios of the resamples, if they were requested.
    """

    eps_min: float
    violation_ratio: float
    standard_error: float
    monte_carlo_error: float
    bound: Bound
    n_a: int
    n_b: int
    effect: float
    resampled: Floats | None = field(default=None, repr=False, compare=False)

    def reversed(self) -> AsoResult:
        """Return the result of B over A, from the same resamples: its ratio is one minus that of A over B."""
        ratio = 1.0 - self.violation_ratio
        return replace(
            self,
            eps_min=float(self.bound.eps_min(ratio, self.standard_error)),
            violation_ratio=ratio,
            n_a=self.n_b,
            n_b=self.n_a,
            effect=0.0 - self.effect,
            resampled=None if self.resampled is None else 1.0 - self.resampled,
        )


def aso(
    a: Any,
    b: Any,
    *,
    confidence_level: float = 0.95,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    seed: Any = 0,
    threads: int = 1,
    keep_resamples: bool = False,
    progress: Progress | None = None,
) -> AsoResult:
    """Bound the violation ratio of A over B from above: Almost Stochastic Order.

    Parameters
    ----------
    a, b
        Two or more scores of each system, higher is better, in any order: lists, arrays, Series or tensors.
    confidence_level
        1 − α, in (0, 1).
    n_comparisons
        Number of comparisons for which the confidence holds jointly (Bonferroni: each at 1 −
        α/n_comparisons).
    n_resamples
        Bootstrap resamples of the standard error, at least 2.
    keep_resamples
        Whether the result holds the ratio of each resample.
    seed, threads, progress
        As for `nbyk.score_test`.

    Raises
    ------
    NbykError
        If a system has fewer than two finite scores, or an argument is out of range.

    Warns
    -----
    UserWarning
        If a system has fewer than five scores. The warning explains the meaning of `eps_min` there.

    Notes
    -----
    With the quantile functions F⁻¹ of A and G⁻¹ of B, the ratio is ∫ max(0, G⁻¹ − F⁻¹)² / ∫ (F⁻¹ − G⁻¹)², and
    eps_min = ratio − √((n + m)/(nm)) σ̂ Φ⁻¹(α), where σ̂² is the bootstrap variance of √(nm/(n + m)) times
    the ratio (Ulmer et al. 2022, equations 1, 3 and 4). The roots cancel: it is the ratio plus Φ⁻¹(1 − α) of
    its bootstrap standard deviations. The bound assumes that the ratio is asymptotically normal. It is,
    unless A and B have the same distribution.
    """
    first, second = as_scores(a, "a", least=2), as_scores(b, "b", least=2)
    for caution in few_scores(len(first), len(second)):
        warnings.warn(caution, UserWarning, stacklevel=2)
    bound = Bound(confidence_level, n_comparisons, n_resamples, seed)
    return bound.compare(first, second, threads=threads, keep_resamples=keep_resamples, progress=progress)


def aso_batch(
    a: Any,
    b: Any,
    *,
    confidence_level: float = 0.95,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    seed: Any = 0,
    threads: int = 1,
) -> Floats:
    """Return `eps_min` of R pairs of samples, of shapes (R, n) and (R, m), as `aso` without its warning.

    Row r has random draws of its own, which do not depend on the other rows.
    """
    first, second = as_row_pairs(a, b, least=2)
    bound = Bound(confidence_level, n_comparisons, n_resamples, seed)
    size = max(1, _VALUES_AT_ONCE // n_resamples)
    parts = []
    for start in range(0, len(first), size):
        rows = slice(start, start + size)
        ratios, resampled = bound.resample(first[rows], second[rows], start, threads, None)
        parts.append(bound.eps_min(ratios, resampled.std(axis=1, ddof=1)))
    return np.concatenate(parts)


def violation_ratio(a: Any, b: Any) -> float:
    """Return the violation ratio of two samples, in [0, 1].

    It is 0 if A has the better quantile everywhere, 1 if B has, and 0.5 if the samples are equal; ratio(a, b)
    + ratio(b, a) = 1. The order of scores does not change it, nor does a shift or a positive factor of both
    systems' scores.

    Parameters
    ----------
    a, b
        One or more scores of each system, higher is better.

    Raises
    ------
    NbykError
        If scores are not finite numbers.
    """
    first, second = _ascending(as_scores(a, "a")[None], as_scores(b, "b")[None])
    out = np.empty(1)
    fill_ratios(first, second, *segments(first.shape[1], second.shape[1]), out)
    return float(out[0])


def aso_uncertainty_reduction(n_old: int, m_old: int, n_new: int, m_new: int) -> float:
    """Return the factor by which larger samples tighten the estimate of the violation ratio.

    Parameters
    ----------
    n_old, m_old
        Sizes of A's and B's samples.
    n_new, m_new
        Planned sizes of these samples.

    Returns
    -------
    float
        √(n′m′/(n′ + m′)) over √(nm/(n + m)), from the ratio's standard error (del Barrio et al. 2018).

    Raises
    ------
    NbykError
        If a size is below 1.
    """
    sizes = {"n_old": n_old, "m_old": m_old, "n_new": n_new, "m_new": m_new}
    for name, size in sizes.items():
        if size < 1:
            raise NbykError(f"{name}: found {size}, expected at least 1 score")
    return math.sqrt(n_new * m_new / (n_new + m_new) / (n_old * m_old / (n_old + m_old)))


def aso_sizes(n_old: int, m_old: int, reduction: float) -> tuple[int, int]:
    """Return the smallest sizes, in proportion to the old, that reduce the uncertainty by at least a factor.

    Parameters
    ----------
    n_old, m_old
        Sizes of A's and B's samples.
    reduction
        The factor, at least 1, as `aso_uncertainty_reduction` returns it.

    Returns
    -------
    tuple of int
        The sizes for A and for B.

    Raises
    ------
    NbykError
        If a size is below 1 or the factor is not at least 1.
    """
    if not 1.0 <= reduction < math.inf:
        raise NbykError(
            f"found {reduction}, expected a factor of at least 1, such as 1.5", argument="reduction"
        )
    if min(n_old, m_old) < 1:
        raise NbykError(f"sizes: found {n_old} and {m_old}, expected at least 1 score of either system")
    growth = reduction**2 * (1.0 - 1e-12)  # the square of √2 is more than 2 in floats
    return math.ceil(n_old * growth), math.ceil(m_old * growth)


@dataclass(frozen=True)
class Bound:
    """The settings that bound violation ratios; see `aso`."""

    confidence_level: float
    n_comparisons: int
    n_resamples: int
    seed: Any

    def __post_init__(self) -> None:
        check_draws(self.n_resamples, least=2)
        object.__setattr__(self, "seed", as_seed(self.seed))
        check_confidence_level(self.confidence_level)
        if self.n_comparisons < 1:
            raise NbykError(f"found {self.n_comparisons}, expected at least 1", argument="n_comparisons")

    @property
    def deviate(self) -> float:
        """Number of standard errors from the ratio up to the bound: Φ⁻¹(1 − α/comparisons)."""
        from scipy.special import ndtri

        return -float(ndtri((1.0 - self.confidence_level) / self.n_comparisons))

    def eps_min(self, ratios: Floats | float, errors: Floats | float) -> Floats:
        """Return the bounds of ratios with standard errors, clamped to [0, 1]."""
        return np.asarray(np.clip(ratios + self.deviate * errors, 0.0, 1.0))

    def resample(
        self, a: Floats, b: Floats, first_row: int, threads: int, progress: Progress | None
    ) -> tuple[Floats, Floats]:
        """Return the ratios of samples, shapes (R, n) and (R, m), and of their resamples, shape (R, M)."""
        a, b = _ascending(a, b)
        n, m = a.shape[1], b.shape[1]
        cut = segments(n, m)
        ratios, out = np.empty(len(a)), np.empty((len(a), self.n_resamples))
        fill_ratios(a, b, *cut, ratios)
        drawing = Drawing(self.n_resamples, self.seed, threads, progress)
        key = drawing.random_words(purpose="almost stochastic order", n=n, m=m)

        def fill(first: int, last: int) -> None:
            resampled_ratios(a, b, *cut, key, first_row, self.n_resamples, first, last, out)

        drawing.over_streams(fill, len(a))
        return ratios, out

    def compare(
        self,
        a: Floats,
        b: Floats,
        *,
        row: int = 0,
        threads: int = 1,
        keep_resamples: bool = False,
        progress: Progress | None = None,
    ) -> AsoResult:
        """Return the result of one pair of samples, with the random draws of a row."""
        ratios, resampled = self.resample(a[None], b[None], row, threads, progress)
        error = resampled[0].std(ddof=1)
        deviations = resampled[0] - resampled[0].mean()
        # A sample's standard deviation s has the variance (μ₄ − s⁴)/(4 s² M), to first order.
        spread = max(0.0, float((deviations**4).mean()) - float(error) ** 4)
        error_of_error = math.sqrt(spread / (4.0 * self.n_resamples)) / float(error) if error > 0.0 else 0.0
        return AsoResult(
            eps_min=float(self.eps_min(ratios, error)[0]),
            violation_ratio=float(ratios[0]),
            standard_error=float(error),
            monte_carlo_error=abs(self.deviate) * error_of_error,
            bound=self,
            n_a=len(a),
            n_b=len(b),
            effect=difference_of_means(a, b),
            resampled=resampled[0] if keep_resamples else None,
        )


def few_scores(n: int, m: int) -> Iterator[str]:
    """Yield what `eps_min` means with n and m scores if these are too few."""
    if min(n, m) < FEW_SCORES:
        yield (
            f"{n} scores of A and {m} of B: with fewer than {FEW_SCORES} of each, eps_min says little. If "
            "every score of A is above every score of B, no resample differs, and eps_min is 0 at any "
            f"confidence; for two equally good systems that happens once in {math.comb(n + m, n)} times. It "
            "can rank systems, but not back a claim: collect more runs, or give the p-value of the "
            "permutation test beside it"
        )


def _ascending(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return each row of both samples sorted, of a size that can be squared."""
    a, b = near_one(*equal_on_paper(a, b))
    return np.sort(a, axis=1), np.sort(b, axis=1)
