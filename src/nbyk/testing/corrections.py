"""Corrections of p-values for the number of tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.errors import NbykError, check_name
from nbyk.testing.results import P_OF_MARGIN, Claim, Pair, standing

Correction = Literal["holm", "bonferroni", "benjamini_hochberg", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""Names of the corrections; "none" leaves p-values unchanged."""

WHOSE = {"holm": "Holm's", "bonferroni": "Bonferroni's", "benjamini_hochberg": "Benjamini and Hochberg's"}
"""Whose method each correction is, to follow with "method" or "correction"."""

Corrected = tuple[float, float]
"""A corrected p-value, and how many times the one that it corrects it is."""


def check_correction(name: str) -> None:
    """Raise NbykError if no correction has this name."""
    check_name("correction", name, CORRECTIONS, argument="correction")


def correct_p_values(p_values: Any, method: str = "holm") -> Floats:
    """Return p-values adjusted for their number; compare them with the level directly.

    Parameters
    ----------
    p_values
        p-values in [0, 1], or results of tests.
    method
        "holm" (Holm 1979; never worse than Bonferroni) and "bonferroni" bound the chance of any false claim;
        "benjamini_hochberg" bounds the expected share of false claims among those made (Benjamini and
        Hochberg 1995); "none" returns the p-values as they are.

    Returns
    -------
    ndarray, shape (m,)
        In the order given.

    Raises
    ------
    NbykError
        If the method is unknown, or a number is not a p-value.
    """
    check_correction(method)
    p = _as_p_values(p_values)
    if method == "none" or p.size == 1:
        return p
    if method == "bonferroni":
        return np.minimum(p * p.size, 1.0)
    order = np.argsort(p)
    corrected = np.empty_like(p)
    if method == "holm":
        corrected[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    else:
        shares = np.arange(1, p.size + 1) / p.size
        corrected[order] = np.minimum.accumulate((p[order] / shares)[::-1])[::-1]
    return np.minimum(corrected, 1.0)


def n_corrected_for(method: str, n_pairs: int) -> int:
    """Return the number of pairs that p-values or bounds are corrected for."""
    return 1 if method == "none" else n_pairs


def times_of_least(method: str, n_pairs: int) -> int:
    """Return how many times the least p that a test can give a correction makes it, if all pairs have it."""
    return n_pairs if method in ("holm", "bonferroni") else 1


def level_of_each(level: float, method: str, n: int) -> float:
    """Return the confidence level of each of n intervals that hold all at once, as corrected p-values do.

    It is Bonferroni's. Where a correction does not bound the chance of any wrong claim, each interval holds
    by itself.
    """
    return 1.0 - (1.0 - level) / times_of_least(method, n)


def settled_decisions(
    p: Floats, low: Floats, high: Floats, *, alpha: float, method: str
) -> NDArray[np.bool_]:
    """Return which corrected decisions more draws cannot change.

    Corrections are monotone in every p-value. A decision is settled if it is the same with all m p-values at
    their lower bounds, with all at their upper bounds (`bounds_of_drawn_p`), and with all as drawn.
    """
    rejected, at_most, at_least = (
        correct_p_values(values, method) <= alpha for values in (p, high, np.minimum(low, high))
    )
    return np.asarray((rejected & at_most) | ~(rejected | at_least))


def _as_p_values(values: Any) -> Floats:
    if isinstance(values, Sequence):
        values = [getattr(value, "p", value) for value in values]
    array = np.array(values)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iuf":
        raise NbykError(
            f"p-values: found a {type(values).__name__} of shape {array.shape}, expected a flat list of "
            "numbers"
        )
    outside = ~((array >= 0.0) & (array <= 1.0))
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        raise NbykError(f"p-values: value {place} is {array[place]}; expected a number in [0, 1]")
    return array.astype(np.float64)


def corrected_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs with the p of their first claims, and of the tests of margins, corrected for their number.

    An inconclusive claim or test counts as p = 1, and has none. The intervals are not corrected. The doubts
    that stand are those whose p-value, times as large as the correction makes the other, shows nothing.
    """
    alpha, correction = pairs[0].question.alpha, pairs[0].question.correction

    def corrected(p_values: Iterable[float]) -> list[Corrected]:
        p = np.nan_to_num(list(p_values), nan=1.0)
        least = np.maximum(p, np.finfo(float).tiny)  # for the times of 0
        times = correct_p_values(least, correction) / least
        return list(zip(correct_p_values(p, correction).tolist(), times.tolist(), strict=True))

    margins = [pair.margin for pair in pairs if pair.margin is not None]
    kinds = P_OF_MARGIN.values() if margins else ()
    known = np.nan_to_num([pair.p for pair in pairs], nan=1.0)
    by_kind = [corrected(getattr(margin, name) for margin in margins) for name in kinds]

    def could_reject(place: int) -> bool:
        least, drawn = pairs[place].claims[0].least_p, pairs[place].drawn
        if len(pairs) * least <= alpha or not (drawn is None or drawn.exact):  # more draws give a lower p
            return least <= alpha
        p = known.copy()
        p[place] = min(p[place], least)
        return bool(correct_p_values(p, correction)[place] <= alpha)

    made = []
    for place, (pair, tested) in enumerate(zip(pairs, corrected(known), strict=True)):
        first, *others = pair.claims
        if tested[0] <= alpha:  # at the level of plans it was open
            first = replace(first, advice="", enough="")
        claims = (
            _settled(first, tested, [kind[place] for kind in by_kind], alpha),
            *(_settled(claim, (claim.p, 1.0), [], alpha) for claim in others),
        )
        p = math.nan if math.isnan(pair.p) else tested[0]
        made.append(replace(pair, p=p, claims=claims, could_reject=could_reject(place)))
    return made


def _settled(claim: Claim, tested: Corrected, of_margin: Sequence[Corrected], alpha: float) -> Claim:
    """Return a claim with the corrected tests of its margin, if any, and the doubts that stand."""
    margin, (p, times) = claim.margin, tested
    if margin is not None and not margin.reason:
        tests = dict(zip(P_OF_MARGIN, of_margin, strict=False))
        margin = replace(margin, **{P_OF_MARGIN[kind]: p for kind, (p, _) in tests.items()})  # type: ignore[arg-type]
        doubts = (
            standing(
                [doubt for doubt in margin.doubts if doubt.of == kind],
                getattr(margin, name),
                margin.alpha,
                tests.get(kind, (0.0, 1.0))[1],
            )
            for kind, name in P_OF_MARGIN.items()
        )
        margin = replace(margin, doubts=tuple(chain.from_iterable(doubts)))
    return replace(claim, doubts=standing(claim.doubts, p, alpha, times), margin=margin)
