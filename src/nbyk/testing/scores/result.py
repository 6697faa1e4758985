"""The result of a test of scores, in numbers and words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

from nbyk.arrays import Floats
from nbyk.testing.pvalues import Alternative, PValue, sides_of
from nbyk.testing.results import (
    NONE,
    Claim,
    Drawn,
    Interval,
    Pair,
    Question,
    ResponseCounts,
    Sample,
    Shown,
    ShownAsLines,
    favoured,
)
from nbyk.testing.scores.facts import FACTS, PERMUTATION_AND_WELCH
from nbyk.testing.scores.means import PofShift, difference_of_means, interval_of_means
from nbyk.testing.unit_cautions import about_pairs

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

_ROUNDING = 1e-9
"""0 is an end of an interval if it is this near, as a share of the width."""

NOTHING_VARIES = "nothing varies among these scores, so they show no interval; that is not certainty"
"""The caution about scores whose difference has no standard error."""

DISAGREE = "no interval is given: that of the means would contradict {test} here; the verdict is p's"
"""The caution about a test and an interval that disagree about 0, or about the difference itself."""


@dataclass(frozen=True, repr=False)
class SignificanceResult(ShownAsLines):
    """The outcome of a test of two systems.

    Attributes
    ----------
    test
        The test's name (`nbyk.testing.scores.facts.TESTS`).
    statistic
        The observed statistic: a difference that is positive if A is better, or the test's own statistic.
    pvalue
        The p-value, its Monte-Carlo standard error and its side.
    n_a, n_b
        Number of scores of each system.
    effect, ends_at
        How much better A is on average, or by a metric of outputs, and its interval at a confidence level.
    n_resamples, exact
        Draws from the null, or all of it if `exact`; 0 if the null is a formula.
    least_p
        The least p-value that the test can give with as many scores; 0 if it has none.
    null : ndarray, shape (n_resamples,), or None
        The statistic under the null, if it was requested.
    metric, direction
        The metric of outputs, or "score"; and whether "higher" or "lower" values of it are better.
    """

    test: str
    statistic: float
    pvalue: PValue
    n_a: int
    n_b: int
    effect: float
    ends_at: Callable[[float], Interval] = field(repr=False, compare=False)
    n_resamples: int = 0
    exact: bool = False
    least_p: float = 0.0
    null: Floats | None = field(default=None, repr=False, compare=False)
    metric: str = "score"
    direction: Literal["higher", "lower"] = "higher"

    @cached_property
    def interval(self) -> Interval:
        """The 95 % interval of the effect.

        For means it holds the differences that the test does not reject; Welch's is by t, and that of zeros
        and ones of proportions. For a metric it is that of the resamples' percentiles. NaN with a single
        score, where nothing varies, and where it would not say the same of 0 as p; infinite if so few scores
        can show nothing.
        """
        return self.interval_at(CONFIDENCE_LEVEL)

    def interval_at(self, confidence_level: float) -> Interval:
        """Return the interval of the effect; `NONE` if it leaves out the effect, or 0 where p does not."""
        low, high = self.ends_at(confidence_level)
        # how far 0 is outside; at an end, both verdicts agree with it
        outside = {"two-sided": max(low, -high), "greater": low, "less": -high}[self.alternative]
        alpha = round(1.0 - confidence_level, 12) * sides_of(self.alternative) / 2.0
        is_end = abs(outside) <= _ROUNDING * (high - low)
        agrees = is_end or (outside > 0.0) == (self.p <= alpha)
        return (low, high) if agrees and low <= self.effect <= high else NONE

    def without_interval(self, interval: Interval) -> Iterator[str]:
        """Yield the reason why there is no interval, if there is none."""
        if not math.isnan(interval[0]):
            return
        if not math.isnan(self.ends_at(CONFIDENCE_LEVEL)[0]):
            yield DISAGREE.format(test=FACTS[self.test].title)
        elif min(self.n_a, self.n_b) > 1:
            yield NOTHING_VARIES

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
        drawn = bool(self.n_resamples) and not self.exact
        notes = self.without_interval(self.interval)
        scope = () if FACTS[self.test].paired else (SCOPE,)
        return (*cautions(self.test, min(self.n_a, self.n_b), self.least_p, notes, drawn=drawn), *scope)

    def claim(self, confidence_level: float, favours: Shown, decision_error: float = 0.0) -> Claim:
        """Return the result as a claim over new scores."""
        return Claim(
            ("scores",),
            population_of(self.test),
            self.effect,
            self.interval_at(confidence_level),
            self.p,
            self.standard_error,
            self.test,
            favours,
            least_p=self.least_p,
            drawn=Drawn(self.n_resamples, self.exact, decision_error) if self.n_resamples else None,
        )

    @property
    def pair(self) -> Pair:
        """The result as a comparison of A with B at the usual level."""
        hypothesis = FACTS[self.test].hypothesis
        question = Question(
            self.metric,
            self.test,
            hypothesis,
            self.alternative,
            USUAL_LEVEL,
            CONFIDENCE_LEVEL,
            direction=self.direction,
        )
        claim = self.claim(CONFIDENCE_LEVEL, favoured(self.effect, self.alternative))
        n_items = 0 if self.metric == "score" else self.n_a
        if n_items:
            claim = replace(claim, over=("items",), population="new items like these")
        sample = Sample(n_items, 0, counts_of({"A": self.n_a, "B": self.n_b}))
        pair = Pair("A", "B", question, sample, (None, None), (claim,), self.p, True, self.warnings)
        return replace(pair, could_reject=self.least_p <= USUAL_LEVEL)

    @property
    def head(self) -> Any:
        """The first lines of every form of the result."""
        return self.pair.head

    @property
    def sentence(self) -> str:
        """The result in one sentence to quote."""
        return self.pair.sentence

    @property
    def alternative(self) -> Alternative:
        """The side: "greater" (A is better), "less" or "two-sided"."""
        return self.pvalue.alternative


def result_of_means(
    test: str,
    statistic: float,
    pvalue: PValue,
    samples: tuple[Floats, Floats],
    *,
    p_of_shift: PofShift | None = None,
    **drawn: Any,
) -> SignificanceResult:
    """Return the result of a test of two systems' scores; it has `interval_of_means`."""
    ends_at = partial(
        interval_of_means,
        *samples,
        paired=FACTS[test].paired,
        p_of_shift=p_of_shift,
        by_t=test == PERMUTATION_AND_WELCH,
    )
    n_a, n_b = map(len, samples)
    effect = difference_of_means(*samples)
    return SignificanceResult(test, statistic, pvalue, n_a, n_b, effect, ends_at, **drawn)


