"""The result of a bootstrap over label predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import unknown_name
from nbyk.metrics.label_scores import LabelScore
from nbyk.testing.engine.run_draws import Runs
from nbyk.testing.pvalues import Alternative, p_relation, side_in_words
from nbyk.testing.results import Several
from nbyk.testing.systems.claims import Claim

Floats: TypeAlias = NDArray[np.float64]
Semantics: TypeAlias = Literal["recommended", "published"]


def stars_of(p: float) -> str:
    """Return BooStSa's mark of a p-value."""
    return "**" if p < 0.01 else "*" if p < 0.05 else "!" if p > 0.95 else ""


@dataclass(frozen=True)
class LabelComparison:
    """One score of two systems, and whether A's is better.

    Attributes
    ----------
    score
        The score.
    score_a, score_b
        The systems' scores, means over their runs; on the score's own scale.
    effect
        How much better A is: A's score minus B's, or B's minus A's if lower is better.
    p
        p-value of the chosen alternative.
    p_greater
        One-sided p-value of "A is better".
    p_two_sided
        Twice the smaller of the two one-sided p-values, at most 1; None under published semantics.
    standard_error
        Monte-Carlo standard error of `p`.
    interval
        Percentile interval of the effect.
    stars
        BooStSa's mark, "**", "*", "!" or "", under published semantics; else "".
    warnings
        Cautions about this score: classes counted as 0, draws on which it was undefined.
    claims
        The claims, the broadest population first: over new items and new raters, if the targets are made from
        ratings, and over new items with these raters. `p`, `standard_error` and `interval` are those of the
        first; NaN if it is inconclusive.
    """

    score: LabelScore
    score_a: float
    score_b: float
    effect: float
    p: float
    p_greater: float
    p_two_sided: float | None
    standard_error: float
    interval: tuple[float, float]
    stars: str
    warnings: tuple[str, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class LabelTest(Several):
    """Two systems compared by scores on the same resamples; with one score, it has that score's numbers.

    Attributes
    ----------
    comparisons
        One per score, in the requested order.
    classes
        The classes of hard labels; for soft labels, the numbers of the columns.
    n_items, n_drawn
        Items N, and the number of them (or, concatenated, of their runs) that each resample draws.
    runs_a, runs_b
        Number of runs of each system.
    n_resamples, semantics, runs, seed, alternative, confidence_level
        The settings.
    names
        The names of A and B.
    warnings
        Cautions about all scores: parts that were not resampled, and causes of too large or too small
        p-values.
    draws : ndarray, shape (scores, M)
        The effects of the resamples; NaN where undefined.
    """

    comparisons: tuple[LabelComparison, ...]
    classes: tuple[Any, ...]
    n_items: int
    n_drawn: int
    runs_a: int
    runs_b: int
    n_resamples: int
    semantics: Semantics
    runs: Runs
    seed: int
    alternative: Alternative
    confidence_level: float
    names: tuple[str, str]
    warnings: tuple[str, ...]
    draws: Floats = field(repr=False, compare=False)

    @property
    def parts(self) -> tuple[LabelComparison, ...]:
        """The comparisons, one per score."""
        return self.comparisons

    @property
    def sentence(self) -> str:
        """The result in one sentence that you can quote; whether the evidence is enough is your decision."""
        found = "; ".join(map(self._told, self.comparisons))
        how = f"by the paired bootstrap, {side_in_words(self.alternative)}"
        return f"On {self.n_items} items, {how}: {found}."

    def _told(self, of_score: LabelComparison) -> str:
        """Return the lead of the better system by one score, in words."""
        first, second, sign = (*self.names, 1.0)
        if of_score.effect < 0.0:
            first, second, sign = second, first, -1.0
        lead = f"by {of_score.score.name}, {first} leads {second} by {sign * of_score.effect:.3g}"
        told = [self._claimed(claim, sign) for claim in of_score.claims]
        if len(told) == 1:
            return f"{lead} ({told[0]})"
        whom = [f"for {claim.population}: {said}" for claim, said in zip(of_score.claims, told, strict=True)]
        return f"{lead} ({'; '.join(whom)})"

    def _claimed(self, claim: Claim, sign: float) -> str:
        """Return the interval and p of a claim in words."""
        if not claim.is_conclusive:
            return f"inconclusive, {claim.reason}"
        low, high = sorted((sign * claim.low, sign * claim.high))
        ends = f"{100 * self.confidence_level:g} % interval {low:.3g} to {high:.3g}"
        if claim.method == "t":
            return f"{ends}; p = {claim.p:.3g} by t"
        relation = p_relation(claim.p, self.n_resamples, self.alternative)
        return f"{ends}; p {relation} {claim.p:.3g} ± {claim.standard_error:.1g}"

    def __getitem__(self, name: str) -> LabelComparison:
        """Return the comparison by the score called `name`."""
        for comparison in self.comparisons:
            if comparison.score.name == name:
                return comparison
        raise unknown_name("score", name, [comparison.score.name for comparison in self.comparisons])
