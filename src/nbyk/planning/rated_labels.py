"""Plans for new raters of labels, from a prior that says how raters differ, or a pilot that it is fitted to.

The variances are those of simulated pilots (`simulated_pilot`), and the closed form gives a first
answer. It takes raters for normal. By distances of distributions they are skewed: a rater unlike most makes
the better system look worse, whatever that rater says. So the power is simulated at the answer, and the
closed form is asked for as much more as it lacks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.kinds import Kind
from nbyk.data.response_set import Categories, ResponseSet
from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.closed_form import plan_by_formula
from nbyk.planning.item_moments import clipped_quantile, moved
from nbyk.planning.long_run import epsilon_for_effect
from nbyk.planning.pilot import PAIRS, SEED, Pilot, difference, mean_effect
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power, check_precision, power_from
from nbyk.planning.request import SIZES
from nbyk.planning.result import Plan
from nbyk.priors.nominal import LabelPrior, labels_of, shares_of
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.labels import LabelledItems, LabelPopulation, LabelSets, counts_among
from nbyk.resampling.rated_labels import dealt_raters, labels_by_raters
from nbyk.resampling.streams import CHUNK, Streams, as_seed, stream_key
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, Crew
from nbyk.testing.systems.panel import panel_of

_SIMULATED_ITEMS, _SIMULATED_RATERS = 2400, 60
_ITEMS, _HARDLY = 200, 0.01
_ROUNDS = 6

_FINEST, _COARSEST = 0.019, 0.035
"""Standard errors of the power, for small and for large collections."""
_BEYOND = 2.0
"""A first power may be so many standard errors beyond the requested one."""

_LABELS = 2_500_000
"""Labels to simulate in a round, if no precision is asked for."""

_FEWEST_ITEMS = 2.0


def plan_by_raters(source: LabelPrior | LabelledItems, metric: Metric, given: Mapping[str, Any]) -> Plan:
    """Return the plan for new raters, for the arguments of `nbyk.plan`.

    Numbers that are not given are those of the pilot, if a pilot is the source.
    """
    k, at_hand = given["k_responses"], None
    prior = source.prior if isinstance(source, LabelledItems) else source
    if isinstance(source, LabelledItems):
        at_hand = Crew(source.n_items, source.raters, source.labels_per_item, 0)
        k = at_hand.ratings_per_item if k is None else k
    if not (at_hand.raters if at_hand else prior.leaning or prior.confusion):
        raise NbykError(
            f"{prior.name} does not say how raters differ; fit it to labels with the ids of at least "
            f"{FEWEST_UNITS} people who label two items or more, or give these labels as the `pilot`"
        )
    if k is None:
        raise NbykError("give a number: how many people label an item", argument="k_responses")
    if given["runs"] is not None or given["solve"] == "runs":
        raise NbykError("a prior of labels has no runs of systems; leave it out", argument="runs")
    if given["precision"] is not None:
        check_precision(given["precision"])
    seed, effect, epsilon = as_seed(given["seed"]), given["effect"], given["epsilon"]
    long_run = ""
    if effect is not None:  # as of the plan for these raters
        answers = 1 if metric.needs == "classes" else None
        alike: Any = prior.with_raters(0.0, 0.0)
        items = replace(source, prior=alike) if isinstance(source, LabelledItems) else alike

        def population(epsilon: float) -> LabelPopulation:
            return LabelPopulation(items, 2, 1, epsilon, 0.0, answers)

        epsilon = epsilon_for_effect(population, metric, effect, seed, epsilon=epsilon)
        long_run = f", which gives an effect of {effect:g} by infinitely many labels of an item"
    pilot = simulated_pilot(prior, k, metric, epsilon, at_hand)
    pilot = replace(pilot, assumed=pilot.assumed + long_run)
    asked = {**given, "effect": pilot.stated, "epsilon": None}
    for turn in range(_ROUNDS):
        found = plan_by_formula(pilot if at_hand else pilot.spread, pilot.metric, asked)
        if not found.reachable or found.crew.too_few:
            break
        if found.crew.items_per_rater < _FEWEST_ITEMS:
            found_raters = f"found {found.crew.raters}, who have fewer than two of {found.n_items} items each"
            raise NbykError(f"{found_raters}; give more items", argument="raters")
        precision = given["precision"] or _usual_precision(found.crew)
        power, crew = _simulated(prior, metric, pilot.epsilon, found, precision, seed, given["threads"])
        beyond = clipped_quantile(power.power) - clipped_quantile(found.power)
        found = replace(found, power=power.power, simulated=power)
        if found.open[-1] not in SIZES:
            sure = found.assured and replace(found.assured, power=moved(found.assured.power, beyond))
            found = replace(found, low=power.low, high=power.high, assured=sure)
            break
        more = power.power - given["power"]
        if more >= -power.standard_error and (turn or more <= _BEYOND * power.standard_error):
            break
        asked["power"] = moved(given["power"], -beyond)
    like = f"raters like those of {prior.name}"
    simulated = []
    if found.simulated is not None:
        fewer = f" on {crew.n_items} of the items" if crew != found.crew else ""
        simulated = [f"a power simulated{fewer} to a standard error of {found.simulated.standard_error:.2g}"]
    return replace(
        found,
        request=replace(found.request, power=given["power"]),
        asked_of_formula=asked["power"] if found.simulated else None,
        asked_effect=given["effect"] or found.asked_effect,
        metric=metric.name,
        assumptions=(*found.assumptions, *([] if at_hand else [like, pilot.assumed]), *simulated),
    )


def _usual_precision(crew: Crew) -> float:
    """Return the standard error that a power is simulated to: larger for many labels."""
    at_once = 0.16 * crew.n_items * crew.ratings_per_item / _LABELS  # a power of .8 has a variance of .16
    return min(max(math.sqrt(at_once), _FINEST), _COARSEST)


def _simulated(
    prior: LabelPrior, metric: Metric, epsilon: float, plan: Plan, precision: float, seed: int, threads: int
) -> tuple[Power, Crew]:
    """Return the share of simulated collections of a crew on which a plan's test finds A better; the crew.

    A crew with half the items takes half the time. It stands for the plan's where its power is hardly lower.
    """
    request, crew = plan.request, plan.crew
    while crew.n_items >= 2 * _ITEMS:
        fewer = replace(crew, n_items=crew.n_items // 2)
        if request.power_of(fewer) < plan.power - _HARDLY:
            break
        crew = fewer
    key = stream_key(
        seed,
        purpose="power with raters of labels",
        prior=prior.key(),
        n=crew.n_items,
        k=crew.ratings_per_item,
        raters=crew.raters,
        epsilon=epsilon,
    )

    def work(chunk: int, size: int) -> Floats:
        generator, p = Streams(key, chunk).generator("sets"), np.empty((1, size))
        for place in range(size):
            bound, (data,) = answered([RatedItems.drawn(prior, crew, metric, generator)], metric, epsilon)
            panel = panel_of(data, None)
            assert panel.responses is not None
            p[0, place] = shared_units_test(bound, panel.responses).p_value(request.alternative)
        return p

    n_sets = CHUNK * math.ceil(0.16 / precision**2 / CHUNK)
    (p,) = run_chunks(n_sets, work, threads=threads)
    test = SystemTest("swap_items", metric, request.alpha, request.alternative)
    return power_from(test, int((p <= request.alpha).sum()), n_sets), crew


@dataclass(frozen=True)
class RatedItems:
    """Items that new raters label, for two systems: A answers as people would, and B off by ε.

    `pool` has, at each ε, the chances of an item's labels and of the systems', `gold` the labels of `units`
    as places of classes, (N, K), and `draws` a uniform for each system's label, (2, N, 1), or None if systems
    answer with their shares of the classes.
    """

    prior: LabelPrior
    pool: Any
    gold: Floats
    units: Units
    draws: Floats | None

    @classmethod
    def drawn(
        cls, prior: LabelPrior, crew: Crew, metric: Metric, generator: np.random.Generator
    ) -> RatedItems:
        """Return a crew's items; they are labelled once or, for a metric of distributions, by shares."""
        n, raters = crew.n_items, max(crew.raters, 1)
        pool = prior.pool(generator, n)
        panels = dealt_raters(n, raters, crew.ratings_per_item, generator)
        gold = labels_by_raters(prior, pool.at(0.0, 0.0)[0], panels, generator)
        units = Units("ids", tuple(map(str, range(raters))), panels.astype(np.int32))
        draws = generator.random((2, n, 1)) if metric.needs == "classes" else None
        return cls(prior, pool, gold, units, draws)

    def shares(self, epsilon: float) -> Floats:
        """Return the shares of the classes by either system, (2, N, C)."""
        return np.stack([shares_of(above) for above in self.pool.at(0.0, epsilon)[1:]])

    def labels(self, epsilon: float) -> list[Floats]:
        """Return a label of each item by either system, (N, 1)."""
        assert self.draws is not None
        pairs = zip(self.pool.at(0.0, epsilon)[1:], self.draws, strict=True)
        return [labels_of(above, draws).astype(np.float64) for above, draws in pairs]


