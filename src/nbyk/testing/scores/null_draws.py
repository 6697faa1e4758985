"""The null distribution of a test's statistic, to show beside the observed value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.testing.scores.battery import TESTS
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.nulls import equal_on_paper, paired_differences
from nbyk.testing.scores.randomisation import approximate_randomisation, permutation_test

_ALL_UP_TO = 2**16


@dataclass(frozen=True)
class NullStatistics:
    """A null distribution: its statistic in words, its values, draws or quantiles, and the samples'."""

    statistic: str
    values: Floats
    observed: float


def null_draws(test: str, a: Floats, b: Floats, *, n_draws: int = 10_000, seed: int = 0) -> NullStatistics:
    """Return the null distribution of a test in `battery.TESTS` for two samples.

    Rank tests show the difference of mean ranks, or the mean signed rank, with scores dealt or signs flipped
    as in the test. Welch's shows the t distribution.
    """
    run, samples, statistic = TESTS[test], (a, b), "difference of means"
    if test == "welch_t":
        return _welch(a, b, n_draws)
    if test == "wilcoxon":
        differences = paired_differences(a[None], b[None])[0]
        differences = differences[differences != 0.0]
        ranks = np.sign(differences) * _ranks(np.abs(differences))
        run, samples = approximate_randomisation, (ranks, np.zeros_like(ranks))
        statistic = "mean signed rank of the differences"
    elif test == "mann_whitney":
        ranks = _ranks(np.concatenate(equal_on_paper(a[None], b[None]), axis=1)[0])
        run, samples = permutation_test, (ranks[: len(a)], ranks[len(a) :])
        statistic = "difference of mean ranks"
    options: dict[str, Any] = {"n_resamples": n_draws, "seed": seed, "keep_null": True}
    if FACTS[test].null != "resampled":
        options["exact_up_to"] = _ALL_UP_TO
    result = run(*samples, **options)
    assert result.null is not None
    return NullStatistics(statistic, result.null, result.statistic)


def _welch(a: Floats, b: Floats, n_draws: int) -> NullStatistics:
    from scipy import stats

    welch = stats.ttest_ind(a, b, equal_var=False)
    shares = (np.arange(n_draws) + 0.5) / n_draws
    return NullStatistics("t", np.asarray(stats.t.ppf(shares, welch.df)), float(welch.statistic))


def _ranks(values: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)
