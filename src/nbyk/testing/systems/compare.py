"""Comparing two systems on a user's own data: test and intervals, all metrics on the same draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    acceleration,
    bca_interval,
    check_confidence_level,
    percentile_interval,
    share_below,
)
from nbyk.testing.pvalues import Alternative, attained_level, expected_p, p_values
from nbyk.testing.systems.cautions import (
    EXACT,
    about_data,
    about_level,
    about_result,
    same_responses,
)
from nbyk.testing.systems.claims import Claim, broad_claim
from nbyk.testing.systems.panel import Panel, panel_of
from nbyk.testing.systems.result import EQUALLY_GOOD, TESTED, ComparisonResult, Interval, Responses

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
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Return whether system A is better than system B, how sure that is, and by how much.

    Parameters
    ----------
    gold
        Gold responses to N items: an array (N,) or (N, K) with NaN where one is missing, lists that may
        differ in length, a pandas frame or series, or what numpy can convert. None where there is no gold,
        for a metric that needs none, as "mean". Or a `ResponseSet`, with nothing after it.
    a, b
        Responses of either system to the same items, in the same forms; pandas objects are aligned by their
        index where all are.
    cluster
        The name of each item's cluster, shape (N,), such as the text that it asks about; None where items
        are drawn one by one. The claim is then over new clusters: whole ones are swapped and bootstrapped.
    metric
        A metric's name, with parameters where it takes any, or a `Metric`.
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
        What the broadest claim speaks of: "items", and with it any of "clusters", "raters" and "runs", new
        ones like those that the items share. None for items, their clusters, and every kind of units that
        items share, if it has two or more; ``("items",)`` for these clusters, raters and runs. Needs the null
        "swap_items" or "shifted".
    interval_sampler
        How test sets are bootstrapped for the intervals, and for the null "shifted".
        "bootstrap_items/all", items with all of their responses, is right to first order, because items vary
        with their responses; "bootstrap_items/sample(K)", which draws responses anew as well, counts the
        variance within items twice, and its intervals are too wide (docs/method.md has the measurement).
    n_resamples, max_resamples
        Draws of the null at first, and at most: they grow fourfold until the decision at α is settled. The
        bootstrap takes `n_resamples` draws.
    decision_error
        Chance at most, over the random draws, that a settled decision is not that of infinitely many.
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
        there is none, or it is undefined on the data or under the null, as a correlation of constants; or if
        items have one cluster only, or the null or sampler draws their responses one by one.

    Notes
    -----
    Under "swap_items" all 2^N arrangements, or 2^G of G clusters, are gone through where there are no more
    than `n_resamples` of them besides the observed one; p is then exact. The draws depend on the seed, on
    gold and on the number of items or clusters alone, so that all metrics and systems see the same, and so
    that comparing B with A is the mirror image of comparing A with B. (Nulls and samplers that draw responses
    anew depend on the responses too.)

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
    interval_sampler: str = "bootstrap_items/all",
    n_resamples: int = 9_999,
    max_resamples: int = 999_999,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[str, ComparisonResult]:
    """Return what `compare` returns for several metrics, on the same draws, by their names in order.

    The parameters and errors are those of `compare`. Each metric's numbers are those it has alone.
    """
    check_null(null)
    sampler = get_sampler(interval_sampler)
    if sampler.items != "bootstrap_items":
        raise NbykError(
            f"found {interval_sampler}, which draws no items, so that its intervals would "
            f"leave out how items vary; expected bootstrap_items/{sampler.response_name}",
            argument="interval_sampler",
        )
    check_confidence_level(confidence_level)
    decision = Decision(alternative, alpha, n_resamples, max_resamples, decision_error)
    chosen = tuple({metric.name: metric for metric in as_metrics(metrics)}.values())
    data, seed = as_response_set(gold, a, b, cluster=cluster), as_seed(seed)
    for metric in chosen:
        metric.check_gold(data.has_gold)
    panel = panel_for(data, generalise, null)
    if panel.draws_clusters and not sampler.keeps_rows:
        raise NbykError(
            f"found {interval_sampler}, which draws items one by one, and they come in clusters; expected "
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
    )
    exact = is_exact(draws, null, n_resamples)
    if exact:
        every = draws.swapped(range(len(chosen)), draws.n_arrangements, exact=True)
        nulls = [(effects, True) for effects in check_defined(chosen, every)]
    else:
        nulls = decision.draw(under_null(draws, null, sampler), draws.observed)
    bootstraps, left_out = _bootstrapped(draws, n_resamples, sampler), draws.jackknifed()
    return {
        metric.name: asked.result(
            draws, index, *nulls[index], exact=exact, bootstrapped=bootstraps[index], left_out=left_out[index]
        )
        for index, metric in enumerate(chosen)
    }


@dataclass(frozen=True)
class Asked:
    """What was asked of a comparison; the fields are those of `compare`, the interval's sampler parsed."""

    null: str
    alternative: Alternative
    alpha: float
    confidence_level: float
    sampler: Sampler
    n_resamples: int
    decision_error: float
    seed: int
    panel: Panel

    def result(
        self,
        draws: Draws,
        index: int,
        null_effects: Floats,
        decided: bool,
        *,
        exact: bool,
        bootstrapped: Floats,
        left_out: Floats,
    ) -> ComparisonResult:
        """Return the result of one metric of `draws`.

        Parameters
        ----------
        draws, index
            The two systems with the metrics, and which of these it is.
        null_effects : ndarray, shape (M,)
            Effects under the null.
        decided, exact
            As in the result.
        bootstrapped : ndarray, shape (B,)
            Bootstrapped effects; not finite where the metric is undefined.
        left_out : ndarray, shape (groups,)
            Effects of the jackknife.

        Raises
        ------
        NbykError
            If the metric is undefined on every bootstrapped test set.
        """
        metric, effect, data = draws.metrics[index], float(draws.observed[index]) + 0.0, draws.data
        drawn = bootstrapped[np.isfinite(bootstrapped)]
        if drawn.size == 0:
            check_defined([metric], bootstrapped[None])
        p = p_values(effect, null_effects)
        if exact:
            p = {side: replace(value, standard_error=0.0) for side, value in p.items()}
        level, sampler = self.confidence_level, self.sampler.name
        percentile = percentile_interval(drawn, level)
        bca = bca_interval(drawn, effect, acceleration(left_out), level)
        score_a, score_b = draws.scores(index)
        for kept in (null_effects, drawn):
            kept.setflags(write=False)
        attained = None
        if self.null in EXACT and not same_responses(data):
            attained = attained_level(effect, null_effects, self.alpha, alternative=self.alternative)
        own = about_result(
            metric,
            clusters=self.panel.draws_clusters,
            alpha=self.alpha,
            least_p=(2.0 if self.alternative == "two-sided" else 1.0) / (1 + null_effects.size),
            exact=exact,
            decided=decided,
            n_draws=null_effects.size,
            undefined=bootstrapped.size - drawn.size,
            share_below=share_below(drawn, effect),
            attained=attained,
        )
        of_level = about_level(metric, data, null=self.null)
        items = Claim(
            over=("items", "clusters") if self.panel.draws_clusters else ("items",),
            population=self.panel.population((), of_clusters=self.panel.draws_clusters),
            p=p[self.alternative].p,
            p_greater=p["greater"].p,
            p_less=p["less"].p,
            p_two_sided=p["two-sided"].p,
            standard_error=p[self.alternative].standard_error,
            low=percentile[0],
            high=percentile[1],
            method=self.null,
            df=math.nan,
            decided=decided,
        )
        return ComparisonResult(
            metric=metric.name,
            effect=effect,
            score_a=score_a,
            score_b=score_b,
            null=self.null,
            hypothesis=TESTED[self.null],
            alternative=self.alternative,
            alpha=self.alpha,
            p_value=p[self.alternative],
            p_greater=p["greater"],
            p_less=p["less"],
            p_two_sided=p["two-sided"],
            exact=exact,
            expected_p=expected_p(drawn, null_effects),
            expected_p_sampler=sampler,
            interval_percentile=Interval(*percentile, level, "percentile", sampler),
            interval_bca=Interval(*bca, level, "bca", sampler),
            null_distribution=null_effects,
            bootstrap_distribution=drawn,
            n_items=data.n_items,
            n_clusters=data.n_clusters,
            responses_gold=_responses(data.gold) if data.has_gold else None,
            responses_a=_responses(data.a),
            responses_b=_responses(data.b),
            n_resamples=null_effects.size,
            decision_error=0.0 if exact else self.decision_error,
            claims=(*self._broad(metric, items), items),
            warnings=(*about_data(data, null=self.null, panel=self.panel), *own, *of_level),
            seed=self.seed,
        )

    def _broad(self, metric: Metric, items: Claim) -> tuple[Claim, ...]:
        if not self.panel.is_broad:
            return ()
        return (
            broad_claim(
                metric,
                self.panel,
                items,
                alternative=self.alternative,
                alpha=self.alpha,
                confidence_level=self.confidence_level,
            ),
        )


def panel_for(data: ResponseSet, generalise: Sequence[str] | None, null: str) -> Panel:
    """Return what the claims of a comparison speak of (`nbyk.testing.systems.claims.panel_of`).

    Raises
    ------
    NbykError
        As there, or if a null that says more than equally good is to speak of new clusters, raters or runs.
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
            f"found {', '.join(generalise)} with null {null}, which speaks of items alone; choose swap_items "
            "or shifted",
            argument="generalise",
        )
    return panel_of(data, ("items",))


def is_exact(draws: Draws, null: str, n_resamples: int) -> bool:
    """Return whether a null is gone through whole: the swaps of so few items that M draws would be more."""
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


def _responses(matrix: Floats) -> Responses:
    counts = (~np.isnan(matrix)).sum(axis=1)
    return Responses(int(counts.min()), int(counts.max()), int(counts.sum()))
