"""The claim over new items alone, where draws of the items do not hold: p, interval, and what is in reserve.

Swaps and bootstraps know the effects of these items only. Five cases need more.

1. Zeros and ones, or wins: the swap test is the sign test. p is exact, and the interval is that of signs.
2. Items that all have one effect: the interval tells how many others the sample would not show.
3. Skewed effects. If the skewness of the items' effects is significant (at .01, as of normal items) and their
   mean lies away from their median, a one-sided p is the larger of that by draws and that by t after the
   inverse Cornish–Fisher step, and the interval holds that by the step too. If only a few items are far off
   and the others look symmetric, no test can tell. Then p stays, and a verdict that the step does not
   support has a reserve.
4. A kind of items that the sample does not show: with a chance of .05, its share may be up to
   1 − .05^(1/N), about 3/N. If it could turn the effect round, a verdict has a reserve. It may lie as far
   off as the scale goes; without a scale, as far as the items seen, or half as far again if these are skewed.
5. Few items: a bootstrap's intervals are too narrow, so that they may exclude 0 where p is above α. Those of
   the swap test itself agree with p.

`benchmarks/skewed_items.py` measures level and power; docs/compare.md has the table.

References
----------
Hartigan 1969, Using subsample values as typical values;
D'Agostino 1970, Transformation to normality of the null distribution of g₁; Miao, Gel and Gastwirth 2006, A
new test of symmetry about an unknown median.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from nbyk.arrays import Array, Floats, Integers
from nbyk.data.response_set import ResponseSet
from nbyk.metrics import Metric
from nbyk.testing.engine.draws import Draws
from nbyk.testing.engine.rows import Rows, item_scores
from nbyk.testing.intervals import (
    Interval,
    agreeing,
    constant_interval,
    proportion_interval,
    signs_interval,
)
from nbyk.testing.pvalues import Alternative, PValue, p_of_sides, p_of_signs, tie_tolerance
from nbyk.testing.results import NONE, Doubt
from nbyk.testing.shared_units.components import Component, weighted_component
from nbyk.testing.skewness import corrected, reaches, skewness_of_mean
from nbyk.testing.systems.asked import Asked

PValues = dict[Alternative, PValue]

FEW_ITEMS = 20
"""So many items or clusters have intervals by a bootstrap; the swap test itself gives those of fewer."""

_SKEWED = 2.576
"""Standard errors of a skewness that is significant at .01."""

_ASYMMETRIC = 1.5
"""Standard errors between mean and median of items whose bulk is asymmetric too."""

SIGN_TEST = "sign test (exact)"
"""The method of an exact p of zeros and ones, or wins."""

SKEWED_T = "t-test with a step for skewness"
"""The method of a p that the step raised."""

_UNSEEN = 0.05
"""The chance with which a sample shows none of a kind of items of the share that it allows for."""


_FARTHER = 1.5
"""If effects are skewed, a kind of item not seen may lie so many times as far off (measured)."""


MOST_ITEMS = 1024
"""Most items for which the effect is computed without each one, if the metric is not a mean over items."""


@dataclass(frozen=True)
class ItemsAlone:
    """The numbers of a claim over new items alone: p of each alternative, and why a verdict has a reserve.

    The interval is None if that of the draws stands. `method` is "" if p is that of the draws, `SIGN_TEST` if
    it is exact, `SKEWED_T` if the p of the chosen alternative is by the step. `signs` are the numbers of
    items for A and for B, if each item is for one of them or for neither.
    """

    p: PValues
    interval: Interval | None = None
    doubts: tuple[Doubt, ...] = ()
    method: str = ""
    signs: tuple[int, int] | None = None


def items_alone(
    metric: Metric, rows: Rows, p: PValues, percentile: Interval, asked: Asked, *, within_one: bool
) -> ItemsAlone:
    """Return the numbers of a claim over the items of two systems, or over their clusters.

    Of a metric that is no mean over items, the p and the `percentile` interval of the draws stand unless all
    draws are the same. `within_one` says whether effects of single items lie between −1 and 1; else the
    largest is as large as the range of the scores of single items.
    """
    unit = "items" if rows.clusters is None else "clusters"
    if not metric.is_mean_over_items:
        if percentile[0] < percentile[1]:
            return ItemsAlone(p)
        why = f"every sample of the {unit} has the same effect: nothing shows how it varies"
        return ItemsAlone(p, NONE, (Doubt(why),))
    scores, effects = scores_of_items(metric, rows)[:2], effects_in(metric, rows)
    whole = (0.0, 1.0) if len(scores) == 2 else (-1.0, 0.0, 1.0)
    if rows.clusters is None and np.isin(scores, whole).all():
        counts = int((effects > 0.0).sum()), int((effects < 0.0).sum())
        interval = signs_interval(*counts, effects.size, asked.pair_level)
        if asked.null != "swap_items":
            return ItemsAlone(p, interval, signs=counts)
        exact = {side: PValue(value, 0.0, side) for side, value in p_of_signs(*counts).items()}
        return ItemsAlone(exact, interval, method=SIGN_TEST, signs=counts)
    clusters = np.arange(effects.size) if rows.clusters is None else rows.clusters
    sums, sizes = np.bincount(clusters, weights=effects).astype(np.float64), np.bincount(clusters)
    if rows.clusters is not None:
        effects = of_clusters(effects, rows.clusters)
    few = sums.size < FEW_ITEMS
    whole_range = (-1.0, 1.0) if within_one else (-math.inf, math.inf)
    interval = interval_of_swaps(sums, sizes, asked.pair_level, whole_range) if few else percentile
    alone = of_effects(
        effects,
        p,
        interval,
        level=asked.pair_level,
        alternative=asked.decision.alternative,
        largest=largest_of_items(metric, rows, within_one=within_one),
        bounded=within_one,
        unit=unit,
    )
    return replace(alone, interval=interval) if few and alone.interval is None else alone


def largest_of_items(metric: Metric, rows: Rows, *, within_one: bool) -> float:
    """Return how far from 0 the effect of an item that the sample does not show may lie."""
    if within_one or not metric.is_mean_over_items:
        return 1.0
    scores = scores_of_items(metric, rows)[:2]
    return float(np.ptp(scores) if len(scores) == 2 else np.abs(scores).max())


def interval_of_swaps(sums: Floats, sizes: Array, level: float, bounds: Interval) -> Interval:
    """Return the means that the swap test does not reject, of items or of clusters with these sums.

    They lie between the k-th smallest and the k-th largest mean of all subsets, where k is half of one minus
    the level times 2ⁿ (Hartigan 1969); between the bounds if n is too small for the test to reject any.
    """
    totals, counts = np.zeros(1), np.zeros(1)
    for total, size in zip(sums, sizes, strict=True):
        totals, counts = np.append(totals, totals + total), np.append(counts, counts + size)
    k = math.floor(round(0.5 * (1.0 - level) * totals.size, 9))
    if k == 0:
        return bounds
    means = np.partition(totals[1:] / counts[1:], (k - 1, totals.size - 1 - k))
    return float(means[k - 1]) + 0.0, float(means[-k]) + 0.0


def score_interval(
    metric: Metric,
    rows: Rows,
    system: int,
    clusters: Integers | None,
    *,
    level: float,
    within_one: bool,
) -> Interval | None:
    """Return the interval of one system's score over new items or clusters, if it is a mean over items.

    `clusters`, shape (N,), are given if whole clusters are drawn, and `within_one` says whether scores of
    single items lie between 0 and 1. If not, items that all have one score do not show how scores vary, and
    the interval is `NONE`.
    """
    if not metric.is_mean_over_items:
        return None
    scores = scores_of_items(metric, rows)[system]
    if clusters is None and np.isin(scores, (0.0, 1.0)).all():
        return proportion_interval(int(scores.sum()), scores.size, level)
    spread = scores if clusters is None else of_clusters(scores, clusters)
    if np.ptp(spread) <= tie_tolerance(spread):
        return constant_interval(float(scores.mean()), spread.size, level, (0.0, 1.0)) if within_one else NONE
    part = spread_of(scores, clusters)
    low, high = by_t(spread, part, level, "two-sided", largest=1.0).interval or NONE
    return (max(low, 0.0), min(high, 1.0)) if within_one else (low, high)


def scores_of_items(metric: Metric, rows: Rows) -> Floats:
    """Return the scores of single items, shape (S, N), or (1, N) of a comparison."""
    if metric.additive:
        return rows.sums(metric).features.T
    return item_scores(metric, rows)


def effects_in(metric: Metric, rows: Rows) -> Floats:
    """Return the effects of single items, of the first system over the second, shape (N,)."""
    scores = scores_of_items(metric, rows)[:2]
    effects: Floats = metric.sign * (scores[0] - scores[1] if len(scores) == 2 else scores[0])
    return effects


def item_effects(data: ResponseSet, metric: Metric) -> Floats | None:
    """Return each item's effect of A over B, shape (N,), positive if the item speaks for A.

    Of a mean over items it is the effect on the item. Of another metric it is the jackknife's pseudo-value,
    which falls as the effect without the item rises, N − 1 times; their mean is the effect on all items. None
    if this would take long, or if the effect is undefined without some item.
    """
    n = data.n_items
    if n > MOST_ITEMS and not metric.additive:
        return None
    draws = Draws(data, [metric], seed=0)
    (without,) = draws.jackknifed(n)
    effects: Floats = n * draws.observed[0] - (n - 1) * without
    if not metric.additive:  # what changes with the number of items alone is no item's
        effects -= effects.mean() - draws.observed[0]
    return effects if np.isfinite(effects).all() else None


def of_effects(
    effects: Floats,
    p: PValues,
    percentile: Interval,
    *,
    level: float,
    alternative: Alternative,
    largest: float,
    bounded: bool = True,
    unit: str = "items",
    turns: str = "turn the effect round",
    part: Component | None = None,
) -> ItemsAlone:
    """Return the numbers of a claim over items with these effects, which are neither zeros and ones nor wins.

    `effects`, shape (n,), are those of items or clusters, as `unit` says; p and `percentile` those of the
    draws. `largest` is the largest effect of an item, and `bounded` says whether that is known rather than
    seen; `turns` is what a kind of items that the sample does not show could do, and `part` the variance of
    their mean, by default that of equal items.
    """
    n, effect = effects.size, float(effects.mean())
    g = skewness_of_mean(effects)
    error = math.sqrt(6.0 * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) if n > 2 else math.inf  # of normal items
    is_skewed = abs(g) > _SKEWED * error
    farthest = _FARTHER * largest if is_skewed and not bounded else largest
    unseen = about_unseen(effect, unseen_share(n), farthest, unit, f"these {n}", turns)
    if np.ptp(effects) <= tie_tolerance(effects):
        if bounded:
            return ItemsAlone(p, constant_interval(effect, n, level, (-largest, largest)), unseen)
        why = f"all {n} {unit} have the same effect, and nothing shows how it varies"
        return ItemsAlone(p, None, (Doubt(why),))
    if not is_skewed:
        return ItemsAlone(p, None, unseen)
    part = part or spread_of(effects)
    raised = _raised(p, effect, part, g, _factor(n))
    if _is_asymmetric(effects):
        low, high = _step_interval(effect, part, g, _factor(n), level)
        both = raised["two-sided"].p
        interval = agreeing((min(low, percentile[0]), max(high, percentile[1])), effect, both, level)
        method = SKEWED_T if raised[alternative].p > p[alternative].p else ""
        return ItemsAlone(raised, interval, unseen, method)
    if_more = (
        f"a few {unit} lie far from the others on one side; if the population has more of them, p is {{p}}"
    )
    return ItemsAlone(p, None, (Doubt(if_more, raised[alternative].p), *unseen))


def of_clusters(effects: Floats, clusters: Integers) -> Floats:
    """Return the clusters' effects; their mean is that of the items, and so is its variance."""
    sizes = np.bincount(clusters)
    effect = effects.mean()
    around = np.bincount(clusters, weights=effects) - sizes * effect
    spread: Floats = effect + around * (len(sizes) / effects.size)
    return spread


