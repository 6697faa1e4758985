"""The test that generalises over new items and new units of the same design."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit  # scipy.stats has them too, but takes as long to load as all of nbyk

from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.metric import Smoothness
from nbyk.testing.pvalues import Alternative, sides_of
from nbyk.testing.shared_units.components import (
    Component,
    VariancePart,
    item_component,
    unit_component,
    variance_parts,
)
from nbyk.testing.shared_units.responses import Responses, Source
from nbyk.testing.shared_units.statistic import changes
from nbyk.testing.shared_units.stretch import stretch

_LEAST_SHARE = 0.25
"""The variance is at least this share of the variance over items."""

_ROUNDING = 1e-10
"""A standard error below this share of the effect is a rounding error."""

FEWEST_GROUPS_AT_WORK = 5.0
"""The t-test needs an effect that at least this many items determine (`Changes.at_work`)."""

LEAST_PART = 0.05
"""Below this share of the variance, items may be few."""


@dataclass(frozen=True)
class SharedUnitsTest:
    """An effect with its standard error over new items and new units, and the sources of its variance.

    Attributes
    ----------
    effect
        Positive where A is better.
    variance
        Variance of the effect, over items or clusters and all shared sources.
    df
        Satterthwaite's degrees of freedom of the variance.
    items
        The variance over items or, if they have clusters, over clusters.
    sources
        The variance over the units of each source that the test generalises over.
    stretch
        Factor by which the units' standard error grows because the effect is not linear in the responses;
        see `nbyk.testing.shared_units.stretch`.
    groups_at_work
        The approximate number of items, or groups of items, that determine the effect (`Changes.at_work`).
    clustered
        Whether items come in clusters.
    smoothness
        That of the metric, which decides what can be said about the parts of the variance.
    """

    effect: float
    variance: float
    df: float
    items: Component
    sources: dict[Source, Component]
    stretch: float
    groups_at_work: float
    clustered: bool = False
    smoothness: Smoothness = "linear"

    @property
    def parts(self) -> tuple[VariancePart, ...]:
        """The parts of the variance: items or clusters, units, and differences of units from item to item."""
        return variance_parts(
            self.items, self.sources, self.stretch, clustered=self.clustered, smoothness=self.smoothness
        )

    @property
    def standard_error(self) -> float:
        """The root of the variance."""
        return float(np.sqrt(self.variance))

    @property
    def is_constant(self) -> bool:
        """Whether nothing varies: the standard error is at most a rounding error of the effect."""
        return self.variance <= (_ROUNDING * self.effect) ** 2

    @property
    def is_too_rough(self) -> bool:
        """Whether so few items determine the effect that its variance says little; a maximum is an example.

        If items add almost nothing to the variance, few items are no problem.
        """
        matters = self.items.total > LEAST_PART * self.variance
        return matters and not self.groups_at_work >= FEWEST_GROUPS_AT_WORK

    @property
    def roughness(self) -> str:
        """The reason why the test is too rough, with advice; "" if it is not."""
        if not self.is_too_rough:
            return ""
        at_work = math.floor(10.0 * self.groups_at_work) / 10.0 if self.groups_at_work > 0.0 else 0.0
        many = f"about {at_work:g}" if at_work else "too few"
        return (
            f"the effect rests on {many} of the items, and this t-test needs {FEWEST_GROUPS_AT_WORK:g}; "
            "collect "
            "more items, or choose a metric that is a mean over items"
        )

    @property
    def reserve(self) -> str:
        """The reason why p and the interval hold only with reserve; "" if they hold without."""
        return ""

    def p_value(self, alternative: Alternative = "two-sided", *, null: float = 0.0) -> float:
        """Return the p-value of an effect of `null`; 1 (one-sided ½) if the effect is exactly `null`."""
        if self.variance == 0.0 and self.effect == null:
            return 1.0 if alternative == "two-sided" else 0.5
        with np.errstate(divide="ignore"):
            pivot = np.float64(self.effect - null) / self.standard_error
        if alternative == "two-sided":
            return float(2.0 * stdtr(self.df, -abs(pivot)))
        return float(stdtr(self.df, -pivot if alternative == "greater" else pivot))

    def interval(
        self, confidence_level: float = 0.95, alternative: Alternative = "two-sided"
    ) -> tuple[float, float]:
        """Return the interval; it leaves out 0 exactly if `p_value` is at most 1 − confidence_level."""
        tail = (1.0 - confidence_level) / sides_of(alternative)
        reach = -float(stdtrit(self.df, tail)) * self.standard_error
        low = -np.inf if alternative == "less" else self.effect - reach
        high = np.inf if alternative == "greater" else self.effect + reach
        return float(low), float(high)


def shared_units_test(
    metric: Metric, data: Responses, *, sources: Sequence[Source] | None = None
) -> SharedUnitsTest:
    """Return the effect of A over B with its variance over new items and new units of the same design.

    Parameters
    ----------
    metric
        Any metric: a mean over items or not, of item means or of all responses.
    data
        The responses, with their units and clusters; see `responses`.
    sources
        The sources to generalise over; by default all that the data share. Units of other sources are fixed.

    Returns
    -------
    SharedUnitsTest

    Raises
    ------
    NbykError
        If the data do not share one of the sources.

    Notes
    -----
    Let I be the variance over items or clusters by the jackknife, T that over a source's units, W the part of
    T that single responses explain (it is in I already), and r the stretch
    (`nbyk.testing.shared_units.stretch`). Then

        V = I + Σ (r² T − W),   df = V² / (I² / ν_I + Σ (r² T)² / ν_T).

    For the mean of balanced data this is the analysis of variance: V = (MS_items + MS_units − MS_residual) /
    (N J). A negative difference is kept. If it were cut at 0, a T that is small by chance would get the many
    degrees of freedom of I. W is a part of I, but the estimates may give Σ W > I. Then W is cut to the share
    q = I / Σ W of itself, and r² T to r² T − (1 − q) W, or to q r² T if r² T < W. V is at least I / 4.

    References
    ----------
    Satterthwaite 1946, An approximate distribution of estimates of variance components; Efron and Stein
    1981, The jackknife estimate of variance; Owen 2007, The pigeonhole bootstrap; Cameron, Gelbach and
    Miller 2011, Robust inference with multiway clustering; MacKinnon, Nielsen and Webb 2024, Jackknife
    inference with two-way clustering.
    """
    asked = tuple(data.source_units) if sources is None else tuple(sources)
    for source in asked:
        if source not in data.source_units:
            there = ", ".join(data.source_units) or "none"
            raise NbykError(f"items share no {source}; sources that they share: {there}")
    found = changes(metric, data)
    items = item_component(data, found)
    parts = {source: unit_component(data, source, found) for source in asked}
    far = stretch(metric, data, found, parts)
    variance, df = combined(items, list(parts.values()), far)
    return SharedUnitsTest(
        found.effect, variance, df, items, parts, far, found.at_work, data.clustered, metric.smoothness
    )


def combined(items: Component, units: Sequence[Component], stretch: float) -> tuple[float, float]:
    """Return the variance of the effect and its degrees of freedom; see `shared_units_test`."""
    explained = sum(part.within for part in units)
    share = min(1.0, items.total / explained) if explained > 0.0 else 1.0
    variance = items.total
    squares = items.total**2 / items.df
    for part in units:
        total = stretch**2 * part.total
        total = total - (1.0 - share) * part.within if total >= part.within else share * total
        variance += total - share * part.within
        squares += total**2 / part.df
    variance = max(variance, _LEAST_SHARE * items.total)
    return variance, max(1.0, variance**2 / squares) if squares > 0.0 else 1.0
