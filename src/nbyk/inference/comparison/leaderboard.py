"""Scores of many systems on the same bootstrapped items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress

Floats = NDArray[np.float64]


def bootstrap_scores(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    n_resamples: int = 9_999,
    rng: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Floats:
    """Return each system's score on bootstrapped items, the same items for all, shape (metrics, S, M)."""
    raise NotImplementedError
