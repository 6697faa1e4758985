"""Boards as an answer: leaderboards, systems by themselves, suites and votes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from nbyk.data import Systems
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import leaderboard_figure
from nbyk.report.comparison.pair_answer import details_of, dropped_items, file_stem, joined, thresholds
from nbyk.report.comparison.sentences import (
    CORRECTION_IN_WORDS,
    board_head,
    board_margin_sentence,
    claim_sentence,
    items_in_words,
    method_line,
)
from nbyk.report.comparison.tables import claims_table, leaderboard_caption, leaderboard_table, pairs_table
from nbyk.testing.results import Board, Interval
from nbyk.words import listed

_OF_A_RUN = re.compile(r"(.*?)[-_. ]?(?:seed|run|epoch|trial)[-_. ]?\d+", re.IGNORECASE)

MOST_PRINTED_PAIRS = 45
"""The terminal shows the pairs of the first metric if there are at most this many."""


def board_answer(
    boards: Mapping[str, Board],
    systems: Systems | None = None,
    *,
    tables: Sequence[AnswerTable] = (),
    details: Mapping[str, Any] | None = None,
    following: tuple[str, str] = ("", ""),
) -> Answer:
    """Return the answer of systems on boards.

    Parameters
    ----------
    boards
        The board by each metric; the first one's comes first.
    systems
        The ratings of the comparison; None for votes.
    tables
        Further tables.
    details
        Further numbers for the JSON file.
    following
        What to do next, and the command for it.
    """
    first = next(iter(boards.values()))
    # Whoever gives a margin asks about the margin: that answer comes first.
    said = [
        text for board in boards.values() for text in (board_margin_sentence(board), board.sentence) if text
    ]
    if len(first.pairs) == 1:
        both = [(board.sentence, claim_sentence(board.pair)) for board in boards.values()]
        said = list(dict.fromkeys(text for texts in both for text in texts))
    standings, pairs = list(_standings(boards)), partial(_pairs, boards)
    has_pairs = 1 < len(first.pairs) <= MOST_PRINTED_PAIRS
    return Answer(
        title=_title(first),
        sentences=(*said, *_methods(first), *([first.sample.pairing] if first.sample.pairing else [])),
        make_tables=lambda: (*standings, *tables, *pairs()),
        figures=tuple(_figures(boards)),
        cautions=tuple(dict.fromkeys(_cautions(boards, systems))),
        head=joined([board_head(board) for board in boards.values()], following),
        details={
            **({} if systems is None else details_of(systems)),
            **(details or {}),
            "boards": [board.to_dict() for board in boards.values()],
        },
        n_printed=len(standings) + len(tables) + has_pairs,
    )


def _title(board: Board) -> str:
    pair, on = board.pairs[0], items_in_words(board.sample)
    if not pair.b:
        return f"The score of {listed(board.names)} on {on}"
    if len(board.standings) == 2 and board.question.against is None:
        return f"Is {pair.a} better than {pair.b}?"
    against = f" compared with {pair.b}" if board.question.against else ""
    return f"{len(board.standings)} systems{against} on {on}"


def _methods(board: Board) -> Iterator[str]:
    """Yield how the pairs were tested, in one sentence if only their numbers of draws differ."""
    lines = {method_line(pair, n_pairs=len(board.pairs)): pair.drawn for pair in board.pairs if pair.b}
    methods = {re.sub(r" \([\d,]+ draws\)", " (up to DRAWS draws)", line): None for line in lines}
    most = max((drawn.n_resamples for drawn in lines.values() if drawn is not None), default=0)
    for line in methods if len(lines) > 1 else lines:
        yield f"Method: {line.replace('DRAWS', f'{most:,}')}."


def _standings(boards: Mapping[str, Board]) -> Iterator[AnswerTable]:
    for place, (name, board) in enumerate(boards.items()):
        caption = leaderboard_caption(board)
        if len(board.pairs) == 1:
            yield AnswerTable(file_stem("claims", name, place), caption, claims_table(board.pairs))
        if len(board.standings) > 1:
            yield AnswerTable(file_stem("standings", name, place), caption, leaderboard_table(board))


def _pairs(boards: Mapping[str, Board]) -> Iterator[AnswerTable]:
    for place, (name, board) in enumerate(boards.items()):
        if len(board.pairs) > 1:
            correction = CORRECTION_IN_WORDS[board.question.correction]
            caption = f"Pairs by {name}: the effect of A over B, p, and p with {correction}"
            yield AnswerTable(file_stem("pairs", name, place), caption, pairs_table(board))


def band_table(boards: Mapping[str, Board], band: Sequence[Interval]) -> AnswerTable:
    """Return the table of intervals that all hold at once (`nbyk.testing.systems.one_system.band`)."""
    import pandas as pd

    rows = [
        {"metric": board.question.metric, "score": board.standings[0].score, "low": low, "high": high}
        for board, (low, high) in zip(boards.values(), band, strict=True)
    ]
    level = 100 * next(iter(boards.values())).question.confidence_level
    return AnswerTable("band", f"A {level:g} % band: all scores lie in it at once", pd.DataFrame(rows))


def _figures(boards: Mapping[str, Board]) -> Iterator[AnswerFigure]:
    for place, (name, board) in enumerate(boards.items()):
        caption = leaderboard_caption(board)
        draw = partial(leaderboard_figure, board)
        yield AnswerFigure(file_stem("leaderboard", name, place), caption, draw, True, True, board.sentence)


def _runs_as_systems(names: Iterable[str]) -> Iterator[str]:
    """Yield a caution about systems whose names differ only in the number of a seed or run."""
    named: dict[str, list[str]] = {}
    for name in names:
        found = _OF_A_RUN.fullmatch(name)
        if found is not None:
            named.setdefault(found[1], []).append(name)
    for runs in named.values():
        if len(runs) > 1:
            yield (
                f"the names of {listed(runs)} differ only in the number of a run: if they are runs of one "
                "system, put them into one file with a column for each; nbyk then compares systems, not runs"
            )


def _cautions(boards: Mapping[str, Board], systems: Systems | None) -> Iterator[str]:
    for board in boards.values():
        yield from board.reserves
    if systems is not None:
        yield from _runs_as_systems(systems.names)
        yield from dropped_items(systems)
        yield from systems.notes
    if len(boards) > 1 and any(board.pairs[0].b for board in boards.values()):
        yield f"nbyk tested {len(boards)} metrics and did not correct p for that number"
    if systems is not None:
        yield from thresholds(boards, systems)
    for board in boards.values():
        yield from board.warnings
