"""The candidate tests: each gives a variance and degrees of freedom from the components of a set.

With I the variance over items, T the jackknife's variance over a source's units, W the part of it that single
responses explain (which I has already), and ν their degrees of freedom:

==============  ==============================================  =====================================
name            variance                                        degrees of freedom
==============  ==============================================  =====================================
items           I                                               those of I: today's test
sum             I + Σ T                                         Satterthwaite's, from I and T
less            I + Σ max(T − W, 0)                             Satterthwaite's, from I and T − W
less, wide      the same                                        Satterthwaite's, from I and T
two-way         I + Σ (T − W), no less than half of I           Satterthwaite's, from I and T
halfway         the mean of `sum` and `less`                    Satterthwaite's, from I and T
max             the largest of I, each T, and I + Σ (T − W)     fewest units − 1 (MacKinnon et al.)
shared          `nbyk.testing.shared_units`: the one chosen   its own
==============  ==============================================  =====================================

`less` is what restricted maximum likelihood gives on balanced data, whose components are the analysis of
variance's, cut off at 0. `two-way` is the estimate of Cameron, Gelbach and Miller with jackknifed parts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.generalise import combined

Floats = NDArray[np.float64]


def p_values(kept: Floats, name: str) -> Floats:
    """Return two-sided p-values of a candidate, shape (sets,), from what `measure` keeps."""
    if name == "items":
        variance, df = kept[:, -1], np.where(kept[:, 1] == kept[:, -1], kept[:, 2], np.inf)
    else:
        variance, df = CANDIDATES[name](*_parts(kept))
    with np.errstate(divide="ignore", invalid="ignore"):
        pivot = np.abs(kept[:, 0]) / np.sqrt(variance)
    p: Floats = 2.0 * student.sf(pivot, df)
    return np.where((variance <= 0) & (kept[:, 0] == 0), 1.0, p)


def _parts(kept: Floats) -> tuple[Floats, ...]:
    sources = kept[:, 3:-1].reshape(len(kept), -1, 5)
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


def _two_way(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    variance = np.maximum(i + (t - w).sum(1), 0.5 * i)
    return variance, _satterthwaite(variance, i, i_df, t, df)


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


def _shared(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    found = []
    for row in range(len(i)):
        parts = [
            Component(int(count), total, within, degrees, 1.0)
            for count, total, within, degrees in zip(units[row], t[row], w[row], df[row], strict=True)
            if np.isfinite(count)
        ]
        found.append(combined(Component(0, i[row], 0.0, i_df[row], 1.0), parts, float(far[row].max())))
    variance, degrees_of_freedom = np.array(found).T
    return variance, degrees_of_freedom


CANDIDATES: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "items": _items,
    "sum": _sum,
    "less": _less,
    "less, wide": _less_wide,
    "two-way": _two_way,
    "halfway": _halfway,
    "max": _max,
    "shared": _shared,
}
