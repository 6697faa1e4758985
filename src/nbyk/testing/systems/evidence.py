"""Which items speak for A, and which for B."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.metrics import Metric
from nbyk.testing.engine.draws import Draws

Floats = NDArray[np.float64]

MOST_ITEMS = 1024
"""Items up to which the effect is found anew without each one, by a metric that is no mean over items."""


def item_effects(data: ResponseSet, metric: Metric) -> Floats | None:
    """Return what each item says of A over B: the effects whose mean is, up to bias, that of all items.

    Parameters
    ----------
    data
        Gold and both systems' responses.
    metric
        The metric.

    Returns
    -------
    ndarray, shape (N,), or None
        Positive where the item speaks for A. By a metric that is a mean over items, it is the effect on the
        item; by others the jackknife's pseudo-value, N times the effect less N − 1 times that without the
        item. None where that would take long, or no effect is defined without some item.
    """
    n = data.n_items
    if n > MOST_ITEMS and not metric.additive:
        return None
    draws = Draws(data, [metric], seed=0)
    (without,) = draws.jackknifed(n)
    found: Floats = n * draws.observed[0] - (n - 1) * without
    return found if np.isfinite(found).all() else None
