"""Boards as an answer: leaderboards, systems by themselves, suites, votes and scores of runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from nbyk.data import Systems
from nbyk.metrics.registry import named
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import aso_figure, leaderboard_figure, null_figure
from nbyk.report.comparison.sentences import (
    CORRECTION_IN_WORDS,
    board_head,
    board_margin_sentence,
    claim_sentence,
    items_in_words,
    method_line,
)
from nbyk.report.comparison.tables import claims_table, leaderboard_caption, leaderboard_table, pairs_table
from nbyk.report.lines import Head, Line
from nbyk.testing.results import Board, Interval, Pair
from nbyk.testing.scores.compare_scores import n_corrected_for
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.means import scores_to_settle
from nbyk.testing.scores.power_analysis import BootstrapPower
from nbyk.words import in_full, listed

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
    lines: Sequence[str] = (),
    notes: Sequence[str] = (),
    doubts: Sequence[str] = (),
) -> Answer:
    """Return the answer of systems on boards.

    Parameters
    ----------
    boards
        The board by each metric; the first one's comes first.
    systems
        The ratings of the comparison; None for votes and scores of runs.
    tables
        Further tables.
    details
        Further numbers for the JSON file.
    following
        What to do next, and the command for it.
    lines, notes
        Further sentences, and further cautions.
    doubts
        Cautions that come first, where there are no `systems` that have them.
    """
    doubts = doubts if systems is None else systems.doubts
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
    said += [*_methods(first), *filter(None, [first.sample.pairing]), *lines]
    head = joined([board_head(board) for board in boards.values()], following, doubts)
    return Answer(
        title=title_of(boards),
        sentences=tuple(said),
        make_tables=lambda: (*standings, *tables, *pairs()),
        figures=tuple(_figures(boards)),
        cautions=tuple(dict.fromkeys((*doubts, *cautions_of(boards, systems), *notes))),
        head=replace(head, lines=(*head.lines, *map(Line, lines))),
        details={
            **({} if systems is None else details_of(systems)),
            **(details or {}),
            "boards": [board.to_dict() for board in boards.values()],
        },
        n_printed=len(standings) + len(tables) + has_pairs,
    )


def scores_answer(
    board: Board,
    *,
    powers: Mapping[str, BootstrapPower],
    lift: str,
    notes: Sequence[str],
    doubts: Sequence[str] = (),
    following: tuple[str, str] = ("", ""),
) -> Answer:
    """Return the answer of a comparison by scores of runs.

    `powers` are each system's bootstrap power, if it was requested, to notice one that is better by `lift`,
    in words; `notes` and `doubts` are about the files, and `following` is what to do next, with its command,
    unless more scores would tell.
    """
    import pandas as pd

    tables, lines = [], []
    if powers:
        rows = [
            {"system": name, "scores": p.n_scores, "power": p.power, "low": p.low, "high": p.high}
            for name, p in powers.items()
        ]
        caption = "Bootstrap power analysis; low to high is the 95 % interval"
        tables.append(AnswerTable("power", caption, pd.DataFrame(rows)))
        lines.append(_power_sentence(powers, lift, n_corrected_for(board.question, board.pairs)))
    first = board.pairs[0]
    is_open = len(board.pairs) == 1 and not first.significant and first.margin is None
    more = "" if not is_open or first.is_behind else _what_would_settle(first)
    return board_answer(
        {board.question.metric: board},
        tables=tables,
        details={"power": {name: vars(of) for name, of in powers.items()}},
        following=(more, "") if more else following,
        lines=lines,
        notes=notes,
        doubts=doubts,
    )


def _power_sentence(powers: Mapping[str, BootstrapPower], lift: str, n_pairs: int) -> str:
    said = ", ".join(
        f"{power.power:.2g} with {power.n_scores} scores like those of {name}"
        for name, power in powers.items()
    )
    enough = min(power.power for power in powers.values()) >= 0.8
    corrected = f", corrected for {n_pairs} pairs," if n_pairs > 1 else ""
    return f"The test{corrected} would notice a system that is better by {lift} with a power of {said}. " + (
        "That is enough: a usual goal is 0.8."
        if enough
        else "That is too little: a usual goal is 0.8. Collect more scores."
    )


def _what_would_settle(pair: Pair) -> str:
    """Return how many scores would show the present difference; "" if there is none."""
    samples, paired = pair.sample.scores, FACTS[pair.question.test].paired
    alpha = pair.question.alpha
    n = scores_to_settle(samples[pair.a], samples[pair.b], paired=paired, alpha=alpha)
    if n is None:
        return ""
    # So few that no exchange of scores reaches α show nothing, whatever the t-test says.
    n = next(m for m in count(n) if (2**m if paired else math.comb(2 * m, m)) >= 2.0 / alpha)
    return f"about {n} scores of each would show a difference this large (power 0.8)"


def title_of(boards: Mapping[str, Board]) -> str:
    """Return the question of the first board, as the heading of the report."""
    board = next(iter(boards.values()))
    pair, on = board.pairs[0], f"on {items_in_words(board.sample)}"
    if board.sample.scores:
        on = "by their scores"
    if not pair.b:
        return f"The score of {listed(board.names)} {on}"
    if len(board.pairs) == 1 and board.question.against is None:
        margin = pair.margin
        more = "" if margin is None else f", or at least not worse by {in_full(margin.size)}"
        return f"Is {pair.a} better than {pair.b}{more}?"
    against = f" compared with {pair.b}" if board.question.against else ""
    return f"{len(board.standings)} systems{against} {on}"


def joined(heads: Sequence[Head], following: tuple[str, str], doubts: Sequence[str]) -> Head:
    """Return the first lines by several metrics as one: those by the first metric, then the others'."""
    first, *others = heads
    lines = [*first.lines]
    for head in others:
        lines += [Line(head.verdict, head.about, is_verdict=True), *head.lines]
    serious = {text for head in heads for text in head.cautions[: head.n_serious]}
    next_words, command = following
    return replace(
        first,
        lines=tuple(lines),
        n_serious=len(serious) + len(doubts),
        next=next_words or first.next,
        command=command,
    )


