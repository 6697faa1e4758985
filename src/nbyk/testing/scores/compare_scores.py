"""Systems compared by their plain scores: one test of every pair, corrected for the number of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nbyk.data.arrays import Floats, as_samples, check_aligned
from nbyk.errors import NbykError, unknown_name
from nbyk.resampling.effects import Progress
from nbyk.resampling.streams import as_seed
from nbyk.testing.corrections import check_correction, correct_p_values, settled_decisions
from nbyk.testing.decision import check_draws, check_level
from nbyk.testing.intervals import check_confidence_level
from nbyk.testing.pairs import choose_pairs
from nbyk.testing.pvalues import Alternative, bounds_of_drawn_p, check_alternative
from nbyk.testing.scores.aso import Bound, few_scores
from nbyk.testing.scores.battery import TESTS
from nbyk.testing.scores.facts import ASO, FACTS
from nbyk.testing.scores.means import mean_difference, mean_interval
from nbyk.testing.scores.recommendation import recommended_test
from nbyk.testing.scores.result import (
    NOTHING_VARIES,
    SCOPE,
    SignificanceResult,
    smallest_p,
    warnings_of,
)
from nbyk.testing.scores.score_comparison import ScoreComparison, ScorePair, SystemScores

RECOMMENDED = "recommended"
NAMES = (RECOMMENDED, ASO, *TESTS)
"""Names of the tests that scores can be compared by."""

N_RESAMPLES = 10_000
N_ASO_RESAMPLES = 1000


def compare_scores(
    scores: Any,
    *,
    test: str = RECOMMENDED,
    paired: bool = False,
    against: str | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    tau: float = 0.2,
    correction: str | None = None,
    n_resamples: int | None = None,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> ScoreComparison:
    """Compare systems by scores of their runs, or of the same items.

    Parameters
    ----------
    scores
        Scores of two systems or more, higher is better: a mapping from names, a DataFrame with a column per
        system, or a sequence of samples.
    test
        "recommended" (see `recommended_test`), "aso", or a name in `battery.TESTS`.
    paired
        Whether score i of every system belongs to the same item or run. Paired tests need this.
    against
        A baseline to compare every other system with; by default all pairs are compared.
    alternative
        "two-sided", "greater" (the first of a pair is better; with a baseline, the other system is) or
        "less". With more than two systems, the last two need a baseline.
    alpha
        The level, in (0, 1); the bound of Almost Stochastic Order has a confidence of 1 − α.
    confidence_level
        Coverage of the intervals of means and their differences, in (0, 1).
    tau
        A system is almost stochastically larger if `eps_min` is below this, in (0, 1).
    correction
        For the number of pairs: "holm", "bonferroni", "benjamini_hochberg" or "none"; by default Holm's. The
        bounds of Almost Stochastic Order can only use Bonferroni's, their default.
    n_resamples
        Draws M; by default 10,000, and 1000 for Almost Stochastic Order.
    seed, threads
        The numbers depend on the seed, not on the threads.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    ScoreComparison

    Raises
    ------
    NbykError
        If there are fewer than two systems, scores are not finite numbers, are too few or do not pair, or an
        argument is unknown or out of range.
    """
    check_alternative(alternative)
    check_level(alpha)
    if not 0.0 < tau < 1.0:
        raise NbykError(f"found {tau}, expected a number between 0 and 1, such as 0.2", argument="tau")
    if n_resamples is not None:
        check_draws(n_resamples)
    seed = as_seed(seed)
    check_confidence_level(confidence_level)
    samples = as_samples(scores)
    if paired and isinstance(scores, Mapping):
        check_aligned(*scores.values())
    names = list(samples)
    pairs = [(names[a], names[b]) for a, b in choose_pairs(names, against, alternative)]
    test, reason = chosen_test(test, samples, paired=paired)
    _check_samples(samples, test, paired=paired)
    asked = ScoreComparison(
        test=test,
        reason=reason,
        paired=FACTS[test].paired,
        systems=tuple(_described(name, sample, confidence_level) for name, sample in samples.items()),
        pairs=(),
        against=against,
        alternative=alternative,
        alpha=alpha,
        confidence_level=confidence_level,
        tau=tau if test == ASO else None,
        correction=_correction(test, correction),
        seed=seed,
        warnings=(),
        scores=samples,
    )
    if test == ASO:
        draws = N_ASO_RESAMPLES if n_resamples is None else n_resamples
        compared = _by_aso(asked, pairs, draws, threads, progress)
    else:
        options: dict[str, Any] = {"alternative": alternative}
        if TESTS[test].draws:
            options |= {"n_resamples": N_RESAMPLES if n_resamples is None else n_resamples, "seed": seed}
            options |= {"threads": threads, "progress": progress}
        compared = _by_p(asked, pairs, options)
    found = replace(asked, pairs=tuple(compared))
    return replace(found, warnings=tuple(_warnings(found, paired=paired)))


def chosen_test(test: str, samples: Mapping[str, Floats], *, paired: bool) -> tuple[str, str | None]:
    """Return the name of the test that compares samples, and the reason if it is the recommended one."""
    if test == RECOMMENDED:
        return recommended_test(*_fewest(samples), paired=paired)
    if test not in NAMES:
        raise unknown_name("test", test, NAMES).about(argument="test")
    return test, None


def least_scores(test: str) -> int:
    """Return the least number of scores per system that a test needs."""
    return FACTS[test].least_scores if test in FACTS else 1


def _fewest(samples: Mapping[str, Floats]) -> tuple[int, int]:
    """Return the two smallest numbers of scores."""
    first, second, *_ = sorted(len(sample) for sample in samples.values())
    return first, second


def _check_samples(samples: Mapping[str, Floats], test: str, *, paired: bool) -> None:
    if FACTS[test].paired and not paired:
        raise NbykError(
            f"test {test!r} needs paired scores: say that score i of every system is of the same item or run "
            "(paired), or choose an unpaired test, such as permutation"
        )
    least = least_scores(test)
    (first, sample), *others = samples.items()
    for name, values in samples.items():
        if len(values) < least:
            raise NbykError(
                f"system {name!r}: found 1 score, expected at least {least} for {test}, which resamples or "
                "measures how scores vary: give more runs"
            )
    for name, values in others:
        if paired and len(values) != len(sample):
            raise NbykError(
                f"system {name!r}: found {len(values)} scores, expected {len(sample)} as of {first!r}, since "
                "they are paired: give scores on the same items or runs, or do not pair them"
            )


def _correction(test: str, correction: str | None) -> str:
    if correction is None:
        return "bonferroni" if test == ASO else "holm"
    check_correction(correction)
    if test == ASO and correction not in ("bonferroni", "none"):
        raise NbykError(
            f"found {correction!r} for aso, whose bounds are not p-values; choose bonferroni or none",
            argument="correction",
        )
    return correction


def _by_p(
    asked: ScoreComparison, pairs: Sequence[tuple[str, str]], options: Mapping[str, Any]
) -> Iterator[ScorePair]:
    test = TESTS[asked.test].test
    results = []
    for pair in pairs:
        try:
            results.append(test(*(asked.scores[name] for name in pair), **options))
        except NbykError as error:
            raise error.about(systems=pair) from None
    p = np.array([result.p for result in results])
    adjusted = correct_p_values(p, asked.correction).tolist()
    draws = [0 if result.exact else result.n_resamples for result in results]
    low, high = np.array(
        [bounds_of_drawn_p(each.p, n, each.alternative) for each, n in zip(results, draws, strict=True)]
    ).T
    decided = settled_decisions(p, low, high, alpha=asked.alpha, method=asked.correction).tolist()
    for (first, second), result, of_pair, is_decided in zip(pairs, results, adjusted, decided, strict=True):
        a, b = asked.scores[first], asked.scores[second]
        better = None
        if of_pair <= asked.alpha:
            better = first if _first_is_in_front(result, a, b) else second
        yield ScorePair(
            first,
            second,
            *mean_difference(a, b, asked.confidence_level, paired=asked.paired),
            found=result,
            p_adjusted=of_pair,
            better=better,
            decided=is_decided,
        )


def _first_is_in_front(result: SignificanceResult, a: Floats, b: Floats) -> bool:
    if result.alternative != "two-sided":
        return result.alternative == "greater"
    test = TESTS[result.test]
    if test.draws or result.test == "welch_t":
        return result.statistic > 0.0
    # Rank tests may favour another system than the means do.
    return test.test(a, b, alternative="greater").p < test.test(a, b, alternative="less").p


def _by_aso(
    asked: ScoreComparison,
    pairs: Sequence[tuple[str, str]],
    n_resamples: int,
    threads: int,
    progress: Progress | None,
) -> Iterator[ScorePair]:
    assert asked.tau is not None
    sides = 2 if asked.alternative == "two-sided" else 1
    n_comparisons = 1 if asked.correction == "none" else sides * len(pairs)
    bound = Bound(1.0 - asked.alpha, n_comparisons, n_resamples, None, asked.seed)
    for row, (first, second) in enumerate(pairs):
        a, b = asked.scores[first], asked.scores[second]
        found = bound.compare(a, b, row=row, threads=threads, keep_resamples=True, progress=progress)
        reverse = found.reversed()
        better = None
        if asked.alternative != "less" and found.eps_min < asked.tau:
            better = first
        elif asked.alternative != "greater" and reverse.eps_min < asked.tau:
            better = second
        yield ScorePair(
            first,
            second,
            *mean_difference(a, b, asked.confidence_level, paired=False),
            found=found,
            reverse=reverse,
            better=better,
        )


def _described(name: str, sample: Floats, confidence_level: float) -> SystemScores:
    sd = float(sample.std(ddof=1)) if len(sample) > 1 else math.nan
    return SystemScores(name, len(sample), float(sample.mean()), sd, *mean_interval(sample, confidence_level))


def _warnings(found: ScoreComparison, *, paired: bool) -> Iterator[str]:
    test, fewest = found.test, _fewest(found.scores)
    yield from warnings_of(test, fewest[0])
    if test == ASO:
        said = few_scores(*fewest)
        if said is not None:
            yield said
    results = [pair.found for pair in found.pairs if isinstance(pair.found, SignificanceResult)]
    least = min((smallest_p(result) for result in results), default=0.0)
    if least * found.n_corrected > found.alpha:
        corrected = f", times {found.n_corrected} pairs," if found.n_corrected > 1 else ""
        how = (
            "collect more scores"
            if any(result.exact for result in results)
            else "draw more of the null with `n_resamples`"
        )
        yield (
            f"the smallest p-value that {test} can give here is {least:.3g}{corrected} and above α = "
            f"{found.alpha:g}: the test cannot find a difference, whatever the scores; {how}"
        )
    if fewest[0] > 1 and any(math.isnan(pair.interval[0]) for pair in found.pairs):
        yield NOTHING_VARIES
    if not paired:
        yield SCOPE
    elif not found.paired:
        yield f"the scores are paired, but {test} does not use the pairs; approximate_randomisation does"
