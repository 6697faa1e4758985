"""Systems compared by their plain scores: one test of every pair, corrected for the number of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.systems import Systems
from nbyk.errors import NbykError, check_name, errors_about
from nbyk.resampling.effects import Progress
from nbyk.testing.corrections import (
    check_correction,
    corrected_pairs,
    level_of_each,
    settled_decisions,
    times_of_least,
)
from nbyk.testing.family import choose_pairs
from nbyk.testing.pvalues import DECISION_ERROR, bounds_of_drawn_p
from nbyk.testing.ranks import board_from
from nbyk.testing.results import NONE, Board, Claim, Margin, Pair, Question, Sample, Shown
from nbyk.testing.scores.aso import Bound, few_scores
from nbyk.testing.scores.battery import score_test
from nbyk.testing.scores.facts import ASO, FACTS, PERMUTATION_AND_WELCH, TESTS
from nbyk.testing.scores.means import are_zeros_and_ones, mean_interval
from nbyk.testing.scores.nulls import EXACT_UP_TO
from nbyk.testing.scores.result import (
    SCOPE,
    SignificanceResult,
    cautions,
    counts_of,
    population_of,
)

RECOMMENDED = "recommended"
NAMES = (RECOMMENDED, ASO, *TESTS)
"""Names of the tests that scores can be compared by."""

MANY_SCORES = 30
"""From this many scores of each system on, Welch's test is recommended for unpaired scores."""

NO_MEANS = "no interval is given: Almost Stochastic Order compares whole distributions, not means"
"""Why a claim by Almost Stochastic Order has no interval."""

USUAL_TAU = 0.2
"""The bound of eps_min below which Almost Stochastic Order finds a system better, if none is given."""

N_RESAMPLES = 10_000
N_ASO_RESAMPLES = 1000


def board_of_scores(
    systems: Systems,
    question: Question,
    *,
    n_resamples: int | None,
    threads: int,
    progress: Progress | None,
    margin: float | None = None,
    notes: Sequence[str] = (),
) -> Board:
    """Return the board of `nbyk.compare` for the scores of two systems or more.

    The test is "recommended" (see `recommended_test`), "aso", or one of `facts.TESTS`; the correction "" is
    the test's usual one. `notes` are further cautions.
    """
    if systems.kind != "scores":
        raise NbykError(f"found {systems.taken_as}; expected scores of runs", argument="test")
    samples, paired, names = dict(systems.responses), systems.paired, list(systems.names)
    if len(names) < 2:
        raise NbykError(f"found one system, {names[0]}, expected two or more", argument="scores")
    pairs = [(names[a], names[b]) for a, b in choose_pairs(names, question.against, question.alternative)]
    test, reason = chosen_test(question.test, samples, paired=paired)
    tau = question.tau
    if tau is not None and not (test == ASO and 0.0 < tau < 1.0):
        expected = "a number between 0 and 1, such as 0.2" if test == ASO else f"none for {test}"
        raise NbykError(f"found {tau}, expected {expected}", argument="tau")
    _check_samples(samples, test, paired=paired)
    correction = _correction(test, question.correction)
    question = replace(
        question,
        test=test,
        hypothesis=FACTS[test].hypothesis,
        correction=correction,
        n_together=times_of_least(correction, len(pairs)),
        tau=USUAL_TAU if test == ASO and tau is None else tau,
        reason=reason or "",
    )
    counts = counts_of({name: len(sample) for name, sample in samples.items()})
    pairing = "Scores in one place are a pair." if FACTS[test].paired else "Scores are not paired."
    sample = Sample(0, 0, counts, pairing=pairing, scores=samples)
    sign = -1.0 if question.direction == "lower" else 1.0
    if margin is not None and (test == ASO or all(map(are_zeros_and_ones, samples.values()))):
        what = "aso, which bounds no difference" if test == ASO else 'zeros and ones; say `kind="numbers"`'
        raise NbykError(f"found {margin:g} beside {what}", argument="margin")
    if test == ASO:
        draws = N_ASO_RESAMPLES if n_resamples is None else n_resamples
        compared = list(_by_aso(question, sample, sign, pairs, draws, threads, progress))
    else:
        draws = N_RESAMPLES if n_resamples is None else n_resamples
        options: dict[str, Any] = {"n_resamples": draws, "threads": threads, "progress": progress}
        options |= {"alternative": question.alternative, "seed": question.seed}
        compared = _by_p(question, sample, sign, pairs, options, margin)
    means = np.array([float(of.mean()) for of in samples.values()])
    intervals = [mean_interval(of, question.confidence_level) for of in samples.values()]
    warnings = (*notes, *_warnings(question, sample, compared, paired=paired))
    if len(compared) == 1:
        compared, warnings = [replace(compared[0], cautions=warnings)], ()
    board = board_from(question, sample, names, means, sign, intervals, compared)
    return replace(board, cautions=warnings)


