"""A plan as an answer: its lines and tables, its figures, and the sliders of its page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.planning.request import SIDES
from nbyk.planning.result import Plan
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, WIDE, new_figure, style
from nbyk.report.lines import in_words
from nbyk.report.plan_lines import rating_or_label
from nbyk.report.plan_tables import (
    RATERS,
    candidates_table,
    every_way,
    standard_deviations,
    with_raters,
)
from nbyk.testing.shared_units.collection import Crew

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POWERS = (0.5, 0.8, 0.9, 0.95)
_LINE = "#1f3b57"
_BANDS = ("#e3ecf5", "#c3d7ea", "#9dbfdd", "#74a3cc")
_ITEMS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000)
_RATINGS = (1, 2, 3, 5, 8, 10, 20)
_RUNS = (3, 4, 5, 6, 8, 10, 15, 20)


def plan_answer(plan: Plan, *, name: str = "", for_page: bool = False) -> Answer:
    """Return the answer of a plan: its lines, and the table of what else would do.

    Parameters
    ----------
    name
        The source of its variances.
    for_page
        Whether to add the grid of powers behind the sliders of a page.
    """
    head = plan.head
    tables = [head.table] if head.table else []
    tables += [AnswerTable(*table) for table in _further(plan)]
    simulated = plan.request.is_simulated
    if simulated:
        explorer = _sliders_of_curves(plan)
        each = rating_or_label(plan)
        title = f"How many items and {each}s: {plan.request.world.prior.name}"
        draw, caption = "plan", f"The power of items N and {each}s per item K, and this plan"
    else:
        explorer = _sliders_of_grid(plan) if for_page else None
        title = f"Planning with people: {name}"
        draw, caption = "people", "The items that you need against the number of raters, for several powers"
    figures = [AnswerFigure(draw, caption, partial(figure_of, plan), narrow=True, alt=head.verdict)]
    for other in plan.others:
        drawn = partial(figure_of, other)
        by, alt = f"{caption}, by {other.metric}", other.head.verdict
        figures.append(AnswerFigure(f"plan_{other.metric}", by, drawn, narrow=True, alt=alt))
    return Answer(
        title=title,
        sentences=plan.lines,
        make_tables=lambda: tables,
        figures=tuple(figures if simulated or plan.crew.raters else []),
        cautions=head.cautions,
        details={**plan.to_dict(), "explorer": explorer},
        n_printed=len(tables),
        head=head,
    )


def _further(plan: Plan) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the name, the caption and the rows of each table of --details."""
    if plan.request.is_simulated:
        if plan.candidates:
            if plan.others:
                yield "metrics", "Power by each metric, with its 95 % interval", every_way(plan)
            yield "candidates", _caption(plan), candidates_table(plan)
        return
    unit = "" if plan.scale is None else f" (scale {plan.scale[0]:g} to {plan.scale[1]:g})"
    yield (
        "spread",
        f"Standard deviations of the effect that the plan assumes{unit}",
        standard_deviations(plan),
    )


def figure_of(plan: Plan) -> Figure:
    """Draw the figure of a plan: the plane of items and ratings, or of items and raters."""
    return plan_figure(plan) if plan.request.is_simulated else people_figure(plan)


def _sliders_of_curves(plan: Plan) -> dict[str, Any] | None:
    """Return the data of the page's sliders: the power of each K as a function of N, and prices."""
    curves = [curve for curve in plan.curves if 0.0 < curve.slope < math.inf]
    if not curves:
        return None
    asked = plan.request
    return {
        "kind": "curves",
        "curves": [[curve.k_responses, curve.slope, curve.offset] for curve in curves],
        "items": plan.n_items,
        "ratings": plan.k_responses,
        "cost_per_item": asked.costs.item,
        "cost_per_rating": asked.costs.rating * asked.costs.rated_systems,
        "power": asked.power or 0.8,
        "most_items": asked.max_items,
    }


