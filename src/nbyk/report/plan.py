"""A plan as an answer: its lines and tables, its figures, and the sliders of its page."""

from __future__ import annotations

import math
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from nbyk.planning.request import SIDES
from nbyk.planning.result import Plan
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, WIDE, new_figure, style
from nbyk.report.lines import in_words
from nbyk.report.plan_tables import (
    RATERS,
    candidates_table,
    every_way,
    with_raters,
)
from nbyk.testing.shared_units.collection import Crew, Spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POWERS = (0.5, 0.8, 0.9, 0.95)
_ITEMS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000)
_RATINGS = (1, 2, 3, 5, 8, 10, 20)
_RUNS = (3, 4, 5, 6, 8, 10, 15, 20)


def plan_answer(plan: Plan, *, for_page: bool = False) -> Answer:
    """Return the answer of a plan: its lines, and the table of what else would do.

    `for_page` adds the grid of powers behind the sliders of a page.
    """
    head = plan.head
    tables = [head.table] if head.table else []
    if plan.candidates and plan.others:
        tables.append(AnswerTable("metrics", "Power by each metric, with its 95 % interval", every_way(plan)))
    if plan.candidates:
        tables.append(AnswerTable("candidates", _caption(plan), candidates_table(plan)))
    simulated = plan.request.is_simulated
    if simulated:
        each = plan.request.noun
        title = f"How many items and {each}s: {plan.request.world.prior.name}"
        draw, caption = "plan", f"The power of items N and {each}s per item K, and this plan"
    else:
        title = "Planning with people"
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
        details={**plan.to_dict(), "explorer": _sliders(plan) if for_page else None},
        n_printed=len(tables),
        head=head,
    )


def _caption(plan: Plan) -> str:
    asked, world = plan.request, plan.request.world
    goal = f"power {asked.power:g}" if asked.power is not None else "their power"
    return (
        f"{world.prior.name}: sizes compared for {goal} of the {in_words(world.test.name)} on "
        f"{world.test.metric.name}, α = {asked.alpha:g}, K up to {asked.max_responses}. "
        "N low to N high is the 95 % interval"
    )


def _sliders(plan: Plan) -> dict[str, Any] | None:
    """Return the data of a page's sliders: the power at every place of a grid, and prices; None without."""
    crew, request = plan.crew, plan.request
    curves = {curve.k_responses: curve for curve in plan.curves if 0.0 < curve.slope < math.inf}
    if not (curves if request.is_simulated else plan.effect and math.isfinite(plan.effect)):
        return None

    def power_at(n: int, j: int, k: int, r: int) -> float:
        if request.is_simulated:
            return curves[k].power(n)
        size = Crew(n, j, min(k, j or k), r, crew.items_per_cluster, crew.paired_runs, crew.calls)
        return request.power_of(size, plan.effect)

    # A pilot that does not show what fewer ratings do has its own number of them alone.
    own = bool(plan.metric) and isinstance(request.source, Spread) and not request.source.ratings
    least = crew.ratings_per_item if own else 0
    axes: dict[str, list[int]] = {
        "items": sorted({*(n for n in _ITEMS if n > crew.items_per_cluster), crew.n_items}),
        "raters": sorted({*(j for j in RATERS if j >= least), crew.raters}) if crew.raters else [0],
        "ratings": sorted(curves or {*(() if own else _RATINGS), crew.ratings_per_item}),
        "runs": sorted({*_RUNS, crew.runs}) if crew.runs else [0],
    }
    costs = request.costs
    rating = costs.rating * costs.rated_systems
    return {
        "axes": axes,
        "noun": request.noun,
        "power": [round(power_at(*size), 4) for size in product(*axes.values())],
        "items": crew.n_items,
        "raters": crew.raters,
        "ratings": crew.ratings_per_item,
        "runs": crew.runs,
        "goal": request.power or 0.8,
        "costs": {"item": costs.item, "rating": rating, "rater": costs.rater, "run": costs.run},
    }


def figure_of(plan: Plan) -> Figure:
    """Draw the least items N against ratings K, or raters J, for several powers, and the plan itself."""
    from matplotlib.ticker import LogLocator, NullLocator

    figure, axes = new_figure(WIDE, 3.6)
    asked, lines = plan.request, _items_by_power(plan)
    if asked.is_simulated:
        world, chosen, symbol = asked.world, plan.k_responses, "K"
        noun = plan.request.noun
        name = f"gold {noun}s per item, K" if world.has_gold else f"{noun}s of each answer, K"
        test = f"{in_words(world.test.name)} on {world.test.metric.name}"
        title = f"{world.prior.name}, ε = {plan.epsilon:.3g}: {test}, α = {asked.alpha:g}"
    else:
        chosen, symbol, name = plan.crew.raters, "J", "raters, J"
        title = f"effect {plan.effect:.3g}, {SIDES[asked.alternative]}, α = {asked.alpha:g}"
    label = f"N = {plan.n_items}, {symbol} = {chosen}: power {plan.power:.2f}"
    points = [*([(chosen, plan.n_items)] if plan.reachable else []), *chain(*lines.values())]
    with style():
        for (power, line), colour in zip(lines.items(), COLOURS, strict=False):
            if line:
                columns = zip(*line, strict=True)
                axes.plot(*columns, "o-", color=colour, markersize=3.5, label=f"power {power:g}")
        if plan.reachable:
            axes.plot(chosen, plan.n_items, "k*", markersize=13, label=label, linestyle="none")
        axes.set_xscale("log")
        axes.set_yscale("log")
        if points:
            axes.set_xlim(min(x for x, _ in points) / 1.15, 1.3 * max(x for x, _ in points))
            axes.set_ylim(max(2.0, min(n for _, n in points) / 1.6), 1.6 * max(n for _, n in points))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
            axis.set_major_formatter("{x:,g}")
            axis.set_minor_locator(NullLocator())
        axes.set_xlabel(name)
        axes.set_ylabel("items, N")
        axes.set_title(title, loc="left", fontsize=9)
        if points:
            figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _items_by_power(plan: Plan) -> dict[float, list[tuple[int, float]]]:
    if plan.request.is_simulated:
        sizes = {power: [(of.k_responses, of.items_for(power)) for of in plan.curves] for power in _POWERS}
        return {power: [point for point in line if math.isfinite(point[1])] for power, line in sizes.items()}
    return {
        power: [
            (one.crew.raters, one.crew.n_items)
            for one in (with_raters(plan, raters, power) for raters in RATERS)
            if one.reachable
        ]
        for power in _POWERS[:3]
    }