def chosen_test(test: str, samples: Mapping[str, Floats], *, paired: bool) -> tuple[str, str | None]:
    """Return the name of the test that compares samples, and the reason if it is the recommended one."""
    if test == RECOMMENDED:
        return recommended_test(*_fewest(samples), paired=paired)
    check_name("test", test, NAMES, argument="test")
    return test, None


def recommended_test(n: int, m: int, *, paired: bool) -> tuple[str, str]:
    """Return the test to use with n scores of A and m of B (the two smallest numbers), and the reason.

    It does not depend on the scores' values.
    """
    if paired:
        how = f"all {2**n:,} swaps are counted" if 2**n <= EXACT_UP_TO else "of all swaps, some are drawn"
        return (
            "approximate_randomisation",
            f"the scores are paired, and it swaps the two of a pair ({how}), whatever their distribution",
        )
    if min(n, m) < MANY_SCORES:
        deals = math.comb(n + m, n)
        how = f"all {deals:,} are counted" if deals <= EXACT_UP_TO else "some are drawn"
        return (
            PERMUTATION_AND_WELCH,
            f"the scores are few and not paired; of two p the larger counts: of dealing scores anew ({how}), "
            "which holds for any number, and of Welch's t-test, which nearly does if one system varies more",
        )
    return (
        "welch_t",
        f"the scores are not paired, and with {MANY_SCORES} or more of each it holds for means, even if one "
        "system varies more",
    )


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


def _correction(test: str, correction: str) -> str:
    if not correction:
        return "bonferroni" if test == ASO else "holm"
    check_correction(correction)
    if test == ASO and correction not in ("bonferroni", "none"):
        raise NbykError(
            f"found {correction!r} for aso, whose bounds are not p-values; choose bonferroni or none",
            argument="correction",
        )
    return correction


def _by_p(
    question: Question,
    sample: Sample,
    sign: float,
    pairs: Sequence[tuple[str, str]],
    options: Mapping[str, Any],
    margin: float | None,
) -> list[Pair]:
    """Return the corrected pairs; effects are differences of the means times the sign."""
    results = []
    for pair in pairs:
        with errors_about(systems=pair):
            scores = (sign * sample.scores[name] for name in pair)
            results.append(score_test(question.test, *scores, **options))
    p = np.array([result.p for result in results])
    draws = [result.n_resamples if result.standard_error else 0 for result in results]
    bounds = [bounds_of_drawn_p(of.p, n, of.alternative) for of, n in zip(results, draws, strict=True)]
    decided = settled_decisions(p, *np.transpose(bounds), alpha=question.alpha, method=question.correction)
    level, of_margin = (
        level_of_each(of, question.correction, len(pairs))
        for of in (question.confidence_level, 1.0 - 2.0 * question.alpha)
    )
    compared = []
    for names, result, is_decided in zip(pairs, results, decided.tolist(), strict=True):
        a, b = (sign * sample.scores[name] for name in names)
        favours: Shown = "better" if _first_is_in_front(result, a, b) else "worse"
        claim = replace(result.claim(level, favours, DECISION_ERROR), decided=is_decided)
        if margin is not None:
            tests = _margin(result, a, b, margin, question.alpha, of_margin, options)
            claim = replace(claim, margin=tests)
        of_two = _pair(names, question, sample, claim)
        compared.append(replace(of_two, cautions=tuple(result.without_interval(claim.interval))))
    return corrected_pairs(compared)