def answered(drawn: Sequence[RatedItems], metric: Metric, epsilon: float) -> tuple[Metric, list[ResponseSet]]:
    """Return sets of labels with the systems' answers at an ε, and the metric of their classes."""
    prior = drawn[0].prior
    rows = np.eye(prior.levels)
    if metric.needs == "classes":
        answers = [items.labels(epsilon) for items in drawn]
    else:
        shares = np.stack([items.shares(epsilon) for items in drawn])
        rows = np.concatenate([rows, shares.reshape(-1, prior.levels)])
        answers = list(np.arange(prior.levels, float(len(rows))).reshape(*shares.shape[:3], 1))
    categories = Categories(prior.classes, rows, cast("Kind", metric.needs))
    sets = [
        ResponseSet(items.gold, a, b, {"gold": items.units, "a": FRESH, "b": FRESH}, categories=categories)
        for items, (a, b) in zip(drawn, answers, strict=True)
    ]
    return metric.bound(prior.classes, rows), sets


def simulated_pilot(
    prior: LabelPrior,
    k: int,
    metric: Metric,
    epsilon: float | None,
    at_hand: Crew | None = None,
) -> Pilot:
    """Return simulated pilots of a prior's labels, K an item, by raters who differ as the prior says.

    Of B's labels, a share ε is noise. The pilots are so large that the variances are the prior's; the prior
    was fitted to the pilot that is `at_hand`, if there is one.
    """
    crew = Crew(_SIMULATED_ITEMS, max(_SIMULATED_RATERS, k), k, 0)
    generators = (np.random.default_rng([SEED, number]) for number in range(PAIRS))
    drawn = [RatedItems.drawn(prior, crew, metric, generator) for generator in generators]

    def effect_at(epsilon: float) -> float:
        """Return the expected effect of labels that the systems draw, or that of their shares."""
        if metric.needs != "classes" or metric.kind != "score":
            return mean_effect(*answered(drawn, metric, epsilon))
        effects = [
            LabelSets(
                counts_among(items.gold, prior.levels)[np.newaxis] / k, items.shares(epsilon)[:, np.newaxis]
            ).expected_effects(metric, prior.classes)
            for items in drawn
        ]
        return float(np.mean(effects))

    epsilon, effect = difference(effect_at, epsilon, 1.0, "labels")
    once = " once" if metric.needs == "classes" else ", each with its shares of the classes"
    off = f"B's {prior.perturbed} ε = {epsilon:.3g}"
    assumed = f"two simulated systems that label an item{once}, as people would; {off}"
    bound, sets = answered(drawn, metric, epsilon)
    return Pilot(tuple(sets), bound, assumed=assumed, stated=effect, epsilon=epsilon, at_hand=at_hand)
