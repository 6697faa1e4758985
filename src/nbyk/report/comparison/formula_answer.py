"""The answer of boards whose claims follow from formulas: systems by themselves, suites and votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.board_answer import MOST_PRINTED_PAIRS
from nbyk.report.comparison.figures import leaderboard_figure
from nbyk.report.comparison.pair_answer import file_stem, joined
from nbyk.report.comparison.sentences import board_head, board_margin_sentence, items_in_words
from nbyk.report.comparison.tables import (
    claims_table,
    leaderboard_caption,
    leaderboard_table,
    pairs_table,
)
from nbyk.testing.results import Board, Interval
from nbyk.words import listed


def formula_answer(
    boards: Mapping[str, Board],
    *,
    cautions: Iterable[str] = (),
    tables: Sequence[AnswerTable] = (),
    details: Mapping[str, Any] | None = None,
    following: tuple[str, str] = ("", ""),
) -> Answer:
    """Return the answer; the first board's sentence comes first.

    Parameters
    ----------
    boards
        The result by each metric.
    cautions
        Cautions beside those of the boards.
    tables
        Further tables.
    details
        Numbers for the JSON file.
    following
        What to do next, and the command for it.
    """
    first = next(iter(boards.values()))
    shown, figures = list[AnswerTable](), []
    for place, (metric, board) in enumerate(boards.items()):
        shown.extend(_tables(place, metric, board))
        draw = partial(leaderboard_figure, board)
        caption = leaderboard_caption(board)
        stem = file_stem("leaderboard", metric, place)
        figures.append(AnswerFigure(stem, caption, draw, for_paper=True, narrow=True))
    reserves = [text for board in boards.values() for text in board.reserves]
    warnings = [text for board in boards.values() for text in board.warnings]
    cautions = tuple(dict.fromkeys([*reserves, *cautions, *warnings]))
    margins = [text for board in boards.values() if (text := board_margin_sentence(board))]
    return Answer(
        title=_title(first),
        sentences=(*margins, *(board.sentence for board in boards.values())),
        make_tables=lambda: (*shown, *tables),
        figures=tuple(figures),
        cautions=cautions,
        head=joined([board_head(board) for board in boards.values()], following),
        details={**(details or {}), "boards": [board.to_dict() for board in boards.values()]},
        n_printed=len(shown) + len(tables),
    )


def _title(board: Board) -> str:
    names, on = listed([standing.name for standing in board.standings]), items_in_words(board.sample)
    pair = board.pairs[0]
    if not pair.b:
        return f"The score of {names} on {on}"
    if len(board.standings) == 2 and board.question.against is None:
        return f"Is {pair.a} better than {pair.b}?"
    return f"{names}{f' against {pair.b}' if board.question.against else ''} on {on}"


def _tables(place: int, metric: str, board: Board) -> Iterable[AnswerTable]:
    if len(board.pairs) == 1:
        claims = claims_table(board.pairs).drop(columns="± error")
        yield AnswerTable(file_stem("claims", metric, place), leaderboard_caption(board), claims)
    if len(board.standings) > 1:
        standings = leaderboard_table(board)
        yield AnswerTable(file_stem("leaderboard", metric, place), leaderboard_caption(board), standings)
    if len(board.pairs) in range(2, MOST_PRINTED_PAIRS + 1) and board.question.against is None:
        pairs = pairs_table(board).drop(columns="± error")
        yield AnswerTable(file_stem("pairs", metric, place), f"Pairs by {metric}", pairs)


def band_table(boards: Mapping[str, Board], band: Sequence[Interval]) -> AnswerTable:
    """Return the table of intervals that all hold at once (`nbyk.testing.systems.one_system.band`)."""
    import pandas as pd

    rows = [
        {"metric": board.question.metric, "score": board.standings[0].score, "low": low, "high": high}
        for board, (low, high) in zip(boards.values(), band, strict=True)
    ]
    level = 100 * next(iter(boards.values())).question.confidence_level
    return AnswerTable("band", f"A {level:g} % band: all scores lie in it at once", pd.DataFrame(rows))
