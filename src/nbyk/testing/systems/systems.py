"""Comparison of many systems on your data: all pairs, or all with a baseline, corrected for their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.data.systems import Systems
from nbyk.data.units import Units
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress, check_defined
from nbyk.resampling.samplers import check_null, get_sampler
from nbyk.testing.corrections import Correction, correct_p_values
from nbyk.testing.decision import Decision
from nbyk.testing.engine.draws import Draws
from nbyk.testing.engine.inputs import as_clusters, as_seed
from nbyk.testing.engine.rows import Rows
from nbyk.testing.family import Drawn, Hypotheses, swap_bound
from nbyk.testing.intervals import check_confidence_level, percentile_interval
from nbyk.testing.pairs import choose_pairs
from nbyk.testing.pvalues import Alternative
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.cautions import about_number
from nbyk.testing.systems.claims import few_units
from nbyk.testing.systems.compare import is_exact, panel_for, under_null
from nbyk.testing.systems.leaderboard import ManyResponses, bootstrap_scores, first_source, prepared
from nbyk.testing.systems.margins import MarginClaim, check_margin, corrected
from nbyk.testing.systems.panel import Panel
from nbyk.testing.systems.ranks import groups, letters, rank_percentiles, rank_sets, ranks
from nbyk.testing.systems.result import EQUALLY_GOOD, TESTED, ConfidenceInterval
from nbyk.testing.systems.sentences import MORE_DRAWS
from nbyk.testing.systems.standings import Leaderboard, Pair, Standing
from nbyk.testing.unit_cautions import about_units

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SAMPLER = get_sampler("bootstrap_items/all")


def compare_systems(
    gold: Any,
    systems: ManyResponses | None = None,
    *,
    cluster: Any = None,
    metric: str | Metric = "mae",
    units: Mapping[str, Units] | None = None,
    against: str | None = None,
    correction: Correction = "holm",
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    generalise: Sequence[str] | None = None,
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
        A metric that scores each system by itself.
    units
        The raters or runs behind the responses, by "gold" and the systems' names, as `nbyk.read_systems`
        finds them; by default, if a system has two columns or more, each column is one.
    against
        The name of a baseline, to compare every other system with it; by default all pairs are compared.
    correction
        "holm" and "bonferroni" bound the chance of any wrong claim, "benjamini_hochberg" the expected share
        of wrong claims among those made; "none" tests each pair alone.
    null, alternative, alpha, confidence_level, generalise, seed, threads, progress
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
        As `nbyk.compare` and `bootstrap_scores`; if there are fewer than two systems, the baseline is not one
        of them, or `max_resamples` or `max_draws` is too small for the smallest p to reach α over the number
        of pairs.

    Notes
    -----
    All pairs see the same draws, those of `nbyk.compare`. All pairs draw until every corrected decision is
    certain (`nbyk.testing.family`).
    """
    check_null(null)
    check_confidence_level(confidence_level)
    check_margin(margin)
    decision = Decision(alternative, alpha, n_resamples, max_resamples, decision_error)
    family = Hypotheses(decision, correction, max_draws)
    gold, systems, units, cluster = _parts_of(gold, systems, units, cluster)
    named = _named(systems)
    names = list(named)
    pairs = choose_pairs(names, against, alternative)
    (chosen,), rows, of_columns = prepared(gold, named, metric)
    clusters = as_clusters(cluster, first_source(gold, named), rows.n_items)
    units = of_columns if units is None else units
    units = {name: units[name] for name in ("gold", *names) if name in units}
    seed = as_seed(seed)
    scores = check_defined([chosen], rows.scores(chosen)[None], of="systems")[0]
    asked = Asked(
        null,
        alternative,
        alpha,
        confidence_level,
        _SAMPLER,
        n_resamples,
        decision_error,
        seed,
        Panel(None, (), ()),
        {} if margin is None else {chosen.name: margin},
    )
    systems_rows = [matrix[:, ~np.isnan(matrix).all(axis=0)] for matrix in rows.systems]

    def data_of(pair: tuple[int, int]) -> ResponseSet:
        of_pair = dict(zip(("gold", "a", "b"), ("gold", *(names[system] for system in pair)), strict=True))
        behind = {role: units[name] for role, name in of_pair.items() if name in units}
        a, b = (systems_rows[system] for system in pair)
        return ResponseSet(rows.gold, a, b, behind, clusters)

    panels = {pair: panel_for(data_of(pair), generalise, null) for pair in pairs}
    drawn_clusters = clusters if panels[pairs[0]].draws_clusters else None

    def draws_of(pair: tuple[int, int]) -> Draws:
        data = panels[pair].drawn(data_of(pair))
        return Draws(data, [chosen], seed=seed, threads=threads, progress=progress)

    exact = is_exact(draws_of(pairs[0]), null, n_resamples)
    if exact:
        n_arrangements = draws_of(pairs[0]).n_arrangements
        every = [draws_of(pair).swapped([0], n_arrangements, exact=True) for pair in pairs]
        nulls = [Drawn(check_defined([chosen], effects)[0], True, True) for effects in every]
    else:
        nulls = family.draw(
            [partial(_draw, draws_of, pair, null) for pair in pairs],
            np.array([float(draws_of(pair).observed[0]) for pair in pairs]),
            [_bound(rows, drawn_clusters, chosen, pair, asked) for pair in pairs],
        )
    drawn = bootstrap_scores(
        gold,
        named,
        chosen,
        cluster=drawn_clusters,
        n_resamples=n_resamples,
        seed=seed,
        threads=threads,
        progress=progress,
    )[0]
    results = []
    for (a, b), under in zip(pairs, nulls, strict=True):
        draws = draws_of((a, b))
        with np.errstate(invalid="ignore"):  # inf − inf if the metric is undefined
            bootstrapped = chosen.sign * (drawn[a] - drawn[b])
        left_out = draws.jackknifed()[0]
        results.append(
            replace(asked, panel=panels[a, b]).result(
                draws,
                0,
                under.effects,
                under.settled_alone,
                exact=exact,
                bootstrapped=bootstrapped,
                left_out=left_out,
            )
        )
    # An inconclusive claim counts as p = 1.
    p = correct_p_values(np.nan_to_num([result.p for result in results], nan=1.0), correction).tolist()
    against_margin: list[MarginClaim | None] = [None] * len(pairs)
    if margin is not None:
        against_margin = [*corrected([result.margins[0] for result in results], correction)]
    compared = [
        Pair(
            names[a],
            names[b],
            result,
            of_pair,
            under.settled if len(result.claims) == 1 else result.decided,
            of_margin,
        )
        for (a, b), result, of_pair, under, of_margin in zip(
            pairs, results, p, nulls, against_margin, strict=True
        )
    ]
    standings, shared = _standings(names, scores, drawn, chosen, compared, asked, whole=against is None)
    return Leaderboard(
        metric=chosen.name,
        standings=standings,
        pairs=tuple(compared),
        against=against,
        correction=correction,
        null=null,
        hypothesis=TESTED[null],
        alternative=alternative,
        alpha=alpha,
        groups=shared,
        n_items=rows.n_items,
        n_clusters=results[0].n_clusters,
        n_resamples=min(result.n_resamples for result in results),
        decision_error=0.0 if exact else decision_error,
        warnings=(
            *_about_units(
                {(names[a], names[b]): panel for (a, b), panel in panels.items()},
                {name: units[name] for name in ("gold", *names) if name in units},
                rows.n_items,
            ),
            *_cautions(compared, rows, drawn_clusters, drawn, family),
        ),
        seed=seed,
    )


