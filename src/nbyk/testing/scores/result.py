"""The result of a test of scores, in numbers and words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbyk.data.arrays import Floats
from nbyk.testing.pvalues import Alternative, PValue, p_relation, side_in_words, sides_of
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.means import mean_difference
from nbyk.testing.unit_cautions import about_pairs
from nbyk.words import ShownInNotebooks

CONFIDENCE_LEVEL = 0.95
"""Coverage of the interval in a test's result."""

SCOPE = (
    "this is about more runs like these on the same items, not about other items; runs must be independent, "
    "not episodes of one run"
)
"""The population of scores that are not paired; for paired scores, `about_pairs` names it."""

USUAL_LEVEL = 0.05
"""The level of a test that names none."""

_LIBERAL_BELOW = 20

NOTHING_VARIES = "nothing varies among these scores, so they show no interval; that is not certainty"
"""The caution about scores whose difference has no standard error."""


@dataclass(frozen=True)
class SignificanceResult(ShownInNotebooks):
    """The outcome of a test of two systems.

    Attributes
    ----------
    test
        The test's name (`nbyk.testing.scores.battery.TESTS`).
    statistic
        The observed statistic: a difference that is positive if A is better, or the test's own statistic.
    pvalue
        The p-value, its Monte-Carlo standard error and its side.
    n_a, n_b
        Number of scores of each system.
    effect
        mean(a) − mean(b) or, for a metric of outputs, how much better A's value is.
    interval
        Its 95 % interval. For means it is by t, or of proportions for zeros and ones. For a metric it is that
        of the resamples' percentiles. NaN with a single score, and where nothing varies.
    n_resamples
        Draws from the null; all permutations or sign patterns if `exact`; 0 if the null is a formula.
    exact
        Whether the whole null was enumerated, so that the p-value has no Monte-Carlo error.
    null : ndarray, shape (n_resamples,), or None
        The statistic under the null, if it was requested.
    """

    test: str
    statistic: float
    pvalue: PValue
    n_a: int
    n_b: int
    effect: float
    interval: tuple[float, float]
    n_resamples: int = 0
    exact: bool = False
    null: Floats | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of_means(
        cls,
        test: str,
        statistic: float,
        pvalue: PValue,
        samples: tuple[Floats, Floats],
        *,
        n_resamples: int = 0,
        exact: bool = False,
        null: Floats | None = None,
    ) -> SignificanceResult:
        """Return the result of a test of two systems' scores."""
        effect, interval = mean_difference(*samples, CONFIDENCE_LEVEL, paired=FACTS[test].paired)
        n_a, n_b = map(len, samples)
        return cls(test, statistic, pvalue, n_a, n_b, effect, interval, n_resamples, exact, null)

    @property
    def p(self) -> float:
        """The p-value as a number."""
        return self.pvalue.p

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of `p`; 0 where it is exact or by a formula."""
        return self.pvalue.standard_error

    @property
    def warnings(self) -> tuple[str, ...]:
        """Cautions about the result, one sentence each."""
        said = [*warnings_of(self.test, min(self.n_a, self.n_b))]
        if (least := smallest_p(self)) > USUAL_LEVEL:
            said.append(
                f"the smallest p-value that {self.test} can give here is {least:.3g}: collect more scores"
                f"{'' if self.exact else ', or draw more of the null with `n_resamples`'}"
            )
        if math.isnan(self.interval[0]) and min(self.n_a, self.n_b) > 1:
            said.append(NOTHING_VARIES)
        return (*said, *([] if FACTS[self.test].paired else [SCOPE]))

    @property
    def sentence(self) -> str:
        """The result in one sentence that you can quote; whether the evidence is enough is your decision."""
        first, second, sign = ("B", "A", -1.0) if self.effect < 0.0 else ("A", "B", 1.0)
        low, high = sorted(sign * end for end in self.interval)
        interval = (
            "" if math.isnan(low) else f" ({100 * CONFIDENCE_LEVEL:g} % interval {low:.3g} to {high:.3g})"
        )
        return (
            f"{first} scores {sign * self.effect:.3g} more than {second}{interval}: {p_in_words(self)} by "
            f"{FACTS[self.test].title}, {side_in_words(self.alternative)}."
        )

    @property
    def alternative(self) -> Alternative:
        """The side: "greater" (A is better), "less" or "two-sided"."""
        return self.pvalue.alternative


def p_in_words(result: SignificanceResult) -> str:
    """Return "p = …" with its Monte-Carlo error, if it has one; "p ≤ …" where no draw reached the effect."""
    error = result.standard_error
    is_drawn = result.n_resamples > 0 and not result.exact
    relation = p_relation(result.p, result.n_resamples, result.alternative) if is_drawn else "="
    return f"p {relation} {result.p:.3g}" + (
        f" ± {error:.1g}" if error > 0.0 else " exactly" if result.exact else ""
    )


def smallest_p(result: SignificanceResult) -> float:
    """Return the least p-value that any scores can give; 0 if unknown."""
    if not result.n_resamples:
        return 0.0
    draws = result.n_resamples + (0 if result.exact else 1)
    return min(1.0, sides_of(result.alternative) / draws)


def warnings_of(test: str, fewest: int) -> Iterator[str]:
    """Yield the cautions about a test if the system with the fewest scores has `fewest`."""
    if FACTS[test].paired:
        yield about_pairs()
    if FACTS[test].null == "resampled" and fewest < _LIBERAL_BELOW:
        yield (
            f"with {fewest} scores resampled means vary less than real ones, so the bootstrap finds false "
            "differences more often than its level says; permutation (for pairs, approximate_randomisation) "
            "does not"
        )
