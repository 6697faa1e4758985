"""The result of a comparison of two systems: a frozen dataclass like scipy's, with a sentence to quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from nbyk.testing.intervals import IntervalMethod
from nbyk.testing.pvalues import Alternative, ExpectedP, p_relation
from nbyk.testing.results import plain
from nbyk.testing.systems.asked import WITH_RESERVE, Verdict, verdict_of
from nbyk.testing.systems.claims import DEFAULT_METHOD, Claim
from nbyk.testing.systems.margins import MarginClaim
from nbyk.testing.systems.sentences import (
    MORE_DRAWS,
    ends_in_words,
    items_in_words,
    margin_sentence,
    number,
    reserve_sentence,
)
from nbyk.words import ShownInNotebooks, with_names

Floats = NDArray[np.float64]

ITEMS_ALONE = "items alone"
"""A number for these raters and runs, beside a claim about new ones: only items count as chance."""


@dataclass(frozen=True)
class ResponseCounts:
    """Numbers of responses to the items from one source.

    Attributes
    ----------
    least, most
        The fewest and the most responses of an item.
    total
        Responses of all items.
    """

    least: int
    most: int
    total: int


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(ShownInNotebooks):
    """Whether system A is better than system B by one metric, and how sure this is; the result is frozen.

    Attributes
    ----------
    metric
        Canonical name of the metric.
    effect
        How much better A is on the data, for the broadest claim that has an answer; positive if A is better,
        also for metrics of which less is better.
    score_a, score_b
        The systems' own scores; None if the metric compares two systems and scores neither.
    null
        Name of the null hypothesis (`nbyk.resampling.samplers.NULLS`).
    hypothesis
        The null hypothesis in words.
    alternative, alpha
        The chosen alternative ("greater" means that A is better), and the level of the decision.
    exact
        Whether `null_distribution` has every effect under the null, so that p has no Monte-Carlo error.
    expected_p
        The papers' p: the mean p of bootstrapped effects instead of that of the observed effect. It counts
        the sampling noise twice, and is conservative.
    expected_p_sampler
        The sampler of those bootstrapped effects; the null's effects are `null_distribution`.
    confidence_level
        Nominal coverage of all intervals.
    null_distribution : ndarray, shape (n_resamples,)
        Effects under the null; if `exact`, those of all arrangements except the observed one.
    bootstrap_distribution : ndarray, shape (B,)
        Effects of bootstrapped test sets; without those on which the metric is undefined.
    n_items
        Number of items N.
    n_clusters
        Number of clusters of items G, which were swapped and bootstrapped whole; 0 without clusters.
    responses_gold, responses_a, responses_b
        Numbers of responses to the items; gold's is None without gold.
    n_resamples
        Number of draws of the null.
    decision_error
        Largest chance, over the random draws, that infinitely many draws would reverse a decided claim whose
        p was drawn; 0 if `exact`.
    claims
        The claims, the broadest population first: over new items and new raters or runs, if items share them,
        and over new items or clusters alone, with these raters and runs. `p`, `interval`, `decided`,
        `significant` and `verdict` are those of the first; all that is drawn belongs to the last.
    pairing
        Which runs or raters of A and B count as the same, in a sentence; "" if neither has several.
    margins
        The tests of the effect against your margin, over the population of each claim; empty without a
        margin.
    warnings
        Cautions about the numbers, one sentence each.
    seed
        Seed of all draws.
    """

    metric: str
    effect: float
    score_a: float | None
    score_b: float | None
    null: str
    hypothesis: str
    alternative: Alternative
    alpha: float
    exact: bool
    expected_p: ExpectedP
    expected_p_sampler: str
    confidence_level: float
    null_distribution: Floats
    bootstrap_distribution: Floats
    n_items: int
    n_clusters: int
    responses_gold: ResponseCounts | None
    responses_a: ResponseCounts
    responses_b: ResponseCounts
    n_resamples: int
    decision_error: float
    claims: tuple[Claim, ...]
    pairing: str
    margins: tuple[MarginClaim, ...]
    warnings: tuple[str, ...]
    seed: int

    @property
    def p(self) -> float:
        """p-value of the broadest claim; NaN if that claim is inconclusive."""
        return self.claims[0].p

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of `p`; 0 if it is exact or by t."""
        return self.claims[0].standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the effect for the broadest claim; NaN if that claim is inconclusive."""
        return self.claims[0].low, self.claims[0].high

    @property
    def decided(self) -> bool:
        """Whether the decision p ≤ α on the broadest claim is certain, up to `decision_error`."""
        return self.claims[0].decided

    @property
    def significant(self) -> bool:
        """Whether the broadest claim's null is rejected: p ≤ α."""
        return self.p <= self.alpha

    @property
    def verdict(self) -> str:
        """Which system the test shows to be better, if any: "A", "B", "different" or "undecided".

        It is followed by ", with reserve" if the broadest claim holds only with reserve. "different" means
        that A and B do not answer every item alike. It does not say which is better. It is the verdict under
        nulls that claim more than that both are equally good.
        """
        return self.verdict_in_words(self.claims[0])

    def verdict_in_words(self, claim: Claim) -> str:
        """Return `verdict` for one of the claims."""
        return self.verdict_of(claim) + (WITH_RESERVE if self.is_reserved(claim) else "")

    def verdict_of(self, claim: Claim) -> Verdict:
        """Return which system one of the claims shows to be better, with reserve or without."""
        effect = claim.effect if claim.is_conclusive else self.effect
        return verdict_of(claim.p, effect, self.null, self.alternative, self.alpha)

    def is_reserved(self, claim: Claim) -> bool:
        """Return whether one of the claims shows something, and only with reserve."""
        return bool(claim.reserve) and self.verdict_of(claim) != "undecided"

    @property
    def reserves(self) -> tuple[str, ...]:
        """A caution for each claim, or test of a margin, that holds only with reserve."""
        reserves = [(claim.population, claim.reserve) for claim in self.claims]
        reserves += [(claim.population, claim.reserve) for claim in self.margins]
        return tuple(reserve_sentence(*of_claim) for of_claim in dict.fromkeys(reserves) if of_claim[1])

    def in_order(self, a: str, b: str) -> tuple[str, str, float]:
        """Return the order in which an answer names the systems, and the sign of all its effects.

        `a` and `b` are the names of A and B. The system that the broadest possible claim shows to be better
        comes first; A does if none is shown, and beside a margin, which asks about A.
        """
        shown = [verdict for claim in self.claims if (verdict := self.verdict_of(claim)) != "undecided"]
        return (b, a, -1.0) if shown[:1] == ["B"] and not self.margins else (a, b, 1.0)

    @property
    def sentence(self) -> str:
        """The result in words that you can quote; the systems are A and B."""
        return self.sentence_about("A", "B")

    def sentence_about(self, a: str, b: str, *, method: str = DEFAULT_METHOD) -> str:
        """Return sentences to quote, with the systems named `a` and `b`; the better one comes first.

        Raises
        ------
        NbykError
            If there is no such interval method.
        """
        broad, items = self.claims[0], self.claims[-1]
        told = _Told(self, a, b, items.ends(method))
        if broad is items:
            return told.of_items()
        if not broad.is_conclusive:
            return told.inconclusive()
        return told.of_both()

    def margin_sentences(self, a: str = "A", b: str = "B", *, unit: float = 1.0) -> tuple[str, ...]:
        """Return a sentence for each of `margins`; `unit` times an effect is in the unit of the ratings."""
        return tuple(margin_sentence(found, self.metric, a, b, unit) for found in self.margins)

    @property
    def size(self) -> str:
        """The number of items, and of clusters if there are any, in words."""
        return items_in_words(self.n_items, self.n_clusters)

    def to_dict(self, *, distributions: bool = False) -> dict[str, Any]:
        """Return everything as plain values for JSON, with the drawn effects only if `distributions`.

        A number that is not finite becomes None.
        """
        arrays = ("null_distribution", "bootstrap_distribution")
        kept = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if distributions or field.name not in arrays
        }
        return {
            **{name: plain(value) for name, value in kept.items()},
            "margins": [{**plain(claim), "verdict": claim.verdict} for claim in self.margins],
            "p": plain(self.p),
            "interval": plain(self.interval),
            "decided": self.decided,
            "significant": self.significant,
            "verdict": self.verdict,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        items = self.claims[-1]
        error = "exact" if self.exact else f"± {number(items.standard_error)}"
        n = self.n_resamples
        draws = f"{f'all {n + 1} arrangements' if self.exact else f'{n} draws'} of {self.null}"
        test = f"{error}; {self.alternative}; {draws}"
        if items.method != self.null:
            test = f"{self.alternative}; {items.method}"
        broad = []
        for claim in self.claims[:-1]:
            broad.append((f"p, {claim.population}", number(claim.p) if claim.is_conclusive else claim.reason))
            broad.append((f"{self._percent}, {claim.population}", ends_in_words(claim.ends())))
        alone = f" ({ITEMS_ALONE})" if broad else ""
        lines = [
            ("metric", self.metric),
            ("effect", f"{number(self.effect)} (positive: A is better)"),
            *broad,
            ("verdict", f"{self.verdict if self.decided else 'inconclusive'} at α = {self.alpha:g}"),
            *(
                (f"{self._percent} {method}{alone}", ends_in_words(items.ends(method)))
                for method in get_args(IntervalMethod)
            ),
            (f"p-value{alone}", f"{number(items.p)} ({test})"),
            ("expected p", f"{number(self.expected_p.p)} (one-sided; {self.expected_p_sampler})"),
            ("null", self.hypothesis),
            ("items", f"{self.n_items}"),
            *([("clusters", f"{self.n_clusters}")] if self.n_clusters else []),
            *([("pairing", self.pairing)] if self.pairing else []),
            *(("warning", text) for text in self.warnings),
        ]
        width = max(len(name) for name, _ in lines)
        return "\n".join(["ComparisonResult", *(f"  {name:>{width}}: {text}" for name, text in lines)])

    @property
    def notebook_rows(self) -> Sequence[tuple[str, ...]]:
        """A row for each claim, the broadest first."""
        level = f"{self._percent} interval of the effect"
        rows = [
            (
                claim.population,
                number(claim.effect if claim.is_conclusive else self.effect),
                ends_in_words(claim.ends()),
                self._p_in_row(claim) if claim.is_conclusive else claim.reason,
            )
            for claim in self.claims
        ]
        return [("for", f"effect on {self.metric}", level, "p"), *rows]

    def _p_in_row(self, claim: Claim) -> str:
        return self.p_in_words(claim).removeprefix("p = ") + (WITH_RESERVE if claim.reserve else "")

    @property
    def _percent(self) -> str:
        return f"{100 * self.confidence_level:g} %"

    def p_in_words(self, claim: Claim) -> str:
        """Return "p = …" of a claim, or "p ≤ …" if no draw reached the effect, so that p may be less."""
        is_drawn = claim.method == self.null and not self.exact
        relation = p_relation(claim.p, self.n_resamples, self.alternative) if is_drawn else "="
        return f"p {relation} {number(claim.p)}"


@dataclass(frozen=True)
class _Told:
    """A result in words: `a` and `b` are the systems' names, with the interval to quote over items."""

    result: ComparisonResult
    a: str
    b: str
    interval: tuple[float, float]

    def of_items(self) -> str:
        """Return the sentence of the claim over new items alone."""
        result, claim = self.result, self.result.claims[-1]
        population = self._of(claim.population)
        kept = population.partition(", with ")[2] if len(result.claims) == 1 else ""
        if result.n_clusters and len(result.claims) == 1:
            kept = population
        first, second, sign = result.in_order(self.a, self.b)
        hypothesis = self._of(result.hypothesis)
        return (
            f"{self._shown(claim, ',')} on {result.metric}{f', for {kept}' if kept else ''}: the effect of "
            f"{first} over {second} on {result.size} is {number(sign * result.effect)} "
            f"({self._ends(*self.interval, sign)}), and "
            f"{result.p_in_words(claim)} ({result.alternative}, {self._test(claim)}) under the null "
            f"that {hypothesis}, at α = {result.alpha:g}.{self._more_draws(claim)}"
        )

    def of_both(self) -> str:
        """Return the sentences of the broadest claim and of that over new items alone."""
        result, broad, items = self.result, self.result.claims[0], self.result.claims[-1]
        first, second, sign = result.in_order(self.a, self.b)
        one_sided = "" if result.alternative == "two-sided" else f"{result.alternative}, "
        return (
            f"{self._shown(broad, ',')} on {result.metric}, for {self._of(broad.population)}: the effect "
            f"of {first} over {second} on {result.size} is {number(sign * result.effect)} "
            f"({self._ends(broad.low, broad.high, sign)}), and {result.p_in_words(broad)} "
            f"({result.alternative}, {self._test(broad)}) under the null that "
            f"{self.a} and {self.b} are equally good there, at α = {result.alpha:g}. "
            f"For {self._of(items.population)}, {self._shown(items)}: "
            f"{self._ends(*self.interval, sign)}, {result.p_in_words(items)} "
            f"({one_sided}{self._test(items)}).{self._more_draws(items)}"
        )

    def inconclusive(self) -> str:
        """Return the sentences where the broadest claim is inconclusive."""
        broad, items = self.result.claims[0], self.result.claims[-1]
        return (
            f"Inconclusive on {self.result.metric} for {self._of(broad.population)}: "
            f"{self._of(broad.reason)}. For {self._of(items.population)}: {self.of_items()}"
        )

    def _of(self, text: str) -> str:
        return with_names(text, self.a, self.b)

    def _test(self, claim: Claim) -> str:
        """Return the test that made a claim's p: t or, if nothing varies, the one over items."""
        if claim.method == self.result.null:
            return f"{self._null}, {self._how}"
        return "t-test" if claim.method == "t" else claim.method

    def _ends(self, low: float, high: float, sign: float) -> str:
        low, high = sorted((sign * low, sign * high))
        two_sided = "" if self.result.alternative == "two-sided" else "two-sided "
        return f"{two_sided}{100 * self.result.confidence_level:g} % interval {number(low)} to {number(high)}"

    def _more_draws(self, claim: Claim) -> str:
        return "" if claim.decided else f" This is inconclusive: {MORE_DRAWS}."

    @property
    def _null(self) -> str:
        return f"{self.result.null} of whole clusters" if self.result.n_clusters else self.result.null

    @property
    def _how(self) -> str:
        result = self.result
        return "exact" if result.exact else f"Monte-Carlo error {number(result.claims[-1].standard_error)}"

    def _shown(self, claim: Claim, after_reserve: str = "") -> str:
        """Return what a claim shows; `after_reserve` follows it if it holds only with reserve."""
        a, b = self.a, self.b
        reserve = WITH_RESERVE + after_reserve if self.result.is_reserved(claim) else ""
        shown = {
            "A": f"{a} is better than {b}",
            "B": f"{b} is better than {a}",
            "different": f"{a} and {b} do not answer every item alike",
            "undecided": {
                "two-sided": f"{a} and {b} cannot be told apart",
                "greater": f"{a} is not shown to be better than {b}",
                "less": f"{b} is not shown to be better than {a}",
            }[self.result.alternative],
        }[self.result.verdict_of(claim)]
        return shown + reserve
