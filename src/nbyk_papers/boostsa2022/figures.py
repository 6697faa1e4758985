"""The paper's figures, and one that it does not have: Type-I error against the share f of a resample."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.report.drawing import COLOURS, MARKERS, new_panels, style
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
    looks = _by_shade(cells["fraction"])
    figure, panels = new_panels(9.6, 3.9, 2, share_y=True)
    for axes, semantics in zip(panels, SEMANTICS, strict=True):
        of = cells[cells["semantics"] == semantics]
        shown = of[of["fraction"] <= LARGEST_ADMITTED] if semantics == "published" else of
        for fraction, look in looks.items():
            curve = shown[shown["fraction"] == fraction].sort_values("n_items")
            if curve.empty:
                continue
            p, reach = curve["p"].to_numpy(), curve["reach"].to_numpy()
            axes.fill_between(
                curve["n_items"],
                np.maximum(p - reach, _FLOOR),
                np.maximum(p + reach, _FLOOR),
                color=look["color"],
                alpha=0.2,
                linewidth=0,
            )
            axes.plot(curve["n_items"], np.maximum(p, _FLOOR), label=f"{fraction:g}", **look)
        axes.axhline(ALPHA, color="black", linewidth=0.8, linestyle="--")
        axes.set(xscale="log", yscale="log", xlabel="items N of the test set")
        _plain_ticks(axes, sorted(set(cells["n_items"])))
    panels[0].set_title(f"published, f ≤ {LARGEST_ADMITTED:g}, as BooStSa allows", loc="left", fontsize=9)
    panels[1].set_title("recommended, at any f", loc="left", fontsize=9)
    panels[0].set_ylabel("mean p and its 95 % interval (dashed, .05)")
    panels[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, title="share f")
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
            look: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)]}
            published = of[(of["semantics"] == "published") & (of["fraction"] <= LARGEST_ADMITTED)]
            recommended = of[of["semantics"] == "recommended"]
            axes.fill_between(
                recommended["fraction"],
                np.maximum(recommended["p_least"], _FLOOR),
                np.maximum(recommended["p_largest"], _FLOOR),
                alpha=0.12,
                linewidth=0,
                **look,
            )
            axes.plot(recommended["fraction"], np.maximum(recommended["p"], _FLOOR), linestyle=":", **look)
            axes.plot(
                published["fraction"],
                np.maximum(published["p"], _FLOOR),
                marker=MARKERS[number % len(MARKERS)],
                markersize=4.5,
                label=f"{discordance:g} ({round(discordance * TAGGED_ITEMS)})",
                **look,
            )
        axes.axhline(ALPHA, color="black", linewidth=0.8, linestyle="--")
        axes.axvline(SIGNIFICANT_ABOVE, color="black", linewidth=0.8, linestyle="-.")
        axes.set(yscale="log", xlabel="share f that a resample draws")
        axes.set_title(f"{score_name(score)}: {_scores_of(cells, score)}", loc="left", fontsize=9)
    panels[0].set_ylabel("p: published (markers), recommended (dotted)")
    panels[-1].legend(
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        title="discordance\n(items that exactly\none has right)",
    )
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
        look: dict[str, Any] = {"color": COLOURS[number], "marker": MARKERS[number]}
        axes.plot(
            rows["fraction"], np.maximum(rows["p"], _FLOOR), markersize=4.5, label=score_name(score), **look
        )
        axes.plot(
            EXAMPLE_FRACTION,
            printed.loc[printed["score"] == score, "printed_p"],
            linestyle="none",
            markersize=8,
            markerfacecolor="white",
            markeredgewidth=1.6,
            zorder=3,
            **look,
        )
    axes.axhline(ALPHA, color="black", linewidth=0.8, linestyle="--")
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
    with style():
        import matplotlib.pyplot as plt

        figure, panels = plt.subplots(
            len(sizes),
            len(columns),
            figsize=(3.1 * len(columns), 0.7 + 3.0 * len(sizes)),
            sharex=True,
            sharey=True,
            squeeze=False,
        )
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
    axes.axhline(ALPHA, color="black", linewidth=0.8, linestyle="--")
    for number, (score, of) in enumerate(levels.groupby("score", sort=False)):
        rate = of["rate"].to_numpy()
        axes.errorbar(
            of["fraction"],
            rate,
            yerr=np.stack([rate - of["low"], of["high"] - rate]),
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=1.2,
            elinewidth=0.8,
            label=score_name(str(score)),
        )


def _by_shade(fractions: pd.Series) -> dict[float, dict[str, Any]]:
    """Return the looks of shares, from light (few items) to dark, and black for all items."""
    import matplotlib as mpl

    shown = sorted(set(fractions))
    colours = mpl.colormaps["viridis_r"](np.linspace(0.15, 0.9, len(shown)))
    return {
        fraction: {
            "color": "black" if fraction == 1.0 else colour,
            "marker": MARKERS[number % len(MARKERS)],
            "markersize": 4.5,
            "linewidth": 1.2,
        }
        for number, (fraction, colour) in enumerate(zip(shown, colours, strict=True))
    }


def _plain_ticks(axes: Axes, values: list[int]) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_xticks(values, [f"{value:,}".replace(",", " ") for value in values])
    axes.xaxis.set_minor_locator(NullLocator())


def _scores_of(cells: pd.DataFrame, score: str) -> str:
    of = cells[cells["score"] == score]
    return f"B {of['score_b'].mean():.4f}, A {of['score_a'].mean():.4f}"
