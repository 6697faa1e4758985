"""Label predictions, hard and soft: their scores, labels from ratings, and the paired bootstrap over them."""

from __future__ import annotations

from nbyk.labels.bootstrap import label_bootstrap, label_scores
from nbyk.labels.raters import RatedTargets, rated_targets
from nbyk.labels.results import LabelComparison, LabelTest
from nbyk.labels.right_or_wrong import (
    STRICT_ALPHA,
    RightOrWrong,
    cochran_mantel_haenszel,
    mcnemar,
)
from nbyk.labels.targets import Majority, majority_labels, shares_of_counts, soft_labels

__all__ = [
    "STRICT_ALPHA",
    "LabelComparison",
    "LabelTest",
    "Majority",
    "RatedTargets",
    "RightOrWrong",
    "cochran_mantel_haenszel",
    "label_bootstrap",
    "label_scores",
    "majority_labels",
    "mcnemar",
    "rated_targets",
    "shares_of_counts",
    "soft_labels",
]
