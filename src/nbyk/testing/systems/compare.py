"""Comparing two systems on a user's own data: test and intervals, all metrics on the same draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.metrics import Metric, metrics_of
from nbyk.metrics.registry import kind_scored, usual_metric
from nbyk.resampling.effects import Progress, Threads, check_defined
from nbyk.resampling.samplers import get_sampler
from nbyk.resampling.streams import as_seed
from nbyk.testing.decision import Decision
from nbyk.testing.engine.draws import Draws
from nbyk.testing.engine.inputs import as_response_set
from nbyk.testing.intervals import acceleration, bca_interval, percentile_interval
from nbyk.testing.pvalues import Alternative, expected_p, p_values
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.systems.asked import EQUALLY_GOOD, Asked
from nbyk.testing.systems.cautions import about_data, about_number, about_result
from nbyk.testing.systems.claims import broad_claim, broad_test, drawn_claim, with_intervals_of_parts
from nbyk.testing.systems.items_alone import ItemsAlone, items_alone
from nbyk.testing.systems.margins import MarginClaim, check_margin, is_within_one, margin_claims
from nbyk.testing.systems.pairing import pairing_caution, pairing_sentence
from nbyk.testing.systems.panel import Panel
from nbyk.testing.systems.result import ComparisonResult, ResponseCounts

Floats = NDArray[np.float64]


def compare(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metric: str | Metric | None = None,
    kind: str | None = None,
    classes: Sequence[Any] | None = None,
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    generalise: Sequence[str] | None = None,
    pair_runs: bool = False,
    margin: float | None = None,
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Return whether system A is better than system B, how sure this is, and how much better A is.

    Parameters
    ----------
    gold
        Gold responses to N items: an array (N,) or (N, K) with NaN where one is missing, lists that may
        differ in length, a pandas frame or series, or anything numpy can convert. None without gold, for a
        metric that needs none, such as "mean". Or a `ResponseSet`; then leave out `a`, `b`, `cluster`.
    a, b
        Responses of each system to the same items, in the same forms. Pandas objects are aligned by their
        index if all arguments are pandas objects.
    cluster
        The name of each item's cluster, shape (N,), such as the text that it asks about; None if items are
        drawn one by one. With clusters, the claim is over new clusters: whole clusters are swapped and
        bootstrapped.
    metric
        A metric's name, with its parameters if it has any, or a `Metric`. By default `mae`, or `mean` without
        gold; for classes `accuracy`, for distributions `cross_entropy`.
    kind
        What the responses are: "numbers"; "classes", text or whole numbers; or "distributions", a row of
        probabilities per item, (N, C), or a list of such arrays, one per run (gold may be classes). By
        default numbers, or classes if all are text, or what the metric needs if it scores no numbers.
    classes
        The classes, if not all occur, or the names of the columns of distributions.
    null
        The null hypothesis: "swap_items" or "shifted", that A and B are equally good over the population of
        items; "permutation", "pooled" or "pooled_twice", that they answer every item alike
        (`nbyk.resampling.samplers.NULLS`).
    alternative
        "two-sided", "greater" (A is better) or "less".
    alpha
        The level α: the null is rejected where p ≤ α.
    confidence_level
        Nominal coverage of the intervals.
    generalise
        The population of the broadest claim: "items", and with it any of "clusters", "raters" and "runs". The
        claim is over new ones like those that the items share. None means items, their clusters, and every
        kind of shared units with two or more units. ``("items",)`` means new items with these clusters,
        raters and runs. Needs the null "swap_items" or "shifted".
    pair_runs
        Whether runs of A and B with one name are the same run, as runs of one seed may be. Without names, a
        column of A's and of B's array with one place are the same. Without gold, "runs" may be people who
        rated both. By default they are different ones, but people with the same ids are the same people.
    margin
        The largest difference that does not matter to you, above 0, in the unit of the effect; see
        `ComparisonResult.margins`. None asks no such question.
    interval_sampler
        The bootstrap of test sets for the intervals, and for the null "shifted". "bootstrap_items/all" draws
        items with all of their responses. It is right to first order, because items vary with their
        responses. "bootstrap_items/sample(K)" draws responses again as well. It counts the variance within
        items twice, and its intervals are too wide (docs/method.md has the measurement).
    n_resamples, max_resamples
        First and largest number of draws of the null. Draws grow fourfold until the decision at α is settled.
        The bootstrap takes `n_resamples` draws.
    decision_error
        Largest chance, over the random draws, that a settled decision differs from that of infinitely many.
    seed
        Seed of all draws, or a numpy Generator or SeedSequence that gives one; None for a new one.
    threads
        Number of threads, or a pool of them that other tasks use too; the numbers do not depend on it.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    NbykError
        If the input is malformed, a name is unknown, an argument is out of range, the metric needs gold and
        there is none, or it is undefined on the data or under the null (such as a correlation of constants).
        With clusters: if there is only one, or the null or sampler draws items or responses one by one.

    Notes
    -----
    "swap_items" swaps what the metric sees (`Metric.unchanged_by`): ranks for a rank correlation or an AUC,
    standardised responses for Pearson's correlation. There are 2^N arrangements, or 2^G of G clusters. If at
    most `n_resamples` differ from the observed one, all are computed, and p is exact. The draws depend only
    on the seed, on gold and on the number of items or clusters. So all metrics and systems see the same
    draws, and comparing B with A is the mirror image of comparing A with B. (Nulls and samplers that draw
    responses again depend on the responses too.)

    Examples
    --------
    >>> import nbyk
    >>> result = nbyk.compare(gold=[3, 1, 2, 5], a=[3, 1, 2, 4], b=[1, 4, 4, 1])
    >>> result.p, result.exact
    (0.125, True)
    """
    asked = Asked(
        Decision(alternative, alpha, n_resamples, max_resamples, decision_error),
        null=null,
        confidence_level=confidence_level,
        generalise=generalise,
        pair_runs=pair_runs,
        sampler=get_sampler(interval_sampler),
        seed=as_seed(seed),
        threads=threads,
        progress=progress,
    )
    check_margin(margin)
    kind = kind or kind_scored(metric)
    data = as_response_set(gold, a, b, cluster=cluster, kind=kind, classes=classes)
    metric = metric or usual_metric(data.kind, has_gold=data.has_gold)
    (chosen,) = metrics_of(data.categories, [metric])
    margins = {} if margin is None else {chosen.name: margin}
    return compare_metrics(data, [chosen], asked, margins)[chosen.name]


