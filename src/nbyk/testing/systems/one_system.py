"""A system by itself: its score with an interval for each population, and whether it is better than a bar.

A bar is a given score. The claims are those of a pair whose other system has that score on any data. Over
new items alone, p and the interval are exact for zeros and ones (the binomial law; Clopper and Pearson 1934),
by t with the step for skewness for other means over items (`nbyk.testing.systems.items_alone`), and by t with
the jackknife otherwise. Over new raters and runs, they are by `nbyk.testing.shared_units`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from scipy.special import bdtr, bdtrc

from nbyk.errors import NbykError
from nbyk.metrics.classes import MACRO, shares_of
from nbyk.sums import product, root
from nbyk.testing.engine.rows import Rows
from nbyk.testing.intervals import constant_interval, proportion_interval
from nbyk.testing.pvalues import Alternative, p_of_sides, tie_tolerance
from nbyk.testing.results import (
    EQUAL_SCORES,
    NONE,
    Board,
    Claim,
    Doubt,
    Interval,
    Margin,
    favoured,
    inconclusive,
)
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.generalise import FEWEST_GROUPS_AT_WORK
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.by_formula import board_by_formula, times_as_many, without_p
from nbyk.testing.systems.claims import (
    POWER,
    broad_test,
    claim_by_t,
    claims_of,
    few_units,
    has_bounds,
    is_within_one,
    sample_of,
)
from nbyk.testing.systems.items_alone import by_t, of_clusters, scores_of_items, spread_of
from nbyk.testing.systems.panel import Panel, population_of
from nbyk.testing.systems.scored import ScoredSystems, score_alone
from nbyk.testing.unit_cautions import about_units
from nbyk.words import in_full

EXACT = "binomial test"
"""The method of an exact p of zeros and ones."""


def board_alone(scored: ScoredSystems, asked: Asked, *, bar: float | None = None) -> Board:
    """Return each system's score with its intervals, and whether it is better than a bar.

    The board has a pair of each system with the bar, whose name is "a score of 0.8". Without a bar, the name
    is "", and no claim has a p. The bar, the margin and all results are in the unit of the ratings; a margin
    is the largest distance from the bar that does not matter.
    """
    metric = scored.metric
    if metric.kind == "comparison":
        raise NbykError(
            f"metric {metric.name} compares two systems and scores neither; choose one that scores each",
            argument="metric",
        )
    if bar is None and asked.margin is not None:
        raise NbykError(
            "found a margin, and no score to hold the system to; give one with `against`", argument="margin"
        )
    against = None if bar is None else f"a score of {in_full(bar)}"
    normal = None if bar is None else from_0_to_1(bar, scored)
    systems, of_each = range(len(scored.names)), asked
    asked = replace(asked, n_pairs=len(systems))
    alone = [_Alone(scored, asked, system, normal, against or "") for system in systems]
    claims = {(one.system, -1): one.claims() for one in alone}
    of_scores = [*claims.values()]
    if asked.n_together > 1:
        of_scores = [_Alone(scored, of_each, system, normal, "").claims() for system in systems]
    in_ratings = partial(metric.score_in_ratings, scale=scored.scale)
    scores = np.array([in_ratings(score) for score in scored.scores])
    sign = 1.0 if bar is None else metric.sign
    panels = [one.panel for one in alone]
    kept = {name: units for panel in panels for name, units in panel.left_as_they_are(scored.units).items()}
    warnings = (
        *few_units(panels, alone=True),
        *about_units(kept, has_gold=alone[0].data.has_gold),
        *scored.uneven_trials(),
    )
    n_clusters = scored.sample.n_clusters if panels[0].draws_clusters else 0
    board = board_by_formula(
        scored.question(asked, against=against, test="t", hypothesis=EQUAL_SCORES),
        replace(scored.sample, n_clusters=n_clusters),
        scored.names,
        scores,
        [_of_score(of, score, sign) for of, score in zip(of_scores, scores.tolist(), strict=True)],
        claims,
        sign=metric.sign,
        warnings=warnings,
        bar=None if normal is None else in_ratings(normal),
    )
    chosen = [(panel, panel.sources) for panel in panels]
    population = population_of(chosen, of_clusters=panels[0].of_clusters)
    return replace(board, sample=scored.sample, population=population)


def _of_score(claims: Sequence[Claim], score: float, sign: float) -> Interval:
    """Return the interval of a system's score that follows from its broadest claim."""
    effect = next((claim for claim in claims if claim.is_conclusive), claims[-1]).effect
    low, high = sorted(score + sign * (end - effect) for end in claims[0].interval)
    return low, high


