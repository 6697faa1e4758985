"""The figures: printed p against ours, and p and power against K, for each metric."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.report.drawing import new_panels
from nbyk_papers.pandita2026.comparison import shown_epsilon
from nbyk_papers.pandita2026.design import ALPHA, METRICS, POWER, dirichlet_name
from nbyk_papers.shown import draw_points, legend_beside, look, mark_level, panel_grid

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SHOWN_BUDGET = 1000
_FLOOR = 5e-4
"""Smaller p-values are drawn here, on a log scale."""


def figures_of(grid: pd.DataFrame, printed: pd.DataFrame) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each figure, by file name, from `read_grid` and `beside_printed`."""
    return {
        "agreement": partial(agreement_figure, printed),
        "p_by_k": partial(by_k_figure, grid, "p_with_ties"),
        "power_by_k": partial(by_k_figure, grid, "power"),
    }


def agreement_figure(printed: pd.DataFrame) -> Figure:
    """Draw the printed p of each cell of Table 2 against ours, and the power of a t-test there."""
    figure, (left, right) = new_panels(9.6, 4.2, 2)
    for number, metric in enumerate(METRICS):
        of = printed[printed["metric"] == metric]
        own: dict[str, Any] = {"linestyle": "none", **look(number)}
        middle = 0.5 * (of["p"] + of["p_with_ties"])
        reach = 0.5 * (of["p_with_ties"] - of["p"]) + 2.0 * of["p_error"]
        draw_points(left, of["printed_p"], middle, reach, **own)
        right.plot(of["n_items"], of["power"], label=metric, **own)
    top = 1.1 * float(max(printed[["printed_p", "p_with_ties"]].max(), default=ALPHA))
    left.plot([0.0, top], [0.0, top], color="black", linewidth=0.8)
    left.set(xlabel="p, printed", ylabel="p, ours (both countings of ties ± 2 standard errors)")
    mark_level(right, POWER)
    right.set(xscale="log", ylim=(-0.03, 1.03), xlabel="items N of the cell")
    right.set_ylabel(f"power of a t-test over items at {ALPHA:g} (dashed, {POWER:g})")
    legend_beside(right)
    figure.suptitle("Table 2: the paper's p, and what a test of one such set would find", fontsize=10)
    return figure


def by_k_figure(grid: pd.DataFrame, column: str) -> Figure:
    """Draw p or power against K at one budget, a panel for each metric and a curve for each prior."""
    budgets = grid["budget"].unique()
    budget = int(budgets[np.abs(budgets - SHOWN_BUDGET).argmin()])
    epsilon = shown_epsilon(grid)
    shown = grid[(grid["budget"] == budget) & (grid["epsilon"] == epsilon)]
    figure, panels = panel_grid(2, 2, (9.6, 6.4), share_x=True, share_y=True)
    for axes, metric in zip(panels.flat, METRICS, strict=True):
        for number, (source, of) in enumerate(shown[shown["metric"] == metric].groupby("source", sort=False)):
            y = of[column] if column == "power" else np.maximum(of[column], _FLOOR)
            shown_as = {"linestyle": "-" if number < 5 else ":", "markersize": 3, **look(number % 5)}
            axes.plot(of["k_responses"], y, linewidth=1.1, label=dirichlet_name(str(source)), **shown_as)
        mark_level(axes, POWER if column == "power" else ALPHA)
        axes.set(xscale="log", yscale="linear" if column == "power" else "log")
        axes.set_title(metric, loc="left", fontsize=9)
    what = f"power of a t-test over items at {ALPHA:g}" if column == "power" else "the paper's p"
    for axes in panels[:, 0]:
        axes.set_ylabel("power" if column == "power" else "p, ties counted")
    for axes in panels[1]:
        axes.set_xlabel("responses K per item")
    panels[0, 1].legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)
    figure.suptitle(f"{what[0].upper()}{what[1:]} at N·K = {budget:,}, ε = {epsilon:g}", fontsize=10)
    return figure
