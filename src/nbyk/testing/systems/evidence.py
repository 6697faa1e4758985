"""Which items speak for A, and which for B."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.metrics import Metric
from nbyk.testing.engine.draws import Draws

Floats = NDArray[np.float64]

MOST_ITEMS = 1024
"""Most items for which the effect is computed without each one, if the metric is not a mean over items."""


def item_effects(data: ResponseSet, metric: Metric) -> Floats | None:
    """Return each item's effect of A over B; their mean is, up to bias, the effect on all items.

    Parameters
    ----------
    data
        Gold and both systems' responses.
    metric
        The metric.

    Returns
    -------
    ndarray, shape (N,), or None
        Positive if the item speaks for A. For a metric that is a mean over items, it is the effect on the
        item. For others it is the jackknife's pseudo-value: N times the effect minus N − 1 times the effect
        without the item. None if this would take long, or if the effect is undefined without some item.
    """
    n = data.n_items
    if n > MOST_ITEMS and not metric.additive:
        return None
    draws = Draws(data, [metric], seed=0)
    (without,) = draws.jackknifed(n)
    found: Floats = n * draws.observed[0] - (n - 1) * without
    return found if np.isfinite(found).all() else None
