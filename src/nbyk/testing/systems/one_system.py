"""A system by itself: its score with an interval for each population, and whether it is better than a bar.

A bar is a given score. The claims are those of a pair whose other system has that score on any data. Over
new items alone, p and the interval are exact for zeros and ones (the binomial law; Clopper and Pearson 1934),
by t with the step for skewness for other means over items (`nbyk.testing.systems.items_alone`), and by t with
the jackknife otherwise. Over new raters and runs, they are by `nbyk.testing.shared_units`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import bdtr, bdtrc

from nbyk.errors import NbykError
from nbyk.sums import product, root
from nbyk.testing.corrections import corrected_pairs
from nbyk.testing.engine.rows import Rows
from nbyk.testing.intervals import constant_interval, proportion_interval
from nbyk.testing.pvalues import Alternative, p_of_sides, tie_tolerance
from nbyk.testing.ranks import board_from
from nbyk.testing.results import NONE, Board, Claim, Interval, Pair, Question, favoured, inconclusive
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.asked import EQUAL_SCORES, Asked
from nbyk.testing.systems.by_formula import times_as_many, without_p
from nbyk.testing.systems.claims import (
    POWER,
    broad_test,
    claim_by_t,
    claims_of,
    few_units,
    is_within_one,
    sample_of,
)
from nbyk.testing.systems.items_alone import of_clusters, of_effects, p_by_t, scores_of_items
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
    unit = metric.effect_unit(scored.scale)
    against = None if bar is None else f"a score of {in_full(bar)}"
    question = scored.question(asked, against=against, test="t", hypothesis=EQUAL_SCORES)
    alone = []
    for system in range(len(scored.names)):
        normal = None if bar is None else _checked(bar, scored)
        alone.append(_Alone(scored, asked, system, normal, against or ""))
    margin = None if asked.margin is None else asked.margin / unit
    pairs = corrected_pairs([one.pair(question, unit, margin) for one in alone])
    scores = np.array([metric.score_in_ratings(score, scored.scale) for score in scored.scores])
    ends: list[Interval] = []
    for pair, score in zip(pairs, scores.tolist(), strict=True):
        sign = 1.0 if bar is None else metric.sign
        low, high = (score + sign * (end - pair.effect) for end in pair.interval)
        ends.append((min(low, high), max(low, high)) if not math.isnan(low) else NONE)
    board = board_from(question, scored.sample, scored.names, scores, metric.sign, ends, pairs)
    warnings = dict.fromkeys([*(text for pair in pairs for text in pair.warnings), *scored.uneven_trials()])
    chosen = [(one.panel, one.panel.sources) for one in alone]
    population = population_of(chosen, of_clusters=alone[0].panel.of_clusters)
    return replace(board, warnings=tuple(warnings), population=population)


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
        self.name = scored.names[system]
        towards = scored.metric if bar is not None else replace(scored.metric, direction="higher")
        self.metric = score_alone(towards, bar or 0.0)
        self.panel = replace(asked.panel(self.data), names=(self.name, ""))
        self.bounded = is_within_one(scored.metric, scored.pair(system, system))

    def pair(self, question: Question, unit: float, margin: float | None) -> Pair:
        """Return the pair, in the unit of the ratings."""
        asked, name, panel = self.asked, self.name, self.panel
        test = broad_test(self.metric, panel)
        claims = claims_of(self.metric, self.data, panel, self._items(panel), asked, test, margin)
        if margin is None and self.bar is not None and not panel.draws_clusters:
            claims = (*claims[:-1], self._planned(claims[-1]))
        claims = tuple(self._within(claim).times(unit) for claim in claims)
        if self.bar is None:
            least = self.scored.metric.score_in_ratings(0.0, self.scored.scale)
            claims = tuple(
                replace(
                    without_p(claim),
                    effect=least + claim.effect,
                    interval=(least + claim.interval[0], least + claim.interval[1]),
                )
                for claim in claims
            )
        score, bar = (
            None if value is None else self.scored.metric.score_in_ratings(value, self.scored.scale)
            for value in (float(self.scored.scores[self.system]), self.bar)
        )
        pair = Pair(
            name,
            question.against or "",
            question,
            replace(self.scored.sample, n_clusters=self.data.n_clusters if panel.draws_clusters else 0),
            (score, bar),
            claims,
            claims[0].p,
            True,
        )
        units = panel.left_as_they_are(self.scored.units)
        kept = about_units(units, has_gold=self.data.has_gold)
        about = (*few_units([panel], alone=True), *kept)
        return replace(pair, warnings=(*pair.reserves, *about))

    def _planned(self, claim: Claim) -> Claim:
        """Return an open claim with the number of items, or of trials of each, that would settle it."""
        metric, rows = self.scored.metric, self.scored.rows
        if not metric.is_mean_over_items or claim.p <= self.asked.decision.alpha:
            return claim
        scores = scores_of_items(metric, rows)[self.system]
        times = times_as_many(claim.effect, float(scores.var(ddof=1)) / scores.size, self.asked)
        if not math.isfinite(times) or times <= 1.0:
            return claim
        advice = f"about {math.ceil(times * scores.size)} items"
        trials = rows.systems[self.system : self.system + 1]
        n = trials.shape[2]
        if metric.takes_trials and not np.isnan(trials).any() and n > dict(metric.arguments)["k"]:
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
        if bounds is None or not self.bounded or not claim.is_conclusive:
            return claim
        sign, bar = self.metric.sign, self.bar or 0.0
        low, high = sorted(sign * (end - bar) for end in bounds)
        return replace(claim, interval=(max(claim.interval[0], low), min(claim.interval[1], high)))

    def _items(self, panel: Panel) -> Claim:
        """Return the claim over new items, or clusters of them."""
        asked, metric, sign, bar = self.asked, self.metric, self.metric.sign, self.bar or 0.0
        over, population = panel.drawn_over, panel.population((), of_clusters=panel.draws_clusters)
        level, alternative, unit = asked.confidence_level, asked.decision.alternative, panel.drawn_over[-1]
        constant = f"all {unit} give the same score, so that nothing shows how it varies; collect more"
        if not metric.is_mean_over_items:
            sample = sample_of(self.data, panel, of_clusters=panel.draws_clusters)
            test = shared_units_test(metric, sample, sources=())
            return claim_by_t(test, over, population, asked, constant=constant)
        scores = scores_of_items(self.scored.metric, self.scored.rows)[self.system]
        clusters = self.data.clusters if panel.draws_clusters else None
        spread = scores if clusters is None else of_clusters(scores, clusters)
        value, n, method, reserve = float(scores.mean()), spread.size, "t", ""
        if clusters is None and np.isin(scores, (0.0, 1.0)).all():
            count = int(scores.sum())
            p = _towards(sign, *_exact(count, n, bar))[alternative]
            ends, method = proportion_interval(count, n, level), EXACT
        elif np.ptp(spread) <= tie_tolerance(spread):
            if not self.bounded:
                return inconclusive(over, population, constant)
            p = _towards(sign, *_of_constant(value, n, bar))[alternative]
            ends = constant_interval(value, n, level, (0.0, 1.0))
        else:
            effects = sign * (spread - bar)
            p_values, interval = p_by_t(effects, level)
            known = of_effects(
                effects,
                p_values,
                interval,
                level=level,
                alternative=alternative,
                alpha=asked.decision.alpha,
                largest=1.0 if self.bounded else float(np.ptp(scores)),
                bounded=self.bounded,
                unit=unit,
            )
            p, method = known.p[alternative].p, known.method or "t"
            low, high = known.interval or interval
            ends, reserve = (bar + sign * low, bar + sign * high), "" if self.bar is None else known.reserve
        low, high = sorted(sign * (end - bar) for end in ends)
        effect = sign * (value - bar)
        favours = favoured(effect, alternative)
        return Claim(over, population, effect, (low, high), p, 0.0, method, favours, reserve=reserve)


def _towards(sign: float, above: float, below: float) -> dict[Alternative, float]:
    """Return the p-value of each alternative from those of a score above and below the bar."""
    return p_of_sides(above, below) if sign > 0.0 else p_of_sides(below, above)


def _exact(count: int, n: int, bar: float) -> tuple[float, float]:
    """Return the p-values of a share above the bar, and of one below it, by the binomial law."""
    return float(bdtrc(count - 1, n, bar)) if count else 1.0, float(bdtr(count, n, bar))


def _of_constant(value: float, n: int, bar: float) -> tuple[float, float]:
    """Return the chances that n items show no 0, or no 1, of a share that takes the mean to the bar."""
    above = (bar / value) ** n if value > bar else 1.0
    below = ((1.0 - bar) / (1.0 - value)) ** n if value < bar else 1.0
    return above, below


def _checked(bar: float, scored: ScoredSystems) -> float:
    """Return the bar on [0, 1]; raise NbykError if no system can have that score."""
    metric, scale = scored.metric, scored.scale
    low, high = metric.score_range or (-math.inf, math.inf)
    normal = (bar - metric.score_in_ratings(0.0, scale)) / metric.effect_unit(scale)
    if not low <= normal <= high or not math.isfinite(normal):
        ends = [f"{metric.score_in_ratings(end, scale):g}" for end in (low, high)]
        expected = f"a score of {metric.name} from {ends[0]} to {ends[1]}"
        raise NbykError(
            f"found {bar:g}, expected {expected if math.isfinite(high) else 'a number'}", argument="against"
        )
    return normal