def _about_units(
    panels: Mapping[tuple[str, str], Panel], units: Mapping[str, Units], n_items: int
) -> Iterator[str]:
    """Yield the cautions about shared units, except about those that every pair generalises over."""
    if all(panel.sources for panel in panels.values()):
        yield from few_units(panels)
        units = {name: of_name for name, of_name in units.items() if not of_name.n_shared}
    yield from about_units(units, n_items, has_gold="gold" in units)


def _parts_of(
    gold: Any, systems: ManyResponses | None, units: Mapping[str, Units] | None, cluster: Any
) -> tuple[Any, ManyResponses, Mapping[str, Units] | None, Any]:
    """Return gold, the systems' responses, the units and the clusters, which may all come as one object."""
    if isinstance(gold, Systems):
        if not (systems is None and units is None and cluster is None):
            raise NbykError(
                "found systems, units or clusters beside those that `read_systems` has read; give only these",
                argument="systems",
            )
        return gold.gold, gold.responses, gold.all_units, gold.clusters
    if systems is None:
        raise NbykError(
            f"found {type(gold).__name__} alone, expected what `nbyk.read_systems` returns, or gold (or "
            "None) and systems",
            argument="systems",
        )
    return gold, systems, units, cluster


def _named(systems: ManyResponses) -> dict[str, Any]:
    if isinstance(systems, Mapping):
        named = {str(name): responses for name, responses in systems.items()}
    else:
        named = {f"system {index}": responses for index, responses in enumerate(systems)}
    if len(named) < 2:
        raise NbykError(
            f"found {len(named)}, expected at least two, each under a name of its own", argument="systems"
        )
    return named


