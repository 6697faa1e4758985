"""The board of two systems or more: the pairs' claims on the same draws, corrected for their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.scales import Scale
from nbyk.data.units import Units
from nbyk.metrics import Metric
from nbyk.resampling.effects import check_defined
from nbyk.testing.corrections import corrected_pairs, times_of_least
from nbyk.testing.engine.draws import Draws
from nbyk.testing.family import DrawnNull, choose_pairs, pairs_without, swap_bound
from nbyk.testing.intervals import acceleration, agreeing, bca_interval, percentile_interval
from nbyk.testing.pvalues import sides_of
from nbyk.testing.ranks import board_from
from nbyk.testing.results import (
    NONE,
    Board,
    Claim,
    Drawn,
    Interval,
    Pair,
    Question,
    Sample,
    favoured,
    hull,
    may_be_surer,
)
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.boards import lone_spread, moderated_tests, shares_units
from nbyk.testing.systems.asked import EQUALLY_GOOD, Asked
from nbyk.testing.systems.by_formula import Places, times_as_many
from nbyk.testing.systems.cautions import (
    ONE_RESPONSE,
    about_data,
    about_null,
    about_number,
    about_pair,
    about_threshold,
    about_undefined,
)
from nbyk.testing.systems.claims import (
    POWER,
    broad_test,
    claims_of,
    few_units,
    is_within_one,
    margin_of_signs,
    with_intervals_of_parts,
    within,
)
from nbyk.testing.systems.items_alone import (
    SIGN_TEST,
    ItemsAlone,
    effects_in,
    items_alone,
    largest_of_items,
    of_clusters,
    score_interval,
)
from nbyk.testing.systems.latent import with_latent
from nbyk.testing.systems.panel import Panel, population_of
from nbyk.testing.systems.scored import ScoredSystems, answered
from nbyk.testing.unit_cautions import about_units, pairing_sentence
from nbyk.words import listed


def board_of(scored: ScoredSystems, asked: Asked, *, with_parts: bool = True) -> Board:
    """Return the board of `nbyk.compare`.

    `with_parts` says whether the parts of the variance of a single pair get their intervals, and those of a
    metric that jumps are computed.
    """
    decision, metric, names = asked.decision, scored.metric, scored.names
    pairs = choose_pairs(names, asked.against, decision.alternative)
    asked = replace(asked, n_pairs=len(pairs))
    panels = {(a, b): asked.panel(scored.pair(a, b)) for a, b in pairs}
    asked.check_paired(panels.values())
    of_clusters = panels[pairs[0]].draws_clusters
    units = {name: scored.units[name] for name in names if name in scored.units}

    @lru_cache(maxsize=1)  # all pairs' draws at once would hold all pairs' responses
    def draws_of(pair: Places) -> Draws:
        data = panels[pair].drawn(scored.pair(*pair))
        return Draws(data, [metric], seed=asked.seed, threads=asked.threads, progress=asked.progress)

    exact = asked.is_exact(draws_of(pairs[0]))
    nulls = _nulls(scored, asked, pairs, draws_of, exact=exact, of_clusters=of_clusters)
    scores_each = metric.kind != "comparison"
    drawn = scored.bootstrapped(asked, of_clusters=of_clusters) if scores_each else None
    tests = {pair: test for pair, panel in panels.items() if (test := broad_test(metric, panel)) is not None}
    baseline = None if asked.against is None else names.index(asked.against)
    if baseline is not None and any(map(shares_units, tests.values())):
        for a, b in pairs_without(len(names), baseline):
            if (test := broad_test(metric, asked.panel(scored.pair(a, b)))) is not None:
                tests[a, b] = test
    alone, tests = tests, moderated_tests(tests, len(names), metric, baseline=baseline)
    question = scored.question(asked)
    unit = metric.effect_unit(scored.scale)
    margin = None if asked.margin is None else asked.margin / unit
    pairing = pairing_sentence(units, has_gold="gold" in scored.units, pair_runs=asked.pair_runs)
    sample = replace(scored.sample, pairing=pairing)
    compared = []
    for (a, b), under in zip(pairs, nulls, strict=True):
        draws = draws_of((a, b))
        if drawn is None:
            bootstrapped = draws.bootstrapped([0], decision.n_resamples, "bootstrap")[0]
        else:
            with np.errstate(invalid="ignore"):  # inf − inf if the metric is undefined
                bootstrapped = metric.sign * (drawn[a] - drawn[b])
        two = ("gold", names[a], names[b])
        counts = {name: responses for name, responses in sample.responses.items() if name in two}
        of_two = replace(sample, responses=counts)
        one = _OnePair(asked, panels[a, b], draws, question, of_two, scored.scale)
        compared.append(one.pair(under, bootstrapped, margin, tests.get((a, b)), exact=exact))
    compared = corrected_pairs(compared)
    if len(pairs) > 1:
        compared = [_decided(*pair) for pair in zip(compared, nulls, strict=True)]
    elif with_parts:
        (pair,) = compared
        broad = with_intervals_of_parts(pair.claims[0], metric, panels[pairs[0]], tests.get(pairs[0]), unit)
        compared = [replace(pair, claims=(broad, *pair.claims[1:]))]
    board, by_bootstrap = Board(question, sample, (), tuple(compared), (), (), ""), False
    if drawn is not None:
        intervals, by_bootstrap = _score_intervals(scored, drawn, list(panels.values()), asked)
        in_ratings = partial(metric.score_in_ratings, scale=scored.scale)
        scores = np.array([in_ratings(score) for score in scored.scores])
        intervals = [(in_ratings(low), in_ratings(high)) for low, high in intervals]
        board = board_from(question, sample, names, scores, metric.sign, intervals, compared)
    chosen = [(panel, panel.sources) for panel in panels.values()]
    board = replace(board, population=population_of(chosen, of_clusters=panels[pairs[0]].of_clusters))
    if len(pairs) == 1:
        return replace(board, cautions=tuple(scored.uneven_trials()))
    assert drawn is not None, "only metrics that score each system compare three or more"
    clusters = scored.clusters if of_clusters else None
    cautions = (
        *_about_units(list(panels.values()), scored.units),
        *_about_spread(alone, names),
        *_cautions(board, scored, drawn),
        *(about_number(clusters, scored.rows.n_items, null="swap_items") if by_bootstrap else ()),
        *scored.uneven_trials(),
    )
    return replace(board, cautions=cautions)


def _nulls(
    scored: ScoredSystems,
    asked: Asked,
    pairs: Sequence[Places],
    draws_of: Callable[[Places], Draws],
    *,
    exact: bool,
    of_clusters: bool,
) -> list[DrawnNull]:
    """Return each pair's effects under the null, and whether they settle its decisions."""
    if exact:
        nulls = []
        for draws in map(draws_of, pairs):
            effects = draws.swapped([0], draws.n_arrangements, exact=True)
            nulls.append(_null(draws, check_defined(draws.metrics, effects)[0]))
        return nulls
    if len(pairs) == 1:
        draws = draws_of(pairs[0])
        effects, settled = asked.decision.draw(asked.under_null(draws), float(draws.observed[0]))
        return [_null(draws, effects, settled=settled)]

    def draw_alone(which: list[int], n_draws: int, *, start: int) -> Floats:
        draws = (asked.under_null(draws_of(pairs[index])) for index in which)
        return np.concatenate([draw([0], n_draws, start=start) for draw in draws])

    drawn = scored.swapped(asked, pairs, of_clusters=of_clusters) if asked.null == "swap_items" else None
    a, b = np.transpose(pairs)
    return asked.family.draw(
        drawn or draw_alone,
        scored.metric.sign * (scored.scores[a] - scored.scores[b]),
        [_bound(scored, pair, asked, of_clusters=of_clusters) for pair in pairs],
    )


