"""A plan with people as an answer: sentence, other sizes with the same power, and a figure of N against J."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from nbyk.planning.people_plan import PeoplePlan, plan_with_people
from nbyk.planning.sides import SIDES
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, new_figure, style
from nbyk.testing.shared_units.collection import Crew

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_RATERS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100)
_POWERS = (0.5, 0.8, 0.9)
_ITEMS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000)
_RATINGS = (1, 2, 3, 5, 8, 10, 20)
_RUNS = (3, 4, 5, 6, 8, 10, 15, 20)


def people_answer(plan: PeoplePlan, *, name: str, for_page: bool = False) -> Answer:
    """Return the answer of a plan; `name` is the source of the variances.

    `for_page` adds the grid of powers behind the sliders of a page, which takes seconds.
    """
    shared = plan.crew.raters > 0
    tables = []
    if shared:
        caption = f"The least number of items for a power of {_power(plan):.3g}, by number of raters"
        frame = sizes(plan)
        if frame["items"].isna().any():
            caption += "; – means that no number of items is enough"
        if frame["items"].notna().any() and _power(plan) > plan.request.alpha:
            tables.append(AnswerTable("sizes", caption, frame))
    caption = "Standard deviations (SDs) of the effect, in its unit: what the plan takes them to be"
    tables.append(AnswerTable("spread", caption, standard_deviations(plan)))
    figures = []
    if shared:
        caption = "The items that you need against the number of raters, for several powers"
        figures.append(AnswerFigure("people", caption, partial(people_figure, plan)))
    title = f"Planning with people: {name}"
    details = {**plan.to_dict(), "explorer": _explorer(plan) if for_page else None}
    return Answer(
        title, (plan.sentence,), tuple(tables), tuple(figures), plan.warnings, details, n_printed=len(tables)
    )


def _explorer(plan: PeoplePlan) -> dict[str, Any] | None:
    """Return the data of the page's sliders: the power at every place of a grid, and prices."""
    crew = plan.crew
    if not plan.effect or not math.isfinite(plan.effect):
        return None
    axes: dict[str, list[int]] = {
        "items": sorted({*(n for n in _ITEMS if n > crew.items_per_cluster), crew.n_items}),
        "raters": sorted({*_RATERS, crew.raters}) if crew.raters else [0],
        "ratings": sorted({*_RATINGS, crew.ratings_per_item}),
        "runs": sorted({*_RUNS, crew.runs}) if crew.runs else [0],
    }
    power = [
        round(plan.request.power_at(plan.effect, plan.spread, one), 4)
        for n, j, k, r in product(*axes.values())
        for one in (Crew(n, j, min(k, j or k), r, crew.items_per_cluster),)
    ]
    costs = plan.request.costs
    return {
        "kind": "grid",
        "axes": axes,
        "power": power,
        "items": crew.n_items,
        "raters": crew.raters,
        "ratings": crew.ratings_per_item,
        "runs": crew.runs,
        "costs": {"item": costs.item, "rating": costs.rating, "rater": costs.rater, "run": costs.run},
    }


def standard_deviations(plan: PeoplePlan) -> pd.DataFrame:
    """Return the SD of each source of the effect's variance, with the option that declares it."""
    import pandas as pd

    spread, clustered = plan.spread, plan.crew.items_per_cluster > 1
    rows = [
        ("items", spread.items, "--item-sd"),
        *([("clusters of items", spread.clusters, "--cluster-sd")] if clustered else []),
        ("a rater's severity", spread.raters, "--severity-sd"),
        ("a single rating", spread.ratings, "--rating-sd"),
        ("a run of one system", spread.runs / 2, "--run-sd"),
        ("a single answer of one system", spread.answers / 2, "--answer-sd"),
    ]
    return pd.DataFrame(
        [(name, round(math.sqrt(variance), 4), option) for name, variance, option in rows],
        columns=["between", "SD", "option"],
    )


def sizes(plan: PeoplePlan) -> pd.DataFrame:
    """Return the least N for several numbers of raters, one to a row; empty if no N is enough."""
    import pandas as pd

    rows = []
    tried = {plan.crew.raters} if plan.reachable or "raters" not in plan.open else set()
    for raters in sorted({*_RATERS, *tried}):
        found = _with_raters(plan, raters, _power(plan))
        rows.append(
            {
                "raters": raters,
                "items": found.crew.n_items if found.reachable else None,
                "ratings per item": found.crew.ratings_per_item,
                "cost": _whole(found.cost) if found.reachable else None,
            }
        )
    return pd.DataFrame(rows, dtype=object)


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


def people_figure(plan: PeoplePlan) -> Figure:
    """Draw the least N against J for several powers, and the plan itself."""
    figure, axes = new_figure(5.6, 4.0)
    asked = plan.request
    with style():
        for power, colour in zip(_POWERS, COLOURS, strict=False):
            found = [_with_raters(plan, raters, power) for raters in _RATERS]
            points = [(one.crew.raters, one.crew.n_items) for one in found if one.reachable]
            if points:
                axes.plot(
                    *zip(*points, strict=True), "o-", color=colour, markersize=3.5, label=f"power {power:g}"
                )
        if plan.reachable:
            label = f"N = {plan.crew.n_items}, J = {plan.crew.raters}: power {plan.power:.2f}"
            axes.plot(plan.crew.raters, plan.crew.n_items, "k*", markersize=13, label=label, linestyle="none")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(_RATERS, [str(raters) for raters in _RATERS])
        axes.set_xticks([], minor=True)
        for which in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            which(lambda value, _: f"{value:g}")
        axes.set_xlabel("raters, J")
        axes.set_ylabel("items, N")
        axes.set_title(
            f"effect {plan.effect:.3g}, {SIDES[asked.alternative]}, α = {asked.alpha:g}",
            loc="left",
            fontsize=9,
        )
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    return figure


def _power(plan: PeoplePlan) -> float:
    return plan.power if plan.request.power is None else plan.request.power


def _with_raters(plan: PeoplePlan, raters: int, power: float) -> PeoplePlan:
    """Return the least N with other raters; the ratings per item stay the same if there are enough raters."""
    asked = replace(
        plan.request,
        n_items=None,
        raters=raters,
        ratings_per_item=min(plan.crew.ratings_per_item, raters),
        runs=plan.crew.runs,
        items_per_rater=None,
        effect=plan.effect,
        power=min(max(power, 2.0 * plan.request.alpha), 0.99),
        budget=None,
    )
    return plan_with_people(plan.spread, asked)
