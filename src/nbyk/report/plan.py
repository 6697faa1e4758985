"""A plan as an answer: the plane of N and K with its power, the K that were compared, and sliders."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.planning.result import Plan
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, new_figure, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_POWERS = (0.5, 0.8, 0.9, 0.95)
_LINE = "#1f3b57"
_BANDS = ("#e3ecf5", "#c3d7ea", "#9dbfdd", "#74a3cc")


def plan_answer(plan: Plan) -> Answer:
    """Return the answer of a plan; it has sliders if the power at other sizes is known."""
    several = len(plan.candidates) > 1
    table = AnswerTable("candidates", _caption(plan), candidates_table(plan))
    figure = AnswerFigure(
        "plan", f"Items N and ratings per item K: {_caption(plan)}", partial(plan_figure, plan)
    )
    return Answer(
        title=f"How many items and ratings: {plan.request.prior.name}",
        sentences=(plan.sentence,),
        tables=(table,) if plan.candidates else (),
        figures=(figure,),
        cautions=plan.warnings,
        details={**plan.to_dict(), "explorer": _explorer(plan)},
        n_printed=int(several),
    )


def _explorer(plan: Plan) -> dict[str, Any] | None:
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
        "cost_per_item": asked.cost_per_item,
        "cost_per_rating": asked.cost_per_response,
        "power": asked.power or 0.8,
        "most_items": asked.max_items,
    }


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


def plan_figure(plan: Plan) -> Figure:
    """Draw the plane of K and N: contours of the power at the plan's ε, the budget line and the answer."""
    figure, axes = new_figure(6.0, 4.4)
    asked, cost = plan.request, plan.cost
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
        price = asked.cost_per_item + each * asked.cost_per_response
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
            label=f"N = {plan.n_items}, K = {plan.k_responses}: power {plan.power.power:.2f}",
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(each[0], each[-1])
        axes.set_ylim(*n_range)
        ticks = [k for k in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if each[0] <= k <= each[-1]]
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.set_xticks([], minor=True)
        low, high = math.floor(math.log10(n_range[0])), math.ceil(math.log10(n_range[1]))
        ticks = [m * 10**e for e in range(low, high + 1) for m in (1, 2, 5)]
        ticks = [n for n in ticks if n_range[0] <= n <= n_range[1]]
        axes.set_yticks(ticks, [f"{n:,g}" for n in ticks])
        axes.set_yticks([], minor=True)
        axes.set_xlabel("gold ratings per item, K" if asked.has_gold else "ratings of each answer, K")
        axes.set_ylabel("items, N")
        axes.set_title(
            f"{asked.prior.name}, ε = {plan.epsilon:.3g}: {plan.power.test} on {plan.power.metric}, "
            f"α = {plan.power.alpha:g}",
            loc="left",
            fontsize=9,
        )
        axes.legend(loc="best", framealpha=0.9, fontsize=8)
    return figure


def _caption(plan: Plan) -> str:
    asked = plan.request
    goal = f"power {asked.power:g}" if asked.power is not None else "their power"
    return (
        f"{asked.prior.name}: sizes compared for {goal} of {plan.power.test} on {plan.power.metric}, "
        f"α = {plan.power.alpha:g}, K up to {asked.max_responses}. N low to N high is the 95 % interval"
    )
