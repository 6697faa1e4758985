"""What the tests of scores are called and what they need, one row for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Facts:
    """What a test is called in sentences, what its null hypothesis says of two systems, and what it needs.

    All choices of its null are "counted", or drawn if they are too many; scores are "resampled"; it is a
    "formula"; or there is "none", because the test bounds a ratio. `paired` says whether score i of A and
    score i of B must belong together, and `undefined` where the test is not defined.
    """

    title: str
    hypothesis: str
    null: Literal["counted", "resampled", "formula", "none"]
    paired: bool = False
    least_scores: int = 1
    undefined: str = ""

    @property
    def draws(self) -> bool:
        """Whether it draws from its null, with `n_resamples`, `seed`, `threads` and `progress`."""
        return self.null in ("counted", "resampled")


ASO = "aso"
PERMUTATION_AND_WELCH = "permutation_and_welch"
FACTS = {
    "approximate_randomisation": Facts(
        "approximate randomisation", "score every item or run from one distribution", "counted", paired=True
    ),
    "permutation": Facts("the permutation test", "draw their scores from one distribution", "counted"),
    PERMUTATION_AND_WELCH: Facts(
        "the permutation test with Welch's t-test", "have equal mean scores", "counted"
    ),
    "paired_bootstrap": Facts(
        "the paired bootstrap test", "have equal mean scores", "resampled", paired=True, least_scores=2
    ),
    "bootstrap": Facts("the bootstrap test", "have equal mean scores", "resampled", least_scores=2),
    "welch_t": Facts(
        "Welch's t-test",
        "have equal mean scores",
        "formula",
        least_scores=2,
        undefined="neither sample varies, so that t has no denominator; use permutation",
    ),
    "wilcoxon": Facts(
        "Wilcoxon's signed-rank test",
        "have scores that differ around 0 alike on both sides",
        "formula",
        paired=True,
        undefined="all pairs tie, so that there is nothing to rank; the systems' scores are the same",
    ),
    "mann_whitney": Facts(
        "the Mann–Whitney U test",
        "draw their scores from one distribution",
        "formula",
        undefined="all scores are equal, so that there is nothing to rank",
    ),
    ASO: Facts("Almost Stochastic Order", "are not in almost stochastic order", "none", least_scores=2),
}
"""Almost Stochastic Order and the tests of `nbyk.testing.scores.battery`, by name."""

TESTS = tuple(name for name in FACTS if name != ASO)
"""The names of the tests that have a p-value."""
