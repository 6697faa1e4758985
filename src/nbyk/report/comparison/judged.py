"""The answer about systems that a judge scored and people rated in part."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nbyk.data.judged import JudgedSystems
from nbyk.errors import NbykError
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.answer import comparison_answer
from nbyk.report.comparison.sentences import board_head, p_text, variance_sentence
from nbyk.report.drawing import COLOURS, WIDE, new_figure, shown_name, style
from nbyk.report.lines import Head, Line
from nbyk.testing.judged.agreement import Agreement, agreement
from nbyk.testing.judged.board import JudgedBoard, OnPeoplesScale, told
from nbyk.testing.judged.stand_in import StandIn, stand_in
from nbyk.testing.results import Claim, Interval
from nbyk.words import ends_in_words, number, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_EPSILONS = (0.2, 0.15, 0.1)
"""What a judge's lower cost is worth beside experts, skilled people and crowds (Calderon et al. 2025)."""

_AGREEMENT = ("system", "who", "measure", "value", "interval")


def judged_answer(judged: JudgedBoard, data: JudgedSystems, following: tuple[str, str] = ("", "")) -> Answer:
    """Return the answer about the board, with what the judge adds, and what to do next."""
    sample, level = judged.board.sample, percent(judged.board.question.confidence_level)
    people, judge = sample.responses["people"].total, sample.responses["judge"].total
    caption = f"{people} ratings by people correct {judge} answers of a judge, with {level} intervals"
    if judged.differences and judged.board.question.n_together > 1:
        caption += "; those of differences hold for all at once"
    agree = "Agreement, with 95 % intervals for new items and new people, or with these people"
    return comparison_answer(
        {judged.board.question.metric: judged.board},
        tables=[
            AnswerTable("judged", caption, judged_table(judged)),
            AnswerTable("agreement", agree, agreement_table(data)),
        ],
        figures=[AnswerFigure("judged", caption, partial(judged_figure, judged), narrow=True)],
        details={"judged": judged.to_dict()},
        following=following,
        lines=[*_about_the_judge(judged)],
    )


def judged_head(judged: JudgedBoard) -> Head:
    """Return the first lines: of the board, then the judge and people alone."""
    head = board_head(judged.board)
    return replace(head, lines=(*head.lines, *map(Line, _about_the_judge(judged))))


def _differences(judged: JudgedBoard) -> list[OnPeoplesScale]:
    """Return the differences of the pairs, each of the leader over the other, as all else in an answer is."""
    return [
        of if pair.in_order()[0] == of.a else _turned(of)
        for of, pair in zip(judged.differences, judged.board.pairs, strict=False)  # none of one system
    ]


def _turned(of: OnPeoplesScale) -> OnPeoplesScale:
    def negative(claim: Claim) -> Claim:
        return replace(claim, effect=0.0 - claim.effect, interval=_mirrored(claim.interval))

    return replace(
        of,
        a=of.b,
        b=of.a,
        judge=0.0 - of.judge,
        judge_interval=_mirrored(of.judge_interval),
        people=negative(of.people),
        claims=tuple(map(negative, of.claims)),
        excess=negative(of.excess),
    )


def _mirrored(interval: Interval) -> Interval:
    low, high = interval
    return 0.0 - high, 0.0 - low


def _about_the_judge(judged: JudgedBoard) -> Iterator[str]:
    """Yield what the judge and people say alone, what the judge prefers, the drift, and the variance."""
    best = {standing.name for standing in judged.board.standings[:2]}
    every = (*_differences(judged), *judged.means)
    first = next((of for of in every if {of.a, of.b} == best), every[0])
    at_once = "simultaneously " if first.b and judged.board.question.n_together > 1 else ""
    people = f"{number(first.people.effect)} ({at_once}{ends_in_words(first.people.interval)})"
    if not first.people.is_conclusive:
        people = f"make no claim about others ({first.people.reason})"
    what = f" of {first.a} − {first.b}" if first.b and len(judged.means) > 2 else ""
    yield f"The judge alone says {number(first.judge)}{what}; people alone {people}."
    yield _excess(first)
    if judged.drift is not None:
        yield _drift(judged.drift)
    claim = first.claims[0]
    if claim.parts:
        what = f"the {'difference' if first.b else 'mean'} on the people's scale"
        yield variance_sentence(what, claim.parts, claim.population)


def _excess(of: OnPeoplesScale) -> str:
    claim = of.excess
    if not claim.is_conclusive:
        return f"Whether the judge differs from people is open for {claim.population}: {claim.reason}."
    by = number(abs(claim.effect))
    what = f"prefers {of.a} to {of.b} by {by}" if of.b else f"scores {by}"
    sides = ("more", "less") if of.b else ("higher", "lower")
    sure = "" if claim.p <= 0.05 else ", which may be chance"
    return (
        f"On the same outputs the judge {what} {sides[claim.effect < 0.0]} than people do{sure} "
        f"({p_text(claim.p, 0.05)}, {claim.population})."
    )


