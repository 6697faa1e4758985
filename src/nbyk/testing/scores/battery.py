"""The tests by name: a summary of each, whether it pairs scores, and its functions of one or many samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from nbyk.data.arrays import Floats
from nbyk.errors import unknown_name
from nbyk.testing.scores.bootstrap import bootstrap_p, bootstrap_test
from nbyk.testing.scores.classical import (
    mann_whitney_p,
    mann_whitney_test,
    welch_t_p,
    welch_t_test,
    wilcoxon_p,
    wilcoxon_test,
)
from nbyk.testing.scores.randomisation import (
    approximate_randomisation,
    approximate_randomisation_p,
    permutation_p,
    permutation_test,
)
from nbyk.testing.scores.result import SignificanceResult


@dataclass(frozen=True)
class ScoreTest:
    """A test of two systems' scores that gives a p-value.

    Attributes
    ----------
    name, summary
        Its name, and its description in one line.
    paired
        Whether score i of A and score i of B must belong together.
    test
        Function from scores of A and B to a result.
    p_values
        Function from R samples of each, shapes (R, n) and (R, m), to p-values, shape (R,).
    draws
        Whether it draws its null, and takes `n_resamples`, `seed`, `threads`, `keep_null` and `progress`.
    """

    name: str
    summary: str
    paired: bool
    test: Callable[..., SignificanceResult]
    p_values: Callable[..., Floats]
    draws: bool


TESTS = {
    test.name: test
    for test in (
        ScoreTest(
            "approximate_randomisation",
            "difference of means, the systems swapped on each pair",
            True,
            approximate_randomisation,
            approximate_randomisation_p,
            True,
        ),
        ScoreTest(
            "permutation",
            "difference of means, all scores dealt anew",
            False,
            permutation_test,
            permutation_p,
            True,
        ),
        ScoreTest(
            "paired_bootstrap",
            "difference of means, pairs resampled",
            True,
            partial(bootstrap_test, paired=True),
            partial(bootstrap_p, paired=True),
            True,
        ),
        ScoreTest(
            "bootstrap",
            "difference of means, either system's scores resampled",
            False,
            bootstrap_test,
            bootstrap_p,
            True,
        ),
        ScoreTest(
            "welch_t", "difference of means over its standard error", False, welch_t_test, welch_t_p, False
        ),
        ScoreTest(
            "wilcoxon", "signed ranks of the differences of pairs", True, wilcoxon_test, wilcoxon_p, False
        ),
        ScoreTest(
            "mann_whitney",
            "how often A's score is above B's",
            False,
            mann_whitney_test,
            mann_whitney_p,
            False,
        ),
    )
}


def get_score_test(name: str) -> ScoreTest:
    """Return a test by its name; an unknown one raises `NbykError`."""
    if name not in TESTS:
        raise unknown_name("test", name, TESTS)
    return TESTS[name]
