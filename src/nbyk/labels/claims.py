"""The populations of a test of label predictions: new items with these raters, or new raters too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from nbyk.data.labels import HardLabels, SoftLabels
from nbyk.errors import NbykError, unknown_name
from nbyk.labels.raters import RatedTargets, rater_components
from nbyk.labels.results import LabelComparison
from nbyk.testing.engine.run_draws import Runs
from nbyk.testing.pvalues import Alternative, PValue
from nbyk.testing.shared_units import Component, SharedUnitsTest
from nbyk.testing.shared_units.generalise import combined
from nbyk.testing.systems.claims import Claim, claim_by_t, inconclusive
from nbyk.testing.systems.panel import FEWEST_UNITS
from nbyk.testing.unit_cautions import about_units
from nbyk.words import counted, listed

Floats: TypeAlias = NDArray[np.float64]

_FEW_RATERS = 10
"""With fewer raters, the measured level of the test over new raters reaches .12 at .05 (docs/labels.md)."""


def over_raters(rated: RatedTargets | None, generalise: Sequence[str] | None, *, published: bool) -> bool:
    """Return whether a test also generalises over raters.

    Raises
    ------
    NbykError
        If a name to generalise over is unknown or not in the data, or "items" is missing.
    """
    there = rated is not None and rated.n_shared >= 2 and not published
    if generalise is None:
        return there
    for factor in generalise:
        if factor not in ("items", "raters"):
            raise unknown_name("factor to generalise over", factor, ("items", "raters")).about(
                argument="generalise"
            )
    if "items" not in generalise:
        raise NbykError(
            "found no items, but every claim is about new items; add items", argument="generalise"
        )
    if "raters" in generalise and not there:
        why = "published semantics do not support raters" if published else "items share no two raters here"
        raise NbykError(
            f"found raters, and {why}; leave raters out, or make the targets of ratings with ids",
            argument="generalise",
        )
    return "raters" in generalise


def items_claim(
    found: dict[Alternative, PValue],
    alternative: Alternative,
    interval: tuple[float, float],
    *,
    n_runs: tuple[int, ...],
    runs: Runs,
    rated: RatedTargets | None,
) -> Claim:
    """Return the claim over new items (and new runs if they are drawn) with these raters."""
    over = ("items", "runs") if max(n_runs) > 1 and runs in ("independent", "paired") else ("items",)
    n_raters = 0 if rated is None else rated.n_shared
    raters = "this rater" if n_raters == 1 else f"these {n_raters} raters"
    population = f"new {listed(over)}{f', with {raters}' if n_raters else ''}"
    p = {side: found[side].p if side in found else math.nan for side in get_args(Alternative)}
    return Claim(
        over=over,
        population=population,
        p=p[alternative],
        p_greater=p["greater"],
        p_less=p["less"],
        p_two_sided=p["two-sided"],
        standard_error=found[alternative].standard_error,
        low=interval[0],
        high=interval[1],
        method="bootstrap",
        df=math.nan,
        decided=True,
    )


def with_raters(
    rated: RatedTargets,
    labels: HardLabels | SoftLabels,
    comparisons: Sequence[LabelComparison],
    draws: Floats,
    *,
    share: float,
    alternative: Alternative,
    confidence_level: float,
) -> tuple[LabelComparison, ...]:
    """Return comparisons whose first claim is over new items and new raters.

    Parameters
    ----------
    rated
        The ratings behind the targets; at least two raters rated two items or more.
    labels
        The targets and predictions.
    comparisons
        The comparisons; their only claim is that with these raters.
    draws : ndarray, shape (scores, M)
        Effects of the resamples behind the claims.
    share
        Share of the items that a resample draws. Its effects vary as those of that number of items.
    alternative, confidence_level
        As for `label_bootstrap`.

    Notes
    -----
    Let S² be the variance of the draws, T the variance over raters by the jackknife, and W its part within,
    which S² already contains. The variance is S² + T − W, and p and the interval are by t
    (`nbyk.testing.shared_units`).
    """
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
            variance, df = combined(items, [parts[place]], 1.0)
            test = SharedUnitsTest(
                comparison.effect,
                variance,
                df,
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
                    test, over, population, alternative=alternative, confidence_level=confidence_level
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