def _margin(
    result: SignificanceResult,
    a: Floats,
    b: Floats,
    size: float,
    alpha: float,
    level: float,
    options: Mapping[str, Any],
) -> Margin:
    """Return the tests of a difference against a margin: the same test, one-sided, of shifted scores."""
    interval = result.ends_at(level)
    test = partial(score_test, result.test)
    not_worse = test(a + size, b, **{**options, "alternative": "greater"})
    if math.isnan(interval[0]):
        return Margin(size, math.nan, math.nan, math.nan, NONE, alpha, "the scores do not vary")
    if not_worse.least_p > alpha:
        reason = f"the smallest p that so few scores can give is {not_worse.least_p:.2g}; collect more"
        return Margin(size, math.nan, math.nan, math.nan, NONE, alpha, reason)
    worse, not_better = (test(a + by, b, **{**options, "alternative": "less"}).p for by in (size, -size))
    return Margin(size, not_worse.p, worse, max(not_worse.p, not_better), interval, alpha)


def _pair(names: tuple[str, str], question: Question, sample: Sample, claim: Claim) -> Pair:
    kept = {name: sample.scores[name] for name in names}
    sample_of_two = Sample(0, 0, {name: sample.responses[name] for name in names}, scores=kept)
    a, b = (float(of.mean()) for of in kept.values())
    return Pair(*names, question, sample_of_two, (a, b), (claim,), claim.p, claim.decided)


def _first_is_in_front(result: SignificanceResult, a: Floats, b: Floats) -> bool:
    if result.alternative != "two-sided":
        return result.alternative == "greater"
    if FACTS[result.test].draws or result.test == "welch_t":
        return result.statistic > 0.0
    # Rank tests may favour another system than the means do.
    greater, less = (score_test(result.test, a, b, alternative=side).p for side in ("greater", "less"))
    return greater < less


def _by_aso(
    question: Question,
    sample: Sample,
    sign: float,
    pairs: Sequence[tuple[str, str]],
    n_resamples: int,
    threads: int,
    progress: Progress | None,
) -> Iterator[Pair]:
    assert question.tau is not None
    sides = 2 if question.alternative == "two-sided" else 1
    n_comparisons = 1 if question.correction == "none" else sides * len(pairs)
    bound = Bound(1.0 - question.alpha, n_comparisons, n_resamples, question.seed)
    for row, names in enumerate(pairs):
        a, b = (sign * sample.scores[name] for name in names)
        order = bound.compare(a, b, row=row, threads=threads, keep_resamples=True, progress=progress)
        favours: Shown = "undecided"
        if question.alternative != "less" and order.eps_min < question.tau:
            favours = "better"
        elif question.alternative != "greater" and order.reversed().eps_min < question.tau:
            favours = "worse"
        claim = Claim(
            ("scores",),
            population_of(ASO),
            order.effect,
            NONE,
            *(math.nan, math.nan, ASO, favours),
            order=order,
        )
        yield replace(_pair(names, question, sample, claim), cautions=(NO_MEANS,))


def _warnings(question: Question, sample: Sample, pairs: Sequence[Pair], *, paired: bool) -> Iterator[str]:
    test, fewest = question.test, _fewest(sample.scores)
    yield from cautions(
        test,
        fewest[0],
        min(pair.claims[0].least_p for pair in pairs),
        (
            *(few_scores(*fewest) if test == ASO else ()),
            *dict.fromkeys(text for pair in pairs for text in pair.warnings),
        ),
        drawn=not any(pair.drawn is None or pair.drawn.exact for pair in pairs),
        alpha=question.alpha,
        n_corrected=times_of_least(question.correction, len(pairs)),
    )
    if not paired:
        yield SCOPE
    elif not FACTS[test].paired:
        title = FACTS[test].title
        yield f"the scores are paired, and {title} ignores that; without `test`, nbyk uses the pairs"
