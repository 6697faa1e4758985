"""A ranking of metrics and samplers, in the common form of all commands' answers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nbyk.planning.ranking import Ranking
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, new_figure, shown_name, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PALE = "#999999"


def ranking_answer(ranking: Ranking) -> Answer:
    """Return the answer of a ranking: the metric and sampler that suit data like a plan's."""
    import pandas as pd

    metrics = pd.DataFrame(
        {
            "metric": row.metric,
            "power": row.power.power,
            "low": row.power.low,
            "high": row.power.high,
            "test sets": row.power.n_sets,
        }
        for row in ranking.metrics
    )
    choices = pd.DataFrame(
        {
            "metric": row.metric,
            "sampler": row.sampler,
            "mean error": row.error,
            "± error": row.standard_error,
            "true p": row.true_p,
        }
        for row in ranking.choices
    )
    of_powers = "Power of the test by each metric, with 95 % intervals"
    return Answer(
        title="Which metric and which sampler suit these data?",
        sentences=(ranking.sentence,),
        tables=(
            AnswerTable("metrics", of_powers, metrics),
            AnswerTable(
                "choices",
                "The error of expected p: mean of |estimated − true| over simulated sets",
                choices,
            ),
        ),
        figures=(
            AnswerFigure(
                "powers",
                f"{of_powers}; the largest comes first",
                partial(powers_figure, ranking),
            ),
        ),
        cautions=ranking.warnings,
        details={name: value for name, value in ranking.to_dict().items() if name != "sentence"},
        n_printed=2,
    )


def powers_figure(ranking: Ranking) -> Figure:
    """Draw the power of the test by each metric with its 95 % interval, the largest first."""
    rows, first = ranking.metrics, ranking.metrics[0].power
    ties = [place for place, row in enumerate(rows) if row.metric in ranking.ties]
    kinds = (
        ("the largest", COLOURS[1], [0]),
        ("perhaps as large", COLOURS[0], ties),
        ("smaller", _PALE, [place for place in range(1, len(rows)) if place not in ties]),
    )
    figure, axes = new_figure(5.0, 0.34 * len(rows) + 1.6)
    with style():
        for label, colour, places in kinds:
            if not places:  # the legend would name it all the same
                continue
            found = [rows[place].power for place in places]
            reach = [[of.power - of.low for of in found], [of.high - of.power for of in found]]
            powers = [of.power for of in found]
            axes.errorbar(powers, places, xerr=reach, fmt="o", color=colour, elinewidth=1.8, label=label)
        axes.set_yticks(range(len(rows)), [shown_name(row.metric, 26) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel("power, with its 95 % interval")
        axes.set_title(
            f"N = {ranking.n_items}, K = {ranking.k_responses}, ε = {ranking.epsilon:.3g}: {first.test}, "
            f"α = {first.alpha:g}",
            loc="left",
            fontsize=9,
        )
        figure.legend(loc="outside lower center", ncols=len(kinds), fontsize=8, frameon=False)
    return figure
