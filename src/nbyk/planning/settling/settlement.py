"""What would settle a comparison: the answer, with a sentence to quote."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from nbyk.notebook import ShownInNotebooks
from nbyk.testing.pvalues import Alternative
from nbyk.testing.systems.result import ConfidenceInterval, plain
from nbyk.testing.systems.sentences import number

MEASURED_POWER = (0.78, 0.55, 0.95)
"""The power of ratings named for 0.8: mean, 5 and 95 % quantiles (benchmarks/settled_ratings.py)."""


@dataclass(frozen=True)
class Size:
    """A size at which the present effect would be found with the power asked for.

    Attributes
    ----------
    n_items, k_responses
        Items N, and gold ratings per item K; the systems' responses grow in proportion to K.
    power
        The power there, by the normal approximation; at another K, the mean over fitted populations that
        differ as much as the data leave open.
    simulated
        The power on test sets of the likeliest of them; None without one, or where it takes too many items.
    """

    n_items: int
    k_responses: float
    power: float
    simulated: float | None


@dataclass(frozen=True)
class Settlement(ShownInNotebooks):
    """How much more data would decide a comparison, if the effect is what it is now.

    Attributes
    ----------
    metric, effect, interval
        The metric, the effect on the data as they are, and its percentile interval; 0 where it is rounding.
    p, alternative, alpha, target
        The p-value of the comparison, its alternative and level, and the power asked for.
    decided
        Whether the null is rejected already, so that there is nothing to settle; no size is given then.
    n_items, k_responses
        The present size: items N, and ratings per item K on average, of gold or, without it, of A.
    max_items, max_responses
        The largest N and K that were thought realistic.
    power
        The power of a repetition at the present size, were the present effect the true one; None if decided.
    items
        Least N at the present K; None where no N within the limits will do.
    responses
        Least K at the present N; None where no K within the limits will do, or it cannot be known.
    both
        The cheapest N and K, both above the present; None where more items alone are cheaper, or likewise.
    least_items
        N that it takes at least, even were the true effect at the far end of the interval; None if decided.
    by
        "simulation" of a fitted population, or "approximation" from the spread of the effect alone.
    epsilon_a, epsilon_b, sd_scale_a, sd_scale_b, items_per_item
        The fitted population (`FittedSystems`), A the system that looks better, and how many items of it one
        item of the data is worth by the spread of the effect; None for the approximation.
    caution
        Why the fitted population is not quite like the data, if the check of its prior says so; or nothing.
    warnings
        What to know before believing the numbers, one sentence each.
    people
        A sentence on the claim over new raters and runs: how many items, ratings, raters or runs would settle
        it; empty where items share neither.
    n_clusters
        The present number of clusters; 0 where items stand alone.
    """

    metric: str
    effect: float
    interval: ConfidenceInterval
    p: float
    alternative: Alternative
    alpha: float
    target: float
    decided: bool
    n_items: int
    k_responses: float
    max_items: int
    max_responses: int
    power: float | None = None
    items: Size | None = None
    responses: Size | None = None
    both: Size | None = None
    least_items: int | None = None
    by: Literal["simulation", "approximation"] = "approximation"
    epsilon_a: float | None = None
    epsilon_b: float | None = None
    sd_scale_a: float | None = None
    sd_scale_b: float | None = None
    items_per_item: float | None = None
    caution: str = ""
    warnings: tuple[str, ...] = ()
    people: str = ""
    n_clusters: int = 0

    @property
    def one_sided_alpha(self) -> float:
        """The level of a one-sided test with the same power: α/2 if the alternative has two sides."""
        return 0.5 * self.alpha if self.alternative == "two-sided" else self.alpha

    @property
    def sentence(self) -> str:
        """The answer in one sentence or two that can be quoted, after a caution if there is one."""
        return " ".join(part for part in (self.caution, self._answer, self.people) if part)

    @property
    def _answer(self) -> str:
        if self.decided:
            return (
                f"There is nothing to settle: p = {number(self.p)} is at most α = {self.alpha:g} on "
                f"{self.n_items} items."
            )
        if self.items is None and self.responses is None and self.both is None:
            return f"{self._why_none} T{self._bounds}"
        ways = []
        if self.items is not None:
            more = self.items.n_items - self.n_items
            clusters = ""
            if self.n_clusters:
                in_all = math.ceil(self.items.n_items * self.n_clusters / self.n_items)
                clusters = f", in {in_all} clusters"
            ways.append(f"{more} more item{'s' * (more != 1)} ({self.items.n_items} in all{clusters})")
        if self.responses is not None:
            ways.append(f"{number(self.responses.k_responses)} ratings on each of the present items")
        if self.both is not None:
            ways.append(f"{self.both.n_items} items with {number(self.both.k_responses)} ratings each")
        ratings = f"{number(self.k_responses)} rating{'s' * (self.k_responses != 1)}"
        return (
            f"If the true difference is the observed one, {number(self.effect)} on {self.metric}, it takes "
            f"{' or '.join(ways)} to find it with a power of {self.target:g} ({self.alternative}, α = "
            f"{self.alpha:g}); {self.n_items} items with {ratings} each find it with "
            f"{number(self.power or 0.0)}.{self._limit} T{self._bounds}"
        )

    @property
    def _limit(self) -> str:
        """How far the power of sizes with other ratings per item may be off, as measured (docs/method.md)."""
        if self.responses is None and self.both is None:
            return ""
        mean, low, high = MEASURED_POWER
        return (
            " What other numbers of ratings do is extrapolated from the present ones: where we knew "
            f"the truth, sizes named for a power of 0.8 had {mean:g} on average, and nine in ten of them "
            f"{low:g} to {high:g}."
        )

    @property
    def _why_none(self) -> str:
        observed = f"the observed difference on {self.metric}, {number(self.effect)},"
        if self.effect == 0.0:
            return f"No size would settle it: {observed} is none."
        if (self.alternative == "greater") != (self.effect > 0.0) and self.alternative != "two-sided":
            return f"No size would show it: {observed} points to the other side."
        return (
            f"No realistic size would settle it: {observed} is not found with a power of {self.target:g} "
            f"({self.alternative}, α = {self.alpha:g}) by up to {self.max_items} items, nor by up to "
            f"{self.max_responses} ratings on each of the present ones."
        )

    @property
    def _bounds(self) -> str:
        """What the interval says, but for its first letter."""
        low, high = self.interval.low, self.interval.high
        text = (
            f"he difference is at most {number(max(abs(low), abs(high)))} ({100 * self.interval.level:g} % "
            f"interval {number(low)} to {number(high)})"
        )
        if self.least_items is None:
            return f"{text}."
        if self.least_items <= self.n_items:
            return f"{text}, and at its largest the present items would show it."
        return f"{text}, and even at its largest it takes {self.least_items} items."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        kept = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**kept, "sentence": self.sentence}