def band(boards: Sequence[Board], scored: Sequence[ScoredSystems]) -> list[Interval]:
    """Return intervals of one system's scores by several metrics that all hold at once.

    The metrics are means over items from 0 to 1, such as pass^1 to pass^4; there is a board (`board_alone`)
    and the scored system for each. The reach, in standard errors, is the quantile of the largest of several t
    that are correlated as the items' scores are, by 20,000 draws of the seed that was asked; and each
    interval holds that of its own claim over items.
    """
    scores = np.stack([scores_of_items(of.metric, of.rows)[0] for of in scored])
    question = boards[0].question
    n, rng = scores.shape[1], np.random.default_rng(question.seed)
    errors = scores.std(axis=1, ddof=1) / math.sqrt(n)
    centred = scores[errors > 0.0] - scores[errors > 0.0].mean(axis=1, keepdims=True)
    reach = 0.0
    if len(centred):
        unit = centred / np.sqrt(np.sum(centred**2, axis=1, keepdims=True))
        normal = product(rng.standard_normal((20_000, len(unit))), root(product(unit, unit.T)).T)
        t = np.abs(normal).max(axis=1) / np.sqrt(rng.chisquare(n - 1.0, 20_000) / (n - 1.0))
        reach = float(np.quantile(t, question.confidence_level))
    ends = []
    for board, score, error in zip(boards, scores.mean(axis=1).tolist(), errors.tolist(), strict=True):
        (standing,) = board.standings
        low, high = score - reach * error, score + reach * error
        own = standing.interval
        ends.append((min(max(low, 0.0), own[0]), max(min(high, 1.0), own[1])))
    return ends


