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
satterthwaite   I + Σ (r² T − W) with the stretch r, ≥ I / 4    Satterthwaite's, from I and r² T
mixture         max(I − Σ W, 0) + Σ T                           a mixture of t by shares of variance
shared          the same, in `nbyk.testing.shared_units`        the mixture, with a step for skewness
unreserved      the same                                        with the step for strong skewness
==============  ==============================================  =====================================

`less` is what restricted maximum likelihood gives on balanced data, whose components are the analysis of
variance's, cut off at 0. `two-way` is the estimate of Cameron, Gelbach and Miller with jackknifed parts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from benchmarks.shared_units.measure import OF_ITEMS, OF_SOURCE
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.generalise import law_of
from nbyk.testing.shared_units.mixture import STRONG_SKEW, ErrorLaw

Floats = NDArray[np.float64]


def p_values(kept: Floats, name: str) -> Floats:
    """Return two-sided p-values of a candidate, shape (sets,), from what `measure` keeps."""
    if name in LAWS:
        strong_skew = STRONG_SKEW["two-sided"] if name == "unreserved" else 0.0
        return 2.0 * tails(laws(kept, name), kept[:, 0], strong_skew)
    if name == "items":
        variance, df = kept[:, -1], np.where(kept[:, 1] == kept[:, -1], kept[:, 2], np.inf)
    else:
        variance, df = CANDIDATES[name](*_parts(kept))
    with np.errstate(divide="ignore", invalid="ignore"):
        pivot = np.abs(kept[:, 0]) / np.sqrt(variance)
    p: Floats = 2.0 * student.sf(pivot, df)
    return np.where((variance <= 0) & (kept[:, 0] == 0), 1.0, p)


def tails(found: list[ErrorLaw], effects: Floats, strong_skew: float = 0.0) -> Floats:
    """Return the chance of a larger error on the side of each effect, shape (sets,)."""
    pairs = zip(found, effects, strict=True)
    return np.array([law.tail(effect, strong_skew=strong_skew) for law, effect in pairs])


def _parts(kept: Floats) -> tuple[Floats, ...]:
    sources = kept[:, OF_ITEMS:-1].reshape(len(kept), -1, OF_SOURCE)
    there = ~np.isnan(sources[:, :, 0])
    total, within = (np.where(there, sources[:, :, field], 0.0) for field in (0, 1))
    df = np.where(there, sources[:, :, 2], 1.0)
    units = np.where(there, sources[:, :, 3], np.inf)
    stretch = np.where(there, sources[:, :, 4], 1.0)
    return kept[:, 1], kept[:, 2], total, within, df, units, stretch


def laws(kept: Floats, name: str = "shared") -> list[ErrorLaw]:
    """Return the law of the effect's error in each set; "mixture" leaves out skewness."""
    skewed = float(name != "mixture")
    found = []
    for row in kept:
        sources = row[OF_ITEMS:-1].reshape(-1, OF_SOURCE)
        of_items = Component(0, row[1], 0.0, row[2], 1.0, weight_squares=1.0 / row[4], third=skewed * row[3])
        parts = [
            Component(0, total, within, df, 1.0, weight_squares=1.0 / units, third=skewed * third)
            for total, within, df, _, _, third, units in sources[~np.isnan(sources[:, 0])]
        ]
        stretch = sources[0, 4] if parts else 1.0
        found.append(law_of(of_items, parts, stretch))
    return found


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


def _satterthwaite_test(
    i: Floats, i_df: Floats, t: Floats, w: Floats, df: Floats, units: Floats, far: Floats
) -> tuple[Floats, Floats]:
    explained = w.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(explained > 0.0, np.minimum(1.0, i / explained), 1.0)[:, None]
    total = far**2 * t
    total = np.where(total >= w, total - (1.0 - share) * w, share * total)
    variance = np.maximum(i + np.sum(total - share * w, axis=1), 0.25 * i)
    return variance, _satterthwaite(variance, i, i_df, total, df)


CANDIDATES: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "items": _items,
    "sum": _sum,
    "less": _less,
    "less, wide": _less_wide,
    "two-way": _two_way,
    "halfway": _halfway,
    "max": _max,
    "satterthwaite": _satterthwaite_test,
}
LAWS = ("mixture", "shared", "unreserved")
