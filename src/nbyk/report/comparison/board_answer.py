"""Three systems or more compared, as an answer: leaderboards, pairs, figures and cautions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from nbyk.data import Systems
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import leaderboard_figure
from nbyk.report.comparison.pair_answer import details_of, dropped_items, file_stem, joined, thresholds
from nbyk.report.comparison.sentences import (
    CORRECTION_IN_WORDS,
    board_head,
    board_margin_sentence,
    items_in_words,
    method_line,
)
from nbyk.report.comparison.tables import leaderboard_caption, leaderboard_table, pairs_table
from nbyk.testing.results import Board
from nbyk.words import listed

_OF_A_RUN = re.compile(r"(.*?)[-_. ]?(?:seed|run|epoch|trial)[-_. ]?\d+", re.IGNORECASE)

MOST_PRINTED_PAIRS = 15
"""The terminal shows the pairs of the first metric if there are at most this many."""


def board_answer(
    boards: Mapping[str, Board], systems: Systems, *, following: tuple[str, str] = ("", "")
) -> Answer:
    """Return the answer of three systems or more.

    Parameters
    ----------
    boards
        The leaderboard by each metric; the first one's comes first.
    systems
        The ratings of the comparison.
    following
        What to do next, and the command for it.
    """
    first = next(iter(boards.values()))
    against = first.question.against
    baseline = "" if against is None else f" compared with {against}"
    # Whoever gives a margin asks about the margin: that answer comes first.
    said = [
        text for board in boards.values() for text in (board_margin_sentence(board), board.sentence) if text
    ]
    n_pairs = len(first.pairs)
    methods = dict.fromkeys(method_line(pair, n_pairs=n_pairs) for pair in first.pairs)
    cautions = tuple(dict.fromkeys(_cautions(boards, systems)))
    return Answer(
        title=f"{len(first.standings)} systems{baseline} on {items_in_words(first.sample)}",
        sentences=(
            *said,
            *(f"Method: {line}." for line in methods),
            *([first.sample.pairing] if first.sample.pairing else []),
        ),
        make_tables=partial(_tables, boards),
        figures=tuple(_figures(boards)),
        cautions=cautions,
        head=joined([board_head(board) for board in boards.values()], following),
        details={**details_of(systems), "boards": [board.to_dict() for board in boards.values()]},
        n_printed=len(boards) + (n_pairs <= MOST_PRINTED_PAIRS),
    )


def _tables(boards: Mapping[str, Board]) -> Iterator[AnswerTable]:
    for place, (name, board) in enumerate(boards.items()):
        caption = leaderboard_caption(board)
        yield AnswerTable(file_stem("standings", name, place), caption, leaderboard_table(board))
    for place, (name, board) in enumerate(boards.items()):
        correction = CORRECTION_IN_WORDS[board.question.correction]
        caption = f"Pairs by {name}: the effect of A over B, p, and p with {correction}"
        yield AnswerTable(file_stem("pairs", name, place), caption, pairs_table(board))


def _figures(boards: Mapping[str, Board]) -> Iterator[AnswerFigure]:
    for place, (name, board) in enumerate(boards.items()):
        caption = leaderboard_caption(board)
        draw = partial(leaderboard_figure, board)
        yield AnswerFigure(file_stem("leaderboard", name, place), caption, draw, True, True, board.sentence)


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
