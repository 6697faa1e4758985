"""Comparing two systems on a user's own data: test and intervals, all metrics on the same draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress, as_metrics, check_defined
from nbyk.resampling.samplers import Sampler, check_null, get_sampler
from nbyk.testing.decision import Decision, NullDraws
from nbyk.testing.engine.draws import Draws
from nbyk.testing.engine.inputs import as_response_set, as_seed
from nbyk.testing.intervals import (
    check_confidence_level,
)
from nbyk.testing.pvalues import Alternative
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.claims import with_intervals_of_parts
from nbyk.testing.systems.margins import check_margin
from nbyk.testing.systems.panel import Panel, panel_of
from nbyk.testing.systems.result import EQUALLY_GOOD, TESTED, ComparisonResult

Floats = NDArray[np.float64]


def compare(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metric: str | Metric = "mae",
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    generalise: Sequence[str] | None = None,
    margin: float | None = None,
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: int = 1,
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
        A metric's name, with its parameters if it has any, or a `Metric`.
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
        Threads to use; the numbers do not depend on it.
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
    Under "swap_items" there are 2^N arrangements, or 2^G of G clusters. If at most `n_resamples` differ from
    the observed one, all are computed, and p is exact. The draws depend only on the seed, on gold and on the
    number of items or clusters. So all metrics and systems see the same draws, and comparing B with A is the
    mirror image of comparing A with B. (Nulls and samplers that draw responses again depend on the responses
    too.)

    Examples
    --------
    >>> import nbyk
    >>> result = nbyk.compare(gold=[3, 1, 2, 5], a=[3, 1, 2, 4], b=[1, 4, 4, 1])
    >>> result.p_value.p, result.exact
    (0.125, True)
    """
    (result,) = compare_metrics(
        gold,
        a,
        b,
        cluster=cluster,
        metrics=[metric],
        null=null,
        alternative=alternative,
        alpha=alpha,
        confidence_level=confidence_level,
        generalise=generalise,
        margins={} if margin is None else {as_metrics([metric])[0].name: margin},
        interval_sampler=interval_sampler,
        n_resamples=n_resamples,
        max_resamples=max_resamples,
        decision_error=decision_error,
        seed=seed,
        threads=threads,
        progress=progress,
    ).values()
    return result


def compare_metrics(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metrics: Sequence[str | Metric],
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    generalise: Sequence[str] | None = None,
    margins: Mapping[str, float] | None = None,
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[str, ComparisonResult]:
    """Return the results of `compare` for several metrics, on the same draws, by their names in order.

    The parameters and errors are those of `compare`, with a margin for each metric that has one, by name.
    Each metric gets the same numbers as alone; but only the first has intervals of all parts of its variance,
    and only there does a metric that jumps have parts.
    """
    check_null(null)
    sampler = get_sampler(interval_sampler)
    if sampler.items != "bootstrap_items":
        raise NbykError(
            f"found {interval_sampler}, which draws no items, so its intervals would ignore how items vary; "
            f"expected bootstrap_items/{sampler.response_name}",
            argument="interval_sampler",
        )
    check_confidence_level(confidence_level)
    for margin in (margins or {}).values():
        check_margin(margin)
    decision = Decision(alternative, alpha, n_resamples, max_resamples, decision_error)
    chosen = tuple({metric.name: metric for metric in as_metrics(metrics)}.values())
    data, seed = as_response_set(gold, a, b, cluster=cluster), as_seed(seed)
    for metric in chosen:
        metric.check_gold(data.has_gold)
    panel = panel_for(data, generalise, null)
    if panel.draws_clusters and not sampler.keeps_rows:
        raise NbykError(
            f"found {interval_sampler}, which draws items one by one, but they come in clusters; expected "
            "bootstrap_items/all",
            argument="interval_sampler",
        )
    draws = Draws(panel.drawn(data), chosen, seed=seed, threads=threads, progress=progress)

    asked = Asked(
        null,
        alternative,
        alpha,
        confidence_level,
        sampler,
        n_resamples,
        decision_error,
        seed,
        panel,
        margins or {},
    )
    exact = is_exact(draws, null, n_resamples)
    if exact:
        every = draws.swapped(range(len(chosen)), draws.n_arrangements, exact=True)
        nulls = [(effects, True) for effects in check_defined(chosen, every)]
    else:
        nulls = decision.draw(under_null(draws, null, sampler), draws.observed)
    bootstraps, left_out = _bootstrapped(draws, n_resamples, sampler), draws.jackknifed()
    results = {
        metric.name: asked.result(
            draws, index, *nulls[index], exact=exact, bootstrapped=bootstraps[index], left_out=left_out[index]
        )
        for index, metric in enumerate(chosen)
    }
    first, deciding = chosen[0], results[chosen[0].name]
    broad, *narrow = deciding.claims
    claims = (with_intervals_of_parts(broad, first, panel), *narrow)
    return {**results, first.name: replace(deciding, claims=claims)}


def panel_for(data: ResponseSet, generalise: Sequence[str] | None, null: str) -> Panel:
    """Return the population of a comparison's claims (`nbyk.testing.systems.claims.panel_of`).

    Raises
    ------
    NbykError
        As there, or if a claim is over new clusters, raters or runs and the null is about items alone.
    """
    if TESTED[null] == EQUALLY_GOOD:
        return panel_of(data, generalise)
    if generalise is None and data.clusters is not None:
        raise NbykError(
            f"found {null}, which deals responses item by item, and items come in clusters; choose "
            "swap_items or shifted, or generalise over items alone",
            argument="null",
        )
    if generalise is not None and set(generalise) != {"items"}:
        raise NbykError(
            f"found {', '.join(generalise)} with null {null}, which is about items alone; choose swap_items "
            "or shifted",
            argument="generalise",
        )
    return panel_of(data, ("items",))


def is_exact(draws: Draws, null: str, n_resamples: int) -> bool:
    """Return whether a null is enumerated: there are no more swaps than M draws."""
    return null == "swap_items" and draws.n_arrangements <= n_resamples


def under_null(draws: Draws, null: str, sampler: Sampler) -> NullDraws:
    """Return the function that draws from a null at the data's own size; it refuses undefined effects."""

    def draw(which: list[int], n_draws: int, *, start: int) -> Floats:
        effects = draws.under_null(which, n_draws, null, sampler, start=start)
        return check_defined([draws.metrics[index] for index in which], effects)

    return draw


def _bootstrapped(draws: Draws, n_draws: int, sampler: Sampler) -> Floats:
    every = range(len(draws.metrics))
    if sampler.keeps_rows:
        return draws.bootstrapped(every, n_draws, "bootstrap")
    return draws.redrawn(every, n_draws, sampler, None)
