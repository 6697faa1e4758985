"""The populations of a test of label predictions: new items with these raters, or new raters too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.labels import HardLabels, SoftLabels
from nbyk.labels.asked import AskedOfLabels
from nbyk.labels.raters import RatedTargets, rater_components
from nbyk.labels.results import LabelComparison
from nbyk.testing.pvalues import Alternative, PValue
from nbyk.testing.shared_units import Component, SharedUnitsTest
from nbyk.testing.shared_units.collection import FEWEST_UNITS
from nbyk.testing.shared_units.generalise import law_of
from nbyk.testing.systems.claims import Claim, claim_by_t, drawn_claim, inconclusive
from nbyk.testing.unit_cautions import about_units
from nbyk.words import counted, listed

Floats: TypeAlias = NDArray[np.float64]

_FEW_RATERS = 10
"""With fewer raters, the measured level of the test over new raters reaches .12 at .05 (docs/labels.md)."""


def items_claim(
    effect: float,
    p: Mapping[Alternative, PValue],
    interval: tuple[float, float],
    asked: AskedOfLabels,
    n_runs: tuple[int, ...],
) -> Claim:
    """Return the claim over new items (and new runs if they are drawn) with these raters."""
    over = ("items", "runs") if asked.draws_runs(n_runs) else ("items",)
    n_raters = 0 if asked.rated is None else asked.rated.n_shared
    raters = "this rater" if n_raters == 1 else f"these {n_raters} raters"
    population = f"new {listed(over)}{f', with {raters}' if n_raters else ''}"
    return drawn_claim(over, population, effect, p, asked.alternative, interval, method="bootstrap")


def with_raters(
    labels: HardLabels | SoftLabels,
    comparisons: Sequence[LabelComparison],
    draws: Floats,
    asked: AskedOfLabels,
    *,
    share: float,
) -> tuple[LabelComparison, ...]:
    """Return comparisons whose first claim is over new items and new raters.

    Parameters
    ----------
    labels
        The targets and predictions.
    comparisons
        The comparisons; their only claim is that with these raters.
    draws : ndarray, shape (scores, M)
        Effects of the resamples behind the claims.
    asked
        What is asked; at least two raters rated two items or more.
    share
        Share of the items that a resample draws. Its effects vary as those of that number of items.

    Notes
    -----
    Let S² be the variance of the draws, T the variance over raters by the jackknife, and W its part within,
    which S² already contains. The variance is S² + T − W, and p and the interval are by t
    (`nbyk.testing.shared_units`).
    """
    rated, alternative, level = asked.rated, asked.alternative, asked.confidence_level
    assert rated is not None
    n_raters = rated.n_shared
    parts = None
    if n_raters >= FEWEST_UNITS:
        parts = rater_components(rated, labels, [each.score for each in comparisons])
    found = []
    for place, comparison in enumerate(comparisons):
        (narrow,) = comparison.claims
        over = (*narrow.over, "raters")
        population = f"new {listed(over)}"
        if parts is None:
            reason = f"{counted(n_raters)} raters cannot speak for others"
            if n_raters >= FEWEST_UNITS:
                reason = f"{comparison.score.name} has no value without one of the raters"
            broad = inconclusive(over, population, reason)
        else:
            defined = draws[place][np.isfinite(draws[place])]
            n_items = labels.n_items
            items = Component(n_items, share * float(defined.var()), 0.0, n_items - 1.0, 1.0)
            test = SharedUnitsTest(
                comparison.effect,
                law_of(items, [parts[place]], 1.0),
                items,
                {"raters": parts[place]},
                1.0,
                math.inf,
                smoothness="smooth",
            )
            if test.is_constant:
                broad = replace(narrow, over=over, population=population)
            else:
                broad = claim_by_t(
                    test, over, population, alternative=alternative, alpha=1.0 - level, confidence_level=level
                )
        found.append(
            replace(
                comparison,
                p=broad.p,
                p_greater=broad.p_greater,
                p_two_sided=broad.p_two_sided,
                standard_error=0.0,
                interval=(broad.low, broad.high),
                claims=(broad, narrow),
            )
        )
    return tuple(found)


def about_raters(rated: RatedTargets, *, drawn: bool) -> Iterator[str]:
    """Yield the caution about the raters behind targets; `drawn` if the test generalises over raters."""
    if not drawn or rated.n_shared < FEWEST_UNITS:
        yield from about_units({"gold": rated.raters}, len(rated.codes), claim="labels")
    elif rated.n_shared < _FEW_RATERS:
        yield (
            f"{counted(rated.n_shared)} raters are few to speak for others: we measured that the test called "
            "up to .12 of equally good systems different at α = .05 with five raters (docs/labels.md)"
        )
    counts = rated.counts()
    n_tied = int(np.sum(np.sum(counts == counts.max(axis=1, keepdims=True), axis=1) > 1))
    if rated.ties != "refuse" and n_tied:
        yield (
            f"{n_tied} of {len(counts)} items {'has' if n_tied == 1 else 'have'} no single most frequent "
            f"class; the target there is the {rated.ties} of those that tie"
        )
