"""Label predictions, hard and soft: their scores, labels from ratings, and the paired bootstrap over them."""

from __future__ import annotations

from nbyk.labels.bootstrap import label_bootstrap, label_scores
from nbyk.labels.results import LabelComparison, LabelTest
from nbyk.labels.targets import Majority, majority_labels, soft_labels
from nbyk.metrics.label_scores import LabelScore, get_score, score_names

__all__ = [
    "LabelComparison",
    "LabelScore",
    "LabelTest",
    "Majority",
    "get_score",
    "label_bootstrap",
    "label_scores",
    "majority_labels",
    "score_names",
    "soft_labels",
]
