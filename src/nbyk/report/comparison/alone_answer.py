"""Systems by themselves, as an answer: scores with intervals, and whether they are better than a bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from nbyk.data import Systems
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import leaderboard_figure
from nbyk.report.comparison.pair_answer import details_of, dropped_items, file_stem
from nbyk.report.comparison.sentences import items_in_words
from nbyk.report.comparison.tables import claims_table, leaderboard_caption, leaderboard_table
from nbyk.testing.results import Board, Interval
from nbyk.words import listed


def alone_answer(
    boards: Mapping[str, Board], systems: Systems, band: Sequence[Interval] | None = None
) -> Answer:
    """Return the answer of systems by themselves; the first metric's sentence comes first.

    Parameters
    ----------
    boards
        The result by each metric (`nbyk.testing.systems.one_system`).
    systems
        The systems.
    band
        Intervals of the only system's scores by the metrics that all hold at once, if there are any.
    """
    first = next(iter(boards.values()))
    names, bar = listed(systems.names), first.question.against
    on = items_in_words(first.sample)
    margins = [text for board in boards.values() for pair in board.pairs for text in pair.margin_sentences()]
    tables, figures = [], []
    for place, (metric, board) in enumerate(boards.items()):
        caption = leaderboard_caption(board)
        shown = claims_table(board.pairs) if len(board.pairs) == 1 else leaderboard_table(board)
        tables.append(
            AnswerTable(
                file_stem("scores", metric, place), caption, shown.drop(columns="± error", errors="ignore")
            )
        )
        draw = partial(leaderboard_figure, board)
        figures.append(AnswerFigure(file_stem("scores", metric, place), caption, draw, for_paper=True))
    if band is not None:
        tables.append(_band_table(boards, band))
    cautions = [*dropped_items(systems), *systems.notes]
    cautions += [text for board in boards.values() for text in board.warnings]
    return Answer(
        title=f"The score of {names} on {on}" if bar is None else f"Is {names} better than {bar}, on {on}?",
        sentences=(*margins, *(board.sentence for board in boards.values())),
        tables=tuple(tables),
        figures=tuple(figures),
        cautions=tuple(dict.fromkeys(cautions)),
        details={**details_of(systems), "boards": [board.to_dict() for board in boards.values()]},
        n_printed=len(tables),
    )


def _band_table(boards: Mapping[str, Board], band: Sequence[Interval]) -> AnswerTable:
    import pandas as pd

    rows = [
        {"metric": board.question.metric, "score": board.standings[0].score, "low": low, "high": high}
        for board, (low, high) in zip(boards.values(), band, strict=True)
    ]
    level = 100 * next(iter(boards.values())).question.confidence_level
    return AnswerTable("band", f"A {level:g} % band: all scores lie in it at once", pd.DataFrame(rows))