class _Alone:
    """One system and the bar, which is on [0, 1]; its claims are on [0, 1], too."""

    def __init__(
        self, scored: ScoredSystems, asked: Asked, system: int, bar: float | None, against: str
    ) -> None:
        self.scored, self.asked, self.system, self.bar = scored, asked, system, bar
        self.data = scored.pair(system, None, against=against)
        towards = scored.metric if bar is not None else replace(scored.metric, direction="higher")
        self.metric = score_alone(towards, bar or 0.0)
        self.panel = replace(asked.panel(self.data), names=(scored.names[system], ""))
        self.bounded = is_within_one(scored.metric, scored.pair(system, system))
        rated = (self.data.gold, self.data.a) if self.data.has_gold else (self.data.a,)
        self.has_bounds = has_bounds(scored.metric, rated)

    @cached_property
    def largest(self) -> float:
        """How far from the bar the score of an item may lie."""
        if self.bounded or not self.scored.metric.is_mean_over_items:
            return 1.0
        return float(np.ptp(scores_of_items(self.scored.metric, self.scored.rows)[self.system]))

    def claims(self) -> tuple[Claim, ...]:
        """Return the claims, the broadest first, in the unit of the ratings."""
        asked, panel, metric, scale = self.asked, self.panel, self.scored.metric, self.scored.scale
        unit = metric.effect_unit(scale)
        margin = None if asked.margin is None else asked.margin / unit
        test = broad_test(self.metric, panel)
        items = self._items(panel, margin)
        if not items.is_conclusive:
            score = float(self.scored.scores[self.system])
            items = replace(items, effect=self.metric.sign * (score - (self.bar or 0.0)))
        claims = claims_of(self.metric, self.data, panel, items, asked, test, margin, self.largest)
        if margin is None and self.bar is not None and not panel.draws_clusters:
            claims = (*claims[:-1], self._planned(claims[-1]))
        claims = tuple(self._within(claim).times(unit) for claim in claims)
        if self.bar is not None:
            return claims
        return tuple(without_p(claim, metric.score_in_ratings(0.0, scale)) for claim in claims)

    def _planned(self, claim: Claim) -> Claim:
        """Return an open claim with the number of items, or of trials of each, that would settle it."""
        metric, rows = self.scored.metric, self.scored.rows
        if not metric.is_mean_over_items:
            return claim
        scores = scores_of_items(metric, rows)[self.system]
        times = times_as_many(claim, float(scores.var(ddof=1)) / scores.size, self.asked)
        if times is None:
            return claim
        advice = f"about {math.ceil(times * scores.size)} items"
        trials = rows.systems[self.system : self.system + 1]
        n = trials.shape[2]
        if metric.takes_trials and not np.isnan(trials).any() and n > metric.fewest_responses:
            # trials add their jackknife's variance, which falls as they grow (U-statistics: Arvesen 1969)
            left_out = [
                scores_of_items(metric, Rows(rows.gold, np.delete(trials, trial, axis=2)))[0]
                for trial in range(n)
            ]
            trial_variance = (n - 1.0) * float(np.mean(np.var(left_out, axis=0)))
            room = float(scores.var(ddof=1)) / times - (float(scores.var(ddof=1)) - trial_variance)
            advice += " with as many trials"
            if room > 0.0:
                advice += f", or {math.ceil(n * trial_variance / room)} trials of each item"
        return replace(claim, advice=f"{advice} would show this effect (power {POWER:g})")

    def _within(self, claim: Claim) -> Claim:
        """Return a claim whose interval holds no score that the metric cannot have."""
        bounds = self.scored.metric.score_range
        if bounds is None or not self.has_bounds or not claim.is_conclusive:
            return claim
        sign, bar = self.metric.sign, self.bar or 0.0
        low, high = sorted(sign * (end - bar) for end in bounds)
        return claim.within(low, high)

    def _about_rare_class(self) -> Iterator[Doubt]:
        """Yield the doubt about a class with as much weight as others that gold gives to very few items."""
        categories = self.data.categories
        if categories is None or ("average", float(MACRO)) not in self.scored.metric.arguments:
            return
        counts = shares_of(self.data.gold, categories.table).sum(axis=0)[: len(categories.names)]
        if counts.min() < FEWEST_GROUPS_AT_WORK:
            rarest = categories.names[int(counts.argmin())]
            yield Doubt(
                f"gold has class {rarest} on about {counts.min():.2g} items, which do not show how its part "
                f"of {self.scored.metric.name} varies; collect more"
            )

    def _items(self, panel: Panel, size: float | None) -> Claim:
        """Return the claim over new items, or clusters; with exact tests of a margin of this size, if any."""
        asked, metric, sign, bar = self.asked, self.metric, self.metric.sign, self.bar or 0.0
        over, population = panel.drawn_over, panel.population((), of_clusters=panel.draws_clusters)
        level, alternative, unit = asked.pair_level, asked.decision.alternative, panel.drawn_over[-1]
        constant = f"all {unit} give the same score, so that nothing shows how it varies; collect more"
        if not metric.is_mean_over_items:
            sample = sample_of(self.data, panel, of_clusters=panel.draws_clusters)
            test = shared_units_test(metric, sample, sources=())
            claim = claim_by_t(test, over, population, asked, constant=constant)
            return replace(claim, doubts=(*claim.doubts, *self._about_rare_class()))
        scores = scores_of_items(self.scored.metric, self.scored.rows)[self.system]
        clusters = self.data.clusters if panel.draws_clusters else None
        spread = scores if clusters is None else of_clusters(scores, clusters)
        value, n, method, margin = float(scores.mean()), spread.size, "t", None
        least_p, doubts = 0.0, tuple[Doubt, ...]()
        if clusters is None and np.isin(scores, (0.0, 1.0)).all():
            count = int(scores.sum())
            p, *extremes = (_towards(sign, *_exact(of, n, bar))[alternative] for of in (count, 0, n))
            least_p = min(extremes)
            ends, method = proportion_interval(count, n, level), EXACT
            if size is not None:
                margin = _exact_margin(sign, count, n, bar, size, asked)
        elif np.ptp(spread) <= tie_tolerance(spread):
            if not self.bounded:
                return inconclusive(over, population, constant)
            p = _towards(sign, *_of_constant(value, n, bar))[alternative]
            ends = constant_interval(value, n, level, (0.0, 1.0))
        else:
            known = by_t(
                sign * (spread - bar),
                spread_of(scores, clusters),
                level,
                alternative,
                largest=self.largest,
                bounded=self.bounded,
                unit=unit,
            )
            p, method = known.p[alternative].p, known.method or "t"
            low, high = known.interval or NONE
            ends, doubts = (bar + sign * low, bar + sign * high), known.doubts
        low, high = sorted(sign * (end - bar) for end in ends)
        effect = sign * (value - bar)
        favours = favoured(effect, alternative)
        claim = Claim(over, population, effect, (low, high), p, 0.0, method, favours, doubts=doubts)
        return replace(claim, margin=margin, least_p=least_p)


