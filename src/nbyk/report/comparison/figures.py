"""The figures of a comparison: systems, a pair's effect, a null, sensitivity and variance shares."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbyk.arrays import Floats
from nbyk.report.comparison.sentences import interval_in_words, metric_in_words, p_in_words
from nbyk.report.drawing import COLOURS, WIDE, new_figure, new_panels, shown_name, style
from nbyk.report.lines import in_words
from nbyk.testing.results import Board, Claim, Pair, Question, VariancePart
from nbyk.testing.scores.battery import null_draws
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.words import in_full, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK, _PALE = "#333333", "#bbbbbb"
_MOST_POINTS = 400
_GOLDEN = 0.6180339887498949
_RANKS, _MARKS = 8.0, 44.0
"""Points from the axes of a leaderboard to its columns of ranks and of groups."""
_VERDICTS = {
    "better": ("#9ec9e6", "{a} is better"),
    "worse": ("#f2b98f", "{b} is better"),
    "different": ("#dcc3dd", "they differ"),
    "undecided": ("#f4f4f4", "undecided"),
}


def leaderboard_figure(board: Board) -> Figure:
    """Draw the systems' scores with their intervals, best on top, and their ranks and groups beside them.

    Scores of runs are drawn as points behind their means.
    """
    n, asked, samples = len(board.standings), board.question, board.sample.scores
    beside = dict(_marks(board))
    figure, scores = new_figure(WIDE, (0.45 if samples else 0.22) * n + 0.85)
    with style():
        for row, standing in enumerate(board.standings if samples else ()):
            _draw_sample(scores, row, samples[standing.name], COLOURS[5])
        rows = np.arange(n)
        values = np.array([standing.score for standing in board.standings])
        ends = np.array([standing.interval for standing in board.standings]).T
        reach = np.maximum([values - ends[0], ends[1] - values], 0.0)
        scores.errorbar(values, rows, xerr=reach, fmt="o", color=COLOURS[0], markersize=4, elinewidth=1.8)
        scores.set_yticks(rows, [shown_name(standing.name, 18) for standing in board.standings])
        scores.set_ylim(n - 0.4, -1.5)
        scores.locator_params(axis="x", nbins=4)
        scores.set_xlabel(f"{_in_unit(asked)}, {percent(asked.confidence_level)} interval")

        if n > 1:
            _write_beside(scores, -1.0, _RANKS, "rank")
            _write_beside(scores, -1.0, _MARKS, "group" if asked.against is None else "p")
        for row, standing in enumerate(board.standings if n > 1 else ()):
            low, high = standing.rank_low, standing.rank_high
            _write_beside(scores, row, _RANKS, f"{low}" if low == high else f"{low}–{high}")
            _write_beside(scores, row, _MARKS, *beside[standing.name])
    return figure


def _write_beside(axes: Axes, row: float, place: float, text: str, colour: str = _INK) -> None:
    """Write a text to the right of a row, so many points from the axes."""
    axes.annotate(
        text,
        (1.0, row),
        (place, 0.0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        color=colour,
        va="center",
    )


def difference_figure(pair: Pair) -> Figure:
    """Draw the effect with the interval of each claim, with lines at no effect and at the margin, if any."""
    claims = [claim for claim in pair.claims if claim.is_conclusive]
    leader, other, sign = pair.in_order()
    sides = _sides(leader, other)
    if pair.is_of_bar:
        sign, sides = 1.0, _sides_of(pair.b)
    figure, axes = new_figure(WIDE, 1.25 + 0.55 * len(claims))
    rows = [(claim, sign, COLOURS[row % len(COLOURS)]) for row, claim in enumerate(claims)]
    _draw_effects(axes, pair.question, rows, sides)
    with style():
        axes.set_yticks(range(len(claims)), [_wrapped(claim.population) for claim in claims])
        if pair.margin is not None:
            figure.legend(loc="outside upper right", frameon=False)
    return figure


def differences_figure(board: Board) -> Figure:
    """Draw how much better each system is than the baseline or score, in the order of the board."""
    shown = {"better": COLOURS[0], "worse": COLOURS[1]}
    of_each = {pair.a: pair for pair in board.pairs}
    pairs = [of_each[name] for name in board.names if name in of_each]
    figure, axes = new_figure(WIDE, 0.22 * len(pairs) + 1.45)
    rows = [(pair.claims[0], 1.0, shown.get(pair.shown, _INK)) for pair in pairs]
    _draw_effects(axes, board.question, rows, _sides_of(pairs[0].b))
    with style():
        axes.set_yticks(range(len(pairs)), [shown_name(pair.a, 18) for pair in pairs])
        _write_beside(axes, -0.9, _RANKS, "p")
        for row, pair in enumerate(pairs):
            _write_beside(axes, row, _RANKS, *_of_baseline(pair))
        if pairs[0].margin is not None:
            figure.legend(loc="outside upper right", frameon=False)
    return figure


def _draw_effects(axes: Axes, asked: Question, rows: Sequence[tuple[Claim, float, str]], sides: str) -> None:
    """Draw the effect of each claim, times its sign, with its intervals in a colour, one to a row.

    The interval that belongs to the tests of a margin is the thick one; `sides` says what is left of 0.
    """
    margin = next((claim.margin for claim, *_ in rows if claim.margin is not None), None)
    level, of = interval_in_words(asked), f"effect on {_in_unit(asked)}"
    with style():
        axes.axvline(0.0, color=_INK, linewidth=0.9, linestyle=":")
        if margin is not None:
            label = f"margin, ±{in_full(margin.size)}"
            axes.axvspan(-margin.size, margin.size, color=_PALE, alpha=0.35, linewidth=0, label=label)
            narrow = interval_in_words(asked, 1.0 - 2.0 * margin.alpha)
            level = f"{narrow} (thick) and {percent(asked.confidence_level)} (thin)"
        for row, (claim, sign, colour) in enumerate(rows):
            thin = 2.6 if margin is None else 1.0
            axes.plot([sign * end for end in claim.interval], (row, row), color=colour, linewidth=thin)
            if claim.margin is not None:
                ends = [sign * end for end in claim.margin.interval]
                axes.plot(ends, (row, row), color=colour, linewidth=3.4)
            axes.plot(sign * claim.effect, row, "o", color=colour, markersize=7)
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=6, min_n_ticks=3)
        low, high = axes.get_xlim()
        axes.set_xlim(min(low, -0.05 * (high - low)), max(high, 0.05 * (high - low)))
        axes.set_xlabel(f"{sides}\n{of}, {level}")


def null_figure(pair: Pair) -> Figure:
    """Draw the observed value and those under the null and, of items, those of bootstrapped test sets."""
    figure, axes = new_figure(WIDE, 3.3)
    asked, scores, items = pair.question, pair.sample.scores, pair.claims[-1]
    leader, other, sign = pair.in_order()
    if scores:
        better = -1.0 if asked.direction == "lower" else 1.0
        a, b = (better * scores[name] for name in (pair.a, pair.b))
        what, values, statistic = null_draws(asked.test, a, b, seed=asked.seed)
        null, observed, drawn = sign * values, sign * statistic, np.empty(0)
    else:
        assert pair.drawn is not None
        assert pair.drawn.null is not None
        assert pair.drawn.bootstrapped is not None
        null, drawn = sign * pair.drawn.null, sign * pair.drawn.bootstrapped
        observed = sign * items.effect
        what = f"effect on {_in_unit(asked)}"
    low, high = (end((*null, *drawn, observed)) for end in (min, max))
    margin = 0.02 * (high - low) or 1.0
    bins = np.linspace(low - margin, high + margin, 81)
    middles, width = 0.5 * (bins[1:] + bins[:-1]), bins[1] - bins[0]
    beyond = np.abs(middles) >= abs(observed)
    if asked.alternative != "two-sided":
        towards = sign if asked.alternative == "greater" else -sign
        beyond = towards * (middles - observed) >= 0.0
    test = "" if scores else f" ({in_words(asked.test)})"
    with style():
        shares = np.histogram(null, bins)[0] / null.size
        for inside, colour, label in (
            (~beyond, _PALE, f"equally good systems{test}"),
            (beyond, COLOURS[4], "at least as extreme"),
        ):
            if shares[inside].any():  # without bars, the legend would show what nobody sees
                axes.bar(middles[inside], shares[inside], width, color=colour, label=label)
        if drawn.size:
            weights, label = np.full(drawn.size, 1.0 / drawn.size), "bootstrapped test sets"
            axes.hist(drawn, bins.tolist(), weights=weights, color=COLOURS[5], alpha=0.55, label=label)
            height, label = 1.06 * axes.get_ylim()[1], f"{percent(asked.confidence_level)} interval"
            axes.plot(
                [sign * end for end in items.interval],
                (height, height),
                color=COLOURS[0],
                linewidth=3,
                label=label,
            )
        axes.axvline(observed, color=COLOURS[1], linewidth=1.6, label=f"observed, {observed:.3g}")
        axes.axvline(0.0, color=_INK, linewidth=0.8, linestyle=":")
        axes.set_yticks([])
        axes.set_ylabel("share of draws")
        axes.set_xlabel(f"{_sides(leader, other)}\n{what}")
        if not scores:
            broad = pair.claims[0]
            said = textwrap.fill(f"{p_in_words(pair, broad)}, for {broad.population}", 56)
            if broad is not items:
                said += f"\nshown here, over items alone: {p_in_words(pair, items)}"
            axes.set_title(said, loc="left", fontsize=9)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _draw_sample(axes: Axes, row: int, sample: Floats, colour: str) -> None:
    """Draw a system's scores as points around its row, or as many of their quantiles if they are more."""
    if len(sample) > _MOST_POINTS:
        sample = np.quantile(sample, np.linspace(0.0, 1.0, _MOST_POINTS))
    places = row + 0.5 * spread(len(sample))
    axes.plot(np.sort(sample), places, "o", color=colour, alpha=0.5, markersize=3.5, markeredgewidth=0.0)


