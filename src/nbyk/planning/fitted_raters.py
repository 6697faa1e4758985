"""How raters of labels differ, fitted to labels with ids: their leaning to classes, and their confusion.

Two labels by one rater, of two items, are equal more often than one of them and another rater's of the other
item: by an excess. That of items whose likeliest classes differ shows the leaning, and that of items of one
class the confusion too. The likeliest class of an item is that of most other labels. The shares of a prior
are those by which simulated labels, of the same raters, have the same two excesses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.units import Units
from nbyk.priors.nominal import LabelPrior
from nbyk.resampling.labels import counts_among
from nbyk.resampling.rated_labels import labels_by_raters
from nbyk.testing.shared_units.collection import FEWEST_UNITS

P = TypeVar("P", bound=LabelPrior)

_RATERS, _ITEMS = 400, 2000
"""At least so many raters are simulated, and of thousands of items one in several."""
_NEAR = 2e-3
_MOST = 0.99
_SEED = 20260114


def fit_raters(prior: P, labels: Floats, units: Units) -> P:
    """Return a prior fitted to labels with the leaning and the confusion of their raters.

    Parameters
    ----------
    prior
        The prior, as of `fit_classes` or `fit_levels`; of levels, the leaning is the spread of the raters'
        cut-points.
    labels : ndarray, shape (N, K)
        The labels, as places of classes; NaN where missing.
    units
        Their raters. Without ids of three who label two items or more, the prior stays as it is.
    """
    if units.index is None or units.n_shared < FEWEST_UNITS:
        return prior
    raters = units.index.astype(np.int64)
    some, n_classes = raters[:: max(1, len(raters) // _ITEMS)], prior.levels
    apart, within = excesses(labels, raters, n_classes)

    def simulated(leaning: float, confusion: float) -> Floats:
        """Return the two excesses at these shares, with the same random numbers for all."""
        found, other = [], prior.with_raters(leaning, confusion)
        for number in range(2 + _RATERS // len(units.names)):
            generator = np.random.default_rng([_SEED, number])
            gold = other.pool(generator, len(some)).at(0.0, 0.0)[0]
            found.append(excesses(labels_by_raters(other, gold, some, generator), some, n_classes))
        return np.asarray(np.mean(found, axis=0))

    def leaning_at(confusion: float) -> float:
        return _share_with(apart, lambda share: simulated(share, confusion)[0], 1.0 - confusion)

    def confusion_at(leaning: float) -> float:
        share = _share_with(within, lambda share: simulated(leaning, share)[1], 1.0 - leaning)
        return prior.with_raters(leaning, share).confusion

    leaning = leaning_at(confusion_at(leaning_at(0.0)))
    return prior.with_raters(*(float(f"{share:.3g}") for share in (leaning, confusion_at(leaning))))


def excesses(labels: Floats, raters: Integers, n_classes: int) -> tuple[float, float]:
    """Return by how much more often two labels by one rater are equal than one of them and another's.

    Of two items whose likeliest classes differ, and of two with the same one. `labels` are (N, K), `raters`
    too, −1 where missing. Items with one label tell nothing.
    """
    item, column = np.nonzero(~np.isnan(labels) & ((~np.isnan(labels)).sum(axis=1, keepdims=True) > 1))
    label, rater = labels[item, column].astype(np.int64), raters[item, column]
    others = counts_among(labels, n_classes)[item].astype(np.float64)
    others[np.arange(len(label)), label] -= 1.0
    likeliest = others.argmax(axis=1)
    others /= others.sum(axis=1, keepdims=True)
    from_others = others[np.arange(len(label)), label]

    def of_pairs(group: Integers) -> tuple[float, float]:
        """Return the excess of equal pairs among labels of one group, over all pairs, and their number."""
        names, place = np.unique(group, return_inverse=True)
        own, theirs = np.zeros((2, len(names), n_classes))
        np.add.at(own, (place, label), 1.0)
        np.add.at(theirs, place, others)
        sizes = own.sum(axis=1)
        excess = (own * (own - theirs)).sum() - (1.0 - from_others).sum()
        return float(excess), float((sizes * (sizes - 1.0)).sum())

    every, within = of_pairs(rater), of_pairs(rater * n_classes + likeliest)
    apart = every[0] - within[0], every[1] - within[1]
    return apart[0] / max(apart[1], 1.0), within[0] / max(within[1], 1.0)


def _share_with(excess: float, excess_at: Callable[[float], float], most: float) -> float:
    """Return the share, from 0 to `most`, at which an increasing excess has a value."""
    low, high = 0.0, min(most, _MOST)
    if excess <= excess_at(0.0):
        return 0.0
    while high - low > _NEAR:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess_at(middle) < excess else (low, middle)
    return 0.5 * (low + high)