def _towards(sign: float, above: float, below: float) -> dict[Alternative, float]:
    """Return the p-value of each alternative from those of a score above and below the bar."""
    return p_of_sides(above, below) if sign > 0.0 else p_of_sides(below, above)


def _exact(count: int, n: int, bar: float) -> tuple[float, float]:
    """Return the p-values of a share above the bar, and of one below it, by the binomial law."""
    if not 0.0 <= bar <= 1.0:  # no share is below 0, or above 1
        return float(bar > 1.0), float(bar < 0.0)
    return float(bdtrc(count - 1, n, bar)) if count else 1.0, float(bdtr(count, n, bar))


def _exact_margin(sign: float, count: int, n: int, bar: float, size: float, asked: Asked) -> Margin:
    """Return the tests of a share against a bar less a margin, and one more, by the binomial law."""
    less, more = (_towards(sign, *_exact(count, n, at)) for at in (bar - sign * size, bar + sign * size))
    low, high = sorted(sign * (end - bar) for end in proportion_interval(count, n, asked.margin_level))
    equivalent = max(less["greater"], more["less"])
    return Margin(size, less["greater"], less["less"], equivalent, (low, high), asked.decision.alpha)


def _of_constant(value: float, n: int, bar: float) -> tuple[float, float]:
    """Return the chances that n items show no 0, or no 1, of a share that takes the mean to the bar."""
    above = (bar / value) ** n if value > bar else 1.0
    below = ((1.0 - bar) / (1.0 - value)) ** n if value < bar else 1.0
    return above, below


def from_0_to_1(bar: float, scored: ScoredSystems) -> float:
    """Return the bar on [0, 1]; raise NbykError if no system can have that score."""
    metric, scale, rows = scored.metric, scored.scale, scored.rows
    rated = [rows.systems, *([rows.gold] if rows.gold.size else [])]
    low, high = (metric.score_range if has_bounds(metric, rated) else None) or (-math.inf, math.inf)
    normal = (bar - metric.score_in_ratings(0.0, scale)) / metric.effect_unit(scale)
    if not low <= normal <= high or not math.isfinite(normal):
        ends = [f"{metric.score_in_ratings(end, scale):g}" for end in (low, high)]
        expected = f"a score of {metric.name} from {ends[0]} to {ends[1]}"
        raise NbykError(
            f"found {bar:g}, expected {expected if math.isfinite(high) else 'a number'}", argument="against"
        )
    return normal
