"""Fornaciari et al. 2022, BooStSa: the settings of its figures, and every number that they print.

How does the p-value of a paired bootstrap depend on the size of the test set and on the share f of it that a
resample draws (Figures 1 and 2)? And, a question that the paper does not ask: how often does the test reject
if both systems are equally good?
"""

from __future__ import annotations

from typing import Literal

STUDY = "boostsa2022"

FRACTIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
"""Shares f: the paper's six, .05 to .5, the range that BooStSa admits, and larger ones."""

SMALLEST_ADMITTED, LARGEST_ADMITTED = 0.05, 0.5
"""The shares that BooStSa lets its users draw."""

DEFAULT_FRACTION = 0.1
"""The share that BooStSa draws by default."""

SIZES = (400, 1000, 2000, 4000, 10_000, 20_000, 40_000)
"""Test-set sizes of Figure 1; the text does not give the paper's own."""

SIZE_STEP = 200
"""Sizes are multiples of it, so that a lead of .01 is a whole number of items in either class."""

LEAD = 0.01
"""A's lead in accuracy in Figure 1."""

ACCURACY = 0.8
"""B's accuracy in Figure 1, which the text does not give."""

N_SIMULATIONS = 10
N_RESAMPLES = 1000
"""Simulations behind a point of Figure 1, and resamples of each."""

TAGGED_ITEMS = 3064
TAGGED_RIGHT_A, TAGGED_RIGHT_B = 2643, 2630
"""Right answers of Figure 2's systems: the whole numbers nearest to the printed accuracies."""

TAGGING = {"accuracy": (0.8584, 0.8627), "f1_macro": (0.7456, 0.7513)}
"""Scores of B and of A printed for Figure 2."""

TAGGING_RESAMPLES = 10_000
SIGNIFICANT_ABOVE = 0.3
"""The text says that Figure 2's p-values are below .05 only at shares above this one."""

DISCORDANCES = (0.007, 0.02, 0.05, 0.1)
"""Shares of items that exactly one of Figure 2's systems has right, which the text does not give."""

EXAMPLE = {
    "f1_macro": (0.6776, 0.7407, 15),
    "accuracy": (0.6900, 0.7410, 38),
    "precision_macro": (0.6994, 0.7410, 65),
    "recall_macro": (0.6796, 0.7422, 9),
}
"""Figure 3, the printed example: scores of B (h0) and of A (h1), and how many of 1000 resamples exceed 2d."""

EXAMPLE_FRACTION = 0.2
EXAMPLE_RESAMPLES = 1000
EXAMPLE_COUNTS = {
    (0, 0, 0): 217,
    (0, 1, 0): 30,
    (0, 0, 1): 136,
    (0, 1, 1): 82,
    (1, 1, 1): 356,
    (1, 0, 1): 87,
    (1, 1, 0): 32,
    (1, 0, 0): 60,
}
"""Items by target and by predictions of A and of B in that example.

They are counted in the files that the example's command names: test_boot/h0.0 and h1.0 of BooStSa's public
repository. Their margins are those that the paper prints.
"""

HARD_SCORES = (
    "accuracy",
    *(
        f"{name}_{average}"
        for name in ("precision", "recall", "f1")
        for average in ("macro", "micro", "weighted")
    ),
)
SOFT_SCORES = ("cross_entropy", "js_divergence", "js_distance", "entropy_similarity", "entropy_correlation")
"""Every score that a run may ask for, by kind of labels: without single classes'."""

SCORES = ("accuracy", "precision_macro", "recall_macro", "f1_macro", *SOFT_SCORES)
"""Scores whose Type-I error is measured: BooStSa's eight, and the divergence itself beside its root."""

LEVEL_SIZES = (200, 1000)
"""Test-set sizes of Type-I error: ties and skewness still matter at the first, but not at the second."""

N_SETS = 2000
LEVEL_RESAMPLES = 999
ALPHA = 0.05

SEMANTICS: tuple[Literal["published", "recommended"], ...] = ("published", "recommended")
