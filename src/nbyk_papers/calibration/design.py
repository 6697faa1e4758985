"""The design of the study of calibration: its sources, sizes, tests and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

STUDY = "calibration"

SOURCES = ("simulated", "toxicity", "hs_brexit")
"""Continuous, Likert and binary responses."""

SIZES = ((50, 1), (200, 1), (50, 5), (200, 5))
EXPECTED_SIZES = ((50, 1), (50, 5))
ALPHAS = (0.01, 0.05, 0.1)
WEAK_EPSILONS = (0.1, 0.3)
POWER_EPSILONS = (0.2,)

METRICS = (
    "mae",
    "mse",
    "rmse",
    "inverse_mse",
    "max_error",
    "wins_mae",
    "spearman",
    "emd_aggregated",
    "mean_of_emds",
    "wins_mae_vectorized",
)

LABEL_CLASSES = (2, 3, 5, 12)

Answers = Literal["classes", "distributions"]
"""What a system answers in the cells of labels."""

DEFAULT_NULL = "swap_items"
"""The null of the test that `nbyk.compare` makes by default."""

BAND = 0.99
"""Chance that a band around α holds the rejection rate of a calibrated test."""


@dataclass(frozen=True)
class RateTests:
    """The tests whose rejection rates are measured on `n_sets` test sets.

    Samplers of expected p come each with every null that it can draw. If there are none, the tests are the
    p-values under every null, drawn at the data's own size, and the intervals by both of their samplers.
    `n_resamples` are the draws M of every null, and of responses for expected p and intervals; `n_bootstraps`
    the draws B of items with all of their responses, for their intervals and for the null "shifted".
    """

    metrics: Sequence[str]
    samplers: Sequence[str]
    alphas: Sequence[float]
    n_sets: int
    n_resamples: int
    n_bootstraps: int
    seed: int


def scenario(epsilon_a: float, epsilon_b: float) -> str:
    """Return the truth, given the ε of both systems: "strong" or "weak" null, or "power"."""
    if epsilon_a != epsilon_b:
        return "power"
    return "weak" if epsilon_a else "strong"


ANSWERS: tuple[Answers, ...] = ("classes", "distributions")


class People(NamedTuple):
    """Who gives the labels of a set: raters and of them per item, runs of each system, and their lean λ.

    Without raters, each item has its own. Raters who confuse classes have no lean: a rater's labels of the
    items of a class are drawn from chances of the rater's own (Dawid and Skene 1979).
    """

    raters: int
    per_item: int
    runs: int
    lean: float
    confuse: bool = False


PEOPLE = {
    "own": People(0, 5, 1, 1.0),
    "5, mild": People(5, 5, 1, 0.5),
    "5": People(5, 5, 1, 1.0),
    "5 of 20": People(20, 5, 1, 1.0),
    "3 runs": People(1, 1, 3, 1.0),
    **{f"{raters}, confused": People(raters, raters, 1, 0.0, confuse=True) for raters in (3, 5, 8)},
}
"""Kinds of people by name: raters of each item's own, the same raters for all, and runs that lean."""

IN_WORDS = {
    "own": "5 of its own",
    "5, mild": "the same 5, λ = .5",
    "5": "the same 5",
    "5 of 20": "5 of the same 20",
    "3 runs": "1; 3 runs of each system",
    **{f"{raters}, confused": f"the same {raters}, own confusions" for raters in (3, 5, 8)},
}
