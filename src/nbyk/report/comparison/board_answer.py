"""Three systems or more compared, as an answer: leaderboards, pairs, figures and cautions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from nbyk.data import Systems
from nbyk.metrics.registry import named
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import leaderboard_figure
from nbyk.report.comparison.pair_answer import (
    details_of,
    dropped_items,
    file_stem,
    in_ratings,
    thresholds,
)
from nbyk.report.comparison.sentences import CORRECTION_IN_WORDS, board_test, items_in_words
from nbyk.report.comparison.tables import leaderboard_caption, leaderboard_table, pairs_table, ranks_caption
from nbyk.testing.results import Board
from nbyk.testing.systems.asked import EQUALLY_GOOD
from nbyk.words import ends_in_words, listed

if TYPE_CHECKING:
    import pandas as pd

_OF_A_RUN = re.compile(r"(.*?)[-_. ]?(?:seed|run|epoch|trial)[-_. ]?\d+", re.IGNORECASE)

MOST_PRINTED_PAIRS = 15
"""The terminal shows the pairs of the first metric if there are at most this many."""


def board_answer(boards: Mapping[str, Board], systems: Systems) -> Answer:
    """Return the answer of three systems or more.

    Parameters
    ----------
    boards
        The leaderboard by each metric; the first one's sentence is the first.
    systems
        The ratings of the comparison.
    """
    first = next(iter(boards.values()))
    against = first.question.against
    baseline = "" if against is None else f" compared with {against}"
    few_pairs = len(first.pairs) <= MOST_PRINTED_PAIRS
    # Whoever gives a margin asks about the margin: that answer comes first.
    said = [
        sentence
        for name, board in boards.items()
        for sentence in (
            board.margin_sentence(unit=named(name, systems.kind).effect_unit(systems.scale)),
            board.sentence,
            *_of_first_pair(board, systems),
        )
        if sentence
    ]
    return Answer(
        title=f"{len(first.standings)} systems{baseline} on {items_in_words(first.sample)}",
        sentences=(*said, _tested(first), *([first.sample.pairing] if first.sample.pairing else [])),
        tables=tuple(_tables(boards)),
        figures=tuple(_figures(boards)),
        cautions=tuple(dict.fromkeys(_cautions(boards, systems))),
        details={**details_of(systems), "boards": [board.to_dict() for board in boards.values()]},
        n_printed=len(boards) + few_pairs,
    )


def _of_first_pair(board: Board, systems: Systems) -> Iterator[str]:
    """Yield the effect of the first pair in the unit of the ratings, if scores have another one."""
    unit = named(board.question.metric, systems.kind).effect_unit(systems.scale)
    yield from in_ratings(board.pairs[0], unit)


def _tested(board: Board) -> str:
    """Return the null that was tested, in words."""
    return f"The null of a pair ({board_test(board)}) is that its two systems {_predicate(board)}."


def _predicate(board: Board) -> str:
    hypothesis = board.question.hypothesis
    return f"are equally good for {board.population}" if hypothesis == EQUALLY_GOOD else hypothesis


def _tables(boards: Mapping[str, Board]) -> Iterator[AnswerTable]:
    for place, (name, board) in enumerate(boards.items()):
        yield AnswerTable(file_stem("leaderboard", name, place), ranks_caption(board), _shown(board))
    for place, (name, board) in enumerate(boards.items()):
        caption = (
            f"Pairs by {name}: the effect of A over B with its interval, p, and the corrected p "
            f"({CORRECTION_IN_WORDS[board.question.correction]}). Null ({board_test(board)}): both "
            f"{_predicate(board)}"
        )
        yield AnswerTable(file_stem("pairs", name, place), caption, pairs_table(board))
    for place, (name, board) in enumerate(boards.items()):
        caption = f"The leaderboard by {name}, with each end of an interval in a column of its own"
        yield AnswerTable(file_stem("standings", name, place), caption, leaderboard_table(board))


def _shown(board: Board) -> pd.DataFrame:
    """Return a leaderboard's table for the terminal, with intervals and sets of ranks as text."""
    table = leaderboard_table(board)
    ends = [ends_in_words(standing.interval) for standing in board.standings]
    possible = [f"{standing.rank_low} to {standing.rank_high}" for standing in board.standings]
    shown = table[["system", board.question.metric]].assign(interval=ends, rank=table["rank"])
    return shown.assign(**{"possible ranks": possible}).join(table.iloc[:, 7:])


def _figures(boards: Mapping[str, Board]) -> Iterator[AnswerFigure]:
    for place, (name, board) in enumerate(boards.items()):
        caption = f"The leaderboard: {leaderboard_caption(board)}"
        draw = partial(leaderboard_figure, board)
        yield AnswerFigure(file_stem("leaderboard", name, place), caption, draw, for_paper=True)


def _runs_as_systems(names: Sequence[str]) -> Iterator[str]:
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


def _cautions(boards: Mapping[str, Board], systems: Systems) -> Iterator[str]:
    for board in boards.values():
        yield from board.reserves
    yield from _runs_as_systems(systems.names)
    yield from dropped_items(systems)
    yield from systems.notes
    if len(boards) > 1:
        yield f"nbyk tested {len(boards)} metrics and did not correct p for that number"
    yield from thresholds(boards, systems)
    for board in boards.values():
        yield from board.warnings