def compare_metrics(
    data: ResponseSet,
    metrics: Sequence[Metric],
    asked: Asked,
    margins: Mapping[str, float] | None = None,
) -> dict[str, ComparisonResult]:
    """Return the results of `compare` for several metrics, on the same draws, by their names in order.

    Each metric gets the same numbers as alone; but only the first has intervals of all parts of its variance,
    and only there does a metric that jumps have parts.

    Parameters
    ----------
    data
        Gold and both systems' responses.
    metrics
        The metrics (`nbyk.metrics.metrics_of`).
    asked
        What is asked.
    margins
        A margin for each metric that has one, by name.
    """
    chosen = tuple({metric.name: metric for metric in metrics}.values())
    for metric in chosen:
        metric.check_gold(data.has_gold)
    panel = asked.panel(data)
    asked.check_paired([panel])
    draws = asked.draws(panel.drawn(data), chosen)
    if asked.is_exact(draws):
        nulls = [(effects, True) for effects in asked.every_arrangement(draws)]
    else:
        nulls = asked.decision.draw(asked.under_null(draws), draws.observed)
    bootstraps = asked.bootstrapped(draws)
    made = {metric.name: broad_test(metric, panel) for metric in chosen}
    tests = {name: test for name, test in made.items() if test is not None}
    results = results_of(asked, panel, draws, nulls, bootstraps, margins or {}, tests)
    deciding = results[chosen[0].name]
    broad, *narrow = deciding.claims
    claims = (with_intervals_of_parts(broad, chosen[0], panel, tests.get(deciding.metric)), *narrow)
    return {**results, deciding.metric: replace(deciding, claims=claims)}


