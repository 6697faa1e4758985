"""The result of a comparison of two systems: a frozen dataclass like scipy's, with a sentence to quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.testing.pvalues import Alternative, ExpectedP, sides_of
from nbyk.testing.results import plain
from nbyk.testing.systems.asked import WITH_RESERVE, Verdict, verdict_of
from nbyk.testing.systems.claims import DEFAULT_METHOD, Claim, reserve_sentence
from nbyk.testing.systems.margins import MarginClaim
from nbyk.words import ShownInNotebooks

Floats = NDArray[np.float64]


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
    def could_reject(self) -> bool:
        """Whether the broadest claim's test could have rejected; so few items have so few arrangements."""
        least = sides_of(self.alternative) / (1 + self.n_resamples)
        return self.claims[0].method != self.null or least <= self.alpha

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
        from nbyk.report.comparison.sentences import pair_sentence

        return pair_sentence(self, a, b, method)

    def margin_sentences(self, a: str = "A", b: str = "B", *, unit: float = 1.0) -> tuple[str, ...]:
        """Return a sentence for each of `margins`; `unit` times an effect is in the unit of the ratings."""
        from nbyk.report.comparison.sentences import margin_sentence

        return tuple(margin_sentence(claim, self.metric, a, b, unit) for claim in self.margins)

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
        from nbyk.report.comparison.sentences import pair_text

        return pair_text(self)

    @property
    def notebook_rows(self) -> Sequence[tuple[str, ...]]:
        """A row for each claim, the broadest first."""
        from nbyk.report.comparison.sentences import pair_rows

        return pair_rows(self)