def spread(n: int) -> Floats:
    """Return offsets in [−½, ½) that keep n points in ascending order of their score apart."""
    # Multiples of the golden ratio spread points of nearly the same score evenly.
    return np.asarray((np.arange(1, n + 1) * _GOLDEN) % 1.0 - 0.5, dtype=np.float64)


def aso_figure(pair: Pair) -> Figure:
    """Draw quantile functions, mark where A's is the worse, and draw the bootstrapped ratio and bound."""
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
    quantiles_a, quantiles_b = (sample[(middles * len(sample)).astype(int)] for sample in (a, b))
    is_lower = pair.question.direction == "lower"
    violated = f"{shown_name(pair.a, 16)} is {'above' if is_lower else 'below'}: violated"
    worse = quantiles_a > quantiles_b if is_lower else quantiles_a < quantiles_b
    for colour, where, label in ((COLOURS[5], ~worse, None), (COLOURS[1], worse, violated)):
        if not where.any():
            continue
        axes.bar(
            edges[:-1][where],
            (quantiles_a - quantiles_b)[where],
            np.diff(edges)[where],
            bottom=quantiles_b[where],
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


def sensitivity_figure(ways: Sensitivity) -> Figure:
    """Draw p of every metric under every null and expected p under every sampler, coloured by verdict."""
    from matplotlib.patches import Patch

    metrics = [of_metric.metric for of_metric in ways.effects]
    columns = list(dict.fromkeys(choice.sampler or choice.null for choice in ways.choices))
    figure, axes = new_figure(0.62 * len(columns) + 2.6, 0.25 * len(metrics) + 2.5)
    with style():
        for choice in ways.choices:
            row, column = metrics.index(choice.metric), columns.index(choice.sampler or choice.null)
            colour = "white" if choice.p is None else _VERDICTS[choice.verdict][0]
            cell = "–" if choice.p is None else _p(choice.p)
            axes.barh(row, 0.96, height=0.96, left=column - 0.48, color=colour)
            axes.text(column, row, cell, ha="center", va="center", fontsize=8, color=_INK)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(metrics) - 0.5, -0.5)
        axes.set_yticks(range(len(metrics)), metrics)
        axes.set_xticks(range(len(columns)), columns, rotation=40, ha="right", fontsize=8)
        axes.set_title("p under each null, and on average over test sets of each sampler", fontsize=9)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        seen = {choice.verdict for choice in ways.choices}
        names = {"a": shown_name(ways.names[0], 22), "b": shown_name(ways.names[1], 22)}
        patches = [
            Patch(facecolor=colour, edgecolor=_PALE, label=text.format(**names))
            for verdict, (colour, text) in _VERDICTS.items()
            if verdict in seen
        ]
        title = f"{ways.alternative}, α = {ways.alpha:g}"
        figure.legend(handles=patches, loc="outside upper center", ncols=len(patches), title=title)
    return figure


