"""A board of pairs whose claims follow from formulas: corrected for their number, with ranks and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scipy.special import ndtri

from nbyk.arrays import Floats
from nbyk.testing.corrections import corrected_pairs
from nbyk.testing.pvalues import sides_of
from nbyk.testing.ranks import board_from
from nbyk.testing.results import (
    Board,
    Claim,
    Interval,
    Pair,
    Question,
    Sample,
    inconclusive,
    is_behind,
)
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.collection import FEWEST_UNITS, too_few
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.generalise import law_of
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.claims import POWER, claim_by_t
from nbyk.testing.systems.panel import FEW_UNITS
from nbyk.words import number_of

Places = tuple[int, int]
"""Two systems, by their places."""

CONSTANT = "nothing shows how the effect varies; collect more items"
"""The reason why there is no claim about an effect that is the same on all items."""

_MOST_TIMES = 1000.0
"""Beyond so many times the data, an effect is too near 0 for a number to be advice."""


def formula_test(effect: float, items: Component, *units: Component) -> SharedUnitsTest:
    """Return the test of an effect with these parts of its variance: over items, and over shared units."""
    return SharedUnitsTest(effect, law_of(items, units, 1.0), items, {}, 1.0, math.inf)


def claim_over(
    test: SharedUnitsTest, over: tuple[str, ...], population: str, asked: Asked, constant: str = ""
) -> Claim:
    """Return the claim of a test over a population; inconclusive if an effect, or what is `constant`, is."""
    if test.effect:
        constant = constant or CONSTANT
    return replace(claim_by_t(test, over, population, asked, constant=constant), parts=())


def claims_over(
    items: Claim | None,
    test: SharedUnitsTest | None,
    factor: str,
    n_units: int,
    asked: Asked,
    *,
    noun: str = "items",
    constant: str = "",
) -> tuple[Claim, ...]:
    """Return the claim over new items and new units of a factor, such as "raters", and that over `items`.

    It is inconclusive without a `test`, or if the units are too few.
    """
    over, population = ("items", factor), f"new {noun} and {factor}"
    narrow = () if items is None else (items,)
    if test is None or n_units < FEWEST_UNITS:
        few = too_few(number_of(n_units, factor.removesuffix("s")), n_units)
        return inconclusive(over, population, few), *narrow
    claim = claim_over(test, over, population, asked, constant)
    return claim if items is None else claim.no_surer_than(items, asked.decision.alpha), *narrow


def about_few(n_units: int, units: str) -> Iterator[str]:
    """Yield a caution if the units behind a claim are few, such as "voters"."""
    if FEWEST_UNITS <= n_units < FEW_UNITS:
        yield (
            f"{n_units} {units} are few to speak for others, and cannot show whether they are skewed: with "
            "strongly skewed ones intervals miss the truth more often than they say (docs/shared-units.md)"
        )


def times_as_many(claim: Claim, variance: float, asked: Asked) -> float | None:
    """Return how many times as many units would settle an open claim, if its effect stays; None for none."""
    alpha, alternative = asked.alpha_of_plans, asked.decision.alternative
    is_open = claim.is_conclusive and claim.p > alpha
    if not is_open or not claim.effect or is_behind(claim.effect, alternative):
        return None
    reach = float(ndtri(1.0 - alpha / sides_of(alternative)) + ndtri(POWER))
    times = variance * reach**2 / claim.effect**2
    return times if 1.0 < times <= _MOST_TIMES else None


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
    bar: float | None = None,
) -> Board:
    """Return the board of systems with their scores and the intervals of these.

    Parameters
    ----------
    claims
        The claims of each pair, the broadest first, before the correction that `question` names. In place of
        a system, −1 is the score that `question` names, or nothing.
    sign
        −1 if a lower score is better.
    warnings
        Cautions about all.
    bar
        That score.
    """
    pairs = [
        Pair(
            names[a],
            names[b] if b >= 0 else question.against or "",
            question,
            sample,
            (float(scores[a]), float(scores[b]) if b >= 0 else bar),
            pair_claims,
            pair_claims[0].p,
            pair_claims[0].decided,
            tuple(warnings),
        )
        for (a, b), pair_claims in claims.items()
    ]
    board = board_from(question, sample, names, scores, sign, intervals, corrected_pairs(pairs))
    return replace(board, cautions=() if len(pairs) == 1 else tuple(warnings))


def without_p(claim: Claim, least: float = 0.0) -> Claim:
    """Return a claim that only has an effect and its interval, because nothing was asked of it.

    A score follows `least`, the end of the scale from which it was counted.
    """
    low, high = claim.interval
    return replace(
        claim,
        effect=least + claim.effect,
        interval=(least + low, least + high),
        p=math.nan,
        favours="undecided",
        doubts=(),
        advice="",
        enough="",
    )
