"""Almost Stochastic Order among several systems, and how more scores tighten it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.data.arrays import Floats, as_samples
from nbyk.errors import NbykError
from nbyk.resampling.effects import Progress
from nbyk.testing.scores.aso import Bound, warn_of_few

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class MultiAsoResult:
    """Almost Stochastic Order of each of k systems over each other.

    Attributes
    ----------
    labels
        The systems' names.
    eps_min, violation_ratio : ndarray, shape (k, k)
        Row i, column j: of system i over system j. On the diagonal nothing is compared: `eps_min` is 1 and
        the ratio 0.5.
    bound
        The settings: the confidence, the number of comparisons for which it holds, resamples, grid and seed.
    """

    labels: tuple[str, ...]
    eps_min: Floats
    violation_ratio: Floats
    bound: Bound

    def to_frame(self) -> pd.DataFrame:
        """Return `eps_min` as a table with the labels on both sides."""
        import pandas as pd

        return pd.DataFrame(self.eps_min, index=list(self.labels), columns=list(self.labels))


def multi_aso(
    scores: Any,
    *,
    confidence_level: float = 0.95,
    n_comparisons: int | None = None,
    n_resamples: int = 1000,
    dt: float | None = None,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> MultiAsoResult:
    """Bound the violation ratio of every system over every other, at a joint confidence.

    Parameters
    ----------
    scores
        Scores of two systems or more: a mapping from names, a DataFrame with a column per system, a sequence
        of samples or an array of shape (k, n).
    confidence_level
        1 − α: a lower bound of the chance that no bound of the table is too low.
    n_comparisons
        Number of comparisons for which the confidence holds; by default the k(k − 1) of the table, because
        each pair is compared both ways. 1 makes no correction.
    n_resamples, dt, seed, threads
        As for `aso`.
    progress
        Called with the number of draws just finished; there are k(k − 1)/2 × n_resamples.

    Returns
    -------
    MultiAsoResult

    Raises
    ------
    NbykError
        If there are fewer than two systems, or as for `aso`.

    Warns
    -----
    UserWarning
        As `aso`, for the smallest samples.
    """
    samples = as_samples(scores, least=2)
    k = len(samples)
    if n_comparisons is None:
        n_comparisons = k * (k - 1)
    bound = Bound(confidence_level, n_comparisons, n_resamples, dt, seed)
    smallest = sorted(len(sample) for sample in samples.values())[:2]
    warn_of_few(*smallest)
    eps_min, ratios = np.eye(k), np.full((k, k), 0.5)
    values = list(samples.values())
    for row, (i, j) in enumerate(combinations(range(k), 2)):
        result = bound.compare(values[i], values[j], row=row, threads=threads, progress=progress)
        for (first, second), found in (((i, j), result), ((j, i), result.reversed())):
            eps_min[first, second], ratios[first, second] = found.eps_min, found.violation_ratio
    return MultiAsoResult(tuple(samples), eps_min, ratios, bound)


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
