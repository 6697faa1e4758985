"""The figures of Ulmer et al. 2022, and a figure of the published rates against ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.report.drawing import COLOURS, new_figure, new_panels
from nbyk_papers import placed
from nbyk_papers.shown import draw_points, legend_beside, look, mark_level
from nbyk_papers.ulmer2022.comparison import PERCENT, across, beside_published, error_rates, type_of
from nbyk_papers.ulmer2022.design import (
    ALPHA,
    ASO,
    ASO_THRESHOLD,
    SEMANTICS,
    TYPE_1,
    in_papers_order,
    label,
    label_of_test,
)
from nbyk_papers.ulmer2022.score_cells import MIXTURES, ScoreDistribution, distribution_named

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_READINGS = {"as_run": "as run", "as_printed": "as printed"}
_CROSS: Any = {"marker": "x", "linestyle": "none", "markersize": 4.5, "markeredgewidth": 1.1}


def figures_of(scores: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each figure that the scores allow, by file name."""
    rates = error_rates(scores, [ALPHA, ASO_THRESHOLD])
    shown = rates[rates["threshold"] == np.where(rates["test"] == ASO, ASO_THRESHOLD, ALPHA)]
    drawn: dict[str, Callable[[], Figure]] = {
        "figure_02": partial(distributions_figure, list(dict.fromkeys(scores["distribution"]))),
        "agreement": partial(agreement_figure, cells),
    }
    for semantics in SEMANTICS:
        part = shown[shown["semantics"] == semantics]
        under_null = scores[(scores["semantics"] == semantics) & (scores["error"] == TYPE_1)]
        drawn[placed(semantics, "figure_03")] = partial(
            rates_figure, part[part["error"] == TYPE_1], semantics
        )
        drawn[placed(semantics, "figure_06")] = partial(scores_figure, under_null, semantics)
        type_2 = part[part["error"] != TYPE_1]
        if len(type_2):
            drawn[placed(semantics, "figure_07")] = partial(rates_figure, type_2, semantics)
    return drawn


def distributions_figure(names: Sequence[str]) -> Figure:
    """Draw Figure 2: the densities of a system's scores, the normal mixture under both of its readings."""
    figure, axes = new_figure(7.6, 3.8)
    x = np.linspace(-5.0, 6.0, 1101)
    shown: list[tuple[str, ScoreDistribution]] = []
    for name in names:
        if name == "normal_mixture":
            shown += [(f"{label(name)}, {_READINGS[key]}", mixture) for key, mixture in MIXTURES.items()]
        else:
            shown.append((label(name), distribution_named(name, SEMANTICS["published"])))
    for index, (title, distribution) in enumerate(shown):
        line: Any = {"color": COLOURS[index % len(COLOURS)], "linestyle": ("-", "--", "-.", ":")[index % 4]}
        axes.plot(x, distribution.density(x), label=title, **line)
    axes.set(xlabel="score", ylabel="density")
    axes.set_ylim(bottom=0.0)
    legend_beside(axes)
    return figure


def rates_figure(rates: pd.DataFrame, semantics: str) -> Figure:
    """Draw Figure 3 or 7: each test's rate at its usual threshold, a panel per distribution and error."""
    panels = in_papers_order(rates[["distribution", "error"]].itertuples(index=False, name=None))
    figure, all_axes = new_panels(3.1 * len(panels) + 1.6, 3.6, len(panels), share_y=True)
    published = beside_published(rates, semantics)
    tests = list(dict.fromkeys(rates["test"]))
    for axes, (distribution, error) in zip(all_axes, panels, strict=True):
        of = rates[(rates["distribution"] == distribution) & (rates["error"] == error)]
        printed = published[(published["distribution"] == distribution) & (published["error"] == error)]
        varies, name = across(error)
        places = {value: place for place, value in enumerate(sorted(set(of[varies])))}
        for index, test in enumerate(tests):
            dodge = 0.09 * (index - 0.5 * (len(tests) - 1))
            mine, theirs = of[of["test"] == test], printed[printed["test"] == test]
            reach = [mine["rate"] - mine["low"], mine["high"] - mine["rate"]]
            x, shown = mine[varies].map(places) + dodge, {"label": label_of_test(test), **look(index)}
            draw_points(axes, x, mine["rate"], reach, **shown)
            axes.plot(theirs[varies].map(places) + dodge, theirs["published_rate"], color="black", **_CROSS)
        axes.set_xticks(list(places.values()), [f"{value:g}" for value in places])
        axes.set_xlabel(name)
        axes.set_title(label(distribution), loc="left")
    kind = type_of(str(rates["error"].iloc[0]))
    all_axes[0].set_ylim(bottom=0.0)
    all_axes[0].set_ylabel(f"Type-{kind} error (95 % intervals)")
    if len(published):
        all_axes[-1].plot([], [], color="black", label="published", **_CROSS)
    if kind == "I":
        for axes in all_axes:
            mark_level(axes, ALPHA)
    legend_beside(all_axes[-1])
    thresholds = f"p at {ALPHA:g}, eps_min at {ASO_THRESHOLD:g}"
    figure.suptitle(f"Type-{kind} error, {thresholds}, {semantics} semantics", fontsize=10)
    return figure


