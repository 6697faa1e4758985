"""Comparison of many systems on your data: all pairs, or all with a baseline, corrected for their number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.units import Units
from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress
from nbyk.resampling.streams import as_seed
from nbyk.testing.corrections import Correction, correct_p_values
from nbyk.testing.decision import Decision
from nbyk.testing.engine.draws import Draws
from nbyk.testing.family import Drawn, Hypotheses, swap_bound
from nbyk.testing.intervals import percentile_interval
from nbyk.testing.pairs import choose_pairs
from nbyk.testing.pvalues import Alternative, sides_of
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.boards import lone_spread, moderated_tests
from nbyk.testing.systems.asked import EQUALLY_GOOD, Asked
from nbyk.testing.systems.cautions import about_number
from nbyk.testing.systems.claims import broad_test, few_units, within
from nbyk.testing.systems.compare import results_of
from nbyk.testing.systems.items_alone import score_interval
from nbyk.testing.systems.leaderboard import ManyResponses, ScoredSystems
from nbyk.testing.systems.margins import MarginClaim, check_margin, corrected, is_within_one
from nbyk.testing.systems.pairing import pairing_caution, pairing_sentence
from nbyk.testing.systems.panel import Panel
from nbyk.testing.systems.ranks import groups, letters, rank_sets, ranks
from nbyk.testing.systems.result import ComparisonResult
from nbyk.testing.systems.standings import Leaderboard, Pair, Standing
from nbyk.testing.unit_cautions import about_units

Floats = NDArray[np.float64]
Interval = tuple[float, float]
Places = tuple[int, int]
"""Two systems, by their places."""


def compare_systems(
    gold: Any,
    systems: ManyResponses | None = None,
    *,
    cluster: Any = None,
    metric: str | Metric | None = None,
    kind: str | None = None,
    classes: Sequence[Any] | None = None,
    units: Mapping[str, Units] | None = None,
    against: str | None = None,
    correction: Correction = "holm",
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    generalise: Sequence[str] | None = None,
    pair_runs: bool = False,
    margin: float | None = None,
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    max_draws: int = 30_000_000,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Leaderboard:
    """Return a leaderboard of systems: the better system of each pair, how sure this is, and possible ranks.

    Parameters
    ----------
    gold
        What `nbyk.read_systems` returns; or gold responses as `nbyk.compare` takes them, None if the metric
        does not need them.
    systems
        Responses of two or more systems to the same items, by name or in order ("system 0" and so on). Not
        with `read_systems`, which also holds the clusters and the units.
    cluster
        The name of each item's cluster, as `nbyk.compare` takes it.
    metric
        A metric that scores each system by itself; by default as for `nbyk.compare`.
    kind, classes
        As for `nbyk.compare`.
    units
        The raters or runs behind the responses, by "gold" and the systems' names, as `nbyk.read_systems`
        finds them; by default, if a system has two columns or more, each column is one.
    against
        The name of a baseline, to compare every other system with it; by default all pairs are compared.
    correction
        "holm" and "bonferroni" bound the chance of any wrong claim, "benjamini_hochberg" the expected share
        of wrong claims among those made; "none" tests each pair alone.
    null, alternative, alpha, confidence_level, generalise, pair_runs, seed, threads, progress
        As for `nbyk.compare`. With three systems or more, "greater" (a system is better than the baseline)
        and "less" need a baseline.
    margin
        As for `nbyk.compare`: each pair is tested against it, and each kind of p-value (not worse, worse,
        equivalent) is corrected for the number of pairs (`Pair.margin`).
    n_resamples, max_resamples
        First and largest number of draws of a pair's null. The first look takes more draws if the smallest p
        could otherwise not reach α over the number of pairs.
    max_draws
        Most draws of all pairs together; they are kept in memory.
    decision_error
        Largest chance, over the random draws, that any settled decision differs from that of infinitely many.

    Returns
    -------
    Leaderboard

    Raises
    ------
    NbykError
        As `nbyk.compare`; if there are fewer than two systems, the metric compares two systems, the baseline
        is not one of them, or `max_resamples` or `max_draws` is too small for the smallest p to reach α over
        the number of pairs.

    Notes
    -----
    All pairs see the same draws, those of `nbyk.compare`. All pairs draw until every corrected decision is
    certain (`nbyk.testing.family`).
    """
    asked = Asked(
        Decision(alternative, alpha, n_resamples, max_resamples, decision_error),
        null=null,
        confidence_level=confidence_level,
        generalise=generalise,
        pair_runs=pair_runs,
        seed=as_seed(seed),
        threads=threads,
        progress=progress,
    )
    check_margin(margin)
    family = Hypotheses(asked.decision, correction, max_draws)
    scored = ScoredSystems.of(gold, systems, metric, units=units, cluster=cluster, kind=kind, classes=classes)
    return leaderboard(scored, asked, family, against=against, margin=margin)


def leaderboard(
    scored: ScoredSystems, asked: Asked, family: Hypotheses, *, against: str | None, margin: float | None
) -> Leaderboard:
    """Return the leaderboard of `compare_systems`.

    Parameters
    ----------
    scored
        The systems, with their metric.
    asked
        What is asked about each pair.
    family
        The pairs' tests together: when to stop drawing, and the correction.
    against, margin
        As for `compare_systems`.
    """
    decision, metric, names = asked.decision, scored.metric, scored.names
    pairs = choose_pairs(names, against, decision.alternative)
    panels = {pair: asked.panel(scored.pair(*pair)) for pair in pairs}
    asked.check_paired(panels.values())
    of_clusters = panels[pairs[0]].draws_clusters
    units = {name: scored.units[name] for name in names if name in scored.units}
    known = {"has_gold": "gold" in scored.units, "pair_runs": asked.pair_runs}

    def draws_of(pair: Places) -> Draws:
        return asked.draws(panels[pair].drawn(scored.pair(*pair)), [metric])

    def from_null(pair: Places, start: int, n_draws: int) -> Floats:
        effects: Floats = asked.under_null(draws_of(pair))([0], n_draws, start=start)[0]
        return effects

    exact = asked.is_exact(draws_of(pairs[0]))
    if exact:
        nulls = [Drawn(asked.every_arrangement(draws_of(pair))[0], True, True) for pair in pairs]
    else:
        nulls = family.draw(
            [partial(from_null, pair) for pair in pairs],
            np.array([float(draws_of(pair).observed[0]) for pair in pairs]),
            [_bound(scored, pair, asked, of_clusters=of_clusters) for pair in pairs],
        )
    drawn = scored.bootstrapped(asked, of_clusters=of_clusters)
    alone = {pair: test for pair, panel in panels.items() if (test := broad_test(metric, panel)) is not None}
    tests = moderated_tests(alone, len(names))
    margins = {} if margin is None else {metric.name: margin}
    results = []
    for (a, b), under in zip(pairs, nulls, strict=True):
        with np.errstate(invalid="ignore"):  # inf − inf if the metric is undefined
            bootstrapped = metric.sign * (drawn[a] - drawn[b])
        null = [(under.effects, under.settled_alone)]
        of_metrics = {metric.name: tests[a, b]} if (a, b) in tests else {}
        draws = draws_of((a, b))
        of_pair = results_of(asked, panels[a, b], draws, null, bootstrapped[None], margins, of_metrics)
        results.append(of_pair[metric.name])
    of_pairs = [(names[a], names[b]) for a, b in pairs]
    compared = _with_corrections(of_pairs, results, nulls, family.correction, [tests.get(p) for p in pairs])
    intervals, by_bootstrap = _score_intervals(scored, drawn, list(panels.values()), asked)
    drawn_clusters = scored.clusters if of_clusters else None
    standings, shared = _standings(scored, intervals, compared, whole=against is None)
    of_names = {(names[a], names[b]): panel for (a, b), panel in panels.items()}
    board = Leaderboard(
        metric=metric.name,
        standings=standings,
        pairs=compared,
        against=against,
        correction=family.correction,
        null=asked.null,
        hypothesis=asked.hypothesis,
        alternative=decision.alternative,
        alpha=decision.alpha,
        confidence_level=asked.confidence_level,
        groups=shared,
        n_items=scored.rows.n_items,
        n_clusters=results[0].n_clusters,
        pairing=pairing_sentence(units, **known),
        n_resamples=min(result.n_resamples for result in results),
        decision_error=0.0 if exact else decision.error,
        warnings=(
            *(pairing_caution(units, **known) if any(panel.sources for panel in panels.values()) else ()),
            *_about_units(of_names, scored.units, scored.rows.n_items),
            *_about_spread(alone, names),
            *(about_number(drawn_clusters, scored.rows.n_items, null="swap_items") if by_bootstrap else ()),
            *_cautions(compared, scored, drawn, family),
        ),
        seed=asked.seed,
    )
    return replace(board, warnings=(*board.reserves, *board.warnings))


def _with_corrections(
    names: Sequence[tuple[str, str]],
    results: Sequence[ComparisonResult],
    nulls: Sequence[Drawn],
    correction: Correction,
    tests: Sequence[SharedUnitsTest | None],
) -> tuple[Pair, ...]:
    """Return the pairs with their p-values, and those of the margins if there are any, corrected.

    A pair whose claim is by t has the reserve of its corrected p.
    """
    # An inconclusive claim counts as p = 1.
    p = correct_p_values(np.nan_to_num([result.p for result in results], nan=1.0), correction).tolist()
    margins: list[MarginClaim | None] = [None] * len(results)
    if results[0].margins:
        margins = [*corrected([result.margins[0] for result in results], correction)]
    results = [_reserved(*of_pair) for of_pair in zip(results, p, tests, strict=True)]
    return tuple(
        Pair(a, b, result, of_pair, under.settled if len(result.claims) == 1 else result.decided, margin)
        for (a, b), result, of_pair, under, margin in zip(names, results, p, nulls, margins, strict=True)
    )


def _reserved(result: ComparisonResult, corrected_p: float, test: SharedUnitsTest | None) -> ComparisonResult:
    """Return a result whose broadest claim, if it is by t, has the reserve of its corrected p."""
    broad, *narrow = result.claims
    if test is None or broad.method != "t" or not broad.is_conclusive or corrected_p == 0.0:
        return result
    reserve = test.reserve(result.alternative, result.alpha * broad.p / corrected_p)
    return replace(result, claims=(replace(broad, reserve=reserve), *narrow))


def _about_units(
    panels: Mapping[tuple[str, str], Panel], units: Mapping[str, Units], n_items: int
) -> Iterator[str]:
    """Yield the cautions about shared units, except about those that every pair generalises over."""
    if all(panel.sources for panel in panels.values()):
        yield from few_units(panels)
        units = {name: of_name for name, of_name in units.items() if not of_name.n_shared}
    yield from about_units(units, n_items, has_gold="gold" in units)


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

    For new items alone it is that of the bootstrap, or of proportions; for new units too it is by t.
    """
    kinds = {factor.partition(" ")[0] for panel in panels for factor in panel.factors}
    metric, level = scored.metric, asked.confidence_level
    intervals, by_bootstrap = [], False
    for system in range(len(scored.names)):
        panel, test = scored.score_test(system, kinds)
        if panel.is_broad and (test is None or test.roughness):
            intervals.append((math.nan, math.nan))
        elif test is None:
            within_one = is_within_one(metric, scored.pair(system, system))
            known = None
            if not panel.draws_clusters:
                known = score_interval(metric, scored.rows, system, level=level, within_one=within_one)
            by_bootstrap = by_bootstrap or known is None
            intervals.append(known or percentile_interval(drawn[system][np.isfinite(drawn[system])], level))
        else:
            intervals.append(within(metric.score_range, test.interval(level), panel))
    return intervals, by_bootstrap


