"""The answer about systems that a judge scored and people rated in part."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from nbyk.report.answer import Answer, AnswerTable
from nbyk.report.comparison.sentences import variance_sentence
from nbyk.testing.judged.board import JudgedBoard, OnPeoplesScale
from nbyk.testing.results import Claim
from nbyk.words import ends_in_words, number


def judged_answer(found: JudgedBoard) -> Answer:
    """Return the answer: the means or the best system on the people's scale, and what the judge adds."""
    sample, level = found.board.sample, f"{100 * found.board.question.confidence_level:g} %"
    people, judge = sample.responses["people"].total, sample.responses["judge"].total
    asked = found.differences or found.means
    sentences = [found.board.sentence] if found.differences else []
    sentences += [_estimate(of, level) for of in (found.means if not found.differences else asked[:1])]
    sentences += [_excess(of) for of in asked[:1]]
    if found.drift is not None:
        sentences.append(_drift(found.drift))
    sentences += [
        variance_sentence("the people's scale", of.claims[0].parts, of.claims[0].population)
        for of in asked[:1]
        if of.claims[0].parts
    ]
    return Answer(
        title=f"{people} ratings by people correct {judge} answers of a judge on {sample.n_items} items",
        sentences=tuple(sentences),
        tables=(
            AnswerTable(
                "judged", f"On the people's scale, with {level} intervals", pd.DataFrame(list(_rows(found)))
            ),
        ),
        figures=(),
        cautions=tuple(
            dict.fromkeys((*found.warnings, *(w for pair in found.board.pairs for w in pair.warnings)))
        ),
        details={"judged": found.to_dict()},
    )


def _name(of: OnPeoplesScale) -> str:
    return f"{of.a} − {of.b}" if of.b else of.a


def _told(claims: tuple[Claim, ...]) -> Claim:
    """Return the broadest claim that has numbers, or the broadest one."""
    return next((claim for claim in claims if claim.is_conclusive), claims[0])


def _estimate(of: OnPeoplesScale, level: str) -> str:
    claim = _told(of.claims)
    what = f"{of.a} minus {of.b}" if of.b else f"the mean of {of.a}"
    if not claim.is_conclusive:
        return f"These data are inconclusive about {what} for {claim.population}: {claim.reason}."
    alone = f"say {number(of.people.effect)} ({ends_in_words(of.people.interval)})"
    if not of.people.is_conclusive:
        alone = f"make no claim about others ({of.people.reason})"
    return (
        f"For {claim.population}, {what} on the people's scale is {number(claim.effect)} ({level} interval "
        f"{ends_in_words(claim.interval)}). The judge alone says {number(of.judge)}; people alone {alone}."
    )


def _excess(of: OnPeoplesScale) -> str:
    claim = of.excess
    if not claim.is_conclusive:
        return f"Whether the judge differs from people is open for {claim.population}: {claim.reason}."
    what = (
        f"prefers {of.a} to {of.b} by {number(abs(claim.effect))}"
        if of.b
        else f"scores {number(abs(claim.effect))}"
    )
    side = "more" if claim.effect > 0.0 else "less"
    if not of.b:
        side = "higher" if claim.effect > 0.0 else "lower"
    sure = "" if claim.p <= 0.05 else ", which may be chance"
    return (
        f"On the same outputs the judge {what} {side} than people do{sure} (p = {number(claim.p)}, "
        f"{claim.population})."
    )


def _drift(claim: Claim) -> str:
    if not claim.is_conclusive:
        return f"Whether judge and people drift apart over batches is open: {claim.reason}."
    return (
        "From the first batch to the last, people's ratings less the judge's score change by "
        f"{number(claim.effect)} ({ends_in_words(claim.interval)}; p = {number(claim.p)})."
    )


def _rows(found: JudgedBoard) -> Iterator[dict[str, object]]:
    corrected = {(pair.a, pair.b): pair.p for pair in found.board.pairs}
    for of in (*found.means, *found.differences):
        claim, p = _told(of.claims), corrected.get((of.a, of.b), math.nan)
        yield {
            "system": _name(of),
            "corrected": claim.effect,
            "interval": ends_in_words(claim.interval),
            "p": p,
            "people alone": of.people.effect,
            "their interval": ends_in_words(of.people.interval),
            "judge alone": of.judge,
            "judge's weight": of.weight,
            "judge − people": of.excess.effect,
        }
