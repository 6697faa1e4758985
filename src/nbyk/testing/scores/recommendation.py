"""The recommended test of plain scores, with its reason; it does not depend on the scores' values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nbyk.testing.scores.randomisation import EXACT_UP_TO

MANY_SCORES = 30
"""From this many scores of each system on, Welch's test is recommended for unpaired scores."""


@dataclass(frozen=True)
class Recommendation:
    """A test, and the reason for it in a sentence that ends without a full stop."""

    test: str
    reason: str


def recommended_test(n: int, m: int, *, paired: bool) -> Recommendation:
    """Return the test to use with n scores of A and m of B.

    Parameters
    ----------
    n, m
        Number of scores of each system; with several systems, the two smallest numbers.
    paired
        Whether score i of both is of the same item or run.
    """
    if paired:
        how = (
            f"all {2**n:,} ways to swap are counted"
            if 2**n <= EXACT_UP_TO
            else "of the ways to swap, too many to count, some are drawn"
        )
        return Recommendation(
            "approximate_randomisation",
            "the scores are paired, so that under the null hypothesis either system might have got either "
            f"score of a pair; {how}, and no distribution is assumed",
        )
    if min(n, m) < MANY_SCORES:
        deals = math.comb(n + m, n)
        how = f"all {deals:,} are counted" if deals <= EXACT_UP_TO else "some of too many are drawn"
        return Recommendation(
            "permutation",
            f"nothing pairs the scores and they are few, so that all ways to deal them to two systems are "
            f"compared ({how}); the p-value is exact at any number of scores where both systems' come from "
            "one distribution",
        )
    return Recommendation(
        "welch_t",
        f"nothing pairs the scores, and with {MANY_SCORES} or more of either system Welch's test nearly "
        "holds its level for means whatever their distribution, also where one system's scores vary more",
    )