def _standings(
    scored: ScoredSystems, intervals: Sequence[Interval], pairs: Sequence[Pair], *, whole: bool
) -> tuple[tuple[Standing, ...], tuple[tuple[str, ...], ...]]:
    """Return the standings, best first, and the groups, if all pairs were compared."""
    names = scored.names
    best, _ = ranks(scored.metric.sign * scored.scores[:, None])
    order = np.argsort(best[:, 0], kind="stable").tolist()
    place = {names[system]: position for position, system in enumerate(order)}
    better = np.zeros((len(names), len(names)), np.bool_)
    for pair in pairs:
        if pair.better is not None:
            worse = pair.b if pair.better == pair.a else pair.a
            better[place[pair.better], place[worse]] = True
    low, high = rank_sets(better)
    members = []
    if whole:
        members = groups(len(names), [(place[pair.a], place[pair.b]) for pair in pairs if pair.significant])
    lettered = letters(len(names), members)
    standings = []
    for position, system in enumerate(order):
        standings.append(
            Standing(
                name=names[system],
                score=float(scored.scores[system]),
                interval=intervals[system],
                rank=int(best[system, 0]),
                rank_low=int(low[position]),
                rank_high=int(high[position]),
                letters=lettered[position],
            )
        )
    in_order = [names[system] for system in order]
    return tuple(standings), tuple(tuple(in_order[place] for place in group) for group in members)


