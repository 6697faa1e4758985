"""What a pilot shows of an effect's variances, and what it leaves possible.

A pilot of few raters hardly knows how raters differ. Given the pilot, each of its mean squares S with ν
degrees of freedom leaves a true one of S ν / χ²_ν possible (generalised fiducial inference: Hannig 2009). A
plan holds in four of five such pilots if it is made for the variance that four of five draws do not exceed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.judged import JudgedSystems
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import GivenScale, as_scale
from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError, argument_with
from nbyk.metrics import Metric, get
from nbyk.planning.long_run import ends_of, epsilon_for_effect, unit_of
from nbyk.resampling.pilot_items import PilotItems, RedrawnPilot
from nbyk.resampling.resample import observed_effects
from nbyk.sums import product
from nbyk.testing.judged.corrected import Weighing, corrected
from nbyk.testing.shared_units import Responses, SharedUnitsTest, responses
from nbyk.testing.shared_units.collection import (
    FEWEST_UNITS,
    Crew,
    Spread,
    crew_of,
    spread_from,
    tests_of,
    too_few,
)
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.power import variance_of
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.unit_cautions import kind_of_units, plural

ASSURED = 0.8
"""The share of pilots whose plan has the power that it promises."""

FEW_UNITS = 5
"""Fewer raters or runs tell little of how others differ."""

_DRAWS = 2000
_NEAR = 40
"""The mean of so many draws about the quantile is planned with."""

SEED = 20251125
PAIRS = 8
"""So many simulated pairs of systems stand for those that ratings alone do not have."""


def check_clusters(data: ResponseSet) -> None:
    """Raise NbykError if items come in clusters, but in too few for a claim about others."""
    if 0 < data.n_clusters < FEWEST_UNITS:
        raise NbykError(
            f"{too_few(f'{data.n_clusters} clusters')}, or leave the clusters out",
            argument="cluster",
        )


class Judged(NamedTuple):
    """What people and a judge show of some systems: each rating's influence on the estimate, and its test.

    The items of the test and of the crew are the outputs of one system that people rated.
    """

    influences: Responses
    test: SharedUnitsTest
    crew: Crew
    systems: int


@dataclass(frozen=True)
class Pilot:
    """Two systems on some items, and by a metric what they show of the effect and its variances.

    Attributes
    ----------
    pairs
        The responses, with ids of raters and runs and with clusters. Several sets if the systems are
        simulated, as in `of_ratings`: what is shown is then their mean.
    metric
        The metric.
    about_runs
        Whether the units of the systems' responses are runs, whatever they are called. By default their
        names decide (`nbyk.testing.unit_cautions`).
    pair_runs
        Whether runs of one name are the same for both systems, as for `nbyk.compare`.
    unit
        The value, in the unit of the effect, of 1 on the metric of these responses.
    declared
        Variances of `Spread` that are known, in the unit of the effect.
    scale
        The scale of the ratings before they were put on [0, 1], as for `nbyk.settle`.
    assumed, stated, epsilon
        What is assumed of simulated systems, in words, the effect by which they differ, in its unit, and the
        ε of system B; "", None and 0 of real ones.
    judged
        What people and a judge show; None without a judge.
    at_hand
        The numbers of the pilot that `pairs` stand for, if they are simulated in other numbers.
    """

    pairs: tuple[ResponseSet, ...]
    metric: Metric
    about_runs: bool = False
    pair_runs: bool = False
    unit: float = 1.0
    declared: Mapping[str, float] = field(default_factory=dict)
    scale: GivenScale | None = None
    assumed: str = ""
    stated: float | None = None
    epsilon: float = 0.0
    judged: Judged | None = None
    at_hand: Crew | None = None

    @classmethod
    def of(
        cls, data: ResponseSet, metric: str | Metric, scale: GivenScale | None = None, **more: Any
    ) -> Pilot:
        """Return a pilot of two systems."""
        chosen = metric if isinstance(metric, Metric) else get(metric)
        unit = unit_of(as_scale(scale)) ** chosen.unit_power
        return cls((data,), chosen, unit=unit, scale=scale, **more)

    @classmethod
    def of_ratings(
        cls,
        items: PilotItems,
        units: Units,
        metric: Metric,
        effect: float | None = None,
        length: float = 1.0,
        *,
        epsilon: float | None = None,
        **more: Any,
    ) -> Pilot:
        """Return a pilot of people's ratings alone, with simulated systems that differ by an effect or an ε.

        A answers with the mean of infinitely many raters of an item, and B with one that is off by U(−ε, ε);
        the effect is that by infinitely many ratings of an item, as of every simulation. One of the two is
        given, in the unit of the scale, in which 1 on these ratings has a `length`; what the pilot's own
        ratings show of it is `stated`. Both systems answer in whole levels if `items.system_answers` says so.
        The raters are those of the ratings;
        their mean severity, which they do not show, is that of several draws.
        """
        if not metric.needs_gold:
            raise NbykError(
                f"metric {metric.name} compares ratings of both systems' answers, and ratings of items alone "
                "do not show how raters differ in that; give the answers' ratings (`pilot_systems`), or "
                "`severity_sd`, `rating_sd` and `item_sd`"
            )
        gold, top = np.asarray(items.ratings), items.top
        offsets, own = _mean_severities(gold, units)
        means = np.nanmean(gold, axis=1, keepdims=True)

        def drawn(epsilon: float) -> RedrawnPilot:
            return RedrawnPilot(items, items.n_items, 1, epsilon, 0.0, 0.0, 0.0, 1)

        def pairs(epsilon: float) -> tuple[Metric, list[ResponseSet]]:
            sets = []
            for seed, offset in enumerate(offsets):
                sides = (side[: items.n_items, None] for side in drawn(epsilon).long_run(seed))
                true, *systems = (_in_order(side, items.order) for side in sides)
                off = offset - (1.0 - own) * (true - means)
                a, b = (np.clip(side + off, 0.0, top) for side in systems)
                sets.append(ResponseSet(gold, a, b, {"gold": units, "a": FRESH, "b": FRESH}))
            return metric, sets

        unit, shown = length**metric.unit_power, "this effect"
        if effect is not None:
            epsilon = length * epsilon_for_effect(drawn, metric, effect / unit, epsilon=epsilon, unit=unit)
            shown = f"an effect of {effect:g} by infinitely many ratings of an item, and this one"

        def effect_at(epsilon: float) -> float:
            return unit * mean_effect(*pairs(epsilon))

        epsilon, stated = difference(effect_at, epsilon, length, "ratings")
        kind = "real numbers"
        if items.response.levels:
            levels = items.system_answers == "levels"
            kind = "whole levels of the scale" if levels else kind
            kind += f" ({argument_with('system_answers', items.system_answers)})"
        assumed = (
            f"two simulated systems that answer in {kind}, A with the mean of infinitely many raters, B off "
            f"by up to ε = {length * epsilon:.3g}, which gives {shown} by the pilot's own ratings of an item"
        )
        sets = tuple(pairs(epsilon)[1])
        return cls(sets, metric, unit=unit, assumed=assumed, stated=stated, **more)

    @classmethod
    def of_judged(cls, data: JudgedSystems) -> Pilot:
        """Return a pilot of the mean of one system on the people's scale, or of A − B for the best two.

        Its responses are each rating's influence on the estimate, with the judge's weight as it is here.
        """
        weighing = Weighing(data)
        means = [corrected(weighing, place).items.effect for place in range(len(data.systems))]
        first, *others = np.argsort(np.negative(means)).tolist()
        systems = [first, *others[:1]]
        estimate = corrected(weighing, *systems)
        influences = estimate.influences
        test, n_ratings = estimate.broad or estimate.items, int(np.isin(data.system, systems).sum())
        if not others:  # one system's mean is compared with nothing
            test = replace(test, effect=0.0)
        n_outputs = int(weighing.rated[:, systems].sum())
        n_items = round(n_outputs / len(systems))  # people may have rated other outputs of B than of A
        items = replace(test.items, units=n_items, responses=float(n_items))
        raters = max(influences.sizes.values(), default=0)
        calls, k = int(data.answers[:, systems].sum()), max(1, round(n_ratings / n_outputs))
        crew = Crew(n_items, raters, min(k, raters) if raters else k, 0, calls=calls)
        names = tuple(f"rater {place}" for place in range(influences.n_units))
        people = Units("ids", names, influences.a.units.astype(np.int32))
        a, b = influences.a.values, influences.b.values
        shown = ResponseSet(np.empty((len(a), 0)), a, b, {"a": people, "b": FRESH})
        declared = {"calls": estimate.over_rest * calls}
        known = Judged(influences, replace(test, items=items), crew, len(systems))
        return cls((shown,), get("mean"), declared=declared, judged=known)

    @property
    def data(self) -> ResponseSet:
        """The responses, or the first of several simulated sets."""
        return self.pairs[0]

    @cached_property
    def responses(self) -> list[Responses]:
        """The responses of each set with their units, if they have any, and clusters."""
        if self.judged is not None:
            return [self.judged.influences]
        parts = []
        for data in self.pairs:
            gold = data.gold if data.has_gold else None
            fresh = self.metric.takes_trials  # a trial belongs to its item, as for `nbyk.compare`
            shared = None if fresh else panel_of(data, None, pair_runs=self.pair_runs).responses
            alone = partial(responses, data.a, data.b, gold=gold, clusters=data.clusters)
            parts.append(alone() if shared is None else shared)
        return parts

    @property
    def rated(self) -> bool:
        """Whether the units behind the systems' responses are people, or may be."""
        return not self.about_runs and kind_of_units(self.data) != "run"

    @cached_property
    def crew(self) -> Crew:
        """The numbers of items, shared raters, ratings and shared runs; none of units with one item each."""
        if self.judged is not None:
            return self.judged.crew
        has_ratings = self.rated or self.metric.takes_trials
        return self.at_hand or crew_of(self.responses[0], rated=has_ratings)

    @property
    def calls(self) -> int:
        """Calls of a judge whom people correct; 0 without one."""
        return self.judged.crew.calls if self.judged else 0

    @property
    def shows_ratings(self) -> bool:
        """Whether the pilot shows what another number of ratings of an item would do, or it is declared."""
        people = [part for source, part in self.test.sources.items() if self.rated or source == "raters"]
        shown = any(part.responses > self.crew.n_items for part in people)
        return shown or self.at_hand is not None or "ratings" in self.declared

    @property
    def test(self) -> SharedUnitsTest:
        """The test over new items or clusters, raters and runs, without weights of precision."""
        return self._tests[0][0]

    @property
    def effect(self) -> float:
        """The effect of A over B."""
        return self.unit * self.test.effect

    @cached_property
    def spread(self) -> Spread:
        """The variances that are declared, and else those that the pilot shows."""
        seen = [
            astuple(spread_from(data, tests, rated=self.rated).times(self.unit))
            for data, tests in zip(self.responses, self._tests, strict=True)
        ]
        return replace(Spread(*np.mean(seen, axis=0).tolist()), **self.declared)

    def check_effect(self, effect: float | None) -> None:
        """Raise NbykError if no effect can be as large as one, on the scale or by all responses together."""
        data, power = self.data, self.metric.unit_power
        if effect is None or power < 1 or self.judged is not None or data.categories is not None:
            return
        values = np.concatenate([of.ravel() for of in (data.gold, data.a, data.b)])
        low, high = ends_of(self.scale) or (float(np.nanmin(values)), float(np.nanmax(values)))
        most = (high - low) ** power
        if abs(effect) > most:
            raise NbykError(
                f"found {effect:g}, but on {low:g} to {high:g} no effect on {self.metric.name} is beyond "
                f"{most:g}; give a smaller one, or the `scale` that {effect:g} is on",
                argument="effect",
            )

    @property
    def units(self) -> dict[str, int]:
        """Numbers of raters, runs and clusters, by their name."""
        if self.at_hand:
            return {"raters": self.at_hand.raters}
        counts = {str(source): part.units for source, part in self.test.sources.items()}
        return counts | ({"clusters": self.data.n_clusters} if self.data.n_clusters else {})

    def law(self, times: float = 1.0) -> PilotLaw:
        """Return what the pilot leaves possible, or one of `times` the units that finds the same."""
        if self.at_hand:
            return _law_of(self.spread, replace(self.at_hand, raters=round(times * self.at_hand.raters)))
        generator = np.random.default_rng(SEED)
        n_draws = _DRAWS // len(self.pairs)
        draws = []
        for data, tests in zip(self.responses, self._tests, strict=True):
            test, alone = (_larger(one, times) for one in tests)
            for factors in _chi_squares(generator, [test, alone], n_draws):
                drawn = (_drawn(test, factors), _drawn(alone, factors))
                draws.append(astuple(spread_from(data, drawn, rated=self.rated)))
        variances = self.unit**2 * np.array(draws)
        for column, part in enumerate(fields(Spread)):
            if part.name in self.declared:
                variances[:, column] = self.declared[part.name]
        units = [part.units for part in _larger(self._tests[0][0], times).sources.values()]
        least = [*units, *([self.data.n_clusters] if self.data.n_clusters else [])]
        return PilotLaw(variances, min(least, default=self.data.n_items))

    def cautions(self) -> Iterator[str]:
        """Yield reasons for caution about a plan with these variances, one sentence each."""
        is_shared = self.crew.raters or self.crew.runs
        if not (is_shared or self.metric.takes_trials):
            yield (
                "no rater and no run of the pilot answers two items, so the pilot does not show how they "
                "differ, and the plan takes them to be alike"
            )
        kind = plural(kind_of_units(self.data))
        few = [
            f"{count} {name.replace('runs', kind)}" for name, count in self.units.items() if count < FEW_UNITS
        ]
        if few:
            yield f"the pilot has only {' and '.join(few)}, which tell little of how others differ"
        options = {"raters": "severity_sd", "runs": "run_sd"}
        sources = self.test.sources
        behind = {"raters" if source == "raters" or self.rated else "runs" for source in sources}
        for name in sorted(behind):
            if name not in self.declared and not getattr(self.spread, name):
                small = "" if self.data.categories else f": try a small one with `{options[name]}`"
                yield (
                    f"{name} of the pilot differ by no more than chance, so the plan takes their SD to be "
                    f"0{small}"
                )
        if is_shared and self.metric.smoothness == "jumps":
            yield (
                f"{self.metric.name} jumps when one rating crosses a threshold or a tie, so the plan may ask "
                "for too many raters and runs"
            )

    @cached_property
    def _tests(self) -> list[tuple[SharedUnitsTest, SharedUnitsTest]]:
        if self.judged is not None:
            return [(self.judged.test, self.judged.test)]
        check_clusters(self.data)
        return [tests_of(data, self.metric) for data in self.responses]