def scores_figure(scores: pd.DataFrame, semantics: str) -> Figure:
    """Draw Figure 6: p-values and eps_min of equally good systems, a panel per distribution."""
    from matplotlib.lines import Line2D

    names = list(dict.fromkeys(scores["distribution"]))
    figure, panels = new_panels(3.1 * len(names) + 1.6, 3.6, len(names), share_y=True)
    tests = list(dict.fromkeys(scores["test"]))
    width = 0.8 / len(tests)
    for axes, name in zip(panels, names, strict=True):
        of = scores[scores["distribution"] == name]
        sizes = sorted(set(of["sample_size"]))
        for index, test in enumerate(tests):
            colour = COLOURS[index % len(COLOURS)]
            mine = of[of["test"] == test]
            _draw_boxes(
                axes,
                [mine.loc[mine["sample_size"] == n, "score"] for n in sizes],
                [place + width * (index - 0.5 * (len(tests) - 1)) for place in range(len(sizes))],
                width=0.85 * width,
                colour=colour,
            )
        axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])
        axes.set_xlabel("sample size")
        axes.set_title(label(name), loc="left")
    panels[0].set(ylim=(-0.02, 1.02), ylabel="p-value, or eps_min of ASO")
    handles = [
        Line2D([], [], color=COLOURS[index % len(COLOURS)], label=label_of_test(test))
        for index, test in enumerate(tests)
    ]
    legend_beside(panels[-1], handles=handles)
    figure.suptitle(f"Scores of equally good systems (boxes: quartiles), {semantics} semantics", fontsize=10)
    return figure


def agreement_figure(of_semantics: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the distances of published rates from ours, and their prediction interval, by semantics."""
    figure, panels = new_panels(9.6, 4.4, len(of_semantics), share_y=True)
    for axes, (semantics, cells) in zip(panels, of_semantics.items(), strict=True):
        for index, test in enumerate(dict.fromkeys(cells["test"])):
            of = cells[cells["test"] == test]
            shown = {"linestyle": "none", "alpha": 0.7, "label": label_of_test(test), **look(index)}
            axes.plot(of["rate"], of["published_rate"] - of["rate"], markersize=3.0, **shown)
        for of_aso, line in ((False, "-"), (True, "--")):
            of = cells[(cells["test"] == ASO) == of_aso].sort_values("rate")
            name = f"{PERCENT}, {'ASO' if of_aso else 'others'}"
            for side in ("predicted_low", "predicted_high"):
                label_once = name if side == "predicted_low" else None
                axes.plot(
                    of["rate"], of[side] - of["rate"], color="black", linestyle=line, lw=0.8, label=label_once
                )
        axes.set_xlabel("rate, nbyk")
        inside = f"{int(cells['agrees'].sum())} of {len(cells)} inside"
        axes.set_title(f"{semantics}: {inside}", loc="left")
    panels[0].set_ylabel("published rate − ours")
    legend_beside(panels[-1])
    figure.suptitle("Ulmer et al. 2022, Tables 1 to 8, reproduced", fontsize=10)
    return figure


def _draw_boxes(
    axes: Axes, groups: Sequence[pd.Series], places: Sequence[float], *, width: float, colour: str
) -> None:
    from matplotlib.colors import to_rgba

    line = {"color": colour, "linewidth": 0.9}
    axes.boxplot(
        groups,
        positions=places,
        widths=width,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"edgecolor": colour, "linewidth": 0.9, "facecolor": to_rgba(colour, 0.25)},
        whiskerprops=line,
        capprops=line,
        medianprops={**line, "linewidth": 1.6},
        flierprops={"marker": ".", "markersize": 2.0, "markeredgecolor": colour, "alpha": 0.4},
    )