def _drift(claim: Claim) -> str:
    if not claim.is_conclusive:
        return f"Whether judge and people drift apart over batches is open: {claim.reason}."
    return (
        "From the first batch to the last, people's ratings less the judge's score change by "
        f"{number(claim.effect)} ({ends_in_words(claim.interval)}; {p_text(claim.p, 0.05)})."
    )


def judged_table(judged: JudgedBoard) -> pd.DataFrame:
    """Return the means and differences, one to a row: corrected, and by people and by the judge alone."""
    import pandas as pd

    p_of = {pair.in_order()[:2]: pair.p for pair in judged.board.pairs}
    p_of |= {(pair.a, ""): pair.p for pair in judged.board.pairs if not judged.differences}
    rows = []
    for of in (*judged.means, *_differences(judged)):
        claim = told(of.claims)
        rows.append(
            {
                "system": f"{of.a} − {of.b}" if of.b else of.a,
                "corrected": claim.effect,
                "interval": ends_in_words(claim.interval),
                "p": p_of.get((of.a, of.b), math.nan),
                "people alone": of.people.effect,
                "their interval": ends_in_words(of.people.interval),
                "judge alone": of.judge,
                "judge's weight": of.weight,
                "judge − people": of.excess.effect,
            }
        )
    return pd.DataFrame(rows)


def agreement_table(data: JudgedSystems) -> pd.DataFrame:
    """Return how far people agree, how far the judge does with them, and whether it may stand in for one.

    A measure that these data do not allow has no row: people who rated nothing twice cannot agree.
    """
    import pandas as pd

    rows: list[tuple[object, ...]] = []
    for place, system in enumerate(data.systems):
        people, judge = data.ratings_of(place)
        two = len(np.unique([*data.values, *data.judge.ravel()])) == 2
        measures = ("kappa", "sensitivity", "specificity") if two else ("alpha_interval", "icc")
        for of_judge, scores in (("", None), ("judge with ", judge)):
            for measure in measures:
                with suppress(NbykError):
                    of = agreement(people, scores, measure=measure)  # type: ignore[arg-type]
                    claim = told(of.claims)
                    who = f"{of_judge}{'people' if 'raters' in claim.over else 'these people'}"
                    interval = ends_in_words(claim.interval) if claim.is_conclusive else ""
                    rows.append((system, who, measure, of.value, interval))
        for epsilon in _EPSILONS:
            with suppress(NbykError):
                test = stand_in(people, judge, by="accuracy" if two else "distance", epsilon=epsilon)
                what = f"winning rate, ε = {epsilon:g}"
                rows.append((system, "judge", what, test.winning_rate, _passes(test)))
    return pd.DataFrame(rows, columns=_AGREEMENT)


def _passes(test: StandIn) -> str:
    return f"{'may' if test.passed else 'may not'} stand in for a person"


def agreement_head(of: Agreement) -> Head:
    """Return the first lines of a measure of agreement: its value, and its interval for each population."""
    lines = []
    for claim in of.claims:
        left, right, more = f"No interval for {claim.population}: {claim.reason}.", "", ""
        if claim.is_conclusive:
            left, right = ends_in_words(claim.interval), f"{percent(of.confidence_level)} interval"
            more = f", for {claim.population}"
        lines.append(Line(left, right, more))
    return Head(f"Agreement {number(of.value)}", "open", of.measure, tuple(lines))


def stand_in_head(test: StandIn) -> Head:
    """Return the first lines of the alternative annotator test: its verdict, and the people behind it."""
    n, left_out = len(test.raters), len(test.left_out)
    replaced = (
        f"It may replace {round(test.winning_rate * n)} of {n} people, and is as near to the others as one "
        f"of them on {100.0 * test.advantage:.0f} % of items."
    )
    about = f"{left_out} of {left_out + n} people left out: too few items" if left_out else ""
    return Head(f"The judge {_passes(test)}", "good" if test.passed else "bad", about, (Line(replaced),))


def judged_figure(judged: JudgedBoard) -> Figure:
    """Draw each mean, or the only difference, with its interval: corrected, by people, and by the judge."""
    rows = _differences(judged) if len(judged.differences) == 1 else judged.means
    asked = judged.board.question
    figure, axes = new_figure(WIDE, 1.2 + 0.55 * len(rows))
    with style():
        for row, of in enumerate(rows):
            claim = told(of.claims)
            ways = (
                ("corrected", claim.effect, claim.interval),
                ("people alone", of.people.effect, of.people.interval),
                ("judge alone", of.judge, of.judge_interval),
            )
            for place, (name, value, interval) in enumerate(ways):
                height, colour = row + 0.25 * (place - 1), COLOURS[place]
                axes.plot(interval, (height, height), color=colour, linewidth=2.4)
                axes.plot(value, height, "o", color=colour, markersize=5, label=None if row else name)
        if rows[0].b:
            axes.axvline(0.0, color="#333333", linewidth=0.9, linestyle=":")
        names = [
            f"{shown_name(of.a, 14)} − {shown_name(of.b, 14)}" if of.b else shown_name(of.a, 18)
            for of in rows
        ]
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.locator_params(axis="x", nbins=5)
        level = percent(asked.confidence_level)
        axes.set_xlabel(f"{asked.metric} on {asked.scale}, {level} interval")
        figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure
