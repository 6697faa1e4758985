"""The tests by name, each with its functions of one pair of samples and of many."""

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
from nbyk.testing.scores.facts import FACTS
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
    name
        Its name.
    test
        Function from scores of A and B to a result.
    p_values
        Function from R samples of each, shapes (R, n) and (R, m), to p-values, shape (R,).
    """

    name: str
    test: Callable[..., SignificanceResult]
    p_values: Callable[..., Floats]

    @property
    def paired(self) -> bool:
        """Whether score i of A and score i of B must belong together."""
        return FACTS[self.name].paired

    @property
    def draws(self) -> bool:
        """Whether it takes `n_resamples`, `seed`, `threads`, `keep_null` and `progress`."""
        return FACTS[self.name].null != "formula"


TESTS = {
    test.name: test
    for test in (
        ScoreTest("approximate_randomisation", approximate_randomisation, approximate_randomisation_p),
        ScoreTest("permutation", permutation_test, permutation_p),
        ScoreTest(
            "paired_bootstrap", partial(bootstrap_test, paired=True), partial(bootstrap_p, paired=True)
        ),
        ScoreTest("bootstrap", bootstrap_test, bootstrap_p),
        ScoreTest("welch_t", welch_t_test, welch_t_p),
        ScoreTest("wilcoxon", wilcoxon_test, wilcoxon_p),
        ScoreTest("mann_whitney", mann_whitney_test, mann_whitney_p),
    )
}


def get_score_test(name: str) -> ScoreTest:
    """Return a test by its name; an unknown one raises `NbykError`."""
    if name not in TESTS:
        raise unknown_name("test", name, TESTS)
    return TESTS[name]
