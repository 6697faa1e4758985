"""Corrections of p-values for the number of tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.errors import NbykError, unknown_name
from nbyk.testing.results import Pair

Correction = Literal["holm", "bonferroni", "benjamini_hochberg", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""Names of the corrections; "none" leaves p-values unchanged."""

WHOSE = {"holm": "Holm's", "bonferroni": "Bonferroni's", "benjamini_hochberg": "Benjamini and Hochberg's"}
"""Whose method each correction is, to follow with "method" or "correction"."""


def check_correction(name: str) -> None:
    """Raise NbykError if no correction has this name."""
    if name not in CORRECTIONS:
        raise unknown_name("correction", name, CORRECTIONS).about(argument="correction")


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

    An inconclusive claim or test counts as p = 1, and has none. The intervals are not corrected.
    """
    if len(pairs) < 2:
        return list(pairs)

    def corrected(p: Sequence[float]) -> list[float]:
        p_values: list[float] = correct_p_values(np.nan_to_num(p, nan=1.0), correction).tolist()
        return p_values

    correction = pairs[0].question.correction
    margins = [pair.margin for pair in pairs]
    tested = [margin for margin in margins if margin is not None]
    if tested:
        kinds = zip(*((of.p_not_worse, of.p_worse, of.p_equivalent) for of in tested), strict=True)
        corrected_kinds = zip(*map(corrected, kinds), strict=True)
        margins = [
            of if of.reason else replace(of, p_not_worse=not_worse, p_worse=worse, p_equivalent=equivalent)
            for of, (not_worse, worse, equivalent) in zip(tested, corrected_kinds, strict=True)
        ]
    firsts = [replace(pair.claims[0], margin=of) for pair, of in zip(pairs, margins, strict=True)]
    return [
        replace(pair, p=p if first.is_conclusive else math.nan, claims=(first, *pair.claims[1:]))
        for pair, first, p in zip(pairs, firsts, corrected([pair.p for pair in pairs]), strict=True)
    ]
