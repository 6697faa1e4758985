"""The paper's figures, and one that it does not have: Type-I error against the share f of a resample."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nbyk.report.drawing import new_panels
from nbyk_papers.boostsa2022.comparison import chosen_score, example, half_width, means, score_name
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    EXAMPLE,
    EXAMPLE_FRACTION,
    LARGEST_ADMITTED,
    SEMANTICS,
    SIGNIFICANT_ABOVE,
    TAGGED_ITEMS,
    TAGGING,
)
from nbyk_papers.shown import draw_points, legend_beside, look, mark_level, panel_grid, plain_ticks, shades

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FLOOR = 1e-4
"""Smaller p-values are drawn here, on a log scale."""


def figures_of(p_values: pd.DataFrame, levels: pd.DataFrame) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each figure that the numbers allow, by file name."""
    drawn: dict[str, Callable[[], Figure]] = {
        "figure_01": partial(balanced_figure, p_values),
        "figure_03": partial(example_figure, p_values),
        "type_1_error": partial(levels_figure, levels),
    }
    if (p_values["design"] == "tagging").any():
        drawn["figure_02"] = partial(tagging_figure, p_values)
    return drawn


def balanced_figure(p_values: pd.DataFrame) -> Figure:
    """Draw p against the size of the test set, a curve per share f: those that BooStSa admits, and all."""
    balanced = p_values[p_values["design"] == "balanced"]
    score = chosen_score(balanced, "accuracy")
    cells = means(balanced[balanced["score"] == score])
    cells = cells.assign(reach=half_width(cells).fillna(0.0))
    looks = shades(cells["fraction"])
    figure, panels = new_panels(9.6, 3.9, 2, share_y=True)
    for axes, semantics in zip(panels, SEMANTICS, strict=True):
        of = cells[cells["semantics"] == semantics]
        shown = of[of["fraction"] <= LARGEST_ADMITTED] if semantics == "published" else of
        for fraction in sorted(set(shown["fraction"])):
            curve = shown[shown["fraction"] == fraction].sort_values("n_items")
            p, reach, own = curve["p"], curve["reach"], looks[fraction]
            band = np.maximum([p - reach, p + reach], _FLOOR)
            axes.fill_between(curve["n_items"], *band, color=own["color"], alpha=0.2, linewidth=0)
            axes.plot(curve["n_items"], np.maximum(p, _FLOOR), label=f"{fraction:g}", **own)
        mark_level(axes, ALPHA)
        axes.set(xscale="log", yscale="log", xlabel="items N of the test set")
        plain_ticks(axes, sorted(set(cells["n_items"])))
    panels[0].set_title(f"published, f ≤ {LARGEST_ADMITTED:g}, as BooStSa allows", loc="left", fontsize=9)
    panels[1].set_title("recommended, at any f", loc="left", fontsize=9)
    panels[0].set_ylabel("mean p and its 95 % interval (dashed, .05)")
    legend_beside(panels[1], title="share f")
    accuracies = f"{cells['score_b'].mean():.2f} and {cells['score_a'].mean():.2f}"
    figure.suptitle(f"Figure 1: two classes, accuracies {accuracies}, errors independent", fontsize=10)
    return figure


def tagging_figure(p_values: pd.DataFrame) -> Figure:
    """Draw p against the share f, a curve per discordance, a panel per score; bands span the simulations."""
    cells = means(p_values[p_values["design"] == "tagging"])
    scores = [score for score in TAGGING if score in set(cells["score"])] or [chosen_score(cells, "accuracy")]
    figure, panels = new_panels(4.8 * len(scores), 3.9, len(scores), share_y=True)
    for axes, score in zip(panels, scores, strict=True):
        for number, discordance in enumerate(sorted(set(cells["discordance"]))):
            of = cells[(cells["score"] == score) & (cells["discordance"] == discordance)]
            own = look(number)
            published = of[(of["semantics"] == "published") & (of["fraction"] <= LARGEST_ADMITTED)]
            recommended = of[of["semantics"] == "recommended"]
            band = np.maximum(recommended[["p_least", "p_largest", "p"]], _FLOOR)
            x, title = recommended["fraction"], f"{discordance:g} ({round(discordance * TAGGED_ITEMS)})"
            axes.fill_between(
                x, band["p_least"], band["p_largest"], color=own["color"], alpha=0.12, linewidth=0
            )
            axes.plot(x, band["p"], color=own["color"], linestyle=":")
            p = np.maximum(published["p"], _FLOOR)
            axes.plot(published["fraction"], p, markersize=4.5, label=title, **own)
        mark_level(axes, ALPHA)
        axes.axvline(SIGNIFICANT_ABOVE, color="black", linewidth=0.8, linestyle="-.")
        axes.set(yscale="log", xlabel="share f that a resample draws")
        axes.set_title(f"{score_name(score)}: {_scores_of(cells, score)}", loc="left", fontsize=9)
    panels[0].set_ylabel("p: published (markers), recommended (dotted)")
    legend_beside(panels[-1], title="discordance\n(items that exactly\none has right)")
    said = f"in the paper, p < .05 only to the right of f = {SIGNIFICANT_ABOVE:g}"
    figure.suptitle(f"Figure 2: {TAGGED_ITEMS} items; {said}", fontsize=10)
    return figure


