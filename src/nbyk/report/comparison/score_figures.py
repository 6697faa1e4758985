"""The figures of scores: their distributions, a test's null, quantile functions and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbyk.data.arrays import Floats
from nbyk.report.drawing import COLOURS, WIDE, new_figure, new_panels, shown_name, style
from nbyk.testing.results import Board, Pair
from nbyk.testing.scores.null_draws import null_draws

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK, _PALE = "#333333", "#bbbbbb"
_POINTS_UP_TO = 400
_GOLDEN = 0.6180339887498949


def scores_figure(board: Board) -> Figure:
    """Draw each system's scores (points or, if there are many, a box) and their means with intervals."""
    scores, percent = board.sample.scores, _percent(board)
    figure, axes = new_figure(WIDE, 0.55 * len(scores) + 1.1)
    with style():
        for row, (name, sample) in enumerate(scores.items()):
            standing = board.standing(name)
            _draw_sample(axes, row, sample, COLOURS[row % len(COLOURS)])
            low, high = standing.interval
            axes.errorbar(
                [standing.score],
                [row],
                xerr=np.nan_to_num([[standing.score - low], [high - standing.score]]),
                fmt="D",
                color=_INK,
                markersize=5,
                elinewidth=1.8,
                label=f"mean, {percent} interval" if row == 0 else None,
            )
        names = [f"{shown_name(name)}  (n = {len(sample)})" for name, sample in scores.items()]
        axes.set_yticks(range(len(scores)), names)
        axes.set_ylim(len(scores) - 0.45, -0.55)
        axes.set_xlabel("score")
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside upper right", frameon=False)
    return figure


def _percent(board: Board) -> str:
    return f"{100 * board.question.confidence_level:g} %"


def _draw_sample(axes: Axes, row: int, sample: Floats, colour: str) -> None:
    if len(sample) > _POINTS_UP_TO:
        axes.boxplot(
            sample,
            positions=[row],
            orientation="horizontal",
            widths=0.5,
            manage_ticks=False,
            showfliers=False,
            whis=(2.5, 97.5),
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.35, "edgecolor": colour},
            medianprops={"color": colour},
            whiskerprops={"color": colour},
            capprops={"color": colour},
        )
        return
    offsets = np.empty(len(sample))
    offsets[np.argsort(sample, kind="stable")] = spread(len(sample))
    axes.plot(
        sample, row + 0.44 * offsets, "o", color=colour, alpha=0.55, markersize=4.5, markeredgewidth=0.0
    )


def spread(n: int) -> Floats:
    """Return offsets in [−½, ½) that keep n points in ascending order of their score apart."""
    # Multiples of the golden ratio spread points of nearly the same score evenly.
    return np.asarray((np.arange(1, n + 1) * _GOLDEN) % 1.0 - 0.5, dtype=np.float64)


def null_figure(pair: Pair) -> Figure:
    """Draw the distribution of the test's statistic under the null, and the observed value."""
    asked, scores = pair.question, pair.sample.scores
    null = null_draws(asked.test, scores[pair.a], scores[pair.b], seed=asked.seed)
    low, high = (
        min(null.values.min(), null.observed),
        max(null.values.max(), null.observed),
    )
    margin = 0.03 * (high - low) or 1.0
    bins = np.linspace(low - margin, high + margin, 61)
    figure, axes = new_figure(WIDE, 3.2)
    with style():
        shares, _ = np.histogram(null.values, bins)
        shares = shares / null.values.size
        middles, width = 0.5 * (bins[1:] + bins[:-1]), bins[1] - bins[0]
        beyond = {
            "greater": middles >= null.observed,
            "less": middles <= null.observed,
            "two-sided": np.abs(middles) >= abs(null.observed),
        }[asked.alternative]
        for inside, colour, label in (
            (~beyond, _PALE, "if both were equally good"),
            (beyond, COLOURS[4], "at least as extreme"),
        ):
            if inside.any():  # without bars, the legend would show another colour
                axes.bar(middles[inside], shares[inside], width, color=colour, label=label)
        axes.axvline(null.observed, color=COLOURS[1], linewidth=1.8, label=f"observed, {null.observed:.3g}")
        axes.axvline(0.0, color=_INK, linewidth=0.8, linestyle=":")
        axes.set_yticks([])
        axes.set_ylabel("share under the null")
        axes.set_xlabel(
            f"← {shown_name(pair.b, 22)} is better | {shown_name(pair.a, 22)} is better →\n{null.statistic}"
        )
        figure.legend(loc="outside lower center", frameon=False)
    return figure


def aso_figure(pair: Pair) -> Figure:
    """Draw quantile functions, mark where A's is below B's, and draw the bootstrapped ratio and bound."""
    order, tau = pair.claims[0].order, pair.question.tau
    if order is None or order.resampled is None or tau is None:
        raise TypeError(f"{pair.a} and {pair.b} were not compared by Almost Stochastic Order")
    figure, (left, right) = new_panels(8.6, 3.3, 2)
    with style():
        quantile_panel(left, pair)
        bins = np.linspace(0.0, 1.0, 51).tolist()
        weights = np.full(order.resampled.size, 1.0 / order.resampled.size)
        right.hist(order.resampled, bins, weights=weights, color=_PALE, label="bootstrapped samples")
        right.axvline(order.violation_ratio, color=COLOURS[2], linewidth=1.8, label="violation ratio")
        right.axvline(order.eps_min, color=COLOURS[1], linewidth=1.8, label=f"eps_min, {order.eps_min:.3g}")
        right.axvline(tau, color=_INK, linewidth=1.0, linestyle=":", label=f"τ = {tau:g}")
        right.set_xlim(-0.01, 1.01)
        right.set_yticks([])
        right.set_ylabel("share of resamples")
        right.set_xlabel(f"violation ratio of {shown_name(pair.a, 16)} over {shown_name(pair.b, 16)}")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def quantile_panel(axes: Axes, pair: Pair) -> None:
    """Draw both systems' quantile functions, and fill the area between them by its sign."""
    a, b = (np.sort(pair.sample.scores[name]) for name in (pair.a, pair.b))
    edges = np.union1d(np.arange(len(a) + 1) / len(a), np.arange(len(b) + 1) / len(b))
    middles = 0.5 * (edges[1:] + edges[:-1])
    of_a, of_b = (sample[(middles * len(sample)).astype(int)] for sample in (a, b))
    violated = f"{shown_name(pair.a, 16)} is below: violated"
    for colour, where, label in ((COLOURS[5], of_a >= of_b, None), (COLOURS[1], of_a < of_b, violated)):
        if not where.any():
            continue
        axes.bar(
            edges[:-1][where],
            (of_a - of_b)[where],
            np.diff(edges)[where],
            bottom=of_b[where],
            align="edge",
            color=colour,
            alpha=0.35,
            linewidth=0.0,
            label=label,
        )
    for sample, colour, name in ((a, COLOURS[0], pair.a), (b, _INK, pair.b)):
        axes.stairs(
            sample, np.arange(len(sample) + 1) / len(sample), color=colour, baseline=None, linewidth=1.6
        )
        axes.plot([], [], color=colour, linewidth=1.6, label=shown_name(name))
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("share of scores at most as high")
    axes.set_ylabel("score")