def plan_figure(plan: Plan) -> Figure:
    """Draw the plane of K and N: contours of the power at the plan's ε, the budget line and the answer."""
    figure, axes = new_figure(WIDE, 4.0)
    asked, world, cost = plan.request, plan.request.world, plan.cost
    curves = plan.curves
    ks = np.array([curve.k_responses for curve in curves], dtype=np.float64)
    k_range = [*ks, plan.k_responses]
    reached = [n for curve in curves for n in (curve.items_for(0.5), curve.items_for(0.95))]
    n_range = (max(2.0, min([plan.n_items, *reached]) / 1.6), 1.6 * max([plan.n_items, *reached]))
    with style():
        if len(curves) > 1:
            borders = [np.array([curve.items_for(level) for curve in curves]) for level in _POWERS]
            for below, above, band in zip(borders, [*borders[1:], None], _BANDS, strict=True):
                axes.fill_between(ks, below, n_range[1] if above is None else above, color=band, linewidth=0)
            for level, border in zip(_POWERS, borders, strict=True):
                axes.plot(ks, border, color=_LINE, linewidth=1.8 if level == asked.power else 0.8)
                axes.annotate(
                    f"{level:g}",
                    (ks[-1], border[-1]),
                    xytext=(4, 0),
                    textcoords="offset points",
                    va="center",
                    color=_LINE,
                    fontsize=8,
                )
            axes.annotate(
                "power",
                (ks[-1], borders[-1][-1]),
                xytext=(4, 12),
                textcoords="offset points",
                va="center",
                color=_LINE,
                fontsize=8,
            )
        each = np.geomspace(max(1.0, min(k_range) / 1.15), 1.3 * max(k_range), 100)
        price = asked.costs.item + each * asked.costs.rating * asked.costs.rated_systems
        axes.plot(
            each, cost / price, "--", color=COLOURS[1], linewidth=1.4, label=f"sizes that cost {cost:,.6g}"
        )
        axes.plot(
            plan.k_responses,
            plan.n_items,
            "*",
            color=COLOURS[1],
            markeredgecolor="white",
            markersize=17,
            linestyle="none",
            label=f"N = {plan.n_items}, K = {plan.k_responses}: power {plan.power:.2f}",
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(each[0], each[-1])
        axes.set_ylim(*n_range)
        ticks = [k for k in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if each[0] <= k <= each[-1]]
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.set_xticks([], minor=True)
        _tick_items(axes)
        axes.set_xlabel(
            f"gold {rating_or_label(plan)}s per item, K"
            if asked.world.has_gold
            else "ratings of each answer, K"
        )
        axes.set_ylabel("items, N")
        axes.set_title(
            f"{world.prior.name}, ε = {plan.epsilon:.3g}: {in_words(world.test.name)} on "
            f"{world.test.metric.name}, α = {asked.alpha:g}",
            loc="left",
            fontsize=9,
        )
        axes.legend(loc="best", framealpha=0.9, fontsize=8)
    return figure


def _tick_items(axes: Axes) -> None:
    """Put ticks of an axis of items at 1, 2 and 5 times powers of ten, or at its ends if these are few."""
    low, high = axes.get_ylim()
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [m * 10.0**e for e in powers for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ticks = ticks if len(ticks) > 1 else [math.ceil(low), math.floor(high)]
    axes.set_yticks(ticks, [f"{n:,g}" for n in ticks])
    axes.set_yticks([], minor=True)


def _caption(plan: Plan) -> str:
    asked, world = plan.request, plan.request.world
    goal = f"power {asked.power:g}" if asked.power is not None else "their power"
    return (
        f"{world.prior.name}: sizes compared for {goal} of the {in_words(world.test.name)} on "
        f"{world.test.metric.name}, α = {asked.alpha:g}, K up to {asked.max_responses}. "
        "N low to N high is the 95 % interval"
    )


def _sliders_of_grid(plan: Plan) -> dict[str, Any] | None:
    """Return the data of a page's sliders: the power at every place of a grid, and prices."""
    crew = plan.crew
    if not plan.effect or not math.isfinite(plan.effect):
        return None
    axes: dict[str, list[int]] = {
        "items": sorted({*(n for n in _ITEMS if n > crew.items_per_cluster), crew.n_items}),
        "raters": sorted({*RATERS, crew.raters}) if crew.raters else [0],
        "ratings": sorted({*_RATINGS, crew.ratings_per_item}),
        "runs": sorted({*_RUNS, crew.runs}) if crew.runs else [0],
    }
    power = [
        round(plan.request.power_of(one, plan.effect), 4)
        for n, j, k, r in product(*axes.values())
        for one in (Crew(n, j, min(k, j or k), r, crew.items_per_cluster, crew.paired_runs, crew.calls),)
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


def people_figure(plan: Plan) -> Figure:
    """Draw the least N against J for several powers, and the plan itself."""
    figure, axes = new_figure(WIDE, 3.4)
    asked = plan.request
    with style():
        for power, colour in zip(_POWERS[:3], COLOURS, strict=False):
            found = [with_raters(plan, raters, power) for raters in RATERS]
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
        ticks = [raters for raters in RATERS if raters not in (4, 6, 10, 15)]
        axes.set_xticks(ticks, [str(raters) for raters in ticks])
        axes.set_xticks([], minor=True)
        _tick_items(axes)
        axes.set_xlabel("raters, J")
        axes.set_ylabel("items, N")
        axes.set_title(
            f"effect {plan.effect:.3g}, {SIDES[asked.alternative]}, α = {asked.alpha:g}",
            loc="left",
            fontsize=9,
        )
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure
