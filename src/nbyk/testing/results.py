"""The one result of every comparison: claims about a pair of systems, and pairs on a board."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError, unknown_name
from nbyk.words import listed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from nbyk.report.lines import Head
    from nbyk.testing.pvalues import Alternative, ExpectedP

Interval = tuple[float, float]
NONE: Interval = (math.nan, math.nan)
"""The interval where there is none."""

Shown = Literal["better", "worse", "different", "equivalent", "not worse", "undecided"]
"""What a test shows of A: the words of every verdict."""

WITH_RESERVE = ", with reserve"
"""What follows a verdict that holds only with reserve."""

EQUAL_SCORES = "have equal scores over the population of items"
"""What the null hypothesis says of a system and a bar, a score that it is compared with."""

SCHEMA = 2
"""The version of the form of `to_dict`, and of every JSON file of an answer."""


@dataclass(frozen=True)
class Question:
    """What was asked of every pair.

    Attributes
    ----------
    metric
        Canonical name of the metric; "mean score" for scores of runs.
    test
        The null that was drawn (`nbyk.resampling.samplers.NULLS`), or the test of scores
        (`nbyk.testing.scores.facts.FACTS`).
    hypothesis
        What the null hypothesis says of two systems: "are equally good over the population of items".
    alternative, alpha
        The chosen alternative ("greater" means that A is better), and the level of the decision.
    confidence_level
        Nominal coverage of the interval of each score, and of those of `n_together` pairs at once.
    direction, noun
        Whether a better system has a "higher" or a "lower" value of the metric, and a value of what: "error".
    scale
        The declared scale of the ratings, whose unit all effects and scores have: "1..5". "" for numbers as
        they are, from 0 to 1.
    correction, against
        The correction for the number of pairs (`nbyk.testing.corrections.CORRECTIONS`); and the baseline,
        None if all pairs were compared.
    tau
        The bound below which Almost Stochastic Order finds a system better; None for other tests.
    seed
        Seed of all draws.
    reason
        The reason for the recommended test of scores; "" if you chose it.
    looks
        Number of planned looks as data come in; α and the confidence level are those of each.
    n_together
        Number of pairs whose intervals hold all at once with the confidence level; 1 if each holds by itself.
    """

    metric: str
    test: str
    hypothesis: str
    alternative: Alternative
    alpha: float
    confidence_level: float
    correction: str = "none"
    against: str | None = None
    tau: float | None = None
    seed: int = 0
    reason: str = ""
    direction: Literal["higher", "lower"] = "higher"
    noun: str = ""
    scale: str = ""
    looks: int = 1
    n_together: int = 1


@dataclass(frozen=True)
class ResponseCounts:
    """The fewest and the most responses of an item from one source, and those of all items."""

    least: int
    most: int
    total: int

    @classmethod
    def of(cls, counts: Integers) -> ResponseCounts:
        """Return those of the numbers of responses to single items."""
        return cls(int(counts.min()), int(counts.max()), int(counts.sum()))


@dataclass(frozen=True)
class Sample:
    """The data of a comparison in numbers.

    Attributes
    ----------
    n_items
        Number of items N; 0 for scores of runs.
    n_clusters
        Number of clusters of items G, which were swapped and bootstrapped whole; 0 without clusters.
    responses
        Numbers of responses to the items by "gold", if there is gold, and the systems' names.
    units
        The fewest and the most raters and runs of a system that items share: ``{"raters": (8, 8)}``.
    pairing
        Which runs or raters of the systems count as the same, in a sentence; "" if none has several.
    scores
        The scores of runs by system; empty for responses to items.
    """

    n_items: int
    n_clusters: int
    responses: Mapping[str, ResponseCounts]
    units: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pairing: str = ""
    scores: Mapping[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    def own_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values, with the scores of runs if there are any."""
        return {name: value for name, value in plain_fields(self).items() if name != "scores" or value}


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was drawn for a claim.

    Attributes
    ----------
    n_resamples
        Number of draws of the null; of all arrangements but the observed one, if `exact`.
    exact
        Whether the null was enumerated, so that p has no Monte-Carlo error.
    decision_error
        Largest chance, over the random draws, that infinitely many draws would reverse a decided claim.
    null : ndarray, shape (≤ n_resamples,), or None
        Effects under the null, if they were kept: the first ones, where a board has too many pairs for all.
    bootstrapped : ndarray, shape (B,), or None
        Effects of bootstrapped test sets; without those on which the metric is undefined.
    """

    n_resamples: int
    exact: bool
    decision_error: float = 0.0
    null: Floats | None = None
    bootstrapped: Floats | None = None

    @property
    def expected_p(self) -> ExpectedP | None:
        """The papers' expected p; None without both effects."""
        if self.null is None or self.bootstrapped is None:
            return None
        from nbyk.testing.pvalues import expected_p

        return expected_p(self.bootstrapped, self.null)

    def own_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values, without the effects."""
        names = ("n_resamples", "exact", "decision_error", "expected_p")
        return {name: plain(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class VariancePart:
    """The part of one source in the variance of an effect over new items and new units.

    The source is "items" (or "clusters of items"), units such as "raters" or "runs of A", or these "× items":
    differences of units from item to item, and noise from response to response. The variance is 0 if its
    estimate is negative; its share of all parts is in [0, 1], NaN if nothing varies; from `low` to `high` is
    the 95 % interval of the variance, NaN without one.
    """

    source: str
    variance: float
    share: float
    low: float
    high: float

    def times(self, unit: float) -> VariancePart:
        """Return the part of an effect in another unit."""
        square = unit * unit
        return replace(self, variance=square * self.variance, low=square * self.low, high=square * self.high)


@dataclass(frozen=True)
class Latent:
    """How far A's ratings lie above B's on the latent scale of an ordinal model (`with_latent`).

    The effect is the distance in standard deviations, above 0 if A is better, with its interval for the
    claim's population at the comparison's confidence level.
    """

    effect: float
    interval: Interval


class Order(Protocol):
    """Almost Stochastic Order of A over B (`nbyk.testing.scores.aso.AsoResult`)."""

    @property
    def eps_min(self) -> float: ...  # noqa: D102

    @property
    def violation_ratio(self) -> float: ...  # noqa: D102

    @property
    def standard_error(self) -> float: ...  # noqa: D102

    @property
    def resampled(self) -> Floats | None: ...  # noqa: D102

    def reversed(self) -> Order:
        """Return that of B over A."""


P_OF_MARGIN = {"not worse": "p_not_worse", "worse": "p_worse", "equivalent": "p_equivalent"}
"""The p-value by which a test of a margin shows each."""


class Doubt(NamedTuple):
    """A reason why a p-value may be too small, the p-value if it is so, and of a margin what it would show.

    What is shown has a reserve if this p-value, corrected as the other is, does not show it. "{p}" in the
    reason stands for the corrected one.
    """

    reason: str
    p: float = 1.0
    of: str = ""


def standing(doubts: Iterable[Doubt], p: float, alpha: float, times: float = 1.0) -> tuple[Doubt, ...]:
    """Return the doubts by which p would be above α where it is not, if it is corrected to so many times."""
    corrected = (doubt._replace(p=min(1.0, times * doubt.p)) for doubt in dict.fromkeys(doubts))
    return tuple(
        doubt._replace(reason=doubt.reason.replace("{p}", f"{doubt.p:.2g}"))
        for doubt in corrected
        if p <= alpha < doubt.p
    )


@dataclass(frozen=True)
class Margin:
    """The tests of a claim's effect against a margin.

    Attributes
    ----------
    size
        The margin, above 0, in the unit of the effect.
    p_not_worse
        p-value of "the effect is −margin or less": a small one shows that A is not worse than B by the
        margin.
    p_worse
        p-value of "the effect is −margin or more": a small one shows that A is worse than B by more than the
        margin.
    p_equivalent
        p-value of "the effect is outside ±margin": the larger of the two one-sided ones.
    interval
        Interval of the effect at a confidence level of 1 − 2α, of 1 − 2α/m if those of m pairs hold at once,
        cut to the possible effects. Of one pair, it lies within ±margin exactly if p_equivalent ≤ α, except
        by rank tests, whose p are not those of a mean.
    alpha
        The level of each one-sided test.
    reason
        The reason why the tests are inconclusive; "" if they are not.
    doubts
        The reasons for a reserve; on a board only those that stand (`nbyk.testing.corrections`).
    """

    size: float
    p_not_worse: float
    p_worse: float
    p_equivalent: float
    interval: Interval
    alpha: float
    reason: str = ""
    doubts: tuple[Doubt, ...] = ()

    @property
    def shown(self) -> Shown:
        """Whether A and B are equivalent, A is not worse than B by the margin, or A is worse by more.

        If the only doubt is whether A is better by the margin, A is not worse, without a reserve.
        """
        in_doubt = {doubt.of for doubt in self.doubts}
        if self.p_equivalent <= self.alpha and in_doubt != {"equivalent"}:
            return "equivalent"
        if self.p_not_worse <= self.alpha:
            return "not worse"
        return "worse" if self.p_worse <= self.alpha else "undecided"

    @property
    def p(self) -> float:
        """The p-value of what is shown; of "not worse" if it is undecided."""
        return float(getattr(self, P_OF_MARGIN.get(self.shown, "p_not_worse")))

    def times(self, unit: float) -> Margin:
        """Return the tests of an effect in another unit."""
        return replace(self, size=unit * self.size, interval=_times(unit, self.interval))

    def no_surer_than(self, narrow: Margin, *, keeps_p: bool) -> Margin:
        """Return the tests, no surer than those over a part of the population (`Claim.no_surer_than`)."""
        if self.reason or narrow.reason:
            return self
        margin = self
        if not keeps_p:
            margin = replace(
                self,
                p_not_worse=max(self.p_not_worse, narrow.p_not_worse),
                p_worse=max(self.p_worse, narrow.p_worse),
                p_equivalent=max(self.p_equivalent, narrow.p_equivalent),
                interval=hull(self.interval, narrow.interval),
            )
        return replace(margin, doubts=(*self.doubts, *narrow.doubts))

    @property
    def reserve(self) -> str:
        """The reason why what is shown holds only with reserve; "" if it holds without."""
        return _reserve([doubt for doubt in self.doubts if doubt.of == self.shown])

    @property
    def is_reserved(self) -> bool:
        """Whether the tests show something, and only with reserve."""
        return bool(self.reserve) and self.shown != "undecided"

    @property
    def verdict(self) -> str:
        """`shown`, followed by ", with reserve" if it is a result that holds only with reserve."""
        return self.shown + (WITH_RESERVE if self.is_reserved else "")

    def own_dict(self) -> dict[str, Any]:
        """Return the tests and the verdict as plain values."""
        return {**_with_reserve(self), "verdict": self.verdict}


@dataclass(frozen=True)
class Claim:
    """Whether A is better than B over one population.

    Attributes
    ----------
    over
        The members of the population, such as ``("items", "raters")``: new ones of each. "runs" are the
        units behind the systems' responses, whatever they are; `population` tells.
    population
        The same in words, with the units that stay as they are: "new items, with these 5 raters".
    effect
        How much better A is; positive if A is better, also for metrics of which less is better.
    interval
        Interval of the effect (`Question.n_together`); NaN if there is none.
    p
        p-value of the chosen alternative; NaN if the claim is inconclusive, or the test gives none.
    standard_error
        Monte-Carlo standard error of `p`; 0 if it is not drawn.
    method
        The method for p: the null that was drawn, "t", `items_alone.SKEWED_T`, or the test of scores.
    favours
        What of A is shown if the null is rejected: "better", "worse" or "different"; "undecided" if the
        claim is inconclusive.
    df
        Degrees of freedom of t; NaN if p is not by t.
    decided
        Whether the decision p ≤ α is certain. A drawn p may be wrong with at most the comparison's decision
        error. A p by t is always certain.
    reason
        The reason why the claim is inconclusive; "" if it is not.
    doubts
        The reasons for a reserve; on a board only those that stand (`nbyk.testing.corrections`).
    by_precision
        Whether the effect weights ratings by precision, because units answer very unequal numbers of items.
    advice
        How many items, or else raters or runs, would settle the claim, if the effect stays as it is; "" if
        unknown.
    enough
        The number that would settle the claim by itself: "items", or else "raters" or "runs"; "" if unknown.
    parts
        The parts of the variance of the effect over this population; empty if p was drawn.
    margin
        The tests of the effect against your margin; None without a margin.
    order
        Almost Stochastic Order of A over B, if that is the test: it has bounds in the place of p.
    latent
        The effect of an ordinal model, for a mean of ratings on levels; None for others.
    least_p
        The least p-value that the test can give with as many items or scores; 0 if it has none.
    drawn
        What was drawn; None if p is by a formula.
    """

    over: tuple[str, ...]
    population: str
    effect: float
    interval: Interval
    p: float
    standard_error: float
    method: str
    favours: Shown
    df: float = math.nan
    decided: bool = True
    reason: str = ""
    doubts: tuple[Doubt, ...] = ()
    by_precision: bool = False
    advice: str = ""
    enough: str = ""
    parts: tuple[VariancePart, ...] = ()
    margin: Margin | None = None
    order: Order | None = field(default=None, repr=False)
    latent: Latent | None = None
    least_p: float = 0.0
    drawn: Drawn | None = field(default=None, repr=False, compare=False)

    @property
    def is_conclusive(self) -> bool:
        """Whether the data allow a claim about this population."""
        return not self.reason

    @property
    def reserve(self) -> str:
        """The reason why p and the interval hold only with reserve; "" if they hold without."""
        return _reserve(self.doubts)

    def own_dict(self) -> dict[str, Any]:
        """Return the claim as plain values."""
        return _with_reserve(self)

    def times(self, unit: float) -> Claim:
        """Return the claim about an effect in another unit."""
        return replace(
            self,
            effect=unit * self.effect,
            interval=_times(unit, self.interval),
            parts=tuple(part.times(unit) for part in self.parts),
            margin=self.margin and self.margin.times(unit),
        )

    def within(self, low: float, high: float) -> Claim:
        """Return the claim; its interval holds no effect beyond these ends, unless it is the claim's own."""
        ends = max(self.interval[0], min(low, self.effect)), min(self.interval[1], max(high, self.effect))
        return replace(self, interval=ends)

    @property
    def keeps_p(self) -> bool:
        """Whether p and interval stay beside a less sure claim over a part of the population.

        They do over clusters (`may_be_surer`), and where the effect weights ratings by precision: it is
        another, better estimate.
        """
        return self.by_precision or may_be_surer(self.over)

    def no_surer_than(self, narrow: Claim, alpha: float) -> Claim:
        """Return the claim, no surer than one over a part of its population.

        Its interval holds that of `narrow`. Its p is the larger one, and 1 if the two favour different
        systems; one of `narrow` that is small because no draw reached it is a bound, and says nothing. It
        has the doubts of both. A claim that `keeps_p` takes only the doubts.
        """
        if not (self.is_conclusive and narrow.is_conclusive):
            return self
        claim = self
        if not self.keeps_p:
            is_least = narrow.standard_error > 0.0 and narrow.p == narrow.least_p
            is_bound = (narrow.p < narrow.least_p or is_least) and narrow.p <= alpha
            p = 1.0 if narrow.favours != self.favours else self.p if is_bound else narrow.p
            claim = replace(self, interval=hull(self.interval, narrow.interval))
            if p > self.p:
                numbers = ("standard_error", "method", "df", "decided", "least_p")
                claim = replace(claim, p=p, **{name: getattr(narrow, name) for name in numbers})
        return replace(claim, doubts=(*self.doubts, *narrow.doubts))

    def plot(self) -> Figure:
        """Return a figure of the shares of `parts`, from 0 to 100 %."""
        from nbyk.report.comparison.figures import variance_figure

        return variance_figure("", self.parts)

    def shown(self, alpha: float) -> Shown:
        """Return what the claim shows at a level; without a p it shows nothing, unless it has an `order`."""
        return self.favours if self.p <= alpha or self.order is not None else "undecided"


