"""A board of pairs whose claims follow from formulas: corrected for their number, with ranks and groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from nbyk.arrays import Floats
from nbyk.testing.corrections import correct_p_values, corrected_margins
from nbyk.testing.pvalues import sides_of
from nbyk.testing.ranks import board_from
from nbyk.testing.results import Board, Claim, Interval, Margin, Pair, Question, Sample, is_behind
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.generalise import law_of
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.claims import POWER, claim_by_t

Places = tuple[int, int]


def formula_test(effect: float, items: Component, *units: Component) -> SharedUnitsTest:
    """Return the test of an effect with these parts of its variance: over items, and over shared units."""
    return SharedUnitsTest(effect, law_of(items, units, 1.0), items, {}, 1.0, math.inf)


def claim_over(test: SharedUnitsTest, over: tuple[str, ...], population: str, asked: Asked) -> Claim:
    """Return the claim of a test over a population; inconclusive if an effect does not vary."""
    constant = "nothing shows how the effect varies; collect more items" if test.effect else ""
    return replace(claim_by_t(test, over, population, asked, constant=constant), parts=())


def times_as_many(effect: float, variance: float, asked: Asked) -> float:
    """Return how many times as many units find the effect, if it stays, with a power of .8; inf for none."""
    if is_behind(effect, asked.decision.alternative):
        return math.inf
    sides = sides_of(asked.decision.alternative)
    reach = float(ndtri(1.0 - asked.decision.alpha / sides) + ndtri(POWER))
    return variance * reach**2 / effect**2 if effect else math.inf


def board_by_formula(
    question: Question,
    sample: Sample,
    names: Sequence[str],
    scores: Floats,
    intervals: Sequence[Interval],
    claims: Mapping[Places, tuple[Claim, ...]],
    *,
    sign: float = 1.0,
    warnings: Sequence[str] = (),
    bar: str | None = None,
) -> Board:
    """Return the board of systems with their scores and the intervals of these.

    Parameters
    ----------
    claims
        The claims of each pair, the broadest first, before the correction that `question` names.
    sign
        −1 if a lower score is better.
    warnings
        Cautions about all.
    bar
        The name of what each system is compared with, whose place is −1, if that is no system.
    """
    pairs = [
        Pair(
            names[a],
            names[b] if bar is None else bar,
            question,
            sample,
            (float(scores[a]), None if bar is not None else float(scores[b])),
            pair_claims,
            pair_claims[0].p,
            True,
        )
        for (a, b), pair_claims in claims.items()
    ]
    pairs = [replace(pair, warnings=(*pair.reserves, *warnings)) for pair in corrected_pairs(pairs)]
    board = board_from(question, sample, names, scores, sign, intervals, pairs)
    return replace(board, warnings=pairs[0].warnings if len(pairs) == 1 else (*board.reserves, *warnings))


def without_p(claim: Claim) -> Claim:
    """Return a claim that only has an effect and its interval, because nothing was asked of it."""
    return replace(claim, p=math.nan, favours="undecided", reserve="", advice="", enough="")


def corrected_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs with the p of their first claims, and the tests of margins, corrected for their number.

    An inconclusive claim counts as p = 1, and has none.
    """
    if len(pairs) < 2:
        return list(pairs)
    correction = pairs[0].question.correction
    p = correct_p_values(np.nan_to_num([pair.p for pair in pairs], nan=1.0), correction).tolist()
    margins: Sequence[Margin | None] = [pair.margin for pair in pairs]
    tested = [margin for margin in margins if margin is not None]
    if tested:
        margins = corrected_margins(tested, correction)
    return [
        replace(
            pair,
            p=corrected_p if pair.claims[0].is_conclusive else math.nan,
            claims=(replace(pair.claims[0], margin=margin), *pair.claims[1:]),
        )
        for pair, corrected_p, margin in zip(pairs, p, margins, strict=True)
    ]
