"""What would settle an undecided comparison: more items, more ratings per item, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbyk.inference.comparison.result import Interval
from nbyk.inference.pvalues import Alternative


@dataclass(frozen=True)
class Size:
    """A size at which the present effect would be found with the power asked for.

    Attributes
    ----------
    n_items, k_responses
        Items N, and gold ratings per item K; the systems' responses grow with K.
    power
        The power there, as simulated, or as the normal approximation says.
    """

    n_items: int
    k_responses: float
    power: float


@dataclass(frozen=True)
class Settlement:
    """How much more data would decide a comparison, if the effect is what it is now.

    Attributes
    ----------
    metric, effect, interval
        The metric, the effect on the data as they are, and its interval.
    p, alternative, alpha, target
        The p-value of the comparison, its alternative and level, and the power asked for.
    decided
        Whether the null is rejected already, so that there is nothing to settle; no size is given then.
    n_items, k_responses
        The present size: items N, and gold ratings per item K on average.
    power
        The power of a repetition at the present size, were the present effect the true one; None if decided.
    items
        Least N at the present K; None where no size within the limits will do.
    responses
        Least K at the present N; None where none will do, or it cannot be known.
    both
        The cheapest N and K, neither below the present; None likewise.
    least_items
        N that it takes at least, even were the true effect at the far end of the interval; None if decided.
    by
        "simulation" from the fitted prior, or "approximation" from the spread of the effect alone.
    prior, epsilon_a, epsilon_b, sd_scale_a, sd_scale_b, items_per_item
        The population that was simulated: name of the prior, the systems' perturbations and factors on σ, and
        how many items of it one item of the data is worth, by the spread of the effect; None for the
        approximation. A is the system that looks better.
    warnings
        What to know before believing the numbers, one sentence each.
    sentence
        The answer, to be quoted.
    """

    metric: str
    effect: float
    interval: Interval
    p: float
    alternative: Alternative
    alpha: float
    target: float
    decided: bool
    n_items: int
    k_responses: float
    power: float | None
    items: Size | None
    responses: Size | None
    both: Size | None
    least_items: int | None
    by: Literal["simulation", "approximation"]
    prior: str | None
    epsilon_a: float | None
    epsilon_b: float | None
    sd_scale_a: float | None
    sd_scale_b: float | None
    items_per_item: float | None
    warnings: tuple[str, ...]
    sentence: str
