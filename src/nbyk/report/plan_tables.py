"""The tables of a plan: what else would do, the sizes that were compared, and the assumed deviations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from nbyk.planning.closed_form import solved
from nbyk.planning.request import Costs
from nbyk.planning.result import Plan
from nbyk.testing.shared_units.collection import Crew

if TYPE_CHECKING:
    import pandas as pd

RATERS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100)
_MOST_WAYS = 8
_NEAR_COST = 1.5
"""The printed table has sizes up to so many times the cost of the plan."""


def every_way(plan: Plan) -> pd.DataFrame:
    """Return the collections that would do, one to a row: by ratings per item, or by number of raters."""
    if plan.request.is_simulated and plan.others:
        return metrics_table(plan)
    if plan.request.is_simulated:
        return candidates_table(plan)
    return near_ways(plan, all_of_them=True)


def near_ways(plan: Plan, *, all_of_them: bool = False) -> pd.DataFrame:
    """Return the few collections that a reader compares with the plan, or all; the plan is marked.

    If the power, the effect or ε is open, there are others only among all: they have another.
    """
    import pandas as pd

    costs, priced = plan.request.costs, is_priced(plan)
    rows = list(_simulated_ways(plan) if plan.request.is_simulated else _people_ways(plan))
    asks_size = not {"power", "effect", "epsilon"} & set(plan.open)
    if not all_of_them and (len(rows) < 2 or not asks_size):
        return pd.DataFrame()
    nearest = sorted(rows, key=lambda row: (row[1] != "this plan", costs.of(row[0])))
    each = plan.request.noun
    shown = sorted(
        nearest[: None if all_of_them else _MOST_WAYS],
        key=lambda row: (row[0].raters, row[0].runs, row[0].ratings_per_item, -row[0].n_items),
    )
    return pd.DataFrame(
        {
            "items": crew.n_items,
            f"{each}s each": crew.ratings_per_item,
            **({"raters": crew.raters} if crew.raters else {}),
            **({"runs": crew.runs} if crew.runs else {}),
            **({"judge calls": crew.calls} if crew.calls else {}),
            f"{each}s": crew.n_items * crew.ratings_per_item * costs.rated_systems,
            **({"cost": _whole(costs.of(crew))} if priced else {}),
            "": words,
        }
        for crew, words in shown
    )


def is_priced(plan: Plan) -> bool:
    """Return whether any cost was given."""
    costs = plan.request.costs
    return costs != Costs(rated_systems=costs.rated_systems)


def _simulated_ways(plan: Plan) -> Iterator[tuple[Crew, str]]:
    for row in plan.candidates:
        words = "this plan" if row.k_responses == plan.k_responses else ""
        words = "as good" if row.k_responses in plan.ties else words
        if words or row.cost <= _NEAR_COST * plan.cost:
            yield Crew(row.n_items, 0, row.k_responses, 0), words


def _people_ways(plan: Plan) -> Iterator[tuple[Crew, str]]:
    """Yield the plan and others that reach its power: by another quantity, or with other raters."""
    if plan.crew.too_few:
        return
    if plan.reachable:
        yield plan.crew, "this plan"
        for other in plan.others:
            yield other.crew, ""
    if plan.crew.raters and not (plan.reachable and plan.others):
        for raters in RATERS:
            other = with_raters(plan, raters, power_by_formula(plan))
            if other.reachable and raters != plan.crew.raters and _ratings_tell(plan, other):
                yield other.crew, ""


def metrics_table(plan: Plan) -> pd.DataFrame:
    """Return the power by each metric with its 95 % interval, the largest first."""
    import pandas as pd

    rows = [(one.metric, one.power, one.low, one.high) for one in (plan, *plan.others)]
    return pd.DataFrame(rows, columns=["metric", "power", "low", "high"])


def candidates_table(plan: Plan) -> pd.DataFrame:
    """Return the K that were compared, one to a row."""
    import pandas as pd

    rows = []
    for row in plan.candidates:
        tie = "as good" if row.k_responses in plan.ties else ""
        rows.append(
            {
                "K": row.k_responses,
                "N": row.n_items,
                "N low": row.n_low,
                "N high": row.n_high,
                "ε": row.epsilon,
                "cost": row.cost,
                "power": row.power,
                "± error": row.power_error,
                "by": row.by,
                "choice": "chosen" if row.k_responses == plan.k_responses else tie,
            }
        )
    return pd.DataFrame(rows)


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


def wanted_power(plan: Plan) -> float:
    """Return the power that a plan's tables are for: the requested one, or its own."""
    return plan.power if plan.request.power is None else plan.request.power


def power_by_formula(plan: Plan) -> float:
    """Return the power that the formula is asked for, so that other collections do what the plan does."""
    return plan.asked_of_formula or wanted_power(plan)


def cheapest_with_raters(plan: Plan) -> Plan | None:
    """Return the cheapest plan with some number of raters, by as many ratings of an item or by one.

    Each rater gives two ratings or more.
    """
    power = power_by_formula(plan)
    ways = (with_raters(plan, raters, power, most) for raters in RATERS for most in (1, plan.k_responses))
    known = (way for way in ways if way.reachable and _ratings_tell(plan, way))
    shared = (way for way in known if way.n_items * way.k_responses >= 2 * way.crew.raters)
    return min(shared, key=lambda way: way.cost, default=None)


def _ratings_tell(plan: Plan, other: Plan) -> bool:
    """Return whether the variances say what another plan's ratings per item do."""
    return other.k_responses == plan.k_responses or plan.request.spread.ratings > 0.0


def with_raters(plan: Plan, raters: int, power: float, most: int | None = None) -> Plan:
    """Return the least N with other raters, and `most` ratings of an item, or the plan's, if they do."""
    asked = replace(
        plan.request,
        n_items=None,
        raters=raters,
        k_responses=min(most or plan.k_responses, raters),
        runs=plan.crew.runs,
        items_per_rater=None,
        effect=plan.effect,
        power=min(max(power, 2.0 * plan.request.alpha), 0.99),
        budget=None,
    )
    return solved(asked)