def results_of(
    asked: Asked,
    panel: Panel,
    draws: Draws,
    nulls: Sequence[tuple[Floats, bool]],
    bootstraps: Floats,
    margins: Mapping[str, float],
    tests: Mapping[str, SharedUnitsTest],
) -> dict[str, ComparisonResult]:
    """Return the result of each metric of `draws`, by its name.

    Parameters
    ----------
    asked, panel
        What is asked, and the units behind the data.
    draws
        The two systems with the metrics.
    nulls
        For each metric its effects under the null, shape (M,), and whether they settle the decision.
    bootstraps : ndarray, shape (metrics, B)
        Bootstrapped effects; not finite where a metric is undefined.
    margins
        A margin for each metric that has one, by name.
    tests
        The tests over new units by the metrics' names, of those that have one.
    """
    data, decision, left_out = draws.data, asked.decision, draws.jackknifed()
    exact = asked.is_exact(draws)
    level, sampler = asked.confidence_level, asked.sampler.name
    units = {role.upper(): data.units[role] for role in ("a", "b") if role in data.units}
    known = {"has_gold": data.has_gold, "pair_runs": asked.pair_runs}
    about_pairs = pairing_caution(units, **known) if panel.sources else ()
    about_all = (*about_pairs, *about_data(data, null=asked.null, panel=panel))
    clusters = data.clusters if panel.draws_clusters else None
    about_few = tuple(about_number(clusters, data.n_items, null=asked.null))
    results = {}
    for index, (metric, (null_effects, decided)) in enumerate(zip(draws.metrics, nulls, strict=True)):
        effect = float(draws.observed[index]) + 0.0
        drawn = bootstraps[index][np.isfinite(bootstraps[index])]
        if drawn.size == 0:
            check_defined([metric], bootstraps[[index]])
        for kept in (null_effects, drawn):
            kept.setflags(write=False)
        p = p_values(effect, null_effects)
        if exact:
            p = {side: replace(value, standard_error=0.0) for side, value in p.items()}
        percentile = percentile_interval(drawn, level)
        bca = bca_interval(drawn, effect, acceleration(left_out[index]), level)
        alone = ItemsAlone(p)
        if asked.hypothesis == EQUALLY_GOOD:
            alone = items_alone(
                metric,
                draws.rows,
                alone,
                percentile=percentile,
                level=level,
                alternative=decision.alternative,
                alpha=decision.alpha,
                within_one=is_within_one(metric, data),
            )
        p, chosen = alone.p, alone.p[decision.alternative]
        decided = decided or (chosen.standard_error == 0.0 and chosen.p > decision.alpha)
        if alone.interval is not None:
            percentile = bca = alone.interval
        score_a, score_b = draws.scores(index)
        items = drawn_claim(
            ("items", "clusters") if panel.draws_clusters else ("items",),
            panel.population((), of_clusters=panel.draws_clusters),
            effect,
            p,
            decision.alternative,
            percentile,
            method=alone.method or asked.null,
            decided=decided,
            reserve=alone.reserve,
            bca=bca,
        )
        of_broad = tests.get(metric.name)
        broad = [broad_claim(metric, panel, items, asked, of_broad)] if panel.is_broad else []
        claims = (*broad, items)
        of_margin: tuple[MarginClaim, ...] = ()
        if metric.name in margins:
            margin = margins[metric.name]
            of_margin = margin_claims(
                metric, data, panel, claims, margin=margin, alpha=decision.alpha, of_broad=of_broad
            )
        result = ComparisonResult(
            metric=metric.name,
            effect=claims[0].effect if claims[0].is_conclusive else effect,
            score_a=score_a,
            score_b=score_b,
            null=asked.null,
            hypothesis=asked.hypothesis,
            alternative=decision.alternative,
            alpha=decision.alpha,
            exact=exact,
            expected_p=expected_p(drawn, null_effects),
            expected_p_sampler=sampler,
            confidence_level=level,
            null_distribution=null_effects,
            bootstrap_distribution=drawn,
            n_items=data.n_items,
            n_clusters=data.n_clusters,
            responses_gold=_responses(data.gold) if data.has_gold else None,
            responses_a=_responses(data.a),
            responses_b=_responses(data.b),
            n_resamples=null_effects.size,
            decision_error=0.0 if exact else decision.error,
            claims=claims,
            pairing=pairing_sentence(units, **known),
            margins=of_margin,
            warnings=(),
            seed=asked.seed,
        )
        by_bootstrap = alone.interval is None
        undefined = bootstraps[index].size - drawn.size
        own = (
            *(about_few if by_bootstrap else ()),
            *about_result(result, metric, data, undefined=undefined, by_bootstrap=by_bootstrap),
        )
        results[metric.name] = replace(result, warnings=(*result.reserves, *about_all, *own))
    return results


def _responses(matrix: Floats) -> ResponseCounts:
    counts = (~np.isnan(matrix)).sum(axis=1)
    return ResponseCounts(int(counts.min()), int(counts.max()), int(counts.sum()))