def _null(draws: Draws, effects: Floats, *, settled: bool = True) -> DrawnNull:
    null = DrawnNull(float(draws.observed[0]) + 0.0, settled=settled, settled_alone=settled)
    null.add(effects, effects.size)
    return null


@dataclass(frozen=True)
class _OnePair:
    """Two systems by one metric: what is asked, the units behind the data, and the draws."""

    asked: Asked
    panel: Panel
    draws: Draws
    question: Question
    sample: Sample
    scale: Scale

    def pair(
        self,
        under: DrawnNull,
        bootstraps: Floats,
        margin: float | None,
        test: SharedUnitsTest | None,
        *,
        exact: bool,
    ) -> Pair:
        """Return the pair before the correction for the number of pairs.

        `under` has the effects under the null, enumerated if `exact`; the bootstrapped effects, shape (B,),
        are not finite where the metric is undefined; and `test` is over new units, if there is one.
        """
        asked, panel, draws = self.asked, self.panel, self.draws
        data, decision, (metric,) = draws.data, asked.decision, draws.metrics
        drawn = bootstraps[np.isfinite(bootstraps)]
        if drawn.size == 0:
            check_defined([metric], bootstraps[None])
        within_one = is_within_one(metric, data)
        items, by_bootstrap = self._items(under, drawn, margin, exact=exact, within_one=within_one)
        largest = 1.0 if margin is None else largest_of_items(metric, draws.rows, within_one=within_one)
        claims = claims_of(metric, data, panel, items, asked, test, margin, largest)
        claims = with_latent(claims, metric, data, panel, self.scale, asked.pair_level)
        if under.n_draws > under.effects.size:  # too many pairs to keep all of their draws
            drawn = drawn[: under.effects.size].copy()
        unit = metric.effect_unit(self.scale)
        null, drawn = (unit * effects if unit != 1.0 else effects for effects in (under.effects, drawn))
        for kept in (null, drawn):
            kept.setflags(write=False)
        *broader, last = (claim.times(unit) for claim in claims)
        decision_error = 0.0 if exact else decision.error
        last = replace(last, drawn=Drawn(under.n_draws, exact, decision_error, null, drawn))
        a, b = (
            None if score is None else metric.score_in_ratings(score, self.scale) for score in draws.scores(0)
        )
        pair = Pair(
            *panel.names,
            question=self.question,
            sample=replace(self.sample, n_clusters=data.n_clusters),
            scores=(a, b),
            claims=(*broader, last),
            p=claims[0].p,
            decided=claims[0].decided,
        )
        clusters = data.clusters if panel.draws_clusters else None
        undefined = bootstraps.size - drawn.size
        cautions = (
            *about_data(data, null=asked.null, panel=panel),
            *(about_number(clusters, data.n_items, null=asked.null) if by_bootstrap else ()),
            *about_pair(pair, metric, data, self.scale, undefined=undefined, by_bootstrap=by_bootstrap),
        )
        return replace(pair, cautions=cautions)

    def _items(
        self, under: DrawnNull, drawn: Floats, margin: float | None, *, exact: bool, within_one: bool
    ) -> tuple[Claim, bool]:
        """Return the claim over new items or clusters alone, and whether its interval is the bootstrap's."""
        asked, panel, draws, decision = self.asked, self.panel, self.draws, self.asked.decision
        (metric,), effect, level = draws.metrics, float(draws.observed[0]) + 0.0, asked.pair_level
        p = under.p_values(decision.alternative)
        if exact:
            p = {side: replace(value, standard_error=0.0) for side, value in p.items()}
        interval = percentile_interval(drawn, level)
        known = items_alone(metric, draws.rows, p, interval, asked, within_one=within_one)
        alone = known if asked.hypothesis == EQUALLY_GOOD else ItemsAlone(p)
        if alone.interval is not None:
            interval = alone.interval
        elif asked.interval == "bca":
            interval = bca_interval(drawn, effect, acceleration(draws.jackknifed()[0]), level)
        if asked.hypothesis == EQUALLY_GOOD and alone.interval is None:
            interval = agreeing(interval, effect, alone.p["two-sided"].p, level)
        chosen = alone.p[decision.alternative]
        is_exact = alone.method == SIGN_TEST
        hopeless = chosen.standard_error == 0.0 and chosen.p > decision.alpha
        tested = None
        if margin is not None and known.signs is not None:
            tested = margin_of_signs(*known.signs, draws.data.n_items, margin, asked)
        least_p = 2.0**-draws.data.n_items if is_exact else 1.0 / (1 + under.n_draws)
        claim = Claim(
            panel.drawn_over,
            panel.population((), of_clusters=panel.draws_clusters),
            effect,
            interval,
            chosen.p,
            chosen.standard_error,
            alone.method or asked.null,
            favoured(effect, decision.alternative, tells_which=asked.hypothesis == EQUALLY_GOOD),
            decided=is_exact or hopeless or under.settled_alone,
            doubts=alone.doubts,
            margin=tested,
            least_p=sides_of(decision.alternative) * least_p,
        )
        if not panel.is_broad and metric.is_mean_over_items:
            claim = _planned(claim, metric, draws, asked)
        return claim.within(-1.0, 1.0) if within_one else claim, alone.interval is None