def mean_effect(metric: Metric, sets: Sequence[ResponseSet]) -> float:
    """Return the mean effect of several sets."""
    return float(np.mean([observed_effects(data, metric)[0] for data in sets]))


def difference(
    effect_at: Callable[[float], float], epsilon: float | None, length: float, what: str
) -> tuple[float, float]:
    """Return the ε of simulated systems, as a share of `length`, and the effect that it has by a pilot."""
    if epsilon is None:
        raise NbykError(
            f"{what} alone do not show by how much A is better; give `effect` or `epsilon`, as in "
            f"{argument_with('epsilon', f'{0.1 * length:g}')}"
        )
    if not 0.0 < epsilon <= length * (1.0 + 1e-12):
        raise NbykError(
            f"found {epsilon:g}, expected a number above 0, up to {length:g}, in the unit of the scale",
            argument="epsilon",
        )
    effect = effect_at(epsilon / length)
    if effect <= 0.0:
        raise NbykError(
            f"found {epsilon:g}, at which A is not better by the pilot's {what}; give a larger one",
            argument="epsilon",
        )
    return epsilon / length, effect


def _mean_severities(gold: Floats, units: Units) -> tuple[Floats, float]:
    """Return what the mean severity of some raters may be, and what remains of an item's error without it.

    The first are quantiles of its normal law, (pairs,): items that others rate too show how raters differ,
    but not how far all of them are off together. The second is the SD of an item's mean around the truth
    without this severity, relative to that with it.
    """
    from scipy.special import ndtri

    places = np.asarray(ndtri((np.arange(PAIRS) + 0.5) / PAIRS))
    if units.index is None:
        return np.zeros(PAIRS), 1.0
    counts = (~np.isnan(gold)).sum(axis=1, keepdims=True)
    residuals = np.where(counts > 1, gold - np.nanmean(gold, axis=1, keepdims=True), np.nan)
    known = ~np.isnan(residuals) & (units.index >= 0)
    of_unit, values = units.index[known], residuals[known]
    n = np.bincount(of_unit, minlength=len(units.names)).astype(np.float64)
    if (n > 1).sum() < 2:  # who rates with others once shows no severity
        return np.zeros(PAIRS), 1.0
    means = np.bincount(of_unit, values, minlength=len(units.names))[n > 1] / n[n > 1]
    noise = float(values.var()) * float(np.mean(1.0 / n[n > 1]))
    k, raters = float(counts[counts > 1].mean()), len(means)
    shown = (1.0 - 1.0 / k) * raters / (raters - 1.0)  # an item's mean has each of its raters' severities
    variance = max(float(means.var(ddof=1)) - noise, 0.0) / shown**2 / raters
    within = float(np.nansum(residuals**2)) / float((counts[counts > 1] - 1).sum())
    own = math.sqrt(max(1.0 - k * variance / within, 0.0)) if within > 0.0 else 1.0
    return places * math.sqrt(variance), own


