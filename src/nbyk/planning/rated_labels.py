"""Plans for new raters of labels, from a prior that says how raters differ, or a pilot that it is fitted to.

The variances are those of simulated pilots (`Pilot.of_label_prior`), and the closed form gives a first
answer. It takes raters for normal. By distances of distributions they are skewed: a rater unlike most makes
the better system look worse, whatever that rater says. So the power is simulated at the answer, and the
closed form is asked for as much more as it lacks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import Categories, ResponseSet
from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.closed_form import plan_by_formula
from nbyk.planning.item_moments import quantile
from nbyk.planning.pilot import Pilot
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import Power, check_precision, power_from
from nbyk.planning.request import SIZES
from nbyk.planning.result import Plan
from nbyk.priors.nominal import LabelPrior, labels_of, shares_of
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.labels import LabelledItems
from nbyk.resampling.rated_labels import dealt_raters, labels_by_raters
from nbyk.resampling.streams import CHUNK, Streams, as_seed, stream_key
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS, Crew
from nbyk.testing.systems.panel import panel_of

_ITEMS, _HARDLY = 200, 0.01
_ROUNDS = 4
_HIGHEST = 0.999
"""Powers above this one count as this one: so few sets do not tell them from 1."""

_ROUGHLY, _FINEST, _COARSEST = 0.05, 0.019, 0.035
"""Standard errors of the power: of the first round, and of the answer for small and for large collections."""

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
    differing = given["effect"], given["epsilon"]
    pilot = Pilot.of_label_prior(prior, k, metric, *differing, at_hand)
    asked, seed = {**given, "effect": pilot.stated, "epsilon": None}, as_seed(given["seed"])
    precision = _ROUGHLY
    for _ in range(_ROUNDS):
        found = plan_by_formula(pilot if at_hand else pilot.spread, pilot.metric, asked)
        if not found.reachable or found.crew.too_few:
            break
        if found.crew.items_per_rater < _FEWEST_ITEMS:
            found_raters = f"found {found.crew.raters}, who have fewer than two of {found.n_items} items each"
            raise NbykError(f"{found_raters}; give more items", argument="raters")
        finally_to = given["precision"] or _usual_precision(found.crew)
        precision = max(precision, finally_to) if found.open[-1] in SIZES else finally_to
        power, crew = _simulated(prior, metric, pilot.epsilon, found, precision, seed, given["threads"])
        beyond = _normal_quantile(power.power) - _normal_quantile(found.power)
        found = replace(found, power=power.power, simulated=power)
        if found.open[-1] not in SIZES:
            sure = found.assured and replace(found.assured, power=_moved(found.assured.power, beyond))
            found = replace(found, low=power.low, high=power.high, assured=sure)
            break
        if precision == finally_to and power.power + power.standard_error >= given["power"]:
            break
        precision, asked["power"] = 0.0, _moved(given["power"], -beyond)
    like = f"raters like those of {prior.name}"
    simulated = []
    if found.simulated is not None:
        fewer = f" on {crew.n_items} of the items" if crew != found.crew else ""
        simulated = [f"a power simulated{fewer} to a standard error of {found.simulated.standard_error:.2g}"]
    return replace(
        found,
        request=replace(found.request, power=given["power"]),
        metric=metric.name,
        assumptions=(*found.assumptions, *([] if at_hand else [like, pilot.assumed]), *simulated),
    )


def _usual_precision(crew: Crew) -> float:
    """Return the standard error that a power is simulated to: larger for many labels."""
    at_once = 0.16 * crew.n_items * crew.ratings_per_item / _LABELS  # a power of .8 has a variance of .16
    return min(max(math.sqrt(at_once), _FINEST), _COARSEST)


def _normal_quantile(power: float) -> float:
    return quantile(min(max(power, 1.0 - _HIGHEST), _HIGHEST))


def _moved(power: float, by: float) -> float:
    """Return a power whose normal quantile is moved."""
    from scipy.special import ndtr

    return float(min(ndtr(_normal_quantile(power) + by), _HIGHEST))


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
            bound, data = rated_set(prior, metric, epsilon, crew, generator)
            panel = panel_of(data, None)
            assert panel.responses is not None
            p[0, place] = shared_units_test(bound, panel.responses).p_value(request.alternative)
        return p

    n_sets = CHUNK * math.ceil(0.16 / precision**2 / CHUNK)
    (p,) = run_chunks(n_sets, work, threads=threads)
    test = SystemTest("swap_items", metric, request.alpha, request.alternative)
    return power_from(test, int((p <= request.alpha).sum()), n_sets), crew


def rated_set(
    prior: LabelPrior, metric: Metric, epsilon: float, crew: Crew, generator: np.random.Generator
) -> tuple[Metric, ResponseSet]:
    """Return labels by new raters, with a system A that answers as people would, and B, off by ε.

    They label an item once or, for a metric of distributions, answer with their shares of the classes.
    """
    n, raters = crew.n_items, max(crew.raters, 1)
    gold_chances, *systems = prior.pool(generator, n).at(0.0, epsilon)
    panels = dealt_raters(n, raters, crew.ratings_per_item, generator)
    gold = labels_by_raters(prior, gold_chances, panels, generator)
    table = np.eye(prior.levels)
    if metric.needs == "classes":
        a, b = (labels_of(above, generator.random((n, 1))).astype(np.float64) for above in systems)
    else:
        table = np.concatenate([table, *(shares_of(above) for above in systems)])
        a, b = np.arange(prior.levels, float(len(table))).reshape(2, n, 1)
    units = Units("ids", tuple(map(str, range(raters))), panels.astype(np.int32))
    categories = Categories(prior.classes, table, metric.needs)  # type: ignore[arg-type]
    data = ResponseSet(gold, a, b, {"gold": units, "a": FRESH, "b": FRESH}, categories=categories)
    return metric.bound(prior.classes, table), data