def _planned(claim: Claim, metric: Metric, draws: Draws, asked: Asked) -> Claim:
    """Return an open claim with the number of items that would settle it, by the spread of their effects."""
    effects, clusters = effects_in(metric, draws.rows), draws.rows.clusters
    spread = effects if clusters is None else of_clusters(effects, clusters)
    times = times_as_many(claim, float(spread.var(ddof=1)) / spread.size, asked)
    if times is None:
        return claim
    n = math.ceil(times * effects.size)
    return replace(claim, enough="items", advice=f"about {n} items would show this effect (power {POWER:g})")


def _decided(pair: Pair, under: DrawnNull) -> Pair:
    """Return a corrected pair with its decision."""
    broad, items = pair.claims[0], pair.claims[-1]
    is_drawn = broad.method == items.method != SIGN_TEST
    return replace(pair, decided=under.settled if is_drawn else broad.decided)


def _about_units(panels: Sequence[Panel], units: Mapping[str, Units]) -> Iterator[str]:
    """Yield the cautions about shared units: about few, and about those that some pairs leave as they are."""
    yield from few_units(panels)
    kept = {name for panel in panels for name in panel.left_as_they_are(units)}
    left = {name: behind for name, behind in units.items() if name in kept}
    yield from about_units(left, has_gold="gold" in units)


