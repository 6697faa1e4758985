"""The test that generalises over new items and new units of the same design."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nbyk.arrays import Integers
from nbyk.metrics import Metric
from nbyk.metrics.metric import Smoothness
from nbyk.testing.pvalues import Alternative, sides_of
from nbyk.testing.results import Doubt, VariancePart
from nbyk.testing.shared_units.components import (
    Component,
    item_component,
    less_explained,
    unit_component,
)
from nbyk.testing.shared_units.mixture import STRONG_SKEW, ErrorLaw, degrees_together, without_overlap
from nbyk.testing.shared_units.precision import (
    MOST_UNITS,
    UNEQUAL,
    Crossed,
    components_of,
    fitted,
)
from nbyk.testing.shared_units.responses import Responses, Source
from nbyk.testing.shared_units.statistic import changes, ratings_of
from nbyk.testing.shared_units.stretch import stretch

_ROUNDING = 1e-10
"""A standard error below this share of the effect is a rounding error."""

FEWEST_GROUPS_AT_WORK = 5.0
"""The t-test needs an effect that at least this many items determine (`Changes.at_work`)."""

LEAST_PART = 0.05
"""Below this share of the variance, items may be few."""

_IF_SKEWED = (
    "if a few units (people, runs or clusters) are far off the others, p is above α; more units would tell"
)


@dataclass(frozen=True)
class SharedUnitsTest:
    """An effect with its standard error over new items and new units, and the sources of its variance.

    Attributes
    ----------
    effect, law
        Positive where A is better; and the law of its error, over items or clusters and all shared sources.
    items, sources
        The variance over items or, if they have clusters, over clusters; and over the units of each source.
    stretch
        Factor by which the units' standard error grows because the effect is not linear in the responses
        (`nbyk.testing.shared_units.stretch`).
    groups_at_work
        The approximate number of items, or groups of items, that determine the effect (`Changes.at_work`).
    clustered
        Whether items come in clusters.
    smoothness
        That of the metric, which decides what can be said about the parts of the variance.
    by_precision
        Whether the effect weights ratings by precision (`nbyk.testing.shared_units.precision`).
    """

    effect: float
    law: ErrorLaw
    items: Component
    sources: dict[Source, Component]
    stretch: float
    groups_at_work: float
    clustered: bool = False
    smoothness: Smoothness = "linear"
    by_precision: bool = False

    @property
    def squares(self) -> dict[str, tuple[float, float, float]]:
        """The variance behind each part, its degrees of freedom, and what explains some of it.

        With I, T, W and r as in `shared_units_test`, and S as in `of_single`: for items or clusters I, less
        Σ S; for units r² T, less W; and for units × items S.
        """
        single = {source: self.of_single(source) for source in self.sources}
        name = "clusters of items" if self.clustered else "items"
        squares = {name: (self.items.total, self.items.df, sum(single.values()))}
        for source, part in self.sources.items():
            squares[source] = (self.stretch**2 * part.total, part.df, part.within)
            squares[f"{source} × items"] = (single[source], part.within_df, 0.0)
        return squares

    @property
    def parts(self) -> tuple[VariancePart, ...]:
        """The parts of the variance: the `squares`, each less what explains some of it, at least 0.

        On balanced data this is the analysis of variance. The intervals are those of χ². For a metric that is
        not linear in the ratings, only those of units cover the true part, and the others are NaN; for one
        that jumps, all numbers are. `nbyk.testing.shared_units.intervals` fills both gaps, more slowly.
        """
        variances, nan = {of: less_explained(*square) for of, square in self.squares.items()}, math.nan
        if self.smoothness == "jumps":
            return tuple(VariancePart(source, nan, nan, nan, nan) for source in variances)
        if self.smoothness == "smooth":
            variances = {
                of: ends if of in self.sources else (ends[0], nan, nan) for of, ends in variances.items()
            }
        whole = sum(variance for variance, _, _ in variances.values())
        return tuple(
            VariancePart(source, variance, variance / whole if whole > 0.0 else nan, low, high)
            for source, (variance, low, high) in variances.items()
        )

    def of_single(self, source: Source) -> float:
        """Return the part S of the variance of the effect that single responses of a source's units add.

        If K of J units answer an item, single responses weigh K (J − 1) / (J (K − 1)) times as much in the
        jackknife over units, and so in `within`, as in the effect. Units that answer different numbers of
        items count as J = 1 / Σ w² units, with weights w that add up to 1. Weights by precision take `within`
        from their fit, where it is right.
        """
        part = self.sources[source]
        per_item = part.responses / self.items.responses
        if self.by_precision or not per_item > 1.0:
            return part.within
        return part.within * (1.0 - 1.0 / per_item) / (1.0 - part.weight_squares)

    @property
    def variance(self) -> float:
        """Variance of the effect."""
        return self.law.variance

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of the variance, a summary: p comes from `law`."""
        return self.law.df_of_variance

    @property
    def is_constant(self) -> bool:
        """Whether nothing varies: the standard error is at most a rounding error of the effect."""
        return self.variance <= (_ROUNDING * self.effect) ** 2

    @property
    def roughness(self) -> str:
        """Why too few items determine the effect for its variance to mean much, or any; "" otherwise.

        A maximum is an example. If items add almost nothing to the variance, few items are no problem.
        """
        if not math.isfinite(self.variance):
            return (
                "the effect is undefined without some items, raters or runs; collect more items, or choose "
                "another metric"
            )
        matters = self.items.total > LEAST_PART * self.variance
        if not matters or self.groups_at_work >= FEWEST_GROUPS_AT_WORK:
            return ""
        at_work = math.floor(10.0 * self.groups_at_work) / 10.0 if self.groups_at_work > 0.0 else 0.0
        many = f"about {at_work:g}" if at_work else "too few"
        other = ", or choose a metric that is a mean over items" if self.smoothness == "jumps" else ""
        needs = f"this t-test needs {FEWEST_GROUPS_AT_WORK:g}"
        return f"the effect rests on {many} of the items, and {needs}; collect more items{other}"

    def doubts(self, alternative: Alternative, alpha: float, *, null: float = 0.0) -> tuple[Doubt, ...]:
        """Return the doubt about a p of at most α: units may be strongly skewed."""
        if self.p_value(alternative, null=null) > alpha:
            return ()
        return (Doubt(_IF_SKEWED, self.p_if_strongly_skewed(alternative, null=null)),)

    def p_value(self, alternative: Alternative = "two-sided", *, null: float = 0.0) -> float:
        """Return the p-value of an effect of `null`; 1 (one-sided ½) if the effect is exactly `null`."""
        return self._p_value(self.effect - null, alternative)

    def p_if_strongly_skewed(self, alternative: Alternative = "two-sided", *, null: float = 0.0) -> float:
        """Return a p-value that holds its level even for units as skewed as a lognormal, from eight units on.

        It is at least `p_value`. If the first is above α and the second is not, a claim needs a reserve.
        """
        error = self.effect - null
        strong = self._p_value(error, alternative, strong_skew=STRONG_SKEW[alternative])
        return max(strong, self._p_value(error, alternative))

    def _p_value(self, error: float, alternative: Alternative, *, strong_skew: float = 0.0) -> float:
        tail = self.law.tail(error, strong_skew=strong_skew)
        if alternative == "two-sided":
            return 2.0 * tail
        return tail if bool(error > 0.0) is (alternative == "greater") else 1.0 - tail

    def interval(
        self, confidence_level: float = 0.95, alternative: Alternative = "two-sided"
    ) -> tuple[float, float]:
        """Return the interval; it leaves out 0 exactly if `p_value` is at most 1 − confidence_level."""
        tail = (1.0 - confidence_level) / sides_of(alternative)
        low = -math.inf if alternative == "less" else self.effect - self.law.reach(tail, 1.0)
        high = math.inf if alternative == "greater" else self.effect + self.law.reach(tail, -1.0)
        return low, high