def inconclusive(over: tuple[str, ...], population: str, reason: str) -> Claim:
    """Return a claim without numbers, with the reason why these data say nothing about its population."""
    nan = math.nan
    return Claim(over, population, nan, NONE, nan, nan, "t", "undecided", decided=False, reason=reason)


def may_be_surer(over: Sequence[str]) -> bool:
    """Return whether a claim over a population may by chance be surer than one over a part of it.

    One over clusters may. There the tests of both hold their level, and both together are too careful: where
    units differ by cluster they reject in .015 to .031 of sets at .05 (docs/shared-units-calibration.md).
    """
    return "clusters" in over


def favoured(effect: float, alternative: Alternative, *, tells_which: bool = True) -> Shown:
    """Return what a rejection shows of A; some nulls do not tell which system is better."""
    if not tells_which:
        return "different"
    if alternative == "two-sided":
        return "better" if effect > 0.0 else "worse"
    return "better" if alternative == "greater" else "worse"


def is_behind(effect: float, alternative: Alternative) -> bool:
    """Return whether a test asks if one is better that looks worse: no size would show it."""
    return alternative != "two-sided" and (effect if alternative == "less" else -effect) > 0.0


class ShownAsLines:
    """A result that prints as the first lines of its answer; `head` holds them."""

    def __repr__(self) -> str:
        from nbyk.report.answer import printed_head

        return printed_head(self.head, 80).rstrip()  # type: ignore[attr-defined]

    def _repr_html_(self) -> str:
        """Return the lines as HTML; notebooks call it."""
        from nbyk.report.html import head_html

        return head_html(self.head)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False, repr=False)