def _about_spread(tests: Mapping[Places, SharedUnitsTest], names: Sequence[str]) -> Iterator[str]:
    """Yield a caution if units differ by one system far more than by the others."""
    lone = lone_spread(tests, len(names)) if tests else None
    if lone is not None:
        system, ratio = lone
        yield (
            f"raters or runs differ about {ratio:.0f} times as much by {names[system]} as by the other "
            "systems: the p-values of its pairs learn from the others, and may be too small; compare "
            f"{names[system]} with each of them alone"
        )


def _bound(scored: ScoredSystems, pair: Places, asked: Asked, *, of_clusters: bool) -> float:
    """Return an upper bound of the p-value of infinitely many draws; 1 if unknown."""
    metric, alternative = scored.metric, asked.decision.alternative
    if asked.null != "swap_items" or not metric.additive:
        return 1.0
    scores = scored.rows.sums(metric).features
    gains: Floats = metric.sign * (scores[:, pair[0]] - scores[:, pair[1]])
    if of_clusters and scored.clusters is not None:
        gains = np.bincount(scored.clusters, weights=gains).astype(np.float64)
    if alternative == "two-sided":
        return swap_bound(gains, sides=2.0)
    towards = 1.0 if alternative == "greater" else -1.0
    return swap_bound(gains, sides=1.0) if towards * gains.sum() > 0.0 else 1.0


