"""Item-wise wins by any metric of single items: Winsδ of Wein et al. 2023, section 4.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nbyk.metrics.metric import Metric

Floats = NDArray[np.float64]


def wins(metric: Metric, systems: Floats, gold: Floats, out: Floats, tolerance: float) -> None:
    """Fill `out`, shape (R,), with (wins of A − wins of B) / N: a win is a lead above `tolerance`.

    An item counts as a test set of its own. Where the metric has no value on some item, the result is NaN.

    Parameters
    ----------
    metric
        A metric that scores systems, which decides who wins an item.
    systems, gold : ndarray
        As for `Metric.effects` of that metric.
    """
    n_sets, n_items = systems.shape[1:3]
    alone = systems[:2].reshape(2, n_sets * n_items, 1, *systems.shape[3:])
    gold_alone = gold.reshape(n_sets * n_items, 1, *gold.shape[2:]) if metric.needs_gold else None
    effects = metric.effects(alone, gold_alone).reshape(n_sets, n_items)
    lead = (effects > tolerance).sum(axis=1) - (effects < -tolerance).sum(axis=1)
    out[:] = np.where(np.isnan(effects).any(axis=1), np.nan, lead / n_items)
