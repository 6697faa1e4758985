"""Plans for new raters of labels, from a prior that says how raters differ.

The variances are those of simulated pilots (`Pilot.of_label_prior`), and the closed form gives a first
answer. It takes raters for normal. By distances of distributions they are skewed: a rater unlike most makes
the better system look worse, whatever that rater says. So the power is simulated at the answer, and the
closed form is asked for as much more as it lacks.
"""

from __future__ import annotations

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
from nbyk.planning.power.estimate import Power, power_from
from nbyk.planning.request import SIZES
from nbyk.planning.result import Plan
from nbyk.priors.nominal import LabelPrior, labels_of, shares_of
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.rated_labels import dealt_raters, labels_by_raters
from nbyk.resampling.streams import Streams, as_seed, stream_key
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import Crew
from nbyk.testing.systems.panel import panel_of

_SETS = 448
_ROUNDS = 4
_FEWEST_ITEMS = 2.0


def plan_by_raters(prior: LabelPrior, metric: Metric, given: Mapping[str, Any]) -> Plan:
    """Return the plan for new raters, for the arguments of `nbyk.plan`."""
    if not prior.leaning and not prior.confusion:
        raise NbykError(
            f"{prior.name} does not say how raters differ; fit it to labels with the ids of raters, or give "
            "these labels as the `pilot`"
        )
    if given["k_responses"] is None:
        raise NbykError("give a number: how many people label an item", argument="k_responses")
    if given["runs"] is not None or given["solve"] == "runs":
        raise NbykError("a prior of labels has no runs of systems; leave it out", argument="runs")
    differing = given["effect"], given["epsilon"]
    pilot = Pilot.of_label_prior(prior, given["k_responses"], metric, *differing)
    asked, seed = {**given, "effect": pilot.stated, "epsilon": None}, as_seed(given["seed"])
    for _ in range(_ROUNDS):
        found = plan_by_formula(pilot.spread, pilot.metric, asked)
        if not found.reachable or found.crew.too_few:
            break
        if found.crew.items_per_rater < _FEWEST_ITEMS:
            found_raters = f"found {found.crew.raters}, who have fewer than two of {found.n_items} items each"
            raise NbykError(f"{found_raters}; give more items", argument="raters")
        power = simulated_power(prior, metric, pilot.epsilon, found.crew, found, seed, given["threads"])
        by_formula, found = found.power, replace(found, power=power.power, simulated=power)
        if found.open[-1] not in SIZES:
            found = replace(found, low=power.low, high=power.high)
            break
        lacking = quantile(given["power"]) - quantile(min(power.power, 1.0 - 1.0 / _SETS))
        if lacking <= 0.0 or power.power + power.standard_error >= given["power"]:
            break
        asked["power"] = float(_normal_share(quantile(by_formula) + lacking))
    like = f"raters like those of {prior.name}"
    return replace(
        found,
        request=replace(found.request, power=given["power"]),
        metric=metric.name,
        assumptions=(*found.assumptions, like, pilot.assumed),
    )


def _normal_share(z: float) -> float:
    from scipy.special import ndtr

    return float(min(ndtr(z), 0.9999))


def simulated_power(
    prior: LabelPrior, metric: Metric, epsilon: float, crew: Crew, asked: Plan, seed: int, threads: int
) -> Power:
    """Return the share of simulated collections of a crew in which the test over new raters finds A better.

    `asked` has the level and the alternative.
    """
    request = asked.request
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

    (p,) = run_chunks(_SETS, work, threads=threads)
    test = SystemTest("swap_items", metric, request.alpha, request.alternative)
    return power_from(test, int((p <= request.alpha).sum()), _SETS)


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
