"""The result of a comparison of systems by their plain scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from nbyk.data.arrays import Floats
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import Several
from nbyk.testing.scores.aso import AsoResult
from nbyk.testing.scores.result import SignificanceResult
from nbyk.testing.scores.sentences import score_sentence


@dataclass(frozen=True)
class SystemScores:
    """A system's scores in numbers.

    Attributes
    ----------
    name, n, mean, sd
        The system, the number of scores, their mean and their standard deviation (NaN for one score).
    low, high
        The t interval of the mean at 1 − α (NaN for one score).
    """

    name: str
    n: int
    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class ScorePair:
    """Two systems compared.

    Attributes
    ----------
    a, b
        Their names.
    effect
        mean(a) − mean(b): positive where A is better.
    interval
        Its t interval at 1 − α: of the mean difference of pairs, else Welch's. NaN if there are too few
        scores.
    found
        The test's result; for Almost Stochastic Order, that of A over B.
    reverse
        Almost Stochastic Order of B over A, from the same resamples; None for other tests.
    p_adjusted
        The p-value corrected for all pairs. None for Almost Stochastic Order, which corrects its bounds
        instead.
    better
        The name of the system that is better at α, or almost stochastically larger at τ; None if neither is.
    decided
        Whether the answer is certain: more draws would change the better system with a chance of at most
        .001. Always true for Almost Stochastic Order, because its bound says how sure it is.
    """

    a: str
    b: str
    effect: float
    interval: tuple[float, float]
    found: SignificanceResult | AsoResult
    reverse: AsoResult | None
    p_adjusted: float | None
    better: str | None
    decided: bool = True

    @property
    def p(self) -> float:
        """The p-value corrected for all pairs; NaN for Almost Stochastic Order."""
        return math.nan if self.p_adjusted is None else self.p_adjusted

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the p-value as it was drawn; NaN for Almost Stochastic Order."""
        return self.found.standard_error if isinstance(self.found, SignificanceResult) else math.nan


@dataclass(frozen=True)
class ScoreComparison(Several):
    """Systems compared by their plain scores; with two systems, it has the numbers of their pair.

    Attributes
    ----------
    test
        Its name.
    reason
        The reason for the recommendation; None if you chose the test.
    paired
        Whether it pairs scores.
    systems, pairs
        The systems, in the order given, and the pairs that were compared.
    against
        The baseline of all comparisons; None if all pairs were compared.
    alternative, alpha, tau, correction
        The settings. τ is None for all tests except Almost Stochastic Order.
    seed
        Seed of the draws.
    warnings
        Cautions about the result, one sentence each.
    scores
        The scores.
    """

    test: str
    reason: str | None
    paired: bool
    systems: tuple[SystemScores, ...]
    pairs: tuple[ScorePair, ...]
    against: str | None
    alternative: Alternative
    alpha: float
    tau: float | None
    correction: str
    seed: int
    warnings: tuple[str, ...]
    scores: Mapping[str, Floats] = field(repr=False, compare=False)

    @property
    def parts(self) -> tuple[ScorePair, ...]:
        """The pairs."""
        return self.pairs

    @property
    def sentence(self) -> str:
        """The result in one sentence that you can quote."""
        return score_sentence(self)