def _cautions(
    pairs: Sequence[Pair], scored: ScoredSystems, drawn: Floats, family: Hypotheses
) -> Iterator[str]:
    """Yield the cautions about the leaderboard; each pair's result has cautions of its own."""
    first, rows = pairs[0].result, scored.rows
    responses = [rows.systems[..., 1:], *([rows.gold[:, 1:]] if first.responses_gold else [])]
    if all(np.isnan(beyond_first).all() for beyond_first in responses):
        yield (
            "every item has one response, its score: these data cannot separate the variance of responses "
            "from that of items, and the tests and intervals count both together"
        )
    unit = "clusters" if first.n_clusters else "items"
    if first.hypothesis != EQUALLY_GOOD:
        yield (
            f"null {first.null} says that {first.hypothesis}: rejecting it does not show which is better, "
            "so that every rank stays possible; swap_items and shifted test whether A and B are equally "
            "good"
        )
    elif family.correction not in ("holm", "bonferroni"):
        yield (
            f"correction {family.correction} does not bound the chance of any wrong claim, so the sets of "
            "ranks may not cover all true ranks at once; choose holm for that"
        )
    least = sides_of(first.alternative) / (1 + first.n_resamples)
    if first.exact and family.correction != "none" and least * len(pairs) > first.alpha:
        yield (
            f"the smallest p that the {first.n_resamples + 1} arrangements of so few {unit} can give is "
            f"{least:.2g}, above α over the number of pairs, {first.alpha / len(pairs):.2g}: take more {unit}"
        )
    open_pairs = sum(not pair.decided and pair.result.claims[0].is_conclusive for pair in pairs)
    if open_pairs:
        yield (
            f"{open_pairs} of {len(pairs)} corrected decisions are inconclusive after at most "
            f"{max(pair.result.n_resamples for pair in pairs)} draws each; raise `max_resamples` and "
            "`max_draws`"
        )
    undefined = int((~np.isfinite(drawn)).any(axis=0).sum())
    if undefined:
        yield f"{undefined} bootstrap draws leave {first.metric} undefined; the intervals leave them out"
