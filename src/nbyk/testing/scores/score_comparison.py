"""What a comparison of systems by their plain scores found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbyk.data.arrays import Floats
from nbyk.testing.pvalues import Alternative
from nbyk.testing.scores.aso import AsoResult
from nbyk.testing.scores.result import SignificanceResult


@dataclass(frozen=True)
class SystemScores:
    """A system's scores in numbers.

    Attributes
    ----------
    name, n, mean, sd
        The system, how many scores, their mean and their standard deviation (NaN for one score).
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
    difference
        mean(a) − mean(b): positive where A is better.
    low, high
        Its t interval at 1 − α: of the mean difference of pairs, else Welch's. NaN where there is too little.
    found
        The test's result; of Almost Stochastic Order, A over B.
    reverse
        Almost Stochastic Order of B over A, from the same resamples; None for other tests.
    p_adjusted
        The p-value corrected for all pairs; None for Almost Stochastic Order, whose bounds are.
    better
        The name of the system that is better at α, or almost stochastically larger at τ; None if neither is.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    found: SignificanceResult | AsoResult
    reverse: AsoResult | None
    p_adjusted: float | None
    better: str | None


@dataclass(frozen=True)
class ScoreComparison:
    """Systems compared by their plain scores.

    Attributes
    ----------
    test
        Its name.
    reason
        Why it was recommended; None where it was asked for.
    paired
        Whether it pairs scores.
    systems, pairs
        The systems, in the order given, and the pairs that were compared.
    against
        The baseline that all others were compared with; None for all pairs.
    alternative, alpha, tau, correction
        What was asked for. τ is None but for Almost Stochastic Order.
    seed
        What the draws depend on.
    warnings
        What to know before believing it, a sentence each.
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