def spread_of(values: Floats, clusters: Integers | None = None) -> Component:
    """Return the variance of the mean of items' values, over the items or over their clusters."""
    n = values.size
    if clusters is None:
        return Component(n, float(values.var(ddof=1)) / n, 0.0, n - 1.0, 1.0)
    sizes = np.bincount(clusters)
    moves = np.bincount(clusters, weights=values) / sizes - values.mean()
    return weighted_component(sizes / n, moves, sizes.size, n)


def p_by_t(mean: float, part: Component, level: float) -> tuple[PValues, Interval]:
    """Return the p-values of Student's t of a mean with this variance, and its interval."""
    error, df = math.sqrt(part.total), part.df
    reach = float(stdtrit(df, 0.5 + 0.5 * level)) * error
    sides = p_of_sides(float(stdtr(df, -mean / error)), float(stdtr(df, mean / error)))
    return {side: PValue(p, 0.0, side) for side, p in sides.items()}, (mean - reach, mean + reach)


def by_t(
    effects: Floats, part: Component, level: float, alternative: Alternative, **known: Any
) -> ItemsAlone:
    """Return `of_effects` of p-values and an interval by t; `part` is the variance of the effects' mean."""
    p, interval = p_by_t(float(effects.mean()), part, level)
    alone = of_effects(effects, p, interval, level=level, alternative=alternative, part=part, **known)
    return alone if alone.interval is not None else replace(alone, interval=interval)


