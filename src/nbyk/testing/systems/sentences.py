"""Words that the results of comparisons share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nbyk.testing.shared_units import VariancePart
from nbyk.testing.systems.asked import WITH_RESERVE
from nbyk.testing.systems.margins import MarginClaim
from nbyk.words import in_full, listed, with_names

MORE_DRAWS = "more draws could change it"
"""The reason why a decision is inconclusive where its p-value is drawn and too near α."""


def margin_sentence(found: MarginClaim, metric: str, a: str, b: str, unit: float) -> str:
    """Return the result about a margin in a sentence."""
    margin = in_full(unit * found.margin)
    where = f"on {metric}{unit_note(unit)}, for {with_names(found.population, a, b)}"
    if found.reason:
        why = with_names(found.reason, a, b)
        return f"These data are inconclusive about a margin of {margin} {where}: {why}."
    ends = f"{number(unit * found.low)} to {number(unit * found.high)}"
    interval = f"{100 * (1.0 - 2.0 * found.alpha):g} % interval {ends}"
    test = "all items have the same effect, tested" if found.constant else "one-sided t-tests"
    test = f"{test} at α = {found.alpha:g}"
    says, p = {
        "equivalent": (f"{a} and {b} are equivalent within ±{margin}", found.p_equivalent),
        "not worse": (f"{a} is not worse than {b} by {margin} or more", found.p_not_worse),
        "worse": (f"{a} is worse than {b} by more than {margin}", found.p_worse),
        "inconclusive": (
            f"These data do not show whether {a} is worse than {b} by {margin} or more",
            found.p_not_worse,
        ),
    }[found.shown]
    says += f"{WITH_RESERVE}," if found.is_reserved else ""
    return f"{says} {where}: p = {number(p)} ({interval}; {test})."


def reserve_sentence(population: str, reserve: str) -> str:
    """Return the caution about what is said for a population with reserve."""
    return f"take what is said for {population} with reserve: {reserve}"


def unit_note(unit: float) -> str:
    """Return, to follow a metric, that its numbers are in the unit of the ratings; "" if that is 1."""
    return "" if unit == 1.0 else " in the ratings' own unit"


def items_in_words(n_items: int, n_clusters: int) -> str:
    """Return the number of items, and of clusters if there are any, in words."""
    return f"{n_items} items in {n_clusters} clusters" if n_clusters else f"{n_items} items"


def variance_sentence(metric: str, parts: Sequence[VariancePart], population: str) -> str:
    """Return one sentence about the sources of the variance of the effect over a population."""
    shown = [part for part in parts if not math.isnan(part.share)]
    unknown = [part.source for part in parts if math.isnan(part.variance)]
    if not shown:
        return f"The effect on {metric} does not vary over {population}."
    largest = sorted(shown, key=lambda part: -part.share)
    shares = [f"{100 * part.share:.0f} % from {part.source}" for part in largest if part.share >= 0.005]
    last = f" and {shares.pop()}" if len(shares) > 1 else ""
    small = [part.source for part in largest if part.share < 0.005]
    rest = f"; less than 1 % from {' and from '.join(small)}" if small else ""
    if unknown:
        rest += f"; these data cannot separate the part of {listed(unknown)} from that of the items"
    if ", with " in population:
        population += ","
    return (
        f"The variance of the effect on {metric} over {population} comes to {', '.join(shares)}{last}{rest}."
    )


def ends_in_words(interval: tuple[float, float]) -> str:
    """Return the ends of an interval; "–" if there is none."""
    low, high = interval
    return "–" if math.isnan(low) else f"{number(low)} to {number(high)}"


def number(value: float) -> str:
    """Return a number in three digits; 0 has no sign."""
    return f"{value + 0.0:.3g}"
