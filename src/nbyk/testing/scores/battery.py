"""The tests by name: of one pair of samples, and the p-values of many."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nbyk.arrays import Floats
from nbyk.data.arrays import as_row_pairs
from nbyk.errors import unknown_name
from nbyk.testing.pvalues import Alternative, check_alternative
from nbyk.testing.scores.bootstrap import bootstrap_test, resampled
from nbyk.testing.scores.classical import (
    mann_whitney,
    mann_whitney_test,
    welch,
    welch_t_test,
    wilcoxon,
    wilcoxon_test,
)
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.nulls import NullSums
from nbyk.testing.scores.randomisation import (
    EXACT_UP_TO,
    approximate_randomisation,
    deals,
    permutation_test,
    swaps,
)
from nbyk.testing.scores.result import SignificanceResult

TESTS: dict[str, Callable[..., SignificanceResult]] = {
    "approximate_randomisation": approximate_randomisation,
    "permutation": permutation_test,
    "paired_bootstrap": partial(bootstrap_test, paired=True),
    "bootstrap": bootstrap_test,
    "welch_t": welch_t_test,
    "wilcoxon": wilcoxon_test,
    "mann_whitney": mann_whitney_test,
}
_NULLS: dict[str, Callable[[Floats, Floats], NullSums]] = {
    "approximate_randomisation": swaps,
    "permutation": deals,
    "paired_bootstrap": partial(resampled, paired=True),
    "bootstrap": partial(resampled, paired=False),
}
_FORMULAS = {"welch_t": welch, "wilcoxon": wilcoxon, "mann_whitney": mann_whitney}


def p_values(
    test: str,
    a: Any,
    b: Any,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    exact_up_to: int = EXACT_UP_TO,
    smoothing: bool = True,
    seed: Any = 0,
    threads: int = 1,
) -> Floats:
    """Return the p-values of a test of R pairs of samples, shapes (R, n) and (R, m); NaN if undefined.

    The options are those of the test, if it has them. Row r has random draws of its own, which do not depend
    on the other rows.
    """
    if test not in TESTS:
        raise unknown_name("test", test, TESTS)
    check_alternative(alternative)
    first, second = as_row_pairs(a, b, paired=FACTS[test].paired, least=FACTS[test].least_scores)
    if test in _FORMULAS:
        return _FORMULAS[test](first, second, alternative)[1]
    null, drawing = _NULLS[test](first, second), Drawing(n_resamples, seed, threads)
    return null.counted(drawing, exact_up_to).p_values(alternative, smoothing=smoothing)
