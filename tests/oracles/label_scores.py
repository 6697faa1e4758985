"""One system's scores by name, as the paired bootstrap of BooStSa's study computes them on the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbyk_papers.boostsa2022.label_bootstrap import label_scorer, observed_scores, scores_of


def label_scores(
    target: Any, prediction: Any, names: Sequence[str] | str, n_classes: int = 0
) -> dict[str, float]:
    """Return the scores of hard labels, classes from 0, or of rows of probabilities."""
    names = [names] if isinstance(names, str) else list(names)
    truth, guess = np.asarray(target), np.asarray(prediction)
    scorer = label_scorer(truth, np.stack([guess, guess]), scores_of(names, truth), n_classes=n_classes)
    return dict(zip(names, observed_scores(scorer)[:, 0].tolist(), strict=True))