def _draw(
    draws_of: Callable[[tuple[int, int]], Draws], pair: tuple[int, int], null: str, start: int, n_draws: int
) -> Floats:
    effects: Floats = under_null(draws_of(pair), null, _SAMPLER)([0], n_draws, start=start)[0]
    return effects


def _bound(
    rows: Rows, clusters: Integers | None, metric: Metric, pair: tuple[int, int], asked: Asked
) -> float:
    """Return an upper bound of the p-value of infinitely many draws; 1 if unknown."""
    if asked.null != "swap_items" or not metric.additive:
        return 1.0
    scores = rows.sums(metric).features
    gains: Floats = metric.sign * (scores[:, pair[0]] - scores[:, pair[1]])
    if clusters is not None:
        gains = np.bincount(clusters, weights=gains).astype(np.float64)
    if asked.alternative == "two-sided":
        return swap_bound(gains, sides=2.0)
    towards = 1.0 if asked.alternative == "greater" else -1.0
    return swap_bound(gains, sides=1.0) if towards * gains.sum() > 0.0 else 1.0


def _standings(
    names: list[str],
    scores: Floats,
    drawn: Floats,
    metric: Metric,
    pairs: list[Pair],
    asked: Asked,
    *,
    whole: bool,
) -> tuple[tuple[Standing, ...], tuple[tuple[str, ...], ...]]:
    """Return the standings, best first, and the groups, if all pairs were compared."""
    best, _ = ranks(metric.sign * scores[:, None])
    order = np.argsort(best[:, 0], kind="stable").tolist()
    place = {names[system]: position for position, system in enumerate(order)}
    better = np.zeros((len(names), len(names)), np.bool_)
    for pair in pairs:
        if pair.better is not None:
            worse = pair.b if pair.better == pair.a else pair.a
            better[place[pair.better], place[worse]] = True
    low, high = rank_sets(better)
    defined = drawn[:, np.isfinite(drawn).all(axis=0)]
    drawn_low, drawn_high = rank_percentiles(metric.sign * defined[order], asked.confidence_level)
    members = []
    if whole:
        members = groups(len(names), [(place[pair.a], place[pair.b]) for pair in pairs if pair.significant])
    lettered = letters(len(names), members)
    standings = []
    for position, system in enumerate(order):
        own = drawn[system][np.isfinite(drawn[system])]
        ends = percentile_interval(own, asked.confidence_level)
        standings.append(
            Standing(
                name=names[system],
                score=float(scores[system]),
                interval=ConfidenceInterval(*ends, asked.confidence_level, "percentile", asked.sampler.name),
                rank=int(best[system, 0]),
                rank_low=int(low[position]),
                rank_high=int(high[position]),
                bootstrap_rank_low=int(drawn_low[position]),
                bootstrap_rank_high=int(drawn_high[position]),
                letters=lettered[position],
            )
        )
    in_order = [names[system] for system in order]
    return tuple(standings), tuple(tuple(in_order[place] for place in group) for group in members)


def _cautions(
    pairs: list[Pair], rows: Rows, clusters: Integers | None, drawn: Floats, family: Hypotheses
) -> Iterator[str]:
    """Yield the cautions about the leaderboard; each pair's result has cautions of its own."""
    first = pairs[0].result
    responses = [rows.systems[..., 1:], *([rows.gold[:, 1:]] if first.responses_gold else [])]
    if all(np.isnan(beyond_first).all() for beyond_first in responses):
        yield (
            "every item has one response, its score: these data cannot separate the variance of responses "
            "from that of items, and the tests and intervals count both together"
        )
    unit = "clusters" if first.n_clusters else "items"
    yield from about_number(clusters, rows.n_items, null="swap_items")
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
    least = (2.0 if first.alternative == "two-sided" else 1.0) / (1 + first.n_resamples)
    if first.exact and family.correction != "none" and least * len(pairs) > first.alpha:
        yield (
            f"the smallest p that the {first.n_resamples + 1} arrangements of so few {unit} can give is "
            f"{least:.2g}, above α over the number of pairs, {first.alpha / len(pairs):.2g}: take more {unit}"
        )
    open_pairs = sum(pair.why_open == MORE_DRAWS for pair in pairs)
    if open_pairs:
        yield (
            f"{open_pairs} of {len(pairs)} corrected decisions are inconclusive after at most "
            f"{max(pair.result.n_resamples for pair in pairs)} draws each; raise `max_resamples` and "
            "`max_draws`"
        )
    undefined = int((~np.isfinite(drawn)).any(axis=0).sum())
    if undefined:
        yield f"{undefined} bootstrap draws leave {first.metric} undefined; the intervals leave them out"
