"""What would settle an undecided comparison: more items, more ratings per item, or both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import Scale
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.plan import plan
from nbyk.planning.power.estimate import power_of_test
from nbyk.planning.settling.fitted_systems import FittedSystems
from nbyk.planning.settling.outlook import Outlook
from nbyk.planning.settling.people import what_people_would
from nbyk.planning.settling.settlement import Settlement, Size
from nbyk.resampling.effects import as_metrics
from nbyk.testing.decision import check_level
from nbyk.testing.engine.inputs import as_response_set, as_seed
from nbyk.testing.pvalues import Alternative, tie_tolerance
from nbyk.testing.shared_units.cautions import about_units, named_units
from nbyk.testing.systems.compare import compare
from nbyk.testing.systems.result import ComparisonResult, ConfidenceInterval
from nbyk.testing.systems.variance import variance_shares

NULLS = ("swap_items", "shifted")

_SETS = (512, 4_096)
"""Test sets that a power is simulated on, at least and at most."""
_ITEMS_OF_SETS = 4_000_000
"""Items of all of those sets together, where that leaves the least number of sets."""
_MOST_SIMULATED = 200_000
_PRECISION = 0.03
_RESAMPLES = 1_999
_FAR = 3.0
_ATTEMPTS = 5
_STEP = 1.25
"""Growth of K from attempt to attempt."""


def settle(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    metric: str | Metric = "mae",
    null: str = "swap_items",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float = 0.95,
    scale: Scale | None = None,
    cost_per_item: float = 0.0,
    cost_per_rating: float = 1.0,
    max_items: int = 100_000,
    max_responses: int = 100,
    n_resamples: int = 9_999,
    seed: Any = 0,
    threads: int = 1,
) -> Settlement:
    """Return how many more items or ratings would decide a comparison, if the effect is what it is now.

    Parameters
    ----------
    gold, a, b, metric, alternative, alpha, confidence_level, n_resamples, seed, threads
        As for `nbyk.compare`.
    null
        "swap_items" or "shifted": that A and B are equally good.
    power
        The power asked for, between α and 1.
    scale
        The scale that the ratings were on before they were put on [0, 1]; without one they are taken for
        numbers between its ends, or for yes and no where gold has only 0 and 1.
    cost_per_item, cost_per_rating
        A size costs N (cost_per_item + K cost_per_rating).
    max_items, max_responses
        The largest N and K that are realistic.

    Raises
    ------
    NbykError
        As `nbyk.compare`, or if the null, the power or a cost is out of range.

    Notes
    -----
    The standard error of the effect, s/√N, is that of its bootstrap. With z of the level and of the power, an
    effect δ takes N = ((z_α + z_power) s/δ)² items (two-sided, z of α/2). How δ and s change with K is that
    of a population like the data (`FittedSystems`): a prior fitted to gold, A perturbed to its mean squared
    error, and B to the effect. As many of its items as the squares of s there and here say make one item of
    the data: real systems err on the same items. The planner then finds K at the present N.
    The power at the answers is simulated: none is named unless that is the power asked for, but for twice
    its Monte-Carlo error, and N grows where it is not, as with effects of few values. Without gold the
    effect of an additive metric does not change with K, and its variance does as `variance_shares` say.

    The effect itself is uncertain, and the size with it (Hoenig and Heisey 2001, The abuse of power):
    `least_items` is what even the far end of the interval takes.

    Those sizes are for the claim over new items alone. Where items share raters or runs, `people` says what
    would settle the claim over new ones (`nbyk.planning.people`).
    """
    if null not in NULLS:
        raise NbykError(
            f"found {null!r}, expected {' or '.join(NULLS)}, which test whether A and B are equally good",
            argument="null",
        )
    check_level(alpha)
    if not alpha < power < 1.0:
        raise NbykError(
            f"found {power}, expected a number between α = {alpha:g} and 1, as 0.8", argument="power"
        )
    if cost_per_item < 0.0 or cost_per_rating < 0.0 or cost_per_item + cost_per_rating <= 0.0:
        raise NbykError(
            f"costs: found {cost_per_item} per item and {cost_per_rating} per rating; expected none below 0 "
            "and one above"
        )
    (chosen,) = as_metrics(metric)
    if isinstance(gold, ResponseSet) and gold.clusters is not None:
        raise NbykError("items come in clusters, and sizes are planned for items that stand alone")
    seed = as_seed(seed)
    result = compare(
        gold,
        a,
        b,
        metric=chosen,
        null=null,
        alternative=alternative,
        alpha=alpha,
        confidence_level=confidence_level,
        generalise=("items",),
        n_resamples=n_resamples,
        seed=seed,
        threads=threads,
    )
    data = as_response_set(gold, a, b)
    rated = data.gold if data.has_gold else data.a
    found = Settlement(
        metric=chosen.name,
        effect=_unless_rounding(result.effect, result),
        interval=_interval(result),
        p=result.p_value.p,
        alternative=alternative,
        alpha=alpha,
        target=power,
        decided=result.significant,
        n_items=data.n_items,
        k_responses=float((~np.isnan(rated)).sum(axis=1).mean()),
        max_items=max_items,
        max_responses=max_responses,
    )
    people = what_people_would(data, chosen, alternative=alternative, alpha=alpha, power=power)
    found = replace(found, people=people)
    if result.significant:
        return found
    settled = _settled(
        found, result, data, chosen, null, (cost_per_item, cost_per_rating), scale, seed, threads
    )
    sharing = about_units(named_units(data), data.n_items, has_gold=data.has_gold, claim="size")
    return replace(settled, warnings=(*settled.warnings, *sharing))


def _settled(
    found: Settlement,
    result: ComparisonResult,
    data: ResponseSet,
    chosen: Metric,
    null: str,
    costs: tuple[float, float],
    scale: Scale | None,
    seed: int,
    threads: int,
) -> Settlement:
    """Return the sizes that would settle a comparison that is undecided."""
    spread = _unless_rounding(float(result.bootstrap_distribution.std(ddof=1)), result)
    outlook = Outlook.of(found, spread, null)
    found = replace(found, power=outlook.power(found.n_items), least_items=outlook.least_items())
    if outlook.effect <= 0.0:
        return found
    found = replace(found, items=outlook.size(outlook.items_for(1.0), found.k_responses))
    try:
        if outlook.spread == 0.0:
            raise NbykError("the effect is the same on every bootstrapped test set")
        if not chosen.needs_gold:
            return _from_shares(found, outlook, data, chosen, costs, seed)
        towards_a = result.effect > 0.0
        seen = data if towards_a else ResponseSet(data.gold, data.b, data.a)
        fitted = FittedSystems.of(seen, chosen, abs(result.effect), scale, seed)
    except NbykError as error:
        return replace(found, warnings=(f"only more items can be planned: {error}",))
    return _Simulation(fitted, outlook, found.one_sided_alpha, null, seed, threads).settled(found, costs)


def _unless_rounding(value: float, result: ComparisonResult) -> float:
    """Return an effect, or 0 where it is what rounding leaves of scores or effects of that size."""
    scores = [score for score in (result.score_a, result.score_b) if score is not None]
    tolerance = tie_tolerance(
        result.null_distribution, result.bootstrap_distribution, np.array([0.0, *scores])
    )
    return 0.0 if abs(value) <= tolerance else value


def _interval(result: ComparisonResult) -> ConfidenceInterval:
    found = result.interval_percentile
    return replace(found, low=_unless_rounding(found.low, result), high=_unless_rounding(found.high, result))


def _about_k(found: Settlement) -> tuple[str, ...]:
    """Return what to know of the numbers of ratings per item."""
    ways = [size.k_responses for size in (found.responses, found.both) if size is not None]
    cautions = []
    if found.responses is None:
        cautions.append(
            f"no number of ratings per item up to {found.max_responses} will do on {found.n_items} items"
        )
    if max(ways, default=0.0) > _FAR * found.k_responses:
        cautions.append(
            f"{max(ways):g} ratings per item extrapolate from {found.k_responses:.3g}: how much of the "
            "errors goes away with more ratings is estimated, and so is what they do to the effect"
        )
    return tuple(cautions)


def _from_shares(
    found: Settlement,
    outlook: Outlook,
    data: ResponseSet,
    metric: Metric,
    costs: tuple[float, float],
    seed: int,
) -> Settlement:
    """Return the answer for an additive metric without gold, whose effect is the same at every K."""
    shares = variance_shares(None, data.a, data.b, metric=metric, seed=seed)
    items = shares.items.share if shares.a.share is not None or shares.b.share is not None else None
    if items is None:
        raise NbykError("one response per item does not say what more would do")
    k_now, of_items = found.k_responses, items

    def quality(k: float) -> float:
        return 1.0 / math.sqrt(of_items + (1.0 - of_items) * k_now / k)

    wanted = found.n_items / outlook.items_for(1.0) - of_items
    k_responses = (1.0 - of_items) * k_now / wanted if wanted > 0.0 else math.inf
    responses = None
    if k_responses <= found.max_responses:
        k = math.ceil(k_responses)
        responses = Size(found.n_items, k, outlook.power(found.n_items, quality(k)), None)
    both = outlook.cheapest(k_now, quality, costs, found.max_responses)
    found = replace(found, responses=responses, both=both)
    return replace(found, warnings=_about_k(found))


def _cost(size: Size, costs: tuple[float, float]) -> float:
    per_item, per_rating = costs
    return size.n_items * (per_item + size.k_responses * per_rating)


@dataclass(frozen=True)
class _Simulation:
    """A fitted population, and how to test on it; its items are turned into those of the data.

    Attributes
    ----------
    fitted, outlook
        The population, and what is approximated from the data.
    alpha, null
        The level of the planner's one-sided test, and its null.
    """

    fitted: FittedSystems
    outlook: Outlook
    alpha: float
    null: str
    seed: int
    threads: int

    def settled(self, found: Settlement, costs: tuple[float, float]) -> Settlement:
        """Return the answer by the planner; the simulated power at each size is the one asked for."""
        population, k_now = self.fitted.population, found.k_responses
        items = self._with_power(found, found.items, 1.0)
        both = self.outlook.cheapest(k_now, self._quality, costs, found.max_responses)
        if both is not None:
            both = self._with_power(found, both, self._quality(round(both.k_responses)))
        if both is not None and items is not None and _cost(both, costs) >= _cost(items, costs):
            both = None
        settled = replace(
            found,
            items=items,
            responses=self._least_responses(found),
            both=both,
            by="simulation",
            epsilon_a=population.epsilon_a,
            epsilon_b=population.epsilon_b,
            sd_scale_a=population.sd_scale_a,
            sd_scale_b=population.sd_scale_b,
            items_per_item=self._worth,
            caution=population.prior.caution,
        )
        return replace(settled, warnings=_about_k(settled))

    @cached_property
    def _now(self) -> tuple[float, float]:
        return self.fitted.moments(self.fitted.population.k_responses)

    @property
    def _worth(self) -> float:
        """How many items of the population one of the data is worth."""
        return float((self._now[1] / self.outlook.spread) ** 2)

    def _quality(self, k: int) -> float:
        """Return the effect over its spread with K responses, relative to what it is now."""
        effect, spread = self.fitted.moments(k)
        return (effect / self._now[0]) / (spread / self._now[1])

    def _items(self, n_items: int) -> int:
        return max(2, round(n_items * self._worth))

    def _with_power(self, found: Settlement, size: Size | None, quality: float) -> Size | None:
        """Return a size with its simulated power, and more items where that falls short; None if none do."""
        for _ in range(_ATTEMPTS):
            if size is None or self._items(size.n_items) > _MOST_SIMULATED:
                return size
            power = self._power(size.n_items, size.k_responses)
            if power >= found.target - self._error(found, size.n_items):
                return replace(size, simulated=power)
            more = self.outlook.growth(power)
            size = self.outlook.size(more * size.n_items, size.k_responses, quality)
        return None

    def _power(self, n_items: int, k_responses: float) -> float:
        """Return the simulated power at a size."""
        k = max(1, round(k_responses))
        return power_of_test(
            replace(self.fitted.population, n_items=self._items(n_items), k_responses=k),
            self.fitted.metric,
            test=self.null,
            alpha=self.alpha,
            alternative="greater",
            n_sets=self._n_sets(n_items),
            n_resamples=self._n_resamples,
            seed=self.seed,
            threads=self.threads,
        ).power

    def _n_sets(self, n_items: int) -> int:
        least, most = _SETS
        return max(least, min(most, _ITEMS_OF_SETS // self._items(n_items)))

    def _error(self, found: Settlement, n_items: int) -> float:
        """Return twice the Monte-Carlo error of a simulated power, were it the one asked for."""
        return 2.0 * math.sqrt(found.target * (1.0 - found.target) / self._n_sets(n_items))

    def _least_responses(self, found: Settlement) -> Size | None:
        """Return the least K at the present N; None where none will do."""
        n_now, population = found.n_items, self.fitted.population
        enough = found.target - self._error(found, n_now)
        best = self.outlook.power(n_now, self._quality(found.max_responses))
        if best < enough or self._items(n_now) > _MOST_SIMULATED:
            return None
        try:
            answer = plan(
                population.prior,
                metric=self.fitted.metric,
                test=self.null,
                alpha=self.alpha,
                alternative="greater",
                n_runs="K",
                n_items=self._items(n_now),
                epsilon=population.epsilon_b,
                power=found.target,
                epsilon_a=population.epsilon_a,
                sd_scale_a=population.sd_scale_a,
                sd_scale_b=population.sd_scale_b,
                max_responses=found.max_responses,
                precision=_PRECISION,
                n_resamples=self._n_resamples,
                seed=self.seed,
                threads=self.threads,
            )
        except NbykError:  # not reached, however near
            return None
        k = max(population.k_responses + 1, answer.k_responses)
        for _ in range(_ATTEMPTS):
            size = Size(n_now, k, self.outlook.power(n_now, self._quality(k)), self._power(n_now, k))
            if min(size.power, size.simulated or 0.0) >= enough:
                return size
            k = math.ceil(_STEP * k)
            if k > found.max_responses:
                break
        return None

    @property
    def _n_resamples(self) -> int:
        return max(_RESAMPLES, math.ceil(1.0 / self.alpha))
