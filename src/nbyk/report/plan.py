"""A plan as an answer: its lines and tables, and its figures."""

from __future__ import annotations

import math
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from nbyk.planning.request import SIDES
from nbyk.planning.result import Plan
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, WIDE, new_figure, style
from nbyk.report.lines import in_words
from nbyk.report.plan_tables import (
    RATERS,
    candidates_table,
    every_way,
    rating_or_label,
    with_raters,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POWERS = (0.5, 0.8, 0.9, 0.95)


def plan_answer(plan: Plan) -> Answer:
    """Return the answer of a plan: its lines, and the table of what else would do."""
    head = plan.head
    tables = [head.table] if head.table else []
    if plan.candidates and plan.others:
        tables.append(AnswerTable("metrics", "Power by each metric, with its 95 % interval", every_way(plan)))
    if plan.candidates:
        tables.append(AnswerTable("candidates", _caption(plan), candidates_table(plan)))
    simulated = plan.request.is_simulated
    if simulated:
        each = rating_or_label(plan)
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
        details=plan.to_dict(),
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


def figure_of(plan: Plan) -> Figure:
    """Draw the least items N against ratings K, or raters J, for several powers, and the plan itself."""
    from matplotlib.ticker import LogLocator, NullLocator

    figure, axes = new_figure(WIDE, 3.6)
    asked, lines = plan.request, _items_by_power(plan)
    if asked.is_simulated:
        world, chosen, symbol = asked.world, plan.k_responses, "K"
        noun = rating_or_label(plan)
        name = f"gold {noun}s per item, K" if world.has_gold else "ratings of each answer, K"
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