def shared_units_test(
    metric: Metric, data: Responses, *, sources: Sequence[Source] | None = None, weighted: bool = True
) -> SharedUnitsTest:
    """Return the effect of A over B with its variance over new items and new units of the same design.

    Units of `sources` that are not named are fixed; by default none are. `weighted` says whether ratings are
    weighted by precision where units of a source answer very unequally.

    Notes
    -----
    Let I be the variance over items or clusters by the jackknife, T that over a source's units, W the part of
    T that single responses explain (it is in I already), and r the stretch
    (`nbyk.testing.shared_units.stretch`). Then the parts of the variance are

        items: max(I − Σ W, 0) with ν_I degrees of freedom,   each source: r² T with ν_T,

    and p is their mixture (`ErrorLaw`). If Σ W > I, which is the estimates' error, W counts as the share
    q = I / Σ W of itself, also in T: r² T − (1 − q) W, or q r² T if r² T < W. For the mean of balanced data
    the variance is that of the analysis of variance: (MS_items + MS_units − MS_residual) / (N J).

    References
    ----------
    Satterthwaite 1946, An approximate distribution of estimates of variance components; Efron and Stein
    1981, The jackknife estimate of variance; Owen 2007, The pigeonhole bootstrap; Cameron, Gelbach and
    Miller 2011, Robust inference with multiway clustering; MacKinnon, Nielsen and Webb 2024, Jackknife
    inference with two-way clustering.
    """
    asked = tuple(data.source_units) if sources is None else tuple(sources)
    changed = changes(metric, data)
    items = item_component(data, changed)
    parts = {source: unit_component(data, source, changed) for source in asked}
    far = stretch(metric, data, changed, parts)
    effect, by_precision = changed.effect, False
    unequal = _to_weight(metric, data, parts) if weighted else None
    if unequal is not None:
        ratings = Crossed(*ratings_of(metric, data, data.source_units[unequal]))
        fit = fitted(ratings)
        items, parts[unequal] = components_of(ratings, fit)
        others = changes(metric, data, ratings.over_items(fit.weights))
        for other in parts:
            if other != unequal:
                parts[other] = unit_component(data, other, others)
        effect, by_precision = fit.mean, True
    law = law_of(items, list(parts.values()), far)
    return SharedUnitsTest(
        effect, law, items, parts, far, changed.at_work, data.clustered, metric.smoothness, by_precision
    )