def example_figure(p_values: pd.DataFrame) -> Figure:
    """Draw the p-values of the printed example against the share f, and the printed ones at its own share."""
    cells = means(p_values[(p_values["design"] == "example") & (p_values["semantics"] == "published")])
    printed = example(p_values)
    figure, (axes,) = new_panels(6.4, 3.9, 1)
    for number, score in enumerate(score for score in EXAMPLE if score in set(cells["score"])):
        rows = cells[cells["score"] == score]
        own, p = look(number), np.maximum(rows["p"], _FLOOR)
        axes.plot(rows["fraction"], p, markersize=4.5, label=score_name(score), **own)
        hollow = {"markersize": 8, "markerfacecolor": "white", "markeredgewidth": 1.6, "zorder": 3, **own}
        of_score = printed.loc[printed["score"] == score, "printed_p"]
        axes.plot(EXAMPLE_FRACTION, of_score, linestyle="none", **hollow)
    mark_level(axes, ALPHA)
    axes.axvline(LARGEST_ADMITTED, color="black", linewidth=0.8, linestyle=":")
    axes.set(yscale="log", xlabel="share f that a resample draws (dotted: the largest that BooStSa allows)")
    axes.set_ylabel("p, published semantics (dashed, .05)")
    axes.legend(frameon=False)
    figure.suptitle("Figure 3: printed p (large, hollow), and ours on the same predictions", fontsize=10)
    return figure


def levels_figure(levels: pd.DataFrame) -> Figure:
    """Draw Type-I error against the share f, a curve per score: a panel per size, labels and semantics."""
    columns = [(kind, semantics) for kind in dict.fromkeys(levels["kind"]) for semantics in SEMANTICS]
    sizes = sorted(set(levels["n_items"]))
    size = 3.1 * len(columns), 0.7 + 3.0 * len(sizes)
    figure, panels = panel_grid(len(sizes), len(columns), size, share_x=True, share_y=True)
    for row, n_items in zip(panels, sizes, strict=True):
        for axes, (kind, semantics) in zip(row, columns, strict=True):
            of = levels[(levels["kind"] == kind) & (levels["semantics"] == semantics)]
            _draw_levels(axes, of[of["n_items"] == n_items])
            axes.set_title(f"{kind} labels, {semantics}, N = {n_items}", loc="left", fontsize=9)
        row[0].set_ylabel("share with p ≤ .05")
    for axes in panels[0]:
        axes.legend(frameon=False, loc="upper left", fontsize=7.5)
    for axes in panels[-1]:
        axes.set_xlabel("share f that a resample draws")
    what = f"{int(levels['n_sets'].min())} test sets, exact 95 % intervals, 99 % band"
    figure.suptitle(f"Type-I error: A and B equally good; {what}", fontsize=10)
    return figure


def _draw_levels(axes: Axes, levels: pd.DataFrame) -> None:
    axes.axhspan(levels["band_low"].min(), levels["band_high"].max(), color="#e6e6e6", zorder=0)
    mark_level(axes, ALPHA)
    for number, (score, of) in enumerate(levels.groupby("score", sort=False)):
        rate = of["rate"].to_numpy()
        reach = [rate - of["low"], of["high"] - rate]
        draw_points(axes, of["fraction"], rate, reach, label=score_name(str(score)), **look(number))


def _scores_of(cells: pd.DataFrame, score: str) -> str:
    of = cells[cells["score"] == score]
    return f"B {of['score_b'].mean():.4f}, A {of['score_a'].mean():.4f}"
