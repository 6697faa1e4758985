"""The figures of a comparison: leaderboard, a pair's effect, sensitivity and variance shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.report.comparison.tables import SOURCE_NAMES
from nbyk.report.drawing import COLOURS, new_figure, shown_name, style
from nbyk.testing.systems.ranks import group_letters
from nbyk.testing.systems.result import ComparisonResult
from nbyk.testing.systems.sensitivity import Choice, Sensitivity
from nbyk.testing.systems.splits import SOURCES
from nbyk.testing.systems.standings import Leaderboard
from nbyk.testing.systems.variance import VarianceShares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK, _PALE = "#333333", "#bbbbbb"
_VERDICTS = {
    "A": ("#9ec9e6", "{a} is better"),
    "B": ("#f2b98f", "{b} is better"),
    "different": ("#dcc3dd", "they differ"),
    "undecided": ("#f4f4f4", "undecided"),
}
_HALF = 0.3


def leaderboard_figure(board: Leaderboard) -> Figure:
    """Draw scores and ranks with their intervals, best on top, and who cannot be told from whom."""
    n = len(board.standings)
    n_columns = len(board.groups) if board.against is None else 5
    widths = [3.4, 2.0, max(1.1, 0.14 * n_columns)]
    longest = max(len(shown_name(name)) for name in board.names)
    with style():
        import matplotlib.pyplot as plt

        figure, (scores, ranks, marks) = plt.subplots(
            1,
            3,
            figsize=(sum(widths) + 0.6 + 0.075 * longest, 0.24 * n + 1.0),
            sharey=True,
            width_ratios=widths,
        )
        rows = np.arange(n)
        values = np.array([standing.score for standing in board.standings])
        ends = np.array([[s.interval.low, s.interval.high] for s in board.standings]).T
        reach = np.maximum([values - ends[0], ends[1] - values], 0.0)
        scores.errorbar(values, rows, xerr=reach, fmt="o", color=COLOURS[0], markersize=4, elinewidth=1.2)
        scores.set_yticks(rows, [shown_name(name) for name in board.names])
        scores.set_ylim(n - 0.4, -0.6)
        scores.locator_params(axis="x", nbins=6)
        scores.set_xlabel(f"{board.metric}, {100 * board.standings[0].interval.level:g} % interval")
        for row, standing in enumerate(board.standings):
            low, high = standing.rank_low - _HALF, standing.rank_high + _HALF
            ranks.barh(row, high - low, left=low, height=0.5, color=COLOURS[5], alpha=0.7)
            drawn = (standing.bootstrap_rank_low - _HALF, standing.bootstrap_rank_high + _HALF)
            ranks.plot(drawn, (row, row), color=_INK, linewidth=1.0)
            ranks.plot(standing.rank, row, "o", color=_INK, markersize=3.5)
        ranks.set_xlim(0.4, n + 0.6)
        ranks.set_xticks(range(1, n + 1, max(1, round(n / 5))))
        ranks.set_xlabel("rank: its set,\nand bootstrapped (thin)")
        if board.against is None:
            _draw_groups(marks, board)
        else:
            _draw_beside(marks, board)
        for axes in (ranks, marks):
            axes.tick_params(axis="y", left=False)
    return figure


def pair_figure(result: ComparisonResult, a: str = "A", b: str = "B") -> Figure:
    """Draw the observed effect among what the null gives and what bootstrapped test sets give."""
    figure, axes = new_figure(6.0, 3.2)
    null, drawn = result.null_distribution, result.bootstrap_distribution
    low = min(null.min(), drawn.min(), result.effect)
    high = max(null.max(), drawn.max(), result.effect)
    margin = 0.02 * (high - low) or 1.0
    bins = np.linspace(low - margin, high + margin, 81).tolist()
    interval = result.interval_percentile
    with style():
        for values, colour, name in (
            (null, _PALE, f"null: {result.null}"),
            (drawn, COLOURS[5], "bootstrapped test sets"),
        ):
            weights = np.full(values.size, 1.0 / values.size)
            axes.hist(values, bins, weights=weights, color=colour, alpha=0.65, label=name)
        top = 1.12 * axes.get_ylim()[1]
        axes.plot(
            (interval.low, interval.high),
            (0.94 * top, 0.94 * top),
            color=COLOURS[0],
            linewidth=3,
            label=f"{100 * interval.level:g} % interval",
        )
        axes.axvline(result.effect, color=COLOURS[1], linewidth=1.6, label=f"observed, {result.effect:.3g}")
        axes.axvline(0.0, color=_INK, linewidth=0.8, linestyle=":")
        axes.set_ylim(0.0, top)
        axes.set_yticks([])
        axes.set_ylabel("share of draws")
        axes.set_xlabel(
            f"← {shown_name(b, 22)} is better | {shown_name(a, 22)} is better →\neffect on {result.metric}"
        )
        axes.set_title(
            f"{'over items alone: ' if len(result.claims) > 1 else ''}p = {result.p_value.p:.3g} "
            f"({result.alternative}), {result.n_items} items",
            loc="left",
            fontsize=9,
        )
        figure.legend(loc="outside right center", fontsize=8, frameon=False)
    return figure


def sensitivity_figure(found: Sensitivity, a: str = "A", b: str = "B") -> Figure:
    """Draw p of every metric under every null and expected p under every sampler, coloured by verdict."""
    from matplotlib.patches import Patch, Rectangle

    metrics = [of_metric.metric for of_metric in found.effects]
    columns = list(
        dict.fromkeys((choice.sampler is not None, choice.sampler or choice.null) for choice in found.choices)
    )
    n_nulls = sum(not expected for expected, _ in columns)
    at = {column: place + 0.35 * column[0] for place, column in enumerate(columns)}
    width = 0.62 * (len(columns) + 0.35)
    figure, axes = new_figure(width + 2.6, 0.25 * len(metrics) + 2.5)
    with style():
        for choice in found.choices:
            left = at[choice.sampler is not None, choice.sampler or choice.null]
            row = metrics.index(choice.metric)
            colour = "white" if choice.p is None else _VERDICTS[choice.verdict][0]
            axes.add_patch(Rectangle((left, row), 1.0, 1.0, facecolor=colour, edgecolor="white"))
            axes.text(left + 0.5, row + 0.5, _cell(choice), ha="center", va="center", fontsize=8, color=_INK)
        axes.set_xlim(0.0, max(at.values()) + 1.0)
        axes.set_ylim(len(metrics), 0.0)
        axes.set_yticks(np.arange(len(metrics)) + 0.5, metrics)
        ticks = [left + 0.5 for left in at.values()]
        axes.set_xticks(ticks, [name for _, name in columns], rotation=40, ha="right", fontsize=8)
        for name, start, stop in (
            ("p under the null", 0, n_nulls),
            ("expected p, sampler", n_nulls, len(columns)),
        ):
            if stop > start:
                middle = 0.5 * (ticks[start] + ticks[stop - 1])
                axes.text(middle, -0.25, name, ha="center", va="bottom", fontsize=8.5)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        seen = {choice.verdict for choice in found.choices}
        names = {"a": shown_name(a, 22), "b": shown_name(b, 22)}
        patches = [
            Patch(facecolor=colour, edgecolor=_PALE, label=text.format(**names))
            for verdict, (colour, text) in _VERDICTS.items()
            if verdict in seen
        ]
        figure.legend(
            handles=patches,
            loc="outside upper center",
            ncols=len(patches),
            fontsize=8,
            frameon=False,
            title=f"{found.alternative}, α = {found.alpha:g}",
            title_fontsize=8,
        )
    return figure


def shares_figure(
    shares: VarianceShares, a: str = "A", b: str = "B", sources: Sequence[str] = SOURCES
) -> Figure:
    """Draw which share of the variance each source has: a stacked bar, and each with its interval."""
    figure, axes = new_figure(5.2, 1.0 + 0.3 * len(sources))
    systems = {"a": a, "b": b}
    names = [
        f"{shown_name(systems[source], 22)}'s responses" if source in systems else SOURCE_NAMES[source]
        for source in sources
    ]
    left = 0.0
    with style():
        for row, source in enumerate(sources, start=1):
            part, colour = getattr(shares, source), COLOURS[(*SOURCES, "clusters").index(source)]
            if part.share is None:
                why = "not identified" if part.variance is None else "nothing varies"
                axes.text(0.01, row, why, va="center", fontsize=8, color=_INK)
                continue
            axes.barh(0, part.share, left=left, color=colour, height=0.75)
            left += part.share
            reach = np.maximum([[part.share - part.low], [part.high - part.share]], 0.0)
            axes.errorbar(part.share, row, xerr=reach, fmt="o", color=colour, markersize=4.5, capsize=3)
        axes.set_yticks(range(len(sources) + 1), ["all", *names])
        axes.set_ylim(len(sources) + 0.6, -0.6)
        axes.set_xlim(0.0, 1.0)
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(f"share of the variance, {100 * shares.confidence_level:g} % interval")
        axes.set_title(f"{shares.metric}: standard error {shares.standard_error:.3g}", loc="left", fontsize=9)
    return figure


def _draw_groups(axes: Axes, board: Leaderboard) -> None:
    """Draw a column for each group, with its letter at its systems."""
    place = {name: row for row, name in enumerate(board.names)}
    for column, letter in enumerate(group_letters(len(board.groups))):
        rows = [place[name] for name in board.groups[column]]
        axes.plot((column, column), (min(rows), max(rows)), color=_PALE, linewidth=1.0, zorder=0)
        for row in rows:
            axes.text(
                column,
                row,
                letter,
                ha="center",
                va="center",
                fontsize=8,
                fontweight="bold",
                color=COLOURS[column % len(COLOURS)],
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )
    axes.set_xlim(-0.8, len(board.groups) - 0.2)
    _draw_no_axes(axes, "groups that were\nnot told apart")


def _draw_beside(axes: Axes, board: Leaderboard) -> None:
    """Draw each system's corrected p beside the baseline."""
    beside: dict[str, Any] = {pair.a: pair for pair in board.pairs}
    for row, name in enumerate(board.names):
        pair = beside.get(name)
        text, colour = "baseline", _INK
        if pair is not None:
            side = "" if pair.better is None else " ▲" if pair.better == name else " ▼"
            text = f"{_p(pair.p_adjusted)}{side}"
            colour = {"": _INK, " ▲": COLOURS[0], " ▼": COLOURS[1]}[side]
        axes.text(0.0, row, text, va="center", fontsize=8, color=colour)
    axes.set_xlim(0.0, 1.0)
    _draw_no_axes(axes, "corrected p")


def _draw_no_axes(axes: Axes, name: str) -> None:
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlabel(name)


def _cell(choice: Choice) -> str:
    return "–" if choice.p is None else _p(choice.p)


def _p(p: float) -> str:
    """Return a p-value in three digits behind the point."""
    return "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".lstrip("0")