def _to_weight(metric: Metric, data: Responses, parts: Mapping[Source, Component]) -> Source | None:
    """Return the source whose units answer so unequally that ratings are weighted by precision, if any.

    It depends on the design alone, never on the ratings. The metric is a mean over items that does not jump,
    the items have no clusters, and each response of a role is that of a unit, the same ones for A and B.
    """
    if not metric.is_mean_over_items or metric.smoothness == "jumps" or data.clustered:
        return None
    unequal = [
        source
        for source, part in parts.items()
        if part.units * part.weight_squares > UNEQUAL and part.units <= MOST_UNITS
    ]
    if len(unequal) != 1:
        return None
    (source,) = unequal
    units = data.source_units[source]
    answers = []
    for role in data.roles_of(source):
        if (np.isnan(role.values) == (role.units >= units[0]) & (role.units <= units[-1])).any():
            return None
        answers.append(np.sort(np.where(np.isnan(role.values), -1, role.units), axis=1))
    same = all(np.array_equal(_packed(answers[0]), _packed(other)) for other in answers[1:])
    return source if same else None


def _packed(units: Integers) -> Integers:
    """Return rows of sorted units without columns in which no row has one."""
    return units[:, (units >= 0).any(axis=0)]


def law_of(items: Component, units: Sequence[Component], stretch: float) -> ErrorLaw:
    """Return the law of the effect's error; see `shared_units_test`. Items alone have Student's t."""
    totals = np.array([stretch**2 * part.total for part in units])
    within = np.array([part.within for part in units])
    variances = without_overlap(np.array([items.total]), totals[None], within)
    scales = [
        math.sqrt(left / part.total) if part.total > 0.0 else 1.0
        for left, part in zip(variances[0, 1:], units, strict=True)
    ]
    thirds = [items.third if units else 0.0, *(part.third for part in units)]
    of_units = degrees_together(variances[0, 1:], np.array([part.df for part in units]))
    return ErrorLaw(
        variances,
        np.array([[items.df, *of_units]]),
        np.ones(1),
        np.array([1.0, *scales]) ** 3 * np.array(thirds),
        np.array([part.effective_units for part in (items, *units)]),
    )
