"""The alternative annotator test: may a judge stand in for a person? (Calderon, Reichart and Dror 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from nbyk.arrays import Floats
from nbyk.data.arrays import as_ratings, check_aligned
from nbyk.errors import NbykError, check_name
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.decision import check_level
from nbyk.testing.results import ShownAsLines

if TYPE_CHECKING:
    from nbyk.report.lines import Head

_ROUNDING = 1e-9
"""Two who are as near to the others but for this share of their distance tie."""


@dataclass(frozen=True, repr=False)
class StandIn(ShownAsLines):
    """What the alternative annotator test says of a judge.

    Attributes
    ----------
    winning_rate
        The share of people whom the judge may replace: those whose p the procedure of Benjamini and Yekutieli
        rejects. From ½ on, the judge passes.
    advantage, advantages
        The share of items on which the judge is as near to the others as a person is: the mean, and of each.
    raters, left_out
        The places of the people who were tested, and of those with too few items.
    p : ndarray, shape (H,)
        Of each person, p of "the judge is at least ε less often as near to the others".
    """

    winning_rate: float
    advantage: float
    raters: tuple[int, ...]
    advantages: Floats
    p: Floats
    left_out: tuple[int, ...]

    @property
    def passed(self) -> bool:
        """Whether the judge may stand in for a person."""
        return self.winning_rate >= 0.5

    @property
    def head(self) -> Head:
        """Whether the judge passed, and by how many people, as it prints."""
        from nbyk.report.comparison.judged import stand_in_head

        return stand_in_head(self)


def stand_in(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    by: Literal["accuracy", "distance"] = "accuracy",
    epsilon: float = 0.2,
    alpha: float = 0.05,
    fewest_items: int = 30,
) -> StandIn:
    """Return the alternative annotator test of a judge.

    Each person is left out in turn. On every item, the judge and the person are compared with the others who
    rated it: who is nearer to them? A t-test then says whether the person is so more often than the judge by
    less than ε.

    Parameters
    ----------
    people : array_like, shape (N, R)
        The ratings, or places of classes, of N items by R people; NaN where there is none.
    judge : array_like, shape (N,)
        The judge's, NaN where there is none.
    by
        "accuracy", the share of others who say the same, for classes; or "distance", the root of the mean
        squared distance, for numbers.
    epsilon
        The advantage of the judge's lower cost, from 0 to 1: the authors take .2 for experts, .15 for skilled
        people and .1 for crowds.
    alpha
        The level of the false discovery rate.
    fewest_items
        People with fewer items are left out.

    Raises
    ------
    NbykError
        If shapes do not fit, an argument is unknown or out of range, or nobody has so many items that others
        rated too.

    Notes
    -----
    The t-tests count items, not people: the test speaks of these people.

    References
    ----------
    Calderon, Reichart and Dror 2025, The alternative annotator test for LLM-as-a-judge (arXiv 2501.10970).
    """
    check_name("way to compare", by, ("accuracy", "distance"), argument="by")
    if not 0.0 <= epsilon <= 1.0:
        raise NbykError(f"found {epsilon:g}, expected a share, such as 0.2", argument="epsilon")
    check_level(alpha)
    check_aligned(people, judge)
    ratings, scores = as_ratings(people, "people"), as_ratings(judge, "judge")
    if ratings.ndim != 2 or scores.shape != ratings.shape[:1]:
        raise NbykError(
            f"found the shapes {ratings.shape} and {scores.shape}, expected items × raters and "
            "one score per item"
        )
    there = ~np.isnan(ratings)
    kept = (there.sum(axis=1) >= 2) & ~np.isnan(scores)
    ratings, scores, there = ratings[kept], scores[kept], there[kept]
    raters, left_out, advantages, p = [], [], [], []
    for rater in range(ratings.shape[1]):
        mine = there[:, rater]
        n = int(mine.sum())
        if n < fewest_items:
            left_out.append(rater)
            continue
        others = np.delete(ratings[mine], rater, axis=1)
        own, judge_misses = (_misses(values[mine], others, by) for values in (ratings[:, rater], scores))
        ties = np.isclose(judge_misses, own, rtol=_ROUNDING, atol=0.0)
        better, worse = (judge_misses < own) | ties, (own < judge_misses) | ties
        gaps = worse.astype(np.float64) - better
        spread = float(gaps.std(ddof=1)) / np.sqrt(n)
        distance = float(gaps.mean()) - epsilon
        with np.errstate(divide="ignore", invalid="ignore"):
            p.append(float(stdtr(n - 1.0, np.float64(distance) / spread)))
        advantages.append(float(better.mean()))
        raters.append(rater)
    if not raters:
        raise NbykError(
            f"nobody has {fewest_items} items that the judge and another person rated; collect more, or "
            "lower `fewest_items`"
        )
    # Benjamini and Yekutieli: rates that hold under any dependence of the tests
    any_dependence = float(np.sum(1.0 / np.arange(1, len(p) + 1)))
    corrected = any_dependence * correct_p_values(np.nan_to_num(p, nan=1.0), "benjamini_hochberg")
    return StandIn(
        float(np.mean(corrected <= alpha)),
        float(np.mean(advantages)),
        tuple(raters),
        np.array(advantages),
        np.array(p),
        tuple(left_out),
    )


def _misses(values: Floats, others: Floats, by: str) -> Floats:
    """Return how far each value is from the others' ratings of its item: only the order counts."""
    if by == "accuracy":
        return np.asarray(-(others == values[:, None]).sum(axis=1), np.float64)
    return np.asarray(np.nansum((others - values[:, None]) ** 2, axis=1))
