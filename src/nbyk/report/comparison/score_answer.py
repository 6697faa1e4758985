"""A comparison of systems by their scores as an answer: sentences, tables, figures and cautions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import aso_figure, null_figure, scores_figure
from nbyk.report.comparison.sentences import board_head, method_line
from nbyk.report.comparison.tables import pairs_table
from nbyk.report.lines import Line
from nbyk.testing.pvalues import side_in_words
from nbyk.testing.results import Board, Pair
from nbyk.testing.scores.compare_scores import n_corrected_for
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.means import scores_to_settle
from nbyk.testing.scores.power_analysis import BootstrapPower


def scores_answer(
    board: Board,
    *,
    powers: Mapping[str, BootstrapPower] | None = None,
    lift: str = "",
    notes: Sequence[str] = (),
) -> Answer:
    """Return the answer of a comparison by scores.

    Parameters
    ----------
    board
        The comparison.
    powers
        Bootstrap power of each system's scores, if it was requested.
    lift
        How much better the other system is in that analysis, in words that follow "better by".
    notes
        Notes about the files.
    """
    names, test = list(board.sample.scores), FACTS[board.question.test].title
    listed = " and ".join(names) if len(names) == 2 else f"{len(names)} systems"
    n_all = len(board.pairs)
    methods = dict.fromkeys(method_line(pair, n_pairs=n_all) for pair in board.pairs)
    sentences = [board.sentence, *(f"Method: {line}." for line in methods)]
    if board.sample.pairing:
        sentences.append(f"{board.sample.pairing}.")
    if board.question.reason:
        sentences.append(f"nbyk chose {test}: {board.question.reason}.")
    if powers:
        n_pairs = n_corrected_for(board.question, board.pairs)
        sentences.append(_power_sentence(powers, lift, n_pairs))
    head = board_head(board)
    if powers:
        head = replace(head, lines=(*head.lines, Line(sentences[-1])))
    if len(board.pairs) == 1 and not board.pairs[0].significant:
        head = replace(head, next=_what_would_settle(board.pairs[0]))
    details = {"boards": [board.to_dict()], "power": {name: vars(of) for name, of in (powers or {}).items()}}
    return Answer(
        title=f"{listed}, compared by their scores",
        sentences=tuple(sentences),
        make_tables=partial(_tables, board, powers),
        figures=tuple(_figures(board)),
        cautions=tuple(dict.fromkeys((*board.reserves, *board.warnings, *notes))),
        details=details,
        head=head,
        n_printed=2,
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


def _tables(board: Board, powers: Mapping[str, BootstrapPower] | None) -> Iterator[AnswerTable]:
    import pandas as pd

    asked = board.question
    percent = f"{100 * asked.confidence_level:g} %"
    yield AnswerTable(
        "pairs",
        f"Differences of mean scores with {percent} intervals (each for its pair only), "
        f"and {FACTS[asked.test].title}, {side_in_words(asked.alternative)}",
        pairs_table(board),
    )
    systems = [
        {
            "system": standing.name,
            "scores": len(board.sample.scores[standing.name]),
            "mean": standing.score,
            "sd": _sd(board, standing.name),
            "low": standing.interval[0],
            "high": standing.interval[1],
            "possible ranks": f"{standing.rank_low} to {standing.rank_high}",
        }
        for standing in board.standings
    ]
    caption = (
        f"Scores of each system, the highest mean first; low to high is the {percent} interval of the mean"
    )
    yield AnswerTable("systems", caption, pd.DataFrame(systems))
    if powers:
        rows = [
            {"system": name, "scores": p.n_scores, "power": p.power, "low": p.low, "high": p.high}
            for name, p in powers.items()
        ]
        caption = "Bootstrap power analysis; low to high is the 95 % interval"
        yield AnswerTable("power", caption, pd.DataFrame(rows))


def _sd(board: Board, name: str) -> float:
    sample = board.sample.scores[name]
    return float(sample.std(ddof=1)) if len(sample) > 1 else math.nan


def _figures(board: Board) -> Iterator[AnswerFigure]:
    percent = f"{100 * board.question.confidence_level:g} %"
    yield AnswerFigure(
        "scores",
        f"The scores of each system, with their mean and its {percent} interval.",
        partial(scores_figure, board),
        narrow=True,
        alt=board.sentence,
    )
    if len(board.pairs) > 1:
        return
    (pair,) = board.pairs
    if board.question.tau is not None:
        caption = (
            f"Left: the quantile functions of {pair.a} and {pair.b}. Where {pair.a}'s is lower, it violates "
            "the order. Right: the violation ratio of bootstrapped samples, and the bound that they give."
        )
        yield AnswerFigure("quantiles", caption, partial(aso_figure, pair))
        return
    caption = "The distribution of the statistic if both systems are equally good, and its observed value."
    yield AnswerFigure("null", caption, partial(null_figure, pair), narrow=True)