class Pair(ShownAsLines):
    """Whether system A is better than system B by one metric, and how sure this is.

    Attributes
    ----------
    a, b
        The systems' names; an effect is positive where `a` is better.
    question, sample
        What was asked, and the data in numbers.
    scores
        The systems' own scores; None for a metric that compares two systems and scores neither.
    claims
        The claims, the broadest population first: over new items and new raters or runs, if items share them,
        and over new items or clusters alone, with these raters and runs. `interval`, `effect` and `verdict`
        are those of the first.
    p
        p-value of the first claim, corrected for the number of pairs; compare it with α directly. NaN if the
        claim is inconclusive, or the test gives no p.
    decided
        Whether the decision p ≤ α is certain. It may be wrong with a chance of at most
        `drawn.decision_error`, which all pairs share.
    cautions
        Cautions about the numbers, one sentence each, beside `reserves`.
    could_reject
        Whether the test could have rejected, with the p of the other pairs as they are; few items or scores
        have few arrangements.
    """

    a: str
    b: str
    question: Question
    sample: Sample
    scores: tuple[float | None, float | None]
    claims: tuple[Claim, ...]
    p: float
    decided: bool
    cautions: tuple[str, ...] = ()
    could_reject: bool = True

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reserves and the other cautions, one sentence each."""
        return (*self.reserves, *self.cautions)

    @property
    def effect(self) -> float:
        """How much better A is, for the broadest claim that has an answer."""
        return next((claim for claim in self.claims if claim.is_conclusive), self.claims[-1]).effect

    @property
    def drawn(self) -> Drawn | None:
        """What was drawn for the last claim."""
        return self.claims[-1].drawn

    @property
    def interval(self) -> Interval:
        """Interval of the effect for the first claim (`Question.n_together`); NaN if there is none."""
        return self.claims[0].interval

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the first claim's p; 0 if it is exact or by a formula."""
        return self.claims[0].standard_error

    @property
    def margin(self) -> Margin | None:
        """The tests of the first claim's effect against your margin, corrected for the number of pairs."""
        return self.claims[0].margin

    @property
    def population(self) -> str:
        """The population of the first claim, in words."""
        return self.claims[0].population

    def decisive(self, claim: Claim) -> Claim:
        """Return a claim with the p that decides: the first has that corrected for the number of pairs."""
        return replace(claim, p=self.p, decided=self.decided) if claim is self.claims[0] else claim

    def shown_of(self, claim: Claim) -> Shown:
        """Return what one of the claims shows of A: "better", "worse", "different" or "undecided"."""
        return self.decisive(claim).shown(self.question.alpha)

    @property
    def shown(self) -> Shown:
        """What the first claim shows of A."""
        return self.shown_of(self.claims[0])

    @property
    def significant(self) -> bool:
        """Whether the null is rejected."""
        return self.shown != "undecided"

    @property
    def better(self) -> str | None:
        """The system that is shown to be better; None if neither is, or if the null does not tell which."""
        return {"better": self.a, "worse": self.b}.get(self.shown)

    @property
    def is_of_bar(self) -> bool:
        """Whether `b` is a score: answers are then about `a` alone, which is better or worse."""
        return bool(self.b) and self.question.hypothesis == EQUAL_SCORES

    @property
    def is_behind(self) -> bool:
        """Whether the test asks if one is better that looks worse (`is_behind`), and not about a margin."""
        return self.margin is None and is_behind(self.effect, self.question.alternative)

    @property
    def reserve(self) -> str:
        """The reason why what is shown holds only with reserve; "" if there is none."""
        return self.claims[0].reserve if self.significant else ""

    @property
    def verdict(self) -> str:
        """`shown`, "undecided" if more draws could change it; ", with reserve" may follow.

        "different" means that A and B do not answer every item alike. It does not say which is better. It is
        the verdict under nulls that claim more than that both are equally good.
        """
        return self.verdict_of(self.claims[0])

    def verdict_of(self, claim: Claim) -> str:
        """Return the verdict of one of the claims; that of the first counts whether it is decided."""
        if claim is self.claims[0] and not self.decided:
            return "undecided"
        return self.shown_of(claim) + WITH_RESERVE * self.is_reserved(claim)

    def is_reserved(self, claim: Claim) -> bool:
        """Return whether one of the claims shows something, and only with reserve."""
        return bool(claim.reserve) and self.shown_of(claim) != "undecided"

    @property
    def reserves(self) -> tuple[str, ...]:
        """A caution for each reason why a claim, or a test of a margin, holds only with reserve."""
        decided = self.claims if self.decided else self.claims[1:]
        reserves = [(claim.population, claim.reserve) for claim in decided if self.is_reserved(claim)]
        tests = [(claim.population, claim.margin) for claim in self.claims if claim.margin]
        reserves += [(population, margin.reserve) for population, margin in tests if margin.is_reserved]
        by_reason: dict[str, dict[str, None]] = {}
        for population, reason in reserves:
            by_reason.setdefault(reason, {})[population] = None
        return tuple(reserve_sentence(", and for ".join(of), reason) for reason, of in by_reason.items())

    def in_order(self) -> tuple[str, str, float]:
        """Return the leader, the other system, and the sign that turns effects into those of the leader.

        The leader is the system that the broadest possible claim shows to be better; if none is shown, the
        one with the better score. All sentences, tables and figures of an answer are about its effect.
        """
        shown = map(self.shown_of, self.claims)
        first = next((word for word in shown if word in ("better", "worse")), "")
        is_behind = first == "worse" if first else bool(self.b) and self.effect < 0.0
        return (self.b, self.a, -1.0) if is_behind else (self.a, self.b, 1.0)

    @property
    def sentence(self) -> str:
        """The result in one sentence to quote; the better system comes first."""
        from nbyk.report.comparison.sentences import claim_sentence, margin_sentence

        return claim_sentence(self) if self.margin is None else margin_sentence(self, self.claims[0])

    @property
    def method(self) -> str:
        """The test, its sides, its population and its null in one line."""
        from nbyk.report.comparison.sentences import method_line

        return method_line(self)

    @property
    def head(self) -> Head:
        """The first lines of every form of the result."""
        from nbyk.report.comparison.sentences import pair_head

        return pair_head(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each claim, the broadest first."""
        from nbyk.report.comparison.tables import pairs_table

        return pairs_table([self], ahead_first=False)

    def plot(self) -> Figure:
        """Return a figure of the effect with its interval, for each claim."""
        from nbyk.report.comparison.figures import difference_figure

        return difference_figure(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all but the drawn effects as plain values for JSON; a number that is not finite is None."""
        return {"schema": SCHEMA, **plain(self.question), **self.own_dict()}

    def own_dict(self) -> dict[str, Any]:
        """Return `to_dict` without what a board says for all pairs."""
        return {
            "a": self.a,
            "b": self.b,
            "p": plain(self.p),
            "interval": plain(self.interval),
            "effect": plain(self.effect),
            "verdict": self.verdict,
            "decided": self.decided,
            "scores": plain(self.scores),
            "claims": [{**plain(claim), "verdict": self.verdict_of(claim)} for claim in self.claims],
            "sample": plain(self.sample),
            "warnings": list(self.warnings),
            "sentence": self.sentence,
            "method": self.method,
        }


@dataclass(frozen=True)
class Standing:
    """One system's place on the board.

    Attributes
    ----------
    name, score, interval
        The system, its score on the data, and the interval of the score for the population of the ranks; NaN
        if too few units speak for others.
    rank
        1 + the number of systems with a better score; equal scores share the better rank.
    rank_low, rank_high
        The rank's confidence set: 1 + the number of systems shown to be better, and S − the number shown to
        be worse.
    letters
        Its groups, a letter each. Two systems without a common letter were told apart; two with one were not.
        Empty if the systems were only compared with a baseline.
    """

    name: str
    score: float
    interval: Interval
    rank: int
    rank_low: int
    rank_high: int
    letters: str


@dataclass(frozen=True, eq=False, repr=False)
class Board(ShownAsLines):
    """Systems from the best to the worst score, their pairs, and the systems that can be told apart.

    With two systems, it has the numbers of their pair; with more, `pair`, `p`, `claims`, `standard_error`,
    `interval`, `effect` and `verdict` raise `NbykError`, because each of `pairs` has its own.

    Attributes
    ----------
    question, sample
        What was asked of each pair, and the data in numbers.
    standings
        The systems, best first; none for a metric that compares two systems and scores neither.
    pairs
        The pairs that were compared; their p is corrected for their number.
    groups
        Names of the systems that share a letter, best first, a group for each letter in their order; empty
        with a baseline.
    cautions
        Cautions about the numbers of all pairs, one sentence each, beside `reserves`.
    population
        The population that p, ranks and groups speak of, in words: new items, and new units where a system
        has several; those that stay as they are in some pairs are named.
    """

    question: Question
    sample: Sample
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    cautions: tuple[str, ...]
    population: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions about the only pair, or the reserves of several; and those about all."""
        return (*(self.pairs[0].warnings if len(self.pairs) == 1 else self.reserves), *self.cautions)

    @property
    def pair(self) -> Pair:
        """The only pair; three systems or more have several."""
        if len(self.pairs) != 1:
            raise NbykError(f"this board has {len(self.pairs)} pairs; each of `pairs` has its own numbers")
        return self.pairs[0]

    @property
    def p(self) -> float:
        """The p-value; only for a single pair."""
        return self.pair.p

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims, the broadest first; only for a single pair."""
        return self.pair.claims

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of `p`; only for a single pair."""
        return self.pair.standard_error

    @property
    def interval(self) -> Interval:
        """The effect's interval; only for a single pair."""
        return self.pair.interval

    @property
    def effect(self) -> float:
        """The effect; only for a single pair."""
        return self.pair.effect

    @property
    def verdict(self) -> str:
        """The verdict; only for a single pair."""
        return self.pair.verdict

    @property
    def shows_effects(self) -> bool:
        """Whether table and figure show effects over a baseline or a score, with intervals; else scores."""
        return self.question.against is not None and self.question.tau is None

    @property
    def open_pair(self) -> Pair | None:
        """The pair to settle first: the undecided one of least p among the best, or with the baseline."""
        first = {standing.name for standing in self.standings if standing.rank_low == 1}
        if self.question.against is not None:
            first.update(self.names, [pair.b for pair in self.pairs])
        asked = [pair for pair in self.pairs if {pair.a, pair.b} <= first and not pair.is_behind]
        asked = [*self.pairs] if len(self.pairs) == 1 else asked
        open_pairs = [pair for pair in asked if pair.shown == "undecided"]
        return min(open_pairs, key=lambda pair: np.nan_to_num(pair.claims[0].p, nan=2.0), default=None)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names, best first."""
        return tuple(standing.name for standing in self.standings)

    def standing(self, name: str) -> Standing:
        """Return the standing of a system; an unknown name raises `NbykError`, which lists the names."""
        for standing in self.standings:
            if standing.name == name:
                return standing
        raise unknown_name("system", name, self.names)

    @property
    def reserves(self) -> tuple[str, ...]:
        """A caution for each reason why some pairs hold only with reserve; ranks and groups count these."""
        pairs: dict[tuple[str, str], list[str]] = {}
        for pair in self.pairs:
            margin = pair.margin
            beside_margin = margin.reserve if margin is not None and margin.is_reserved else ""
            for reserve in dict.fromkeys((pair.reserve, beside_margin)):
                if reserve:
                    pairs.setdefault((pair.population, reserve), []).append(f"{pair.a} – {pair.b}")
        return tuple(
            reserve_sentence(*key) + ("" if len(names) == len(self.pairs) else f" ({listed(names)})")
            for key, names in pairs.items()
        )

    @property
    def sentence(self) -> str:
        """The result in a sentence to quote."""
        from nbyk.report.comparison.sentences import board_sentence

        return board_sentence(self)

    @property
    def head(self) -> Head:
        """The first lines of every form of the result."""
        from nbyk.report.comparison.sentences import board_head

        return board_head(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame: a row for each claim about two systems, or for each of more systems, best first."""
        from nbyk.report.comparison.tables import leaderboard_table

        return self.pair.to_frame() if len(self.pairs) == 1 else leaderboard_table(self)

    def plot(self) -> Figure:
        """Return the figure of the question: of the effect, those over a baseline, or the leaderboard."""
        from nbyk.report.comparison.figures import differences_figure, leaderboard_figure

        if len(self.pairs) == 1:
            return self.pair.plot()
        return differences_figure(self) if self.shows_effects else leaderboard_figure(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all but the drawn effects as plain values for JSON; a number that is not finite is None."""
        return {
            "schema": SCHEMA,
            **plain(self.question),
            "sample": plain(self.sample),
            "standings": plain(self.standings),
            "groups": plain(self.groups),
            "pairs": plain(self.pairs),
            "warnings": list(self.warnings),
            "sentence": self.sentence,
        }


def reserve_sentence(population: str, reserve: str) -> str:
    """Return the caution about what is said for a population with reserve."""
    return f"with reserve, as p may be too small for {population}: {reserve}"


def hull(first: Interval, second: Interval) -> Interval:
    """Return the least interval that holds both, of which one may be `NONE`."""
    return float(np.fmin(first[0], second[0])), float(np.fmax(first[1], second[1]))


def _reserve(doubts: Sequence[Doubt]) -> str:
    return doubts[0].reason if doubts else ""


def _with_reserve(of: Claim | Margin) -> dict[str, Any]:
    """Return the fields as plain values, with the reserve in the place of the doubts."""
    return {
        name.replace("doubts", "reserve"): of.reserve if name == "doubts" else value
        for name, value in plain_fields(of).items()
    }


def _times(unit: float, interval: Interval) -> Interval:
    return unit * interval[0], unit * interval[1]


def plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain values by their names."""
    return {of.name: plain(getattr(value, of.name)) for of in fields(value)}


def plain(value: Any) -> Any:
    """Return a field as a value that JSON can hold; what has an `own_dict` says itself what that is."""
    if hasattr(value, "own_dict"):
        return value.own_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value)
    if isinstance(value, np.ndarray):
        is_plain = value.dtype.kind == "f" and np.isfinite(value).all()  # as a million scores are
        return value.tolist() if is_plain else [plain(number) for number in value.tolist()]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
