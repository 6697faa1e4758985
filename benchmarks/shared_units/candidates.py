"""The candidate tests: each gives a variance and degrees of freedom from the components of a set.

With I the variance over items, T the jackknife's variance over a source's units, W the part of it that single
responses explain (which I has already), and ν their degrees of freedom:

=============  ==============================================  =====================================
name           variance                                        degrees of freedom
=============  ==============================================  =====================================
items          I                                               those of I: today's test
sum            I + Σ T                                         Satterthwaite's, from I and T
less           I + Σ max(T − W, 0)                             Satterthwaite's, from I and T − W
less, wide     the same                                        Satterthwaite's, from I and T
robust         I + Σ (T − W), no less than a tenth of I        Satterthwaite's, from I and T
floored        the same, no less than half of I                Satterthwaite's, from I and T
capped         the same, W no more than I: see below           Satterthwaite's, from I and T
halfway        the mean of `sum` and `less`                    Satterthwaite's, from I and T
max            the largest of I, each T and `robust`           fewest units − 1 (MacKinnon et al.)
=============  ==============================================  =====================================

Where effects jump, as those of accuracy do, leaving a unit out overstates what single responses do, and W
may exceed I, of which it is a part. `capped` then takes W′ = W · min(1, I / Σ W), with T′ = T − W + W′ where
T is larger than W, and T · W′ / W where it is not, so that the variance is never negative.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Floats = NDArray[np.float64]


def p_values(kept: Floats, name: str) -> Floats:
    """Return two-sided p-values of a candidate, shape (sets,), from what `measure` keeps."""
    variance, df = CANDIDATES[name](*_parts(kept))
    with np.errstate(divide="ignore", invalid="ignore"):
        pivot = np.abs(kept[:, 0]) / np.sqrt(variance)
    p: Floats = 2.0 * student.sf(pivot, df)
    return np.where((variance <= 0) & (kept[:, 0] == 0), 1.0, p)


def _parts(kept: Floats) -> tuple[Floats, ...]:
    sources = kept[:, 3:].reshape(len(kept), -1, 5)
    there = ~np.isnan(sources[:, :, 0])
    total, within = (np.where(there, sources[:, :, field], 0.0) for field in (0, 1))
    df = np.where(there, sources[:, :, 2], 1.0)
    units = np.where(there, sources[:, :, 3], np.inf)
    stretch = np.where(there, sources[:, :, 4], 1.0)
    return kept[:, 1], kept[:, 2], total, within, df, units, stretch


def _satterthwaite(variance: Floats, items: Floats, items_df: Floats, parts: Floats, df: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = variance**2 / (items**2 / items_df + np.sum(parts**2 / df, axis=1))
    return np.where(np.isfinite(found), np.maximum(found, 1.0), 1.0)


def _items(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    return i, i_df


def _sum(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    variance = i + t.sum(1)
    return variance, _satterthwaite(variance, i, i_df, t, df)


def _less(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    own = np.maximum(t - w, 0.0)
    variance = i + own.sum(1)
    return variance, _satterthwaite(variance, i, i_df, own, df)


def _less_wide(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    variance = i + np.maximum(t - w, 0.0).sum(1)
    return variance, _satterthwaite(variance, i, i_df, t, df)


def _floored(least: float) -> Callable[..., tuple[Floats, Floats]]:
    def robust(
        i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
    ) -> tuple[Floats, Floats]:
        variance = np.maximum(i + (t - w).sum(1), least * i)
        return variance, _satterthwaite(variance, i, i_df, t, df)

    return robust


def _stretched(least: float, stretched: str) -> Callable[..., tuple[Floats, Floats]]:
    def capped(
        i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
    ) -> tuple[Floats, Floats]:
        if stretched == "all":
            t = t * far**2
        if stretched == "own":
            t = t + (far**2 - 1.0) * np.maximum(t - w, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.minimum(1.0, i / w.sum(1))[:, None]
        share = np.where(np.isfinite(share), share, 1.0)
        own = np.where(t >= w, t - w + w * share, t * share)
        variance = np.maximum(i + (own - w * share).sum(1), least * i)
        return variance, _satterthwaite(variance, i, i_df, own, df)

    return capped


def _halfway(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    variance = i + 0.5 * (t + np.maximum(t - w, 0.0)).sum(1)
    return variance, _satterthwaite(variance, i, i_df, t, df)


def _max(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    variance = np.maximum(np.maximum(i, t.max(1)), i + (t - w).sum(1))
    return variance, np.minimum(i_df, units.min(1) - 1.0)


CANDIDATES: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "items": _items,
    "sum": _sum,
    "less": _less,
    "less, wide": _less_wide,
    "robust": _floored(0.1),
    "floored": _floored(0.5),
    "capped": _stretched(0.0, "none"),
    "stretched": _stretched(0.25, "own"),
    "all stretched": _stretched(0.25, "all"),
    "halfway": _halfway,
    "max": _max,
}
