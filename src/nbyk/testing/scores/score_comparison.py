"""The result of a comparison of systems by their plain scores, in numbers and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nbyk.data.arrays import Floats
from nbyk.testing.corrections import WHOSE
from nbyk.testing.pvalues import Alternative, side_in_words
from nbyk.testing.results import Several
from nbyk.testing.scores.aso import AsoResult
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.result import SignificanceResult, p_in_words

_LISTED = 6


@dataclass(frozen=True)
class SystemScores:
    """A system's scores in numbers.

    Attributes
    ----------
    name, n, mean, sd
        The system, the number of scores, their mean and their standard deviation (NaN for one score).
    low, high
        The interval of the mean (`mean_interval`); NaN for one score, and for equal ones.
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
        Its interval (`mean_difference`); NaN if there are too few scores, or none varies.
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
    reverse: AsoResult | None = None
    p_adjusted: float | None = None
    better: str | None = None
    decided: bool = True

    @property
    def p(self) -> float:
        """The p-value corrected for all pairs; NaN for Almost Stochastic Order."""
        return math.nan if self.p_adjusted is None else self.p_adjusted

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of `p` before its correction; NaN for Almost Stochastic Order."""
        return self.found.standard_error if isinstance(self.found, SignificanceResult) else math.nan

    @property
    def ranked(self) -> tuple[str, str]:
        """The better system and the other; A and B if neither is better."""
        return (self.b, self.a) if self.better == self.b else (self.a, self.b)


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
    alternative, alpha, confidence_level, tau, correction
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
    confidence_level: float
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
        return _verdict_of_many(self) if len(self.pairs) > 1 else _verdict_of_one(self.pairs[0], self)

    @property
    def confidence(self) -> str:
        """The confidence level of the intervals in words."""
        return f"{100 * self.confidence_level:g} %"

    @property
    def confidence_of_bounds(self) -> str:
        """The confidence of the bounds of Almost Stochastic Order, 1 − α, in words."""
        return f"{100 * (1 - self.alpha):g} %"

    @property
    def n_corrected(self) -> int:
        """The number of pairs that the p-values or bounds are corrected for."""
        return 1 if self.correction == "none" else len(self.pairs)


def _verdict_of_one(pair: ScorePair, comparison: ScoreComparison) -> str:
    if isinstance(pair.found, AsoResult):
        return _verdict_of_aso(pair, pair.found, comparison)
    level = f"at α = {comparison.alpha:g}"
    better, worse = pair.ranked
    if pair.better is None:
        wanted = {"two-sided": "which of {a} and {b} is better", "greater": "that {a} is better than {b}"}
        asked = wanted.get(comparison.alternative, "that {b} is better than {a}").format(a=pair.a, b=pair.b)
        verdict = f"These scores do not show {level} {asked}"
    else:
        verdict = f"{better} is better than {worse} {level}"
    systems = {system.name: system for system in comparison.systems}
    one, other = systems[better], systems[worse]
    scores = "1 score" if one.n == 1 else f"{one.n} scores"
    sign = -1.0 if better == pair.b else 1.0
    interval = ""
    if not math.isnan(pair.interval[0]):
        low, high = sorted(sign * bound for bound in pair.interval)
        interval = f" ({comparison.confidence} interval {low:.3g} to {high:.3g})"
    return (
        f"{verdict}: {better} {one.mean:.4g} on average over {scores}, {worse} {other.mean:.4g} over "
        f"{other.n}, a difference of {sign * pair.effect:.3g}{interval}; {p_in_words(pair.found)} by "
        f"{FACTS[comparison.test].title}, {side_in_words(comparison.alternative)}.{_more_draws([pair])}"
    )


def _verdict_of_aso(pair: ScorePair, found: AsoResult, comparison: ScoreComparison) -> str:
    reverse = found.reversed()
    confidence = f"at a confidence of {comparison.confidence_of_bounds}"
    if pair.better is not None:
        better, worse = pair.ranked
        front, back = (found, reverse) if better == pair.a else (reverse, found)
        return (
            f"{better} is almost stochastically larger than {worse} {confidence}: eps_min = "
            f"{front.eps_min:.3g}, below τ = {comparison.tau:g} (violation ratio {front.violation_ratio:.3g} "
            f"± {front.standard_error:.2g}; the other way round eps_min is {back.eps_min:.3g})."
        )
    ways = {
        "two-sided": f"either of {pair.a} and {pair.b}",
        "greater": pair.a,
        "less": pair.b,
    }[comparison.alternative]
    other = {"two-sided": "the other", "greater": pair.b, "less": pair.a}[comparison.alternative]
    return (
        f"These scores do not show {confidence} that {ways} is almost stochastically larger than {other}: "
        f"eps_min is {found.eps_min:.3g} for {pair.a} over {pair.b} and {reverse.eps_min:.3g} the other way "
        f"round, not below τ = {comparison.tau:g} (violation ratio {found.violation_ratio:.3g} ± "
        f"{found.standard_error:.2g})."
    )


def _verdict_of_many(comparison: ScoreComparison) -> str:
    best = max(comparison.systems, key=lambda system: system.mean)
    decided = [" over ".join(pair.ranked) for pair in comparison.pairs if pair.better is not None]
    found = f"{len(decided)} ({_listed(decided, ', ')})" if decided else "none"
    if comparison.tau is not None:
        joint = "joint " if comparison.correction != "none" else ""
        confidence = f"{joint}confidence of {comparison.confidence_of_bounds}"
        how = f"eps_min below τ = {comparison.tau:g} at a {confidence}"
    else:
        corrected = (
            "with no correction for their number"
            if comparison.correction == "none"
            else f"with {WHOSE[comparison.correction]} correction"
        )
        test, side = FACTS[comparison.test].title, side_in_words(comparison.alternative)
        how = f"{test}, {side} at α = {comparison.alpha:g}, {corrected}"
    against = f" with {comparison.against}" if comparison.against else ""
    more_draws = _more_draws(comparison.pairs)
    return (
        f"Of {len(comparison.systems)} systems {best.name} has the best mean score, {best.mean:.4g}; of "
        f"{len(comparison.pairs)} comparisons{against}, {found} are decided by {how}.{more_draws}"
    )


def _more_draws(pairs: Sequence[ScorePair]) -> str:
    """Return the sentence about verdicts that more draws could change; empty if there are none."""
    open_ = [f"{pair.a} and {pair.b}" for pair in pairs if not pair.decided]
    if not open_:
        return ""
    if len(pairs) == 1:
        return " This is inconclusive: more draws could change it."
    return f" More draws could change the verdict on {_listed(open_, '; ')}."


def _listed(items: Sequence[str], separator: str) -> str:
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return f"{separator.join(items[:_LISTED])}{more}"
