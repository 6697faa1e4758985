"""Bootstrap power analysis: whether these are enough scores to notice a system that is better by a lift."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.arrays import as_scores
from nbyk.errors import NbykError
from nbyk.resampling.streams import Streams, as_seed, stream_key
from nbyk.testing.corrections import n_corrected_for
from nbyk.testing.decision import check_draws, check_level
from nbyk.testing.intervals import proportion_interval
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import Board
from nbyk.testing.scores.aso import AsoResult, aso_batch
from nbyk.testing.scores.battery import p_values as p_values_of
from nbyk.testing.scores.facts import FACTS

Lift = Literal["factor", "shift"]
Test = Callable[[Floats, Floats], Floats]

_N_RESAMPLES, _N_ASO_RESAMPLES = 5000, 1000

_NO_LIFT: dict[str, float] = {"factor": 1.0, "shift": 0.0}
"""The lifts that leave scores as they are."""

_LARGEST_SCORE = 1e150
"""The largest score that can be squared."""


@dataclass(frozen=True)
class BootstrapPower:
    """The power of a test to notice a lift: the share of resampled pairs with p ≤ α, and its 95 % interval.

    The interval is Clopper and Pearson's (1934) for the number of pairs of samples that were drawn.
    """

    power: float
    low: float
    high: float
    n_scores: int
    n_resamples: int


def bootstrap_power_analysis(
    scores: Any,
    *,
    lift: float = 1.25,
    lift_is: Lift = "factor",
    test: str | Test = "welch_t",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_resamples: int = _N_RESAMPLES,
    seed: Any = 0,
) -> BootstrapPower:
    """Estimate the power of a test on samples like this one, against a system better by a constant lift.

    Parameters
    ----------
    scores
        Two or more scores of one system.
    lift, lift_is
        How much better the other system is: 1.25 multiplies every score, or adds 1.25 if `lift_is` is
        "shift". A factor is at least 1 and needs scores that are not negative; a shift is at least 0.
    test
        One of `nbyk.testing.scores.facts.TESTS`, or a function from samples of both, shapes (R, n),
        to p-values, shape (R,); each sample is resampled by itself, so a paired test would see no real pairs.
    alternative
        The side of a named test: "two-sided", "greater" (the lifted system is better) or "less".
    alpha
        The level, in (0, 1).
    n_resamples
        Number of pairs of samples to draw.
    seed
        Seed of the draws.

    Raises
    ------
    NbykError
        If scores are not finite numbers, or an argument is unknown or out of range.

    Notes
    -----
    Yuan and Hayashi 2003, as Ulmer et al. 2022 use it: aim for about 0.8, and collect more scores if the
    power is less. The lift is a convention, not a claim. For the effect that you care about, give its size as
    a "shift".
    """
    values = as_scores(scores, "scores", least=2)
    check_draws(n_resamples)
    check_level(alpha)
    seed = as_seed(seed)
    lifted = _lifted(values, lift, lift_is)
    p_values = partial(p_values_of, test, alternative=alternative) if isinstance(test, str) else test
    streams = Streams(stream_key(seed, purpose="bootstrap power analysis", n=len(values)), 0)
    draws = [
        streams.uniforms(system, (n_resamples, len(values))) * len(values)
        for system in ("lifted", "as it is")
    ]
    a, b = (of[at.astype(np.int64)] for of, at in zip((lifted, values), draws, strict=True))
    p = np.asarray(p_values(a, b), dtype=np.float64)
    rejected = int((p <= alpha).sum())  # NaN (resamples that do not vary) is not a rejection
    return BootstrapPower(
        rejected / n_resamples, *proportion_interval(rejected, n_resamples), len(values), n_resamples
    )


def comparison_power(
    board: Board,
    *,
    lift: float = 1.25,
    lift_is: Lift = "factor",
    n_resamples: int | None = None,
) -> dict[str, BootstrapPower]:
    """Return `bootstrap_power_analysis` of each system's scores with a board's test, level and seed.

    The test is an unpaired one or Almost Stochastic Order, for which `eps_min` ≤ τ counts as a rejection. If
    the board corrects for several pairs, the level of the power is α over their number, that of the strictest
    step; the bound of Almost Stochastic Order is the comparison's own.
    """
    question, scores = board.question, board.sample.scores
    if FACTS[question.test].paired:
        raise NbykError(
            f"found {question.test}, a test of pairs; the analysis resamples either system's scores by "
            "themselves: choose an unpaired test, or plan a test set of items with `nbyk plan`",
            argument="lift",
        )
    test: Test
    if question.tau is None:
        side: Alternative = "two-sided" if question.alternative == "two-sided" else "greater"
        test = partial(p_values_of, question.test, alternative=side)
        alpha, default = question.alpha / n_corrected_for(question.correction, len(board.pairs)), _N_RESAMPLES
    else:
        order = board.pairs[0].claims[0].order
        assert isinstance(order, AsoResult)
        n, level = order.bound.n_comparisons, 1.0 - question.alpha
        test = partial(aso_batch, confidence_level=level, n_comparisons=n, seed=question.seed)
        alpha, default = question.tau, _N_ASO_RESAMPLES
    powers = {}
    for name, sample in scores.items():
        try:
            powers[name] = bootstrap_power_analysis(
                sample,
                lift=lift,
                lift_is=lift_is,
                test=test,
                alpha=alpha,
                n_resamples=default if n_resamples is None else n_resamples,
                seed=question.seed,
            )
        except NbykError as error:
            raise error if error.argument != "scores" else NbykError(error.problem, systems=(name,)) from None
    return powers


def _lifted(scores: Floats, lift: float, lift_is: str) -> Floats:
    """Return the scores of a system that is better by a lift."""
    if lift_is not in _NO_LIFT:
        raise NbykError(f"found {lift_is!r}, expected 'factor' or 'shift'", argument="lift_is")
    least = _NO_LIFT[lift_is]
    if not least <= lift < math.inf:
        raise NbykError(
            f"found {lift:g}, expected a {lift_is} of at least {least:g}, which makes a system better",
            argument="lift",
        )
    if lift_is == "factor" and scores.min() < 0.0:
        raise NbykError(
            f"found {scores.min():g}, and a factor lifts only scores that are not negative; lift them by a "
            "difference instead (`lift_is=shift`)",
            argument="scores",
        )
    lifted = scores * lift if lift_is == "factor" else scores + lift
    if np.abs(lifted).max() > _LARGEST_SCORE:
        raise NbykError(
            f"found {lift:g}, which lifts scores above {_LARGEST_SCORE:g}; give a smaller one",
            argument="lift",
        )
    return lifted