def details_of(systems: Systems) -> dict[str, Any]:
    """Return the details that all answers about systems share."""
    return {"n_items": systems.n_items, "dropped": dict(systems.dropped)}


def file_stem(kind: str, metric: str, place: int) -> str:
    """Return the stem of a file about a metric: for the first metric it is only the kind."""
    return kind if place == 0 else f"{kind}_{re.sub(r'[^A-Za-z0-9_.=]+', '-', metric).strip('-')}"


def _methods(board: Board) -> Iterator[str]:
    """Yield how the pairs were tested, in one sentence if only their numbers of draws differ."""
    lines = {method_line(pair, n_pairs=len(board.pairs)): pair.drawn for pair in board.pairs if pair.b}
    methods = {re.sub(r" \([\d,]+ draws\)", " (up to DRAWS draws)", line): None for line in lines}
    most = max((drawn.n_resamples for drawn in lines.values() if drawn is not None), default=0)
    for line in methods if len(lines) > 1 else lines:
        yield f"Method: {line.replace('DRAWS', f'{most:,}')}."
    if board.question.reason:
        yield f"nbyk chose {FACTS[board.question.test].title}: {board.question.reason}."


def _standings(boards: Mapping[str, Board]) -> Iterator[AnswerTable]:
    for place, (name, board) in enumerate(boards.items()):
        caption = leaderboard_caption(board)
        if len(board.pairs) == 1 and board.sample.scores:
            yield _pairs_of(board, place)
        elif len(board.pairs) == 1:
            leader, _, sign = board.pair.in_order()
            table = claims_table(board.pairs, sign)
            about = f"{caption}. A positive effect: {leader} is better" if board.pair.b else caption
            yield AnswerTable(file_stem("claims", name, place), about, table)
        if len(board.standings) > 1:
            yield AnswerTable(file_stem("standings", name, place), caption, leaderboard_table(board))


def _pairs(boards: Mapping[str, Board]) -> Iterator[AnswerTable]:
    for place, board in enumerate(boards.values()):
        if len(board.pairs) > 1:
            yield _pairs_of(board, place)


def _pairs_of(board: Board, place: int) -> AnswerTable:
    asked = board.question
    p = "p" if asked.tau is None else "eps_min"
    found = f"{p} by {FACTS[asked.test].title}" if board.sample.scores else p
    corrected = ""
    if len(board.pairs) > 1:
        corrected = f", and {p} with {CORRECTION_IN_WORDS[asked.correction]}; low to high is not corrected"
    caption = f"Pairs by {asked.metric}: the effect of A over B, {found}{corrected}"
    return AnswerTable(file_stem("pairs", asked.metric, place), caption, pairs_table(board))


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
        stem, caption = file_stem("leaderboard", name, place), leaderboard_caption(board)
        yield AnswerFigure(stem, caption, partial(leaderboard_figure, board), True, True, board.sentence)
        if board.sample.scores and len(board.pairs) == 1:
            yield _of_test(board.pair)


def _of_test(pair: Pair) -> AnswerFigure:
    """Return the figure of the test of a pair by scores."""
    if pair.question.tau is not None:
        caption = (
            f"Left: the quantile functions of {pair.a} and {pair.b}. Where {pair.a} is worse, it violates "
            "the order. Right: the violation ratio of bootstrapped samples, and the bound that they give."
        )
        return AnswerFigure("quantiles", caption, partial(aso_figure, pair))
    caption = "The distribution of the statistic if both systems are equally good, and its observed value."
    return AnswerFigure("null", caption, partial(null_figure, pair), narrow=True)


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


def cautions_of(boards: Mapping[str, Board], systems: Systems | None) -> Iterator[str]:
    """Yield the cautions about boards and the ratings behind them, those first that may change a decision."""
    yield from systems.doubts if systems is not None else ()
    for board in boards.values():
        yield from (board.pair if len(board.pairs) == 1 else board).reserves
    if systems is not None:
        if len(systems.names) > 2:
            yield from _runs_as_systems(systems.names)
        if systems.dropped:
            each = listed([f"{count} of {label}" for label, count in systems.dropped.items()])
            n_items = systems.n_items
            yield f"nbyk dropped items that another file lacks ({each}) and compares the {n_items} others"
        both_are_same = f"{' and '.join(systems.names)} have the same ratings"  # which the pair says itself
        yield from (note for note in systems.notes if note != both_are_same)
    if len(boards) > 1 and any(board.pairs[0].b for board in boards.values()):
        yield f"nbyk tested {len(boards)} metrics and did not correct p for that number"
    for name, board in boards.items():
        yield from board.warnings
        cut = systems and named(name, systems.kind).threshold_in_ratings(systems.scale)
        if cut is not None:
            yield f"{name} calls an item positive if its mean rating is {cut:g} or more"
