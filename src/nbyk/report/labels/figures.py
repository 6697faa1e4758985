"""The figures of a design: the leads of treatments, and the scores of every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbyk.labels.designs import DesignResult
from nbyk.labels.designs.results import ConditionScore
from nbyk.metrics.label_scores import LabelScore
from nbyk.report.drawing import COLOURS, shown_name, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_COLUMNS = 4
_INK = "#333333"
_COLOUR_OF = {"better": COLOURS[2], "worse": COLOURS[1], "undecided": "#777777"}
_LONGEST_NAME = 40


def leads_figure(result: DesignResult) -> Figure:
    """Draw every treatment's lead over its control with its interval, a panel per score."""
    names = [shown_name(f"{pair.treatment} over {pair.control}", _LONGEST_NAME) for pair in result.pairs]
    figure, panels = _panels(result.scores, names)
    findings, n = result.findings, len(result.pairs)
    with style():
        from matplotlib.lines import Line2D

        for s, (score, axes) in enumerate(zip(result.scores, panels, strict=True)):
            for row, finding in enumerate(findings[s * n : (s + 1) * n]):
                found, colour = finding.found, _COLOUR_OF[finding.verdict]
                settled = next(claim for claim in found.claims if claim.is_conclusive)
                axes.plot((settled.low, settled.high), (row, row), color=colour, linewidth=1.8)
                axes.plot(found.effect, row, "o", color=colour, markersize=5)
            axes.axvline(0.0, color=_INK, linewidth=0.8)
            axes.set_xlabel(f"lead in {shown_name(score.name, _LONGEST_NAME)}")
        seen = [verdict for verdict in _COLOUR_OF if any(f.verdict == verdict for f in findings)]
        handles = [
            Line2D([], [], marker="o", color=_COLOUR_OF[verdict], label=_meaning(result, verdict))
            for verdict in seen
        ]
        figure.legend(
            handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8
        )
    return figure


def scores_figure(result: DesignResult) -> Figure:
    """Draw the scores of every run of every condition, and their means, a panel per score."""
    conditions = [
        *dict.fromkeys((each.condition, each.of_runs) for each in distinct_scores(result, result.scores[0]))
    ]
    names = [shown_name(name, _LONGEST_NAME) for name, _ in conditions]
    figure, panels = _panels(result.scores, names)
    controls = {pair.control for pair in result.pairs}
    with style():
        for score, axes in zip(result.scores, panels, strict=True):
            for row, each in enumerate(distinct_scores(result, score)):
                colour = COLOURS[7] if each.condition in controls else COLOURS[0]
                axes.plot(
                    each.of_runs, np.full(len(each.of_runs), row), "o", color=colour, alpha=0.5, markersize=4
                )
                axes.plot(each.mean, row, "|", color=colour, markersize=14, markeredgewidth=2)
            axes.set_xlabel(f"{shown_name(score.name, _LONGEST_NAME)}\n({score.direction} is better)")
    return figure


def distinct_scores(result: DesignResult, score: LabelScore) -> list[ConditionScore]:
    """Return a score of every condition once, even if it is compared with several controls."""
    names = [s.name for s in result.scores]
    of_conditions: dict[tuple[str, tuple[tuple[float, ...], ...]], ConditionScore] = {}
    by_condition: dict[tuple[str, str], dict[str, ConditionScore]] = {}
    for each in result.conditions:
        by_condition.setdefault((each.control, each.condition), {})[each.score] = each
    for (_, condition), scores in by_condition.items():
        runs = tuple(scores[name].of_runs for name in names)
        of_conditions.setdefault((condition, runs), scores[score.name])
    return list(of_conditions.values())


def _panels(scores: Sequence[LabelScore], names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Return a grid with a panel per score; the rows have names."""
    columns = len(scores) if len(scores) <= _MOST_COLUMNS else _MOST_COLUMNS - 1
    rows = -(-len(scores) // columns)
    label_width = 0.075 * max(map(len, names)) + 0.3
    with style():
        import matplotlib.pyplot as plt

        figure, grid = plt.subplots(
            rows,
            columns,
            figsize=(label_width + 2.3 * columns, rows * (0.28 * len(names) + 0.9) + 0.3),
            sharey=True,
            squeeze=False,
        )
        panels = list(grid.ravel())
        for axes in panels[len(scores) :]:
            axes.set_visible(False)
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        for axes in panels:
            axes.locator_params(axis="x", nbins=4)
    return figure, panels[: len(scores)]


def _meaning(result: DesignResult, verdict: str) -> str:
    at = f"α = {result.settings.alpha:g}"
    if verdict != "undecided":
        return f"{verdict} at {at}"
    what = "be better" if result.settings.chosen_alternative == "greater" else "differ"
    return f"not shown to {what} at {at}"
