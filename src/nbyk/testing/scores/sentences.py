"""The result of a comparison of scores in one sentence that you can quote."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nbyk.testing.pvalues import side_in_words
from nbyk.testing.scores.aso import AsoResult
from nbyk.testing.scores.result import TEST_NAMES, p_in_words

if TYPE_CHECKING:
    from nbyk.testing.scores.score_comparison import ScoreComparison, ScorePair, SystemScores

_CORRECTIONS = {
    "holm": "Holm's",
    "bonferroni": "Bonferroni's",
    "benjamini_hochberg": "Benjamini and Hochberg's",
}
_LISTED = 6


def score_sentence(comparison: ScoreComparison) -> str:
    """Return the better of two systems or, with more systems, the number of decided pairs, as a sentence."""
    if len(comparison.pairs) > 1:
        return _verdict_of_many(comparison)
    (pair,) = comparison.pairs
    systems = {system.name: system for system in comparison.systems}
    if isinstance(pair.found, AsoResult):
        return _verdict_of_aso(pair, pair.found, comparison)
    test, level = TEST_NAMES[comparison.test], f"at α = {comparison.alpha:g}"
    p = f"{p_in_words(pair.found)} by {test}, {side_in_words(comparison.alternative)}"
    if pair.better is None:
        wanted = {"two-sided": "which of {a} and {b} is better", "greater": "that {a} is better than {b}"}
        asked = wanted.get(comparison.alternative, "that {b} is better than {a}").format(a=pair.a, b=pair.b)
        return (
            f"These scores do not show {level} {asked}: {_means(systems, pair.a, pair.b)}, a difference of "
            f"{pair.effect:.3g}{_interval(pair, comparison, 1.0)}; {p}.{_more_draws([pair])}"
        )
    other = pair.b if pair.better == pair.a else pair.a
    sign = 1.0 if pair.better == pair.a else -1.0
    return (
        f"{pair.better} is better than {other} {level}: {_means(systems, pair.better, other)}, a difference "
        f"of {sign * pair.effect:.3g}{_interval(pair, comparison, sign)}; {p}.{_more_draws([pair])}"
    )


def _verdict_of_aso(pair: ScorePair, found: AsoResult, comparison: ScoreComparison) -> str:
    reverse = pair.reverse or found.reversed()
    confidence = f"at a confidence of {100 * (1 - comparison.alpha):g} %"
    if pair.better is not None:
        front, back = (found, reverse) if pair.better == pair.a else (reverse, found)
        other = pair.b if pair.better == pair.a else pair.a
        return (
            f"{pair.better} is almost stochastically larger than {other} {confidence}: eps_min = "
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
    decided = [pair for pair in comparison.pairs if pair.better is not None]
    shown = [
        f"{pair.better} over {pair.b if pair.better == pair.a else pair.a}" for pair in decided[:_LISTED]
    ]
    more = f" and {len(decided) - _LISTED} more" if len(decided) > _LISTED else ""
    found = f"{len(decided)} ({', '.join(shown)}{more})" if decided else "none"
    if comparison.tau is not None:
        joint = "joint " if comparison.correction != "none" else ""
        confidence = f"{100 * (1 - comparison.alpha):g} %"
        how = f"eps_min below τ = {comparison.tau:g} at a {joint}confidence of {confidence}"
    else:
        corrected = (
            "with no correction for their number"
            if comparison.correction == "none"
            else f"with {_CORRECTIONS[comparison.correction]} correction"
        )
        test, side = TEST_NAMES[comparison.test], side_in_words(comparison.alternative)
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
    more = f" and {len(open_) - _LISTED} more" if len(open_) > _LISTED else ""
    return f" More draws could change the verdict on {'; '.join(open_[:_LISTED])}{more}."


def _means(systems: Mapping[str, SystemScores], first: str, second: str) -> str:
    one, other = systems[first], systems[second]
    scores = "1 score" if one.n == 1 else f"{one.n} scores"
    return f"{first} {one.mean:.4g} on average over {scores}, {second} {other.mean:.4g} over {other.n}"


def _interval(pair: ScorePair, comparison: ScoreComparison, sign: float) -> str:
    if math.isnan(pair.interval[0]):
        return ""
    low, high = sorted(sign * bound for bound in pair.interval)
    return f" ({100 * (1 - comparison.alpha):g} % interval {low:.3g} to {high:.3g})"