def _score_intervals(
    scored: ScoredSystems, drawn: Floats, panels: Sequence[Panel], asked: Asked
) -> tuple[list[Interval], bool]:
    """Return each system's interval of its score for the population of the pairs, and if some are drawn.

    One for new raters or runs holds that for new items alone, unless it is for new clusters (`may_be_surer`).
    """
    kinds = {factor.partition(" ")[0] for panel in panels for factor in panel.factors}
    metric, level = scored.metric, asked.confidence_level
    intervals, by_bootstrap = [], False
    for system in range(len(scored.names)):
        panel, test = scored.score_test(system, kinds)
        if panel.is_broad and (test is None or test.roughness):
            intervals.append(NONE)
            continue
        within_one = is_within_one(metric, scored.pair(system, system))
        clusters = scored.clusters if panel.draws_clusters else None
        known = score_interval(metric, scored.rows, system, clusters, level=level, within_one=within_one)
        by_bootstrap = by_bootstrap or known is None
        narrow = known or percentile_interval(drawn[system][np.isfinite(drawn[system])], level)
        if test is None:
            intervals.append(narrow)
        else:
            broad = within(metric, metric.score_range, test.interval(level), panel.responses)
            intervals.append(broad if may_be_surer(panel.factors) else hull(broad, narrow))
    return intervals, by_bootstrap


def _cautions(board: Board, scored: ScoredSystems, drawn: Floats) -> Iterator[str]:
    """Yield the cautions about the board; each pair has cautions of its own."""
    question, pairs, rows = board.question, board.pairs, scored.rows
    first, least_p = pairs[0].drawn, pairs[0].claims[-1].least_p
    assert first is not None
    responses = [rows.systems[..., 1:], *([rows.gold[:, 1:]] if rows.gold.size else [])]
    is_single = all(np.isnan(beyond_first).all() for beyond_first in responses)
    if is_single:
        yield ONE_RESPONSE
    unit = "clusters" if pairs[0].sample.n_clusters else "items"
    yield from about_null(question.test)
    if question.hypothesis == EQUALLY_GOOD and question.correction not in ("holm", "bonferroni"):
        yield (
            f"correction {question.correction} does not bound the chance of any wrong claim, so the sets of "
            "ranks may not cover all true ranks at once; choose holm for that"
        )
    times = times_of_least(question.correction, len(pairs))
    if first.exact and least_p * times > question.alpha:
        over_pairs = f" over the number of pairs, {question.alpha / times:.2g}" if times > 1 else ""
        yield (
            f"the smallest p that the {first.n_resamples + 1} arrangements of so few {unit} can give is "
            f"{least_p:.2g}, above α{over_pairs}: take more {unit}"
        )
    open_pairs = sum(not pair.decided and pair.claims[0].is_conclusive for pair in pairs)
    if open_pairs:
        most = max(pair.drawn.n_resamples for pair in pairs if pair.drawn is not None)
        yield (
            f"nbyk could not settle {open_pairs} of {len(pairs)} corrected decisions with at most {most} "
            "draws each; raise `max_resamples` and `max_draws`"
        )
    constant = [standing.name for standing in board.standings if np.isnan(standing.interval[0])]
    if constant and len(pairs[0].claims) == 1:
        yield f"all {unit} have the same score for {listed(constant)}, and nothing shows how it varies"
    elif constant:
        yield (
            f"no interval for the score of {listed(constant)}: it rests on too few {unit}, raters or runs to "
            "speak for new ones; collect more"
        )
    if scored.categories is None:
        systems = [answered(of) for of in rows.systems]
        yield from about_threshold(scored.metric, rows.gold, systems, scored.scale)
    yield from about_undefined(question.metric, int((~np.isfinite(drawn)).any(axis=0).sum()))