def counts_of(sizes: Mapping[str, int]) -> dict[str, ResponseCounts]:
    """Return numbers of scores by system as those of responses."""
    return {name: ResponseCounts(n, n, n) for name, n in sizes.items()}


def population_of(test: str) -> str:
    """Return the population of a test of scores, in words."""
    return "new pairs of scores like these" if FACTS[test].paired else "new scores like these"


def cautions(
    test: str,
    fewest: int,
    least_p: float,
    notes: Iterable[str],
    *,
    drawn: bool,
    alpha: float = USUAL_LEVEL,
    n_corrected: int = 1,
) -> Iterator[str]:
    """Yield the cautions about a test if the system with the fewest scores has `fewest`, with its notes.

    `least_p` is the least p that the test can give, before a correction for `n_corrected` pairs; it is the
    less, the more is drawn of the null, if it is `drawn`.
    """
    facts = FACTS[test]
    if least_p * n_corrected > alpha:
        corrected = f", times {n_corrected} pairs," if n_corrected > 1 else ""
        yield (
            f"the smallest p-value that {facts.title} can give here is {least_p:.3g}{corrected} and above "
            f"α = {alpha:g}: the test cannot find a difference, whatever the scores; "
            f"{'draw more of the null with `n_resamples`' if drawn else 'collect more scores'}"
        )
    yield from notes
    if facts.paired:
        yield about_pairs()
    if facts.null == "resampled" and fewest < _LIBERAL_BELOW:
        other = FACTS["approximate_randomisation" if facts.paired else "permutation"].title
        yield (
            f"with {fewest} scores resampled means vary less than real ones, so the bootstrap finds false "
            f"differences more often than its level says; {other} does not"
        )
