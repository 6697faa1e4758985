"""A ranking of metrics and samplers, in the common form of all commands' answers."""

from __future__ import annotations

from nbyk.planning.ranking import Ranking
from nbyk.report.answer import Answer, AnswerTable


def ranking_answer(ranking: Ranking, cautions: tuple[str, ...] = ()) -> Answer:
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
    return Answer(
        title="Which metric and which sampler suit these data?",
        sentences=(ranking.sentence,),
        tables=(
            AnswerTable("metrics", "Power of the test by each metric, with 95 % intervals", metrics),
            AnswerTable(
                "choices",
                "The error of expected p: mean of |estimated − true| over simulated sets",
                choices,
            ),
        ),
        figures=(),
        cautions=cautions,
        details={name: value for name, value in ranking.to_dict().items() if name != "sentence"},
        n_printed=2,
    )
