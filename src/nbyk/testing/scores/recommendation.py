"""The recommended test of plain scores, with its reason; it does not depend on the scores' values."""

from __future__ import annotations

import math
from typing import NamedTuple

from nbyk.testing.scores.randomisation import EXACT_UP_TO

MANY_SCORES = 30
"""From this many scores of each system on, Welch's test is recommended for unpaired scores."""


class Recommendation(NamedTuple):
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
        how = f"all {2**n:,} swaps are counted" if 2**n <= EXACT_UP_TO else "of all swaps, some are drawn"
        return Recommendation(
            "approximate_randomisation",
            f"the scores are paired, and it swaps the two of a pair ({how}), whatever their distribution",
        )
    if min(n, m) < MANY_SCORES:
        deals = math.comb(n + m, n)
        how = f"all {deals:,} are counted" if deals <= EXACT_UP_TO else "some are drawn"
        return Recommendation(
            "permutation",
            f"the scores are few and not paired, and it deals them anew to the systems ({how}), so that p "
            "holds for any number of scores",
        )
    return Recommendation(
        "welch_t",
        f"the scores are not paired, and with {MANY_SCORES} or more of each it holds for means, even if one "
        "system varies more",
    )