def _is_asymmetric(effects: Floats) -> bool:
    """Return whether the mean lies away from the median (Miao, Gel and Gastwirth 2006)."""
    median = float(np.median(effects))
    scale = math.sqrt(0.5 * math.pi) * float(np.abs(effects - median).mean())
    error = scale * math.sqrt(0.5 * math.pi - 1.0) / math.sqrt(effects.size)
    return abs(float(effects.mean()) - median) > _ASYMMETRIC * error


def _raised(p: PValues, effect: float, part: Component, g: float, factor: float) -> PValues:
    """Return the larger of each one-sided p and that by t after the step, and both sides' p from these."""
    t, df = corrected(effect / math.sqrt(part.total), g, factor), part.df
    by_step: dict[Alternative, float] = {"greater": float(stdtr(df, -t)), "less": float(stdtr(df, t))}
    greater, less = (
        p[side] if p[side].p >= stepped else PValue(stepped, 0.0, side) for side, stepped in by_step.items()
    )
    least = min(greater, less, key=lambda side: side.p)
    both = p["two-sided"]
    if 2.0 * least.p > both.p:
        both = PValue(min(1.0, 2.0 * least.p), 2.0 * least.standard_error, "two-sided")
    return {"greater": greater, "less": less, "two-sided": both}


def _step_interval(effect: float, part: Component, g: float, factor: float, level: float) -> Interval:
    down, up = reaches(float(stdtrit(part.df, 0.5 + 0.5 * level)), g, factor)
    error = math.sqrt(part.total)
    return effect - down * error, effect + up * error


def _factor(n: int) -> float:
    """Return the factor on the skewness, which few units underestimate (measured)."""
    return 1.0 + 24.0 / n


def unseen_share(n: Any) -> Any:
    """Return the largest share of a kind of items of which n show none with a chance of .05."""
    return 1.0 - _UNSEEN ** (1.0 / n)


def about_unseen(
    effect: float,
    share: float,
    largest: float,
    what: str,
    seen: str,
    turns: str = "turn the effect round",
    weight: float = 1.0,
) -> tuple[Doubt, ...]:
    """Return the doubt about a kind of items that the sample does not show, if it could matter."""
    counts = weight * share
    if abs(effect) * (1.0 - counts) >= counts * largest:
        return ()
    most = f"up to {100.0 * share:.2g} % of all {what} may be of a kind that {seen} lack"
    return (Doubt(f"{most}, which could {turns}"),)
