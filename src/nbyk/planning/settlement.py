"""The sizes that would settle a comparison: the answer, with a sentence to quote."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from nbyk.testing.intervals import ConfidenceInterval
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import plain
from nbyk.words import ShownInNotebooks, number

MEASURED_POWER = (0.78, 0.55, 0.95)
"""The true power of ratings suggested for 0.8: mean, 5 and 95 % quantiles (benchmarks/settled_ratings.py)."""


@dataclass(frozen=True)
class Size:
    """A size at which the test would detect the present effect with the requested power.

    Attributes
    ----------
    n_items, k_responses
        Items N, and gold ratings per item K; the systems' responses grow in proportion to K.
    power
        The power at this size, by the normal approximation. At another K, it is the mean over fitted
        populations that are all compatible with the data.
    simulated
        The power on test sets of the likeliest population; None without one, or if it needs too many items.
    """

    n_items: int
    k_responses: float
    power: float
    simulated: float | None


@dataclass(frozen=True)
class Settlement(ShownInNotebooks):
    """The amount of data that would decide a comparison, if the effect stays as it is.

    Attributes
    ----------
    metric, effect, interval
        The metric, the effect on the data (0 if it is a rounding error), and its percentile interval.
    p, alternative, alpha, target
        The p-value of the comparison, its alternative and level, and the requested power.
    decided
        Whether the null is already rejected. Then there is nothing to settle, and no size is given.
    n_items, k_responses
        The present size: items N, and ratings per item K on average, of gold or, without it, of A.
    max_items, max_responses
        The largest N and K taken as realistic.
    power
        The power of a repetition at the present size, if the present effect were the true one; None if
        decided.
    items
        Least N at the present K; None if no N within the limits reaches the power.
    responses
        Least K at the present N; None if no K within the limits reaches the power, or it is unknown.
    both
        The cheapest N and K, both above the present; None if more items alone are cheaper, if no size within
        the limits reaches the power, or if it is unknown.
    least_items
        The N needed if the true effect is at the far end of the interval: a lower bound; None if decided.
    by
        "simulation" of a fitted population, or "approximation" from the spread of the effect alone.
    epsilon_a, epsilon_b, sd_scale_a, sd_scale_b, items_per_item
        The fitted population (`FittedSystems`), where A is the system that looks better. The last is the
        number of its items that equal one item of the data by the spread of the effect. None for the
        approximation.
    caution
        The difference between the fitted population and the data, if the check of its prior finds one; else
        "".
    warnings
        Cautions about the numbers, one sentence each.
    people
        A sentence on the claim over new raters and runs, with the numbers of items, ratings, raters or runs
        that would settle it; empty if items share neither.
    of_people
        Whether the sizes and the power are those of the claim over new raters and runs.
    n_clusters
        The present number of clusters; 0 without clusters.
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
    of_people: bool = False
    n_clusters: int = 0

    @property
    def one_sided_alpha(self) -> float:
        """The level of a one-sided test with the same power: α/2 if the alternative has two sides."""
        return 0.5 * self.alpha if self.alternative == "two-sided" else self.alpha

    @property
    def sentence(self) -> str:
        """The answer in one sentence or two that you can quote, after a caution if there is one.

        The claim over new raters and runs comes first if its sizes are the answer, or that over new items
        alone is settled.
        """
        parts = (self.people, self._answer) if self.decided or self.of_people else (self._answer, self.people)
        return " ".join(part for part in (self.caution, *parts) if part)

    @property
    def _answer(self) -> str:
        if self.decided:
            whom = "For new items alone, there" if self.people else "There"
            return (
                f"{whom} is nothing to settle: p = {number(self.p)} is at most α = {self.alpha:g} on "
                f"{self.n_items} items."
            )
        if self.of_people:
            return (
                f"That takes the true difference to be the observed one, {number(self.effect)} on "
                f"{self.metric}, which the present numbers find with a power of {number(self.power or 0.0)} "
                f"({self.alternative}, α = {self.alpha:g})."
            )
        if self.items is None and self.responses is None and self.both is None:
            return f"{self._why_none} {self._bounds}"
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
            f"{number(self.power or 0.0)}.{self._limit} {self._bounds}"
        )

    @property
    def _limit(self) -> str:
        """The measured error of the power at sizes with another K, in words (docs/method.md)."""
        if self.responses is None and self.both is None:
            return ""
        mean, low, high = MEASURED_POWER
        return (
            " nbyk extrapolates to other numbers of ratings from the present ones: where we knew the truth, "
            f"the sizes that it gave for a power of 0.8 had a power of {mean:g} on average, and nine in ten "
            f"of them had {low:g} to {high:g}."
        )

    @property
    def _why_none(self) -> str:
        observed = f"the observed difference on {self.metric}, {number(self.effect)},"
        if self.effect == 0.0:
            return f"No size would settle it: the observed difference on {self.metric} is 0."
        if (self.alternative == "greater") != (self.effect > 0.0) and self.alternative != "two-sided":
            return f"No size would show it: {observed} points to the other side."
        return (
            f"No realistic size would settle it: up to {self.max_items} items, or up to {self.max_responses} "
            f"ratings on each of the present ones, do not find {observed} with a power of {self.target:g} "
            f"({self.alternative}, α = {self.alpha:g})."
        )

    @property
    def _bounds(self) -> str:
        """What the interval says of the difference, in a sentence or two."""
        low, high = self.interval.low, self.interval.high
        text = (
            f"The difference is at most {number(max(abs(low), abs(high)))} ({100 * self.interval.level:g} % "
            f"interval {number(low)} to {number(high)})"
        )
        if self.least_items is None:
            return f"{text}."
        if self.least_items <= self.n_items:
            return f"{text}. If it is that large, the present {self.n_items} items are enough to show it."
        return f"{text}. If it is that large, it still takes {self.least_items} items to show it."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        kept = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**kept, "sentence": self.sentence}