def variance_figure(metric: str, parts: Sequence[VariancePart]) -> Figure:
    """Draw each source's share of the variance as a bar from 0 to 100 %, with its interval."""
    figure, axes = new_figure(WIDE, 0.8 + 0.3 * len(parts))
    whole = sum(part.variance for part in parts if not math.isnan(part.share))
    with style():
        for row, part in enumerate(parts):
            if math.isnan(part.share):
                why = "not identified" if math.isnan(part.variance) else "nothing varies"
                axes.text(0.01, row, why, va="center", color=_INK)
                continue
            axes.barh(row, part.share, color=COLOURS[row % len(COLOURS)], height=0.7)
            if not math.isnan(part.low):
                axes.plot((part.low / whole, min(part.high / whole, 1.0)), (row, row), color=_INK)
        axes.set_yticks(range(len(parts)), [_wrapped(shown_name(part.source, 30)) for part in parts])
        axes.set_ylim(len(parts) - 0.4, -0.6)
        axes.set_xlim(0.0, 1.0)
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        axes.grid(visible=False, axis="y")
        on = f" on {shown_name(metric, 24)}" if metric else ""
        axes.set_xlabel(f"share of the variance of the effect{on}")
    return figure


def _marks(board: Board) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the text beside each system, and its colour: its groups' letters, or p against the baseline."""
    baseline = board.question.against
    if baseline is None:
        for standing in board.standings:
            yield standing.name, (standing.letters, _INK)
        return
    yield baseline, ("baseline", _INK)
    for pair in board.pairs:
        yield pair.a, _of_baseline(pair)


def _of_baseline(pair: Pair) -> tuple[str, str]:
    """Return the corrected p beside a system, with a triangle if it is shown better or worse; and a colour.

    A triangle in brackets holds only with reserve.
    """
    p, (opened, closed) = _p(pair.p), "()" if pair.reserve else ("", "")
    if pair.better is None:
        return p, _INK
    if pair.better == pair.a:
        return f"{p} {opened}▲{closed}", COLOURS[0]
    return f"{p} {opened}▼{closed}", COLOURS[1]


def _sides(leader: str, other: str) -> str:
    return f"← {shown_name(other, 22)} is better | {shown_name(leader, 22)} is better →"


def _sides_of(baseline: str) -> str:
    return f"← worse than {shown_name(baseline, 22)} | better →"


def _in_unit(asked: Question) -> str:
    return f"{shown_name(metric_in_words(asked), 24)}{asked.scale and f' on {asked.scale}'}"


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 26))


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".lstrip("0")