def _in_order(rows: Floats, order: Integers) -> Floats:
    """Return rows that stand in another order as the items do."""
    items = np.empty_like(rows)
    items[order] = rows
    return items


@dataclass(frozen=True)
class PilotLaw:
    """The variances that a pilot leaves possible.

    Attributes
    ----------
    draws : ndarray, shape (D, 7)
        The variances of `Spread`, in its order.
    units
        The least number of raters or runs (or clusters) of the pilot.
    """

    draws: Floats
    units: int

    def assured(self, crew: Crew) -> Spread:
        """Return variances that give a crew's effect the variance that four of five draws do not exceed."""
        alone = [Spread(**{"items": 0.0, part.name: 1.0}) for part in fields(Spread)]
        order = np.argsort(product(self.draws, [variance_of(one, crew) for one in alone]))
        middle = round(ASSURED * len(order))
        return Spread(*self.draws[order[middle - _NEAR // 2 : middle + _NEAR // 2]].mean(axis=0).tolist())


def _law_of(spread: Spread, crew: Crew) -> PilotLaw:
    """Return what a pilot of ratings leaves possible that has so many raters and shows these variances."""
    n, raters, n_ratings = crew.n_items, crew.raters, crew.n_items * crew.ratings_per_item
    single = spread.ratings / n_ratings
    generator = np.random.default_rng(SEED)
    items, between, within = (
        mean_square * df / generator.chisquare(df, _DRAWS)
        for mean_square, df in (
            (spread.items / n + single, n - 1),
            (spread.raters / raters + single, raters - 1),
            (single, max(n_ratings - n, 1)),
        )
    )
    draws = np.zeros((_DRAWS, len(fields(Spread))))
    draws[:, 0] = n * np.maximum(items - within, 0.0)
    draws[:, 1] = raters * np.maximum(between - within, 0.0)
    draws[:, 2] = n_ratings * within
    return PilotLaw(draws, raters)


def _larger(test: SharedUnitsTest, times: float) -> SharedUnitsTest:
    """Return the expected test of as many times the units, if the estimates of this one are true."""
    if times == 1.0:
        return test
    sources = {
        source: replace(
            part,
            units=round(times * part.units),
            total=(max(part.between, 0.0) + part.within) / times,
            within=part.within / times,
            df=times * (part.df + 1.0) - 1.0,
            within_df=times * part.within_df,
            responses=times * part.responses,
            weight_squares=part.weight_squares / times,
        )
        for source, part in test.sources.items()
    }
    gone = sum(part.within for part in test.sources.values()) * (1.0 - 1.0 / times)
    items = replace(test.items, total=max(test.items.total - gone, 0.0))
    return replace(test, items=items, sources=sources)


def _chi_squares(generator: np.random.Generator, tests: Sequence[SharedUnitsTest], n_draws: int) -> Any:
    """Return the factors ν / χ²_ν of each draw, by the degrees of freedom ν."""
    parts = [part for test in tests for part in (test.items, *test.sources.values())]
    degrees = sorted({df for part in parts for df in (part.df, part.within_df)})
    # A source of A and one of B with as many units vary apart
    columns = {(df, place): df / generator.chisquare(df, n_draws) for df in degrees for place in range(4)}
    return [{key: float(column[row]) for key, column in columns.items()} for row in range(n_draws)]


def _drawn(test: SharedUnitsTest, factors: dict[tuple[float, int], float]) -> SharedUnitsTest:
    def part_of(part: Component, place: int) -> Component:
        return replace(
            part,
            total=part.total * factors[part.df, place],
            within=part.within * factors[part.within_df, place],
        )

    sources = {source: part_of(part, place) for place, (source, part) in enumerate(test.sources.items(), 1)}
    return replace(test, items=part_of(test.items, 0), sources=sources)
