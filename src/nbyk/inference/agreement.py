"""Whether two Monte-Carlo estimates of an expected p-value agree, with both errors at their pooled value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_FEW_DRAWS = 10.0


def pooled_variances(
    ours: ArrayLike, our_error: ArrayLike, our_draws: ArrayLike, theirs: ArrayLike, their_draws: float
) -> tuple[Floats, Floats]:
    """Return the variances of two estimates of one expected p-value, if the p-value is their pooled one.

    The variance of a small p-value is about proportional to it, so that of an estimate that happens to be low
    is too low; under the hypothesis that both estimate one value, it is to be taken at that value. Ours is
    scaled to it. Where fewer than ten draws are expected on the wrong side, ours knows too little, and the
    variance of two normal samples with equal variances is used if it is the larger.

    Parameters
    ----------
    ours, our_error, our_draws : array_like, shape (n,)
        Our p-values, their standard errors, and the draws M behind them.
    theirs : array_like, shape (n,)
        The other p-values.
    their_draws
        The draws M behind those.

    Returns
    -------
    our_variance, their_variance : ndarray, shape (n,)
    """
    p, error, m, q = (np.asarray(values, dtype=np.float64) for values in (ours, our_error, our_draws, theirs))
    pooled = (m * p + their_draws * q) / (m + their_draws)
    inside = (p > 0.0) & (p < 1.0)
    scale = np.where(inside, pooled * (1.0 - pooled), 1.0) / np.where(inside, p * (1.0 - p), 1.0)
    per_draw = error**2 * scale * m
    few = pooled * np.minimum(m, their_draws) < _FEW_DRAWS
    our_variance = np.where(few, np.maximum(per_draw / m, _binormal_variance(pooled, m)), per_draw / m)
    their_variance = per_draw / their_draws
    floor = _binormal_variance(pooled, np.full_like(m, their_draws))
    return our_variance, np.where(few, np.maximum(their_variance, floor), their_variance)


def chi_square(
    ours: float, our_variance: float, theirs: ArrayLike, their_variance: float
) -> tuple[float, int]:
    """Return χ² and its degrees of freedom of several independent estimates against one of ours.

    Their differences to ours share our error: the covariance is σ²_theirs I + σ²_ours 11ᵀ.
    """
    difference = ours - np.asarray(theirs, dtype=np.float64)
    n = difference.size
    shared = our_variance / (their_variance + n * our_variance)
    chi2 = (float((difference**2).sum()) - shared * float(difference.sum()) ** 2) / their_variance
    return chi2, n


def _binormal_variance(p: Floats, draws: Any) -> Floats:
    """Return the variance of expected p from M draws each of two normals of one variance, at the value p."""
    from scipy.special import ndtri, owens_t

    d = -ndtri(np.clip(p, 1e-300, 1.0 - 1e-16))
    shared = np.maximum(0.0, p - 2.0 * owens_t(d, 3.0**-0.5) - p**2)
    variance: Floats = (2.0 * (draws - 1.0) * shared + p * (1.0 - p)) / draws**2
    return variance
